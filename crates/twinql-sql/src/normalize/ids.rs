//! Every id is produced once: before the rules, and where a rule has copied a subquery.

use std::collections::BTreeMap;

use super::context::Context;
use crate::column_set::ColumnSet;
use crate::expr::Expr;
use crate::rel::{ColumnId, Query, Rel};

impl Context<'_> {
    /// Gives bare columns of projections and groupings ids of their own, so that every id
    /// is produced once and a replacement cannot be caught by another meaning. False if
    /// an id is produced twice nevertheless.
    pub(super) fn freshen_query(&mut self, query: &mut Query, seen: &mut ColumnSet) -> bool {
        let before = self.replaced.clone();
        let fine = self.freshen_rel(&mut query.rel, seen);
        for c in &mut query.output {
            if let Some(Expr::Column(new)) = self.replaced.get(c) {
                *c = *new;
            }
        }
        self.replaced = before;
        fine
    }

    /// Inputs before the node that reads them: it then reads new ids, which are entered on the way up.
    fn freshen_rel(&mut self, rel: &mut Rel, seen: &mut ColumnSet) -> bool {
        let mut fine = true;
        for input in rel.inputs_mut() {
            fine &= self.freshen_rel(input, seen);
        }
        for arm in rel.arms_mut() {
            fine &= self.freshen_query(arm, seen);
        }
        for expr in rel.exprs_mut() {
            expr.substitute(&self.replaced);
            fine &= self.freshen_expr(expr, seen);
        }
        match rel {
            Rel::Project { exprs, .. } => self.freshen_entries(exprs, seen),
            Rel::Aggregate { keys, calls, .. } => {
                self.freshen_entries(keys, seen);
                fine &= calls.iter().all(|(c, _)| seen.insert(*c));
            }
            other => other.introduced(&mut |c| fine &= seen.insert(c)),
        }
        fine
    }

    /// A bare column that an earlier operator made gets an id of its own where it is passed on.
    fn freshen_entries(&mut self, entries: &mut [(ColumnId, Expr)], seen: &mut ColumnSet) {
        for (c, _) in entries {
            if !seen.insert(*c) {
                let new = self.fresh_like(*c);
                seen.insert(new);
                self.replaced.insert(*c, Expr::Column(new));
                *c = new;
            }
        }
    }

    fn freshen_expr(&mut self, expr: &mut Expr, seen: &mut ColumnSet) -> bool {
        let mut fine = true;
        for operand in expr.operands_mut() {
            fine &= self.freshen_expr(operand, seen);
        }
        if let Some(query) = expr.subquery_mut() {
            fine &= self.freshen_query(query, seen);
        }
        fine
    }

    /// Gives copies of a subquery (a computed column that was read twice) ids of their own.
    pub(super) fn separate(&mut self, rel: &mut Rel, seen: &mut ColumnSet) {
        for input in rel.inputs_mut() {
            self.separate(input, seen);
        }
        for arm in rel.arms_mut() {
            self.separate(&mut arm.rel, seen);
        }
        for expr in rel.exprs_mut() {
            self.separate_expr(expr, seen);
        }
        // What it passes on was seen below.
        rel.introduced(&mut |c| {
            seen.insert(c);
        });
    }

    fn separate_expr(&mut self, expr: &mut Expr, seen: &mut ColumnSet) {
        for operand in expr.operands_mut() {
            self.separate_expr(operand, seen);
        }
        let Some(query) = expr.subquery_mut() else {
            return;
        };
        let made = query.rel.produced_within();
        let twice: BTreeMap<ColumnId, ColumnId> =
            made.intersection(seen).map(|c| (*c, self.fresh_like(*c))).collect();
        if !twice.is_empty() {
            query.map_ids(|c| {
                if let Some(new) = twice.get(c) {
                    *c = *new;
                }
            });
        }
        self.separate(&mut query.rel, seen);
    }
}
