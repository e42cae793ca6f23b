//! What the outermost query is like.
//!
//! Each shape writes text from the sampler's pieces. All keep the rule of the grammar that a query has one
//! answer: LIMIT stands only behind an order without ties, a grouped query selects keys and aggregates, and
//! a running sum or a row number is over an order without ties too. Weights follow what golds of Spider and
//! BIRD are made of: rows and groups mostly.

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use twinql_sql::TypeClass;

use super::{Place, Sampler, Scope};

/// A kind of query.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// How often it is drawn, compared with the others.
    pub weight: u32,
    /// Writes one; none where the schema has nothing for it.
    pub write: fn(&mut Sampler<'_>) -> Option<String>,
}

/// Every shape.
pub const SHAPES: &[Shape] = &[
    Shape { name: "rows", weight: 26, write: rows },
    Shape { name: "groups", weight: 20, write: groups },
    Shape { name: "aggregate", weight: 12, write: aggregate },
    Shape { name: "first rows", weight: 10, write: first_rows },
    Shape { name: "first groups", weight: 6, write: first_groups },
    Shape { name: "set operation", weight: 9, write: set_operation },
    Shape { name: "case", weight: 6, write: case },
    Shape { name: "window", weight: 6, write: window },
    Shape { name: "common table expression", weight: 6, write: common_table },
    Shape { name: "derived table", weight: 4, write: derived },
];

/// One to three different columns.
pub(super) fn outputs(s: &mut Sampler<'_>, scope: &Scope) -> Option<Vec<Place>> {
    let count = *[1, 1, 2, 2, 3].choose(&mut s.rng)?;
    let mut out = Vec::new();
    for _ in 0..count {
        let place = s.label(scope)?;
        if !out.contains(&place) {
            out.push(place);
        }
    }
    Some(out)
}

/// The columns as text, with commas.
pub(super) fn list(s: &Sampler<'_>, scope: &Scope, places: &[Place]) -> Option<String> {
    let names: Option<Vec<String>> = places.iter().map(|&p| s.name(scope, p)).collect();
    Some(names?.join(", "))
}

/// One to three different columns as text.
pub(super) fn columns(s: &mut Sampler<'_>, scope: &Scope) -> Option<String> {
    let places = outputs(s, scope)?;
    list(s, scope, &places)
}

/// An aggregate as text.
pub(super) fn aggregated(s: &mut Sampler<'_>, scope: &Scope) -> Option<String> {
    let measure = s.measure(scope);
    Some(match (s.rng.random_range(0..10), measure) {
        (0..=3, _) | (_, None) => "count(*)".to_owned(),
        (4, _) => format!("count(DISTINCT {})", s.label_name(scope)?),
        (_, Some(place)) => {
            let function = *["sum", "avg", "min", "max", "avg", "max"].choose(&mut s.rng)?;
            format!("{function}({})", s.name(scope, place)?)
        }
    })
}

/// An aggregate, and another one in this share of cases.
fn aggregates(s: &mut Sampler<'_>, scope: &Scope, share: f64) -> Option<Vec<String>> {
    let mut all = vec![aggregated(s, scope)?];
    if s.chance(share) {
        let second = aggregated(s, scope)?;
        if !all.contains(&second) {
            all.push(second);
        }
    }
    Some(all)
}

/// ` ORDER BY …` over what is selected; ties are of equal rows, or of no matter.
pub(super) fn ordering(s: &mut Sampler<'_>, items: &[String], share: f64) -> String {
    if !s.chance(share) {
        return String::new();
    }
    let Some(item) = items.choose(&mut s.rng).cloned() else {
        return String::new();
    };
    let direction = if s.chance(0.4) { " DESC" } else { "" };
    format!(" ORDER BY {item}{direction}")
}

/// `SELECT [DISTINCT] a, b FROM … WHERE … ORDER BY a`, now and then `SELECT *`.
fn rows(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(usize::MAX)?;
    let places = outputs(s, &scope)?;
    let items = list(s, &scope, &places)?;
    let filter = s.filter(&scope, 0.85);
    let distinct = if s.chance(0.2) { "DISTINCT " } else { "" };
    let names: Vec<String> = places.iter().filter_map(|&p| s.name(&scope, p)).collect();
    let order = ordering(s, &names, 0.2);
    let items = match scope.sources.as_slice() {
        [_] if distinct.is_empty() && order.is_empty() && s.chance(0.06) => "*".to_owned(),
        _ => items,
    };
    Some(format!("SELECT {distinct}{items} FROM {}{filter}{order}", scope.from))
}

/// Group keys: one or two columns, with the key of their table where it is only a name.
pub(super) fn keys(s: &mut Sampler<'_>, scope: &Scope) -> Option<Vec<Place>> {
    let mut keys = vec![s.label(scope)?];
    if s.chance(0.25) {
        let second = s.label(scope)?;
        if !keys.contains(&second) {
            keys.push(second);
        }
    }
    Some(keys)
}

/// What grouped queries have in common: what FROM reads, the keys, the aggregates, and all from FROM to
/// HAVING as text.
fn grouped(s: &mut Sampler<'_>) -> Option<(Scope, Vec<Place>, Vec<String>, String)> {
    let scope = s.joined(usize::MAX)?;
    let keys = keys(s, &scope)?;
    let aggregates = aggregates(s, &scope, 0.25)?;
    let filter = s.filter(&scope, 0.4);
    let having = match s.chance(0.35) {
        true => having(s, &scope)?,
        false => String::new(),
    };
    let group = list(s, &scope, &keys)?;
    let tail = format!(" FROM {}{filter} GROUP BY {group}{having}", scope.from);
    Some((scope, keys, aggregates, tail))
}

/// ` HAVING …` with a count, or with an aggregate of a measure and a constant of its type.
fn having(s: &mut Sampler<'_>, scope: &Scope) -> Option<String> {
    let measure = s.measure(scope);
    Some(match (s.chance(0.65), measure) {
        (false, Some(place)) => {
            let column = s.column(scope, place)?;
            let literal = s.literal(column);
            let function = *["avg", "sum", "max", "min"].choose(&mut s.rng)?;
            let operator = *[">", "<", ">="].choose(&mut s.rng)?;
            format!(" HAVING {function}({}) {operator} {literal}", s.name(scope, place)?)
        }
        _ => {
            let operator = *[">", ">=", "=", "<"].choose(&mut s.rng)?;
            format!(" HAVING count(*) {operator} {}", s.rng.random_range(1..4))
        }
    })
}

/// `SELECT a, count(*) FROM … GROUP BY a HAVING …`, now and then without its keys or its aggregates.
fn groups(s: &mut Sampler<'_>) -> Option<String> {
    let (scope, keys, aggregates, tail) = grouped(s)?;
    let names: Vec<String> = keys.iter().filter_map(|&p| s.name(&scope, p)).collect();
    let mut items = match s.chance(0.85) {
        true => names.clone(),
        false => Vec::new(),
    };
    // Without aggregates where HAVING has them.
    if items.is_empty() || !tail.contains(" HAVING ") || s.chance(0.6) {
        items.extend(aggregates.clone());
    }
    let order = ordering(s, &items, 0.2);
    Some(format!("SELECT {}{tail}{order}", items.join(", ")))
}

/// `SELECT count(*), max(b) FROM … WHERE …`: one row.
fn aggregate(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(usize::MAX)?;
    let items = aggregates(s, &scope, 0.3)?;
    let filter = s.filter(&scope, 0.8);
    Some(format!("SELECT {} FROM {}{filter}", items.join(", "), scope.from))
}

/// The keys of all tables in the scope: together they have no ties.
pub(super) fn tie_breakers(s: &Sampler<'_>, scope: &Scope) -> Option<Vec<String>> {
    let mut out = Vec::new();
    for (source, of) in scope.sources.iter().enumerate() {
        let key = &s.table(of)?.primary_key;
        if key.is_empty() {
            return None;
        }
        for &column in key {
            out.push(s.name(scope, Place { source, column })?);
        }
    }
    Some(out)
}

/// `SELECT a FROM … ORDER BY b DESC, key LIMIT 3`: the keys at the end leave no ties.
fn first_rows(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let items = columns(s, &scope)?;
    let filter = s.filter(&scope, 0.5);
    let by = s.pick(&scope, |s, p| {
        let class = s.class(&scope, p);
        !s.is_key(&scope, p)
            && matches!(class, Some(TypeClass::Integer | TypeClass::Number | TypeClass::Time))
    });
    let mut order: Vec<String> = Vec::new();
    if let Some(by) = by {
        let direction = if s.chance(0.6) { " DESC" } else { "" };
        order.push(format!("{}{direction}", s.name(&scope, by)?));
    }
    order.extend(tie_breakers(s, &scope)?);
    let limit = *[1, 1, 1, 3, 5].choose(&mut s.rng)?;
    let offset = if s.chance(0.1) { " OFFSET 1" } else { "" };
    Some(format!(
        "SELECT {items} FROM {}{filter} ORDER BY {} LIMIT {limit}{offset}",
        scope.from,
        order.join(", ")
    ))
}

/// `SELECT a FROM … GROUP BY a ORDER BY count(*) DESC, a LIMIT 1`: a group is the only one with its keys.
fn first_groups(s: &mut Sampler<'_>) -> Option<String> {
    let (scope, keys, aggregates, tail) = grouped(s)?;
    let names: Vec<String> = keys.iter().filter_map(|&p| s.name(&scope, p)).collect();
    let by = aggregates.first()?;
    let direction = if s.chance(0.7) { " DESC" } else { "" };
    let mut items = names.clone();
    if s.chance(0.4) {
        items.push(by.clone());
    }
    let limit = *[1, 1, 3].choose(&mut s.rng)?;
    Some(format!(
        "SELECT {}{tail} ORDER BY {by}{direction}, {} LIMIT {limit}",
        items.join(", "),
        names.join(", ")
    ))
}

/// Two queries with one output: a key and what refers to it, or one column under two conditions.
fn set_operation(s: &mut Sampler<'_>) -> Option<String> {
    let operator =
        *["INTERSECT", "EXCEPT", "UNION", "UNION ALL", "EXCEPT", "INTERSECT"].choose(&mut s.rng)?;
    if s.chance(0.4) {
        // A key and what refers to it.
        let edge = s.single_edge()?;
        let parent = s.one(edge.parent)?;
        let left = s.name(&parent, Place { source: 0, column: *edge.target.first()? })?;
        let first = format!("SELECT {left} FROM {}{}", parent.from, s.filter(&parent, 0.3));
        let child = s.one(edge.child)?;
        let right = s.name(&child, Place { source: 0, column: *edge.columns.first()? })?;
        let second = format!("SELECT {right} FROM {}{}", child.from, s.filter(&child, 0.6));
        return Some(format!("{first} {operator} {second}"));
    }
    let scope = s.joined(1)?;
    let place = match s.chance(0.5) {
        true => s.label(&scope)?,
        false => s.pick(&scope, |s, p| s.is_key(&scope, p))?,
    };
    let item = s.name(&scope, place)?;
    let [one, two] = [s.condition(&scope)?, s.condition(&scope)?];
    if one == two {
        return None;
    }
    Some(format!(
        "SELECT {item} FROM {from} WHERE {one} {operator} SELECT {item} FROM {from} WHERE {two}",
        from = scope.from
    ))
}

/// CASE as golds use it: a sum or a count of rows that meet a condition, a share in per cent, a label.
fn case(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let condition = s.condition(&scope)?;
    let filter = s.filter(&scope, 0.3);
    Some(match s.rng.random_range(0..4) {
        0 => format!("SELECT sum(CASE WHEN {condition} THEN 1 ELSE 0 END) FROM {}{filter}", scope.from),
        1 => {
            let key = s.label_name(&scope)?;
            format!(
                "SELECT {key}, count(CASE WHEN {condition} THEN 1 END) FROM {}{filter} GROUP BY {key}",
                scope.from
            )
        }
        2 => format!(
            "SELECT 100.0 * sum(CASE WHEN {condition} THEN 1 ELSE 0 END) / count(*) FROM {}{filter}",
            scope.from
        ),
        _ => {
            let items = columns(s, &scope)?;
            let (yes, no) = *[("'high'", "'low'"), ("1", "0"), ("'yes'", "'no'")].choose(&mut s.rng)?;
            format!(
                "SELECT {items}, CASE WHEN {condition} THEN {yes} ELSE {no} END FROM {}{filter}",
                scope.from
            )
        }
    })
}

/// An output with OVER. RANK gives ties the same rank; row numbers and running sums need the keys in their
/// order.
fn window(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let items = columns(s, &scope)?;
    let filter = s.filter(&scope, 0.5);
    let part = s.label_name(&scope)?;
    let measure = s.measure_name(&scope)?;
    let keys = tie_breakers(s, &scope)?.join(", ");
    let call = match s.rng.random_range(0..6) {
        0 => format!("rank() OVER (ORDER BY {measure} DESC)"),
        1 => format!("rank() OVER (PARTITION BY {part} ORDER BY {measure})"),
        2 => format!("row_number() OVER (PARTITION BY {part} ORDER BY {measure} DESC, {keys})"),
        3 => format!("avg({measure}) OVER (PARTITION BY {part})"),
        4 => format!("count(*) OVER (PARTITION BY {part})"),
        _ => format!("sum({measure}) OVER (ORDER BY {keys})"),
    };
    Some(format!("SELECT {items}, {call} FROM {}{filter}", scope.from))
}

/// A common table expression with an aggregate for each value of a foreign key, then asked for its extreme,
/// its average, or joined with the table that the key refers to.
fn common_table(s: &mut Sampler<'_>) -> Option<String> {
    let edge = s.single_edge()?;
    let child = s.one(edge.child)?;
    let key = s.name(&child, Place { source: 0, column: *edge.columns.first()? })?;
    let value = aggregated(s, &child)?;
    let filter = s.filter(&child, 0.3);
    let (per, k, n) = (s.output_name("per_key"), s.output_name("k"), s.output_name("n"));
    let with = format!(
        "WITH {per} AS (SELECT {key} AS {k}, {value} AS {n} FROM {}{filter} GROUP BY {key})",
        child.from
    );
    Some(match s.rng.random_range(0..3) {
        0 => format!("{with} SELECT {k} FROM {per} WHERE {n} = (SELECT max({n}) FROM {per})"),
        1 => format!("{with} SELECT avg({n}) FROM {per}"),
        _ => {
            s.depth += 1;
            let parent = s.one(edge.parent)?;
            s.depth -= 1;
            let name = s.label_name(&parent)?;
            let target = s.name(&parent, Place { source: 0, column: *edge.target.first()? })?;
            let least = s.rng.random_range(1..4);
            format!(
                "{with} SELECT {name}, {per}.{n} FROM {} JOIN {per} ON {target} = {per}.{k} WHERE {per}.{n} > {least}",
                parent.from
            )
        }
    })
}

/// An aggregate over groups: `SELECT max(n) FROM (SELECT count(*) AS n FROM … GROUP BY a)`, or a filter over
/// them, which says the same as HAVING.
fn derived(s: &mut Sampler<'_>) -> Option<String> {
    let scope = s.joined(1)?;
    let key = s.label_name(&scope)?;
    let value = aggregated(s, &scope)?;
    let filter = s.filter(&scope, 0.4);
    let (n, k, d) = (s.output_name("n"), s.output_name("k"), s.output_name("d"));
    let outer = *["max", "avg", "min", "count"].choose(&mut s.rng)?;
    Some(match s.chance(0.6) {
        true => format!(
            "SELECT {outer}({n}) FROM (SELECT {value} AS {n} FROM {}{filter} GROUP BY {key})",
            scope.from
        ),
        false => format!(
            "SELECT {d}.{k} FROM (SELECT {key} AS {k}, {value} AS {n} FROM {}{filter} GROUP BY {key}) AS {d} WHERE {d}.{n} > {}",
            scope.from,
            s.rng.random_range(1..5)
        ),
    })
}
