//! Tables of text, of any length.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};

use anyhow::{Context as _, Result};

/// Columns as wide as their widest cell.
#[derive(Default)]
struct Widths(Vec<usize>);

impl Widths {
    /// Widens the columns for a row, whose cells are counted in characters.
    fn add(&mut self, row: &[String]) {
        if self.0.len() < row.len() {
            self.0.resize(row.len(), 0);
        }
        for (width, cell) in self.0.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }

    /// A line without its end: cells before `left` to the left, the others to the right.
    fn line(&self, row: &[String], left: usize) -> String {
        let cell = |(c, (cell, width)): (usize, (&String, &usize))| match c < left {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        };
        let cells: Vec<String> = row.iter().zip(&self.0).enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    }
}

/// A table of text, columns aligned: the first to the left, the others to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    aligned(rows, 1)
}

/// The same with all columns to the left.
pub(crate) fn left_table(rows: &[Vec<String>]) -> String {
    aligned(rows, usize::MAX)
}

/// Rows whose cells before `left` are aligned to the left, the others to the right.
fn aligned(rows: &[Vec<String>], left: usize) -> String {
    let mut widths = Widths::default();
    rows.iter().for_each(|row| widths.add(row));
    rows.iter().map(|row| widths.line(row, left) + "\n").collect()
}

/// A table whose rows come one after another. They wait, since the widths are known with the last one.
pub(crate) struct Table {
    /// Of the columns so far: they are known when the last row is.
    widths: Widths,
    rows: Waiting,
}

/// Lines that wait in a temporary file for what stands before them, since there may be more than fit in memory.
pub(crate) struct Waiting(BufWriter<File>);

impl Waiting {
    /// No lines yet.
    pub(crate) fn new() -> Result<Waiting> {
        Ok(Waiting(BufWriter::new(tempfile::tempfile().context(TEMPORARY)?)))
    }

    /// Adds one line, or several.
    pub(crate) fn add(&mut self, lines: &str) -> Result<()> {
        writeln!(self.0, "{lines}").context(TEMPORARY)
    }

    /// Hands out the lines, without their ends.
    pub(crate) fn lines(self) -> Result<impl Iterator<Item = Result<String>>> {
        let mut file = self.0.into_inner().map_err(|e| e.into_error()).context(TEMPORARY)?;
        file.seek(SeekFrom::Start(0)).context(TEMPORARY)?;
        Ok(BufReader::new(file).lines().map(|line| line.context(TEMPORARY)))
    }
}

/// What an error is about.
const TEMPORARY: &str = "a temporary file";

impl Table {
    /// An empty table.
    pub(crate) fn new() -> Result<Table> {
        Ok(Table { widths: Widths::default(), rows: Waiting::new()? })
    }

    /// Adds a row, as JSON, since a cell may hold any character.
    pub(crate) fn add(&mut self, row: &[String]) -> Result<()> {
        self.widths.add(row);
        self.rows.add(&serde_json::to_string(row)?)
    }

    /// Hands out the lines, each with its end.
    pub(crate) fn lines(self, write: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        for row in self.rows.lines()? {
            let row: Vec<String> = serde_json::from_str(&row?)?;
            write(&(self.widths.line(&row, 1) + "\n"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_rows_that_come_is_the_table_of_all() {
        let rows: Vec<Vec<String>> = [["id", "status"], ["é", "ok"], ["long one", ""]]
            .iter()
            .map(|row| row.map(String::from).to_vec())
            .collect();
        let mut growing = Table::new().unwrap();
        rows.iter().for_each(|row| growing.add(row).unwrap());
        let mut text = String::new();
        growing
            .lines(&mut |line| {
                text.push_str(line);
                Ok(())
            })
            .unwrap();
        assert_eq!(text, table(&rows));
        assert_eq!(text, "id        status\né             ok\nlong one\n");
    }
}
