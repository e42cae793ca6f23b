//! One conjunct moved below an operator.

use super::context::Context;
use crate::expr::Expr;
use crate::rel::{JoinKind, Query, Rel};
use crate::substitution::Substitution;

/// Pushes one conjunct below `rel`; gives it back where it cannot.
pub(super) fn push_into(rel: &mut Rel, conjunct: Expr, cx: &Context<'_>) -> Option<Expr> {
    let (into, conjunct) = match rel {
        Rel::Filter { .. } | Rel::Join { .. } => (rel, conjunct),
        Rel::Sort { input, limit: None, offset: None, .. } => (&mut **input, conjunct),
        Rel::Aggregate { input, keys, calls } => {
            let of = conjunct.free_columns();
            if keys.is_empty() || calls.iter().any(|(c, _)| of.contains(c)) {
                return Some(conjunct);
            }
            let map: Substitution = keys.iter().cloned().collect();
            (&mut **input, conjunct.substituted(&map))
        }
        Rel::OuterJoin { kind: JoinKind::Left, left, right, .. } => {
            let of = conjunct.free_columns();
            if right.outputs().iter().any(|c| of.contains(c)) {
                return Some(conjunct);
            }
            (&mut **left, conjunct)
        }
        Rel::SetOp { left, right, columns, .. } => {
            let alike = |arm: &Query| cx.compare_alike(&arm.output, columns);
            if !alike(left) || !alike(right) || conjunct.has_subquery() {
                return Some(conjunct);
            }
            for arm in [left, right] {
                let own = arm.output.iter().map(|c| Expr::Column(*c));
                let map: Substitution = columns.iter().copied().zip(own).collect();
                arm.rel.add_conjunct(conjunct.substituted(&map));
            }
            return None;
        }
        _ => return Some(conjunct),
    };
    into.add_conjunct(conjunct);
    None
}
