//! Things found by table and column.

use twinql_sql::ColumnRef;

/// Something of each of some columns. It is asked for at each cell of each row, so it is found by its place and not
/// searched for; walks go by table, then by column.
#[derive(Debug)]
pub(super) struct ByColumn<T> {
    tables: Vec<Vec<Option<T>>>,
}

impl<T> Default for ByColumn<T> {
    fn default() -> ByColumn<T> {
        ByColumn { tables: Vec::new() }
    }
}

impl<T> ByColumn<T> {
    /// What belongs to a column.
    pub(super) fn get(&self, at: ColumnRef) -> Option<&T> {
        self.tables.get(at.table)?.get(at.column)?.as_ref()
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, at: ColumnRef) -> Option<&mut T> {
        self.tables.get_mut(at.table)?.get_mut(at.column)?.as_mut()
    }

    /// Enters what belongs to a column of a schema.
    pub(super) fn insert(&mut self, at: ColumnRef, item: T) {
        if self.tables.len() <= at.table {
            self.tables.resize_with(at.table + 1, Vec::new);
        }
        let columns = &mut self.tables[at.table];
        if columns.len() <= at.column {
            columns.resize_with(at.column + 1, || None);
        }
        columns[at.column] = Some(item);
    }

    /// All columns that have something.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ColumnRef, &T)> {
        self.tables.iter().enumerate().flat_map(|(table, columns)| {
            let own = columns.iter().enumerate();
            own.filter_map(move |(column, item)| Some((ColumnRef { table, column }, item.as_ref()?)))
        })
    }

    /// The same, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (ColumnRef, &mut T)> {
        self.tables.iter_mut().enumerate().flat_map(|(table, columns)| {
            let own = columns.iter_mut().enumerate();
            own.filter_map(move |(column, item)| Some((ColumnRef { table, column }, item.as_mut()?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_in_order_and_gaps_are_left_out() {
        let at = |table, column| ColumnRef { table, column };
        let mut all = ByColumn::default();
        for (place, item) in [(at(2, 1), 'c'), (at(0, 3), 'a'), (at(2, 0), 'b')] {
            all.insert(place, item);
        }
        all.iter_mut().for_each(|(_, item)| *item = item.to_ascii_uppercase());
        assert_eq!(all.get(at(2, 0)), Some(&'B'));
        assert_eq!((all.get(at(0, 0)), all.get(at(1, 0)), all.get(at(9, 9))), (None, None, None));
        let listed: Vec<_> = all.iter().map(|(place, item)| (place.table, place.column, *item)).collect();
        assert_eq!(listed, [(0, 3, 'A'), (2, 0, 'B'), (2, 1, 'C')]);
    }
}
