//! Putting expressions in the place of columns.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::expr::Expr;
use crate::rel::{ColumnId, Query, Rel};

/// What columns stand for.
pub(crate) type Substitution = BTreeMap<ColumnId, Expr>;

impl Expr {
    /// Replaces columns in it and its subqueries; true if one was.
    pub(crate) fn substitute(&mut self, map: &Substitution) -> bool {
        if let Expr::Column(c) = self {
            return match map.get(c) {
                Some(new) => {
                    *self = new.clone();
                    true
                }
                None => false,
            };
        }
        let mut hit = false;
        for operand in self.operands_mut() {
            hit |= operand.substitute(map);
        }
        if let Some(query) = self.subquery_mut() {
            let outer = query.reached_by(map);
            hit |= query.substitute(&outer);
        }
        hit
    }

    /// A copy with columns replaced.
    pub(crate) fn substituted(&self, map: &Substitution) -> Expr {
        let mut copy = self.clone();
        copy.substitute(map);
        copy
    }
}

impl Rel {
    /// Replaces columns in every expression; true if one was.
    pub(crate) fn substitute(&mut self, map: &Substitution) -> bool {
        let mut hit = false;
        for expr in self.exprs_mut() {
            hit |= expr.substitute(map);
        }
        for input in self.inputs_mut() {
            hit |= input.substitute(map);
        }
        for arm in self.arms_mut() {
            hit |= arm.substitute(map);
        }
        hit
    }

    /// Shows the columns to `f` that first arise in the relation, those of subqueries in its expressions aside.
    fn born_within(&self, f: &mut dyn FnMut(ColumnId)) {
        self.introduced(f);
        for input in self.inputs() {
            input.born_within(f);
        }
        for arm in self.arms() {
            arm.rel.born_within(f);
        }
    }
}

impl Query {
    /// Replaces columns in every expression; outputs only where the replacement is a column (an outer column is
    /// never an output of a subquery otherwise). True if one was.
    pub(crate) fn substitute(&mut self, map: &Substitution) -> bool {
        let hit = self.rel.substitute(map);
        self.substitute_outputs(map) | hit
    }

    /// Replaces outputs where the replacement is a column; true if one was.
    pub(crate) fn substitute_outputs(&mut self, map: &Substitution) -> bool {
        let mut hit = false;
        for c in &mut self.output {
            if let Some(Expr::Column(new)) = map.get(c) {
                *c = *new;
                hit = true;
            }
        }
        hit
    }

    /// The part of a substitution that reaches into this subquery: what a relation remembers does not reach into
    /// the relation itself, even where a rule has just made it a subquery, or its `a = b` would become `a = a`.
    pub(crate) fn reached_by<'m>(&self, map: &'m Substitution) -> Cow<'m, Substitution> {
        let mut outer = Cow::Borrowed(map);
        // Nearly always nothing is replaced, and then there is nothing to look for.
        if !map.is_empty() {
            self.rel.born_within(&mut |c| {
                if map.contains_key(&c) {
                    outer.to_mut().remove(&c);
                }
            });
        }
        outer
    }
}
