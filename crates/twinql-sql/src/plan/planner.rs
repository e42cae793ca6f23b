//! The planner: its state while one query is planned, and what all its parts do.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use sqlparser::tokenizer::Span;

use super::foreign_type::ForeignType;
use super::shapes::Shape;
use super::sight::{Cte, Scope, ViewQuery};
use super::types;
use super::used::Missing;
use crate::dialects::Dialect;
use crate::error::{Result, SqlError};
use crate::expr::Expr;
use crate::parse::FrameExclusion;
use crate::rel::{ColumnId, ColumnInfo, Columns, Query};
use crate::schema::{Collation, Schema};
use crate::spans::{Clause, Spans};

/// Expressions and queries inside one another: what an unoptimised build can follow on a
/// stack of 2 MB, with room to spare.
const MAX_DEPTH: usize = 100;
/// Expressions, tables and columns made from one query: common table expressions and
/// aliases are planned once for each use, so a short text can ask for a huge tree.
const MAX_NODES: usize = 200_000;

/// A planned query and the names of its outputs.
pub(crate) struct Planned {
    pub(crate) query: Query,
    pub(crate) names: Vec<String>,
}

/// One output of a SELECT.
pub(super) struct Item {
    pub(super) expr: Expr,
    pub(super) name: String,
}

/// State while one query is planned. An error ends the planning, so nothing is restored
/// on the way out of one.
pub(crate) struct Planner<'a> {
    pub(super) schema: &'a Schema,
    pub(super) views: &'a [ViewQuery<'a>],
    pub(super) dialect: Dialect,
    /// Whose data it reads.
    pub(super) data: Dialect,
    pub(super) frames: &'a [FrameExclusion],
    /// Names are told apart as PostgreSQL does it.
    pub(super) exact_names: bool,
    /// What columns hold beyond what SQLite's types say.
    pub(super) kinds: HashMap<ColumnId, ForeignType>,
    /// What expressions are by their type, where their form does not say it.
    pub(super) numbers: RefCell<HashMap<Expr, ForeignType>>,
    /// How many digits behind the point numbers have by their type in PostgreSQL: constants as they are written, and columns. The
    /// greatest number stands for several.
    pub(super) scales: RefCell<HashMap<Expr, u32>>,
    /// How deep in calls the type of a number is asked for.
    pub(super) asked: Cell<u8>,
    /// Why the query's system refuses it, though it has a plan.
    pub(super) refused: RefCell<Option<SqlError>>,
    /// The clause that is planned sees no alias, where a system keeps to that: WHERE and HAVING.
    pub(super) hides_aliases: Cell<bool>,
    /// What is inside columns that hold documents.
    pub(super) shapes: HashMap<ColumnId, Shape>,
    /// How columns are compared that are no table's.
    pub(super) collations: HashMap<ColumnId, Collation>,
    pub(super) columns: Columns,
    /// What names mean, outermost first.
    pub(super) scopes: Vec<Scope<'a>>,
    /// Common table expressions in sight, outermost first.
    pub(super) ctes: Vec<Rc<Cte<'a>>>,
    /// Where the SELECT of the innermost EXISTS has its scope.
    pub(super) exists: Option<usize>,
    pub(super) depth: usize,
    pub(super) nodes: usize,
    /// Recursive common table expressions so far, for their unique names.
    pub(super) recursive: usize,
    /// The table or column that was not found last.
    pub(super) missing: RefCell<Option<Missing>>,
    /// Places, if they are asked for.
    pub(super) spans: Option<Spans>,
}

impl<'a> Planner<'a> {
    /// Notes where a column is made.
    pub(super) fn note_column(&mut self, id: ColumnId, span: Span) {
        if let Some(spans) = &mut self.spans {
            spans.column(id, span);
        }
    }

    /// Notes where an expression stands. The place is found only if it is asked for.
    pub(super) fn note_expr(&mut self, clause: Clause, expr: &Expr, span: impl FnOnce() -> Span) {
        if let Some(spans) = &mut self.spans {
            spans.expr(clause, expr, span());
        }
    }

    /// Counts one node against the budget.
    pub(super) fn count(&mut self) -> Result<()> {
        self.charge(1)
    }

    /// Counts `nodes` against the budget.
    pub(super) fn charge(&mut self, nodes: usize) -> Result<()> {
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

    /// Takes the innermost scope away again.
    pub(super) fn leave_scope(&mut self) -> Scope<'a> {
        debug_assert!(!self.scopes.is_empty(), "who leaves a scope has entered it");
        self.scopes.pop().unwrap_or_default()
    }

    /// Runs `f` one level deeper, within the limits.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
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
    pub(super) fn new_column(&mut self, info: ColumnInfo) -> Result<ColumnId> {
        self.count()?;
        // Columns are counted as nodes are, and there are at most `MAX_NODES` of these.
        debug_assert!(self.columns.len() <= MAX_NODES);
        let id = ColumnId(self.columns.len() as u32);
        self.columns.push(info);
        Ok(id)
    }

    /// A new column that holds the value of an expression.
    pub(super) fn new_column_of(&mut self, name: &str, expr: &Expr) -> Result<ColumnId> {
        let mut info = types::info_of(expr, &self.columns);
        info.name = name.to_owned();
        let id = self.new_column(info)?;
        self.note_kind(id, expr);
        self.note_scale(id, expr);
        self.note_collation(id, expr);
        Ok(id)
    }

    pub(super) fn mark_nullable(&mut self, ids: impl IntoIterator<Item = ColumnId>) {
        for id in ids {
            if let Some(info) = id.info_mut(&mut self.columns) {
                info.nullable = true;
            }
        }
    }
}
