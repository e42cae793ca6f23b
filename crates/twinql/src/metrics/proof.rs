//! Proofs of equality and of difference.

use serde_json::Value;

use super::*;
use crate::metric::UNKNOWN;
use crate::unread::failed;
use crate::{proving, status};

/// `proof`.
pub static PROOF: Metric = Metric {
    name: "proof",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "1 proved equal on every database, 0 proved different, 0.5 neither",
    source: "canonical forms; Chandra & Merlin 1977, homomorphisms of conjunctive queries",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Batch(score),
    signature: nothing,
    examples: [
        Example::new("SELECT COUNT(*) FROM pet", "SELECT COUNT(id) FROM pet", 1.0),
        Example::new("SELECT name FROM owner", "SELECT name, age FROM owner", 0.0),
    ],
    further: Further {
        unread: Some(UNKNOWN),
        claim: Some(Claim {
            made: |_, record| record.detail("proof", "proof") == Some(&"equal".into()),
            refuted: |_, _, _| None,
        }),
        ..Further::NONE
    },
};

/// 1 and 0 where it is proved, and in between where nothing is.
fn score(setup: &Setup, metric: &Metric, batch: &mut Batch<'_>, records: &mut [Record]) {
    let proofs = batch.proofs(setup.semantics());
    for ((record, proof), job) in records.iter_mut().zip(&*proofs).zip(batch.jobs) {
        match proof {
            Some(Ok(proof)) => {
                record.set_score(metric.name, proof.score());
                record.set_detail(metric.name, "proof", proof.name());
                if let Value::Object(details) = proving::details(proof) {
                    for (key, value) in details {
                        record.set_detail(metric.name, &key, value);
                    }
                }
            }
            Some(Err(error)) => {
                failed(metric, job, (status::of_proof(error), Some(error.to_string())), record);
            }
            None => {}
        }
    }
}
