//! The valid efficiency score of BIRD and its reward-based successor.
//!
//! VES is the square root of how many times as long the gold takes as the prediction, averaged over repeated runs
//! without outliers (Li et al. 2023, BIRD, §3.4, and `evaluation_ves.py` of both repositories). R-VES puts that
//! ratio into one of five classes first.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Query;
use crate::files::{FileVerdict, failed};

/// What efficiency is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// Instructions that SQLite's virtual machine executes: the same on every machine, however busy, so that one run
    /// is enough.
    #[default]
    Steps,
    /// Time, as BIRD has it.
    Time {
        /// How often each of the two runs.
        repeats: u32,
    },
}

impl Cost {
    /// How often BIRD's scripts run a pair.
    pub const REPEATS: u32 = 100;

    /// What it is called in signatures and details.
    pub fn name(self) -> &'static str {
        match self {
            Cost::Steps => "steps",
            Cost::Time { .. } => "time",
        }
    }
}

/// How costly a right prediction is beside the gold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Efficiency {
    /// What the gold costs, in steps or in seconds a run.
    pub gold: f64,
    /// What the prediction costs.
    pub pred: f64,
    /// How many times as costly the gold is: the mean over the runs that are kept.
    pub ratio: f64,
    /// Runs of each query.
    pub runs: u32,
    /// Those that are no outliers.
    pub kept: u32,
}

impl Efficiency {
    /// The valid efficiency score: 1 where both cost the same, more where the prediction costs less.
    pub fn ves(&self) -> f64 {
        self.ratio.sqrt()
    }

    /// The reward-based one, at most √1.25.
    pub fn r_ves(&self) -> f64 {
        reward(self.ratio).sqrt()
    }
}

/// The class that a ratio of costs is put into (Mini-Dev, `evaluation_ves.py`).
pub fn reward(ratio: f64) -> f64 {
    match ratio {
        r if r >= 2.0 => 1.25,
        r if r >= 1.0 => 1.0,
        r if r >= 0.5 => 0.75,
        r if r >= 0.25 => 0.5,
        r if r > 0.0 => 0.25,
        _ => 0.0,
    }
}

/// Time that the runs of one pair may take together: the worker that runs them has to answer.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Measures what two queries cost that have been executed once.
pub(super) fn measure(
    gold: &mut Query<'_>,
    pred: &mut Query<'_>,
    cost: Cost,
    file: &Path,
) -> Result<Efficiency, FileVerdict> {
    let repeats = match cost {
        Cost::Steps => {
            // No program is without a step.
            let (gold, pred) = (gold.steps.max(1) as f64, pred.steps.max(1) as f64);
            return Ok(Efficiency { gold, pred, ratio: gold / pred, runs: 1, kept: 1 });
        }
        Cost::Time { repeats } => repeats.max(1),
    };
    let began = Instant::now();
    let mut runs = Vec::new();
    let once = |query: &mut Query<'_>| -> Result<f64, FileVerdict> {
        let before = Instant::now();
        query.prepared.run(0).map_err(|e| *failed(query.side, file, &e))?;
        // A clock may stand still over a short query.
        Ok(before.elapsed().as_secs_f64().max(1e-9))
    };
    while (runs.len() as u32) < repeats && (runs.is_empty() || began.elapsed() < MOST_TIME) {
        // In the order of BIRD's script.
        let of_pred = once(pred)?;
        runs.push((once(gold)?, of_pred));
    }
    Ok(averaged(&runs))
}

/// The mean of the ratios of runs, each a gold's cost and a prediction's, without outliers.
fn averaged(runs: &[(f64, f64)]) -> Efficiency {
    let n = runs.len().max(1) as f64;
    let ratios: Vec<f64> = runs.iter().map(|(gold, pred)| gold / pred).collect();
    let kept = without_outliers(&ratios);
    Efficiency {
        gold: runs.iter().map(|r| r.0).sum::<f64>() / n,
        pred: runs.iter().map(|r| r.1).sum::<f64>() / n,
        ratio: kept.iter().sum::<f64>() / kept.len().max(1) as f64,
        runs: runs.len() as u32,
        kept: kept.len() as u32,
    }
}

/// The numbers less than three standard deviations from their mean. All of them where none is: BIRD's script
/// divides by zero there, and scores 0.
fn without_outliers(all: &[f64]) -> Vec<f64> {
    let n = all.len().max(1) as f64;
    let mean = all.iter().sum::<f64>() / n;
    let deviation = (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let kept: Vec<f64> = all.iter().copied().filter(|x| (x - mean).abs() < 3.0 * deviation).collect();
    if kept.is_empty() { all.to_vec() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    #[test]
    fn ratios_have_classes() {
        let classes = [(4.0, 1.25), (2.0, 1.25), (1.99, 1.0), (1.0, 1.0), (0.99, 0.75), (0.5, 0.75)];
        let lower = [(0.49, 0.5), (0.25, 0.5), (0.24, 0.25), (1e-6, 0.25), (0.0, 0.0), (f64::NAN, 0.0)];
        for (ratio, class) in classes.into_iter().chain(lower) {
            assert_eq!(reward(ratio), class, "{ratio}");
        }
    }

    #[test]
    fn outliers_are_left_out() {
        // Mean 1.5, deviation √(99 · 0.25 + 2450.25) / 10 = 4.975: only the 51 is further than three of them.
        let mut all = vec![1.0; 99];
        all.push(51.0);
        assert_eq!(without_outliers(&all), vec![1.0; 99]);
        assert_eq!(without_outliers(&[1.0, 2.0]), [1.0, 2.0]);
        // No deviation, so that none lies within it.
        assert_eq!(without_outliers(&[1.0, 1.0]), [1.0, 1.0]);
    }

    /// What `docs/execution.md` says of BIRD's mean: a disturbed run of the gold is an outlier, one of the prediction
    /// is not.
    #[test]
    fn disturbed_runs_of_equal_costs_come_out_low() {
        let mut dice = Dice::new(8, 0);
        let mut time = || (0.95 + 0.1 * dice.unit()) * if dice.chance(0.04) { 8.0 } else { 1.0 };
        let below = (0..500)
            .filter(|_| {
                let runs: Vec<(f64, f64)> = (0..100).map(|_| (time(), time())).collect();
                averaged(&runs).ratio < 1.0
            })
            .count();
        assert!(below > 450, "{below}");
    }

    #[test]
    fn the_mean_is_of_ratios() {
        // 4 / 1 and 1 / 2, whose mean is 2.25; the ratio of the means would be 2.5 / 1.5.
        let found = averaged(&[(4.0, 1.0), (1.0, 2.0)]);
        assert_eq!(found, Efficiency { gold: 2.5, pred: 1.5, ratio: 2.25, runs: 2, kept: 2 });
        assert_eq!((found.ves(), found.r_ves()), (1.5, 1.25_f64.sqrt()));
    }
}
