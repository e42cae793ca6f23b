//! From distances to probabilities, and how good they are.

use serde::{Deserialize, Serialize};

/// A concave function of the squared distance that the logistic map reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// d².
    Squared,
    /// d.
    Distance,
    /// ln(1 + 100 d²): spreads small distances.
    Logarithm,
}

impl Transform {
    fn apply(self, squared: f64) -> f64 {
        let squared = squared.max(0.0);
        match self {
            Transform::Squared => squared,
            Transform::Distance => squared.sqrt(),
            Transform::Logarithm => (100.0 * squared).ln_1p(),
        }
    }
}

/// A monotone map from distance to probability: σ(offset − slope · transform(d²)), slope ≥ 0
/// (Platt scaling). A distance of 0, which pairs of equal canonical form have, gets the top.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The feature.
    pub transform: Transform,
    /// Not negative.
    pub slope: f64,
    /// Logit of a pair at distance 0.
    pub offset: f64,
}

/// A distance (or a probability), its label and its weight.
pub(crate) type Point = (f32, bool, f32);

impl Calibration {
    /// Probability that a pair at this squared distance is equivalent; falls with the distance.
    pub fn probability(&self, squared: f32) -> f32 {
        if squared.is_nan() {
            return 0.0;
        }
        let squared = f64::from(squared).min(1e12);
        sigmoid(self.offset - self.slope * self.transform.apply(squared)) as f32
    }

    /// The transform and line of least log loss. Each transform has two parameters, so the
    /// choice among three is made on the same points.
    pub(crate) fn fit(points: &[Point]) -> Calibration {
        [Transform::Squared, Transform::Distance, Transform::Logarithm]
            .into_iter()
            .map(|transform| {
                let fitted = fit_line(points, transform);
                (log_loss(points, &fitted), fitted)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(
                Calibration {
                    transform: Transform::Squared,
                    slope: 4.0,
                    offset: 4.0,
                },
                |best| best.1,
            )
    }
}

/// Log odds; finite for 0 and 1.
pub(crate) fn logit(probability: f32) -> f32 {
    let p = probability.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

/// The probability of these log odds.
pub(crate) fn probability(logit: f32) -> f32 {
    sigmoid(f64::from(logit)) as f32
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Newton's method with a small ridge, on smoothed targets (Platt, 1999).
fn fit_line(points: &[Point], transform: Transform) -> Calibration {
    let total = |label: bool| -> f64 {
        points
            .iter()
            .filter(|p| p.1 == label)
            .map(|p| f64::from(p.2))
            .sum()
    };
    let (positive, negative) = (total(true), total(false));
    let high = (positive + 1.0) / (positive + 2.0);
    let low = 1.0 / (negative + 2.0);
    let (mut offset, mut slope) = (0.0f64, 0.0f64);
    let ridge = 1e-6;
    for _ in 0..100 {
        let (mut g0, mut g1) = (0.0, ridge * slope);
        let (mut h00, mut h01, mut h11) = (ridge, 0.0, ridge);
        for &(squared, label, weight) in points {
            let x = transform.apply(f64::from(squared).min(1e12));
            let p = sigmoid(offset - slope * x);
            let (w, target) = (f64::from(weight), if label { high } else { low });
            g0 += w * (p - target);
            g1 -= w * (p - target) * x;
            let curve = w * p * (1.0 - p);
            h00 += curve;
            h01 -= curve * x;
            h11 += curve * x * x;
        }
        let determinant = h00 * h11 - h01 * h01;
        if !determinant.is_finite() || determinant.abs() < 1e-12 {
            break;
        }
        let (d0, d1) = (
            (h11 * g0 - h01 * g1) / determinant,
            (h00 * g1 - h01 * g0) / determinant,
        );
        // Damped: separable points would send the first steps far off.
        let damp = 1.0 / (1.0f64).max(d0.abs().max(d1.abs()) / 2.0);
        offset -= damp * d0;
        slope -= damp * d1;
        if d0.abs() + d1.abs() < 1e-9 {
            break;
        }
    }
    if slope <= 0.0 || !slope.is_finite() || !offset.is_finite() {
        // Distances say nothing: the base rate for all.
        let rate = (positive + 1.0) / (positive + negative + 2.0);
        return Calibration {
            transform,
            slope: 0.0,
            offset: (rate / (1.0 - rate)).ln(),
        };
    }
    Calibration {
        transform,
        slope,
        offset,
    }
}

/// Points with probabilities in place of distances.
pub(crate) fn probabilities(points: &[Point], calibration: &Calibration) -> Vec<Point> {
    let probability = |p: &Point| (calibration.probability(p.0), p.1, p.2);
    points.iter().map(probability).collect()
}

fn log_loss(points: &[Point], calibration: &Calibration) -> f64 {
    mean_log_loss(&probabilities(points, calibration))
}

fn mean_log_loss(scored: &[Point]) -> f64 {
    let mut sum = 0.0;
    let mut total = 0.0;
    for &(p, label, weight) in scored {
        let p = f64::from(p).clamp(1e-7, 1.0 - 1e-7);
        sum -= f64::from(weight) * if label { p.ln() } else { (1.0 - p).ln() };
        total += f64::from(weight);
    }
    if total > 0.0 { sum / total } else { f64::INFINITY }
}

/// How a set of scored pairs compares with its labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Number of pairs.
    pub pairs: usize,
    /// Area under the ROC curve, ties counted half.
    pub auc: f64,
    /// Share of pairs on the right side of the threshold.
    pub accuracy: f64,
    /// Expected calibration error over ten bins of equal width.
    pub ece: f64,
    /// Log loss of the probabilities, in nats.
    pub log_loss: f64,
}

impl Quality {
    /// Of no pairs: a coin's.
    pub(crate) const UNMEASURED: Quality = Quality {
        pairs: 0,
        auc: 0.5,
        accuracy: 0.0,
        ece: 0.0,
        log_loss: 0.0,
    };

    pub(crate) fn of(points: &[Point], calibration: &Calibration, threshold: f32) -> Quality {
        Quality {
            // Of distances: far ones have equal probabilities once rounded.
            auc: auc(points.iter().map(|p| (-p.0, p.1))),
            ..Quality::of_scores(&probabilities(points, calibration), threshold)
        }
    }

    /// As [`Quality::of`], of probabilities with labels and weights.
    pub(crate) fn of_scores(scored: &[Point], threshold: f32) -> Quality {
        let right = scored.iter().filter(|p| (p.0 >= threshold) == p.1).count();
        Quality {
            pairs: scored.len(),
            auc: auc(scored.iter().map(|p| (p.0, p.1))),
            accuracy: right as f64 / scored.len().max(1) as f64,
            ece: expected_calibration_error(scored),
            log_loss: mean_log_loss(scored),
        }
    }
}

/// Area under the ROC curve of (score, label), higher scores meaning `true`; ties count half.
/// 0.5 where a class is missing.
pub(crate) fn auc(scores: impl Iterator<Item = (f32, bool)>) -> f64 {
    let mut scores: Vec<(f32, bool)> = scores.collect();
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut positives, mut negatives, mut area) = (0.0, 0.0, 0.0);
    for tied in scores.chunk_by(|a, b| a.0 == b.0) {
        let here = tied.iter().filter(|s| s.1).count() as f64;
        let others = tied.len() as f64 - here;
        area += here * (negatives + 0.5 * others);
        positives += here;
        negatives += others;
    }
    if positives == 0.0 || negatives == 0.0 {
        0.5
    } else {
        area / (positives * negatives)
    }
}

fn expected_calibration_error(scored: &[Point]) -> f64 {
    let mut bins = [(0.0f64, 0.0f64, 0.0f64); 10];
    for &(p, label, _) in scored {
        if let Some(bin) = bins.get_mut(((p * 10.0) as usize).min(9)) {
            bin.0 += 1.0;
            bin.1 += f64::from(p);
            bin.2 += f64::from(u8::from(label));
        }
    }
    bins.iter().map(|b| (b.1 - b.2).abs()).sum::<f64>() / scored.len().max(1) as f64
}

/// The probability from which pairs are called equivalent so that most are right; among
/// equally good ones the one nearest to one half.
pub(crate) fn best_threshold(scored: &[Point]) -> f32 {
    let mut scored: Vec<(f32, bool)> = scored.iter().map(|p| (p.0, p.1)).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = scored.iter().filter(|s| s.1).count();
    // Threshold below everything: all positives are right.
    let mut right = total as i64;
    let mut best = (right, 0.5f32.min(scored.first().map_or(0.5, |s| s.0)));
    let mut previous: Option<(f32, i64)> = None;
    for tied in scored.chunk_by(|a, b| a.0 == b.0) {
        let value = tied.first().map_or(0.5, |t| t.0);
        if let Some((below, right)) = previous {
            let middle = 0.5f32.clamp(below + 0.25 * (value - below), below + 0.75 * (value - below));
            let nearer = (middle - 0.5).abs() < (best.1 - 0.5).abs();
            if right > best.0 || (right == best.0 && nearer) {
                best = (right, middle);
            }
        }
        for s in tied {
            right += if s.1 { -1 } else { 1 };
        }
        previous = Some((value, right));
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Point> {
        (0..200)
            .map(|i| {
                let squared = (i % 40) as f32 / 20.0;
                (squared, squared < 0.8 || (squared < 1.2 && i % 3 == 0), 1.0)
            })
            .collect()
    }

    #[test]
    fn probability_falls_with_distance_and_zero_gets_the_top() {
        let calibration = Calibration::fit(&points());
        let all: Vec<f32> = (0..1000)
            .map(|i| calibration.probability(i as f32 / 100.0))
            .collect();
        assert!(all.windows(2).all(|w| w[0] >= w[1]));
        assert!(all[0] > 0.9, "{}", all[0]);
        assert!(calibration.probability(f32::NAN) == 0.0);
        assert!(calibration.probability(f32::INFINITY) < 0.01);
    }

    #[test]
    fn fitted_probabilities_match_frequencies() {
        let calibration = Calibration::fit(&points());
        let threshold = best_threshold(&probabilities(&points(), &calibration));
        let quality = Quality::of(&points(), &calibration, threshold);
        assert!(quality.ece < 0.1, "{quality:?}");
        assert!(quality.accuracy > 0.9, "{quality:?}");
    }

    #[test]
    fn useless_distances_give_the_base_rate() {
        let points: Vec<Point> = (0..100).map(|i| ((i % 7) as f32, i % 4 == 0, 1.0)).collect();
        let p = Calibration::fit(&points).probability(3.0);
        assert!((p - 0.25).abs() < 0.1, "{p}");
    }

    #[test]
    fn separable_points_stay_finite() {
        let points: Vec<Point> = (0..100).map(|i| (i as f32 / 50.0, i < 50, 1.0)).collect();
        let calibration = Calibration::fit(&points);
        assert!(calibration.slope.is_finite() && calibration.offset.is_finite());
        let threshold = best_threshold(&probabilities(&points, &calibration));
        assert_eq!(Quality::of(&points, &calibration, threshold).accuracy, 1.0);
    }

    #[test]
    fn auc_counts_ties_half() {
        let cases: [(&[(f32, bool)], f64); 4] = [
            (&[(0.1, false), (0.9, true)], 1.0),
            (&[(0.9, false), (0.1, true)], 0.0),
            (&[(0.5, false), (0.5, true)], 0.5),
            (&[(0.1, false), (0.5, false), (0.5, true), (0.9, true)], 0.875),
        ];
        for (scores, expected) in cases {
            assert_eq!(auc(scores.iter().copied()), expected);
        }
    }
}
