//! What execution on a real database would say: `expected-ex`, and `ex`, which weighs all that is known.

use std::rc::Rc;

use twinql_metrics::MetricInfo;
use twinql_model::{Evidence, ExecutionModel, ModelError, Signs};
use twinql_suite::{Expectation, Verdict};

use crate::batch::Batch;
use crate::engine::{Engine, UNKNOWN};
use crate::job::{Job, Work};
use crate::judging;
use crate::network::Network;
use crate::prepare::same_tokens;
use crate::record::{Record, Status, shortest};
use crate::status;
use crate::unread::unread_job;

/// What is known of one pair.
#[derive(Debug)]
pub struct Known {
    /// What proofs, suite, plausible databases and network say.
    pub signs: Signs,
    /// Why no plausible database tests the pair.
    pub untested: Option<Verdict>,
}

impl Known {
    /// Neither a proof nor a database nor the network says anything.
    fn is_nothing(&self) -> bool {
        self.untested.is_some() && self.signs.evidence == Evidence::None && self.signs.network.is_none()
    }
}

impl Engine {
    /// What is known of each pair that tells of execution on a real database: a verdict in its place where a query
    /// cannot be executed, or the machine failed; none for a job without a pair.
    ///
    /// All of it is under the engine's semantics.
    pub fn signs(&self, jobs: &[Job]) -> Vec<Option<Result<Known, Verdict>>> {
        match &self.network {
            Some(network) => self.known(network, &mut Batch::new(jobs, false)),
            None => jobs.iter().map(|_| None).collect(),
        }
    }

    /// What is known of each pair of a batch. Plausible databases come first. A verdict that names a failure of either
    /// query or of the machine ends it for that pair; the network is asked only for pairs that no database tests, since
    /// it costs the most.
    fn known(&self, network: &Network, batch: &mut Batch<'_>) -> Vec<Option<Result<Known, Verdict>>> {
        let semantics = &self.semantics;
        let counted = self.counted(batch);
        let found = self.evidence(batch, semantics, true);
        let mut known: Vec<Option<Result<Known, Verdict>>> = counted
            .iter()
            .zip(found)
            .map(|(counted, evidence)| {
                let signs = Signs { evidence, ..Signs::default() };
                Some(match counted.as_ref()? {
                    Expectation::Counted(e) => {
                        Ok(Known { signs: Signs { agree: e.agree, of: e.of, ..signs }, untested: None })
                    }
                    Expectation::None(verdict) => match status::of_verdict(verdict).0 {
                        Status::PredError | Status::GoldError | Status::MachineError => Err(verdict.clone()),
                        _ => Ok(Known { signs, untested: Some(verdict.clone()) }),
                    },
                })
            })
            .collect();
        let untested =
            |pair: &Option<Result<Known, Verdict>>| matches!(pair, Some(Ok(k)) if k.untested.is_some());
        if known.iter().any(untested) {
            let threshold = network.scorer().threshold();
            for (pair, read) in known.iter_mut().zip(&*batch.read(network, semantics)) {
                if let (Some(Ok(known)), Some(Ok(said))) = (pair, read)
                    && known.untested.is_some()
                {
                    known.signs.network =
                        said.probability(threshold, false, &|score| Some(score.probability));
                }
            }
        }
        known
    }

    /// Scores `ex`.
    pub(crate) fn ex(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let Some(network) = &self.network else { return };
        let Some(model) = network.scorer().info().execution else { return };
        let jobs = batch.jobs;
        for ((job, record), known) in jobs.iter().zip(records).zip(self.known(network, batch)) {
            let known = match known {
                None => continue,
                Some(Ok(known)) => known,
                Some(Err(verdict)) => {
                    fail(metric, record, job, &verdict);
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
                Some(verdict) if known.is_nothing() => fail(metric, record, job, verdict),
                _ => record.set_score(metric.name, model.probability(&known.signs)),
            }
        }
    }

    /// Scores `expected-ex`.
    pub(crate) fn expected(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let counted = self.counted(batch);
        for ((record, found), job) in records.iter_mut().zip(&*counted).zip(batch.jobs) {
            match found {
                None => {}
                Some(Expectation::Counted(expected)) => {
                    record.set_score(metric.name, expected.share().unwrap_or(UNKNOWN));
                    record.set_detail(metric.name, "agree", expected.agree);
                    record.set_detail(metric.name, "databases", expected.of);
                    record.set_detail(metric.name, "standard_error", expected.standard_error());
                    record.set_detail(metric.name, "probability", expected.probability());
                }
                Some(Expectation::None(verdict)) => fail(metric, record, job, verdict),
            }
        }
    }

    /// What plausible databases say of all pairs, counted once for both metrics.
    fn counted(&self, batch: &mut Batch<'_>) -> Rc<[Option<Expectation>]> {
        batch.counted(&self.judge.semantics, |jobs| {
            judging::expect_all(jobs, &self.judge, self.expected, &self.profiles, &self.workers)
        })
    }
}

impl Network {
    /// The bytes of this network's checkpoint with another model of execution.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn with_execution(&self, model: ExecutionModel) -> Result<Vec<u8>, ModelError> {
        self.scorer().with_execution(model).to_bytes()
    }
}

/// The score and the status of a pair of which nothing is known for the reason that `verdict` names: 0 for what is no
/// query over the schema, nothing where nothing was read or tested, and whether the texts are the same where a limit was met.
fn fail(metric: &MetricInfo, record: &mut Record, job: &Job, verdict: &Verdict) {
    let (status, error) = status::of_verdict(verdict);
    match (status, &job.work) {
        (Status::Untested | Status::MachineError, _) => record.set_null(metric.name),
        (Status::Unsupported, _) => unread_job(metric, job, record),
        (Status::Timeout, Work::Pair { gold, pred, .. }) => {
            record.set_score(metric.name, f64::from(u8::from(same_tokens(gold, pred))));
        }
        _ => {}
    }
    if let Some(error) = error {
        record.spoil(metric.name, status, error);
    }
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

    use twinql_metrics::MetricId;
    use twinql_model::Checkpoint;
    use twinql_sql::{Schema, Semantics};

    use super::*;
    use crate::embedded::BUILT_IN;
    use crate::network::NetworkError;

    const HEROES: &str = "CREATE TABLE power (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, power_id INTEGER REFERENCES power (id), height INTEGER);";

    fn engine(metric: MetricId) -> Engine {
        Engine::builder().metric(metric).semantics(Semantics::preset("bird").unwrap()).build().unwrap()
    }

    fn job(gold: &str, pred: &str) -> Job {
        let schema = Arc::new(Schema::from_ddl("heroes", HEROES).unwrap());
        Job { id: "1".into(), work: Work::Pair { schema, gold: gold.into(), pred: pred.into() } }
    }

    fn ex(gold: &str, pred: &str) -> Record {
        engine(MetricId::Ex).score(&[job(gold, pred)]).remove(0)
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
            .metrics([MetricId::Ex.info(), MetricId::ExpectedEx.info()])
            .semantics(Semantics::preset("bird").unwrap())
            .build()
            .unwrap();
        let record = both.score(&[job(gold, pred)]).remove(0);
        assert_eq!(record.details["ex"]["agree"], record.details["expected-ex"]["agree"]);
        assert_eq!(record.score("ex"), ex(gold, pred).score("ex"));
        let signature = both.signature(MetricId::Ex.info()).to_string();
        assert!(signature.ends_with("|databases:100|plausible:16"), "{signature}");
        assert!(!signature.contains("ckpt:none"));
    }

    #[test]
    fn the_document_tells_the_weights() {
        let document = include_str!("../../../docs/plausible.md");
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
        let refused = Engine::builder().metric(MetricId::Ex).network(network.clone()).build();
        assert!(matches!(refused, Err(NetworkError::NoExecution)));
        let again = network.with_execution(model).unwrap();
        // The file may be of an earlier vocabulary, and is written in today's.
        let bytes = BUILT_IN[0].checkpoint().unwrap();
        let today = Checkpoint::from_bytes(bytes, "small", Some(&twinql_graph::vocabulary::hash())).unwrap();
        assert_eq!(again, today.to_bytes().unwrap());
    }
}
