//! The last touches to a plausible database: records, and the order of rows.

use twinql_sql::{ColumnRef, Value};

use super::Draft;
use crate::database::{Database, Row, project};
use crate::dice::Dice;
use crate::plausible::content::Content;

impl Draft<'_> {
    /// The rows as a database: in the order of their ids where they have some.
    pub(in crate::plausible) fn finish(mut self, dice: &mut Dice) -> Database {
        self.clear_extremes();
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

    /// Moves all but one of the rows that share a column's largest or smallest number off it, where it is to be
    /// clear; makes a tie where a profile has one.
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
                let Some(clear) = self.clear_extreme(at, largest) else { continue };
                let numbers = self.rows[at.table].iter().filter_map(|r| r.get(at.column)?.as_f64());
                let extreme =
                    if largest { numbers.fold(f64::MIN, f64::max) } else { numbers.fold(f64::MAX, f64::min) };
                if !clear {
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
