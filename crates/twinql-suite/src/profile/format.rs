//! The file: its types, and how it is read so that each error names its place.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twinql_files::Fingerprint;

/// What the field `format` of a profile says.
pub const FORMAT: &str = "twinql-profile";

/// The version of the format that is written, and the latest that is read.
pub const VERSION: u64 = 1;

/// What is wrong with a profile, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if place.is_empty() { String::new() } else { format!("{place}: ") })]
pub struct ProfileError {
    /// The place in the document: `tables.singer.columns.age`. Empty for the document itself.
    pub place: String,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl ProfileError {
    /// What is wrong with the whole.
    pub(crate) fn whole(message: impl ToString) -> ProfileError {
        ProfileError { place: String::new(), message: message.to_string() }
    }
}

/// A profile of one database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Value", try_from = "Value")]
pub struct Profile {
    /// The database's id.
    pub db_id: String,
    /// What it was made from, for people.
    pub source: Option<String>,
    /// Tables by name.
    pub tables: Vec<(String, TableProfile)>,
}

/// The document as it is written: its JSON schema is made of this.
#[derive(schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "fields that only their schema reads")]
struct Document {
    /// `twinql-profile`.
    format: String,
    /// The version of the format.
    version: u64,
    /// The database's id.
    db_id: String,
    /// What it was made from, for people.
    source: Option<String>,
    /// Tables by name.
    tables: std::collections::BTreeMap<String, TableProfile>,
}

/// The JSON schema of a profile.
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Document)
}

/// What is known of a table.
#[derive(Debug, Clone, Default, PartialEq, schemars::JsonSchema)]
pub struct TableProfile {
    /// Its number of rows.
    pub rows: Option<u64>,
    /// Rows that were looked at, where not all were: distinct counts are estimates then.
    pub sampled: Option<u64>,
    /// Columns by name.
    #[schemars(with = "std::collections::BTreeMap<String, ColumnProfile>")]
    pub columns: Vec<(String, ColumnProfile)>,
    /// Sets of several columns on which no two rows agree. Where the list is there, no other set of two or three
    /// columns is taken for a key.
    pub keys: Option<Vec<Vec<String>>>,
    /// Pairs of columns: rows that agree on the first agree on the second.
    pub dependencies: Vec<[String; 2]>,
    /// References to other tables that hold in fact, wholly or for the most part.
    pub references: Vec<ReferenceProfile>,
}

/// The fields of a table that hold no others.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sampled: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<Vec<String>>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<[String; 2]>,
}

/// What is known of a column. Whatever is not there is not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnProfile {
    /// Different values, NULL not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// No value occurs twice, NULL aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<bool>,
    /// The share of rows that are NULL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_share: Option<f64>,
    /// The share of the other rows that hold a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number_share: Option<f64>,
    /// The share of the numbers that are whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_share: Option<f64>,
    /// The smallest number and the largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Numbers at even steps of their rank, from the smallest to the largest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<f64>,
    /// How many rows hold the largest number, and how many the smallest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extremes: Option<Extremes>,
    /// Years of the dates in a column of dates, at even steps of their rank, from the earliest to the latest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub years: Vec<i64>,
    /// Lengths in characters of the shortest text and the longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<[u64; 2]>,
    /// The most common shapes of texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<ShapeShare>,
    /// The shares of rows that hold the most common value, the next one, and so on; not the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frequencies: Vec<f64>,
    /// The most common values, where they may be shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<Common>,
}

/// How many rows hold a column's largest and smallest number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extremes {
    /// Rows with the largest.
    pub largest: u64,
    /// Rows with the smallest.
    pub smallest: u64,
}

/// A shape: `A` for a capital letter, `a` for a small one, `9` for a digit, `+` behind one that is repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShapeShare {
    /// The shape.
    pub shape: String,
    /// The share of texts that have it.
    pub share: f64,
}

/// A common value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// The value: a text or a number.
    pub value: Value,
    /// The share of rows that hold it.
    pub share: f64,
}

/// A reference that holds in fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReferenceProfile {
    /// Columns of the table that refers.
    pub columns: Vec<String>,
    /// The table that it refers to.
    pub table: String,
    /// As many columns of that.
    pub target_columns: Vec<String>,
    /// The share of rows, without those that are NULL there, that lead to a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<f64>,
    /// How many rows refer to one row of the target, at even steps of rank, from the fewest to the most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fan_out: Vec<u64>,
    /// How many rows of the target have the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub favourites: Option<u64>,
}

/// The fields of a table of a profile that hold others, and those of the document.
const PARTS: [&str; 2] = ["columns", "references"];
const DOCUMENT: [&str; 5] = ["format", "version", "db_id", "source", "tables"];

fn fail<T>(place: &str, message: impl Into<String>) -> Result<T, ProfileError> {
    Err(ProfileError { place: place.to_owned(), message: message.into() })
}

fn object<'v>(value: &'v Value, place: &str, what: &str) -> Result<&'v Map<String, Value>, ProfileError> {
    match value {
        Value::Object(map) => Ok(map),
        _ => fail(place, format!("must be an object: {what}")),
    }
}

/// Reads the fields of one object; what serde says is an end of a sentence already.
fn fields<T: DeserializeOwned>(value: Value, place: &str) -> Result<T, ProfileError> {
    serde_json::from_value(value)
        .map_err(|e| ProfileError { place: place.to_owned(), message: e.to_string() })
}

impl TableProfile {
    /// Reads what is known of a table. Columns and references are taken one by one, so that an error names its place;
    /// the plain fields go through serde, whose list of known names is completed by these two.
    fn read(value: &Value, place: &str) -> Result<TableProfile, ProfileError> {
        let map = object(value, place, "what is known of a table")?;
        let plain: Map<String, Value> = map
            .iter()
            .filter(|(k, _)| !PARTS.contains(&k.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let TableFields { rows, sampled, keys, dependencies } = match fields(plain.into(), place) {
            Ok(fields) => fields,
            Err(error) if error.message.starts_with("unknown field") => {
                return fail(place, format!("{}, `columns`, `references`", error.message));
            }
            Err(error) => return Err(error),
        };
        let mut table = TableProfile { rows, sampled, keys, dependencies, ..TableProfile::default() };
        if let Some(columns) = map.get("columns") {
            let place = format!("{place}.columns");
            for (name, column) in object(columns, &place, "columns by name")? {
                let place = format!("{place}.{name}");
                object(column, &place, "what is known of a column")?;
                table.columns.push((name.clone(), fields(column.clone(), &place)?));
            }
        }
        match map.get("references") {
            None => {}
            Some(Value::Array(references)) => {
                for (i, reference) in references.iter().enumerate() {
                    table.references.push(fields(reference.clone(), &format!("{place}.references[{i}]"))?);
                }
            }
            Some(_) => return fail(&format!("{place}.references"), "must be a list"),
        }
        Ok(table)
    }

    fn written(self) -> Value {
        let TableProfile { rows, sampled, columns, keys, dependencies, references } = self;
        let plain = TableFields { rows, sampled, keys, dependencies };
        // Plain data: writing it as a value does not fail.
        let Ok(Value::Object(mut map)) = serde_json::to_value(plain) else { return Value::Null };
        let columns: Map<String, Value> = columns
            .into_iter()
            .map(|(name, column)| (name, serde_json::to_value(column).unwrap_or_default()))
            .collect();
        map.insert("columns".into(), columns.into());
        if !references.is_empty() {
            map.insert("references".into(), serde_json::to_value(references).unwrap_or_default());
        }
        map.into()
    }
}

impl TryFrom<Value> for Profile {
    type Error = ProfileError;

    /// Reads a profile, and says what is wrong in its own words: the format and the version come first, so that another
    /// document, or one of a later program, is not told about a field.
    fn try_from(value: Value) -> Result<Profile, ProfileError> {
        let map = object(&value, "", "a profile")?;
        let text = |field: &str| match map.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => fail(field, "must be a text"),
        };
        if text("format")?.as_deref() != Some(FORMAT) {
            return fail(
                "format",
                format!("must be {FORMAT:?}: this is no profile; `twinql profile` makes one"),
            );
        }
        match map.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(later) if later > VERSION => {
                return fail("version", format!("{later} is later than {VERSION}, which this program reads"));
            }
            _ => return fail("version", format!("must be {VERSION}")),
        }
        if let Some(unknown) = map.keys().find(|k| !DOCUMENT.contains(&k.as_str())) {
            return fail("", format!("unknown field `{unknown}`, expected one of {}", DOCUMENT.join(", ")));
        }
        let mut profile = Profile {
            db_id: text("db_id")?.unwrap_or_default(),
            source: text("source")?,
            tables: Vec::new(),
        };
        let Some(tables) = map.get("tables") else { return fail("tables", "is missing: tables by name") };
        for (name, table) in object(tables, "tables", "tables by name")? {
            profile.tables.push((name.clone(), TableProfile::read(table, &format!("tables.{name}"))?));
        }
        Ok(profile)
    }
}

impl From<Profile> for Value {
    fn from(profile: Profile) -> Value {
        let mut map = Map::new();
        map.insert("format".into(), FORMAT.into());
        map.insert("version".into(), VERSION.into());
        map.insert("db_id".into(), profile.db_id.into());
        if let Some(source) = profile.source {
            map.insert("source".into(), source.into());
        }
        let tables: Map<String, Value> =
            profile.tables.into_iter().map(|(name, table)| (name, table.written())).collect();
        map.insert("tables".into(), tables.into());
        map.into()
    }
}

impl Profile {
    /// Reads the text of a profile.
    ///
    /// # Errors
    /// It is no JSON, or not what a profile is: where, and what.
    pub fn read(text: &str) -> Result<Profile, ProfileError> {
        let value: Value =
            serde_json::from_str(text).map_err(|e| ProfileError::whole(format!("no JSON: {e}")))?;
        Profile::try_from(value)
    }

    /// The text of a profile, for people to read and edit: an object a level, lists of numbers on one line.
    pub fn text(&self) -> String {
        super::sheet::text(&Value::from(self.clone()))
    }

    /// Sixteen digits that tell profiles apart.
    pub fn digest(&self) -> String {
        Fingerprint::of([Value::from(self.clone()).to_string()]).digits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"{"format": "twinql-profile", "version": 1, "db_id": "d", "tables": {
        "t": {"rows": 4, "columns": {"a": {"distinct": 4, "range": [1, 9]}, "b": {}}, "keys": [["a", "b"]],
              "references": [{"columns": ["b"], "table": "u", "target_columns": ["c"], "holds": 0.5}]}}}"#;

    #[test]
    fn what_is_written_is_read_again() {
        let profile = Profile::read(SMALL).unwrap();
        assert_eq!(profile.tables[0].1.columns[0].1.distinct, Some(4));
        assert_eq!(profile.tables[0].1.references[0].holds, Some(0.5));
        let again = Profile::read(&profile.text()).unwrap();
        assert_eq!(again, profile);
        assert_eq!(again.digest(), profile.digest());
        let value = serde_json::to_value(&profile).unwrap();
        assert_eq!(serde_json::from_value::<Profile>(value).unwrap(), profile);
    }

    #[test]
    fn errors_name_their_place() {
        let says = |from: &str, to: &str| Profile::read(&SMALL.replace(from, to)).unwrap_err().to_string();
        for (from, to, place) in [
            ("\"distinct\"", "\"distnct\"", "tables.t.columns.a: unknown field `distnct`"),
            ("[1, 9]", "[1]", "tables.t.columns.a: "),
            ("\"rows\": 4", "\"rows\": -4", "tables.t: "),
            ("\"rows\"", "\"lines\"", "tables.t: unknown field `lines`"),
            ("0.5", "\"half\"", "tables.t.references[0]: "),
            ("twinql-profile", "other", "format: "),
            ("\"version\": 1", "\"version\": 2", "version: 2 is later"),
            ("\"db_id\"", "\"database\"", "unknown field `database`"),
            ("\"tables\"", "\"db_id2\"", "unknown field `db_id2`"),
            ("\"t\": {", "\"t\": [{", "no JSON"),
        ] {
            let message = says(from, to);
            assert!(message.starts_with(place), "{message}");
        }
        assert!(
            says("{\"distinct\": 4, \"range\": [1, 9]}", "7")
                .starts_with("tables.t.columns.a: must be an object")
        );
    }
}
