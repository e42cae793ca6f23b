//! Soft F1: how much of the gold's answer a prediction's answer holds (BIRD Mini-Dev, `evaluation_f1.py`).
//!
//! A row's cells that match count as found, the prediction's other cells as superfluous and the gold's other
//! cells as missed, each as a share of the gold's columns. A row that has no partner counts as one.

use super::{Rows, assign};

/// What was found, what is superfluous and what is missed.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Tally {
    found: f64,
    superfluous: f64,
    missed: f64,
}

impl Tally {
    /// The harmonic mean of precision and recall.
    fn f1(self) -> f64 {
        let all = 2.0 * self.found + self.superfluous + self.missed;
        if all > 0.0 { 2.0 * self.found / all } else { 0.0 }
    }
}

/// As published: rows are paired as they come, and a cell is found if it occurs anywhere in the other row, however
/// often. So a right column that is repeated raises the score, and the order of rows counts where it means nothing.
pub(super) fn published(rows: &Rows) -> f64 {
    if rows.gold.is_empty() && rows.pred.is_empty() {
        return 1.0;
    }
    let mut tally = alone(rows.gold.len(), rows.pred.len());
    for (gold, pred) in rows.gold.iter().zip(&rows.pred) {
        let width = gold.len().max(1) as f64;
        let within =
            |cells: &[u32], others: &[u32]| cells.iter().filter(|c| others.contains(c)).count() as f64;
        let found = within(pred, gold);
        tally.found += found / width;
        tally.superfluous += (pred.len() as f64 - found) / width;
        tally.missed += (gold.len() as f64 - within(gold, pred)) / width;
    }
    tally.f1()
}

/// Repaired: a cell of the gold is found by one cell of the prediction at most, and rows are paired so that most
/// cells are found; one after the other only where the gold orders them.
pub(super) fn repaired(rows: &Rows, ordered: bool) -> f64 {
    if rows.gold.is_empty() && rows.pred.is_empty() {
        return 1.0;
    }
    let of_one = |rows: &[Vec<u32>]| {
        let sorted = |row: &Vec<u32>| {
            let mut row = row.clone();
            row.sort_unstable();
            row
        };
        rows.iter().map(sorted).collect::<Vec<_>>()
    };
    let (gold, pred) = (of_one(&rows.gold), of_one(&rows.pred));
    let pairs = gold.len().min(pred.len());
    let found = match ordered {
        true => gold.iter().zip(&pred).map(|(g, p)| assign::shared(g, p)).sum(),
        false => assign::most_shared(&gold, &pred),
    } as f64;
    // All rows of an answer have the same width.
    let width = |rows: &[Vec<u32>]| rows.first().map_or(1, Vec::len) as f64;
    let (columns, theirs) = (width(&gold).max(1.0), width(&pred));
    let mut tally = alone(gold.len(), pred.len());
    tally.found += found / columns;
    tally.superfluous += (pairs as f64 * theirs - found) / columns;
    tally.missed += (pairs as f64 * columns - found) / columns;
    tally.f1()
}

/// What rows without a partner count.
fn alone(gold: usize, pred: usize) -> Tally {
    Tally {
        found: 0.0,
        superfluous: pred.saturating_sub(gold) as f64,
        missed: gold.saturating_sub(pred) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(gold: &[&[u32]], pred: &[&[u32]]) -> Rows {
        let owned = |rows: &[&[u32]]| rows.iter().map(|r| r.to_vec()).collect();
        Rows { gold: owned(gold), pred: owned(pred) }
    }

    /// Checks both, to three digits.
    fn check(gold: &[&[u32]], pred: &[&[u32]], ordered: bool, wanted: [f64; 2]) {
        let rows = rows(gold, pred);
        let found = [published(&rows), repaired(&rows, ordered)];
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 5e-4, "{gold:?} {pred:?}: {found} and not {wanted}");
        }
    }

    #[test]
    fn a_repeated_right_column_raises_the_published_score_alone() {
        // Found ½, missed ½: 2 · ½ / (1 + ½).
        check(&[&[1, 2]], &[&[1]], false, [0.667, 0.667]);
        // Published: found 21 / 2. Repaired: found ½, superfluous 10, missed ½.
        check(&[&[1, 2]], &[&[1; 21]], false, [0.977, 0.087]);
        // One more copy already costs: found ½, superfluous ½, missed ½.
        check(&[&[1, 2]], &[&[1, 1]], false, [0.8, 0.5]);
        // What the gold repeats, the prediction may.
        check(&[&[1, 1]], &[&[1, 1]], false, [1.0, 1.0]);
    }

    #[test]
    fn the_order_of_rows_counts_where_the_gold_orders() {
        let (gold, turned): ([&[u32]; 2], [&[u32]; 2]) = ([&[1, 2], &[3, 4]], [&[3, 4], &[1, 2]]);
        check(&gold, &turned, false, [0.0, 1.0]);
        check(&gold, &turned, true, [0.0, 0.0]);
        check(&gold, &gold, true, [1.0, 1.0]);
        // Columns may stand in any order in both.
        check(&gold, &[&[2, 1], &[4, 3]], true, [1.0, 1.0]);
    }

    #[test]
    fn rows_without_a_partner_count_as_one() {
        // Found 1, missed 1.
        check(&[&[1], &[2]], &[&[1]], false, [0.667, 0.667]);
        // Found 1, superfluous 2.
        check(&[&[1]], &[&[1], &[2], &[3]], false, [0.5, 0.5]);
        check(&[], &[], false, [1.0, 1.0]);
        check(&[], &[&[1]], false, [0.0, 0.0]);
        check(&[&[1]], &[], false, [0.0, 0.0]);
        // One of three cells wrong: found ⅔, superfluous ⅓, missed ⅓.
        check(&[&[1, 2, 3]], &[&[1, 2, 9]], false, [0.667, 0.667]);
    }
}
