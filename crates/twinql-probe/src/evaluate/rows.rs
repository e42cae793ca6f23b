//! Rows between two operators.

use twinql_sql::{ColumnId, Expr, Value};
use twinql_suite::compare::order;

use super::{Cell, Result, Stop};

/// A row, one value for each column.
pub(super) type Row<'d> = Vec<Cell<'d>>;

/// What the order of rows means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// Nothing.
    #[default]
    None,
    /// They stand as one table stores them: SQL promises nothing, and SQLite gives them so.
    Stored,
    /// They are sorted. A number for each row, the same for those that tie.
    Sorted(Vec<u32>),
}

/// What an operator gives.
#[derive(Debug, Clone, Default)]
pub struct Rows<'d> {
    /// The columns of each row.
    pub columns: Vec<ColumnId>,
    /// The rows.
    pub rows: Vec<Vec<Cell<'d>>>,
    /// What their order means.
    pub order: Order,
    /// SQL leaves open what some of the rows hold, and these are one choice: a limit cut a tie, a bare column had several
    /// values. Their number is certain, and so is the bag of what they hold in these columns. `None` where nothing is open.
    pub certain: Option<Vec<ColumnId>>,
}

/// True if two values are equal as group keys are: NULLs are one value.
pub(super) fn same(a: &Cell<'_>, b: &Cell<'_>) -> bool {
    order(a, b).is_eq()
}

/// True if two rows are equal, value by value.
pub(super) fn same_rows(a: &[Cell<'_>], b: &[Cell<'_>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y))
}

impl<'d> Rows<'d> {
    /// The number of each row's run of equal sort keys; where nothing is sorted, all rows are one run.
    pub(crate) fn run(&self, row: usize) -> Option<u32> {
        match &self.order {
            Order::Sorted(runs) => runs.get(row).copied(),
            Order::None | Order::Stored => Some(0),
        }
    }

    /// Whether what the rows hold in the column at this place is certain.
    pub fn is_certain(&self, place: usize) -> bool {
        let column = self.columns.get(place);
        self.certain.as_ref().is_none_or(|certain| column.is_some_and(|c| certain.contains(c)))
    }

    /// The values of all rows.
    pub fn to_values(&self) -> Vec<Vec<Value>> {
        let owned = |row: &Row<'d>| row.iter().map(|v| v.clone().into_owned()).collect();
        self.rows.iter().map(owned).collect()
    }

    /// Rows without an order.
    pub(super) fn bag(columns: Vec<ColumnId>, rows: Vec<Row<'d>>) -> Rows<'d> {
        Rows { columns, rows, ..Rows::default() }
    }

    /// The place of a column in each row.
    pub(super) fn place(&self, column: ColumnId) -> Option<usize> {
        self.columns.iter().position(|c| *c == column)
    }

    /// The rows seen through these columns, one of which may stand twice.
    pub(super) fn project(self, output: &[ColumnId]) -> Rows<'d> {
        if self.columns == output {
            return self;
        }
        let places: Vec<Option<usize>> = output.iter().map(|c| self.place(*c)).collect();
        let pick = |row: &Row<'d>| {
            places.iter().map(|p| p.and_then(|p| row.get(p).cloned()).unwrap_or(super::NULL)).collect()
        };
        let rows = self.rows.iter().map(pick).collect();
        Rows { columns: output.to_vec(), rows, order: self.order, certain: self.certain }
    }

    /// The rows, where nothing of them is open.
    pub(super) fn settled(self) -> Result<Rows<'d>> {
        match self.certain {
            None => Ok(self),
            Some(_) => Err(Stop::Undetermined),
        }
    }

    /// Whether what an expression gives over the rows is certain. Columns of rows around these are bound.
    pub(super) fn determines(&self, expr: &Expr) -> bool {
        let Some(certain) = &self.certain else { return true };
        expr.free_columns().iter().all(|c| certain.contains(c) || !self.columns.contains(c))
    }

    /// The columns in which the rows of each of these ties hold one value: what they hold is certain, whichever of the
    /// rows are taken, and in whatever order.
    pub(super) fn constant_in(&self, ties: &[Vec<usize>]) -> Vec<ColumnId> {
        let constant = |place: usize| {
            ties.iter().all(|tie| {
                let mut values = tie.iter().filter_map(|i| self.rows.get(*i)?.get(place));
                let first = values.next();
                values.all(|v| first.is_some_and(|first| same(first, v)))
            })
        };
        let columns = self.columns.iter().enumerate();
        columns.filter(|(place, _)| constant(*place)).map(|(_, column)| *column).collect()
    }

    /// Each row once. The order is lost, as it is in SQL.
    pub(super) fn distinct(mut self) -> Rows<'d> {
        self.rows.sort_by(compare_rows);
        self.rows.dedup_by(|a, b| same_rows(a, b));
        Rows { order: Order::None, ..self }
    }
}

/// A total order of rows in which equal rows tie.
pub(super) fn compare_rows(a: &Row<'_>, b: &Row<'_>) -> std::cmp::Ordering {
    let unequal = a.iter().zip(b).map(|(x, y)| order(x, y)).find(|o| o.is_ne());
    unequal.unwrap_or(std::cmp::Ordering::Equal)
}
