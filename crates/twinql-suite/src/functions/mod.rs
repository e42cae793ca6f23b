//! Functions of other systems that SQLite lacks, as the sandbox executes them.
//!
//! The planner writes them into the text that it translates, under names of their own
//! (`pg_date_trunc`), so that SQLite's meaning of a text is not touched: a query of
//! SQLite's dialect that calls `date_trunc` is still refused. Each function is one entry
//! of [`FUNCTIONS`] or [`AGGREGATES`]: deterministic, bounded in what it gives, NULL where
//! its arguments mean nothing.

mod aggregates;
mod arrays;
mod bigquery;
mod casts;
mod dates;
mod geography;
mod hashes;
mod json;
mod math;
mod numbers;
mod oracle;
mod patterns;
mod register;
mod server;
mod shared;
mod statistics;
mod strings;
#[cfg(test)]
mod tests;
mod times;

pub(crate) use register::register;

use std::cmp::Ordering;

use twinql_sql::{Direction, Value};

/// What a function gives, or why it cannot.
pub(crate) type Returned = Result<Value, Stop>;

/// Why a function gives no value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stop {
    /// Its arguments mean nothing: the answer is NULL.
    Null,
    /// The query fails, and this is said.
    Error(String),
}

impl<S: Into<String>> From<S> for Stop {
    fn from(message: S) -> Stop {
        Stop::Error(message.into())
    }
}

/// A scalar function; how many arguments it takes and what NULL among them gives is in [`twinql_sql::function`].
#[derive(Clone, Copy)]
pub(crate) struct Function {
    /// Its name in SQLite's text.
    pub(crate) name: &'static str,
    pub(crate) call: fn(&[Value]) -> Returned,
}

impl Function {
    /// Its row in the table of functions.
    fn row(self) -> Option<&'static twinql_sql::function::Scalar> {
        twinql_sql::function::scalar(self.name)
    }
}

/// An aggregate over the values of a group: rows of arguments, in the order in which SQLite
/// gives them.
#[derive(Clone, Copy)]
pub(crate) struct Collector {
    /// Its name in SQLite's text.
    pub(crate) name: &'static str,
    /// The answer for the rows.
    pub(crate) call: fn(&[Vec<Value>]) -> Returned,
}

impl Collector {
    /// The number of its arguments.
    fn arity(self) -> Option<usize> {
        twinql_sql::function::aggregate(self.name).map(|row| row.arity.1)
    }
}

const fn scalar(name: &'static str, call: fn(&[Value]) -> Returned) -> Function {
    Function { name, call }
}

const fn collector(name: &'static str, call: fn(&[Vec<Value>]) -> Returned) -> Collector {
    Collector { name, call }
}

/// Every scalar function, in order of their files.
pub(crate) const FUNCTIONS: &[Function] = &[
    scalar("cast_as", casts::opaque),
    scalar("pg_boolean", casts::boolean),
    scalar("pg_add", dates::add),
    scalar("pg_age", dates::age),
    scalar("pg_date_bin", dates::date_bin),
    scalar("pg_date_trunc", dates::date_trunc),
    scalar("pg_extract", dates::extract),
    scalar("pg_interval", dates::interval),
    scalar("pg_interval_length", dates::interval_length),
    scalar("pg_interval_of", dates::interval_of),
    scalar("pg_justify", dates::justify),
    scalar("pg_overlaps", dates::overlaps),
    scalar("pg_scale", dates::scale),
    scalar("pg_subtract", dates::subtract),
    scalar("pg_timestamp", dates::timestamp),
    scalar("pg_timestamptz", dates::timestamp),
    scalar("pg_to_char", dates::to_char),
    scalar("pg_number_text", numbers::postgres_text),
    scalar("pg_round_even", math::round_even),
    scalar("pg_round_to", |args| math::to_digits(args, f64::round)),
    scalar("pg_trunc_to", |args| math::to_digits(args, f64::trunc)),
    scalar("pg_ascii", strings::ascii),
    scalar("pg_cbrt", |args| math::of_one(args, f64::cbrt)),
    scalar("pg_left", |args| strings::pg_end(args, true)),
    scalar("pg_right", |args| strings::pg_end(args, false)),
    scalar("pg_substr", strings::pg_substr),
    scalar("pg_to_hex", strings::pg_to_hex),
    scalar("my_conv", numbers::in_another_base),
    scalar("pg_to_number", numbers::to_number),
    scalar("my_format", strings::my_format),
    scalar("my_hex", strings::my_hex),
    scalar("my_json_length", json::length),
    scalar("my_locate", strings::my_locate),
    scalar("my_right", strings::my_right),
    scalar("my_substr", strings::my_substr),
    scalar("my_date_add", dates::mysql_add),
    scalar("my_date_format", dates::date_format),
    scalar("my_last_day", dates::last_day),
    scalar("my_str_to_date", dates::str_to_date),
    scalar("my_timestampdiff", dates::timestampdiff),
    scalar("my_addtime", times::add),
    scalar("my_maketime", times::of_parts),
    scalar("my_sec_to_time", times::of_seconds),
    scalar("my_time_to_sec", times::to_seconds),
    scalar("my_timediff", times::difference),
    scalar("ms_charindex", server::char_index),
    scalar("ms_date_text", server::date_text),
    scalar("ms_datediff", dates::boundaries),
    scalar("ms_isnumeric", server::is_numeric),
    scalar("ms_like", server::like),
    scalar("ms_patindex", server::pattern_index),
    scalar("ms_replace", server::replace),
    scalar("ms_stuff", server::stuff),
    scalar("ms_try_integer", server::try_integer),
    scalar("ms_try_number", server::try_number),
    scalar("ora_add_months", oracle::add_months),
    scalar("ora_instr", oracle::instr),
    scalar("ora_months_between", oracle::months_between),
    scalar("ora_number_text", numbers::oracle_text),
    scalar("ora_substr", oracle::substr),
    scalar("pg_regexp", patterns::regexp),
    scalar("pg_regexp_matches", patterns::matches),
    scalar("pg_regexp_split", patterns::split),
    scalar("pg_regexp_replace", patterns::replace),
    scalar("pg_similar", patterns::similar),
    scalar("pg_initcap", strings::initcap),
    scalar("pg_lpad", |args| strings::pad(args, true)),
    scalar("pg_repeat", strings::repeat),
    scalar("pg_reverse", strings::reverse),
    scalar("pg_rpad", |args| strings::pad(args, false)),
    scalar("pg_split_part", strings::split_part),
    scalar("pg_translate", strings::translate),
    scalar("my_substring_index", strings::substring_index),
    scalar("my_find_in_set", strings::find_in_set),
    scalar("pg_greatest", |args| math::extreme(args, Ordering::Greater)),
    scalar("pg_least", |args| math::extreme(args, Ordering::Less)),
    scalar("pg_jsonb", |args| Ok(json::as_document(args.first().and_then(json::document).as_ref()))),
    scalar("pg_json_contains", json::contains),
    scalar("pg_json_get", |args| json::at_key(args, json::as_document)),
    scalar("pg_json_has", json::has),
    scalar("pg_json_path", |args| json::at_path(args, json::as_document)),
    scalar("pg_json_path_text", |args| json::at_path(args, json::as_text)),
    scalar("pg_json_text", |args| json::at_key(args, json::as_text)),
    scalar("pg_array", |args| Ok(arrays::of(args.iter()))),
    scalar("pg_array_contains", arrays::contains),
    scalar("pg_array_of", arrays::of_value),
    scalar("pg_array_length", arrays::length),
    scalar("pg_array_overlaps", arrays::overlaps),
    scalar("pg_array_cat", arrays::cat),
    scalar("pg_array_zip", arrays::zip),
    scalar("pg_array_to_string", arrays::to_string),
    scalar("pg_string_to_array", arrays::of_string),
    scalar("bq_first_elements", bigquery::first_elements),
    scalar("bq_generate_array", bigquery::generate_array),
    scalar("bq_generate_date_array", bigquery::generate_date_array),
    scalar("bq_json_array", bigquery::json_array),
    scalar("bq_json_value", bigquery::json_value),
    scalar("bq_st_distance", geography::distance),
    scalar("bq_st_geogpoint", geography::point),
    scalar("bq_st_x", |args| geography::coordinate(args, 0)),
    scalar("bq_st_y", |args| geography::coordinate(args, 1)),
    scalar("sql_geography", geography::read),
    scalar("sql_st_area", geography::area),
    scalar("sql_st_contains", |args| geography::contains(args, false)),
    scalar("sql_st_covers", |args| geography::contains(args, true)),
    scalar("sql_st_intersects", geography::intersects),
    scalar("sql_st_length", |args| geography::length(args, false)),
    scalar("sql_st_perimeter", |args| geography::length(args, true)),
    scalar("bq_substr", bigquery::substr),
    scalar("sf_to_timestamp", shared::to_timestamp),
    scalar("sql_array_compact", shared::array_compact),
    scalar("sql_array_concat", shared::array_concat),
    scalar("sql_array_distinct", shared::array_distinct),
    scalar("sql_array_intersect", shared::array_intersect),
    scalar("sql_array_max", |args| shared::array_extreme(args, true)),
    scalar("sql_array_min", |args| shared::array_extreme(args, false)),
    scalar("sql_array_position", shared::array_position),
    scalar("sql_array_remove", shared::array_remove),
    scalar("sql_array_reverse", shared::array_reverse),
    scalar("sql_array_slice", shared::array_slice),
    scalar("sql_array_sort", shared::array_sort),
    scalar("sql_edit_distance", shared::edit_distance),
    scalar("sql_haversine", shared::haversine),
    scalar("sql_md5", hashes::md5),
    scalar("sql_of_epoch", shared::of_epoch),
    scalar("sql_range", shared::range),
    scalar("sql_regexp_count", shared::regexp_count),
    scalar("sql_regexp_extract", shared::regexp_extract),
    scalar("sql_regexp_extract_all", shared::regexp_extract_all),
    scalar("sql_regexp_place", shared::regexp_place),
    scalar("sql_sha256", hashes::sha256),
    scalar("sql_split", shared::split),
    scalar("sql_try_json", shared::try_json),
    scalar("sql_try_number", shared::try_number),
    scalar("sql_acos", |args| math::of_one(args, f64::acos)),
    scalar("sql_asin", |args| math::of_one(args, f64::asin)),
    scalar("sql_atan", |args| math::of_one(args, f64::atan)),
    scalar("sql_cos", |args| math::of_one(args, f64::cos)),
    scalar("sql_degrees", |args| math::of_one(args, f64::to_degrees)),
    scalar("sql_radians", |args| math::of_one(args, f64::to_radians)),
    scalar("sql_sin", |args| math::of_one(args, f64::sin)),
    scalar("sql_tan", |args| math::of_one(args, f64::tan)),
    scalar("sql_atan2", shared::atan2),
];

/// Functions that SQLite has where it is built with its mathematics, as most people's is.
pub(crate) const MATHEMATICS: &[Function] = &[
    scalar("ceil", |args| math::rounded(args, f64::ceil)),
    scalar("ceiling", |args| math::rounded(args, f64::ceil)),
    scalar("exp", |args| math::of_one(args, f64::exp)),
    scalar("floor", |args| math::rounded(args, f64::floor)),
    scalar("ln", |args| math::of_one(args, f64::ln)),
    scalar("log", math::log),
    scalar("log10", |args| math::of_one(args, f64::log10)),
    scalar("log2", |args| math::of_one(args, f64::log2)),
    scalar("mod", math::modulo),
    scalar("pi", |_| Ok(real(std::f64::consts::PI))),
    scalar("pow", math::power),
    scalar("power", math::power),
    scalar("sqrt", |args| math::of_one(args, f64::sqrt)),
    scalar("trunc", |args| math::rounded(args, f64::trunc)),
];

/// Every aggregate.
pub(crate) const AGGREGATES: &[Collector] = &[
    collector("pg_array_agg", aggregates::array_agg),
    collector("pg_interval_avg", aggregates::interval_avg),
    collector("pg_interval_max", |rows| aggregates::extreme(rows, Ordering::Greater)),
    collector("pg_interval_min", |rows| aggregates::extreme(rows, Ordering::Less)),
    collector("pg_interval_sum", aggregates::interval_sum),
    collector("pg_mode", aggregates::mode),
    collector("pg_percentile_cont", aggregates::percentile_cont),
    collector("pg_percentile_disc", |rows| aggregates::percentile_disc(rows, false)),
    collector("pg_percentile_disc_desc", |rows| aggregates::percentile_disc(rows, true)),
    collector("pg_stddev_pop", |rows| aggregates::variance(rows, false).map(f64::sqrt).map(real)),
    collector("pg_stddev_samp", |rows| aggregates::variance(rows, true).map(f64::sqrt).map(real)),
    collector("pg_string_agg_distinct", |rows| aggregates::distinct_joined(rows, Direction::Asc)),
    collector("pg_string_agg_distinct_asc", |rows| aggregates::distinct_joined(rows, Direction::Asc)),
    collector("pg_string_agg_distinct_desc", |rows| aggregates::distinct_joined(rows, Direction::Desc)),
    collector("pg_representative", aggregates::representative),
    collector("bq_approx_quantiles", bigquery::approx_quantiles),
    collector("sql_any_value", bigquery::any_value),
    collector("sql_bit_and", |rows| aggregates::bits(rows, |a, b| a & b)),
    collector("sql_bit_or", |rows| aggregates::bits(rows, |a, b| a | b)),
    collector("sql_bit_xor", |rows| aggregates::bits(rows, |a, b| a ^ b)),
    collector("sql_corr", statistics::correlation),
    collector("sql_covar_pop", |rows| statistics::covariance(rows, false)),
    collector("sql_covar_samp", |rows| statistics::covariance(rows, true)),
    collector("sql_regr_intercept", statistics::intercept),
    collector("sql_regr_r2", statistics::determination),
    collector("sql_regr_slope", statistics::slope),
    collector("sql_max_by", |rows| aggregates::value_at(rows, Ordering::Greater)),
    collector("sql_min_by", |rows| aggregates::value_at(rows, Ordering::Less)),
    collector("sql_first_present", |rows| aggregates::present(rows, false)),
    collector("sql_last_present", |rows| aggregates::present(rows, true)),
    collector("sql_approx_percentile", aggregates::percentile_cont),
    collector("sql_approx_percentile_disc", |rows| aggregates::percentile_disc(rows, false)),
    collector("sql_approx_count_distinct", aggregates::distinct_count),
    collector("pg_var_pop", |rows| aggregates::variance(rows, false).map(real)),
    collector("pg_var_samp", |rows| aggregates::variance(rows, true).map(real)),
    collector("sql_avg_distinct", aggregates::distinct_average),
    collector("sql_count_distinct", aggregates::distinct_count),
    collector("sql_sum_distinct", aggregates::distinct_sum),
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
    if number.is_finite() { Value::Real(number.into()) } else { Value::Null }
}

/// What a value is shown as, or NULL.
pub(crate) fn shown(value: Option<impl std::fmt::Display>) -> Returned {
    value.map(|v| Value::Text(v.to_string())).ok_or(Stop::Null)
}

/// So many arguments.
pub(crate) fn exactly<const N: usize>(args: &[Value]) -> Result<&[Value; N], Stop> {
    args.try_into().map_err(|_| Stop::Null)
}

/// The first arguments as texts.
pub(crate) fn texts<const N: usize>(args: &[Value]) -> Result<[String; N], Stop> {
    let list: Vec<String> = args.iter().take(N).filter_map(text).collect();
    list.try_into().map_err(|_| Stop::Null)
}

/// A truth value.
pub(crate) fn truth(holds: bool) -> Value {
    Value::Integer(i64::from(holds))
}

/// How two values are ordered: numbers, then text by its bytes.
pub(crate) fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Integer(_) | Value::Real(_), Value::Integer(_) | Value::Real(_)) => {
            number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0))
        }
        _ => a.cmp(b),
    }
}
