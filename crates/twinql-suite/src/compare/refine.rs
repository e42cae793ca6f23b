//! Rows told apart by the columns that are matched so far.
//!
//! Columns with the same values look alike one by one. What tells them apart is how their
//! values stand together in rows: after each matched pair of columns, rows that agree on all
//! matched columns form a class, and every class needs as many rows in the one answer as in
//! the other (or some in both, for sets). So a wrong match shows at once, not after all orders
//! of the remaining columns were tried: the refinement of partitions that tests of graph
//! isomorphism use.

use std::collections::HashMap;

/// The classes of both answers' rows for the columns matched so far.
pub(super) struct Classes {
    gold: Columnar,
    pred: Columnar,
    as_set: bool,
    /// Classes of the rows of both, before each match.
    stack: Vec<(Vec<u32>, Vec<u32>)>,
}

/// One answer, by column.
struct Columnar {
    /// By column and row.
    columns: Vec<Vec<u32>>,
}

impl Classes {
    /// From the rows of both answers, their values as numbers.
    pub(super) fn new(gold: &[Vec<u32>], pred: &[Vec<u32>], width: usize, as_set: bool) -> Classes {
        let columnar = |rows: &[Vec<u32>]| Columnar {
            columns: (0..width)
                .map(|c| rows.iter().map(|r| r.get(c).copied().unwrap_or(0)).collect())
                .collect(),
        };
        Classes {
            stack: vec![(vec![0; gold.len()], vec![0; pred.len()])],
            gold: columnar(gold),
            pred: columnar(pred),
            as_set,
        }
    }

    /// Matches a column of the gold with one of the prediction; false, and nothing is
    /// changed, if no order of columns with this match can make the answers equal.
    pub(super) fn push(&mut self, gold: usize, pred: usize) -> bool {
        let Some((gold_classes, pred_classes)) = self.stack.last() else {
            return false;
        };
        let (Some(gold), Some(pred)) = (self.gold.columns.get(gold), self.pred.columns.get(pred)) else {
            return false;
        };
        // The number of each class, and its rows in the gold and in the prediction.
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let mut rows: Vec<[u32; 2]> = Vec::new();
        let mut refined = |classes: &[u32], values: &[u32], side: usize| -> Vec<u32> {
            let pairs = classes.iter().copied().zip(values.iter().copied());
            pairs
                .map(|pair| {
                    let class = *known.entry(pair).or_insert(rows.len() as u32);
                    if class as usize == rows.len() {
                        rows.push([0, 0]);
                    }
                    if let Some(count) = rows.get_mut(class as usize).and_then(|r| r.get_mut(side)) {
                        *count += 1;
                    }
                    class
                })
                .collect()
        };
        let next = (refined(gold_classes, gold, 0), refined(pred_classes, pred, 1));
        let as_set = self.as_set;
        let balanced = rows.iter().all(|[g, p]| g == p || (as_set && *g > 0 && *p > 0));
        if balanced {
            self.stack.push(next);
        }
        balanced
    }

    /// Takes the last match back.
    pub(super) fn pop(&mut self) {
        self.stack.pop();
    }
}

#[cfg(test)]
mod tests {
    use twinql_sql::{Semantics, Value};

    use crate::compare::{Columns, Mode, equal};
    use crate::execute::Answer;

    /// Columns that hold the same values, each in other rows: column `c` holds in row `r`
    /// what `of(c, r)` says, the same bag for every column.
    fn answer(order: &[usize], rows: usize, of: &dyn Fn(usize, usize) -> i64) -> Answer {
        Answer {
            width: order.len(),
            rows: (0..rows).map(|r| order.iter().map(|&c| Value::Integer(of(c, r))).collect()).collect(),
        }
    }

    #[test]
    fn columns_with_the_same_values() {
        let rows = 37;
        let of = |c: usize, r: usize| (((r + 1) * (c + 1) % rows) / 4) as i64;
        for width in [3, 12, 30] {
            let straight: Vec<usize> = (0..width).collect();
            let order: Vec<usize> = (0..width).map(|c| (c * 7 + 2) % width).collect();
            let gold = answer(&straight, rows, &of);
            let mut pred = answer(&order, rows, &of);
            pred.rows.reverse();
            let mode = Mode::new(&Semantics::default(), false);
            let same = |pred: &Answer| equal(&gold, pred, mode, &mut Columns::new(width, true));
            assert!(same(&pred), "{width}");
            // Two values of one column change places: all columns still hold the same.
            let other = (0..rows).find(|&r| pred.rows[r][0] != pred.rows[0][0]);
            let other = other.unwrap_or(0);
            let value = pred.rows[0][0].clone();
            pred.rows[0][0] = std::mem::replace(&mut pred.rows[other][0], value);
            assert!(!same(&pred), "{width}");
        }
    }

    #[test]
    fn sets_and_numbers_that_are_nearly_the_same() {
        let row = |values: [f64; 2]| values.map(|v| Value::Real(v.into())).to_vec();
        let of = |rows: &[[f64; 2]]| Answer { width: 2, rows: rows.iter().copied().map(row).collect() };
        let gold = of(&[[1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]);
        let semantics = Semantics::default();
        let same = |pred: &Answer, as_set: bool| {
            let mode = Mode { as_set, ..Mode::new(&semantics, false) };
            equal(&gold, pred, mode, &mut Columns::new(2, true))
        };
        let twice = of(&[[2.0, 1.0], [1.0, 2.0], [2.0, 2.0], [1.0, 2.0]]);
        assert!(same(&twice, true) && !same(&twice, false));
        let near = of(&[[2.000_000_1, 1.0], [1.0, 2.0], [2.0, 1.999_999_9]]);
        assert!(same(&near, false));
        assert!(!same(&of(&[[2.0, 1.0], [2.0, 1.0], [2.0, 2.0]]), false));
    }
}
