//! Equality classes: columns that an inner join makes equal are one column.

use std::collections::BTreeSet;

use crate::algebra::BlockMut;
use crate::expr::{BinaryOp, Expr};
use crate::normalize::context::Context;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, Rel};
use crate::substitution::Substitution;
use crate::value::Value;

pub(super) const CLASSES: Rule = Rule {
    name: "equality-classes",
    summary: "of columns that an inner join or filter makes equal, one stands for all, there and above",
    source: "transitive closure of equalities, every optimiser; columns of equal storage alone, so that values are the same",
    needs: Needs::TYPED,
    apply: Apply::Rel(classes),
};

/// The two columns of `a = b`, if they are stored alike.
pub(super) fn column_equality(e: &Expr, cx: &Context<'_>) -> Option<(ColumnId, ColumnId)> {
    match e {
        Expr::Binary {
            op: BinaryOp::Eq,
            left,
            right,
        } => match (&**left, &**right) {
            (Expr::Column(a), Expr::Column(b)) if a != b && cx.same_storage(*a, *b) => Some((*a, *b)),
            _ => None,
        },
        _ => None,
    }
}

/// Classes of columns that the conjuncts make equal.
pub(super) fn equal_columns(on: &[Expr], cx: &Context<'_>) -> Vec<Vec<ColumnId>> {
    let mut classes: Vec<Vec<ColumnId>> = Vec::new();
    for (a, b) in on.iter().filter_map(|e| column_equality(e, cx)) {
        let (mut one, rest): (Vec<_>, Vec<_>) = classes
            .into_iter()
            .partition(|class| class.contains(&a) || class.contains(&b));
        let mut merged: Vec<ColumnId> = one.drain(..).flatten().chain([a, b]).collect();
        merged.sort_unstable();
        merged.dedup();
        classes = rest;
        classes.push(merged);
    }
    classes
}

/// [`equal_columns`], with the columns that equal the same constant in one class.
pub(super) fn known_equal(on: &[Expr], cx: &Context<'_>) -> Vec<Vec<ColumnId>> {
    let constants: Vec<(ColumnId, &Value)> = on
        .iter()
        .filter_map(|e| super::constants::pinned(e, cx))
        .collect();
    if constants.len() < 2 {
        return equal_columns(on, cx);
    }
    let mut all: Vec<Expr> = on.to_vec();
    for (i, (a, v)) in constants.iter().enumerate() {
        if let Some((b, _)) = constants.iter().skip(i + 1).find(|(_, w)| w == v) {
            all.push(Expr::Column(*a).eq(Expr::Column(*b)));
        }
    }
    equal_columns(&all, cx)
}

fn classes(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Some(BlockMut { on, .. }) = rel.as_block_mut() else {
        return false;
    };
    let classes = equal_columns(on, cx);
    if classes.is_empty() {
        return false;
    }
    let produced = rel.output_set();
    let mut map = Substitution::new();
    let mut stars = Vec::new();
    for class in &classes {
        let Some(center) = representative(class, &produced, cx) else {
            continue;
        };
        for c in class.iter().filter(|c| **c != center) {
            map.insert(*c, Expr::Column(center));
            stars.push(Expr::Column(center).eq(Expr::Column(*c)));
        }
    }
    let Some(BlockMut { on, .. }) = rel.as_block_mut() else {
        return false;
    };
    let before = on.clone();
    let mut others: Vec<Expr> = Vec::new();
    for mut e in std::mem::take(on) {
        if column_equality(&e, cx).is_none() {
            e.substitute(&map);
            others.push(e);
        }
    }
    *on = stars;
    on.extend(others);
    for (c, e) in map {
        // An outer column is no output of this query; what reads it from above keeps
        // its own.
        if produced.contains(&c) {
            cx.replace(c, e);
        }
    }
    let same: BTreeSet<&Expr> = before.iter().collect();
    on.len() != before.len() || !on.iter().all(|e| same.contains(e))
}

/// The column that stands for its class: one of an enclosing query, else the first by
/// table and position, so that the choice does not depend on names or order.
fn representative(class: &[ColumnId], produced: &BTreeSet<ColumnId>, cx: &Context<'_>) -> Option<ColumnId> {
    class.iter().copied().min_by_key(|c| {
        let origin = cx.info(*c).and_then(|i| i.origin);
        (
            produced.contains(c),
            origin.is_none(),
            origin.map(|o| (o.table, o.column)),
            *c,
        )
    })
}
