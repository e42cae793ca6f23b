//! A profile of a SQLite file.
//!
//! The file is opened read-only; nothing is written beside it. Each table is read once, at most
//! [`MeasureConfig::rows`] rows of it, within bounded steps: a table that cannot be read, or not within these, is
//! passed over with a note.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use twinql_sql::{Schema, Table};

use super::format::{Profile, ProfileError, TableProfile};
use super::reader::{Reader, why};
use super::references::{Candidate, candidates, measured};
use super::sample::{ColumnSample, Together, together};
use crate::database::quoted;

/// Cells that are looked at in one table.
const CELLS: u64 = 12_000_000;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasureConfig {
    /// Rows of a table that are looked at.
    pub rows: u64,
    /// How many of a column's common values are told; 0 for none.
    pub values: usize,
}

impl Default for MeasureConfig {
    /// 200,000 rows, and no values.
    fn default() -> Self {
        MeasureConfig { rows: 200_000, values: 0 }
    }
}

/// A profile, and what is missing from it.
#[derive(Debug)]
pub struct Measured {
    /// The profile.
    pub profile: Profile,
    /// Tables and references that could not be measured: which, and why.
    pub notes: Vec<String>,
}

/// Measures a SQLite file.
///
/// # Errors
/// It cannot be opened, is no database, or has no table.
pub fn measure(path: &Path, config: &MeasureConfig) -> Result<Measured, ProfileError> {
    let schema = Schema::from_sqlite(path).map_err(ProfileError::whole)?;
    let unreadable = |e| ProfileError::whole(format!("{}: {e}", path.display()));
    let reader = Reader::open(path).map_err(unreadable)?;
    let mut measuring = Measuring {
        schema: &schema,
        reader,
        config,
        notes: Vec::new(),
        tables: Vec::new(),
        keys: BTreeMap::new(),
    };
    for (index, table) in schema.tables.iter().enumerate() {
        let measured = measuring.table(index, table).unwrap_or_else(|why| {
            measuring.notes.push(format!("table {} was not measured: {why}", table.name));
            TableProfile::default()
        });
        measuring.tables.push((table.name.clone(), measured));
    }
    measuring.references();
    let profile =
        Profile { db_id: schema.db_id.clone(), source: Some("SQLite file".into()), tables: measuring.tables };
    Ok(Measured { profile, notes: measuring.notes })
}

struct Measuring<'a> {
    schema: &'a Schema,
    reader: Reader,
    config: &'a MeasureConfig,
    notes: Vec<String>,
    tables: Vec<(String, TableProfile)>,
    /// By table: single columns that are unique.
    keys: BTreeMap<usize, Vec<usize>>,
}

impl Measuring<'_> {
    fn table(&mut self, index: usize, table: &Table) -> Result<TableProfile, String> {
        let name = quoted(&table.name);
        let rows = self.reader.number(&format!("SELECT COUNT(*) FROM {name}"))?;
        let width = table.columns.len().max(1) as u64;
        let looked_at = self.config.rows.min(CELLS / width).max(1);
        let mut columns = self.sample(table, rows, looked_at)?;
        let seen = columns.first().map_or(0, ColumnSample::seen);
        let referring: BTreeSet<usize> =
            table.foreign_keys.iter().flat_map(|f| f.columns.iter().copied()).collect();
        let mut keys = together(&columns, &referring);
        if seen < rows {
            // A part of the rows cannot show what holds of all.
            keys.dependencies.clear();
            keys.unique.retain(|key| self.is_unique(table, key));
        }
        self.keys.insert(
            index,
            keys.unique.iter().filter_map(|k| <[usize; 1]>::try_from(&**k).ok()).map(|[c]| c).collect(),
        );
        let of = |c: &usize| table.columns.get(*c).map_or_else(String::new, |c| c.name.clone());
        let Together { unique, dependencies } = keys;
        let mut profile = TableProfile {
            rows: Some(rows),
            sampled: (seen < rows).then_some(seen),
            keys: (rows > 1).then(|| {
                let several = unique.iter().filter(|key| key.len() > 1);
                several.map(|key| key.iter().map(of).collect()).collect()
            }),
            dependencies: dependencies.iter().map(|(a, b)| [of(a), of(b)]).collect(),
            ..TableProfile::default()
        };
        for (position, (column, sample)) in table.columns.iter().zip(&mut columns).enumerate() {
            let mut measured = sample.profile(rows, self.config.values);
            let alone = unique.iter().any(|key| *key == [position]);
            if rows > 1 && measured.distinct > Some(0) {
                measured.unique = Some(alone);
            }
            if alone && seen < rows {
                measured.distinct = Some(rows - (measured.null_share.unwrap_or(0.0) * rows as f64) as u64);
            }
            profile.columns.push((column.name.clone(), measured));
        }
        Ok(profile)
    }

    /// Reads rows, evenly over the table where not all are looked at.
    fn sample(&self, table: &Table, rows: u64, looked_at: u64) -> Result<Vec<ColumnSample>, String> {
        let names: Vec<String> = table.columns.iter().map(|c| quoted(&c.name)).collect();
        let (names, owner) = (names.join(", "), quoted(&table.name));
        let step = rows.div_ceil(looked_at).max(1);
        let thinned = format!("SELECT {names} FROM {owner} WHERE rowid % {step} = 0");
        let first = format!("SELECT {names} FROM {owner} LIMIT {looked_at}");
        let mut statement = match step {
            1 => self.reader.prepare(&first)?,
            // A table WITHOUT ROWID is read from its start.
            _ => self.reader.prepare(&thinned).or_else(|_| self.reader.prepare(&first))?,
        };
        let mut found = statement.query([]).map_err(why)?;
        let mut columns: Vec<ColumnSample> =
            table.columns.iter().map(|_| ColumnSample::new(self.config.values > 0)).collect();
        while let Some(row) = found.next().map_err(why)? {
            for (position, column) in columns.iter_mut().enumerate() {
                column.take(row.get_ref(position).map_err(why)?);
            }
        }
        Ok(columns)
    }

    /// Whether a set of columns that a part of the rows shows as a key is one; false if that takes too long.
    fn is_unique(&self, table: &Table, key: &[usize]) -> bool {
        let names: Vec<String> =
            key.iter().filter_map(|&c| table.columns.get(c)).map(|c| quoted(&c.name)).collect();
        let filled: Vec<String> = names.iter().map(|n| format!("{n} IS NOT NULL")).collect();
        let (owner, list) = (quoted(&table.name), names.join(", "));
        let sql = format!(
            "SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE {} GROUP BY {list} HAVING COUNT(*) > 1)",
            filled.join(" AND ")
        );
        self.reader.number(&sql) == Ok(1)
    }

    fn references(&mut self) {
        let found: Vec<Candidate> = candidates(self.schema, &self.keys);
        for candidate in found {
            match measured(&self.reader, self.schema, &candidate) {
                Ok(Some(reference)) => {
                    if let Some((_, table)) = self.tables.get_mut(candidate.table) {
                        table.references.push(reference);
                    }
                }
                Ok(None) => {}
                Err(why) if candidate.declared => {
                    let name = self.schema.tables.get(candidate.table).map_or("", |t| &t.name);
                    self.notes.push(format!("a foreign key of table {name} was not measured: {why}"));
                }
                Err(_) => {}
            }
        }
    }
}
