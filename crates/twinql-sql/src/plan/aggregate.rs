//! Aggregation: which SELECT a call belongs to, and what may be read above the groups.
//!
//! An aggregate is a column from the moment it is read: [`Planner::add_aggregate`] gives it an id, the
//! expression around it names that id, and one `Aggregate` node below the outputs holds all calls that the
//! SELECT collected. The expressions then read the groups, not the rows ([`Groups::lift`]):
//!
//! | written | above the groups | the `Aggregate` |
//! |---|---|---|
//! | `SELECT a + 1, b, max(c) … GROUP BY a + 1` | `k, v, m` | by `k := a + 1`; `v := bare(b)`, `m := max(c)` |
//!
//! Where an aggregate may stand is the business of [`Allow`](super::scope::Allow), which each clause sets.

use std::collections::HashMap;

use sqlparser::tokenizer::Span;

use super::foreign_type::ForeignType;
use super::{Planner, Result, invalid, types};
use crate::columns::Reads;
use crate::expr::{AggFunc, AggregateCall, Expr};
use crate::rel::ColumnId;
use crate::tree::{Next, NodeMut, Tree};

impl Planner<'_> {
    /// Registers an aggregate with the SELECT it belongs to: the innermost one that a
    /// column of its arguments comes from (SQLite), or the innermost of all.
    /// In `SELECT (SELECT max(t.a)) FROM t` the maximum is one of the rows of `t`, and the outer SELECT has
    /// one row.
    /// The same call twice, as in `SELECT count(*) … HAVING count(*) > 1`, is one column.
    pub(crate) fn add_aggregate(&mut self, call: AggregateCall, span: Span) -> Result<Expr> {
        let used: Vec<ColumnId> = call.args.iter().chain(&call.filter).flat_map(Expr::named).collect();
        let level = self
            .scopes
            .iter()
            .rposition(|scope| used.iter().any(|&id| scope.owns(id)))
            .unwrap_or(self.scopes.len().saturating_sub(1));
        let Some(scope) = self.scopes.get(level) else {
            return invalid("misuse of an aggregate function", span);
        };
        // SQLite throws the outputs of EXISTS away before it looks: `EXISTS (SELECT COUNT(outer.a) …)` asks for a row.
        let is_output = self.scopes.last().is_some_and(|s| s.allow.aggregates && !s.allow.aliases);
        let innermost = self.scopes.len().saturating_sub(1);
        if !scope.allow.aggregates && level < innermost && is_output && self.exists == Some(innermost) {
            return Ok(Expr::integer(1));
        }
        if !scope.allow.aggregates {
            return invalid("misuse of an aggregate function", span);
        }
        let mut info = types::aggregate_info(&call, false, &self.columns);
        let kind = self.type_of_aggregate(&call, &mut info);
        // DATE_PART and EXTRACT are one expression of two types.
        let double = Some(ForeignType::Double);
        let known = |(id, known): &&(ColumnId, AggregateCall)| {
            *known == call && (self.kinds.get(id).copied() == double) == (kind == double)
        };
        if let Some((id, _)) = scope.aggregates.iter().find(known) {
            return Ok(Expr::Column(*id));
        }
        self.check_aggregate(&call, span);
        let id = self.new_column(info)?;
        self.kinds.extend(kind.map(|kind| (id, kind)));
        if let (AggFunc::Sum | AggFunc::Min | AggFunc::Max, Some(value)) = (&call.func, call.args.first()) {
            self.note_scale(id, value);
        }
        self.note_column(id, span);
        let shape = match (&call.func, call.args.first()) {
            (AggFunc::Other(name), Some(element)) if name == "json_group_array" => {
                Some(self.array_of(element))
            }
            (AggFunc::Other(name), Some(element))
                if name == "pg_array_agg" && self.dialect.functions_of_its_own() =>
            {
                Some(self.array_of(element))
            }
            (AggFunc::Min | AggFunc::Max | AggFunc::Bare, Some(value)) => self.shape(value),
            _ => None,
        };
        self.note_shape(id, shape);
        if let (AggFunc::Min | AggFunc::Max, Some(value)) = (&call.func, call.args.first()) {
            self.note_kind(id, value);
        }
        if let Some(scope) = self.scopes.get_mut(level) {
            scope.aggregates.push((id, call));
        }
        Ok(Expr::Column(id))
    }
}

/// What an expression above an `Aggregate` node may read: the keys, the calls, and bare
/// columns, which it adds to the calls as it meets them.
pub(crate) struct Groups {
    pub(crate) keys: Vec<(ColumnId, Expr)>,
    pub(crate) calls: Vec<(ColumnId, AggregateCall)>,
    /// Columns of the input, with the number of the table that each is of.
    pub(crate) input: HashMap<ColumnId, usize>,
    /// What is grouped by a collation: above the groups it is one of its texts.
    pub(crate) represented: Vec<Expr>,
}

impl Groups {
    /// Rewrites an expression over the input into one over the groups.
    pub(crate) fn lift(&mut self, planner: &mut Planner<'_>, expr: &mut Expr) -> Result<()> {
        let mut failure = None;
        expr.map_deep(|node| match node {
            NodeMut::Expr(e) => match self.lift_node(planner, e) {
                Ok(false) => Next::Below,
                Ok(true) => Next::Past,
                Err(error) => {
                    failure = Some(error);
                    Next::Past
                }
            },
            _ => Next::Below,
        });
        failure.map_or(Ok(()), Err)
    }

    /// Rewrites one node; true if it is done with.
    fn lift_node(&mut self, planner: &mut Planner<'_>, expr: &mut Expr) -> Result<bool> {
        // A constant stays one, also where a key is the same constant.
        if matches!(expr, Expr::Literal(_)) {
            return Ok(true);
        }
        if self.represented.contains(expr) {
            let known = self.calls.iter().find(|(_, call)| call.represents(expr));
            let id = match known {
                Some((id, _)) => *id,
                None => {
                    let (id, call) = planner.representative(expr)?;
                    self.calls.push((id, call));
                    id
                }
            };
            *expr = Expr::Column(id);
            return Ok(true);
        }
        if let Some((id, _)) = self.keys.iter().find(|(_, key)| key == expr) {
            *expr = Expr::Column(*id);
            return Ok(true);
        }
        let Expr::Column(column) = *expr else {
            return Ok(false);
        };
        // The column of a key or a call, of an outer SELECT, or of a subquery's own tables: nothing to do.
        if !self.input.contains_key(&column) {
            return Ok(true);
        }
        // A bare column: the value of some row of the group, and of the row with the extreme beside one MIN
        // or MAX (https://sqlite.org/lang_select.html#bareagg).
        planner.check_bare(column, self);
        let call = AggregateCall::new(AggFunc::Bare, vec![Expr::Column(column)]);
        let known = self.calls.iter().find(|(_, known)| *known == call);
        let id = match known {
            Some((id, _)) => *id,
            None => {
                let info = types::aggregate_info(&call, !self.keys.is_empty(), &planner.columns);
                let id = planner.new_column(info)?;
                planner.copy_kind(id, column);
                self.calls.push((id, call));
                id
            }
        };
        *expr = Expr::Column(id);
        Ok(true)
    }
}
