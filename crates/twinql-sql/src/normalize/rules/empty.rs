//! Relations without rows, and of one constant row.
//!
//! Emptiness comes from a condition that is never true or from LIMIT 0 and goes up the tree until an operator
//! has rows over nothing. What becomes of the query then is seldom worth comparing: any two empty queries of
//! as many columns are equal, so `cx.vacated` counts how often a condition emptied something, and `vacuous`
//! asks by which assumption.

use super::unions;
use crate::normalize::prelude::*;

/// Rows of a VALUES list that are taken apart, at most.
const MAX_ROWS: usize = 24;

pub(super) const EMPTY: Rule = Rule {
    name: "empty-relation",
    summary: "what is filtered by FALSE or limited to 0 rows is empty, and so is what is made of it; an aggregate over nothing is one constant row",
    why: "Operators other than unions and outer joins give no rows for none, and an aggregate without GROUP BY gives the one row that it has over nothing.",
    source: "relational algebra: ∅ absorbs σ, π, ⋈ and is neutral in ∪; SQL's aggregates over no rows",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT id FROM customer WHERE city > 'a' AND city IS NULL" == "SELECT name FROM customer WHERE 1 = 0";
        "nulls": "SELECT id FROM customer UNION ALL SELECT c.id FROM customer c JOIN orders o ON c.id = o.id WHERE 1 = 0"
            == "SELECT id FROM customer";
        "nulls": "SELECT COUNT(*), MAX(age) FROM customer WHERE 1 = 0" == "SELECT 0, NULL";
        "nulls": "SELECT city, COUNT(*) FROM customer WHERE 1 = 0 GROUP BY city" == "SELECT id, name FROM customer LIMIT 0";
        "nulls": "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON 1 = 0" == "SELECT id, NULL FROM customer";
        "nulls": "SELECT id, name FROM customer WHERE 1 = 0" == "SELECT day, 3 FROM orders LIMIT 0";
        "nulls": "SELECT COUNT(*) FROM customer WHERE 1 = 0" != "SELECT id FROM customer WHERE 1 = 0";
    },
    apply: Apply::RelOf(Kinds::READING, empty),
};

/// By operator; what is empty has its columns still, for those who read them.
fn empty(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    // What is made of an empty relation was counted with it.
    cx.vacated += usize::from(asks_for_nothing(rel));
    let new = match rel {
        Rel::Aggregate { input, keys, calls } if input.is_empty() && keys.is_empty() && !calls.is_empty() => {
            over_nothing(calls)
        }
        Rel::OuterJoin { .. } => outer_join(rel, cx),
        Rel::SetOp { .. } => set_operation(rel),
        _ => {
            let nothing = rel.inputs().into_iter().any(Rel::is_empty)
                || rel.as_block().is_some_and(|block| block.on.iter().any(Expr::is_never_true))
                || matches!(rel, Rel::Sort { limit: Some(n), .. } if n.as_integer() == Some(0));
            nothing.then(|| Rel::empty(rel.outputs()))
        }
    };
    put(rel, new)
}

/// True if the relation's own condition leaves none of the rows below it.
fn asks_for_nothing(rel: &Rel) -> bool {
    let never = rel.condition().is_some_and(|on| on.iter().any(Expr::is_never_true));
    never && (rel.as_block().is_some() || !rel.inputs().into_iter().any(Rel::is_empty))
}

/// The one row of aggregates over no rows, unless one of them is a function of which that is not known.
fn over_nothing(calls: &[(ColumnId, AggregateCall)]) -> Option<Rel> {
    let value = |func: &AggFunc| match func {
        AggFunc::Count => Some(Expr::integer(0)),
        AggFunc::Total => Some(Expr::Literal(Value::Real(0.0.into()))),
        AggFunc::Other(_) => None,
        _ => Some(Expr::Literal(Value::Null)),
    };
    let row: Option<Vec<Expr>> = calls.iter().map(|(_, call)| value(&call.func)).collect();
    Some(Rel::Values { columns: calls.iter().map(|(c, _)| *c).collect(), rows: vec![row?] })
}

/// An outer join one side of which never has a partner: the kept side, filled up with NULLs.
fn outer_join(rel: &mut Rel, cx: &mut Context<'_>) -> Option<Rel> {
    let Rel::OuterJoin { kind, left, right, on } = rel else {
        return None;
    };
    let unmatched = on.iter().any(Expr::is_never_true);
    match kind {
        JoinKind::Left if left.is_empty() => Some(Rel::empty(rel.outputs())),
        JoinKind::Left if unmatched || right.is_empty() => Some(padded(left.take(), &right.outputs(), cx)),
        JoinKind::Full if right.is_empty() => Some(padded(left.take(), &right.outputs(), cx)),
        JoinKind::Full if left.is_empty() => Some(padded(right.take(), &left.outputs(), cx)),
        _ => None,
    }
}

/// `kept` with columns of NULL. Its own columns are now made by the projection, and get new ids.
fn padded(kept: Rel, nulls: &[ColumnId], cx: &mut Context<'_>) -> Rel {
    let mut exprs: Vec<(ColumnId, Expr)> = nulls.iter().map(|c| (*c, Expr::Literal(Value::Null))).collect();
    exprs.extend(cx.renamed(&kept));
    Rel::project(kept, exprs)
}

/// A set operation with an empty arm: the other arm, made distinct unless it says ALL, or nothing.
fn set_operation(rel: &mut Rel) -> Option<Rel> {
    let Rel::SetOp { kind, all, left, right, columns } = rel else {
        return None;
    };
    let (no_left, no_right) = (left.rel.is_empty(), right.rel.is_empty());
    if !no_left && !no_right {
        return None;
    }
    let kept = match kind {
        SetOpKind::Union if no_left => right,
        SetOpKind::Union => left,
        SetOpKind::Except if !no_left => left,
        SetOpKind::Except | SetOpKind::Intersect => return Some(Rel::empty(columns.clone())),
    };
    let entries = kept.called(columns).collect();
    let made = if *all { Rel::project } else { Rel::distinct_by };
    Some(made(kept.rel.take(), entries))
}

pub(super) const CONSTANT_ROWS: Rule = Rule {
    name: "constant-rows",
    summary: "VALUES of one row is a projection of constants, of a few rows the UNION ALL of them; of no rows it has no columns",
    why: "A list of rows is the bag of its rows, and each is a projection of constants.",
    source: "SQL: VALUES is a list of rows",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT * FROM (VALUES (1, 2), (3, 4)) WHERE column1 > 1" == "SELECT 3, 4";
        "nulls": "VALUES (1), (2)" != "VALUES (1), (1)";
    },
    apply: Apply::RelOf(rels::VALUES, constant_rows),
};

/// One row keeps the ids of the VALUES; of several, each arm of the union has its own. Long lists stay as
/// they are, for the size of the tree.
fn constant_rows(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Values { columns, rows } = rel else {
        return None;
    };
    if columns.is_empty() || rows.is_empty() || rows.len() > MAX_ROWS {
        return None;
    }
    let rows = std::mem::take(rows);
    let columns = std::mem::take(columns);
    let single = rows.len() == 1;
    let arms: Vec<Query> = rows
        .into_iter()
        .map(|row| {
            let ids: Vec<ColumnId> =
                if single { columns.clone() } else { columns.iter().map(|c| cx.fresh_like(*c)).collect() };
            Query { rel: Rel::project(Rel::unit(), ids.iter().copied().zip(row).collect()), output: ids }
        })
        .collect();
    put(rel, unions::chained(arms, true, &columns, cx))
}

pub(super) const EMPTY_QUERY: Rule = Rule {
    name: "empty-query",
    summary: "a query without rows has outputs in number alone",
    why: "An answer without rows shows nothing but how many columns it has.",
    source: "no row tells what a column would hold",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT city, COUNT(*) FROM customer WHERE 1 = 0 GROUP BY city" == "SELECT id, name FROM customer LIMIT 0";
        "nulls": "SELECT id, name FROM customer WHERE 1 = 0" != "SELECT id FROM customer WHERE 1 = 0";
    },
    apply: Apply::Query(empty_query),
};

/// All outputs become one made-up column, as often as there are outputs.
fn empty_query(query: &mut Query, _role: Role, cx: &mut Context<'_>) -> Changed {
    let Rel::Values { columns, rows } = &mut query.rel else {
        return None;
    };
    if !rows.is_empty() {
        return None;
    }
    let settled = match columns.as_slice() {
        [] => query.output.is_empty(),
        [c] => !query.output.is_empty() && query.output.iter().all(|o| o == c),
        _ => false,
    };
    if settled {
        return None;
    }
    let outputs = query.output.len();
    let one: Vec<ColumnId> = (0..outputs.min(1)).map(|_| cx.fresh(computed("nothing"))).collect();
    query.output = one.iter().copied().cycle().take(outputs).collect();
    *columns = one;
    Some(())
}

pub(super) const EMPTY_SUBQUERY: Rule = Rule {
    name: "empty-subquery",
    summary: "EXISTS over no rows is false, IN finds nothing in them, and as a value they are NULL",
    why: "EXISTS, IN and the value of a subquery are defined for no rows: FALSE, FALSE and NULL.",
    source: "SQL: EXISTS, IN and scalar subqueries over no rows",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT id FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE 1 = 0)" == "SELECT id FROM customer";
        "nulls": "SELECT id FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE total = 0)" != "SELECT id FROM customer";
    },
    apply: Apply::ExprOf(exprs::EXISTS.or(exprs::IN_SUBQUERY).or(exprs::SCALAR), empty_subquery),
};

/// IN finds nothing, so it is false even where its left side is NULL.
fn empty_subquery(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let new = match e {
        Expr::Exists(query) | Expr::InSubquery { query, .. } if query.rel.is_empty() => Expr::integer(0),
        Expr::Scalar(query) if query.rel.is_empty() => Expr::Literal(Value::Null),
        _ => return None,
    };
    *e = new;
    Some(())
}
