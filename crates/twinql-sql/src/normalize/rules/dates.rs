//! Parts of dates.

use crate::normalize::prelude::*;
use crate::temporal::Moment;

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
