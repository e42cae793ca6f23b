//! One bout: two queries run on one database, and whether their answers agree.
//!
//! Whatever compares queries by executing them is a loop over databases around this: the judge of
//! pairs and its measure of ease, distillation, runs of suites, users' files, and the check of
//! soundness. They differ in where databases come from, in what they do with an [`Outcome`], and in
//! their [`Rules`]. So a database that distinguishes a neighbour when a suite is made also
//! distinguishes it when the suite is used.
//!
//! A [`Ring`] holds the queries of one sandbox and the pairs of them. Queries are compiled once. A
//! database is loaded once for all pairs, a query runs once on it in however many pairs it stands, and
//! pairs that the answers leave in doubt share each rearrangement of the rows.

mod agree;
mod answered;
mod party;
mod ring;
mod samples;
mod shrink;
mod standing;
mod undecided;
mod verdict;

use twinql_sql::Value;
pub use twinql_sql::prove::Side;

use crate::database::Database;
use crate::dice::Dice;
use crate::execute::{Answer, ExecError};
pub(crate) use answered::Answered;
pub(crate) use party::Party;
pub(crate) use ring::Ring;
pub(crate) use samples::Effort;
pub(crate) use shrink::{Shrinking, drop_rows};
pub(crate) use standing::{Next, Standing};
#[cfg(test)]
pub(crate) use undecided::MAX_STEPS;
pub use verdict::Verdict;

/// What is done where SQL leaves an answer open: ties that LIMIT cuts, bare columns, the first row of
/// an unordered subquery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settling {
    /// Nothing: answers count as they were returned, as with the evaluators of Spider and BIRD.
    AsReturned,
    /// Sort keys tell which rows tie. What they do not tell is a difference.
    BySortKeys,
    /// The same, and ties are broken otherwise while the rows stay where they are. Bags that are equal
    /// as they were returned agree.
    InPlace,
    /// The same on rearrangements of the rows, and then by samples of the possible answers.
    Rearranged(Effort),
    /// Samples of the possible answers decide every difference; with `probe` they decide agreement too
    /// where a query leaves something open, since agreement may be a habit of SQLite.
    Sampled { probe: bool },
}

/// How the bouts of a ring are held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) settling: Settling,
    /// One order of columns has to serve on all databases. Off while distilling, where a database
    /// has to distinguish by itself.
    pub(crate) carry_columns: bool,
    /// A query has half the steps left for each database on which it passed the limits. Where this is
    /// off, whoever holds the ring says how many there are.
    pub(crate) halve_steps: bool,
    /// The answers of predictions stay until the next database. Off where many predictions are run, since
    /// all their answers together may be large.
    pub(crate) keep_answers: bool,
}

impl Rules {
    /// The usual rules: what is learnt of columns is carried on, no steps are halved, answers are kept.
    pub(crate) fn of(settling: Settling) -> Rules {
        Rules { settling, carry_columns: true, halve_steps: false, keep_answers: true }
    }

    /// The rules where many predictions run.
    pub(crate) fn of_many(effort: Effort) -> Rules {
        let settling = Settling::Rearranged(effort);
        Rules { halve_steps: true, keep_answers: false, ..Rules::of(settling) }
    }
}

/// What one database says of two queries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// The answers agree.
    Agree(Basis),
    /// They differ.
    Differ,
    /// This query gave no answer.
    Failed(Side, ExecError),
}

/// What an agreement rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The answers are the same, up to the order of columns.
    Answers,
    /// Each may be an answer of the other query, by the rules for ties.
    Ties,
    /// Samples of the possible answers are the same.
    Sampled,
    /// Nothing: samples did not settle it.
    Undecided,
}

/// Rearrangements of a database that are tried where an answer depends on the order of rows.
const ARRANGEMENTS: u64 = 6;

/// The database with its rows in another order: the first arrangement is the reverse.
fn rearranged(database: &Database, round: u64) -> Database {
    let mut other = database.clone();
    for rows in other.tables.iter_mut().flatten() {
        if round == 1 {
            rows.reverse();
        } else {
            Dice::new(round, 0).shuffle(rows);
        }
    }
    other
}

/// True if an answer holds anything but NULL and 0.
pub(crate) fn nonempty(answer: &Answer) -> bool {
    let mut values = answer.rows.iter().flatten();
    values.any(|v| !matches!(v, Value::Null | Value::Integer(0)))
}
