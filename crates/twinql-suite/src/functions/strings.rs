//! Functions of strings.

use twinql_sql::Value;

use super::{Returned, text, whole};

/// Characters that a string of these functions may have.
const MAX_CHARS: usize = 1 << 16;

fn strings<const N: usize>(args: &[Value]) -> Option<[String; N]> {
    let list: Vec<String> = args.iter().take(N).filter_map(text).collect();
    list.try_into().ok()
}

fn length(value: Option<&Value>) -> Option<usize> {
    let n = usize::try_from(whole(value?)?.max(0)).ok()?;
    Some(n.min(MAX_CHARS + 1))
}

fn too_long(n: usize) -> Result<(), String> {
    if n > MAX_CHARS {
        return Err("string or blob too big".into());
    }
    Ok(())
}

/// The padding that brings a string of `have` characters to `want`, or the string cut.
fn pad(args: &[Value], left: bool) -> Returned {
    let (Some(subject), Some(want)) = (args.first().and_then(text), length(args.get(1))) else {
        return Ok(Value::Null);
    };
    too_long(want)?;
    let fill = args.get(2).and_then(text).unwrap_or_else(|| " ".to_owned());
    let have = subject.chars().count();
    if have >= want {
        return Ok(Value::Text(subject.chars().take(want).collect()));
    }
    if fill.is_empty() {
        return Ok(Value::Text(subject));
    }
    let padding: String = fill.chars().cycle().take(want - have).collect();
    Ok(Value::Text(if left { padding + &subject } else { subject + &padding }))
}

/// LPAD.
pub(super) fn lpad(args: &[Value]) -> Returned {
    pad(args, true)
}

/// RPAD.
pub(super) fn rpad(args: &[Value]) -> Returned {
    pad(args, false)
}

/// REPEAT.
pub(super) fn repeat(args: &[Value]) -> Returned {
    let (Some(subject), Some(times)) = (args.first().and_then(text), length(args.get(1))) else {
        return Ok(Value::Null);
    };
    too_long(subject.len().saturating_mul(times))?;
    Ok(Value::Text(subject.repeat(times)))
}

/// REVERSE.
pub(super) fn reverse(args: &[Value]) -> Returned {
    Ok(strings::<1>(args).map_or(Value::Null, |[s]| Value::Text(s.chars().rev().collect())))
}

/// INITCAP: each word begins with a capital, the rest is small.
pub(super) fn initcap(args: &[Value]) -> Returned {
    let Some([subject]) = strings::<1>(args) else {
        return Ok(Value::Null);
    };
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
    let (Some([subject, by]), Some(at)) = (strings::<2>(args), args.get(2).and_then(whole)) else {
        return Ok(Value::Null);
    };
    let parts: Vec<&str> =
        if by.is_empty() { vec![subject.as_str()] } else { subject.split(by.as_str()).collect() };
    let count = i64::try_from(parts.len()).unwrap_or(i64::MAX);
    let index = if at > 0 { at - 1 } else { count.saturating_add(at) };
    let part = usize::try_from(index).ok().filter(|_| at != 0).and_then(|i| parts.get(i));
    Ok(Value::Text(part.copied().unwrap_or_default().to_owned()))
}

/// TRANSLATE: each character of the second string becomes that of the third, or goes.
pub(super) fn translate(args: &[Value]) -> Returned {
    let Some([subject, from, to]) = strings::<3>(args) else {
        return Ok(Value::Null);
    };
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
    let (Some([subject, by]), Some(count)) = (strings::<2>(args), args.get(2).and_then(whole)) else {
        return Ok(Value::Null);
    };
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
    let Some([member, list]) = strings::<2>(args) else {
        return Ok(Value::Null);
    };
    let at = list.split(',').position(|m| m.eq_ignore_ascii_case(&member));
    let at = at.filter(|_| !list.is_empty()).map_or(0, |i| i + 1);
    Ok(Value::Integer(i64::try_from(at).unwrap_or(0)))
}
