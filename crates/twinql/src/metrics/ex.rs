//! All that is known of what execution on a real database would say.

use serde_json::Value;
use twinql_gmn::{Between, Evidence, Signs};

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
    summary: "the probability that execution on a real database calls the prediction right, by proof, suite, expected-ex, gmn and how the two differ",
    source: "`proof`, `suite`, `expected-ex`, `gmn` and kinds of difference; a logistic model of executed predictions",
    needs: &[Need::Network],
    settings: &[
        Setting::Checkpoint,
        Setting::Question,
        Setting::Databases,
        Setting::Plausible,
        Setting::Profile,
        Setting::Assumed,
    ],
    cost: Cost::High,
    score: Score::Batch(score),
    signature: |setup| {
        let plausible = vec![format!("plausible:{}", setup.expected.databases)];
        [setup.signed_suite(), plausible, setup.signed_profiles(), setup.signed_execution()].concat()
    },
    examples: [
        Example::new("SELECT COUNT(*) FROM pet", "SELECT COUNT(id) FROM pet", 0.99),
        Example::new("SELECT name FROM owner", "SELECT kind FROM pet", 0.06),
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
    let Some(model) = setup.execution_model() else { return };
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
        let mut signs = known.signs.clone();
        // Its meaning is proved, and its text is one that SQLite refuses: no database answers it.
        if signs.evidence == Evidence::ProvedEqual && signs.agree == 0 && signs.of > 0 {
            signs.evidence = Evidence::Refuted;
        }
        let Signs { evidence, agree, of, network, every: _, regular: _, kinds } = &signs;
        record.set_detail(metric.name, "evidence", evidence_name(*evidence));
        record.set_detail(metric.name, "agree", *agree);
        record.set_detail(metric.name, "databases", *of);
        if let Some(network) = network {
            record.set_detail(metric.name, "network", shortest(*network));
        }
        record.set_detail(metric.name, "kinds", kinds.iter().map(|kind| kind.name).collect::<Vec<_>>());
        match &known.untested {
            Some(verdict) if known.is_nothing() => {
                failed(metric, job, status::of_verdict(verdict), record);
            }
            _ => {
                let p = model.probability_among(&signs, setup.assumed);
                let Between { low, high } = model.between(p);
                record.set_score(metric.name, p);
                record.set_detail(metric.name, "low", low);
                record.set_detail(metric.name, "high", high);
                if known.untested.is_some() {
                    record.set_detail(metric.name, "untested", true);
                }
            }
        }
    }
}

/// The probability of a pair whose proof a database refutes.
fn refuted(setup: &Setup, _: Refuter, record: &mut Record) -> Option<f64> {
    let model = setup.execution_model()?;
    let count = |key| record.detail("ex", key).and_then(Value::as_u64).unwrap_or(0);
    let (agree, of) = (count("agree"), count("databases"));
    record.set_detail("ex", "evidence", "refuted");
    let signs = Signs { evidence: Evidence::Refuted, agree, of, ..Signs::default() };
    Some(model.probability_among(&signs, setup.assumed))
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
mod tests {
    use std::sync::Arc;

    use twinql_gmn::ExecutionModel;
    use twinql_sql::{Schema, Semantics};

    use super::*;
    use crate::network::Network;
    use crate::record::Status;
    use crate::{Engine, Job, Work};

    const HEROES: &str = "CREATE TABLE power (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, power_id INTEGER REFERENCES power (id), height INTEGER);";

    fn engine(metric: &'static Metric) -> Engine {
        Engine::builder().metric(metric).semantics(Semantics::preset("bird").unwrap()).build().unwrap()
    }

    fn job(gold: &str, pred: &str) -> Job {
        let schema = Arc::new(Schema::from_ddl("heroes", HEROES).unwrap());
        Job::new("1".into(), Work::Pair { schema, gold: gold.into(), pred: pred.into() })
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
        assert!(proved.score("ex").unwrap() > 0.95, "{proved:?}");
    }

    #[test]
    fn what_no_database_tests_says_so_and_has_a_score() {
        let gold = "SELECT name FROM hero WHERE height > 5 AND height < 3 LIMIT 0";
        let pred = "SELECT name FROM power WHERE id > 7 AND id < 3";
        let record = ex(gold, pred);
        let details = &record.details["ex"];
        assert_eq!((&details["databases"], &details["untested"]), (&0.into(), &true.into()), "{record:?}");
        assert!(record.score("ex").is_some());
        let tested = ex("SELECT name FROM hero", "SELECT id FROM hero");
        let details = &tested.details["ex"];
        assert!(details.get("untested").is_none());
        let of = |key: &str| details[key].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&of("network")), "{tested:?}");
        assert!(of("low") <= tested.score("ex").unwrap() && tested.score("ex").unwrap() <= of("high"));
    }

    #[test]
    fn how_two_queries_differ_is_named() {
        let record = ex("SELECT name FROM hero WHERE height > 5", "SELECT name FROM hero");
        assert_eq!(record.details["ex"]["kinds"], serde_json::json!(["filter-dropped"]));
    }

    #[test]
    fn of_strong_predictions_more_are_right() {
        let job = || job("SELECT name FROM hero WHERE height > 5", "SELECT name FROM hero WHERE height >= 5");
        let score = |share: Option<f64>| {
            let engine = Engine::builder()
                .metric(&EX)
                .semantics(Semantics::preset("bird").unwrap())
                .assume_accuracy(share)
                .build()
                .unwrap();
            (engine.score(&[job()]).remove(0).score("ex").unwrap(), engine.signature(&EX).to_string())
        };
        let [(usual, _), (weak, _), (strong, signature)] = [None, Some(0.2), Some(0.95)].map(score);
        assert!(weak < usual && usual < strong, "{weak} {usual} {strong}");
        assert!(signature.ends_with("|assumed:0.95"), "{signature}");
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
    fn a_checkpoint_may_have_weights_of_its_own() {
        let shipped = ExecutionModel::shipped().unwrap();
        let own = ExecutionModel { right: 0.25, ..shipped.clone() };
        let bytes = Network::embedded().unwrap().with_execution(own.clone()).unwrap();
        let network = Network::from_bytes(&bytes, "own").unwrap();
        let engine = Engine::builder().metric(&EX).network(network).build().unwrap();
        assert_eq!(engine.execution_model(), Some(&own));
        assert_eq!(Engine::builder().metric(&EX).build().unwrap().execution_model(), Some(shipped));
    }
}
