//! Proofs that a database refutes, counted over real predictions: there is none, or one of twinql's parts is wrong.
//!
//! Of the distinct pairs of golds and predictions those are taken that are proved equal and not written alike. The suite
//! judges them, a probe looks at them as they are written, and an engine says which are contradicted.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use twinql::metrics::{GMN, PROOF, SUITE, TWO_TIER};
use twinql::prepare::same_tokens;
use twinql::{Engine, Job, Record, Semantics, Status, Work};

use crate::soundness::lines::{Question, families};

/// The collections whose pairs are taken.
const FAMILIES: [&str; 8] = [
    "spider dev",
    "spider-pair dev",
    "spider test",
    "splash",
    "cosql dev",
    "sparc dev",
    "bird dev",
    "bird mini-dev",
];

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Distinct pairs.
    pub pairs: usize,
    /// Those that are proved equal, and not written alike.
    pub proved: usize,
    /// Those whose proof a database refutes, in words.
    pub contradicted: Vec<String>,
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Found { pairs, proved, contradicted } = self;
        write!(f, "{pairs} pairs, {proved} proved equal, {} of them refuted", contradicted.len())
    }
}

/// Counts over every STEPth of the distinct pairs of golds and predictions.
pub fn count(data: &Path, step: usize, semantics: &Semantics) -> Result<Found, Box<dyn Error>> {
    let all: Vec<Job> = jobs(data)?.into_iter().step_by(step.max(1)).collect();
    let prover = Engine::builder().metric(&PROOF).semantics(semantics.clone()).build()?;
    let judge =
        Engine::builder().metrics([&PROOF, &GMN, &TWO_TIER, &SUITE]).semantics(semantics.clone()).build()?;
    let mut found = Found { pairs: all.len(), ..Found::default() };
    for block in all.chunks(4096) {
        let records = prover.score(block);
        let proved: Vec<Job> = block
            .iter()
            .zip(records)
            .filter(|(job, record)| record.score("proof") == Some(1.0) && !is_written_alike(job))
            .map(|(job, _)| job.clone())
            .collect();
        found.proved += proved.len();
        let records = judge.score(&proved);
        let refuted = proved.iter().zip(&records).filter(|(_, record)| record.status == Status::Contradicted);
        found.contradicted.extend(refuted.map(|(job, record)| in_words(job, record)));
    }
    Ok(found)
}

fn is_written_alike(job: &Job) -> bool {
    matches!(&job.work, Work::Pair { gold, pred, .. } if same_tokens(gold, pred))
}

fn in_words(job: &Job, record: &Record) -> String {
    let Work::Pair { schema, gold, pred } = &job.work else { return String::new() };
    let by: Vec<String> = ["proof", "gmn", "two-tier"]
        .iter()
        .filter_map(|name| Some(format!("{name} by {}", record.detail(name, "contradicted_by")?.as_str()?)))
        .collect();
    format!("{} over {}: {}\n{gold}\n{pred}", job.id, schema.db_id, by.join(", "))
}

/// The distinct pairs of these collections.
fn jobs(data: &Path) -> Result<Vec<Job>, Box<dyn Error>> {
    let mut seen = HashSet::new();
    let mut jobs = Vec::new();
    for family in families(data)?.iter().filter(|family| FAMILIES.contains(&family.name)) {
        for (number, question) in family.questions.iter().enumerate() {
            let Question { schema, gold, preds } = question;
            for pred in preds.iter().filter(|pred| !pred.trim().is_empty()) {
                if seen.insert((schema.db_id.clone(), gold.clone(), pred.clone())) {
                    let work =
                        Work::Pair { schema: Arc::clone(schema), gold: gold.clone(), pred: pred.clone() };
                    jobs.push(Job::new(format!("{}:{number}", family.name).into(), work));
                }
            }
        }
    }
    Ok(jobs)
}
