//! Parts of dates.

use crate::normalize::prelude::*;

pub(super) const DATE_READINGS: Rule = Rule {
    name: "date-readings",
    summary: "STRFTIME of DATE(x), DATETIME(x) or of x as a timestamp is STRFTIME of x, where the format asks for no more than these keep",
    why: "STRFTIME reads the same moment from each; DATE leaves out the time of day alone, and DATETIME fractions of seconds.",
    source: "https://sqlite.org/lang_datefunc.html: DATE and DATETIME are STRFTIME('%Y-%m-%d') and STRFTIME('%Y-%m-%d %H:%M:%S')",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT STRFTIME('%Y', DATE(begins)) FROM shift" == "SELECT STRFTIME('%Y', begins) FROM shift";
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
    let (days, clock) = ("YmdjwWu", "HMS");
    let kept = match reading.as_str() {
        "date" => days.to_owned(),
        "datetime" => format!("{days}{clock}"),
        "pg_timestamp" if is_date(x, cx) => format!("{days}{clock}"),
        _ => return None,
    };
    let asks = |format: &str| format.split('%').skip(1).all(|part| part.starts_with(|c| kept.contains(c)));
    if !format.as_text().is_some_and(asks) {
        return None;
    }
    let x = x.clone();
    *moment = x;
    Some(())
}

/// A column that is declared to hold dates or timestamps, which a time of day is not.
fn is_date(e: &Expr, cx: &Context<'_>) -> bool {
    let column = e.as_column().and_then(|c| cx.schema.column(cx.origin(c)?));
    column.is_some_and(|column| {
        let declared = column.declared.to_ascii_lowercase();
        column.class == TypeClass::Time && (declared.contains("date") || declared.contains("timestamp"))
    })
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

fn date_part_number(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    match e {
        Expr::Binary { op, left, right } if op.is_arithmetic() => {
            let changed = change_each([&mut **left, &mut **right], |operand| {
                let new = width(operand).map(|_| operand.clone().cast(Affinity::Integer));
                put(operand, new).is_some()
            });
            changed.then_some(())
        }
        Expr::Binary { op, left, right } if op.is_comparison() => match (part(left), part(right)) {
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
            let (text, width) = part(expr)?;
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
fn part(e: &Expr) -> Option<(&Expr, usize)> {
    let Expr::Cast { expr, affinity: Affinity::Integer } = e else { return None };
    width(expr).map(|width| (&**expr, width))
}

/// The digits of `STRFTIME(format, d)`.
fn width(e: &Expr) -> Option<usize> {
    let (name, args) = e.as_function()?;
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
