//! Words that the tables of several dialects share: what a function says in SQLite's and the sandbox's functions.

use crate::dialects::Dialect;
use crate::dialects::aggregates::Words;
use crate::dialects::functions::To::{Call, Written};
use crate::dialects::functions::{Function, MANY, function};
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::plan::Planner;
use crate::schema::Affinity;
use crate::temporal::Moment;
use crate::value::Value;

/// Angles: in all of them but SQL Server, whose DEGREES gives whole numbers of whole numbers.
#[rustfmt::skip]
pub(super) const ANGLES: &[Function] = &[
    function("asin", (1, 1), Call("sql_asin")),
    function("acos", (1, 1), Call("sql_acos")),
    function("atan", (1, 1), Call("sql_atan")),
    function("sin", (1, 1), Call("sql_sin")),
    function("cos", (1, 1), Call("sql_cos")),
    function("tan", (1, 1), Call("sql_tan")),
    function("radians", (1, 1), Call("sql_radians")),
    function("degrees", (1, 1), Call("sql_degrees")),
    function("atan2", (2, 2), Call("sql_atan2")),
];

/// Geographies on a sphere: in BigQuery (`geography_functions`) and Snowflake (functions-geospatial). Others than points, lines
/// and polygons, and what is made of several, are opaque.
#[rustfmt::skip]
pub(super) const GEOGRAPHIES: &[Function] = &[
    function("st_geogpoint", (2, 2), Call("bq_st_geogpoint")),
    function("st_geogfromtext|st_geogfromwkb|st_geogfromgeojson", (1, 1), Call("sql_geography")),
    function("st_distance", (2, 2), Call("bq_st_distance")),
    function("st_dwithin", (3, 3), Written(near)),
    function("st_contains", (2, 2), Call("sql_st_contains")),
    function("st_within", (2, 2), Written(|_, args| Some(call("sql_st_contains", turned(args)?)))),
    function("st_covers", (2, 2), Call("sql_st_covers")),
    function("st_coveredby", (2, 2), Written(|_, args| Some(call("sql_st_covers", turned(args)?)))),
    function("st_intersects", (2, 2), Call("sql_st_intersects")),
    function("st_disjoint", (2, 2), Written(|_, args| Some(call("sql_st_intersects", args.to_vec()).not()))),
    function("st_area", (1, 1), Call("sql_st_area")),
    function("st_length", (1, 1), Call("sql_st_length")),
    function("st_perimeter", (1, 1), Call("sql_st_perimeter")),
    function("st_x", (1, 1), Call("bq_st_x")),
    function("st_y", (1, 1), Call("bq_st_y")),
];

/// `ST_DWITHIN(a, b, metres)`.
fn near(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [a, b, most] = args else { return None };
    let apart = call("bq_st_distance", vec![a.clone(), b.clone()]);
    Some(Expr::binary(BinaryOp::LtEq, apart, most.clone()))
}

/// The arguments in the other order.
fn turned(args: &[Expr]) -> Option<Vec<Expr>> {
    let [a, b] = args else { return None };
    Some(vec![b.clone(), a.clone()])
}

/// Texts turned about, and roots: in Databricks, DuckDB, Redshift, Snowflake and Trino.
#[rustfmt::skip]
pub(super) const OF_ANALYSTS: &[Function] = &[
    function("reverse", (1, 1), Call("pg_reverse")),
    function("translate", (3, 3), Call("pg_translate")),
    function("cbrt", (1, 1), Call("pg_cbrt")),
    function("width_bucket", (4, 4), Written(width_bucket)),
];

/// Parts of a moment by functions of their names: in Databricks, DuckDB, Snowflake and Trino.
#[rustfmt::skip]
pub(super) const PARTS_OF_MOMENTS: &[Function] = &[
    function("year", (1, 1), Written(year)),
    function("month", (1, 1), Written(month)),
    function("day", (1, 1), Written(day)),
    function("hour", (1, 1), Written(hour)),
    function("minute", (1, 1), Written(minute)),
    function("second", (1, 1), Written(second)),
    function("quarter", (1, 1), Written(quarter)),
];

/// What Databricks, Redshift and Snowflake have alike.
#[rustfmt::skip]
pub(super) const OF_WAREHOUSES: &[Function] = &[
    function("nvl2", (3, 3), Written(nvl2)),
    function("decode", (3, MANY), Written(decode)),
    function("len", (1, 1), Call("length")),
    function("octet_length", (1, 1), Call("octet_length")),
    function("charindex", (2, 2), Written(place_of)),
    function("lpad", (2, 3), Call("pg_lpad")),
    function("rpad", (2, 3), Call("pg_rpad")),
    function("initcap", (1, 1), Call("pg_initcap")),
    function("getdate", (0, 0), Call("current_timestamp")),
];

/// A call.
pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::function(name, args)
}

/// The lower-case word that a constant is.
pub(super) fn word(expr: &Expr) -> Option<String> {
    expr.as_text().map(|text| text.trim().to_ascii_lowercase())
}

/// `LEFT(x, n)`, which is an error of a negative n.
pub(super) fn left(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, count] = args else { return None };
    Some(call("substr", vec![text.clone(), Expr::integer(1), count.clone()]))
}

/// `NVL2(x, a, b)`: a where x is not NULL.
pub(super) fn nvl2(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [tested, then, otherwise] = args else { return None };
    Some(Expr::case(vec![(tested.clone().is_null().not(), then.clone())], Some(otherwise.clone())))
}

/// `DECODE(x, a, 1, b, 2, 0)`: the value behind the first that x is, NULL included.
pub(super) fn decode(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (tested, rest) = args.split_first()?;
    if tested.has_subquery() {
        return None;
    }
    let pairs = rest.chunks_exact(2);
    let otherwise = pairs.remainder().first().cloned();
    let branches: Vec<(Expr, Expr)> = pairs
        .filter_map(|pair| match pair {
            [value, then] => {
                let is = match value {
                    Expr::Literal(Value::Null) => tested.clone().is_null(),
                    Expr::Literal(_) => tested.clone().eq(value.clone()),
                    _ => Expr::binary(BinaryOp::Is, tested.clone(), value.clone()),
                };
                Some((is, then.clone()))
            }
            _ => None,
        })
        .collect();
    (!branches.is_empty()).then(|| Expr::case(branches, otherwise))
}

/// `ZEROIFNULL(x)`.
pub(super) fn zero_if_null(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("coalesce", vec![args.first()?.clone(), Expr::integer(0)]))
}

/// `NULLIFZERO(x)`.
pub(super) fn null_if_zero(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("nullif", vec![args.first()?.clone(), Expr::integer(0)]))
}

/// `EQUAL_NULL(a, b)`: equality that takes NULL as a value.
pub(super) fn is_same(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    Some(Expr::binary(BinaryOp::Is, left.clone(), right.clone()))
}

/// `CONTAINS(text, part)`.
pub(super) fn contains(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, part] = args else { return None };
    Some(match part.as_text() {
        Some(part) if !part.is_empty() => like(text, "*", part, "*"),
        _ => {
            let place = call("instr", vec![text.clone(), part.clone()]);
            Expr::binary(BinaryOp::Gt, place, Expr::integer(0))
        }
    })
}

/// `STARTSWITH(text, part)`.
pub(super) fn starts_with(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, part] = args else { return None };
    Some(match part.as_text() {
        Some(part) => like(text, "", part, "*"),
        None if part.has_subquery() => return None,
        None => {
            let length = call("length", vec![part.clone()]);
            call("substr", vec![text.clone(), Expr::integer(1), length]).eq(part.clone())
        }
    })
}

/// `ENDSWITH(text, part)`.
pub(super) fn ends_with(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, part] = args else { return None };
    Some(like(text, "*", part.as_text()?, ""))
}

/// A text that holds a constant, as LIKE with a pattern says it.
fn like(text: &Expr, before: &str, part: &str, after: &str) -> Expr {
    let mut pattern = before.to_owned();
    for c in part.chars() {
        match c {
            '*' | '?' | '[' => pattern.extend(['[', c, ']']),
            other => pattern.push(other),
        }
    }
    pattern.push_str(after);
    Expr::binary(BinaryOp::Glob, text.clone(), Expr::text(pattern))
}

/// `WIDTH_BUCKET(x, low, high, n)`.
pub(super) fn width_bucket(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x, low, high, count] = args else { return None };
    (!args.iter().any(Expr::has_subquery)).then(|| crate::plan::width_bucket(x, low, high, count))
}

/// `REPLACE(x, part)`: without the part.
pub(super) fn without(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, part] = args else { return None };
    Some(call("replace", vec![text.clone(), part.clone(), Expr::text("")]))
}

/// `SPACE(n)`.
pub(super) fn space(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [count] = args else { return None };
    Some(call("pg_repeat", vec![Expr::text(" "), count.clone()]))
}

/// `ISNULL(x)`.
pub(super) fn is_null(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(args.first()?.clone().is_null())
}

/// `ISNOTNULL(x)`.
pub(super) fn is_not_null(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(args.first()?.clone().is_null().not())
}

/// A function that gives what it is given: `TRY(x)`, whose error would be NULL here too.
pub(super) fn same(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    args.first().cloned()
}

fn of_operator(op: BinaryOp, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    Some(Expr::binary(op, left.clone(), right.clone()))
}

/// `BITAND(a, b)`.
pub(super) fn bits_of_both(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    of_operator(BinaryOp::BitAnd, args)
}

/// `BITOR(a, b)`.
pub(super) fn bits_of_either(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    of_operator(BinaryOp::BitOr, args)
}

/// `TRY_ADD(a, b)` and its like of numbers, which differ from the operators where a number overflows.
pub(super) fn plus(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    of_operator(BinaryOp::Add, args).filter(|_| args.iter().all(|e| planner.is_number(e)))
}

/// `TRY_SUBTRACT(a, b)`.
pub(super) fn minus(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    of_operator(BinaryOp::Sub, args).filter(|_| args.iter().all(|e| planner.is_number(e)))
}

/// `TRY_MULTIPLY(a, b)`.
pub(super) fn times(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    of_operator(BinaryOp::Mul, args).filter(|_| args.iter().all(|e| planner.is_number(e)))
}

/// `TRY_DIVIDE(a, b)`: NULL where b is 0, as SQLite divides.
pub(super) fn divide(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    Some(planner.quotient(left.clone(), right.clone()))
}

/// `ADD_MONTHS(d, n)`, which takes the last day of a month to the last of the other: of a day.
pub(super) fn months_later(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    planner.is_day(args.first()?).then(|| call("ora_add_months", args.to_vec()))
}

/// A moment of its year, month, day, hour, minute and second.
pub(super) fn moment_of_parts(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    (args.len() == 6).then(|| call("datetime", vec![planner.printed("%04d-%02d-%02d %02d:%02d:%02d", args)]))
}

/// Seconds since 1970 of a moment.
pub(super) fn seconds(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("strftime", vec![Expr::text("%s"), args.first()?.clone()]).cast(Affinity::Integer))
}

/// Days since 1970 of a day.
pub(super) fn days(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(planner.boundaries("day", &Expr::text("1970-01-01"), args.first()?))
}

/// The day so many days after 1970-01-01.
pub(super) fn of_days(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(planner.later(&Expr::text("1970-01-01"), args.first()?, "day"))
}

/// The first place, from 1, at which a regular expression is found; 0 where it is not.
pub(super) fn place_of_match(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, pattern] = args else { return None };
    Some(call("sql_regexp_place", vec![text.clone(), pattern.clone(), Expr::text("c")]))
}

/// Every match of a regular expression, or of the group that is said.
pub(super) fn all_matches(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let group = args.get(2).map_or(Some(0), Expr::as_integer)?;
    let (text, pattern) = (args.first()?.clone(), args.get(1)?.clone());
    Some(call("sql_regexp_extract_all", vec![text, pattern, Expr::text("c"), Expr::integer(group)]))
}

/// `PERCENTILE(x, fraction)`: the fraction is a constant.
fn quantile(name: &'static str, args: &[Expr]) -> Option<Words> {
    let [value, fraction] = args else { return None };
    fraction.is_literal().then(|| Words::new(name, vec![fraction.clone(), value.clone()]))
}

/// Between the two nearest values.
pub(super) fn quantile_between(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    quantile("pg_percentile_cont", args)
}

/// One of the values.
pub(super) fn quantile_of_values(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    quantile("pg_percentile_disc", args)
}

/// Nearly so, between two values: exact here, and never proved the same as what is exact.
pub(super) fn near_quantile_between(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    quantile("sql_approx_percentile", args)
}

/// Nearly so, one of the values.
pub(super) fn near_quantile_of_values(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    quantile("sql_approx_percentile_disc", args)
}

/// `POSITION(part, text)`, `CHARINDEX(part, text)`.
pub(super) fn place_of(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [part, text] = args else { return None };
    Some(call("instr", vec![text.clone(), part.clone()]))
}

/// `YEAR(d)`, `DAYOFYEAR(d)` and their like: the part by the name that EXTRACT has for it.
macro_rules! part {
    ($name:ident, $part:literal) => {
        #[doc = concat!("The part `", $part, "` of a moment.")]
        pub(super) fn $name(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
            Some(planner.date_part($part, args.first()?))
        }
    };
}

part!(year, "year");
part!(quarter, "quarter");
part!(month, "month");
part!(day, "day");
part!(hour, "hour");
part!(minute, "minute");
part!(second, "second");
part!(day_of_year, "doy");
part!(sunday_is_0, "dow");
part!(monday_is_1, "isodow");
part!(iso_week, "week");
part!(iso_year, "isoyear");

/// The day of the week from Sunday as 1.
pub(super) fn sunday_is_1(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(Expr::binary(BinaryOp::Add, planner.date_part("dow", args.first()?), Expr::integer(1)))
}

/// The day of the week from Monday as 0.
pub(super) fn monday_is_0(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(Expr::binary(BinaryOp::Sub, planner.date_part("isodow", args.first()?), Expr::integer(1)))
}

/// A moment as text, by a format in MySQL's words.
pub(super) fn formatted(planner: &Planner<'_>, at: &Expr, format: String) -> Expr {
    planner.as_in(Dialect::Mysql, "date_format", vec![at.clone(), Expr::text(format)])
}

/// `DAYNAME(d)` in three letters.
pub(super) fn short_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(formatted(planner, args.first()?, "%a".into()))
}

/// `MONTHNAME(d)` in three letters.
pub(super) fn short_month(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(formatted(planner, args.first()?, "%b".into()))
}

/// `DAYNAME(d)`.
pub(super) fn long_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(formatted(planner, args.first()?, "%W".into()))
}

/// `MONTHNAME(d)`.
pub(super) fn long_month(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(formatted(planner, args.first()?, "%M".into()))
}

/// The timestamp so many units after 1970; `per_second` units are a second.
pub(super) fn of_epoch(count: &Expr, per_second: i64) -> Expr {
    call("sql_of_epoch", vec![count.clone(), Expr::integer(per_second)])
}

/// Seconds since 1970.
pub(super) fn of_seconds(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(of_epoch(args.first()?, 1))
}

/// Milliseconds since 1970.
pub(super) fn of_milliseconds(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(of_epoch(args.first()?, 1_000))
}

/// Microseconds since 1970.
pub(super) fn of_microseconds(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(of_epoch(args.first()?, 1_000_000))
}

/// A date of its year, month and day, which may lie outside of their bounds: month 13 is the next January.
pub(super) fn date_of_parts(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [year, month, day] = args else { return None };
    let constants = year.as_integer().zip(month.as_integer()).zip(day.as_integer());
    if let Some(date) = constants.and_then(|((y, m), d)| Moment::date(y, m, d)) {
        return Some(Expr::text(date.to_string()));
    }
    let first = call("date", vec![planner.printed("%04d-01-01", std::slice::from_ref(year))]);
    let less = |n: &Expr| match n.as_integer() {
        Some(n) => Expr::integer(n.saturating_sub(1)),
        None => Expr::binary(BinaryOp::Sub, n.clone(), Expr::integer(1)),
    };
    let month_added = planner.later(&first, &less(month), "month");
    Some(planner.later(&month_added, &less(day), "day"))
}

/// The last day of the unit that a moment lies in.
pub(super) fn last_of(planner: &Planner<'_>, unit: &str, at: &Expr) -> Option<Expr> {
    let day = planner.day(at);
    let last = |unit: &str| {
        let start = call("date", vec![call("pg_date_trunc", vec![Expr::text(unit), day.clone()])]);
        let next = planner.later(&start, &Expr::integer(1), unit);
        planner.later(&next, &Expr::integer(-1), "day")
    };
    Some(match unit {
        "month" => call("my_last_day", vec![day]),
        "year" | "quarter" | "week" => last(unit),
        _ => return None,
    })
}

/// `NEXT_DAY(d, 'mon')`: the first of these days after d.
pub(super) fn next_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    beside(planner, args, 1)
}

/// `PREVIOUS_DAY(d, 'mon')`.
pub(super) fn previous_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    beside(planner, args, -1)
}

fn beside(planner: &Planner<'_>, args: &[Expr], sign: i64) -> Option<Expr> {
    let [at, name] = args else { return None };
    let name = word(name).filter(|name| name.len() > 1)?;
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    let wanted = i64::try_from(days.iter().position(|day| day.starts_with(&name))?).ok()?;
    let of_week = planner.date_part("dow", at);
    let apart = match sign {
        1 => Expr::binary(BinaryOp::Sub, Expr::integer(wanted + 6), of_week),
        _ => Expr::binary(BinaryOp::Add, of_week, Expr::integer(6 - wanted)),
    };
    // From 1 to 7 days away.
    let days =
        Expr::binary(BinaryOp::Add, Expr::binary(BinaryOp::Mod, apart, Expr::integer(7)), Expr::integer(1));
    let away = if sign == 1 { days } else { Expr::unary(UnaryOp::Neg, days) };
    Some(planner.later(&planner.day(at), &away, "day"))
}

/// `LAST_DAY(d)`.
pub(super) fn last_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    last_of(planner, "month", args.first()?)
}

/// A regular expression that has to match the whole text.
pub(crate) fn matches_whole(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, pattern] = args else { return None };
    let whole = match pattern.as_text() {
        Some(pattern) => Expr::text(format!("^(?:{pattern})$")),
        None => {
            let opened = Expr::binary(BinaryOp::Concat, Expr::text("^(?:"), pattern.clone());
            Expr::binary(BinaryOp::Concat, opened, Expr::text(")$"))
        }
    };
    Some(call("pg_regexp", vec![text.clone(), whole, Expr::text("c")]))
}

/// A regular expression that is found in the text.
pub(super) fn matches(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, pattern] = args else { return None };
    Some(call("pg_regexp", vec![text.clone(), pattern.clone(), Expr::text("c")]))
}

/// Every match replaced by a text whose `\1` are groups.
pub(super) fn replaces_all(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (text, pattern, with) = match args {
        [text, pattern] => (text, pattern, Expr::text("")),
        [text, pattern, with] => (text, pattern, with.clone()),
        _ => return None,
    };
    Some(call("pg_regexp_replace", vec![text.clone(), pattern.clone(), with, Expr::text("g")]))
}

/// Every match replaced by a text whose `$1` are groups: known where it is a constant that holds none.
pub(super) fn replaces_all_by_dollars(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [_, _] => replaces_all(planner, args),
        [_, _, with] if with.as_text().is_some_and(|w| !w.contains(['$', '\\'])) => {
            replaces_all(planner, args)
        }
        _ => None,
    }
}

/// The match of a regular expression, or one of its groups; NULL where there is none.
pub(super) fn extracted(text: &Expr, pattern: &Expr, occurrence: i64, group: i64) -> Expr {
    let numbers = [Expr::integer(occurrence), Expr::integer(group)];
    let args = [text.clone(), pattern.clone(), Expr::text("c")].into_iter().chain(numbers);
    call("sql_regexp_extract", args.collect())
}

/// The same, with '' where there is none.
pub(super) fn extracted_or_empty(text: &Expr, pattern: &Expr, group: i64) -> Option<Expr> {
    if text.has_subquery() {
        return None;
    }
    let found = call("coalesce", vec![extracted(text, pattern, 1, group), Expr::text("")]);
    Some(Expr::case(vec![(text.clone().is_null().not(), found)], None))
}

/// How often a regular expression is found.
pub(super) fn counts_matches(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, pattern] = args else { return None };
    Some(call("sql_regexp_count", vec![text.clone(), pattern.clone(), Expr::text("c")]))
}

/// A number rounded to a scale, as a cast to DECIMAL of this scale does it.
pub(super) fn scaled(number: Expr, scale: i64) -> Expr {
    call("round", vec![number.cast(Affinity::Numeric), Expr::integer(scale)])
}

/// The array of what stands between separators.
pub(super) fn split(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, by] = args else { return None };
    Some(call("sql_split", vec![text.clone(), by.clone()]))
}

/// The documents that a text is.
pub(super) fn document(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("json", vec![args.first()?.clone()]))
}

/// Another value at each call.
pub(super) fn any_text(_: &Planner<'_>, _: &[Expr]) -> Option<Expr> {
    Some(call("hex", vec![call("randomblob", vec![Expr::integer(16)])]))
}

/// A format of dates in another system's words, part by part, in MySQL's. `parts` are
/// tried in their order, so longer ones stand first; what is no part and no letter stands for itself.
pub(super) fn format_of(
    template: &str,
    parts: &[(&str, &str)],
    quote: char,
    minds_case: bool,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        let begins = |part: &str| {
            rest.get(..part.len())
                .is_some_and(|s| if minds_case { s == part } else { s.eq_ignore_ascii_case(part) })
        };
        if let Some((part, words)) = parts.iter().find(|(part, _)| begins(part)) {
            out.push_str(words);
            rest = rest.get(part.len()..)?;
        } else if c == quote {
            let (inside, after) = rest.get(c.len_utf8()..)?.split_once(quote)?;
            out.push_str(&inside.replace('%', "%%"));
            rest = after;
        } else if c.is_alphabetic() {
            return None;
        } else {
            out.push_str(if c == '%' { "%%" } else { rest.get(..c.len_utf8())? });
            rest = rest.get(c.len_utf8()..)?;
        }
    }
    Some(out)
}

/// What an aggregate has collected in a document: NULL of no rows.
pub(super) fn collected_document(made: Expr) -> Expr {
    call("nullif", vec![call("nullif", vec![made, Expr::text("[]")]), Expr::text("{}")])
}

/// The same as a binary document is printed, with a blank behind `:` and `,`.
pub(super) fn binary_document(made: Expr) -> Expr {
    call("pg_jsonb", vec![collected_document(made)])
}
