//! ORDER BY where it orders nothing.
//!
//! In the plan an order is an operator. It means something at the root, if answers are compared as lists, and
//! where LIMIT cuts; everything else above it takes rows in any order, so it goes there.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const SUBQUERY_ORDER: Rule = Rule {
    name: "subquery-order",
    summary: "ORDER BY without LIMIT goes below other operators, in arms of set operations and inside IN",
    why: "Apart from LIMIT, an operator above sees the same rows in whatever order they come.",
    source: "SQL: a derived table has no order",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT COUNT(*) FROM (SELECT id FROM customer ORDER BY age)" == "SELECT COUNT(*) FROM customer";
        "default": "SELECT SUM(age) FROM (SELECT age FROM customer ORDER BY age LIMIT 3)" != "SELECT SUM(age) FROM customer";
    },
    apply: Apply::RelOf(Kinds::READING, below),
};

/// Takes the order away below operators that have none of their own. A projection passes its input's order
/// on, to LIMIT or to the reader of the answer, and a window function may number rows by it; these two are
/// left.
fn below(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    // Which value these give depends on the order in SQLite.
    let ordered =
        |grouping: Grouping<'_>| grouping.calls.iter().any(|(_, call)| call.func.depends_on_order());
    // A limit without keys keeps the first rows that come.
    if matches!(rel, Rel::Project { .. } | Rel::Window { .. })
        || matches!(rel, Rel::Sort { keys, .. } if keys.is_empty())
        || rel.as_grouping().is_some_and(ordered)
    {
        return None;
    }
    let mut changed = change_each(rel.inputs_mut(), unsort);
    if let Rel::SetOp { left, right, .. } = rel {
        changed |= change_each([left, right], |arm| unsort(&mut arm.rel));
    }
    changed.then_some(())
}

/// Removes an ORDER BY without LIMIT, also one below operators that only pass its order on.
pub(super) fn unsort(rel: &mut Rel) -> bool {
    match rel {
        Rel::Sort { input, limit: None, offset: None, .. } => {
            *rel = input.take();
            true
        }
        Rel::Project { input, .. } | Rel::Filter { input, .. } => unsort(input),
        _ => false,
    }
}

pub(super) const QUERY_ORDER: Rule = Rule {
    name: "query-order",
    summary: "ORDER BY goes at the top of IN, and of the query where answers are not compared as lists; the first by c is MIN or MAX of c",
    why: "Membership and bags have no order, and the first row by c holds the smallest c, the last the largest.",
    source: "SQL: membership has no order",
    needs: Needs::NOTHING,
    examples: examples! {
        "default": "SELECT age FROM customer ORDER BY age DESC LIMIT 1" == "SELECT MAX(age) FROM customer";
        "default": "SELECT MIN(age) FROM customer" == "SELECT age FROM customer ORDER BY age LIMIT 1";
        "default": "SELECT age - id FROM customer ORDER BY age - id DESC LIMIT 1" == "SELECT MAX(age - id) FROM customer";
        "default": "SELECT COUNT(*) FROM customer GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1"
            == "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM customer GROUP BY city)";
        "default": "SELECT age FROM customer WHERE city = 'a' ORDER BY age DESC LIMIT 1" != "SELECT MAX(age) FROM customer WHERE city = 'a'";
        "default": "SELECT name FROM customer ORDER BY age DESC LIMIT 1" != "SELECT name FROM customer WHERE age = (SELECT MAX(age) FROM customer)";
        "nulls": "SELECT age FROM customer WHERE id > 100 ORDER BY age DESC LIMIT 1" != "SELECT MAX(age) FROM customer WHERE id > 100";
        "nulls": "SELECT MIN(age) FROM customer" != "SELECT age FROM customer ORDER BY age LIMIT 1";
        "nulls": "SELECT age - id FROM customer ORDER BY age - id LIMIT 1" != "SELECT MIN(age - id) FROM customer";
        "nulls": "SELECT COUNT(*) FROM customer WHERE id > 100 GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1"
            != "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM customer WHERE id > 100 GROUP BY city)";
    },
    apply: Apply::Query(top),
};

/// What the order at the top of a query means to who reads the query.
fn top(query: &mut Query, role: Role, cx: &mut Context<'_>) -> Changed {
    match role {
        Role::In | Role::Arm => unsort(&mut query.rel).then_some(()),
        Role::Root if !cx.semantics.respect_order => unsort(&mut query.rel).then_some(()),
        // MAX over no rows is one NULL, the first of no rows is nothing: the same as a
        // value, but not as an answer.
        Role::Root => {
            let top = query.rel.as_project().map_or(&query.rel, |(input, _)| input);
            let certain = matches!(top, Rel::Sort { input, .. } if cx.never_empty(input));
            if certain { extreme(query, cx) } else { None }
        }
        Role::Scalar => extreme(query, cx),
        _ => None,
    }
}

/// `(SELECT x … ORDER BY x DESC LIMIT 1)` as a value is `(SELECT MAX(x) …)`. One output, one key, and the two
/// the same expression: with another key the row is the extreme of that.
fn extreme(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    let [out] = query.output.as_slice() else {
        return None;
    };
    let out = *out;
    let (sort, value) = match &mut query.rel {
        Rel::Project { input, exprs } => match exprs.as_slice() {
            [(c, e)] if *c == out => {
                let e = e.clone();
                (&mut **input, e)
            }
            _ => return None,
        },
        sort => (sort, Expr::Column(out)),
    };
    let (input, keys) = sort.as_first_row_mut()?;
    let [SortKey { expr, direction, .. }] = keys.as_slice() else {
        return None;
    };
    // NULLs would come first in ascending order, where MIN leaves them out.
    if *expr != value || !expr.is_deterministic() || !certain_value(expr, &cx.not_null(input), cx) {
        return None;
    }
    let call = AggregateCall::new(first_in(*direction), vec![value]);
    let new = cx.fresh_like(out);
    query.rel = Rel::aggregate(input.take(), Vec::new(), vec![(new, call)]);
    query.output = vec![new];
    Some(())
}

/// True if the expression is never NULL. Of arithmetic `may_be_null` says that it may be, because of infinities;
/// whole numbers have none, and a sum of them that overflows is a real.
fn certain_value(e: &Expr, known: &ColumnSet, cx: &Context<'_>) -> bool {
    match e {
        Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right }
            if cx.numbers(e) == Some(Numbers::Whole) =>
        {
            certain_value(left, known, cx) && certain_value(right, known, cx)
        }
        e => !cx.may_be_null(e, known),
    }
}

pub(super) const SORT_KEYS: Rule = Rule {
    name: "sort-keys",
    summary: "sort keys that are constant, or that the keys before them determine, go",
    why: "Rows that agree in the keys before agree in what these determine, so the key decides nothing.",
    source: "Simmen, Shekita & Malkemus 1996, order optimisation by functional dependencies",
    needs: Needs::NOTHING,
    examples: examples! {
        "default": "SELECT name FROM customer ORDER BY id, age" == "SELECT name FROM customer ORDER BY id";
        "default": "SELECT name FROM customer ORDER BY age, id" != "SELECT name FROM customer ORDER BY age";
        "default": "SELECT name FROM customer ORDER BY age DESC, score LIMIT 1" != "SELECT name FROM customer ORDER BY age DESC, id LIMIT 1";
    },
    apply: Apply::RelOf(rels::SORT, sort_keys),
};

/// Goes through the keys from the first to the last. Only bare columns are taken to determine others, and a
/// key that stands before in the same form is determined by itself. Without keys and LIMIT no order is left.
fn sort_keys(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Sort { input, keys, limit, offset } = rel else {
        return None;
    };
    let deps = cx.dependencies(input);
    let mut before: Vec<ColumnId> = Vec::new();
    let count = keys.len();
    let mut seen: Vec<Expr> = Vec::new();
    keys.retain(|k| {
        let of = k.expr.reads();
        let determined = k.expr.is_deterministic()
            && !k.expr.has_subquery()
            && (of.is_subset(&deps.closure(before.iter().copied())) || seen.contains(&k.expr));
        seen.push(k.expr.clone());
        before.extend(k.expr.as_column());
        !determined
    });
    let mut changed = keys.len() != count;
    if keys.is_empty() && limit.is_none() && offset.is_none() {
        *rel = input.take();
        changed = true;
    }
    changed.then_some(())
}
