//! Areas under the ROC curve with their covariance (DeLong, DeLong and Clarke-Pearson 1988).
//!
//! The bootstrap needs a thousand areas; this needs one sort of each class, by midranks (Sun and Xu 2014).
//! Metrics over the same pairs are correlated, and the covariance is what a paired test of two of them needs.

use crate::error::{Undefined, check_classes};
use crate::normal::{two_sided, within};
use crate::roc::auc;

/// Areas of several metrics over the same pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct DeLong {
    /// The area of each metric.
    pub areas: Vec<f64>,
    /// Their estimated covariance, a row for each metric.
    pub covariance: Vec<Vec<f64>>,
}

/// The areas of score lists over the same labels, with their covariance.
///
/// # Errors
/// Lists of different lengths, scores that are not finite, or fewer than two labels of either class.
pub fn delong(scores: &[&[f64]], labels: &[bool]) -> Result<DeLong, Undefined> {
    let mut areas = Vec::with_capacity(scores.len());
    // By metric: for each label-1 pair the share of label-0 pairs below it, and the reverse.
    let mut placements: Vec<[Vec<f64>; 2]> = Vec::with_capacity(scores.len());
    for list in scores {
        let (positives, negatives) = check_classes(list, labels)?;
        for class in [positives, negatives] {
            if class < 2 {
                return Err(Undefined::TooFew { needed: 2, found: class });
            }
        }
        let of = |wanted: bool| -> Vec<f64> {
            let chosen = list.iter().zip(labels).filter(|(_, label)| **label == wanted);
            chosen.map(|(score, _)| *score).collect()
        };
        let (high, low) = (of(true), of(false));
        areas.push(auc(list, labels)?);
        placements
            .push([placement(&high, &low), placement(&low, &high).into_iter().map(|p| 1.0 - p).collect()]);
    }
    let covariance = |one: usize, other: usize| -> f64 {
        let (one, other) = (&placements[one], &placements[other]);
        one.iter().zip(other).map(|(x, y)| sample_covariance(x, y) / x.len() as f64).sum()
    };
    let rows = (0..scores.len()).map(|i| (0..scores.len()).map(|j| covariance(i, j)).collect());
    Ok(DeLong { covariance: rows.collect(), areas })
}

impl DeLong {
    /// The interval of one area, made on the scale of log odds so that it stays between 0 and 1. An area of 1
    /// has no spread to estimate: its interval is a point, and a bootstrap's is no better.
    pub fn interval(&self, metric: usize, level: f64) -> Option<(f64, f64)> {
        let area = *self.areas.get(metric)?;
        let variance = *self.covariance.get(metric)?.get(metric)?;
        if !(area > 0.0 && area < 1.0) || variance <= 0.0 {
            return Some((area, area));
        }
        let odds = (area / (1.0 - area)).ln();
        let half = within(level) * variance.sqrt() / (area * (1.0 - area));
        let back = |x: f64| 1.0 / (1.0 + (-x).exp());
        Some((back(odds - half), back(odds + half)))
    }

    /// The first area minus the second, its interval, and the p of [`DeLong::p`].
    pub fn difference(&self, one: usize, other: usize, level: f64) -> Option<(f64, (f64, f64), f64)> {
        let difference = self.areas.get(one)? - self.areas.get(other)?;
        let half = within(level) * self.variance(one, other)?.max(0.0).sqrt();
        Some((difference, (difference - half, difference + half), self.p(one, other)?))
    }

    /// The variance of the difference of two areas.
    fn variance(&self, one: usize, other: usize) -> Option<f64> {
        let cell = |i: usize, j: usize| self.covariance.get(i).and_then(|row| row.get(j)).copied();
        Some(cell(one, one)? + cell(other, other)? - 2.0 * cell(one, other)?)
    }

    /// The two-sided p of the null hypothesis that two metrics have the same area. Two metrics that rank
    /// every pair alike have p = 1.
    pub fn p(&self, one: usize, other: usize) -> Option<f64> {
        let difference = self.areas.get(one)? - self.areas.get(other)?;
        let variance = self.variance(one, other)?;
        if variance <= 1e-15 {
            return Some(if difference.abs() < 1e-12 { 1.0 } else { 0.0 });
        }
        Some(two_sided(difference / variance.sqrt()))
    }
}

/// For each of `of` the share of `among` that lies below it, ties counted half.
fn placement(of: &[f64], among: &[f64]) -> Vec<f64> {
    let mut sorted = among.to_vec();
    sorted.sort_by(f64::total_cmp);
    let share = |x: &f64| {
        let below = sorted.partition_point(|y| y < x);
        let up_to = sorted.partition_point(|y| y <= x);
        (below + up_to) as f64 / (2.0 * sorted.len() as f64)
    };
    of.iter().map(share).collect()
}

/// The unbiased covariance of two lists of one length, of at least two items.
fn sample_covariance(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    x.iter().zip(y).map(|(a, b)| (a - mean_x) * (b - mean_y)).sum::<f64>() / (n - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::{Resampling, bootstrap};

    #[test]
    fn by_hand() {
        // Placements of label 1: 1, 1/2; of label 0 (share of label 1 above): 1/2, 1.
        let got = delong(&[&[0.8, 0.4, 0.6, 0.2]], &[true, true, false, false]).unwrap();
        assert_eq!(got.areas, [0.75]);
        // Variances of both are 1/8, divided by two items each.
        assert!((got.covariance[0][0] - 0.125).abs() < 1e-12, "{got:?}");
        let (low, high) = got.interval(0, 0.95).unwrap();
        assert!(low > 0.0 && low < 0.75 && high > 0.75 && high < 1.0);
    }

    #[test]
    fn ties_count_half() {
        let got = delong(&[&[0.5; 6]], &[true, false, true, false, true, false]).unwrap();
        assert_eq!((got.areas[0], got.covariance[0][0]), (0.5, 0.0));
        assert_eq!(got.interval(0, 0.95), Some((0.5, 0.5)));
    }

    /// Scores that separate the labels in part, by a fixed recipe.
    fn noisy(step: u64) -> (Vec<f64>, Vec<bool>) {
        (0..600u64)
            .map(|i| {
                let noise = (i.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step) >> 40) as f64
                    / (1u64 << 24) as f64;
                let label = i % 3 == 0;
                (noise + if label { 0.35 } else { 0.0 }, label)
            })
            .unzip()
    }

    #[test]
    fn agrees_with_the_bootstrap() {
        let (scores, labels) = noisy(1);
        let got = delong(&[&scores], &labels).unwrap().interval(0, 0.95).unwrap();
        let how = Resampling { resamples: 2000, ..Resampling::default() };
        let boot = bootstrap(scores.len(), &how, |items| {
            let pick: (Vec<f64>, Vec<bool>) = items.iter().map(|i| (scores[*i], labels[*i])).unzip();
            auc(&pick.0, &pick.1)
        })
        .unwrap();
        assert!((got.0 - boot.low).abs() < 0.01 && (got.1 - boot.high).abs() < 0.01, "{got:?} {boot:?}");
    }

    #[test]
    fn differences_of_metrics() {
        let (scores, labels) = noisy(1);
        let worse: Vec<f64> =
            noisy(77_777_777_777).0.iter().zip(&labels).map(|(s, l)| if *l { s - 0.3 } else { *s }).collect();
        let squashed: Vec<f64> = scores.iter().map(|s| s.exp()).collect();
        let got = delong(&[&scores, &worse, &squashed], &labels).unwrap();
        assert_eq!(got.p(0, 2), Some(1.0));
        assert!(got.p(0, 1).unwrap() < 1e-3 && got.p(0, 1) == got.p(1, 0));
        assert_eq!(got.p(0, 9), None);
        let (difference, (low, high), _) = got.difference(0, 1, 0.95).unwrap();
        assert!(low > 0.0 && low < difference && difference < high);
    }

    #[test]
    fn too_few() {
        assert_eq!(delong(&[&[0.1, 0.2]], &[true, false]), Err(Undefined::TooFew { needed: 2, found: 1 }));
    }
}
