//! What language models of 2025 write: chains of CTEs, ranks, conditional counts, shares, look-ups in scalar subqueries, parts
//! of dates, functions over texts, and guards that are hardly ever needed.
//!
//! As in [`super::shapes`] every query has one answer: a row number is over an order without ties, a rank gives ties one
//! rank, and a look-up asks for the least key among those of a name.

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use twinql_sql::TypeClass;

use super::shapes::{aggregated, columns, keys, list, ordering, outputs, tie_breakers};
use super::{Place, Sampler, Scope, Shape};

/// Shapes beside [`super::SHAPES`], where a configuration asks for them.
pub const MODEL_SHAPES: &[Shape] = &[
    Shape { name: "rows with functions", weight: 16, write: rows },
    Shape { name: "groups with names", weight: 12, write: groups },
    Shape { name: "conditional counts", weight: 10, write: conditional },
    Shape { name: "share", weight: 9, write: share },
    Shape { name: "look-up", weight: 7, write: look_up },
    Shape { name: "count beside a row", weight: 6, write: beside },
    Shape { name: "padded sum", weight: 5, write: padded },
    Shape { name: "without a partner", weight: 5, write: alone },
    Shape { name: "first of each", weight: 7, write: first_of_each },
    Shape { name: "ranked groups", weight: 6, write: ranked_groups },
    Shape { name: "chained expressions", weight: 8, write: chained },
    Shape { name: "filtered expression", weight: 6, write: filtered },
    Shape { name: "extreme of its kind", weight: 5, write: extreme_of_kind },
    Shape { name: "guarded first row", weight: 7, write: guarded_first },
    Shape { name: "by period", weight: 8, write: by_period },
    Shape { name: "difference", weight: 5, write: difference },
    Shape { name: "labelled counts", weight: 4, write: labelled },
    Shape { name: "above average group", weight: 4, write: above_average },
];

/// A table and one that refers to it, each under an alias, by a key of one column.
struct Kin {
    parent: Scope,
    child: Scope,
    /// The parent's key, and the child's reference to it.
    key: String,
    reference: String,
}

/// Two tables of a foreign key; the scopes are those of subqueries, so that both have aliases.
fn kin(s: &mut Sampler<'_>) -> Option<Kin> {
    let edge = s.single_edge()?;
    s.depth += 1;
    let scopes = (s.one(edge.parent), s.one(edge.child));
    s.depth -= 1;
    let (parent, child) = (scopes.0?, scopes.1?);
    let key = s.name(&parent, Place { source: 0, column: *edge.target.first()? })?;
    let reference = s.name(&child, Place { source: 0, column: *edge.columns.first()? })?;
    Some(Kin { parent, child, key, reference })
}

/// A column of the class as text.
fn of_class(s: &mut Sampler<'_>, scope: &Scope, class: TypeClass) -> Option<String> {
    let place = s.pick(scope, |s, p| !s.is_key(scope, p) && s.class(scope, p) == Some(class))?;
    s.name(scope, place)
}

/// `WHERE …`, sometimes with a guard that is seldom needed: `WHERE a IS NOT NULL AND …`.
fn guarded(s: &mut Sampler<'_>, scope: &Scope, share: f64) -> String {
    let filter = s.filter(scope, share);
    if !s.chance(0.25) {
        return filter;
    }
    let Some(place) = s.pick(scope, |s, p| s.column(scope, p).is_some_and(|c| !c.not_null)) else {
        return filter;
    };
    let Some(name) = s.name(scope, place) else {
        return filter;
    };
    match filter.strip_prefix(" WHERE ") {
        Some(condition) if condition.contains(" OR ") => {
            format!(" WHERE {name} IS NOT NULL AND ({condition})")
        }
        Some(condition) => format!(" WHERE {condition} AND {name} IS NOT NULL"),
        None => format!(" WHERE {name} IS NOT NULL"),
    }
}

/// A value made of a row's columns.
fn made(s: &mut Sampler<'_>, scope: &Scope) -> Option<String> {
    Some(match s.rng.random_range(0..12) {
        0 => format!("LOWER({})", of_class(s, scope, TypeClass::Text)?),
        1 => format!("TRIM({})", of_class(s, scope, TypeClass::Text)?),
        2 => format!("LENGTH({})", of_class(s, scope, TypeClass::Text)?),
        3 => format!("SUBSTR({}, 1, {})", of_class(s, scope, TypeClass::Text)?, s.rng.random_range(1..5)),
        4 => {
            let (a, b) = (of_class(s, scope, TypeClass::Text)?, of_class(s, scope, TypeClass::Text)?);
            let between = *["' '", "', '", "' - '"].choose(&mut s.rng)?;
            format!("{a} || {between} || {b}")
        }
        5 => format!("COALESCE({}, 'unknown')", of_class(s, scope, TypeClass::Text)?),
        6 => format!("COALESCE({}, 0)", s.measure_name(scope)?),
        7 => format!("ROUND({}, {})", s.measure_name(scope)?, s.rng.random_range(0..3)),
        8 => {
            let (a, b) = (s.measure_name(scope)?, s.measure_name(scope)?);
            match s.rng.random_range(0..4) {
                0 => format!("{a} + {b}"),
                1 => format!("{a} - {b}"),
                2 => format!("{a} * {b}"),
                _ => format!("{a} * 1.0 / NULLIF({b}, 0)"),
            }
        }
        9 => {
            let format = *["%Y", "%m", "%Y-%m"].choose(&mut s.rng)?;
            format!("STRFTIME('{format}', {})", of_class(s, scope, TypeClass::Time)?)
        }
        10 => {
            let condition = s.condition(scope)?;
            let (yes, no) = *[("'Yes'", "'No'"), ("'High'", "'Low'"), ("1", "0")].choose(&mut s.rng)?;
            match s.chance(0.4) {
                true => format!("IIF({condition}, {yes}, {no})"),
                false => format!("CASE WHEN {condition} THEN {yes} ELSE {no} END"),
            }
        }
        _ => {
            let measure = s.measure(scope)?;
            let (column, name) = (s.column(scope, measure)?, s.name(scope, measure)?);
            let (a, b) = (s.literal(column), s.literal(column));
            format!("CASE WHEN {name} > {a} THEN 'large' WHEN {name} > {b} THEN 'medium' ELSE 'small' END")
        }
    })
}

/// `SELECT a, LOWER(b) AS value FROM … WHERE …`.
fn rows(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(usize::MAX)?;
    let places = outputs(s, &scope)?;
    let mut items = list(s, &scope, &places)?;
    if s.chance(0.7) {
        let alias = s.output_name("value");
        items.push_str(&format!(", {} AS {alias}", made(s, &scope)?));
    }
    let filter = guarded(s, &scope, 0.9);
    let distinct = if s.chance(0.35) { "DISTINCT " } else { "" };
    let names: Vec<String> = places.iter().filter_map(|&p| s.name(&scope, p)).collect();
    let order = ordering(s, &names, 0.2);
    Some(format!("SELECT {distinct}{items} FROM {}{filter}{order}", scope.from))
}

/// `SELECT a, COUNT(*) AS total FROM … GROUP BY a HAVING COUNT(*) > 1 ORDER BY total DESC`.
fn groups(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(usize::MAX)?;
    let keys = keys(s, &scope)?;
    let names = list(s, &scope, &keys)?;
    let (total, value) = (s.output_name("total"), s.output_name("mean"));
    let filter = guarded(s, &scope, 0.5);
    let measure = s.measure(&scope);
    let second = match measure {
        Some(place) if s.chance(0.5) => format!(", ROUND(AVG({}), 2) AS {value}", s.name(&scope, place)?),
        _ => String::new(),
    };
    let counted = match s.chance(0.3) {
        true => format!("COUNT(DISTINCT {})", s.label_name(&scope)?),
        false => "COUNT(*)".to_owned(),
    };
    let having = match s.rng.random_range(0..6) {
        0 => format!(" HAVING {counted} > {}", s.rng.random_range(1..4)),
        1 => format!(" HAVING {total} >= {}", s.rng.random_range(1..4)),
        _ => String::new(),
    };
    let order = if s.chance(0.3) { format!(" ORDER BY {total} DESC, {names}") } else { String::new() };
    Some(format!(
        "SELECT {names}, {counted} AS {total}{second} FROM {}{filter} GROUP BY {names}{having}{order}",
        scope.from
    ))
}

/// A count or a sum of the rows that meet a condition, in the ways in which it is written, and what it is a part of.
fn counted_where(s: &mut Sampler<'_>, scope: &Scope, condition: &str) -> Option<(String, String)> {
    let measure = match s.measure(scope) {
        Some(place) => s.name(scope, place)?,
        None => return Some((format!("COUNT(CASE WHEN {condition} THEN 1 END)"), "COUNT(*)".into())),
    };
    let part = match s.rng.random_range(0..9) {
        0 | 1 => format!("COUNT(*) FILTER (WHERE {condition})"),
        2 => format!("SUM(CASE WHEN {condition} THEN 1 ELSE 0 END)"),
        3 => format!("COUNT(CASE WHEN {condition} THEN 1 END)"),
        4 => format!("SUM(IIF({condition}, 1, 0))"),
        5 => format!("TOTAL({condition})"),
        6 => return Some((format!("SUM({measure}) FILTER (WHERE {condition})"), format!("SUM({measure})"))),
        7 => {
            let part = format!("SUM(CASE WHEN {condition} THEN {measure} ELSE 0 END)");
            return Some((part, format!("SUM({measure})")));
        }
        _ => {
            return Some((
                format!("AVG(CASE WHEN {condition} THEN {measure} END)"),
                format!("AVG({measure})"),
            ));
        }
    };
    Some((part, "COUNT(*)".into()))
}

/// `SELECT a, COUNT(*) FILTER (WHERE b = 1), SUM(CASE WHEN c THEN d ELSE 0 END) FROM … GROUP BY a`.
fn conditional(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(usize::MAX)?;
    let mut items = Vec::new();
    for _ in 0..s.rng.random_range(1..3) {
        let condition = s.condition(&scope)?;
        items.push(counted_where(s, &scope, &condition)?.0);
    }
    let filter = guarded(s, &scope, 0.3);
    if s.chance(0.4) {
        return Some(format!("SELECT {} FROM {}{filter}", items.join(", "), scope.from));
    }
    let key = s.label_name(&scope)?;
    Some(format!("SELECT {key}, {} FROM {}{filter} GROUP BY {key}", items.join(", "), scope.from))
}

/// A share, in per cent or not: `CAST(SUM(CASE WHEN a THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*)`.
fn share(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(usize::MAX)?;
    let condition = s.condition(&scope)?;
    let (part, all) = counted_where(s, &scope, &condition)?;
    let all = if s.chance(0.3) { format!("NULLIF({all}, 0)") } else { all };
    let ratio = match s.rng.random_range(0..5) {
        0 => format!("CAST({part} AS REAL) * 100 / {all}"),
        1 => format!("{part} * 100.0 / {all}"),
        2 => format!("100.0 * {part} / {all}"),
        3 => format!("{part} * 1.0 / {all}"),
        _ => format!("CAST({part} AS REAL) / {all}"),
    };
    let ratio = if s.chance(0.35) { format!("ROUND({ratio}, 2)") } else { ratio };
    let filter = guarded(s, &scope, 0.35);
    if s.chance(0.75) {
        return Some(format!("SELECT {ratio} FROM {}{filter}", scope.from));
    }
    let key = s.label_name(&scope)?;
    Some(format!("SELECT {key}, {ratio} FROM {}{filter} GROUP BY {key}", scope.from))
}

/// `SELECT c.a FROM child c WHERE c.parent_id = (SELECT MIN(p.id) FROM parent p WHERE p.name = 'x')`, or IN.
fn look_up(s: &mut Sampler<'_>) -> Option<String> {
    let Kin { parent, child, key, reference } = kin(s)?;
    // Either side may be looked up.
    let (outer, own, inner, other) = match s.chance(0.6) {
        true => (child, reference, parent, key),
        false => (parent, key, child, reference),
    };
    let condition = s.condition(&inner)?;
    let from = format!("{} WHERE {condition}", inner.from);
    let wanted = match s.rng.random_range(0..4) {
        0 => format!("= (SELECT MIN({other}) FROM {from})"),
        1 => format!("= (SELECT MAX({other}) FROM {from})"),
        2 => format!("IN (SELECT {other} FROM {from})"),
        _ => format!("IN (SELECT DISTINCT {other} FROM {from})"),
    };
    let more = s.more(&outer, 0.4)?;
    let items = match s.chance(0.5) {
        true => columns(s, &outer)?,
        false => aggregated(s, &outer)?,
    };
    Some(format!("SELECT {items} FROM {} WHERE {own} {wanted}{more}", outer.from))
}

/// `SELECT p.a, (SELECT COUNT(*) FROM child c WHERE c.parent_id = p.id) AS n FROM parent p`.
fn beside(s: &mut Sampler<'_>) -> Option<String> {
    let Kin { parent, child, key, reference } = kin(s)?;
    let items = columns(s, &parent)?;
    let value = aggregated(s, &child)?;
    let more = s.more(&child, 0.4)?;
    let n = s.output_name("n");
    let filter = guarded(s, &parent, 0.4);
    let counted = format!("(SELECT {value} FROM {} WHERE {reference} = {key}{more})", child.from);
    if s.chance(0.3) {
        let least = s.rng.random_range(0..3);
        return Some(format!("SELECT {items} FROM {} WHERE {counted} > {least}", parent.from));
    }
    Some(format!("SELECT {items}, {counted} AS {n} FROM {}{filter}", parent.from))
}

/// `SELECT p.a, COALESCE(SUM(c.b), 0) FROM parent p LEFT JOIN child c ON c.parent_id = p.id GROUP BY p.id, p.a`.
fn padded(s: &mut Sampler<'_>) -> Option<String> {
    let Kin { parent, child, key, reference } = kin(s)?;
    let label = s.label_name(&parent)?;
    let value = match s.measure(&child) {
        Some(place) if s.chance(0.6) => {
            let name = s.name(&child, place)?;
            let function = *["SUM", "MAX", "AVG"].choose(&mut s.rng)?;
            match s.chance(0.7) {
                true => format!("COALESCE({function}({name}), 0)"),
                false => format!("{function}({name})"),
            }
        }
        _ => format!("COUNT({reference})"),
    };
    let on = s.more(&child, 0.25)?;
    let group = if label == key { key.clone() } else { format!("{key}, {label}") };
    let filter = guarded(s, &parent, 0.3);
    Some(format!(
        "SELECT {label}, {value} FROM {} LEFT JOIN {} ON {reference} = {key}{on}{filter} GROUP BY {group}",
        parent.from, child.from
    ))
}

/// Rows to which nothing refers: NOT EXISTS, NOT IN with a guard, or LEFT JOIN with IS NULL.
fn alone(s: &mut Sampler<'_>) -> Option<String> {
    let Kin { parent, child, key, reference } = kin(s)?;
    let places = outputs(s, &parent)?;
    let items = match s.chance(0.3) {
        true => "COUNT(*)".to_owned(),
        false => list(s, &parent, &places)?,
    };
    let more = s.more(&child, 0.35)?;
    Some(match s.rng.random_range(0..3) {
        0 => format!(
            "SELECT {items} FROM {} WHERE NOT EXISTS (SELECT 1 FROM {} WHERE {reference} = {key}{more})",
            parent.from, child.from
        ),
        1 => format!(
            "SELECT {items} FROM {} WHERE {key} NOT IN (SELECT {reference} FROM {} WHERE {reference} IS NOT NULL{more})",
            parent.from, child.from
        ),
        _ => format!(
            "SELECT {items} FROM {} LEFT JOIN {} ON {reference} = {key}{more} WHERE {reference} IS NULL",
            parent.from, child.from
        ),
    })
}

/// The first row of each kind, by a number or a rank that a derived table or a CTE gives:
/// `SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c DESC, id) AS place FROM …) AS r WHERE place = 1`.
fn first_of_each(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let item = s.label_name(&scope)?;
    let (part, measure) = (s.label_name(&scope)?, s.measure_name(&scope)?);
    let (at, out, ranked) = (s.output_name("place"), s.output_name("item"), s.output_name("ranked"));
    let partition = if s.chance(0.6) { format!("PARTITION BY {part} ") } else { String::new() };
    let direction = if s.chance(0.7) { " DESC" } else { "" };
    let call = match s.rng.random_range(0..3) {
        0 => format!(
            "ROW_NUMBER() OVER ({partition}ORDER BY {measure}{direction}, {})",
            tie_breakers(s, &scope)?.join(", ")
        ),
        1 => format!("RANK() OVER ({partition}ORDER BY {measure}{direction})"),
        _ => format!("DENSE_RANK() OVER ({partition}ORDER BY {measure}{direction})"),
    };
    let filter = guarded(s, &scope, 0.4);
    let inner = format!("SELECT {item} AS {out}, {call} AS {at} FROM {}{filter}", scope.from);
    let wanted = *["= 1", "= 1", "<= 3", "= 2"].choose(&mut s.rng)?;
    Some(match s.chance(0.5) {
        true => format!("WITH {ranked} AS ({inner}) SELECT {out} FROM {ranked} WHERE {at} {wanted}"),
        false => format!("SELECT {out} FROM ({inner}) AS {ranked} WHERE {at} {wanted}"),
    })
}

/// The largest groups, ties among them: `WITH totals AS (SELECT a AS k, COUNT(*) AS n …) SELECT k FROM (SELECT k, RANK() OVER …)`.
fn ranked_groups(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let key = s.label_name(&scope)?;
    let value = aggregated(s, &scope)?;
    let filter = guarded(s, &scope, 0.4);
    let [totals, k, n, at, r] = ["totals", "k", "n", "place", "r"].map(|stem| s.output_name(stem));
    let direction = if s.chance(0.75) { " DESC" } else { "" };
    let wanted = *["= 1", "= 1", "<= 2"].choose(&mut s.rng)?;
    let with = format!(
        "WITH {totals} AS (SELECT {key} AS {k}, {value} AS {n} FROM {}{filter} GROUP BY {key})",
        scope.from
    );
    Some(match s.rng.random_range(0..3) {
        0 => format!(
            "{with} SELECT {k}, {n} FROM (SELECT {k}, {n}, RANK() OVER (ORDER BY {n}{direction}) AS {at} FROM {totals}) AS {r} WHERE {at} {wanted}"
        ),
        1 => format!("{with} SELECT {k} FROM {totals} WHERE {n} = (SELECT MAX({n}) FROM {totals})"),
        _ => format!(
            "{with} SELECT {k}, {n} * 100.0 / (SELECT SUM({n}) FROM {totals}) FROM {totals} WHERE {n} > {}",
            s.rng.random_range(0..3)
        ),
    })
}

/// CTEs of which one reads another: totals for each key, their extreme or mean, and the rows that reach it.
fn chained(s: &mut Sampler<'_>) -> Option<String> {
    let Kin { parent, child, key, reference } = kin(s)?;
    let value = aggregated(s, &child)?;
    let filter = guarded(s, &child, 0.4);
    let [totals, top, k, n, m] = ["totals", "top", "k", "n", "m"].map(|stem| s.output_name(stem));
    let (function, operator) =
        *[("MAX", "="), ("MIN", "="), ("AVG", ">"), ("AVG", "<")].choose(&mut s.rng)?;
    let label = s.label_name(&parent)?;
    let with = format!(
        "WITH {totals} AS (SELECT {reference} AS {k}, {value} AS {n} FROM {}{filter} GROUP BY {reference}), {top} AS (SELECT {function}({n}) AS {m} FROM {totals})",
        child.from
    );
    let joined = format!("{} JOIN {totals} ON {totals}.{k} = {key}", parent.from);
    Some(match s.chance(0.5) {
        true => format!(
            "{with} SELECT {label}, {totals}.{n} FROM {joined} WHERE {totals}.{n} {operator} (SELECT {m} FROM {top})"
        ),
        false => format!(
            "{with} SELECT {label} FROM {joined} CROSS JOIN {top} WHERE {totals}.{n} {operator} {top}.{m}"
        ),
    })
}

/// A CTE that keeps some rows, joined and grouped: `WITH chosen AS (SELECT * FROM child WHERE …) SELECT p.a, COUNT(*) FROM …`.
fn filtered(s: &mut Sampler<'_>) -> Option<String> {
    let Kin { parent, child, key, reference } = kin(s)?;
    let condition = s.condition(&child)?;
    let [chosen, k] = ["chosen", "k"].map(|stem| s.output_name(stem));
    let label = s.label_name(&parent)?;
    let with = format!("WITH {chosen} AS (SELECT {reference} AS {k} FROM {} WHERE {condition})", child.from);
    let filter = guarded(s, &parent, 0.4);
    Some(match s.rng.random_range(0..3) {
        0 => format!(
            "{with} SELECT {label}, COUNT(*) FROM {} JOIN {chosen} ON {chosen}.{k} = {key}{filter} GROUP BY {label}",
            parent.from
        ),
        1 => format!(
            "{with} SELECT DISTINCT {label} FROM {} JOIN {chosen} ON {chosen}.{k} = {key}{filter}",
            parent.from
        ),
        _ => format!("{with} SELECT {label} FROM {} WHERE {key} IN (SELECT {k} FROM {chosen})", parent.from),
    })
}

/// `SELECT a FROM t AS x WHERE x.b = (SELECT MAX(y.b) FROM t AS y WHERE y.c = x.c)`: the extreme among its like.
fn extreme_of_kind(s: &mut Sampler<'_>) -> Option<String> {
    let table = s.any_table()?;
    s.depth += 1;
    let scopes = (s.one(table), s.one(table));
    s.depth -= 1;
    let (outer, inner) = (scopes.0?, scopes.1?);
    let (measure, like) = (s.measure(&outer)?, s.label(&outer)?);
    let [x, y] = [&outer, &inner].map(|scope| s.name(scope, measure));
    let [a, b] = [&outer, &inner].map(|scope| s.name(scope, like));
    let (x, y, a, b) = (x?, y?, a?, b?);
    let items = columns(s, &outer)?;
    let (function, operator) = *[("MAX", "="), ("MIN", "="), ("AVG", ">")].choose(&mut s.rng)?;
    let more = s.more(&outer, 0.3)?;
    Some(format!(
        "SELECT {items} FROM {} WHERE {x} {operator} (SELECT {function}({y}) FROM {} WHERE {b} = {a}){more}",
        outer.from, inner.from
    ))
}

/// `SELECT a FROM … WHERE b IS NOT NULL ORDER BY b DESC, id LIMIT 1`.
fn guarded_first(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let items = columns(s, &scope)?;
    let by = s.measure_name(&scope)?;
    let guard = if s.chance(0.5) { format!("{by} IS NOT NULL") } else { String::new() };
    let filter = match (s.filter(&scope, 0.5).strip_prefix(" WHERE "), guard.is_empty()) {
        (Some(condition), true) => format!(" WHERE {condition}"),
        (Some(condition), false) => format!(" WHERE ({condition}) AND {guard}"),
        (None, true) => String::new(),
        (None, false) => format!(" WHERE {guard}"),
    };
    let direction = *[" DESC", " DESC", " ASC", ""].choose(&mut s.rng)?;
    let nulls = if s.chance(0.1) { " NULLS LAST" } else { "" };
    let limit = *[1, 1, 1, 3, 5, 10].choose(&mut s.rng)?;
    Some(format!(
        "SELECT {items} FROM {}{filter} ORDER BY {by}{direction}{nulls}, {} LIMIT {limit}",
        scope.from,
        tie_breakers(s, &scope)?.join(", ")
    ))
}

/// Rows of a year or a month, or counted by it: `STRFTIME('%Y', d) = '2015'`, `d LIKE '2015-%'`, `SUBSTR(d, 1, 4)`, bounds.
fn by_period(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let date = of_class(s, &scope, TypeClass::Time)?;
    if s.chance(0.4) {
        let period = match s.rng.random_range(0..3) {
            0 => format!("STRFTIME('%Y', {date})"),
            1 => format!("SUBSTR({date}, 1, {})", *[4, 7].choose(&mut s.rng)?),
            _ => format!("STRFTIME('%Y-%m', {date})"),
        };
        let value = aggregated(s, &scope)?;
        let filter = guarded(s, &scope, 0.4);
        return Some(format!("SELECT {period}, {value} FROM {}{filter} GROUP BY {period}", scope.from));
    }
    let year = s.rng.random_range(2008..2024);
    let condition = match s.rng.random_range(0..7) {
        0 => format!("STRFTIME('%Y', {date}) = '{year}'"),
        1 => format!("{date} LIKE '{year}-%'"),
        2 => format!("SUBSTR({date}, 1, 4) = '{year}'"),
        3 => format!("{date} >= '{year}-01-01' AND {date} < '{}-01-01'", year + 1),
        4 => format!("{date} BETWEEN '{year}-01-01' AND '{year}-12-31'"),
        5 => format!("CAST(STRFTIME('%Y', {date}) AS INTEGER) > {year}"),
        _ => format!("STRFTIME('%m', {date}) = '{:02}'", s.rng.random_range(1..13)),
    };
    let more = s.more(&scope, 0.4)?;
    let items = match s.chance(0.5) {
        true => columns(s, &scope)?,
        false => aggregated(s, &scope)?,
    };
    Some(format!("SELECT {items} FROM {} WHERE {condition}{more}", scope.from))
}

/// `SELECT (SELECT COUNT(*) FROM t WHERE a) - (SELECT COUNT(*) FROM t WHERE b)`, or the same by conditional sums.
fn difference(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.from(0)?;
    let [one, two] = [s.condition(&scope)?, s.condition(&scope)?];
    let value = aggregated(s, &scope)?;
    if one == two {
        return None;
    }
    Some(match s.rng.random_range(0..3) {
        0 => format!(
            "SELECT SUM(CASE WHEN {one} THEN 1 ELSE 0 END) - SUM(CASE WHEN {two} THEN 1 ELSE 0 END) FROM {}",
            scope.from
        ),
        1 => format!(
            "SELECT (SELECT {value} FROM {from} WHERE {one}) - (SELECT {value} FROM {from} WHERE {two})",
            from = scope.from
        ),
        _ => format!(
            "SELECT CAST((SELECT {value} FROM {from} WHERE {one}) AS REAL) / NULLIF((SELECT {value} FROM {from} WHERE {two}), 0)",
            from = scope.from
        ),
    })
}

/// `SELECT 'x' AS kind, COUNT(*) FROM t WHERE a UNION ALL SELECT 'y', COUNT(*) FROM t WHERE b`.
fn labelled(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let [one, two] = [s.condition(&scope)?, s.condition(&scope)?];
    let value = aggregated(s, &scope)?;
    let kind = s.output_name("kind");
    (one != two).then(|| {
        format!(
            "SELECT 'first' AS {kind}, {value} FROM {from} WHERE {one} UNION ALL SELECT 'second', {value} FROM {from} WHERE {two}",
            from = scope.from
        )
    })
}

/// `… GROUP BY a HAVING COUNT(*) > (SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM … GROUP BY a))`.
fn above_average(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.from(0)?;
    let key = s.label_name(&scope)?;
    let value = aggregated(s, &scope)?;
    let (n, per) = (s.output_name("n"), s.output_name("per_key"));
    let (function, operator) =
        *[("AVG", ">"), ("AVG", "<"), ("MAX", "="), ("MIN", "=")].choose(&mut s.rng)?;
    Some(format!(
        "SELECT {key} FROM {from} GROUP BY {key} HAVING {value} {operator} (SELECT {function}({n}) FROM (SELECT {value} AS {n} FROM {from} GROUP BY {key}) AS {per})",
        from = scope.from
    ))
}
