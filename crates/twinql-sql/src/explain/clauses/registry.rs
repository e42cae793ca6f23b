//! The clauses, one entry each.

use sqlparser::ast::{Expr, GroupByExpr, JoinConstraint, JoinOperator, OrderByKind, Query, Select, SetExpr};

use super::settled::{arms, arms_mut, conjuncts};
use super::{Clause, Texts};
use crate::syntax::item_expr;

/// All clauses, in the order in which a query has them.
pub static CLAUSES: [&Clause; 9] =
    [&SELECT, &DISTINCT, &FROM, &WHERE, &GROUP_BY, &HAVING, &SET_OPERATION, &ORDER_BY, &LIMIT];

static SELECT: Clause = Clause {
    name: "select",
    about: "the list of outputs (SELECT)",
    example: [
        "SELECT name, city FROM customer WHERE age > 30",
        "SELECT name, score FROM customer WHERE age > 30",
    ],
    read: |query| {
        let items = arms(query).into_iter().flat_map(|select| &select.projection);
        items.map(|item| item_expr(item).map_or_else(|| item.to_string(), ToString::to_string)).collect()
    },
    put: |to, from| each_arm(to, from, |to, from| to.projection.clone_from(&from.projection)),
};

static DISTINCT: Clause = Clause {
    name: "distinct",
    about: "DISTINCT",
    example: ["SELECT DISTINCT city FROM customer", "SELECT city FROM customer"],
    read: |query| {
        arms(query).into_iter().flat_map(|select| &select.distinct).map(ToString::to_string).collect()
    },
    put: |to, from| each_arm(to, from, |to, from| to.distinct.clone_from(&from.distinct)),
};

static FROM: Clause = Clause {
    name: "from",
    about: "the tables and their joins (FROM)",
    example: [
        "SELECT c.name FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 5",
        "SELECT c.name FROM customer AS c JOIN orders AS o ON o.id = c.id WHERE o.total > 5",
    ],
    read: |query| {
        let mut texts: Texts = query.with.iter().map(ToString::to_string).collect();
        for from in arms(query).into_iter().flat_map(|select| &select.from) {
            texts.push(from.relation.to_string());
            for join in &from.joins {
                match &join.join_operator {
                    JoinOperator::Join(JoinConstraint::None) => texts.push(join.relation.to_string()),
                    JoinOperator::Join(JoinConstraint::On(links)) => {
                        texts.push(join.relation.to_string());
                        texts.extend(conditions(Some(links)));
                    }
                    _ => texts.push(join.to_string().trim().to_owned()),
                }
            }
        }
        texts
    },
    put: |to, from| {
        let mut put = each_arm(to, from, |to, from| to.from.clone_from(&from.from));
        put.iter_mut().for_each(|query| query.with.clone_from(&from.with));
        put
    },
};

static WHERE: Clause = Clause {
    name: "where",
    about: "the condition on rows (WHERE)",
    example: [
        "SELECT name FROM customer WHERE age > 30 AND city = 'Rome' ORDER BY name",
        "SELECT name FROM customer WHERE city = 'Rome' ORDER BY name",
    ],
    read: |query| arms(query).into_iter().flat_map(|select| conditions(select.selection.as_ref())).collect(),
    put: |to, from| each_arm(to, from, |to, from| to.selection.clone_from(&from.selection)),
};

static GROUP_BY: Clause = Clause {
    name: "group-by",
    about: "the groups (GROUP BY)",
    example: ["SELECT COUNT(*) FROM customer GROUP BY city", "SELECT COUNT(*) FROM customer GROUP BY age"],
    read: |query| {
        let keys = arms(query).into_iter().map(|select| match &select.group_by {
            GroupByExpr::Expressions(keys, _) => keys.iter().map(ToString::to_string).collect(),
            GroupByExpr::All(_) => vec![select.group_by.to_string()],
        });
        keys.flatten().collect()
    },
    put: |to, from| each_arm(to, from, |to, from| to.group_by.clone_from(&from.group_by)),
};

static HAVING: Clause = Clause {
    name: "having",
    about: "the condition on groups (HAVING)",
    example: [
        "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 2",
        "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 3",
    ],
    read: |query| arms(query).into_iter().flat_map(|select| conditions(select.having.as_ref())).collect(),
    put: |to, from| each_arm(to, from, |to, from| to.having.clone_from(&from.having)),
};

static SET_OPERATION: Clause = Clause {
    name: "set-operation",
    about: "the set operation (UNION, INTERSECT, EXCEPT)",
    example: [
        "SELECT city FROM customer UNION SELECT name FROM place",
        "SELECT city FROM customer EXCEPT SELECT name FROM place",
    ],
    read: |query| {
        let mut out = Texts::new();
        operators(&query.body, &mut out);
        out
    },
    put: |to, from| match (arms(to).len(), arms(from).len()) {
        (n, m) if n == m => {
            let mut changed = to.clone();
            put_operators(&mut changed.body, &from.body);
            vec![changed]
        }
        // One SELECT takes the place of each of several in turn, and each of several that of one.
        (1, _) => {
            let select = &to.body;
            let places = 0..arms(from).len();
            let put = |at| {
                let mut changed = Query { body: from.body.clone(), ..to.clone() };
                put_arm(&mut changed.body, at, select);
                changed
            };
            places.map(put).collect()
        }
        (_, 1) => {
            let body = |select: &Select| Box::new(SetExpr::Select(Box::new(select.clone())));
            arms(to).into_iter().map(|select| Query { body: body(select), ..to.clone() }).collect()
        }
        _ => Vec::new(),
    },
};

static ORDER_BY: Clause = Clause {
    name: "order-by",
    about: "the order (ORDER BY)",
    example: [
        "SELECT name FROM customer ORDER BY age DESC LIMIT 1",
        "SELECT name FROM customer ORDER BY age LIMIT 1",
    ],
    read: |query| match query.order_by.as_ref().map(|order| &order.kind) {
        Some(OrderByKind::Expressions(keys)) => keys.iter().map(ToString::to_string).collect(),
        Some(OrderByKind::All(_)) => vec!["ALL".to_owned()],
        None => Texts::new(),
    },
    put: |to, from| vec![Query { order_by: from.order_by.clone(), ..to.clone() }],
};

static LIMIT: Clause = Clause {
    name: "limit",
    about: "the number of rows (LIMIT)",
    example: [
        "SELECT name FROM customer ORDER BY age LIMIT 3",
        "SELECT name FROM customer ORDER BY age LIMIT 4",
    ],
    read: |query| {
        let limit = query.limit_clause.iter().map(|limit| limit.to_string().trim().to_owned());
        limit.chain(query.fetch.iter().map(ToString::to_string)).collect()
    },
    put: |to, from| {
        let (limit_clause, fetch) = (from.limit_clause.clone(), from.fetch.clone());
        vec![Query { limit_clause, fetch, ..to.clone() }]
    },
};

/// The query with each SELECT changed by the one at its place in the other, or by the only one; none where there are
/// several, and not as many.
fn each_arm(to: &Query, from: &Query, change: impl Fn(&mut Select, &Select)) -> Vec<Query> {
    let mut changed = to.clone();
    let (own, other) = (arms_mut(&mut changed), arms(from));
    if own.len() != other.len() && other.len() != 1 {
        return Vec::new();
    }
    own.into_iter().zip(other.into_iter().cycle()).for_each(|(to, from)| change(to, from));
    vec![changed]
}

fn conditions(condition: Option<&Expr>) -> Texts {
    let mut out = Vec::new();
    if let Some(condition) = condition {
        conjuncts(condition.clone(), &mut out);
    }
    out.iter().map(ToString::to_string).collect()
}

/// The set operators from the left.
fn operators(body: &SetExpr, out: &mut Texts) {
    match body {
        SetExpr::SetOperation { left, op, set_quantifier, right } => {
            operators(left, out);
            out.push(format!("{op} {set_quantifier}").trim().to_owned());
            operators(right, out);
        }
        SetExpr::Query(query) => operators(&query.body, out),
        _ => {}
    }
}

/// Gives set operators those that stand at their places in another body.
fn put_operators(to: &mut SetExpr, from: &SetExpr) {
    if let (
        SetExpr::SetOperation { left, op, set_quantifier, right },
        SetExpr::SetOperation { left: other_left, op: other, set_quantifier: quantifier, right: other_right },
    ) = (to, from)
    {
        (*op, *set_quantifier) = (*other, *quantifier);
        put_operators(left, other_left);
        put_operators(right, other_right);
    }
}

/// Puts a body in the place of a SELECT, by its number from the left; the number of SELECTs in `to`, if it has fewer.
fn put_arm(to: &mut SetExpr, at: usize, body: &SetExpr) -> usize {
    match to {
        SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } => {
            let passed = put_arm(left, at, body);
            passed + at.checked_sub(passed).map_or(0, |at| put_arm(right, at, body))
        }
        SetExpr::Query(query) => put_arm(&mut query.body, at, body),
        _ => {
            if at == 0 {
                *to = body.clone();
            }
            1
        }
    }
}
