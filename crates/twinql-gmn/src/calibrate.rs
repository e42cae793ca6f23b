//! From distances to probabilities, and how good they are.

use serde::{Deserialize, Serialize};
use twinql_metrics::{Confusion, ECE_BINS, cuts, ece};

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
pub type Point = (f32, bool, f32);

impl Calibration {
    /// Of weights whose distances nobody has compared with labels.
    pub const UNMEASURED: Calibration =
        Calibration { transform: Transform::Squared, slope: 1.0, offset: 0.0 };

    /// Probability that a pair at this squared distance is equivalent; falls with the distance.
    pub fn probability(&self, squared: f32) -> f32 {
        if squared.is_nan() {
            return 0.0;
        }
        let squared = f64::from(squared).min(1e12);
        sigmoid(self.offset - self.slope * self.transform.apply(squared)) as f32
    }

    /// Whether it falls with the distance, and its numbers are finite.
    pub(crate) fn is_usable(&self) -> bool {
        self.slope >= 0.0 && self.slope.is_finite() && self.offset.is_finite()
    }

    /// The transform and line of least log loss. Each transform has two parameters, so the
    /// choice among three is made on the same points.
    pub fn fit(points: &[Point]) -> Calibration {
        [Transform::Squared, Transform::Distance, Transform::Logarithm]
            .into_iter()
            .map(|transform| {
                let fitted = fit_line(points, transform);
                (log_loss(points, &fitted), fitted)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(Calibration { transform: Transform::Squared, slope: 4.0, offset: 4.0 }, |best| best.1)
    }
}

/// Log odds; finite for 0 and 1.
pub fn logit(probability: f32) -> f32 {
    let p = probability.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

/// The probability of these log odds.
pub fn probability(logit: f32) -> f32 {
    sigmoid(f64::from(logit)) as f32
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Newton's method with a small ridge, on smoothed targets (Platt, 1999).
fn fit_line(points: &[Point], transform: Transform) -> Calibration {
    let total = |label: bool| -> f64 { points.iter().filter(|p| p.1 == label).map(|p| f64::from(p.2)).sum() };
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
        let (d0, d1) = ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant);
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
        return Calibration { transform, slope: 0.0, offset: (rate / (1.0 - rate)).ln() };
    }
    Calibration { transform, slope, offset }
}

/// Points with probabilities in place of distances.
pub fn probabilities(points: &[Point], calibration: &Calibration) -> Vec<Point> {
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
    /// Expected calibration error over 15 bins of equal width, as in reports; older checkpoints hold that over ten.
    pub ece: f64,
    /// Log loss of the probabilities, in nats.
    pub log_loss: f64,
}

impl Quality {
    /// Of no pairs: a coin's.
    pub const UNMEASURED: Quality = Quality { pairs: 0, auc: 0.5, accuracy: 0.0, ece: 0.0, log_loss: 0.0 };

    /// Of points that are read by a calibration, with a threshold.
    pub fn of(points: &[Point], calibration: &Calibration, threshold: f32) -> Quality {
        Quality {
            // Of distances: far ones have equal probabilities once rounded.
            auc: auc_of_distances(points),
            ..Quality::of_scores(&probabilities(points, calibration), threshold)
        }
    }

    /// As [`Quality::of`], of probabilities with labels and weights.
    pub(crate) fn of_scores(scored: &[Point], threshold: f32) -> Quality {
        let (scores, labels) = columns(scored);
        let decided = Confusion::at(&scores, &labels, f64::from(threshold)).unwrap_or_default();
        Quality {
            pairs: scored.len(),
            auc: auc(&scores, &labels),
            accuracy: decided.accuracy().unwrap_or(0.0),
            ece: ece(&scores, &labels, ECE_BINS).unwrap_or(0.0),
            log_loss: mean_log_loss(scored),
        }
    }
}

/// Scores and labels, as the statistics take them.
fn columns(points: &[Point]) -> (Vec<f64>, Vec<bool>) {
    points.iter().map(|p| (f64::from(p.0), p.1)).unzip()
}

/// Area under the ROC curve; 0.5, a coin's, where a class is missing.
fn auc(scores: &[f64], labels: &[bool]) -> f64 {
    twinql_metrics::auc(scores, labels).unwrap_or(0.5)
}

/// Area under the ROC curve of pairs ranked by their distance, near ones first. What is no number, or infinite,
/// is as far as any, as [`Calibration::probability`] has it.
pub fn auc_of_distances(points: &[Point]) -> f64 {
    let (mut scores, labels) = columns(points);
    for score in &mut scores {
        *score = if score.is_finite() { -*score } else { f64::MIN };
    }
    auc(&scores, &labels)
}

/// The probability from which pairs are called equivalent so that most are right; among
/// equally good ones the one nearest to one half. It keeps clear of the scores beside it by a quarter of the
/// gap, and never lies above all of them.
pub fn best_threshold(scored: &[Point]) -> f32 {
    let (scores, labels) = columns(scored);
    let cuts = cuts(&scores, &labels).unwrap_or_default();
    let mut best = (0, 0.5);
    for (place, cut) in cuts.iter().enumerate() {
        let Some(above) = cut.above.map(|a| a as f32) else {
            continue;
        };
        let threshold = match cut.below.map(|b| b as f32) {
            Some(below) => 0.5f32.clamp(below + 0.25 * (above - below), below + 0.75 * (above - below)),
            None => 0.5f32.min(above),
        };
        let nearer = (threshold - 0.5).abs() < (best.1 - 0.5f32).abs();
        if place == 0 || cut.correct > best.0 || (cut.correct == best.0 && nearer) {
            best = (cut.correct, threshold);
        }
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
        let all: Vec<f32> = (0..1000).map(|i| calibration.probability(i as f32 / 100.0)).collect();
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
    fn distances_that_are_no_numbers_are_far() {
        let near = [(0.1, true, 1.0), (0.2, true, 1.0)];
        for far in [f32::NAN, -f32::NAN, f32::INFINITY] {
            let points = [near[0], near[1], (far, false, 1.0)];
            assert_eq!(auc_of_distances(&points), 1.0);
        }
        assert_eq!(auc_of_distances(&near), 0.5);
    }

    #[test]
    fn the_threshold_is_near_one_half_and_clear_of_scores() {
        let of = |scored: &[(f32, bool)]| {
            let points: Vec<Point> = scored.iter().map(|s| (s.0, s.1, 1.0)).collect();
            best_threshold(&points)
        };
        let cases: [(&[(f32, bool)], f32); 6] = [
            (&[(0.1, false), (0.9, true)], 0.5),
            (&[(0.1, false), (0.3, true)], 0.25),
            (&[(0.2, true), (0.4, true)], 0.2),
            (&[(0.7, true), (0.8, true)], 0.5),
            // One cut is best, and keeps a quarter of its gap away from the score below it.
            (&[(0.1, false), (0.6, false), (0.7, true), (0.9, false)], 0.625),
            // Two cuts are right three times.
            (&[(0.1, false), (0.2, true), (0.5, false), (0.6, true)], 0.525),
        ];
        for (scored, expected) in cases {
            assert!((of(scored) - expected).abs() < 1e-6, "{scored:?}: {}", of(scored));
        }
        assert_eq!(of(&[]), 0.5);
    }
}
