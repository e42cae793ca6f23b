//! Intervals by resampling.
//!
//! Resample `i` is drawn from the seed and `i` alone, so it is the same whatever the
//! number of threads, and two metrics over the same items see the same resamples: their
//! intervals are paired.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Undefined;

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Resampling {
    /// How many resamples; 1,000 is the field's custom.
    pub resamples: usize,
    /// The interval's coverage, between 0 and 1.
    pub level: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Resampling { resamples: 1000, level: 0.95, seed: 8 }
    }
}

/// A statistic with its percentile bootstrap interval (Efron 1979).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The statistic on the data itself.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Resamples on which the statistic was defined.
    pub resamples: usize,
}

/// The items of resample `index` of `n` items: `n` positions, drawn with replacement.
pub fn resample(n: usize, seed: u64, index: u64) -> Vec<usize> {
    if n == 0 {
        return Vec::new();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    (0..n).map(|_| rng.random_range(0..n)).collect()
}

/// The q-quantile of sorted values, interpolated linearly (Hyndman and Fan's type 7).
pub(crate) fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = q.clamp(0.0, 1.0) * last as f64;
    let below = sorted.get(place.floor() as usize)?;
    let above = sorted.get(place.ceil() as usize)?;
    Some(below + (above - below) * place.fract())
}

/// A statistic over `n` items with its percentile interval. `statistic` is given the
/// positions of the items, with repetitions; resamples on which it is undefined (one class
/// alone, say) are left out and not counted in [`Interval::resamples`].
pub fn bootstrap<F>(n: usize, how: &Resampling, statistic: F) -> Result<Interval, Undefined>
where
    F: Fn(&[usize]) -> Result<f64, Undefined> + Sync,
{
    let estimate = statistic(&(0..n).collect::<Vec<_>>())?;
    let mut values: Vec<f64> = (0..how.resamples as u64)
        .into_par_iter()
        .filter_map(|i| statistic(&resample(n, how.seed, i)).ok().filter(|v| v.is_finite()))
        .collect();
    values.sort_by(f64::total_cmp);
    let tail = (1.0 - how.level.clamp(0.0, 1.0)) / 2.0;
    Ok(Interval {
        estimate,
        low: quantile(&values, tail).unwrap_or(estimate),
        high: quantile(&values, 1.0 - tail).unwrap_or(estimate),
        resamples: values.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roc::auc;
    use proptest::prelude::*;

    fn mean(values: &[f64]) -> impl Fn(&[usize]) -> Result<f64, Undefined> + Sync + '_ {
        |items| Ok(items.iter().map(|i| values[*i]).sum::<f64>() / items.len().max(1) as f64)
    }

    #[test]
    fn quantiles_by_hand() {
        let v = [0.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&v, 0.5), Some(2.0));
        assert_eq!(quantile(&v, 0.025), Some(0.1));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn interval_of_a_mean_is_near_the_normal_one() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let got = bootstrap(400, &Resampling::default(), mean(&values)).unwrap();
        assert_eq!((got.estimate, got.resamples), (0.5, 1000));
        // 0.5 ± 1.96 · 0.5 / √400
        assert!((got.low - 0.451).abs() < 0.008 && (got.high - 0.549).abs() < 0.008, "{got:?}");
    }

    #[test]
    fn the_same_on_any_number_of_threads() {
        let values: Vec<f64> = (0..50).map(|i| f64::from(i * i % 7)).collect();
        let run = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(|| bootstrap(50, &Resampling::default(), mean(&values)).unwrap())
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn undefined_resamples_are_left_out() {
        let (scores, labels) = ([0.9, 0.1], [true, false]);
        let got = bootstrap(2, &Resampling::default(), |items| {
            let s: Vec<f64> = items.iter().map(|i| scores[*i]).collect();
            let l: Vec<bool> = items.iter().map(|i| labels[*i]).collect();
            auc(&s, &l)
        })
        .unwrap();
        assert_eq!((got.estimate, got.low, got.high), (1.0, 1.0, 1.0));
        assert!(got.resamples > 400 && got.resamples < 600);
    }

    proptest! {
        #[test]
        fn interval_lies_within_the_data(values in prop::collection::vec(-5.0f64..5.0, 1..30), seed in any::<u64>()) {
            let how = Resampling { resamples: 50, level: 0.9, seed };
            let got = bootstrap(values.len(), &how, mean(&values)).unwrap();
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            prop_assert!(got.low <= got.high);
            prop_assert!(low - 1e-9 <= got.low && got.high <= high + 1e-9);
        }
    }
}
