//! Habits in the shape of a query: what is joined, grouped, ranked and nested.

use sqlparser::ast::{
    BinaryOperator as B, Expr, GroupByExpr, JoinConstraint, JoinOperator as J, OrderByKind, Query, Select,
    SetExpr,
};

use super::habit;
use super::values::{and_also, with_condition, with_outputs};
use crate::rewrites::ast::{
    aggregate, at_expr, at_outermost, at_query, at_select, columns_of, conjuncts, fresh, group_by,
    has_aggregate, is_rowwise, is_ungrouped, items, only, par, parse_expr, parse_query, parse_select, plain,
    resolve, sources,
};
use crate::rewrites::joins::inner_conditions;
use crate::rewrites::{Claim, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    // Rows.
    habit!("select-distinct", 3, "SELECT a → SELECT DISTINCT a", |_, q, rng| at_select(q, rng, |s| {
        (s.distinct.is_none() && is_ungrouped(s)).then_some(())?;
        let mut s = s.clone();
        s.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
        Some(s)
    })),
    habit!("select-all", 3, "SELECT DISTINCT a → SELECT a", |_, q, rng| at_select(q, rng, |s| {
        let mut s = s.clone();
        s.distinct.take()?;
        Some(s)
    })),
    habit!("output-not-null", 2, "SELECT x … → … WHERE x IS NOT NULL", |_, q, rng| at_select(
        q,
        rng,
        |s| {
            let outputs = items(s)?;
            let x = outputs.first().filter(|e| is_column(e))?;
            with_condition(s, &format!("{x} IS NOT NULL"))
        }
    )),
    habit!(
        "sorted-not-null",
        2,
        "ORDER BY x LIMIT n → WHERE x IS NOT NULL … ORDER BY x LIMIT n",
        |_, q, rng| at_query(q, rng, |q| {
            let ranked = ranked(q)?;
            is_column(&ranked.key).then_some(())?;
            let s = with_condition(ranked.select, &format!("{} IS NOT NULL", ranked.key))?;
            Some(Query { body: Box::new(SetExpr::Select(Box::new(s))), ..q.clone() })
        })
    ),
    // Ways to ask for the first row.
    habit!(
        "first-to-extreme",
        4,
        "SELECT a FROM … WHERE p ORDER BY x DESC LIMIT 1 → SELECT a FROM … WHERE p AND x = (SELECT MAX(x) FROM … WHERE p)",
        |_, q, rng| at_query(q, rng, |q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.rowwise()?;
            let extreme = with_outputs(s, &format!("{}({})", ranked.extreme(), ranked.key))?;
            let s = and_also(s, parse_expr(&format!("{} = ({extreme})", ranked.key))?)?;
            parse_query(&s.to_string())
        })
    ),
    habit!(
        "first-to-extreme-of-all",
        3,
        "SELECT a FROM … WHERE p ORDER BY x DESC LIMIT 1 → SELECT a FROM … WHERE p AND x = (SELECT MAX(x) FROM …)",
        |_, q, rng| at_query(q, rng, |q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.rowwise()?;
            s.selection.as_ref()?;
            let mut all = with_outputs(s, &format!("{}({})", ranked.extreme(), ranked.key))?;
            all.selection = None;
            let s = and_also(s, parse_expr(&format!("{} = ({all})", ranked.key))?)?;
            parse_query(&s.to_string())
        })
    ),
    habit!(
        "first-to-rank",
        3,
        "SELECT a FROM … ORDER BY x DESC LIMIT 1 → SELECT a FROM (SELECT a, RANK() OVER (ORDER BY x DESC) AS r FROM …) WHERE r = 1",
        |_, q, rng| at_query(q, rng, |q| windowed(q, "RANK"))
    ),
    habit!(
        "first-to-row-number",
        2,
        "SELECT a FROM … ORDER BY x DESC LIMIT n → SELECT a FROM (SELECT a, ROW_NUMBER() OVER (ORDER BY x DESC) AS r FROM …) WHERE r <= n",
        |_, q, rng| at_query(q, rng, |q| windowed(q, "ROW_NUMBER"))
    ),
    habit!(
        "first-to-bare-extreme",
        2,
        "SELECT a, x FROM … ORDER BY x DESC LIMIT 1 → SELECT a, MAX(x) FROM …",
        |_, q, rng| at_query(q, rng, |q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.rowwise()?;
            let key = ranked.key.to_string();
            let outputs: Vec<String> = items(s)?.iter().map(|e| e.to_string()).collect();
            outputs.contains(&key).then_some(())?;
            let new = outputs
                .iter()
                .map(|o| if *o == key { format!("{}({o})", ranked.extreme()) } else { o.clone() });
            let s = with_outputs(s, &new.collect::<Vec<_>>().join(", "))?;
            parse_query(&s.to_string())
        })
    ),
    habit!(
        "group-first-to-extreme",
        3,
        "SELECT g FROM … GROUP BY g ORDER BY f(x) DESC LIMIT 1 → WITH c AS (SELECT g, f(x) AS n … GROUP BY g) SELECT g FROM c WHERE n = (SELECT MAX(n) FROM c)",
        |_, q, rng| at_query(q, rng, |q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.select;
            (q.with.is_none()
                && !group_by(s).is_empty()
                && s.distinct.is_none()
                && has_aggregate(&ranked.key))
            .then_some(())?;
            let (c, n) = (fresh(q, "counts"), fresh(q, "total"));
            let outputs: Vec<String> = items(s)?.iter().map(|e| e.to_string()).collect();
            let names: Vec<String> = (1..=outputs.len()).map(|i| format!("c{i}")).collect();
            let named: Vec<String> = outputs.iter().zip(&names).map(|(o, n)| format!("{o} AS {n}")).collect();
            let inner = with_outputs(s, &format!("{}, {} AS {n}", named.join(", "), ranked.key))?;
            let extreme = ranked.extreme();
            let all = names.join(", ");
            parse_query(&format!(
                "WITH {c} AS ({inner}) SELECT {all} FROM {c} WHERE {n} = (SELECT {extreme}({n}) FROM {c})"
            ))
        })
    ),
    habit!("nulls-at-the-end", 1, "ORDER BY x → ORDER BY x NULLS LAST", |_, q, rng| at_query(
        q,
        rng,
        |q| {
            let mut q = q.clone();
            let OrderByKind::Expressions(keys) = &mut q.order_by.as_mut()?.kind else { return None };
            let key = keys.first_mut().filter(|key| key.options.nulls_first.is_none())?;
            key.options.nulls_first = Some(false);
            Some(q)
        }
    )),
    habit!("sorted-further", 1, "ORDER BY x → ORDER BY x, a, where a is the first output", |_, q, rng| {
        at_query(q, rng, |q| {
            let SetExpr::Select(s) = q.body.as_ref() else { return None };
            let outputs = items(s)?;
            let first = outputs.first().filter(|e| is_column(e))?.to_string();
            let mut q = q.clone();
            let OrderByKind::Expressions(keys) = &mut q.order_by.as_mut()?.kind else { return None };
            let again = parse_query(&format!("SELECT 1 ORDER BY {first}"))?.order_by?;
            let OrderByKind::Expressions(more) = again.kind else { return None };
            (!keys.iter().any(|key| key.expr.to_string() == first)).then_some(())?;
            keys.extend(more);
            Some(q)
        })
    }),
    // Groups.
    habit!("grouped-by-key", 2, "GROUP BY t.name → GROUP BY t.key", |c, q, rng| at_select(q, rng, |s| {
        let all = sources(s, c.schema)?;
        let [key] = group_by(s) else { return None };
        let (source, column) = resolve(key, &all)?;
        let t = all.get(source)?;
        let [primary] = t.table.primary_key.as_slice() else { return None };
        (*primary != column).then_some(())?;
        grouped_by(s, &t.column(t.table.columns.get(*primary)?))
    })),
    habit!("grouped-by-name", 2, "GROUP BY t.key → GROUP BY t.x, where x is an output", |c, q, rng| {
        at_select(q, rng, |s| {
            let all = sources(s, c.schema)?;
            let [key] = group_by(s) else { return None };
            let (source, column) = resolve(key, &all)?;
            let outputs = items(s)?;
            let other =
                outputs.iter().find(|e| resolve(e, &all).is_some_and(|(t, k)| t == source && k != column))?;
            grouped_by(s, &other.to_string())
        })
    }),
    habit!("grouped-by-more", 1, "GROUP BY a → GROUP BY a, b, where b is an output", |_, q, rng| at_select(
        q,
        rng,
        |s| {
            let keys = group_by(s);
            let outputs = items(s)?;
            let more = outputs.iter().find(|e| is_column(e) && !keys.contains(e))?;
            let text: Vec<String> = keys.iter().map(ToString::to_string).collect();
            (!text.is_empty()).then_some(())?;
            grouped_by(s, &format!("{}, {more}", text.join(", ")))
        }
    )),
    habit!(
        "mean-of-groups",
        2,
        "SELECT a, x FROM … → SELECT a, AVG(x) FROM … GROUP BY a",
        |c, q, rng| at_select(q, rng, |s| {
            (s.distinct.is_none() && is_ungrouped(s)).then_some(())?;
            let all = sources(s, c.schema)?;
            let outputs = items(s)?;
            let [first @ .., last] = outputs.as_slice() else { return None };
            (!first.is_empty() && outputs.iter().all(|e| is_column(e))).then_some(())?;
            let (t, k) = resolve(last, &all)?;
            all.get(t)?.table.columns.get(k)?.affinity.is_numeric().then_some(())?;
            let keys: Vec<String> = first.iter().map(|e| e.to_string()).collect();
            let s = with_outputs(s, &format!("{}, AVG({last})", keys.join(", ")))?;
            grouped_by(&s, &keys.join(", "))
        })
    ),
    habit!(
        "counted-in-having",
        1,
        "GROUP BY g HAVING COUNT(*) > n → … COUNT(DISTINCT x) > n",
        |c, q, rng| at_select(q, rng, |s| {
            let all = sources(s, c.schema)?;
            let having = s.having.as_ref()?.to_string();
            let t = all.last()?;
            let [primary] = t.table.primary_key.as_slice() else { return None };
            let key = t.column(t.table.columns.get(*primary)?);
            let rows = ["COUNT(*)", "count(*)"].into_iter().find(|rows| having.contains(rows))?;
            let mut s = s.clone();
            s.having = parse_expr(&having.replace(rows, &format!("COUNT(DISTINCT {key})")));
            Some(s)
        })
    ),
    // Joins and look-ups.
    habit!("join-to-left-join", 2, "a JOIN b ON p → a LEFT JOIN b ON p", |_, q, rng| at_select(
        q,
        rng,
        |s| {
            let mut s = s.clone();
            let joins = &mut s.from.first_mut()?.joins;
            let join = joins.last_mut()?;
            join.join_operator = match &join.join_operator {
                J::Join(p @ JoinConstraint::On(_)) | J::Inner(p @ JoinConstraint::On(_)) => {
                    J::LeftOuter(p.clone())
                }
                _ => return None,
            };
            Some(s)
        }
    )),
    habit!("left-join-to-join", 2, "a LEFT JOIN b ON p → a JOIN b ON p", |_, q, rng| at_select(
        q,
        rng,
        |s| {
            let mut s = s.clone();
            let joins = &mut s.from.first_mut()?.joins;
            let join = joins.iter_mut().find(|j| matches!(j.join_operator, J::Left(_) | J::LeftOuter(_)))?;
            let (J::Left(p) | J::LeftOuter(p)) = &join.join_operator else { return None };
            join.join_operator = J::Join(p.clone());
            Some(s)
        }
    )),
    habit!("looked-up-once", 3, "x IN (SELECT y …) → x = (SELECT y …)", |_, q, rng| at_expr(
        q,
        rng,
        |e| match e {
            Expr::InSubquery { expr, subquery, negated: false } => {
                parse_expr(&format!("{} = ({subquery})", par(expr)))
            }
            _ => None,
        }
    )),
    habit!("looked-up-all", 2, "x = (SELECT y …) → x IN (SELECT y …)", |_, q, rng| at_expr(
        q,
        rng,
        |e| match e {
            Expr::BinaryOp { left, op: B::Eq, right } => match right.as_ref() {
                Expr::Subquery(q) => parse_expr(&format!("{} IN ({q})", par(left))),
                _ => None,
            },
            _ => None,
        }
    )),
    habit!(
        "join-to-look-up",
        4,
        "FROM a JOIN b ON a.x = b.y WHERE p(b) → FROM a WHERE a.x = (SELECT b.y FROM b WHERE p(b)), where nothing else reads b",
        |c, q, rng| at_select(q, rng, |s| {
            let all = sources(s, c.schema)?;
            let [_, _] = all.as_slice() else { return None };
            let on = inner_conditions(s)?;
            let [Expr::BinaryOp { left, op: B::Eq, right }] = on.as_slice() else { return None };
            let read = |e: &Expr| {
                columns_of(e, &all).map(|columns| columns.into_iter().map(|(t, _)| t).collect::<Vec<_>>())
            };
            // The table that only conditions read is looked up.
            let mut used: Vec<usize> = Vec::new();
            for item in items(s)?.into_iter().chain(group_by(s)) {
                used.extend(read(item)?);
            }
            (s.having.is_none()).then_some(())?;
            let looked_up = (0..2).find(|t| !used.contains(t))?;
            let kept = 1 - looked_up;
            let (outer, key) = match (read(left)?.as_slice(), read(right)?.as_slice()) {
                (&[l], &[r]) if l == kept && r == looked_up => (left, right),
                (&[l], &[r]) if r == kept && l == looked_up => (right, left),
                _ => return None,
            };
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for p in conjuncts(s.selection.as_ref()) {
                let tables = read(&p)?;
                if tables.contains(&looked_up) {
                    (!tables.contains(&kept)).then_some(())?;
                    inside.push(p.to_string());
                } else {
                    outside.push(p.to_string());
                }
            }
            (!inside.is_empty()).then_some(())?;
            let factor = |t: usize| match t {
                0 => s.from.first().map(|f| f.relation.to_string()),
                _ => s.from.first().and_then(|f| f.joins.first()).map(|j| j.relation.to_string()),
            };
            outside.push(format!(
                "{outer} = (SELECT {key} FROM {} WHERE {})",
                factor(looked_up)?,
                inside.join(" AND ")
            ));
            let mut new = s.clone();
            let parsed =
                parse_select(&format!("SELECT 1 FROM {} WHERE {}", factor(kept)?, outside.join(" AND ")))?;
            new.from = parsed.from;
            new.selection = parsed.selection;
            Some(new)
        })
    ),
    habit!("other-side-of-join", 2, "a JOIN b ON a.x = b.y … SELECT a.x → SELECT b.y", |c, q, rng| {
        at_select(q, rng, |s| {
            sources(s, c.schema)?;
            let on = inner_conditions(s)?;
            let (l, r) = on.iter().find_map(|on| match on {
                Expr::BinaryOp { left, op: B::Eq, right } => Some((left.to_string(), right.to_string())),
                _ => None,
            })?;
            let outputs: Vec<String> = items(s)?.iter().map(|e| e.to_string()).collect();
            let place = outputs.iter().position(|o| o.contains(&l) || o.contains(&r))?;
            let mut new = outputs.clone();
            let old = outputs.get(place)?;
            *new.get_mut(place)? = if old.contains(&l) { old.replace(&l, &r) } else { old.replace(&r, &l) };
            with_outputs(s, &new.join(", "))
        })
    }),
    // Nesting.
    habit!("in-a-cte", 2, "q → WITH r AS (q) SELECT * FROM r", |_, q, _| {
        q.with.is_none().then_some(())?;
        let r = fresh(q, "result");
        parse_query(&format!("WITH {r} AS ({q}) SELECT * FROM {r}"))
    }),
    habit!(
        "filtered-in-a-cte",
        2,
        "SELECT a FROM t WHERE p → WITH f AS (SELECT * FROM t WHERE p) SELECT a FROM f",
        |c, q, rng| at_query(q, rng, |q| {
            q.with.is_none().then_some(())?;
            let SetExpr::Select(s) = q.body.as_ref() else { return None };
            let t = only(s, c.schema)?;
            let p = s.selection.as_ref()?;
            let f = fresh(q, "filtered");
            let from = s.from.first()?.relation.to_string();
            let mut outer = s.clone();
            outer.from = parse_select(&format!("SELECT 1 FROM {f} AS {}", plain(&t.name)))?.from;
            outer.selection = None;
            let rest = Query { body: Box::new(SetExpr::Select(outer)), ..q.clone() };
            parse_query(&format!("WITH {f} AS (SELECT * FROM {from} WHERE {p}) {rest}"))
        })
    ),
    habit!("union-to-union-all", 2, "a UNION b → a UNION ALL b", |_, q, rng| at_query(q, rng, |q| {
        set_operation(q, " UNION ", " UNION ALL ")
    })),
    habit!("union-all-to-union", 2, "a UNION ALL b → a UNION b", |_, q, rng| at_query(q, rng, |q| {
        set_operation(q, " UNION ALL ", " UNION ")
    })),
    habit!("output-more", 2, "SELECT a … WHERE x = v → SELECT a, x … WHERE x = v", |c, q, _| {
        at_outermost(q, |s| {
            is_ungrouped(s).then_some(())?;
            let all = sources(s, c.schema)?;
            let p = conjuncts(s.selection.as_ref());
            let outputs: Vec<String> = items(s)?.iter().map(|e| e.to_string()).collect();
            let more = p.iter().find_map(|p| match p {
                Expr::BinaryOp { left, op: _, right: _ } if resolve(left, &all).is_some() => {
                    Some(left.to_string())
                }
                _ => None,
            })?;
            (!outputs.contains(&more)).then_some(())?;
            with_outputs(s, &format!("{}, {more}", outputs.join(", ")))
        })
    }),
    habit!("outputs-swapped", 1, "SELECT a, b → SELECT b, a", |_, q, _| at_outermost(q, |s| {
        let mut s = s.clone();
        items(&s)?;
        (s.projection.len() >= 2).then(|| s.projection.swap(0, 1))?;
        Some(s)
    })),
];

fn is_column(e: &Expr) -> bool {
    matches!(e, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

/// The SELECT with other keys of GROUP BY.
fn grouped_by(s: &Select, keys: &str) -> Option<Select> {
    let mut s = s.clone();
    s.group_by = match parse_select(&format!("SELECT 1 GROUP BY {keys}"))?.group_by {
        keys @ GroupByExpr::Expressions(_, _) => keys,
        GroupByExpr::All(_) => return None,
    };
    Some(s)
}

/// A SELECT whose first rows by one key are asked for.
struct Ranked<'q> {
    select: &'q Select,
    key: Expr,
    falling: bool,
    /// How many rows.
    rows: u64,
}

/// A query that asks for the first rows by one key, and has no WITH and no OFFSET.
fn ranked(q: &Query) -> Option<Ranked<'_>> {
    let SetExpr::Select(select) = q.body.as_ref() else { return None };
    let OrderByKind::Expressions(keys) = &q.order_by.as_ref()?.kind else { return None };
    let [key] = keys.as_slice() else { return None };
    let limit = q.limit_clause.as_ref()?.to_string();
    let rows = limit.trim().strip_prefix("LIMIT ")?.parse().ok()?;
    let falling = key.to_string().to_uppercase().contains(" DESC");
    // A number is a position.
    let sorted = !matches!(key.expr, Expr::Value(_)) && key.options.nulls_first.is_none();
    sorted.then(|| Ranked { select, key: key.expr.clone(), falling, rows })
}

impl<'q> Ranked<'q> {
    fn first(self) -> Option<Ranked<'q>> {
        (self.rows == 1).then_some(self)
    }

    fn extreme(&self) -> &'static str {
        if self.falling { "MAX" } else { "MIN" }
    }

    /// The SELECT, where each row stands for itself and the key is no aggregate.
    fn rowwise(&self) -> Option<&'q Select> {
        let plain = is_rowwise(self.select) && !has_aggregate(&self.key);
        plain.then_some(self.select)
    }
}

/// The first rows by a window function.
fn windowed(q: &Query, function: &str) -> Option<Query> {
    let ranked = ranked(q)?;
    q.with.is_none().then_some(())?;
    let s = ranked.select;
    let grouped = !group_by(s).is_empty();
    (s.distinct.is_none() && (grouped || ranked.rowwise().is_some())).then_some(())?;
    let outputs: Vec<String> = items(s)?.iter().map(|e| e.to_string()).collect();
    // An alias would be lost.
    (!outputs.contains(&ranked.key.to_string())
        || is_column(&ranked.key)
        || aggregate(&ranked.key).is_some())
    .then_some(())?;
    let names: Vec<String> = (1..=outputs.len()).map(|i| format!("c{i}")).collect();
    let named: Vec<String> = outputs.iter().zip(&names).map(|(o, n)| format!("{o} AS {n}")).collect();
    let (d, r) = (fresh(q, "ranked"), fresh(q, "place"));
    let direction = if ranked.falling { "DESC" } else { "ASC" };
    let inner = with_outputs(
        s,
        &format!("{}, {function}() OVER (ORDER BY {} {direction}) AS {r}", named.join(", "), ranked.key),
    )?;
    parse_query(&format!("SELECT {} FROM ({inner}) AS {d} WHERE {r} <= {}", names.join(", "), ranked.rows))
}

/// A set operation of two SELECTs with another operator.
fn set_operation(q: &Query, old: &str, new: &str) -> Option<Query> {
    let SetExpr::SetOperation { left, op: _, set_quantifier: _, right } = q.body.as_ref() else {
        return None;
    };
    let text = q.to_string();
    let (left, right) = (left.to_string(), right.to_string());
    let joined = format!("{left}{old}{right}");
    text.contains(&joined).then_some(())?;
    parse_query(&text.replacen(&joined, &format!("{left}{new}{right}"), 1))
}
