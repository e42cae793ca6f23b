//! The simple face of the library: a schema, then scores.

use std::sync::Arc;

use serde_json::Value;
use twinql_sql::Schema;

use crate::engine::Engine;
use crate::job::{Job, Work};
use crate::metric::{UnknownMetric, named};
use crate::network::NetworkError;
use crate::record::Record;

/// Scores pairs of queries over one schema.
///
/// ```
/// use twinql::{Pipeline, Schema};
///
/// let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
/// let schema = Schema::from_ddl("concerts", ddl)?;
/// let pipeline = Pipeline::with_metrics(schema, &["relpm", "suite"])?;
///
/// let same = pipeline.score("SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer");
/// assert_eq!(same.score("suite"), Some(1.0));
///
/// let other = pipeline.score("SELECT name FROM singer", "SELECT name FROM singer WHERE age > 20");
/// assert_eq!(other.score("suite"), Some(0.0));
/// assert!(other.score("relpm") < Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pipeline {
    schema: Arc<Schema>,
    engine: Engine,
}

/// Why a [`Pipeline`] cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// No such metric.
    #[error(transparent)]
    UnknownMetric(#[from] UnknownMetric),
    /// There is no network to score with.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Pipeline {
    /// The learned metric `gmn` with the embedded checkpoint.
    ///
    /// # Errors
    /// The program was built without a checkpoint.
    pub fn new(schema: Schema) -> Result<Pipeline, PipelineError> {
        Ok(Pipeline::from_engine(schema, Engine::builder().build()?))
    }

    /// Metrics by name, under the default semantics.
    ///
    /// # Errors
    /// An unknown metric, or a learned one in a program built without a checkpoint.
    pub fn with_metrics(schema: Schema, names: &[&str]) -> Result<Pipeline, PipelineError> {
        let engine = Engine::builder().metrics(named(names.iter().copied())?).build()?;
        Ok(Pipeline::from_engine(schema, engine))
    }

    /// An engine of one's own choice: another checkpoint, semantics or seed.
    pub fn from_engine(schema: Schema, engine: Engine) -> Pipeline {
        Pipeline { schema: Arc::new(schema), engine }
    }

    /// Scores one pair. Never fails: the record's status and error say what is wrong.
    pub fn score(&self, gold: &str, pred: &str) -> Record {
        let mut records = self.score_all(&[(gold, pred)]);
        match records.pop() {
            Some(record) => record,
            None => Record::empty(Value::Null),
        }
    }

    /// Scores many pairs, in order and in parallel.
    pub fn score_all(&self, pairs: &[(&str, &str)]) -> Vec<Record> {
        let jobs: Vec<Job> = pairs
            .iter()
            .enumerate()
            .map(|(i, (gold, pred))| {
                Job::new(
                    i.into(),
                    Work::Pair {
                        schema: Arc::clone(&self.schema),
                        gold: (*gold).to_owned(),
                        pred: (*pred).to_owned(),
                    },
                )
            })
            .collect();
        self.engine.score(&jobs)
    }

    /// The engine: thresholds and signatures.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}
