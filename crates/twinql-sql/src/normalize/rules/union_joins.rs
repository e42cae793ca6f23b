//! Joins with a UNION ALL, as the UNION ALL of the joins with its arms.

use super::unions;
use crate::normalize::prelude::*;

/// Nodes of the join times arms of the union, at most: the join is copied for each arm.
const MAX_COPIED: usize = 400;

pub(super) const UNION_JOIN: Rule = Rule {
    name: "union-join",
    summary: "an inner join with a UNION ALL is the UNION ALL of the joins with its arms",
    why: "Each row of the union comes from one arm and meets the same rows of the other inputs there.",
    source: "relational algebra: ⋈ distributes over ∪ of bags",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT o.day FROM orders o JOIN (SELECT id AS k FROM customer UNION ALL SELECT order_id FROM line) u ON u.k = o.id"
            == "SELECT o.day FROM orders o JOIN customer c ON c.id = o.id UNION ALL SELECT o.day FROM orders o JOIN line l ON l.order_id = o.id";
        "nulls": "SELECT o.day FROM orders o JOIN (SELECT id AS k FROM customer UNION SELECT order_id FROM line) u ON u.k = o.id"
            != "SELECT o.day FROM orders o JOIN customer c ON c.id = o.id UNION ALL SELECT o.day FROM orders o JOIN line l ON l.order_id = o.id";
        "nulls": "SELECT o.day FROM orders o LEFT JOIN (SELECT id AS k FROM customer UNION ALL SELECT order_id FROM line) u ON u.k = o.id"
            != "SELECT o.day FROM orders o LEFT JOIN customer c ON c.id = o.id UNION ALL SELECT o.day FROM orders o LEFT JOIN line l ON l.order_id = o.id";
    },
    apply: Apply::RelOf(rels::JOIN, union_join),
};

/// The other inputs are copied into each arm, so they have to be small and the same each time: no RANDOM(), no LIMIT that
/// may cut ties otherwise. Arms have to store values as the whole does, or a condition would convert otherwise.
///
/// ```sql
/// SELECT o.day FROM orders o JOIN (SELECT id AS k FROM customer UNION ALL SELECT order_id FROM line) u ON u.k = o.id
/// -- is
/// SELECT o.day FROM orders o JOIN customer c ON c.id = o.id
///   UNION ALL SELECT o.day FROM orders o JOIN line l ON l.order_id = o.id
/// ```
fn union_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (inputs, on) = rel.as_join()?;
    let (at, columns) =
        inputs.iter().enumerate().find_map(|(at, r)| Some((at, r.as_union_all()?.2.clone())))?;
    if on.iter().any(|e| e.has_subquery() || !e.is_deterministic()) {
        return None;
    }
    let mut others = inputs.clone();
    let union = others.remove(at);
    let fixed = |r: &Rel| r.is_deterministic() && !cx.leaves_open(r);
    if !others.iter().all(fixed) {
        return None;
    }
    let on = on.clone();
    let mut arms = Vec::new();
    unions::leaves(union, &columns, true, &mut arms);
    if rel.size() * arms.len() > MAX_COPIED || !arms.iter().all(|arm| cx.compare_alike(&arm.output, &columns))
    {
        return None;
    }
    let made = rel.outputs();
    let joined: Option<Vec<Query>> = arms
        .into_iter()
        .map(|arm| {
            let own = arm.output.iter().map(|c| Expr::Column(*c));
            let mut map: Substitution = columns.iter().copied().zip(own).collect();
            let mut inputs = vec![arm.rel];
            for other in &others {
                let (copy, ids) = cx.copy(other);
                inputs.push(copy);
                map.extend(ids);
            }
            let output = made.iter().map(|c| map.get(c)?.as_column()).collect::<Option<_>>()?;
            let on = on.iter().map(|e| e.substituted(&map)).collect();
            Some(Query { rel: Rel::join(inputs, on), output })
        })
        .collect();
    put(rel, unions::chained(joined?, true, &made, cx))
}
