//! A profile against a schema: names become positions, and contradictions are found.
//!
//! What no database can be (more distinct values than rows) and what names nothing in the schema are errors: the
//! profile was mistyped, or belongs to another schema, and following the rest of it would mislead. What a real
//! database may hold against its declaration (a NULL in a key, a text in a column of numbers, a foreign key that
//! does not hold) is a warning: generated databases keep what the schema declares, and that part is left out.

use serde_json::Value;
use twinql_sql::{Column, ForeignKey, Schema, Table, TypeClass};

use super::format::{ColumnProfile, Profile, ProfileError, ReferenceProfile, TableProfile};
use crate::database::keys;

/// A profile by the positions of a schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bound {
    /// By position of the table; none of which nothing is known.
    pub tables: Vec<Option<BoundTable>>,
}

/// What is known of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoundTable {
    /// Its number of rows.
    pub rows: Option<u64>,
    /// By position of the column.
    pub columns: Vec<Option<ColumnProfile>>,
    /// Keys of several columns; none where they are not known.
    pub keys: Option<Vec<Vec<usize>>>,
    /// Rows that agree on the first column agree on the second.
    pub dependencies: Vec<(usize, usize)>,
    /// References that hold.
    pub references: Vec<BoundReference>,
}

/// What is known of a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundReference {
    /// From where to where.
    pub key: ForeignKey,
    /// The share of rows that lead somewhere.
    pub holds: f64,
    /// Children of a parent, at even steps of rank.
    pub fan_out: Vec<u64>,
    /// Parents that have the most.
    pub favourites: Option<u64>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    errors: Vec<ProfileError>,
    warnings: Vec<ProfileError>,
}

impl Found {
    fn error(&mut self, place: &str, message: impl Into<String>) {
        self.errors.push(ProfileError { place: place.to_owned(), message: message.into() });
    }

    fn warn(&mut self, place: &str, message: impl Into<String>) {
        self.warnings.push(ProfileError { place: place.to_owned(), message: message.into() });
    }

    fn share(&mut self, place: &str, name: &str, share: Option<f64>) {
        if let Some(share) = share
            && !(0.0..=1.0).contains(&share)
        {
            self.error(&format!("{place}.{name}"), format!("{share} is no share: give a number from 0 to 1"));
        }
    }

    fn rising<T: PartialOrd>(&mut self, place: &str, name: &str, points: &[T]) {
        if points.windows(2).any(|w| w[0] > w[1]) {
            self.error(
                &format!("{place}.{name}"),
                "must go from the smallest to the largest: put the numbers in order",
            );
        }
    }

    /// The position of a column, or an error.
    fn column(&mut self, place: &str, table: &Table, name: &str) -> Option<usize> {
        let found = table.column_index(name);
        if found.is_none() {
            let names = listed(table.columns.iter().map(|c| c.name.as_str()));
            self.error(place, format!("table {} has no column {name:?}; it has {names}", table.name));
        }
        found
    }

    fn columns(&mut self, place: &str, table: &Table, names: &[String]) -> Option<Vec<usize>> {
        let found: Vec<usize> = names.iter().filter_map(|n| self.column(place, table, n)).collect();
        (found.len() == names.len()).then_some(found)
    }
}

/// Some names for a message.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    let more = if names.len() > 12 { ", …" } else { "" };
    format!("{}{more}", names.iter().take(12).copied().collect::<Vec<_>>().join(", "))
}

impl Profile {
    /// The profile by the positions of a schema, and what of it is not followed.
    ///
    /// # Errors
    /// All its contradictions: where, what is wrong, and what to do.
    pub fn bind(&self, schema: &Schema) -> Result<(Bound, Vec<ProfileError>), Vec<ProfileError>> {
        let mut found = Found::default();
        let mut bound = Bound { tables: vec![None; schema.tables.len()] };
        for (name, profile) in &self.tables {
            let place = format!("tables.{name}");
            let Some(index) = schema.table_index(name) else {
                let names = listed(schema.tables.iter().map(|t| t.name.as_str()));
                found.error(
                    &place,
                    format!(
                        "the schema {} has no table of this name: correct the name, take the table out of the \
                         profile, or give the schema that has it; it has {names}",
                        schema.db_id
                    ),
                );
                continue;
            };
            if bound.tables[index].is_some() {
                found.error(&place, "names a table that stands above already: keep one of the two");
                continue;
            }
            bound.tables[index] = Some(bind_table(schema, index, profile, &place, &mut found));
        }
        match found.errors.is_empty() {
            true => Ok((bound, found.warnings)),
            false => Err(found.errors),
        }
    }
}

/// What a profile says of a table, by positions of the schema's columns. It goes on after an error, so that one run
/// names all that has to be corrected.
fn bind_table(
    schema: &Schema,
    index: usize,
    profile: &TableProfile,
    place: &str,
    found: &mut Found,
) -> BoundTable {
    let table = &schema.tables[index];
    let mut bound =
        BoundTable { rows: profile.rows, columns: vec![None; table.columns.len()], ..BoundTable::default() };
    for (name, column) in &profile.columns {
        let place = format!("{place}.columns.{name}");
        let Some(position) = found.column(&place, table, name) else { continue };
        if bound.columns[position].is_some() {
            found.error(&place, "names a column that stands above already: keep one of the two");
            continue;
        }
        possible(column, profile.rows, &place, found);
        bound.columns[position] = Some(declared(column.clone(), table, position, &place, found));
    }
    let mut composite = profile.keys.as_ref().map(|_| Vec::new());
    for (i, key) in profile.keys.iter().flatten().enumerate() {
        let place = format!("{place}.keys[{i}]");
        match (found.columns(&place, table, key), &mut composite) {
            (Some(columns), Some(composite)) if columns.len() > 1 => composite.push(columns),
            (Some(_), _) => found.error(
                &place,
                "has fewer than two columns: say \"unique\": true of a column that is a key alone",
            ),
            (None, _) => {}
        }
    }
    bound.keys = composite;
    for (i, pair) in profile.dependencies.iter().enumerate() {
        let place = format!("{place}.dependencies[{i}]");
        if let Some(&[from, to]) = found.columns(&place, table, pair).as_deref() {
            bound.dependencies.push((from, to));
        }
    }
    for (i, reference) in profile.references.iter().enumerate() {
        let place = format!("{place}.references[{i}]");
        if let Some(reference) = bind_reference(schema, index, reference, profile.rows, &place, found) {
            bound.references.push(reference);
        }
    }
    bound
}

/// Finds what no column can be.
fn possible(column: &ColumnProfile, rows: Option<u64>, place: &str, found: &mut Found) {
    let shares = [
        ("null_share", column.null_share),
        ("number_share", column.number_share),
        ("whole_share", column.whole_share),
    ];
    for (name, share) in shares {
        found.share(place, name, share);
    }
    for (i, share) in column.frequencies.iter().enumerate() {
        found.share(place, &format!("frequencies[{i}]"), Some(*share));
    }
    for (i, shape) in column.shapes.iter().enumerate() {
        found.share(place, &format!("shapes[{i}].share"), Some(shape.share));
    }
    for (i, common) in column.common.iter().enumerate() {
        found.share(place, &format!("common[{i}].share"), Some(common.share));
        if !matches!(common.value, Value::String(_) | Value::Number(_)) {
            found.error(&format!("{place}.common[{i}].value"), "must be a text or a number");
        }
    }
    let known: f64 = column.common.iter().map(|c| c.share).sum();
    if known > 1.001 {
        found.error(
            &format!("{place}.common"),
            format!("the shares come to {known:.3}: they must not exceed 1"),
        );
    }
    let most: f64 = column.frequencies.iter().sum();
    if most > 1.001 {
        found.error(
            &format!("{place}.frequencies"),
            format!("they come to {most:.3}: they must not exceed 1"),
        );
    }
    if let (Some(distinct), Some(rows)) = (column.distinct, rows) {
        if distinct > rows {
            found.error(
                &format!("{place}.distinct"),
                format!("{distinct} distinct values in {rows} rows: lower it, or raise `rows` of the table"),
            );
        }
        // What is estimated, or rounded, may be a little off.
        let filled = (rows as f64 * (1.0 - column.null_share.unwrap_or(0.0))) as u64;
        if column.unique == Some(true) && distinct * 100 < filled * 95 {
            found.error(
                &format!("{place}.unique"),
                format!("{distinct} distinct values in {filled} rows that are not NULL are not unique: correct one of the two"),
            );
        }
    }
    if let Some([least, most]) = column.range {
        if least > most {
            found
                .error(&format!("{place}.range"), format!("{least} is larger than {most}: exchange the two"));
        }
        if column.quantiles.iter().any(|q| !(least..=most).contains(q)) {
            found.error(
                &format!("{place}.quantiles"),
                format!("lie outside the range from {least} to {most}: correct one of the two"),
            );
        }
    }
    found.rising(place, "quantiles", &column.quantiles);
    found.rising(place, "years", &column.years);
    if let Some([least, most]) = column.lengths
        && least > most
    {
        found.error(&format!("{place}.lengths"), format!("{least} is larger than {most}: exchange the two"));
    }
}

/// Takes out what the schema declares otherwise, with a warning.
fn declared(
    mut profile: ColumnProfile,
    table: &Table,
    position: usize,
    place: &str,
    found: &mut Found,
) -> ColumnProfile {
    let column: &Column = &table.columns[position];
    if column.not_null && profile.null_share.is_some_and(|s| s > 0.0) {
        found.warn(
            &format!("{place}.null_share"),
            "the schema says that the column is never NULL, and generated databases keep to it; \
             take NOT NULL or the key out of the schema if the profile is right",
        );
        profile.null_share = Some(0.0);
    }
    if keys(table).any(|key| *key == [position]) && profile.unique == Some(false) {
        found.warn(
            &format!("{place}.unique"),
            "the schema says that the column is a key, and generated databases keep to it; \
             take the key out of the schema if the profile is right",
        );
        profile.unique = Some(true);
        profile.distinct = None;
    }
    let numeric = matches!(column.class, TypeClass::Integer | TypeClass::Number);
    if numeric && profile.number_share.is_some_and(|s| s < 0.5) {
        found.warn(
            place,
            format!(
                "holds texts for the most part, where the schema says {}; their shapes are not followed: \
                 correct the type in the schema if the profile is right",
                kind(column)
            ),
        );
        profile.shapes.clear();
        profile.years.clear();
        profile.common.retain(|c| c.value.is_number());
    }
    if column.class == TypeClass::Text && profile.number_share.is_some_and(|s| s > 0.5) {
        found.warn(
            place,
            format!(
                "holds numbers for the most part, where the schema says {}; their range is not followed: \
                 correct the type in the schema if the profile is right",
                kind(column)
            ),
        );
        profile.range = None;
        profile.quantiles.clear();
    }
    profile
}

fn kind(column: &Column) -> String {
    match column.declared.as_str() {
        "" => format!("{:?}", column.class).to_lowercase(),
        declared => declared.to_owned(),
    }
}

/// A reference of a profile over the schema, whether declared there or not. Names that the schema does not have are
/// errors, and nothing is bound; where a declared foreign key is said to hold in part, the declaration wins, with a
/// warning.
fn bind_reference(
    schema: &Schema,
    index: usize,
    reference: &ReferenceProfile,
    rows: Option<u64>,
    place: &str,
    found: &mut Found,
) -> Option<BoundReference> {
    let table = &schema.tables[index];
    let columns = found.columns(&format!("{place}.columns"), table, &reference.columns);
    let Some(target) = schema.table_index(&reference.table) else {
        let names = listed(schema.tables.iter().map(|t| t.name.as_str()));
        found.error(
            &format!("{place}.table"),
            format!("the schema has no table {:?}; it has {names}", reference.table),
        );
        return None;
    };
    let target_columns =
        found.columns(&format!("{place}.target_columns"), &schema.tables[target], &reference.target_columns);
    let (columns, target_columns) = (columns?, target_columns?);
    if columns.is_empty() || columns.len() != target_columns.len() {
        found.error(
            place,
            format!(
                "{} columns refer to {}: name as many of the one as of the other, at least one",
                columns.len(),
                target_columns.len()
            ),
        );
        return None;
    }
    found.share(place, "holds", reference.holds);
    found.rising(place, "fan_out", &reference.fan_out);
    if let (Some(&most), Some(rows)) = (reference.fan_out.last(), rows)
        && most > rows
    {
        found.error(
            &format!("{place}.fan_out"),
            format!("{most} rows refer to one, and the table has {rows}: correct one of the two"),
        );
    }
    let holds = reference.holds.unwrap_or(1.0);
    let declared = table.foreign_keys.iter().any(|f| f.columns == columns && f.target == target);
    if declared && holds < 1.0 {
        found.warn(
            &format!("{place}.holds"),
            format!("{:.2} % of the rows lead nowhere, though the schema declares a foreign key: followed as it is", (1.0 - holds) * 100.0),
        );
    }
    Some(BoundReference {
        key: ForeignKey { columns, target, target_columns },
        holds,
        fan_out: reference.fan_out.clone(),
        favourites: reference.favourites,
    })
}
