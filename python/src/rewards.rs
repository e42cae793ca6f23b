//! Rewards of completions, and the SQL in them.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use rayon::ThreadPool;
use twinql::record::Status;
use twinql::rewards::{
    Extraction, Format, FormatPart, Reading, Reward, RewardConfig, Rewarder, Sample, Shaping, extract,
};
use twinql::{Engine, Network, Schema, Semantics};

use crate::errors::{self, ArgumentError};
use crate::json;
use crate::runtime::{OfProcess, Ticket, guarded, pool};
use crate::schemas;
use crate::settings;

/// What a rewarder is made of, again in each process that it gets into.
struct Settings {
    network: Network,
    semantics: Semantics,
    seed: u64,
    config: RewardConfig,
    workers: settings::Kind,
}

/// Rewards completions, behind `twinql.rewards.Rewarder`.
#[pyclass(name = "Rewarder", module = "twinql._twinql", frozen)]
pub(crate) struct PyRewarder {
    settings: Settings,
    threads: Option<usize>,
    /// Locked only with Python's lock, and not across work.
    rewarder: Mutex<OfProcess<Arc<Rewarder>>>,
}

impl Settings {
    fn rewarder(&self, py: Python<'_>) -> PyResult<Rewarder> {
        let (workers, limits) = settings::workers(py, self.workers)?;
        let engine = Engine::builder()
            .network(self.network.clone())
            .semantics(self.semantics.clone())
            .seed(self.seed)
            .translated_from(self.config.dialects)
            .workers(workers, limits);
        Rewarder::new(engine, self.config.clone()).map_err(|e| errors::network(&e))
    }
}

impl PyRewarder {
    /// The rewarder of this process.
    fn of_process(&self, py: Python<'_>) -> PyResult<Arc<Rewarder>> {
        let mut rewarder = self.rewarder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rewarder) = rewarder.get() {
            return Ok(Arc::clone(rewarder));
        }
        let made = Arc::new(self.settings.rewarder(py)?);
        *rewarder = OfProcess::new(Arc::clone(&made));
        Ok(made)
    }

    fn pool(&self, py: Python<'_>) -> PyResult<Arc<ThreadPool>> {
        pool(py, self.threads)
    }
}

/// Completions that are rewarded together: few enough that Ctrl-C is soon heard.
const BLOCK: usize = 64;

#[pymethods]
impl PyRewarder {
    #[new]
    #[pyo3(signature = (checkpoint, semantics, dialect, gold_dialect, pred_dialect, seed, shaping, guard, partial, steps, clauses, no_sql, no_plan, format, take_unclosed, threads, workers))]
    #[allow(clippy::too_many_arguments)] // Its one caller is the class in Python, which names each of them.
    fn new(
        py: Python<'_>,
        checkpoint: std::path::PathBuf,
        semantics: &str,
        dialect: &str,
        gold_dialect: Option<&str>,
        pred_dialect: Option<&str>,
        seed: u64,
        shaping: &str,
        guard: u64,
        partial: f64,
        steps: f64,
        clauses: f64,
        no_sql: Option<f64>,
        no_plan: Option<f64>,
        format: Option<(String, f64)>,
        take_unclosed: bool,
        threads: Option<usize>,
        workers: &str,
    ) -> PyResult<PyRewarder> {
        let shaping = Shaping::named(shaping).ok_or_else(|| {
            let known: Vec<&str> = Shaping::ALL.iter().map(|s| s.name()).collect();
            ArgumentError::new_err(format!("unknown shaping {shaping:?}; there are {}", known.join(", ")))
        })?;
        let format = format.map(|(name, weight)| {
            let format = Format::named(&name).ok_or_else(|| {
                let known: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
                ArgumentError::new_err(format!("unknown format {name:?}; there are {}", known.join(", ")))
            })?;
            Ok::<_, PyErr>(FormatPart { format, weight })
        });
        let settings = Settings {
            network: settings::network(py, &checkpoint)?,
            semantics: settings::preset(semantics)?,
            seed,
            config: RewardConfig {
                shaping,
                reading: Reading { take_unclosed },
                dialects: settings::of_pair(dialect, gold_dialect, pred_dialect)?,
                guard,
                no_sql,
                no_plan,
                partial,
                steps,
                clauses,
                format: format.transpose()?,
            },
            workers: settings::kind(workers)?,
        };
        pool(py, threads)?;
        let rewarder = Mutex::new(OfProcess::new(Arc::new(settings.rewarder(py)?)));
        Ok(PyRewarder { settings, threads, rewarder })
    }

    /// Rewards completions: a dict for each. `schemas` has one entry, or one for each completion; an entry that is none
    /// stands for a gold that cannot be used.
    fn rewards<'py>(
        &self,
        py: Python<'py>,
        completions: Vec<String>,
        golds: Vec<String>,
        given: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let dialect = self.settings.config.dialects.schema;
        let one = |schema: &Bound<'py, PyAny>| schemas::only(py, schema, dialect);
        // The same text is read once: it is kept with the schemas.
        let known: Vec<Arc<Schema>> = given.iter().map(one).collect::<PyResult<_>>()?;
        if completions.len() != golds.len() || known.len() != golds.len() {
            return Err(ArgumentError::new_err(format!(
                "{} completions, {} golds and {} schemas: give one of each",
                completions.len(),
                golds.len(),
                known.len()
            )));
        }
        let samples: Vec<Sample> = completions
            .into_iter()
            .zip(golds)
            .zip(&known)
            .map(|((completion, gold), schema)| Sample::new(schema, gold, completion))
            .collect();
        let (rewarder, pool) = (self.of_process(py)?, self.pool(py)?);
        let results = PyList::empty(py);
        for block in samples.chunks(BLOCK) {
            let (rewarder, block) = (Arc::clone(&rewarder), block.to_vec());
            let rewards = Ticket::start(&pool, move || rewarded(&rewarder, &block)).wait(py)?;
            for reward in rewards {
                let value = serde_json::to_value(&reward)
                    .map_err(|e| crate::errors::InternalError::new_err(e.to_string()))?;
                results.append(json::to_python(py, &value)?)?;
            }
        }
        Ok(results)
    }

    /// What the rewards depend on.
    fn signature(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.of_process(py)?.signature())
    }
}

/// The rewards of a block; of one that panics each on its own, so that no other is lost.
fn rewarded(rewarder: &Rewarder, block: &[Sample]) -> Vec<Reward> {
    if let Ok(rewards) = guarded(|| rewarder.rewards(block)) {
        return rewards;
    }
    let alone = |sample: &Sample| {
        let reward = guarded(|| rewarder.rewards(std::slice::from_ref(sample)).pop());
        let why = match reward {
            Ok(Some(reward)) => return reward,
            Ok(None) => "a bug of twinql: no reward".to_owned(),
            Err(panic) => panic,
        };
        Reward {
            reward: None,
            parts: Default::default(),
            extraction: Extraction::NoSql,
            certainty: None,
            steps: None,
            status: Status::MachineError,
            error: Some(why),
        }
    };
    block.iter().map(alone).collect()
}

/// The SQL in a completion: `(sql or None, outcome, format or None)`.
#[pyfunction]
pub(crate) fn extract_sql(
    py: Python<'_>,
    completion: &str,
    take_unclosed: bool,
) -> PyResult<(Option<String>, &'static str, Option<&'static str>)> {
    let found = py
        .detach(|| guarded(|| extract(completion, Reading { take_unclosed })))
        .map_err(crate::errors::InternalError::new_err)?;
    Ok((found.sql().map(str::to_owned), found.name(), found.format().map(Format::name)))
}

/// Names of shapings and of formats.
#[pyfunction]
pub(crate) fn reward_names() -> (Vec<&'static str>, Vec<&'static str>) {
    (Shaping::ALL.iter().map(|s| s.name()).collect(), Format::ALL.iter().map(|f| f.name()).collect())
}
