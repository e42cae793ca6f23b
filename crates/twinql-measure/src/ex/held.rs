//! Figures on the databases of a set, each scored by a model of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use twinql::gmn::{Executed, ExecutionModel};
use twinql::metrics::{ECE_BINS, Outcome, auc, ece};

use super::signs::Known;
use super::systems::{self, Figures};
use super::{Done, executed, undefined};

/// A pair with what a model of the other databases says of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held<'a> {
    pub(super) known: &'a Known,
    pub(super) probability: f64,
}

/// All pairs of a set by seed, each with the probability by a model of the other databases, which sees all seeds.
pub(super) fn held<'a>(
    set: &'a BTreeMap<u64, Vec<Known>>,
    first: &ExecutionModel,
) -> Result<BTreeMap<u64, Vec<Held<'a>>>, Box<dyn Error>> {
    let all: Vec<Executed> = executed(set.values().flatten());
    let mut outcomes = ExecutionModel::left_out(&all, Some(first))?.into_iter();
    let mut next = |known: &'a Known| -> Option<Held<'a>> {
        // What cannot be executed is wrong.
        let Some(_) = known.executed else { return Some(Held { known, probability: 0.0 }) };
        let Outcome { probability, .. } = outcomes.next()?;
        Some(Held { known, probability })
    };
    Ok(set.iter().map(|(seed, known)| (*seed, known.iter().filter_map(&mut next).collect())).collect())
}

/// Prints all figures.
pub(super) fn tell(set: &BTreeMap<u64, Vec<Known>>, first: &ExecutionModel) -> Done {
    let held = held(set, first)?;
    println!("\nbird_ex_dev, each database by the others");
    println!("seed   expected-ex AUC   ex AUC   ex ECE   mean ex - share right, by database");
    let mut sums = [0.0; 3];
    for (seed, held) in &held {
        let labels: Vec<bool> = held.iter().map(|h| h.known.label).collect();
        let probabilities: Vec<f64> = held.iter().map(|h| h.probability).collect();
        let shares: Vec<f64> = held.iter().map(|h| share(h.known)).collect();
        let figures = [
            auc(&shares, &labels).map_err(undefined)?,
            auc(&probabilities, &labels).map_err(undefined)?,
            ece(&probabilities, &labels, ECE_BINS).map_err(undefined)?,
        ];
        sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        let databases: BTreeSet<usize> = held.iter().map(|h| h.known.database).collect();
        let biases = databases.into_iter().map(|database| {
            let of = held.iter().filter(|h| h.known.database == database);
            let (sum, n) = of.fold((0.0, 0), |(sum, n), h| (sum + h.probability - right(h.known), n + 1));
            format!("{:+.3}", sum / f64::from(n))
        });
        let biases: Vec<String> = biases.collect();
        let [expected, ex, error] = figures;
        println!("{seed:<6} {expected:<17.4} {ex:<8.4} {error:<8.4} {}", biases.join(" "));
    }
    let n = held.len().max(1) as f64;
    let [expected, ex, error] = sums.map(|sum| sum / n);
    println!("mean   {expected:<17.4} {ex:<8.4} {error:<8.4}");
    println!("\nestimate: systems' accuracies, each database by the others, 90 % intervals");
    println!("seed   of            prior     mean abs. error   inside   tau");
    for (seed, held) in &held {
        for prior in [false, true] {
            for (name, figures) in systems::figures(held, first, prior)? {
                let Figures { error, inside, tau, cases } = figures;
                let by = if prior { "batch" } else { "as is" };
                println!(
                    "{seed:<6} {name:<13} {by:<9} {error:<17.4} {inside:<8.3} {tau:.3}   ({cases} cases)"
                );
            }
        }
    }
    Ok(())
}

/// 1 of a right prediction.
pub(super) fn right(known: &Known) -> f64 {
    f64::from(u8::from(known.label))
}

/// The share of plausible databases that agree; half where none is.
fn share(known: &Known) -> f64 {
    match &known.executed {
        Some(executed) if executed.signs.of > 0 => executed.signs.agree as f64 / executed.signs.of as f64,
        Some(_) => 0.5,
        None => 0.0,
    }
}
