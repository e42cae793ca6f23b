//! Window functions over the default frame, over whole partitions and over numbers of rows.

use std::borrow::Cow;

use twinql_sql::{AggFunc, ColumnId, Rel, Value, WindowCall};

use super::aggregates::fold;
use super::relations::by_keys;
use super::rows::{Order, Row, compare_rows, same, same_rows};
use super::{Cell, Evaluator, NULL, Result, Rows, Stop};
use twinql_suite::compare::order;

/// Functions of windows alone.
#[cfg(test)]
pub(super) const WINDOWS: &[&str] = &twinql_sql::words![
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
];

/// A frame that is the whole partition, as plans write it.
const WHOLE: &str = "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";

/// Which rows of its partition a row sees.
#[derive(Clone, Copy)]
enum Frame {
    /// All.
    Whole,
    /// Those up to its last peer.
    Running,
    /// Those from one distance to another, counted from the row itself.
    Rows(i64, i64),
}

impl Frame {
    /// `None` for frames that are not known here.
    fn of(call: &WindowCall) -> Option<Frame> {
        let Some(frame) = &call.frame else {
            return Some(if call.order_by.is_empty() { Frame::Whole } else { Frame::Running });
        };
        if frame.ends_with(WHOLE) {
            return Some(Frame::Whole);
        }
        let (from, to) = frame.strip_prefix("ROWS BETWEEN ")?.split_once(" AND ")?;
        Some(Frame::Rows(distance(from)?, distance(to)?))
    }

    /// The places that a row at a place sees among so many.
    fn places(self, place: &Place) -> std::ops::Range<usize> {
        let own = (place.before + place.at) as i64;
        let at = |n: i64| usize::try_from(n).unwrap_or(0).min(place.of);
        match self {
            Frame::Whole => 0..place.of,
            Frame::Running => 0..place.before + place.group,
            Frame::Rows(from, to) => {
                at(own.saturating_add(from))..at(own.saturating_add(to).saturating_add(1))
            }
        }
    }
}

/// How far a bound of a frame lies from the row: `2 PRECEDING` is -2.
fn distance(bound: &str) -> Option<i64> {
    match bound.split_once(' ')? {
        ("UNBOUNDED", "PRECEDING") => Some(i64::MIN),
        ("UNBOUNDED", "FOLLOWING") => Some(i64::MAX),
        ("CURRENT", "ROW") => Some(0),
        (n, "PRECEDING") => n.parse::<i64>().ok()?.checked_neg(),
        (n, "FOLLOWING") => n.parse().ok(),
        _ => None,
    }
}

/// A row of a partition: its number among the input's rows, its sort keys, the call's arguments; whether the filter lets
/// it pass.
struct Member<'d> {
    row: usize,
    keys: Row<'d>,
    args: Row<'d>,
    passes: bool,
}

impl<'d> Evaluator<'d> {
    /// Adds a column for each call. Where rows tie, what a call gives is open: columns in which tied rows agree stay
    /// certain, whoever gets which number.
    pub(super) fn windows(
        &mut self,
        input: &'d Rel,
        calls: &'d [(ColumnId, WindowCall)],
    ) -> Result<Rows<'d>> {
        let mut rows = self.settled(input)?;
        let mut added: Vec<Row<'d>> = Vec::with_capacity(calls.len());
        let mut ties: Vec<Vec<Vec<usize>>> = Vec::with_capacity(calls.len());
        for (_, call) in calls {
            let (values, tied) = self.window(&rows, call)?;
            added.push(values);
            ties.push(tied);
        }
        for (i, row) in rows.rows.iter_mut().enumerate() {
            row.extend(added.iter().map(|values| values.get(i).cloned().unwrap_or(NULL)));
        }
        rows.columns.extend(calls.iter().map(|(c, _)| *c));
        // SQLite gives them partition by partition.
        rows.order = Order::None;
        if self.choice.is_none() && ties.iter().any(|tied| !tied.is_empty()) {
            let mut certain = rows.columns.clone();
            for ((column, call), tied) in calls.iter().zip(&ties) {
                let constant = rows.constant_in(tied);
                // Rows that tie share their numbers, whoever gets which.
                let own = |c: &ColumnId| c == column && call.func == "row_number";
                certain.retain(|c| constant.contains(c) || own(c));
            }
            rows.certain = Some(certain);
        }
        Ok(rows)
    }

    /// The value of one call for each row; and the rows that tie and differ, if the order among them says who gets which
    /// value.
    fn window(&mut self, rows: &Rows<'d>, call: &'d WindowCall) -> Result<(Row<'d>, Vec<Vec<usize>>)> {
        let frame = Frame::of(call).ok_or(Stop::Unsupported("window frame"))?;
        let keys = self.sort_values(rows, &call.order_by)?;
        let mut members: Vec<(Row<'d>, Member<'d>)> = Vec::with_capacity(rows.rows.len());
        for (i, (row, keys)) in rows.rows.iter().zip(keys).enumerate() {
            self.bind(&rows.columns, row);
            let partition = call.partition_by.iter().map(|e| self.expr(e)).collect::<Result<Row<'d>>>()?;
            let args = call.args.iter().map(|e| self.expr(e)).collect::<Result<Row<'d>>>()?;
            let passes = match &call.filter {
                Some(filter) => self.condition(filter)? == Some(true),
                None => true,
            };
            members.push((partition, Member { row: i, keys, args, passes }));
        }
        members.sort_by(|(a, x), (b, y)| {
            compare_rows(a, b).then_with(|| by_keys(&call.order_by, &x.keys, &y.keys))
        });
        let mut out = vec![NULL; rows.rows.len()];
        let mut ties = Vec::new();
        for partition in members.chunk_by(|(a, _), (b, _)| same_rows(a, b)) {
            let peers: Vec<&[(Row<'d>, Member<'d>)]> = partition
                .chunk_by(|(_, a), (_, b)| by_keys(&call.order_by, &a.keys, &b.keys).is_eq())
                .collect();
            let mut before = 0;
            for (number, group) in peers.iter().enumerate() {
                for (at, (_, member)) in group.iter().enumerate() {
                    let place = Place { before, at, group: group.len(), number, of: partition.len() };
                    let value = match rank(&call.func, &place)? {
                        Some(value) => Cow::Owned(value),
                        None => {
                            let seen = partition.get(frame.places(&place)).unwrap_or_default();
                            over(call, seen, partition, &place)?
                        }
                    };
                    if let Some(slot) = out.get_mut(member.row) {
                        *slot = value;
                    }
                }
                before += group.len();
            }
            let by_row = matches!(
                call.func.as_str(),
                "row_number" | "ntile" | "lag" | "lead" | "first_value" | "last_value" | "nth_value"
            );
            if by_row || matches!(frame, Frame::Rows(..)) {
                for group in &peers {
                    let tied: Vec<usize> = group.iter().map(|(_, m)| m.row).collect();
                    let mut all = tied.iter().filter_map(|i| rows.rows.get(*i));
                    let first = all.next();
                    if all.any(|row| first.is_some_and(|first| !same_rows(first, row))) {
                        ties.push(tied);
                    }
                }
            }
        }
        Ok((out, ties))
    }
}

/// Where a row stands in its partition.
struct Place {
    /// Rows before its peers.
    before: usize,
    /// Its number among its peers.
    at: usize,
    /// How many peers there are, itself counted.
    group: usize,
    /// How many groups of peers stand before.
    number: usize,
    /// Rows of the partition.
    of: usize,
}

/// Functions of a row's place alone.
fn rank(func: &str, place: &Place) -> Result<Option<Value>> {
    let share = |a: usize, b: usize| Value::Real((a as f64 / b as f64).into());
    Ok(Some(match func {
        "row_number" => Value::Integer((place.before + place.at + 1) as i64),
        "rank" => Value::Integer(place.before as i64 + 1),
        "dense_rank" => Value::Integer(place.number as i64 + 1),
        "cume_dist" => share(place.before + place.group, place.of),
        "percent_rank" if place.of < 2 => Value::Real(0.0.into()),
        "percent_rank" => share(place.before, place.of - 1),
        _ => return Ok(None),
    }))
}

/// The bucket, from 1, of the row at a place among so many: the first ones hold one more where they cannot all be alike.
fn bucket(at: usize, rows: usize, buckets: usize) -> usize {
    let (each, larger) = (rows / buckets, rows % buckets);
    let of_larger = larger * (each + 1);
    match at < of_larger {
        true => at / (each + 1) + 1,
        false => larger + (at - of_larger) / each.max(1) + 1,
    }
}

/// Functions of the rows of the frame, and of rows beside.
fn over<'d>(
    call: &WindowCall,
    frame: &[(Row<'d>, Member<'d>)],
    partition: &[(Row<'d>, Member<'d>)],
    place: &Place,
) -> Result<Cell<'d>> {
    let first_argument = |(_, m): &(Row<'d>, Member<'d>)| m.args.first().cloned().unwrap_or(NULL);
    let own = place.before + place.at;
    let argument = |at: usize| partition.get(own).and_then(|(_, m)| m.args.get(at));
    // SQLite ends a query with an error whose number is none above 0.
    let number = |at: usize| match argument(at).map(|v| &**v) {
        Some(Value::Integer(n)) if *n > 0 => usize::try_from(*n).map_err(|_| Stop::Failed),
        _ => Err(Stop::Failed),
    };
    let func = match call.func.as_str() {
        "count" => AggFunc::Count,
        "sum" => AggFunc::Sum,
        "avg" => AggFunc::Avg,
        "total" => AggFunc::Total,
        "min" => AggFunc::Min,
        "max" => AggFunc::Max,
        "group_concat" | "string_agg" => AggFunc::GroupConcat,
        "first_value" => return Ok(frame.first().map_or(NULL, first_argument)),
        "last_value" => return Ok(frame.last().map_or(NULL, first_argument)),
        "nth_value" => return Ok(frame.get(number(1)? - 1).map_or(NULL, first_argument)),
        "ntile" => return Ok(Cow::Owned(Value::Integer(bucket(own, place.of, number(0)?) as i64))),
        "lag" | "lead" => {
            let by = match argument(1).map(|v| &**v) {
                None => 1,
                Some(Value::Integer(n)) => usize::try_from(*n).map_err(|_| Stop::Unsupported("offset"))?,
                Some(_) => return Err(Stop::Unsupported("offset")),
            };
            let at = if call.func == "lag" { own.checked_sub(by) } else { own.checked_add(by) };
            let beyond = || argument(2).cloned().unwrap_or(NULL);
            return Ok(at.and_then(|at| partition.get(at)).map_or_else(beyond, first_argument));
        }
        _ => return Err(Stop::Unsupported("window function")),
    };
    let mut values: Vec<Cell<'d>> = frame
        .iter()
        .filter(|(_, m)| m.passes)
        .map(|m| if call.args.is_empty() { Cow::Owned(Value::Integer(1)) } else { first_argument(m) })
        .filter(|v| **v != Value::Null)
        .collect();
    if call.distinct {
        values.sort_by(|a, b| order(a, b));
        values.dedup_by(|a, b| same(a, b));
    }
    fold(&func, values)
}
