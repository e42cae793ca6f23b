//! Verdicts on pairs, as `twinql judge` and `twinql execute` write and count them.

use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::Value as Json;
use twinql::files::hex;
use twinql::record::{Status, StatusCounts};
use twinql::sql::Value;
use twinql::{Job, status};

/// The wire type of verdicts, one JSON object for each pair.
#[derive(Debug, schemars::JsonSchema)]
#[schemars(rename = "VerdictRecord")]
pub(crate) struct VerdictRecord<W> {
    id: Json,
    pub(super) status: Status,
    /// `same`, `different`, or null where there is no verdict.
    pub(super) verdict: Option<&'static str>,
    /// What both queries are run on: `databases` that are made, or `files`.
    #[schemars(skip)]
    over: &'static str,
    /// On how many of them both gave an answer.
    #[schemars(rename = "databases")]
    pub(super) tried: Option<u64>,
    /// On how many of these the gold answered: not what it gives over empty tables.
    pub(super) nonempty: Option<u64>,
    /// Where the answers differ.
    pub(super) witness: Option<W>,
    /// Repairs of the texts.
    pub(super) notes: Vec<String>,
    pub(super) error: Option<String>,
}

impl<W: Serialize> Serialize for VerdictRecord<W> {
    /// By hand, for one field has two names.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("VerdictRecord", 8)?;
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("status", &self.status)?;
        fields.serialize_field("verdict", &self.verdict)?;
        fields.serialize_field(self.over, &self.tried)?;
        fields.serialize_field("nonempty", &self.nonempty)?;
        fields.serialize_field("witness", &self.witness)?;
        fields.serialize_field("notes", &self.notes)?;
        fields.serialize_field("error", &self.error)?;
        fields.end()
    }
}

impl<W> VerdictRecord<W> {
    /// A pair without a verdict, with its own error where it cannot be used.
    pub(super) fn new(job: &Job, over: &'static str) -> VerdictRecord<W> {
        let (status, error) = status::of_input(job);
        let (verdict, tried, nonempty, witness) = (None, None, None, None);
        let (id, notes) = (job.id.clone(), Vec::new());
        VerdictRecord { id, status, verdict, over, tried, nonempty, witness, notes, error }
    }

    /// The two answer the same on all that was tried.
    pub(super) fn same(&mut self, tried: u64, nonempty: u64) {
        (self.verdict, self.tried, self.nonempty) = (Some("same"), Some(tried), Some(nonempty));
    }

    /// The two answer differently.
    pub(super) fn different(&mut self, witness: Option<W>) {
        (self.verdict, self.witness) = (Some("different"), witness);
    }

    /// The verdict for people, `same` in these words; what went wrong; and the repairs, a line each.
    pub(super) fn words(&self, same: String) -> String {
        let verdict = match self.verdict {
            Some("same") => same,
            other => other.unwrap_or_default().to_owned(),
        };
        let error = self.error.as_ref().map(|error| format!("{}: {error}", self.status));
        let notes = self.notes.iter().map(|note| format!("note: {note}"));
        let lines = Some(verdict).filter(|verdict| !verdict.is_empty()).into_iter().chain(error).chain(notes);
        lines.map(|line| line + "\n").collect()
    }
}

/// Makes the JSON schema of a verdict on databases one on files.
pub(crate) fn over_files(schema: &mut schemars::Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(Json::Object(properties)) = schema.get_mut("properties")
        && let Some(databases) = properties.remove("databases")
    {
        properties.insert("files".into(), databases);
    }
    if let Some(Json::Array(required)) = schema.get_mut("required") {
        for name in required.iter_mut().filter(|name| *name == "databases") {
            *name = "files".into();
        }
    }
}

/// A verdict or a proof in the table of many pairs.
pub(super) fn cell(column: &'static str, verdict: Option<&str>) -> (&'static str, String) {
    (column, verdict.unwrap_or("-").to_owned())
}

/// How many pairs were called what.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    pub(super) same: usize,
    pub(super) different: usize,
}

impl Verdicts {
    /// Counts a verdict.
    pub(super) fn add(&mut self, verdict: Option<&str>) {
        self.same += usize::from(verdict == Some("same"));
        self.different += usize::from(verdict == Some("different"));
    }

    /// The share of all pairs that were called the same.
    pub(super) fn share(&self, counts: &StatusCounts) -> f64 {
        self.same as f64 / counts.total().max(1) as f64
    }
}

/// A value as JSON has it; a blob is an object with its bytes in hexadecimal.
pub(crate) fn plain(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(i) => i.into(),
        Value::Real(r) => r.0.into(),
        Value::Text(s) => s.into(),
        Value::Blob(bytes) => serde_json::json!({ "blob": hex(bytes) }),
    }
}

/// Rows of an answer as JSON.
pub(super) fn rows(rows: Vec<Vec<Value>>) -> Vec<Vec<Json>> {
    rows.into_iter().map(|row| row.into_iter().map(plain).collect()).collect()
}
