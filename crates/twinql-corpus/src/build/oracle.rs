//! What labels pairs and proposes neighbours: the suite, behind a seam that tests replace.

use twinql_sql::{Schema, Semantics};
use twinql_suite::{Judge, JudgeConfig, Verdict, neighbours};

/// A candidate's label, or why it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// 1: the same answer; 0: not.
    Label(u8),
    /// The prediction cannot be executed.
    PredError,
    /// The gold cannot be executed.
    GoldError,
    /// Past the limits on execution.
    Timeout,
    /// They agree, but the gold answers on too few databases.
    EmptyAnswers,
    /// They agree, but no database tests them: agreement says nothing.
    Untested,
    /// The machine failed.
    MachineError,
}

/// Labels pairs and proposes neighbours. Equal arguments must give equal results.
pub trait Oracle: Sync {
    /// The outcome of each prediction.
    fn label(&self, schema: &Schema, gold: &str, preds: &[&str]) -> Vec<Outcome>;

    /// Queries that differ from `sql` by one change, with the change's name.
    fn neighbours(&self, schema: &Schema, sql: &str, seed: u64, limit: usize) -> Vec<(String, String)>;
}

/// The built-in test suite.
#[derive(Debug, Clone)]
pub struct SuiteOracle {
    /// How pairs are judged.
    pub judge: JudgeConfig,
    /// Databases on which the gold has to answer before agreement counts.
    pub min_nonempty: u64,
}

impl SuiteOracle {
    /// A suite of `databases` databases for each pair.
    pub fn new(semantics: Semantics, seed: u64, databases: u64, min_nonempty: u64) -> Self {
        SuiteOracle {
            judge: JudgeConfig { semantics, seed, databases, ..JudgeConfig::default() },
            min_nonempty,
        }
    }
}

impl Oracle for SuiteOracle {
    fn label(&self, schema: &Schema, gold: &str, preds: &[&str]) -> Vec<Outcome> {
        let Ok(judge) = Judge::new(schema, self.judge.clone()) else {
            return vec![Outcome::GoldError; preds.len()];
        };
        let mut gold_fails = false;
        preds
            .iter()
            .map(|pred| {
                if gold_fails {
                    return Outcome::GoldError;
                }
                match judge.judge(gold, pred) {
                    Verdict::Same { nonempty, .. } if nonempty < self.min_nonempty => Outcome::EmptyAnswers,
                    Verdict::Same { .. } => Outcome::Label(1),
                    Verdict::Different { .. } => Outcome::Label(0),
                    Verdict::PredError { .. } => Outcome::PredError,
                    Verdict::Timeout { .. } => Outcome::Timeout,
                    Verdict::Untested { .. } => Outcome::Untested,
                    Verdict::MachineError { .. } => Outcome::MachineError,
                    Verdict::GoldError { .. } => {
                        gold_fails = true;
                        Outcome::GoldError
                    }
                }
            })
            .collect()
    }

    fn neighbours(&self, schema: &Schema, sql: &str, seed: u64, limit: usize) -> Vec<(String, String)> {
        neighbours(schema, sql, seed, limit).into_iter().map(|n| (n.sql, n.mutation.to_string())).collect()
    }
}
