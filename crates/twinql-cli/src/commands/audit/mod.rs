//! `twinql audit`: what is wrong with gold queries, found without a database.

mod record;
mod report;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use twinql::audit::sarif::{self, Located};
use twinql::audit::{Asked, Audit as Audited, Auditor, CHECKS, Check, Config, Severity, Status, check};
use twinql::corpus::predictions::Form;
use twinql::files::Inputs;
use twinql::input::{GoldSource, open_golds};
use twinql::{Job, Schema, Work};

use crate::args::DEFAULT_SEED;
use crate::args::audit::{Audit, AuditFormat, Least};
use crate::commands::records::line;
use crate::commands::stream::{Window, stream_about};
use crate::document;
use crate::input::{self, About};
use crate::output::{Console, Sink, left_table, table};
pub(crate) use record::AuditRecord;
use report::Findings;

/// What came of a gold: an audit, or why there is none.
type Done = Result<Audited, String>;

/// Audits each gold as its line is read, and writes its findings; a table of the checks comes at the end.
pub(crate) fn run(typed: Audit, seed: Option<u64>, console: Console) -> Result<bool> {
    if typed.list {
        return list(console);
    }
    let source = source(&typed)?;
    if typed.schemas.schemas.is_none() && matches!(source, GoldSource::Lines(_) | GoldSource::One(_)) {
        bail!(
            "--schemas is missing: give a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file or a folder of them"
        );
    }
    let config = config(&typed, seed)?;
    let mut inputs = Inputs::default().with([
        ("--gold", typed.gold.as_deref()),
        ("--pairs", typed.pairs.as_deref()),
        ("--schemas", typed.schemas.schemas.as_deref()),
    ]);
    document::outputs(&mut inputs, &[&typed.out], &typed.report)?;
    let schemas = input::schemas(typed.schemas.schemas.as_deref(), typed.schemas.dialects.get())?;
    let golds = open_golds(&source, typed.db_id.as_deref(), schemas)?;
    let mut writer = Writer::new(&typed, &source, config.severity)?;
    let work = |jobs: &[Job], about: &[About]| audited(jobs, about, &config);
    stream_about(golds, Window::SMALL_BATCHES, "auditing", console, &work, &mut |done| {
        let Some((job, about, done)) = done else { return writer.flush() };
        writer.add(&job, &about, done)
    })?;
    let (tally, findings) = writer.finish()?;
    if let (Some(path), Some(findings)) = (&typed.report, findings) {
        document::write(&findings.report(&named(&source), &tally), path)?;
    }
    for line in tally.lines() {
        console.say(line);
    }
    let Some(limit) = typed.fail_on.map(severity) else { return Ok(true) };
    let failed = tally.findings.iter().filter(|((_, s), _)| *s >= limit).map(|(_, n)| n).sum::<usize>();
    if failed > 0 {
        console.warn(format!("--fail-on {limit}: {failed} findings are as bad or worse"));
    }
    Ok(failed == 0)
}

/// Shows the registry.
fn list(console: Console) -> Result<bool> {
    let mut rows = vec![["check", "severity", "finds"].map(String::from).to_vec()];
    rows.extend(CHECKS.iter().map(|c| vec![c.id.to_owned(), c.severity.to_string(), c.summary.to_owned()]));
    let mut out = Sink::new(None)?;
    out.write(&left_table(&rows))?;
    out.finish()?;
    console.say(format!("{} checks", CHECKS.len()));
    Ok(true)
}

/// Exactly one source: clap sees to it that there are not two.
fn source(typed: &Audit) -> Result<GoldSource> {
    Ok(match (&typed.gold, &typed.pairs, &typed.gold_sql) {
        (Some(gold), None, None) => GoldSource::Lines(gold.clone()),
        (None, Some(pairs), None) if typed.two_golds => GoldSource::TwoGolds(pairs.clone()),
        (None, Some(pairs), None) => GoldSource::Pairs(pairs.clone()),
        (None, None, Some(sql)) => GoldSource::One(sql.clone()),
        _ => bail!("no golds to work on: give --gold FILE, --pairs FILE or --gold-sql SQL"),
    })
}

/// The file of the golds, or the only one.
fn named(source: &GoldSource) -> String {
    match source {
        GoldSource::Lines(path) | GoldSource::Pairs(path) | GoldSource::TwoGolds(path) => {
            path.display().to_string()
        }
        GoldSource::One(sql) => sql.clone(),
    }
}

/// The flag's name as a severity.
fn severity(typed: Least) -> Severity {
    match typed {
        Least::Note => Severity::Note,
        Least::Warning => Severity::Warning,
        Least::Error => Severity::Error,
    }
}

/// What is looked for. A named check is told whatever its severity, and so is what `--fail-on` asks for: else the
/// status would speak of findings that nobody sees.
fn config(typed: &Audit, seed: Option<u64>) -> Result<Config> {
    let mut checks: Vec<&'static Check> = Vec::new();
    for id in typed.check.iter().map(|id| id.trim()).filter(|id| !id.is_empty()) {
        match check(id) {
            Some(check) if !checks.contains(&check) => checks.push(check),
            Some(_) => {}
            None => bail!("--check: unknown check {id:?}; `twinql audit --list` shows them"),
        }
    }
    let mut least = severity(typed.severity);
    // Who names a check wants to see what it finds.
    if let Some(lowest) = checks.iter().map(|c| c.severity).min() {
        least = least.min(lowest);
    }
    if let Some(limit) = typed.fail_on.map(severity) {
        least = least.min(limit);
    }
    Ok(Config {
        semantics: typed.semantics.get()?,
        dialect: typed.schemas.dialects.get().gold,
        checks,
        severity: least,
        witness: !typed.no_witness,
        seed: seed.unwrap_or(DEFAULT_SEED),
    })
}

/// Audits a block; what is made for a schema is kept for the block.
fn audited(jobs: &[Job], about: &[About], config: &Config) -> Vec<Done> {
    let mut auditors: HashMap<*const Schema, Result<Auditor, String>> = HashMap::new();
    let mut one = |(job, about): (&Job, &About)| match &job.work {
        Work::Unusable { error, .. } => Err(error.clone()),
        Work::Pair { schema, gold, pred: _ } => {
            let made = auditors.entry(Arc::as_ptr(schema)).or_insert_with(|| {
                Auditor::new(schema, config).map_err(|e| format!("the schema cannot be built in SQLite: {e}"))
            });
            made.as_ref().map(|auditor| auditor.audit(gold, asked(about))).map_err(Clone::clone)
        }
    };
    jobs.iter().zip(about).map(&mut one).collect()
}

/// What a gold answers, as its line says it.
fn asked(about: &About) -> Asked<'_> {
    let Some(answers) = &about.answers else { return Asked::default() };
    let other = answers.other.as_ref().map(|(sql, dialect)| (sql.as_str(), *dialect));
    Asked { question: &answers.question, evidence: &answers.evidence, other }
}

/// Counts of what was audited.
#[derive(Default)]
struct Tally {
    /// All golds, those that cannot be used too.
    golds: usize,
    /// Golds by how far they were understood.
    statuses: BTreeMap<&'static str, usize>,
    /// Golds with a finding, by its severity.
    flagged: BTreeMap<Severity, usize>,
    /// By check and severity, for some findings are less bad than their check says.
    findings: BTreeMap<(&'static str, Severity), usize>,
    /// Findings that a database shows, by check.
    witnesses: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Counts one gold.
    fn add(&mut self, status: &'static str, audit: Option<&Audited>) {
        self.golds += 1;
        *self.statuses.entry(status).or_default() += 1;
        let Some(audit) = audit else { return };
        for finding in &audit.findings {
            *self.findings.entry((finding.check.id, finding.severity)).or_default() += 1;
            if finding.witness.is_some() {
                *self.witnesses.entry(finding.check.id).or_default() += 1;
            }
        }
        if let Some(worst) = audit.findings.iter().map(|f| f.severity).max() {
            *self.flagged.entry(worst).or_default() += 1;
        }
    }

    /// The checks that found something, in the order of the registry: with the severity, from the worst, and how many
    /// findings of it there are.
    fn found(&self) -> impl Iterator<Item = (&'static Check, Severity, usize)> {
        let all = CHECKS.iter().flat_map(|check| Severity::ALL.into_iter().rev().map(move |s| (check, s)));
        all.filter_map(|(check, severity)| {
            Some((check, severity, *self.findings.get(&(check.id, severity))?))
        })
    }

    /// Findings of a check that a database shows.
    fn shown(&self, check: &Check) -> usize {
        self.witnesses.get(check.id).copied().unwrap_or(0)
    }

    /// For people: a row for each check that found something, and what became of the golds.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.findings.is_empty() {
            let mut rows = vec![["check", "severity", "findings", "witnesses"].map(String::from).to_vec()];
            rows.extend(self.found().map(|(check, severity, n)| {
                vec![check.id.into(), severity.to_string(), n.to_string(), self.shown(check).to_string()]
            }));
            lines.extend(table(&rows).lines().map(str::to_owned));
        }
        let statuses: Vec<String> = self.statuses.iter().map(|(s, n)| format!("{s} {n}")).collect();
        let flagged: Vec<String> = self.flagged.iter().rev().map(|(s, n)| format!("{s} {n}")).collect();
        let worst = if flagged.is_empty() { "none".to_owned() } else { flagged.join(", ") };
        let golds = if self.golds == 1 { "1 gold".to_owned() } else { format!("{} golds", self.golds) };
        lines.push(format!("{golds}: {}; with a finding, by the worst: {worst}", statuses.join(", ")));
        lines
    }

    /// The same for programs.
    fn json(&self) -> Json {
        let checks = self.found().map(|(check, severity, n)| {
            json!({"check": check.id, "severity": severity, "findings": n, "witnesses": self.shown(check)})
        });
        let checks: Vec<Json> = checks.collect();
        let flagged: serde_json::Map<String, Json> =
            self.flagged.iter().map(|(s, n)| (s.name().to_owned(), json!(n))).collect();
        json!({"golds": self.golds, "status": self.statuses, "flagged": flagged, "checks": checks})
    }
}

/// Writes audits in the format that was asked for.
struct Writer {
    /// Where audits are written.
    sink: Sink,
    /// What they are written as.
    format: AuditFormat,
    /// The file of golds, for SARIF.
    file: Option<String>,
    /// A gold a line: then places in the text are places in the file.
    lines: bool,
    /// One JSON document, of which the line of a gold is not known.
    document: bool,
    /// The query of the command line: its text need not be shown again.
    single: bool,
    /// The least that is told.
    severity: Severity,
    /// Counts for the end.
    tally: Tally,
    /// What waits for the end of the document.
    waiting: Vec<Json>,
    /// For a report, where one is asked for.
    findings: Option<Findings>,
}

impl Writer {
    fn new(typed: &Audit, source: &GoldSource, severity: Severity) -> Result<Writer> {
        let single = matches!(source, GoldSource::One(_));
        let form = match source {
            GoldSource::Lines(path) => Some(Form::of(path, None)),
            _ => None,
        };
        Ok(Writer {
            sink: Sink::new(typed.out.as_deref())?,
            format: typed.format,
            file: (!single).then(|| named(source)),
            lines: matches!(form, Some(Form::Lines | Form::Table(_))),
            document: form == Some(Form::Document),
            single,
            severity,
            tally: Tally::default(),
            waiting: Vec::new(),
            findings: typed.report.is_some().then(Findings::default),
        })
    }

    /// Shows what is there; false where nobody reads any more.
    fn flush(&mut self) -> Result<bool> {
        self.sink.flush()?;
        Ok(!self.sink.closed)
    }

    /// Writes one audit, or keeps it where the format is one document; false where nobody reads any more.
    fn add(&mut self, job: &Job, about: &About, done: Done) -> Result<bool> {
        let status = match &done {
            Ok(audit) => audit.status.name(),
            Err(_) => "unusable",
        };
        self.tally.add(status, done.as_ref().ok());
        if let (Some(findings), Ok(audit)) = (&mut self.findings, &done) {
            let id = about.id_text(&job.id);
            let db_id = about.db_id.as_deref().unwrap_or_default();
            audit.findings.iter().for_each(|finding| findings.add(&id, db_id, &audit.text, finding));
        }
        match self.format {
            AuditFormat::Text => self.sink.write(&text::gold(job, about, &done, self.single))?,
            AuditFormat::Jsonl => {
                let record = AuditRecord::new(job, about, &done);
                self.sink.line(&line(job, about, &record, Vec::new)?)?;
            }
            AuditFormat::Json if done.as_ref().is_ok_and(silent) => {}
            AuditFormat::Json => self.waiting.push(json!(AuditRecord::new(job, about, &done))),
            AuditFormat::Sarif => {
                let Ok(audit) = &done else { return Ok(!self.sink.closed) };
                // Where a repair has moved the text, its places are not the file's.
                let as_written = matches!(&job.work, Work::Pair { gold, .. } if *gold == audit.text);
                for finding in &audit.findings {
                    let located = Located {
                        file: self.file.clone(),
                        line: if self.document {
                            1
                        } else {
                            usize::try_from(about.print).unwrap_or(1).max(1)
                        },
                        column: (self.lines && as_written).then_some(1),
                        id: about.id_text(&job.id),
                        finding,
                    };
                    self.waiting.push(sarif::result(&located));
                }
            }
        }
        Ok(!self.sink.closed)
    }

    /// Ends the output.
    fn finish(mut self) -> Result<(Tally, Option<Findings>)> {
        match self.format {
            AuditFormat::Text | AuditFormat::Jsonl => {}
            AuditFormat::Json => {
                let document = json!({
                    "format": 1,
                    "version": env!("CARGO_PKG_VERSION"),
                    "severity": self.severity,
                    "summary": self.tally.json(),
                    "golds": self.waiting,
                });
                self.sink.line(&serde_json::to_string_pretty(&document)?)?;
            }
            AuditFormat::Sarif => {
                let log = sarif::log(std::mem::take(&mut self.waiting), env!("CARGO_PKG_VERSION"));
                self.sink.line(&serde_json::to_string_pretty(&log)?)?;
            }
        }
        self.sink.finish()?;
        Ok((self.tally, self.findings))
    }
}

/// Whether an audit has anything to say.
fn silent(audit: &Audited) -> bool {
    audit.findings.is_empty() && audit.status == Status::Audited
}
