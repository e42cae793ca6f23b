//! Limits below other operators that take no row from the first ones.

use super::padding::has_partner;
use crate::normalize::prelude::*;

pub(super) const NESTED_LIMIT: Rule = Rule {
    name: "nested-limit",
    summary: "a LIMIT in an arm of UNION ALL, on the kept side of a LEFT JOIN, or beside the table that a foreign key refers to, does nothing under one that is no larger and in the same order",
    why: "Each of its rows gives a row or more above, so that none beyond its limit is among the first ones there.",
    source: "Carey & Kossmann 1997, stopping early below non-reductive operators",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT x FROM (SELECT * FROM (SELECT city AS x FROM customer ORDER BY city LIMIT 5) UNION ALL SELECT day FROM orders) ORDER BY x LIMIT 5"
            == "SELECT x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders) ORDER BY x LIMIT 5";
        "nulls": "SELECT c.id, o.day FROM (SELECT * FROM customer ORDER BY id LIMIT 4) c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY c.id LIMIT 3"
            == "SELECT c.id, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY c.id LIMIT 3";
        "nulls": "SELECT x FROM (SELECT * FROM (SELECT city AS x FROM customer ORDER BY city LIMIT 2) UNION ALL SELECT day FROM orders) ORDER BY x LIMIT 5"
            != "SELECT x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders) ORDER BY x LIMIT 5";
        "nulls": "SELECT x FROM (SELECT * FROM (SELECT city AS x FROM customer ORDER BY city DESC LIMIT 2) UNION ALL SELECT day FROM orders) ORDER BY x LIMIT 2"
            != "SELECT x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders) ORDER BY x LIMIT 2";
        "nulls": "SELECT c.id, o.day FROM (SELECT * FROM customer ORDER BY id LIMIT 4) c JOIN orders o ON o.customer_id = c.id ORDER BY c.id LIMIT 3"
            != "SELECT c.id, o.day FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY c.id LIMIT 3";
    },
    apply: Apply::RelOf(rels::SORT, nested_limit),
};

/// The orders have to be the same, key by key: where the inner one goes on, it cuts ties that the outer one leaves open.
fn nested_limit(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Sort { input, keys, limit: Some(limit), offset } = rel else {
        return None;
    };
    let skipped = offset.as_ref().map_or(Some(0), Expr::as_integer).filter(|n| *n >= 0)?;
    let wanted = limit.as_integer().filter(|n| *n >= 0)?.checked_add(skipped)?;
    match &mut **input {
        Rel::SetOp { kind: SetOpKind::Union, all: true, .. } => {
            without_limits(input, keys, wanted, cx).then_some(())
        }
        Rel::OuterJoin { kind: JoinKind::Left, left, .. } => unlimited(left, keys, wanted),
        // A row has its partner by the foreign key.
        Rel::Join { inputs, on } if cx.semantics.foreign_keys_hold => {
            let [one, two] = inputs.as_mut_slice() else {
                return None;
            };
            if has_partner(one, two, on, cx) {
                unlimited(one, keys, wanted)
            } else if has_partner(two, one, on, cx) {
                unlimited(two, keys, wanted)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Takes a sort with a limit off the relation, if it is in this order and leaves as many rows as are wanted.
fn unlimited(rel: &mut Rel, keys: &[SortKey], wanted: i64) -> Changed {
    let Rel::Sort { input, keys: own, limit: Some(limit), offset: None } = rel else {
        return None;
    };
    let idle = own.as_slice() == keys && limit.as_integer().is_some_and(|n| n < 0 || n >= wanted);
    let below = idle.then(|| input.take());
    put(rel, below)
}

/// The same in the arms of a chain of unions, of which the keys are bare columns.
fn without_limits(rel: &mut Rel, keys: &[SortKey], wanted: i64, cx: &Context<'_>) -> bool {
    let Some((left, right, columns)) = rel.as_union_all_mut() else {
        return false;
    };
    let mut changed = false;
    for arm in [left, right] {
        if !cx.compare_alike(&arm.output, columns) {
            continue;
        }
        let own = arm.output.iter().map(|c| Expr::Column(*c));
        let mut map: Substitution = columns.iter().copied().zip(own).collect();
        let below = match &mut arm.rel {
            Rel::Project { input, exprs } => {
                let made: Substitution = exprs.iter().cloned().collect();
                map.values_mut().for_each(|e| {
                    e.substitute(&made);
                });
                &mut **input
            }
            rel => rel,
        };
        let keys: Vec<SortKey> =
            keys.iter().map(|k| SortKey { expr: k.expr.substituted(&map), ..k.clone() }).collect();
        changed |= without_limits(below, &keys, wanted, cx) || unlimited(below, &keys, wanted).is_some();
    }
    changed
}
