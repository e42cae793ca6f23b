//! Predictions on which a metric and the reference disagree.

use std::collections::BTreeMap;

use twinql::Work;

use super::Scored;
use crate::commands::entries::Entries;
use crate::document::{Telling, badge};
use crate::report::Subject;

/// Pairs that are shown of either kind, for each metric.
const SHOWN: usize = 3;

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
