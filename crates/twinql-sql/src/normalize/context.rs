//! What rules know beside the node they look at.

use std::collections::BTreeMap;

use crate::column_set::ColumnSet;
use crate::expr::Expr;
use crate::plan;
use crate::rel::{ColumnId, ColumnInfo, Columns, Query, Rel};
use crate::schema::{Affinity, ColumnRef, Schema, TypeClass};
use crate::semantics::Semantics;
use crate::substitution::Substitution;
use crate::value::Value;

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
    /// How many parts were found to have no rows, or one value in all of them.
    pub(crate) vacated: usize,
    /// The expression visited is a value that is produced, not a condition.
    pub(crate) in_values: bool,
    /// Columns of the plan that only an order reads.
    pub(crate) only_ordered_by: ColumnSet,
    /// Columns of enclosing queries that cannot be NULL here, innermost last.
    pub(crate) outer_not_null: Vec<ColumnSet>,
    /// Scans of enclosing queries whose columns are in scope, outermost first.
    pub(crate) outer_scans: Vec<(usize, Vec<(ColumnId, usize)>)>,
}

impl<'a> Context<'a> {
    /// The state before anything is done.
    pub(crate) fn new(schema: &'a Schema, semantics: &'a Semantics, columns: Columns) -> Context<'a> {
        Context {
            schema,
            semantics,
            columns,
            parents: Vec::new(),
            replaced: Substitution::new(),
            dirty: false,
            pinned: false,
            vacated: 0,
            in_values: false,
            only_ordered_by: ColumnSet::new(),
            outer_not_null: Vec::new(),
            outer_scans: Vec::new(),
        }
    }

    /// A new column that is known as much as `like` is.
    pub(crate) fn fresh_like(&mut self, like: ColumnId) -> ColumnId {
        let info = self.info(like).cloned();
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
        c.info(&self.columns)
    }

    /// The schema's column that a column is a value of.
    pub(crate) fn origin(&self, c: ColumnId) -> Option<ColumnRef> {
        self.info(c)?.origin
    }

    /// Where a column stands among equal ones, the least of which stands for all: columns of the schema before
    /// computed ones, keys before others, then by the names of table and column. Neither the order of the schema nor
    /// what else is in it decides, so that canonical forms do not depend on them.
    pub(crate) fn standing(&self, c: ColumnId) -> impl Ord + use<'_> {
        let origin = self.origin(c).and_then(|at| {
            let table = self.schema.tables.get(at.table)?;
            let key = table.has_key_within(&[at.column]);
            Some((!key, table.name.as_str(), table.columns.get(at.column)?.name.as_str()))
        });
        (origin.is_none(), origin, c)
    }

    /// A column's affinity.
    pub(crate) fn column_affinity(&self, c: ColumnId) -> Option<Affinity> {
        self.info(c)?.affinity
    }

    /// A copy of a relation with ids of its own, and what its columns became.
    pub(crate) fn copy(&mut self, rel: &Rel) -> (Rel, Substitution) {
        let ids: BTreeMap<ColumnId, ColumnId> =
            rel.produced_within().into_iter().map(|c| (c, self.fresh_like(c))).collect();
        let mut query = Query { rel: rel.clone(), output: Vec::new() };
        query.map_ids(|c| *c = ids.get(c).copied().unwrap_or(*c));
        let map = ids.into_iter().map(|(old, new)| (old, Expr::Column(new)));
        (query.rel, map.collect())
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
            expr.substitute(&one);
        }
        self.replaced.insert(c, by);
    }

    /// [`Context::replace`] of all of these.
    pub(crate) fn replace_all(&mut self, map: impl IntoIterator<Item = (ColumnId, Expr)>) {
        map.into_iter().for_each(|(c, by)| self.replace(c, by));
    }

    /// The columns of a relation under new ids, as entries of a projection or keys of a grouping above it.
    pub(crate) fn renamed(&mut self, rel: &Rel) -> Vec<(ColumnId, Expr)> {
        let all: Vec<ColumnId> = rel.outputs();
        let renamed = all.into_iter().map(|c| {
            let new = self.fresh_like(c);
            self.replace(c, Expr::Column(new));
            (new, Expr::Column(c))
        });
        renamed.collect()
    }

    /// Applies what was entered to the node's own expressions.
    pub(crate) fn apply_replaced(&mut self, rel: &mut Rel) {
        if self.replaced.is_empty() {
            return;
        }
        let constants = self.replaced.values().any(|e| matches!(e, Expr::Literal(_)));
        for expr in rel.exprs_mut() {
            self.pinned |= constants
                && expr.any(|e| match e {
                    Expr::Column(c) => matches!(self.replaced.get(c), Some(Expr::Literal(_))),
                    _ => false,
                });
            self.dirty |= self.substitute(expr, &self.replaced);
        }
    }

    /// [`Expr::substitute`], where a constant that takes a column's place in a comparison
    /// keeps the column's affinity if the other operand is converted by it.
    pub(crate) fn substitute(&self, expr: &mut Expr, map: &Substitution) -> bool {
        let mut typed = false;
        if let Expr::Binary { op, left, right } = expr
            && (op.is_comparison() || op.is_null_safe())
        {
            let kept = (self.converts(left, &[&**right], map), self.converts(right, &[&**left], map));
            for (side, cast) in [(left, kept.0), (right, kept.1)] {
                if let Some(cast) = cast {
                    **side = cast;
                    typed = true;
                }
            }
        }
        match expr {
            Expr::InList { expr: x, list } => {
                if let Some(cast) = self.converts(x, &list.iter().collect::<Vec<_>>(), map) {
                    **x = cast;
                    typed = true;
                }
            }
            Expr::InSubquery { .. }
            | Expr::Quantified { .. }
            | Expr::Collate { .. }
            | Expr::Row(_)
            | Expr::Case { operand: Some(_), .. } => {
                let opaque = Expr::exists(Rel::unit());
                for x in expr.operands_mut() {
                    if let Some(cast) = self.converts(x, &[&opaque], map) {
                        *x = cast;
                        typed = true;
                    }
                }
            }
            _ => {}
        }
        if let Expr::Column(_) = expr {
            return expr.substitute(map);
        }
        for operand in expr.operands_mut() {
            typed |= self.substitute(operand, map);
        }
        if let Some(query) = expr.subquery_mut() {
            let map = query.reached_by(map);
            typed |= self.substitute_rel(&mut query.rel, &map) | query.substitute_outputs(&map);
        }
        typed
    }

    /// [`Context::substitute`] in the expressions of a relation and of all below it.
    fn substitute_rel(&self, rel: &mut Rel, map: &Substitution) -> bool {
        let mut hit = false;
        for expr in rel.exprs_mut() {
            hit |= self.substitute(expr, map);
        }
        for input in rel.inputs_mut() {
            hit |= self.substitute_rel(input, map);
        }
        for arm in rel.arms_mut() {
            hit |= self.substitute_rel(&mut arm.rel, map) | arm.substitute_outputs(map);
        }
        hit
    }

    /// The constant that stands for the column `x`, as a cast to its affinity, if one of
    /// the others it is compared with is not of its kind.
    fn converts(&self, x: &Expr, others: &[&Expr], map: &Substitution) -> Option<Expr> {
        let c = x.as_column()?;
        let v = map.get(&c)?;
        let constant = v.as_literal()?;
        let affinity = self.column_affinity(c)?;
        let number = match constant {
            Value::Integer(_) | Value::Real(_) => true,
            Value::Text(_) => false,
            _ => return None,
        };
        let alike = |other: &Expr| match other {
            Expr::Literal(Value::Null) => true,
            Expr::Literal(Value::Integer(_) | Value::Real(_)) => number,
            Expr::Literal(Value::Text(_)) => !number,
            Expr::Column(d) => match self.column_affinity(*d) {
                Some(Affinity::Text) => !number,
                a => a.is_some_and(Affinity::is_numeric),
            },
            Expr::Binary { op, .. } if op.is_arithmetic() => number,
            _ => false,
        };
        let same = others.iter().all(|other| alike(other));
        (!same).then(|| v.clone().cast(affinity))
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

    /// True if a comparison of these two converts neither, whatever their affinities.
    pub(crate) fn converts_nothing(&self, a: &Expr, b: &Expr) -> bool {
        plan::converts_nothing(a, b, &self.columns)
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
            self.column_affinity(c).map(|a| match a {
                Affinity::Integer | Affinity::Numeric => 0,
                Affinity::Real => 1,
                Affinity::Text => 2,
                Affinity::Blob => 3,
            })
        };
        class(a).is_some_and(|x| x != 3 && class(b) == Some(x))
    }

    /// True if columns of an arm have the affinities of a set operation's columns, so that what is compared
    /// or computed of the one is compared or computed alike of the other.
    pub(crate) fn compare_alike(&self, arm: &[ColumnId], columns: &[ColumnId]) -> bool {
        let alike = |(a, c): (&ColumnId, &ColumnId)| self.column_affinity(*a) == self.column_affinity(*c);
        arm.len() == columns.len() && arm.iter().zip(columns).all(alike)
    }

    /// True if a column of an enclosing query can be NULL here. What the planner wrote down of
    /// a column is no answer: a rule may have put the column where an outer join pads it.
    pub(crate) fn outer_may_be_null(&self, c: ColumnId) -> bool {
        !self.outer_not_null.iter().any(|set| set.contains(&c))
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
