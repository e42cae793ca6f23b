//! Rewrites of IN, NOT IN, EXISTS and of what stands inside a subquery.
//!
//! IN is a semijoin and NOT IN an antijoin, as long as no NULL is about: `x NOT IN (1, NULL)` is NULL, and
//! NOT EXISTS is true there. The presets that rewrites are sound for have no NULLs that a gold does not ask
//! for. Only conjuncts of WHERE are rewritten, where NULL and false are the same.

use sqlparser::ast::{Expr, Query, Select};

use super::ast::{
    Context, and_also, bare, columns_of, conjuncts, distinct, filtered, fresh, is_rowwise, items, nested,
    only, only_select, output, parse_expr, parse_query, require, resolve, sources, undistinct, with_from,
    with_outputs,
};
use super::{Claim::Plausible, Claim::Sound, Rewrite, rule};

pub(super) const RULES: &[Rewrite] = &[
    rule("in-to-exists", Sound, 3)
        .law("x IN (SELECT y FROM t WHERE p) → EXISTS (SELECT 1 FROM t WHERE p AND y = x)")
        .select(|c, s| exists(c, s, false)),
    rule("not-in-to-not-exists", Sound, 3)
        .law("x NOT IN (SELECT y …) → NOT EXISTS (SELECT 1 … AND y = x), where neither is NULL")
        .select(|c, s| exists(c, s, true)),
    // The antijoin as SQL had it before EXISTS: rows without a partner are those that LEFT JOIN fills with
    // NULL.
    rule("not-in-to-left-join", Sound, 4)
        .law(
            "FROM a WHERE x NOT IN (SELECT y FROM b) → FROM a LEFT JOIN (SELECT DISTINCT y FROM b) AS d \
             ON x = d.y WHERE d.y IS NULL, where neither is NULL",
        )
        .select(|c, s| {
            let mut found = found(c, s, true)?;
            let name = fresh(c.query, "other");
            found.rest.push(parse_expr(&format!("{name}.k IS NULL"))?);
            joined(s, &found, "LEFT JOIN", &name)
        }),
    // DISTINCT, so that no row of a has two partners.
    rule("in-to-join", Sound, 4)
        .law("FROM a WHERE x IN (SELECT y FROM b) → FROM a JOIN (SELECT DISTINCT y FROM b) AS d ON x = d.y")
        .select(|c, s| joined(s, &found(c, s, false)?, "JOIN", &fresh(c.query, "other"))),
    // `SELECT x FROM a WHERE x NOT IN (SELECT y FROM b)` → `SELECT x FROM a EXCEPT SELECT y FROM b`: EXCEPT
    // also drops the duplicates of x.
    rule("not-in-to-except", Plausible, 3)
        .law("SELECT x FROM a WHERE x NOT IN (q) → SELECT x FROM a EXCEPT q")
        .query(|c, q| set(c, q, true)),
    // INTERSECT drops duplicates too.
    rule("in-to-intersect", Plausible, 3)
        .law("SELECT x FROM a WHERE x IN (q) → SELECT x FROM a INTERSECT q")
        .query(|c, q| set(c, q, false)),
    // Membership does not count. A LIMIT would: `only_select` lets none pass.
    rule("distinct-in-subquery", Sound, 1)
        .law("x IN (SELECT y …) → x IN (SELECT DISTINCT y …), and back")
        .expr(|_, e| requeried(e, |s| undistinct(s).unwrap_or_else(|| distinct(s)).to_string())),
    rule("order-in-subquery", Sound, 1)
        .law("x IN (SELECT y …) → x IN (SELECT y … ORDER BY 1)")
        .expr(|_, e| requeried(e, |s| format!("{s} ORDER BY 1"))),
    // Not over an aggregate without groups, which has one row whatever the table holds, and so always exists.
    rule("exists-to-count", Sound, 2).law("EXISTS (SELECT …) → (SELECT COUNT(*) FROM (SELECT …)) > 0").expr(
        |_, e| {
            let Expr::Exists { subquery, negated } = e else {
                return None;
            };
            let count = with_outputs(only_select(subquery).filter(|s| is_rowwise(s))?, "COUNT(*)")?;
            nested(&format!("({count}) {} 0", if *negated { "=" } else { ">" }))
        },
    ),
    rule("not-in-to-not", Sound, 1).law("x NOT IN (q) → NOT x IN (q)").expr(|_, e| {
        let Expr::InSubquery { expr, subquery, negated: true } = e else {
            return None;
        };
        nested(&format!("NOT ({expr} IN ({subquery}))"))
    }),
];

/// The first conjunct `x [NOT] IN (subquery)` that is wanted, by x and whether it is negated: x, whether it is negated,
/// the subquery, and the other conjuncts.
pub(super) fn member(
    s: &Select,
    wanted: impl Fn(&Expr, bool) -> bool,
) -> Option<(Expr, bool, Query, Vec<Expr>)> {
    let mut rest = conjuncts(s.selection.as_ref());
    let (at, expr, negated, subquery) = rest.iter().enumerate().find_map(|(at, p)| match bare(p) {
        Expr::InSubquery { expr, subquery, negated } if wanted(expr, *negated) => {
            Some((at, (**expr).clone(), *negated, (**subquery).clone()))
        }
        _ => None,
    })?;
    rest.remove(at);
    Some((expr, negated, subquery, rest))
}

/// `x [NOT] IN (subquery)` with what `f` makes of the subquery.
fn requeried(e: &Expr, f: impl Fn(&Select) -> String) -> Option<Expr> {
    let Expr::InSubquery { expr, subquery, negated } = e else { return None };
    let subquery = Box::new(parse_query(&f(only_select(subquery)?))?);
    Some(Expr::InSubquery { expr: expr.clone(), subquery, negated: *negated })
}

/// A conjunct `x [NOT] IN (SELECT y FROM …)` and what it stands in.
struct Found {
    x: String,
    y: String,
    inner: Select,
    rest: Vec<Expr>,
}

/// Takes the first `x [NOT] IN (subquery)` out of the conjuncts of a SELECT over one table, if x is a column
/// of that table and the subquery is rowwise over tables of the schema and reads nothing from outside.
fn found(c: &Context<'_>, s: &Select, negated: bool) -> Option<Found> {
    let outer = only(s, c.schema)?;
    // The outer names must stay unambiguous, and the new table must not show in `*`.
    items(s)?;
    let (x, _, subquery, rest) = member(s, |_, own| own == negated)?;
    let x = outer.column(outer.find(&x)?);
    let inner = only_select(&subquery)?.clone();
    let all = sources(&inner, c.schema)?;
    require(is_rowwise(&Select { distinct: None, ..inner.clone() }))?;
    let (t, k) = resolve(output(&inner)?, &all)?;
    let source = all.get(t)?;
    let y = source.column(source.table.columns.get(k)?);
    if let Some(p) = &inner.selection {
        columns_of(p, &all)?;
    }
    Some(Found { x, y, inner, rest })
}

/// The SELECT without the conjunct, joined with the subquery's distinct rows.
fn joined(s: &Select, found: &Found, join: &str, name: &str) -> Option<Select> {
    let Found { x, y, inner, rest } = found;
    let (from, inner) = (s.from.first()?, distinct(&with_outputs(inner, &format!("{y} AS k"))?));
    Some(filtered(&with_from(s, &format!("{from} {join} ({inner}) AS {name} ON {x} = {name}.k"))?, rest))
}

/// The semijoin or antijoin with EXISTS: `x IN (SELECT y FROM t WHERE p)` → `EXISTS (SELECT 1 FROM t WHERE p
/// AND y = x)`.
fn exists(c: &Context<'_>, s: &Select, negated: bool) -> Option<Select> {
    let Found { x, y, inner, mut rest } = found(c, s, negated)?;
    // The outer table's name must not be hidden by one inside.
    let outer = only(s, c.schema)?;
    require(sources(&inner, c.schema)?.iter().all(|i| !i.name.eq_ignore_ascii_case(&outer.name)))?;
    let inner = and_also(&with_outputs(&inner, "1")?, parse_expr(&format!("{y} = {x}"))?);
    let inner = Select { distinct: None, ..inner };
    rest.push(nested(&format!("{} EXISTS ({inner})", if negated { "NOT" } else { "" }))?);
    Some(filtered(s, &rest))
}

/// The same with a set operation, where x is the only output.
fn set(c: &Context<'_>, q: &Query, negated: bool) -> Option<Query> {
    let s = only_select(q)?;
    let Found { x, y: _, inner, rest } = found(c, s, negated)?;
    let outer = only(s, c.schema)?;
    require(outer.column(outer.find(output(s)?)?) == x)?;
    let op = if negated { "EXCEPT" } else { "INTERSECT" };
    parse_query(&format!("{} {op} {inner}", filtered(s, &rest)))
}
