//! What many rules do in the same words.

use super::context::Context;
use super::rule::Changed;
use crate::column_set::ColumnSet;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::rel::{ColumnId, Direction, Query, Rel};
use crate::schema::ColumnRef;

/// Puts the new form in its place, if there is one; what a rule that found one returns.
pub(super) fn put<T>(place: &mut T, new: Option<T>) -> Changed {
    new.map(|new| *place = new)
}

/// Changes each of these by `f`; true if `f` says so of one.
pub(super) fn change_each<T>(all: impl IntoIterator<Item = T>, mut f: impl FnMut(T) -> bool) -> bool {
    all.into_iter().fold(false, |changed, one| f(one) | changed)
}

/// Changes the expressions of a relation by `f`, and all that is in them, leaves first. `f` is told the columns that are
/// never NULL below; to find these out takes time, so only where a part of an expression is `worth` it.
pub(super) fn change_knowing(
    rel: &mut Rel,
    cx: &mut Context<'_>,
    worth: impl Fn(&Expr) -> bool,
    f: impl Fn(&mut Expr, &ColumnSet, &mut Context<'_>) -> Changed,
) -> Changed {
    if !rel.exprs().into_iter().any(|e| e.any(&worth)) {
        return None;
    }
    let known = cx.not_null_below(rel);
    change_each(rel.exprs_mut(), |e| e.map(|e| f(e, &known, cx).is_some())).then_some(())
}

/// What a comparison holds against 0, and whether it is true of 0: `= 0` and `<> 0`, with the number on either side. Of a count,
/// and of what is taken for a number that is whole and never below 0, `<= 0` and `< 1` say the same as `= 0`, and `> 0` and
/// `>= 1` the opposite. Whoever asks has to know that it is one.
pub(super) fn asked_of_zero(e: &Expr) -> Option<(&Expr, bool)> {
    e.readings().find_map(|(x, op, n)| match (op, n.as_integer()?) {
        (BinaryOp::Eq | BinaryOp::LtEq, 0) | (BinaryOp::Lt, 1) => Some((x, true)),
        (BinaryOp::NotEq | BinaryOp::Gt, 0) | (BinaryOp::GtEq, 1) => Some((x, false)),
        _ => None,
    })
}

/// A predicate, or its opposite.
pub(super) fn asserted(predicate: Expr, holds: bool) -> Expr {
    if holds { predicate } else { predicate.not() }
}

/// Those that are columns as they are, of group keys or entries of a projection.
pub(super) fn bare(entries: &[(ColumnId, Expr)]) -> impl Iterator<Item = ColumnId> + Clone {
    entries.iter().filter_map(|(_, e)| e.as_column())
}

/// The input of a grouping that does not count how often a row comes, and what the grouping reads of it.
pub(super) fn read_as_set(rel: &mut Rel) -> Option<(&mut Rel, ColumnSet)> {
    let grouping = rel.as_grouping().filter(|grouping| grouping.ignores_duplicates())?;
    let read = grouping.reads();
    let (input, ..) = rel.as_aggregate_mut()?;
    Some((input, read))
}

/// A whole table of which one column alone is read, and which that is: `used` are all columns that are read.
pub(super) fn read_for_one(rel: &Rel, used: &ColumnSet) -> Option<(ColumnId, ColumnRef)> {
    let (table, columns) = rel.as_scan()?;
    let mut read = columns.iter().filter(|(c, _)| used.contains(c));
    match (read.next(), read.next()) {
        (Some((c, at)), None) => Some((*c, ColumnRef { table: *table, column: *at })),
        _ => None,
    }
}

/// Takes an input out of a join, whose conjuncts stay.
pub(super) fn without_input(rel: &mut Rel, at: usize) {
    let (mut inputs, on) = rel.take().into_block();
    inputs.remove(at);
    *rel = Rel::join(inputs, on);
}

/// The extreme that stands first in an order, NULLs aside.
pub(super) fn first_in(direction: Direction) -> AggFunc {
    match direction {
        Direction::Asc => AggFunc::Min,
        Direction::Desc => AggFunc::Max,
    }
}

/// The input, the column and the call of a subquery that is one aggregate over all its rows:
/// `(SELECT MAX(x) FROM …)`.
pub(super) fn sole_aggregate(query: &Query) -> Option<(&Rel, ColumnId, &AggregateCall)> {
    let (input, keys, calls) = query.rel.as_aggregate()?;
    match calls.as_slice() {
        [(c, call)] if keys.is_empty() && query.output.as_slice() == [*c] => Some((input, *c, call)),
        _ => None,
    }
}
