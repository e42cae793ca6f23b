//! One conjunct moved below an operator.

use super::context::Context;
use crate::expr::Expr;
use crate::rel::{JoinKind, Query, Rel};
use crate::substitution::Substitution;

/// Pushes one conjunct below `rel`; gives it back where it cannot. The caller sees to it that the conjunct is
/// deterministic and reads no columns of the query but those of `rel`.
///
/// A filter or a join takes it as one more conjunct. A sort without LIMIT lets it through; one with LIMIT
/// would count other rows.
pub(super) fn push_into(rel: &mut Rel, conjunct: Expr, cx: &Context<'_>) -> Option<Expr> {
    let (into, conjunct) = match rel {
        Rel::Filter { .. } | Rel::Join { .. } => (rel, conjunct),
        Rel::Sort { input, limit: None, offset: None, .. } => (&mut **input, conjunct),
        Rel::Aggregate { input, keys, calls } => {
            // `HAVING city > 'a'` is true of all rows of a group or of none. An aggregate needs them all, and
            // without
            // keys there is a row even where the filter leaves nothing below.
            let of = conjunct.free_columns();
            if keys.is_empty() || calls.iter().any(|(c, _)| of.contains(c)) {
                return Some(conjunct);
            }
            let map: Substitution = keys.iter().cloned().collect();
            (&mut **input, conjunct.substituted(&map))
        }
        Rel::OuterJoin { kind: JoinKind::Left, left, right, .. } => {
            // A row of the kept side comes out at least once, filled up or not.
            let of = conjunct.free_columns();
            if right.outputs().iter().any(|c| of.contains(c)) {
                return Some(conjunct);
            }
            (&mut **left, conjunct)
        }
        Rel::SetOp { left, right, columns, .. } => {
            // σ commutes with ∪, ∩ and − alike, if both arms compare as the whole does. A subquery would be
            // copied, with one set of ids for two.
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
