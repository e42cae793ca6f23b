//! A dbt project against a revision: what changed, and what is downstream of it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use twinql::Work;
use twinql::sql::Schema;
use twinql_refactor::{Catalog, Model, Project, RefactorError, Rendered, Tree, Versions, bound, parts, tree};

use super::finding::{Finding, Outcome};
use super::{Checker, GROWING, Query};
use crate::output::Console;

/// Behind the name of a model that has not changed itself.
const BELOW: &str = " (downstream)";

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
    let files = [old, new];
    let [old, new] =
        [Project::read(&files[0]).with_context(place)?, Project::read(&files[1]).with_context(place)?];
    for note in &new.notes {
        console.say(note);
    }
    let dialects = checker.dialects;
    let [before, after] = [Catalog::of(&old, dialects.gold), Catalog::of(&new, dialects.pred)];
    if !after.unplanned.is_empty() {
        let all: Vec<String> =
            after.unplanned.iter().map(|(name, why)| format!("\n  {name}: {why}")).collect();
        let read = new.models.len() - all.len();
        console.say(format!("{read} of {} models are read; not read:{}", new.models.len(), all.concat()));
    }
    let mut run = Run { checker, schema: both(&before.schema, &after.schema), versions: Versions::default() };
    let mut findings = Vec::new();
    for (name, model) in &old.models {
        if !new.models.contains_key(name) {
            findings.push(run.gone(name, model, &old, &new));
        }
    }
    // From the sources down.
    let mut affected = BTreeSet::new();
    for name in &after.order {
        let (Some(was), Some(is)) = (old.models.get(name), new.models.get(name)) else { continue };
        let path = folder.join(&is.path).display().to_string();
        let mut found = Vec::new();
        for (texts, suffix) in ways(was, is) {
            if texts[0] != texts[1] {
                found.extend(run.changed(&path, name, suffix, texts));
            }
        }
        let changed: Vec<&String> =
            after.reads.get(name).into_iter().flatten().filter(|read| affected.contains(*read)).collect();
        if found.is_empty() && !changed.is_empty() {
            found.extend(match changed.iter().find(|read| !run.versions.has(read)) {
                Some(read) => vec![Finding {
                    outcome: Outcome::NotDecided,
                    ..Finding::not_compared(&path, &format!("{name}{BELOW}"), format!("it reads {read}"))
                }],
                None => run.downstream(&path, name, &is.full),
            });
        }
        if found.iter().any(|finding| !finding.is_same(false)) {
            affected.insert(name.clone());
        }
        let text = |tree: &Tree, model: &Model| tree.get(&model.path).cloned().unwrap_or_default();
        let line = super::versions::first_change(&text(&files[0], was), &text(&files[1], is));
        findings.extend(found.into_iter().map(|finding| Finding { line, ..finding }));
    }
    Ok(findings)
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
}

impl Run<'_> {
    /// A model whose text has changed: over the tables that it reads, whatever these hold.
    fn changed(&mut self, path: &str, name: &str, suffix: &str, texts: Texts<'_>) -> Vec<Finding> {
        self.compared(
            path,
            &format!("{name}{suffix}"),
            texts,
            &Versions::default(),
            suffix.is_empty().then_some(name),
        )
    }

    /// A model that reads changed ones.
    fn downstream(&mut self, path: &str, name: &str, text: &Result<Rendered, RefactorError>) -> Vec<Finding> {
        let versions = self.versions.clone();
        let title = format!("{name}{BELOW}");
        self.compared(path, &title, [text, text], &versions, Some(name))
    }

    /// Compares two texts of a model; if they say different things, those below it are to know under its name.
    fn compared(
        &mut self,
        path: &str,
        title: &str,
        texts: Texts<'_>,
        versions: &Versions,
        model: Option<&str>,
    ) -> Vec<Finding> {
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
            Err(error) => return vec![Finding::not_compared(path, title, error.to_string())],
        };
        let (work, columns) = (query.job.work.clone(), query.columns.clone());
        let findings = self.checker.findings(vec![query]);
        if let (Work::Pair { schema, gold, pred }, Some(model), Some([old, new])) = (work, model, columns)
            && findings.iter().any(|finding| !finding.is_same(false))
        {
            self.versions.add(model, [(&gold, old), (&pred, new)], &schema);
        }
        findings
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
