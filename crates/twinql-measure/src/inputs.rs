//! Pair files as work for the engine.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use twinql::corpus::pairs;
use twinql::{Job, Schema, Work};

/// Schemas by database.
pub type Schemas = HashMap<String, Arc<Schema>>;

/// All schemas of a file or folder.
pub fn schemas(path: &Path) -> Result<Schemas, Box<dyn Error>> {
    let set = twinql::sql::schema::load(path)?;
    Ok(set.into_iter().map(|(id, schema)| (id, Arc::new(schema))).collect())
}

/// The pairs of a file that are over known databases.
pub fn jobs(path: &Path, schemas: &Schemas) -> Result<Vec<Job>, Box<dyn Error>> {
    let job = |pair: twinql::corpus::Pair| {
        let schema = schemas.get(pair.db_id.as_ref()?)?.clone();
        let work = Work::Pair { schema, gold: pair.gold, pred: pair.pred };
        Some(Job { id: pair.id, work })
    };
    Ok(pairs::read(path)?.pairs.into_iter().filter_map(job).collect())
}
