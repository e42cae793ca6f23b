//! How well `estimate` tells the accuracy of systems, and how often its intervals hold.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use twinql::gmn::ExecutionModel;
use twinql::metrics::{
    Answer, Guess, Outcome, Resampling, Together, estimates, kendall_tau_b, prior, reweighed,
};

use super::held::{self, Held, right};
use super::signs::Known;
use super::undefined;

/// Intervals that are to hold in nine of ten cases.
const HOW: Resampling = Resampling { resamples: 2000, level: 0.9, seed: 8 };

/// How good estimates are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    /// Mean absolute error of accuracies.
    pub(super) error: f64,
    /// The share of intervals that hold the accuracy.
    pub(super) inside: f64,
    /// Kendall's tau-b of estimates and accuracies; over databases, its mean.
    pub(super) tau: f64,
    pub(super) cases: usize,
}

/// Over all databases, and over each alone. How much predictions of a database move together is what `first` says, since five
/// databases do not tell how databases differ; for those of a gold it is measured on the other databases, and over all of them
/// on all. With `by_batch`, how many are right is found for each system.
pub(super) fn figures(
    held: &[Held<'_>],
    first: &ExecutionModel,
    by_batch: bool,
) -> Result<[(&'static str, Figures); 2], Box<dyn Error>> {
    let databases: BTreeSet<usize> = held.iter().map(|h| h.known.database).collect();
    let all = one(held, shared(held, first), held, by_batch)?;
    let mut alone = Vec::new();
    for database in databases {
        let (own, others): (Vec<Held<'_>>, Vec<Held<'_>>) =
            held.iter().partition(|h| h.known.database == database);
        alone.push(one(&own, shared(&others, first), &others, by_batch)?);
    }
    let n = alone.len().max(1) as f64;
    let mean = |of: fn(&Figures) -> f64| alone.iter().map(of).sum::<f64>() / n;
    let cases = alone.iter().map(|f| f.cases).sum();
    let alone = Figures { error: mean(|f| f.error), inside: mean(|f| f.inside), tau: mean(|f| f.tau), cases };
    Ok([("all", all), ("one database", alone)])
}

/// The systems' accuracies over some pairs, with what the pairs of `others` say of how predictions move together.
fn one(
    held: &[Held<'_>],
    together: Together,
    others: &[Held<'_>],
    by_batch: bool,
) -> Result<Figures, Box<dyn Error>> {
    let fitted = others.iter().map(|h| right(h.known)).sum::<f64>() / others.len().max(1) as f64;
    let mut answers: Vec<Answer> = Vec::new();
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut systems: BTreeMap<&str, Vec<&Held<'_>>> = BTreeMap::new();
    for h in held {
        systems.entry(&h.known.system).or_default().push(h);
        numbers.entry(h.known.prediction).or_insert_with(|| {
            answers.push(Answer { gold: h.known.gold, database: h.known.database });
            answers.len() - 1
        });
    }
    let guesses = |pairs: &Vec<&Held<'_>>| -> Vec<Guess> {
        let scores: Vec<f64> = pairs.iter().map(|h| h.probability).collect();
        let share = if by_batch { prior(&scores, fitted) } else { fitted };
        let guess = |h: &&Held<'_>| Guess {
            answer: numbers.get(&h.known.prediction).copied().unwrap_or_default(),
            probability: reweighed(h.probability, fitted, share),
        };
        pairs.iter().map(guess).collect()
    };
    let guesses: Vec<Vec<Guess>> = systems.values().map(guesses).collect();
    let truths: Vec<f64> = systems
        .values()
        .map(|pairs| pairs.iter().map(|h| right(h.known)).sum::<f64>() / pairs.len().max(1) as f64)
        .collect();
    let found = estimates(&answers, &guesses, &together, &HOW).accuracies;
    let n = truths.len().max(1) as f64;
    let pairs = || found.iter().zip(&truths);
    let estimated: Vec<f64> = found.iter().map(|a| a.estimate).collect();
    Ok(Figures {
        error: pairs().map(|(a, truth)| (a.estimate - truth).abs()).sum::<f64>() / n,
        inside: pairs().filter(|(a, truth)| (a.low..=a.high).contains(*truth)).count() as f64 / n,
        tau: kendall_tau_b(&estimated, &truths).map_err(undefined)?,
        cases: truths.len(),
    })
}

/// How much predictions move together, by models of the other databases.
pub(super) fn together(
    set: &BTreeMap<u64, Vec<Known>>,
    first: &ExecutionModel,
) -> Result<Together, Box<dyn Error>> {
    let held = held::held(set, first)?;
    let parts: Vec<Together> = held.values().map(|held| shared(held, first)).collect();
    let n = parts.len().max(1) as f64;
    let mean = |of: fn(&Together) -> f64| parts.iter().map(of).sum::<f64>() / n;
    Ok(Together { database: mean(|t| t.database), gold: mean(|t| t.gold) })
}

/// What pairs say of predictions for one gold, and `first` of those of one database.
fn shared(held: &[Held<'_>], first: &ExecutionModel) -> Together {
    let found = Together::measured(&distinct(held));
    // What is shared by a gold is shared by its database as well: the sum is what is measured of golds.
    let Together { database, .. } = first.together;
    Together { database, gold: (found.gold + found.database - database).max(0.0) }
}

/// Equal predictions once.
fn distinct(held: &[Held<'_>]) -> Vec<Outcome> {
    let mut seen = BTreeSet::new();
    let new = held.iter().filter(|h| seen.insert(h.known.prediction));
    new.map(|h| Outcome {
        probability: h.probability,
        right: h.known.label,
        database: h.known.database,
        gold: h.known.gold,
    })
    .collect()
}
