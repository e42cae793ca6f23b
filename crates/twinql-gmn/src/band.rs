//! When to say nothing: a band of probabilities with stated error rates outside.

use serde::{Deserialize, Serialize};

use crate::calibrate::Point;

/// The share of either class that may be called wrongly outside the band.
pub const LEVEL: f64 = 0.02;

/// What is said of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The queries return the same answer.
    Same,
    /// They do not.
    Different,
    /// Too close to call.
    Abstained,
}

/// An abstention band around the threshold: split conformal prediction by class (Vovk, Gammerman
/// and Shafer, *Algorithmic Learning in a Random World*, 2005, §4.5: Mondrian predictors).
///
/// `low` is the k-th smallest probability among the n equivalent validation pairs, k =
/// ⌊level · (n + 1)⌋, so the next equivalent pair lies below it with probability k / (n + 1) ≤ level
/// if it is drawn as they were; `high` is its mirror image among the different ones. A pair is
/// called different below both threshold and `low`, the same at the threshold and above `high`, and
/// nothing in between. Hence at most a share `level` of equivalent pairs is called different, and at
/// most a share `level` of different ones the same. A network good enough to keep to that at the
/// threshold alone has an empty band.
///
/// Pairs of equal canonical form, and those that proofs or databases decide in a tier, are not
/// the network's: they neither count here nor are abstained from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// The share of either class that may be called wrongly.
    pub level: f64,
    /// Pairs below it (and the threshold) are called different; 0 where none may be.
    pub low: f32,
    /// Pairs above it (and at the threshold) are called the same; 1 where none may be.
    pub high: f32,
    /// The share of the validation pairs that is decided.
    pub coverage: f64,
    /// The share of these that is decided rightly; 1 if none is decided.
    pub accuracy: f64,
}

impl Band {
    /// What is said of a pair that the network judged.
    pub fn decide(&self, probability: f32, threshold: f32) -> Decision {
        if probability >= threshold {
            if probability > self.high { Decision::Same } else { Decision::Abstained }
        } else if probability < self.low {
            Decision::Different
        } else {
            Decision::Abstained
        }
    }

    /// Whether the bounds are probabilities.
    pub(crate) fn is_usable(&self) -> bool {
        (0.0..=1.0).contains(&self.low) && (0.0..=1.0).contains(&self.high)
    }

    /// The band of validation pairs that the network judged: probabilities with labels.
    pub fn fit(scored: &[Point], threshold: f32, level: f64) -> Band {
        let of = |label: bool| -> Vec<f32> {
            let mut own: Vec<f32> = scored.iter().filter(|p| p.1 == label).map(|p| p.0).collect();
            own.sort_by(f32::total_cmp);
            own
        };
        let (same, different) = (of(true), of(false));
        let rank = |n: usize| (level * (n + 1) as f64).floor() as usize;
        let low = rank(same.len()).checked_sub(1).and_then(|k| same.get(k));
        let high = rank(different.len()).checked_sub(1).and_then(|k| different.iter().rev().nth(k));
        let mut band = Band {
            level,
            low: low.copied().unwrap_or(0.0),
            high: high.copied().unwrap_or(1.0),
            coverage: 0.0,
            accuracy: 1.0,
        };
        let decided: Vec<bool> = scored
            .iter()
            .filter_map(|&(p, label, _)| match band.decide(p, threshold) {
                Decision::Same => Some(label),
                Decision::Different => Some(!label),
                Decision::Abstained => None,
            })
            .collect();
        band.coverage = decided.len() as f64 / scored.len().max(1) as f64;
        if !decided.is_empty() {
            band.accuracy = decided.iter().filter(|right| **right).count() as f64 / decided.len() as f64;
        }
        band
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probabilities on a grid, the label drawn with that probability by a fixed sequence.
    fn points(n: u32, seed: u32) -> Vec<Point> {
        (0..n)
            .map(|i| {
                let draw =
                    |k: u32| (i.wrapping_mul(2_654_435_761).wrapping_add(k)).wrapping_mul(0x9e37_79b1) >> 8;
                let p = draw(seed) as f32 / (1u32 << 24) as f32;
                let u = draw(seed.wrapping_add(77_777)) as f32 / (1u32 << 24) as f32;
                (p, u < p, 1.0)
            })
            .collect()
    }

    /// Shares of label-1 pairs called different and of label-0 pairs called the same.
    fn errors(points: &[Point], band: &Band, threshold: f32) -> [f64; 2] {
        [(true, Decision::Different), (false, Decision::Same)].map(|(label, wrong)| {
            let own: Vec<&Point> = points.iter().filter(|p| p.1 == label).collect();
            let bad = own.iter().filter(|p| band.decide(p.0, threshold) == wrong).count();
            bad as f64 / own.len() as f64
        })
    }

    #[test]
    fn errors_of_either_class_stay_within_the_level() {
        for level in [0.01, 0.05, 0.2] {
            for threshold in [0.3, 0.5, 0.8] {
                let fitted = points(4_000, 1);
                let band = Band::fit(&fitted, threshold, level);
                for error in errors(&fitted, &band, threshold) {
                    assert!(error <= level, "{band:?} {error}");
                }
                // Fresh pairs of the same kind.
                for error in errors(&points(4_000, 999), &band, threshold) {
                    assert!(error <= level + 0.02, "{band:?} {error}");
                }
                assert!(band.coverage > 0.0 && band.coverage < 1.0);
            }
        }
    }

    #[test]
    fn a_good_network_need_not_abstain() {
        let good: Vec<Point> = (0..1_000)
            .map(|i| (if i % 2 == 0 { 0.9 } else { 0.1 } + i as f32 * 1e-5, i % 2 == 0, 1.0))
            .collect();
        let band = Band::fit(&good, 0.5, LEVEL);
        assert_eq!((band.coverage, band.accuracy), (1.0, 1.0));
        assert_eq!(band.decide(0.5, 0.5), Decision::Same);
        assert_eq!(band.decide(0.49, 0.5), Decision::Different);
    }

    #[test]
    fn too_few_pairs_leave_everything_open() {
        let few: Vec<Point> = (0..20).map(|i| (i as f32 / 20.0, i >= 10, 1.0)).collect();
        let band = Band::fit(&few, 0.5, LEVEL);
        assert_eq!((band.low, band.high, band.coverage), (0.0, 1.0, 0.0));
        for p in [0.0, 0.4, 0.6, 1.0] {
            assert_eq!(band.decide(p, 0.5), Decision::Abstained);
        }
    }

    #[test]
    fn ties_are_on_the_safe_side() {
        // All equivalent pairs at one probability: none of them may be called different.
        let tied: Vec<Point> =
            (0..400).map(|i| (if i % 2 == 0 { 0.4 } else { 0.1 }, i % 2 == 0, 1.0)).collect();
        let band = Band::fit(&tied, 0.5, 0.1);
        assert_eq!(band.decide(0.4, 0.5), Decision::Abstained);
        assert_eq!(band.decide(0.1, 0.5), Decision::Different);
    }
}
