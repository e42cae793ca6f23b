//! The parser's AST in JSON and back: apart from the rest, for it is what takes long to
//! compile.

use serde::Deserialize;
use serde_json::Value;
use sqlparser::ast::Query;

/// A query's JSON form.
///
/// # Errors
/// What the serializer says; it has no reason to.
pub fn to_json(query: &Query) -> Result<Value, serde_json::Error> {
    serde_json::to_value(query)
}

/// The query that a JSON form is.
///
/// # Errors
/// What does not fit, in the deserializer's words.
pub fn of_json(value: &Value) -> Result<Query, String> {
    Query::deserialize(value).map_err(|e| e.to_string())
}
