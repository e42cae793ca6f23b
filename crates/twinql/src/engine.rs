//! Metrics over batches of pairs.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;
use twinql_graph::{Question, RelPmConfig};
use twinql_metrics::{MetricId, MetricInfo, SemanticsOf};
use twinql_model::{Band, Cascade, Decision, Evidence, GraphKind, Score, Shown};
use twinql_sql::prove::Side;
use twinql_sql::{Dialect, Semantics};
use twinql_suite::plausible::ExpectedConfig;
use twinql_suite::{JudgeConfig, Verdict};

use crate::batch::Batch;
use crate::builder::EngineBuilder;
use crate::classic::Trivial;
use crate::job::{Job, Work};
use crate::judging::{self, Workers};
use crate::network::{Network, NetworkError};
use crate::partial::of_matching;
use crate::prepare::{PairGraphs, same_tokens};
use crate::profiles::Profiles;
use crate::proving;
use crate::record::{Record, Status};
use crate::runs::{Runs, executes};
use crate::signature::{Signature, of_question, of_suite};
use crate::status;
use crate::tiers::evidence;
use crate::vacuous;

/// The seed where none is given.
pub const DEFAULT_SEED: u64 = 8;

/// Metrics, ready to be computed.
///
/// ```
/// use twinql::metrics::MetricId;
/// use twinql::{Engine, Semantics};
///
/// let engine = Engine::builder()
///     .metric(MetricId::RelPm)
///     .metric(MetricId::Suite)
///     .semantics(Semantics::preset("no-fk").unwrap_or_default())
///     .databases(40)
///     .seed(8)
///     .build()?;
/// assert_eq!(engine.metrics().len(), 2);
/// # Ok::<(), twinql::NetworkError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) metrics: Vec<&'static MetricInfo>,
    pub(crate) network: Option<Network>,
    pub(crate) semantics: Semantics,
    pub(crate) judge: JudgeConfig,
    pub(crate) expected: ExpectedConfig,
    pub(crate) matching: RelPmConfig,
    pub(crate) trivial: Option<Trivial>,
    pub(crate) profiles: Profiles,
    pub(crate) workers: Arc<Workers>,
    pub(crate) runs: Option<Arc<Runs>>,
    pub(crate) seed: u64,
    /// Databases of a probe; none for the usual number, 0 for the network alone.
    pub(crate) probes: Option<u64>,
    pub(crate) dialect: Dialect,
}

impl Engine {
    /// Sets up an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The same engine for other metrics under another semantics, with another question for the network: network, workers and databases are shared, and nothing
    /// is read anew. No metrics stand for `gmn`.
    ///
    /// # Errors
    /// Those of [`EngineBuilder::build`].
    pub fn asking(
        &self,
        metrics: Vec<&'static MetricInfo>,
        semantics: Semantics,
        question: Question,
    ) -> Result<Engine, NetworkError> {
        let metrics = if metrics.is_empty() { vec![MetricId::Gmn.info()] } else { metrics };
        let network = needed(&metrics, self.network.clone(), self.runs.is_some())?;
        let network = asked(&metrics, network, question, &semantics)?;
        let judge = JudgeConfig { semantics: semantics.clone(), ..self.judge.clone() };
        Ok(Engine { metrics, network, semantics, judge, ..self.clone() })
    }

    /// What the network is asked.
    pub fn question(&self) -> Question {
        self.network.as_ref().map_or_else(Question::default, Network::question)
    }

    /// The metrics, in the order in which they were asked for.
    pub fn metrics(&self) -> &[&'static MetricInfo] {
        &self.metrics
    }

    /// The users' own databases, where there are some.
    pub fn runs(&self) -> Option<&Runs> {
        self.runs.as_deref()
    }

    /// The score from which on a metric calls two queries the same.
    pub fn threshold(&self, metric: &MetricInfo) -> f64 {
        if metric.id == MetricId::Ex {
            return metric.threshold;
        }
        match (&self.network, metric.semantics) {
            (Some(_), _) if is_probed(metric.id) && self.correction().is_some() => {
                shortest(self.correction().map_or(0.5, |correction| correction.threshold))
            }
            (Some(network), SemanticsOf::Checkpoint) => {
                let tier = cascade(metric).zip(network.scorer().info().tiers.as_ref());
                let own = network.scorer().threshold();
                shortest(tier.map_or(own, |(cascade, tiers)| tiers.tier(cascade).threshold))
            }
            _ => metric.threshold,
        }
    }

    /// The abstention band of a learned metric; none where its checkpoint has none.
    pub fn band(&self, metric: &MetricInfo) -> Option<Band> {
        let network = self.network.as_ref()?;
        if is_probed(metric.id)
            && let Some(correction) = self.correction()
        {
            return correction.band;
        }
        match (cascade(metric), metric.semantics) {
            _ if metric.id == MetricId::Ex => None,
            (Some(cascade), _) => network.scorer().info().tiers.as_ref()?.tier(cascade).band,
            (None, SemanticsOf::Checkpoint) => network.scorer().info().band,
            (None, _) => None,
        }
    }

    /// What a learned metric says of a pair that it scored; none where it has no band. A
    /// prediction that is no query over the schema is different. What is equal by its canonical
    /// form, or decided by a tier before the network, is never abstained from; a pair that cannot
    /// be read always is.
    pub fn decide(&self, metric: &MetricInfo, record: &Record) -> Option<Decision> {
        let band = self.band(metric)?;
        match record.status {
            // What the suite could not test a learned metric has scored all the same.
            Status::Ok | Status::Untested => {}
            Status::PredError => return Some(Decision::Different),
            Status::GoldError | Status::Unsupported | Status::Timeout | Status::MachineError => {
                return Some(Decision::Abstained);
            }
        }
        let detail = |key: &str| record.details.get(metric.name).and_then(|d| d.get(key));
        let by_network = match detail("tier") {
            Some(tier) => tier == NETWORK,
            None => ["identical", "refuted"].iter().all(|key| detail(key) != Some(&Value::Bool(true))),
        };
        // The probability as the band was fitted on it.
        let Some(score) = record.score(metric.name) else {
            return Some(Decision::Abstained);
        };
        let threshold = self.threshold(metric);
        Some(match by_network {
            true => band.decide(score as f32, threshold as f32),
            false if score >= threshold => Decision::Same,
            false => Decision::Different,
        })
    }

    /// What a metric calls a pair: by its score and its threshold, and with `abstaining` by its band where it has one.
    /// A prediction that is no query over the schema is different; of what else has no score nothing is said.
    pub fn call(&self, metric: &MetricInfo, record: &Record, abstaining: bool) -> Decision {
        let by_band = if abstaining { self.decide(metric, record) } else { None };
        by_band.unwrap_or_else(|| match (record.status, record.score(metric.name)) {
            // What the suite could not test another metric has scored all the same.
            (Status::Ok | Status::Untested, Some(score)) if score >= self.threshold(metric) => Decision::Same,
            (Status::Ok | Status::Untested, Some(_)) | (Status::PredError, _) => Decision::Different,
            _ => Decision::Abstained,
        })
    }

    /// The semantics that a metric answers for.
    pub fn semantics_of(&self, metric: &MetricInfo) -> Semantics {
        match (&self.network, metric.semantics) {
            (Some(network), SemanticsOf::Checkpoint) => network.answers_for(&self.semantics),
            (_, SemanticsOf::Preset(name)) => Semantics::preset(name).unwrap_or_default(),
            _ => self.semantics.clone(),
        }
    }

    /// What a metric's figures depend on.
    pub fn signature(&self, metric: &MetricInfo) -> Signature {
        let checkpoint = match (&self.network, metric.semantics) {
            (Some(network), SemanticsOf::Checkpoint) => network.hash().to_owned(),
            _ => "none".into(),
        };
        Signature {
            metric: metric.name.into(),
            checkpoint,
            dialect: self.dialect,
            semantics: self.semantics_of(metric).name,
            threshold: self.threshold(metric),
            device: "cpu".into(),
            seed: self.seed,
            further: match metric.id {
                MetricId::Suite | MetricId::ThreeTier => of_suite(&self.judge),
                MetricId::ExpectedEx => self.of_plausible(of_suite(&JudgeConfig {
                    databases: self.expected.databases,
                    ..self.judge.clone()
                })),
                MetricId::Ex => {
                    let mut parts = of_suite(&self.judge);
                    parts.extend(of_question(self.question()));
                    parts.push(format!("plausible:{}", self.expected.databases));
                    self.of_plausible(parts)
                }
                MetricId::RelPm | MetricId::AstPm => of_matching(&self.matching),
                MetricId::Gmn | MetricId::TwoTier => {
                    let mut parts = of_question(self.question());
                    parts.extend(self.probe().map(|probe| format!("probe:{}", probe.databases)));
                    parts
                }
                MetricId::CrystalBleu => {
                    self.trivial.iter().map(|t| format!("trivial:{}", t.digest)).collect()
                }
                _ => self.of_runs(metric),
            },
        }
    }

    /// What of plausible databases a signature has to say beside `parts`.
    fn of_plausible(&self, mut parts: Vec<String>) -> Vec<String> {
        if !self.profiles.is_empty() {
            parts.push(format!("profile:{}", self.profiles.digest()));
        }
        parts
    }

    /// Scores a batch: one record for each job, in order, whatever becomes of it. Runs on
    /// rayon's current pool; the result does not depend on the number of threads.
    pub fn score(&self, jobs: &[Job]) -> Vec<Record> {
        let mut records: Vec<Record> = jobs.iter().map(|job| self.blank(job)).collect();
        let probing = self.probe().is_some() && self.metrics.iter().any(|m| is_probed(m.id));
        let mut batch = Batch::new(jobs, probing);
        for metric in &self.metrics {
            match metric.id {
                MetricId::Gmn => self.gmn(metric, &mut batch, &mut records),
                MetricId::RelPm => self.partial(metric, GraphKind::Plan, &mut batch, &mut records),
                MetricId::AstPm => self.partial(metric, GraphKind::Ast, &mut batch, &mut records),
                MetricId::Suite => self.suite(metric, jobs, &mut records),
                MetricId::Proof => self.proof(metric, &mut batch, &mut records),
                MetricId::Conjunctive => self.conjunctive(metric, &batch, &mut records),
                MetricId::TwoTier => self.tiers(metric, Cascade::Proof, &mut batch, &mut records),
                MetricId::ThreeTier => self.tiers(metric, Cascade::ProofAndSuite, &mut batch, &mut records),
                MetricId::ExpectedEx => self.expected(metric, &mut batch, &mut records),
                MetricId::Ex => self.ex(metric, &mut batch, &mut records),
                MetricId::Exact
                | MetricId::Bleu
                | MetricId::CrystalBleu
                | MetricId::CodeBleu
                | MetricId::CodeBleuRot
                | MetricId::EsmOfficial
                | MetricId::Esm
                | MetricId::EsmValues
                | MetricId::Components
                | MetricId::EsmPlus
                | MetricId::EsmPlusPublished => self.classic(metric, &mut batch, &mut records),
                MetricId::Execution => self.execution(metric, jobs, &mut records),
                MetricId::BirdEx
                | MetricId::Ves
                | MetricId::RVes
                | MetricId::SoftF1
                | MetricId::SoftF1Repaired => self.bird(metric, &mut batch, &mut records),
            }
        }
        records
    }

    /// A record before any metric is computed: score 0 for each, null where the machine failed.
    fn blank(&self, job: &Job) -> Record {
        let mut record = Record::empty(job.id.clone());
        let failed = |work: &Work| matches!(work, Work::Unusable { status: Status::MachineError, .. });
        for metric in &self.metrics {
            match failed(&job.work) {
                true => record.set_null(metric.name),
                false => record.set_score(metric.name, 0.0),
            }
        }
        if let Work::Unusable { status, error } = &job.work {
            record.status = *status;
            record.error = Some(error.clone());
        }
        record
    }

    fn gmn(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let Some(network) = &self.network else { return };
        let semantics = network.answers_for(&self.semantics);
        let graphs = batch.graphs(&semantics, &network.graph());
        let regular = network.graph().regularities;
        let said = batch.read(network, &semantics);
        let probed = batch.probed(|jobs| self.probed(jobs, &graphs, &semantics));
        for (((record, read), pair), found) in
            records.iter_mut().zip(&*said).zip(graphs.iter()).zip(probed.iter())
        {
            match read {
                Some(Ok(said)) => {
                    if let Some(p) = self.corrected(network, said, *found) {
                        record.set_score(metric.name, shortest(p));
                    }
                    if let Some(found) = found {
                        record.set_detail(metric.name, "agree", found.agree);
                        record.set_detail(metric.name, "differ", found.differ);
                    }
                    if refutes(network, *found) {
                        record.set_detail(metric.name, "refuted", true);
                    }
                    record.set_detail(metric.name, "distance", shortest(said.score.distance));
                    record.set_detail(metric.name, "identical", said.identical);
                    if let Some(widths) = said.widths {
                        record.set_detail(metric.name, "columns", widths.to_vec());
                    }
                    let marked = pair.as_ref().filter(|_| regular);
                    let regularities = marked.map(PairGraphs::regularities).unwrap_or_default();
                    if !regularities.is_empty() {
                        record.set_detail(metric.name, "regularities", regularities);
                    }
                }
                Some(Err(error)) => spoil(record, Status::Unsupported, error.to_string()),
                None => {}
            }
        }
        mark_vacuous(metric, &graphs, records);
        self.explain_failures(metric, batch.jobs, &graphs, &|_| false, records);
    }

    /// Proof, the suite where the cascade has it, and the network for what they leave open. All
    /// of them answer for the semantics that the network answers for.
    fn tiers(&self, metric: &MetricInfo, cascade: Cascade, batch: &mut Batch<'_>, records: &mut [Record]) {
        let Some(network) = &self.network else { return };
        let Some(tiers) = network.scorer().info().tiers else {
            return;
        };
        let semantics = network.answers_for(&self.semantics);
        let judge = JudgeConfig { semantics: semantics.clone(), ..self.judge.clone() };
        let suite = (cascade == Cascade::ProofAndSuite).then_some((&judge, &*self.workers));
        let jobs = batch.jobs;
        let found = evidence(jobs, &batch.proofs(&semantics), suite, &|| ());
        let graphs = batch.graphs(&semantics, &network.graph());
        mark_vacuous(metric, &graphs, records);
        // Statuses, and scores of pairs that nothing is known of.
        let known = |i: usize| found.get(i).is_some_and(|e| !cascade.leaves_open(*e));
        self.explain_failures(metric, jobs, &graphs, &known, records);
        let read = batch.read(network, &semantics);
        // Where the suite has run, a probe has nothing to add.
        let probed = match cascade {
            Cascade::Proof => batch.probed(|jobs| self.probed(jobs, &graphs, &semantics)),
            Cascade::ProofAndSuite => Rc::default(),
        };
        let corrects = cascade == Cascade::Proof && self.correction().is_some();
        let threshold = tiers.tier(cascade).threshold;
        for (i, ((record, found), read)) in records.iter_mut().zip(found).zip(&*read).enumerate() {
            let shown = probed.get(i).copied().flatten();
            let known = !cascade.leaves_open(found);
            let said = match read {
                Some(Ok(said)) => Some(said),
                Some(Err(error)) => {
                    if !known {
                        spoil(record, Status::Unsupported, error.to_string());
                    }
                    None
                }
                None => None,
            };
            let of = |score: &Score| tiers.probability(cascade, found, Some(score.distance));
            let refuted = !known && refutes(network, shown);
            let p = match said {
                Some(said) if refuted => self.corrected(network, said, shown),
                // As `gmn` has it, and never more certain than what is known.
                Some(said) if !known && corrects => {
                    self.corrected(network, said, shown).map(|p| tiers.within(p))
                }
                Some(said) if !known => said.probability(threshold, &of),
                _ => tiers.probability(cascade, found, None),
            };
            if let Some(p) = p {
                record.set_score(metric.name, shortest(p));
            }
            record.set_detail(metric.name, "tier", if refuted { "probe" } else { tier_name(found) });
        }
    }

    /// Statuses, errors and documented scores of pairs of which a side has no graph, and whose
    /// forms are not equal all the same. Nothing is to be explained of pairs that are `known`.
    pub(crate) fn explain_failures(
        &self,
        metric: &MetricInfo,
        jobs: &[Job],
        graphs: &[Option<PairGraphs>],
        known: &dyn Fn(usize) -> bool,
        records: &mut [Record],
    ) {
        for (i, ((job, pair), record)) in jobs.iter().zip(graphs).zip(records).enumerate() {
            let (Some(pair), Work::Pair { gold: gold_sql, pred: pred_sql, .. }) = (pair, &job.work) else {
                continue;
            };
            let (side, error) = match (pair.gold.as_ref(), pair.pred.as_ref()) {
                (Ok(_), Ok(_)) => continue,
                _ if pair.identical || known(i) => continue,
                (Err(gold), Err(pred)) => match status::decisive(gold.unsupported, pred.unsupported) {
                    Side::Gold => (Side::Gold, gold),
                    Side::Pred => (Side::Pred, pred),
                },
                (Err(e), _) => (Side::Gold, e),
                (_, Err(e)) => (Side::Pred, e),
            };
            let found = status::of_side(side, error.unsupported);
            if found == Status::Unsupported {
                record.set_score(metric.name, f64::from(u8::from(same_tokens(gold_sql, pred_sql))));
            }
            spoil(record, found, format!("{side}: {}", error.message));
        }
    }

    fn proof(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let proofs = batch.proofs(&self.semantics);
        for (record, proof) in records.iter_mut().zip(&*proofs) {
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
                    let status = status::of_proof(error);
                    if status == Status::Unsupported {
                        record.set_score(metric.name, UNKNOWN);
                    }
                    spoil(record, status, error.to_string());
                }
                None => {}
            }
        }
    }

    fn suite(&self, metric: &MetricInfo, jobs: &[Job], records: &mut [Record]) {
        let reports = judging::judge_all(jobs, &self.judge, &self.workers, &|| ());
        for ((job, record), report) in jobs.iter().zip(records).zip(reports) {
            let (Some(report), Work::Pair { gold, pred, .. }) = (report, &job.work) else {
                continue;
            };
            let same = match &report.verdict {
                Verdict::Same { .. } => Some(true),
                Verdict::Timeout { .. } => Some(same_tokens(gold, pred)),
                Verdict::Different { .. } | Verdict::PredError { .. } | Verdict::GoldError { .. } => {
                    Some(false)
                }
                Verdict::Untested { .. } | Verdict::MachineError { .. } => None,
            };
            match same {
                Some(same) => record.set_score(metric.name, f64::from(u8::from(same))),
                None => record.set_null(metric.name),
            }
            record.set_detail(metric.name, "verdict", judging::name(&report.verdict));
            let (status, error) = status::of_verdict(&report.verdict);
            if status == Status::Unsupported && same_tokens(gold, pred) {
                record.set_score(metric.name, 1.0);
            }
            if let Some(error) = error {
                spoil(record, status, error);
            }
        }
    }
}

/// The network that metrics need: the one given, or the embedded one.
///
/// # Errors
/// Those of [`EngineBuilder::build`].
pub(crate) fn needed(
    metrics: &[&'static MetricInfo],
    network: Option<Network>,
    has_runs: bool,
) -> Result<Option<Network>, NetworkError> {
    let learned = metrics.iter().any(|m| m.semantics == SemanticsOf::Checkpoint);
    let network = match network {
        None if learned => Some(Network::embedded()?),
        network => network,
    };
    let calibrated = network.as_ref().is_some_and(|n| n.scorer().info().tiers.is_some());
    if !calibrated && metrics.iter().any(|m| cascade(m).is_some()) {
        return Err(NetworkError::NoTiers);
    }
    let weighed = network.as_ref().is_some_and(|n| n.scorer().info().execution.is_some());
    if !weighed && metrics.iter().any(|m| m.id == MetricId::Ex) {
        return Err(NetworkError::NoExecution);
    }
    match metrics.iter().find(|m| executes(m)) {
        Some(metric) if !has_runs => Err(NetworkError::NoDatabases(metric.name)),
        _ => Ok(network),
    }
}

/// The network as it answers a question under a semantics.
///
/// # Errors
/// It was not trained for the question, or a metric answers another one.
pub(crate) fn asked(
    metrics: &[&'static MetricInfo],
    network: Option<Network>,
    question: Question,
    semantics: &Semantics,
) -> Result<Option<Network>, NetworkError> {
    if !question.is_usual()
        && let Some(metric) = metrics.iter().find(|m| cascade(m).is_some())
    {
        return Err(NetworkError::OtherQuestion { metric: metric.name, question });
    }
    network.map(|network| network.asked(question, semantics)).transpose()
}

/// The cascade that a metric is.
pub(crate) fn cascade(metric: &MetricInfo) -> Option<Cascade> {
    match metric.id {
        MetricId::TwoTier => Some(Cascade::Proof),
        MetricId::ThreeTier => Some(Cascade::ProofAndSuite),
        MetricId::Gmn
        | MetricId::Suite
        | MetricId::RelPm
        | MetricId::Proof
        | MetricId::ExpectedEx
        | MetricId::Ex
        | MetricId::Exact
        | MetricId::AstPm
        | MetricId::Bleu
        | MetricId::CrystalBleu
        | MetricId::CodeBleu
        | MetricId::CodeBleuRot
        | MetricId::Execution
        | MetricId::BirdEx
        | MetricId::Ves
        | MetricId::RVes
        | MetricId::SoftF1
        | MetricId::SoftF1Repaired
        | MetricId::EsmOfficial
        | MetricId::Esm
        | MetricId::EsmValues
        | MetricId::Components
        | MetricId::EsmPlus
        | MetricId::EsmPlusPublished
        | MetricId::Conjunctive => None,
    }
}

/// Which judge a pair's score is from.
fn tier_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::ProvedEqual | Evidence::ProvedDifferent => "proof",
        Evidence::Refuted => "suite",
        Evidence::None | Evidence::Unrefuted => NETWORK,
    }
}

/// The tier of pairs of which the network has the last word.
const NETWORK: &str = "network";

/// Metrics for which pairs are evaluated on a few databases in memory beside the network.
fn is_probed(metric: MetricId) -> bool {
    matches!(metric, MetricId::Gmn | MetricId::TwoTier)
}

/// Whether what databases show settles the question.
fn refutes(network: &Network, found: Option<Shown>) -> bool {
    network.question().is_usual() && found.is_some_and(|found| found.differ > 0)
}

/// Marks pairs of which an assumption of the semantics empties a part.
pub(crate) fn mark_vacuous(metric: &MetricInfo, graphs: &[Option<PairGraphs>], records: &mut [Record]) {
    for (pair, record) in graphs.iter().zip(records) {
        if let Some(pair) = pair
            && !pair.vacuous.is_none()
        {
            record.set_detail(metric.name, "vacuous", true);
            record.set_detail(metric.name, "vacuous_by", vacuous::names(&pair.vacuous));
        }
    }
}

/// The value of `proof` where nothing is proved either way.
pub(crate) const UNKNOWN: f64 = 0.5;

/// How the suite judges for a metric: `databases` where given, no shrinking of witnesses.
pub fn judge_config(semantics: Semantics, databases: Option<usize>, seed: u64) -> JudgeConfig {
    let base = JudgeConfig::default();
    JudgeConfig { semantics, seed, databases: databases.map_or(base.databases, |n| n as u64), ..base }
}

/// Sets status and error, unless an earlier metric has set them.
pub(crate) fn spoil(record: &mut Record, status: Status, error: String) {
    if record.status == Status::Ok {
        record.status = status;
        record.error = Some(error);
    }
}

/// The double that prints as the float does: 0.97, not 0.9700000286102295.
pub(crate) fn shortest(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}
