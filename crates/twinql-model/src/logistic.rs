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
/// Keeps the weight of what hardly occurs small.
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
    let odds: f64 = weights.iter().zip(features).map(|(x, y)| x * y).sum();
    1.0 / (1.0 + (-odds).exp())
}

/// The weights of all samples, and how well those of four fifths of the databases do on the last. The weights at the
/// places of `positive` are not negative.
///
/// # Errors
/// All labels are the same, or there are too few databases.
pub(crate) fn fit<const N: usize>(
    samples: &[Sample<N>],
    positive: &[usize],
) -> Result<([f64; N], Folds), Unfit> {
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
    let (mut probabilities, mut labels) = (Vec::new(), Vec::new());
    for fold in 0..FOLDS {
        let weights = minimize(samples.iter().filter(|s| of(s) != fold), positive);
        for s in samples.iter().filter(|s| of(s) == fold) {
            probabilities.push(chance(&weights, &s.features));
            labels.push(s.label);
        }
    }
    let folds = Folds {
        pairs: samples.len(),
        positive: right as f64 / samples.len() as f64,
        databases: databases.len(),
        // Both labels occur, and probabilities are finite.
        auc: auc(&probabilities, &labels).unwrap_or_default(),
        ece: ece(&probabilities, &labels, ECE_BINS).unwrap_or_default(),
    };
    Ok((minimize(samples.iter(), positive), folds))
}

/// The weights of least log loss with a ridge, by Newton's method along one coordinate after the other: the loss is
/// convex, and no matrix is to be inverted.
fn minimize<'a, const N: usize>(
    samples: impl Iterator<Item = &'a Sample<N>>,
    positive: &[usize],
) -> [f64; N] {
    // Where few signs occur, each does many times.
    let mut counts: BTreeMap<[u64; N], (f64, f64)> = BTreeMap::new();
    for s in samples {
        let (all, right) = counts.entry(s.features.map(f64::to_bits)).or_default();
        *all += 1.0;
        *right += f64::from(u8::from(s.label));
    }
    let rows: Vec<([f64; N], f64, f64)> =
        counts.into_iter().map(|(f, (all, right))| (f.map(f64::from_bits), all, right)).collect();
    let mut weights = [0.0; N];
    for _ in 0..500 {
        let mut moved = 0.0f64;
        for i in 0..N {
            let old: f64 = weights[i];
            let (mut slope, mut curve) = (RIDGE * old, RIDGE);
            for (features, all, right) in &rows {
                let x = features[i];
                if x != 0.0 {
                    let p = chance(&weights, features);
                    slope += (all * p - right) * x;
                    curve += all * p * (1.0 - p) * x * x;
                }
            }
            let least = if positive.contains(&i) { 0.0 } else { f64::NEG_INFINITY };
            let new = (old - slope / curve).max(least);
            moved = moved.max((new - old).abs());
            weights[i] = new;
        }
        if moved < STILL {
            break;
        }
    }
    weights
}
