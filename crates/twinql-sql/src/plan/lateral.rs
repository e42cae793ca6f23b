//! LATERAL subqueries, which SQLite lacks: what a subquery asks of the tables before it is
//! lifted out of it into the join's condition.
//!
//! After Galindo-Legaria and Joshi, Orthogonal Optimization of Subqueries and Aggregation
//! (SIGMOD 2001): a filter passes a projection that keeps its columns; of a grouping, its
//! columns become keys; of a limit, the rows of each value are numbered. What computes with
//! columns of the tables before it is computed above the join.

use sqlparser::tokenizer::Span;

use super::{Planner, Result, unsupported};
use crate::columns::Reads;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::rel::{ColumnId, ColumnInfo, Rel, SortKey};
use crate::schema::TypeClass;
use crate::substitution::Substitution;
use crate::value::Value;

/// What lifting gives: the relation without the conditions, and the conditions.
struct Lifted {
    rel: Rel,
    on: Vec<Expr>,
}

/// A LATERAL subquery without what it asks of the tables before it.
pub(super) struct Lateral {
    /// The relation, which stands alone.
    pub(super) rel: Rel,
    /// The conditions of the join.
    pub(super) on: Vec<Expr>,
    /// What is computed above the join.
    pub(super) above: Option<Above>,
}

/// Outputs of a LATERAL subquery that are computed above its join.
pub(super) struct Above {
    /// The outputs.
    pub(super) outputs: Vec<(ColumnId, Expr)>,
    /// How many rows there are for a row before it.
    pub(super) rows: Rows,
}

/// How many rows a LATERAL subquery has for each row of the tables before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// An aggregate over all rows is one row even where there are none.
    OneOverNone,
    /// As many rows as are written.
    Written,
    /// Any number of rows.
    Any,
}

/// Aggregates that are no NULL over no rows, beside COUNT and TOTAL.
const NOT_NULL_OVER_NOTHING: [&str; 4] =
    ["json_group_array", "json_group_object", "jsonb_group_array", "jsonb_group_object"];

impl Planner<'_> {
    /// A subquery's relation with what it asks of `outer` columns lifted out of it.
    pub(super) fn lift_lateral(&mut self, rel: Rel, outer: &[ColumnId], span: Span) -> Result<Lateral> {
        let computes = |exprs: &[(ColumnId, Expr)]| {
            exprs.iter().any(|(_, e)| outer.iter().any(|c| e.reads().contains(c)))
        };
        let lateral = match rel {
            Rel::Project { input, exprs } if over_all(&input) && reads(&input, outer) => {
                self.lift_single(*input, exprs, outer, span)?
            }
            Rel::Project { input, exprs } if computes(&exprs) => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                let rows = if rel == Rel::unit() { Rows::Written } else { Rows::Any };
                Lateral { rel, on, above: Some(Above { outputs: exprs, rows }) }
            }
            Rel::Values { columns, rows } if rows.iter().flatten().any(|e| !e.is_literal()) => {
                self.lift_values(&columns, rows)?
            }
            rel => {
                let Lifted { rel, on } = self.lift_rel(rel, outer, span)?;
                Lateral { rel, on, above: None }
            }
        };
        if reads(&lateral.rel, outer) {
            return refused(span);
        }
        Ok(lateral)
    }

    /// Rows that are written out, of which each column is computed by the row's number:
    ///
    /// ```text
    /// LATERAL (VALUES ('a', t.a), ('b', t.b)) v(k, x)
    /// →  (VALUES (1), (2)) i, with CASE i WHEN 1 THEN 'a' ELSE 'b' END AS k, CASE i WHEN 1 THEN t.a ELSE t.b END AS x
    /// ```
    fn lift_values(&mut self, columns: &[ColumnId], rows: Vec<Vec<Expr>>) -> Result<Lateral> {
        let (rel, number) = match rows.len() {
            1 => (Rel::unit(), Expr::NULL),
            n => {
                let number = self.new_column(ColumnInfo::computed("row", TypeClass::Integer, false))?;
                let numbers = (1..=n as i64).map(|i| vec![Expr::integer(i)]).collect();
                (Rel::Values { columns: vec![number], rows: numbers }, Expr::Column(number))
            }
        };
        let mut cells: Vec<Vec<Expr>> = vec![Vec::with_capacity(rows.len()); columns.len()];
        for row in rows {
            cells.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
        }
        let by_number = |mut cells: Vec<Expr>| {
            let last = cells.pop();
            let cells = (1..).zip(cells).map(|(i, e)| (number.clone().eq(Expr::integer(i)), e));
            match (cells.collect::<Vec<_>>(), last) {
                (branches, Some(only)) if branches.is_empty() => only,
                (branches, last) => Expr::case(branches, last),
            }
        };
        let outputs = columns.iter().copied().zip(cells.into_iter().map(by_number)).collect();
        Ok(Lateral { rel, on: Vec::new(), above: Some(Above { outputs, rows: Rows::Written }) })
    }

    /// An aggregate over all rows: grouped by the columns that the condition equates, and
    /// what it is over no rows where there is no group.
    fn lift_single(
        &mut self,
        rel: Rel,
        mut outputs: Vec<(ColumnId, Expr)>,
        outer: &[ColumnId],
        span: Span,
    ) -> Result<Lateral> {
        let Rel::Aggregate { input, keys: _, calls } = rel else {
            return refused(span);
        };
        let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
        equalities(&on, outer, span)?;
        let mut grouped = Vec::with_capacity(calls.len());
        let mut values = Substitution::new();
        for (id, call) in calls {
            if call.args.iter().chain(&call.filter).any(|e| mentions(e, outer)) {
                return refused(span);
            }
            let info = match id.info(&self.columns) {
                Some(info) => info.clone(),
                None => return refused(span),
            };
            let renamed = self.new_column(info)?;
            self.copy_kind(renamed, id);
            let value = Expr::Column(renamed);
            let value = match &call.func {
                AggFunc::Count => or_zero(value, Value::Integer(0)),
                AggFunc::Total => or_zero(value, Value::Real(0.0.into())),
                AggFunc::Other(name) if NOT_NULL_OVER_NOTHING.contains(&name.as_str()) => {
                    return refused(span);
                }
                _ => value,
            };
            values.insert(id, value);
            grouped.push((renamed, call));
        }
        self.mark_nullable(grouped.iter().map(|(id, _)| *id));
        for (_, expr) in &mut outputs {
            if mentions(expr, outer) || expr.has_subquery() {
                return refused(span);
            }
            expr.substitute(&values);
        }
        let mut keys = Vec::new();
        pass_on(&mut keys, &on, outer);
        let above = Some(Above { outputs, rows: Rows::OneOverNone });
        Ok(Lateral { rel: Rel::aggregate(rel, keys, grouped), on, above })
    }

    /// Lifts the conditions that name columns of `outer` through a relation. Each case has to keep two things:
    /// the columns that the conditions read come out of the relation, and for one outer row the rows that meet
    /// them are those the subquery gave for it. Where the second needs one value a column ([`equalities`]), a
    /// condition of another kind is refused, as is what is not listed: a set operation, an outer join.
    fn lift_rel(&mut self, rel: Rel, outer: &[ColumnId], span: Span) -> Result<Lifted> {
        if !reads(&rel, outer) {
            return Ok(Lifted { rel, on: Vec::new() });
        }
        match rel {
            Rel::Filter { input, predicate } => {
                let Lifted { rel, mut on } = self.lift_rel(*input, outer, span)?;
                let (lifted, kept): (Vec<Expr>, Vec<Expr>) =
                    predicate.into_iter().flat_map(Expr::conjuncts).partition(|e| mentions(e, outer));
                on.extend(lifted);
                Ok(Lifted { rel: Rel::filter(rel, kept), on })
            }
            Rel::Join { inputs, on: joined } => {
                let (mut on, kept): (Vec<Expr>, Vec<Expr>) =
                    joined.into_iter().flat_map(Expr::conjuncts).partition(|e| mentions(e, outer));
                let mut rels = Vec::with_capacity(inputs.len());
                for input in inputs {
                    let lifted = self.lift_rel(input, outer, span)?;
                    rels.push(lifted.rel);
                    on.extend(lifted.on);
                }
                Ok(Lifted { rel: Rel::Join { inputs: rels, on: kept }, on })
            }
            Rel::Project { input, exprs } => self.lift_project(*input, exprs, outer, span),
            // Rows of one outer row have the same values in the columns that come with them.
            Rel::Distinct { input } => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                equalities(&on, outer, span)?;
                Ok(Lifted { rel: Rel::Distinct { input: Box::new(rel) }, on })
            }
            Rel::Sort { input, keys, limit, offset } => {
                self.lift_sort(*input, keys, limit, offset, outer, span)
            }
            Rel::Aggregate { input, keys, calls } if !keys.is_empty() => {
                self.lift_groups(*input, keys, calls, outer, span)
            }
            Rel::Window { input, mut calls } => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                let partition = equalities(&on, outer, span)?;
                for (_, call) in &mut calls {
                    call.partition_by.extend(partition.iter().cloned());
                }
                Ok(Lifted { rel: Rel::Window { input: Box::new(rel), calls }, on })
            }
            _ => refused(span),
        }
    }

    /// A projection, which then gives the columns of the conditions too:
    /// `SELECT b FROM u WHERE u.a = t.a` → `SELECT b, a FROM u`, on `u.a = t.a`. A projection that computes
    /// with a column of `outer` is refused: its value is not one of the subquery's own rows.
    fn lift_project(
        &mut self,
        input: Rel,
        mut exprs: Vec<(ColumnId, Expr)>,
        outer: &[ColumnId],
        span: Span,
    ) -> Result<Lifted> {
        let Lifted { rel, on } = self.lift_rel(input, outer, span)?;
        if exprs.iter().any(|(_, e)| mentions(e, outer)) {
            return refused(span);
        }
        pass_on(&mut exprs, &on, outer);
        Ok(Lifted { rel: Rel::project(rel, exprs), on })
    }

    /// ORDER BY and LIMIT. The limit holds for each outer row, so the rows of each are numbered:
    /// `SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 2` → the rows of
    /// `SELECT b, a, row_number() OVER (PARTITION BY a ORDER BY b)` whose number is at most 2.
    fn lift_sort(
        &mut self,
        input: Rel,
        keys: Vec<SortKey>,
        limit: Option<Expr>,
        offset: Option<Expr>,
        outer: &[ColumnId],
        span: Span,
    ) -> Result<Lifted> {
        let Lifted { rel, on } = self.lift_rel(input, outer, span)?;
        if keys.iter().any(|k| mentions(&k.expr, outer))
            || limit.iter().chain(&offset).any(|e| mentions(e, outer))
        {
            return refused(span);
        }
        if limit.is_none() && offset.is_none() {
            // The order of a table has no meaning.
            return Ok(Lifted { rel, on });
        }
        let partition_by = equalities(&on, outer, span)?;
        let (number, call) = self.row_number(partition_by, keys)?;
        let numbered = Rel::Window { input: Box::new(rel), calls: vec![(number, call)] };
        Ok(Lifted { rel: Rel::filter(numbered, within(number, limit, offset)), on })
    }

    /// A grouping with keys of its own: the columns of the conditions become keys. One outer row has one
    /// value in each of them, so its groups are the ones it had.
    fn lift_groups(
        &mut self,
        input: Rel,
        mut keys: Vec<(ColumnId, Expr)>,
        calls: Vec<(ColumnId, AggregateCall)>,
        outer: &[ColumnId],
        span: Span,
    ) -> Result<Lifted> {
        let Lifted { rel, on } = self.lift_rel(input, outer, span)?;
        equalities(&on, outer, span)?;
        let reads_outer = keys.iter().any(|(_, e)| mentions(e, outer))
            || calls.iter().any(|(_, c)| c.args.iter().chain(&c.filter).any(|e| mentions(e, outer)));
        if reads_outer {
            return refused(span);
        }
        pass_on(&mut keys, &on, outer);
        Ok(Lifted { rel: Rel::aggregate(rel, keys, calls), on })
    }
}

/// The conditions that a row's number meets under a limit and an offset. An offset of 0 asks for nothing, and
/// a limit of 1 is written `= 1`, as a query that numbers the rows itself would have it.
fn within(number: ColumnId, limit: Option<Expr>, offset: Option<Expr>) -> Vec<Expr> {
    let place = Expr::Column(number);
    let offset = offset.filter(|offset| *offset != Expr::integer(0));
    let above = offset.as_ref().map(|offset| Expr::binary(BinaryOp::Gt, place.clone(), offset.clone()));
    let up_to = limit.map(|limit| match offset {
        None if limit == Expr::integer(1) => place.eq(limit),
        None => Expr::binary(BinaryOp::LtEq, place, limit),
        Some(offset) => Expr::binary(BinaryOp::LtEq, place, Expr::binary(BinaryOp::Add, offset, limit)),
    });
    above.into_iter().chain(up_to).collect()
}

/// Whether a relation is an aggregate over all rows.
fn over_all(rel: &Rel) -> bool {
    matches!(rel, Rel::Aggregate { input: _, keys, calls } if keys.is_empty() && !calls.is_empty())
}

fn or_zero(value: Expr, zero: Value) -> Expr {
    Expr::function("coalesce", vec![value, Expr::Literal(zero)])
}

fn refused<T>(span: Span) -> Result<T> {
    unsupported("a LATERAL subquery that depends on the tables before it in this way", span)
}

fn mentions(expr: &Expr, outer: &[ColumnId]) -> bool {
    expr.named().iter().any(|c| outer.contains(c))
}

/// Whether a relation reads one of these columns.
fn reads(rel: &Rel, outer: &[ColumnId]) -> bool {
    let used = rel.reads();
    outer.iter().any(|c| used.contains(c))
}

/// Adds the columns of the subquery in the lifted conditions to what a node computes, each once.
fn pass_on(exprs: &mut Vec<(ColumnId, Expr)>, on: &[Expr], outer: &[ColumnId]) {
    for id in on.iter().flat_map(Expr::named) {
        if !outer.contains(&id) && !exprs.iter().any(|(known, _)| *known == id) {
            exprs.push((id, Expr::Column(id)));
        }
    }
}

/// The subquery's side of conditions that are all equalities with the outer side: for one
/// outer row each has one value.
fn equalities(on: &[Expr], outer: &[ColumnId], span: Span) -> Result<Vec<Expr>> {
    let mut out = Vec::with_capacity(on.len());
    for expr in on {
        let Some((left, right)) = expr.as_equality() else {
            return refused(span);
        };
        let of_outer = |e: &Expr| e.named().iter().all(|c| outer.contains(c));
        let inner = match (mentions(left, outer), mentions(right, outer)) {
            (false, true) if of_outer(right) => left,
            (true, false) if of_outer(left) => right,
            _ => return refused(span),
        };
        // Only a bare column has one value in all rows that meet the condition.
        if inner.as_column().is_none() {
            return refused(span);
        }
        out.push(inner.clone());
    }
    Ok(out)
}
