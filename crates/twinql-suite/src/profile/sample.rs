//! What is counted over the rows of one table, a column at a time.
//!
//! Values are kept as hashes, so that distinct values, keys of several columns and dependencies are counted in
//! memory in one pass over the table. Numbers are kept, since their spread is told; texts are not.

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::types::ValueRef;
use serde_json::Value;

use twinql_sql::hash::{FNV, fnv};

use super::POINTS;
use super::format::{ColumnProfile, Common, Extremes};
use super::shape::{self, share};

/// Shares of common values that are told of a column.
const FREQUENCIES: usize = 10;

/// Different shapes that are counted in one column.
const MOST_SHAPES: usize = 20_000;

/// Texts of which a longer one is no common value.
const LONGEST: usize = 200;

/// Sets of columns that are looked at in one table, times its rows.
const EFFORT: usize = 30_000_000;

/// Dependencies that are told of one table.
const DEPENDENCIES: usize = 60;

/// The hash of NULL.
const NULL: u64 = 0;

/// What one column's rows have shown so far.
#[derive(Default)]
pub(super) struct ColumnSample {
    /// A hash of each row's value.
    hashes: Vec<u64>,
    numbers: Vec<f64>,
    whole: u64,
    texts: u64,
    dated: Vec<i64>,
    lengths: Option<[u64; 2]>,
    shapes: HashMap<String, u64>,
    /// The values behind hashes, where they may be told.
    values: Option<HashMap<u64, Value>>,
}

fn hash_of(value: ValueRef<'_>) -> u64 {
    let tagged = |tag: u8, bytes: &[u8]| fnv(FNV, std::iter::once(tag).chain(bytes.iter().copied())).max(1);
    match value {
        ValueRef::Null => NULL,
        // 1 and 1.0 are one value.
        ValueRef::Integer(n) if n.unsigned_abs() < 1 << 53 => tagged(1, &(n as f64).to_bits().to_le_bytes()),
        ValueRef::Integer(n) => tagged(2, &n.to_le_bytes()),
        ValueRef::Real(r) => tagged(1, &r.to_bits().to_le_bytes()),
        ValueRef::Text(bytes) => tagged(3, bytes),
        ValueRef::Blob(bytes) => tagged(4, bytes),
    }
}

/// The year of a text that is a date, or begins with one.
pub(super) fn year(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.get(..text.len().min(10))?.split(['-', '/', ' ', 'T']).take(3).collect();
    let number = |part: &&str, digits: usize, most: i64| -> Option<i64> {
        let good = (1..=digits).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|n| good && (1..=most).contains(n))
    };
    let (a, b, c) = (parts.first()?, parts.get(1)?, parts.get(2));
    let (year, month, day) = match c {
        Some(c) if c.len() == 4 => (c, a, Some(b)),
        c => (a, b, c),
    };
    let day_is_one = match day {
        Some(day) => number(day, 2, 31).is_some(),
        None => true,
    };
    (number(month, 2, if c.is_some_and(|c| c.len() == 4) { 31 } else { 12 }).is_some() && day_is_one)
        .then(|| number(year, 4, 2999).filter(|y| *y >= 1000))?
}

impl ColumnSample {
    pub(super) fn new(values: bool) -> ColumnSample {
        ColumnSample { values: values.then(HashMap::new), ..ColumnSample::default() }
    }

    pub(super) fn take(&mut self, value: ValueRef<'_>) {
        let hash = hash_of(value);
        self.hashes.push(hash);
        match value {
            ValueRef::Integer(n) => {
                self.numbers.push(n as f64);
                self.whole += 1;
            }
            ValueRef::Real(r) if r.is_finite() => {
                self.numbers.push(r);
                self.whole += u64::from(r.fract() == 0.0);
            }
            ValueRef::Text(bytes) => self.text(&String::from_utf8_lossy(bytes)),
            ValueRef::Real(_) | ValueRef::Null | ValueRef::Blob(_) => {}
        }
        if let Some(values) = &mut self.values {
            let told = match value {
                ValueRef::Integer(n) => Some(n.into()),
                ValueRef::Real(r) => serde_json::Number::from_f64(r).map(Value::Number),
                ValueRef::Text(bytes) if bytes.len() <= LONGEST => {
                    Some(String::from_utf8_lossy(bytes).into_owned().into())
                }
                _ => None,
            };
            if let Some(told) = told {
                values.entry(hash).or_insert(told);
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.texts += 1;
        let length = text.chars().count() as u64;
        let [least, most] = self.lengths.unwrap_or([length; 2]);
        self.lengths = Some([least.min(length), most.max(length)]);
        self.dated.extend(year(text));
        if let Some(shape) = shape::exact(text)
            && (self.shapes.len() < MOST_SHAPES || self.shapes.contains_key(&shape))
        {
            *self.shapes.entry(shape).or_default() += 1;
        }
    }

    /// Rows that were seen.
    pub(super) fn seen(&self) -> u64 {
        self.hashes.len() as u64
    }

    /// Rows that are not NULL.
    fn filled(&self) -> u64 {
        self.hashes.iter().filter(|h| **h != NULL).count() as u64
    }

    fn counts(&self) -> HashMap<u64, u64> {
        let mut counts = HashMap::new();
        for &hash in self.hashes.iter().filter(|h| **h != NULL) {
            *counts.entry(hash).or_default() += 1;
        }
        counts
    }

    /// What is told of the column, of a table of `rows` rows. `common` values are told, if any are.
    pub(super) fn profile(&mut self, rows: u64, common: usize) -> ColumnProfile {
        let seen = self.hashes.len() as u64;
        let counts = self.counts();
        let mut order: Vec<(u64, u64)> = counts.iter().map(|(&hash, &n)| (n, hash)).collect();
        // The hash orders what is equally common, so that one database gives one profile.
        order.sort_unstable_by(|a, b| b.cmp(a));
        let filled = self.filled();
        let mut profile = ColumnProfile {
            distinct: Some(estimated(&order, seen, rows)),
            null_share: (seen > 0).then(|| share(seen - filled, seen)),
            ..ColumnProfile::default()
        };
        if !self.numbers.is_empty() {
            self.numbers.sort_by(f64::total_cmp);
            let numbers = &self.numbers;
            profile.number_share = Some(share(numbers.len() as u64, filled));
            profile.whole_share = Some(share(self.whole, numbers.len() as u64));
            profile.quantiles = spread(numbers);
            if let (Some(&least), Some(&most)) = (numbers.first(), numbers.last()) {
                profile.range = Some([least, most]);
                profile.extremes = (seen == rows).then(|| Extremes {
                    largest: numbers.iter().rev().take_while(|n| **n == most).count() as u64,
                    smallest: numbers.iter().take_while(|n| **n == least).count() as u64,
                });
            }
        }
        if self.texts > 0 {
            profile.lengths = self.lengths;
            profile.shapes = shape::common(&self.shapes, self.texts);
            if self.dated.len() as u64 * 10 >= self.texts * 9 {
                self.dated.sort_unstable();
                profile.years = spread(&self.dated);
            }
        }
        let repeated = order.iter().filter(|(n, _)| *n > 1).take(FREQUENCIES);
        profile.frequencies = repeated.map(|(n, _)| share(*n, seen)).collect();
        if let Some(values) = &self.values {
            // All values of a category, the repeated ones of others.
            let all = order.len() <= common;
            profile.common = order
                .iter()
                .take(common)
                .filter(|(n, _)| all || *n > 1)
                .filter_map(|(n, hash)| {
                    Some(Common { value: values.get(hash)?.clone(), share: share(*n, seen) })
                })
                .collect();
        }
        profile
    }
}

/// Items at even steps of rank; all of them if they are few.
pub(super) fn spread<T: Copy>(sorted: &[T]) -> Vec<T> {
    let Some(last) = sorted.len().checked_sub(1) else { return Vec::new() };
    let steps = POINTS.min(sorted.len()).saturating_sub(1).max(1);
    (0..=steps).filter_map(|i| sorted.get(i * last / steps).copied()).collect()
}

/// How many different values a column of `rows` rows has, of which `seen` show these counts: the estimator of
/// Charikar and others (PODS 2000), the counts themselves where all rows were seen.
fn estimated(order: &[(u64, u64)], seen: u64, rows: u64) -> u64 {
    let found = order.len() as u64;
    if seen >= rows || seen == 0 {
        return found;
    }
    let once = order.iter().filter(|(n, _)| *n == 1).count() as u64;
    let scaled = (rows as f64 / seen as f64).sqrt() * once as f64;
    (scaled as u64 + found - once).clamp(found, rows)
}

/// Keys and dependencies of a table's columns, by position.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Together {
    pub(super) unique: Vec<Vec<usize>>,
    pub(super) dependencies: Vec<(usize, usize)>,
}

/// Counts which sets of columns are unique, none within another, and which columns depend on one other. Of sets of
/// three columns only those with a `reference` among them are looked at, or all of a narrow table.
pub(super) fn together(columns: &[ColumnSample], references: &BTreeSet<usize>) -> Together {
    let mut found = Together::default();
    let rows = columns.first().map_or(0, |c| c.hashes.len());
    if rows < 2 {
        return found;
    }
    let mut effort = EFFORT;
    let distinct: Vec<usize> = columns.iter().map(|c| c.counts().len()).collect();
    let filled: Vec<usize> = columns.iter().map(|c| c.filled() as usize).collect();
    for c in 0..columns.len() {
        if distinct[c] == filled[c] && filled[c] > 1 {
            found.unique.push(vec![c]);
        }
    }
    let mut afford = |sets: usize| {
        let fits = rows.saturating_mul(sets) <= effort;
        effort -= if fits { rows * sets } else { 0 };
        fits
    };
    // What has a NULL, is a key alone, or has one value only is no part of a key that says anything.
    let open: Vec<usize> =
        (0..columns.len()).filter(|&c| filled[c] == rows && distinct[c] > 1 && distinct[c] < rows).collect();
    for (i, &a) in open.iter().enumerate() {
        for &b in &open[i + 1..] {
            if !afford(1) {
                return found;
            }
            let pairs = combinations(columns, &[a, b]);
            if pairs == rows {
                found.unique.push(vec![a, b]);
                continue;
            }
            for (from, to) in [(a, b), (b, a)] {
                // One row that repeats is no evidence.
                let repeats = distinct[from] + 2 <= rows;
                if repeats && pairs == distinct[from] && found.dependencies.len() < DEPENDENCIES {
                    found.dependencies.push((from, to));
                }
            }
        }
    }
    let narrow = columns.len() <= 6;
    for (i, &a) in open.iter().enumerate() {
        for (j, &b) in open.iter().enumerate().skip(i + 1) {
            for &c in &open[j + 1..] {
                let set = [a, b, c];
                let telling = narrow || set.iter().any(|c| references.contains(c));
                let known = || found.unique.iter().any(|key| key.iter().all(|k| set.contains(k)));
                // A set can only be unique if there are enough combinations.
                let enough = set.iter().fold(1usize, |n, &c| n.saturating_mul(distinct[c])) >= rows;
                if !telling || !enough || known() {
                    continue;
                }
                if !afford(1) {
                    return found;
                }
                if combinations(columns, &set) == rows {
                    found.unique.push(set.to_vec());
                }
            }
        }
    }
    found
}

/// Different combinations of values of some columns.
fn combinations(columns: &[ColumnSample], set: &[usize]) -> usize {
    let rows = columns.first().map_or(0, |c| c.hashes.len());
    let mut seen = HashSet::with_capacity(rows);
    for row in 0..rows {
        seen.insert(set.iter().fold(0u64, |hash, &c| {
            (hash ^ columns[c].hashes[row]).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        }));
    }
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_of_dates() {
        for (text, is) in [
            ("2024-05-31", Some(2024)),
            ("2024-05-31 12:00:00", Some(2024)),
            ("2024-05-31T12:00", Some(2024)),
            ("5/31/1999", Some(1999)),
            ("1999/5/31", Some(1999)),
            ("2024-05", Some(2024)),
            ("2024-13-01", None),
            ("0999-01-01", None),
            ("12:30:00", None),
            ("2024", None),
            ("ABC", None),
            ("", None),
            ("日本日本日本", None),
        ] {
            assert_eq!(year(text), is, "{text}");
        }
    }

    #[test]
    fn spreads_keep_both_ends() {
        assert_eq!(spread(&[7]), [7, 7]);
        assert_eq!(spread(&[1, 2, 9]), [1, 2, 9]);
        let many: Vec<i64> = (0..=800).collect();
        assert_eq!(spread(&many), [0, 100, 200, 300, 400, 500, 600, 700, 800]);
        assert!(spread::<i64>(&[]).is_empty());
    }

    #[test]
    fn keys_and_dependencies_are_counted() {
        // id, parent, language (unique with the parent), the parent's town, a note that is mostly NULL
        let rows: Vec<[i64; 5]> = (0..12).map(|i| [i, i / 3, i % 3, (i / 3) % 2 + 10, -1]).collect();
        let mut columns: Vec<ColumnSample> = (0..5).map(|_| ColumnSample::new(false)).collect();
        for row in &rows {
            for (column, &value) in columns.iter_mut().zip(row) {
                column.take(if value < 0 { ValueRef::Null } else { ValueRef::Integer(value) });
            }
        }
        let found = together(&columns, &BTreeSet::from([1]));
        assert_eq!(found.unique, [vec![0], vec![1, 2]]);
        assert_eq!(found.dependencies, [(1, 3)]);
        let profile = columns[1].profile(12, 0);
        assert_eq!(profile.distinct, Some(4));
        assert_eq!(profile.frequencies, [0.25; 4]);
        assert_eq!(profile.extremes, Some(Extremes { largest: 3, smallest: 3 }));
        assert_eq!(columns[4].profile(12, 0).null_share, Some(1.0));
    }
}
