//! Evaluates operator trees over rows in memory, with SQLite's meaning of values.
//!
//! There are no indexes and no plans: rows are few. What is not known here, or has no determined answer, is said
//! ([`Stop`]) and never guessed.

mod aggregates;
mod comparison;
mod expressions;
mod functions;
mod moments;
mod numbers;
mod patterns;
mod relations;
mod rows;
mod sandboxed;
mod windows;

use std::borrow::Cow;
use std::collections::BTreeSet;

use twinql_sql::columns::Reads;
use twinql_sql::tree::{Node, Tree};
use twinql_sql::{Affinity, AggFunc, AggregateCall, ColumnId, Expr, Plan, Query, Rel, Value};
use twinql_suite::Database;

pub use rows::{Order, Rows};

/// A value: of the database or the query where it stands as it is, else computed.
pub type Cell<'d> = Cow<'d, Value>;

/// Why a query has no answer here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It uses what is not evaluated here.
    Unsupported(&'static str),
    /// SQL leaves its answer open on these rows: a limit cuts a tie, a bare column has several values.
    Undetermined,
    /// It takes more steps than it may.
    Steps,
    /// SQLite would end it with an error on these rows.
    Failed,
}

/// What an evaluation gives.
pub(crate) type Result<T> = std::result::Result<T, Stop>;

/// Runs a query on a database. At most `steps` rows are looked at, joins and subqueries counted. What SQL leaves open is said
/// in [`Rows::certain`].
///
/// # Errors
/// The query is not evaluated, or nothing of its answer is certain here.
pub fn evaluate<'d>(plan: &'d Plan, database: &'d Database, steps: u32) -> Result<Rows<'d>> {
    run(plan, database, steps, None)
}

/// Which of several rows is taken where SQL leaves it open to a limit, to a scalar subquery or to the numbers of rows that tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The first as tables store them.
    First,
    /// The first as they would store them the other way round.
    Last,
}

/// One of the answers that SQL allows, where it allows several.
///
/// # Errors
/// As [`evaluate`]; what a bare column or a text of joined values holds stays open.
pub fn choose<'d>(plan: &'d Plan, database: &'d Database, steps: u32, choice: Choice) -> Result<Rows<'d>> {
    run(plan, database, steps, Some(choice))
}

fn run<'d>(plan: &'d Plan, database: &'d Database, steps: u32, choice: Option<Choice>) -> Result<Rows<'d>> {
    let mut read = vec![false; plan.columns.len()];
    for column in plan.query.reads() {
        if let Some(read) = read.get_mut(column.0 as usize) {
            *read = true;
        }
    }
    let registers = vec![NULL; plan.columns.len()];
    let mut evaluator = Evaluator { plan, database, read, registers, closed: Vec::new(), steps, choice };
    evaluator.query(&plan.query)
}

/// Whether a subquery reads columns of the rows around it. A bare column keeps its id where it is passed on, so what an
/// operator lists may come from outside all the same.
fn reads_outside(query: &Query) -> bool {
    let mut made = BTreeSet::new();
    let is_new = |(column, expr): &&(ColumnId, Expr)| !matches!(expr, Expr::Column(of) if of == column);
    query.for_each_deep(|node| match node {
        Node::Rel(Rel::Scan { columns, .. }) => made.extend(columns.iter().map(|(c, _)| *c)),
        Node::Rel(Rel::Values { columns, .. } | Rel::SetOp { columns, .. }) => made.extend(columns),
        Node::Rel(Rel::Project { exprs, .. }) => made.extend(exprs.iter().filter(is_new).map(|(c, _)| *c)),
        Node::Rel(Rel::Aggregate { keys, calls, .. }) => {
            made.extend(keys.iter().filter(is_new).map(|(c, _)| *c));
            let kept = |c: &ColumnId, call: &AggregateCall| {
                matches!((&call.func, call.args.as_slice()), (AggFunc::Bare, [Expr::Column(of)]) if of == c)
            };
            made.extend(calls.iter().filter(|(c, call)| !kept(c, call)).map(|(c, _)| *c));
        }
        Node::Rel(Rel::Window { calls, .. }) => made.extend(calls.iter().map(|(c, _)| *c)),
        _ => {}
    });
    query.reads().into_iter().any(|c| !made.contains(&c))
}

/// The value that columns have before a row is bound to them.
const NULL: Cell<'static> = Cow::Owned(Value::Null);

/// The state of one evaluation. Column ids are unique in a whole query, so each has a register of its own: binding a row
/// sets the registers of its columns, and a correlated subquery reads those of the rows around it.
struct Evaluator<'d> {
    /// The plan, for the affinities of its columns.
    plan: &'d Plan,
    /// The rows of each table.
    database: &'d Database,
    /// Which columns an expression or an output names. Scans give no others.
    read: Vec<bool>,
    /// The value of each column in the row that is bound to it last.
    registers: Vec<Cell<'d>>,
    /// Answers of subqueries that read nothing from around them, by the subquery's address.
    closed: Vec<(*const Query, Option<Rows<'d>>)>,
    /// Rows that may still be looked at.
    steps: u32,
    /// What is taken where SQL leaves it open; none where that is said.
    choice: Option<Choice>,
}

impl<'d> Evaluator<'d> {
    /// Counts rows before they are made, so that a hostile query ends without having made them.
    fn step(&mut self, rows: usize) -> Result<()> {
        self.steps = u32::try_from(rows).ok().and_then(|n| self.steps.checked_sub(n)).ok_or(Stop::Steps)?;
        Ok(())
    }

    /// A column's value in the row that is bound.
    fn get(&self, column: ColumnId) -> Cell<'d> {
        self.registers.get(column.0 as usize).cloned().unwrap_or(NULL)
    }

    /// Binds a column. An id beyond the plan's columns, which no plan has, is left out and reads as NULL.
    fn set(&mut self, column: ColumnId, value: Cell<'d>) {
        if let Some(register) = self.registers.get_mut(column.0 as usize) {
            *register = value;
        }
    }

    /// The output rows of a query.
    fn query(&mut self, query: &'d Query) -> Result<Rows<'d>> {
        let rows = self.relation(&query.rel)?;
        Ok(rows.project(&query.output))
    }

    /// The rows of a subquery of which nothing is open.
    fn settled_subquery(&mut self, query: &'d Query) -> Result<Rows<'d>> {
        self.subquery(query)?.settled()
    }

    /// As [`Evaluator::query`]; what reads nothing from around it is run once. Their number is certain.
    fn subquery(&mut self, query: &'d Query) -> Result<Rows<'d>> {
        let address = std::ptr::from_ref(query);
        if let Some((_, known)) = self.closed.iter().find(|(at, _)| *at == address) {
            return match known {
                Some(rows) => Ok(rows.clone()),
                None => self.correlated(query),
            };
        }
        if reads_outside(query) {
            self.closed.push((address, None));
            return self.correlated(query);
        }
        let rows = self.query(query)?;
        self.closed.push((address, Some(rows.clone())));
        Ok(rows)
    }

    /// A subquery that reads columns around it, which it may pass on under their own ids: these keep their values.
    fn correlated(&mut self, query: &'d Query) -> Result<Rows<'d>> {
        let around = self.registers.clone();
        let rows = self.query(query);
        self.registers = around;
        rows
    }

    /// The affinity that an expression has in a comparison; computed values have none.
    fn affinity(&self, expr: &Expr) -> Option<Affinity> {
        match expr {
            Expr::Column(c) => c.info(&self.plan.columns).and_then(|info| info.affinity),
            Expr::Cast { affinity, .. } => Some(*affinity),
            Expr::Collate { expr, .. } => self.affinity(expr),
            Expr::Scalar(query) => {
                let first = query.output.first()?;
                first.info(&self.plan.columns).and_then(|info| info.affinity)
            }
            _ => None,
        }
    }
}
