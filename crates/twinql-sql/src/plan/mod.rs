//! From sqlparser's AST to a resolved, typed tree, with SQLite's semantics; where another
//! dialect means something else, the tree says so in SQLite's terms (the `dialect` module).
//!
//! The planner is tolerant: what it knows the meaning of is planned, in SQLite's grammar
//! or not; an unknown function is an opaque node. A SELECT becomes, from the inside out:
//! joins, `Filter` (WHERE), `Aggregate`, `Filter` (HAVING), `Window`, `Project`,
//! `Distinct`, `Sort`, and a `Project` that drops columns only the order needed.

mod aggregate;
mod aggregates;
mod calls;
mod cast;
mod cte;
mod dialect;
mod expr;
mod foreign;
mod from;
mod functions;
mod lateral;
mod literal;
mod names;
mod operators;
mod order;
mod project;
mod refuse;
mod scope;
mod select;
mod set_op;
mod source;
mod subquery;
mod table_functions;
mod temporal;
#[cfg(test)]
mod tests;
mod types;
mod views;
mod wildcard;
mod window;

use std::collections::HashMap;
use std::rc::Rc;

use sqlparser::ast;
use sqlparser::tokenizer::Span;

use crate::dialect::Dialect;
use crate::error::SqlError;
use crate::expr::Expr;
use crate::parse::{FrameExclusion, Parsed};
use crate::rel::{ColumnId, ColumnInfo, Columns, Query};
use crate::schema::Schema;
use crate::spans::{Clause, Spans};

use cte::Cte;
pub(crate) use functions::is_aggregate;
use scope::Scope;
use views::ViewQuery;

/// A planned query with what is known of its columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The tree and its outputs.
    pub query: Query,
    /// Facts of every column id that occurs in `query`.
    pub columns: Columns,
}

/// Expressions and queries inside one another: what an unoptimised build can follow on a
/// stack of 2 MB, with room to spare.
const MAX_DEPTH: usize = 100;
/// Expressions, tables and columns made from one query: common table expressions and
/// aliases are planned once for each use, so a short text can ask for a huge tree.
const MAX_NODES: usize = 200_000;

/// Plans a parsed query over a schema.
///
/// # Errors
/// What SQLite would refuse ([`SqlError::UnknownTable`], [`SqlError::UnknownColumn`],
/// [`SqlError::AmbiguousColumn`], [`SqlError::Invalid`]), what the planner does not know
/// ([`SqlError::Unsupported`]) and what is too large ([`SqlError::TooLarge`]).
pub fn plan(schema: &Schema, parsed: &Parsed) -> std::result::Result<Plan, SqlError> {
    plan_noting(schema, parsed, None).map(|(plan, _, _)| plan)
}

/// As [`plan`], with the names of the output columns.
pub(crate) fn plan_with_names(
    schema: &Schema,
    parsed: &Parsed,
) -> std::result::Result<(Plan, Vec<String>), SqlError> {
    plan_noting(schema, parsed, None).map(|(plan, names, _)| (plan, names))
}

/// As [`plan`], with the places in [`Parsed::sql`] that the plan's parts come from.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_with_spans(schema: &Schema, parsed: &Parsed) -> std::result::Result<(Plan, Spans), SqlError> {
    let (plan, _, spans) = plan_noting(schema, parsed, Some(Spans::default()))?;
    Ok((plan, spans.unwrap_or_default()))
}

fn plan_noting(
    schema: &Schema,
    parsed: &Parsed,
    spans: Option<Spans>,
) -> std::result::Result<(Plan, Vec<String>, Option<Spans>), SqlError> {
    let views = views::reached(schema, &parsed.query);
    let mut planner = Planner {
        schema,
        views: &views,
        dialect: parsed.dialect,
        frames: &parsed.frames,
        exact_names: schema.compares_exactly(parsed.dialect),
        kinds: HashMap::new(),
        columns: Vec::new(),
        scopes: Vec::new(),
        ctes: Vec::new(),
        depth: 0,
        nodes: 0,
        recursive: 0,
        spans,
    };
    let planned = planner.plan_query(&parsed.query)?;
    let plan = Plan { query: planned.query, columns: planner.columns };
    Ok((plan, planned.names, planner.spans))
}

/// A planned query and the names of its outputs.
pub(crate) struct Planned {
    pub(crate) query: Query,
    pub(crate) names: Vec<String>,
}

/// State while one query is planned. An error ends the planning, so nothing is restored
/// on the way out of one.
pub(crate) struct Planner<'a> {
    schema: &'a Schema,
    views: &'a [ViewQuery<'a>],
    dialect: Dialect,
    frames: &'a [FrameExclusion],
    /// Names are told apart as PostgreSQL does it.
    exact_names: bool,
    /// What columns hold beyond what SQLite's types say.
    kinds: HashMap<ColumnId, temporal::Kind>,
    columns: Columns,
    /// What names mean, outermost first.
    scopes: Vec<Scope<'a>>,
    /// Common table expressions in sight, outermost first.
    ctes: Vec<Rc<Cte<'a>>>,
    depth: usize,
    nodes: usize,
    /// Recursive common table expressions so far, for their unique names.
    recursive: usize,
    /// Places, if they are asked for.
    spans: Option<Spans>,
}

pub(crate) type Result<T> = std::result::Result<T, SqlError>;

/// ` at line L, column C`, or nothing where the place is not known.
pub(crate) fn place(span: Span) -> String {
    if span.start.line == 0 {
        String::new()
    } else {
        format!(" at line {}, column {}", span.start.line, span.start.column)
    }
}

pub(crate) fn unsupported<T>(construct: impl Into<String>, span: Span) -> Result<T> {
    Err(SqlError::Unsupported { construct: construct.into(), place: place(span) })
}

pub(crate) fn invalid<T>(message: impl Into<String>, span: Span) -> Result<T> {
    Err(SqlError::Invalid { message: message.into(), place: place(span) })
}

impl<'a> Planner<'a> {
    /// Notes where a column is made.
    fn note_column(&mut self, id: ColumnId, span: Span) {
        if let Some(spans) = &mut self.spans {
            spans.column(id, span);
        }
    }

    /// Notes where an expression stands. The place is found only if it is asked for.
    fn note_expr(&mut self, clause: Clause, expr: &Expr, span: impl FnOnce() -> Span) {
        if let Some(spans) = &mut self.spans {
            spans.expr(clause, expr, span());
        }
    }

    /// Counts one node against the budget.
    fn count(&mut self) -> Result<()> {
        self.charge(1)
    }

    /// Counts `nodes` against the budget.
    fn charge(&mut self, nodes: usize) -> Result<()> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(SqlError::TooLarge {
                what: "the number of nodes of the plan",
                found: self.nodes,
                limit: MAX_NODES,
            });
        }
        Ok(())
    }

    /// Runs `f` one level deeper, within the limits.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.count()?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(SqlError::TooLarge {
                what: "the nesting of expressions and queries",
                found: self.depth,
                limit: MAX_DEPTH,
            });
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// A new column.
    fn new_column(&mut self, info: ColumnInfo) -> Result<ColumnId> {
        self.count()?;
        let id = ColumnId(u32::try_from(self.columns.len()).unwrap_or(u32::MAX));
        self.columns.push(info);
        Ok(id)
    }

    /// A new column that holds the value of an expression.
    fn new_column_of(&mut self, name: &str, expr: &Expr) -> Result<ColumnId> {
        let mut info = types::info_of(expr, &self.columns);
        info.name = name.to_owned();
        let id = self.new_column(info)?;
        self.note_kind(id, expr);
        Ok(id)
    }

    fn mark_nullable(&mut self, ids: impl IntoIterator<Item = ColumnId>) {
        for id in ids {
            if let Some(info) = id.info_mut(&mut self.columns) {
                info.nullable = true;
            }
        }
    }
}

/// The last part of a name with dots: `main.singer` is `singer`.
pub(crate) fn last_ident(name: &ast::ObjectName) -> Option<&ast::Ident> {
    name.0.last().and_then(ast::ObjectNamePart::as_ident)
}

/// The name that has no dots.
pub(crate) fn only_ident(name: &ast::ObjectName) -> Option<&ast::Ident> {
    match name.0.as_slice() {
        [only] => only.as_ident(),
        _ => None,
    }
}
