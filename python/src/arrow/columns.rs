//! Columns of pairs, whichever of Arrow's types they have.

use arrow_array::RecordBatch;
use arrow_array::array::{Array, BooleanArray, LargeStringArray, StringArray, StringViewArray};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_schema::DataType;
use serde_json::{Map, Value as Json};
use twinql::corpus::pairs::Draft;

use super::capsule;
use crate::raw::{FIELDS, Raw};

/// A value of a column by its row.
enum Column<'a> {
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    TextView(&'a StringViewArray),
    /// Texts by number, as categories have them.
    Coded(Vec<Option<usize>>, Box<Column<'a>>),
    Flag(&'a BooleanArray),
    Signed(Vec<Option<i64>>),
    Unsigned(Vec<Option<u64>>),
    Float(Vec<Option<f64>>),
    /// All null.
    Nothing,
}

/// Numbers of one type as the widest of their kind.
macro_rules! numbers {
    ($array:expr, $type:ty) => {
        $array.as_primitive::<$type>().iter().map(|n| n.map(Into::into)).collect()
    };
}

impl<'a> Column<'a> {
    /// The column of an array; of another type than texts, numbers and flags an error that names it.
    fn of(array: &'a dyn Array) -> Result<Column<'a>, String> {
        Ok(match array.data_type() {
            DataType::Utf8 => Column::Text(array.as_string::<i32>()),
            DataType::LargeUtf8 => Column::LargeText(array.as_string::<i64>()),
            DataType::Utf8View => Column::TextView(array.as_string_view()),
            DataType::Dictionary(_, _) => {
                let codes = array.as_any_dictionary();
                let values = Column::of(codes.values().as_ref())?;
                let normalized = match codes.values().is_empty() {
                    true => vec![0; codes.len()],
                    false => codes.normalized_keys(),
                };
                let keys = normalized.into_iter().enumerate();
                Column::Coded(
                    keys.map(|(i, key)| array.is_valid(i).then_some(key)).collect(),
                    Box::new(values),
                )
            }
            DataType::Boolean => Column::Flag(array.as_boolean()),
            DataType::Int8 => Column::Signed(numbers!(array, Int8Type)),
            DataType::Int16 => Column::Signed(numbers!(array, Int16Type)),
            DataType::Int32 => Column::Signed(numbers!(array, Int32Type)),
            DataType::Int64 => Column::Signed(numbers!(array, Int64Type)),
            DataType::UInt8 => Column::Unsigned(numbers!(array, UInt8Type)),
            DataType::UInt16 => Column::Unsigned(numbers!(array, UInt16Type)),
            DataType::UInt32 => Column::Unsigned(numbers!(array, UInt32Type)),
            DataType::UInt64 => Column::Unsigned(numbers!(array, UInt64Type)),
            DataType::Float32 => Column::Float(numbers!(array, Float32Type)),
            DataType::Float64 => Column::Float(numbers!(array, Float64Type)),
            DataType::Null => Column::Nothing,
            other => return Err(other.to_string()),
        })
    }

    /// The value of a row as a pair file would have it.
    fn get(&self, row: usize) -> Json {
        fn text(valid: bool, text: impl FnOnce() -> String) -> Json {
            if valid { Json::from(text()) } else { Json::Null }
        }
        match self {
            Column::Text(a) => text(a.is_valid(row), || a.value(row).to_owned()),
            Column::LargeText(a) => text(a.is_valid(row), || a.value(row).to_owned()),
            Column::TextView(a) => text(a.is_valid(row), || a.value(row).to_owned()),
            Column::Coded(keys, values) => match keys.get(row).copied().flatten() {
                Some(key) => values.get(key),
                None => Json::Null,
            },
            Column::Flag(a) => {
                if a.is_valid(row) {
                    Json::from(a.value(row))
                } else {
                    Json::Null
                }
            }
            Column::Signed(a) => a.get(row).copied().flatten().map_or(Json::Null, Json::from),
            Column::Unsigned(a) => a.get(row).copied().flatten().map_or(Json::Null, Json::from),
            // Labels with gaps are floats in some libraries.
            Column::Float(a) => match a.get(row).copied().flatten() {
                Some(n) if n.fract() == 0.0 && n.abs() < 9e15 => Json::from(n as i64),
                Some(n) => Json::from(n),
                None => Json::Null,
            },
            Column::Nothing => Json::Null,
        }
    }
}

/// The pairs of a batch, a row each. Other columns than those of a pair file are not looked at.
///
/// # Errors
/// There is no column of golds or predictions, or one has a type that no pair has.
pub(super) fn pairs(batch: &RecordBatch) -> Result<Vec<Raw>, String> {
    let schema = batch.schema();
    let mut columns = Vec::new();
    for name in FIELDS {
        let Some(array) = batch.column_by_name(name) else { continue };
        capsule::checked(array.as_ref()).map_err(|e| format!("column {name:?}: {e}"))?;
        let column = Column::of(array.as_ref())
            .map_err(|kind| format!("column {name:?} is {kind}; give texts, numbers or flags"))?;
        columns.push((name, column));
    }
    for (name, other) in [("gold", "sql1"), ("pred", "sql2")] {
        if !columns.iter().any(|(n, _)| *n == name || *n == other) {
            let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
            return Err(format!("no column {name:?}; the columns are {}", names.join(", ")));
        }
    }
    let raw = |row: usize| {
        let fields: Map<String, Json> =
            columns.iter().map(|(name, column)| ((*name).to_owned(), column.get(row))).collect();
        Raw { draft: Draft::from_fields(fields), schema: None }
    };
    Ok((0..batch.num_rows()).map(raw).collect())
}
