//! The execution accuracy of systems without their databases, from what `ex` says of each prediction.

use std::collections::HashMap;

use serde::Serialize;
use twinql_gmn::ExecutionModel;
use twinql_metrics::{Accuracy, Answer, Guess, Resampling, estimates, prior, reweighed};

use crate::job::Job;
use crate::record::{Record, Status};

/// How many predictions are taken to be right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Assumed {
    /// As many as of those that the model was fitted to.
    #[default]
    AsFitted,
    /// This share, from 0 to 1.
    Share(f64),
    /// What the scores of each system say, by expectation and maximisation.
    Batch,
}

impl std::str::FromStr for Assumed {
    type Err = String;

    fn from_str(text: &str) -> Result<Assumed, String> {
        if text == "batch" {
            return Ok(Assumed::Batch);
        }
        let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
        share.map(Assumed::Share).ok_or_else(|| "must be a number from 0 to 1, or `batch`".to_owned())
    }
}

/// A system, and the numbers of its predictions among the distinct pairs, one for each gold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// What it is called.
    pub name: String,
    /// The pair of each gold.
    pub predictions: Vec<usize>,
}

/// What is estimated of a system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimated {
    /// What it is called.
    pub system: String,
    /// Its execution accuracy, from 0 to 1.
    pub estimate: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The golds that it answers.
    pub golds: usize,
    /// Predictions that no plausible database tests: these say the least.
    pub untested: usize,
    /// Predictions that cannot be executed.
    pub failed: usize,
}

/// How far one system is ahead of another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contest {
    /// The one that is ahead where the difference is positive.
    pub first: String,
    /// The other.
    pub second: String,
    /// The difference of their accuracies.
    pub difference: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How likely a difference of another sign is, doubled.
    pub p: f64,
    /// The same, adjusted for all pairs of systems (Holm).
    pub p_adjusted: f64,
}

/// Estimates of systems that answer the same golds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimates {
    /// In the order of the systems.
    pub systems: Vec<Estimated>,
    /// One for each two systems.
    pub contests: Vec<Contest>,
}

/// Estimates each system's accuracy from the records of the distinct pairs, which have scores of `ex` by `model`.
///
/// `assumed` says how strong the predictions are. A
/// prediction of which nothing is known is right with the mean probability; one that cannot be executed is wrong.
pub fn estimate(
    model: &ExecutionModel,
    pairs: &[(Job, Record)],
    systems: &[System],
    assumed: Assumed,
    how: &Resampling,
) -> Estimates {
    let mut databases: HashMap<String, usize> = HashMap::new();
    let mut answers = vec![Answer { gold: 0, database: 0 }; pairs.len()];
    for system in systems {
        for (gold, number) in system.predictions.iter().enumerate() {
            let Some((job, _)) = pairs.get(*number) else { continue };
            let name = job.pair().map_or_else(String::new, |(schema, ..)| schema.db_id.clone());
            let next = databases.len();
            answers[*number] = Answer { gold, database: *databases.entry(name).or_insert(next) };
        }
    }
    let score = |number: &usize| pairs.get(*number).and_then(|(_, record)| record.score("ex"));
    let guesses: Vec<Vec<Guess>> = systems
        .iter()
        .map(|system| {
            let scores: Vec<f64> =
                system.predictions.iter().map(|n| score(n).unwrap_or(model.right)).collect();
            let share = match assumed {
                Assumed::AsFitted => model.right,
                Assumed::Share(share) => share,
                Assumed::Batch => prior(&scores, model.right),
            };
            let guess = |(number, score): (&usize, &f64)| Guess {
                answer: *number,
                probability: reweighed(*score, model.right, share),
            };
            system.predictions.iter().zip(&scores).map(guess).collect()
        })
        .collect();
    let found = estimates(&answers, &guesses, &model.together, how);
    let count = |system: &System, test: &dyn Fn(&Record) -> bool| {
        let records = system.predictions.iter().filter_map(|n| pairs.get(*n));
        records.filter(|(_, record)| test(record)).count()
    };
    let untested = |record: &Record| {
        record.status == Status::Untested || record.detail("ex", "databases") == Some(&0.into())
    };
    let failed = |record: &Record| !matches!(record.status, Status::Ok | Status::Untested);
    let name = |place: usize| systems.get(place).map_or_else(String::new, |system| system.name.clone());
    Estimates {
        systems: systems
            .iter()
            .zip(found.accuracies)
            .map(|(system, Accuracy { estimate, low, high })| Estimated {
                system: system.name.clone(),
                estimate,
                low,
                high,
                golds: system.predictions.len(),
                untested: count(system, &untested),
                failed: count(system, &failed),
            })
            .collect(),
        contests: found
            .leads
            .into_iter()
            .map(|lead| Contest {
                first: name(lead.first),
                second: name(lead.second),
                difference: lead.difference.estimate,
                low: lead.difference.low,
                high: lead.difference.high,
                p: lead.p,
                p_adjusted: lead.p_adjusted,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use twinql_sql::Schema;

    use super::*;
    use crate::job::Work;

    const HOW: Resampling = Resampling { resamples: 500, level: 0.9, seed: 8 };

    /// Pairs with these scores of `ex`; none is untested.
    fn pairs(scores: &[Option<f64>]) -> Vec<(Job, Record)> {
        let schema = Arc::new(Schema::from_ddl("zoo", "CREATE TABLE cage (id INTEGER PRIMARY KEY)").unwrap());
        let pair = |(at, score): (usize, &Option<f64>)| {
            let (gold, pred) = ("SELECT id FROM cage".to_owned(), format!("SELECT {at} FROM cage"));
            let mut record = Record::empty(at.into());
            record.status = if score.is_some() { Status::Ok } else { Status::Untested };
            score.iter().for_each(|score| record.set_score("ex", *score));
            (Job::new(at.into(), Work::Pair { schema: schema.clone(), gold, pred }), record)
        };
        scores.iter().enumerate().map(pair).collect()
    }

    fn system(name: &str, predictions: &[usize]) -> System {
        System { name: name.into(), predictions: predictions.to_vec() }
    }

    #[test]
    fn a_system_is_as_good_as_its_predictions_are_likely() {
        let model = ExecutionModel::shipped().unwrap();
        let pairs = pairs(&[Some(0.9), Some(0.9), Some(0.1), Some(0.0), None]);
        let systems = [system("good", &[0, 1]), system("poor", &[2, 3]), system("open", &[4])];
        let found = estimate(model, &pairs, &systems, Assumed::AsFitted, &HOW);
        let of = |at: usize| &found.systems[at];
        assert!((of(0).estimate - 0.9).abs() < 1e-9 && (of(1).estimate - 0.05).abs() < 1e-9);
        assert!((of(2).estimate - model.right).abs() < 1e-9 && of(2).untested == 1);
        assert!(found.systems.iter().all(|s| s.low <= s.high));
        assert_eq!(found.contests.len(), 3);
        assert!(found.contests[0].difference > 0.8 && found.contests[0].first == "good");
    }

    #[test]
    fn what_is_assumed_moves_all_of_them() {
        let model = ExecutionModel::shipped().unwrap();
        let pairs = pairs(&[Some(0.6), Some(0.4)]);
        let by =
            |assumed| estimate(model, &pairs, &[system("one", &[0, 1])], assumed, &HOW).systems[0].estimate;
        assert!(by(Assumed::Share(0.1)) < 0.3 && by(Assumed::Share(0.95)) > 0.7);
        assert!((0.0..=1.0).contains(&by(Assumed::Batch)));
    }
}
