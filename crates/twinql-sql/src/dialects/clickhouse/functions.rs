//! ClickHouse's functions (<https://clickhouse.com/docs/sql-reference/functions>), by their names in lower case.

use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, Words, aggregate, count_if};
use crate::dialects::functions::To::{As, Call, Written};
use crate::dialects::functions::{Function, MANY, function, timed};
use crate::dialects::lists;
use crate::dialects::words::{self, call, word};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // functions/conditional-functions, functions/functions-for-nulls
    function("if", (3, 3), Call("iif")),
    function("multiif", (3, MANY), Written(multi_if)),
    function("ifnull", (2, 2), Call("coalesce")),
    function("isnull", (1, 1), Written(|_, args| Some(args.first()?.clone().is_null()))),
    function("isnotnull", (1, 1), Written(|_, args| Some(args.first()?.clone().is_null().not()))),
    function("assumenotnull|tonullable", (1, 1), Written(words::same)),
    function("least", (2, MANY), Call("min")),
    function("greatest", (2, MANY), Call("max")),
    // functions/string-functions: LENGTH and SUBSTRING count bytes, LOWER and UPPER know ASCII.
    function("length", (1, 1), Written(|planner, args| { let x = args.first()?; Some(call(if planner.is_list(x) { "json_array_length" } else { "octet_length" }, vec![x.clone()])) })),
    function("empty", (1, 1), Written(is_empty)),
    function("notempty", (1, 1), Written(|planner, args| Some(is_empty(planner, args)?.not()))),
    function("positionutf8", (2, 2), Call("instr")),
    function("trimboth", (1, 1), Call("trim")),
    function("trimleft", (1, 1), Call("ltrim")),
    function("trimright", (1, 1), Call("rtrim")),
    function("replaceregexpall", (3, 3), Written(words::replaces_all)),
    function("replaceregexpone", (3, 3), Call("pg_regexp_replace")),
    function("extractall", (2, 2), Written(|planner, args| { args.get(1)?.as_text().filter(|p| !p.contains('('))?; words::all_matches(planner, args) })),
    function("editdistanceutf8", (2, 2), Call("sql_edit_distance")),
    function("generateuuidv4", (0, 0), Written(words::any_text)),
    function("lengthutf8|char_length", (1, 1), Call("length")),
    function("substring|substr", (2, 3), Written(|_, _| None)),
    function("substringutf8", (3, 3), Call("substr")),
    function("concat", (2, MANY), As(Dialect::Clickhouse)),
    function("startswith", (2, 2), Written(words::starts_with)),
    function("endswith", (2, 2), Written(words::ends_with)),
    function("reverseutf8", (1, 1), Call("pg_reverse")),
    function("replaceall", (3, 3), Call("replace")),
    function("splitbychar|splitbystring", (2, 2), Written(split)),
    function("match", (2, 2), Written(words::matches)),
    // functions/array-functions
    function("array", (0, 16), Written(lists::of_values)),
    function("arraydistinct", (1, 1), Call("sql_array_distinct")),
    function("arraysort", (1, 1), Call("sql_array_sort")),
    function("arrayreverse", (1, 1), Call("sql_array_reverse")),
    function("arrayconcat", (2, 2), Call("sql_array_concat")),
    // Of no elements they are 0.
    function("arraymax|arraymin", (1, 1), Written(|_, _| None)),
    function("arrayelement", (2, 2), Written(|planner, args| Some(planner.element_or_default(args.first()?.clone(), args.get(1)?.clone())))),
    function("arrayslice", (3, 3), Written(lists::slice_from_1)),
    function("arraystringconcat", (2, 2), Call("pg_array_to_string")),
    function("indexof", (2, 2), Written(lists::place_or_0)),
    function("range", (2, 2), Call("sql_range")),
    // functions/arithmetic-functions, functions/math-functions
    function("plus", (2, 2), Written(words::plus)),
    function("minus", (2, 2), Written(words::minus)),
    function("multiply", (2, 2), Written(words::times)),
    function("divide", (2, 2), Written(words::divide)),
    function("log", (1, 1), Call("ln")),
    function("log2", (1, 1), Call("log2")),
    function("rand", (0, 0), Call("random")),
    // functions/rounding-functions: halves of binary numbers go to even ones.
    function("round", (1, 2), Written(|_, _| None)),
    function("intdiv", (2, 2), Written(int_div)),
    function("tostring", (1, 1), Written(to_string)),
    function("toint8|toint16|toint32|toint64|touint8|touint16|touint32|touint64", (1, 1), Written(whole)),
    function("toint32orzero|toint64orzero", (1, 1), Written(|_, args| Some(call("coalesce", vec![call("ms_try_integer", args.to_vec()), Expr::integer(0)])))),
    function("tofloat64", (1, 1), Written(|_, args| Some(args.first()?.clone().cast(Affinity::Real)))),
    // functions/date-time-functions
    function("toyear|year", (1, 1), Written(words::year)),
    function("toquarter", (1, 1), Written(words::quarter)),
    function("tomonth|month", (1, 1), Written(words::month)),
    function("todayofmonth|day", (1, 1), Written(words::day)),
    function("todayofyear", (1, 1), Written(words::day_of_year)),
    function("todayofweek", (1, 1), Written(words::monday_is_1)),
    function("tohour|hour", (1, 1), Written(words::hour)),
    function("tominute", (1, 1), Written(words::minute)),
    function("tosecond", (1, 1), Written(words::second)),
    function("tostartofyear", (1, 1), Written(|_, args| start("year", args))),
    function("tostartofquarter", (1, 1), Written(|_, args| start("quarter", args))),
    function("tostartofmonth", (1, 1), Written(|_, args| start("month", args))),
    function("tostartofweek", (1, 1), Written(sunday)),
    function("tomonday", (1, 1), Written(|_, args| start("week", args))),
    function("tostartofhour", (1, 1), Written(|_, args| Some(call("pg_date_trunc", vec![Expr::text("hour"), args.first()?.clone()])))),
    function("tostartofday", (1, 1), Written(|_, args| Some(call("pg_date_trunc", vec![Expr::text("day"), args.first()?.clone()])))),
    function("tostartofminute", (1, 1), Written(|_, args| Some(call("pg_date_trunc", vec![Expr::text("minute"), args.first()?.clone()])))),
    function("toisoweek", (1, 1), Written(words::iso_week)),
    function("toisoyear", (1, 1), Written(words::iso_year)),
    function("toyyyymm", (1, 1), Written(|_, args| digits("%Y%m", args))),
    function("toyyyymmdd", (1, 1), Written(|_, args| digits("%Y%m%d", args))),
    function("toyyyymmddhhmmss", (1, 1), Written(|_, args| digits("%Y%m%d%H%M%S", args))),
    function("tounixtimestamp", (1, 1), Written(words::seconds)),
    function("fromunixtimestamp", (1, 1), Written(words::of_seconds)),
    function("todatetime", (1, 1), Written(|planner, args| { let x = args.first()?; Some(if planner.is_number(x) { words::of_epoch(x, 1) } else { planner.timestamp(x) }) })),
    function("monthname", (1, 1), Written(words::long_month)),
    function("formatdatetime", (2, 2), Written(formatted)),
    timed("dateadd|date_add", (3, 3), 0, Written(|planner, args| { let [name, count, at] = args else { return None }; moved(planner, &word(name)?, at, count, 1) })),
    timed("datesub|date_sub", (3, 3), 0, Written(|planner, args| { let [name, count, at] = args else { return None }; moved(planner, &word(name)?, at, count, -1) })),
    function("addyears", (2, 2), Written(|planner, args| moved(planner, "year", args.first()?, args.get(1)?, 1))),
    function("addquarters", (2, 2), Written(|planner, args| moved(planner, "quarter", args.first()?, args.get(1)?, 1))),
    function("addmonths", (2, 2), Written(|planner, args| moved(planner, "month", args.first()?, args.get(1)?, 1))),
    function("addweeks", (2, 2), Written(|planner, args| moved(planner, "week", args.first()?, args.get(1)?, 1))),
    function("adddays", (2, 2), Written(|planner, args| moved(planner, "day", args.first()?, args.get(1)?, 1))),
    function("addhours", (2, 2), Written(|planner, args| moved(planner, "hour", args.first()?, args.get(1)?, 1))),
    function("addminutes", (2, 2), Written(|planner, args| moved(planner, "minute", args.first()?, args.get(1)?, 1))),
    function("subtractyears", (2, 2), Written(|planner, args| moved(planner, "year", args.first()?, args.get(1)?, -1))),
    function("subtractmonths", (2, 2), Written(|planner, args| moved(planner, "month", args.first()?, args.get(1)?, -1))),
    function("subtractweeks", (2, 2), Written(|planner, args| moved(planner, "week", args.first()?, args.get(1)?, -1))),
    function("subtractdays", (2, 2), Written(|planner, args| moved(planner, "day", args.first()?, args.get(1)?, -1))),
    function("subtracthours", (2, 2), Written(|planner, args| moved(planner, "hour", args.first()?, args.get(1)?, -1))),
    function("datetrunc|date_trunc", (2, 2), Written(truncated)),
    function("yesterday", (0, 0), Written(|planner, _| Some(planner.later(&call("current_date", Vec::new()), &Expr::integer(-1), "day")))),
    function("age", (3, 3), Written(whole_units)),
    function("datediff|date_diff", (3, 3), Written(date_diff)),
    function("todate", (1, 1), Written(|planner, args| { let x = args.first()?; (!planner.is_number(x)).then(|| planner.day(x)) })),
    function("today", (0, 0), Call("current_date")),
    function("now", (0, 0), Call("current_timestamp")),
];

/// Every aggregate that others call otherwise (aggregate-functions).
pub(super) const AGGREGATES: &[Aggregate] = &[
    aggregate("countif", (1, 1), Over::Written(count_if)),
    aggregate("uniqexact", (1, 1), Over::Written(distinct_count)),
    aggregate("stddevpop", (1, 1), Over::Call("pg_stddev_pop")),
    aggregate("stddevsamp", (1, 1), Over::Call("pg_stddev_samp")),
    aggregate("varpop", (1, 1), Over::Call("pg_var_pop")),
    aggregate("varsamp", (1, 1), Over::Call("pg_var_samp")),
    // `quantile(0.5)(x)` and `median` are near; their parameter stands behind the argument here.
    aggregate("quantile", (2, 2), Over::Written(words::near_quantile_between)),
    aggregate(
        "median",
        (1, 1),
        Over::Written(|planner, args| {
            words::near_quantile_between(
                planner,
                &[args.first()?.clone(), Expr::Literal(crate::value::Value::Real(0.5.into()))],
            )
        }),
    ),
    aggregate("uniq|uniqcombined|uniqhll12", (1, 1), Over::Call("sql_approx_count_distinct")),
    aggregate("any|anylast", (1, 1), Over::Call("sql_any_value")),
    aggregate("argmax", (2, 2), Over::Call("sql_max_by")),
    aggregate("argmin", (2, 2), Over::Call("sql_min_by")),
    aggregate("grouparray", (1, 1), Over::Written(lists::present)),
    aggregate("groupuniqarray", (1, 1), Over::Written(lists::each_once)),
    aggregate("covarpop", (2, 2), Over::Call("sql_covar_pop")),
    aggregate("covarsamp", (2, 2), Over::Call("sql_covar_samp")),
    aggregate("sumif", (2, 2), Over::Written(sum_if)),
];

/// `uniqExact(x)`.
fn distinct_count(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    Some(Words { distinct: true, ..Words::new("count", args.to_vec()) })
}

/// `sumIf(x, c)`: 0 where c holds for no row, of a column without NULLs.
fn sum_if(planner: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let [value, condition] = args else { return None };
    let counted = Expr::case(vec![(condition.clone(), value.clone())], Some(Expr::integer(0)));
    let or_0 = |sum| call("coalesce", vec![sum, Expr::integer(0)]);
    (!planner.may_be_null(value)).then(|| Words { then: Some(or_0), ..Words::new("sum", vec![counted]) })
}

/// `empty(x)` of a text or an array.
fn is_empty(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x] = args else { return None };
    match planner.class(x) {
        _ if planner.is_list(x) => Some(call("json_array_length", vec![x.clone()]).eq(Expr::integer(0))),
        TypeClass::Text => Some(x.clone().eq(Expr::text(""))),
        _ => None,
    }
}

/// The parts of a moment as one number.
fn digits(format: &str, args: &[Expr]) -> Option<Expr> {
    Some(call("strftime", vec![Expr::text(format), args.first()?.clone()]).cast(Affinity::Integer))
}

/// A unit of time.
const UNITS: [&str; 8] = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];

/// A moment so many units later, or earlier.
fn moved(planner: &Planner<'_>, unit: &str, at: &Expr, count: &Expr, sign: i64) -> Option<Expr> {
    let unit = UNITS.into_iter().find(|known| *known == unit)?;
    let count = if sign == 1 { count.clone() } else { count.counted_back() };
    Some(planner.later(at, &count, unit))
}

/// `dateTrunc('unit', at)`.
fn truncated(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, at] = args else { return None };
    let unit = word(name).filter(|unit| UNITS.contains(&unit.as_str()))?;
    Some(match unit.as_str() {
        "year" | "quarter" | "month" | "week" => start(&unit, std::slice::from_ref(at))?,
        _ => planner.start_of(&unit, at),
    })
}

/// `toInt32(x)` of a number or a text.
fn whole(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x] = args else { return None };
    let known = planner.is_number(x) || planner.class(x) == TypeClass::Text;
    known.then(|| x.clone().cast(Affinity::Integer))
}

/// `toStartOfWeek(at)`: the Sunday.
fn sunday(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let next = planner.later(&planner.day(args.first()?), &Expr::integer(1), "day");
    Some(planner.later(&start("week", &[next])?, &Expr::integer(-1), "day"))
}

/// `age('unit', from, to)` counts whole units.
fn whole_units(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    let unit = word(name).filter(|unit| UNITS.contains(&unit.as_str()))?;
    Some(planner.whole_units(&unit, from, to))
}

/// `formatDateTime(at, format)` of parts that have the same letter in every version.
fn formatted(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, template] = args else { return None };
    let template = template.as_text()?;
    let known = |part: &str| part.starts_with(['Y', 'y', 'm', 'd', 'H', 'i', 'S', 'T', 'j', '%']);
    let plain = template.split('%').skip(1).all(known) && !template.contains("%%");
    plain.then(|| words::formatted(planner, at, template.to_owned()))
}

/// `multiIf(c1, a, c2, b, otherwise)`.
fn multi_if(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let pairs = args.chunks_exact(2);
    let otherwise = pairs.remainder().first()?.clone();
    let branches: Vec<(Expr, Expr)> = pairs
        .filter_map(|pair| match pair {
            [condition, then] => Some((condition.clone(), then.clone())),
            _ => None,
        })
        .collect();
    Some(Expr::case(branches, Some(otherwise)))
}

/// `splitByChar(separator, text)`.
fn split(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [by, text] = args else { return None };
    by.as_text().filter(|by| !by.is_empty())?;
    Some(call("sql_split", vec![text.clone(), by.clone()]))
}

/// `intDiv(a, b)` of whole numbers.
fn int_div(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    let whole = |e: &Expr| planner.class(e) == TypeClass::Integer;
    (whole(left) && whole(right)).then(|| Expr::binary(BinaryOp::Div, left.clone(), right.clone()))
}

/// `toString(x)` of a text or a whole number.
fn to_string(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x] = args else { return None };
    let known = matches!(planner.class(x), TypeClass::Integer | TypeClass::Text);
    known.then(|| x.clone().cast(Affinity::Text))
}

/// The first day of a unit.
fn start(unit: &str, args: &[Expr]) -> Option<Expr> {
    Some(call("date", vec![call("pg_date_trunc", vec![Expr::text(unit), args.first()?.clone()])]))
}

/// `dateDiff('unit', from, to)` counts beginnings.
fn date_diff(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    let known = ["year", "quarter", "month", "day", "hour", "minute", "second"];
    let unit = word(name).filter(|u| known.contains(&u.as_str()))?;
    Some(planner.boundaries(&unit, from, to))
}
