//! Habits in the shape of a query: what is joined, grouped, ranked and nested.

use sqlparser::ast::{BinaryOperator as B, Expr, JoinConstraint, JoinOperator as J, Query, Select, SetExpr};

use super::values::with_condition;
use super::{habit, look_alike};
use crate::rewrites::Rewrite;
use crate::rewrites::ast::{
    aggregate, and_also, columns_of, conjuncts, distinct, fresh, group_by, grouped, has_aggregate, is_column,
    is_rowwise, is_ungrouped, items, named_outputs, only, order_keys, outermost, par, parse_expr,
    parse_query, parse_select, plain, reordered, require, resolve, sources, texts, undistinct, with_body,
    with_from, with_outputs,
};
use crate::rewrites::joins::{inner_conditions, inner_on};

pub(in crate::rewrites) const RULES: &[Rewrite] = &[
    // Rows.
    habit("select-distinct", 3).law("SELECT a → SELECT DISTINCT a").select(|_, s| {
        require(s.distinct.is_none() && is_ungrouped(s))?;
        Some(distinct(s))
    }),
    habit("select-all", 3).law("SELECT DISTINCT a → SELECT a").select(|_, s| undistinct(s)),
    habit("output-not-null", 2).law("SELECT x … → … WHERE x IS NOT NULL").select(|_, s| {
        let outputs = items(s)?;
        let x = outputs.first().filter(|e| is_column(e))?;
        with_condition(s, &format!("{x} IS NOT NULL"))
    }),
    habit("sorted-not-null", 2).law("ORDER BY x LIMIT n → WHERE x IS NOT NULL … ORDER BY x LIMIT n").query(
        |_, q| {
            let ranked = ranked(q)?;
            require(is_column(&ranked.key))?;
            let s = with_condition(ranked.select, &format!("{} IS NOT NULL", ranked.key))?;
            Some(with_body(q, s))
        },
    ),
    // Ways to ask for the first row.
    habit("first-to-extreme", 4)
        .law(
            "SELECT a FROM … WHERE p ORDER BY x DESC LIMIT 1 → SELECT a FROM … WHERE p AND x = (SELECT \
             MAX(x) FROM … WHERE p)",
        )
        .query(|_, q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.rowwise()?;
            let extreme = with_outputs(s, &format!("{}({})", ranked.extreme(), ranked.key))?;
            let s = and_also(s, parse_expr(&format!("{} = ({extreme})", ranked.key))?);
            parse_query(&s.to_string())
        }),
    look_alike("first-to-extreme-of-all", 3)
        .law(
            "SELECT a FROM … WHERE p ORDER BY x DESC LIMIT 1 → SELECT a FROM … WHERE p AND x = (SELECT \
             MAX(x) FROM …)",
        )
        .query(|_, q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.rowwise()?;
            s.selection.as_ref()?;
            let extreme = with_outputs(s, &format!("{}({})", ranked.extreme(), ranked.key))?;
            let extreme = Select { selection: None, ..extreme };
            let s = and_also(s, parse_expr(&format!("{} = ({extreme})", ranked.key))?);
            parse_query(&s.to_string())
        }),
    habit("first-to-rank", 3)
        .law(
            "SELECT a FROM … ORDER BY x DESC LIMIT 1 → SELECT a FROM (SELECT a, RANK() OVER (ORDER BY x \
             DESC) AS r FROM …) WHERE r = 1",
        )
        .query(|_, q| windowed(q, "RANK")),
    habit("first-to-row-number", 2)
        .law(
            "SELECT a FROM … ORDER BY x DESC LIMIT n → SELECT a FROM (SELECT a, ROW_NUMBER() OVER (ORDER \
             BY x DESC) AS r FROM …) WHERE r <= n",
        )
        .query(|_, q| windowed(q, "ROW_NUMBER")),
    habit("first-to-bare-extreme", 2)
        .law("SELECT a, x FROM … ORDER BY x DESC LIMIT 1 → SELECT a, MAX(x) FROM …")
        .query(|_, q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.rowwise()?;
            let key = ranked.key.to_string();
            let mut outputs = texts(s)?;
            require(outputs.contains(&key))?;
            for output in outputs.iter_mut().filter(|o| **o == key) {
                *output = format!("{}({key})", ranked.extreme());
            }
            parse_query(&with_outputs(s, &outputs.join(", "))?.to_string())
        }),
    habit("group-first-to-extreme", 3)
        .law(
            "SELECT g FROM … GROUP BY g ORDER BY f(x) DESC LIMIT 1 → WITH c AS (SELECT g, f(x) AS n … \
             GROUP BY g) SELECT g FROM c WHERE n = (SELECT MAX(n) FROM c)",
        )
        .query(|_, q| {
            let ranked = ranked(q)?.first()?;
            let s = ranked.select;
            require(q.with.is_none() && !group_by(s).is_empty())?;
            require(s.distinct.is_none() && has_aggregate(&ranked.key))?;
            let (c, n) = (fresh(q, "counts"), fresh(q, "total"));
            let (names, named) = named_outputs(s, 1)?;
            let inner = with_outputs(s, &format!("{named}, {} AS {n}", ranked.key))?;
            let extreme = format!("SELECT {}({n}) FROM {c}", ranked.extreme());
            parse_query(&format!("WITH {c} AS ({inner}) SELECT {names} FROM {c} WHERE {n} = ({extreme})"))
        }),
    habit("nulls-at-the-end", 1).law("ORDER BY x → ORDER BY x NULLS LAST").query(|_, q| {
        reordered(q, |keys| {
            let key = keys.first_mut().filter(|key| key.options.nulls_first.is_none())?;
            key.options.nulls_first = Some(false);
            Some(())
        })
    }),
    habit("sorted-further", 1).law("ORDER BY x → ORDER BY x, a, where a is the first output").query(
        |_, q| {
            let outputs = items(outermost(q)?)?;
            let first = outputs.first().filter(|e| is_column(e))?.to_string();
            let again = parse_query(&format!("SELECT 1 ORDER BY {first}"))?;
            reordered(q, |keys| {
                require(!keys.iter().any(|key| key.expr.to_string() == first))?;
                keys.extend_from_slice(order_keys(&again)?);
                Some(())
            })
        },
    ),
    // Groups.
    look_alike("grouped-by-key", 2).law("GROUP BY t.name → GROUP BY t.key").select(|c, s| {
        let all = sources(s, c.schema)?;
        let [key] = group_by(s) else { return None };
        let (source, column) = resolve(key, &all)?;
        let t = all.get(source)?;
        require(t.table.primary_key != [column])?;
        Some(grouped(s, vec![parse_expr(&t.column(t.key()?))?]))
    }),
    habit("grouped-by-name", 2).law("GROUP BY t.key → GROUP BY t.x, where x is an output").select(|c, s| {
        let all = sources(s, c.schema)?;
        let [key] = group_by(s) else { return None };
        let (source, column) = resolve(key, &all)?;
        let outputs = items(s)?;
        let other =
            outputs.iter().find(|e| resolve(e, &all).is_some_and(|(t, k)| t == source && k != column))?;
        Some(grouped(s, vec![(*other).clone()]))
    }),
    habit("grouped-by-more", 1).law("GROUP BY a → GROUP BY a, b, where b is an output").select(|_, s| {
        let keys = group_by(s);
        let outputs = items(s)?;
        let more = outputs.iter().find(|e| is_column(e) && !keys.contains(e))?;
        require(!keys.is_empty())?;
        Some(grouped(s, keys.iter().chain([*more]).cloned().collect()))
    }),
    habit("mean-of-groups", 2).law("SELECT a, x FROM … → SELECT a, AVG(x) FROM … GROUP BY a").select(
        |c, s| {
            require(s.distinct.is_none() && is_ungrouped(s))?;
            let all = sources(s, c.schema)?;
            let outputs = items(s)?;
            let [first @ .., last] = outputs.as_slice() else { return None };
            require(!first.is_empty() && outputs.iter().all(|e| is_column(e)))?;
            let (t, k) = resolve(last, &all)?;
            require(all.get(t)?.table.columns.get(k)?.affinity.is_numeric())?;
            let keys: String = first.iter().map(|e| format!("{e}, ")).collect();
            let s = with_outputs(s, &format!("{keys}AVG({last})"))?;
            Some(grouped(&s, first.iter().map(|e| (*e).clone()).collect()))
        },
    ),
    habit("counted-in-having", 1).law("GROUP BY g HAVING COUNT(*) > n → … COUNT(DISTINCT x) > n").select(
        |c, s| {
            let all = sources(s, c.schema)?;
            let having = s.having.as_ref()?.to_string();
            let t = all.last()?;
            let key = t.column(t.key()?);
            let rows = ["COUNT(*)", "count(*)"].into_iter().find(|rows| having.contains(rows))?;
            let having = parse_expr(&having.replace(rows, &format!("COUNT(DISTINCT {key})")));
            Some(Select { having, ..s.clone() })
        },
    ),
    // Joins and look-ups.
    habit("join-to-left-join", 2).law("a JOIN b ON p → a LEFT JOIN b ON p").select(|_, s| {
        let mut s = s.clone();
        let join = s.from.first_mut()?.joins.last_mut()?;
        join.join_operator = J::LeftOuter(JoinConstraint::On(inner_on(join)?.clone()));
        Some(s)
    }),
    look_alike("left-join-to-join", 2).law("a LEFT JOIN b ON p → a JOIN b ON p").select(|_, s| {
        let mut s = s.clone();
        let joins = &mut s.from.first_mut()?.joins;
        let join = joins.iter_mut().find(|j| matches!(j.join_operator, J::Left(_) | J::LeftOuter(_)))?;
        let (J::Left(p) | J::LeftOuter(p)) = &join.join_operator else { return None };
        join.join_operator = J::Join(p.clone());
        Some(s)
    }),
    look_alike("looked-up-once", 3).law("x IN (SELECT y …) → x = (SELECT y …)").expr(|_, e| match e {
        Expr::InSubquery { expr, subquery, negated: false } => {
            parse_expr(&format!("{} = ({subquery})", par(expr)))
        }
        _ => None,
    }),
    habit("looked-up-all", 2).law("x = (SELECT y …) → x IN (SELECT y …)").expr(|_, e| match e {
        Expr::BinaryOp { left, op: B::Eq, right } => match right.as_ref() {
            Expr::Subquery(q) => parse_expr(&format!("{} IN ({q})", par(left))),
            _ => None,
        },
        _ => None,
    }),
    look_alike("join-to-look-up", 4)
        .law(
            "FROM a JOIN b ON a.x = b.y WHERE p(b) → FROM a WHERE a.x = (SELECT b.y FROM b WHERE p(b)), \
             where nothing else reads b",
        )
        .select(|c, s| {
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
            require(s.having.is_none())?;
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
                    require(!tables.contains(&kept))?;
                    inside.push(p.to_string());
                } else {
                    outside.push(p.to_string());
                }
            }
            require(!inside.is_empty())?;
            let factor = |t: usize| match t {
                0 => s.from.first().map(|f| f.relation.to_string()),
                _ => s.from.first().and_then(|f| f.joins.first()).map(|j| j.relation.to_string()),
            };
            outside.push(format!(
                "{outer} = (SELECT {key} FROM {} WHERE {})",
                factor(looked_up)?,
                inside.join(" AND ")
            ));
            let text = format!("SELECT 1 FROM {} WHERE {}", factor(kept)?, outside.join(" AND "));
            let own = parse_select(&text)?;
            Some(Select { from: own.from, selection: own.selection, ..s.clone() })
        }),
    habit("other-side-of-join", 2).law("a JOIN b ON a.x = b.y … SELECT a.x → SELECT b.y").select(|c, s| {
        sources(s, c.schema)?;
        let on = inner_conditions(s)?;
        let (l, r) = on.iter().find_map(|on| match on {
            Expr::BinaryOp { left, op: B::Eq, right } => Some((left.to_string(), right.to_string())),
            _ => None,
        })?;
        let mut outputs = texts(s)?;
        let output = outputs.iter_mut().find(|o| o.contains(&l) || o.contains(&r))?;
        *output = if output.contains(&l) { output.replace(&l, &r) } else { output.replace(&r, &l) };
        with_outputs(s, &outputs.join(", "))
    }),
    // Nesting.
    habit("in-a-cte", 2).law("q → WITH r AS (q) SELECT * FROM r").whole(|_, q, _| {
        require(q.with.is_none())?;
        let r = fresh(q, "result");
        parse_query(&format!("WITH {r} AS ({q}) SELECT * FROM {r}"))
    }),
    habit("filtered-in-a-cte", 2)
        .law("SELECT a FROM t WHERE p → WITH f AS (SELECT * FROM t WHERE p) SELECT a FROM f")
        .query(|c, q| {
            require(q.with.is_none())?;
            let s = outermost(q)?;
            let (t, p) = (only(s, c.schema)?, s.selection.as_ref()?);
            let (f, from) = (fresh(q, "filtered"), &s.from.first()?.relation);
            let outer = with_from(s, &format!("{f} AS {}", plain(&t.name)))?;
            let outer = with_body(q, Select { selection: None, ..outer });
            parse_query(&format!("WITH {f} AS (SELECT * FROM {from} WHERE {p}) {outer}"))
        }),
    habit("union-to-union-all", 2)
        .law("a UNION b → a UNION ALL b")
        .query(|_, q| set_operation(q, " UNION ", " UNION ALL ")),
    habit("union-all-to-union", 2)
        .law("a UNION ALL b → a UNION b")
        .query(|_, q| set_operation(q, " UNION ALL ", " UNION ")),
    look_alike("output-more", 2).law("SELECT a … WHERE x = v → SELECT a, x … WHERE x = v").outermost(
        |c, s| {
            require(is_ungrouped(s))?;
            let all = sources(s, c.schema)?;
            let p = conjuncts(s.selection.as_ref());
            let outputs = texts(s)?;
            let more = p.iter().find_map(|p| match p {
                Expr::BinaryOp { left, op: _, right: _ } if resolve(left, &all).is_some() => {
                    Some(left.to_string())
                }
                _ => None,
            })?;
            require(!outputs.contains(&more))?;
            with_outputs(s, &format!("{}, {more}", outputs.join(", ")))
        },
    ),
    habit("outputs-swapped", 1).law("SELECT a, b → SELECT b, a").outermost(|_, s| {
        let mut s = s.clone();
        items(&s)?;
        (s.projection.len() >= 2).then(|| s.projection.swap(0, 1))?;
        Some(s)
    }),
];

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
    let select = outermost(q)?;
    let [key] = order_keys(q)? else { return None };
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
    require(q.with.is_none())?;
    let s = ranked.select;
    let grouped = !group_by(s).is_empty();
    require(s.distinct.is_none() && (grouped || ranked.rowwise().is_some()))?;
    // An alias would be lost.
    let key = &ranked.key;
    require(!texts(s)?.contains(&key.to_string()) || is_column(key) || aggregate(key).is_some())?;
    let (names, named) = named_outputs(s, 1)?;
    let (d, r) = (fresh(q, "ranked"), fresh(q, "place"));
    let direction = if ranked.falling { "DESC" } else { "ASC" };
    let inner = with_outputs(s, &format!("{named}, {function}() OVER (ORDER BY {key} {direction}) AS {r}"))?;
    parse_query(&format!("SELECT {names} FROM ({inner}) AS {d} WHERE {r} <= {}", ranked.rows))
}

/// A set operation of two SELECTs with another operator.
fn set_operation(q: &Query, old: &str, new: &str) -> Option<Query> {
    let SetExpr::SetOperation { left, op: _, set_quantifier: _, right } = q.body.as_ref() else {
        return None;
    };
    let text = q.to_string();
    let (left, right) = (left.to_string(), right.to_string());
    let joined = format!("{left}{old}{right}");
    require(text.contains(&joined))?;
    parse_query(&text.replacen(&joined, &format!("{left}{new}{right}"), 1))
}
