//! Rewrites that add what does nothing: arithmetic with 0, casts, bounds that others imply, conditions that
//! every group meets. The second catalogue: what normalisation rules undo and no earlier rewrite made.
//!
//! Arithmetic and casts take a column's affinity away, and what a value is compared with is then converted no
//! more (<https://sqlite.org/datatype3.html#affinity>). So the columns are numeric and the constants numbers:
//! nothing had to be converted before.

use sqlparser::ast::{BinaryOperator as B, Expr, GroupByExpr, OrderByKind, SelectItem, Value};
use twinql_sql::{Affinity, Column, TypeClass};

use super::ast::{
    FromTable, aggregate, and, at_expr, at_query, at_select, bare, conjuncts, fresh, group_by, is_rowwise,
    items, nested, only, only_select, output, par, parse_expr, parse_query, parse_select, resolve, sources,
};
use super::predicates::{comparison, named};
use super::{Claim::Candidate, Claim::Sound, Rewrite};

macro_rules! newer {
    ($name:literal, $kind:expr, $weight:literal, $law:literal, $apply:expr) => {
        Rewrite { name: $name, law: $law, kind: $kind, catalogue: 2, weight: $weight, apply: $apply }
    };
}
pub(super) use newer;

pub(super) const RULES: &[Rewrite] = &[
    // `x >= 5` → `x >= 5 AND x >= 3`.
    newer!(
        "add-implied-bound",
        Sound,
        2,
        "x > n → x > n AND x > n - 2, and the same for <, where n is a whole number",
        |_, q, rng| at_expr(q, rng, |e| {
            let (x, op, n) = bounded(e)?;
            let other = match op {
                B::Gt | B::GtEq => n.checked_sub(2)?,
                B::Lt | B::LtEq => n.checked_add(2)?,
                _ => return None,
            };
            let x = par(x);
            nested(&format!("{x} {op} {n} AND {x} {op} {other}"))
        })
    ),
    // `x > 5` → `x + 1 > 6`. Of whole numbers, since 1 added to a large real may leave it as it is.
    newer!(
        "compare-sum",
        Sound,
        2,
        "x > n → x + 1 > n + 1, where x is a column of whole numbers",
        |c, q, rng| at_expr(q, rng, |e| {
            let (x, op, n) = bounded(e)?;
            // Beyond this SQLite's integers become reals.
            let small = n.abs() < 1_000_000_000;
            match small && named(c, x, whole) {
                true => nested(&format!("{} + 1 {op} {}", par(x), n + 1)),
                false => None,
            }
        })
    ),
    // Adding 0 keeps every number as it is, and only takes the affinity away.
    newer!(
        "compare-with-zero-added",
        Sound,
        1,
        "x > n → x + 0 > n, where x is a numeric column",
        |c, q, rng| at_expr(q, rng, |e| {
            let (x, op, n) = bounded(e)?;
            match named(c, x, numeric) {
                true => nested(&format!("{} + 0 {op} {n}", par(x))),
                false => None,
            }
        })
    ),
    // A CAST of what has the type already. It would cut off the fraction of any other number.
    newer!(
        "compare-cast",
        Sound,
        1,
        "x > n → CAST(x AS INTEGER) > n, where x is a column of whole numbers",
        |c, q, rng| at_expr(q, rng, |e| {
            let (x, op, n) = bounded(e)?;
            match named(c, x, whole) {
                true => nested(&format!("CAST({x} AS INTEGER) {op} {n}")),
                false => None,
            }
        })
    ),
    // In a subquery an outer query would read the column without its affinity.
    newer!(
        "output-with-zero-added",
        Sound,
        1,
        "SELECT x → SELECT x + 0, in the outermost query, where x is a column of whole numbers",
        |c, q, rng| {
            // A copy of the dice, to choose among the outputs.
            let mut dice = rng.clone();
            at_outermost(q, &mut |s| {
                use rand::seq::IndexedRandom as _;
                let able: Vec<usize> = (0..s.projection.len())
                    .filter(|&i| {
                        let item = s.projection.get(i);
                        matches!(item, Some(SelectItem::UnnamedExpr(e)) if named(c, bare(e), whole))
                    })
                    .collect();
                let item = s.projection.get_mut(*able.choose(&mut dice)?)?;
                let text = format!("{item} + 0");
                *item = SelectItem::UnnamedExpr(parse_expr(&text)?);
                Some(())
            })
        }
    ),
    // Letters of ASCII alone: LOWER changes no others, and LIKE ignores the case of no others.
    newer!(
        "like-in-lower-case",
        Sound,
        2,
        "x LIKE p → LOWER(x) LIKE p: LIKE has no case (https://sqlite.org/lang_expr.html)",
        |c, q, rng| at_expr(q, rng, |e| {
            let Expr::Like { expr, negated: _, any: _, pattern: _, escape_char: _ } = e else {
                return None;
            };
            if !named(c, bare(expr), |k| k.affinity == Affinity::Text) {
                return None;
            }
            let mut new = e.clone();
            if let Expr::Like { expr, negated: _, any: _, pattern: _, escape_char: _ } = &mut new {
                **expr = parse_expr(&format!("LOWER({expr})"))?;
            }
            Some(new)
        })
    ),
    // `p IS TRUE` is false where p is NULL; both drop the row.
    newer!(
        "is-true",
        Sound,
        2,
        "WHERE p AND q → WHERE p IS TRUE AND q, where p is a comparison",
        |_, q, rng| {
            let mut dice = rng.clone();
            at_select(q, rng, |s| {
                use rand::seq::IndexedRandom as _;
                let mut parts = conjuncts(s.selection.as_ref());
                let able: Vec<usize> = (0..parts.len())
                    .filter(|&i| parts.get(i).is_some_and(|p| comparison(p).is_some()))
                    .collect();
                let part = parts.get_mut(*able.choose(&mut dice)?)?;
                *part = nested(&format!("({}) IS TRUE", bare(part)))?;
                let mut s = s.clone();
                s.selection = and(&parts);
                Some(s)
            })
        }
    ),
    // What VALUES gives has no affinity, so x's is applied to it, as to the members of a list.
    newer!(
        "in-list-to-values",
        Sound,
        2,
        "x IN (a, b) → x IN (VALUES (a), (b)), where x is a column and a, b are constants",
        |_, q, rng| at_expr(q, rng, |e| {
            let Expr::InList { expr, list, negated } = e else {
                return None;
            };
            if list.is_empty() || !list.iter().all(|v| matches!(bare(v), Expr::Value(_))) {
                return None;
            }
            let rows: Vec<String> = list.iter().map(|v| format!("({v})")).collect();
            let not = if *negated { "NOT " } else { "" };
            parse_expr(&format!("{} {not}IN (VALUES {})", par(expr), rows.join(", ")))
        })
    ),
    // Of text alone: a number that equals 1 may be the real 1.0. Equal texts have the same bytes, in SQLite's
    // usual collation.
    newer!(
        "pin-output",
        Sound,
        3,
        "SELECT x … WHERE x = 'a' → SELECT 'a' … WHERE x = 'a', where x is a text column that the query does not group by",
        |c, q, rng| at_select(q, rng, |s| {
            if !is_rowwise(s) {
                return None;
            }
            let mut s = s.clone();
            let parts = conjuncts(s.selection.as_ref());
            let outputs = items(&s)?;
            let (at, value) = outputs.iter().enumerate().find_map(|(i, o)| {
                let equal = parts.iter().find_map(|p| match comparison(p)? {
                    (x, B::Eq, v @ Expr::Value(k))
                        if x == bare(o) && matches!(k.value, Value::SingleQuotedString(_)) =>
                    {
                        Some(v.clone())
                    }
                    _ => None,
                })?;
                named(c, bare(o), |k| k.affinity == Affinity::Text).then_some((i, equal))
            })?;
            match s.projection.get_mut(at)? {
                SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ } => *e = value,
                _ => return None,
            }
            Some(s)
        })
    ),
    // Not where HAVING stands: its condition would have to be kept.
    newer!(
        "add-trivial-having",
        Sound,
        2,
        "GROUP BY g → GROUP BY g HAVING COUNT(*) >= 1: a group has a row",
        |_, q, rng| at_select(q, rng, |s| {
            if group_by(s).is_empty() || s.having.is_some() {
                return None;
            }
            let mut s = s.clone();
            s.having = Some(parse_expr("COUNT(*) >= 1")?);
            Some(s)
        })
    ),
    // A group has a row, so that SUM is not NULL; without GROUP BY there may be none.
    newer!(
        "count-to-sum-of-ones",
        Sound,
        2,
        "SELECT COUNT(*) … GROUP BY g → SELECT SUM(1) … GROUP BY g",
        |_, q, rng| at_select(q, rng, |s| {
            if group_by(s).is_empty() {
                return None;
            }
            let mut s = s.clone();
            let item = s.projection.iter_mut().find_map(|item| match item {
                SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ } => {
                    (aggregate(e)? == ("count".to_owned(), false, "*".to_owned())).then_some(e)
                }
                _ => None,
            })?;
            *item = parse_expr("SUM(1)")?;
            Some(s)
        })
    ),
    // All rows of a group have the same key, and it is their maximum.
    newer!(
        "group-key-to-extreme",
        Sound,
        2,
        "SELECT g, f(x) … GROUP BY g → SELECT MAX(g), f(x) … GROUP BY g, where f is an aggregate",
        |_, q, rng| at_select(q, rng, |s| {
            let keys = group_by(s).to_vec();
            let outputs = items(s)?;
            // Beside a lone MAX, bare columns are those of its row: there must be none.
            let plain = |e: &&Expr| keys.contains(e) || aggregate(e).is_some();
            if !outputs.iter().all(plain) || !outputs.iter().any(|e| aggregate(e).is_some()) {
                return None;
            }
            let at = outputs.iter().position(|e| keys.contains(e))?;
            let mut s = s.clone();
            let item = s.projection.get_mut(at)?;
            match item {
                SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ } => {
                    *e = parse_expr(&format!("MAX({e})"))?;
                }
                _ => return None,
            }
            Some(s)
        })
    ),
    // The key determines the row, and so x: the groups stay what they were. After outer joins, a row of NULLs
    // has NULL for both.
    newer!(
        "group-by-more",
        Sound,
        2,
        "GROUP BY key → GROUP BY key, x, where key is the primary key of x's table and no foreign key",
        |c, q, rng| at_select(q, rng, |s| {
            let all = sources(s, c.schema)?;
            let keys = group_by(s).to_vec();
            let (t, k) = keys.iter().find_map(|k| resolve(k, &all))?;
            let t = all.get(t)?;
            if !certain_key(t, k) {
                return None;
            }
            let other = t
                .table
                .columns
                .iter()
                .map(|k| t.column(k))
                .filter_map(|k| parse_expr(&k))
                .rfind(|k| !keys.contains(k))?;
            let mut keys = keys;
            if keys
                .iter()
                .any(|k| matches!((resolve(k, &all), resolve(&other, &all)), (Some(a), Some(b)) if a == b))
            {
                return None;
            }
            keys.push(other);
            let mut s = s.clone();
            s.group_by = GroupByExpr::Expressions(keys, Vec::new());
            Some(s)
        })
    ),
    // No two rows are alike in the key, so a later one decides nothing.
    newer!(
        "add-sort-key",
        Sound,
        1,
        "ORDER BY key → ORDER BY key, x, where key is the primary key of the only table and no foreign key",
        |c, q, rng| at_query(q, rng, |q| {
            let mut new = q.clone();
            let s = match q.body.as_ref() {
                sqlparser::ast::SetExpr::Select(s) if is_rowwise(s) => s,
                _ => return None,
            };
            let t = only(s, c.schema)?;
            let OrderByKind::Expressions(keys) = &mut new.order_by.as_mut()?.kind else {
                return None;
            };
            let of = std::slice::from_ref(&t);
            if !keys.iter().any(|k| resolve(&k.expr, of).is_some_and(|(_, k)| certain_key(&t, k))) {
                return None;
            }
            let mut more = keys.first()?.clone();
            more.expr = parse_expr(&t.column(t.table.columns.last()?))?;
            keys.push(more);
            Some(new)
        })
    ),
    // The largest of the largest of parts. Over no rows both give one row with NULL.
    newer!(
        "extreme-of-extremes",
        Sound,
        3,
        "SELECT MAX(x) FROM t → SELECT MAX(m) FROM (SELECT MAX(x) AS m FROM t GROUP BY g), and the same for MIN",
        |c, q, rng| at_query(q, rng, |q| {
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            let (name, _, _) = aggregate(output(s)?)?;
            if !matches!(name.as_str(), "max" | "min") || !ungrouped(s) {
                return None;
            }
            rolled(q, s, &t, &name.to_uppercase(), "m")
        })
    ),
    // The parts' counts add up; over no rows there is no part, and SUM gives NULL for 0. With DISTINCT a
    // value that occurs in two parts would count twice.
    newer!(
        "count-of-counts",
        Sound,
        3,
        "SELECT COUNT(x) FROM t → SELECT COALESCE(SUM(n), 0) FROM (SELECT COUNT(x) AS n FROM t GROUP BY g), without DISTINCT",
        |c, q, rng| at_query(q, rng, |q| {
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            let (name, distinct, _) = aggregate(output(s)?)?;
            if name != "count" || distinct || !ungrouped(s) {
                return None;
            }
            rolled(q, s, &t, "SUM", "n")
        })
    ),
    // OVER () gives every row the same aggregate, and DISTINCT makes one of them.
    newer!(
        "aggregate-to-window",
        Candidate,
        2,
        "SELECT AVG(x) FROM t → SELECT DISTINCT AVG(x) OVER () FROM t, which has no row where t has none",
        |_, q, rng| at_query(q, rng, |q| {
            let s = only_select(q)?;
            let (_, distinct, _) = aggregate(output(s)?)?;
            if distinct || !ungrouped(s) || s.from.is_empty() {
                return None;
            }
            let mut s = s.clone();
            let call = output(&s)?.to_string();
            s.projection = parse_select(&format!("SELECT {call} OVER ()"))?.projection;
            s.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
            parse_query(&s.to_string())
        })
    ),
];

/// A column or expression compared with a whole number.
fn bounded(e: &Expr) -> Option<(&Expr, &B, i64)> {
    let (x, op, Expr::Value(v)) = comparison(e)? else {
        return None;
    };
    let Value::Number(n, _) = &v.value else {
        return None;
    };
    match x {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => Some((x, op, n.parse().ok()?)),
        _ => None,
    }
}

/// A column that holds integers by its name for people and for SQLite: an INT column of `TypeClass::Integer`,
/// not, say, a BOOLEAN.
fn whole(k: &Column) -> bool {
    k.class == TypeClass::Integer && k.affinity == Affinity::Integer
}

/// A column whose values are numbers by declared type and by affinity.
fn numeric(k: &Column) -> bool {
    matches!(k.class, TypeClass::Integer | TypeClass::Number)
        && matches!(k.affinity, Affinity::Integer | Affinity::Real | Affinity::Numeric)
}

/// The column is the whole primary key, and unique under every preset that keys hold in: a lone
/// key that is a foreign key too counts as half of one.
pub(super) fn certain_key(t: &FromTable<'_>, column: usize) -> bool {
    t.table.primary_key == [column] && !t.table.foreign_keys.iter().any(|k| k.columns.contains(&column))
}

/// One row of aggregates, whatever the rows are.
fn ungrouped(s: &sqlparser::ast::Select) -> bool {
    group_by(s).is_empty() && s.having.is_none() && s.distinct.is_none() && s.named_window.is_empty()
}

/// An aggregate of the same aggregate over groups by the table's last column.
fn rolled(
    q: &sqlparser::ast::Query,
    s: &sqlparser::ast::Select,
    t: &FromTable<'_>,
    outer: &str,
    stem: &str,
) -> Option<sqlparser::ast::Query> {
    let name = fresh(q, stem);
    let mut inner = s.clone();
    inner.projection = parse_select(&format!("SELECT {} AS {name}", output(s)?))?.projection;
    inner.group_by =
        GroupByExpr::Expressions(vec![parse_expr(&t.column(t.table.columns.last()?))?], Vec::new());
    let value = match outer {
        "SUM" => format!("COALESCE(SUM({name}), 0)"),
        _ => format!("{outer}({name})"),
    };
    parse_query(&format!("SELECT {value} FROM ({inner}) AS {}", fresh(q, "parts")))
}

/// Applies `f` to the outermost SELECT, if the query is one.
fn at_outermost(
    q: &sqlparser::ast::Query,
    f: &mut dyn FnMut(&mut sqlparser::ast::Select) -> Option<()>,
) -> Option<sqlparser::ast::Query> {
    let mut new = q.clone();
    let sqlparser::ast::SetExpr::Select(s) = new.body.as_mut() else {
        return None;
    };
    if !is_rowwise(s) {
        return None;
    }
    f(s)?;
    Some(new)
}
