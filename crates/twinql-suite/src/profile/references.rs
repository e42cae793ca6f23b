//! References between tables: those that the schema declares, and those that hold without being declared.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use twinql_sql::{Schema, TypeClass};

use super::POINTS;
use super::format::ReferenceProfile;
use super::reader::{Reader, why};
use super::shape::share;
use crate::database::quoted;

/// Undeclared references that are tried.
const TRIED: usize = 2_000;

/// A reference that may hold.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) table: usize,
    pub(super) columns: Vec<usize>,
    pub(super) target: usize,
    pub(super) target_columns: Vec<usize>,
    pub(super) declared: bool,
}

/// Names that columns of unrelated tables share.
const GENERIC: [&str; 12] =
    ["id", "name", "code", "key", "type", "year", "date", "title", "number", "no", "value", "status"];

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Singular and plural are one.
fn stem(name: &str) -> String {
    let name = plain(name);
    name.strip_suffix('s').map_or(name.clone(), str::to_owned)
}

/// What kinds of values meet: numbers, texts.
fn kind(class: TypeClass) -> u8 {
    match class {
        TypeClass::Integer | TypeClass::Number | TypeClass::Boolean => 0,
        TypeClass::Text | TypeClass::Time | TypeClass::Other => 1,
    }
}

/// All declared foreign keys, and columns named as a unique column of another table is, or as that table and its
/// key are (`singer_id` for `singer.id`). `keys` are the unique columns of each table.
pub(super) fn candidates(schema: &Schema, keys: &BTreeMap<usize, Vec<usize>>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (table, definition) in schema.tables.iter().enumerate() {
        for key in &definition.foreign_keys {
            known.extend(key.columns.iter().map(|&c| (table, c)));
            found.push(Candidate {
                table,
                columns: key.columns.clone(),
                target: key.target,
                target_columns: key.target_columns.clone(),
                declared: true,
            });
        }
    }
    // By the names under which another table would refer to a key.
    let mut named: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (&target, columns) in keys {
        let Some(definition) = schema.tables.get(target) else { continue };
        for &column in columns {
            let own = plain(&definition.columns[column].name);
            let mut names = BTreeSet::from([
                format!("{}{own}", stem(&definition.name)),
                format!("{}{own}", plain(&definition.name)),
            ]);
            if !GENERIC.contains(&own.as_str()) {
                names.insert(own);
            }
            for name in names {
                named.entry(name).or_default().push((target, column));
            }
        }
    }
    for (table, definition) in schema.tables.iter().enumerate() {
        for (column, at) in definition.columns.iter().enumerate() {
            if known.contains(&(table, column)) {
                continue;
            }
            for &(target, key) in named.get(&plain(&at.name)).map_or(&[][..], Vec::as_slice) {
                let to = &schema.tables[target].columns[key];
                // Two keys of one name extend each other: the later table the earlier one.
                let both = keys.get(&table).is_some_and(|k| k.contains(&column));
                if target == table || kind(to.class) != kind(at.class) || both && target > table {
                    continue;
                }
                if found.iter().filter(|c| !c.declared).count() < TRIED {
                    found.push(Candidate {
                        table,
                        columns: vec![column],
                        target,
                        target_columns: vec![key],
                        declared: false,
                    });
                }
            }
        }
    }
    found
}

/// What holds of a candidate; nothing of an undeclared one that does not hold throughout, or of an empty table.
pub(super) fn measured(
    reader: &Reader,
    schema: &Schema,
    candidate: &Candidate,
) -> Result<Option<ReferenceProfile>, String> {
    let (Some(table), Some(target)) =
        (schema.tables.get(candidate.table), schema.tables.get(candidate.target))
    else {
        return Ok(None);
    };
    let names = |columns: &[usize], of: &twinql_sql::Table| -> Vec<String> {
        columns.iter().filter_map(|&c| of.columns.get(c)).map(|c| c.name.clone()).collect()
    };
    let (columns, target_columns) =
        (names(&candidate.columns, table), names(&candidate.target_columns, target));
    if columns.is_empty() || columns.len() != target_columns.len() {
        return Ok(None);
    }
    let list = |names: &[String]| names.iter().map(|n| quoted(n)).collect::<Vec<_>>().join(", ");
    let (own, other) = (quoted(&table.name), quoted(&target.name));
    let filled = |names: &[String]| {
        names.iter().map(|n| format!("{} IS NOT NULL", quoted(n))).collect::<Vec<_>>().join(" AND ")
    };
    let given = format!("{own} WHERE {}", filled(&columns));
    let referring = reader.number(&format!("SELECT COUNT(*) FROM {given}"))?;
    if referring == 0 {
        return Ok(None);
    }
    let led = format!(
        "({}) IN (SELECT {} FROM {other} WHERE {})",
        list(&columns),
        list(&target_columns),
        filled(&target_columns)
    );
    let holding = reader.number(&format!("SELECT COUNT(*) FROM {given} AND {led}"))?;
    if !candidate.declared && holding < referring {
        return Ok(None);
    }
    let parents = reader.number(&format!(
        "SELECT COUNT(*) FROM (SELECT DISTINCT {} FROM {other} WHERE {})",
        list(&target_columns),
        filled(&target_columns)
    ))?;
    // How many parents have so many children, fewest first.
    let sql = format!(
        "SELECT n, COUNT(*) FROM (SELECT COUNT(*) AS n FROM {given} AND {led} GROUP BY {}) GROUP BY n ORDER BY n",
        list(&columns)
    );
    let mut statement = reader.prepare(&sql)?;
    let sizes: Vec<(u64, u64)> = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)?.max(0) as u64, row.get::<_, i64>(1)?.max(0) as u64)))
        .and_then(Iterator::collect)
        .map_err(why)?;
    let used: u64 = sizes.iter().map(|(_, n)| n).sum();
    if !candidate.declared && used < 2 {
        return Ok(None);
    }
    Ok(Some(ReferenceProfile {
        columns,
        table: target.name.clone(),
        target_columns,
        holds: Some(share(holding, referring)),
        fan_out: fan_out(&sizes, parents.saturating_sub(used)),
        favourites: sizes.last().map(|(_, n)| *n),
    }))
}

/// Numbers of children at even steps of the parents' rank.
fn fan_out(sizes: &[(u64, u64)], childless: u64) -> Vec<u64> {
    let all: Vec<(u64, u64)> = std::iter::once((0, childless)).chain(sizes.iter().copied()).collect();
    let total: u64 = all.iter().map(|(_, n)| n).sum();
    let Some(last) = total.checked_sub(1) else { return Vec::new() };
    let steps = (POINTS as u64 - 1).min(last).max(1);
    let at = |rank: u64| {
        let mut before = 0;
        all.iter().find(|(_, n)| {
            before += n;
            rank < before
        })
    };
    (0..=steps)
        .filter_map(|i| at((u128::from(i) * u128::from(last) / u128::from(steps)) as u64))
        .map(|(size, _)| *size)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fan_outs_count_parents_without_children() {
        assert_eq!(fan_out(&[(1, 2), (5, 1)], 1), [0, 1, 1, 5]);
        assert_eq!(fan_out(&[(3, 1)], 0), [3, 3]);
        assert_eq!(fan_out(&[(1, 90), (40, 10)], 0), [1, 1, 1, 1, 1, 1, 1, 1, 40]);
        assert!(fan_out(&[], 0).is_empty());
    }
}
