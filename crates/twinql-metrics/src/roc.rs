//! The ROC curve and the area under it.

use crate::error::{Undefined, check_classes};

/// One point of a ROC curve: what calling every score ≥ `threshold` positive gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RocPoint {
    /// Scores at or above it are called positive; infinite at the curve's first point.
    pub threshold: f64,
    /// False positives over negatives.
    pub false_positive_rate: f64,
    /// True positives over positives.
    pub true_positive_rate: f64,
}

/// The ROC curve, one point for each distinct score, from (0, 0) to (1, 1) (Fawcett,
/// "An introduction to ROC analysis", 2006, algorithm 2). Tied scores make one slanted
/// step, so that the trapezoids under it are the Mann–Whitney statistic.
pub fn roc_curve(scores: &[f64], labels: &[bool]) -> Result<Vec<RocPoint>, Undefined> {
    let (positives, negatives) = check_classes(scores, labels)?;
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut points =
        vec![RocPoint { threshold: f64::INFINITY, false_positive_rate: 0.0, true_positive_rate: 0.0 }];
    let (mut tp, mut fp) = (0usize, 0usize);
    for tied in order.chunk_by(|a, b| a.0 == b.0) {
        let hits = tied.iter().filter(|(_, label)| *label).count();
        tp += hits;
        fp += tied.len() - hits;
        points.push(RocPoint {
            threshold: tied.first().map_or(f64::NEG_INFINITY, |t| t.0),
            false_positive_rate: fp as f64 / negatives as f64,
            true_positive_rate: tp as f64 / positives as f64,
        });
    }
    Ok(points)
}

/// Area under the ROC curve: the probability that a random positive scores higher than a
/// random negative, a tie counting one half (Mann–Whitney U over its maximum). Counted in
/// integers, so the result depends on the order of scores alone. O(n log n).
pub fn auc(scores: &[f64], labels: &[bool]) -> Result<f64, Undefined> {
    let (positives, negatives) = check_classes(scores, labels)?;
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut twice_u) = (0u128, 0u128);
    for tied in order.chunk_by(|a, b| a.0 == b.0) {
        let hits = tied.iter().filter(|(_, label)| *label).count() as u128;
        let misses = tied.len() as u128 - hits;
        twice_u += hits * (2 * below + misses);
        below += misses;
    }
    Ok(twice_u as f64 / (2.0 * positives as f64 * negatives as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(scores: &[f64], labels: &[bool]) -> f64 {
        let (mut wins, mut pairs) = (0.0, 0.0);
        for (s, _) in scores.iter().zip(labels).filter(|(_, l)| **l) {
            for (t, _) in scores.iter().zip(labels).filter(|(_, l)| !**l) {
                pairs += 1.0;
                wins += if s > t {
                    1.0
                } else if s == t {
                    0.5
                } else {
                    0.0
                };
            }
        }
        wins / pairs
    }

    #[test]
    fn by_hand() {
        // Positives 0.8, 0.4; negatives 0.6, 0.2: three of four pairs in order.
        let labels = [true, true, false, false];
        assert_eq!(auc(&[0.8, 0.4, 0.6, 0.2], &labels), Ok(0.75));
        assert_eq!(auc(&[0.5; 4], &labels), Ok(0.5));
        assert_eq!(auc(&[1.0, 0.5, 0.5, 0.0], &labels), Ok(0.875));
        assert_eq!(auc(&[0.0, 0.1, 0.8, 0.9], &labels), Ok(0.0));
    }

    #[test]
    fn undefined_cases() {
        assert_eq!(auc(&[0.1, 0.2], &[true, true]), Err(Undefined::OneClass { label: 1 }));
        assert_eq!(auc(&[0.1], &[true, false]), Err(Undefined::Lengths { left: 1, right: 2 }));
        assert_eq!(auc(&[], &[]), Err(Undefined::TooFew { needed: 1, found: 0 }));
        assert_eq!(auc(&[0.1, f64::NAN], &[true, false]), Err(Undefined::NotFinite { index: 1 }));
    }

    #[test]
    fn curve_by_hand() {
        let curve = roc_curve(&[0.9, 0.5, 0.5, 0.1], &[true, true, false, false]).unwrap();
        let xy: Vec<_> = curve.iter().map(|p| (p.false_positive_rate, p.true_positive_rate)).collect();
        assert_eq!(xy, [(0.0, 0.0), (0.0, 0.5), (0.5, 1.0), (1.0, 1.0)]);
    }

    proptest! {
        #[test]
        fn equals_pair_counting_and_trapezoids(data in prop::collection::vec((0u8..6, any::<bool>()), 2..40)) {
            let scores: Vec<f64> = data.iter().map(|d| f64::from(d.0)).collect();
            let labels: Vec<bool> = data.iter().map(|d| d.1).collect();
            prop_assume!(labels.iter().any(|l| *l) && labels.iter().any(|l| !*l));
            let area = auc(&scores, &labels).unwrap();
            prop_assert!((area - naive(&scores, &labels)).abs() < 1e-12);
            let curve = roc_curve(&scores, &labels).unwrap();
            let trapezoids: f64 = curve.windows(2).map(|w| {
                (w[1].false_positive_rate - w[0].false_positive_rate)
                    * (w[1].true_positive_rate + w[0].true_positive_rate) / 2.0
            }).sum();
            prop_assert!((area - trapezoids).abs() < 1e-12);
            let negated: Vec<f64> = scores.iter().map(|s| -s).collect();
            prop_assert!((auc(&negated, &labels).unwrap() + area - 1.0).abs() < 1e-12);
            let squashed: Vec<f64> = scores.iter().map(|s| s.exp()).collect();
            prop_assert_eq!(auc(&squashed, &labels).unwrap(), area);
        }
    }
}
