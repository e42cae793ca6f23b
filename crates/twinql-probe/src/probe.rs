//! Two trees, a few databases, and what these say.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use twinql_sql::columns::Reads;
use twinql_sql::tree::{Node, Tree};
use twinql_sql::{ColumnRef, Plan, Rel, Schema, Semantics, SqlError, Value, normalize, parse, plan};
use twinql_suite::Database;
use twinql_suite::compare::Columns;
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::plausible::{Notes, Plausible};

use crate::answer::{Said, compare};
use crate::evaluate::{Order, Rows, Stop, evaluate};

/// How a pair is probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Databases that are tried.
    pub databases: u64,
    /// Rows that one evaluation may look at.
    pub steps: u32,
    /// Seed of the rows.
    pub seed: u64,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe { databases: 12, steps: 20_000, seed: 8 }
    }
}

/// Numbers of rows that a database with a small number seldom has, and a larger one may.
const MANY: RangeInclusive<i64> = 4..=40;
/// Databases with small numbers have few rows, and show most differences for the least time: those that come first anyway,
/// and the number that is added to the others where tables are to be larger ([`twinql_suite::generate`]).
const SMALL: u64 = 2;
/// See [`SMALL`].
const LARGE: u64 = 23;

/// What the databases said of a pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Finding {
    /// Databases on which both answers are the same.
    pub agree: u32,
    /// Databases on which they are not.
    pub differ: u32,
    /// Databases that say nothing: an answer is not determined there, or takes too long.
    pub open: u32,
    /// Why no database can say anything, if so.
    pub unsupported: Option<&'static str>,
    /// The database that settles it: one that the semantics allows, and on which the answers differ.
    pub witness: Option<Database>,
}

impl Finding {
    /// Takes in what one database says; false where no other can say more.
    fn note(&mut self, said: Result<Said, Stop>) -> bool {
        match said {
            Ok(Said::Agree) => self.agree += 1,
            Ok(Said::Differ) => self.differ += 1,
            Ok(Said::Open) | Err(Stop::Undetermined | Stop::Steps) => self.open += 1,
            Err(Stop::Unsupported(what)) => {
                self.unsupported = Some(what);
                return false;
            }
        }
        true
    }
}

/// A query as a probe takes it.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The tree that is evaluated.
    pub plan: &'a Plan,
    /// What its text says of tables and constants, by which rows are made.
    pub facts: &'a Facts,
    /// The text has an ORDER BY. SQLite's answer may follow one that SQL gives no meaning, and that a rule has removed.
    pub sorts: bool,
}

/// Whether a planned query sorts anywhere.
pub fn sorts(plan: &Plan) -> bool {
    plan.query.any_deep(|node| matches!(node, Node::Rel(Rel::Sort { keys, .. }) if !keys.is_empty()))
}

impl Probe {
    /// Looks for a difference on databases that `semantics` allows, up to the first that shows one. The trees may be
    /// canonical forms under it.
    pub fn every(&self, schema: &Schema, gold: Side<'_>, pred: Side<'_>, semantics: &Semantics) -> Finding {
        let mut finding = Finding::default();
        let width = gold.plan.query.output.len();
        if width != pred.plan.query.output.len() {
            finding.differ = 1;
            return finding;
        }
        let read = columns_read([gold.plan, pred.plan]);
        let facts = [gold.facts.clone(), pred.facts.clone()];
        let generator = Generator::reading(schema, semantics, &facts, &read, self.seed);
        let mut columns = Columns::new(width, semantics.any_column_order);
        // Where a query counts to some number, tables must reach it.
        let mut counts = gold.facts.counts.iter().chain(&pred.facts.counts);
        let large = counts.any(|n| MANY.contains(n));
        for number in 0..self.databases {
            let index = if large && number >= SMALL { number + LARGE } else { number };
            let Some(database) = generator.database(index) else {
                finding.open += 1;
                continue;
            };
            let said = self.both(gold.plan, pred.plan, &database).map(|[ours, mut theirs]| {
                if pred.sorts && theirs.order == Order::Stored {
                    theirs.order = Order::None;
                }
                compare(&ours, &theirs, semantics, &mut columns)
            });
            if !finding.note(said) {
                break;
            }
            if finding.differ > 0 {
                finding.witness = Some(database);
                break;
            }
        }
        finding
    }

    /// Counts agreement over plausible databases on which the gold has an answer, each by itself. The trees are those that
    /// the texts say, since rules may assume what such databases do not keep; of `semantics` only the comparison counts.
    /// `notes` are on this schema, made once for many pairs.
    pub fn plausible(
        &self,
        schema: &Schema,
        notes: &Notes,
        gold: Side<'_>,
        pred: Side<'_>,
        semantics: &Semantics,
    ) -> Finding {
        let mut finding = Finding::default();
        let width = gold.plan.query.output.len();
        if width != pred.plan.query.output.len() {
            finding.differ = 1;
            return finding;
        }
        let read = columns_read([gold.plan, pred.plan]);
        let plausible = Plausible::reading(schema, notes, gold.facts, pred.facts, read, self.seed);
        // A gold that hardly answers costs as much as one that does, and says little.
        for index in 0..self.databases {
            let database = plausible.database(index, false);
            let ours = evaluate(gold.plan, &database, self.steps);
            if ours.as_ref().is_ok_and(says_nothing) {
                continue;
            }
            let said = ours.and_then(|ours| {
                let theirs = evaluate(pred.plan, &database, self.steps)?;
                let mut columns = Columns::new(width, semantics.any_column_order);
                Ok(compare(&ours, &theirs, semantics, &mut columns))
            });
            if !finding.note(said) {
                break;
            }
        }
        finding
    }

    fn both<'d>(
        &self,
        gold: &'d Plan,
        pred: &'d Plan,
        database: &'d Database,
    ) -> Result<[Rows<'d>; 2], Stop> {
        Ok([evaluate(gold, database, self.steps)?, evaluate(pred, database, self.steps)?])
    }

    /// Looks for a difference between two texts in SQLite's SQL, as [`Probe::every`] does.
    ///
    /// # Errors
    /// One of them is no query over the schema, or not supported.
    pub fn texts(
        &self,
        schema: &Schema,
        gold: &str,
        pred: &str,
        semantics: &Semantics,
    ) -> Result<Finding, SqlError> {
        let read = |sql: &str| -> Result<(Facts, Plan), SqlError> {
            let parsed = parse(sql)?;
            let planned = plan(schema, &parsed)?;
            Ok((Facts::of(schema, &parsed.query), planned))
        };
        let ((gold_facts, gold), (pred_facts, pred)) = (read(gold)?, read(pred)?);
        let semantics = &*semantics.for_gold(schema, &gold);
        let sorted = [sorts(&gold), sorts(&pred)];
        let [gold, pred] = [gold, pred].map(|planned| normalize(schema, planned, semantics).plan);
        let gold = Side { plan: &gold, facts: &gold_facts, sorts: sorted[0] };
        let pred = Side { plan: &pred, facts: &pred_facts, sorts: sorted[1] };
        Ok(self.every(schema, gold, pred, semantics))
    }
}

/// Whether an answer holds nothing but NULL and 0: what a query gives where it finds nothing.
fn says_nothing(rows: &Rows<'_>) -> bool {
    rows.rows.iter().flatten().all(|v| matches!(**v, Value::Null | Value::Integer(0)))
}

/// The columns of the schema that trees read. A table of which none is read is there with its first one, so that it has
/// rows.
fn columns_read(plans: [&Plan; 2]) -> BTreeSet<ColumnRef> {
    let mut read = BTreeSet::new();
    for plan in plans {
        let named = plan.query.reads();
        plan.query.for_each_deep(|node| {
            if let Node::Rel(Rel::Scan { table, columns }) = node {
                read.insert(ColumnRef { table: *table, column: 0 });
                let own = columns.iter().filter(|(id, _)| named.contains(id));
                read.extend(own.map(|&(_, column)| ColumnRef { table: *table, column }));
            }
        });
    }
    read
}
