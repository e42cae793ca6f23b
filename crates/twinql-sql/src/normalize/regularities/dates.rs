//! Dates, which people store as `2024-05-01`, with a time behind it or not: their parts are parts of a text.

use crate::normalize::prelude::*;
use crate::normalize::rules::part_of_text;

pub(super) const DATE_PARTS: Rule = Rule {
    name: "date-parts",
    summary: "STRFTIME('%Y', x) is SUBSTR(x, 1, 4); so for months, days, and DATE(x)",
    why: "Dates are stored as year, month and day, so that a part of the date stands in one place of the text.",
    source: "https://sqlite.org/lang_datefunc.html: time values as text",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT STRFTIME('%Y', day), COUNT(*) FROM orders GROUP BY STRFTIME('%Y', day)"
            == "SELECT SUBSTR(day, 1, 4), COUNT(*) FROM orders GROUP BY SUBSTR(day, 1, 4)";
        "bird": "SELECT id FROM orders WHERE STRFTIME('%Y', day) = '2014'" == "SELECT id FROM orders WHERE day LIKE '2014%'";
        "bird": "SELECT id FROM orders WHERE STRFTIME('%m', day) = '05'" != "SELECT id FROM orders WHERE STRFTIME('%d', day) = '05'";
    },
    apply: Apply::Expr(date_part),
};

fn date_part(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let days = match e.as_function() {
        Some((name, args)) if name == "strftime" => match args.as_slice() {
            [format, x @ Expr::Column(_)] if format.as_text() == Some("%J") => Some(x.clone()),
            _ => None,
        },
        _ => None,
    };
    let new = days.map(|x| Expr::function("julianday", vec![x])).or_else(|| part_of_text(e, |_| true));
    put(e, new)
}

/// A part of a column's text, and whether it is read as a number.
pub(super) struct Part<'a> {
    pub(super) of: &'a Expr,
    pub(super) from: i64,
    pub(super) length: i64,
    pub(super) number: bool,
}

/// `SUBSTR(x, from, length)`, cast or not.
pub(super) fn part(e: &Expr) -> Option<Part<'_>> {
    match e {
        Expr::Cast { expr, affinity } => {
            let number = match affinity {
                Affinity::Text => false,
                Affinity::Integer | Affinity::Numeric => true,
                _ => return None,
            };
            Some(Part { number, ..part(expr)? })
        }
        Expr::Function { name, args } if matches!(name.as_str(), "substr" | "substring") => {
            match args.as_slice() {
                [of @ Expr::Column(_), from, length] => {
                    Some(Part { of, from: from.as_integer()?, length: length.as_integer()?, number: false })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

impl Part<'_> {
    /// The text that a constant is compared with as: digits and hyphens, as long as the part.
    pub(super) fn text_of(&self, constant: &Expr) -> Option<String> {
        let text = match (constant, self.number) {
            (Expr::Literal(Value::Text(t)), _) => t.to_string(),
            (Expr::Literal(Value::Integer(n)), true) => {
                let width = usize::try_from(self.length).ok().filter(|w| *w <= 4)?;
                format!("{n:0width$}")
            }
            _ => return None,
        };
        let fits = i64::try_from(text.len()).ok() == Some(self.length);
        (fits && is_date_text(&text)).then_some(text)
    }
}

pub(super) const DATE_PREFIXES: Rule = Rule {
    name: "date-prefixes",
    summary: "a part of a date that is equal to a constant is a GLOB; so is a whole day, with or without a time of midnight",
    why: "A date begins with its year, its month and its day, and the rest is the time of day.",
    source: "https://sqlite.org/lang_datefunc.html: time values as text",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT id FROM orders WHERE CAST(SUBSTR(day, 1, 4) AS INTEGER) = 2014" == "SELECT id FROM orders WHERE day LIKE '2014%'";
        "bird": "SELECT id FROM orders WHERE day = '2014-05-01 00:00:00'" == "SELECT id FROM orders WHERE DATE(day) = '2014-05-01'";
        "bird": "SELECT id FROM orders WHERE STRFTIME('%Y', day) = 2014" != "SELECT id FROM orders WHERE day LIKE '2014%'";
    },
    apply: Apply::Expr(date_prefix),
};

fn date_prefix(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    if let Expr::Binary { op: BinaryOp::Glob, left, right } = e
        && matches!(**left, Expr::Column(_))
        && let Some(text) = right.as_text().and_then(|t| t.strip_suffix("-*"))
        && is_date_text(text)
    {
        **right = Expr::text(format!("{text}*"));
        return Some(());
    }
    if let Expr::And(list) = e {
        return narrowed(list).then(|| shorten(e));
    }
    if let Expr::Binary { op: op @ BinaryOp::Like, left, right } = e
        && (matches!(**left, Expr::Column(_)) || part(left).is_some())
        && let Some(text) = right.as_text()
        && is_date_text(text.trim_end_matches('%'))
    {
        match text.strip_suffix('%').filter(|t| !t.ends_with('%')) {
            Some(text) => {
                let text = text.trim_end_matches('-');
                **right = Expr::text(format!("{text}*"));
                *op = BinaryOp::Glob;
            }
            None if text.ends_with('%') => return None,
            None => *op = BinaryOp::Eq,
        }
        return Some(());
    }
    let (a, b) = e.as_equality()?;
    let new = prefix(a, b, cx).or_else(|| prefix(b, a, cx));
    put(e, new)
}

/// A conjunction of one is that one.
pub(super) fn shorten(e: &mut Expr) {
    if let Expr::And(list) = e {
        *e = Expr::and_all(std::mem::take(list));
    }
}

fn prefix(x: &Expr, constant: &Expr, cx: &Context<'_>) -> Option<Expr> {
    if let Some(part) = part(x) {
        let text = part.text_of(constant)?;
        return (part.from == 1).then(|| begins(part.of, &text));
    }
    let (Expr::Column(c), text) = (x, constant.as_text()?) else {
        return None;
    };
    let (day, time) = (text.get(..10)?, text.get(10..)?);
    let dated = is_day(day) && (time.is_empty() || matches!(time, " 00:00:00" | " 00:00:00.0" | "T00:00:00"));
    let whole = !time.is_empty() || cx.info(*c).is_some_and(|i| i.class == TypeClass::Time);
    (dated && whole).then(|| begins(x, day))
}

/// True for digits and hyphens, as dates have them.
fn is_date_text(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

/// True for `2024-05-01`.
pub(super) fn is_day(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() })
}

/// `x GLOB 'text*'`.
pub(super) fn begins(x: &Expr, text: &str) -> Expr {
    Expr::binary(BinaryOp::Glob, x.clone(), Expr::text(format!("{text}*")))
}

/// The column and the text of `x GLOB 'text*'`, where that is the beginning of a date.
fn beginning(e: &Expr) -> Option<(&Expr, &str)> {
    let Expr::Binary { op: BinaryOp::Glob, left, right } = e else {
        return None;
    };
    let text = right.as_text()?.strip_suffix('*')?;
    (is_date_text(text) && matches!(**left, Expr::Column(_))).then_some((left, text))
}

/// Among conjuncts, the year of a date and its month are one beginning; so are the month and the day.
pub(super) fn narrowed(list: &mut Vec<Expr>) -> bool {
    let found = list.iter().enumerate().find_map(|(at, e)| {
        let (x, text) = beginning(e)?;
        let (from, length) = match text.len() {
            4 => (6, 2),
            7 => (9, 2),
            _ => return None,
        };
        list.iter().enumerate().find_map(|(other, e)| {
            let (a, b) = e.as_equality()?;
            let told = |p: &Expr, constant: &Expr| {
                let part = part(p).filter(|p| p.of == x && p.from == from && p.length == length)?;
                part.text_of(constant)
            };
            let rest = told(a, b).or_else(|| told(b, a))?;
            Some((at, other, begins(x, &format!("{text}-{rest}"))))
        })
    });
    merge(list, found)
}

/// Two conjuncts as one, which takes the place of the first; what a search for them returns.
pub(super) fn merge(list: &mut Vec<Expr>, found: Option<(usize, usize, Expr)>) -> bool {
    let Some((at, other, new)) = found else {
        return false;
    };
    if let Some(place) = list.get_mut(at) {
        *place = new;
    }
    list.remove(other);
    true
}
