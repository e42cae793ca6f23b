//! The last touches to a plausible database: records, and the order of rows.

use twinql_sql::{ColumnRef, Value};

use super::Draft;
use crate::database::{Database, Row, project};
use crate::dice::Dice;
use crate::plausible::content::Content;
use crate::plausible::portrait::Portrait;
use crate::plausible::regularity::Regularity;
use crate::plausible::words::words;

/// Whether a column of numbers is called a rank.
fn is_rank(name: &str) -> bool {
    words(name).iter().any(|w| matches!(w.as_str(), "rank" | "ranking" | "position" | "place" | "standing"))
}

/// Whether so many rows have to share what whole numbers there are in a range.
fn is_narrow(range: f64, rows: usize) -> bool {
    range * 2.0 < rows as f64
}

impl Draft<'_> {
    /// The rows as a database: in the order of their ids where they have some.
    pub(in crate::plausible) fn finish(mut self, dice: &mut Dice) -> Database {
        self.cap();
        self.clear_extremes();
        self.rank_rows();
        let mut tables: Vec<Option<Vec<Row>>> = vec![None; self.schema.tables.len()];
        for &table in self.tables {
            let mut rows = std::mem::take(&mut self.rows[table]);
            let serial = (0..self.schema.tables[table].columns.len()).find(|&column| {
                self.portraits
                    .get(ColumnRef { table, column })
                    .is_some_and(|p| p.unique && p.content == Content::Id)
            });
            match serial {
                Some(column) => rows.sort_by(|a, b| a.get(column).cmp(&b.get(column))),
                None => dice.shuffle(&mut rows),
            }
            if let Some(place) = tables.get_mut(table) {
                *place = Some(rows);
            }
        }
        Database { tables }
    }

    /// Has constants that stand for the largest value of a column be that.
    fn cap(&mut self) {
        if !self.mood.has(Regularity::KnownExtremes) {
            return;
        }
        let capped = self.portraits.columns.iter().filter_map(|(at, p)| Some((at, p.top?)));
        let capped: Vec<(ColumnRef, f64)> = capped.filter(|(at, _)| !self.is_bound(*at)).collect();
        for (at, top) in capped {
            let number = |row: &Row| row.get(at.column).and_then(Value::as_f64);
            let rows = &mut self.rows[at.table];
            let largest = rows.iter().filter_map(number).fold(f64::MIN, f64::max);
            for row in rows.iter_mut() {
                let Some(n) = number(row).filter(|&n| n > top || n == largest && largest < top) else {
                    continue;
                };
                // The largest becomes the constant, and what is beyond that goes as far below.
                let n = if n == largest { top } else { top - (n - top) };
                if let Some(cell) = row.get_mut(at.column) {
                    *cell = match &*cell {
                        Value::Integer(_) => Value::Integer(n as i64),
                        Value::Real(_) => Value::Real(n.into()),
                        other => other.clone(),
                    };
                }
            }
        }
    }

    /// Has ranks follow the measure beside them that a query sorts by: whoever has the most points is first. What a query
    /// tests stays where it is, and the other column moves.
    fn rank_rows(&mut self) {
        if !self.mood.has(Regularity::RankedRows) {
            return;
        }
        for &table in self.tables {
            let Some(definition) = self.schema.tables.get(table) else { continue };
            let at = |column| ColumnRef { table, column };
            let columns = || 0..definition.columns.len();
            let rank = columns().find(|&c| is_rank(&definition.columns[c].name) && !self.is_bound(at(c)));
            let measure = columns().find(|&c| {
                let sorts =
                    |p: &Portrait| p.ranked && !matches!(p.content, Content::Moment(_) | Content::Year);
                Some(c) != rank && self.portraits.get(at(c)).is_some_and(sorts) && !self.is_bound(at(c))
            });
            let (Some(rank), Some(measure)) = (rank, measure) else { continue };
            let number = |row: &Row, c: usize| row.get(c).and_then(Value::as_f64);
            let mut places = Vec::new();
            for (place, row) in self.rows[table].iter().enumerate() {
                if let (Some(rank), Some(measure)) = (number(row, rank), number(row, measure)) {
                    places.push((place, rank, measure));
                }
            }
            let tested = self.portraits.get(at(rank)).is_some_and(Portrait::is_tested);
            let mut moved = places.clone();
            places.sort_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
            moved.sort_by(|(_, _, a), (_, _, b)| b.total_cmp(a));
            let (column, to, from) = if tested { (measure, places, moved) } else { (rank, moved, places) };
            let values: Vec<Option<Value>> =
                from.iter().map(|&(place, ..)| self.rows[table].get(place)?.get(column).cloned()).collect();
            for ((place, ..), value) in to.into_iter().zip(values) {
                let cell = self.rows[table].get_mut(place).and_then(|row| row.get_mut(column));
                if let (Some(cell), Some(value)) = (cell, value) {
                    *cell = value;
                }
            }
        }
    }

    /// Moves all but one of the rows that share a column's largest or smallest number off it, where it is to be
    /// clear; makes a tie elsewhere.
    fn clear_extremes(&mut self) {
        let ranked: Vec<ColumnRef> = self
            .supplies
            .iter()
            .map(|(at, _)| at)
            .filter(|&at| {
                self.portraits
                    .get(at)
                    .is_some_and(|p| p.ranked && !matches!(p.content, Content::Moment(_) | Content::Year))
                    && !self.is_bound(at)
            })
            .collect();
        for at in ranked {
            for largest in [true, false] {
                let numbers = || self.rows[at.table].iter().filter_map(|r| r.get(at.column)?.as_f64());
                let [low, high] = [numbers().fold(f64::MAX, f64::min), numbers().fold(f64::MIN, f64::max)];
                let extreme = if largest { high } else { low };
                let narrow = is_narrow(high - low, numbers().count()) && numbers().all(|n| n.fract() == 0.0);
                if !self.clear_extreme(at, largest, narrow) {
                    self.tie(at, extreme);
                    continue;
                }
                // Children of one parent may share the record.
                let parent = self.portraits.references(at.table).first().map_or(&[][..], |r| &r.columns);
                let mut holder: Option<Vec<Value>> = None;
                for row in &mut self.rows[at.table] {
                    if row.get(at.column).and_then(Value::as_f64) != Some(extreme) {
                        continue;
                    }
                    let own = project(row, parent);
                    match &holder {
                        Some(holder) if parent.is_empty() || *holder != own || self.mood.tidy => {}
                        Some(_) => continue,
                        None => {
                            holder = Some(own);
                            continue;
                        }
                    }
                    let Some(cell) = row.get_mut(at.column) else { continue };
                    let step = if largest { -1 } else { 1 };
                    *cell = match &*cell {
                        Value::Integer(n) => Value::Integer(n.saturating_add(step)),
                        Value::Real(r) => Value::Real((r.0 + step as f64).into()),
                        other => other.clone(),
                    };
                }
            }
        }
    }
}
