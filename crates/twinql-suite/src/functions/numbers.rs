//! Numbers as text after a format of digits, groups and a point: TO_CHAR of Oracle, Snowflake and PostgreSQL.

use twinql_sql::Value;

use super::{Returned, Stop, exactly, number, real, text, texts, whole};

/// A format, `FM9,990.00`: digits before and behind the point, and whether blanks are left out.
struct Format<'f> {
    before: &'f str,
    after: Option<&'f str>,
    trimmed: bool,
}

impl<'f> Format<'f> {
    fn of(digits: &'f str, trimmed: bool) -> Format<'f> {
        let (before, after) = digits.split_once('.').map_or((digits, None), |(b, a)| (b, Some(a)));
        Format { before, after, trimmed }
    }

    /// How many characters a number takes, its sign among them.
    fn length(&self) -> usize {
        1 + self.before.len() + self.after.map_or(0, |after| 1 + after.len())
    }

    /// A number that is rounded already; `None` where it has no room.
    fn written(&self, digits: &str, is_negative: bool) -> Option<String> {
        let (mut whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        // Before a point a zero is left out.
        if whole == "0" && self.after.is_some() && !self.before.contains('0') {
            whole = "";
        }
        let places = |part: &str| part.chars().filter(|c| *c != ',').count();
        if whole.len() > places(self.before) {
            return None;
        }
        let least = self.before.find('0').map_or(0, |at| places(self.before.get(at..).unwrap_or("")));
        let whole = format!("{whole:0>least$}");
        let mut left = whole.chars().rev().peekable();
        let mut turned = String::new();
        for c in self.before.chars().rev() {
            if left.peek().is_none() {
                break;
            }
            turned.extend(if c == ',' { Some(',') } else { left.next() });
        }
        let is_zero = digits.bytes().all(|b| matches!(b, b'0' | b'.'));
        let mut out = if is_negative && !is_zero { "-".to_owned() } else { String::new() };
        out.extend(turned.chars().rev());
        if let Some(after) = self.after {
            out.push('.');
            let kept = after.rfind('0').map_or(0, |at| at + 1);
            let mut shown = fraction.len();
            while self.trimmed && shown > kept && fraction.get(..shown).is_some_and(|f| f.ends_with('0')) {
                shown -= 1;
            }
            out.push_str(fraction.get(..shown)?);
        }
        let length = self.length();
        Some(if self.trimmed { out } else { format!("{out:>length$}") })
    }
}

/// Oracle's TO_CHAR: signs of number where a number has no room.
pub(super) fn oracle_text(args: &[Value]) -> Returned {
    let format = args.get(1).and_then(text).ok_or(Stop::Null)?;
    let value = args.first().and_then(number).ok_or(Stop::Null)?;
    let (template, trimmed) = match format.strip_prefix("FM") {
        Some(rest) => (rest, true),
        None => (format.as_str(), false),
    };
    let format = Format::of(template, trimmed);
    let digits = half_up(value.abs(), format.after.map_or(0, str::len));
    let written = format.written(&digits, value < 0.0);
    Ok(Value::Text(written.unwrap_or_else(|| "#".repeat(format.length()))))
}

/// PostgreSQL's TO_CHAR: a number, a template, and 1 where the number is binary. What is no part of a number stands before or
/// behind it (functions-formatting).
pub(super) fn postgres_text(args: &[Value]) -> Returned {
    let [_, template] = texts(args)?;
    let value = args.first().and_then(number).ok_or(Stop::Null)?;
    let (template, trimmed) = match template.strip_prefix("FM") {
        Some(rest) => (rest, true),
        None => (template.as_str(), false),
    };
    let template = template.replace('D', ".").replace('G', ",");
    let first = template.find(DIGITS).ok_or(Stop::Null)?;
    let end = template.rfind(DIGITS).map_or(first, |at| at + 1);
    let part = |range: std::ops::Range<usize>| template.get(range).unwrap_or_default();
    let body = part(first..end);
    let format = Format::of(body, trimmed);
    let places = format.after.map_or(0, str::len);
    let binary = args.get(2).and_then(whole) == Some(1);
    let digits = if binary { format!("{:.places$}", value.abs()) } else { half_up(value.abs(), places) };
    let is_zero = digits.bytes().all(|b| matches!(b, b'0' | b'.'));
    let number = match format.written(&digits, value < 0.0) {
        Some(written) if trimmed && is_zero && written.starts_with('.') => {
            format!("0{}", written.trim_end_matches('0'))
        }
        Some(written) => written,
        None => {
            let signs: String = body.chars().map(|c| if matches!(c, ',' | '.') { c } else { '#' }).collect();
            match trimmed {
                true => signs,
                false => format!("{}{signs}", if value < 0.0 { "-" } else { " " }),
            }
        }
    };
    Ok(Value::Text(format!("{}{number}{}", part(0..first), part(end..template.len()))))
}

/// Digits, groups and the point of a format.
const DIGITS: [char; 4] = ['9', '0', ',', '.'];

/// A number of so many digits behind the point; halves are rounded away from 0.
fn half_up(value: f64, places: usize) -> String {
    let by = 10_f64.powi(i32::try_from(places).unwrap_or(i32::MAX));
    let scaled = super::math::decimal(value * by).round() / by;
    format!("{:.places$}", if scaled.is_finite() { scaled } else { value })
}

/// MySQL's `CONV(n, from, to)`: the number that a text begins with, of 64 bits, in another base.
pub(super) fn in_another_base(args: &[Value]) -> Returned {
    let [n, from, to] = exactly(args)?;
    let base = |v: &Value| {
        whole(v).and_then(|b| u32::try_from(b).ok()).filter(|b| (2..=36).contains(b)).ok_or(Stop::Null)
    };
    let (from, to) = (base(from)?, base(to)?);
    let written = text(n).ok_or(Stop::Null)?;
    let digits = written.trim_start();
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits.strip_prefix('+').unwrap_or(digits)),
    };
    if written.is_empty() {
        return Err(Stop::Null);
    }
    let values = digits.chars().map_while(|c| c.to_digit(from));
    let n = values.fold(0_u64, |n, d| n.saturating_mul(u64::from(from)).saturating_add(u64::from(d)));
    let mut left = if negative { n.wrapping_neg() } else { n };
    let mut out = Vec::new();
    while left > 0 || out.is_empty() {
        let digit = u32::try_from(left % u64::from(to)).ok().and_then(|d| char::from_digit(d, to));
        out.extend(digit.map(|d| d.to_ascii_uppercase()));
        left /= u64::from(to);
    }
    Ok(Value::Text(out.into_iter().rev().collect()))
}

/// PostgreSQL's TO_NUMBER by a template of digits, groups and a point; of a text with more digits, or with none, nothing is known.
pub(super) fn to_number(args: &[Value]) -> Returned {
    let [subject, template] = texts(args)?;
    let unread = || Stop::Error(format!("{subject:?} cannot be read as a number here"));
    let plain: String = subject.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    let digits = |t: &str| t.chars().filter(char::is_ascii_digit).count();
    let template = template.replace('D', ".");
    let (whole, behind) = template.split_once('.').unwrap_or((&template, ""));
    let (front, back) = plain.split_once('.').unwrap_or((&plain, ""));
    let fits = digits(front) <= digits(whole) && digits(back) <= digits(behind);
    let only = plain.trim_start_matches('-').chars().all(|c| c.is_ascii_digit() || c == '.');
    plain.parse().ok().filter(|_| fits && only).map(real).ok_or_else(unread)
}
