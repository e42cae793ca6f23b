//! Inner-join blocks: filters and inner joins as one n-ary join, and predicates pushed into inputs that are
//! no base tables.
//!
//! A block (`Rel::as_block`) is what most rules look at: a list of inputs and a list of conjuncts, neither of
//! which has an order. Whether a condition was written in ON, in WHERE or in a derived table is gone once
//! these rules are done.

use std::collections::HashSet;

use indexmap::IndexSet;

use super::ordering::unsort;
use crate::normalize::prelude::*;

pub(super) const FLATTENING: Rule = Rule {
    name: "join-flattening",
    summary: "nested inner joins and filters become one n-ary join; its order has no meaning",
    why: "An inner join keeps the combinations of rows for which all conditions are true, however it is nested and written.",
    source: "relational algebra: ⋈ is associative and commutative, σ commutes with it",
    needs: Needs::NOTHING,
    examples: examples! {
        "no-fk": "SELECT c.name FROM customer c JOIN (SELECT * FROM orders WHERE total > 1) o ON o.customer_id = c.id"
            == "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 1";
        "default": "SELECT a.name FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 25 AND b.age > 35"
            != "SELECT b.name FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 25 AND b.age > 35";
        "default": "SELECT c.name FROM customer c LEFT JOIN (SELECT * FROM orders WHERE total > 1) o ON o.customer_id = c.id"
            != "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 1";
        "default": "SELECT a.name FROM customer a, customer b, customer c WHERE a.age < b.age AND b.age < c.age"
            != "SELECT a.name FROM customer a, customer b, customer c WHERE a.age < b.age AND a.age < c.age";
        "default": "SELECT name FROM customer ORDER BY age"
            != "SELECT a.name FROM (SELECT name FROM customer ORDER BY age) AS a, (SELECT 1) AS one";
        "default": "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE a.age < b.age AND b.age < c.age AND c.age < d.age"
            != "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE a.age < b.age AND a.age < c.age AND a.age < d.age";
        "default": "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE a.age < b.id * 5 AND b.age < c.id * 5 AND c.age < d.id * 5 AND d.age < a.id * 5"
            != "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE a.age < b.id * 5 AND b.age < a.id * 5 AND c.age < d.id * 5 AND d.age < c.id * 5";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, flatten),
};

/// Takes the whole tree of inner joins and filters apart at once; `Rel::join` makes a filter of what has one
/// input, and the input itself where nothing is asked of it.
fn flatten(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let worth = match rel {
        Rel::Filter { input, predicate } => {
            predicate.is_empty() || matches!(**input, Rel::Filter { .. } | Rel::Join { .. })
        }
        Rel::Join { inputs, .. } => {
            inputs.len() < 2
                || inputs.iter().any(|r| matches!(r, Rel::Filter { .. } | Rel::Join { .. }) || r.is_unit())
        }
        _ => false,
    };
    if !worth {
        return None;
    }
    let (mut inputs, mut on) = (Vec::new(), Vec::new());
    gather(rel.take(), &mut inputs, &mut on);
    *rel = Rel::join(inputs, on);
    Some(())
}

/// Inputs and conjuncts below `rel`. The one row without columns, which a FROM-less SELECT reads, multiplies
/// nothing and goes. A join does not keep the order of its inputs.
fn gather(rel: Rel, inputs: &mut Vec<Rel>, on: &mut Vec<Expr>) {
    match rel {
        Rel::Join { .. } | Rel::Filter { .. } => {
            let joins = matches!(rel, Rel::Join { .. });
            let (below, conjuncts) = rel.into_block();
            on.extend(conjuncts);
            for mut r in below {
                // Not even where one input is left of the join.
                if joins {
                    unsort(&mut r);
                }
                gather(r, inputs, on);
            }
        }
        r if r.is_unit() => {}
        r => inputs.push(r),
    }
}

pub(super) const CONJUNCTS: Rule = Rule {
    name: "conjunct-cleanup",
    summary: "AND is split, what is always true or stands twice goes, disjunctions give up what all their arms share",
    why: "A filter keeps the rows for which every conjunct is true, so only the set of conjuncts counts.",
    source: "Boolean algebra; a filter keeps the rows for which each conjunct is true",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT id FROM customer WHERE (city = 'a' AND age = 1) OR (city = 'a' AND score = 2)"
            == "SELECT id FROM customer WHERE (score = 2 OR age = 1) AND city = 'a'";
        "default": "SELECT id FROM customer WHERE city = 'a' OR age = 1" != "SELECT id FROM customer WHERE city = 'a' AND age = 1";
    },
    apply: Apply::RelOf(Kinds::CONDITIONS, clean_conjuncts),
};

/// Conjuncts are looked at in every pass and mostly clean already: nothing is copied unless one is an AND or
/// an OR, is true, or stands twice.
fn clean_conjuncts(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let list = rel.condition_mut()?;
    let worth = list.iter().any(|e| matches!(e, Expr::And(_) | Expr::Or(_)) || e.is_true());
    if !worth && !repeats(list) {
        return None;
    }
    let before = list.clone();
    let mut kept: IndexSet<Expr> = IndexSet::new();
    // What is drawn anew each time counts as often as it stands.
    let mut drawn: Vec<Expr> = Vec::new();
    for e in std::mem::take(list).into_iter().flat_map(Expr::conjuncts).flat_map(factored) {
        if e.is_true() {
            continue;
        }
        if e.is_deterministic() {
            kept.insert(e);
        } else {
            drawn.push(e);
        }
    }
    // A disjunction of which one arm holds anyway says nothing.
    let idle = |e: &Expr| matches!(e, Expr::Or(arms) if arms.iter().any(|a| kept.contains(a)));
    let idle: Vec<bool> = kept.iter().map(idle).collect();
    *list = kept.into_iter().zip(idle).filter(|(_, idle)| !idle).map(|(e, _)| e).chain(drawn).collect();
    (*list != before).then_some(())
}

/// True if an expression stands twice. Short lists are compared pair by pair, which is faster than hashing.
fn repeats(list: &[Expr]) -> bool {
    if list.len() < 16 {
        return list.iter().enumerate().any(|(at, e)| list.iter().take(at).any(|other| other == e));
    }
    let mut seen = HashSet::with_capacity(list.len());
    !list.iter().all(|e| seen.insert(e))
}

/// `(a AND b) OR (a AND c)` as `a`, `b OR c`. What is shared has to be deterministic: `RANDOM() > 0` drawn in
/// each arm is not the same as drawn once.
fn factored(e: Expr) -> Vec<Expr> {
    let Expr::Or(arms) = &e else { return vec![e] };
    let lists: Vec<Vec<Expr>> = arms.iter().cloned().map(Expr::conjuncts).collect();
    let Some((first, rest)) = lists.split_first() else {
        return vec![e];
    };
    let shared: Vec<Expr> = first
        .iter()
        .filter(|c| c.is_boolean() && c.is_deterministic())
        .filter(|c| rest.iter().all(|l| l.contains(c)))
        .cloned()
        .collect();
    if shared.is_empty() {
        return vec![e];
    }
    let mut left = Vec::new();
    for list in lists {
        let mut others: Vec<Expr> = list.into_iter().filter(|c| !shared.contains(c)).collect();
        match others.len() {
            // One arm is the shared part alone: the rest adds nothing.
            0 => return shared,
            1 => left.extend(others.pop()),
            _ => left.push(Expr::And(others)),
        }
    }
    let mut all = shared;
    all.push(Expr::Or(left));
    all
}

pub(super) const PUSHDOWN: Rule = Rule {
    name: "predicate-pushdown",
    summary: "conjuncts move below groupings (HAVING on keys), set operations, sorts and the kept side of outer joins",
    why: "A condition on a group's key is equally true of all rows of the group, and one on rows that an operator only passes on can be asked below it.",
    source: "Ullman 1989, ch. 11: σ commutes with γ on its keys, with ∪, ∩, − and with the kept side of ⟕",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT city, COUNT(*) FROM customer GROUP BY city HAVING city > 'a'"
            == "SELECT city, COUNT(*) FROM customer WHERE city > 'a' GROUP BY city";
        "strict": "SELECT * FROM (SELECT city FROM customer UNION ALL SELECT day FROM orders) WHERE city > 'Oslo'"
            == "SELECT city FROM customer WHERE city > 'Oslo' UNION ALL SELECT day FROM orders WHERE day > 'Oslo'";
        "default": "SELECT city, COUNT(*) FROM customer GROUP BY city HAVING MAX(age) > 3"
            != "SELECT city, COUNT(*) FROM customer WHERE age > 3 GROUP BY city";
        "default": "SELECT * FROM (SELECT city FROM customer UNION ALL SELECT day FROM orders) WHERE city > 'Oslo'"
            != "SELECT city FROM customer WHERE city > 'Oslo' UNION ALL SELECT day FROM orders";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, push_down),
};

/// A conjunct goes into an input that makes all those of its columns that this query makes. Scans are passed
/// over: a filter right above a scan is as far down as it gets.
fn push_down(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let leaf = |input: &Rel| matches!(input, Rel::Scan { .. } | Rel::Values { .. });
    if rel.as_block()?.inputs.iter().all(leaf) {
        return None;
    }
    let all = rel.output_set();
    let BlockMut { inputs, on } = rel.as_block_mut()?;
    let mut changed = false;
    for input in inputs {
        if leaf(input) {
            continue;
        }
        let produced = input.output_set();
        let mut stay = Vec::new();
        for e in std::mem::take(on) {
            // Columns of enclosing queries are constants here; those of siblings are not.
            let of = e.free_columns();
            let local = of.iter().any(|c| produced.contains(c))
                && e.is_deterministic()
                && of.iter().all(|c| produced.contains(c) || !all.contains(c));
            match if local { push_into(input, e, cx) } else { Some(e) } {
                Some(e) => stay.push(e),
                None => changed = true,
            }
        }
        *on = stay;
    }
    changed.then_some(())
}
