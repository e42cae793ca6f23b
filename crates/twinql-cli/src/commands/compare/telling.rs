//! Predictions on which a metric and the reference disagree, and the errors of each system that tell most.

use std::collections::BTreeMap;

use twinql::Work;

use super::Scored;
use crate::commands::entries::Entries;
use crate::document::{Telling, badge};
use crate::report::Subject;

/// Pairs that are shown of either kind, for each metric.
const SHOWN: usize = 3;
/// Errors that are looked at for each system, of which those are shown that a database shows.
const ERRORS: usize = 15;

/// The errors of systems.
pub(super) struct Errors {
    /// Each distinct pair once, for systems make the same errors.
    pub(super) telling: Vec<Telling>,
    /// For each system the places of its errors in `telling`, the most telling first.
    pub(super) of_systems: Vec<Vec<usize>>,
}

impl Entries {
    /// Of each metric beside the reference, the predictions that it alone calls right, and those that it alone
    /// calls wrong: those first that most systems gave, then those that it is surest of.
    pub(super) fn telling(&self, measures: &[Subject], scored: &[Scored], reference: &str) -> Vec<Telling> {
        let Some((by, reference)) = measures.iter().enumerate().find(|(_, m)| m.metric == reference) else {
            return Vec::new();
        };
        let givers = self.givers();
        let mut telling = Vec::new();
        for (at, metric) in measures.iter().enumerate().filter(|(at, _)| *at != by) {
            for wanted in [true, false] {
                let disagree = |(number, pair): &(usize, &Scored)| {
                    let (Some(score), Some(truth)) = (pair.scores[at], pair.scores[by]) else { return false };
                    givers.contains_key(number)
                        && (score >= metric.threshold) == wanted
                        && (truth >= reference.threshold) != wanted
                };
                let mut found: Vec<usize> =
                    scored.iter().enumerate().filter(disagree).map(|(number, _)| number).collect();
                let sureness = |number: usize| {
                    let score = scored[number].scores[at].unwrap_or(0.5);
                    if wanted { score } else { 1.0 - score }
                };
                found.sort_by(|a, b| {
                    let count = |n: &usize| givers.get(n).map_or(0, Vec::len);
                    count(b).cmp(&count(a)).then(sureness(*b).total_cmp(&sureness(*a))).then(a.cmp(b))
                });
                let told = found.into_iter().take(SHOWN);
                telling.extend(told.filter_map(|number| {
                    let systems = givers.get(&number)?;
                    self.tell(measures, scored, (number, systems), (metric, wanted), reference)
                }));
            }
        }
        telling
    }

    /// Of each system the predictions that the reference calls wrong, those first that the other metrics like best by
    /// their mean score. Where values of the gold are put in, all that was tried has to be wrong.
    pub(super) fn errors(&self, measures: &[Subject], scored: &[Scored], reference: &str) -> Errors {
        let mut errors = Errors { telling: Vec::new(), of_systems: Vec::new() };
        let Some(by) = measures.iter().position(|m| m.metric == reference) else { return errors };
        let mut places: BTreeMap<usize, Option<usize>> = BTreeMap::new();
        let score = |number: usize, at: usize| scored.get(number)?.scores.get(at).copied().flatten();
        let threshold = measures.get(by).map_or(0.5, |m| m.threshold);
        let wrong = |number: &usize| score(*number, by).is_some_and(|truth| truth < threshold);
        let liking = |number: usize| -> f64 {
            let others = (0..measures.len()).filter(|at| *at != by).filter_map(|at| score(number, at));
            let others: Vec<f64> = others.collect();
            others.iter().sum::<f64>() / others.len().max(1) as f64
        };
        for system in &self.systems {
            let mut found: Vec<usize> = Vec::new();
            for candidates in system.answers.iter().filter(|candidates| candidates.iter().all(wrong)) {
                found.extend(candidates.first());
            }
            found.sort_by(|a, b| liking(*b).total_cmp(&liking(*a)).then(a.cmp(b)));
            let mut of_system = Vec::new();
            for number in found.into_iter().take(ERRORS) {
                let place = *places.entry(number).or_insert_with(|| {
                    let telling = self.error(measures, scored, number, liking(number))?;
                    errors.telling.push(telling);
                    Some(errors.telling.len() - 1)
                });
                of_system.extend(place);
            }
            errors.of_systems.push(of_system);
        }
        errors
    }

    /// An error as the report shows it; none where there are no two queries to show.
    fn error(&self, measures: &[Subject], scored: &[Scored], number: usize, liking: f64) -> Option<Telling> {
        let job = self.pair(number)?;
        let Work::Pair { schema, .. } = &job.work else { return None };
        let title = format!("Gold {}, database {}", twinql::input::id_text(&job.id), schema.db_id);
        let badges = measures.iter().zip(&scored.get(number)?.scores);
        let badges = badges.filter_map(|(m, score)| badge(&m.metric, *score, m.threshold)).collect();
        let reason = match measures.len() {
            1 => String::new(),
            _ => format!("Mean score of the other metrics: {liking:.3}."),
        };
        Telling::of(job, title, badges, reason)
    }

    /// The systems that gave each distinct pair as their prediction; what values of the gold were put into is
    /// left out, since nobody wrote it.
    fn givers(&self) -> BTreeMap<usize, Vec<&str>> {
        let mut givers: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for system in &self.systems {
            for number in system.answers.iter().filter_map(|candidates| candidates.first()) {
                givers.entry(*number).or_default().push(&system.name);
            }
        }
        givers
    }

    /// One pair on which a metric and the reference disagree, as the report shows it; `wanted` is what the metric says.
    /// None for a pair that has no two queries to show.
    fn tell(
        &self,
        measures: &[Subject],
        scored: &[Scored],
        (number, systems): (usize, &[&str]),
        (metric, wanted): (&Subject, bool),
        reference: &Subject,
    ) -> Option<Telling> {
        let job = self.pair(number)?;
        let Work::Pair { schema, .. } = &job.work else { return None };
        let right = |right: bool| if right { "right" } else { "wrong" };
        let given = match systems {
            [one] => format!("Given by {one}."),
            [one, other] => format!("Given by {one} and {other}."),
            [one, others @ ..] => format!("Given by {one} and {} more systems.", others.len()),
            [] => String::new(),
        };
        let title = format!("Gold {}, database {}", twinql::input::id_text(&job.id), schema.db_id);
        let badges = measures.iter().zip(&scored[number].scores);
        let badges = badges.filter_map(|(m, score)| badge(&m.metric, *score, m.threshold)).collect();
        let (says, truth) = (right(wanted), right(!wanted));
        let reason = format!("{} calls it {says}, {} {truth}. {given}", metric.metric, reference.metric);
        Telling::of(job, title, badges, reason)
    }
}
