//! Aggregates of other systems.

use std::cmp::Ordering;

use twinql_sql::Value;
use twinql_sql::temporal::Interval;

use super::{Returned, arrays, number, order, real, text, text_or_null};

/// The values of an argument that are not NULL.
fn values(rows: &[Vec<Value>], at: usize) -> Vec<&Value> {
    rows.iter().filter_map(|row| row.get(at)).filter(|v| **v != Value::Null).collect()
}

/// ARRAY_AGG: NULLs are elements too; over no rows there is no array.
pub(super) fn array_agg(rows: &[Vec<Value>]) -> Returned {
    if rows.is_empty() {
        return Ok(Value::Null);
    }
    Ok(arrays::of(rows.iter().filter_map(|row| row.first().cloned())))
}

fn spans(rows: &[Vec<Value>]) -> Vec<Interval> {
    values(rows, 0).into_iter().filter_map(text).filter_map(|t| Interval::parse(&t, None)).collect()
}

fn sum(spans: &[Interval]) -> Option<Interval> {
    let (first, rest) = spans.split_first()?;
    rest.iter().try_fold(*first, |total, span| total.plus(*span))
}

/// SUM of spans.
pub(super) fn interval_sum(rows: &[Vec<Value>]) -> Returned {
    text_or_null(sum(&spans(rows)).map(|s| s.to_string()))
}

/// AVG of spans.
pub(super) fn interval_avg(rows: &[Vec<Value>]) -> Returned {
    let spans = spans(rows);
    let mean = sum(&spans).and_then(|total| total.times(1.0 / spans.len() as f64));
    text_or_null(mean.map(|s| s.to_string()))
}

fn extreme(rows: &[Vec<Value>], wanted: Ordering) -> Returned {
    let mut best: Option<Interval> = None;
    for span in spans(rows) {
        if best.is_none_or(|b| span.compare(b) == wanted) {
            best = Some(span);
        }
    }
    text_or_null(best.map(|s| s.to_string()))
}

/// MIN of spans.
pub(super) fn interval_min(rows: &[Vec<Value>]) -> Returned {
    extreme(rows, Ordering::Less)
}

/// MAX of spans.
pub(super) fn interval_max(rows: &[Vec<Value>]) -> Returned {
    extreme(rows, Ordering::Greater)
}

fn sorted(rows: &[Vec<Value>], at: usize) -> Vec<&Value> {
    let mut list = values(rows, at);
    list.sort_by(|a, b| order(a, b));
    list
}

/// MODE: the most frequent value, of several the least.
pub(super) fn mode(rows: &[Vec<Value>]) -> Returned {
    let list = sorted(rows, 0);
    let mut best: Option<(usize, &Value)> = None;
    for run in list.chunk_by(|a, b| order(a, b) == Ordering::Equal) {
        if let Some(value) = run.first()
            && best.is_none_or(|(count, _)| run.len() > count)
        {
            best = Some((run.len(), value));
        }
    }
    Ok(best.map_or(Value::Null, |(_, value)| value.clone()))
}

/// The fraction that all rows give.
fn fraction(rows: &[Vec<Value>]) -> Result<f64, String> {
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
    let mut list: Vec<f64> = values(rows, 1).into_iter().filter_map(number).collect();
    list.sort_by(f64::total_cmp);
    let Some(last) = list.len().checked_sub(1) else {
        return Ok(Value::Null);
    };
    let place = at * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    let pair = list.get(low).zip(list.get(high));
    Ok(pair.map_or(Value::Null, |(l, h)| real(l + (h - l) * (place - place.floor()))))
}

fn discrete(list: &[&Value], at: f64) -> Value {
    let place = (at * list.len() as f64).ceil() as usize;
    list.get(place.saturating_sub(1)).map_or(Value::Null, |v| (*v).clone())
}

/// PERCENTILE_DISC: the first value at or past the fraction.
pub(super) fn percentile_disc(rows: &[Vec<Value>]) -> Returned {
    Ok(discrete(&sorted(rows, 1), fraction(rows)?))
}

/// PERCENTILE_DISC in descending order.
pub(super) fn percentile_disc_desc(rows: &[Vec<Value>]) -> Returned {
    let mut list = sorted(rows, 1);
    list.reverse();
    Ok(discrete(&list, fraction(rows)?))
}

/// The squared deviations' sum and the count.
fn deviations(rows: &[Vec<Value>]) -> (f64, usize) {
    let list: Vec<f64> = values(rows, 0).into_iter().filter_map(number).collect();
    let mean = list.iter().sum::<f64>() / list.len().max(1) as f64;
    (list.iter().map(|x| (x - mean).powi(2)).sum(), list.len())
}

fn variance(rows: &[Vec<Value>], sample: bool) -> Option<f64> {
    let (squares, count) = deviations(rows);
    let by = count.checked_sub(usize::from(sample)).filter(|n| *n > 0)?;
    Some(squares / by as f64)
}

/// VAR_POP.
pub(super) fn var_pop(rows: &[Vec<Value>]) -> Returned {
    Ok(variance(rows, false).map_or(Value::Null, real))
}

/// VAR_SAMP, VARIANCE.
pub(super) fn var_samp(rows: &[Vec<Value>]) -> Returned {
    Ok(variance(rows, true).map_or(Value::Null, real))
}

/// STDDEV_POP.
pub(super) fn stddev_pop(rows: &[Vec<Value>]) -> Returned {
    Ok(variance(rows, false).map_or(Value::Null, |v| real(v.sqrt())))
}

/// STDDEV_SAMP, STDDEV.
pub(super) fn stddev_samp(rows: &[Vec<Value>]) -> Returned {
    Ok(variance(rows, true).map_or(Value::Null, |v| real(v.sqrt())))
}

fn distinct_joined(rows: &[Vec<Value>], descending: bool) -> Returned {
    let mut list = sorted(rows, 0);
    list.dedup_by(|a, b| order(a, b) == Ordering::Equal);
    if descending {
        list.reverse();
    }
    let by = rows.first().and_then(|row| row.get(1)).and_then(text).unwrap_or_default();
    let parts: Vec<String> = list.into_iter().filter_map(text).collect();
    Ok(if parts.is_empty() { Value::Null } else { Value::Text(parts.join(&by)) })
}

/// STRING_AGG(DISTINCT x, separator), in order of x.
pub(super) fn string_agg_distinct(rows: &[Vec<Value>]) -> Returned {
    distinct_joined(rows, false)
}

/// STRING_AGG(DISTINCT x, separator ORDER BY x DESC).
pub(super) fn string_agg_distinct_desc(rows: &[Vec<Value>]) -> Returned {
    distinct_joined(rows, true)
}
