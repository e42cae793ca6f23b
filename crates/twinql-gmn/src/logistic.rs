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

/// The weights of least log loss with a ridge, by Newton's method along one coordinate after the other: the loss is
/// convex, and no matrix is to be inverted.
fn minimize<'a, const N: usize>(samples: impl Iterator<Item = &'a Sample<N>>, start: &Start<N>) -> [f64; N] {
    // Where few signs occur, each does many times.
    let mut counts: BTreeMap<[u64; N], (f64, f64)> = BTreeMap::new();
    for s in samples {
        let (all, right) = counts.entry(s.features.map(f64::to_bits)).or_default();
        *all += 1.0;
        *right += f64::from(u8::from(s.label));
    }
    let mut weights = start.weights;
    // What has the sign at hand, and the log odds of each.
    let rows: Vec<([f64; N], f64, f64)> =
        counts.into_iter().map(|(f, (all, right))| (f.map(f64::from_bits), all, right)).collect();
    let mut odds: Vec<f64> = rows.iter().map(|(features, ..)| log_odds(&weights, features)).collect();
    let having: Vec<Vec<usize>> =
        (0..N).map(|i| (0..rows.len()).filter(|row| rows[*row].0[i] != 0.0).collect()).collect();
    for _ in 0..500 {
        let mut moved = 0.0f64;
        for i in 0..N {
            let old: f64 = weights[i];
            let (mut slope, mut curve) = (start.ridge[i] * (old - start.weights[i]), start.ridge[i]);
            for row in &having[i] {
                let (features, all, right) = &rows[*row];
                let (x, p) = (features[i], logistic(odds[*row]));
                slope += (all * p - right) * x;
                curve += all * p * (1.0 - p) * x * x;
            }
            let least = if start.positive[i] { 0.0 } else { f64::NEG_INFINITY };
            let new = (old - slope / curve).max(least);
            for row in &having[i] {
                odds[*row] += (new - old) * rows[*row].0[i];
            }
            moved = moved.max((new - old).abs());
            weights[i] = new;
        }
        if moved < STILL {
            break;
        }
    }
    weights
}
