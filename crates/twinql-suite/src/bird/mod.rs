//! BIRD's metrics of execution: both queries on the user's own SQLite file, and what their answers and costs say.
//!
//! The formulas are those of the evaluation scripts of BIRD (Li et al. 2023) and of its Mini-Dev, read from their
//! code: execution accuracy, the valid efficiency score (VES), the reward-based one (R-VES) and soft F1. The
//! queries run in the sandbox, so that a prediction cannot change the database that the gold is executed on.

mod assign;
mod efficiency;
mod soft_f1;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bout::Side;
use crate::compare::Numbering;
use crate::execute::{Answer, ExecError, Limits, Prepared, Sandbox};
use crate::files::{FileVerdict, Files, failed};
use crate::lexical::outermost_order;

pub use efficiency::{Cost, Efficiency, reward};

/// How a pair is measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BirdConfig {
    /// Bounds on each execution.
    pub limits: Limits,
    /// What efficiency is measured in; none where it is not asked for.
    pub cost: Option<Cost>,
    /// Relative tolerance of numbers of the repaired soft F1. The others compare exactly, as BIRD does.
    pub tolerance: f64,
}

impl Default for BirdConfig {
    fn default() -> Self {
        BirdConfig {
            limits: Limits::for_files(),
            cost: None,
            tolerance: twinql_sql::Semantics::default().float_tolerance,
        }
    }
}

/// What the two answers, and the runs that gave them, say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// The answers are the same set of rows, columns as they stand: BIRD's execution accuracy.
    pub same: bool,
    /// Soft F1 as Mini-Dev's script has it.
    pub soft_f1: f64,
    /// Soft F1 without its faults.
    pub soft_f1_repaired: f64,
    /// How costly the prediction is beside the gold; none where it is not right, or that was not asked for.
    pub efficiency: Option<Efficiency>,
}

/// Measures pairs, one after the other; keep one for each thread. The file that was used last stays open.
#[derive(Debug)]
pub struct BirdJudge {
    config: BirdConfig,
    open: Option<(PathBuf, Result<Sandbox, ExecError>)>,
}

impl BirdJudge {
    /// A judge with no file open.
    pub fn new(config: BirdConfig) -> BirdJudge {
        BirdJudge { config, open: None }
    }

    /// Executes a pair on a file and measures it.
    ///
    /// # Errors
    /// A query gave no answer, or the file cannot be used: the verdict that says which and why.
    pub fn measure(&mut self, file: &Path, gold: &str, pred: &str) -> Result<Measures, FileVerdict> {
        let config = self.config;
        let sandbox = match self.opened(file) {
            Ok(sandbox) => sandbox,
            Err(ExecError::Machine(message)) => {
                return Err(FileVerdict::MachineError { message: message.clone() });
            }
            Err(error) => return Err(FileVerdict::FileError { message: error.to_string() }),
        };
        // The gold first: where both fail, it is named.
        let mut gold = Query::run(sandbox, Side::Gold, gold, file)?;
        let mut pred = Query::run(sandbox, Side::Pred, pred, file)?;
        let exact = Rows::of(&gold.answer, &pred.answer, 0.0);
        let same = exact.same_sets();
        let ordered = outermost_order(gold.sql);
        let efficiency = match config.cost {
            Some(cost) if same => Some(efficiency::measure(&mut gold, &mut pred, cost, file)?),
            _ => None,
        };
        Ok(Measures {
            same,
            soft_f1: soft_f1::published(&exact),
            soft_f1_repaired: soft_f1::repaired(
                &Rows::of(&gold.answer, &pred.answer, config.tolerance),
                ordered,
            ),
            efficiency,
        })
    }

    /// The sandbox over a file.
    fn opened(&mut self, file: &Path) -> Result<&Sandbox, &ExecError> {
        let limits = self.config.limits;
        let known = |(path, opened): &(PathBuf, Result<Sandbox, ExecError>)| {
            path == file && !matches!(opened, Err(ExecError::Machine(_)))
        };
        let open = match self.open.take().filter(known) {
            Some(open) => open,
            None => (file.to_owned(), Sandbox::open(file, limits)),
        };
        self.open.insert(open).1.as_ref()
    }
}

impl Files {
    /// The file of a database on which BIRD's metrics are computed: `DB/DB.sqlite` where there are several, else the
    /// first.
    pub fn main_of(&self, db_id: &str) -> Option<&Path> {
        let files = self.of(db_id)?;
        let own = files.iter().find(|f| f.file_stem().is_some_and(|stem| stem == db_id));
        own.or(files.first()).map(PathBuf::as_path)
    }
}

/// A query that was executed once.
struct Query<'s> {
    sql: &'s str,
    prepared: Prepared<'s>,
    answer: Answer,
    /// What that took, in steps of SQLite's machine.
    steps: u64,
    side: Side,
}

impl<'s> Query<'s> {
    /// Compiles and executes a text as it is: BIRD's scripts repair nothing.
    fn run(sandbox: &'s Sandbox, side: Side, sql: &'s str, file: &Path) -> Result<Query<'s>, FileVerdict> {
        let mut prepared = sandbox.prepare(sql).map_err(|e| *failed(side, file, &e))?;
        let (answer, steps) = prepared.run_counted(0).map_err(|e| *failed(side, file, &e))?;
        Ok(Query { sql, prepared, answer, steps, side })
    }
}

/// Two answers as rows of numbers, without duplicates: equal values have one number.
struct Rows {
    gold: Vec<Vec<u32>>,
    pred: Vec<Vec<u32>>,
}

impl Rows {
    /// Numbers the values of both. Without a tolerance they are equal as they are in Python: 1 and 1.0 are, 1 and
    /// '1' are not, NULL equals NULL.
    fn of(gold: &Answer, pred: &Answer, tolerance: f64) -> Rows {
        let numbering = Numbering::of(gold.rows.iter().chain(&pred.rows).flatten(), tolerance);
        let numbered = |answer: &Answer| {
            let mut seen = std::collections::HashSet::new();
            let rows = answer.rows.iter().map(|row| row.iter().map(|v| numbering.number(v)).collect());
            rows.filter(|row: &Vec<u32>| seen.insert(row.clone())).collect()
        };
        Rows { gold: numbered(gold), pred: numbered(pred) }
    }

    /// True if the two are one set of rows.
    fn same_sets(&self) -> bool {
        let sorted = |rows: &[Vec<u32>]| {
            let mut rows = rows.to_vec();
            rows.sort_unstable();
            rows
        };
        sorted(&self.gold) == sorted(&self.pred)
    }
}

#[cfg(test)]
mod tests;
