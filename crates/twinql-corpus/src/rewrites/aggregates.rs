//! Rewrites of aggregates.
//!
//! Two facts decide which are sound (<https://sqlite.org/lang_aggfunc.html>): aggregates skip NULLs, but for
//! COUNT(*); and over no rows COUNT gives 0 and all others NULL. A rewrite that meets either on a database
//! of the semantics is a candidate, for the suite to judge.

use sqlparser::ast::{Expr, JoinOperator as J, Select};

use super::ast::{
    Context, FromTable, aggregate, at_expr, at_query, at_select, group_by, nested, only, only_select, output,
    parse_expr, parse_query, parse_select, resolve, sources,
};
use super::predicates::rule;
use super::{Claim::Candidate, Claim::Sound, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    // COUNT(x) counts the rows where x is not NULL, and 1 never is.
    rule!("count-star-to-one", Sound, 1, "COUNT(*) → COUNT(1)", |_, q, rng| at_expr(q, rng, |e| {
        (aggregate(e)? == ("count".into(), false, "*".into())).then(|| parse_expr("COUNT(1)"))?
    })),
    rule!("count-one-to-star", Sound, 1, "COUNT(1) → COUNT(*)", |_, q, rng| at_expr(q, rng, |e| {
        (aggregate(e)? == ("count".into(), false, "1".into())).then(|| parse_expr("COUNT(*)"))?
    })),
    // An outer join would fill c with NULL, which COUNT(c) does not count.
    rule!(
        "count-star-to-key",
        Sound,
        3,
        "COUNT(*) → COUNT(c), where c is a NOT NULL column and all joins are inner",
        |c, q, rng| {
            let column = |s: &Select| {
                let all = inner(c, s)?;
                let not_null: Vec<String> = all
                    .iter()
                    .flat_map(|t| t.table.columns.iter().filter(|k| k.not_null).map(|k| t.column(k)))
                    .collect();
                not_null.first().cloned()
            };
            at_select(q, rng, |s| {
                let name = column(s)?;
                replaced(s, |e| {
                    (aggregate(e)? == ("count".into(), false, "*".into()))
                        .then(|| parse_expr(&format!("COUNT({name})")))?
                })
            })
        }
    ),
    // The reverse: a column that is never NULL counts every row.
    rule!(
        "count-key-to-star",
        Sound,
        3,
        "COUNT(c) → COUNT(*), where c is a NOT NULL column and all joins are inner",
        |c, q, rng| at_select(q, rng, |s| {
            let all = inner(c, s)?;
            replaced(s, |e| {
                let (name, distinct, column) = aggregate(e)?;
                if name != "count" || distinct {
                    return None;
                }
                let (t, k) = resolve(&parse_expr(&column)?, &all)?;
                all.get(t)?.table.columns.get(k)?.not_null.then(|| parse_expr("COUNT(*)"))?
            })
        })
    ),
    // Each row has a key of its own. Not over a join, which repeats them.
    rule!(
        "count-to-distinct-key",
        Sound,
        3,
        "COUNT(*) → COUNT(DISTINCT key), over one table with a key of one column",
        |c, q, rng| at_select(q, rng, |s| {
            let t = only(s, c.schema)?;
            let [key] = t.table.primary_key.as_slice() else {
                return None;
            };
            let name = t.column(t.table.columns.get(*key)?);
            replaced(s, |e| {
                (aggregate(e)? == ("count".into(), false, "*".into()))
                    .then(|| parse_expr(&format!("COUNT(DISTINCT {name})")))?
            })
        })
    ),
    // The reverse: no two rows have the same key.
    rule!(
        "count-distinct-key-to-star",
        Sound,
        3,
        "COUNT(DISTINCT key) → COUNT(*), over one table",
        |c, q, rng| at_select(q, rng, |s| {
            let t = only(s, c.schema)?;
            replaced(s, |e| {
                let (name, distinct, column) = aggregate(e)?;
                let (_, k) = resolve(&parse_expr(&column)?, std::slice::from_ref(&t))?;
                (name == "count" && distinct && t.table.primary_key == [k]).then(|| parse_expr("COUNT(*)"))?
            })
        })
    ),
    // `SELECT COUNT(*) FROM t WHERE x > 1` → `SELECT COUNT(CASE WHEN x > 1 THEN 1 END) FROM t`: CASE is NULL
    // where WHERE dropped the row. With GROUP BY, a group that had lost all its rows would show with 0.
    rule!(
        "count-where-to-case",
        Sound,
        3,
        "SELECT COUNT(*) … WHERE p → SELECT COUNT(CASE WHEN p THEN 1 END) …, without GROUP BY",
        |_, q, rng| at_select(q, rng, |s| {
            let old = lone_count(s)?;
            let mut s =
                parse_select(&format!("SELECT COUNT(CASE WHEN {} THEN 1 END)", old.selection.as_ref()?))?;
            s.from = old.from.clone();
            Some(s)
        })
    ),
    // Over no rows COUNT gives 0 and SUM NULL.
    rule!(
        "count-where-to-sum",
        Candidate,
        2,
        "SELECT COUNT(*) … WHERE p → SELECT SUM(CASE WHEN p THEN 1 ELSE 0 END) …",
        |_, q, rng| at_select(q, rng, |s| {
            let old = lone_count(s)?;
            let mut new = parse_select(&format!(
                "SELECT SUM(CASE WHEN {} THEN 1 ELSE 0 END)",
                old.selection.as_ref()?
            ))?;
            new.from = old.from.clone();
            Some(new)
        })
    ),
    // The derived table has a row for each of FROM's, whatever it holds.
    rule!(
        "count-of-derived",
        Sound,
        2,
        "SELECT COUNT(*) FROM … → SELECT COUNT(*) FROM (SELECT 1 FROM …)",
        |_, q, rng| at_select(q, rng, |s| {
            let mut inner = lone_count(s)?.clone();
            inner.projection = parse_select("SELECT 1 AS one")?.projection;
            parse_select(&format!("SELECT COUNT(*) FROM ({inner}) AS counted"))
        })
    ),
    // DISTINCT keeps one NULL, and COUNT(x) skips it.
    rule!(
        "count-distinct-of-derived",
        Sound,
        3,
        "SELECT COUNT(DISTINCT x) … → SELECT COUNT(x) FROM (SELECT DISTINCT x …)",
        |_, q, rng| at_select(q, rng, |s| {
            let e = output(s)?;
            let (name, distinct, x) = aggregate(e)?;
            if name != "count" || !distinct || x == "*" {
                return None;
            }
            if !group_by(s).is_empty() || s.having.is_some() || s.distinct.is_some() {
                return None;
            }
            let mut inner = s.clone();
            inner.projection = parse_select(&format!("SELECT DISTINCT {x} AS counted"))?.projection;
            inner.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
            parse_select(&format!("SELECT COUNT(counted) FROM ({inner}) AS d"))
        })
    ),
    // AVG skips NULLs as both SUM and COUNT(x) do, and is a real, hence 1.0; NULL over no rows, as SUM is.
    rule!("average-to-sum", Sound, 2, "AVG(x) → SUM(x) * 1.0 / COUNT(x)", |_, q, rng| at_expr(
        q,
        rng,
        |e| {
            let (name, distinct, x) = aggregate(e)?;
            (name == "avg" && !distinct).then(|| nested(&format!("SUM({x}) * 1.0 / COUNT({x})")))?
        }
    )),
    // A real where SUM of whole numbers is whole, with rounding; NULL * 0 over no rows.
    rule!("sum-to-average", Candidate, 1, "SUM(x) → AVG(x) * COUNT(x)", |_, q, rng| at_expr(q, rng, |e| {
        let (name, distinct, x) = aggregate(e)?;
        (name == "sum" && !distinct).then(|| nested(&format!("AVG({x}) * COUNT({x})")))?
    })),
    rule!(
        // Beside a bare column it is not sound: SQLite takes that from another row then.
        "extreme-distinct",
        Candidate,
        1,
        "MAX(x) → MAX(DISTINCT x)",
        |_, q, rng| at_expr(q, rng, |e| {
            let (name, distinct, x) = aggregate(e)?;
            (matches!(name.as_str(), "max" | "min") && !distinct)
                .then(|| parse_expr(&format!("{name}(DISTINCT {x})")))?
        })
    ),
    // Over no rows MAX gives a row with NULL and LIMIT 1 none. MIN skips NULLs, which ORDER BY puts first.
    rule!(
        "extreme-to-order",
        Candidate,
        3,
        "SELECT MAX(x) … → SELECT x … ORDER BY x DESC LIMIT 1",
        |_, q, rng| at_query(q, rng, |q| {
            let mut s = only_select(q)?.clone();
            if !group_by(&s).is_empty() || s.having.is_some() || s.distinct.is_some() {
                return None;
            }
            let e = output(&s)?;
            let (name, _, x) = aggregate(e)?;
            let way = match name.as_str() {
                "max" => "DESC",
                "min" => "ASC",
                _ => return None,
            };
            s.projection = parse_select(&format!("SELECT {x}"))?.projection;
            parse_query(&format!("{s} ORDER BY {x} {way} LIMIT 1"))
        })
    ),
    // `SELECT name FROM t ORDER BY age DESC LIMIT 1` → `SELECT name FROM t WHERE age = (SELECT MAX(age) FROM
    // t)`: what people mean by the first, but all rows that tie come out, and none where all ages are NULL.
    rule!(
        "order-to-extreme",
        Candidate,
        3,
        "SELECT … FROM t WHERE p ORDER BY x DESC LIMIT 1 → … WHERE x = (SELECT MAX(x) FROM t WHERE p) AND p",
        |c, q, rng| at_query(q, rng, |q| {
            let mut bare_query = q.clone();
            let order = bare_query.order_by.take()?;
            let limit = bare_query.limit_clause.take()?.to_string();
            let s = only_select(&bare_query)?;
            sources(s, c.schema)?;
            if limit.trim() != "LIMIT 1" || !super::ast::is_ungrouped(s) {
                return None;
            }
            // The key as it is written, without its direction; NULLS FIRST and the like leave no plain
            // column.
            let text = order.to_string();
            let key = text.strip_prefix("ORDER BY ")?;
            let (x, f) = match (key.strip_suffix(" DESC"), key.strip_suffix(" ASC")) {
                (Some(x), _) => (x, "MAX"),
                (_, Some(x)) => (x, "MIN"),
                _ => (key, "MIN"),
            };
            if x.contains(',') || !matches!(parse_expr(x)?, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
            {
                return None;
            }
            // The extreme is that of the rows that the filter leaves, and the outer rows have to pass it too.
            let mut inner = s.clone();
            inner.projection = parse_select(&format!("SELECT {f}({x})"))?.projection;
            inner.distinct = None;
            let mut outer = s.clone();
            let p = s.selection.as_ref().map_or(String::new(), |p| format!(" AND ({p})"));
            outer.selection = parse_expr(&format!("{x} = ({inner}){p}"));
            parse_query(&outer.to_string())
        })
    ),
];

/// The tables, if every join is inner.
fn inner<'s>(c: &Context<'s>, s: &Select) -> Option<Vec<FromTable<'s>>> {
    let plain = s
        .from
        .iter()
        .flat_map(|f| &f.joins)
        .all(|j| matches!(j.join_operator, J::Join(_) | J::Inner(_) | J::CrossJoin(_)));
    if plain { sources(s, c.schema) } else { None }
}

/// `SELECT COUNT(*) FROM …` without grouping.
fn lone_count(s: &Select) -> Option<&Select> {
    let e = output(s)?;
    let plain = group_by(s).is_empty() && s.having.is_none() && s.distinct.is_none();
    (plain && aggregate(e)? == ("count".into(), false, "*".into())).then_some(s)
}

/// Replaces every expression in outputs and HAVING where `f` has something to say;
/// subqueries are other scopes and stay.
fn replaced(s: &Select, f: impl Fn(&Expr) -> Option<Expr>) -> Option<Select> {
    let mut s = s.clone();
    let mut changed = false;
    for item in &mut s.projection {
        if let sqlparser::ast::SelectItem::UnnamedExpr(e)
        | sqlparser::ast::SelectItem::ExprWithAlias { expr: e, alias: _ } = item
            && let Some(new) = f(e)
        {
            *e = new;
            changed = true;
        }
    }
    if let Some(Expr::BinaryOp { left, op: _, right: _ }) = &mut s.having
        && let Some(new) = f(left)
    {
        **left = new;
        changed = true;
    }
    changed.then_some(s)
}
