//! MySQL's TIME: spans of hours, minutes and seconds, `-01:30:00`, up to 838 hours
//! (<https://dev.mysql.com/doc/refman/8.0/en/time.html>). Tried on MariaDB 10.11.

use twinql_sql::Value;
use twinql_sql::temporal::Moment;

use super::{Returned, Stop, exactly, number, real, text, whole};

/// The longest time in seconds: 838:59:59.
const LONGEST: f64 = 3_020_399.0;

/// The seconds of a time, or of the time of day of a moment.
fn seconds(value: &Value) -> Option<f64> {
    let written = text(value)?;
    let written = written.trim();
    if let Some(moment) = Moment::parse(written).filter(|_| written.contains('-')) {
        return Some(moment.time_of_day() as f64 / 1e6);
    }
    let (sign, plain) = match written.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, written),
    };
    let (days, plain) = match plain.split_once(' ') {
        Some((days, rest)) => (days.parse::<f64>().ok().filter(|d| *d >= 0.0)?, rest.trim_start()),
        None => (0.0, plain),
    };
    let numbers: Option<Vec<f64>> = plain
        .split(':')
        .map(|part| part.bytes().all(|b| b.is_ascii_digit() || b == b'.').then(|| part.parse().ok())?)
        .collect();
    let length = match numbers?.as_slice() {
        // Digits alone are hours, minutes and seconds too: 13000 is 1:30:00.
        [all] => {
            let (hours, rest) = ((all / 1e4).floor(), all % 1e4);
            hours * 3_600.0 + (rest / 100.0).floor() * 60.0 + rest % 100.0
        }
        // 1:27.5 is an hour, 27 minutes and half a second.
        [hours, minutes] if *minutes < 60.0 => hours * 3_600.0 + minutes.floor() * 60.0 + minutes.fract(),
        [hours, minutes, seconds] if *minutes < 60.0 && *seconds < 60.0 => {
            hours * 3_600.0 + minutes * 60.0 + seconds
        }
        _ => return None,
    };
    Some(sign * (days * 86_400.0 + length).min(LONGEST))
}

/// A number of seconds as a time.
fn shown(length: f64) -> Returned {
    let length = length.clamp(-LONGEST, LONGEST);
    let micros = (length.abs() * 1e6).round() as i64;
    let (all, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let sign = if length < 0.0 && micros > 0 { "-" } else { "" };
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:06}") };
    let (hours, minutes, seconds) = (all / 3_600, all / 60 % 60, all % 60);
    Ok(Value::Text(format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{fraction}")))
}

/// TIME_TO_SEC: a fraction stays, as in MariaDB.
pub(super) fn to_seconds(args: &[Value]) -> Returned {
    let length = args.first().and_then(seconds).ok_or(Stop::Null)?;
    let micros = (length * 1e6).round();
    Ok(match micros % 1e6 {
        0.0 => Value::Integer((micros / 1e6) as i64),
        _ => real(micros / 1e6),
    })
}

/// SEC_TO_TIME.
pub(super) fn of_seconds(args: &[Value]) -> Returned {
    shown(args.first().and_then(number).ok_or(Stop::Null)?)
}

/// MAKETIME.
pub(super) fn of_parts(args: &[Value]) -> Returned {
    let [hours, minutes, seconds] = exactly(args)?;
    let (hours, minutes) = whole(hours).zip(whole(minutes)).ok_or(Stop::Null)?;
    let seconds = number(seconds).filter(|s| (0.0..60.0).contains(s)).ok_or(Stop::Null)?;
    if !(0..60).contains(&minutes) {
        return Err(Stop::Null);
    }
    let length = hours.unsigned_abs() as f64 * 3_600.0 + minutes as f64 * 60.0 + seconds;
    shown(if hours < 0 { -length } else { length })
}

/// TIMEDIFF: of two times, or of two moments.
pub(super) fn difference(args: &[Value]) -> Returned {
    let [left, right] = exactly(args)?;
    let moment = |v: &Value| text(v).filter(|t| t.contains('-')).and_then(|t| Moment::parse(&t));
    match (moment(left), moment(right)) {
        (Some(left), Some(right)) => shown((left.epoch() - right.epoch()) as f64 / 1e6),
        (None, None) => shown(seconds(left).zip(seconds(right)).map(|(l, r)| l - r).ok_or(Stop::Null)?),
        _ => Err(Stop::Null),
    }
}

/// ADDTIME: a moment or a time, so much later. The third argument is -1 for SUBTIME.
pub(super) fn add(args: &[Value]) -> Returned {
    let [at, by, sign] = exactly(args)?;
    let by = seconds(by).zip(number(sign)).map(|(by, sign)| by * sign).ok_or(Stop::Null)?;
    let written = text(at).ok_or(Stop::Null)?;
    match Moment::parse(&written).filter(|_| written.contains('-')) {
        Some(at) => {
            let later = at.to_timestamp().epoch().checked_add((by * 1e6).round() as i64);
            super::shown(later.and_then(Moment::of_epoch))
        }
        None => shown(seconds(at).ok_or(Stop::Null)? + by),
    }
}
