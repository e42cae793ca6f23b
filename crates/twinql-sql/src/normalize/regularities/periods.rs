//! Whole years and months, by their bounds or by how a date begins.

use super::dates::{begins, is_day, merge, narrowed, part, shorten};
use crate::normalize::prelude::*;

/// One side of a range.
struct Bound<'a> {
    of: &'a Expr,
    lower: bool,
    inclusive: bool,
    constant: &'a Expr,
}

/// `x < constant` and its like; the constant may stand on either side.
fn bound(e: &Expr) -> Option<Bound<'_>> {
    let (of, op, constant) = e.readings().find(|(_, _, constant)| constant.is_literal())?;
    let (lower, inclusive) = match op {
        BinaryOp::Lt => (false, false),
        BinaryOp::LtEq => (false, true),
        BinaryOp::Gt => (true, false),
        BinaryOp::GtEq => (true, true),
        _ => return None,
    };
    Some(Bound { of, lower, inclusive, constant })
}

/// `x >= 'day'`, or `x < 'day'`, as `comparison-orientation` has them.
fn from_day(x: &Expr, day: String, lower: bool) -> Expr {
    match lower {
        true => Expr::binary(BinaryOp::LtEq, Expr::text(day), x.clone()),
        false => Expr::binary(BinaryOp::Lt, x.clone(), Expr::text(day)),
    }
}

/// The first day of a year (`2024`) or a month (`2024-05`), and the first day after it.
fn days_of(period: &str) -> Option<(String, String)> {
    let year: u32 = period.get(..4)?.parse().ok()?;
    match period.get(4..)? {
        "" => Some((format!("{year:04}-01-01"), format!("{:04}-01-01", year + 1))),
        rest => {
            let month: u32 = rest.strip_prefix('-').filter(|m| m.len() == 2)?.parse().ok()?;
            let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            (1..=12)
                .contains(&month)
                .then(|| (format!("{year:04}-{month:02}-01"), format!("{next_year:04}-{next:02}-01")))
        }
    }
}

/// The first day after this one, where this is the last of a month.
fn after_month(day: &str) -> Option<String> {
    let (year, month): (u32, u32) = (day.get(..4)?.parse().ok()?, day.get(5..7)?.parse().ok()?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_last = day.get(8..10)?.parse() == Ok(last) || (month == 2 && day.ends_with("-29"));
    is_last.then(|| days_of(day.get(..7)?)).flatten().map(|(_, next)| next)
}

pub(super) const DATE_BOUNDS: Rule = Rule {
    name: "date-bounds",
    summary: "SUBSTR(x, 1, 4) >= '2014' is x >= '2014-01-01'; x <= '2014-12-31' is x < '2015-01-01'",
    why: "The dates of a year are those from its first day to that of the next, whatever the time of day.",
    source: "https://sqlite.org/lang_datefunc.html: time values as text, which sort by time",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT id FROM orders WHERE STRFTIME('%Y', day) >= '2014'" == "SELECT id FROM orders WHERE day >= '2014-01-01'";
        "bird": "SELECT id FROM orders WHERE STRFTIME('%Y', day) < '2014'" == "SELECT id FROM orders WHERE day <= '2013-12-31'";
        "bird": "SELECT id FROM orders WHERE STRFTIME('%Y', day) > '2014'" != "SELECT id FROM orders WHERE day >= '2014-01-01'";
    },
    apply: Apply::Expr(date_bound),
};

fn date_bound(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let new = bound(e).and_then(|b| {
        if let Some(part) = part(b.of) {
            let text = part.text_of(b.constant)?;
            let (first, next) = days_of(&text).filter(|_| part.from == 1)?;
            // `> '2014'` begins with the first day after, as `<= '2014'` ends before it.
            return Some(from_day(part.of, if b.lower == b.inclusive { first } else { next }, b.lower));
        }
        let text = b.constant.as_text()?;
        let (day, time) = (text.get(..10).filter(|d| is_day(d))?, text.get(10..)?);
        let end = time.is_empty() || time.trim_start_matches([' ', 'T']).starts_with("23:59");
        let past = !b.lower && b.inclusive || b.lower && !b.inclusive;
        let column = matches!(b.of, Expr::Column(_));
        (column && end && past).then(|| after_month(day)).flatten().map(|next| from_day(b.of, next, b.lower))
    });
    put(e, new)
}

pub(super) const PERIODS: Rule = Rule {
    name: "periods",
    summary: "x >= '2014-01-01' AND x < '2015-01-01' is x GLOB '2014*'; so for months; a year and a month are one beginning",
    why: "These are the dates that begin with the year.",
    source: "https://sqlite.org/lang_datefunc.html: time values as text, which sort by time",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT id FROM orders WHERE day BETWEEN '2014-01-01' AND '2014-12-31'" == "SELECT id FROM orders WHERE STRFTIME('%Y', day) = '2014'";
        "bird": "SELECT id FROM orders WHERE day >= '2014-02-01' AND day < '2014-03-01'" == "SELECT id FROM orders WHERE day LIKE '2014-02%'";
        "bird": "SELECT id FROM orders WHERE SUBSTR(day, 1, 4) = '2014' AND SUBSTR(day, 6, 2) = '05'"
            == "SELECT id FROM orders WHERE STRFTIME('%Y-%m', day) = '2014-05'";
        "bird": "SELECT id FROM orders WHERE day BETWEEN '2014-01-01' AND '2014-11-30'" != "SELECT id FROM orders WHERE STRFTIME('%Y', day) = '2014'";
    },
    apply: Apply::Rel(periods),
};

/// Conjuncts of a block; those of its CASEs and ORs as well.
fn periods(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let mut changed = false;
    if let Some(block) = rel.as_block_mut() {
        while whole_period(block.on) || narrowed(block.on) {
            changed = true;
        }
    }
    let mut within = |e: &mut Expr| {
        let Expr::And(list) = e else { return false };
        let mut changed = false;
        while list.len() > 1 && (whole_period(list) || narrowed(list)) {
            changed = true;
        }
        shorten(e);
        changed
    };
    (change_each(rel.exprs_mut(), |e| e.map(&mut within)) | changed).then_some(())
}

fn whole_period(list: &mut Vec<Expr>) -> bool {
    let found = list.iter().enumerate().find_map(|(at, e)| {
        let low = bound(e).filter(|b| b.lower && b.inclusive)?;
        let first = low.constant.as_text().filter(|d| is_day(d))?;
        list.iter().enumerate().find_map(|(other, e)| {
            let high = bound(e).filter(|b| !b.lower && !b.inclusive && b.of == low.of)?;
            let next = high.constant.as_text()?;
            let is = |period: &&str| days_of(period).is_some_and(|(a, b)| a == first && b == next);
            let period = [first.get(..4)?, first.get(..7)?].into_iter().find(is)?;
            Some((at, other, begins(low.of, period)))
        })
    });
    merge(list, found)
}
