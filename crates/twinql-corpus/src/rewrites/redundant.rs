//! Rewrites that add a table, an arm or a condition that changes nothing, and other ways to ask for
//! an extreme row. The second catalogue.
//!
//! What is added has to be seen through: a join that keeps every row once, a condition that follows from the
//! others, an arm without rows. The ways to ask for an extreme differ where ties or NULLs stand at the top;
//! these are candidates, and the suite tells which pairs a database keeps apart.

use sqlparser::ast::{BinaryOperator as B, Expr, Select, SelectItem};

use super::ast::{
    Context, FromTable, aggregate, and, at_query, at_select, columns_of, conjuncts, fresh, is_rowwise, only,
    only_select, output, parse_expr, parse_query, parse_select, plain, resolve, sources,
};
use super::idle::{certain_key, newer};
use super::predicates::comparison;
use super::{Claim::Candidate, Claim::Sound, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    // `SELECT a.n FROM a` → `SELECT a.n FROM a LEFT JOIN (SELECT id AS k FROM b) AS d ON a.b_id = d.k`: LEFT
    // JOIN loses no row, and a key is there once at most, so that none is repeated. `*` would show d.
    newer!(
        "add-left-join",
        Sound,
        3,
        "FROM a → FROM a LEFT JOIN (SELECT key AS k FROM b) AS d ON a.x = d.k, along a foreign key to a table with a certain key; nothing reads d",
        |c, q, rng| at_select(q, rng, |s| {
            let t = only(s, c.schema)?;
            if wild(s) {
                return None;
            }
            let (child, parent, target) = t.table.foreign_keys.iter().find_map(|key| {
                let (&[child], &[target]) = (key.columns.as_slice(), key.target_columns.as_slice()) else {
                    return None;
                };
                let parent = c.schema.tables.get(key.target)?;
                let of = FromTable { name: parent.name.clone(), table: parent };
                certain_key(&of, target).then_some((child, parent, target))
            })?;
            let (alias, k) = (fresh(s, "extra"), fresh(s, "extra_key"));
            let from = s.from.first()?;
            let mut s = s.clone();
            s.from = parse_select(&format!(
                "SELECT 1 FROM {from} LEFT JOIN (SELECT {} AS {k} FROM {}) AS {alias} ON {} = {alias}.{k}",
                plain(&parent.columns.get(target)?.name),
                plain(&parent.name),
                t.column(t.table.columns.get(child)?),
            ))?
            .from;
            Some(s)
        })
    ),
    // The row finds itself, by a key that is not NULL.
    newer!(
        "add-exists",
        Sound,
        3,
        "FROM t WHERE p → FROM t WHERE p AND EXISTS (SELECT 1 FROM t AS u WHERE u.key = t.key): the row itself",
        |c, q, rng| at_select(q, rng, |s| {
            let all = sources(s, c.schema)?;
            // Rows that an outer join fills up have no key.
            super::joins::inner_conditions(s)?;
            let t = all.iter().find(|t| t.table.primary_key.len() == 1)?;
            let key = t.table.columns.get(*t.table.primary_key.first()?)?;
            let other = fresh(s, "again");
            let mut s = s.clone();
            let mut parts = conjuncts(s.selection.as_ref());
            parts.push(parse_expr(&format!(
                "EXISTS (SELECT 1 FROM {} AS {other} WHERE {other}.{} = {})",
                plain(&t.table.name),
                plain(&key.name),
                t.column(key)
            ))?);
            s.selection = and(&parts);
            Some(s)
        })
    ),
    // Rowwise, since an aggregate without groups gives a row for the empty arm too.
    newer!(
        "add-empty-arm",
        Sound,
        2,
        "q → q UNION ALL q WHERE 1 = 0, where q is one SELECT without grouping",
        |_, q, rng| at_query(q, rng, |q| {
            let s = only_select(q)?;
            if !is_rowwise(s) || s.from.is_empty() {
                return None;
            }
            let mut empty = s.clone();
            let mut parts = conjuncts(s.selection.as_ref());
            parts.push(parse_expr("1 = 0")?);
            empty.selection = and(&parts);
            parse_query(&format!("{s} UNION ALL {empty}"))
        })
    ),
    // `a.x = b.y AND a.x > 5` → `… AND b.y > 5`. Equality carries a comparison over only if the constant is
    // converted alike for both columns: hence the same affinity and class.
    newer!(
        "copy-filter-over-join",
        Sound,
        3,
        "a.x = b.y AND a.x > n → … AND b.y > n, where x and y have one type",
        |c, q, rng| at_select(q, rng, |s| {
            let all = sources(s, c.schema)?;
            let mut equal: Vec<Expr> = conjuncts(s.selection.as_ref());
            for on in super::joins::inner_conditions(s)? {
                equal.extend(conjuncts(Some(&on)));
            }
            let mut parts = conjuncts(s.selection.as_ref());
            let same =
                |x: &Expr, y: &Expr| resolve(x, &all).is_some() && resolve(x, &all) == resolve(y, &all);
            let new = parts.iter().find_map(|p| {
                let (x, op, v @ Expr::Value(_)) = comparison(p)? else {
                    return None;
                };
                equal.iter().find_map(|e| {
                    let (l, B::Eq, r) = comparison(e)? else {
                        return None;
                    };
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
            parts.push(parse_expr(&new)?);
            let mut s = s.clone();
            s.selection = and(&parts);
            Some(s)
        })
    ),
    // No x is above the largest, and `>=` with NULL is no more true than `=`.
    newer!(
        "equal-extreme-to-bound",
        Sound,
        3,
        "x = (SELECT MAX(x) FROM t) → x >= (SELECT MAX(x) FROM t), over t itself; <= for MIN",
        |c, q, rng| at_select(q, rng, |s| {
            let (at, e) = extreme(c, s)?;
            let mut parts = conjuncts(s.selection.as_ref());
            let op = if e.max { ">=" } else { "<=" };
            *parts.get_mut(at)? = parse_expr(&format!("{} {op} {}", e.left, e.subquery))?;
            let mut s = s.clone();
            s.selection = and(&parts);
            Some(s)
        })
    ),
    // Where x is NULL, no row is beyond it: NOT EXISTS keeps the row and `=` drops it.
    newer!(
        "equal-extreme-to-not-exists",
        Candidate,
        3,
        "x = (SELECT MAX(x) FROM t) → NOT EXISTS (SELECT 1 FROM t AS u WHERE u.x > t.x), where x is not NULL",
        |c, q, rng| at_select(q, rng, |s| {
            let (at, e) = extreme(c, s)?;
            let mut parts = conjuncts(s.selection.as_ref());
            let other = fresh(s, "beyond");
            let op = if e.max { ">" } else { "<" };
            *parts.get_mut(at)? = parse_expr(&format!(
                "NOT EXISTS (SELECT 1 FROM {} AS {other} WHERE {other}.{} {op} {})",
                e.table, e.column, e.qualified
            ))?;
            let mut s = s.clone();
            s.selection = and(&parts);
            Some(s)
        })
    ),
    // A rank is 1 for all rows that tie at the top, as with `=`; NULLs have ranks as well.
    newer!(
        "equal-extreme-to-rank",
        Candidate,
        3,
        "SELECT a FROM t WHERE x = (SELECT MAX(x) FROM t) → SELECT a FROM (SELECT a, RANK() OVER (ORDER BY x DESC) AS r FROM t) WHERE r = 1, where x is not NULL",
        |c, q, rng| at_query(q, rng, |q| {
            let s = only_select(q)?;
            let (at, e) = extreme(c, s)?;
            let t = only(s, c.schema)?;
            if !is_rowwise(s) || conjuncts(s.selection.as_ref()).len() != 1 || at != 0 {
                return None;
            }
            let item = output(s)?;
            columns_of(item, std::slice::from_ref(&t))?;
            let direction = if e.max { " DESC" } else { "" };
            let (v, r, d) = (fresh(q, "v"), fresh(q, "place"), fresh(q, "ranked"));
            parse_query(&format!(
                "SELECT {v} FROM (SELECT {item} AS {v}, RANK() OVER (ORDER BY {}{direction}) AS {r} FROM {}) AS {d} WHERE {r} = 1",
                e.left,
                s.from.first()?
            ))
        })
    ),
    // Where several rows tie, LIMIT 1 gives one of them; where x is NULL in all, the other query gives none.
    newer!(
        "first-row-to-extreme",
        Candidate,
        3,
        "SELECT a FROM t ORDER BY x DESC LIMIT 1 → SELECT a FROM t WHERE x = (SELECT MAX(x) FROM t), where x is unique",
        |c, q, rng| at_query(q, rng, |q| {
            let sqlparser::ast::SetExpr::Select(s) = q.body.as_ref() else {
                return None;
            };
            let t = only(s, c.schema)?;
            if !is_rowwise(s) || s.selection.is_some() || q.with.is_some() {
                return None;
            }
            if q.limit_clause.as_ref()?.to_string().trim() != "LIMIT 1" {
                return None;
            }
            let sqlparser::ast::OrderByKind::Expressions(keys) = &q.order_by.as_ref()?.kind else {
                return None;
            };
            let [key] = keys.as_slice() else { return None };
            let (_, column) = resolve(&key.expr, std::slice::from_ref(&t))?;
            let name = plain(&t.table.columns.get(column)?.name);
            let function = if key.to_string().ends_with(" DESC") { "MAX" } else { "MIN" };
            let table = plain(&t.table.name);
            parse_query(&format!("{s} WHERE {} = (SELECT {function}({name}) FROM {table})", key.expr))
        })
    ),
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

/// The place among the conjuncts of such a condition. The subquery must be over the same table and the same
/// column, without a filter: with one, the largest x of all rows may be above it.
fn extreme(c: &Context<'_>, s: &Select) -> Option<(usize, Extreme)> {
    let t = only(s, c.schema)?;
    let parts = conjuncts(s.selection.as_ref());
    parts.iter().enumerate().find_map(|(at, p)| {
        let (left, B::Eq, right) = comparison(p)? else {
            return None;
        };
        let Expr::Subquery(q) = right else { return None };
        let inner = only_select(q)?;
        let of = only(inner, c.schema)?;
        let (name, _, argument) = aggregate(output(inner)?)?;
        let (_, column) = resolve(left, std::slice::from_ref(&t))?;
        let (_, same) = resolve(&parse_expr(&argument)?, std::slice::from_ref(&of))?;
        let whole =
            inner.selection.is_none() && inner.having.is_none() && super::ast::group_by(inner).is_empty();
        let known = matches!(name.as_str(), "max" | "min");
        if !whole || !known || !std::ptr::eq(t.table, of.table) || column != same {
            return None;
        }
        let column = t.table.columns.get(column)?;
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
    })
}

/// True if a SELECT takes all columns.
fn wild(s: &Select) -> bool {
    s.projection
        .iter()
        .any(|item| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(_, _)))
}
