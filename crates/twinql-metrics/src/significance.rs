//! Whether a difference is more than chance, and intervals of shares.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::bootstrap::Resampling;
use crate::error::{Undefined, check_finite, check_lengths};
use crate::normal::within;

/// The two-sided p of the null hypothesis that two systems are exchangeable, item by item: the share of
/// random exchanges after which their means lie at least as far apart, (c + 1) / (n + 1) (approximate
/// randomisation: Noreen 1989; Riezler and Maxwell 2005). Exchange `i` is drawn from the seed and `i` alone.
///
/// # Errors
/// Lists of different lengths, empty ones, or items that are not finite.
pub fn paired_randomisation(first: &[f64], second: &[f64], how: &Resampling) -> Result<f64, Undefined> {
    check_lengths(first.len(), second.len(), 1)?;
    check_finite(first)?;
    check_finite(second)?;
    // Items on which both are equal change nothing when exchanged.
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).filter(|d| *d != 0.0).collect();
    let observed = differences.iter().sum::<f64>().abs();
    // Sums of the same numbers in another order may differ in their last digits.
    let as_far = |sum: f64| sum.abs() >= observed - 1e-9 * observed.max(1.0);
    let exchanged = |trial: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
        rng.set_stream(trial);
        let mut sum = 0.0;
        for sixty_four in differences.chunks(64) {
            let mut flips: u64 = rng.random();
            for difference in sixty_four {
                sum += if flips & 1 == 0 { *difference } else { -difference };
                flips >>= 1;
            }
        }
        as_far(sum)
    };
    let trials = how.resamples as u64;
    let count = (0..trials).into_par_iter().filter(|trial| exchanged(*trial)).count();
    Ok((count as f64 + 1.0) / (trials as f64 + 1.0))
}

/// p values of a family of tests, adjusted so that the chance of any false rejection stays below the level
/// (Holm 1979). In the order in which they were given.
pub fn holm(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|a, b| ps[*a].total_cmp(&ps[*b]));
    let mut adjusted = vec![1.0; ps.len()];
    let mut largest: f64 = 0.0;
    for (place, at) in order.into_iter().enumerate() {
        largest = largest.max(((ps.len() - place) as f64 * ps[at]).min(1.0));
        adjusted[at] = largest;
    }
    adjusted
}

/// The interval of a share of `n` items of which `hits` are hit (Wilson 1927); none for no items.
pub fn wilson(hits: usize, n: usize, level: f64) -> Option<(f64, f64)> {
    if n == 0 {
        return None;
    }
    let (n, z) = (n as f64, within(level));
    let share = hits as f64 / n;
    let below = 1.0 + z * z / n;
    let middle = (share + z * z / (2.0 * n)) / below;
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt() / below;
    Some(((middle - half).max(0.0), (middle + half).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how(resamples: usize) -> Resampling {
        Resampling { resamples, ..Resampling::default() }
    }

    #[test]
    fn exchanges_of_few_items_give_the_exact_share() {
        // Of the 16 exchanges of four differences of 1, two leave all of one sign.
        let p = paired_randomisation(&[1.0; 4], &[0.0; 4], &how(20_000)).unwrap();
        assert!((p - 2.0 / 16.0).abs() < 0.01, "{p}");
        assert_eq!(paired_randomisation(&[1.0, 0.0], &[1.0, 0.0], &how(100)), Ok(1.0));
        let clear: Vec<f64> = vec![1.0; 200];
        assert!(paired_randomisation(&clear, &[0.0; 200], &how(1000)).unwrap() < 0.002);
        assert!(paired_randomisation(&[1.0], &[1.0, 0.0], &how(10)).is_err());
    }

    #[test]
    fn the_same_on_any_number_of_threads() {
        let (a, b): (Vec<f64>, Vec<f64>) = (0..90).map(|i| (f64::from(i % 2), f64::from(i % 3 / 2))).unzip();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| paired_randomisation(&a, &b, &how(500)).unwrap())
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn holm_by_hand() {
        let got = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?}");
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn wilson_by_hand() {
        let (low, high) = wilson(5, 10, 0.95).unwrap();
        assert!((low - 0.2366).abs() < 1e-4 && (high - 0.7634).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0, 0, 0.95), None);
        assert_eq!(wilson(0, 20, 0.95).unwrap().0, 0.0);
    }
}
