//! Rewrites that add a table, an arm or a condition that changes nothing, and other ways to ask for
//! an extreme row. The second catalogue.
//!
//! What is added has to be seen through: a join that keeps every row once, a condition that follows from the
//! others, an arm without rows. The ways to ask for an extreme differ where ties or NULLs stand at the top;
//! these are candidates, and the suite tells which pairs a database keeps apart.

use sqlparser::ast::{BinaryOperator as B, Expr, Select};

use super::ast::{
    Context, FromTable, aggregate, and_also, columns_of, conjuncts, filtered, fresh, group_by, is_rowwise,
    is_wildcard, only, only_select, order_keys, outermost, output, parse_expr, parse_query, plain, require,
    resolve, sources, with_from,
};
use super::idle::certain_key;
use super::joins::inner_conditions;
use super::predicates::comparison;
use super::{Claim::Plausible, Claim::Sound, Rewrite, newer};

pub(super) const RULES: &[Rewrite] = &[
    // `SELECT a.n FROM a` → `SELECT a.n FROM a LEFT JOIN (SELECT id AS k FROM b) AS d ON a.b_id = d.k`: LEFT
    // JOIN loses no row, and a key is there once at most, so that none is repeated. `*` would show d.
    newer("add-left-join", Sound, 3)
        .law(
            "FROM a → FROM a LEFT JOIN (SELECT key AS k FROM b) AS d ON a.x = d.k, along a foreign key to \
             a table with a certain key; nothing reads d",
        )
        .select(|c, s| {
            let t = only(s, c.schema)?;
            require(!s.projection.iter().any(is_wildcard))?;
            let (child, parent, target) = t.table.foreign_keys.iter().find_map(|key| {
                let (&[child], &[target]) = (key.columns.as_slice(), key.target_columns.as_slice()) else {
                    return None;
                };
                let parent = c.schema.tables.get(key.target)?;
                let of = FromTable { name: parent.name.clone(), table: parent };
                certain_key(&of, target).then_some((child, parent, target))
            })?;
            let (alias, k) = (fresh(s, "extra"), fresh(s, "extra_key"));
            let (from, key) = (s.from.first()?, plain(&parent.columns.get(target)?.name));
            let derived = format!("SELECT {key} AS {k} FROM {}", plain(&parent.name));
            let x = t.column(t.table.columns.get(child)?);
            with_from(s, &format!("{from} LEFT JOIN ({derived}) AS {alias} ON {x} = {alias}.{k}"))
        }),
    // The row finds itself, by a key that is not NULL.
    newer("add-exists", Sound, 3)
        .law(
            "FROM t WHERE p → FROM t WHERE p AND EXISTS (SELECT 1 FROM t AS u WHERE u.key = t.key): the \
             row itself",
        )
        .select(|c, s| {
            let all = sources(s, c.schema)?;
            // Rows that an outer join fills up have no key.
            inner_conditions(s)?;
            let (t, key) = all.iter().find_map(|t| Some((t, t.key()?)))?;
            let other = fresh(s, "again");
            let (table, column, own) = (plain(&t.table.name), plain(&key.name), t.column(key));
            let again = format!("EXISTS (SELECT 1 FROM {table} AS {other} WHERE {other}.{column} = {own})");
            Some(and_also(s, parse_expr(&again)?))
        }),
    // Rowwise, since an aggregate without groups gives a row for the empty arm too.
    newer("add-empty-arm", Sound, 2)
        .law("q → q UNION ALL q WHERE 1 = 0, where q is one SELECT without grouping")
        .query(|_, q| {
            let s = only_select(q)?;
            require(is_rowwise(s) && !s.from.is_empty())?;
            parse_query(&format!("{s} UNION ALL {}", and_also(s, parse_expr("1 = 0")?)))
        }),
    // `a.x = b.y AND a.x > 5` → `… AND b.y > 5`. Equality carries a comparison over only if the constant is
    // converted alike for both columns: hence the same affinity and class.
    newer("copy-filter-over-join", Sound, 3)
        .law("a.x = b.y AND a.x > n → … AND b.y > n, where x and y have one type")
        .select(|c, s| {
            let all = sources(s, c.schema)?;
            let parts = conjuncts(s.selection.as_ref());
            let mut equal = parts.clone();
            equal.extend(inner_conditions(s)?.iter().flat_map(|on| conjuncts(Some(on))));
            let same =
                |x: &Expr, y: &Expr| resolve(x, &all).is_some() && resolve(x, &all) == resolve(y, &all);
            let new = parts.iter().find_map(|p| {
                let (x, op, v @ Expr::Value(_)) = comparison(p)? else { return None };
                equal.iter().find_map(|e| {
                    let (l, B::Eq, r) = comparison(e)? else { return None };
                    let other = match (same(x, l), same(x, r)) {
                        (true, false) => r,
                        (false, true) => l,
                        _ => return None,
                    };
                    let [a, b] = [x, other].map(|e| {
                        let (s, k) = resolve(e, &all)?;
                        all.get(s)?.table.columns.get(k)
                    });
                    let (a, b) = (a?, b?);
                    let text = format!("{other} {op} {v}");
                    let known = parts.iter().any(|p| p.to_string() == text);
                    (a.affinity == b.affinity && a.class == b.class && !known).then_some(text)
                })
            })?;
            Some(and_also(s, parse_expr(&new)?))
        }),
    // No x is above the largest, and `>=` with NULL is no more true than `=`.
    newer("equal-extreme-to-bound", Sound, 3)
        .law("x = (SELECT MAX(x) FROM t) → x >= (SELECT MAX(x) FROM t), over t itself; <= for MIN")
        .select(|c, s| {
            let (mut parts, at, e) = extreme(c, s)?;
            let op = if e.max { ">=" } else { "<=" };
            *parts.get_mut(at)? = parse_expr(&format!("{} {op} {}", e.left, e.subquery))?;
            Some(filtered(s, &parts))
        }),
    // Where x is NULL, no row is beyond it: NOT EXISTS keeps the row and `=` drops it.
    newer("equal-extreme-to-not-exists", Plausible, 3)
        .law(
            "x = (SELECT MAX(x) FROM t) → NOT EXISTS (SELECT 1 FROM t AS u WHERE u.x > t.x), where x is \
             not NULL",
        )
        .select(|c, s| {
            let (mut parts, at, e) = extreme(c, s)?;
            let other = fresh(s, "beyond");
            let op = if e.max { ">" } else { "<" };
            *parts.get_mut(at)? = parse_expr(&format!(
                "NOT EXISTS (SELECT 1 FROM {} AS {other} WHERE {other}.{} {op} {})",
                e.table, e.column, e.qualified
            ))?;
            Some(filtered(s, &parts))
        }),
    // A rank is 1 for all rows that tie at the top, as with `=`; NULLs have ranks as well.
    newer("equal-extreme-to-rank", Plausible, 3)
        .law(
            "SELECT a FROM t WHERE x = (SELECT MAX(x) FROM t) → SELECT a FROM (SELECT a, RANK() OVER \
             (ORDER BY x DESC) AS r FROM t) WHERE r = 1, where x is not NULL",
        )
        .query(|c, q| {
            let s = only_select(q)?;
            let (parts, _, e) = extreme(c, s)?;
            let t = only(s, c.schema)?;
            require(is_rowwise(s) && parts.len() == 1)?;
            let item = output(s)?;
            columns_of(item, std::slice::from_ref(&t))?;
            let direction = if e.max { " DESC" } else { "" };
            let (v, r, d) = (fresh(q, "v"), fresh(q, "place"), fresh(q, "ranked"));
            let rank = format!("RANK() OVER (ORDER BY {}{direction})", e.left);
            let ranked = format!("SELECT {item} AS {v}, {rank} AS {r} FROM {}", s.from.first()?);
            parse_query(&format!("SELECT {v} FROM ({ranked}) AS {d} WHERE {r} = 1"))
        }),
    // Where several rows tie, LIMIT 1 gives one of them; where x is NULL in all, the other query gives none.
    newer("first-row-to-extreme", Plausible, 3)
        .law(
            "SELECT a FROM t ORDER BY x DESC LIMIT 1 → SELECT a FROM t WHERE x = (SELECT MAX(x) FROM t), \
             where x is unique",
        )
        .query(|c, q| {
            let s = outermost(q)?;
            let t = only(s, c.schema)?;
            require(is_rowwise(s) && s.selection.is_none() && q.with.is_none())?;
            require(q.limit_clause.as_ref()?.to_string().trim() == "LIMIT 1")?;
            let [key] = order_keys(q)? else { return None };
            let name = plain(&t.find(&key.expr)?.name);
            let function = if key.to_string().ends_with(" DESC") { "MAX" } else { "MIN" };
            let table = plain(&t.table.name);
            parse_query(&format!("{s} WHERE {} = (SELECT {function}({name}) FROM {table})", key.expr))
        }),
];

/// A condition `x = (SELECT MAX(x) FROM t)` of a SELECT over t.
struct Extreme {
    max: bool,
    left: String,
    subquery: String,
    table: String,
    column: String,
    /// The column with the table's name or alias.
    qualified: String,
}

/// The conjuncts of WHERE, and the place among them of such a condition. The subquery must be over the same table and the same
/// column, without a filter: with one, the largest x of all rows may be above it.
fn extreme(c: &Context<'_>, s: &Select) -> Option<(Vec<Expr>, usize, Extreme)> {
    let t = only(s, c.schema)?;
    let parts = conjuncts(s.selection.as_ref());
    let (at, found) = parts.iter().enumerate().find_map(|(at, p)| {
        let (left, B::Eq, right) = comparison(p)? else { return None };
        let Expr::Subquery(q) = right else { return None };
        let inner = only_select(q)?;
        let of = only(inner, c.schema)?;
        let (name, _, argument) = aggregate(output(inner)?)?;
        let (place, same) = (t.place(left)?, of.place(&parse_expr(&argument)?)?);
        let whole = inner.selection.is_none() && inner.having.is_none() && group_by(inner).is_empty();
        require(whole && matches!(name.as_str(), "max" | "min"))?;
        require(std::ptr::eq(t.table, of.table) && place == same)?;
        let column = t.table.columns.get(place)?;
        Some((
            at,
            Extreme {
                max: name == "max",
                left: left.to_string(),
                subquery: right.to_string(),
                table: plain(&t.table.name),
                column: plain(&column.name),
                qualified: t.column(column),
            },
        ))
    })?;
    Some((parts, at, found))
}
