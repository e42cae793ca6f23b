//! What a new row repeats: columns of its parents and of its siblings, and the year of a date.

use twinql_sql::{ColumnRef, ForeignKey, Value};

use super::Draft;
use crate::database::{Row, store};
use crate::dice::Dice;
use crate::plausible::form::Form;
use crate::plausible::regularity::Regularity;

impl Draft<'_> {
    /// The cells of a parent that the child, as far as it is known, repeats, where there are some.
    pub(super) fn repeated(
        &self,
        table: usize,
        reference: &ForeignKey,
        cells: &[Option<Value>],
    ) -> Option<Vec<(usize, Value)>> {
        if !self.mood.has(Regularity::CopiedColumns) {
            return None;
        }
        let known = cells.iter().enumerate().filter_map(|(column, value)| {
            let from = self.portraits.get(ColumnRef { table, column })?.copied?;
            (from.table == reference.target).then_some((from.column, value.clone()?))
        });
        Some(known.collect()).filter(|known: &Vec<_>| !known.is_empty())
    }

    /// Copies what a child repeats of its parents.
    pub(super) fn copy(&self, table: usize, parents: &[(usize, usize)], cells: &mut [Option<Value>]) {
        if !self.mood.has(Regularity::CopiedColumns) {
            return;
        }
        for (column, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| cell.is_none()) {
            let from = self.portraits.get(ColumnRef { table, column }).and_then(|p| p.copied);
            let parent = from.and_then(|f| parents.iter().find(|(t, _)| *t == f.table));
            if let (Some(from), Some((_, row))) = (from, parent) {
                *cell = self.rows[from.table].get(*row).and_then(|r| r.get(from.column)).cloned();
            }
        }
    }

    /// Has years that stand beside a date be those of the date. What is given stays.
    pub(super) fn agree(&self, table: usize, row: &mut Row, drawn: &[bool], dice: &mut Dice) {
        if !self.mood.has(Regularity::AgreeingDates) {
            return;
        }
        for column in 0..row.len() {
            let portrait = self.portraits.get(ColumnRef { table, column });
            let Some((portrait, date)) = portrait.and_then(|p| Some((p, p.part_of?))) else { continue };
            let to = ColumnRef { table, column: date };
            let Some(dated) = self.portraits.get(to) else { continue };
            let Some((form, moment)) = row.get(date).and_then(Form::of) else { continue };
            match (drawn.get(column), drawn.get(date), row.get(column).and_then(Form::of)) {
                // Years are spread wider than dates are, unless a query asks for some.
                (_, Some(true), Some((_, year)))
                    if dated.moments.is_empty() || drawn.get(column) == Some(&false) =>
                {
                    let moved = form.write((year.0, moment.1, moment.2, moment.3), dice);
                    row[date] = store(moved, dated.affinity);
                }
                (Some(true), ..) => row[column] = store(Value::Integer(moment.0), portrait.affinity),
                _ => {}
            }
        }
    }

    /// Copies what all children of a parent share from an earlier one.
    pub(super) fn stick(&self, table: usize, cells: &mut [Option<Value>], dice: &mut Dice) {
        let Some(spread) = self.spreads.get(&table).filter(|s| !s.sticky.is_empty()) else { return };
        let Some(reference) = self.portraits.references(table).first() else { return };
        let key: Option<Vec<(usize, Value)>> =
            reference.columns.iter().map(|&c| Some((c, cells.get(c)?.clone()?))).collect();
        let Some(sibling) = key.and_then(|key| self.find(table, &key)).and_then(|i| self.rows[table].get(i))
        else {
            return;
        };
        for &(column, share) in &spread.sticky {
            if let (Some(cell @ None), Some(value)) = (cells.get_mut(column), sibling.get(column))
                && dice.chance(share)
            {
                *cell = Some(value.clone());
            }
        }
    }
}
