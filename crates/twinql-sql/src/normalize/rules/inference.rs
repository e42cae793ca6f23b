//! Predicates where they say most: outside EXISTS where they are not about its rows,
//! inside inputs where an equality carries them.

use crate::normalize::prelude::*;

pub(super) const EXISTS_CONDITIONS: Rule = Rule {
    name: "exists-conditions",
    summary: "what EXISTS asks of the outer row alone is asked outside it; in NOT EXISTS, what holds outside anyway goes",
    why: "A condition on the outer row alone has one value for all inner rows, so it can be asked before they are looked at.",
    source: "predicate pull-up: EXISTS (σ p ∧ q) is p ∧ EXISTS (σ q) for p over the outer row",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city AND c.age > 3)"
            == "SELECT name FROM customer c WHERE age > 3 AND EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city)";
        "nulls": "SELECT name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city AND c.age > 3)"
            != "SELECT name FROM customer c WHERE age > 3 AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city)";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, exists_conditions),
};

/// From EXISTS such a conjunct moves out. From NOT EXISTS it does not: NOT (p AND EXISTS …) is not p AND NOT
/// EXISTS …, but where p is stated outside anyway, it may as well be left out inside. A conjunct without
/// columns is no condition on the outer row and stays for the rules of constants.
fn exists_conditions(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let BlockMut { on, .. } = rel.as_block_mut()?;
    on.iter().find_map(|e| e.as_not().unwrap_or(e).as_exists())?;
    // What is true of each row that is kept.
    let stated: Vec<Expr> = on.clone();
    let mut moved: Vec<Expr> = Vec::new();
    let mut changed = false;
    for e in on.iter_mut() {
        let (test, positive) = match e {
            Expr::Unary { op: UnaryOp::Not, expr } => (&mut **expr, false),
            e => (e, true),
        };
        let Some(query) = test.as_exists_mut() else { continue };
        let made = query.rel.produced_within();
        let Some(BlockMut { on: predicate, .. }) = query.rel.as_block_mut() else {
            continue;
        };
        let mut kept = Vec::with_capacity(predicate.len());
        for p in std::mem::take(predicate) {
            let of = p.free_columns();
            let outer = !of.is_empty() && of.is_disjoint(&made) && p.is_deterministic() && !p.has_subquery();
            if outer && positive {
                moved.push(p);
                changed = true;
            } else if outer && stated.contains(&p) {
                changed = true;
            } else {
                kept.push(p);
            }
        }
        *predicate = kept;
    }
    // Two EXISTS may ask the same of the outer row.
    for p in moved {
        if !on.contains(&p) {
            on.push(p);
        }
    }
    changed.then_some(())
}

pub(super) const TRANSITIVE: Rule = Rule {
    name: "transitive-pushdown",
    summary: "a predicate on a column holds for what an inner join makes equal to it, and moves into the unions and groupings that give it",
    why: "Where the join keeps a row both columns hold the same value, so that a condition holds for both or for neither.",
    source: "Ullman 1989, ch. 11; predicate transitive closure, every optimiser; columns of equal storage alone",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders GROUP BY customer_id) o ON o.k = c.id WHERE c.id > 7"
            == "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders WHERE customer_id > 7 GROUP BY customer_id) o ON o.k = c.id";
        "nulls": "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders GROUP BY customer_id) o ON o.k = c.id WHERE c.age > 7"
            != "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders WHERE customer_id > 7 GROUP BY customer_id) o ON o.k = c.id";
    },
    apply: Apply::RelOf(rels::JOIN, transitive),
};

/// True for inputs that predicates are pushed into.
fn takes(rel: &Rel) -> bool {
    matches!(rel, Rel::Aggregate { keys, .. } if !keys.is_empty()) || matches!(rel, Rel::SetOp { .. })
}

/// An equality class has one column that stands for all, so conditions read that one, and the column of a
/// grouping or a union that is equal to it has none to push. Here each condition is written with the columns
/// inside, and pushed. It goes from the join then: the equality carries it back to all the others.
fn transitive(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (inputs, on) = rel.as_join_mut()?;
    if !inputs.iter().any(takes) {
        return None;
    }
    let classes = cx.equal_columns(on);
    if classes.is_empty() {
        return None;
    }
    // What each column outside an input is equal to inside it.
    let mut targets: Vec<(usize, Substitution)> = Vec::new();
    for (i, input) in inputs.iter().enumerate().filter(|(_, r)| takes(r)) {
        let own = input.output_set();
        let mut map = Substitution::new();
        for class in &classes {
            if let Some(inside) = class.iter().find(|c| own.contains(c)) {
                for c in class.iter().filter(|c| !own.contains(c)) {
                    map.insert(*c, Expr::Column(*inside));
                }
            }
        }
        targets.push((i, map));
    }
    let before = on.len();
    on.retain(|e| {
        let of = e.free_columns();
        if of.is_empty() || !e.is_deterministic() || e.has_subquery() || cx.column_equality(e).is_some() {
            return true;
        }
        let mut taken = false;
        for (i, map) in targets.iter().filter(|(_, map)| of.iter().all(|c| map.contains_key(c))) {
            let own = e.substituted(map);
            taken |= inputs.get_mut(*i).is_some_and(|input| push_into(input, own, cx).is_none());
        }
        !taken
    });
    (on.len() != before).then_some(())
}

pub(super) const NESTED_ORDER: Rule = Rule {
    name: "nested-order",
    summary: "ORDER BY over rows that stand in that order does nothing, and of two limits in one order the smaller counts, after an OFFSET over the first as well",
    why: "Rows that stand in an order are left as they are by sorting in it again, and the first m of the first n are the first min(m, n).",
    source: "Simmen, Shekita & Malkemus 1996, order optimisation",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT * FROM (SELECT name, age FROM customer ORDER BY name LIMIT 5) ORDER BY name LIMIT 9"
            == "SELECT name, age FROM customer ORDER BY name LIMIT 5";
        "nulls": "SELECT * FROM (SELECT id, age FROM customer ORDER BY id LIMIT 1) ORDER BY id LIMIT 9"
            == "SELECT id, age FROM customer ORDER BY id LIMIT 1";
        "nulls": "SELECT * FROM (SELECT name, age FROM customer ORDER BY name LIMIT 5) ORDER BY 2"
            != "SELECT name, age FROM customer ORDER BY name LIMIT 5";
        "nulls": "SELECT * FROM (SELECT id, name FROM customer ORDER BY id LIMIT 3) ORDER BY id LIMIT 3 OFFSET 2"
            == "SELECT id, name FROM customer ORDER BY id LIMIT 1 OFFSET 2";
        "nulls": "SELECT * FROM (SELECT id, name FROM customer ORDER BY id LIMIT 3) ORDER BY id LIMIT 3 OFFSET 2"
            != "SELECT id, name FROM customer ORDER BY id LIMIT 3 OFFSET 2";
    },
    apply: Apply::RelOf(rels::SORT, nested_order),
};

/// The outer keys have to be the first of the inner ones: `ORDER BY a` keeps rows that stand in the order
/// `a, b`, not the reverse. Two limits one of which is negative, and so is none, stay.
fn nested_order(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let Rel::Sort { input, keys, limit, offset } = rel else {
        return None;
    };
    let Rel::Sort { keys: inner_keys, limit: inner_limit, offset: inner_offset, .. } = &mut **input else {
        return None;
    };
    // Which rows a limit without an order takes is open, and their order; of one row neither is.
    let idle = |outer: &Expr, inner: &Expr| {
        let inner = inner.as_integer().filter(|n| matches!(n, 0 | 1))?;
        Some(inner <= outer.as_integer()?)
    };
    let both = limit.as_ref().zip(inner_limit.as_ref()).filter(|_| offset.is_none());
    let ordered = !keys.is_empty() || both.and_then(|(outer, inner)| idle(outer, inner)) == Some(true);
    if !ordered || !inner_keys.starts_with(keys) {
        return None;
    }
    let skipped = counted(offset.as_ref())?;
    let all = counted(inner_offset.as_ref())?.checked_add(skipped)?;
    match (&*limit, &*inner_limit) {
        (None, None) => {}
        (None, Some(inner)) if skipped > 0 => {
            let inner = counted(Some(inner))?;
            *inner_limit = Some(Expr::integer((inner - skipped).max(0)));
        }
        (None, Some(_)) => {}
        (Some(_), None) => *inner_limit = limit.take(),
        (Some(outer), Some(inner)) => {
            let (outer, inner) = (counted(Some(outer))?, counted(Some(inner))?);
            *inner_limit = Some(Expr::integer(outer.min(inner - skipped).max(0)));
        }
    }
    if skipped > 0 {
        *inner_offset = Some(Expr::integer(all));
    }
    *rel = input.take();
    Some(())
}

/// The number of a LIMIT or an OFFSET: 0 where there is none.
fn counted(bound: Option<&Expr>) -> Option<i64> {
    bound.map_or(Some(0), |e| e.as_integer().filter(|n| *n >= 0))
}

pub(super) const IMPLIED_DISJUNCTIONS: Rule = Rule {
    name: "implied-disjunctions",
    summary: "(a OR c) beside (a AND b OR c AND d) says nothing, in a filter and on the side that an outer join fills up",
    why: "Each arm of the longer disjunction holds an arm of the shorter one.",
    source: "Boolean algebra; Chaudhuri & Shim 1999, predicates taken from disjunctions",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT id FROM customer WHERE (city = 'a' AND age = 1 OR city = 'b' AND score = 2) AND (city = 'a' OR city > 'b' OR score = 2)"
            == "SELECT id FROM customer WHERE city = 'a' AND age = 1 OR city = 'b' AND score = 2";
        "nulls": "SELECT c.id, o.day FROM customer c LEFT JOIN (SELECT * FROM orders WHERE total < 3 OR total > 5) o ON c.age = 1 AND o.total < 3 OR c.age = 2 AND o.total > 5"
            == "SELECT c.id, o.day FROM customer c LEFT JOIN orders o ON c.age = 1 AND o.total < 3 OR c.age = 2 AND o.total > 5";
        "strict": "SELECT id FROM customer WHERE (city = 'a' AND age = 1 OR score = 2) AND (city = 'a' OR city > 'b')"
            != "SELECT id FROM customer WHERE city = 'a' AND age = 1 OR score = 2";
        "nulls": "SELECT c.id, o.day FROM (SELECT * FROM customer WHERE age = 1 OR age = 2) c LEFT JOIN orders o ON c.age = 1 AND o.total < 3 OR c.age = 2 AND o.total > 5"
            != "SELECT c.id, o.day FROM customer c LEFT JOIN orders o ON c.age = 1 AND o.total < 3 OR c.age = 2 AND o.total > 5";
    },
    apply: Apply::RelOf(Kinds::CONDITIONS, implied_disjunctions),
};

/// Conjuncts of a block that another one implies, or of the right side of a LEFT JOIN that its ON implies: a row that fails
/// them has no partner in either form.
fn implied_disjunctions(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let is_or = |e: &Expr| matches!(e, Expr::Or(_));
    if let Some((_, right, on)) = rel.as_left_join_mut() {
        let BlockMut { on: own, .. } = right.as_block_mut()?;
        let before = own.len();
        own.retain(|e| !(is_or(e) && on.iter().any(|by| implies(by, e))));
        return (own.len() != before).then_some(());
    }
    let BlockMut { on, .. } = rel.as_block_mut()?;
    if on.iter().filter(|e| is_or(e)).count() < 2 {
        return None;
    }
    let implied = |at: usize, e: &Expr| {
        is_or(e) && on.iter().enumerate().any(|(by, other)| by != at && other != e && implies(other, e))
    };
    // One at a time: two may imply each other.
    let at = on.iter().enumerate().find_map(|(at, e)| implied(at, e).then_some(at))?;
    on.remove(at);
    Some(())
}

/// True if each arm of a disjunction has among its conjuncts all of those of some arm of the other one.
fn implies(by: &Expr, e: &Expr) -> bool {
    let (Expr::Or(by), Expr::Or(arms)) = (by, e) else {
        return false;
    };
    let parts = |e: &Expr| e.clone().conjuncts();
    let arms: Vec<Vec<Expr>> = arms.iter().map(parts).collect();
    arms.iter().flatten().all(Expr::is_deterministic)
        && by.iter().map(parts).all(|held| arms.iter().any(|arm| arm.iter().all(|p| held.contains(p))))
}
