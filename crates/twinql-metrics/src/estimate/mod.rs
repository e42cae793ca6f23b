//! How many of a system's predictions are right, from how likely each is: with an interval, without any label.
//!
//! The mean of calibrated probabilities is the expected accuracy. How far the true one may lie off is drawn: in each
//! draw every prediction is right or wrong with its probability, and predictions move together, all of a database (its
//! data may be kinder than most), those of one gold (what one gets wrong, another may), and equal ones wholly. How much
//! they do is measured on executed predictions ([`Together::measured`]). The draws are the same for all systems, so
//! that what they share cancels in their differences.

mod prior;
mod together;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::bootstrap::{Resampling, quantile};
use crate::normal::{below, normal_of, quantile as at, within};
use crate::significance::holm;

pub use prior::{prior, reweighed};
pub use together::{Outcome, Together};

/// A prediction of a gold: equal predictions of one gold are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Its gold.
    pub gold: usize,
    /// The database of the gold.
    pub database: usize,
}

/// A prediction of a system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    /// Its place among the answers.
    pub answer: usize,
    /// How likely it is right, given how strong the system is.
    pub probability: f64,
}

/// A system's accuracy, without any label.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// The expected share of its predictions that are right.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How far one system is ahead of another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// The system that is ahead where the difference is positive, by its place.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// The difference of their accuracies, with its interval.
    pub difference: Accuracy,
    /// Twice the share of draws in which it has the other sign, or is 0.
    pub p: f64,
    /// The same, adjusted for all pairs of systems (Holm).
    pub p_adjusted: f64,
}

/// Accuracies of systems, and their differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimates {
    /// In the order of the systems.
    pub accuracies: Vec<Accuracy>,
    /// One for each pair of systems.
    pub leads: Vec<Lead>,
}

/// Estimates the accuracy of each system from its predictions, one for each gold.
pub fn estimates(
    answers: &[Answer],
    systems: &[Vec<Guess>],
    together: &Together,
    how: &Resampling,
) -> Estimates {
    let mean = |system: &[Guess], of: &dyn Fn(usize, &Guess) -> f64| {
        let sum: f64 = system.iter().enumerate().map(|(at, guess)| of(at, guess)).sum();
        sum / system.len().max(1) as f64
    };
    let expected: Vec<f64> =
        systems.iter().map(|system| mean(system, &|_, guess| guess.probability)).collect();
    let thresholds: Vec<Vec<f64>> =
        systems.iter().map(|system| system.iter().map(|guess| at(guess.probability)).collect()).collect();
    let drawn: Vec<Vec<f64>> = (0..how.resamples as u64)
        .into_par_iter()
        .map(|index| {
            let drawn = draw(answers, together, how.seed, index);
            let right = |below: &[f64], place: usize, guess: &Guess| {
                let variable = drawn.get(guess.answer).copied().unwrap_or(f64::INFINITY);
                f64::from(u8::from(variable < below[place]))
            };
            let pairs = systems.iter().zip(&thresholds);
            pairs.map(|(system, below)| mean(system, &|place, guess| right(below, place, guess))).collect()
        })
        .collect();
    let of = |estimate: f64, mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let tail = (1.0 - how.level.clamp(0.0, 1.0)) / 2.0;
        let end = |q| quantile(&values, q).unwrap_or(estimate);
        Accuracy { estimate, low: end(tail), high: end(1.0 - tail) }
    };
    let accuracies = expected
        .iter()
        .enumerate()
        .map(|(s, mean)| of(*mean, drawn.iter().map(|draw| draw[s]).collect()))
        .collect();
    let mut leads: Vec<Lead> = Vec::new();
    for first in 0..systems.len() {
        for second in first + 1..systems.len() {
            let differences: Vec<f64> = drawn.iter().map(|draw| draw[first] - draw[second]).collect();
            let mean = expected[first] - expected[second];
            let against = differences.iter().filter(|d| **d * mean.signum() <= 0.0).count();
            let p = (2.0 * (against as f64 + 1.0) / (differences.len() as f64 + 1.0)).min(1.0);
            leads.push(Lead { first, second, difference: of(mean, differences), p, p_adjusted: p });
        }
    }
    let adjusted = holm(&leads.iter().map(|lead| lead.p).collect::<Vec<_>>());
    leads.iter_mut().zip(adjusted).for_each(|(lead, p)| lead.p_adjusted = p);
    Estimates { accuracies, leads }
}

/// The variable of each answer in one draw: it is right where that lies below the quantile of its probability.
fn draw(answers: &[Answer], together: &Together, seed: u64, index: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    let mut normal = || normal_of(rng.random(), rng.random());
    let most = |of: fn(&Answer) -> usize| answers.iter().map(of).max().map_or(0, |last| last + 1);
    let databases: Vec<f64> = (0..most(|a| a.database)).map(|_| normal()).collect();
    let golds: Vec<f64> = (0..most(|a| a.gold)).map(|_| normal()).collect();
    let (by_database, by_gold, own) = together.loads();
    let shared = |a: &Answer| by_database * databases[a.database] + by_gold * golds[a.gold];
    answers.iter().map(|answer| shared(answer) + own * normal()).collect()
}

/// Between which probabilities that of a prediction lies on `level` of databases.
pub fn between_databases(probability: f64, together: &Together, level: f64) -> (f64, f64) {
    let reach = within(level) * together.database.sqrt();
    let left = (1.0 - together.database).sqrt();
    let end = |sign: f64| below((at(probability) + sign * reach) / left);
    (end(-1.0), end(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const APART: Together = Together { database: 0.0, gold: 0.0 };
    const HOW: Resampling = Resampling { resamples: 4000, level: 0.9, seed: 8 };

    fn answers(n: usize) -> Vec<Answer> {
        (0..n).map(|gold| Answer { gold, database: gold % 5 }).collect()
    }

    fn all(n: usize, probability: f64) -> Vec<Guess> {
        (0..n).map(|answer| Guess { answer, probability }).collect()
    }

    fn width(together: &Together) -> f64 {
        let found = estimates(&answers(400), &[all(400, 0.5)], together, &HOW).accuracies[0];
        found.high - found.low
    }

    #[test]
    fn an_interval_is_the_binomial_one_where_nothing_moves_together() {
        let found = estimates(&answers(400), &[all(400, 0.5)], &APART, &HOW).accuracies[0];
        assert_eq!(found.estimate, 0.5);
        // 0.5 ± 1.645 · 0.5 / √400
        assert!((found.low - 0.459).abs() < 0.006 && (found.high - 0.541).abs() < 0.006, "{found:?}");
    }

    #[test]
    fn it_is_wider_where_databases_move_their_predictions() {
        assert!(width(&Together { database: 0.1, ..APART }) > 2.0 * width(&APART));
        assert!(width(&Together { gold: 0.3, ..APART }) < 1.2 * width(&APART), "one prediction a gold");
    }

    #[test]
    fn what_systems_share_cancels() {
        let mut both = answers(100);
        both.push(Answer { gold: 0, database: 0 });
        let mut other = all(100, 0.6);
        other[0] = Guess { answer: 100, probability: 0.9 };
        let found = estimates(&both, &[all(100, 0.6), other], &Together { database: 0.2, gold: 0.2 }, &HOW);
        let lead = found.leads[0];
        assert!((lead.difference.estimate + 0.003).abs() < 1e-9, "{lead:?}");
        assert!(lead.difference.low >= -0.0101 && lead.difference.high <= 0.0101 && lead.p > 0.1);
        let alike = estimates(&both, &[all(100, 0.6), all(100, 0.6)], &APART, &HOW).leads[0];
        assert_eq!((alike.difference.low, alike.difference.high, alike.p), (0.0, 0.0, 1.0));
    }

    #[test]
    fn a_clear_lead_is_significant() {
        let found = estimates(&answers(200), &[all(200, 0.9), all(200, 0.5)], &APART, &HOW);
        assert!((found.accuracies[1].estimate - 0.5).abs() < 1e-9);
        assert!(found.leads[0].p < 0.01 && found.leads[0].difference.low > 0.3);
    }

    #[test]
    fn the_same_on_any_number_of_threads() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let together = Together { database: 0.1, gold: 0.1 };
            pool.install(|| estimates(&answers(50), &[all(50, 0.7)], &together, &HOW))
        };
        assert_eq!(run(1), run(3));
        assert_eq!(estimates(&[], &[Vec::new()], &APART, &HOW).accuracies[0].estimate, 0.0);
    }

    #[test]
    fn a_probability_has_an_interval_over_databases() {
        let (low, high) = between_databases(0.8, &Together { database: 0.05, gold: 0.1 }, 0.9);
        assert!(low < 0.75 && high > 0.85 && low > 0.4 && high < 0.97, "{low} {high}");
        assert!((between_databases(0.8, &APART, 0.9).0 - 0.8).abs() < 1e-9);
    }
}
