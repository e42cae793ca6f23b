//! Schemas, pair files as work for the engine, and their graphs.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twinql::corpus::pairs;
use twinql::corpus::spider::read_gold;
use twinql::graph::PairArrays;
use twinql::prepare::graph;
use twinql::sql::SchemaSet;
use twinql::{Job, Network, Schema, Semantics, Work};

/// Schemas by database.
pub type Schemas = HashMap<String, Arc<Schema>>;

/// The folder with the bundled schemas, queries and pairs.
pub fn bundled() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

/// Schemas that many pairs share.
pub fn shared(set: SchemaSet) -> Schemas {
    set.into_iter().map(|(id, schema)| (id, Arc::new(schema))).collect()
}

/// All schemas of a file or folder.
pub fn schemas(path: &Path) -> Result<Schemas, Box<dyn Error>> {
    Ok(shared(twinql::sql::schema::load(path)?))
}

/// Every STEPth of the distinct golds of a file, with its database: without `;`, and without those that cannot be used.
pub fn golds(path: &Path, step: usize) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    if step == 0 {
        return Err("STEP is 0; give 1 for all golds, or more".into());
    }
    let mut seen = HashSet::new();
    let golds = read_gold(path)?.into_iter().filter(|gold| gold.unusable.is_none());
    let golds = golds.map(|gold| (gold.db_id, gold.sql.trim().trim_end_matches(';').to_owned()));
    Ok(golds.filter(|gold| seen.insert(gold.clone())).step_by(step).collect())
}

/// The pairs of a file that are over known databases.
pub fn jobs(path: &Path, schemas: &Schemas) -> Result<Vec<Job>, Box<dyn Error>> {
    let job = |pair: twinql::corpus::Pair| {
        let schema = schemas.get(pair.db_id.as_ref()?)?.clone();
        let work = Work::Pair { schema, gold: pair.gold, pred: pair.pred };
        Some(Job::new(pair.id, work))
    };
    Ok(pairs::read(path)?.pairs.into_iter().filter_map(job).collect())
}

/// The graphs of all pairs that plan, ready for the network.
pub fn arrays(jobs: &[Job], network: &Network) -> Vec<PairArrays> {
    let semantics = network.conditioned_on(&Semantics::default());
    let arrays = |job: &Job| {
        let (schema, gold, pred) = job.pair()?;
        let graph = |sql| graph(schema, sql, &semantics, &network.graph()).ok();
        Some(PairArrays::build(&graph(gold)?, &graph(pred)?, &network.encoding()))
    };
    jobs.iter().filter_map(arrays).collect()
}
