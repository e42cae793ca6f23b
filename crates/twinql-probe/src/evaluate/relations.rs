//! Relational operators.

use std::borrow::Cow;
use std::cmp::Ordering;

use twinql_sql::{BinaryOp, ColumnId, Direction, Expr, JoinKind, NullsOrder, Rel, SetOpKind, SortKey, Value};
use twinql_suite::compare::order;

use super::comparison::{Terms, nocase};
use super::numbers::applied;
use super::rows::{Order, Row, compare_rows, same_rows};
use super::{Cell, Choice, Evaluator, NULL, Result, Rows, Stop};

/// An equality of two columns that joins two rows: where each stands in its row, and how they are compared.
struct Link {
    row: usize,
    other: usize,
    terms: Terms,
}

impl Link {
    /// Whether it holds of two rows. As values are equal either way round, it does not matter which side was written first.
    fn joins(&self, row: &Row<'_>, other: &Row<'_>) -> bool {
        let values = row.get(self.row).zip(other.get(self.other));
        values.is_some_and(|(a, b)| self.terms.holds(BinaryOp::Eq, a, b) == Some(true))
    }
}

impl<'d> Evaluator<'d> {
    /// Sets the registers of a row's columns.
    pub(super) fn bind(&mut self, columns: &[ColumnId], row: &Row<'d>) {
        for (column, value) in columns.iter().zip(row) {
            self.set(*column, value.clone());
        }
    }

    /// The rows of a relation, under the rows that are bound around it.
    pub(super) fn relation(&mut self, rel: &'d Rel) -> Result<Rows<'d>> {
        let rows = match rel {
            Rel::Scan { table, columns } => self.scan(*table, columns)?,
            Rel::Values { columns, rows } => {
                let mut out = Vec::with_capacity(rows.len());
                for row in rows {
                    out.push(row.iter().map(|e| self.expr(e)).collect::<Result<Row<'d>>>()?);
                }
                Rows::bag(columns.clone(), out)
            }
            // A condition above a join may be one of the join.
            Rel::Filter { input, predicate } => {
                if let Rel::Join { inputs, on } = &**input {
                    return self.join(inputs, &on.iter().chain(predicate).collect::<Vec<_>>());
                }
                let mut rows = self.relation(input)?;
                if !predicate.iter().all(|conjunct| rows.determines(conjunct)) {
                    return Err(Stop::Undetermined);
                }
                let mut kept = Vec::with_capacity(rows.rows.len());
                for row in &rows.rows {
                    self.bind(&rows.columns, row);
                    kept.push(self.all(predicate)? == Some(true));
                }
                let mut keep = kept.iter();
                rows.rows.retain(|_| keep.next() == Some(&true));
                if let Order::Sorted(runs) = &mut rows.order {
                    let mut keep = kept.iter();
                    runs.retain(|_| keep.next() == Some(&true));
                }
                rows
            }
            Rel::Project { input, exprs } => self.projection(input, exprs)?,
            Rel::Join { inputs, on } => self.join(inputs, &on.iter().collect::<Vec<_>>())?,
            Rel::OuterJoin { kind, left, right, on } => self.outer_join(*kind, left, right, on)?,
            Rel::Aggregate { input, keys, calls } => self.aggregate(input, keys, calls)?,
            Rel::Distinct { input } => self.settled(input)?.distinct(),
            Rel::Sort { input, keys, limit, offset } => {
                let rows = self.relation(input)?;
                let rows = if keys.is_empty() { rows } else { self.sorted(rows, keys)? };
                let (limit, offset) = (self.count(limit.as_ref())?, self.count(offset.as_ref())?);
                let rows = cut(rows, limit, offset.unwrap_or(0));
                // One choice is asked for.
                if self.choice.is_some() { Rows { certain: None, ..rows } } else { rows }
            }
            Rel::SetOp { kind, all, left, right, columns } => {
                let (left, right) = (self.query(left)?.settled()?, self.query(right)?.settled()?);
                set_operation(*kind, *all, left, right, columns.clone())
            }
            Rel::Window { input, calls } => self.windows(input, calls)?,
            Rel::TableFunction { .. } => return Err(Stop::Unsupported("table function")),
            Rel::Recursive { .. } | Rel::RecursiveRef { .. } => return Err(Stop::Unsupported("recursion")),
        };
        self.step(rows.rows.len() + 1)?;
        Ok(rows)
    }

    /// The rows of a relation of which nothing is open.
    pub(super) fn settled(&mut self, rel: &'d Rel) -> Result<Rows<'d>> {
        self.relation(rel)?.settled()
    }

    /// The rows of a table, in the order in which they are stored, with the columns that something reads.
    fn scan(&mut self, table: usize, columns: &[(ColumnId, usize)]) -> Result<Rows<'d>> {
        let database = self.database;
        let Some(Some(rows)) = database.tables.get(table) else { return Err(Stop::Unsupported("table")) };
        let read: Vec<(ColumnId, usize)> =
            columns.iter().filter(|(c, _)| self.read.get(c.0 as usize) == Some(&true)).copied().collect();
        let cells = |row: &'d twinql_suite::database::Row| {
            read.iter().map(|(_, at)| row.get(*at).map_or(NULL, Cow::Borrowed)).collect()
        };
        let columns = read.iter().map(|(c, _)| *c).collect();
        let rows = match self.choice {
            Some(Choice::Last) => rows.iter().rev().map(cells).collect(),
            _ => rows.iter().map(cells).collect(),
        };
        Ok(Rows { columns, rows, order: Order::Stored, ..Rows::default() })
    }

    /// Each output over each row. Outputs that only pass columns on are moved and not computed, and they keep what is
    /// certain.
    fn projection(&mut self, input: &'d Rel, exprs: &'d [(ColumnId, Expr)]) -> Result<Rows<'d>> {
        let rows = self.relation(input)?;
        let columns: Vec<ColumnId> = exprs.iter().map(|(c, _)| *c).collect();
        // A subquery may give columns of the rows around it.
        let passed =
            |(c, e): &(ColumnId, Expr)| matches!(e, Expr::Column(of) if of == c && rows.place(*c).is_some());
        if exprs.iter().all(passed) {
            return Ok(rows.project(&columns));
        }
        let mut out = Vec::with_capacity(rows.rows.len());
        for row in &rows.rows {
            self.bind(&rows.columns, row);
            out.push(exprs.iter().map(|(_, e)| self.expr(e)).collect::<Result<Row<'d>>>()?);
        }
        let certain = rows.certain.is_some().then(|| {
            exprs.iter().filter(|(_, expr)| rows.determines(expr)).map(|(column, _)| *column).collect()
        });
        Ok(Rows { columns, rows: out, order: rows.order, certain })
    }

    /// An inner join by nested loops: each conjunct is tested as soon as all its columns are bound.
    fn join(&mut self, inputs: &'d [Rel], on: &[&'d Expr]) -> Result<Rows<'d>> {
        let mut sides = Vec::with_capacity(inputs.len());
        for input in inputs {
            sides.push(self.settled(input)?);
        }
        let mut tests: Vec<Vec<&'d Expr>> = vec![Vec::new(); sides.len()];
        for &conjunct in on {
            let free = conjunct.free_columns();
            let bound = |side: &Rows<'d>| side.columns.iter().any(|c| free.contains(c));
            // A conjunct that reads none of the sides is tested at the first: rows around the query may make it false.
            let last = sides.iter().rposition(bound).unwrap_or(0);
            if let Some(tests) = tests.get_mut(last) {
                tests.push(conjunct);
            }
        }
        let columns: Vec<ColumnId> = sides.iter().flat_map(|side| side.columns.iter().copied()).collect();
        let mut out: Vec<Row<'d>> = vec![Vec::new()];
        let mut bound: Vec<ColumnId> = Vec::with_capacity(columns.len());
        for (side, tests) in sides.iter().zip(&tests) {
            let before = std::mem::take(&mut out);
            self.step(before.len().saturating_mul(side.rows.len().max(1)))?;
            let links = self.links(&bound, &side.columns, tests);
            let tests = tests.get(links.len()..).unwrap_or_default();
            for row in &before {
                if !tests.is_empty() {
                    self.bind(&bound, row);
                }
                for other in &side.rows {
                    let mut holds = links.iter().all(|link| link.joins(row, other));
                    if !holds {
                        continue;
                    }
                    if !tests.is_empty() {
                        self.bind(&side.columns, other);
                        for test in tests {
                            holds = holds && self.condition(test)? == Some(true);
                        }
                    }
                    if holds {
                        out.push(row.iter().chain(other).cloned().collect());
                    }
                }
            }
            bound.extend(&side.columns);
        }
        Ok(Rows::bag(columns, out))
    }

    /// What the tests in front ask of two columns, one of the rows so far and one of the side to be joined. They come first
    /// anyway, and most pairs of rows end there.
    fn links(&self, bound: &[ColumnId], side: &[ColumnId], tests: &[&'d Expr]) -> Vec<Link> {
        let place = |columns: &[ColumnId], c: &ColumnId| columns.iter().position(|own| own == c);
        let link = |test: &&'d Expr| {
            let Expr::Binary { op: BinaryOp::Eq, left, right } = test else { return None };
            let (Expr::Column(a), Expr::Column(b)) = (&**left, &**right) else { return None };
            let terms = self.terms(left, right).ok()?;
            let [a, b] = [a, b].map(|c| (place(bound, c), place(side, c)));
            match (a, b) {
                ((Some(row), None), (None, Some(other))) | ((None, Some(other)), (Some(row), None)) => {
                    Some(Link { row, other, terms })
                }
                _ => None,
            }
        };
        tests.iter().map_while(link).collect()
    }

    /// A left or a full join. The whole of ON is tested for each two rows, for a row without a partner is padded only
    /// when all have been seen. (The planner writes a right join as a left one.)
    fn outer_join(
        &mut self,
        kind: JoinKind,
        left: &'d Rel,
        right: &'d Rel,
        on: &'d [Expr],
    ) -> Result<Rows<'d>> {
        let (left, right) = (self.settled(left)?, self.settled(right)?);
        self.step(left.rows.len().saturating_mul(right.rows.len()))?;
        let columns: Vec<ColumnId> = left.columns.iter().chain(&right.columns).copied().collect();
        let mut out = Vec::new();
        let mut met = vec![false; right.rows.len()];
        for row in &left.rows {
            self.bind(&left.columns, row);
            let mut partners = 0;
            for (other, met) in right.rows.iter().zip(&mut met) {
                self.bind(&right.columns, other);
                if self.all(on)? == Some(true) {
                    out.push(row.iter().chain(other).cloned().collect());
                    partners += 1;
                    *met = true;
                }
            }
            if partners == 0 {
                out.push(row.iter().cloned().chain(right.columns.iter().map(|_| NULL)).collect());
            }
        }
        if kind == JoinKind::Full {
            for (other, _) in right.rows.iter().zip(&met).filter(|(_, met)| !**met) {
                out.push(left.columns.iter().map(|_| NULL).chain(other.iter().cloned()).collect());
            }
        }
        Ok(Rows::bag(columns, out))
    }

    /// The values of sort keys over each row, in the order of the rows.
    pub(super) fn sort_values(&mut self, rows: &Rows<'d>, keys: &'d [SortKey]) -> Result<Vec<Row<'d>>> {
        let mut out = Vec::with_capacity(rows.rows.len());
        let folded = keys.iter().map(|k| nocase(&k.expr)).collect::<Result<Vec<_>>>()?;
        for row in &rows.rows {
            self.bind(&rows.columns, row);
            let mut values = Vec::with_capacity(keys.len());
            for (key, folded) in keys.iter().zip(&folded) {
                let value = self.expr(&key.expr)?;
                values.push(match (&*value, folded) {
                    (Value::Text(s), Some(true)) => Cow::Owned(Value::Text(s.to_ascii_lowercase())),
                    _ => value,
                });
            }
            out.push(values);
        }
        Ok(out)
    }

    /// Sorts rows stably, and numbers the runs of rows that tie, for LIMIT and the comparison ask which order was open.
    fn sorted(&mut self, rows: Rows<'d>, keys: &'d [SortKey]) -> Result<Rows<'d>> {
        let values = self.sort_values(&rows, keys)?;
        let mut order: Vec<usize> = (0..rows.rows.len()).collect();
        let at = |i: usize| values.get(i).map_or(&[][..], Vec::as_slice);
        order.sort_by(|a, b| by_keys(keys, at(*a), at(*b)));
        let mut runs = Vec::with_capacity(order.len());
        let mut run = 0;
        for (i, row) in order.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|j| order.get(j));
            run += u32::from(before.is_some_and(|b| by_keys(keys, at(*b), at(*row)).is_ne()));
            runs.push(run);
        }
        let sorted = order.iter().filter_map(|i| rows.rows.get(*i).cloned()).collect();
        Ok(Rows { rows: sorted, order: Order::Sorted(runs), ..rows })
    }

    /// The number that LIMIT or OFFSET names; `None` where there is none, or a negative one.
    fn count(&mut self, expr: Option<&'d Expr>) -> Result<Option<usize>> {
        let Some(expr) = expr else { return Ok(None) };
        match &*applied(&*self.expr(expr)?, twinql_sql::Affinity::Integer) {
            Value::Integer(n) => Ok(usize::try_from(*n).ok()),
            _ => Err(Stop::Unsupported("limit that is no number")),
        }
    }
}

/// How two rows with these values of the sort keys are ordered.
pub(super) fn by_keys(keys: &[SortKey], a: &[Cell<'_>], b: &[Cell<'_>]) -> Ordering {
    for (key, (x, y)) in keys.iter().zip(a.iter().zip(b)) {
        let nulls = match (**x == Value::Null, **y == Value::Null) {
            (true, true) => continue,
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (false, false) => None,
        };
        let decided = match (nulls, key.nulls, key.direction) {
            (Some(o), NullsOrder::First, _) => o,
            (Some(o), NullsOrder::Last, _) => o.reverse(),
            (None, _, Direction::Asc) => order(x, y),
            (None, _, Direction::Desc) => order(y, x),
        };
        if decided.is_ne() {
            return decided;
        }
    }
    Ordering::Equal
}

/// The rows that LIMIT and OFFSET leave. Where rows tie on both sides of a cut, it is open which of them are left.
fn cut(rows: Rows<'_>, limit: Option<usize>, offset: usize) -> Rows<'_> {
    let total = rows.rows.len();
    let start = offset.min(total);
    let end = limit.map_or(total, |n| start.saturating_add(n).min(total));
    if start == 0 && end == total {
        return rows;
    }
    let run = |i: usize| rows.run(i);
    let mut ties: Vec<Vec<usize>> = Vec::new();
    for at in [start, end] {
        if at == 0 || at == total || (start == end) {
            continue;
        }
        if run(at - 1) == run(at) {
            ties.push((0..total).filter(|i| run(*i) == run(at)).collect());
        }
    }
    // Of rows that were one choice before, the cut may take others.
    let certain = match rows.certain {
        Some(_) => Some(Vec::new()),
        None => Some(rows.constant_in(&ties)).filter(|constant| constant.len() < rows.columns.len()),
    };
    let Rows { columns, mut rows, mut order, .. } = rows;
    rows.truncate(end);
    rows.drain(..start);
    if let Order::Sorted(runs) = &mut order {
        runs.truncate(end);
        runs.drain(..start);
    }
    Rows { columns, rows, order, certain }
}

/// Rows are equal here as group keys are, so that NULLs match. With ALL each row on the right takes one away on the
/// left, or meets one there; without it both sides are sets first.
fn set_operation<'d>(
    kind: SetOpKind,
    all: bool,
    left: Rows<'d>,
    right: Rows<'d>,
    columns: Vec<ColumnId>,
) -> Rows<'d> {
    let (left, right) = if all || kind == SetOpKind::Union {
        (left.rows, right.rows)
    } else {
        (left.distinct().rows, right.distinct().rows)
    };
    let rows = match kind {
        SetOpKind::Union => {
            let rows = Rows::bag(columns, left.into_iter().chain(right).collect());
            return if all { rows } else { rows.distinct() };
        }
        SetOpKind::Intersect | SetOpKind::Except => {
            // Each row on the right meets one on the left.
            let mut others = right;
            others.sort_by(compare_rows);
            let mut used = vec![false; others.len()];
            let mut meets = |row: &Row<'d>| {
                let from = others.partition_point(|o| compare_rows(o, row).is_lt());
                let at = (from..others.len())
                    .take_while(|i| others.get(*i).is_some_and(|o| same_rows(o, row)))
                    .find(|i| used.get(*i) == Some(&false));
                if let Some(used) = at.and_then(|i| used.get_mut(i)) {
                    *used = true;
                }
                at.is_some()
            };
            let wanted = kind == SetOpKind::Intersect;
            left.into_iter().filter(|row| meets(row) == wanted).collect()
        }
    };
    Rows::bag(columns, rows)
}
