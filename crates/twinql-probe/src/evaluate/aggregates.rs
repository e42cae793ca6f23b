//! Grouping and aggregates.

use std::borrow::Cow;

use twinql_sql::{AggFunc, AggregateCall, ColumnId, Expr, Rel, SortKey, Value, order_inside};
use twinql_suite::compare::order;

use super::comparison::nocase;
use super::numbers::{real, summand, text};
use super::relations::by_keys;
use super::rows::{Row, compare_rows, same, same_rows};
use super::{Cell, Evaluator, NULL, Result, Rows, Stop};

impl<'d> Evaluator<'d> {
    /// Groups rows by sorting them, so that groups come in the order of their keys, as in SQLite. A call whose value is
    /// open does not end the evaluation: that column is uncertain, and the number of groups and all other columns still
    /// tell queries apart.
    pub(super) fn aggregate(
        &mut self,
        input: &'d Rel,
        keys: &'d [(ColumnId, Expr)],
        calls: &'d [(ColumnId, AggregateCall)],
    ) -> Result<Rows<'d>> {
        let rows = self.relation(input)?;
        // Of rows that are one choice, groups are certain where keys and arguments are.
        let arguments = |call: &'d AggregateCall| call.args.iter().chain(&call.filter);
        let mut read = keys.iter().map(|(_, e)| e).chain(calls.iter().flat_map(|(_, call)| arguments(call)));
        let bare = || calls.iter().any(|(_, call)| call.func == AggFunc::Bare);
        if rows.certain.is_some() && (bare() || !read.all(|e| rows.determines(e))) {
            return Err(Stop::Undetermined);
        }
        let mut grouped: Vec<(Row<'d>, &Row<'d>)> = Vec::with_capacity(rows.rows.len());
        for (_, key) in keys {
            if nocase(key)?.is_some() {
                return Err(Stop::Unsupported("collation of a group key"));
            }
        }
        for row in &rows.rows {
            self.bind(&rows.columns, row);
            let key = keys.iter().map(|(_, e)| self.expr(e)).collect::<Result<Row<'d>>>()?;
            grouped.push((key, row));
        }
        // Stable: the rows of a group keep their order.
        grouped.sort_by(|(a, _), (b, _)| compare_rows(a, b));
        let mut groups: Vec<&[(Row<'d>, &Row<'d>)]> =
            grouped.chunk_by(|(a, _), (b, _)| same_rows(a, b)).collect();
        // Without GROUP BY there is one row, also of an empty table.
        if keys.is_empty() && !calls.is_empty() && groups.is_empty() {
            groups.push(&[]);
        }
        let columns: Vec<ColumnId> =
            keys.iter().map(|(c, _)| *c).chain(calls.iter().map(|(c, _)| *c)).collect();
        // Calls of which SQL leaves open what they give.
        let mut open: Vec<ColumnId> = Vec::new();
        let mut out = Vec::with_capacity(groups.len());
        for group in groups {
            let members: Vec<&Row<'d>> = group.iter().map(|(_, row)| *row).collect();
            let mut row =
                group.first().map_or_else(|| keys.iter().map(|_| NULL).collect(), |(key, _)| key.clone());
            for (column, call) in calls {
                let value = if call.func == AggFunc::Bare {
                    self.bare(&rows.columns, &members, call, calls)
                } else if call.args.first().is_some_and(|e| call.represents(e)) {
                    self.bare(&rows.columns, &members, call, &[])
                } else if let AggFunc::Other(name) = &call.func {
                    let arguments = self.all_arguments(&rows.columns, &members, call)?;
                    self.in_its_order(name, &call.args, arguments).map(Cow::Owned)
                } else {
                    let arguments = self.arguments(&rows.columns, &members, call);
                    arguments.and_then(|arguments| fold(&call.func, arguments))
                };
                row.push(match value {
                    Err(Stop::Undetermined) => {
                        open.push(*column);
                        NULL
                    }
                    value => value?,
                });
            }
            out.push(row);
        }
        let certain =
            (!open.is_empty()).then(|| columns.iter().copied().filter(|c| !open.contains(c)).collect());
        Ok(Rows { certain, ..Rows::bag(columns, out) })
    }

    /// Makes this the row at hand; true if the filter of the call lets it pass.
    fn passes(&mut self, columns: &[ColumnId], row: &Row<'d>, call: &'d AggregateCall) -> Result<bool> {
        self.bind(columns, row);
        let Some(filter) = &call.filter else { return Ok(true) };
        Ok(self.condition(filter)? == Some(true))
    }

    /// The first argument of a call in each row of a group that its filter lets pass: NULLs left out, once each where the
    /// call is DISTINCT. `COUNT(*)` gets a 1 for each row.
    fn arguments(
        &mut self,
        columns: &[ColumnId],
        members: &[&Row<'d>],
        call: &'d AggregateCall,
    ) -> Result<Vec<Cell<'d>>> {
        let mut values = Vec::with_capacity(members.len());
        for row in members {
            if !self.passes(columns, row, call)? {
                continue;
            }
            let value = match call.args.first() {
                Some(arg) => self.expr(arg)?,
                None => Cow::Owned(Value::Integer(1)),
            };
            if *value != Value::Null {
                values.push(value);
            }
        }
        // MIN and MAX of several arguments are functions of one row and come here as such; what is left is not known.
        if call.args.len() > 1 && call.func != AggFunc::GroupConcat {
            return Err(Stop::Unsupported("aggregate of several arguments"));
        }
        if call.args.first().is_some_and(|e| matches!(e, Expr::Collate { .. })) {
            return tied(call, values);
        }
        if call.distinct {
            values.sort_by(|a, b| order(a, b));
            values.dedup_by(|a, b| same(a, b));
        }
        Ok(values)
    }

    /// All arguments of a call in each row of a group that its filter lets pass, once each where the call is DISTINCT.
    fn all_arguments(
        &mut self,
        columns: &[ColumnId],
        members: &[&Row<'d>],
        call: &'d AggregateCall,
    ) -> Result<Vec<Row<'d>>> {
        let mut rows = Vec::with_capacity(members.len());
        for row in members {
            if !self.passes(columns, row, call)? {
                continue;
            }
            rows.push(call.args.iter().map(|arg| self.expr(sorted_by(arg))).collect::<Result<Row<'d>>>()?);
        }
        if call.distinct {
            rows.sort_by(compare_rows);
            rows.dedup_by(|a, b| same_rows(a, b));
        }
        Ok(rows)
    }

    /// The value of an aggregate over the arguments in each row, in the order of those that are ORDER BY inside the call.
    fn in_its_order(&mut self, name: &str, args: &[Expr], mut rows: Vec<Row<'d>>) -> Result<Value> {
        let keys: Vec<SortKey> = args.iter().filter_map(order_inside).collect();
        if keys.is_empty() {
            return self.collected(name, args, &rows, false);
        }
        if keys.iter().any(|key| matches!(key.expr, Expr::Collate { .. })) {
            return Err(Stop::Unsupported("collation of an order in an aggregate"));
        }
        let values = args.len() - keys.len();
        let concatenates = name == "group_concat";
        if concatenates {
            rows.retain(|row| row.first().is_some_and(|v| **v != Value::Null));
        }
        let sorted = |a: &Row<'d>, b: &Row<'d>| {
            by_keys(&keys, a.get(values..).unwrap_or_default(), b.get(values..).unwrap_or_default())
        };
        rows.sort_by(sorted);
        let open = |two: &[Row<'d>]| match two {
            [a, b] => sorted(a, b).is_eq() && a.iter().zip(b).take(values).any(|(x, y)| !same(x, y)),
            _ => false,
        };
        if rows.windows(2).any(open) {
            return Err(Stop::Undetermined);
        }
        rows.iter_mut().for_each(|row| row.truncate(values));
        match concatenates {
            true => concatenated(&rows),
            false => self.collected(name, args.get(..values).unwrap_or_default(), &rows, true),
        }
    }

    /// A column that is neither a key nor aggregated: its value in the row of the only MIN or MAX, or in any row.
    fn bare(
        &mut self,
        columns: &[ColumnId],
        members: &[&Row<'d>],
        call: &'d AggregateCall,
        calls: &'d [(ColumnId, AggregateCall)],
    ) -> Result<Cell<'d>> {
        let extremes: Vec<&AggregateCall> =
            calls.iter().map(|(_, c)| c).filter(|c| c.func.is_extreme()).collect();
        let mut rows: Vec<&Row<'d>> = members.to_vec();
        if let [extreme] = extremes.as_slice()
            && let Some(of) = extreme.args.first()
        {
            // From which row SQLite takes the column where a filter leaves none is not documented.
            if extreme.filter.is_some() || matches!(of, Expr::Collate { .. }) {
                return Err(Stop::Undetermined);
            }
            let mut values = Vec::with_capacity(rows.len());
            for row in &rows {
                self.bind(columns, row);
                values.push(self.expr(of)?);
            }
            // Where all are NULL there is no extreme, and any row of the group may be taken.
            let known = values.iter().filter(|v| ***v != Value::Null);
            let best = match extreme.func {
                AggFunc::Min => known.min_by(|a, b| order(a, b)),
                _ => known.max_by(|a, b| order(a, b)),
            };
            if let Some(best) = best.cloned() {
                let mut at = values.iter();
                rows.retain(|_| at.next().is_some_and(|v| same(v, &best)));
            }
        }
        let Some(arg) = call.args.first() else { return Err(Stop::Unsupported("bare column")) };
        let mut found: Option<Cell<'d>> = None;
        for row in rows {
            self.bind(columns, row);
            let value = self.expr(arg)?;
            match &found {
                Some(first) if !same(first, &value) => return Err(Stop::Undetermined),
                Some(_) => {}
                None => found = Some(value),
            }
        }
        Ok(found.unwrap_or(NULL))
    }
}

/// Aggregates that [`fold`] knows, by their names in SQLite.
#[cfg(test)]
pub(super) const FOLDED: &[&str] =
    &["avg", "count", "group_concat", "max", "min", "string_agg", "sum", "total"];

/// The extreme of texts under a collation, as the one value that is left: open where several tie.
fn tied<'d>(call: &AggregateCall, mut values: Vec<Cell<'d>>) -> Result<Vec<Cell<'d>>> {
    let folds = call.args.first().map(nocase).transpose()?.flatten();
    if folds != Some(true) || !call.func.is_extreme() {
        return Err(Stop::Unsupported("collation of an argument"));
    }
    let folded = |value: &Cell<'d>| match &**value {
        Value::Text(text) => Value::Text(text.to_ascii_lowercase()),
        other => other.clone(),
    };
    let all = values.iter().map(folded);
    let best = match call.func {
        AggFunc::Min => all.min_by(order),
        _ => all.max_by(order),
    };
    values.retain(|value| best.as_ref() == Some(&folded(value)));
    match values.windows(2).all(|pair| matches!(pair, [a, b] if same(a, b))) {
        true => Ok(values),
        false => Err(Stop::Undetermined),
    }
}

/// What an argument that is an order inside a call sorts by; any other argument itself.
fn sorted_by(argument: &Expr) -> &Expr {
    match argument {
        Expr::Function { name: _, args } if order_inside(argument).is_some() => {
            args.first().unwrap_or(argument)
        }
        other => other,
    }
}

/// The texts of rows, one after the other, each but the first behind its row's separator.
fn concatenated(rows: &[Row<'_>]) -> Result<Value> {
    let mut all = String::new();
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            match row.get(1) {
                None => all.push(','),
                Some(separator) => all.push_str(&text(separator).unwrap_or_default()),
            }
        }
        let value = row.first().and_then(|value| text(value)).ok_or(Stop::Unsupported("a text of bytes"))?;
        all.push_str(&value);
    }
    Ok(if rows.is_empty() { Value::Null } else { Value::Text(all) })
}

/// An aggregate of values without NULLs.
pub(super) fn fold<'d>(func: &AggFunc, values: Vec<Cell<'d>>) -> Result<Cell<'d>> {
    Ok(match func {
        AggFunc::Count => Cow::Owned(Value::Integer(values.len() as i64)),
        AggFunc::Min => {
            values.into_iter().reduce(|a, b| if order(&b, &a).is_lt() { b } else { a }).unwrap_or(NULL)
        }
        AggFunc::Max => {
            values.into_iter().reduce(|a, b| if order(&b, &a).is_gt() { b } else { a }).unwrap_or(NULL)
        }
        AggFunc::Sum if values.is_empty() => NULL,
        AggFunc::Avg if values.is_empty() => NULL,
        AggFunc::Sum => Cow::Owned(sum(&values)?),
        AggFunc::Total => Cow::Owned(real(total(&values))),
        AggFunc::Avg => Cow::Owned(real(total(&values) / values.len() as f64)),
        AggFunc::GroupConcat => match values.as_slice() {
            [] => NULL,
            [value] => text(value).map_or(NULL, |of| Cow::Owned(Value::Text(of.into_owned()))),
            // SQL leaves the order of the values open, and an answer would depend on it.
            _ => return Err(Stop::Undetermined),
        },
        AggFunc::Bare | AggFunc::Other(_) => return Err(Stop::Unsupported("aggregate")),
    })
}

/// A sum with its rounding errors carried along, as SQLite sums (Kahan and Babuška; Neumaier 1974): equal numbers have
/// themselves as their mean.
fn total(values: &[Cell<'_>]) -> f64 {
    let (mut sum, mut error) = (0.0_f64, 0.0_f64);
    for number in values.iter().filter_map(|v| summand(v).as_f64()) {
        let next = sum + number;
        error += if sum.abs() > number.abs() { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    if error.is_finite() { sum + error } else { sum }
}

/// A whole number where all summands are.
fn sum(values: &[Cell<'_>]) -> Result<Value> {
    let mut whole: i64 = 0;
    for value in values {
        match summand(value) {
            Value::Integer(i) => whole = whole.checked_add(i).ok_or(Stop::Failed)?,
            _ => return Ok(real(total(values))),
        }
    }
    Ok(Value::Integer(whole))
}
