//! Which rows of two answers belong together, so that they share most cells.
//!
//! Rows of the same cells are paired first, which is never worse than anything else: of two rows with the cells
//! `g`, one of them paired with a `p` and the other with a `q`, `|p ∩ q| ≥ |p ∩ g| + |q ∩ g| − |g|`. The rest is an
//! assignment, solved exactly for few rows (Kuhn 1955; Munkres 1957) and row by row for many.

use std::collections::{BTreeMap, HashMap};

/// Rows of one side up to which the assignment is exact.
const EXACT: usize = 256;
/// Rows that are looked at for one cell where it is not, and for all cells of a row.
const OF_A_CELL: usize = 64;
const OF_A_ROW: usize = 256;

/// How many cells two sorted rows share, each counted once for each.
pub(super) fn shared(a: &[u32], b: &[u32]) -> usize {
    let (mut a, mut b, mut count) = (a.iter().peekable(), b.iter().peekable(), 0);
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a.next(),
            std::cmp::Ordering::Greater => b.next(),
            std::cmp::Ordering::Equal => {
                count += 1;
                a.next();
                b.next()
            }
        };
    }
    count
}

/// The most cells that the rows of two answers share, each row with one partner at most. Cells of a row are
/// sorted; rows may stand in any order, and the result does not depend on it.
pub(super) fn most_shared(gold: &[Vec<u32>], pred: &[Vec<u32>]) -> usize {
    let mut counts: BTreeMap<&[u32], (usize, usize)> = BTreeMap::new();
    for row in gold {
        counts.entry(row).or_default().0 += 1;
    }
    for row in pred {
        counts.entry(row).or_default().1 += 1;
    }
    let mut found = 0;
    let (mut rest_of_gold, mut rest_of_pred) = (Vec::new(), Vec::new());
    for (row, (ours, theirs)) in counts {
        let pairs = ours.min(theirs);
        found += pairs * row.len();
        rest_of_gold.extend(std::iter::repeat_n(row, ours - pairs));
        rest_of_pred.extend(std::iter::repeat_n(row, theirs - pairs));
    }
    let rest = match rest_of_gold.len().max(rest_of_pred.len()) {
        ..=EXACT => exactly(&rest_of_gold, &rest_of_pred),
        _ => row_by_row(&rest_of_gold, &rest_of_pred),
    };
    found + rest
}

/// The best assignment, by shortest augmenting paths with potentials: O(n³).
fn exactly(a: &[&[u32]], b: &[&[u32]]) -> usize {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if few.is_empty() {
        return 0;
    }
    let costs: Vec<Vec<i64>> =
        few.iter().map(|x| many.iter().map(|y| -(shared(x, y) as i64)).collect()).collect();
    let m = many.len();
    let cost = |i: usize, j: usize| costs.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0);
    // Potentials of rows and columns, and the row that a column belongs to; the last column is the root of a path.
    let (mut of_row, mut of_column) = (vec![0_i64; few.len()], vec![0_i64; m + 1]);
    let mut owner: Vec<Option<usize>> = vec![None; m + 1];
    for row in 0..few.len() {
        owner[m] = Some(row);
        let mut column = m;
        let (mut slack, mut from) = (vec![i64::MAX; m], vec![m; m]);
        let mut used = vec![false; m + 1];
        while let Some(i) = owner[column] {
            used[column] = true;
            let (mut least, mut next) = (i64::MAX, m);
            for j in (0..m).filter(|j| !used[*j]) {
                let reduced = cost(i, j) - of_row[i] - of_column[j];
                if reduced < slack[j] {
                    slack[j] = reduced;
                    from[j] = column;
                }
                if slack[j] < least {
                    least = slack[j];
                    next = j;
                }
            }
            for j in 0..=m {
                match (used[j], owner[j]) {
                    (true, Some(i)) => {
                        of_row[i] += least;
                        of_column[j] -= least;
                    }
                    (false, _) if j < m => slack[j] -= least,
                    _ => {}
                }
            }
            column = next;
        }
        // Each column of the path takes over the row of the one before it.
        while column != m {
            owner[column] = owner[from[column]];
            column = from[column];
        }
    }
    let chosen = owner.iter().take(m).enumerate();
    chosen.filter_map(|(j, i)| i.map(|i| (-cost(i, j)) as usize)).sum()
}

/// Gives each row of `b` the partner in `a` that shares most with it among those that are left, as far as it looks.
fn row_by_row(a: &[&[u32]], b: &[&[u32]]) -> usize {
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, row) in a.iter().enumerate() {
        for cell in *row {
            let list = holders.entry(*cell).or_default();
            if list.last() != Some(&i) {
                list.push(i);
            }
        }
    }
    // How far all holders of a cell are taken.
    let mut gone: HashMap<u32, usize> = HashMap::new();
    let (mut taken, mut left) = (vec![false; a.len()], a.len());
    let mut found = 0;
    for row in b {
        let mut best: Option<(usize, usize)> = None;
        let mut looked_at = 0;
        let mut last = None;
        for cell in *row {
            // A prediction may repeat a cell as often as it likes, or have any number of them.
            if last.replace(*cell) == Some(*cell) || looked_at >= OF_A_ROW {
                continue;
            }
            let Some(list) = holders.get(cell) else { continue };
            let start = gone.entry(*cell).or_default();
            while list.get(*start).is_some_and(|i| taken[*i]) {
                *start += 1;
            }
            for i in list.iter().skip(*start).take(OF_A_CELL).filter(|i| !taken[**i]) {
                looked_at += 1;
                let count = shared(a[*i], row);
                // Of equals the first.
                if best.is_none_or(|(most, at)| count > most || (count == most && *i < at)) {
                    best = Some((count, *i));
                }
            }
        }
        if let Some((count, i)) = best {
            taken[i] = true;
            found += count;
            left -= 1;
            if left == 0 {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    /// The best of all assignments, by trying them.
    fn by_trying(a: &[&[u32]], b: &[&[u32]]) -> usize {
        let Some((first, rest)) = a.split_first() else { return 0 };
        let without = by_trying(rest, b);
        let with = (0..b.len()).map(|i| {
            let mut others = b.to_vec();
            let partner = others.remove(i);
            shared(first, partner) + by_trying(rest, &others)
        });
        with.max().unwrap_or(0).max(without)
    }

    #[test]
    fn assignments_are_the_best() {
        let mut dice = Dice::new(8, 0);
        for _ in 0..300 {
            let (columns, theirs) = (1 + dice.below(3), 1 + dice.below(3));
            let mut answer = |width: usize| -> Vec<Vec<u32>> {
                let rows = 0..dice.below(6);
                let mut row = || (0..width).map(|_| dice.below(4) as u32).collect::<Vec<u32>>();
                let mut made: Vec<Vec<u32>> = rows.map(|_| row()).collect();
                made.iter_mut().for_each(|r| r.sort_unstable());
                made
            };
            let (a, b) = (answer(columns), answer(theirs));
            let (x, y): (Vec<&[u32]>, Vec<&[u32]>) =
                (a.iter().map(Vec::as_slice).collect(), b.iter().map(Vec::as_slice).collect());
            let best = by_trying(&x, &y);
            assert_eq!(exactly(&x, &y), best, "{a:?} {b:?}");
            assert_eq!(most_shared(&a, &b), best, "{a:?} {b:?}");
            assert!(row_by_row(&x, &y) <= best);
        }
    }

    #[test]
    fn many_rows_find_their_partners() {
        // A name for each id, and one column that all share.
        let gold: Vec<Vec<u32>> = (0..5000).map(|i| vec![1, 10_000 + i, 20_000 + i]).collect();
        let pred: Vec<Vec<u32>> = (0..5000).rev().map(|i| vec![1, 20_000 + i]).collect();
        assert_eq!(most_shared(&gold, &pred), 2 * 5000);
        let short: Vec<Vec<u32>> = pred.iter().take(10).cloned().collect();
        assert_eq!(most_shared(&gold, &short), 20);
    }
}
