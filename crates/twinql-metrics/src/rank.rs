//! Correlation: Kendall's τ-b, Spearman's ρ, Pearson's r.

use crate::error::{Undefined, check_finite, check_lengths};

fn check(x: &[f64], y: &[f64]) -> Result<(), Undefined> {
    check_lengths(x.len(), y.len(), 2)?;
    check_finite(x)?;
    check_finite(y)
}

/// The number of pairs within runs of equal items.
fn tied_pairs<T>(sorted: &[T], same: impl Fn(&T, &T) -> bool) -> u128 {
    sorted.chunk_by(same).map(|run| run.len() as u128 * (run.len() as u128 - 1) / 2).sum()
}

/// Kendall's τ-b: concordant minus discordant pairs over the geometric mean of the pairs
/// not tied in each list (Kendall, "The treatment of ties in ranking problems", 1945), by
/// merge sort in O(n log n) (Knight 1966). Undefined where a list is constant.
pub fn kendall_tau_b(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    check(x, y)?;
    // +0.0 makes -0.0 equal to 0.0 under total_cmp.
    let mut pairs: Vec<(f64, f64)> = x.iter().zip(y).map(|(a, b)| (a + 0.0, b + 0.0)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let n = pairs.len() as u128;
    let all = n * (n - 1) / 2;
    let tied_x = tied_pairs(&pairs, |a, b| a.0 == b.0);
    let tied_both = tied_pairs(&pairs, |a, b| a == b);
    let mut ys: Vec<f64> = pairs.iter().map(|p| p.1).collect();
    let discordant = sort_counting_inversions(&mut ys);
    let tied_y = tied_pairs(&ys, |a, b| a == b);
    if tied_x == all || tied_y == all {
        return Err(Undefined::Constant);
    }
    // In this order no step falls below 0, which would stop a debug build.
    let untied = all + tied_both - tied_x - tied_y;
    let balance = untied as f64 - 2.0 * discordant as f64;
    // Rounding may lead a hair beyond 1.
    Ok((balance / ((all - tied_x) as f64).sqrt() / ((all - tied_y) as f64).sqrt()).clamp(-1.0, 1.0))
}

/// Sorts ascending; returns how many pairs stood in strictly descending order.
fn sort_counting_inversions(values: &mut [f64]) -> u128 {
    let n = values.len();
    let (mut inversions, mut width) = (0u128, 1);
    let mut merged = Vec::with_capacity(n);
    while width < n {
        merged.clear();
        for run in values.chunks(width * 2) {
            let (left, right) = run.split_at(width.min(run.len()));
            let (mut i, mut j) = (0, 0);
            while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
                if a <= b {
                    merged.push(*a);
                    i += 1;
                } else {
                    merged.push(*b);
                    j += 1;
                    inversions += (left.len() - i) as u128;
                }
            }
            merged.extend_from_slice(&left[i..]);
            merged.extend_from_slice(&right[j..]);
        }
        values.copy_from_slice(&merged);
        width *= 2;
    }
    inversions
}

/// Ranks from 1, tied values sharing the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = values.iter().map(|v| v + 0.0).enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut out = vec![0.0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|a, b| a.1 == b.1) {
        let rank = before as f64 + (tied.len() as f64 + 1.0) / 2.0;
        for (index, _) in tied {
            out[*index] = rank;
        }
        before += tied.len();
    }
    out
}

/// Spearman's ρ: Pearson's r of the ranks, ties sharing their mean rank (Spearman 1904).
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    check(x, y)?;
    pearson(&ranks(x), &ranks(y))
}

/// Pearson's r, from centred values. Undefined where a list is constant.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    check(x, y)?;
    let constant = |v: &[f64]| v.windows(2).all(|w| w[0] == w[1]);
    if constant(x) || constant(y) {
        return Err(Undefined::Constant);
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(x), mean(y));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        let (dx, dy) = (a - mx, b - my);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    let r = xy / xx.sqrt() / yy.sqrt();
    if r.is_finite() { Ok(r.clamp(-1.0, 1.0)) } else { Err(Undefined::Constant) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive_tau(x: &[f64], y: &[f64]) -> Option<f64> {
        let (mut balance, mut untied_x, mut untied_y) = (0.0, 0.0f64, 0.0f64);
        for i in 0..x.len() {
            for j in 0..i {
                let a = (x[i] - x[j]).partial_cmp(&0.0)? as i32;
                let b = (y[i] - y[j]).partial_cmp(&0.0)? as i32;
                balance += f64::from(a * b);
                untied_x += f64::from(a * a);
                untied_y += f64::from(b * b);
            }
        }
        (untied_x > 0.0 && untied_y > 0.0).then(|| balance / (untied_x * untied_y).sqrt())
    }

    #[test]
    fn by_hand() {
        let x = [1.0, 2.0, 3.0, 4.0];
        // One of six pairs is discordant: (5 - 1) / 6.
        assert!((kendall_tau_b(&x, &[1.0, 2.0, 4.0, 3.0]).unwrap() - 4.0 / 6.0).abs() < 1e-15);
        // Σd² = 2: 1 - 6·2 / (4·15).
        assert!((spearman(&x, &[1.0, 2.0, 4.0, 3.0]).unwrap() - 0.8).abs() < 1e-15);
        assert!((pearson(&x, &[2.0, 4.0, 6.0, 8.0]).unwrap() - 1.0).abs() < 1e-15);
        // Ties: x has one tied pair; 5 untied in x, 4 concordant, 1 discordant, none tied in y.
        let tau = kendall_tau_b(&[1.0, 1.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 2.5]).unwrap();
        assert!((tau - 3.0 / (5.0f64 * 6.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn shared_ranks() {
        assert_eq!(ranks(&[10.0, 20.0, 10.0, 5.0]), [2.5, 4.0, 2.5, 1.0]);
    }

    #[test]
    fn undefined_cases() {
        for f in [kendall_tau_b, spearman, pearson] {
            assert_eq!(f(&[1.0, 1.0], &[1.0, 2.0]), Err(Undefined::Constant));
            assert_eq!(f(&[1.0], &[1.0]), Err(Undefined::TooFew { needed: 2, found: 1 }));
            assert_eq!(f(&[1.0, 2.0], &[1.0]), Err(Undefined::Lengths { left: 2, right: 1 }));
        }
    }

    /// Between two binary lists all three are the same number (the φ coefficient).
    #[test]
    fn binary_lists_agree() {
        let x = [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        let y = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let r = pearson(&x, &y).unwrap();
        assert!((kendall_tau_b(&x, &y).unwrap() - r).abs() < 1e-12);
        assert!((spearman(&x, &y).unwrap() - r).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn tau_equals_pair_counting(data in prop::collection::vec((-3i8..4, -3i8..4), 2..40)) {
            let x: Vec<f64> = data.iter().map(|d| f64::from(d.0)).collect();
            let y: Vec<f64> = data.iter().map(|d| f64::from(d.1)).collect();
            match naive_tau(&x, &y) {
                Some(t) => prop_assert!((kendall_tau_b(&x, &y).unwrap() - t).abs() < 1e-12),
                None => prop_assert_eq!(kendall_tau_b(&x, &y), Err(Undefined::Constant)),
            }
        }

        #[test]
        fn symmetric_bounded_and_odd(data in prop::collection::vec((-9.0f64..9.0, -9.0f64..9.0), 2..30)) {
            let x: Vec<f64> = data.iter().map(|d| d.0).collect();
            let y: Vec<f64> = data.iter().map(|d| d.1).collect();
            let flipped: Vec<f64> = y.iter().map(|v| -v).collect();
            for f in [kendall_tau_b, spearman, pearson] {
                let Ok(r) = f(&x, &y) else { continue };
                prop_assert!(r.abs() <= 1.0 + 1e-12);
                prop_assert!((f(&y, &x).unwrap() - r).abs() < 1e-12);
                prop_assert!((f(&x, &flipped).unwrap() + r).abs() < 1e-9);
            }
        }
    }
}
