//! Columns that a predicate pins to a constant.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const PINNED_COLUMNS: Rule = Rule {
    name: "pinned-columns",
    summary: "a column that a filter sets equal to a constant, or to NULL, is that constant, there and above",
    why: "In every row that the filter keeps the column holds that constant.",
    source: "constant propagation, every optimiser; whole numbers and text alone, whose equal values are the same",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT id, age + 1 FROM customer WHERE age = 3 AND score > age" == "SELECT id, 4 FROM customer WHERE age = 3 AND score > 3";
        "nulls": "SELECT id, city FROM customer WHERE city IS NULL" == "SELECT id, NULL FROM customer WHERE city IS NULL";
        "nulls": "SELECT id, score FROM customer WHERE score = 3" != "SELECT id, 3 FROM customer WHERE score = 3"
            as "3.0 and 3 are equal answers; they are not the same in arithmetic, so reals are left alone";
        "nulls": "SELECT o.id, c.id FROM orders o LEFT JOIN (SELECT * FROM customer WHERE id = 3) c ON o.customer_id = c.id"
            != "SELECT o.id, 3 FROM orders o LEFT JOIN (SELECT * FROM customer WHERE id = 3) c ON o.customer_id = c.id";
        "nulls": "SELECT name FROM (SELECT * FROM customer WHERE age = 3) WHERE age = city"
            != "SELECT name FROM customer WHERE age = 3 AND city = '3'";
    },
    apply: Apply::RelOf(Kinds::CONDITIONS.or(rels::AGGREGATE), pin),
};

/// What a conjunct pins: `age = 3`, or `city IS NULL`.
fn constant_of(e: &Expr, cx: &Context<'_>) -> Option<(ColumnId, Expr)> {
    match e.as_null_test() {
        Some(Expr::Column(c)) => Some((*c, Expr::NULL)),
        _ => cx.pinned(e).map(|(c, v)| (c, Expr::Literal(v.clone()))),
    }
}

/// Collects what all conjuncts pin, then writes the constants into the other conjuncts and enters them for
/// what stands above. The first conjunct that pins a column stays, being what makes it so; a second one
/// becomes a comparison of two constants, true or false. A grouping passes on its constant keys.
fn pin(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    if let Rel::Aggregate { keys, .. } = rel {
        cx.replace_all(keys.iter().filter(|(_, e)| e.is_literal()).cloned());
        return None;
    }
    let pins = |e: &Expr| constant_of(e, cx).is_some();
    if !rel.condition().is_some_and(|on| on.iter().any(pins)) {
        return None;
    }
    let on = rel.condition_mut()?;
    let mut map = Substitution::new();
    let mut changed = false;
    for e in on.iter_mut() {
        let Some((c, constant)) = constant_of(e, cx).filter(|(c, _)| !map.contains_key(c)) else {
            continue;
        };
        map.insert(c, constant);
        // One form for `3 = age` and `age = 3`.
        if let Some((_, left, right)) = e.as_binary_mut().filter(|(_, left, _)| left.is_literal()) {
            std::mem::swap(left, right);
            changed = true;
        }
    }
    let mut defined: ColumnSet = ColumnSet::new();
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
    // Above an outer join the filled-up rows have another value.
    if !matches!(rel, Rel::OuterJoin { .. }) {
        let produced = rel.outputs_among(&map.keys().copied().collect());
        cx.replace_all(map.into_iter().filter(|(c, _)| produced.contains(c)));
    }
    changed.then_some(())
}
