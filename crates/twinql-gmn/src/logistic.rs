//! Logistic models of a few signs, fitted to pairs that were executed, and measured on databases that they were not
//! fitted on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use twinql_metrics::{ECE_BINS, auc, ece};

/// A model on databases that it was not fitted on: each fifth of them by what the other four say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Folds {
    /// The pairs.
    pub pairs: usize,
    /// The share of them that execution calls right.
    pub positive: f64,
    /// Their databases.
    pub databases: usize,
    /// Area under the ROC curve.
    pub auc: f64,
    /// Expected calibration error.
    pub ece: f64,
}

/// Why a model cannot be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// Pairs of one label say nothing of the other.
    #[error("all {0} pairs have the same label; give executed pairs of both")]
    OneLabel(usize),
    /// Pairs of a database are alike: what is not measured on others is not known.
    #[error(
        "the pairs are over {found} databases; give those of at least {FOLDS}, each fifth of which is scored by the others"
    )]
    FewDatabases {
        /// How many there are.
        found: usize,
    },
}

/// Parts of the databases that take turns.
const FOLDS: usize = 5;
/// Keeps the weight of what hardly occurs near to where it was.
const RIDGE: f64 = 1.0;
/// No weight moves by more once a fit is done.
const STILL: f64 = 1e-9;
/// Steps of a fit, which takes some ten, and how often one is halved, at the most.
const STEPS: usize = 200;
const HALVINGS: usize = 40;

/// A pair as a model sees it.
#[derive(Debug, Clone)]
pub(crate) struct Sample<const N: usize> {
    pub(crate) features: [f64; N],
    pub(crate) label: bool,
    pub(crate) database: String,
}

/// The probability that weights give to features.
pub(crate) fn chance<const N: usize>(weights: &[f64; N], features: &[f64; N]) -> f64 {
    logistic(log_odds(weights, features))
}

fn log_odds<const N: usize>(weights: &[f64; N], features: &[f64; N]) -> f64 {
    weights.iter().zip(features).map(|(x, y)| x * y).sum()
}

fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// Where a fit begins, and what it is held to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<const N: usize> {
    /// What weights are where samples say nothing: all 0, or those of an earlier fit.
    pub(crate) weights: [f64; N],
    /// How many samples each of these is worth.
    pub(crate) ridge: [f64; N],
    /// Weights that are not negative.
    pub(crate) positive: [bool; N],
}

impl<const N: usize> Start<N> {
    /// From nothing.
    pub(crate) fn new(positive: [bool; N]) -> Start<N> {
        Start { weights: [0.0; N], ridge: [RIDGE; N], positive }
    }
}

/// What a fit finds.
#[derive(Debug, Clone)]
pub(crate) struct Fitted<const N: usize> {
    /// Of all samples.
    pub(crate) weights: [f64; N],
    /// How good those of the other databases are.
    pub(crate) folds: Folds,
    /// What those say of each sample, in order.
    pub(crate) left_out: Vec<f64>,
}

/// The weights of all samples, and how well those of four fifths of the databases do on the last, with the probability
/// of each sample by those.
///
/// # Errors
/// All labels are the same, or there are too few databases.
pub(crate) fn fit<const N: usize>(samples: &[Sample<N>], start: &Start<N>) -> Result<Fitted<N>, Unfit> {
    let right = samples.iter().filter(|s| s.label).count();
    if right == 0 || right == samples.len() {
        return Err(Unfit::OneLabel(samples.len()));
    }
    let mut databases: BTreeMap<&str, usize> = samples.iter().map(|s| (s.database.as_str(), 0)).collect();
    if databases.len() < FOLDS {
        return Err(Unfit::FewDatabases { found: databases.len() });
    }
    for (i, fold) in databases.values_mut().enumerate() {
        *fold = i % FOLDS;
    }
    let of = |s: &Sample<N>| databases.get(s.database.as_str()).copied().unwrap_or_default();
    let weights: Vec<[f64; N]> =
        (0..FOLDS).map(|fold| minimize(samples.iter().filter(|s| of(s) != fold), start)).collect();
    let left_out: Vec<f64> = samples.iter().map(|s| chance(&weights[of(s)], &s.features)).collect();
    let labels: Vec<bool> = samples.iter().map(|s| s.label).collect();
    let folds = Folds {
        pairs: samples.len(),
        positive: right as f64 / samples.len() as f64,
        databases: databases.len(),
        // Both labels occur, and probabilities are finite.
        auc: auc(&left_out, &labels).unwrap_or_default(),
        ece: ece(&left_out, &labels, ECE_BINS).unwrap_or_default(),
    };
    Ok(Fitted { weights: minimize(samples.iter(), start), folds, left_out })
}

/// The weights of least log loss with a ridge, by Newton's method: the loss is convex. Where a whole step would raise it, as far
/// from the least many do, a part of the step is taken. Signs may be the sum of others, which the ridge allows.
fn minimize<'a, const N: usize>(samples: impl Iterator<Item = &'a Sample<N>>, start: &Start<N>) -> [f64; N] {
    // Where few signs occur, each does many times.
    let mut counts: BTreeMap<[u64; N], (f64, f64)> = BTreeMap::new();
    for s in samples {
        let (all, right) = counts.entry(s.features.map(f64::to_bits)).or_default();
        *all += 1.0;
        *right += f64::from(u8::from(s.label));
    }
    // What has the signs at hand, how much does, and how much of it is right.
    let rows: Vec<([f64; N], f64, f64)> =
        counts.into_iter().map(|(f, (all, right))| (f.map(f64::from_bits), all, right)).collect();
    let loss = |weights: &[f64; N]| {
        let held =
            (0..N).map(|i| start.ridge[i] * (weights[i] - start.weights[i]).powi(2) / 2.0).sum::<f64>();
        let of = |(features, all, right): &([f64; N], f64, f64)| {
            let odds = log_odds(weights, features);
            // The logarithm of 1 + exp(odds), which overflows nowhere.
            all * (odds.max(0.0) + (-odds.abs()).exp().ln_1p()) - right * odds
        };
        held + rows.iter().map(of).sum::<f64>()
    };
    let mut weights = start.weights;
    let mut least = loss(&weights);
    for _ in 0..STEPS {
        let mut slope: [f64; N] = std::array::from_fn(|i| start.ridge[i] * (weights[i] - start.weights[i]));
        let mut curve = [[0.0; N]; N];
        (0..N).for_each(|i| curve[i][i] = start.ridge[i]);
        for (features, all, right) in &rows {
            let p = logistic(log_odds(&weights, features));
            let bend = all * p * (1.0 - p);
            for i in (0..N).filter(|i| features[*i] != 0.0) {
                slope[i] += (all * p - right) * features[i];
                (0..=i).for_each(|j| curve[i][j] += bend * features[i] * features[j]);
            }
        }
        // A weight that is to stay at 0 takes no part.
        for i in 0..N {
            if start.positive[i] && weights[i] <= 0.0 && slope[i] > 0.0 {
                slope[i] = 0.0;
                (0..i).for_each(|j| curve[i][j] = 0.0);
                (i + 1..N).for_each(|j| curve[j][i] = 0.0);
            }
        }
        let step = solved(curve, slope);
        let moved = |part: f64| -> [f64; N] {
            std::array::from_fn(|i| {
                let weight = weights[i] - part * step[i];
                if start.positive[i] { weight.max(0.0) } else { weight }
            })
        };
        let parts = std::iter::successors(Some(1.0), |part| Some(part / 2.0)).take(HALVINGS);
        let mut tried = parts.map(moved).map(|weights| (weights, loss(&weights)));
        let Some((better, now)) = tried.find(|(_, now)| *now < least) else { break };
        let far = (0..N).map(|i| (better[i] - weights[i]).abs()).fold(0.0, f64::max);
        (weights, least) = (better, now);
        if far < STILL {
            break;
        }
    }
    weights
}

/// Solves a system of equations whose matrix is symmetric and positive, given by its lower half (Cholesky).
fn solved<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for i in 0..N {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - sum;
            matrix[i][j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[j][j] };
        }
    }
    for i in 0..N {
        let sum: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    for i in (0..N).rev() {
        let sum: f64 = (i + 1..N).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples over `signs` signs of a few kinds, whose truth other weights give than those that a fit begins with.
    fn samples() -> Vec<Sample<4>> {
        let kinds = [
            ([1.0, 1.0, 0.0, 3.5], 2100, 2070),
            ([1.0, 0.0, 1.0, 3.5], 400, 210),
            ([1.0, 0.0, 1.0, -3.5], 1500, 640),
            ([1.0, 0.0, 0.0, -3.5], 180, 0),
            ([1.0, 0.0, 1.0, 0.0], 12, 6),
        ];
        let of = |(features, all, right): ([f64; 4], usize, usize)| {
            (0..all).map(move |i| Sample { features, label: i < right, database: (i % 7).to_string() })
        };
        kinds.into_iter().flat_map(of).collect()
    }

    #[test]
    fn a_fit_ends_where_nothing_is_to_be_gained_wherever_it_begins() {
        let samples = samples();
        for weights in [[0.0; 4], [0.4, 2.2, -1.1, 0.7], [30.0, -20.0, 25.0, 9.0], [-40.0, 40.0, 40.0, 0.0]] {
            for positive in [[false; 4], [false, false, false, true]] {
                let start = Start { weights, ridge: [1.0; 4], positive };
                let found = minimize(samples.iter(), &start);
                for i in 0..4 {
                    let held = found[i] - weights[i];
                    let slope = held
                        + samples
                            .iter()
                            .map(|s| {
                                (chance(&found, &s.features) - f64::from(u8::from(s.label))) * s.features[i]
                            })
                            .sum::<f64>();
                    let bound = positive[i] && found[i] == 0.0;
                    assert!(
                        slope.abs() < 1e-3 || bound && slope > 0.0,
                        "{weights:?} {positive:?}: {slope} of {i}"
                    );
                }
            }
        }
    }

    #[test]
    fn equations_are_solved() {
        let found = solved([[4.0, 0.0], [2.0, 3.0]], [8.0, 7.0]);
        assert!((found[0] - 1.25).abs() < 1e-12 && (found[1] - 1.5).abs() < 1e-12, "{found:?}");
    }
}
