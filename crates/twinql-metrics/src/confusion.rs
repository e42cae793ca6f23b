//! Decisions at a threshold.

use serde::{Deserialize, Serialize};

use crate::error::{Undefined, check_finite, check_lengths};

/// Counts of decisions against labels. A score at or above the threshold is called positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Confusion {
    /// Called positive, labelled positive.
    pub true_positives: usize,
    /// Called positive, labelled negative.
    pub false_positives: usize,
    /// Called negative, labelled negative.
    pub true_negatives: usize,
    /// Called negative, labelled positive.
    pub false_negatives: usize,
}

impl Confusion {
    /// Counts the decisions `score >= threshold`.
    pub fn at(scores: &[f64], labels: &[bool], threshold: f64) -> Result<Confusion, Undefined> {
        check_lengths(scores.len(), labels.len(), 1)?;
        check_finite(scores)?;
        let mut counts = Confusion::default();
        for (score, label) in scores.iter().zip(labels) {
            *match (*score >= threshold, *label) {
                (true, true) => &mut counts.true_positives,
                (true, false) => &mut counts.false_positives,
                (false, false) => &mut counts.true_negatives,
                (false, true) => &mut counts.false_negatives,
            } += 1;
        }
        Ok(counts)
    }

    /// The number of items.
    pub fn total(&self) -> usize {
        self.true_positives + self.false_positives + self.true_negatives + self.false_negatives
    }

    /// Right decisions over all; `None` without items.
    pub fn accuracy(&self) -> Option<f64> {
        ratio(self.true_positives + self.true_negatives, self.total())
    }

    /// True positives over those called positive; `None` where none is.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.true_positives, self.true_positives + self.false_positives)
    }

    /// True positives over those labelled positive; `None` where none is.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// F1: the harmonic mean of precision and recall, 2·TP / (2·TP + FP + FN); `None`
    /// where nothing is called or labelled positive.
    pub fn f1(&self) -> Option<f64> {
        ratio(2 * self.true_positives, 2 * self.true_positives + self.false_positives + self.false_negatives)
    }
}

impl Confusion {
    /// Matthews' correlation coefficient: the correlation of decisions and labels; none where either is
    /// constant.
    pub fn mcc(&self) -> Option<f64> {
        let [tp, fp, tn, fn_] =
            [self.true_positives, self.false_positives, self.true_negatives, self.false_negatives]
                .map(|n| n as f64);
        let below = (tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_);
        (below > 0.0).then(|| (tp * tn - fp * fn_) / below.sqrt())
    }

    /// False positives among all pairs, as the papers on test suites and on ESM+ tabulate them. This is not the usual
    /// rate, which is among label-0 pairs.
    pub fn false_positive_share(&self) -> Option<f64> {
        ratio(self.false_positives, self.total())
    }

    /// False negatives among all pairs, as those papers tabulate them.
    pub fn false_negative_share(&self) -> Option<f64> {
        ratio(self.false_negatives, self.total())
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A threshold and the accuracy it reaches on the data it was chosen on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestThreshold {
    /// Scores at or above it are called positive.
    pub threshold: f64,
    /// Accuracy on the same data: optimistic, never a result to report on test data.
    pub accuracy: f64,
}

/// One way to cut a ranking in two: scores at or above `above` are called positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The greatest score that is called negative; none where all are called positive.
    pub below: Option<f64>,
    /// The least score that is called positive; none where all are called negative.
    pub above: Option<f64>,
    /// How many decisions are right.
    pub correct: usize,
}

/// All cuts between distinct scores, in ascending order: from calling everything positive to calling nothing so.
/// Which number between two scores becomes the threshold is left to the caller. O(n log n).
pub fn cuts(scores: &[f64], labels: &[bool]) -> Result<Vec<Cut>, Undefined> {
    check_lengths(scores.len(), labels.len(), 1)?;
    check_finite(scores)?;
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut cuts = vec![Cut {
        below: None,
        above: order.first().map(|o| o.0),
        correct: labels.iter().filter(|l| **l).count(),
    }];
    let mut done = 0;
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        done += run.len();
        let positives = run.iter().filter(|t| t.1).count();
        let before = cuts.last().map_or(0, |c| c.correct);
        cuts.push(Cut {
            below: run.first().map(|r| r.0),
            above: order.get(done).map(|o| o.0),
            // The run's positives were right and are not any more: they were counted in `before`.
            correct: before + run.len() - 2 * positives,
        });
    }
    Ok(cuts)
}

/// The threshold of highest accuracy on this data. Thresholds lie halfway between
/// neighbouring distinct scores, or half a unit outside all of them; of equally good ones
/// the lowest is taken.
pub fn best_threshold(scores: &[f64], labels: &[bool]) -> Result<BestThreshold, Undefined> {
    let cuts = cuts(scores, labels)?;
    let most = cuts.iter().map(|c| c.correct).max().unwrap_or(0);
    let first = cuts.into_iter().find(|c| c.correct == most);
    let threshold = match first.map_or((None, None), |c| (c.below, c.above)) {
        (Some(below), Some(above)) => {
            let middle = below + (above - below) / 2.0;
            // Neighbouring floats have no middle: fall on the upper one.
            if middle > below { middle } else { above }
        }
        (Some(below), None) => below + 0.5,
        (None, above) => above.unwrap_or(0.0) - 0.5,
    };
    Ok(BestThreshold { threshold, accuracy: most as f64 / labels.len() as f64 })
}

#[cfg(test)]
mod rates {
    use super::Confusion;

    #[test]
    fn by_hand() {
        let c = Confusion { true_positives: 4, false_positives: 1, true_negatives: 3, false_negatives: 2 };
        assert_eq!((c.false_positive_share(), c.false_negative_share()), (Some(0.1), Some(0.2)));
        // (4·3 − 1·2) / √(5·6·4·5)
        assert!(c.mcc().is_some_and(|m| (m - 10.0 / 600f64.sqrt()).abs() < 1e-12));
        assert_eq!(Confusion::default().mcc(), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        let c = Confusion::at(&[0.9, 0.5, 0.4, 0.1], &[true, false, true, false], 0.5).unwrap();
        assert_eq!(
            c,
            Confusion { true_positives: 1, false_positives: 1, true_negatives: 1, false_negatives: 1 }
        );
        assert_eq!(
            (c.accuracy(), c.precision(), c.recall(), c.f1()),
            (Some(0.5), Some(0.5), Some(0.5), Some(0.5))
        );
        assert_eq!(Confusion::default().f1(), None);
    }

    #[test]
    fn best_by_hand() {
        let best = best_threshold(&[0.1, 0.2, 0.6, 0.9], &[false, false, true, true]).unwrap();
        assert!((best.threshold - 0.4).abs() < 1e-12);
        assert_eq!(best.accuracy, 1.0);
        let all = best_threshold(&[0.3, 0.7], &[true, true]).unwrap();
        assert_eq!((all.threshold < 0.3, all.accuracy), (true, 1.0));
        let none = best_threshold(&[0.3, 0.7], &[false, false]).unwrap();
        assert_eq!((none.threshold > 0.7, none.accuracy), (true, 1.0));
    }

    #[test]
    fn cuts_by_hand() {
        let cut = |below, above, correct| Cut { below, above, correct };
        assert_eq!(
            cuts(&[0.9, 0.2, 0.2, 0.6], &[true, false, true, false]).unwrap(),
            [
                cut(None, Some(0.2), 2),
                cut(Some(0.2), Some(0.6), 2),
                cut(Some(0.6), Some(0.9), 3),
                cut(Some(0.9), None, 2)
            ]
        );
    }

    proptest! {
        #[test]
        fn best_is_reached_and_not_beaten(data in prop::collection::vec((0u8..8, any::<bool>()), 1..30)) {
            let scores: Vec<f64> = data.iter().map(|d| f64::from(d.0) / 8.0).collect();
            let labels: Vec<bool> = data.iter().map(|d| d.1).collect();
            let best = best_threshold(&scores, &labels).unwrap();
            let reached = Confusion::at(&scores, &labels, best.threshold).unwrap().accuracy().unwrap();
            prop_assert!((reached - best.accuracy).abs() < 1e-12);
            for t in 0..10 {
                let other = Confusion::at(&scores, &labels, f64::from(t) / 8.0).unwrap();
                prop_assert!(other.accuracy().unwrap() <= best.accuracy + 1e-12);
            }
        }
    }
}
