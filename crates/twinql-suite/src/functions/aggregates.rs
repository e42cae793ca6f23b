//! Aggregates of other systems.

use std::cmp::Ordering;
use std::collections::HashSet;

use twinql_sql::temporal::Interval;
use twinql_sql::{Direction, Value};

use super::{Returned, Stop, arrays, number, order, real, shown, text, whole};

/// One of a group's texts that a collation takes for the same: the first that comes.
pub(super) fn representative(rows: &[Vec<Value>]) -> Returned {
    Ok(rows.first().and_then(|row| row.first()).cloned().unwrap_or(Value::Null))
}

/// The values of an argument that are not NULL.
fn values(rows: &[Vec<Value>], at: usize) -> impl Iterator<Item = &Value> {
    rows.iter().filter_map(move |row| row.get(at)).filter(|v| **v != Value::Null)
}

/// ARRAY_AGG: NULLs are elements too; over no rows there is no array.
pub(super) fn array_agg(rows: &[Vec<Value>]) -> Returned {
    rows.first().map(|_| arrays::of(rows.iter().filter_map(|row| row.first()))).ok_or(Stop::Null)
}

fn spans(rows: &[Vec<Value>]) -> impl Iterator<Item = Interval> {
    values(rows, 0).filter_map(text).filter_map(|t| Interval::parse(&t, None))
}

fn sum(rows: &[Vec<Value>]) -> Option<Interval> {
    let mut spans = spans(rows);
    let first = spans.next()?;
    spans.try_fold(first, Interval::plus)
}

/// SUM of spans.
pub(super) fn interval_sum(rows: &[Vec<Value>]) -> Returned {
    shown(sum(rows))
}

/// AVG of spans.
pub(super) fn interval_avg(rows: &[Vec<Value>]) -> Returned {
    shown(sum(rows).and_then(|total| total.times(1.0 / spans(rows).count() as f64)))
}

/// MIN and MAX of spans; of equals the first.
pub(super) fn extreme(rows: &[Vec<Value>], wanted: Ordering) -> Returned {
    shown(spans(rows).reduce(|best, span| if span.compare(best) == wanted { span } else { best }))
}

fn sorted(rows: &[Vec<Value>], at: usize) -> Vec<&Value> {
    let mut list: Vec<&Value> = values(rows, at).collect();
    list.sort_by(|a, b| order(a, b));
    list
}

/// MODE: the most frequent value, of several the least.
pub(super) fn mode(rows: &[Vec<Value>]) -> Returned {
    let list = sorted(rows, 0);
    let runs = list.chunk_by(|a, b| order(a, b) == Ordering::Equal);
    let longest = runs.reduce(|best, run| if run.len() > best.len() { run } else { best });
    longest.and_then(|run| run.first()).map(|value| (*value).clone()).ok_or(Stop::Null)
}

/// The fraction that all rows give.
fn fraction(rows: &[Vec<Value>]) -> Result<f64, Stop> {
    let given = rows.first().and_then(|row| row.first()).and_then(number);
    match given {
        Some(f) if (0.0..=1.0).contains(&f) => Ok(f),
        _ if rows.is_empty() => Ok(0.0),
        _ => Err("a percentile lies between 0 and 1".into()),
    }
}

/// PERCENTILE_CONT: between the two nearest values.
pub(super) fn percentile_cont(rows: &[Vec<Value>]) -> Returned {
    let at = fraction(rows)?;
    let mut list: Vec<f64> = values(rows, 1).filter_map(number).collect();
    list.sort_by(f64::total_cmp);
    let place = at * list.len().checked_sub(1).ok_or(Stop::Null)? as f64;
    let pair = list.get(place.floor() as usize).zip(list.get(place.ceil() as usize));
    pair.map(|(low, high)| real(low + (high - low) * (place - place.floor()))).ok_or(Stop::Null)
}

/// PERCENTILE_DISC: the first value at or past the fraction, in ascending or descending order.
pub(super) fn percentile_disc(rows: &[Vec<Value>], descending: bool) -> Returned {
    let mut list = sorted(rows, 1);
    if descending {
        list.reverse();
    }
    let place = (fraction(rows)? * list.len() as f64).ceil() as usize;
    list.get(place.saturating_sub(1)).map(|v| (*v).clone()).ok_or(Stop::Null)
}

/// VAR_POP, or VAR_SAMP for a `sample`, whose squared deviations are divided by one less.
pub(super) fn variance(rows: &[Vec<Value>], sample: bool) -> Result<f64, Stop> {
    let list: Vec<f64> = values(rows, 0).filter_map(number).collect();
    let mean = list.iter().sum::<f64>() / list.len().max(1) as f64;
    let squares: f64 = list.iter().map(|x| (x - mean).powi(2)).sum();
    let by = list.len().checked_sub(usize::from(sample)).filter(|n| *n > 0);
    by.map(|by| squares / by as f64).ok_or(Stop::Null)
}

/// STRING_AGG(DISTINCT x, separator), in order of x or the other way round. PostgreSQL sorts where no order is said, too.
pub(super) fn distinct_joined(rows: &[Vec<Value>], direction: Direction) -> Returned {
    let mut list: Vec<&Value> = sorted(rows, 0);
    let mut seen: HashSet<&Value> = HashSet::new();
    list.retain(|value| seen.insert(value));
    if direction == Direction::Desc {
        list.reverse();
    }
    let by = rows.first().and_then(|row| row.get(1)).and_then(text).unwrap_or_default();
    let parts: Vec<String> = list.into_iter().filter_map(text).collect();
    parts.first().map(|_| Value::Text(parts.join(&by))).ok_or(Stop::Null)
}

/// The values of a group that SQLite tells apart, each once.
fn distinct(rows: &[Vec<Value>]) -> Vec<&Value> {
    let mut list = sorted(rows, 0);
    list.dedup_by(|a, b| order(a, b) == Ordering::Equal);
    list
}

/// COUNT(DISTINCT x), which SQLite has over no window.
pub(super) fn distinct_count(rows: &[Vec<Value>]) -> Returned {
    i64::try_from(distinct(rows).len()).map(Value::Integer).map_err(|_| "too many rows".into())
}

/// SUM(DISTINCT x): a whole number of whole numbers, as in SQLite.
pub(super) fn distinct_sum(rows: &[Vec<Value>]) -> Returned {
    let list = distinct(rows);
    list.first().ok_or(Stop::Null)?;
    let whole = |sum: i64, value: &&Value| match value {
        Value::Integer(i) => sum.checked_add(*i).ok_or(Stop::Error("integer overflow".to_owned())).map(Some),
        _ => Ok(None),
    };
    let mut sum = 0;
    for value in &list {
        match whole(sum, value)? {
            Some(next) => sum = next,
            None => return Ok(real(list.iter().map(|v| number(v).unwrap_or(0.0)).sum())),
        }
    }
    Ok(Value::Integer(sum))
}

/// AVG(DISTINCT x).
pub(super) fn distinct_average(rows: &[Vec<Value>]) -> Returned {
    let list = distinct(rows);
    list.first().ok_or(Stop::Null)?;
    Ok(real(list.iter().map(|v| number(v).unwrap_or(0.0)).sum::<f64>() / list.len() as f64))
}

/// The value of the first argument at the greatest or the least of the second; of equals the first. Rows in which the second is
/// NULL do not count.
pub(super) fn value_at(rows: &[Vec<Value>], wanted: Ordering) -> Returned {
    let pairs = rows.iter().filter_map(|row| match row.as_slice() {
        [value, by] if *by != Value::Null => Some((value, by)),
        _ => None,
    });
    let best = pairs.reduce(|best, pair| if order(pair.1, best.1) == wanted { pair } else { best });
    best.map(|(value, _)| value.clone()).ok_or(Stop::Null)
}

/// The n-th value that is no NULL, from the first or from the `last`: value functions of windows that ignore NULLs.
pub(super) fn present(rows: &[Vec<Value>], last: bool) -> Returned {
    let place = rows.first().and_then(|row| row.get(1)).and_then(whole).and_then(|n| usize::try_from(n).ok());
    let before = place.and_then(|n| n.checked_sub(1)).ok_or(Stop::Null)?;
    let found = match last {
        true => rows.iter().rev().filter_map(|row| row.first()).filter(|v| **v != Value::Null).nth(before),
        false => values(rows, 0).nth(before),
    };
    found.cloned().ok_or(Stop::Null)
}

/// BIT_AND, BIT_OR, BIT_XOR of whole numbers.
pub(super) fn bits(rows: &[Vec<Value>], of: fn(i64, i64) -> i64) -> Returned {
    values(rows, 0).filter_map(whole).reduce(of).map(Value::Integer).ok_or(Stop::Null)
}
