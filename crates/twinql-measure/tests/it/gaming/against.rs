//! Queries that read no table against gold queries: by the judge, on distilled suites, on files.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use twinql_sql::{Proof, Schema, Semantics, prove};
use twinql_suite::files::FileConfig;
use twinql_suite::suite::{DistilConfig, RunOptions, RunPair, Task, build, run};
use twinql_suite::{
    FileJudge, FileVerdict, Judge, JudgeConfig, Limits, Sandbox, Suite, VerdictBy as Verdict,
};

/// The constants, one a line.
pub(super) fn constants() -> Vec<&'static str> {
    include_str!("../../../../../data/constants.sql")
        .lines()
        .filter(|line| !line.starts_with("--") && !line.trim().is_empty())
        .collect()
}

/// What became of the pairs of golds and constants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) pairs: usize,
    pub(super) different: usize,
    /// The same without a proof, while the gold reads a table: database, gold, constant.
    pub(super) same: Vec<(String, String, String)>,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.pairs += other.pairs;
        self.different += other.different;
        self.same.extend(other.same);
        self
    }

    fn same(&mut self, schema: &Schema, gold: &str, pred: &str, semantics: &Semantics) {
        let proved = || matches!(prove(schema, gold, pred, semantics), Ok(Proof::Equal(_)));
        if reads(gold) && !proved() {
            self.same.push((schema.db_id.clone(), gold.to_owned(), pred.to_owned()));
        }
    }
}

/// False of a query that runs on a database without tables.
fn reads(sql: &str) -> bool {
    Sandbox::new(&Schema::default(), Limits::default()).is_ok_and(|empty| empty.prepare(sql).is_err())
}

/// A schema with its golds.
pub(super) type OfSchema = (Schema, Vec<String>);
/// Schemas, each with its golds.
pub(super) type Golds = [OfSchema];

/// `twinql judge` on every pair.
pub(super) fn judged(golds: &Golds, preds: &[&str], semantics: &Semantics) -> Tally {
    let config = JudgeConfig { semantics: semantics.clone(), ..JudgeConfig::default() };
    let all: Vec<(&Schema, &String)> =
        golds.iter().flat_map(|(schema, golds)| golds.iter().map(move |gold| (schema, gold))).collect();
    all.par_iter()
        .map(|(schema, gold)| {
            let mut tally = Tally::default();
            let Ok(judge) = Judge::new(schema, config.clone()) else {
                return tally;
            };
            for pred in preds {
                tally.pairs += 1;
                match judge.judge(gold, pred) {
                    Verdict::Same { .. } => tally.same(schema, gold, pred, semantics),
                    Verdict::Different { .. } => tally.different += 1,
                    _ => {}
                }
            }
            tally
        })
        .reduce(Tally::default, Tally::add)
}

/// The distilled suites of the golds.
pub(super) fn suite(golds: &Golds, config: DistilConfig) -> Suite {
    let tasks: Vec<Task> = golds
        .iter()
        .map(|(schema, golds)| Task {
            schema: schema.clone(),
            golds: golds.clone(),
            values: None,
            profile: None,
        })
        .collect();
    build(&tasks, &config, None, &|_| (), &|_| ()).expect("a suite of schemas that SQLite can create")
}

/// `twinql suite run` on every pair.
pub(super) fn run_on(suite: &Suite, golds: &Golds, preds: &[&str]) -> Tally {
    let mut pairs = Vec::new();
    let mut schemas = Vec::new();
    for (schema, golds) in golds {
        for gold in golds {
            for pred in preds {
                pairs.push(RunPair {
                    db_id: schema.db_id.as_str().into(),
                    gold: gold.as_str().into(),
                    pred: (*pred).into(),
                });
                schemas.push(schema);
            }
        }
    }
    let verdicts = run(suite, &pairs, RunOptions::default(), &|_| ());
    let mut tally = Tally::default();
    for ((pair, schema), verdict) in pairs.iter().zip(schemas).zip(verdicts) {
        tally.pairs += 1;
        match verdict.verdict {
            Verdict::Same { .. } => {
                tally.same(schema, &pair.gold, &pair.pred, &suite.config.semantics);
            }
            Verdict::Different { .. } => tally.different += 1,
            _ => {}
        }
    }
    tally
}

/// The databases of a suite as SQLite files in `folder`, by schema.
pub(super) fn files(suite: &Suite, folder: &Path) -> Vec<Vec<PathBuf>> {
    let write = |db_id: &str, number: usize, sql: &str| {
        let path = folder.join(format!("{db_id}.{number}.sqlite"));
        let connection = rusqlite::Connection::open(&path).expect("a new file");
        connection
            .execute_batch(&format!("BEGIN; {sql} COMMIT;"))
            .expect("statements of a generated database");
        path
    };
    suite
        .schemas
        .iter()
        .map(|one| {
            let databases = one.databases.iter().enumerate();
            databases.map(|(i, d)| write(&one.schema.db_id, i, &d.to_sql(&one.schema))).collect()
        })
        .collect()
}

/// `twinql execute` on every pair, over the files of each schema. These are as small as the judge's databases
/// and so are the steps here: a constant that never ends would take ten seconds against each gold.
pub(super) fn executed(
    golds: &Golds,
    files: &[Vec<PathBuf>],
    preds: &[&str],
    semantics: &Semantics,
) -> Tally {
    let all: Vec<(&Schema, &String, &Vec<PathBuf>)> = golds
        .iter()
        .zip(files)
        .flat_map(|((schema, golds), files)| golds.iter().map(move |gold| (schema, gold, files)))
        .collect();
    let mut config = FileConfig::new(semantics.clone());
    config.limits.steps = Limits::default().steps;
    all.par_iter()
        .map_init(
            || FileJudge::new(config.clone()),
            |judge, (schema, gold, files)| {
                let mut tally = Tally::default();
                for pred in preds {
                    tally.pairs += 1;
                    match judge.report(files, gold, pred).verdict {
                        FileVerdict::Same { .. } => tally.same(schema, gold, pred, semantics),
                        FileVerdict::Different { .. } => tally.different += 1,
                        _ => {}
                    }
                }
                tally
            },
        )
        .reduce(Tally::default, Tally::add)
}
