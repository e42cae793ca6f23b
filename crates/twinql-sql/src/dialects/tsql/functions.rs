//! SQL Server's functions (<https://learn.microsoft.com/sql/t-sql/functions/functions>); those of dates are in [`super::dates`].

use super::dates;
use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, Words, aggregate};
use crate::dialects::functions::{Function, MANY, To, function, timed};
use crate::dialects::lists;
use crate::dialects::words::{self, call};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // Dates: <https://learn.microsoft.com/sql/t-sql/functions/date-and-time-data-types-and-functions-transact-sql>
    function("getdate|getutcdate|sysdatetime|sysutcdatetime|sysdatetimeoffset", (0, 0), To::Call("current_timestamp")),
    timed("dateadd", (3, 3), 0, To::Written(dates::add)),
    timed("datediff|datediff_big", (3, 3), 0, To::Written(dates::difference)),
    timed("datepart", (2, 2), 0, To::Written(dates::part)),
    timed("datename", (2, 2), 0, To::Written(dates::name)),
    timed("datetrunc", (2, 2), 0, To::Written(dates::truncated)),
    function("year", (1, 1), To::Written(dates::year)),
    function("month", (1, 1), To::Written(dates::month)),
    function("day", (1, 1), To::Written(dates::day)),
    function("eomonth", (1, 2), To::Written(dates::end_of_month)),
    function("datefromparts", (3, 3), To::Written(dates::from_parts)),
    function("datetimefromparts", (7, 7), To::Written(dates::moment_from_parts)),
    // Texts: <https://learn.microsoft.com/sql/t-sql/functions/string-functions-transact-sql>
    // Blanks at the end do not count.
    function("len", (1, 1), To::Written(len)),
    function("left", (2, 2), To::Written(words::left)),
    function("right", (2, 2), To::Written(right)),
    // Places before the first are counted, and empty, as in PostgreSQL.
    function("substr|substring", (3, 3), To::As(Dialect::Postgres)),
    function("charindex", (2, 3), To::Written(char_index)),
    function("patindex", (2, 2), To::Call("ms_patindex")),
    function("stuff", (4, 4), To::Call("ms_stuff")),
    function("replace", (3, 3), To::Written(replace)),
    function("concat", (2, MANY), To::Written(concat)),
    function("concat_ws", (3, MANY), To::Written(concat_ws)),
    function("reverse", (1, 1), To::Call("pg_reverse")),
    function("replicate", (2, 2), To::Call("pg_repeat")),
    function("space", (1, 1), To::Written(words::space)),
    function("ascii|unicode", (1, 1), To::Call("unicode")),
    function("char|nchar", (1, 1), To::Written(character)),
    function("format", (2, 2), To::Written(dates::format)),
    function("translate", (3, 3), To::Call("pg_translate")),
    function("quotename", (1, 1), To::Written(quoted)),
    function("str", (1, 1), To::Written(padded)),
    // <https://learn.microsoft.com/sql/t-sql/functions/json-functions-transact-sql>
    function("isjson", (1, 1), To::Written(lists::is_document)),
    function("json_value", (2, 2), To::Written(lists::scalar_at)),
    function("json_query", (2, 2), To::Written(lists::object_at)),
    function("isnumeric", (1, 1), To::Call("ms_isnumeric")),
    // Choices: <https://learn.microsoft.com/sql/t-sql/functions/logical-functions-iif-transact-sql>
    function("isnull", (2, 2), To::Written(is_null)),
    function("iif", (3, 3), To::Call("iif")),
    function("choose", (2, MANY), To::Written(choose)),
    function("greatest", (1, 16), To::Call("pg_greatest")),
    function("least", (1, 16), To::Call("pg_least")),
    // Numbers: <https://learn.microsoft.com/sql/t-sql/functions/mathematical-functions-transact-sql>
    function("round", (3, 3), To::Written(round)),
    function("power", (2, 2), To::Written(power)),
    function("square", (1, 1), To::Written(square)),
    function("log", (1, 1), To::Call("ln")),
    function("log", (2, 2), To::Written(logarithm)),
    function("sin", (1, 1), To::Call("sql_sin")),
    function("cos", (1, 1), To::Call("sql_cos")),
    function("tan", (1, 1), To::Call("sql_tan")),
    function("asin", (1, 1), To::Call("sql_asin")),
    function("acos", (1, 1), To::Call("sql_acos")),
    function("atan", (1, 1), To::Call("sql_atan")),
    function("atn2", (2, 2), To::Call("sql_atan2")),
    function("rand", (0, 0), To::Call("random")),
    // Another value at each call.
    function("newid", (0, 0), To::Call("random")),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    // A whole number of whole numbers: <https://learn.microsoft.com/sql/t-sql/functions/avg-transact-sql#return-types>
    aggregate("avg", (1, 1), Over::Written(average)),
    // <https://learn.microsoft.com/sql/t-sql/functions/count-big-transact-sql>
    aggregate("count_big", (0, 1), Over::Call("count")),
    // Of the sample and of the population: <https://learn.microsoft.com/sql/t-sql/functions/stdev-transact-sql>
    aggregate("stdev", (1, 1), Over::Call("pg_stddev_samp")),
    aggregate("stdevp", (1, 1), Over::Call("pg_stddev_pop")),
    aggregate("var", (1, 1), Over::Call("pg_var_samp")),
    aggregate("varp", (1, 1), Over::Call("pg_var_pop")),
    // <https://learn.microsoft.com/sql/t-sql/functions/approx-count-distinct-transact-sql>
    aggregate("approx_count_distinct", (1, 1), Over::Call("sql_approx_count_distinct")),
];

/// `AVG(x)`, its fraction cut off where x is whole.
fn average(planner: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let [value] = args else { return None };
    let mut words = Words::new("avg", vec![value.clone()]);
    if planner.class(value) == TypeClass::Integer {
        words.then = Some(|mean| mean.cast(Affinity::Integer));
    }
    Some(words)
}

/// `LEN(x)` → `length(rtrim(x))`.
fn len(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("length", vec![call("rtrim", args.to_vec())]))
}

/// `RIGHT(x, n)` → `substr(x, -n)`; of a negative n it is an error.
fn right(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, count] = args else { return None };
    Some(match count.as_integer() {
        Some(n) if n > 0 => call("substr", vec![text.clone(), Expr::integer(n.saturating_neg())]),
        _ => call("my_right", vec![text.clone(), count.clone()]),
    })
}

/// Whether a text is written out and its letters have no case.
fn without_case(expr: &Expr) -> bool {
    expr.as_text().is_some_and(|t| !t.is_empty() && t.to_lowercase() == t.to_uppercase())
}

/// `CHARINDEX(part, x[, from])`, which ignores case, and finds nothing where the part is empty.
fn character(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [code] = args else { return None };
    // NULL beyond the codes: <https://learn.microsoft.com/sql/t-sql/functions/char-transact-sql>.
    code.as_integer().filter(|code| (0..128).contains(code))?;
    Some(call("char", args.to_vec()))
}

fn char_index(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let lower = |e: &Expr| match e.as_text() {
        Some(text) => Expr::text(text.to_ascii_lowercase()),
        None => call("lower", vec![e.clone()]),
    };
    Some(match args {
        [part, text] if without_case(part) => call("instr", vec![text.clone(), part.clone()]),
        [part, text] if part.as_text().is_some_and(|t| !t.is_empty()) => {
            call("instr", vec![lower(text), lower(part)])
        }
        [part, text] => call("ms_charindex", vec![part.clone(), text.clone(), Expr::integer(1)]),
        _ => call("ms_charindex", args.to_vec()),
    })
}

/// `REPLACE(x, from, to)`, which ignores case.
fn replace(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [_, from, _] = args else { return None };
    Some(call(if without_case(from) { "replace" } else { "ms_replace" }, args.to_vec()))
}

/// `CONCAT(…)`: NULLs are empty texts.
fn concat(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let texts: Option<Vec<Expr>> = args.iter().map(|e| planner.as_text_of_server(e.clone())).collect();
    Some(call("concat", texts?))
}

/// `CONCAT_WS(separator, …)` leaves NULLs out.
fn concat_ws(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let texts: Option<Vec<Expr>> = args.iter().map(|e| planner.as_text_of_server(e.clone())).collect();
    Some(call("concat_ws", texts?))
}

/// `QUOTENAME(x)`: in brackets.
fn quoted(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name] = args else { return None };
    let doubled = call("replace", vec![name.clone(), Expr::text("]"), Expr::text("]]")]);
    let opened = Expr::binary(BinaryOp::Concat, Expr::text("["), doubled);
    Some(Expr::binary(BinaryOp::Concat, opened, Expr::text("]")))
}

/// `STR(n)` of a whole number: ten characters, the digits behind blanks.
fn padded(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [number] = args else { return None };
    let whole = planner.class(number) == TypeClass::Integer && !number.has_subquery();
    let printed = call("printf", vec![Expr::text("%10d"), number.clone()]);
    whole.then(|| Expr::case(vec![(number.clone().is_null().not(), printed)], None))
}

/// `ISNULL(x, y)`: y as a value of the type of x, so that a fraction beside a whole number would be cut, and a text is.
///
/// | before | after |
/// |---|---|
/// | `ISNULL(code, 'unknown')`, where code is VARCHAR(3) | `COALESCE(code, SUBSTR('unknown', 1, 3))` |
fn is_null(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [value, other] = args else { return None };
    let cuts = planner.class(value) == TypeClass::Integer && planner.class(other) == TypeClass::Number;
    let too_long = |most: usize| match (other.as_text(), other.as_column()) {
        (Some(text), _) => text.chars().count() > most,
        (None, Some(_)) => {
            planner.class(other) == TypeClass::Text && planner.longest(other).is_none_or(|n| n > most)
        }
        (None, None) => false,
    };
    let cut = match planner.longest(value).filter(|most| too_long(*most)).map(i64::try_from) {
        Some(Ok(most)) => call("substr", vec![other.clone(), Expr::integer(1), Expr::integer(most)]),
        _ => other.clone(),
    };
    (!cuts).then(|| call("coalesce", vec![value.clone(), cut]))
}

/// `CHOOSE(n, a, b, …)`: the n-th, NULL beyond.
fn choose(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (at, values) = args.split_first()?;
    if at.has_subquery() || planner.class(at) != TypeClass::Integer {
        return None;
    }
    let branches = (1..)
        .zip(values)
        .map(|(n, value)| (Expr::binary(BinaryOp::Eq, at.clone(), Expr::integer(n)), value.clone()));
    Some(Expr::case(branches.collect(), None))
}

/// `ROUND(x, digits, 1)` cuts off, `ROUND(x, digits, 0)` rounds.
fn round(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [number, digits, how] = args else { return None };
    let name = match (how.as_integer()?, digits.as_integer()) {
        (0, Some(0..)) => "round",
        (0, _) => "pg_round_to",
        _ => "pg_trunc_to",
    };
    Some(call(name, vec![number.clone(), digits.clone()]))
}

/// `POWER(x, y)` is of the type of x: whole where x is.
fn power(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [base, _] = args else { return None };
    let value = call("power", args.to_vec());
    Some(match planner.class(base) {
        TypeClass::Integer => value.cast(Affinity::Integer),
        _ => value,
    })
}

/// `SQUARE(x)`.
fn square(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [number] = args else { return None };
    Some(call("power", vec![number.clone(), Expr::integer(2)]))
}

/// `LOG(x, base)` → `log(base, x)`.
fn logarithm(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [number, base] = args else { return None };
    Some(call("log", vec![base.clone(), number.clone()]))
}
