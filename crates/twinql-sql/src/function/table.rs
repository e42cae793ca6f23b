//! The table of functions; [`super`] says how to read it.

use super::{Aggregate, Gives, Nulls, Scalar, Spelling};
use crate::dialects::Dialect;
use crate::dialects::functions::MANY;
use crate::dialects::profile::WithNull;
use crate::expr::AggFunc;
use crate::schema::TypeClass;

use Gives::{Branches, Class, Common, First, Numeric};
use Nulls::{IfAll, Never, Strict, Unknown, WithArgument};
use TypeClass::{Integer, Number, Other, Text, Time};

const fn scalar(name: &'static str, arity: (usize, usize), gives: Gives, nulls: Nulls) -> Scalar {
    Scalar { name, arity, gives, nulls, volatile: false, also: &[] }
}

impl Scalar {
    const fn volatile(self) -> Scalar {
        Scalar { volatile: true, ..self }
    }

    const fn also(self, also: &'static [Spelling]) -> Scalar {
        Scalar { also, ..self }
    }
}

/// A function of the sandbox, whose values have no class of their own.
const fn ours(name: &'static str, arity: (usize, usize), nulls: Nulls) -> Scalar {
    scalar(name, arity, Class(Other), nulls)
}

/// A spelling of all dialects but SQLite's, with this many arguments.
const fn spelled(name: &'static str, least: usize, most: usize) -> Spelling {
    among(name, least, most, anywhere)
}

const fn among(name: &'static str, least: usize, most: usize, among: fn(Dialect) -> bool) -> Spelling {
    Spelling { name, arguments: (least, most), among }
}

fn anywhere(_: Dialect) -> bool {
    true
}

fn not_mysql(dialect: Dialect) -> bool {
    dialect != Dialect::Mysql
}

fn bytes(dialect: Dialect) -> bool {
    dialect.meaning().length_counts_bytes
}

fn greatest_keeps_null(dialect: Dialect) -> bool {
    dialect.meaning().greatest == WithNull::Null
}

fn greatest_skips_null(dialect: Dialect) -> bool {
    dialect.meaning().greatest == WithNull::Skips
}

/// Every scalar function: SQLite's, then those that the sandbox adds. SQLite's own documentation
/// (lang_corefunc, lang_datefunc, lang_mathfunc) is the source for arity and NULLs.
#[rustfmt::skip]
pub const SCALARS: &[Scalar] = &[
    // Texts.
    scalar("length", (1, 1), Class(Integer), WithArgument)
        .also(&[spelled("char_length", 1, 1), spelled("character_length", 1, 1), spelled("len", 1, 1)]),
    scalar("octet_length", (1, 1), Class(Other), WithArgument).also(&[among("length", 1, 1, bytes)]),
    scalar("instr", (2, 2), Class(Integer), WithArgument).also(&[spelled("strpos", 2, 2)]),
    scalar("unicode", (1, 1), Class(Integer), Strict),
    scalar("upper", (1, 1), Class(Text), WithArgument).also(&[spelled("ucase", 1, 1)]),
    scalar("lower", (1, 1), Class(Text), WithArgument).also(&[spelled("lcase", 1, 1)]),
    scalar("trim", (1, 2), Class(Text), WithArgument).also(&[spelled("btrim", 0, MANY)]),
    scalar("ltrim", (1, 2), Class(Text), WithArgument),
    scalar("rtrim", (1, 2), Class(Text), WithArgument),
    scalar("replace", (3, 3), Class(Text), WithArgument),
    scalar("substr", (2, 3), Class(Text), WithArgument)
        .also(&[spelled("substring", 2, 3)]),
    scalar("substring", (2, 3), Class(Text), WithArgument),
    scalar("hex", (1, 1), Class(Text), Never),
    scalar("quote", (1, 1), Class(Text), Never),
    scalar("typeof", (1, 1), Class(Text), Never),
    scalar("char", (0, MANY), Class(Text), Never),
    scalar("printf", (0, MANY), Class(Text), Unknown),
    scalar("format", (0, MANY), Class(Text), Unknown),
    scalar("glob", (2, 2), Class(Other), Strict),
    scalar("like", (2, 3), Class(Other), Strict),
    // Dates.
    scalar("date", (0, MANY), Class(Time), Strict),
    scalar("time", (0, MANY), Class(Time), Strict),
    scalar("datetime", (0, MANY), Class(Time), Strict),
    scalar("strftime", (0, MANY), Class(Text), Strict),
    scalar("julianday", (0, MANY), Class(Number), Strict),
    scalar("unixepoch", (0, MANY), Class(Integer), Strict),
    scalar("current_date", (0, 0), Class(Time), Never)
        .also(&[spelled("curdate", 0, 0), spelled("utc_date", 0, 0)]),
    scalar("current_time", (0, 0), Class(Time), Never)
        .also(&[spelled("curtime", 0, 0), spelled("utc_time", 0, 0)]),
    scalar("current_timestamp", (0, 0), Class(Time), Never)
        .also(&[spelled("now", 0, 0), spelled("sysdate", 0, 0), spelled("getdate", 0, 0),
            spelled("localtimestamp", 0, 0), spelled("utc_timestamp", 0, 0),
            spelled("clock_timestamp", 0, 0), spelled("transaction_timestamp", 0, 0),
            spelled("statement_timestamp", 0, 0)]),
    // Numbers.
    scalar("abs", (1, 1), Numeric, WithArgument),
    scalar("round", (1, 2), Class(Number), WithArgument),
    scalar("sign", (1, 1), Class(Integer), Strict),
    scalar("ceil", (1, 1), Class(Other), Strict).also(&[spelled("ceiling", 1, 1)]),
    scalar("ceiling", (1, 1), Class(Other), Strict),
    scalar("exp", (1, 1), Class(Other), Strict),
    scalar("floor", (1, 1), Class(Other), Strict),
    scalar("ln", (1, 1), Class(Other), Strict),
    scalar("log", (1, 2), Class(Other), Strict),
    scalar("log10", (1, 1), Class(Other), Strict),
    scalar("log2", (1, 1), Class(Other), Strict),
    scalar("mod", (2, 2), Class(Other), Strict),
    scalar("pi", (0, 0), Class(Other), Never),
    scalar("pow", (2, 2), Class(Other), Strict),
    scalar("power", (2, 2), Class(Other), Strict).also(&[spelled("pow", 2, 2)]),
    scalar("sqrt", (1, 1), Class(Other), Strict),
    scalar("trunc", (1, 1), Class(Other), Strict),
    // Choices.
    scalar("coalesce", (2, MANY), Common, IfAll).also(&[spelled("nvl", 2, 2), spelled("ifnull", 2, 2)]),
    scalar("ifnull", (2, 2), Common, IfAll),
    scalar("iif", (2, MANY), Branches, Nulls::Branches).also(&[spelled("if", 3, 3)]),
    scalar("if", (2, MANY), Branches, Nulls::Branches),
    scalar("nullif", (2, 2), First, Unknown),
    scalar("min", (1, MANY), First, WithArgument).also(&[among("least", 2, MANY, greatest_keeps_null)]),
    scalar("max", (1, MANY), First, WithArgument).also(&[among("greatest", 2, MANY, greatest_keeps_null)]),
    // Chance, and what the connection did.
    scalar("random", (0, 0), Class(Integer), Never).volatile().also(&[spelled("rand", 0, 0)]),
    scalar("randomblob", (1, 1), Class(Other), Unknown).volatile(),
    scalar("changes", (0, 0), Class(Integer), Never).volatile(),
    scalar("total_changes", (0, 0), Class(Other), Unknown).volatile(),
    scalar("last_insert_rowid", (0, 0), Class(Integer), Never).volatile(),
    // Documents.
    scalar("json_array_length", (1, 2), Class(Other), Unknown)
        .also(&[among("jsonb_array_length", 1, 1, not_mysql)]),
    // The sandbox: PostgreSQL's and MySQL's where SQLite has none that means the same.
    ours("cast_as", (2, 2), Unknown),
    ours("pg_boolean", (1, 1), Strict),
    ours("pg_add", (2, 2), Strict),
    ours("pg_age", (2, 2), Strict).also(&[spelled("age", 2, 2)]),
    ours("pg_date_bin", (3, 3), Strict),
    ours("pg_date_trunc", (2, 2), Strict),
    ours("pg_extract", (2, 2), Strict),
    ours("pg_interval", (3, 3), Strict),
    ours("pg_interval_length", (1, 1), Strict),
    ours("pg_interval_of", (1, 2), Strict),
    ours("pg_justify", (2, 2), Strict),
    ours("pg_overlaps", (4, 4), Unknown),
    ours("pg_scale", (2, 2), Strict),
    ours("pg_subtract", (2, 2), Strict),
    ours("pg_timestamp", (1, 1), Strict),
    ours("pg_timestamptz", (1, 1), Strict),
    ours("pg_to_char", (2, 2), Strict),
    scalar("pg_number_text", (3, 3), Class(Text), Strict),
    // Rounding: halves to even numbers, and to tens, hundreds, …
    ours("pg_round_even", (1, 1), Strict),
    ours("pg_round_to", (2, 2), Strict),
    ours("pg_trunc_to", (2, 2), Strict),
    ours("pg_ascii", (1, 1), Strict),
    ours("pg_cbrt", (1, 1), Strict),
    ours("pg_left", (2, 2), Strict),
    ours("pg_right", (2, 2), Strict),
    ours("pg_substr", (2, 3), Strict),
    ours("pg_to_hex", (1, 1), Strict),
    scalar("my_conv", (3, 3), Class(Text), Strict),
    scalar("pg_to_number", (2, 2), Class(Number), Strict),
    ours("my_format", (2, 2), Strict),
    ours("my_hex", (1, 1), Strict),
    scalar("my_json_length", (1, 1), Class(Integer), Strict),
    ours("my_locate", (3, 3), Strict),
    ours("my_right", (2, 2), Strict),
    ours("my_substr", (2, 3), Strict),
    ours("my_date_add", (3, 3), Strict),
    ours("my_date_format", (2, 2), Strict),
    ours("my_last_day", (1, 1), Strict).also(&[spelled("last_day", 1, 1)]),
    ours("my_str_to_date", (2, 2), Strict).also(&[spelled("str_to_date", 2, 2)]),
    ours("my_timestampdiff", (3, 3), Strict).also(&[spelled("timestampdiff", 3, 3)]),
    ours("my_addtime", (3, 3), Strict),
    ours("my_maketime", (3, 3), Strict).also(&[spelled("maketime", 3, 3)]),
    ours("my_sec_to_time", (1, 1), Strict).also(&[spelled("sec_to_time", 1, 1)]),
    scalar("my_time_to_sec", (1, 1), Class(Number), Strict).also(&[spelled("time_to_sec", 1, 1)]),
    ours("my_timediff", (2, 2), Strict),
    scalar("ms_charindex", (2, 3), Class(Integer), Strict),
    scalar("ms_date_text", (1, 1), Class(Text), Strict),
    ours("ms_datediff", (3, 3), Strict),
    ours("bq_first_elements", (2, 2), Strict),
    ours("bq_generate_array", (3, 3), Strict),
    ours("bq_generate_date_array", (4, 4), Strict),
    ours("bq_json_array", (2, 2), Strict),
    ours("bq_json_value", (2, 2), Strict),
    ours("bq_st_distance", (2, 2), Strict),
    ours("bq_st_geogpoint", (2, 2), Strict),
    ours("bq_st_x", (1, 1), Strict),
    ours("bq_st_y", (1, 1), Strict),
    ours("bq_substr", (2, 3), Strict),
    scalar("ms_isnumeric", (1, 1), Class(Integer), Never),
    ours("ms_like", (2, 3), Strict),
    scalar("ms_patindex", (2, 2), Class(Integer), Strict),
    scalar("ms_replace", (3, 3), Class(Text), Strict),
    scalar("ms_stuff", (4, 4), Class(Text), Unknown),
    scalar("ms_try_integer", (1, 1), Class(Integer), Strict),
    scalar("ms_try_number", (1, 1), Class(Number), Strict),
    ours("ora_add_months", (2, 2), Strict),
    scalar("ora_instr", (3, 4), Class(Integer), Strict),
    scalar("ora_months_between", (2, 2), Class(Number), Strict),
    scalar("ora_number_text", (2, 2), Class(Text), Strict),
    scalar("ora_substr", (2, 3), Class(Text), Unknown),
    ours("pg_regexp", (3, 3), Strict).also(&[spelled("regexp_like", 3, 3)]),
    ours("pg_regexp_matches", (3, 3), Strict),
    ours("pg_regexp_split", (2, 2), Strict)
        .also(&[spelled("regexp_split_to_array", 2, 2)]),
    ours("pg_regexp_replace", (3, 4), Strict).also(&[spelled("regexp_replace", 1, MANY)]),
    ours("pg_similar", (2, 2), Strict),
    ours("pg_initcap", (1, 1), Strict).also(&[spelled("initcap", 1, MANY)]),
    ours("pg_lpad", (2, 3), Strict).also(&[spelled("lpad", 1, MANY)]),
    ours("pg_repeat", (2, 2), Strict).also(&[spelled("repeat", 1, MANY)]),
    ours("pg_reverse", (1, 1), Strict).also(&[spelled("reverse", 1, MANY)]),
    ours("pg_rpad", (2, 3), Strict).also(&[spelled("rpad", 1, MANY)]),
    ours("pg_split_part", (3, 3), Strict).also(&[spelled("split_part", 1, MANY)]),
    ours("pg_translate", (3, 3), Strict).also(&[spelled("translate", 1, MANY)]),
    ours("my_substring_index", (3, 3), Strict).also(&[spelled("substring_index", 3, 3)]),
    ours("my_find_in_set", (2, 2), Strict).also(&[spelled("find_in_set", 2, 2)]),
    ours("pg_greatest", (1, 16), Unknown).also(&[among("greatest", 1, MANY, greatest_skips_null)]),
    ours("pg_least", (1, 16), Unknown).also(&[among("least", 1, MANY, greatest_skips_null)]),
    ours("pg_jsonb", (1, 1), Strict),
    ours("pg_json_contains", (2, 2), Strict),
    ours("pg_json_get", (2, 2), Strict),
    ours("pg_json_has", (2, 2), Strict),
    ours("pg_json_path", (2, 2), Strict),
    ours("pg_json_path_text", (2, 2), Strict),
    ours("pg_json_text", (2, 2), Strict)
        .also(&[spelled("jsonb_extract_path_text", 2, 2), spelled("json_extract_path_text", 2, 2)]),
    ours("pg_array", (0, 16), Unknown),
    ours("pg_array_contains", (2, 2), Strict),
    ours("pg_array_of", (1, 1), Strict),
    ours("pg_array_length", (1, 1), Strict).also(&[spelled("cardinality", 1, 1)]),
    ours("pg_array_overlaps", (2, 2), Strict),
    ours("pg_array_cat", (2, 2), Unknown),
    ours("pg_array_zip", (2, 16), Unknown),
    ours("pg_array_to_string", (2, 3), Strict).also(&[spelled("array_to_string", 1, MANY)]),
    ours("pg_string_to_array", (2, 2), Strict).also(&[spelled("string_to_array", 1, MANY)]),
    // Of several systems.
    ours("sf_to_timestamp", (1, 1), Strict),
    ours("sql_array_compact", (1, 1), Strict),
    ours("sql_array_concat", (2, 2), Strict),
    ours("sql_array_distinct", (1, 1), Strict),
    ours("sql_array_intersect", (2, 2), Strict),
    ours("sql_array_max", (1, 1), Strict),
    ours("sql_array_min", (1, 1), Strict),
    scalar("sql_array_position", (2, 2), Class(Integer), Strict),
    ours("sql_array_remove", (2, 2), Strict),
    ours("sql_array_reverse", (1, 1), Strict),
    ours("sql_array_slice", (3, 3), Strict),
    ours("sql_array_sort", (1, 1), Strict),
    scalar("sql_edit_distance", (2, 2), Class(Integer), Strict),
    scalar("sql_haversine", (4, 4), Class(Number), Strict),
    scalar("sql_md5", (1, 1), Class(Text), Strict).also(&[spelled("md5", 1, 1)]),
    ours("sql_geography", (1, 1), Strict),
    scalar("sql_st_area", (1, 1), Class(Number), Strict),
    ours("sql_st_contains", (2, 2), Strict),
    ours("sql_st_covers", (2, 2), Strict),
    ours("sql_st_intersects", (2, 2), Strict),
    scalar("sql_st_length", (1, 1), Class(Number), Strict),
    scalar("sql_st_perimeter", (1, 1), Class(Number), Strict),
    ours("sql_of_epoch", (2, 2), Strict),
    ours("sql_range", (2, 2), Strict),
    scalar("sql_regexp_count", (3, 3), Class(Integer), Strict),
    ours("sql_regexp_extract", (5, 5), Strict),
    ours("sql_regexp_extract_all", (4, 4), Strict),
    scalar("sql_regexp_place", (3, 3), Class(Integer), Strict),
    scalar("sql_sha256", (1, 1), Class(Text), Strict),
    ours("sql_split", (2, 2), Strict),
    ours("sql_try_json", (1, 1), Strict),
    scalar("sql_try_number", (1, 1), Class(Number), Strict),
    ours("sql_acos", (1, 1), Strict).also(&[spelled("acos", 1, 1)]),
    ours("sql_asin", (1, 1), Strict).also(&[spelled("asin", 1, 1)]),
    ours("sql_atan", (1, 1), Strict).also(&[spelled("atan", 1, 1)]),
    ours("sql_cos", (1, 1), Strict).also(&[spelled("cos", 1, 1)]),
    ours("sql_degrees", (1, 1), Strict).also(&[spelled("degrees", 1, 1)]),
    ours("sql_radians", (1, 1), Strict).also(&[spelled("radians", 1, 1)]),
    ours("sql_sin", (1, 1), Strict).also(&[spelled("sin", 1, 1)]),
    ours("sql_tan", (1, 1), Strict).also(&[spelled("tan", 1, 1)]),
    ours("sql_atan2", (2, 2), Strict).also(&[spelled("atan2", 2, 2)]),
];

const fn aggregate(name: &'static str, func: Option<AggFunc>, arity: (usize, usize)) -> Aggregate {
    Aggregate { name, func, arity, of_an_order: false, elsewhere: None }
}

impl Aggregate {
    const fn of_an_order(mut self) -> Aggregate {
        self.of_an_order = true;
        self
    }

    /// In MySQL, and in other dialects than SQLite's.
    const fn elsewhere(mut self, mysql: &'static str, others: &'static str) -> Aggregate {
        self.elsewhere = Some((mysql, others));
        self
    }
}

/// One that no rule knows.
const fn opaque(name: &'static str) -> Aggregate {
    aggregate(name, None, (0, MANY))
}

/// One that only the sandbox has.
const fn collector(name: &'static str, arguments: usize) -> Aggregate {
    aggregate(name, None, (arguments, arguments))
}

/// Every aggregate: SQLite's, those of other dialects, those that only the sandbox has.
#[rustfmt::skip]
pub static AGGREGATES: &[Aggregate] = &[
    aggregate("count", Some(AggFunc::Count), (0, 1)),
    aggregate("sum", Some(AggFunc::Sum), (1, 1)),
    aggregate("total", Some(AggFunc::Total), (1, 1)),
    aggregate("avg", Some(AggFunc::Avg), (1, 1)),
    aggregate("min", Some(AggFunc::Min), (1, MANY)),
    aggregate("max", Some(AggFunc::Max), (1, MANY)),
    aggregate("group_concat", Some(AggFunc::GroupConcat), (1, 2)),
    aggregate("string_agg", Some(AggFunc::GroupConcat), (0, MANY)),
    opaque("any_value"),
    opaque("array_agg").elsewhere("pg_array_agg", "pg_array_agg"),
    opaque("bit_and").elsewhere("bit_and", "sql_bit_and"),
    opaque("bit_or").elsewhere("bit_or", "sql_bit_or"),
    // Over truth values, of which NULLs are left out.
    opaque("bool_and").elsewhere("min", "min"),
    opaque("bool_or").elsewhere("max", "max"),
    opaque("corr").elsewhere("corr", "sql_corr"),
    opaque("covar_pop").elsewhere("covar_pop", "sql_covar_pop"),
    opaque("covar_samp").elsewhere("covar_samp", "sql_covar_samp"),
    opaque("every").elsewhere("min", "min"),
    opaque("json_agg"),
    opaque("json_group_array"),
    opaque("json_group_object"),
    opaque("jsonb_agg"),
    opaque("jsonb_group_array"),
    opaque("jsonb_group_object"),
    opaque("listagg").of_an_order(),
    opaque("median"),
    opaque("mode").of_an_order(),
    opaque("percentile"),
    opaque("percentile_cont").of_an_order(),
    opaque("percentile_disc").of_an_order(),
    opaque("std").elsewhere("pg_stddev_pop", "pg_stddev_pop"),
    opaque("stddev").elsewhere("pg_stddev_pop", "pg_stddev_samp"),
    opaque("stddev_pop").elsewhere("pg_stddev_pop", "pg_stddev_pop"),
    opaque("stddev_samp").elsewhere("pg_stddev_samp", "pg_stddev_samp"),
    opaque("var_pop").elsewhere("pg_var_pop", "pg_var_pop"),
    opaque("var_samp").elsewhere("pg_var_samp", "pg_var_samp"),
    opaque("variance").elsewhere("pg_var_pop", "pg_var_samp"),
    collector("pg_array_agg", 1),
    collector("pg_interval_avg", 1),
    collector("pg_interval_max", 1),
    collector("pg_interval_min", 1),
    collector("pg_interval_sum", 1),
    collector("pg_mode", 1),
    collector("pg_percentile_cont", 2),
    collector("pg_percentile_disc", 2),
    collector("pg_percentile_disc_desc", 2),
    collector("pg_stddev_pop", 1),
    collector("pg_stddev_samp", 1),
    collector("pg_string_agg_distinct", 2),
    collector("pg_string_agg_distinct_asc", 2),
    collector("pg_string_agg_distinct_desc", 2),
    // One of the texts of a group that a collation takes for the same.
    collector("pg_representative", 1),
    collector("pg_var_pop", 1),
    collector("pg_var_samp", 1),
    collector("sql_any_value", 1),
    collector("sql_approx_percentile", 2),
    collector("sql_approx_percentile_disc", 2),
    collector("sql_bit_and", 1),
    collector("sql_bit_or", 1),
    collector("sql_bit_xor", 1),
    collector("sql_covar_pop", 2),
    collector("sql_covar_samp", 2),
    collector("sql_first_present", 2),
    collector("sql_last_present", 2),
    collector("sql_max_by", 2),
    collector("sql_min_by", 2),
    collector("sql_regr_intercept", 2),
    collector("sql_regr_r2", 2),
    collector("sql_regr_slope", 2),
    collector("sql_corr", 2),
    collector("sql_approx_count_distinct", 1),
    collector("bq_approx_quantiles", 2),
    // DISTINCT over a window.
    collector("sql_avg_distinct", 1),
    collector("sql_count_distinct", 1),
    collector("sql_sum_distinct", 1),
];

/// Scalar functions of SQLite of which no more is known here than that there are such. Those of its full-text search and of the
/// R*Tree, and those that the sandbox forbids, are left out.
pub(super) const FURTHER: &[&str] = &words![
    concat concat_ws json json_array json_array_insert json_error_position json_extract json_insert json_object json_patch
    json_pretty json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array jsonb_array_insert
    jsonb_extract jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set likelihood likely match soundex
    subtype timediff unhex unistr unistr_quote unlikely zeroblob
];

/// What the planner makes of calls whose meaning it does not know, or SQLite has no form for: no rule knows more of them than
/// that the same call gives the same value, and nothing executes them.
pub(super) const OPAQUE: &[&str] = &words![
    generic_divide generic_format generic_log generic_ltrim generic_rtrim generic_substring generic_trim mysql_char
    mysql_json_type mysql_ltrim mysql_quote mysql_rtrim mysql_soundex mysql_trim postgres_format
    postgres_substring_matching postgres_text redshift_text
];

/// SQLite's window functions (<https://sqlite.org/windowfunctions.html#built_in_window_functions>) with the least and the
/// greatest number of their arguments. Aggregates are window functions as well.
pub(super) const WINDOWS: &[(&str, (usize, usize))] = &[
    ("row_number", (0, 0)),
    ("rank", (0, 0)),
    ("dense_rank", (0, 0)),
    ("percent_rank", (0, 0)),
    ("cume_dist", (0, 0)),
    ("ntile", (1, 1)),
    ("lag", (1, 3)),
    ("lead", (1, 3)),
    ("first_value", (1, 1)),
    ("last_value", (1, 1)),
    ("nth_value", (2, 2)),
];
