//! What rules know beside the node they look at.

use std::collections::BTreeSet;

use super::walk::{self, Substitution};
use crate::expr::Expr;
use crate::rel::{ColumnId, ColumnInfo, Columns, Query, Rel};
use crate::schema::{Affinity, Schema, TypeClass};
use crate::semantics::Semantics;

/// Where a query stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The whole query.
    Root,
    /// An arm of a set operation.
    Arm,
    /// An arm of a recursive CTE.
    Recursive,
    /// Inside EXISTS: only whether there is a row counts.
    Exists,
    /// Inside IN: the set of rows counts.
    In,
    /// A scalar subquery: the first row counts.
    Scalar,
}

/// The state of one normalisation.
pub(crate) struct Context<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) semantics: &'a Semantics,
    pub(crate) columns: Columns,
    /// The column that a new one was made like, newest last.
    pub(crate) parents: Vec<(ColumnId, ColumnId)>,
    /// What removed columns stand for; applied on the way up from where it was entered.
    pub(crate) replaced: Substitution,
    /// Something changed in this pass.
    pub(crate) dirty: bool,
    /// A constant stood for a column somewhere.
    pub(crate) pinned: bool,
    /// Columns of enclosing queries that cannot be NULL here, innermost last.
    pub(crate) outer_not_null: Vec<BTreeSet<ColumnId>>,
    /// Scans of enclosing queries whose columns are in scope, outermost first.
    pub(crate) outer_scans: Vec<(usize, Vec<(ColumnId, usize)>)>,
}

impl Context<'_> {
    /// A new column that is known as much as `like` is.
    pub(crate) fn fresh_like(&mut self, like: ColumnId) -> ColumnId {
        let info = self.columns.get(like.0 as usize).cloned();
        let new = self.fresh(info.unwrap_or_else(|| computed("column")));
        self.parents.push((new, like));
        new
    }

    /// A new column.
    pub(crate) fn fresh(&mut self, info: ColumnInfo) -> ColumnId {
        let id = ColumnId(self.columns.len() as u32);
        self.columns.push(info);
        id
    }

    /// What is known of a column.
    pub(crate) fn info(&self, c: ColumnId) -> Option<&ColumnInfo> {
        self.columns.get(c.0 as usize)
    }

    /// Enters that `c` is gone and `by` stands for it. What was entered first was entered
    /// further up, and is what those above must see.
    pub(crate) fn replace(&mut self, c: ColumnId, by: Expr) {
        if self.replaced.contains_key(&c) {
            return;
        }
        let mut one = Substitution::new();
        one.insert(c, by.clone());
        for expr in self.replaced.values_mut() {
            walk::substitute(expr, &one);
        }
        self.replaced.insert(c, by);
    }

    /// Applies what was entered to the node's own expressions.
    pub(crate) fn apply_replaced(&mut self, rel: &mut Rel) {
        if self.replaced.is_empty() {
            return;
        }
        let constants = self.replaced.values().any(|e| matches!(e, Expr::Literal(_)));
        for expr in walk::own_exprs_mut(rel) {
            self.pinned |= constants
                && walk::any_expr(expr, &mut |e| match e {
                    Expr::Column(c) => matches!(self.replaced.get(c), Some(Expr::Literal(_))),
                    _ => false,
                });
            self.dirty |= walk::substitute(expr, &self.replaced);
        }
    }

    /// SQLite's affinity of an expression.
    pub(crate) fn affinity(&self, expr: &Expr) -> Option<Affinity> {
        match expr {
            Expr::Column(c) => self.info(*c)?.affinity,
            Expr::Cast { affinity, .. } => Some(*affinity),
            Expr::Collate { expr, .. } => self.affinity(expr),
            Expr::Scalar(query) => self.info(*query.output.first()?)?.affinity,
            _ => None,
        }
    }

    /// True if every value of the column is stored as a whole number.
    pub(crate) fn is_integer(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Column(c) => self.info(*c).is_some_and(|i| {
                i.class == TypeClass::Integer && i.affinity.is_none_or(|a| a == Affinity::Integer)
            }),
            _ => false,
        }
    }

    /// True if the two columns store equal values in the same way, so that one can stand
    /// for the other wherever they are equal.
    pub(crate) fn same_storage(&self, a: ColumnId, b: ColumnId) -> bool {
        let class = |c: ColumnId| {
            self.info(c).and_then(|i| i.affinity).map(|a| match a {
                Affinity::Integer | Affinity::Numeric => 0,
                Affinity::Real => 1,
                Affinity::Text => 2,
                Affinity::Blob => 3,
            })
        };
        class(a).is_some_and(|x| x != 3 && class(b) == Some(x))
    }

    /// Visits a subquery's surroundings: runs `f` with the columns of `around` that
    /// cannot be NULL pushed.
    pub(crate) fn outer_may_be_null(&self, c: ColumnId) -> bool {
        // What the planner knows of a column comes from NOT NULL in the schema.
        let trusted = self.semantics.keys_hold || !self.semantics.nulls;
        !(self.outer_not_null.iter().any(|set| set.contains(&c))
            || trusted && self.info(c).is_some_and(|i| !i.nullable))
    }

    /// True if the query's rows have this column and it cannot be NULL in them.
    pub(crate) fn output_not_null(&self, query: &Query) -> bool {
        let set = self.not_null(&query.rel);
        query.output.iter().all(|c| set.contains(c))
    }
}

/// What is known of a computed column.
pub(crate) fn computed(name: &str) -> ColumnInfo {
    ColumnInfo {
        name: name.to_owned(),
        origin: None,
        affinity: None,
        class: TypeClass::Other,
        nullable: true,
    }
}
