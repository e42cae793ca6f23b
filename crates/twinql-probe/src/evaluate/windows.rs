//! Window functions over the default frame, and over whole partitions.

use std::borrow::Cow;

use twinql_sql::{AggFunc, ColumnId, Rel, Value, WindowCall};

use super::aggregates::fold;
use super::relations::by_keys;
use super::rows::{Order, Row, compare_rows, same, same_rows};
use super::{Cell, Evaluator, NULL, Result, Rows, Stop};
use twinql_suite::compare::order;

/// A frame that is the whole partition, as plans write it.
const WHOLE: &str = "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";

/// A row of a partition: its number among the input's rows, its sort keys, the call's arguments; whether the filter lets
/// it pass.
struct Member<'d> {
    row: usize,
    keys: Row<'d>,
    args: Row<'d>,
    passes: bool,
}

impl<'d> Evaluator<'d> {
    pub(super) fn windows(
        &mut self,
        input: &'d Rel,
        calls: &'d [(ColumnId, WindowCall)],
    ) -> Result<Rows<'d>> {
        let mut rows = self.relation(input)?;
        let mut added: Vec<Row<'d>> = Vec::with_capacity(calls.len());
        for (_, call) in calls {
            added.push(self.window(&rows, call)?);
        }
        for (i, row) in rows.rows.iter_mut().enumerate() {
            row.extend(added.iter().map(|values| values.get(i).cloned().unwrap_or(NULL)));
        }
        rows.columns.extend(calls.iter().map(|(c, _)| *c));
        // SQLite gives them partition by partition.
        rows.order = Order::None;
        Ok(rows)
    }

    /// The value of one call for each row.
    fn window(&mut self, rows: &Rows<'d>, call: &'d WindowCall) -> Result<Row<'d>> {
        let running = match &call.frame {
            None => !call.order_by.is_empty(),
            Some(frame) if frame.ends_with(WHOLE) => false,
            Some(_) => return Err(Stop::Unsupported("window frame")),
        };
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
        for partition in members.chunk_by(|(a, _), (b, _)| same_rows(a, b)) {
            let peers: Vec<&[(Row<'d>, Member<'d>)]> = partition
                .chunk_by(|(_, a), (_, b)| by_keys(&call.order_by, &a.keys, &b.keys).is_eq())
                .collect();
            let mut before = 0;
            for (number, group) in peers.iter().enumerate() {
                let seen = if running { before + group.len() } else { partition.len() };
                for (at, (_, member)) in group.iter().enumerate() {
                    let place = Place { before, at, group: group.len(), number, of: partition.len() };
                    let value = match rank(&call.func, &place)? {
                        Some(value) => Cow::Owned(value),
                        None => over(call, partition.get(..seen).unwrap_or_default(), partition, &place)?,
                    };
                    if let Some(slot) = out.get_mut(member.row) {
                        *slot = value;
                    }
                }
                before += group.len();
            }
            // Rows that tie are told apart by nothing: they have to be the same rows, or to get the same value.
            if matches!(
                call.func.as_str(),
                "row_number" | "ntile" | "lag" | "lead" | "first_value" | "last_value" | "nth_value"
            ) {
                for group in &peers {
                    let row = |m: &Member<'d>| rows.rows.get(m.row);
                    let first = group.first().map(|(_, m)| m);
                    let alike = group.iter().all(|(_, m)| match (row(m), first.and_then(row)) {
                        (Some(a), Some(b)) => same_rows(a, b),
                        _ => true,
                    });
                    if !alike {
                        return Err(Stop::Undetermined);
                    }
                }
            }
        }
        Ok(out)
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
        "ntile" | "nth_value" => return Err(Stop::Unsupported("window function")),
        _ => return Ok(None),
    }))
}

/// Functions of the rows of the frame, and of rows beside.
fn over<'d>(
    call: &WindowCall,
    frame: &[(Row<'d>, Member<'d>)],
    partition: &[(Row<'d>, Member<'d>)],
    place: &Place,
) -> Result<Cell<'d>> {
    let first_argument = |(_, m): &(Row<'d>, Member<'d>)| m.args.first().cloned().unwrap_or(NULL);
    let func = match call.func.as_str() {
        "count" => AggFunc::Count,
        "sum" => AggFunc::Sum,
        "avg" => AggFunc::Avg,
        "total" => AggFunc::Total,
        "min" => AggFunc::Min,
        "max" => AggFunc::Max,
        "first_value" => return Ok(frame.first().map_or(NULL, first_argument)),
        "last_value" => return Ok(frame.last().map_or(NULL, first_argument)),
        "lag" | "lead" if call.args.len() <= 2 => {
            let own = place.before + place.at;
            let by = match partition.get(own).and_then(|(_, m)| m.args.get(1)).map(|v| &**v) {
                None => 1,
                Some(Value::Integer(n)) => usize::try_from(*n).map_err(|_| Stop::Unsupported("offset"))?,
                Some(_) => return Err(Stop::Unsupported("offset")),
            };
            let at = if call.func == "lag" { own.checked_sub(by) } else { own.checked_add(by) };
            return Ok(at.and_then(|at| partition.get(at)).map_or(NULL, first_argument));
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
