//! Functions of strings.

use twinql_sql::Value;

use super::math::to_digits;
use super::{Returned, Stop, number, text, texts, whole};

/// Characters that a string of these functions may have.
const MAX_CHARS: usize = 1 << 16;

/// The argument as a number of characters; one more than may be stands for all beyond.
fn length(args: &[Value], at: usize) -> Result<usize, Stop> {
    let n = args.get(at).and_then(whole).and_then(|n| usize::try_from(n.max(0)).ok()).ok_or(Stop::Null)?;
    Ok(n.min(MAX_CHARS + 1))
}

fn bounded(n: usize) -> Result<(), Stop> {
    if n > MAX_CHARS { Err("string or blob too big".into()) } else { Ok(()) }
}

/// LPAD, RPAD: a string with the padding that brings it to so many characters, or cut.
pub(super) fn pad(args: &[Value], left: bool) -> Returned {
    let ([subject], want) = (texts(args)?, length(args, 1)?);
    bounded(want)?;
    let fill = args.get(2).and_then(text).unwrap_or_else(|| " ".to_owned());
    let have = subject.chars().count();
    if have >= want {
        return Ok(Value::Text(subject.chars().take(want).collect()));
    }
    // Without a fill there is no padding.
    let padding: String = fill.chars().cycle().take(want - have).collect();
    Ok(Value::Text(if left { padding + &subject } else { subject + &padding }))
}

/// REPEAT.
pub(super) fn repeat(args: &[Value]) -> Returned {
    let ([subject], times) = (texts(args)?, length(args, 1)?);
    bounded(subject.len().saturating_mul(times))?;
    Ok(Value::Text(subject.repeat(times)))
}

/// REVERSE.
pub(super) fn reverse(args: &[Value]) -> Returned {
    let [subject] = texts(args)?;
    Ok(Value::Text(subject.chars().rev().collect()))
}

/// The characters from `from` on, counted from 1, before `to`.
fn between(subject: &str, from: i64, to: i64) -> Value {
    let start = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
    let count = usize::try_from(to.saturating_sub(from.max(1)).max(0)).unwrap_or(usize::MAX);
    Value::Text(subject.chars().skip(start).take(count).collect())
}

fn characters(subject: &str) -> i64 {
    i64::try_from(subject.chars().count()).unwrap_or(i64::MAX)
}

/// A whole number among the arguments, NULL where it is none; `None` where the call has no such argument.
fn optional(args: &[Value], at: usize) -> Result<Option<i64>, Stop> {
    args.get(at).map(|value| whole(value).ok_or(Stop::Null)).transpose()
}

/// PostgreSQL's SUBSTRING: places before the first are counted, and empty.
pub(super) fn pg_substr(args: &[Value]) -> Returned {
    let ([subject], from, count) = (texts(args)?, optional(args, 1)?.ok_or(Stop::Null)?, optional(args, 2)?);
    match count {
        Some(n) if n < 0 => Err("negative substring length not allowed".into()),
        Some(n) => Ok(between(&subject, from, from.saturating_add(n))),
        None => Ok(between(&subject, from, i64::MAX)),
    }
}

/// MySQL's SUBSTRING: from the end where the place is negative, and nothing where it is 0 or before the first character.
pub(super) fn my_substr(args: &[Value]) -> Returned {
    let ([subject], from, count) = (texts(args)?, optional(args, 1)?.ok_or(Stop::Null)?, optional(args, 2)?);
    let from = if from < 0 { characters(&subject).saturating_add(from).saturating_add(1) } else { from };
    Ok(match count {
        _ if from < 1 => Value::Text(String::new()),
        Some(n) => between(&subject, from, from.saturating_add(n)),
        None => between(&subject, from, i64::MAX),
    })
}

/// PostgreSQL's LEFT and RIGHT: a negative count leaves so many characters out.
pub(super) fn pg_end(args: &[Value], left: bool) -> Returned {
    let ([subject], count) = (texts(args)?, optional(args, 1)?.ok_or(Stop::Null)?);
    let length = characters(&subject);
    let kept = if count < 0 { length.saturating_add(count).max(0) } else { count.min(length) };
    Ok(match left {
        true => between(&subject, 1, kept + 1),
        false => between(&subject, length - kept + 1, i64::MAX),
    })
}

/// MySQL's RIGHT: nothing where the count is not positive.
pub(super) fn my_right(args: &[Value]) -> Returned {
    let ([subject], count) = (texts(args)?, optional(args, 1)?.ok_or(Stop::Null)?);
    let length = characters(&subject);
    Ok(between(&subject, length.saturating_sub(count.max(0)).saturating_add(1), i64::MAX))
}

/// MySQL's LOCATE from a place on; 0 where there is nothing.
pub(super) fn my_locate(args: &[Value]) -> Returned {
    let ([part, whole_text], from) = (texts(args)?, optional(args, 2)?.ok_or(Stop::Null)?);
    let skipped = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
    let (part, subject) = (part.to_ascii_lowercase(), whole_text.to_ascii_lowercase());
    let start = match skipped == subject.chars().count() {
        true => Some(subject.len()),
        false => subject.char_indices().nth(skipped).map(|(at, _)| at),
    };
    let found = start.and_then(|at| Some(at + subject.get(at..)?.find(&part)?));
    let place = found.and_then(|at| Some(characters(subject.get(..at)?) + 1));
    Ok(Value::Integer(place.unwrap_or(0)))
}

/// MySQL's HEX: the digits of a number, the bytes of a text.
pub(super) fn my_hex(args: &[Value]) -> Returned {
    match args.first() {
        Some(Value::Text(text)) => Ok(Value::Text(text.bytes().map(|b| format!("{b:02X}")).collect())),
        Some(Value::Blob(bytes)) => Ok(Value::Text(bytes.iter().map(|b| format!("{b:02X}")).collect())),
        Some(Value::Real(r)) => Ok(Value::Text(format!("{:X}", r.0.round() as i64))),
        Some(Value::Integer(n)) => Ok(Value::Text(format!("{n:X}"))),
        _ => Err(Stop::Null),
    }
}

/// PostgreSQL's TO_HEX.
pub(super) fn pg_to_hex(args: &[Value]) -> Returned {
    optional(args, 0)?.map(|n| Value::Text(format!("{n:x}"))).ok_or(Stop::Null)
}

/// MySQL's FORMAT: so many digits, and a comma before every three.
pub(super) fn my_format(args: &[Value]) -> Returned {
    let x = args.first().and_then(number).ok_or(Stop::Null)?;
    let digits = optional(args, 1)?.ok_or(Stop::Null)?.clamp(0, 30);
    // A half goes away from 0 by the decimal number: 12.25 is 12.3.
    let rounded = to_digits(&[Value::Real(x.abs().into()), Value::Integer(digits)], f64::round)?;
    let written = format!("{:.*}", usize::try_from(digits).unwrap_or(0), number(&rounded).unwrap_or(x.abs()));
    let (integer, fraction) = written.split_once('.').unwrap_or((&written, ""));
    let mut out = String::new();
    for (at, c) in integer.chars().enumerate() {
        if at > 0 && (integer.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    let point = if fraction.is_empty() { "" } else { "." };
    let sign = if x < 0.0 && written.contains(|c: char| ('1'..='9').contains(&c)) { "-" } else { "" };
    Ok(Value::Text(format!("{sign}{out}{point}{fraction}")))
}

/// ASCII: the number of the first character, 0 where there is none.
pub(super) fn ascii(args: &[Value]) -> Returned {
    let [text] = texts(args)?;
    Ok(Value::Integer(text.chars().next().map_or(0, |c| i64::from(u32::from(c)))))
}

/// INITCAP: each word begins with a capital, the rest is small.
pub(super) fn initcap(args: &[Value]) -> Returned {
    let [subject] = texts(args)?;
    let mut inside = false;
    let mut out = String::with_capacity(subject.len());
    for c in subject.chars() {
        if inside {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
        inside = c.is_alphanumeric();
    }
    Ok(Value::Text(out))
}

/// SPLIT_PART: the part with a number, from the end where it is negative.
pub(super) fn split_part(args: &[Value]) -> Returned {
    let ([subject, by], at) = (texts(args)?, args.get(2).and_then(whole).ok_or(Stop::Null)?);
    let parts: Vec<&str> =
        if by.is_empty() { vec![subject.as_str()] } else { subject.split(by.as_str()).collect() };
    let count = i64::try_from(parts.len()).unwrap_or(i64::MAX);
    let index = if at > 0 { at - 1 } else { count.saturating_add(at) };
    let part = usize::try_from(index).ok().filter(|_| at != 0).and_then(|i| parts.get(i));
    Ok(Value::Text(part.copied().unwrap_or_default().to_owned()))
}

/// TRANSLATE: each character of the second string becomes that of the third, or goes.
pub(super) fn translate(args: &[Value]) -> Returned {
    let [subject, from, to] = texts(args)?;
    let to: Vec<char> = to.chars().collect();
    let out = subject
        .chars()
        .filter_map(|c| match from.chars().position(|f| f == c) {
            Some(at) => to.get(at).copied(),
            None => Some(c),
        })
        .collect();
    Ok(Value::Text(out))
}

/// MySQL's SUBSTRING_INDEX: what stands before a delimiter's nth occurrence, or behind it
/// from the end.
pub(super) fn substring_index(args: &[Value]) -> Returned {
    let ([subject, by], count) = (texts(args)?, args.get(2).and_then(whole).ok_or(Stop::Null)?);
    if by.is_empty() || count == 0 {
        return Ok(Value::Text(String::new()));
    }
    let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let parts: Vec<&str> = subject.split(by.as_str()).collect();
    if wanted >= parts.len() {
        return Ok(Value::Text(subject));
    }
    let kept = if count > 0 { parts.get(..wanted) } else { parts.get(parts.len() - wanted..) };
    Ok(Value::Text(kept.unwrap_or_default().join(&by)))
}

/// MySQL's FIND_IN_SET: the place of a member in a list with commas, 0 where it is none.
pub(super) fn find_in_set(args: &[Value]) -> Returned {
    let [member, list] = texts(args)?;
    let at = list.split(',').position(|m| m.eq_ignore_ascii_case(&member));
    let at = at.filter(|_| !list.is_empty()).map_or(0, |i| i + 1);
    Ok(Value::Integer(i64::try_from(at).unwrap_or(0)))
}
