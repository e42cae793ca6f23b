//! Functions of strings.

use twinql_sql::Value;

use super::{Returned, Stop, text, texts, whole};

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
