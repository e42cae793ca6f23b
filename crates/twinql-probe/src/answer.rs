//! Whether two evaluated answers agree.

use twinql_sql::Semantics;
use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::Answer;

use crate::evaluate::{Order, Rows};

/// What one database says of two answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// They are the same.
    Agree,
    /// They are not.
    Differ,
    /// Ties leave it open.
    Open,
}

/// Compares two answers as `semantics` says; `columns` carries what earlier databases say of their order.
pub fn compare(gold: &Rows<'_>, pred: &Rows<'_>, semantics: &Semantics, columns: &mut Columns) -> Said {
    let (ours, theirs) = (answer(gold), answer(pred));
    let unordered = Mode::new(semantics, false);
    let mode = Mode::new(semantics, matches!(gold.order, Order::Sorted(_)));
    let mut of_bags = columns.clone();
    if !equal(&ours, &theirs, unordered, &mut of_bags) {
        return Said::Differ;
    }
    *columns = of_bags;
    if !mode.as_list || ours.rows.iter().all(|row| Some(row) == ours.rows.first()) {
        return Said::Agree;
    }
    // Several orders are right, or SQL leaves to chance which one is given.
    if tied(gold, &ours) || tied(pred, &theirs) || pred.order == Order::None {
        return Said::Open;
    }
    let mut of_lists = columns.clone();
    if !equal(&ours, &theirs, mode, &mut of_lists) {
        return Said::Differ;
    }
    *columns = of_lists;
    Said::Agree
}

/// Whether rows tie by the sort keys that are not equal.
fn tied(rows: &Rows<'_>, answer: &Answer) -> bool {
    let Order::Sorted(runs) = &rows.order else { return false };
    let mut pairs = runs.windows(2).zip(answer.rows.windows(2));
    pairs.any(|(run, row)| matches!((run, row), ([a, b], [x, y]) if a == b && x != y))
}

fn answer(rows: &Rows<'_>) -> Answer {
    Answer { width: rows.columns.len(), rows: rows.to_values() }
}
