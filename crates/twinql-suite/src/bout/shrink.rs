//! Fewer rows of a database, as long as it still shows what it shows.

use crate::database::Database;

/// A database that is being made smaller.
pub(crate) trait Shrinking {
    /// As small as it is so far.
    fn database(&self) -> &Database;

    /// Takes a smaller database in its place if that shows the same; false if it does not.
    fn keep(&mut self, smaller: Database) -> bool;

    /// True once no more should be tried.
    fn exhausted(&self) -> bool;

    /// Drops one row otherwise, where it cannot simply go; false if it stays.
    fn drop_otherwise(&mut self, _table: usize, _row: usize) -> bool {
        false
    }
}

/// Drops rows, in halves, quarters and so on of their tables and then one by one, until none can go.
pub(crate) fn drop_rows(shrinking: &mut dyn Shrinking) {
    loop {
        let mut dropped = false;
        for table in 0..shrinking.database().tables.len() {
            let mut size = shrinking.database().rows(table).len();
            while size > 0 {
                let mut end = shrinking.database().rows(table).len();
                while end > 0 && !shrinking.exhausted() {
                    let start = end.saturating_sub(size);
                    let smaller = shrinking.database().without_rows(table, start..end);
                    dropped |=
                        shrinking.keep(smaller) || (size == 1 && shrinking.drop_otherwise(table, start));
                    end = start;
                }
                size /= 2;
            }
        }
        if !dropped {
            return;
        }
    }
}
