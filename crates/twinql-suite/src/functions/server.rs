//! SQL Server's functions. Its default collation ignores case, and so do these.

use twinql_sql::Value;
use twinql_sql::temporal::{Moment, format_mysql};

use super::{Returned, Stop, number, text, texts, truth, whole};

/// Steps that matching a pattern may take.
const MAX_STEPS: usize = 1 << 20;

/// A text's characters in lower case, one for each.
fn lower(text: &str) -> Vec<char> {
    text.chars()
        .map(|c| c.to_lowercase().next().filter(|_| c.to_lowercase().len() == 1).unwrap_or(c))
        .collect()
}

fn place(at: usize) -> Value {
    Value::Integer(i64::try_from(at).unwrap_or(i64::MAX))
}

/// Where a part begins from a place on, counted from 0.
fn find(whole: &[char], part: &[char], from: usize) -> Option<usize> {
    let rest = whole.get(from..).filter(|_| !part.is_empty())?;
    rest.windows(part.len()).position(|window| window == part).map(|at| at + from)
}

/// CHARINDEX: the place of a part from a place on; 0 where it is not, or is empty.
pub(super) fn char_index(args: &[Value]) -> Returned {
    let [part, subject] = texts(args)?;
    let from = match args.get(2) {
        Some(from) => whole(from).ok_or(Stop::Null)?,
        None => 1,
    };
    let from = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
    Ok(place(find(&lower(&subject), &lower(&part), from).map_or(0, |at| at + 1)))
}

/// REPLACE of every occurrence; an empty part is nowhere.
pub(super) fn replace(args: &[Value]) -> Returned {
    let [subject, part, by] = texts(args)?;
    let (folded, part) = (lower(&subject), lower(&part));
    let written: Vec<char> = subject.chars().collect();
    let mut out = String::new();
    let mut from = 0;
    while let Some(at) = find(&folded, &part, from) {
        out.extend(written.get(from..at).unwrap_or_default());
        out.push_str(&by);
        from = at + part.len();
    }
    out.extend(written.get(from..).unwrap_or_default());
    Ok(Value::Text(out))
}

/// STUFF: a text in the place of so many characters; NULL where the place is outside, and a NULL is an empty text.
pub(super) fn stuff(args: &[Value]) -> Returned {
    let [subject, from, count, by] = super::exactly(args)?;
    let characters: Vec<char> = text(subject).ok_or(Stop::Null)?.chars().collect();
    let from = whole(from).and_then(|n| usize::try_from(n.checked_sub(1)?).ok()).ok_or(Stop::Null)?;
    let count = whole(count).and_then(|n| usize::try_from(n).ok()).ok_or(Stop::Null)?;
    let before = characters.get(..from).filter(|_| from < characters.len()).ok_or(Stop::Null)?;
    let mut out: String = before.iter().collect();
    out.push_str(&text(by).unwrap_or_default());
    out.extend(characters.iter().skip(from.saturating_add(count)));
    Ok(Value::Text(out))
}

/// A part of a pattern of LIKE.
enum Part {
    /// `%`.
    Any,
    /// `_`.
    One,
    /// A character.
    Character(char),
    /// `[a-f]`, or `[^a-f]` for one that is none of them.
    Class(Vec<(char, char)>, bool),
}

/// A pattern of LIKE (<https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql>).
fn pattern(written: &str, escape: Option<char>) -> Vec<Part> {
    let characters = lower(written);
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(&c) = characters.get(at) {
        at += 1;
        let part = match c {
            c if Some(c) == escape => {
                let next = characters.get(at).copied();
                at += 1;
                next.map_or(Part::Character(c), Part::Character)
            }
            '%' => Part::Any,
            '_' => Part::One,
            '[' => match class(&characters, at) {
                Some((part, after)) => {
                    at = after;
                    part
                }
                // Without an end nothing matches.
                None => Part::Class(Vec::new(), false),
            },
            c => Part::Character(c),
        };
        parts.push(part);
    }
    parts
}

/// The class whose first character stands at a place, and the place behind it.
fn class(characters: &[char], from: usize) -> Option<(Part, usize)> {
    let negated = characters.get(from) == Some(&'^');
    let from = from + usize::from(negated);
    // A bracket that stands first is one of the class.
    let end = characters.iter().skip(from + 1).position(|c| *c == ']')? + from + 1;
    let inside = characters.get(from..end)?;
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(&first) = inside.get(at) {
        match (inside.get(at + 1), inside.get(at + 2)) {
            (Some('-'), Some(&last)) => {
                ranges.push((first, last));
                at += 3;
            }
            _ => {
                ranges.push((first, first));
                at += 1;
            }
        }
    }
    Some((Part::Class(ranges, negated), end + 1))
}

impl Part {
    fn takes(&self, c: char) -> bool {
        match self {
            Part::Any | Part::One => true,
            Part::Character(own) => *own == c,
            Part::Class(ranges, negated) => ranges.iter().any(|(a, b)| *a <= c && c <= *b) != *negated,
        }
    }
}

/// Whether a text is of a pattern.
fn matches(subject: &[char], parts: &[Part]) -> Result<bool, Stop> {
    let (mut at, mut part) = (0, 0);
    // Where the last `%` may take one more.
    let mut again: Option<(usize, usize)> = None;
    for _ in 0..MAX_STEPS {
        match (subject.get(at), parts.get(part)) {
            (None, None) => return Ok(true),
            (_, Some(Part::Any)) => {
                again = Some((at, part));
                part += 1;
                continue;
            }
            (Some(c), Some(one)) if one.takes(*c) => {
                at += 1;
                part += 1;
                continue;
            }
            _ => {}
        }
        match again {
            Some((from, any)) if from < subject.len() => {
                again = Some((from + 1, any));
                (at, part) = (from + 1, any + 1);
            }
            _ => return Ok(false),
        }
    }
    Err("a pattern that takes too long".into())
}

/// LIKE with classes of characters.
pub(super) fn like(args: &[Value]) -> Returned {
    let [subject, written] = texts(args)?;
    let escape = match args.get(2) {
        Some(escape) => lower(&text(escape).ok_or(Stop::Null)?).first().copied(),
        None => None,
    };
    matches(&lower(&subject), &pattern(&written, escape)).map(truth)
}

/// PATINDEX: the first place where a pattern without the `%` before it begins; 0 where it is nowhere.
pub(super) fn pattern_index(args: &[Value]) -> Returned {
    let [written, subject] = texts(args)?;
    let mut parts = pattern(&written, None);
    let subject = lower(&subject);
    let anywhere = matches!(parts.first(), Some(Part::Any));
    if anywhere {
        parts.remove(0);
    }
    let starts = if anywhere { subject.len() + 1 } else { 1 };
    for at in 0..starts {
        if matches(subject.get(at..).unwrap_or_default(), &parts)? {
            return Ok(place(at + 1));
        }
    }
    Ok(place(0))
}

/// The number that a text is for ISNUMERIC and TRY_CAST.
fn numeric(value: &Value) -> Option<f64> {
    match value {
        Value::Text(s) if s.trim().is_empty() => None,
        other => number(other),
    }
}

/// ISNUMERIC: 1 for a number, also one with signs of money and thousands, 0 for all else.
pub(super) fn is_numeric(args: &[Value]) -> Returned {
    let holds = args.first().is_some_and(|value| match value {
        Value::Text(s) => {
            let plain: String = s.trim().trim_start_matches(['$', '€', '£']).replace(',', "");
            plain.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
                && plain.parse::<f64>().is_ok()
                || matches!(s.trim(), "+" | "-" | "." | "," | "$")
        }
        other => numeric(other).is_some(),
    });
    Ok(truth(holds))
}

/// TRY_CAST to a whole number: of a text NULL unless it is one.
pub(super) fn try_integer(args: &[Value]) -> Returned {
    match args.first() {
        Some(Value::Text(s)) if s.trim().is_empty() => Ok(Value::Integer(0)),
        Some(Value::Text(s)) => s.trim().parse().map(Value::Integer).map_err(|_| Stop::Null),
        other => other.and_then(whole).map(Value::Integer).ok_or(Stop::Null),
    }
}

/// TRY_CAST to a number.
pub(super) fn try_number(args: &[Value]) -> Returned {
    args.first().and_then(numeric).map(super::real).ok_or(Stop::Null)
}

/// A moment as CAST writes it: `May  1 2024 12:30PM`.
pub(super) fn date_text(args: &[Value]) -> Returned {
    let at = args.first().and_then(text).and_then(|t| Moment::parse(&t)).ok_or(Stop::Null)?;
    let part = |format: &str| format_mysql(at, format).ok_or(Stop::Null);
    let (month, day, year) = (part("%b")?, part("%e")?, part("%Y")?);
    let (hour, minute, half) = (part("%l")?, part("%i")?, part("%p")?);
    Ok(Value::Text(format!("{month} {day:>2} {year} {hour:>2}:{minute}{half}")))
}
