//! Two trees, a few databases, and what these say.

use std::ops::RangeInclusive;

use twinql_sql::{Plan, Schema, Semantics, SqlError, Value, normalize, parse, plan};
use twinql_suite::Database;
use twinql_suite::compare::Columns;
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::plausible::Plausible;

use crate::answer::{Said, compare};
use crate::evaluate::{Choice, Order, Rows, Stop, choose, evaluate};
use crate::reduce::{Reading, Reduced};

/// How a pair is probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Databases that are tried; twice as many where a query counts to between 4 and 260.
    pub databases: u64,
    /// Rows that one evaluation may look at.
    pub steps: u32,
    /// Seed of the rows.
    pub seed: u64,
}

impl Default for Probe {
    /// As many databases and steps as keep a pair in the range of milliseconds; the corrections of networks were fitted
    /// with these.
    fn default() -> Probe {
        Probe { databases: 24, steps: 20_000, seed: 8 }
    }
}

/// Numbers of rows that a database with a small number seldom has, and a larger one may.
const MANY: RangeInclusive<i64> = 4..=260;
/// How many times the databases are tried then: few tables have rows enough, and few queries count so far.
const MORE: u64 = 2;
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
    /// Those of them on which the answers hold nothing but NULL and 0: little is known of queries that find nothing.
    pub silent: u32,
    /// Databases on which they are not.
    pub differ: u32,
    /// Databases on which SQL leaves it open: an answer depends on a choice among ties, or on an order that nothing asks for.
    pub open: u32,
    /// Why no database can say anything, if so.
    pub unsupported: Option<&'static str>,
    /// A database that settles it.
    pub witness: Option<Witness>,
}

/// A database that the semantics allows, and on which the answers differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// The part of the schema that the queries read.
    pub schema: Schema,
    /// Its rows.
    pub database: Database,
}

impl Finding {
    /// Of answers with different numbers of columns: every database tells them apart.
    fn of_other_widths() -> Finding {
        Finding { differ: 1, ..Finding::default() }
    }

    /// Takes in what one database says; false where no other can say more.
    fn note(&mut self, said: Result<Said, Stop>) -> bool {
        match said {
            Ok(Said::Agree) => self.agree += 1,
            Ok(Said::Differ) => self.differ += 1,
            Ok(Said::Open) | Err(Stop::Undetermined) => self.open += 1,
            // It says nothing, and another may.
            Err(Stop::Steps | Stop::Failed) => {}
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
    /// What its text names.
    pub reading: &'a Reading,
}

/// Both sides over the part of the schema that they read.
struct Pair {
    /// The part of the schema, and the way from the whole to it.
    reduced: Reduced,
    /// The trees over that part, the gold's first.
    plans: [Plan; 2],
    /// What guides how rows are made for each.
    facts: [Facts; 2],
    /// How many columns each answer has.
    width: usize,
}

impl Pair {
    /// `None` where the answers have different numbers of columns.
    fn of(schema: &Schema, sides: [Side<'_>; 2]) -> Option<Pair> {
        let [width, other] = sides.map(|side| side.plan.query.output.len());
        if width != other {
            return None;
        }
        let reduced = Reduced::of(schema, sides.map(|side| (side.plan, side.reading)));
        let facts = sides.map(|side| reduced.facts(side.reading));
        let plans = sides.map(|side| reduced.plan(side.plan));
        Some(Pair { reduced, plans, facts, width })
    }

    /// All tables: a query may count the rows of one without naming a column.
    fn tables(&self) -> Vec<usize> {
        (0..self.reduced.schema.tables.len()).collect()
    }
}

/// An answer; none where nothing of it is certain.
fn open<'d>(answer: Result<Rows<'d>, Stop>) -> Result<Option<Rows<'d>>, Stop> {
    match answer {
        Err(Stop::Undetermined) => Ok(None),
        answer => answer.map(Some),
    }
}

/// Two trees, and what their comparison has to know.
struct Sides<'a> {
    /// The gold's first.
    plans: &'a [Plan; 2],
    /// The prediction's text has an ORDER BY.
    sorts: bool,
    semantics: &'a Semantics,
}

impl Sides<'_> {
    /// The order of a table counts as SQLite's own, but not for a text whose ORDER BY a rule has removed: it may give
    /// another.
    fn without_lost_order<'d>(&self, mut pred: Rows<'d>) -> Rows<'d> {
        if self.sorts && pred.order == Order::Stored {
            pred.order = Order::None;
        }
        pred
    }
}

impl Probe {
    /// Looks for a difference on databases that `semantics` allows, up to the first that shows one. The trees may be
    /// canonical forms under it.
    pub fn every(&self, schema: &Schema, gold: Side<'_>, pred: Side<'_>, semantics: &Semantics) -> Finding {
        let Some(pair) = Pair::of(schema, [gold, pred]) else { return Finding::of_other_widths() };
        let mut finding = Finding::default();
        let semantics = &*pair.reduced.semantics(semantics);
        let generator =
            Generator::new(&pair.reduced.schema, semantics, &pair.facts, &pair.tables(), self.seed);
        let mut columns = Columns::new(pair.width, semantics.any_column_order);
        // Where a query counts to some number, tables must reach it.
        let mut counts = pair.facts.iter().flat_map(|facts| &facts.counts);
        let large = counts.any(|n| MANY.contains(n));
        let databases = if large { self.databases.saturating_mul(MORE) } else { self.databases };
        let mut told_apart = None;
        for number in 0..databases {
            // The first ones are small all the same, as a difference shows there for the least time.
            let index = if large && number >= SMALL { number + LARGE } else { number };
            let Some(database) = generator.database(index) else { continue };
            let sides = Sides { plans: &pair.plans, sorts: pred.reading.sorts, semantics };
            let said = self.both(&sides, &database, &mut columns, &mut finding.silent);
            if !finding.note(said) {
                break;
            }
            if finding.differ > 0 {
                told_apart = Some(database);
                break;
            }
        }
        let schema = pair.reduced.schema;
        finding.witness = told_apart.map(|database| Witness { schema, database });
        finding
    }

    /// Counts agreement over plausible databases on which the gold has an answer, each by itself. The trees are those that
    /// the texts say, since rules may assume what such databases do not keep; of `semantics` only the comparison counts.
    pub fn plausible(
        &self,
        schema: &Schema,
        gold: Side<'_>,
        pred: Side<'_>,
        semantics: &Semantics,
    ) -> Finding {
        let Some(pair) = Pair::of(schema, [gold, pred]) else { return Finding::of_other_widths() };
        let mut finding = Finding::default();
        let [gold, pred] = &pair.plans;
        let [of_gold, of_pred] = &pair.facts;
        let plausible = Plausible::new(&pair.reduced.schema, of_gold, of_pred, &pair.tables(), self.seed);
        // A gold that hardly answers costs as much as one that does, and says little.
        for index in 0..self.databases {
            let database = plausible.database(index, false);
            let ours = evaluate(gold, &database, self.steps);
            if ours.as_ref().is_ok_and(says_nothing) {
                continue;
            }
            let said = ours.and_then(|ours| {
                let theirs = evaluate(pred, &database, self.steps)?;
                let mut columns = Columns::new(pair.width, semantics.any_column_order);
                Ok(compare(&ours, &theirs, semantics, &mut columns))
            });
            if !finding.note(said) {
                break;
            }
        }
        finding
    }

    /// What one database says of both answers; `silent` counts where they agree and hold nothing. The gold's comes first, so
    /// that the reason why there is none is more often its own.
    fn both(
        &self,
        sides: &Sides<'_>,
        database: &Database,
        columns: &mut Columns,
        silent: &mut u32,
    ) -> Result<Said, Stop> {
        let [gold, pred] = sides.plans;
        let ours = open(evaluate(gold, database, self.steps))?;
        let theirs = open(evaluate(pred, database, self.steps))?.map(|rows| sides.without_lost_order(rows));
        if let (Some(ours), Some(theirs)) = (&ours, &theirs) {
            let said = compare(ours, theirs, sides.semantics, columns);
            *silent += u32::from(said == Said::Agree && says_nothing(ours));
            if said != Said::Open {
                return Ok(said);
            }
        }
        let settled = |rows: &Option<Rows<'_>>| rows.as_ref().is_some_and(|rows| rows.certain.is_none());
        if settled(&ours) == settled(&theirs) {
            return Ok(Said::Open);
        }
        // One query has one answer, and the other several: each of these would have to be that one.
        for choice in [Choice::First, Choice::Last] {
            let chosen = |plan| choose(plan, database, self.steps, choice);
            let (Ok(ours), Ok(theirs)) = (chosen(gold), chosen(pred)) else { break };
            let theirs = sides.without_lost_order(theirs);
            if compare(&ours, &theirs, sides.semantics, &mut columns.clone()) == Said::Differ {
                return Ok(Said::Differ);
            }
        }
        Ok(Said::Open)
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
        let read = |sql: &str| -> Result<(Reading, Plan), SqlError> {
            let parsed = parse(sql)?;
            let planned = plan(schema, &parsed)?;
            Ok((Reading::of(schema, &parsed, &planned), planned))
        };
        let ((of_gold, gold), (of_pred, pred)) = (read(gold)?, read(pred)?);
        let semantics = &*semantics.for_gold(schema, &gold);
        // Normal forms, so that what rules make alike costs no difference in how columns are named and rows come.
        let [gold, pred] = [gold, pred].map(|planned| normalize(schema, planned, semantics).plan);
        let gold = Side { plan: &gold, reading: &of_gold };
        let pred = Side { plan: &pred, reading: &of_pred };
        Ok(self.every(schema, gold, pred, semantics))
    }
}

/// Whether an answer holds nothing but NULL and 0: what a query gives where it finds nothing.
fn says_nothing(rows: &Rows<'_>) -> bool {
    rows.rows.iter().flatten().all(|v| matches!(**v, Value::Null | Value::Integer(0)))
}
