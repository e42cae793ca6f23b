//! A dbt project against a revision: what changed, and what is downstream of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use twinql::sql::{Dialect, Schema};
use twinql::{Dialects, Work};
use twinql_refactor::{
    Catalog, Model, Project, RefactorError, Rendered, Tree, Versions, Written, bound, names_one, parts, tree,
};

use super::finding::{Finding, Outcome};
use super::{Checker, GROWING, Query};
use crate::output::Console;

/// Behind the name of a model that has not changed itself.
const BELOW: &str = " (downstream)";

/// What a finding rests on where a file alone does not say what it is.
const COMPILED: &str = "the code in dbt's manifest.json being what dbt would compile";

/// Files that say which packages a project has.
const PACKAGES: [&str; 3] = ["packages.yml", "dependencies.yml", "package-lock.yml"];

/// Two versions of what a model says.
type Texts<'m> = [&'m Result<Rendered, RefactorError>; 2];

/// Compares the models of a project with what they were. A model that says something else changes those that read it: they are
/// compared too, the old ones over the old model.
pub(super) fn check(
    folder: &Path,
    revision: &str,
    checker: &Checker,
    console: Console,
) -> Result<Vec<Finding>> {
    let place = || format!("--project {}", folder.display());
    super::versions::known(revision)?;
    let new = tree::of_folder(folder).with_context(place)?;
    let old = tree::of_revision(folder, revision).with_context(place)?;
    if old == new {
        console.say(format!("nothing has changed since {revision}"));
        return Ok(Vec::new());
    }
    let dialects = checker.dialects;
    let written = Written::of(folder, &new);
    let files = [old, new];
    let read = |tree: &Tree, dialect: Dialect| Project::read(tree, &written, dialect).with_context(place);
    let [old, new] = [read(&files[0], dialects.gold)?, read(&files[1], dialects.pred)?];
    for note in written.notes.iter().chain(&new.notes) {
        console.say(note);
    }
    let packages = |tree: &Tree| PACKAGES.map(|file| tree.get(file).cloned());
    if packages(&files[0]) != packages(&files[1]) {
        console.say("other packages than before: both versions are read with those that are installed");
    }
    let [before, after] = [Catalog::of(&old, dialects.gold), Catalog::of(&new, dialects.pred)];
    if !after.unplanned.is_empty() {
        let all: Vec<String> =
            after.unplanned.iter().map(|(name, why)| format!("\n  {name}: {why}")).collect();
        let read = new.models.len() - all.len();
        console.say(format!("{read} of {} models are read; not read:{}", new.models.len(), all.concat()));
    }
    let mut run = Run {
        checker,
        schema: both(&before.schema, &after.schema),
        versions: Versions::default(),
        written_out: Versions::default(),
    };
    for (catalog, of, other, dialect) in
        [(&before, &old, &new, dialects.gold), (&after, &new, &old, dialects.pred)]
    {
        for name in catalog.order.iter().filter(|name| !other.models.contains_key(*name)) {
            if let Some(Ok(text)) = of.models.get(name).map(|model| &model.full) {
                run.write_out(name, text, dialect);
            }
        }
    }
    let macros = old.changed_macros(&new);
    let mut findings = Vec::new();
    for (name, model) in &old.models {
        if !new.models.contains_key(name) {
            findings.push(run.gone(name, model, &old, &new));
        }
    }
    let source = |tree: &Tree, model: &Model| tree.get(&model.path).cloned().unwrap_or_default();
    let mut affected = BTreeSet::new();
    for wave in waves(&after) {
        let compare = |name: &String| {
            let (was, is) = (old.models.get(name)?, new.models.get(name)?);
            let path = folder.join(&is.path).display().to_string();
            let [before, now] = [source(&files[0], was), source(&files[1], is)];
            // Of what cannot be read, all that it is made of has to be the same.
            let is_other = |[was, is]: Texts<'_>| {
                was != is || was.is_err() && (before != now || names_one(&now, &macros))
            };
            let mut found: Vec<Compared> = ways(was, is)
                .into_iter()
                .filter(|(texts, _)| is_other(*texts))
                .map(|(texts, suffix)| run.changed(&path, name, suffix, texts))
                .collect();
            let mut changed = after
                .reads
                .get(name)
                .into_iter()
                .flatten()
                .filter(|read| affected.contains(*read))
                .peekable();
            if found.is_empty() && changed.peek().is_some() {
                found.push(match changed.find(|read| !run.versions.has(read)) {
                    Some(read) => Compared::of(Finding {
                        outcome: Outcome::NotDecided,
                        ..Finding::not_compared(&path, &format!("{name}{BELOW}"), format!("it reads {read}"))
                    }),
                    None => run.downstream(&path, name, &is.full),
                });
            }
            let line = super::versions::first_change(&before, &now);
            Some((name.clone(), line, found))
        };
        let compared: Vec<(String, usize, Vec<Compared>)> =
            wave.into_par_iter().filter_map(compare).collect();
        for (name, line, found) in compared {
            for Compared { findings: found, says } in found {
                if found.iter().any(|finding| !finding.is_same(false)) {
                    affected.insert(name.clone());
                    if let Some(Says { schema, queries }) = &says {
                        let [(old, was), (new, is)] = queries;
                        run.versions.add(&name, [(old, was.clone()), (new, is.clone())], schema);
                    }
                }
                findings
                    .extend(found.into_iter().map(|finding| Finding { line, ..finding }.with_origins(&new)));
            }
        }
    }
    Ok(findings)
}

/// What is found of a model.
struct Compared {
    findings: Vec<Finding>,
    /// What those below it are to know under its name.
    says: Option<Says>,
}

/// An old and a new query with their columns, over a schema.
struct Says {
    schema: Arc<Schema>,
    queries: [(String, Vec<String>); 2],
}

impl Compared {
    /// A finding alone.
    fn of(finding: Finding) -> Compared {
        Compared { findings: vec![finding], says: None }
    }
}

/// Models from the sources down: those of one wave read none of each other.
fn waves(catalog: &Catalog) -> Vec<Vec<&String>> {
    let mut depths: BTreeMap<&String, usize> = BTreeMap::new();
    let mut waves: Vec<Vec<&String>> = Vec::new();
    for name in &catalog.order {
        let above = catalog.reads.get(name).into_iter().flatten().filter_map(|read| depths.get(read));
        let depth = above.max().map_or(0, |depth| depth + 1);
        depths.insert(name, depth);
        if waves.len() <= depth {
            waves.resize_with(depth + 1, Vec::new);
        }
        if let Some(wave) = waves.get_mut(depth) {
            wave.push(name);
        }
    }
    waves
}

/// What a model says where its table is empty, and where it grows, in both versions.
fn ways<'m>(was: &'m Model, is: &'m Model) -> Vec<(Texts<'m>, &'static str)> {
    let mut ways = vec![([&was.full, &is.full], "")];
    if was.growing.is_some() || is.growing.is_some() {
        let of = |model: &'m Model| model.growing.as_ref().unwrap_or(&model.full);
        ways.push(([of(was), of(is)], GROWING));
    }
    ways
}

/// The tables of both versions of a project, with the columns of both.
fn both(before: &Schema, after: &Schema) -> Schema {
    let mut schema = after.clone();
    for table in &before.tables {
        match schema.table_index(&table.name).and_then(|at| schema.tables.get_mut(at)) {
            Some(known) => {
                let lost: Vec<_> =
                    table.columns.iter().filter(|c| known.column_index(&c.name).is_none()).cloned().collect();
                known.columns.extend(lost);
            }
            // Its references are by the positions of other tables.
            None => {
                schema.tables.push(twinql::sql::schema::Table { foreign_keys: Vec::new(), ..table.clone() })
            }
        }
    }
    schema
}

/// A comparison of two versions of a project.
struct Run<'c> {
    checker: &'c Checker,
    schema: Schema,
    /// Models that say something else than before.
    versions: Versions,
    /// Models of one version alone, as their queries: the other version says the same elsewhere, or nowhere.
    written_out: Versions,
}

impl Run<'_> {
    /// A model whose text has changed: over the tables that it reads, whatever these hold.
    fn changed(&self, path: &str, name: &str, suffix: &str, texts: Texts<'_>) -> Compared {
        let compared = self.compared(path, &format!("{name}{suffix}"), texts, &self.written_out);
        // Those below read the model as it is where its table is empty.
        Compared { says: compared.says.filter(|_| suffix.is_empty()), ..compared }
    }

    /// A model that only one version has: for those that read it, it is its query.
    fn write_out(&mut self, name: &str, text: &Rendered, dialect: Dialect) {
        let Ok([part]) = <[_; 1]>::try_from(parts(&text.sql)) else { return };
        let dialects = Dialects { gold: dialect, pred: dialect, ..self.checker.dialects };
        let Ok(bound) = bound([&part, &part], &self.schema, &self.written_out, dialects) else { return };
        let Query { job, columns, .. } = Query::new("", String::new(), bound, dialects);
        if let (Work::Pair { schema, gold, .. }, Some([columns, _])) = (job.work, columns) {
            self.written_out.add(name, [(&gold, columns.clone()), (&gold, columns)], &schema);
        }
    }

    /// A model that reads changed ones.
    fn downstream(&self, path: &str, name: &str, text: &Result<Rendered, RefactorError>) -> Compared {
        self.compared(path, &format!("{name}{BELOW}"), [text, text], &self.versions)
    }

    /// Compares two texts of a model.
    fn compared(&self, path: &str, title: &str, texts: Texts<'_>, versions: &Versions) -> Compared {
        let query = || -> Result<Query, RefactorError> {
            let [old, new] = texts;
            let [old, new] = [old.clone()?, new.clone()?].map(|rendered| parts(&rendered.sql));
            let pairs = twinql_refactor::matched(old, new)?;
            let (old, new) = match <[_; 1]>::try_from(pairs) {
                Ok([pair]) => pair,
                Err(several) => {
                    let n = twinql_refactor::Count(several.len());
                    return Err(RefactorError::Count { before: n, after: n });
                }
            };
            let bound = bound([&old, &new], &self.schema, versions, self.checker.dialects)?;
            Ok(Query::new(path, title.to_owned(), bound, self.checker.dialects))
        };
        let query = match query() {
            Ok(query) => query,
            Err(error) => return Compared::of(Finding::not_compared(path, title, error.to_string())),
        };
        let says = match (&query.job.work, &query.columns) {
            (Work::Pair { schema, gold, pred }, Some([old, new])) => Some(Says {
                schema: Arc::clone(schema),
                queries: [(gold.clone(), old.clone()), (pred.clone(), new.clone())],
            }),
            _ => None,
        };
        let mut findings = self.checker.findings(vec![query]);
        if texts.iter().any(|text| text.as_ref().is_ok_and(|rendered| rendered.compiled)) {
            for finding in findings.iter_mut().filter(|finding| finding.outcome != Outcome::NotCompared) {
                finding.because.push(COMPILED.to_owned());
            }
        }
        Compared { findings, says }
    }

    /// A model that is no more: renamed, if a new one says the same word for word.
    fn gone(&self, name: &str, model: &Model, old: &Project, new: &Project) -> Finding {
        let same =
            |(other, is): &(&String, &Model)| !old.models.contains_key(*other) && is.full == model.full;
        let why = match new.models.iter().find(same) {
            Some((other, _)) => format!("the model is called {other} now"),
            None => "the model is gone".to_owned(),
        };
        Finding { outcome: Outcome::Different, ..Finding::not_compared(&model.path, name, why) }
    }
}
