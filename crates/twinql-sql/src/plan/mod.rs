//! From sqlparser's AST to a resolved, typed tree, with SQLite's semantics; where another
//! dialect means something else, the tree says so in SQLite's terms (the `dialect` module).
//!
//! The planner is tolerant: what it knows the meaning of is planned, in SQLite's grammar
//! or not; an unknown function is an opaque node. A SELECT becomes, from the inside out:
//! joins, `Filter` (WHERE), `Aggregate`, `Filter` (HAVING), `Window`, `Project`,
//! `Distinct`, `Sort`, and a `Project` that drops columns only the order needed.

mod affinity;
mod aggregate;
mod aggregates;
mod calls;
mod cast;
mod clickhouse;
mod collation;
mod cte;
mod decimals;
mod dialect;
mod differing;
mod expr;
mod flatten;
mod foreign;
mod foreign_type;
mod from;
mod functions;
mod lateral;
mod literal;
mod mysql;
mod names;
mod operators;
mod order;
mod paths;
mod planner;
mod postgres;
mod project;
mod refusals;
mod refuse;
mod scope;
mod select;
mod server;
mod set_op;
mod shapes;
mod shards;
mod sight;
mod source;
mod subquery;
mod table_functions;
mod temporal;
#[cfg(test)]
mod tests;
mod types;
mod used;
mod views;
mod wildcard;
mod window;
mod written;

use std::collections::HashMap;

use crate::error::SqlError;
use crate::expr::{AggFunc, Expr};
use crate::parse::Parsed;
use crate::rel::{Columns, Query, Rel};
use crate::schema::Schema;
use crate::spans::Spans;
use crate::tree::{Node, Tree};

pub(crate) use crate::error::{Result, invalid, unsupported};
pub(crate) use affinity::{converts_nothing, may_be_replaced};
pub use collation::REPRESENTATIVE;
pub(crate) use dialect::width_bucket;
pub(crate) use foreign_type::ForeignType;
pub(crate) use functions::is_aggregate;
pub(crate) use planner::{Planned, Planner};
pub(crate) use sight::{last_ident, only_ident, unwrap_nested};
pub(crate) use table_functions::NUMBERED;
pub use used::{REST, tables_in_use};

/// A planned query with what is known of its columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The tree and its outputs.
    pub query: Query,
    /// Facts of every column id that occurs in `query`.
    pub columns: Columns,
}

impl Plan {
    /// True if the query gives one of several texts that a collation takes for the same, and which one is open: what is
    /// said of its bytes holds for no system. `MAX(name)` over a NOCASE column is 'b' or 'B'.
    pub fn is_open(&self) -> bool {
        let collated = |args: &[Expr]| matches!(args.first(), Some(Expr::Collate { .. }));
        let mut open = false;
        self.query.for_each_deep(|node| match node {
            Node::Rel(Rel::Aggregate { calls, .. }) => {
                open |= calls.iter().any(|(_, call)| match &call.func {
                    AggFunc::Min | AggFunc::Max => collated(&call.args),
                    AggFunc::Other(name) if name == collation::REPRESENTATIVE || name == "sql_any_value" => {
                        true
                    }
                    AggFunc::GroupConcat | AggFunc::Other(_) => collated(&call.args),
                    _ => false,
                });
            }
            Node::Rel(Rel::Window { calls, .. }) => {
                open |= calls.iter().any(|(_, call)| collated(&call.args));
            }
            _ => {}
        });
        open
    }
}

/// Plans a parsed query over a schema.
///
/// # Errors
/// What SQLite would refuse ([`SqlError::UnknownTable`], [`SqlError::UnknownColumn`],
/// [`SqlError::AmbiguousColumn`], [`SqlError::Invalid`]), what the planner does not know
/// ([`SqlError::Unsupported`]) and what is too large ([`SqlError::TooLarge`]).
pub fn plan(schema: &Schema, parsed: &Parsed) -> std::result::Result<Plan, SqlError> {
    plan_noting(schema, parsed, None).map(|noted| noted.plan)
}

/// As [`plan`], with the first reason for which the query's system refuses it though it has a plan.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_and_refusal(
    schema: &Schema,
    parsed: &Parsed,
) -> std::result::Result<(Plan, Option<SqlError>), SqlError> {
    plan_noting(schema, parsed, None).map(|noted| (noted.plan, noted.refused))
}

/// A plan with what was noted beside it.
struct Noted {
    plan: Plan,
    names: Vec<String>,
    spans: Option<Spans>,
    refused: Option<SqlError>,
}

/// As [`plan`], with the names of the output columns.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_with_names(
    schema: &Schema,
    parsed: &Parsed,
) -> std::result::Result<(Plan, Vec<String>), SqlError> {
    plan_noting(schema, parsed, None).map(|noted| (noted.plan, noted.names))
}

/// As [`plan`], with the places in [`Parsed::sql`] that the plan's parts come from.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_with_spans(schema: &Schema, parsed: &Parsed) -> std::result::Result<(Plan, Spans), SqlError> {
    let noted = plan_noting(schema, parsed, Some(Spans::default()))?;
    Ok((noted.plan, noted.spans.unwrap_or_default()))
}

fn plan_noting(
    schema: &Schema,
    parsed: &Parsed,
    spans: Option<Spans>,
) -> std::result::Result<Noted, SqlError> {
    let views = views::reached(schema, &parsed.query);
    let mut planner = Planner { spans, ..planner(schema, &views, parsed) };
    let mut planned = planner.plan_query(&parsed.query)?;
    if !set_op::is_ordered(&parsed.query) {
        order::forget_inner(&mut planned.query.rel, false);
    }
    let plan = Plan { query: planned.query, columns: planner.columns };
    Ok(Noted { plan, names: planned.names, spans: planner.spans, refused: planner.refused.into_inner() })
}

/// The state before a query is planned.
fn planner<'a>(schema: &'a Schema, views: &'a [sight::ViewQuery<'a>], parsed: &'a Parsed) -> Planner<'a> {
    Planner {
        schema,
        views,
        dialect: parsed.dialect,
        data: parsed.data,
        frames: &parsed.frames,
        exact_names: schema.compares_exactly(parsed.dialect),
        kinds: HashMap::new(),
        numbers: Default::default(),
        scales: Default::default(),
        asked: Default::default(),
        refused: Default::default(),
        hides_aliases: Default::default(),
        shapes: HashMap::new(),
        collations: HashMap::new(),
        columns: Vec::new(),
        scopes: Vec::new(),
        ctes: Vec::new(),
        exists: None,
        depth: 0,
        nodes: 0,
        recursive: 0,
        missing: Default::default(),
        spans: None,
    }
}
