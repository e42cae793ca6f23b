//! Columns that a predicate pins to a constant.

use std::collections::BTreeSet;

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::normalize::context::Context;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, Rel};
use crate::schema::Affinity;
use crate::substitution::Substitution;
use crate::value::Value;

pub(super) const PINNED_COLUMNS: Rule = Rule {
    name: "pinned-columns",
    summary: "a column that a filter sets equal to a constant, or to NULL, is that constant, there and above",
    source: "constant propagation, every optimiser; whole numbers and text alone, whose equal values are the same",
    needs: Needs::TYPED,
    apply: Apply::Rel(pin),
};

/// The column and the constant of `c = constant`, if equal means the same value.
pub(super) fn pinned<'a>(e: &'a Expr, cx: &Context<'_>) -> Option<(ColumnId, &'a Value)> {
    let Expr::Binary {
        op: BinaryOp::Eq,
        left,
        right,
    } = e
    else {
        return None;
    };
    let (c, v) = match (&**left, &**right) {
        (Expr::Column(c), Expr::Literal(v)) | (Expr::Literal(v), Expr::Column(c)) => (*c, v),
        _ => return None,
    };
    let same = matches!(
        (cx.info(c)?.affinity?, v),
        (Affinity::Integer | Affinity::Numeric, Value::Integer(_)) | (Affinity::Text, Value::Text(_))
    );
    same.then_some((c, v))
}

fn constant_of(e: &Expr, cx: &Context<'_>) -> Option<(ColumnId, Expr)> {
    if let Expr::Unary {
        op: UnaryOp::IsNull,
        expr,
    } = e
        && let Expr::Column(c) = &**expr
    {
        return Some((*c, Expr::Literal(Value::Null)));
    }
    pinned(e, cx).map(|(c, v)| (c, Expr::Literal(v.clone())))
}

fn pin(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    if let Rel::Aggregate { keys, .. } = rel {
        for (c, e) in keys {
            if matches!(e, Expr::Literal(_)) {
                cx.replace(*c, e.clone());
            }
        }
        return false;
    }
    let worth = match &*rel {
        Rel::Filter { predicate: on, .. } | Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => {
            on.iter().any(|e| constant_of(e, cx).is_some())
        }
        _ => false,
    };
    if !worth {
        return false;
    }
    let above = !matches!(rel, Rel::OuterJoin { .. });
    let produced: BTreeSet<ColumnId> = match rel {
        Rel::Filter { .. } | Rel::Join { .. } => rel.output_set(),
        Rel::OuterJoin { .. } => BTreeSet::new(),
        _ => return false,
    };
    let (Rel::Filter { predicate: on, .. } | Rel::Join { on, .. } | Rel::OuterJoin { on, .. }) = rel else {
        return false;
    };
    let mut map = Substitution::new();
    let mut changed = false;
    for e in on.iter_mut() {
        let Some((c, constant)) = constant_of(e, cx) else {
            continue;
        };
        if map.contains_key(&c) {
            continue;
        }
        if let Expr::Binary { left, right, .. } = e
            && matches!(**left, Expr::Literal(_))
        {
            std::mem::swap(left, right);
            changed = true;
        }
        map.insert(c, constant);
    }
    if map.is_empty() {
        return changed;
    }
    let mut defined: BTreeSet<ColumnId> = BTreeSet::new();
    for e in on.iter_mut() {
        // The first conjunct that says so stays.
        if let Some((c, constant)) = constant_of(e, cx)
            && map.get(&c) == Some(&constant)
            && defined.insert(c)
        {
            continue;
        }
        changed |= cx.substitute(e, &map);
    }
    if above {
        for (c, constant) in map {
            if produced.contains(&c) {
                cx.replace(c, constant);
            }
        }
    }
    changed
}
