//! Dates, timestamps and spans.

use twinql_sql::Value;
use twinql_sql::temporal::{Interval, Moment, Part, Unit, format_mysql, format_postgres, parse_mysql};

use super::{Returned, Stop, exactly, number, real, shown, text, truth, whole};

pub(super) fn moment(value: &Value) -> Option<Moment> {
    match value {
        Value::Text(s) => Moment::parse(s),
        _ => None,
    }
}

fn span(value: &Value) -> Option<Interval> {
    match value {
        Value::Text(s) => Interval::parse(s, None),
        _ => None,
    }
}

/// The unit that an argument names; `call` is said where it names none.
fn unit(value: &Value, call: &str) -> Result<Unit, Stop> {
    text(value).and_then(|u| Unit::named(&u)).ok_or_else(|| format!("{call} of an unknown unit").into())
}

/// A moment in a format of another system; `unknown` is said where the format is.
fn formatted(args: &[Value], format: fn(Moment, &str) -> Option<String>, unknown: &'static str) -> Returned {
    let [at, wanted] = exactly(args)?;
    let at = moment(at).ok_or(Stop::Null)?;
    text(wanted).and_then(|f| format(at, &f)).map(Value::Text).ok_or_else(|| unknown.into())
}

/// Millionths as a number, whole where they are.
fn millionths(count: i128) -> Value {
    match i64::try_from(count / 1_000_000) {
        Ok(n) if count % 1_000_000 == 0 => Value::Integer(n),
        _ => real(count as f64 / 1e6),
    }
}

/// PostgreSQL's `+` where a date, a timestamp or a span takes part: a date and a number of
/// days is a date, a moment and a span a timestamp, two spans a span.
pub(super) fn add(args: &[Value]) -> Returned {
    let [left, right] = exactly(args)?;
    match (moment(left), moment(right)) {
        (Some(at), None) => later(at, right, 1),
        (None, Some(at)) => later(at, left, 1),
        (None, None) => shown(span(left).and_then(|l| l.plus(span(right)?))),
        (Some(_), Some(_)) => Err(Stop::Null),
    }
}

/// A moment so many days, or a span, later or earlier.
fn later(at: Moment, by: &Value, sign: i64) -> Returned {
    if matches!(by, Value::Integer(_) | Value::Real(_)) {
        if !at.is_date() {
            return Err(Stop::Null);
        }
        let days = whole(by).and_then(|n| n.checked_mul(sign));
        return shown(days.and_then(|n| at.plus_days(n)));
    }
    shown(span(by).and_then(|by| at.plus(if sign < 0 { by.negated() } else { by })))
}

/// PostgreSQL's `-` likewise: two dates are so many days apart, two timestamps a span.
pub(super) fn subtract(args: &[Value]) -> Returned {
    let [left, right] = exactly(args)?;
    match (moment(left), moment(right)) {
        (Some(l), Some(r)) if l.is_date() && r.is_date() => {
            Ok(Value::Integer(l.day_number() - r.day_number()))
        }
        (Some(l), Some(r)) => shown(Some(l.since(r))),
        (Some(at), None) => later(at, right, -1),
        (None, Some(_)) => Err(Stop::Null),
        (None, None) => shown(span(left).and_then(|l| l.plus(span(right)?.negated()))),
    }
}

/// A span so many times.
pub(super) fn scale(args: &[Value]) -> Returned {
    let [a, b] = exactly(args)?;
    let is_number = |v: &Value| matches!(v, Value::Integer(_) | Value::Real(_));
    let (by, of) = if is_number(a) { (a, b) } else { (b, a) };
    shown(span(of).and_then(|of| of.times(number(by)?)))
}

/// The span of so many months, days and seconds.
pub(super) fn interval(args: &[Value]) -> Returned {
    let [months, days, seconds] = exactly(args)?;
    let micros = number(seconds).map(|s| (s * 1e6).round()).filter(|s| s.abs() < 9e18);
    let span = whole(months).zip(whole(days)).zip(micros).map(|((months, days), micros)| Interval {
        months,
        days,
        micros: micros as i64,
    });
    shown(span)
}

/// The span that a text is; a number alone is of the unit.
pub(super) fn interval_of(args: &[Value]) -> Returned {
    let unit = args.get(1).and_then(text).and_then(|u| Unit::named(&u));
    shown(args.first().and_then(text).and_then(|t| Interval::parse(&t, unit)))
}

/// The length of a span in seconds, by which spans are compared.
pub(super) fn interval_length(args: &[Value]) -> Returned {
    args.first().and_then(span).map(|s| millionths(s.length())).ok_or(Stop::Null)
}

/// PostgreSQL's AGE.
pub(super) fn age(args: &[Value]) -> Returned {
    let [later, earlier] = exactly(args)?;
    shown(moment(later).and_then(|l| Some(l.to_timestamp().age(moment(earlier)?.to_timestamp()))))
}

/// PostgreSQL's DATE_TRUNC.
pub(super) fn date_trunc(args: &[Value]) -> Returned {
    let [unit, at] = exactly(args)?;
    let unit = self::unit(unit, "date_trunc()")?;
    shown(moment(at).and_then(|m| m.truncated(unit)))
}

/// DATE_BIN: the beginning of the stride, counted from an origin, that a moment lies in.
pub(super) fn date_bin(args: &[Value]) -> Returned {
    let [stride, at, origin] = exactly(args)?;
    let stride = span(stride).ok_or(Stop::Null)?;
    let length = i64::try_from(stride.length()).ok().filter(|n| *n > 0 && stride.months == 0);
    let length = length.ok_or("stride must be greater than zero, without months")?;
    let (at, origin) = moment(at).zip(moment(origin)).ok_or(Stop::Null)?;
    let begun = (at.epoch() - origin.epoch()).div_euclid(length).checked_mul(length);
    shown(begun.and_then(|n| Moment::of_epoch(origin.epoch().checked_add(n)?)))
}

/// JUSTIFY_HOURS, JUSTIFY_DAYS and JUSTIFY_INTERVAL: 24 hours are a day, 30 days a month, and all have one sign.
pub(super) fn justify(args: &[Value]) -> Returned {
    const DAY: i64 = 86_400_000_000;
    let [of, part] = exactly(args)?;
    let (part, mut of) = (text(part).unwrap_or_default(), span(of).ok_or(Stop::Null)?);
    let (hours, days) = (part != "days", part != "hours");
    let against =
        |great: i64, small: i64| if great.signum() * small.signum() < 0 { great.signum() } else { 0 };
    if hours {
        of.days = of.days.saturating_add(of.micros / DAY);
        of.micros %= DAY;
    }
    if days {
        of.months = of.months.saturating_add(of.days / 30);
        of.days %= 30;
        let rest = if of.days == 0 && hours { of.micros } else { of.days };
        let sign = against(of.months, rest);
        of.months -= sign;
        of.days += 30 * sign;
    }
    if hours {
        let sign = against(of.days, of.micros);
        of.days -= sign;
        of.micros += DAY * sign;
    }
    shown(Some(of))
}

/// OVERLAPS: both periods begin with the earlier of their ends, and the later one is not in them.
pub(super) fn overlaps(args: &[Value]) -> Returned {
    let at = |v: &Value| moment(v).map(|m| m.to_timestamp().to_string()).or_else(|| text(v));
    let period = |from: &Value, to: &Value| match (at(from), at(to)) {
        (Some(from), Some(to)) if from > to => Some((to, Some(from))),
        (Some(from), to) => Some((from, to)),
        (None, to) => Some((to?, None)),
    };
    let [a, b, c, d] = exactly(args)?;
    let (l, r) = period(a, b).zip(period(c, d)).ok_or(Stop::Null)?;
    let ((from, to), (other, until)) = if l.0 <= r.0 { (l, r) } else { (r, l) };
    let to = to.ok_or(Stop::Null)?;
    match (other < to || from == other, until) {
        (true, None) if from == other => Err(Stop::Null),
        (false, None) => Err(Stop::Null),
        (holds, _) => Ok(truth(holds)),
    }
}

/// EXTRACT of a moment or a span.
pub(super) fn extract(args: &[Value]) -> Returned {
    let [part, of] = exactly(args)?;
    let part = text(part).and_then(|p| Part::named(&p)).ok_or("EXTRACT of an unknown part")?;
    let value = match moment(of) {
        Some(at) => Some(i128::from(at.part(part))),
        None => span(of).and_then(|s| s.part(part)),
    };
    value.map(millionths).ok_or(Stop::Null)
}

/// A moment as a timestamp.
pub(super) fn timestamp(args: &[Value]) -> Returned {
    shown(args.first().and_then(moment).map(Moment::to_timestamp))
}

/// PostgreSQL's TO_CHAR of a moment.
pub(super) fn to_char(args: &[Value]) -> Returned {
    formatted(args, format_postgres, "TO_CHAR with a template that is not known")
}

/// MySQL's DATE_ADD: so many of a unit later, a date where neither has a time of day.
pub(super) fn mysql_add(args: &[Value]) -> Returned {
    let [at, count, unit] = exactly(args)?;
    let one = self::unit(unit, "INTERVAL")?.span();
    // A fraction of days or months is rounded.
    let count = number(count).map(|n| if one.micros != 0 { n } else { n.round() });
    let (at, span) = moment(at).zip(count.and_then(|n| one.times(n))).ok_or(Stop::Null)?;
    let later = at.plus(span);
    shown(if at.is_date() && one.micros == 0 { later.map(Moment::to_date) } else { later })
}

/// MySQL's TIMESTAMPDIFF: whole units from the first moment to the second.
pub(super) fn timestampdiff(args: &[Value]) -> Returned {
    let [unit, from, to] = exactly(args)?;
    let one = self::unit(unit, "TIMESTAMPDIFF")?.span();
    let (from, to) = moment(from).zip(moment(to)).ok_or(Stop::Null)?;
    if one.months == 0 {
        let length = i64::try_from(one.length()).unwrap_or(i64::MAX);
        return Ok(Value::Integer((to.epoch() - from.epoch()) / length));
    }
    // A month is over when its day and time have come again.
    let months = |earlier: Moment, later: Moment| {
        let ((y1, m1, d1), (y2, m2, d2)) = (earlier.civil(), later.civil());
        let whole = (y2 - y1) * 12 + m2 - m1;
        let unfinished = (d2, later.time_of_day()) < (d1, earlier.time_of_day());
        whole - i64::from(unfinished)
    };
    let count = if to.epoch() >= from.epoch() { months(from, to) } else { -months(to, from) };
    Ok(Value::Integer(count / one.months))
}

/// How many beginnings of a unit lie between two moments, as DATEDIFF counts in SQL Server, Snowflake, Redshift and BigQuery: from
/// 31 December to 1 January it is one year. A week begins on Sunday, an `isoweek` on Monday.
pub(super) fn boundaries(args: &[Value]) -> Returned {
    let [unit, from, to] = exactly(args)?;
    let (from, to) = moment(from).zip(moment(to)).ok_or(Stop::Null)?;
    // 1970-01-01 was a Thursday.
    let first_day = match unit {
        Value::Text(name) if name.eq_ignore_ascii_case("week") => Some(4),
        Value::Text(name) if name.eq_ignore_ascii_case("isoweek") => Some(3),
        _ => None,
    };
    let count: Box<dyn Fn(Moment) -> i64> = match first_day {
        Some(days) => Box::new(move |at| (at.day_number() + days).div_euclid(7)),
        None => {
            let one = self::unit(unit, "DATEDIFF")?.span();
            Box::new(move |at| match (one.months, one.days) {
                (0, 0) => at.epoch().div_euclid(one.micros.max(1)),
                (0, days) => at.day_number().div_euclid(days),
                (months, _) => {
                    let (year, month, _) = at.civil();
                    (year * 12 + month - 1).div_euclid(months)
                }
            })
        }
    };
    Ok(Value::Integer(count(to) - count(from)))
}

/// MySQL's DATE_FORMAT.
pub(super) fn date_format(args: &[Value]) -> Returned {
    formatted(args, format_mysql, "DATE_FORMAT with a format that is not known")
}

/// MySQL's STR_TO_DATE: NULL where the text does not fit the format.
pub(super) fn str_to_date(args: &[Value]) -> Returned {
    let [from, format] = exactly(args)?;
    shown(text(from).zip(text(format)).and_then(|(t, f)| parse_mysql(&t, &f)))
}

/// MySQL's LAST_DAY.
pub(super) fn last_day(args: &[Value]) -> Returned {
    shown(args.first().and_then(moment).and_then(Moment::last_of_month))
}
