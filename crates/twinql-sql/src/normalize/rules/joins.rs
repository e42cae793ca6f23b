//! Joins that add nothing, outer joins that are none, and tests for NULL.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const NULL_TESTS: Rule = Rule {
    name: "null-tests",
    summary: "IS NULL on what is never NULL is false; x = x is x IS NOT NULL; x > 3 AND x IS NOT NULL is x > 3, and with x IS NULL false; where only truth counts, x IS y is x = y if one of them is never NULL",
    why: "The test has the value that the column's NULLs, or their absence, give it in every row in question.",
    source: "three-valued logic; which columns are never NULL follows from the schema and the semantics",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "default": "SELECT id FROM customer" == "SELECT id FROM customer WHERE city IS NOT NULL";
        "nulls": "SELECT id FROM customer WHERE city > 'a' AND city IS NOT NULL" == "SELECT id FROM customer WHERE city > 'a'";
        "nulls": "SELECT c.id FROM customer c LEFT JOIN customer d ON c.city = d.city AND d.city IS NOT NULL"
            == "SELECT c.id FROM customer c LEFT JOIN customer d ON c.city = d.city";
        "nulls": "SELECT name FROM customer WHERE name IS NOT NULL" == "SELECT name FROM customer";
        "nulls": "SELECT id FROM customer WHERE city IS NOT NULL" != "SELECT id FROM customer";
        "strict": "SELECT id FROM customer WHERE coalesce(city, 'b') > 'a' AND city IS NULL" != "SELECT id FROM customer WHERE 1 = 0";
        "nulls": "SELECT id FROM customer WHERE city IS NOT NULL AND coalesce(city, 'b') > 'a'"
            != "SELECT id FROM customer WHERE coalesce(city, 'b') > 'a'";
        "nulls": "SELECT DISTINCT o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id INTERSECT SELECT city FROM customer"
            != "SELECT DISTINCT o.day FROM customer c JOIN orders o ON o.customer_id = c.id INTERSECT SELECT city FROM customer";
        "nulls": "SELECT city FROM customer WHERE city IS NOT NULL" != "SELECT city FROM customer";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, null_tests),
};

/// In turn: tests anywhere, by what the inputs say of NULLs; conjuncts, of which only being true counts; and
/// tests beside conjuncts that reject NULL. What has no test for NULL and no `x = x` in it is left before any
/// of this is found out.
fn null_tests(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let worth = |e: &Expr| match e {
        Expr::Unary { op: UnaryOp::IsNull, .. } | Expr::Binary { op: BinaryOp::Is, .. } => true,
        Expr::Binary { op: BinaryOp::Eq, left, right } => left == right,
        _ => false,
    };
    if !rel.exprs().into_iter().any(|e| e.any(worth)) {
        return None;
    }
    let known = cx.not_null_below(rel);
    cx.vacated += constant_values(rel, &known, cx);
    let mut changed = change_each(rel.exprs_mut(), |e| null_test(e, &known, cx));
    // In a conjunct, `x = x` is true where x is not NULL, and `x IS y` is `x = y` where one
    // of the two is not.
    if let Some(block) = rel.as_block_mut() {
        for e in block.on {
            if let Expr::Binary { op: op @ BinaryOp::Is, left, right } = e
                && let (Expr::Column(_), Expr::Column(_)) = (&**left, &**right)
                && (!cx.may_be_null(left, &known) || !cx.may_be_null(right, &known))
            {
                *op = BinaryOp::Eq;
                changed = true;
            }
            if let Some((a, b)) = e.as_column_equality()
                && a == b
            {
                *e = Expr::Column(a).is_null().not();
                changed = true;
            }
        }
    }
    if let Some(on) = rel.condition_mut() {
        changed |= drop_implied(on);
    }
    changed.then_some(())
}

/// How many values that the relation produces are tests for NULL with one answer in all rows.
/// A condition that is never true shows as one; a sort key or an always true argument of an
/// aggregate takes nothing from the answer.
fn constant_values(rel: &Rel, known: &ColumnSet, cx: &Context<'_>) -> usize {
    match rel {
        Rel::Project { exprs, .. } => exprs
            .iter()
            .filter(|(c, _)| !cx.only_ordered_by.contains(c))
            .map(|(_, e)| decided_tests(e, false, known, cx))
            .sum(),
        Rel::Aggregate { keys, calls, .. } => {
            let keys = keys.iter().map(|(_, e)| decided_tests(e, false, known, cx));
            let args = calls.iter().flat_map(|(_, call)| &call.args);
            let args = args.map(|e| decided_tests(e, true, known, cx));
            keys.chain(args).sum()
        }
        _ => 0,
    }
}

/// Tests for NULL of what is never NULL, conditions of CASE aside. `but_true`: those that are
/// always true do not count.
fn decided_tests(e: &Expr, but_true: bool, known: &ColumnSet, cx: &Context<'_>) -> usize {
    let decided = |e: &Expr| decided_tests(e, but_true, known, cx);
    match e {
        Expr::Unary { op: UnaryOp::IsNull, expr } => {
            usize::from(expr.is_deterministic() && !cx.may_be_null(expr, known))
        }
        Expr::Unary { op: UnaryOp::Not, expr } if but_true && expr.as_null_test().is_some() => 0,
        Expr::Case { operand: None, branches, otherwise } => {
            branches.iter().map(|(_, value)| value).chain(otherwise.as_deref()).map(decided).sum()
        }
        _ => e.operands().into_iter().map(decided).sum(),
    }
}

/// `x > 3 AND x IS NOT NULL` is `x > 3`, and `x > 3 AND x IS NULL` is false. In the ON of an outer join as
/// well: a row for which ON is NULL has no partner, as one for which it is false.
fn drop_implied(conjuncts: &mut [Expr]) -> bool {
    let mut changed = false;
    for at in 0..conjuncts.len() {
        let Some((c, null)) = conjuncts.get(at).and_then(tested_column) else {
            continue;
        };
        let others = conjuncts.iter().enumerate().filter(|(i, _)| *i != at);
        if rejected(others.map(|(_, e)| e)).contains(&c)
            && let Some(e) = conjuncts.get_mut(at)
        {
            *e = Expr::integer(i64::from(!null));
            changed = true;
        }
    }
    changed
}

/// The column of `c IS NOT NULL`, or (true) of `c IS NULL`.
fn tested_column(e: &Expr) -> Option<(ColumnId, bool)> {
    let denied = e.as_not();
    let column = denied.unwrap_or(e).as_null_test()?.as_column()?;
    Some((column, denied.is_none()))
}

/// Tests of what is never NULL, at any depth of an expression.
fn null_test(e: &mut Expr, known: &ColumnSet, cx: &Context<'_>) -> bool {
    let never_null = |e: &Expr| !cx.may_be_null(e, known);
    e.map(|e| match e {
        Expr::Unary { op: UnaryOp::IsNull, expr } if expr.is_deterministic() && never_null(expr) => {
            *e = Expr::integer(0);
            true
        }
        Expr::Binary { op: op @ BinaryOp::Is, left, right } if never_null(left) && never_null(right) => {
            *op = BinaryOp::Eq;
            true
        }
        _ => false,
    })
}

pub(super) const SELF_JOIN: Rule = Rule {
    name: "key-self-join",
    summary: "a table joined with itself, or with the enclosing query's, on its key is one table",
    why: "Two rows of one table with the same key are the same row.",
    source: "Chakravarthy, Grant & Minker 1990, join elimination",
    needs: Needs::KEYS,
    examples: examples! {
        "nulls": "SELECT a.name FROM customer a JOIN customer b ON a.id = b.id WHERE b.age > 3" == "SELECT name FROM customer WHERE age > 3";
        "default": "SELECT id FROM customer WHERE age > 20 INTERSECT SELECT id FROM customer WHERE city = 'Rome'"
            == "SELECT id FROM customer WHERE age > 20 AND city = 'Rome'";
        "nulls": "SELECT id FROM customer WHERE id IN (SELECT id FROM customer WHERE age > 20)" == "SELECT id FROM customer WHERE age > 20";
        "default": "SELECT a.name FROM customer a JOIN customer b ON a.city = b.city WHERE b.age > 3" != "SELECT name FROM customer WHERE age > 3";
        "default": "SELECT city FROM customer WHERE age > 35 INTERSECT SELECT city FROM customer WHERE age < 25"
            != "SELECT city FROM customer WHERE age > 35 AND age < 25";
        "default": "SELECT city FROM customer WHERE city IN (SELECT city FROM customer WHERE age > 20)" != "SELECT city FROM customer WHERE age > 20";
        "default": "SELECT city FROM customer INTERSECT SELECT city FROM customer" != "SELECT city FROM customer";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, self_join),
};

/// A scan goes whose key equals, column by column, that of another scan of its table: an earlier one of this
/// block or one of an enclosing query (`id IN (SELECT id FROM customer WHERE …)` within EXISTS). Equal may
/// mean equal to the same constant. What was asked of the scan is asked of the other one; `a.id = b.id`
/// becomes `a.id = a.id`, which `null-tests` drops, a key being never NULL.
fn self_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Block { inputs, on } = rel.as_block()?;
    // Columns equal to one constant are equal: `a.id = 3 AND b.id = 3`.
    let classes = cx.known_equal(on);
    if classes.is_empty() {
        return None;
    }
    let equated = |a, b| a != b && class_of(&classes, a).is_some_and(|class| class.contains(&b));
    let scan = |(i, r): (usize, &'_ Rel)| r.as_scan().map(|(table, columns)| (i, *table, columns.clone()));
    let scans: Vec<(usize, usize, ScanColumns)> = inputs.iter().enumerate().filter_map(scan).collect();
    let mut found = None;
    for (i, table, columns) in &scans {
        // Partners: scans of the same table in enclosing queries, and in this block.
        let far = cx.outer_scans.iter().filter(|(t, _)| t == table).map(|(_, c)| c);
        let near = scans.iter().filter(|(j, t, _)| j < i && t == table).map(|(_, _, c)| c);
        let partners = far.chain(near);
        for key in cx.table_keys(*table) {
            let equal = |k: &usize, other: &ScanColumns| {
                column_at(columns, *k).zip(column_at(other, *k)).is_some_and(|(a, b)| equated(a, b))
            };
            if let Some(other) = partners.clone().find(|other| key.iter().all(|k| equal(k, other))) {
                found = Some((*i, columns, other));
            }
        }
    }
    let (at, columns, by) = found?;
    let map = images(columns, by)?;
    without_input(rel, at);
    change_each(rel.condition_mut().into_iter().flatten(), |e| e.substitute(&map));
    cx.replace_all(map);
    Some(())
}

pub(super) const OUTER_TO_INNER: Rule = Rule {
    name: "outer-to-inner",
    summary: "a LEFT JOIN whose filled-up rows a filter rejects is an inner join; one of which only these are kept is NOT EXISTS",
    why: "Rows filled up with NULLs are the only difference between a LEFT JOIN and the inner join, and the filter keeps none of them, or them alone.",
    source: "Galindo-Legaria & Rosenthal 1997",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 2"
            == "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 2";
        "nulls": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL"
            == "SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)";
        "default": "SELECT o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id INTERSECT SELECT name FROM customer"
            == "SELECT o.day FROM customer c JOIN orders o ON o.customer_id = c.id INTERSECT SELECT name FROM customer";
        "nulls": "SELECT id FROM customer EXCEPT SELECT customer_id FROM orders"
            == "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL";
        "default": "SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)"
            == "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.customer_id IS NULL";
        "nulls": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.day IS NULL"
            != "SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)";
        "nulls": "SELECT id FROM customer EXCEPT SELECT customer_id FROM orders"
            != "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.day IS NULL";
        "nulls": "SELECT name FROM customer WHERE city NOT IN (SELECT day FROM orders)"
            != "SELECT c.name FROM customer c LEFT JOIN orders o ON o.day = c.city WHERE o.id IS NULL";
        "default": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total > 1"
            != "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id AND o.total > 1";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, outer_to_inner),
};

/// A conjunct that rejects NULL in a column of the right side rejects all filled-up rows. A conjunct that
/// asks a column to be NULL that is not NULL in any matched row keeps these alone: the rows of the left side
/// without a partner, with NULL for all columns of the right.
fn outer_to_inner(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let BlockMut { inputs, on } = rel.as_block_mut()?;
    let rejected = rejected(on.iter());
    let null_tests = on.iter().filter_map(|e| e.as_null_test()?.as_column());
    let nulls: ColumnSet = null_tests.collect();
    let mut map = Substitution::new();
    let mut changed = false;
    for input in inputs {
        let Rel::OuterJoin { kind: JoinKind::Left, left, right, on: own } = input else {
            continue;
        };
        let made = right.output_set();
        // A filled-up row has NULL in all of them.
        if !made.is_disjoint(&rejected) {
            changed |= input.make_inner();
            continue;
        }
        let matched = Rel::filter((**right).clone(), own.clone());
        if cx.not_null(&matched).intersection(&nulls).any(|c| made.contains(c)) {
            let mut kept = left.take();
            let inner = Rel::filter(right.take(), std::mem::take(own));
            kept.add_conjunct(Expr::exists(inner).not());
            *input = kept;
            // Of the rows that are left, all columns of the right side are NULL.
            map.extend(made.into_iter().map(|c| (c, Expr::NULL)));
            changed = true;
        }
    }
    change_each(on, |e| e.substitute(&map));
    cx.replace_all(map);
    changed.then_some(())
}

pub(super) const FOREIGN_KEY_JOIN: Rule = Rule {
    name: "foreign-key-join",
    summary: "a table joined over a foreign key and read for its key alone is not joined",
    why: "Each row has exactly one partner, and the partner's key is the foreign key that is there already.",
    source: "Chakravarthy, Grant & Minker 1990: each row has exactly one partner",
    needs: Needs::FOREIGN_KEYS,
    examples: examples! {
        "default": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id" == "SELECT day FROM orders";
        "no-fk": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id" != "SELECT day FROM orders";
        "default": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.age > 1" != "SELECT day FROM orders";
        "default": "SELECT name FROM customer JOIN orders ON customer.id = orders.customer_id" != "SELECT name FROM customer";
    },
    apply: Apply::Root(foreign_key_join),
};

/// The column that stands for the key is one of another input that holds a value of a foreign key to it.
fn foreign_key_join(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    without_table(query, |at, key, column, Block { inputs, on }| {
        let classes = if cx.is_key(column) { cx.known_equal(on) } else { return None };
        let mut others = class_of(&classes, key)?.iter().filter(|c| **c != key);
        others.find(|c| cx.refers_to_key(**c, column, at, inputs)).copied()
    })
}

/// Removes a table from a join that is read for one column alone; `by` gives the column that stands for it, where there
/// is one: of the input at this place, its column, that in the schema, and the join. Nothing else can be asked of the
/// table then: conjuncts read columns, too. The equality that joined it is left as `x = x` and goes by `null-tests`.
/// Only the whole query shows what is read.
pub(in crate::normalize) fn without_table(
    query: &mut Query,
    by: impl Fn(usize, ColumnId, ColumnRef, Block<'_>) -> Option<ColumnId>,
) -> Changed {
    let used = query.reads();
    let map: Substitution = query.find_deep(|node| {
        let NodeMut::Rel(rel) = node else { return None };
        let (inputs, on) = rel.as_join()?;
        let (at, key, by) = inputs.iter().enumerate().find_map(|(at, input)| {
            let (key, column) = read_for_one(input, &used)?;
            Some((at, key, by(at, key, column, Block { inputs, on })?))
        })?;
        without_input(rel, at);
        Some([(key, Expr::Column(by))].into())
    })?;
    query.substitute(&map);
    Some(())
}
