//! Words that the tables of several dialects share: what a function says in SQLite's and the sandbox's functions.

use crate::dialects::Dialect;
use crate::dialects::functions::To::{Call, Written};
use crate::dialects::functions::{Function, MANY, function};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::Affinity;
use crate::temporal::Moment;
use crate::value::Value;

/// Angles, and texts turned about: in Databricks, DuckDB, Redshift, Snowflake and Trino.
#[rustfmt::skip]
pub(super) const OF_ANALYSTS: &[Function] = &[
    function("asin", (1, 1), Call("sql_asin")),
    function("acos", (1, 1), Call("sql_acos")),
    function("atan", (1, 1), Call("sql_atan")),
    function("sin", (1, 1), Call("sql_sin")),
    function("cos", (1, 1), Call("sql_cos")),
    function("tan", (1, 1), Call("sql_tan")),
    function("radians", (1, 1), Call("sql_radians")),
    function("degrees", (1, 1), Call("sql_degrees")),
    function("atan2", (2, 2), Call("sql_atan2")),
    function("reverse", (1, 1), Call("pg_reverse")),
    function("translate", (3, 3), Call("pg_translate")),
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
    let first = call("date", vec![call("printf", vec![Expr::text("%04d-01-01"), year.clone()])]);
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

/// `LAST_DAY(d)`.
pub(super) fn last_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    last_of(planner, "month", args.first()?)
}

/// A regular expression that has to match the whole text.
pub(super) fn matches_whole(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
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
