//! Values: fresh ones by type, and close variants of the queries' constants.

use twinql_sql::schema::{Form, Typing};
use twinql_sql::{Affinity, Collation, Column, TypeClass, Value};

use crate::dice::Dice;
use crate::facts::{Atom, Comparison};

/// What a column (with all columns that it is joined with) is filled with in one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Whole numbers.
    Integers,
    /// Numbers, some with a fraction.
    Numbers,
    /// Words.
    Words,
    /// Whole numbers stored as text.
    Digits,
    /// Words and numbers stored as text.
    Mixed,
    /// Dates, some with a time of day: of columns that may hold any form of time.
    Dates,
    /// Well-formed dates and nothing else: of columns declared DATE.
    Days,
    /// Well-formed dates with a time of day: of columns declared DATETIME or TIMESTAMP.
    Moments,
    /// Well-formed times of day: of columns whose system enforces TIME.
    Clock,
    /// 0 and 1.
    Flags,
    /// 'T' and 'F', 'yes' and 'no'.
    Letters,
}

/// True if the declared type says that values have a fraction; Spider's `number` does not.
pub(crate) fn fractional(column: &Column) -> bool {
    let declared = column.declared.to_ascii_uppercase();
    column.class == TypeClass::Number
        && (["REAL", "FLOA", "DOUB"].iter().any(|t| declared.contains(t))
            || (declared.contains("DEC") || declared.contains("NUMERIC"))
                && declared.split_once(',').is_some_and(|(_, scale)| !scale.trim_start().starts_with('0')))
}

/// A column without a declared type, which holds what it is given.
pub(super) fn undeclared(column: &Column) -> bool {
    column.declared.trim().is_empty()
}

/// The style of a column whose declared type leaves one form of time only.
pub(crate) fn moment(column: &Column) -> Option<Style> {
    match column.declared.trim().to_ascii_uppercase().as_str() {
        "DATE" => Some(Style::Days),
        declared if declared.starts_with("DATETIME") || declared.starts_with("TIMESTAMP") => {
            Some(Style::Moments)
        }
        _ => None,
    }
}

/// The style of a column whose system enforces one form of time.
pub(crate) fn form(column: &Column) -> Option<Style> {
    Some(match column.limits(Typing::Enforced).form? {
        Form::Day => Style::Days,
        Form::Moment => Style::Moments,
        Form::Clock => Style::Clock,
    })
}

/// The style of a column's values in one database.
pub(crate) fn style(column: &Column, computed: bool, numeric: bool, dice: &mut Dice) -> Style {
    let textual = matches!(column.affinity, Affinity::Text | Affinity::Blob);
    match column.class {
        TypeClass::Integer => Style::Integers,
        TypeClass::Number if fractional(column) && dice.chance(0.5) => Style::Numbers,
        TypeClass::Number if dice.chance(0.75) => Style::Integers,
        TypeClass::Number => Style::Numbers,
        TypeClass::Boolean if textual => Style::Letters,
        TypeClass::Boolean => Style::Flags,
        TypeClass::Time if numeric && dice.chance(0.7) => Style::Integers,
        TypeClass::Time => Style::Dates,
        TypeClass::Text | TypeClass::Other => {
            let digits = if numeric {
                0.7
            } else if computed {
                0.5
            } else {
                0.08
            };
            if dice.chance(digits) {
                // A column without a type may hold numbers as such.
                if textual && !(undeclared(column) && dice.chance(0.6)) {
                    Style::Digits
                } else {
                    Style::Integers
                }
            } else if dice.chance(if computed || numeric { 0.5 } else { 0.1 }) {
                Style::Mixed
            } else {
                Style::Words
            }
        }
    }
}

/// Words of letters of both cases, with and without a space, and prefixes of each other.
const WORDS: [&str; 16] = [
    "a", "b", "c", "Ann", "Bob", "ab", "B", "zed", "Red", "blue", "Oslo", "x y", "Kim Lee", "m", "north", "Z",
];

/// A value of this style, most often one that has been seen before.
pub(crate) fn fresh(style: Style, wide: bool, dice: &mut Dice) -> Value {
    match style {
        Style::Integers => Value::Integer(whole(wide, dice)),
        Style::Numbers => {
            // A whole one is stored as such, or a text that refers to it would have another form.
            let n = whole(wide, dice);
            match [0.0, 0.5, 0.25, 0.1][dice.below(4)] {
                0.0 => Value::Integer(n),
                part => Value::Real((n as f64 + part).into()),
            }
        }
        Style::Words => word(wide, dice),
        Style::Digits => Value::Text(whole(wide, dice).to_string()),
        Style::Mixed => {
            if dice.chance(0.5) {
                word(wide, dice)
            } else {
                Value::Text(whole(wide, dice).to_string())
            }
        }
        Style::Dates => {
            let year = if wide { dice.between(1950, 2025) } else { dice.between(2012, 2019) };
            let date = format!("{year:04}-{:02}-{:02}", dice.between(1, 12), dice.between(1, 28));
            if dice.chance(0.4) {
                let (h, m) = (dice.between(0, 23), dice.between(0, 59));
                Value::Text(format!("{date} {h:02}:{m:02}:00"))
            } else {
                Value::Text(date)
            }
        }
        Style::Days => Value::Text(day(wide, dice)),
        Style::Moments => Value::Text(format!("{} {}", day(wide, dice), time_of_day(dice))),
        Style::Clock => Value::Text(format!("{:02}:{:02}:00", dice.between(0, 23), dice.between(0, 59))),
        Style::Flags => Value::Integer(dice.between(0, 1)),
        Style::Letters => Value::Text(["T", "F", "T", "F", "Y", "N", "1", "0"][dice.below(8)].into()),
    }
}

/// Now and then the text that a collation takes for the same, written in another way: only such tell it from bytes.
pub(crate) fn rewritten(value: Value, collation: Collation, dice: &mut Dice) -> Value {
    match (value, collation) {
        (Value::Text(text), Collation::Nocase) if dice.chance(0.3) => Value::Text(match dice.below(2) {
            0 => text.to_ascii_uppercase(),
            _ => text.to_ascii_lowercase(),
        }),
        (Value::Text(text), Collation::Rtrim) if dice.chance(0.3) => Value::Text(format!("{text} ")),
        (value, _) => value,
    }
}

/// A date up to the 28th, so that every month has it.
fn day(wide: bool, dice: &mut Dice) -> String {
    let year = if wide { dice.between(1950, 2025) } else { dice.between(2018, 2024) };
    format!("{year:04}-{:02}-{:02}", dice.between(1, 12), dice.between(1, 28))
}

/// A time; midnight half of the time, where a day and its first moment are the same.
fn time_of_day(dice: &mut Dice) -> String {
    let (h, m) = (dice.between(0, 23), dice.between(0, 59));
    ["00:00:00".to_owned(), format!("{h:02}:{m:02}:00")][dice.below(2)].clone()
}

/// Year, month and day, if the text begins with them.
pub(crate) fn date_of(text: &str) -> Option<(i64, i64, i64)> {
    let part = |from: usize, to: usize| -> Option<i64> {
        let s = text.get(from..to)?;
        s.bytes().all(|b| b.is_ascii_digit()).then(|| s.parse().ok())?
    };
    let dashed = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (y, m, d) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    let days = match m {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (dashed && (1..=days).contains(&d)).then_some((y, m, d))
}

/// True if the value has the form that the style asks for.
pub(crate) fn well_formed(style: Style, value: &Value) -> bool {
    let Value::Text(s) = value else {
        return !matches!(style, Style::Days | Style::Moments);
    };
    match style {
        Style::Days => s.len() == 10 && date_of(s).is_some(),
        Style::Moments => s.len() == 19 && date_of(s).is_some(),
        _ => true,
    }
}

/// A well-formed date near a constant: the constant itself completed where it is a part of
/// a date (a year, a year and month, a month or day, a pattern), or a neighbour in days,
/// months or years.
pub(crate) fn near_date(style: Style, constant: &Value, exact: bool, dice: &mut Dice) -> Value {
    let text = shown(constant);
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '-').collect();
    let date = match date_of(&text) {
        Some((y, m, d)) if exact => (y, m, d),
        Some((y, m, d)) => match dice.below(7) {
            0 if d > 1 => (y, m, d - 1),
            0 | 1 if d < 28 => (y, m, d + 1),
            0..=2 => (y, m % 12 + 1, 1),
            3 => (y, if m > 1 { m - 1 } else { 12 }, 28),
            4 => (y + 1, m, d.min(28)),
            5 => (y - 1, m, d.min(28)),
            _ => (y, dice.between(1, 12), dice.between(1, 28)),
        },
        None => {
            let step = if exact { 0 } else { [0, 1, -1][dice.below(3)] };
            let (month, date) = (dice.between(1, 12), dice.between(1, 28));
            let parts: Vec<i64> = digits.split('-').filter_map(|p| p.parse().ok()).collect();
            match parts.as_slice() {
                [y @ 1000..=9999, m @ 1..=12, ..] => (*y, (*m + step).clamp(1, 12), date),
                [y @ 1000..=9998, ..] => (*y + step, month, date),
                [m @ 1..=12, ..] if dice.chance(0.6) => {
                    (dice.between(2018, 2024), (*m + step).clamp(1, 12), date)
                }
                [d @ 1..=28, ..] => (dice.between(2018, 2024), month, (*d + step).clamp(1, 28)),
                _ => (dice.between(2018, 2024), month, date),
            }
        }
    };
    let day = format!("{:04}-{:02}-{:02}", date.0.clamp(0, 9999), date.1, date.2);
    Value::Text(match (style, text.get(10..19)) {
        (Style::Days, _) => day,
        (_, Some(time)) if exact || dice.chance(0.5) => format!("{day}{time}"),
        _ => format!("{day} {}", time_of_day(dice)),
    })
}

/// A number between a whole constant and its neighbours.
pub(crate) fn between_whole(value: &Value, dice: &mut Dice) -> Value {
    match value {
        Value::Integer(i) => Value::Real((*i as f64 + [0.5, -0.5, 0.25, -0.1][dice.below(4)]).into()),
        other => variant(other, dice),
    }
}

/// A whole number: a digit, or one of a size that years, counts or amounts have.
fn whole(wide: bool, dice: &mut Dice) -> i64 {
    if !wide {
        return dice.between(0, 9);
    }
    match dice.below(6) {
        0 => dice.between(0, 30),
        1 => dice.between(0, 200),
        2 => dice.between(1900, 2030),
        3 => dice.between(-20, 20),
        4 => dice.between(0, 5_000),
        _ => dice.between(0, 2_000_000),
    }
}

/// A word; a wide one has a number or letters with it, and hardly comes again.
fn word(wide: bool, dice: &mut Dice) -> Value {
    let base = WORDS[dice.below(WORDS.len())];
    Value::Text(if wide {
        let n = dice.between(0, 999);
        match dice.below(3) {
            0 => format!("{base}{n}"),
            1 => format!("{}{base}", char::from(b'a' + (n % 26) as u8)),
            _ => format!(
                "{base} {}{}",
                char::from(b'A' + (n % 26) as u8),
                char::from(b'a' + (n / 26 % 26) as u8)
            ),
        }
    } else {
        base.to_owned()
    })
}

/// A string that the LIKE pattern matches.
pub(crate) fn instantiate(pattern: &str, dice: &mut Dice) -> String {
    let mut out = String::with_capacity(pattern.len() + 4);
    for c in pattern.chars() {
        match c {
            '%' => out.push_str(["", "", "x", "ab", " q", "7"][dice.below(6)]),
            '_' => out.push(['a', 'k', '3', 'Z'][dice.below(4)]),
            c => out.push(c),
        }
    }
    out
}

/// A value close to a constant: next to it on the number line, or a string with another
/// case, a character more or less, or a part of it.
pub(crate) fn variant(value: &Value, dice: &mut Dice) -> Value {
    match value {
        Value::Integer(i) => {
            let delta = [1, -1, 1, -1, 2, -2, 10, -10, 100, -100][dice.below(10)];
            match dice.below(12) {
                0 => Value::Integer(i.saturating_mul(2)),
                1 => Value::Integer(i / 2),
                _ => Value::Integer(i.saturating_add(delta)),
            }
        }
        Value::Real(r) => {
            let delta = [0.1, -0.1, 0.5, -0.5, 1.0, -1.0, 0.001, -0.001][dice.below(8)];
            Value::Real(((r.0 + delta) * 1e6).round().into()).scale()
        }
        Value::Text(s) => Value::Text(text_variant(s, dice)),
        other => other.clone(),
    }
}

/// Division by a million; see [`variant`].
trait Scale {
    fn scale(self) -> Self;
}

impl Scale for Value {
    /// Undoes the factor that kept sums of decimals short.
    fn scale(self) -> Value {
        match self {
            Value::Real(r) => Value::Real((r.0 / 1e6).into()),
            other => other,
        }
    }
}

/// A text close to this one; a number as text stays one, a pattern becomes a text that it matches.
fn text_variant(s: &str, dice: &mut Dice) -> String {
    if let Ok(n) = s.parse::<i64>() {
        return n.saturating_add([1, -1, 2, 10, -10][dice.below(5)]).to_string();
    }
    if s.contains(['%', '_']) && dice.chance(0.8) {
        let mut out = instantiate(s, dice);
        if dice.chance(0.4) {
            out = text_variant(&out.replace(['%', '_'], ""), dice);
        }
        return out;
    }
    let chars: Vec<char> = s.chars().collect();
    match dice.below(9) {
        0 => s.to_lowercase(),
        1 => s.to_uppercase(),
        2 => format!("{s}x"),
        3 => format!("x{s}"),
        4 => format!("x{s}y"),
        5 => chars.iter().skip(1).collect(),
        6 => chars.iter().take(chars.len().saturating_sub(1)).collect(),
        7 => chars.iter().take(chars.len() / 2).collect(),
        _ => {
            // Dates: the same year or month, another day.
            let mut out = chars.clone();
            if let Some(last) = out.last_mut()
                && last.is_ascii_digit()
            {
                *last = char::from(b'1' + dice.below(9) as u8);
            } else {
                out.insert(0, ' ');
                out.reverse();
            }
            out.into_iter().collect()
        }
    }
}

/// Text that differs from a number by a character: what casts and text comparison tell apart.
pub(crate) fn digits_variant(s: &str, dice: &mut Dice) -> Value {
    Value::Text(match dice.below(6) {
        0 => s.chars().take(s.chars().count().saturating_sub(1)).collect(),
        1 => format!("{s}5"),
        2 => format!("{s}x"),
        3 => format!("{s} b"),
        4 => format!("{s}.5"),
        _ => format!("x{s}"),
    })
}

/// LIKE as SQLite has it: ASCII case ignored, no escape.
pub(crate) fn like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    // Greedy matching with one point of return, the last `%`.
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('%') => {
                back = Some((p, t));
                p += 1;
            }
            Some('_') => {
                t += 1;
                p += 1;
            }
            Some(c) if c.eq_ignore_ascii_case(&text[t]) => {
                t += 1;
                p += 1;
            }
            _ => {
                let Some((star, from)) = back else {
                    return false;
                };
                back = Some((star, from + 1));
                p = star + 1;
                t = from + 1;
            }
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|&c| c == '%')
}

/// The value as text, for comparisons of unlike values.
fn shown(value: &Value) -> String {
    match value {
        Value::Integer(i) => i.to_string(),
        Value::Real(r) => r.0.to_string(),
        Value::Text(s) => s.clone(),
        _ => String::new(),
    }
}

/// True if a stored value meets the atom. Numbers compare as numbers, text as text.
pub(crate) fn meets(value: &Value, atom: &Atom) -> bool {
    let compare = |other: &Value| -> std::cmp::Ordering {
        let as_number = |v: &Value| match v {
            Value::Text(s) => s.trim().parse::<f64>().ok(),
            v => v.as_f64(),
        };
        match (as_number(value), as_number(other)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => shown(value).cmp(&shown(other)),
        }
    };
    let Some(first) = atom.values.first() else {
        return true;
    };
    match atom.comparison {
        Comparison::Eq => compare(first).is_eq(),
        Comparison::NotEq => compare(first).is_ne(),
        Comparison::Lt => compare(first).is_lt(),
        Comparison::LtEq => compare(first).is_le(),
        Comparison::Gt => compare(first).is_gt(),
        Comparison::GtEq => compare(first).is_ge(),
        Comparison::In => atom.values.iter().any(|v| compare(v).is_eq()),
        Comparison::NotIn => atom.values.iter().all(|v| compare(v).is_ne()),
        Comparison::Like => like(&shown(value), &shown(first)),
        Comparison::NotLike => !like(&shown(value), &shown(first)),
    }
}

/// A value that is likely to meet the atom, or just to miss it.
pub(crate) fn candidate(atom: &Atom, dice: &mut Dice) -> Value {
    let Some(value) = dice.pick(&atom.values) else {
        return Value::Integer(0);
    };
    match (atom.comparison, value) {
        (Comparison::Like, Value::Text(p)) => Value::Text(instantiate(p, dice)),
        (Comparison::NotLike, Value::Text(p)) if dice.chance(0.5) => Value::Text(instantiate(p, dice)),
        (Comparison::Eq | Comparison::In, v) if dice.chance(0.8) => v.clone(),
        (Comparison::LtEq | Comparison::GtEq, v) if dice.chance(0.4) => v.clone(),
        (_, v) => variant(v, dice),
    }
}
