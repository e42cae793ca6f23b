//! Tables whose best figures are found and marked.

use serde::{Deserialize, Serialize};

use super::finite;
use crate::number::shown;

/// Rows and columns of figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Table {
    /// What it shows; may be empty.
    pub caption: String,
    /// From left to right.
    pub columns: Vec<Column>,
    /// From top to bottom. A row with fewer cells than columns is filled up with empty ones; what is more than
    /// the columns is not shown.
    pub rows: Vec<Row>,
    /// Said below it.
    pub notes: Vec<String>,
}

/// What the cells of a column have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Where its cells stand.
    pub align: Align,
    /// Digits after the point of its numbers; whole numbers are grouped in thousands.
    pub digits: u8,
    /// What its numbers count, said once in the heading; may be empty.
    pub unit: String,
    /// Which number is the best one, where there is a best one.
    pub better: Option<Better>,
}

/// The side to which cells keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// As text does.
    Left,
    /// As numbers do.
    Right,
    /// In the middle.
    Centre,
}

/// Which of two numbers is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// As for accuracies.
    Higher,
    /// As for errors.
    Lower,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Row {
    /// One for each column.
    pub cells: Vec<Cell>,
    /// The row that the table is about, or its sum.
    pub emphasis: bool,
}

/// What stands in one place of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cell {
    /// Any text; may be empty.
    Text {
        /// As it is.
        text: String,
    },
    /// A figure.
    Number {
        /// The figure itself.
        #[serde(with = "finite")]
        #[schemars(with = "Option<f64>")]
        value: f64,
        /// The lower end of its interval.
        low: Option<f64>,
        /// The upper end of its interval.
        high: Option<f64>,
    },
    /// No figure, and why.
    Missing {
        /// As `one class only`; may be empty.
        reason: String,
    },
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: Vec<Column>) -> Table {
        Table { caption: caption.into(), columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// The table with a further row.
    #[must_use]
    pub fn with_row(mut self, cells: Vec<Cell>) -> Table {
        self.rows.push(Row { cells, emphasis: false });
        self
    }

    /// The table with a further row that stands out.
    #[must_use]
    pub fn with_emphasis(mut self, cells: Vec<Cell>) -> Table {
        self.rows.push(Row { cells, emphasis: true });
        self
    }

    /// The table with a further note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Table {
        self.notes.push(note.into());
        self
    }
}

impl Column {
    /// A column of texts.
    pub fn text(name: impl Into<String>) -> Column {
        Column { name: name.into(), align: Align::Left, digits: 0, unit: String::new(), better: None }
    }

    /// A column of numbers with so many digits after the point.
    pub fn number(name: impl Into<String>, digits: u8) -> Column {
        Column { name: name.into(), align: Align::Right, digits, unit: String::new(), better: None }
    }

    /// The column whose numbers count this.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Column {
        self.unit = unit.into();
        self
    }

    /// The column whose best number is marked.
    #[must_use]
    pub fn better(mut self, better: Better) -> Column {
        self.better = Some(better);
        self
    }

    /// The heading with the unit.
    pub(crate) fn heading(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.unit) }
    }
}

impl Cell {
    /// A number without an interval. What is no finite number is shown as missing.
    pub fn number(value: f64) -> Cell {
        Cell::Number { value, low: None, high: None }
    }

    /// A whole number.
    pub fn count(value: usize) -> Cell {
        Cell::number(value as f64)
    }

    /// A number with its interval.
    pub fn interval(value: f64, low: f64, high: f64) -> Cell {
        Cell::Number { value, low: Some(low), high: Some(high) }
    }

    /// No number, and why.
    pub fn missing(reason: impl Into<String>) -> Cell {
        Cell::Missing { reason: reason.into() }
    }

    /// The number, or why there is none.
    pub fn of(value: Option<f64>, reason: &str) -> Cell {
        value.map_or_else(|| Cell::missing(reason), Cell::number)
    }

    /// The text of a cell of this column, not yet made harmless.
    pub(crate) fn shown(&self, column: &Column) -> String {
        let digits = usize::from(column.digits);
        match self {
            Cell::Text { text } => text.clone(),
            Cell::Missing { reason } if reason.is_empty() => "n/a".into(),
            Cell::Missing { reason } => format!("n/a ({reason})"),
            Cell::Number { value, .. } if !value.is_finite() => "n/a".into(),
            Cell::Number { value, low: Some(low), high: Some(high) }
                if low.is_finite() && high.is_finite() =>
            {
                format!("{} [{}, {}]", shown(*value, digits), shown(*low, digits), shown(*high, digits))
            }
            Cell::Number { value, .. } => shown(*value, digits),
        }
    }

    /// The number by which cells are compared.
    pub(crate) fn value(&self) -> Option<f64> {
        match self {
            Cell::Number { value, .. } => Some(*value).filter(|v| v.is_finite()),
            Cell::Text { .. } | Cell::Missing { .. } => None,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text { text: text.into() }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text { text }
    }
}

/// Which cells of a table are the best of their columns.
pub(crate) struct BestCells {
    /// For each column the text of its best number.
    best: Vec<Option<String>>,
}

impl BestCells {
    /// The best number of each column that has one and at least two numbers. Numbers that read the same are
    /// equally good: a reader cannot tell them apart.
    pub(crate) fn of(table: &Table) -> BestCells {
        let best = |(i, column): (usize, &Column)| {
            let better = column.better?;
            let values: Vec<f64> =
                table.rows.iter().filter_map(|row| row.cells.get(i).and_then(Cell::value)).collect();
            let best = match better {
                Better::Higher => values.iter().copied().reduce(f64::max),
                Better::Lower => values.iter().copied().reduce(f64::min),
            };
            let digits = usize::from(column.digits);
            let text = best.map(|value| shown(value, digits))?;
            let all_alike = values.iter().all(|value| shown(*value, digits) == text);
            (!all_alike).then_some(text)
        };
        BestCells { best: table.columns.iter().enumerate().map(best).collect() }
    }

    /// Whether this cell of this column is marked.
    pub(crate) fn is(&self, column: usize, cell: &Cell, digits: u8) -> bool {
        match (self.best.get(column), cell.value()) {
            (Some(Some(best)), Some(value)) => shown(value, usize::from(digits)) == *best,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(better: Better, values: &[f64]) -> Vec<bool> {
        let column = Column::number("x", 2).better(better);
        let table = values
            .iter()
            .fold(Table::new("", vec![column]), |table, value| table.with_row(vec![Cell::number(*value)]));
        let best = BestCells::of(&table);
        table.rows.iter().map(|row| best.is(0, &row.cells[0], 2)).collect()
    }

    #[test]
    fn the_best_of_a_column_is_marked() {
        assert_eq!(marked(Better::Higher, &[0.1, 0.9, 0.5]), [false, true, false]);
        assert_eq!(marked(Better::Lower, &[0.1, 0.9, f64::NAN]), [true, false, false]);
        // Alike once rounded.
        assert_eq!(marked(Better::Higher, &[0.901, 0.899, 0.5]), [true, true, false]);
        // Nothing to choose from.
        assert_eq!(marked(Better::Higher, &[0.901, 0.899]), [false, false]);
        assert_eq!(marked(Better::Higher, &[]), [false; 0]);
    }

    #[test]
    fn cells_say_what_is_missing() {
        let column = Column::number("AUC", 3).unit("%");
        assert_eq!(Cell::of(None, "one class only").shown(&column), "n/a (one class only)");
        assert_eq!(Cell::number(f64::NAN).shown(&column), "n/a");
        assert_eq!(Cell::interval(0.9412, 0.93, 0.95).shown(&column), "0.941 [0.930, 0.950]");
        assert_eq!(Cell::count(12_345).shown(&Column::number("pairs", 0)), "12,345");
        assert_eq!(column.heading(), "AUC (%)");
    }
}
