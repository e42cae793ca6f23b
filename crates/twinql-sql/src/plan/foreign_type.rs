//! The types of other systems that SQLite has no word for.

/// What a value is, beyond what SQLite's types say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignType {
    /// A day.
    Date,
    /// A day with a time.
    Timestamp,
    /// A span of time.
    Interval,
    /// An array.
    Array,
    /// A JSON document.
    Json,
    /// A whole number of 64 bits.
    Big,
    /// A binary number.
    Double,
    /// A number with a fraction by its type.
    Decimal,
}

impl ForeignType {
    /// The kind that a declared type has.
    pub(super) fn of_declared(declared: &str) -> Option<ForeignType> {
        let upper = declared.trim().to_ascii_uppercase();
        if upper.ends_with(']') {
            return Some(ForeignType::Array);
        }
        if upper.starts_with("DATETIME") || upper.starts_with("TIMESTAMP") || upper == "SMALLDATETIME" {
            return Some(ForeignType::Timestamp);
        }
        match upper.as_str() {
            "DATE" => Some(ForeignType::Date),
            "JSON" | "JSONB" => Some(ForeignType::Json),
            "BIGINT" | "INT8" | "BIGSERIAL" => Some(ForeignType::Big),
            _ if upper.starts_with("INTERVAL") => Some(ForeignType::Interval),
            _ => None,
        }
    }

    /// The kind that a function gives, if it is always the same.
    pub(super) fn of_function(name: &str) -> Option<ForeignType> {
        Some(match name {
            "date" | "current_date" | "my_last_day" | "ora_add_months" => ForeignType::Date,
            "datetime" | "current_timestamp" | "sql_of_epoch" | "sf_to_timestamp" | "pg_date_trunc"
            | "pg_date_bin" | "pg_timestamp" | "pg_timestamptz" => ForeignType::Timestamp,
            "pg_justify" | "pg_interval" | "pg_interval_of" | "pg_age" | "pg_scale" | "pg_interval_sum"
            | "pg_interval_avg" | "pg_interval_min" | "pg_interval_max" => ForeignType::Interval,
            "pg_array"
            | "pg_array_agg"
            | "pg_array_cat"
            | "pg_regexp_split"
            | "pg_string_to_array"
            | "sql_split"
            | "sql_range"
            | "sql_array_compact"
            | "sql_array_concat"
            | "sql_array_distinct"
            | "sql_array_remove"
            | "sql_array_reverse"
            | "sql_array_slice"
            | "sql_array_sort"
            | "sql_regexp_extract_all" => ForeignType::Array,
            "pg_json_get" | "pg_json_path" | "pg_jsonb" => ForeignType::Json,
            _ => return None,
        })
    }

    pub(super) fn is_moment(self) -> bool {
        matches!(self, ForeignType::Date | ForeignType::Timestamp)
    }
}
