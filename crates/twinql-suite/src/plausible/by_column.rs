//! A value for some columns of a schema, by table and place: looked up for each cell of each row that is made.

use twinql_sql::ColumnRef;

/// Values by column.
#[derive(Debug, Clone)]
pub(super) struct ByColumn<T>(Vec<Vec<Option<T>>>);

impl<T> Default for ByColumn<T> {
    fn default() -> Self {
        ByColumn(Vec::new())
    }
}

impl<T> ByColumn<T> {
    pub(super) fn get(&self, at: ColumnRef) -> Option<&T> {
        self.0.get(at.table)?.get(at.column)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, at: ColumnRef) -> Option<&mut T> {
        self.0.get_mut(at.table)?.get_mut(at.column)?.as_mut()
    }

    /// Puts a value in the place of a column.
    pub(super) fn insert(&mut self, at: ColumnRef, value: T) {
        if self.0.len() <= at.table {
            self.0.resize_with(at.table + 1, Vec::new);
        }
        let Some(columns) = self.0.get_mut(at.table) else { return };
        if columns.len() <= at.column {
            columns.resize_with(at.column + 1, || None);
        }
        if let Some(place) = columns.get_mut(at.column) {
            *place = Some(value);
        }
    }

    /// All values with their columns, in the order of the columns.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ColumnRef, &T)> {
        self.0.iter().enumerate().flat_map(|(table, columns)| {
            let own = columns.iter().enumerate();
            own.filter_map(move |(column, value)| Some((ColumnRef { table, column }, value.as_ref()?)))
        })
    }

    /// The same, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (ColumnRef, &mut T)> {
        self.0.iter_mut().enumerate().flat_map(|(table, columns)| {
            let own = columns.iter_mut().enumerate();
            own.filter_map(move |(column, value)| Some((ColumnRef { table, column }, value.as_mut()?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_the_order_of_their_columns() {
        let at = |table, column| ColumnRef { table, column };
        let mut values = ByColumn::default();
        for (i, place) in [at(2, 1), at(0, 3), at(2, 0)].into_iter().enumerate() {
            values.insert(place, i);
        }
        assert_eq!(values.iter().map(|(c, v)| (c, *v)).collect::<Vec<_>>(), [(at(0, 3), 1), (at(2, 0), 2), (at(2, 1), 0)]);
        assert_eq!((values.get(at(2, 1)), values.get(at(1, 0)), values.get(at(2, 2))), (Some(&0), None, None));
        values.iter_mut().for_each(|(_, v)| *v += 1);
        assert_eq!(values.get_mut(at(0, 3)), Some(&mut 2));
    }
}
