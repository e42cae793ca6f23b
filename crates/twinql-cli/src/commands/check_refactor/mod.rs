//! `twinql check-refactor`: do refactored queries still say the same?

mod columns;
mod finding;
mod kinship;
mod project;
pub(crate) mod reports;
mod versions;

use std::sync::Arc;

use anyhow::{Result, bail};
use serde_json::json;
use twinql::input::work;
use twinql::judging::Workers;
use twinql::record::Status;
use twinql::sql::prove::Difference;
use twinql::sql::{Proof, Schema};
use twinql::suite::{JudgeConfig, Report, Verdict, Witness};
use twinql::{Dialects, Job, Semantics, Work, exit, premises, status};
use twinql_refactor::{Bound, Layout, RefactorError, Templates, bound, matched, names, parts};

use super::prove::{Proved, found};
use super::witness::WitnessRecord;
use super::{tell, worker};
use crate::args::refactor::CheckRefactor;
use crate::args::{Format, Output};
use crate::input;
use crate::output::Console;
pub(crate) use finding::Finding;
use finding::{Outcome, text};
use versions::{Versions, against, two_places};

/// A query in two versions.
struct Query {
    file: String,
    name: String,
    line: usize,
    from_use: Vec<String>,
    /// The columns of both versions; none where one has no plan.
    columns: Option<[Vec<String>; 2]>,
    job: Job,
}

impl Query {
    /// A query over the tables that it is bound to.
    fn new(file: &str, name: String, bound: Bound, dialects: Dialects) -> Query {
        let Bound { queries: [old, new], schema, from_use } = bound;
        let columns = names(&schema, &old, dialects.gold).zip(names(&schema, &new, dialects.pred));
        let job = Job::new(json!([file, name]), work(schema, old, new, dialects));
        Query { file: file.to_owned(), name, line: 1, from_use, columns: columns.map(<[_; 2]>::from), job }
    }
}

/// Queries count as tested where one database in so many has rows to compare.
const ENOUGH: u64 = 20;

/// Proves and tests.
struct Checker {
    semantics: Semantics,
    judge: (JudgeConfig, Workers),
    dialects: Dialects,
    /// The same for rows in any order, where order counts.
    unordered: Option<Box<Checker>>,
}

/// What is found of two queries.
struct Found {
    outcome: Outcome,
    because: Vec<String>,
    witness: Option<Box<Witness>>,
}

impl Found {
    /// The number of columns differs whatever is in them, and whatever is not known of the functions that make them.
    fn by_width(self, columns: Option<&[Vec<String>; 2]>) -> Found {
        match columns.map(|both| both.each_ref().map(Vec::len)) {
            Some([old, new])
                if old != new && matches!(self.outcome, Outcome::NotDecided | Outcome::NotCompared) =>
            {
                let because = vec![format!("the number of columns was {old} and is {new}")];
                Found { outcome: Outcome::Different, because, witness: None }
            }
            _ => self,
        }
    }

    /// What is the same if a column is one table's is not known to be the same if it is another's.
    fn if_columns_are(self, from_use: &[String]) -> Found {
        let guessed = from_use.iter().any(|table| table.contains("may be another table's"));
        match self.outcome {
            Outcome::Proved | Outcome::Tested if guessed => Found {
                outcome: Outcome::NotDecided,
                because: vec!["it is the same if the columns are those of the tables named below".to_owned()],
                witness: None,
            },
            _ => self,
        }
    }
}

/// Compares all files; the exit code says whether all are the same, one is different, or one is not decided.
pub(crate) fn run(typed: CheckRefactor, seed: Option<u64>, console: Console) -> Result<u8> {
    let output = Output::new(typed.output, Format::Text)?;
    let asked = typed.semantics.as_str().parse::<Semantics>();
    let semantics = asked.map_err(|e| anyhow::anyhow!("--semantics: {e}"))?;
    let dialects = typed.input.dialects.known()?;
    let checker = |respect_order: bool, unordered| -> Result<Checker> {
        let semantics = Semantics { respect_order, ..semantics.clone() };
        let (judge, workers) = worker::judge(&typed.run, semantics.clone(), typed.databases, seed)?;
        let judge = (JudgeConfig { coverage: true, ..judge }, workers);
        Ok(Checker { semantics, judge, dialects, unordered })
    };
    let checker = match typed.ordered {
        true => checker(true, Some(Box::new(checker(false, None)?)))?,
        false => checker(false, None)?,
    };
    let findings = match (&typed.project, &typed.against) {
        (Some(folder), Some(revision)) => project::check(folder, revision, &checker, console)?,
        (Some(_), None) => {
            bail!("--project compares with a revision: give --against, such as --against origin/main")
        }
        (None, _) => {
            let schema = match &typed.input.schemas {
                Some(path) => input::schemas(Some(path), checker.dialects)?.only(typed.db_id.as_deref())?,
                None => Arc::default(),
            };
            let versions = match &typed.against {
                Some(revision) => against(revision, &typed.paths, console)?,
                None => two_places(&typed.paths)?,
            };
            checker.files(&versions, &schema)
        }
    };
    let failed = findings.iter().filter(|finding| !finding.is_same(typed.proved)).count();
    let document =
        || json!({"format": 1, "semantics": checker.semantics.name, "failed": failed, "queries": findings});
    tell(&output, &text(&findings, typed.proved), document, &findings, console)?;
    for report in &typed.report {
        report.write(&findings, typed.proved)?;
    }
    Ok(match findings.iter().any(Finding::is_different) {
        true => exit::CHECK_FAILED,
        false if failed > 0 => exit::UNDECIDED,
        false => exit::DONE,
    })
}

impl Checker {
    /// Compares the queries of files.
    fn files(&self, versions: &[Versions], schema: &Schema) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut queries = Vec::new();
        let templates = [self.dialects.gold, self.dialects.pred].map(Templates::new);
        for Versions { file, old, new } in versions {
            match self.queries(file, [old, new], &templates, schema) {
                Ok(of_file) => {
                    let line = versions::first_change(old, new);
                    queries.extend(of_file.into_iter().map(|query| Query { line, ..query }));
                }
                Err(error) => findings.push(Finding::not_compared(file, "all", error.to_string())),
            }
        }
        findings.extend(self.findings(queries));
        findings
    }

    /// The queries of two versions of a file. A model that grows has two: for an empty table, and for one that has rows.
    fn queries(
        &self,
        file: &str,
        [old, new]: [&str; 2],
        [before, after]: &[Templates; 2],
        schema: &Schema,
    ) -> Result<Vec<Query>, RefactorError> {
        let name = input::stem(file.as_ref());
        let mut found = Vec::new();
        for growing in [false, true] {
            let [old, new] = [before.render(&name, old, growing)?, after.render(&name, new, growing)?];
            if growing && !old.incremental && !new.incremental {
                break;
            }
            let pairs = matched(parts(&old.sql), parts(&new.sql))?;
            for (at, (old, new)) in pairs.into_iter().enumerate() {
                let bound = bound([&old, &new], schema, &Default::default(), self.dialects)?;
                let mut name = old.name.unwrap_or_else(|| format!("query {}", at + 1));
                if growing {
                    name.push_str(GROWING);
                }
                found.push(Query::new(file, name, bound, self.dialects));
            }
        }
        Ok(found)
    }

    /// What is found of queries, in their order.
    fn findings(&self, queries: Vec<Query>) -> Vec<Finding> {
        let jobs: Vec<Job> = queries.iter().map(|query| query.job.clone()).collect();
        let finding = |(query, found): (Query, Found)| {
            let found = found.by_width(query.columns.as_ref()).if_columns_are(&query.from_use);
            let layout = query.columns.and_then(|[old, new]| Layout::of(old, new));
            let columns = layout.as_ref().and_then(|layout| columns::of(layout, &query.job, &found, self));
            let but_for =
                layout.as_ref().and_then(|layout| kinship::but_for(layout, &query.job, &found, self));
            let cells = layout
                .as_ref()
                .zip(found.witness.as_deref())
                .and_then(|(layout, witness)| kinship::cells(layout, witness));
            let changed_rows =
                cells.as_ref().zip(found.witness.as_deref()).map(|(cells, witness)| cells.rows(witness));
            let Found { outcome, mut because, witness } = found;
            if let (Outcome::Proved, Some((schema, old, new))) = (outcome, query.job.pair()) {
                because.extend(premises::used(schema, old, new, &self.semantics));
            }
            // Whatever is known of the rows: names and places show.
            let (outcome, because) = match &columns {
                Some(columns) if outcome == Outcome::NotDecided && columns.has_new_names() => {
                    (Outcome::Different, vec!["its columns have other names or another order".to_owned()])
                }
                _ => (outcome, because),
            };
            let is_marked =
                |side, row, column| cells.as_ref().is_some_and(|cells| cells.has(side, row, column));
            let witness = witness.and_then(|witness| WitnessRecord::marked(&query.job, *witness, is_marked));
            let Query { file, name: query, line, from_use, columns: _, job: _ } = query;
            let changed_rows = changed_rows.unwrap_or_default();
            Finding { file, query, line, outcome, because, but_for, columns, from_use, witness, changed_rows }
        };
        queries.into_iter().zip(self.check(&jobs)).map(finding).collect()
    }

    /// Proves each pair; what is not proved the same is looked for on databases.
    fn check(&self, jobs: &[Job]) -> Vec<Found> {
        let open = |proof: &_| !matches!(proof, Some(Ok(Proof::Equal(_))));
        let all = found(jobs, &self.semantics, Some(&self.judge), open);
        let says = |outcome, why: String| Found { outcome, because: vec![why], witness: None };
        let told = |difference: &Difference| {
            difference
                .to_string()
                .replace("the gold", "the old query")
                .replace("the prediction", "the new one")
        };
        let one = |job: &Job, proof: Proved, verdict: Option<Verdict>| match (&job.work, proof, verdict) {
            (Work::Unusable { error, .. }, _, _) => says(Outcome::NotCompared, sides_named(error)),
            (_, Some(Ok(Proof::Equal(equal))), _) => {
                Found { outcome: Outcome::Proved, because: equal.needs(), witness: None }
            }
            (_, proof, Some(Verdict::Different { witness })) => {
                let because = match proof {
                    Some(Ok(Proof::Different(difference))) => vec![told(&difference)],
                    _ => Vec::new(),
                };
                Found { outcome: Outcome::Different, because, witness: Some(witness) }
            }
            (_, Some(Ok(Proof::Different(difference))), _) => says(Outcome::Different, told(&difference)),
            (_, _, Some(Verdict::Same { databases, nonempty, .. }))
                if nonempty * ENOUGH >= databases.max(1) =>
            {
                says(
                    Outcome::Tested,
                    format!(
                        "no database of {databases} shows a difference, and on {nonempty} there are rows"
                    ),
                )
            }
            (_, _, Some(Verdict::Same { databases, nonempty, .. })) => says(
                Outcome::NotDecided,
                format!("only on {nonempty} of {databases} databases are there rows to compare"),
            ),
            (_, Some(Err(error)), _) => says(Outcome::NotCompared, sides_named(&error.to_string())),
            (_, _, verdict) => {
                let (_, error) = verdict.as_ref().map_or((Status::Ok, None), status::of_verdict);
                let why = error.unwrap_or_else(|| "no database on which the old query answers".into());
                says(Outcome::NotDecided, sides_named(&why))
            }
        };
        let with_notes = |(job, (proof, report)): (&Job, (_, Option<Report>))| {
            let (verdict, notes) = report.map(|report| (report.verdict, report.notes)).unzip();
            let mut found = one(job, proof, verdict);
            if matches!(found.outcome, Outcome::Tested | Outcome::Different) {
                found.because.extend(notes.unwrap_or_default().iter().map(|note| sides_named(note)));
            }
            found
        };
        jobs.iter().zip(all).map(with_notes).collect()
    }
}

/// Behind the name of a model: as it is where its table has rows.
const GROWING: &str = " (incremental)";

/// The same sentence about the old and the new query: elsewhere they are the gold and the prediction.
fn sides_named(error: &str) -> String {
    for (side, name) in [("gold: ", "the old query: "), ("pred: ", "the new query: ")] {
        if let Some(rest) = error.strip_prefix(side) {
            return format!("{name}{rest}");
        }
    }
    error.to_owned()
}
