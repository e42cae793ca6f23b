//! Equivalence of conjunctive queries by homomorphisms.

use rayon::prelude::*;
use twinql_sql::prove::{Conjunctive, Side, conjunctive};

use super::*;
use crate::metric::UNKNOWN;
use crate::proving::{containment, mappings};
use crate::status;
use crate::unread::failed;

/// `conjunctive`.
pub static CONJUNCTIVE: Metric = Metric {
    name: "conjunctive",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "conjunctive-query equivalence by homomorphism: 1 rows mapped both ways, 0 no mapping, 0.5 not conjunctive",
    source: "Chandra & Merlin 1977; Chaudhuri & Vardi 1993 for bags; on canonical forms",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Batch(score),
    signature: nothing,
    examples: [
        Example::new(
            "SELECT DISTINCT o.name FROM owner o JOIN pet p ON p.owner_id = o.id",
            "SELECT DISTINCT o.name FROM owner o JOIN pet p ON p.owner_id = o.id JOIN pet q ON q.owner_id = o.id",
            1.0,
        ),
        Example::new("SELECT kind FROM pet", "SELECT kind, COUNT(*) FROM pet GROUP BY kind", 0.0),
    ],
    further: Further {
        unread: Some(UNKNOWN),
        claim: Some(Claim {
            made: |_, record| record.detail("conjunctive", "outcome") == Some(&"equal".into()),
            refuted: |_, _, _| None,
        }),
        ..Further::NONE
    },
};

/// The tableau test of each pair: the mappings where it finds them, and the sides to which it does not apply.
fn score(setup: &Setup, metric: &Metric, batch: &mut Batch<'_>, records: &mut [Record]) {
    let tested: Vec<_> = batch
        .jobs
        .par_iter()
        .map(|job| {
            job.pair().map(|(schema, gold, pred)| conjunctive(schema, gold, pred, setup.semantics()))
        })
        .collect();
    for ((record, said), job) in records.iter_mut().zip(tested).zip(batch.jobs) {
        match said {
            Some(Ok(said)) => {
                record.set_score(metric.name, said.score());
                record.set_detail(metric.name, "outcome", said.name());
                match &said {
                    Conjunctive::Equal(maps) => {
                        record.set_detail(metric.name, "certificate", mappings(maps));
                    }
                    Conjunctive::NotConjunctive(sides) => {
                        let sides: Vec<String> = sides.iter().map(Side::to_string).collect();
                        record.set_detail(metric.name, "sides", sides);
                    }
                    Conjunctive::Limit(limit) => record.set_detail(metric.name, "limit", limit.as_str()),
                    Conjunctive::NoMapping(contained) => {
                        if let Some(contained) = contained {
                            record.set_detail(metric.name, "contained", containment(contained));
                        }
                    }
                }
            }
            Some(Err(error)) => {
                failed(metric, job, (status::of_proof(&error), Some(error.to_string())), record);
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use twinql_sql::Dialect;

    use super::*;
    use crate::Engine;
    use crate::input::{PairItems, Schemas};
    use crate::progress::Silent;

    /// What rows are mapped for is proved, and what is proved of conjunctive queries by mappings is mapped here.
    #[test]
    fn it_says_what_the_proof_says_of_conjunctive_queries() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        let schemas = Schemas::load(Some(&data.join("schemas")), Dialect::Sqlite, Arc::new(Silent)).unwrap();
        let jobs: Vec<_> = PairItems::open(&data.join("pairs.jsonl"), schemas, false)
            .unwrap()
            .map(|item| item.unwrap().job)
            .collect();
        let engine = Engine::builder().metric(&CONJUNCTIVE).metric(&PROOF).build().unwrap();
        let (mut mapped, mut unmapped) = (0, 0);
        for record in engine.score(&jobs) {
            let (said, proof) = (record.score("conjunctive").unwrap(), record.score("proof").unwrap());
            if said == 1.0 {
                assert_eq!(proof, 1.0, "{}", record.id);
                mapped += 1;
            }
            let certificate = &record.details["proof"]["certificate"]["kind"];
            if record.details["conjunctive"]["outcome"] == "no_mapping" {
                assert_ne!(certificate, "homomorphisms", "{}", record.id);
                unmapped += 1;
            }
        }
        assert!(mapped > 100 && unmapped > 100, "{mapped} {unmapped}");
    }
}
