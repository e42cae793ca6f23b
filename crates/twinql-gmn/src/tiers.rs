//! Scores of the network where cheaper judges know nothing, and theirs where they do.
//!
//! A proof is certain and costs less than a millisecond; a database on which the answers differ
//! is certain too, and costs executions. What is left for the network is the hard part, on which
//! its distances mean something else than over all pairs: each tier is calibrated by itself, on
//! validation pairs alone.

use serde::{Deserialize, Serialize};

use crate::band::{Band, LEVEL};
use crate::calibrate::{Calibration, Point, Quality, best_threshold};

/// What is known of a pair before the network is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Nothing was asked.
    #[default]
    None,
    /// Proved equal on every database.
    ProvedEqual,
    /// Proved different.
    ProvedDifferent,
    /// No proof; a database tells them apart.
    Refuted,
    /// No proof; no database of the suite tells them apart.
    Unrefuted,
}

/// How far the judges before the network go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cascade {
    /// Proof, then network.
    Proof,
    /// Proof, then test suite, then network.
    ProofAndSuite,
}

impl Cascade {
    /// Whether the network has the last word on a pair of which this is known.
    pub fn leaves_open(self, evidence: Evidence) -> bool {
        match evidence {
            Evidence::ProvedEqual | Evidence::ProvedDifferent => false,
            Evidence::Refuted => self == Cascade::Proof,
            Evidence::None | Evidence::Unrefuted => true,
        }
    }
}

/// The scores of both cascades, each a probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tiers {
    /// Probability of pairs that are proved equal: their share of label 1, as the three below.
    pub equal: f32,
    /// Of pairs that are proved different.
    pub different: f32,
    /// Of pairs that a database tells apart.
    pub refuted: f32,
    /// Of pairs that no database tells apart, where the network cannot read them.
    pub unrefuted: f32,
    /// Proof, then network.
    pub two: Tier,
    /// Proof, suite, network.
    pub three: Tier,
}

/// The network's part of a cascade.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tier {
    /// From distance to probability, for the pairs that reach the network.
    pub calibration: Calibration,
    /// Probability from which a pair is called equivalent.
    pub threshold: f32,
    /// Between which probabilities the network had better say nothing.
    #[serde(default)]
    pub band: Option<Band>,
    /// The whole cascade on the validation pairs.
    pub validation: Quality,
}

impl Tiers {
    /// The probability of a pair; `squared` is the network's distance, none where it cannot read
    /// the pair and nothing else is known: that gives nothing.
    pub fn probability(&self, cascade: Cascade, evidence: Evidence, squared: Option<f32>) -> Option<f32> {
        let suite = cascade == Cascade::ProofAndSuite;
        match evidence {
            Evidence::ProvedEqual => Some(self.equal),
            Evidence::ProvedDifferent => Some(self.different),
            Evidence::Refuted if suite => Some(self.refuted),
            Evidence::Unrefuted if suite => {
                Some(squared.map_or(self.unrefuted, |d| self.between(&self.three.calibration, d)))
            }
            _ => squared.map(|d| self.between(&self.two.calibration, d)),
        }
    }

    /// The part of a cascade that is the network's.
    pub fn tier(&self, cascade: Cascade) -> &Tier {
        match cascade {
            Cascade::Proof => &self.two,
            Cascade::ProofAndSuite => &self.three,
        }
    }

    fn between(&self, calibration: &Calibration, squared: f32) -> f32 {
        self.within(calibration.probability(squared))
    }

    /// A probability of a pair of which nothing is known: never more certain than what is known.
    pub fn within(&self, probability: f32) -> f32 {
        let low = self.different.max(self.refuted).min(self.equal);
        probability.clamp(low, self.equal)
    }

    /// Fits both cascades on the points that come with evidence; nothing if none reaches the
    /// network.
    pub fn fit(points: &[Point], evidence: &[Evidence]) -> Option<Tiers> {
        let of = |wanted: &[Evidence]| -> Vec<Point> {
            let pairs = points.iter().zip(evidence);
            pairs.filter(|(_, e)| wanted.contains(e)).map(|(p, _)| *p).collect()
        };
        let (refuted, unrefuted) = (of(&[Evidence::Refuted]), of(&[Evidence::Unrefuted]));
        if unrefuted.is_empty() {
            return None;
        }
        let two = Calibration::fit(&of(&[Evidence::Refuted, Evidence::Unrefuted]));
        let three = Calibration::fit(&unrefuted);
        let tier =
            |calibration| Tier { calibration, threshold: 0.5, band: None, validation: Quality::UNMEASURED };
        let mut tiers = Tiers {
            equal: share(&of(&[Evidence::ProvedEqual])),
            different: share(&of(&[Evidence::ProvedDifferent])),
            refuted: share(&refuted),
            unrefuted: share(&unrefuted),
            two: tier(two),
            three: tier(three),
        };
        for cascade in [Cascade::Proof, Cascade::ProofAndSuite] {
            let score = |wanted: &dyn Fn(Evidence) -> bool| -> Vec<Point> {
                points
                    .iter()
                    .zip(evidence)
                    .filter(|(_, e)| wanted(**e))
                    .filter_map(|(&(d, label, weight), &e)| {
                        Some((tiers.probability(cascade, e, Some(d))?, label, weight))
                    })
                    .collect()
            };
            let scored = score(&|e| e != Evidence::None);
            let open = score(&|e| cascade.leaves_open(e) && e != Evidence::None);
            let threshold = best_threshold(&scored);
            let band = Band::fit(&open, threshold, LEVEL);
            let validation = Quality::of_scores(&scored, threshold);
            let tier = match cascade {
                Cascade::Proof => &mut tiers.two,
                Cascade::ProofAndSuite => &mut tiers.three,
            };
            tier.threshold = threshold;
            tier.band = Some(band);
            tier.validation = validation;
        }
        Some(tiers)
    }
}

/// The share of label 1 by Laplace's rule: one more of each label than was seen.
fn share(points: &[Point]) -> f32 {
    let same = points.iter().filter(|p| p.1).count();
    ((same + 1) as f64 / (points.len() + 2) as f64) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances that say little over all, and all evidence.
    fn validation() -> (Vec<Point>, Vec<Evidence>) {
        (0..400u32)
            .map(|i| {
                let d = (i % 20) as f32 / 10.0;
                match i % 4 {
                    0 => ((d, true, 1.0), Evidence::ProvedEqual),
                    1 => ((d, false, 1.0), Evidence::ProvedDifferent),
                    2 => ((d, false, 1.0), Evidence::Refuted),
                    _ => ((d, d < 1.2, 1.0), Evidence::Unrefuted),
                }
            })
            .unzip()
    }

    #[test]
    fn the_known_stands_outside_the_unknown() {
        let (points, evidence) = validation();
        let tiers = Tiers::fit(&points, &evidence).unwrap();
        let p = |cascade, e, d| tiers.probability(cascade, e, d).unwrap();
        for cascade in [Cascade::Proof, Cascade::ProofAndSuite] {
            let equal = p(cascade, Evidence::ProvedEqual, None);
            let different = p(cascade, Evidence::ProvedDifferent, None);
            for d in [0.0, 0.5, 1.9, 50.0] {
                let unknown = p(cascade, Evidence::Unrefuted, Some(d));
                assert!(different <= unknown && unknown <= equal, "{d}: {unknown}");
            }
        }
        assert!(p(Cascade::ProofAndSuite, Evidence::Refuted, Some(0.0)) < 0.05);
        assert!(p(Cascade::Proof, Evidence::Refuted, Some(0.0)) > 0.2);
    }

    #[test]
    fn each_tier_is_better_than_the_one_before() {
        let (points, evidence) = validation();
        let tiers = Tiers::fit(&points, &evidence).unwrap();
        let (two, three) = (tiers.two.validation.auc, tiers.three.validation.auc);
        assert!(two < three && three > 0.99, "{two} {three}");
    }

    #[test]
    fn nothing_without_evidence_or_distance() {
        let (points, evidence) = validation();
        let tiers = Tiers::fit(&points, &evidence).unwrap();
        assert!(tiers.probability(Cascade::Proof, Evidence::Refuted, None).is_none());
        assert!(tiers.probability(Cascade::ProofAndSuite, Evidence::Unrefuted, None).is_some());
        assert!(Tiers::fit(&points, &vec![Evidence::None; points.len()]).is_none());
    }
}
