//! What predictions are measured by: metrics of the engine, then scores that other programs gave.

use anyhow::{Result, bail};
use twinql::input::id_text;
use twinql::metrics::metric;

use super::Scored;
use crate::commands::entries::{Entries, System};
use crate::external::{External, ExternalFlag};
use crate::output::Console;

/// The name of the metric that the others are measured by, as typed; whether it is one of the engine's.
///
/// # Errors
/// There is no metric of that name.
pub(super) fn reference(typed: &str, external: &[ExternalFlag]) -> Result<(String, bool)> {
    let typed = typed.trim();
    match metric(typed) {
        Some(metric) => Ok((metric.name.to_owned(), true)),
        None if external.iter().any(|flag| flag.name() == typed) => Ok((typed.to_owned(), false)),
        None => bail!(
            "--reference: unknown metric {typed:?}; `twinql score --help` lists the metrics, and --external adds some"
        ),
    }
}

/// External scores of all predictions, by metric, system and gold.
pub(super) struct ExternalScores(Vec<Vec<Vec<Option<f64>>>>);

impl ExternalScores {
    /// Looks up the scores of all predictions by the ids of their golds, and says what of them there is.
    ///
    /// # Errors
    /// None of a file's ids is the id of a gold.
    pub(super) fn of(
        external: &mut [Vec<External>],
        entries: &Entries,
        console: Console,
    ) -> Result<ExternalScores> {
        let mut all = Vec::with_capacity(external.len());
        for of_systems in external {
            let mut scores = Vec::with_capacity(of_systems.len());
            for (external, system) in of_systems.iter_mut().zip(&entries.systems) {
                scores.push(entries.ids(system).map(|id| external.score(&id)).collect());
                external.say(console)?;
            }
            all.push(scores);
        }
        Ok(ExternalScores(all))
    }

    /// Those of one system: by metric and gold.
    pub(super) fn of_system(&self, system: usize) -> impl Iterator<Item = Vec<Option<f64>>> {
        self.0.iter().map(move |of_systems| of_systems.get(system).cloned().unwrap_or_default())
    }

    /// Puts them beside the engine's scores of distinct pairs: of predictions that several systems gave, the score
    /// that the first of them was given.
    pub(super) fn append(&self, entries: &Entries, scored: &mut [Scored]) {
        for of_metric in &self.0 {
            scored.iter_mut().for_each(|s| s.scores.push(None));
            for (system, scores) in entries.systems.iter().zip(of_metric) {
                for (number, score) in system.first_answers().zip(scores) {
                    let last = number.and_then(|n| scored.get_mut(n)?.scores.last_mut());
                    if let Some(place) = last {
                        *place = place.or(*score);
                    }
                }
            }
        }
    }
}

impl Entries {
    /// The ids of the golds that a system answers.
    fn ids(&self, system: &System) -> impl Iterator<Item = String> {
        system.first_answers().map(|number| {
            let job = number.and_then(|n| self.pair(n));
            job.map_or_else(String::new, |job| id_text(&job.id))
        })
    }
}
