//! All that is known of what execution on a real database would say.

use serde_json::Value;
use twinql_model::{Evidence, Signs};

use super::*;
use crate::contradictions::Refuter;
use crate::record::shortest;
use crate::status;
use crate::unread::failed;

/// `ex`.
pub static EX: Metric = Metric {
    name: "ex",
    kind: ScoreKind::Continuous,
    threshold: 0.5,
    summary: "the probability that execution on a real database calls the prediction right, by proof, suite and expected-ex together",
    source: "`proof`, `suite`, `expected-ex`, and `gmn` where no database tests the pair; weights by `twinql calibrate`",
    needs: &[Need::Network, Need::Weights],
    settings: &[
        Setting::Checkpoint,
        Setting::Question,
        Setting::Databases,
        Setting::Plausible,
        Setting::Profile,
    ],
    cost: Cost::High,
    score: Score::Batch(score),
    signature: |setup| {
        let plausible = vec![format!("plausible:{}", setup.expected.databases)];
        [setup.signed_suite(), setup.signed_question(), plausible, setup.signed_profiles()].concat()
    },
    examples: [
        Example::new("SELECT COUNT(*) FROM pet", "SELECT COUNT(id) FROM pet", 0.99750137),
        Example::new("SELECT name FROM owner", "SELECT kind FROM pet", 0.04096411),
    ],
    further: Further {
        claim: Some(Claim {
            made: |_, record| record.detail("ex", "evidence") == Some(&"proved_equal".into()),
            refuted,
        }),
        ..Further::NONE
    },
};

/// The probability by all that is known.
fn score(setup: &Setup, metric: &Metric, batch: &mut Batch<'_>, records: &mut [Record]) {
    let Some(network) = &setup.network else { return };
    let Some(model) = network.scorer().info().execution else { return };
    let known = setup.known(network, batch);
    for ((job, record), known) in batch.jobs.iter().zip(records).zip(known) {
        let known = match known {
            None => continue,
            Some(Ok(known)) => known,
            Some(Err(verdict)) => {
                failed(metric, job, status::of_verdict(&verdict), record);
                continue;
            }
        };
        let Signs { evidence, agree, of, network } = known.signs;
        record.set_detail(metric.name, "evidence", evidence_name(evidence));
        record.set_detail(metric.name, "agree", agree);
        record.set_detail(metric.name, "databases", of);
        if let Some(network) = network {
            record.set_detail(metric.name, "network", shortest(network));
        }
        match &known.untested {
            Some(verdict) if known.is_nothing() => {
                failed(metric, job, status::of_verdict(verdict), record);
            }
            _ => record.set_score(metric.name, model.probability(&known.signs)),
        }
    }
}

/// The probability of a pair whose proof a database refutes.
fn refuted(setup: &Setup, _: Refuter, record: &mut Record) -> Option<f64> {
    let model = setup.network.as_ref()?.scorer().info().execution?;
    let count = |key| record.detail("ex", key).and_then(Value::as_u64).unwrap_or(0);
    let (agree, of) = (count("agree"), count("databases"));
    record.set_detail("ex", "evidence", "refuted");
    Some(model.probability(&Signs { evidence: Evidence::Refuted, agree, of, ..Signs::default() }))
}

/// What evidence is called in details.
fn evidence_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::None => "none",
        Evidence::ProvedEqual => "proved_equal",
        Evidence::ProvedDifferent => "proved_different",
        Evidence::Refuted => "refuted",
        Evidence::Unrefuted => "unrefuted",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use twinql_model::Checkpoint;
    use twinql_sql::{Schema, Semantics};

    use super::*;
    use crate::embedded::BUILT_IN;
    use crate::network::{Network, NetworkError};
    use crate::record::Status;
    use crate::{Engine, Job, Work};

    const HEROES: &str = "CREATE TABLE power (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, power_id INTEGER REFERENCES power (id), height INTEGER);";

    fn engine(metric: &'static Metric) -> Engine {
        Engine::builder().metric(metric).semantics(Semantics::preset("bird").unwrap()).build().unwrap()
    }

    fn job(gold: &str, pred: &str) -> Job {
        let schema = Arc::new(Schema::from_ddl("heroes", HEROES).unwrap());
        Job { id: "1".into(), work: Work::Pair { schema, gold: gold.into(), pred: pred.into() } }
    }

    fn ex(gold: &str, pred: &str) -> Record {
        engine(&EX).score(&[job(gold, pred)]).remove(0)
    }

    #[test]
    fn what_only_odd_databases_refute_is_likely_right() {
        let gold = "SELECT h.name FROM hero h JOIN power p ON h.power_id = p.id WHERE p.name = 'Stealth'";
        let pred =
            "SELECT h.name FROM hero h JOIN power p ON h.power_id = p.id WHERE LOWER(p.name) = 'stealth'";
        let record = ex(gold, pred);
        assert!(record.score("ex").unwrap() > 0.6, "{record:?}");
        assert_eq!(record.details["ex"]["evidence"], "refuted");
        let wrong = ex(gold, "SELECT name FROM hero WHERE power_id = 3");
        assert!(wrong.score("ex").unwrap() < record.score("ex").unwrap());
        let proved = ex(gold, &gold.replace("p.name = 'Stealth'", "'Stealth' = p.name"));
        assert!(proved.score("ex").unwrap() > 0.99, "{proved:?}");
    }

    #[test]
    fn the_network_is_asked_where_nothing_was_tested() {
        let gold = "SELECT name FROM hero WHERE height > 5 AND height < 3 LIMIT 0";
        let pred = "SELECT name FROM power WHERE id > 7 AND id < 3";
        let record = ex(gold, pred);
        let network = record.details["ex"]["network"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&network) && record.details["ex"]["databases"] == 0, "{record:?}");
        assert!(ex("SELECT name FROM hero", "SELECT id FROM hero").details["ex"].get("network").is_none());
    }

    #[test]
    fn what_cannot_be_executed_scores_nothing() {
        let gold = "SELECT name FROM hero";
        for (gold, pred, status) in [
            (gold, "SELECT cape FROM hero", Status::PredError),
            (gold, "", Status::PredError),
            ("SELECT", gold, Status::GoldError),
        ] {
            let record = ex(gold, pred);
            assert_eq!((record.score("ex"), record.status), (Some(0.0), status), "{gold} / {pred}");
        }
    }

    #[test]
    fn both_metrics_of_plausible_databases_count_the_same() {
        let gold = "SELECT name FROM hero ORDER BY height DESC LIMIT 1";
        let pred = "SELECT name FROM hero WHERE height = (SELECT MAX(height) FROM hero)";
        let both = Engine::builder()
            .metrics([&EX, &EXPECTED_EX])
            .semantics(Semantics::preset("bird").unwrap())
            .build()
            .unwrap();
        let record = both.score(&[job(gold, pred)]).remove(0);
        assert_eq!(record.details["ex"]["agree"], record.details["expected-ex"]["agree"]);
        assert_eq!(record.score("ex"), ex(gold, pred).score("ex"));
        let signature = both.signature(&EX).to_string();
        assert!(signature.ends_with("|databases:100|plausible:16"), "{signature}");
        assert!(!signature.contains("ckpt:none"));
    }

    #[test]
    fn the_document_tells_the_weights() {
        let document = include_str!("../../../../docs/plausible.md");
        let model = Network::embedded().unwrap().scorer().info().execution.unwrap();
        for (name, weight) in model.named() {
            let row = format!("| `{name}` | {weight:+.2} |").replace("| -", "| −");
            assert!(document.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_checkpoint_without_weights_is_refused() {
        let mut checkpoint =
            Checkpoint::from_bytes(BUILT_IN[0].checkpoint().unwrap(), "small", None).unwrap();
        let model = checkpoint.info.execution.take().unwrap();
        let bytes = checkpoint.to_bytes().unwrap();
        let network = Network::from_bytes(&bytes, "older").unwrap();
        let refused = Engine::builder().metric(&EX).network(network.clone()).build();
        assert!(matches!(refused, Err(NetworkError::NoExecution)));
        let again = network.with_execution(model).unwrap();
        // The file may be of an earlier vocabulary, and is written in today's.
        let bytes = BUILT_IN[0].checkpoint().unwrap();
        let today = Checkpoint::from_bytes(bytes, "small", Some(&twinql_graph::vocabulary::hash())).unwrap();
        assert_eq!(again, today.to_bytes().unwrap());
    }
}
