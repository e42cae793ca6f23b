//! Rewrites of aggregates.
//!
//! Two facts decide which are sound (<https://sqlite.org/lang_aggfunc.html>): aggregates skip NULLs, but for
//! COUNT(*); and over no rows COUNT gives 0 and all others NULL. A rewrite that meets either on a database
//! of the semantics is a candidate, for the suite to judge.

use sqlparser::ast::{Expr, JoinOperator as J, Select};

use super::ast::{
    Context, FromTable, aggregate, counts_rows, distinct, is_column, is_plain, is_ungrouped, item_mut,
    nested, only, only_select, output, parse_expr, parse_query, parse_select, require, resolve, sources,
    with_outputs,
};
use super::{Claim::Plausible, Claim::Sound, Rewrite, rule};

pub(super) const RULES: &[Rewrite] = &[
    // COUNT(x) counts the rows where x is not NULL, and 1 never is.
    rule("count-star-to-one", Sound, 1)
        .law("COUNT(*) → COUNT(1)")
        .expr(|_, e| if counts_rows(e) { parse_expr("COUNT(1)") } else { None }),
    rule("count-one-to-star", Sound, 1).law("COUNT(1) → COUNT(*)").expr(|_, e| {
        require(aggregate(e)? == ("count".into(), false, "1".into()))?;
        parse_expr("COUNT(*)")
    }),
    // An outer join would fill c with NULL, which COUNT(c) does not count.
    rule("count-star-to-key", Sound, 3)
        .law("COUNT(*) → COUNT(c), where c is a NOT NULL column and all joins are inner")
        .select(|c, s| {
            let all = inner(c, s)?;
            let mut columns = all.iter().flat_map(|t| t.table.columns.iter().map(move |k| (t, k)));
            let (t, column) = columns.find(|(_, k)| k.not_null)?;
            recounted(s, &t.column(column))
        }),
    // The reverse: a column that is never NULL counts every row.
    rule("count-key-to-star", Sound, 3)
        .law("COUNT(c) → COUNT(*), where c is a NOT NULL column and all joins are inner")
        .select(|c, s| {
            let all = inner(c, s)?;
            replaced(s, |e| {
                let (name, distinct, column) = aggregate(e)?;
                require(name == "count" && !distinct)?;
                let (t, k) = resolve(&parse_expr(&column)?, &all)?;
                all.get(t)?.table.columns.get(k)?.not_null.then(|| parse_expr("COUNT(*)"))?
            })
        }),
    // Each row has a key of its own. Not over a join, which repeats them.
    rule("count-to-distinct-key", Sound, 3)
        .law("COUNT(*) → COUNT(DISTINCT key), over one table with a key of one column")
        .select(|c, s| {
            let t = only(s, c.schema)?;
            recounted(s, &format!("DISTINCT {}", t.column(t.key()?)))
        }),
    // The reverse: no two rows have the same key.
    rule("count-distinct-key-to-star", Sound, 3)
        .law("COUNT(DISTINCT key) → COUNT(*), over one table")
        .select(|c, s| {
            let t = only(s, c.schema)?;
            replaced(s, |e| {
                let (name, distinct, column) = aggregate(e)?;
                let k = t.place(&parse_expr(&column)?)?;
                (name == "count" && distinct && t.table.primary_key == [k]).then(|| parse_expr("COUNT(*)"))?
            })
        }),
    // `SELECT COUNT(*) FROM t WHERE x > 1` → `SELECT COUNT(CASE WHEN x > 1 THEN 1 END) FROM t`: CASE is NULL
    // where WHERE dropped the row. With GROUP BY, a group that had lost all its rows would show with 0.
    rule("count-where-to-case", Sound, 3)
        .law("SELECT COUNT(*) … WHERE p → SELECT COUNT(CASE WHEN p THEN 1 END) …, without GROUP BY")
        .select(|_, s| {
            let p = lone_count(s)?.selection.as_ref()?;
            let count = parse_select(&format!("SELECT COUNT(CASE WHEN {p} THEN 1 END)"))?;
            Some(Select { from: s.from.clone(), ..count })
        }),
    // Over no rows COUNT gives 0 and SUM NULL.
    rule("count-where-to-sum", Plausible, 2)
        .law("SELECT COUNT(*) … WHERE p → SELECT SUM(CASE WHEN p THEN 1 ELSE 0 END) …")
        .select(|_, s| {
            let p = lone_count(s)?.selection.as_ref()?;
            let sum = parse_select(&format!("SELECT SUM(CASE WHEN {p} THEN 1 ELSE 0 END)"))?;
            Some(Select { from: s.from.clone(), ..sum })
        }),
    // The derived table has a row for each of FROM's, whatever it holds.
    rule("count-of-derived", Sound, 2)
        .law("SELECT COUNT(*) FROM … → SELECT COUNT(*) FROM (SELECT 1 FROM …)")
        .select(|_, s| {
            let inner = with_outputs(lone_count(s)?, "1 AS one")?;
            parse_select(&format!("SELECT COUNT(*) FROM ({inner}) AS counted"))
        }),
    // DISTINCT keeps one NULL, and COUNT(x) skips it.
    rule("count-distinct-of-derived", Sound, 3)
        .law("SELECT COUNT(DISTINCT x) … → SELECT COUNT(x) FROM (SELECT DISTINCT x …)")
        .select(|_, s| {
            let (name, of_distinct, x) = aggregate(output(s)?)?;
            require(name == "count" && of_distinct && x != "*" && is_plain(s))?;
            let inner = distinct(&with_outputs(s, &format!("{x} AS counted"))?);
            parse_select(&format!("SELECT COUNT(counted) FROM ({inner}) AS d"))
        }),
    // AVG skips NULLs as both SUM and COUNT(x) do, and is a real, hence 1.0; NULL over no rows, as SUM is.
    rule("average-to-sum", Sound, 2).law("AVG(x) → SUM(x) * 1.0 / COUNT(x)").expr(|_, e| {
        let (name, distinct, x) = aggregate(e)?;
        (name == "avg" && !distinct).then(|| nested(&format!("SUM({x}) * 1.0 / COUNT({x})")))?
    }),
    // A real where SUM of whole numbers is whole, with rounding; NULL * 0 over no rows.
    rule("sum-to-average", Plausible, 1).law("SUM(x) → AVG(x) * COUNT(x)").expr(|_, e| {
        let (name, distinct, x) = aggregate(e)?;
        (name == "sum" && !distinct).then(|| nested(&format!("AVG({x}) * COUNT({x})")))?
    }),
    // Beside a bare column it is not sound: SQLite takes that from another row then.
    rule("extreme-distinct", Plausible, 1).law("MAX(x) → MAX(DISTINCT x)").expr(|_, e| {
        let (name, distinct, x) = aggregate(e)?;
        (matches!(name.as_str(), "max" | "min") && !distinct)
            .then(|| parse_expr(&format!("{name}(DISTINCT {x})")))?
    }),
    // Over no rows MAX gives a row with NULL and LIMIT 1 none. MIN skips NULLs, which ORDER BY puts first.
    rule("extreme-to-order", Plausible, 3).law("SELECT MAX(x) … → SELECT x … ORDER BY x DESC LIMIT 1").query(
        |_, q| {
            let s = only_select(q).filter(|s| is_plain(s))?;
            let (name, _, x) = aggregate(output(s)?)?;
            let way = match name.as_str() {
                "max" => "DESC",
                "min" => "ASC",
                _ => return None,
            };
            parse_query(&format!("{} ORDER BY {x} {way} LIMIT 1", with_outputs(s, &x)?))
        },
    ),
    // `SELECT name FROM t ORDER BY age DESC LIMIT 1` → `SELECT name FROM t WHERE age = (SELECT MAX(age) FROM
    // t)`: what people mean by the first, but all rows that tie come out, and none where all ages are NULL.
    rule("order-to-extreme", Plausible, 3)
        .law(
            "SELECT … FROM t WHERE p ORDER BY x DESC LIMIT 1 → … WHERE x = (SELECT MAX(x) FROM t WHERE p) \
             AND p",
        )
        .query(|c, q| {
            let mut bare_query = q.clone();
            let order = bare_query.order_by.take()?;
            let limit = bare_query.limit_clause.take()?.to_string();
            let s = only_select(&bare_query)?;
            sources(s, c.schema)?;
            require(limit.trim() == "LIMIT 1" && is_ungrouped(s))?;
            // The key as it is written, without its direction; NULLS FIRST and the like leave no plain
            // column.
            let text = order.to_string();
            let key = text.strip_prefix("ORDER BY ")?;
            let (x, f) = match (key.strip_suffix(" DESC"), key.strip_suffix(" ASC")) {
                (Some(x), _) => (x, "MAX"),
                (_, Some(x)) => (x, "MIN"),
                _ => (key, "MIN"),
            };
            require(!x.contains(',') && is_column(&parse_expr(x)?))?;
            // The extreme is that of the rows that the filter leaves, and the outer rows have to pass it too.
            let inner = Select { distinct: None, ..with_outputs(s, &format!("{f}({x})"))? };
            let p = s.selection.as_ref().map_or(String::new(), |p| format!(" AND ({p})"));
            let selection = parse_expr(&format!("{x} = ({inner}){p}"));
            parse_query(&Select { selection, ..s.clone() }.to_string())
        }),
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
    (is_plain(s) && counts_rows(output(s)?)).then_some(s)
}

/// The SELECT with `COUNT(of)` for `COUNT(*)`.
fn recounted(s: &Select, of: &str) -> Option<Select> {
    replaced(s, |e| if counts_rows(e) { parse_expr(&format!("COUNT({of})")) } else { None })
}

/// Replaces every expression in outputs and HAVING where `f` has something to say;
/// subqueries are other scopes and stay.
fn replaced(s: &Select, f: impl Fn(&Expr) -> Option<Expr>) -> Option<Select> {
    let mut s = s.clone();
    let having = match &mut s.having {
        Some(Expr::BinaryOp { left, op: _, right: _ }) => Some(left.as_mut()),
        _ => None,
    };
    let mut changed = false;
    for e in s.projection.iter_mut().filter_map(item_mut).chain(having) {
        if let Some(new) = f(e) {
            *e = new;
            changed = true;
        }
    }
    changed.then_some(s)
}
