//! Precision and recall along all thresholds.

use serde::{Deserialize, Serialize};

use crate::error::Undefined;
use crate::roc::roc_curve;

/// Precision and recall if pairs that score at least `threshold` are called the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrecisionPoint {
    /// The score.
    pub threshold: f64,
    /// The share of label-1 pairs that are called the same.
    pub recall: f64,
    /// The share of label 1 among those called the same.
    pub precision: f64,
}

/// A point for each distinct score, from the highest down; tied scores are one step.
///
/// # Errors
/// As [`crate::auc`].
pub fn precision_recall_curve(scores: &[f64], labels: &[bool]) -> Result<Vec<PrecisionPoint>, Undefined> {
    let roc = roc_curve(scores, labels)?;
    let positives = labels.iter().filter(|l| **l).count() as f64;
    let negatives = labels.len() as f64 - positives;
    let point = |p: &crate::roc::RocPoint| {
        let (hits, alarms) = (p.true_positive_rate * positives, p.false_positive_rate * negatives);
        PrecisionPoint {
            threshold: p.threshold,
            recall: p.true_positive_rate,
            precision: hits / (hits + alarms),
        }
    };
    // The first point of a ROC curve calls nothing the same: it has no precision.
    Ok(roc.iter().skip(1).map(point).collect())
}

/// Average precision: precision at each threshold, weighed by the recall that it adds. No interpolation,
/// which would be too kind (Davis and Goadrich 2006).
///
/// # Errors
/// As [`crate::auc`].
pub fn average_precision(scores: &[f64], labels: &[bool]) -> Result<f64, Undefined> {
    let curve = precision_recall_curve(scores, labels)?;
    let mut before = 0.0;
    let mut sum = 0.0;
    for point in curve {
        sum += (point.recall - before) * point.precision;
        before = point.recall;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let labels = [true, false, true, false];
        // Recall 1/2 at precision 1, recall 1 at precision 2/3.
        let ap = average_precision(&[0.9, 0.8, 0.7, 0.1], &labels).unwrap();
        assert!((ap - (0.5 + 0.5 * 2.0 / 3.0)).abs() < 1e-12);
        assert_eq!(average_precision(&[0.9, 0.1, 0.8, 0.2], &labels), Ok(1.0));
        // One step for all ties: the share of label 1.
        assert_eq!(average_precision(&[0.5; 4], &labels), Ok(0.5));
        let curve = precision_recall_curve(&[0.9, 0.8, 0.7, 0.1], &labels).unwrap();
        assert_eq!((curve[1].recall, curve[1].precision), (0.5, 0.5));
        assert!(average_precision(&[0.5], &[true]).is_err());
    }
}
