//! `twinql check-refactor`: do refactored queries still say the same?

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use serde_json::json;
use twinql::input::work;
use twinql::record::Status;
use twinql::refactor::{Part, RefactorError, bound, matched, parts};
use twinql::sql::Proof;
use twinql::suite::Verdict;
use twinql::{Job, Semantics, Work, status};

use super::prove::found;
use super::witness::WitnessRecord;
use super::{tell, worker};
use crate::args::refactor::CheckRefactor;
use crate::args::{Format, Output};
use crate::input;
use crate::output::Console;

/// What is found of one query.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Finding {
    file: String,
    /// The view that it makes, or its place among the file's queries, from 1.
    query: String,
    /// `proved`, `tested`, `different` or `not_compared`.
    outcome: Outcome,
    /// Of `proved`, what the data have to keep to; of others, why.
    because: Vec<String>,
    witness: Option<WitnessRecord>,
}

/// What became of one query. Only the first is certain; of the others the witness or the reason says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// The same on every database that meets the assumptions.
    Proved,
    /// No database that was made for it shows a difference.
    Tested,
    /// A database shows a difference.
    Different,
    /// It cannot be compared.
    NotCompared,
}

/// Two versions of a file.
struct Versions {
    file: String,
    old: String,
    new: String,
}

/// Compares all files, and says whether all are the same.
pub(crate) fn run(typed: CheckRefactor, seed: Option<u64>, console: Console) -> Result<bool> {
    let output = Output::new(typed.output, Format::Text)?;
    let asked = typed.semantics.as_str().parse::<Semantics>();
    let mut semantics = asked.map_err(|e| anyhow::anyhow!("--semantics: {e}"))?;
    semantics.respect_order = typed.ordered;
    let judge = worker::judge(&typed.run, semantics.clone(), typed.databases, seed)?;
    let dialects = typed.input.dialects.known()?;
    let schemas = input::schemas(Some(&typed.input.schemas), dialects)?;
    let schema = schemas.only(typed.db_id.as_deref())?;
    let versions = match &typed.against {
        Some(revision) => against(revision, &typed.paths, console)?,
        None => two_places(&typed.paths)?,
    };
    let mut findings = Vec::new();
    let mut jobs = Vec::new();
    for Versions { file, old, new } in &versions {
        let pairs = parts(old).and_then(|old| matched(old, parts(new)?)).and_then(|pairs| {
            let bind = |(old, new): (Part, Part)| Ok((bound([&old, &new], &schema)?, old.name));
            pairs.into_iter().map(bind).collect::<Result<Vec<_>, RefactorError>>()
        });
        match pairs {
            Ok(pairs) => {
                jobs.extend(pairs.into_iter().enumerate().map(|(at, (([old, new], schema), name))| {
                    let query = name.unwrap_or_else(|| format!("query {}", at + 1));
                    let id = json!([file, query]);
                    (file.clone(), query, Job { id, work: work(schema, old, new, dialects) })
                }));
            }
            Err(error) => findings.push(Finding {
                file: file.clone(),
                query: "all".into(),
                outcome: Outcome::NotCompared,
                because: vec![error.to_string()],
                witness: None,
            }),
        }
    }
    let pairs: Vec<Job> = jobs.iter().map(|(_, _, job)| job.clone()).collect();
    // What is proved the same needs no databases.
    let found = found(&pairs, &semantics, Some(&judge), |proof| !matches!(proof, Some(Ok(Proof::Equal(_)))));
    for ((file, query, job), (proof, report)) in jobs.into_iter().zip(found) {
        let (outcome, because, witness) = match (&job.work, proof, report.map(|r| r.verdict)) {
            (Work::Unusable { error, .. }, _, _) => (Outcome::NotCompared, vec![sides_named(error)], None),
            (_, Some(Ok(Proof::Equal(equal))), _) => (Outcome::Proved, equal.needs(), None),
            (_, proof, Some(Verdict::Different { witness })) => {
                let why = match proof {
                    Some(Ok(Proof::Different(difference))) => vec![difference.to_string()],
                    _ => Vec::new(),
                };
                (Outcome::Different, why, WitnessRecord::of(&job, *witness))
            }
            (_, _, Some(Verdict::Same { databases, .. })) => {
                (Outcome::Tested, vec![format!("no database of {databases} shows a difference")], None)
            }
            (_, Some(Ok(Proof::Different(difference))), _) => {
                (Outcome::Different, vec![difference.to_string()], None)
            }
            (_, Some(Err(error)), _) => (Outcome::NotCompared, vec![sides_named(&error.to_string())], None),
            (_, _, verdict) => {
                let (_, error) = verdict.as_ref().map_or((Status::Ok, None), status::of_verdict);
                let why = error.unwrap_or_else(|| "no database on which the old query answers".into());
                (Outcome::NotCompared, vec![sides_named(&why)], None)
            }
        };
        findings.push(Finding { file, query, outcome, because, witness });
    }
    let bad = |finding: &&Finding| match finding.outcome {
        Outcome::Proved => false,
        Outcome::Tested => typed.proved,
        Outcome::Different | Outcome::NotCompared => true,
    };
    let failed = findings.iter().filter(bad).count();
    let document =
        || json!({"format": 1, "semantics": semantics.name, "failed": failed, "queries": findings});
    tell(&output, &text(&findings, typed.proved), document, &findings, console)?;
    Ok(failed == 0)
}

/// Findings for people: a line each, then what shows a difference.
fn text(findings: &[Finding], must_be_proved: bool) -> String {
    let mut out = String::new();
    for finding in findings {
        let says = match finding.outcome {
            Outcome::Proved if finding.because.is_empty() => "the same: proved".to_owned(),
            Outcome::Proved => format!("the same: proved, given {}", finding.because.join(", ")),
            Outcome::Tested if must_be_proved => format!("not proved: {}", finding.because.join(", ")),
            Outcome::Tested => format!("the same as far as tested: {}", finding.because.join(", ")),
            Outcome::Different if finding.because.is_empty() => "NOT the same".to_owned(),
            Outcome::Different => format!("NOT the same: {}", finding.because.join(", ")),
            Outcome::NotCompared => format!("not compared: {}", finding.because.join(", ")),
        };
        out.push_str(&format!("{} ({}): {says}\n", finding.file, finding.query));
        if let Some(witness) = &finding.witness {
            out.push('\n');
            out.push_str(&witness.text);
            out.push('\n');
        }
    }
    out
}

/// The same sentence about the old and the new query: elsewhere they are the gold and the prediction.
fn sides_named(error: &str) -> String {
    for (side, name) in [("gold: ", "the old query: "), ("pred: ", "the new query: ")] {
        if let Some(rest) = error.strip_prefix(side) {
            return format!("{name}{rest}");
        }
    }
    error.to_owned()
}

/// The files of two places: two files, or the files of the same path in two folders.
fn two_places(paths: &[PathBuf]) -> Result<Vec<Versions>> {
    let [old, new] = paths else {
        bail!("give the old and the new file or folder, or --against with the files that changed");
    };
    let read =
        |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    if old.is_dir() != new.is_dir() {
        bail!("{} and {} are not both files or both folders", old.display(), new.display());
    }
    if !old.is_dir() {
        return Ok(vec![Versions { file: new.display().to_string(), old: read(old)?, new: read(new)? }]);
    }
    let (before, after) = (sql_files(old)?, sql_files(new)?);
    let shared: Vec<&PathBuf> = before.intersection(&after).collect();
    if shared.is_empty() {
        bail!("{} and {} have no .sql file of the same path", old.display(), new.display());
    }
    shared
        .into_iter()
        .map(|path| {
            let file = new.join(path).display().to_string();
            Ok(Versions { file, old: read(&old.join(path))?, new: read(&new.join(path))? })
        })
        .collect()
}

/// The .sql files below a folder, by their paths in it.
fn sql_files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let path = folder.join(&below);
        let entries = fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = below.join(entry.file_name());
            // A link is not followed: it may lead in a circle.
            match entry.file_type()? {
                kind if kind.is_dir() => open.push(name),
                kind if kind.is_file() && name.extension().is_some_and(|e| e == "sql") => {
                    found.insert(name);
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Each file with what it was in a revision.
fn against(revision: &str, paths: &[PathBuf], console: Console) -> Result<Vec<Versions>> {
    // A revision is a word for git, and no option of it.
    if revision.is_empty() || revision.starts_with('-') {
        bail!("--against {revision}: give a revision of git, such as HEAD or main");
    }
    let known = git(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])?;
    if known.is_none() {
        bail!("--against {revision}: git knows no such revision here");
    }
    let mut versions = Vec::new();
    for path in paths {
        let new = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let shown = path.display().to_string();
        // `./` makes git take the path from the current folder.
        let name = if path.is_absolute() { shown.clone() } else { format!("./{shown}") };
        match git(&["show", &format!("{revision}:{name}")])? {
            Some(old) => versions.push(Versions { file: shown, old, new }),
            None => console.say(format!("{shown}: not in {revision}, nothing to compare with")),
        }
    }
    Ok(versions)
}

/// What git prints; none where it fails.
fn git(arguments: &[&str]) -> Result<Option<String>> {
    let output = Command::new("git").args(arguments).output().context("cannot run git")?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}
