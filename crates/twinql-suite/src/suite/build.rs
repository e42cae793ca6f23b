//! Building a suite over many schemas, on all threads, resumable.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;
use twinql_sql::Schema;
use twinql_sql::hash::{FNV, fnv};

use crate::generate::Values;
use crate::profile::Profile;
use crate::resume::Finished;

use super::file::read_line;
use super::{DistilConfig, FORMAT_VERSION, Known, SchemaSuite, Suite, SuiteError, Tally, distil};

/// A schema and the gold queries over it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Task {
    /// The schema.
    pub schema: Schema,
    /// Its gold queries; repeated ones count once.
    pub golds: Vec<String>,
    /// Values of a real database of this schema, to be mixed in.
    pub values: Option<Values>,
    /// What is known of the real database, which plausible databases follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

impl<'a> Known<'a> {
    /// What is known of a task's real database.
    fn of(task: &'a Task) -> Known<'a> {
        Known { values: task.values.as_ref(), profile: task.profile.as_ref() }
    }
}

/// What the finished work must have been made from to be of use.
fn fingerprint(tasks: &[Task], config: &DistilConfig) -> String {
    let text = serde_json::to_string(&(tasks, config)).unwrap_or_default();
    let hash = fnv(FNV, text.bytes());
    format!("twinql-suite {FORMAT_VERSION} {} {hash:016x}", env!("CARGO_PKG_VERSION"))
}

/// Distils a suite. The result depends on the tasks and the configuration alone: each schema
/// has its own random streams and is worked on by one thread.
///
/// `partial` is a file that takes finished schemas; with `resume` they are not made again.
/// The caller removes it once the suite is written. `tick` is called after each candidate
/// database, `done` with the number of finished schemas.
///
/// # Errors
/// A schema that SQLite cannot build; the file of finished work cannot be written.
pub fn build(
    tasks: &[Task],
    config: &DistilConfig,
    partial: Option<(&Path, bool)>,
    tick: &(dyn Fn(&Tally) + Sync),
    done: &(dyn Fn(usize) + Sync),
) -> Result<Suite, SuiteError> {
    let (partial, done_before) = match partial {
        Some((path, resume)) => {
            let read = |line: &[u8]| read_line(line).ok();
            let (file, done) = Finished::open(path, &fingerprint(tasks, config), resume, read)?;
            (Some(file), done)
        }
        None => (None, Vec::new()),
    };
    let mut found: Vec<Option<SchemaSuite>> = vec![None; tasks.len()];
    for one in done_before {
        let at = tasks.iter().position(|t| t.schema == one.schema);
        if let Some(entry) = at.and_then(|at| found.get_mut(at)) {
            *entry = Some(one);
        }
    }
    let finished = Mutex::new((partial, found.iter().flatten().count()));
    let tally = Tally::default();
    // The largest first, or one of them would keep a single thread busy at the end.
    let mut order: Vec<usize> =
        (0..tasks.len()).filter(|&i| found.get(i).is_some_and(Option::is_none)).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tasks.get(i).map_or(0, |t| t.golds.len())));
    let one = |i: usize| -> Result<Option<(usize, SchemaSuite)>, SuiteError> {
        let Some(task) = tasks.get(i) else { return Ok(None) };
        let suite = distil(&task.schema, &task.golds, Known::of(task), config, &tally, tick)
            .map_err(|e| SuiteError::Schema { db_id: task.schema.db_id.clone(), message: e.to_string() })?;
        let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.1 += 1;
        if let Some(partial) = &mut finished.0 {
            let line = suite.line().map_err(|e| partial.failed(e.into()))?;
            partial.append(&[line]).map_err(|e| partial.failed(e))?;
        }
        done(finished.1);
        Ok(Some((i, suite)))
    };
    // One schema at a time for each thread, in this order.
    let made: Result<Vec<_>, SuiteError> = order.into_par_iter().with_max_len(1).map(one).collect();
    for (i, suite) in made?.into_iter().flatten() {
        if let Some(entry) = found.get_mut(i) {
            *entry = Some(suite);
        }
    }
    Ok(Suite { config: config.clone(), schemas: found.into_iter().flatten().collect() })
}
