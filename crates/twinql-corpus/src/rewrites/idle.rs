//! Rewrites that add what does nothing: arithmetic with 0, casts, bounds that others imply, conditions that
//! every group meets. The second catalogue: what normalisation rules undo and no earlier rewrite made.
//!
//! Arithmetic and casts take a column's affinity away, and what a value is compared with is then converted no
//! more (<https://sqlite.org/datatype3.html#affinity>). So the columns are numeric and the constants numbers:
//! nothing had to be converted before.

use rand::seq::IndexedMutRandom as _;
use sqlparser::ast::{BinaryOperator as B, Expr, Query, Select, SelectItem, Value};
use twinql_sql::{Affinity, Column, TypeClass};

use super::ast::{
    FromTable, aggregate, bare, conjuncts, counts_rows, distinct, filtered, fresh, group_by, grouped,
    is_column, is_plain, is_rowwise, items, nested, only, only_select, outermost, output, par, parse_expr,
    parse_query, reordered, require, resolve, somewhere, sources, with_body, with_item, with_outputs,
};
use super::predicates::{bounded, comparison, named};
use super::{Claim::Plausible, Claim::Sound, Rewrite, newer};
use crate::walk;

pub(super) const RULES: &[Rewrite] = &[
    // `x >= 5` → `x >= 5 AND x >= 3`.
    // Of numbers: as texts '20' > '10' and not '20' > '8'.
    newer("add-implied-bound", Sound, 2)
        .law("x > n → x > n AND x > n - 2, and the same for <, where x is a numeric column and n a whole number")
        .expr(|c, e| {
            let (x, op, n) = bounded_column(e)?;
            require(named(c, x, numeric))?;
            let other = match op {
                B::Gt | B::GtEq => n.checked_sub(2)?,
                B::Lt | B::LtEq => n.checked_add(2)?,
                _ => return None,
            };
            let x = par(x);
            nested(&format!("{x} {op} {n} AND {x} {op} {other}"))
        }),
    // `x > 5` → `x + 1 > 6`. Of whole numbers, since 1 added to a large real may leave it as it is.
    newer("compare-sum", Sound, 2).law("x > n → x + 1 > n + 1, where x is a column of whole numbers").expr(
        |c, e| {
            let (x, op, n) = bounded_column(e)?;
            // Beyond this SQLite's integers become reals.
            require(n.abs() < 1_000_000_000 && named(c, x, whole))?;
            nested(&format!("{} + 1 {op} {}", par(x), n + 1))
        },
    ),
    // Adding 0 keeps every number as it is, and only takes the affinity away.
    newer("compare-with-zero-added", Sound, 1).law("x > n → x + 0 > n, where x is a numeric column").expr(
        |c, e| {
            let (x, op, n) = bounded_column(e)?;
            require(named(c, x, numeric))?;
            nested(&format!("{} + 0 {op} {n}", par(x)))
        },
    ),
    // A CAST of what has the type already. It would cut off the fraction of any other number.
    newer("compare-cast", Sound, 1)
        .law("x > n → CAST(x AS INTEGER) > n, where x is a column of whole numbers")
        .expr(|c, e| {
            let (x, op, n) = bounded_column(e)?;
            require(named(c, x, whole))?;
            nested(&format!("CAST({x} AS INTEGER) {op} {n}"))
        }),
    // In a subquery an outer query would read the column without its affinity.
    newer("output-with-zero-added", Sound, 1)
        .law("SELECT x → SELECT x + 0, in the outermost query, where x is a column of whole numbers")
        .whole(|c, q, rng| {
            let mut s = outermost(q).filter(|s| is_rowwise(s))?.clone();
            let mut able: Vec<&mut Expr> = Vec::new();
            for item in &mut s.projection {
                match item {
                    SelectItem::UnnamedExpr(e) if named(c, bare(e), whole) => able.push(e),
                    _ => {}
                }
            }
            // A copy of the dice.
            let e = able.choose_mut(&mut rng.clone())?;
            **e = parse_expr(&format!("{e} + 0"))?;
            Some(with_body(q, s))
        }),
    // Letters of ASCII alone: LOWER changes no others, and LIKE ignores the case of no others.
    newer("like-in-lower-case", Sound, 2)
        .law("x LIKE p → LOWER(x) LIKE p: LIKE has no case (https://sqlite.org/lang_expr.html)")
        .expr(|c, e| {
            let Expr::Like { expr, negated: _, any: _, pattern: _, escape_char: _ } = e else {
                return None;
            };
            require(named(c, bare(expr), |k| k.affinity == Affinity::Text))?;
            let mut new = e.clone();
            if let Expr::Like { expr, negated: _, any: _, pattern: _, escape_char: _ } = &mut new {
                **expr = parse_expr(&format!("LOWER({expr})"))?;
            }
            Some(new)
        }),
    // `p IS TRUE` is false where p is NULL; both drop the row.
    newer("is-true", Sound, 2).law("WHERE p AND q → WHERE p IS TRUE AND q, where p is a comparison").whole(
        |_, q, rng| {
            let mut dice = rng.clone();
            somewhere(q, rng, walk::selects, |s| {
                let mut parts = conjuncts(s.selection.as_ref());
                let mut able: Vec<&mut Expr> = parts.iter_mut().filter(|p| comparison(p).is_some()).collect();
                let part = able.choose_mut(&mut dice)?;
                **part = nested(&format!("({}) IS TRUE", bare(part)))?;
                Some(filtered(s, &parts))
            })
        },
    ),
    // What VALUES gives has no affinity, so x's is applied to it, as to the members of a list.
    newer("in-list-to-values", Sound, 2)
        .law("x IN (a, b) → x IN (VALUES (a), (b)), where x is a column and a, b are constants")
        .expr(|_, e| {
            let Expr::InList { expr, list, negated } = e else {
                return None;
            };
            require(!list.is_empty() && list.iter().all(|v| matches!(bare(v), Expr::Value(_))))?;
            let rows: Vec<String> = list.iter().map(|v| format!("({v})")).collect();
            let not = if *negated { "NOT " } else { "" };
            parse_expr(&format!("{} {not}IN (VALUES {})", par(expr), rows.join(", ")))
        }),
    // Of text alone: a number that equals 1 may be the real 1.0. Equal texts have the same bytes, in SQLite's
    // usual collation.
    newer("pin-output", Sound, 3)
        .law(
            "SELECT x … WHERE x = 'a' → SELECT 'a' … WHERE x = 'a', where x is a text column that the \
             query does not group by",
        )
        .select(|c, s| {
            require(is_rowwise(s))?;
            let parts = conjuncts(s.selection.as_ref());
            items(s)?;
            with_item(s, |output| {
                let output = bare(output);
                let equal = parts.iter().find_map(|p| match comparison(p)? {
                    (x, B::Eq, v @ Expr::Value(k))
                        if x == output && matches!(k.value, Value::SingleQuotedString(_)) =>
                    {
                        Some(v.clone())
                    }
                    _ => None,
                });
                equal.filter(|_| named(c, output, |k| k.affinity == Affinity::Text))
            })
        }),
    // Not where HAVING stands: its condition would have to be kept.
    newer("add-trivial-having", Sound, 2)
        .law("GROUP BY g → GROUP BY g HAVING COUNT(*) >= 1: a group has a row")
        .select(|_, s| {
            require(!group_by(s).is_empty() && s.having.is_none())?;
            Some(Select { having: Some(parse_expr("COUNT(*) >= 1")?), ..s.clone() })
        }),
    // A group has a row, so that SUM is not NULL; without GROUP BY there may be none.
    newer("count-to-sum-of-ones", Sound, 2)
        .law("SELECT COUNT(*) … GROUP BY g → SELECT SUM(1) … GROUP BY g")
        .select(|_, s| {
            require(!group_by(s).is_empty())?;
            with_item(s, |e| if counts_rows(e) { parse_expr("SUM(1)") } else { None })
        }),
    // All rows of a group have the same key, and it is their maximum.
    newer("group-key-to-extreme", Sound, 2)
        .law("SELECT g, f(x) … GROUP BY g → SELECT MAX(g), f(x) … GROUP BY g, where f is an aggregate")
        .select(|_, s| {
            let keys = group_by(s);
            let outputs = items(s)?;
            // Beside a lone MAX, bare columns are those of its row: there must be none.
            let plain = |e: &&Expr| keys.contains(e) || aggregate(e).is_some();
            require(outputs.iter().all(plain) && outputs.iter().any(|e| aggregate(e).is_some()))?;
            with_item(s, |e| if keys.contains(e) { parse_expr(&format!("MAX({e})")) } else { None })
        }),
    // The key determines the row, and so x: the groups stay what they were. After outer joins, a row of NULLs
    // has NULL for both.
    newer("group-by-more", Sound, 2)
        .law("GROUP BY key → GROUP BY key, x, where key is the primary key of x's table and no foreign key")
        .select(|c, s| {
            let all = sources(s, c.schema)?;
            let mut keys = group_by(s).to_vec();
            let (t, k) = keys.iter().find_map(|k| resolve(k, &all))?;
            let t = all.get(t)?;
            require(certain_key(t, k))?;
            let columns = t.table.columns.iter().filter_map(|k| parse_expr(&t.column(k)));
            let other = columns.rev().find(|k| !keys.contains(k))?;
            let place = resolve(&other, &all);
            require(place.is_none() || keys.iter().all(|k| resolve(k, &all) != place))?;
            keys.push(other);
            Some(grouped(s, keys))
        }),
    // No two rows are alike in the key, so a later one decides nothing.
    newer("add-sort-key", Sound, 1)
        .law(
            "ORDER BY key → ORDER BY key, x, where key is the primary key of the only table and no \
             foreign key",
        )
        .query(|c, q| {
            let t = only(outermost(q).filter(|s| is_rowwise(s))?, c.schema)?;
            reordered(q, |keys| {
                require(keys.iter().any(|k| t.place(&k.expr).is_some_and(|k| certain_key(&t, k))))?;
                let mut more = keys.first()?.clone();
                more.expr = parse_expr(&t.column(t.table.columns.last()?))?;
                keys.push(more);
                Some(())
            })
        }),
    // The largest of the largest of parts. Over no rows both give one row with NULL.
    newer("extreme-of-extremes", Sound, 3)
        .law(
            "SELECT MAX(x) FROM t → SELECT MAX(m) FROM (SELECT MAX(x) AS m FROM t GROUP BY g), and the \
             same for MIN",
        )
        .query(|c, q| {
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            let (name, _, _) = aggregate(output(s)?)?;
            require(matches!(name.as_str(), "max" | "min") && one_row(s))?;
            rolled(q, s, &t, "m", |m| format!("{}({m})", name.to_uppercase()))
        }),
    // The parts' counts add up; over no rows there is no part, and SUM gives NULL for 0. With DISTINCT a
    // value that occurs in two parts would count twice.
    newer("count-of-counts", Sound, 3)
        .law(
            "SELECT COUNT(x) FROM t → SELECT COALESCE(SUM(n), 0) FROM (SELECT COUNT(x) AS n FROM t GROUP \
             BY g), without DISTINCT",
        )
        .query(|c, q| {
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            let (name, distinct, _) = aggregate(output(s)?)?;
            require(name == "count" && !distinct && one_row(s))?;
            rolled(q, s, &t, "n", |n| format!("COALESCE(SUM({n}), 0)"))
        }),
    // OVER () gives every row the same aggregate, and DISTINCT makes one of them.
    newer("aggregate-to-window", Plausible, 2)
        .law(
            "SELECT AVG(x) FROM t → SELECT DISTINCT AVG(x) OVER () FROM t, which has no row where t has \
             none",
        )
        .query(|_, q| {
            let s = only_select(q)?;
            let call = output(s)?;
            let (_, of_distinct, _) = aggregate(call)?;
            require(!of_distinct && one_row(s) && !s.from.is_empty())?;
            parse_query(&distinct(&with_outputs(s, &format!("{call} OVER ()"))?).to_string())
        }),
];

/// A column compared with a whole number.
fn bounded_column(e: &Expr) -> Option<(&Expr, &B, i64)> {
    bounded(e).filter(|(x, _, _)| is_column(x))
}

/// A column that holds integers by its name for people and for SQLite: an INT column of `TypeClass::Integer`,
/// not, say, a BOOLEAN.
fn whole(k: &Column) -> bool {
    k.class == TypeClass::Integer && k.affinity == Affinity::Integer
}

/// A column whose values are numbers by declared type and by affinity.
fn numeric(k: &Column) -> bool {
    matches!(k.class, TypeClass::Integer | TypeClass::Number) && k.affinity.is_numeric()
}

/// The column is the whole primary key, and unique under every preset that keys hold in: a lone
/// key that is a foreign key too counts as half of one.
pub(super) fn certain_key(t: &FromTable<'_>, column: usize) -> bool {
    t.table.primary_key == [column] && !t.table.foreign_keys.iter().any(|k| k.columns.contains(&column))
}

/// One row of aggregates, whatever the rows are.
fn one_row(s: &Select) -> bool {
    is_plain(s) && s.named_window.is_empty()
}

/// What `outer` makes of the same aggregate of each group by the table's last column; `stem` is its name.
fn rolled(
    q: &Query,
    s: &Select,
    t: &FromTable<'_>,
    stem: &str,
    outer: impl Fn(&str) -> String,
) -> Option<Query> {
    let name = fresh(q, stem);
    let inner = with_outputs(s, &format!("{} AS {name}", output(s)?))?;
    let inner = grouped(&inner, vec![parse_expr(&t.column(t.table.columns.last()?))?]);
    parse_query(&format!("SELECT {} FROM ({inner}) AS {}", outer(&name), fresh(q, "parts")))
}
