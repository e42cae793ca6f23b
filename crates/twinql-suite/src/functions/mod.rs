//! Functions of other systems that SQLite lacks, as the sandbox executes them.
//!
//! The planner writes them into the text that it translates, under names of their own
//! (`pg_date_trunc`), so that SQLite's meaning of a text is not touched: a query of
//! SQLite's dialect that calls `date_trunc` is still refused. Each function is one entry
//! of [`FUNCTIONS`] or [`AGGREGATES`]: deterministic, bounded in what it gives, NULL where
//! its arguments mean nothing.

mod aggregates;
mod arrays;
mod casts;
mod dates;
mod json;
mod math;
mod patterns;
mod register;
mod strings;
#[cfg(test)]
mod tests;

pub(crate) use register::register;

use twinql_sql::Value;

/// What a function gives, or why it cannot.
pub(crate) type Outcome = Result<Value, String>;

/// A scalar function.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    /// Its name in SQLite's text.
    pub(crate) name: &'static str,
    /// The least and the greatest number of arguments.
    pub(crate) arity: (usize, usize),
    /// A NULL among the arguments makes the answer NULL.
    pub(crate) strict: bool,
    pub(crate) call: fn(&[Value]) -> Outcome,
}

/// An aggregate over the values of a group: rows of arguments, in the order in which SQLite
/// gives them.
#[derive(Clone, Copy)]
pub(crate) struct Collector {
    /// Its name in SQLite's text.
    pub(crate) name: &'static str,
    /// The number of arguments.
    pub(crate) arity: usize,
    /// The answer for the rows.
    pub(crate) call: fn(&[Vec<Value>]) -> Outcome,
}

const fn strict(name: &'static str, arity: (usize, usize), call: fn(&[Value]) -> Outcome) -> Function {
    Function {
        name,
        arity,
        strict: true,
        call,
    }
}

const fn lenient(name: &'static str, arity: (usize, usize), call: fn(&[Value]) -> Outcome) -> Function {
    Function {
        name,
        arity,
        strict: false,
        call,
    }
}

const fn collector(name: &'static str, arity: usize, call: fn(&[Vec<Value>]) -> Outcome) -> Collector {
    Collector { name, arity, call }
}

/// Every scalar function, in order of their files.
pub(crate) const FUNCTIONS: &[Function] = &[
    lenient("cast_as", (2, 2), casts::opaque),
    strict("pg_boolean", (1, 1), casts::boolean),
    strict("pg_add", (2, 2), dates::add),
    strict("pg_age", (2, 2), dates::age),
    strict("pg_date_trunc", (2, 2), dates::date_trunc),
    strict("pg_extract", (2, 2), dates::extract),
    strict("pg_interval", (3, 3), dates::interval),
    strict("pg_interval_length", (1, 1), dates::interval_length),
    strict("pg_interval_of", (1, 2), dates::interval_of),
    strict("pg_scale", (2, 2), dates::scale),
    strict("pg_subtract", (2, 2), dates::subtract),
    strict("pg_timestamp", (1, 1), dates::timestamp),
    strict("pg_timestamptz", (1, 1), dates::timestamp),
    strict("pg_to_char", (2, 2), dates::to_char),
    strict("my_date_add", (3, 3), dates::mysql_add),
    strict("my_date_format", (2, 2), dates::date_format),
    strict("my_last_day", (1, 1), dates::last_day),
    strict("my_str_to_date", (2, 2), dates::str_to_date),
    strict("my_timestampdiff", (3, 3), dates::timestampdiff),
    strict("pg_regexp", (3, 3), patterns::regexp),
    strict("pg_regexp_replace", (3, 4), patterns::replace),
    strict("pg_similar", (2, 2), patterns::similar),
    strict("pg_initcap", (1, 1), strings::initcap),
    strict("pg_lpad", (2, 3), strings::lpad),
    strict("pg_repeat", (2, 2), strings::repeat),
    strict("pg_reverse", (1, 1), strings::reverse),
    strict("pg_rpad", (2, 3), strings::rpad),
    strict("pg_split_part", (3, 3), strings::split_part),
    strict("pg_translate", (3, 3), strings::translate),
    strict("my_substring_index", (3, 3), strings::substring_index),
    strict("my_find_in_set", (2, 2), strings::find_in_set),
    lenient("pg_greatest", (1, 16), math::greatest),
    lenient("pg_least", (1, 16), math::least),
    strict("pg_json_contains", (2, 2), json::contains),
    strict("pg_json_get", (2, 2), json::get),
    strict("pg_json_has", (2, 2), json::has),
    strict("pg_json_path", (2, 2), json::path),
    strict("pg_json_path_text", (2, 2), json::path_text),
    strict("pg_json_text", (2, 2), json::text_of),
    lenient("pg_array", (0, 16), arrays::array),
    strict("pg_array_contains", (2, 2), arrays::contains),
    strict("pg_array_of", (1, 1), arrays::of_value),
    strict("pg_array_length", (1, 1), arrays::length),
    strict("pg_array_overlaps", (2, 2), arrays::overlaps),
    strict("pg_array_to_string", (2, 3), arrays::to_string),
    strict("pg_string_to_array", (2, 2), arrays::of_string),
];

/// Functions that SQLite has where it is built with its mathematics, as most people's is.
pub(crate) const MATHEMATICS: &[Function] = &[
    strict("ceil", (1, 1), math::ceil),
    strict("ceiling", (1, 1), math::ceil),
    strict("exp", (1, 1), math::exp),
    strict("floor", (1, 1), math::floor),
    strict("ln", (1, 1), math::ln),
    strict("log", (1, 2), math::log),
    strict("log10", (1, 1), math::log10),
    strict("log2", (1, 1), math::log2),
    strict("mod", (2, 2), math::modulo),
    strict("pi", (0, 0), math::pi),
    strict("pow", (2, 2), math::power),
    strict("power", (2, 2), math::power),
    strict("sqrt", (1, 1), math::sqrt),
    strict("trunc", (1, 1), math::trunc),
];

/// Every aggregate.
pub(crate) const AGGREGATES: &[Collector] = &[
    collector("pg_array_agg", 1, aggregates::array_agg),
    collector("pg_interval_avg", 1, aggregates::interval_avg),
    collector("pg_interval_max", 1, aggregates::interval_max),
    collector("pg_interval_min", 1, aggregates::interval_min),
    collector("pg_interval_sum", 1, aggregates::interval_sum),
    collector("pg_mode", 1, aggregates::mode),
    collector("pg_percentile_cont", 2, aggregates::percentile_cont),
    collector("pg_percentile_disc", 2, aggregates::percentile_disc),
    collector("pg_percentile_disc_desc", 2, aggregates::percentile_disc_desc),
    collector("pg_stddev_pop", 1, aggregates::stddev_pop),
    collector("pg_stddev_samp", 1, aggregates::stddev_samp),
    collector("pg_string_agg_distinct", 2, aggregates::string_agg_distinct),
    collector(
        "pg_string_agg_distinct_desc",
        2,
        aggregates::string_agg_distinct_desc,
    ),
    collector("pg_var_pop", 1, aggregates::var_pop),
    collector("pg_var_samp", 1, aggregates::var_samp),
];

/// A value as text, as SQLite converts it; NULL and blobs that are no text have none.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Integer(i) => Some(i.to_string()),
        Value::Real(r) => Some(format!("{:?}", r.0)),
        Value::Text(s) => Some(s.clone()),
        Value::Blob(b) => String::from_utf8(b.clone()).ok(),
    }
}

/// A value as a number; a text counts if it is one.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(i) => Some(*i as f64),
        Value::Real(r) => Some(r.0),
        Value::Text(s) => s.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        Value::Null | Value::Blob(_) => None,
    }
}

/// A value as a whole number, its fraction cut off.
pub(crate) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(i) => Some(*i),
        other => number(other).filter(|n| n.abs() < 9e15).map(|n| n.trunc() as i64),
    }
}

/// A number, NULL where it is not finite.
pub(crate) fn real(number: f64) -> Value {
    if number.is_finite() {
        Value::Real(number.into())
    } else {
        Value::Null
    }
}

/// A text, or NULL.
pub(crate) fn text_or_null(text: Option<String>) -> Outcome {
    Ok(text.map_or(Value::Null, Value::Text))
}

/// A truth value.
pub(crate) fn truth(holds: bool) -> Value {
    Value::Integer(i64::from(holds))
}

/// How two values are ordered: numbers, then text by its bytes.
pub(crate) fn order(a: &Value, b: &Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        _ => match (a, b) {
            (Value::Integer(_) | Value::Real(_), Value::Integer(_) | Value::Real(_)) => {
                number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0))
            }
            _ => a.cmp(b),
        },
    }
}
