//! Parts of dates.

use crate::normalize::prelude::*;
use crate::schema::Form;
use crate::temporal::{Moment, parse_mysql};

pub(super) const DATE_READINGS: Rule = Rule {
    name: "date-readings",
    summary: "STRFTIME of DATETIME(x), or of x as a timestamp, is STRFTIME of x, where x is declared to hold dates and the format asks for no fraction of a second",
    why: "STRFTIME reads the same moment from each.",
    source: "https://sqlite.org/lang_datefunc.html: DATETIME is STRFTIME('%Y-%m-%d %H:%M:%S')",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT STRFTIME('%H', DATETIME(begins)) FROM shift" == "SELECT STRFTIME('%H', begins) FROM shift";
        "nulls": "SELECT id FROM shift WHERE STRFTIME('%H:%M', DATETIME(begins)) = '08:30'" == "SELECT id FROM shift WHERE STRFTIME('%H:%M', begins) = '08:30'";
        "nulls": "SELECT STRFTIME('%H', DATE(begins)) FROM shift" != "SELECT STRFTIME('%H', begins) FROM shift";
    },
    apply: Apply::ExprOf(exprs::FUNCTION, date_reading),
};

/// What a system's timestamp is made of is a date by its column's type: of other texts STRFTIME may make something, and the
/// timestamp nothing.
fn date_reading(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (_, args) = e.as_function_mut().filter(|(name, args)| *name == "strftime" && args.len() == 2)?;
    let [format, moment] = args.as_mut_slice() else { return None };
    let (reading, of) = moment.as_function()?;
    let [x] = of.as_slice() else { return None };
    if !matches!(reading.as_str(), "datetime" | "pg_timestamp") || !is_date(x, cx) {
        return None;
    }
    let asks =
        |format: &str| format.split('%').skip(1).all(|part| part.starts_with(|c| "YmdjwWuHMS".contains(c)));
    if !format.as_text().is_some_and(asks) {
        return None;
    }
    let x = x.clone();
    *moment = x;
    Some(())
}

/// What a column is declared to hold, where that is dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dates {
    /// Days alone.
    Days,
    /// Days, with a time of day or without one.
    Moments,
}

/// A column of the schema that is declared to hold dates or timestamps, which a time of day is not.
fn dates(e: &Expr, cx: &Context<'_>) -> Option<Dates> {
    let column = e.as_column().and_then(|c| cx.schema.column(cx.origin(c)?))?;
    let declared = column.declared.to_ascii_lowercase();
    match declared.as_str() {
        _ if column.class != TypeClass::Time => None,
        "date" => Some(Dates::Days),
        other if other.contains("date") || other.contains("timestamp") => Some(Dates::Moments),
        _ => None,
    }
}

/// Whether a column is declared to hold dates.
pub(super) fn is_date(e: &Expr, cx: &Context<'_>) -> bool {
    dates(e, cx).is_some()
}

pub(super) const DATE_TEXTS: Rule = Rule {
    name: "date-texts",
    summary: "STRFTIME('%Y', d) is SUBSTR(d, 1, 4) where d is declared to hold dates; so for months and days, and for DATE(d), which is d itself where d has no time of day and is compared with a date",
    why: "A date is the text of its year, month and day, so that each part stands in one place of it.",
    source: "https://sqlite.org/lang_datefunc.html: time values as text",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT STRFTIME('%m', begins), COUNT(*) FROM shift GROUP BY STRFTIME('%m', begins)"
            == "SELECT SUBSTR(begins, 6, 2), COUNT(*) FROM shift GROUP BY SUBSTR(begins, 6, 2)";
        "nulls": "SELECT id FROM shift WHERE STRFTIME('%Y', begins) = '2014'" == "SELECT id FROM shift WHERE begins LIKE '2014%'";
        "nulls": "SELECT id FROM shift WHERE CAST(STRFTIME('%Y', day) AS INTEGER) > 2014" == "SELECT id FROM shift WHERE SUBSTR(day, 1, 4) > '2014'";
        "nulls": "SELECT id FROM shift WHERE DATE(day) >= '2014-05-01'" == "SELECT id FROM shift WHERE day >= '2014-05-01'";
        "nulls": "SELECT id FROM shift WHERE DATE(day) = '2014-05-01'" == "SELECT id FROM shift WHERE day = '2014-05-01'";
        "nulls": "SELECT id FROM shift WHERE DATE(begins) = '2014-05-01'" == "SELECT id FROM shift WHERE begins LIKE '2014-05-01%'";
        "nulls": "SELECT id FROM shift WHERE DATE(begins) <= '2014-05-01'" != "SELECT id FROM shift WHERE begins <= '2014-05-01'";
        "nulls": "SELECT id FROM shift WHERE STRFTIME('%Y', day) = 2014" != "SELECT id FROM shift WHERE day LIKE '2014%'";
        "nulls": "SELECT id FROM orders WHERE STRFTIME('%m', day) = '05'" != "SELECT id FROM orders WHERE SUBSTR(day, 6, 2) = '05'";
    },
    apply: Apply::ExprOf(exprs::FUNCTION.or(exprs::BINARY), date_text),
};

/// Where each part of a date stands in its text: the format, the place of the first letter, the length.
const PLACES: [(&str, i64, i64); 5] =
    [("%Y", 1, 4), ("%Y-%m", 1, 7), ("%Y-%m-%d", 1, 10), ("%m", 6, 2), ("%d", 9, 2)];

/// The part of a column's text that STRFTIME or DATE gives, where the column holds dates.
pub(in super::super) fn part_of_text(e: &Expr, holds_dates: impl Fn(&Expr) -> bool) -> Option<Expr> {
    let (name, args) = e.as_function()?;
    let (format, x) = match (name.as_str(), args.as_slice()) {
        ("strftime", [Expr::Literal(Value::Text(format)), x]) => (format.as_str(), x),
        ("date", [x]) => ("%Y-%m-%d", x),
        _ => return None,
    };
    // Of DATE(d), which is the day of d.
    let day = x.as_function().and_then(|(name, args)| match args.as_slice() {
        [x, Expr::Literal(Value::Integer(1)), Expr::Literal(Value::Integer(10))] if name == "substr" => {
            Some(x)
        }
        _ => None,
    });
    let x = day.unwrap_or(x);
    x.as_column()?;
    let (_, from, length) = PLACES.into_iter().find(|(f, ..)| *f == format && holds_dates(x))?;
    Some(Expr::function("substr", vec![x.clone(), Expr::integer(from), Expr::integer(length)]))
}

fn date_text(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    if matches!(e, Expr::Function { .. }) {
        return put(e, part_of_text(e, |x| is_date(x, cx)));
    }
    // The affinity of a column of dates would read '2014' as a number, and reads no date as one.
    let is_day = |e: &Expr| e.as_text().is_some_and(|t| t.len() == 10 && Moment::parse(t).is_some());
    let whole = |e: &Expr| match e.as_function() {
        Some((name, args)) if name == "substr" => match args.as_slice() {
            [x, Expr::Literal(Value::Integer(1)), Expr::Literal(Value::Integer(10))] => {
                (dates(x, cx) == Some(Dates::Days)).then(|| x.clone())
            }
            _ => None,
        },
        _ => None,
    };
    let (op, left, right) = e.as_binary_mut()?;
    match op {
        BinaryOp::Glob => {
            let day = right.as_text()?.strip_suffix('*').map(Expr::text).filter(is_day)?;
            (dates(left, cx) == Some(Dates::Days)).then_some(())?;
            (*op, *right) = (BinaryOp::Eq, day);
            Some(())
        }
        op if op.is_comparison() => match (is_day(left), is_day(right)) {
            (true, _) => {
                let new = whole(right);
                put(right, new)
            }
            (_, true) => {
                let new = whole(left);
                put(left, new)
            }
            _ => None,
        },
        _ => None,
    }
}

pub(super) const WRITTEN_MOMENTS: Rule = Rule {
    name: "written-moments",
    summary: "the beginning of an hour, of a day, of a month or of a year is written with STRFTIME, and what STRFTIME has written out whole is not read again: DATETIME(STRFTIME('%Y-%m-%d %H:00:00', x)) is STRFTIME('%Y-%m-%d %H:00:00', x), where x is declared to hold dates",
    why: "A moment is the text that STRFTIME writes, and a system's DATE_TRUNC puts zeros where the format has them.",
    source: "https://sqlite.org/lang_datefunc.html; https://www.postgresql.org/docs/15/functions-datetime.html#FUNCTIONS-DATETIME-TRUNC",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT DATETIME(STRFTIME('%Y-%m-%d %H:00:00', begins)) FROM shift" == "SELECT STRFTIME('%Y-%m-%d %H:00:00', begins) FROM shift";
        "nulls": "SELECT DATE(STRFTIME('%Y-%m-01', begins)) FROM shift" == "SELECT STRFTIME('%Y-%m-01', begins) FROM shift";
        "nulls": "SELECT DATETIME(STRFTIME('%Y-%m-01', begins)) FROM shift" == "SELECT STRFTIME('%Y-%m-01 00:00:00', begins) FROM shift";
        "nulls": "SELECT DATETIME(STRFTIME('%Y-%m-01', begins)) FROM shift" != "SELECT STRFTIME('%Y-%m-01', begins) FROM shift";
        "nulls": "SELECT DATETIME(STRFTIME('%Y-%m-%d %H:%M', begins)) FROM shift" != "SELECT STRFTIME('%Y-%m-%d %H:%M', begins) FROM shift";
    },
    apply: Apply::ExprOf(exprs::FUNCTION, written_moment),
};

/// What STRFTIME writes that is a moment with a time of day: the unit that it begins.
const MOMENTS: [(&str, &str); 6] = [
    ("second", "%Y-%m-%d %H:%M:%S"),
    ("minute", "%Y-%m-%d %H:%M:00"),
    ("hour", "%Y-%m-%d %H:00:00"),
    ("day", "%Y-%m-%d 00:00:00"),
    ("month", "%Y-%m-01 00:00:00"),
    ("year", "%Y-01-01 00:00:00"),
];

fn written_moment(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (name, args) = e.as_function()?;
    let new = match (name.as_str(), args.as_slice()) {
        ("pg_date_trunc", [unit, x]) if is_moment(x, cx) => {
            let unit = unit.as_text()?;
            let (_, format) = MOMENTS.into_iter().find(|(name, _)| *name == unit)?;
            Expr::function("strftime", vec![Expr::text(format), x.clone()])
        }
        ("datetime" | "pg_timestamp", [text]) => {
            let format = written(text, cx)?;
            match MOMENTS.iter().any(|(_, whole)| *whole == format) {
                true => text.clone(),
                false if is_day_of(format) => {
                    let (_, args) = text.as_function()?;
                    let format = Expr::text(format!("{format} 00:00:00"));
                    Expr::function("strftime", vec![format, args.last()?.clone()])
                }
                false => return None,
            }
        }
        ("date", [text]) => {
            written(text, cx).filter(|format| is_day_of(format))?;
            text.clone()
        }
        ("my_str_to_date", [text, read]) => {
            let (format, read) = (written(text, cx)?, read.as_text()?);
            (reads_back(format, read)).then(|| text.clone())?
        }
        _ => return None,
    };
    put(e, Some(new))
}

/// Whether a format of STRFTIME writes a day and nothing else.
fn is_day_of(format: &str) -> bool {
    MOMENTS.iter().any(|(_, whole)| whole.strip_suffix(" 00:00:00") == Some(format))
}

/// The format in which STRFTIME has written a moment out.
fn written<'e>(text: &'e Expr, cx: &Context<'_>) -> Option<&'e str> {
    let (_, args) = text.as_function().filter(|(name, args)| *name == "strftime" && args.len() == 2)?;
    let [format, x] = args.as_slice() else { return None };
    is_moment(x, cx).then(|| format.as_text())?
}

/// Whether MySQL's STR_TO_DATE reads with `read` what STRFTIME has written, all of it and each part as what it is. The moments
/// have another number in every part, so that a part that is taken for another one, or a constant, would show.
fn reads_back(format: &str, read: &str) -> bool {
    let timed = MOMENTS.iter().any(|(_, whole)| *whole == format);
    (timed || is_day_of(format))
        && [[2014, 11, 23, 17, 38, 49], [1987, 5, 26, 8, 41, 54]].iter().all(|parts| {
            let [year, month, day, hour, minute, second] = parts.map(|part| format!("{part:02}"));
            let text =
                [("%Y", year), ("%m", month), ("%d", day), ("%H", hour), ("%M", minute), ("%S", second)]
                    .into_iter()
                    .fold(format.to_owned(), |text, (part, digits)| text.replace(part, &digits));
            parse_mysql(&text, read).is_some_and(|moment| moment.to_string() == text)
        })
}

/// Whether an expression is a moment or NULL: a column of dates, or what systems make of one.
fn is_moment(e: &Expr, cx: &Context<'_>) -> bool {
    let span = |e: &Expr| e.as_function().is_some_and(|(name, _)| name.starts_with("pg_interval"));
    match e.as_function().map(|(name, args)| (name.as_str(), args.as_slice())) {
        Some((
            "pg_timestamp" | "pg_date_trunc" | "my_date_add" | "my_str_to_date" | "datetime" | "date",
            _,
        )) => true,
        Some(("pg_add" | "pg_subtract", [at, by])) => is_moment(at, cx) && span(by),
        Some(_) => false,
        None => is_date(e, cx),
    }
}

pub(super) const OWN_DAY: Rule = Rule {
    name: "own-day",
    summary: "a moment is never before the day that it lies in",
    why: "The day is the beginning of the moment's text, or its midnight.",
    source: "https://sqlite.org/lang_datefunc.html: DATE is the day of a time value",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT id FROM shift WHERE begins < SUBSTR(begins, 1, 10)" == "SELECT id FROM shift WHERE 1 = 0";
        "nulls": "SELECT id FROM shift WHERE DATE(begins) <= begins" == "SELECT id FROM shift WHERE begins = begins";
        "nulls": "SELECT id FROM shift WHERE SUBSTR(begins, 1, 10) < begins" != "SELECT id FROM shift WHERE 1 = 0";
    },
    apply: Apply::ExprOf(exprs::BINARY, own_day),
};

/// `x < day(x)` is `x <> x`, and `day(x) <= x` is `x = x`: both are NULL where x is.
fn own_day(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (op, left, right) = e.as_binary_mut()?;
    let (new, moment, day) = match op {
        BinaryOp::Lt => (BinaryOp::NotEq, &mut *left, &mut *right),
        BinaryOp::LtEq => (BinaryOp::Eq, &mut *right, &mut *left),
        _ => return None,
    };
    is_date(moment, cx).then_some(())?;
    let beginning = |e: &Expr| match e.as_function() {
        Some((name, args)) if name == "substr" => {
            matches!(args.as_slice(), [x, Expr::Literal(Value::Integer(1)), Expr::Literal(Value::Integer(10))] if *x == *moment)
        }
        _ => false,
    };
    let is_own = match day.as_function() {
        // A date alone is a shorter text than its midnight, and so before it.
        Some((name, args)) if name == "pg_timestamp" => {
            let column = moment.as_column().and_then(|c| cx.schema.column(cx.origin(c)?));
            let form = column.and_then(|column| column.limits(cx.schema.typing).form);
            form == Some(Form::Moment) && args.first().is_some_and(beginning)
        }
        _ => beginning(day),
    };
    is_own.then_some(())?;
    *day = moment.clone();
    *op = new;
    Some(())
}

pub(super) const DATE_PART_NUMBERS: Rule = Rule {
    name: "date-part-numbers",
    summary: "a part of a date that is read as a number and compared is compared as text: CAST(STRFTIME('%Y', d) AS INTEGER) = 2014 is STRFTIME('%Y', d) = '2014'; in arithmetic it is cast",
    why: "Each part has the same number of digits for every date, so its texts stand in the order of its numbers.",
    source: "https://sqlite.org/lang_datefunc.html: %Y is 0000 to 9999, %m is 01 to 12",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT id FROM orders WHERE CAST(STRFTIME('%Y', day) AS INTEGER) = 2014" == "SELECT id FROM orders WHERE STRFTIME('%Y', day) = '2014'";
        "nulls": "SELECT id FROM orders WHERE CAST(STRFTIME('%m', day) AS INTEGER) < 5" == "SELECT id FROM orders WHERE STRFTIME('%m', day) < '05'";
        "nulls": "SELECT id FROM orders WHERE CAST(STRFTIME('%d', day) AS INTEGER) IN (1, 31)" == "SELECT id FROM orders WHERE STRFTIME('%d', day) IN ('01', '31')";
        "nulls": "SELECT v.id FROM orders o JOIN visit v ON CAST(STRFTIME('%Y', o.day) AS INTEGER) = CAST(STRFTIME('%Y', v.day) AS INTEGER)"
            == "SELECT v.id FROM orders o JOIN visit v ON STRFTIME('%Y', o.day) = STRFTIME('%Y', v.day)";
        "nulls": "SELECT STRFTIME('%Y', day) - 1 FROM orders" == "SELECT CAST(STRFTIME('%Y', day) AS INTEGER) - 1 FROM orders";
        "nulls": "SELECT id FROM orders WHERE CAST(STRFTIME('%m', day) AS INTEGER) < 5" != "SELECT id FROM orders WHERE STRFTIME('%m', day) < '5'";
        "nulls": "SELECT id FROM orders WHERE CAST(STRFTIME('%Y', day) AS INTEGER) = 2014" != "SELECT id FROM orders WHERE STRFTIME('%Y', day) = 2014";
        "nulls": "SELECT CAST(STRFTIME('%Y', day) AS INTEGER) FROM orders" != "SELECT STRFTIME('%Y', day) FROM orders";
    },
    apply: Apply::ExprOf(exprs::BINARY.or(exprs::IN_LIST), date_part_number),
};

/// The formats of STRFTIME that give digits alone, and how many.
const WIDTHS: [(&str, usize); 8] =
    [("%Y", 4), ("%m", 2), ("%d", 2), ("%H", 2), ("%M", 2), ("%S", 2), ("%j", 3), ("%w", 1)];

fn date_part_number(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    match e {
        Expr::Binary { op, left, right } if op.is_arithmetic() => {
            let changed = change_each([&mut **left, &mut **right], |operand| {
                let new = width(operand, cx).map(|_| operand.clone().cast(Affinity::Integer));
                put(operand, new).is_some()
            });
            changed.then_some(())
        }
        Expr::Binary { op, left, right } if op.is_comparison() => match (part(left, cx), part(right, cx)) {
            // Of two years before 0 the later one has the smaller text.
            (Some((l, a)), Some((r, b))) => {
                let alike = a == b && (a < 4 || matches!(op, BinaryOp::Eq | BinaryOp::NotEq));
                let (l, r) = alike.then(|| (l.clone(), r.clone()))?;
                (**left, **right) = (l, r);
                Some(())
            }
            (Some((text, width)), None) => compared(&text.clone(), width, left, right),
            (None, Some((text, width))) => compared(&text.clone(), width, right, left),
            (None, None) => None,
        },
        Expr::InList { expr, list } => {
            let (text, width) = part(expr, cx)?;
            let texts = list.iter().map(|n| digits(n, width)).collect::<Option<Vec<_>>>()?;
            (**expr, *list) = (text.clone(), texts);
            Some(())
        }
        _ => None,
    }
}

/// Puts the text of a part and that of a constant in their places.
fn compared(text: &Expr, width: usize, part: &mut Expr, constant: &mut Expr) -> Changed {
    let digits = digits(constant, width)?;
    (*part, *constant) = (text.clone(), digits);
    Some(())
}

/// `CAST(STRFTIME(format, d) AS INTEGER)` of digits alone: the text that is cast, and its width.
fn part<'e>(e: &'e Expr, cx: &Context<'_>) -> Option<(&'e Expr, usize)> {
    let Expr::Cast { expr, affinity: Affinity::Integer } = e else { return None };
    width(expr, cx).map(|width| (&**expr, width))
}

/// The digits of `STRFTIME(format, d)`, or of the part of a date's text that it has become.
fn width(e: &Expr, cx: &Context<'_>) -> Option<usize> {
    let (name, args) = e.as_function()?;
    if let ("substr", [x, from, length]) = (name.as_str(), args.as_slice()) {
        let place = (from.as_integer()?, length.as_integer()?);
        let digits = matches!(place, (1, 4) | (6 | 9, 2)) && cx.semantics.typed && is_date(x, cx);
        return digits.then(|| usize::try_from(place.1).ok())?;
    }
    let format = args.first().filter(|_| name == "strftime" && args.len() == 2)?.as_text()?;
    WIDTHS.into_iter().find(|(f, _)| *f == format).map(|(_, width)| width)
}

/// A whole number as the text of a part. A year before 0, which a Julian day can have, begins with a sign: it stands before
/// all digits, as it should.
fn digits(e: &Expr, width: usize) -> Option<Expr> {
    let number = e.as_integer().filter(|n| *n >= 0)?;
    let text = format!("{number:0width$}");
    (text.len() == width).then(|| Expr::text(text))
}
