//! Rewrites of IN, NOT IN, EXISTS and of what stands inside a subquery.
//!
//! IN is a semijoin and NOT IN an antijoin, as long as no NULL is about: `x NOT IN (1, NULL)` is NULL, and
//! NOT EXISTS is true there. The presets that rewrites are sound for have no NULLs that a gold does not ask
//! for. Only conjuncts of WHERE are rewritten, where NULL and false are the same.

use sqlparser::ast::{Expr, Query, Select};

use super::ast::{
    Context, FromTable, and, at_expr, at_select, columns_of, conjuncts, fresh, is_rowwise, items, nested,
    only, only_select, output, parse_expr, parse_query, parse_select, resolve, sources,
};
use super::predicates::rule;
use super::{Claim::Candidate, Claim::Sound, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    rule!(
        "in-to-exists",
        Sound,
        3,
        "x IN (SELECT y FROM t WHERE p) → EXISTS (SELECT 1 FROM t WHERE p AND y = x)",
        |c, q, rng| at_select(q, rng, |s| exists(c, s, false))
    ),
    rule!(
        "not-in-to-not-exists",
        Sound,
        3,
        "x NOT IN (SELECT y …) → NOT EXISTS (SELECT 1 … AND y = x), where neither is NULL",
        |c, q, rng| at_select(q, rng, |s| exists(c, s, true))
    ),
    // The antijoin as SQL had it before EXISTS: rows without a partner are those that LEFT JOIN fills with
    // NULL.
    rule!(
        "not-in-to-left-join",
        Sound,
        4,
        "FROM a WHERE x NOT IN (SELECT y FROM b) → FROM a LEFT JOIN (SELECT DISTINCT y FROM b) AS d ON x = d.y WHERE d.y IS NULL, where neither is NULL",
        |c, q, rng| at_select(q, rng, |s| {
            let found = found(c, s, true)?;
            let name = fresh(q, "other");
            let from = s.from.first()?;
            let mut s = s.clone();
            let mut rest = found.rest;
            let mut inner = found.inner;
            inner.projection = parse_select(&format!("SELECT {} AS k", found.y))?.projection;
            inner.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
            rest.push(parse_expr(&format!("{name}.k IS NULL"))?);
            s.from = parse_select(&format!(
                "SELECT 1 FROM {from} LEFT JOIN ({inner}) AS {name} ON {} = {name}.k",
                found.x
            ))?
            .from;
            s.selection = and(&rest);
            Some(s)
        })
    ),
    // DISTINCT, so that no row of a has two partners.
    rule!(
        "in-to-join",
        Sound,
        4,
        "FROM a WHERE x IN (SELECT y FROM b) → FROM a JOIN (SELECT DISTINCT y FROM b) AS d ON x = d.y",
        |c, q, rng| at_select(q, rng, |s| {
            let found = found(c, s, false)?;
            let name = fresh(q, "other");
            let from = s.from.first()?;
            let mut inner = found.inner;
            inner.projection = parse_select(&format!("SELECT {} AS k", found.y))?.projection;
            inner.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
            let mut s = s.clone();
            s.from = parse_select(&format!(
                "SELECT 1 FROM {from} JOIN ({inner}) AS {name} ON {} = {name}.k",
                found.x
            ))?
            .from;
            s.selection = and(&found.rest);
            Some(s)
        })
    ),
    // `SELECT x FROM a WHERE x NOT IN (SELECT y FROM b)` → `SELECT x FROM a EXCEPT SELECT y FROM b`: EXCEPT
    // also drops the duplicates of x.
    rule!(
        "not-in-to-except",
        Candidate,
        3,
        "SELECT x FROM a WHERE x NOT IN (q) → SELECT x FROM a EXCEPT q",
        |c, q, rng| set(c, q, rng, true)
    ),
    // INTERSECT drops duplicates too.
    rule!(
        "in-to-intersect",
        Candidate,
        3,
        "SELECT x FROM a WHERE x IN (q) → SELECT x FROM a INTERSECT q",
        |c, q, rng| set(c, q, rng, false)
    ),
    // Membership does not count. A LIMIT would: `only_select` lets none pass.
    rule!(
        "distinct-in-subquery",
        Sound,
        1,
        "x IN (SELECT y …) → x IN (SELECT DISTINCT y …), and back",
        |_, q, rng| at_expr(q, rng, |e| {
            let Expr::InSubquery { expr, subquery, negated } = e else {
                return None;
            };
            let mut s = only_select(subquery)?.clone();
            s.distinct =
                if s.distinct.is_some() { None } else { parse_select("SELECT DISTINCT 1")?.distinct };
            Some(Expr::InSubquery {
                expr: expr.clone(),
                subquery: Box::new(parse_query(&s.to_string())?),
                negated: *negated,
            })
        })
    ),
    rule!(
        "order-in-subquery",
        Sound,
        1,
        "x IN (SELECT y …) → x IN (SELECT y … ORDER BY 1)",
        |_, q, rng| at_expr(q, rng, |e| {
            let Expr::InSubquery { expr, subquery, negated } = e else {
                return None;
            };
            let s = only_select(subquery)?;
            Some(Expr::InSubquery {
                expr: expr.clone(),
                subquery: Box::new(parse_query(&format!("{s} ORDER BY 1"))?),
                negated: *negated,
            })
        })
    ),
    // Not over an aggregate without groups, which has one row whatever the table holds, and so always exists.
    rule!(
        "exists-to-count",
        Sound,
        2,
        "EXISTS (SELECT …) → (SELECT COUNT(*) FROM (SELECT …)) > 0",
        |_, q, rng| at_expr(q, rng, |e| {
            let Expr::Exists { subquery, negated } = e else {
                return None;
            };
            let mut s = only_select(subquery)?.clone();
            if !is_rowwise(&s) {
                return None;
            }
            s.projection = parse_select("SELECT COUNT(*)")?.projection;
            nested(&format!("({s}) {} 0", if *negated { "=" } else { ">" }))
        })
    ),
    rule!("not-in-to-not", Sound, 1, "x NOT IN (q) → NOT x IN (q)", |_, q, rng| at_expr(q, rng, |e| {
        let Expr::InSubquery { expr, subquery, negated: true } = e else {
            return None;
        };
        nested(&format!("NOT ({expr} IN ({subquery}))"))
    })),
];

/// A conjunct `x [NOT] IN (SELECT y FROM …)` and what it stands in.
struct Found {
    x: String,
    y: String,
    inner: Select,
    rest: Vec<Expr>,
}

/// Takes the first `x [NOT] IN (subquery)` out of the conjuncts of a SELECT over one table, if x is a column
/// of that table and the subquery reads nothing from outside.
fn found(c: &Context<'_>, s: &Select, wanted: bool) -> Option<Found> {
    let outer = only(s, c.schema)?;
    // The outer names must stay unambiguous, and the new table must not show in `*`.
    items(s)?;
    let mut rest = conjuncts(s.selection.as_ref());
    let at = rest.iter().position(
        |p| matches!(super::ast::bare(p), Expr::InSubquery { negated, expr: _, subquery: _ } if *negated == wanted),
    )?;
    let Expr::InSubquery { expr, subquery, negated: _ } = super::ast::bare(&rest.remove(at)).clone() else {
        return None;
    };
    let (_, k) = resolve(&expr, std::slice::from_ref(&outer))?;
    let (inner, y) = plain_inner(c, &subquery)?;
    Some(Found { x: outer.column(outer.table.columns.get(k)?), y, inner, rest })
}

/// The inner SELECT if it is rowwise over tables of the schema and its filter names nothing
/// outside; its output with its table's name.
fn plain_inner(c: &Context<'_>, subquery: &Query) -> Option<(Select, String)> {
    let inner = only_select(subquery)?.clone();
    let mut plain = inner.clone();
    plain.distinct = None;
    let all: Vec<FromTable<'_>> = sources(&inner, c.schema)?;
    if !is_rowwise(&plain) {
        return None;
    }
    let e = output(&inner)?;
    let (t, k) = resolve(e, &all)?;
    let source = all.get(t)?;
    let y = source.column(source.table.columns.get(k)?);
    if let Some(p) = &inner.selection {
        columns_of(p, &all)?;
    }
    Some((inner.clone(), y))
}

/// The semijoin or antijoin with EXISTS: `x IN (SELECT y FROM t WHERE p)` → `EXISTS (SELECT 1 FROM t WHERE p
/// AND y = x)`.
fn exists(c: &Context<'_>, s: &Select, negated: bool) -> Option<Select> {
    let Found { x, y, mut inner, mut rest } = found(c, s, negated)?;
    // The outer table's name must not be hidden by one inside.
    let outer = only(s, c.schema)?;
    if sources(&inner, c.schema)?.iter().any(|i| i.name.eq_ignore_ascii_case(&outer.name)) {
        return None;
    }
    let mut parts = conjuncts(inner.selection.as_ref());
    parts.push(parse_expr(&format!("{y} = {x}"))?);
    inner.selection = and(&parts);
    inner.distinct = None;
    inner.projection = parse_select("SELECT 1")?.projection;
    rest.push(nested(&format!("{} EXISTS ({inner})", if negated { "NOT" } else { "" }))?);
    let mut s = s.clone();
    s.selection = and(&rest);
    Some(s)
}

/// The same with a set operation, where x is the only output.
fn set(c: &Context<'_>, q: &Query, rng: &mut rand_chacha::ChaCha8Rng, negated: bool) -> Option<Query> {
    super::ast::at_query(q, rng, |q| {
        let s = only_select(q)?;
        let Found { x, y: _, inner, rest } = found(c, s, negated)?;
        let e = output(s)?;
        let outer = only(s, c.schema)?;
        let (_, k) = resolve(e, std::slice::from_ref(&outer))?;
        if outer.column(outer.table.columns.get(k)?) != x {
            return None;
        }
        let mut left = s.clone();
        left.selection = and(&rest);
        let op = if negated { "EXCEPT" } else { "INTERSECT" };
        parse_query(&format!("{left} {op} {inner}"))
    })
}
