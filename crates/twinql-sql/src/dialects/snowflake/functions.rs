//! Snowflake's functions (<https://docs.snowflake.com/en/sql-reference/functions-all>); each has a page of its name there.

use super::dates::{self, SIDES};
use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, Words, aggregate, count_if, listagg, median};
use crate::dialects::functions::To::{As, Call, Written};
use crate::dialects::functions::{Function, MANY, function, timed};
use crate::dialects::lists;
use crate::dialects::words::{self, call};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // Choices.
    function("iff", (3, 3), Call("iif")),
    function("nvl|ifnull", (2, 2), Call("coalesce")),
    function("zeroifnull", (1, 1), Written(words::zero_if_null)),
    function("nullifzero", (1, 1), Written(words::null_if_zero)),
    function("equal_null", (2, 2), Written(words::is_same)),
    function("greatest", (2, MANY), Call("max")),
    function("least", (2, MANY), Call("min")),
    function("greatest_ignore_nulls", (1, 16), Call("pg_greatest")),
    function("least_ignore_nulls", (1, 16), Call("pg_least")),
    function("div0", (2, 2), Written(div0)),
    function("div0null", (2, 2), Written(div0_null)),
    function("booland", (2, 2), Written(|_, args| Some(Expr::and_all(args.to_vec())))),
    function("boolor", (2, 2), Written(|_, args| Some(Expr::or_all(args.to_vec())))),
    function("boolnot", (1, 1), Written(|_, args| Some(args.first()?.clone().not()))),
    // Texts.
    function("length", (1, 1), Call("length")),
    function("concat", (1, MANY), As(Dialect::Snowflake)),
    function("contains", (2, 2), Written(words::contains)),
    function("startswith", (2, 2), Written(words::starts_with)),
    function("endswith", (2, 2), Written(words::ends_with)),
    function("position", (2, 2), Written(words::place_of)),
    function("left|right", (2, 2), SIDES),
    function("trim|ltrim|rtrim", (2, 2), As(Dialect::Postgres)),
    function("repeat", (2, 2), Call("pg_repeat")),
    function("concat_ws", (2, MANY), Written(concat_ws)),
    function("ascii|unicode", (1, 1), Call("pg_ascii")),
    function("editdistance", (2, 2), Call("sql_edit_distance")),
    function("strtok", (1, 3), Written(token)),
    function("md5|md5_hex", (1, 1), Call("sql_md5")),
    function("sha2|sha2_hex", (1, 1), Call("sql_sha256")),
    function("space", (1, 1), Written(words::space)),
    function("chr|char", (1, 1), Call("char")),
    function("replace", (2, 2), Written(words::without)),
    function("split_part", (3, 3), Written(split_part)),
    function("split", (2, 2), Written(words::split)),
    function("regexp_like|rlike", (2, 2), Written(words::matches_whole)),
    function("regexp_replace", (2, 3), Written(words::replaces_all)),
    function("regexp_count", (2, 2), Written(words::counts_matches)),
    function("regexp_substr", (2, 6), Written(regexp_substr)),
    function("regexp_substr_all", (2, 2), Written(words::all_matches)),
    function("regexp_instr", (2, 2), Written(words::place_of_match)),
    function("regexp_like|rlike", (3, 3), Written(matches_whole_with)),
    function("uuid_string", (0, 0), Written(words::any_text)),
    // Numbers.
    function("log", (2, 2), Call("log")),
    function("square", (1, 1), Written(|_, args| Some(call("power", vec![args.first()?.clone(), Expr::integer(2)])))),
    function("truncate|trunc", (1, 2), Written(dates::trunc)),
    function("bitand", (2, 2), Written(words::bits_of_both)),
    function("bitor", (2, 2), Written(words::bits_of_either)),
    function("haversine", (4, 4), Call("sql_haversine")),
    function("random", (0, 1), Written(|_, _| Some(call("random", Vec::new())))),
    function("to_number|to_decimal|to_numeric", (1, 3), Written(dates::to_number)),
    function("try_to_number|try_to_decimal|try_to_numeric", (1, 3), Written(dates::try_to_number)),
    function("to_double", (1, 1), Written(dates::to_double)),
    function("try_to_double", (1, 1), Written(dates::try_to_double)),
    function("to_boolean|try_to_boolean", (1, 1), Written(dates::to_boolean)),
    // Dates.
    timed("dateadd|timeadd|timestampadd", (3, 3), 0, Written(dates::add)),
    timed("datediff|timediff|timestampdiff", (3, 3), 0, Written(dates::difference)),
    timed("date_trunc", (2, 2), 0, Written(dates::truncated)),
    timed("date_part", (2, 2), 0, Written(dates::date_part)),
    timed("last_day", (2, 2), 1, Written(dates::last_day)),
    function("last_day", (1, 1), Written(words::last_day)),
    function("dayofmonth", (1, 1), Written(words::day)),
    function("dayofyear", (1, 1), Written(words::day_of_year)),
    function("dayofweek", (1, 1), Written(words::sunday_is_0)),
    function("dayofweekiso", (1, 1), Written(words::monday_is_1)),
    function("week|weekofyear|weekiso", (1, 1), Written(words::iso_week)),
    function("yearofweek|yearofweekiso", (1, 1), Written(words::iso_year)),
    function("dayname", (1, 1), Written(words::short_day)),
    function("monthname", (1, 1), Written(words::short_month)),
    function("date_from_parts|datefromparts", (3, 3), Written(words::date_of_parts)),
    function("timestamp_from_parts|timestamp_ntz_from_parts", (6, 6), Written(dates::of_parts)),
    function("to_date|date|try_to_date", (1, 2), Written(dates::to_date)),
    function("to_timestamp|to_timestamp_ntz|to_timestamp_ltz|to_timestamp_tz|try_to_timestamp|try_to_timestamp_ntz|try_to_timestamp_ltz", (1, 2), Written(dates::to_timestamp)),
    function("to_char|to_varchar", (1, 2), Written(dates::to_char)),
    function("add_months", (2, 2), Written(words::months_later)),
    function("months_between", (2, 2), Call("ora_months_between")),
    function("next_day", (2, 2), Written(words::next_day)),
    function("previous_day", (2, 2), Written(words::previous_day)),
    function("to_time|time", (1, 1), Written(dates::time)),
    function("convert_timezone", (2, 3), Written(dates::in_zone)),
    function("sysdate|systimestamp|localtimestamp", (0, 0), Call("current_timestamp")),
    // Geographies: <https://docs.snowflake.com/en/sql-reference/functions-geospatial>
    function("st_point|st_makepoint", (2, 2), Call("bq_st_geogpoint")),
    function("to_geography|try_to_geography", (1, 2), Written(|_, args| Some(call("sql_geography", vec![args.first()?.clone()])))),
    function("st_geographyfromwkb|st_geographyfromwkt|st_geographyfromtext|st_geogfromwkt", (1, 1), Call("sql_geography")),
    // Documents.
    function("parse_json", (1, 1), Written(words::document)),
    function("try_parse_json", (1, 1), Call("sql_try_json")),
    function("get", (2, 2), Written(|planner, args| planner.part_named(args.first()?, args.get(1)?, false))),
    function("get_path", (2, 2), Written(|planner, args| planner.part_named(args.first()?, args.get(1)?, true))),
    function("seq1|seq2|seq4|seq8", (0, 1), Written(|planner, _| planner.number_of_row())),
    function("array_size", (1, 1), Call("pg_array_length")),
    function("array_construct", (0, 16), Written(lists::of_values)),
    function("array_to_string", (2, 2), Written(array_to_string)),
    function("array_contains", (2, 2), Written(array_contains)),
    function("array_cat", (2, 2), Call("sql_array_concat")),
    function("array_append", (2, 2), Written(lists::append)),
    function("array_prepend", (2, 2), Written(lists::prepend)),
    function("array_compact", (1, 1), Call("sql_array_compact")),
    function("array_max", (1, 1), Call("sql_array_max")),
    function("array_min", (1, 1), Call("sql_array_min")),
    function("array_position", (2, 2), Written(|_, args| Some(call("sql_array_position", vec![args.get(1)?.clone(), args.first()?.clone()])))),
    function("array_reverse", (1, 1), Call("sql_array_reverse")),
    function("array_slice", (3, 3), Call("sql_array_slice")),
    function("arrays_overlap", (2, 2), Call("pg_array_overlaps")),
    function("json_extract_path_text", (2, 2), Written(lists::text_by_names)),
    function("array_generate_range", (2, 2), Call("sql_range")),
    function("array_sort", (1, 1), Call("sql_array_sort")),
    function("array_distinct", (1, 1), Call("sql_array_distinct")),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    aggregate("count_if", (1, 1), Over::Written(count_if)),
    aggregate("listagg", (1, 2), Over::Written(listagg_or_empty)),
    aggregate("median", (1, 1), Over::Written(median)),
    aggregate("boolor_agg", (1, 1), Over::Call("max")),
    aggregate("booland_agg", (1, 1), Over::Call("min")),
    aggregate("any_value", (1, 1), Over::Call("sql_any_value")),
    aggregate("approx_count_distinct|hll", (1, 1), Over::Call("sql_approx_count_distinct")),
    aggregate("variance_pop", (1, 1), Over::Call("pg_var_pop")),
    aggregate("variance_samp", (1, 1), Over::Call("pg_var_samp")),
    aggregate("array_agg|arrayagg", (1, 1), Over::Written(lists::present)),
    aggregate("array_unique_agg", (1, 1), Over::Written(lists::each_once)),
    aggregate("mode", (1, 1), Over::Call("pg_mode")),
    aggregate("approx_percentile", (2, 2), Over::Written(words::near_quantile_between)),
    aggregate("bitand_agg", (1, 1), Over::Call("sql_bit_and")),
    aggregate("bitor_agg", (1, 1), Over::Call("sql_bit_or")),
    aggregate("bitxor_agg", (1, 1), Over::Call("sql_bit_xor")),
];

/// `LISTAGG(x[, separator])`: '' where there is nothing (<https://docs.snowflake.com/en/sql-reference/functions/listagg>).
fn listagg_or_empty(planner: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let then = |joined: Expr| call("coalesce", vec![joined, Expr::text("")]);
    Some(Words { then: Some(then), ..listagg(planner, args)? })
}

/// `CONCAT_WS(separator, a, b)`: NULL where one of them is.
fn concat_ws(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (by, texts) = args.split_first()?;
    if by.has_subquery() || texts.iter().any(|e| planner.class(e) == TypeClass::Number) {
        return None;
    }
    let join = |l: Expr, r: Expr| Expr::binary(BinaryOp::Concat, l, r);
    let joined = texts.iter().cloned().reduce(|l, r| join(join(l, by.clone()), r))?;
    Some(if texts.len() == 1 { joined.cast(Affinity::Text) } else { joined })
}

/// `STRTOK(text[, delimiters[, n]])`: the n-th run of characters that are no delimiters.
fn token(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let delimiters = args.get(1).map_or(Some(" "), Expr::as_text)?;
    let number = args.get(2).map_or(Some(1), Expr::as_integer).filter(|n| *n > 0)?;
    let escaped: String = delimiters.chars().flat_map(|c| ['\\', c]).collect();
    let plain = !delimiters.is_empty() && delimiters.chars().all(|c| c.is_ascii_punctuation());
    let class = match delimiters {
        " " => "[^ ]+".to_owned(),
        _ if plain => format!("[^{escaped}]+"),
        _ => return None,
    };
    Some(words::extracted(args.first()?, &Expr::text(class), number, 0))
}

/// `REGEXP_LIKE(text, pattern, parameters)`: `i` ignores case.
fn matches_whole_with(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, pattern, parameters] = args else { return None };
    let flags = parameters.as_text().filter(|p| matches!(*p, "i" | "c"))?;
    match words::matches_whole(planner, &[text.clone(), pattern.clone()])? {
        Expr::Function { name, mut args } => {
            *args.last_mut()? = Expr::text(flags);
            Some(Expr::Function { name, args })
        }
        _ => None,
    }
}

/// `DIV0(a, b)`: 0 where b is 0.
fn div0(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    if right.has_subquery() {
        return None;
    }
    Some(Expr::case(
        vec![(right.clone().eq(Expr::integer(0)), Expr::integer(0))],
        Some(Expr::binary(BinaryOp::Div, left.clone().cast(Affinity::Real), right.clone())),
    ))
}

/// `DIV0NULL(a, b)`: 0 where b is 0 or NULL.
fn div0_null(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    if right.has_subquery() {
        return None;
    }
    let none = Expr::or_all(vec![right.clone().eq(Expr::integer(0)), right.clone().is_null()]);
    Some(Expr::case(
        vec![(none, Expr::integer(0))],
        Some(Expr::binary(BinaryOp::Div, left.clone().cast(Affinity::Real), right.clone())),
    ))
}

/// `SPLIT_PART(text, separator, n)`: part 0 is part 1, parts below 0 count from the end.
fn split_part(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, by, number] = args else { return None };
    let number = match number.as_integer()? {
        0 => 1,
        n => n,
    };
    Some(call("pg_split_part", vec![text.clone(), by.clone(), Expr::integer(number)]))
}

/// `REGEXP_SUBSTR(text, pattern[, place[, occurrence[, parameters[, group]]]])` from the first place.
fn regexp_substr(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let number = |at: usize, otherwise: i64| match args.get(at) {
        Some(n) => n.as_integer(),
        None => Some(otherwise),
    };
    let parameters = match args.get(4) {
        Some(expr) => expr.as_text()?,
        None => "c",
    };
    if number(2, 1)? != 1 || !matches!(parameters, "c" | "e" | "ce" | "ec") {
        return None;
    }
    let extracts = parameters.contains('e') || args.len() > 5;
    let group = number(5, i64::from(extracts))?;
    Some(words::extracted(args.first()?, args.get(1)?, number(3, 1)?, group))
}

/// `ARRAY_TO_STRING(array, separator)`: NULLs are empty.
fn array_to_string(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, by] = args else { return None };
    Some(call("pg_array_to_string", vec![array.clone(), by.clone(), Expr::text("")]))
}

/// `ARRAY_CONTAINS(value, array)`.
fn array_contains(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [value, array] = args else { return None };
    Some(call("pg_array_contains", vec![array.clone(), call("pg_array", vec![value.clone()])]))
}
