//! Metrics with their settings, behind `twinql.Scorer`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::ThreadPool;
use twinql::gmn::Decision;
use twinql::graph::{Question, RelPmConfig};
use twinql::input::Schemas;
use twinql::metrics::{Metric, Resampling, Setting, WithoutRules};
use twinql::record::{Record, Status};
use twinql::runs::Runs;
use twinql::suite::Files;
use twinql::{Dialects, Engine, Job, Network, Profiles, Schema, Semantics, Work};

use crate::arrow::Table;
use crate::batch::{Bar, Task, Window, stream};
use crate::errors::{self, ArgumentError, CheckpointError, InputError, InternalError};
use crate::evaluation;
use crate::pairs::{Pairs, one};
use crate::results::Scores;
use crate::runtime::{OfProcess, Ticket, guarded, pool};
use crate::schemas;
use crate::settings;

/// What a scorer is made of, again in each process that it gets into.
struct Settings {
    metrics: Vec<&'static Metric>,
    /// The checkpoint's name or file, and the hash of what it was at first; none where no metric needs one. A network
    /// is not taken into another process: another thread may have held its lock.
    checkpoint: Option<(PathBuf, String)>,
    semantics: Semantics,
    question: Question,
    dialects: Dialects,
    seed: u64,
    databases: Option<usize>,
    probes: Option<u64>,
    plausible: Option<u64>,
    profile: Option<PathBuf>,
    matching: RelPmConfig,
    crystalbleu_corpus: Option<PathBuf>,
    without_rules: WithoutRules,
    db: Option<PathBuf>,
    workers: settings::Kind,
}

/// An engine with a name and a signature for each metric.
struct Core {
    engine: Engine,
    signatures: Vec<(&'static str, String)>,
}

/// A score with what its metrics say of it.
type Scored = (Record, Vec<Decision>);

/// Metrics, ready to be computed.
#[pyclass(name = "Engine", module = "twinql._twinql", frozen)]
pub(crate) struct PyEngine {
    settings: Settings,
    threads: Option<usize>,
    abstain: bool,
    /// Locked only with Python's lock, and not across work.
    core: Mutex<OfProcess<Arc<Core>>>,
}

impl Settings {
    fn core(&self, py: Python<'_>) -> PyResult<Core> {
        let network = match &self.checkpoint {
            None => None,
            Some((checkpoint, hash)) => {
                let network = settings::network(py, checkpoint)?;
                if network.hash() != hash {
                    let file = checkpoint.display();
                    return Err(CheckpointError::new_err(format!(
                        "{file} has changed since the scorer was made"
                    )));
                }
                Some(network)
            }
        };
        self.with(py, network)
    }

    /// The engine with this network.
    fn with(&self, py: Python<'_>, network: Option<Network>) -> PyResult<Core> {
        let (workers, limits) = settings::workers(py, self.workers)?;
        let runs = match &self.db {
            None => None,
            Some(folder) => {
                let files = Files::find(folder).map_err(|e| InputError::new_err(e.to_string()))?;
                let (workers, _) = settings::workers(py, self.workers)?;
                Some(Runs { workers, ..Runs::new(files) })
            }
        };
        let profiles = self.profile.as_deref().map(Profiles::load).transpose();
        let engine = Engine::builder()
            .metrics(self.metrics.iter().copied())
            .network(network)
            .semantics(self.semantics.clone())
            .question(self.question)
            .databases(self.databases)
            .probes(self.probes)
            .plausible(self.plausible)
            .profiles(profiles.map_err(|e| InputError::new_err(e.to_string()))?.unwrap_or_default())
            .matching(self.matching)
            .trivial_ngrams(settings::trivial_ngrams(self.crystalbleu_corpus.as_deref())?)
            .without_rules(self.without_rules.clone())
            .seed(self.seed)
            .translated_from(self.dialects)
            .workers(workers, limits)
            .runs(runs)
            .build()
            .map_err(|e| errors::network(&e))?;
        Ok(Core::new(engine))
    }
}

impl Core {
    fn new(engine: Engine) -> Core {
        let signatures = engine.metrics().iter().map(|m| (m.name, engine.signature(m).to_string())).collect();
        Core { engine, signatures }
    }

    /// The same over these schemas, which profiles are checked against.
    fn over<'s>(
        self: Arc<Core>,
        py: Python<'_>,
        schemas: impl Iterator<Item = &'s Schema>,
    ) -> PyResult<Arc<Core>> {
        if self.engine.profiles().is_empty() {
            return Ok(self);
        }
        let mut profiles = self.engine.profiles().clone();
        let warnings = profiles.settle(schemas).map_err(|e| InputError::new_err(e.to_string()))?;
        for line in warnings {
            schemas::warn(py, &line)?;
        }
        Ok(Arc::new(Core::new(self.engine.following(profiles))))
    }
}

impl PyEngine {
    /// The engine of this process.
    fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        if let Some(core) = self.kept().get() {
            return Ok(Arc::clone(core));
        }
        // Python may run other threads meanwhile, so that nothing is locked.
        let made = Arc::new(self.settings.core(py)?);
        let mut kept = self.kept();
        if let Some(core) = kept.get() {
            return Ok(Arc::clone(core));
        }
        *kept = OfProcess::new(Arc::clone(&made));
        Ok(made)
    }

    fn kept(&self) -> MutexGuard<'_, OfProcess<Arc<Core>>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pool(&self, py: Python<'_>) -> PyResult<Arc<ThreadPool>> {
        pool(py, self.threads)
    }

    /// What scores pairs.
    fn task(&self, core: &Arc<Core>) -> Arc<Task<Scored>> {
        let window = match core.engine.is_slow() {
            true => Window::SMALL_BATCHES,
            false => Window::BATCHES,
        };
        let (abstain, of_work, of_failure) = (self.abstain, Arc::clone(core), Arc::clone(core));
        let work = move |jobs: &[Job]| {
            let engine = &of_work.engine;
            let decided = |record: Record| {
                let decisions = engine.metrics().iter().map(|m| engine.call(m, &record, abstain)).collect();
                (record, decisions)
            };
            engine.score(jobs).into_iter().map(decided).collect()
        };
        let failed = move |job: &Job, why: String| {
            let metrics = of_failure.engine.metrics();
            let mut record = Record::empty(job.id.clone());
            record.status = Status::MachineError;
            record.error = Some(why);
            metrics.iter().for_each(|m| record.set_null(m.name));
            (record, vec![Decision::Abstained; metrics.len()])
        };
        Arc::new(Task { work: Box::new(work), failed: Box::new(failed), window })
    }

    /// The engine over the schemas of a call, and these.
    fn prepared(&self, py: Python<'_>, schemas: Option<&Bound<'_, PyAny>>) -> PyResult<(Arc<Core>, Schemas)> {
        let dialects = self.settings.dialects;
        let schemas = match (schemas, &self.settings.db) {
            // The databases hold all that is needed.
            (None, Some(folder)) if self.settings.metrics.iter().all(|m| m.executes()) => {
                let files = Files::find(folder).map_err(|e| InputError::new_err(e.to_string()))?;
                Schemas::of_files(&files, dialects, Arc::new(twinql::progress::Silent))
            }
            (schemas, _) => schemas::argument(py, schemas, dialects)?,
        };
        Ok((self.core(py)?.over(py, schemas.all())?, schemas))
    }

    /// Scores all pairs, and gives each record with its label to `take`.
    fn each(
        &self,
        py: Python<'_>,
        core: &Arc<Core>,
        arguments: Arguments<'_, '_>,
        doing: &str,
        take: &mut dyn FnMut(Scored, Option<bool>) -> PyResult<()>,
    ) -> PyResult<()> {
        let pool = self.pool(py)?;
        let pairs = Pairs::new(py, &pool, arguments.pairs, arguments.schemas, self.settings.dialects)?;
        let bar = Bar::new(arguments.progress, pairs.count, doing)?;
        stream(py, &pool, pairs, &self.task(core), &bar, &mut |_, extra, scored| take(scored, extra.label))
    }
}

/// What calls over many pairs have in common.
struct Arguments<'a, 'py> {
    pairs: &'a Bound<'py, PyAny>,
    schemas: Schemas,
    progress: Option<&'a Bound<'py, PyAny>>,
}

#[pymethods]
impl PyEngine {
    #[new]
    #[pyo3(signature = (checkpoint, semantics, metrics, dialect, threads, seed, gold_dialect, pred_dialect, databases, abstain, db, workers, question, probes, plausible, profile, relpm_alpha, relpm_beta, relpm_omega, crystalbleu_corpus, without_rules))]
    #[allow(clippy::too_many_arguments)] // Its one caller is the class in Python, which names each of them.
    fn new(
        py: Python<'_>,
        checkpoint: PathBuf,
        semantics: &str,
        metrics: Vec<String>,
        dialect: &str,
        threads: Option<usize>,
        seed: u64,
        gold_dialect: Option<&str>,
        pred_dialect: Option<&str>,
        databases: Option<usize>,
        abstain: bool,
        db: Option<PathBuf>,
        workers: &str,
        question: &str,
        probes: Option<u64>,
        plausible: Option<u64>,
        profile: Option<PathBuf>,
        relpm_alpha: Option<f64>,
        relpm_beta: Option<f64>,
        relpm_omega: Option<f64>,
        crystalbleu_corpus: Option<PathBuf>,
        without_rules: Vec<String>,
    ) -> PyResult<PyEngine> {
        let metrics = settings::metric_list(&metrics)?;
        settings::read(
            &metrics,
            &[
                (Setting::Plausible, "plausible", plausible.is_some()),
                (Setting::Profile, "profile", profile.is_some()),
                (Setting::Matching, "relpm_alpha", relpm_alpha.is_some()),
                (Setting::Matching, "relpm_beta", relpm_beta.is_some()),
                (Setting::Matching, "relpm_omega", relpm_omega.is_some()),
                (Setting::CrystalbleuCorpus, "crystalbleu_corpus", crystalbleu_corpus.is_some()),
                (Setting::WithoutRules, "without_rules", !without_rules.is_empty()),
            ],
        )?;
        let learned = metrics.iter().any(|m| m.is_learned());
        let network = if learned { Some(settings::network(py, &checkpoint)?) } else { None };
        let settings = Settings {
            checkpoint: network.as_ref().map(|network| (checkpoint, network.hash().to_owned())),
            metrics,
            semantics: settings::preset(semantics)?,
            question: settings::question(question)?,
            dialects: settings::of_pair(dialect, gold_dialect, pred_dialect)?,
            seed,
            databases: settings::databases(databases)?,
            probes: settings::probes(probes)?,
            plausible: settings::plausible(plausible)?,
            profile,
            matching: settings::matching(relpm_alpha, relpm_beta, relpm_omega)?,
            crystalbleu_corpus,
            without_rules: settings::without_rules(&without_rules)?,
            db,
            workers: settings::kind(workers)?,
        };
        pool(py, threads)?;
        let core = settings.with(py, network)?;
        if abstain && core.engine.metrics().iter().all(|m| core.engine.band(m).is_none()) {
            return Err(ArgumentError::new_err(
                "abstain needs a learned metric (gmn, two-tier, three-tier) and a checkpoint with an abstention band",
            ));
        }
        let core = Mutex::new(OfProcess::new(Arc::new(core)));
        Ok(PyEngine { settings, threads, abstain, core })
    }

    /// Scores pairs: a `Score` for each, in order.
    #[pyo3(signature = (pairs, schemas, progress))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        schemas: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (core, schemas) = self.prepared(py, schemas)?;
        let scores = Scores::new(py, &core.signatures)?;
        let results = PyList::empty(py);
        let arguments = Arguments { pairs, schemas, progress };
        self.each(py, &core, arguments, "scoring", &mut |(record, decisions), _| {
            results.append(scores.of(&record, &decisions)?)
        })?;
        Ok(results)
    }

    /// Scores one pair.
    #[pyo3(signature = (gold, pred, schema))]
    fn score_one<'py>(
        &self,
        py: Python<'py>,
        gold: &Bound<'py, PyAny>,
        pred: &Bound<'py, PyAny>,
        schema: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dialects = self.settings.dialects;
        let schema = schemas::only(py, schema, dialects.schema)?;
        let core = self.core(py)?.over(py, std::iter::once(&*schema))?;
        let read = one(gold, pred, schema, dialects);
        let task = self.task(&core);
        let score = move || {
            let job = guarded(read).unwrap_or_else(|why| {
                let work = Work::Unusable { status: Status::MachineError, error: why, alike: false };
                Job::new("0".into(), work)
            });
            task.run(&[job]).pop()
        };
        let scored = Ticket::start(&*self.pool(py)?, score).wait(py)?;
        let (record, decisions) = scored.ok_or_else(|| InternalError::new_err("no result"))?;
        Scores::new(py, &core.signatures)?.of(&record, &decisions)
    }

    /// Scores pairs into columns.
    #[pyo3(signature = (pairs, schemas, progress))]
    fn score_arrow(
        &self,
        py: Python<'_>,
        pairs: &Bound<'_, PyAny>,
        schemas: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let (core, schemas) = self.prepared(py, schemas)?;
        let mut scored = Vec::new();
        let arguments = Arguments { pairs, schemas, progress };
        self.each(py, &core, arguments, "scoring", &mut |one, _| {
            scored.push(one);
            Ok(())
        })?;
        let names: Vec<&str> = core.engine.metrics().iter().map(|m| m.name).collect();
        Table::new(&names, &scored, &core.signatures)
    }

    /// How well the metrics agree with the pairs' labels: one dict, as `twinql evaluate` writes it.
    #[pyo3(signature = (pairs, schemas, progress, resamples, level))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        schemas: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
        resamples: usize,
        level: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (core, schemas) = self.prepared(py, schemas)?;
        let how = Resampling { resamples, level, seed: self.settings.seed };
        evaluation::check(&how)?;
        let mut seen = evaluation::Seen::new(&core.engine);
        let arguments = Arguments { pairs, schemas, progress };
        self.each(py, &core, arguments, "scoring", &mut |(record, _), label| {
            seen.add(&core.engine, &record, label);
            Ok(())
        })?;
        let of_report = Arc::clone(&core);
        let report =
            Ticket::start(&*self.pool(py)?, move || seen.report(&of_report.engine, &how)).wait(py)?;
        crate::json::to_python(py, &report.map_err(InputError::new_err)?)
    }

    /// What the metrics' figures depend on, by metric.
    fn signatures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, signature) in &self.core(py)?.signatures {
            dict.set_item(name, signature)?;
        }
        Ok(dict)
    }

    /// The score from which on a metric calls two queries the same, by metric.
    fn thresholds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (dict, core) = (PyDict::new(py), self.core(py)?);
        for metric in core.engine.metrics() {
            dict.set_item(metric.name, core.engine.threshold(metric))?;
        }
        Ok(dict)
    }

    /// The semantics that each metric answers for.
    fn semantics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (dict, core) = (PyDict::new(py), self.core(py)?);
        for metric in core.engine.metrics() {
            dict.set_item(metric.name, core.engine.semantics_of(metric).name)?;
        }
        Ok(dict)
    }
}
