//! The suite over batches of pairs.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use twinql_sql::Schema;
use twinql_suite::{Judge, JudgeConfig, Report, Side, Verdict};

use crate::engine::{Job, Work};
use crate::record::Status;

/// Judges a batch: one report for each job that holds a pair, in order. Runs on rayon's
/// current pool; the result does not depend on the number of threads. `each` is called
/// once for each pair when it is done.
pub fn judge_all(jobs: &[Job], config: &JudgeConfig, each: &(dyn Fn() + Sync)) -> Vec<Option<Report>> {
    // A judge keeps a sandbox, which is not shared between threads; one for each schema
    // lives as long as the thread's share of the batch.
    jobs.par_iter()
        .map_init(HashMap::new, |judges: &mut HashMap<*const Schema, Judge>, job| {
            let Work::Pair { schema, gold, pred } = &job.work else {
                return None;
            };
            let report = match judges.entry(Arc::as_ptr(schema)) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut().report(gold, pred),
                std::collections::hash_map::Entry::Vacant(entry) => {
                    match Judge::new(schema, config.clone()) {
                        Ok(judge) => entry.insert(judge).report(gold, pred),
                        Err(error) => Report {
                            verdict: Verdict::GoldError {
                                message: format!("the schema cannot be built in SQLite: {error}"),
                            },
                            notes: Vec::new(),
                        },
                    }
                }
            };
            each();
            Some(report)
        })
        .collect()
}

/// The status of a verdict, with the error to show.
pub fn status(verdict: &Verdict) -> (Status, Option<String>) {
    match verdict {
        Verdict::GoldError { message } => (Status::GoldError, Some(format!("gold: {message}"))),
        Verdict::PredError { message } if message == "not authorized" => (
            Status::PredError,
            Some("pred: not authorized: the sandbox runs queries that read, and nothing that writes".into()),
        ),
        Verdict::PredError { message } => (Status::PredError, Some(format!("pred: {message}"))),
        Verdict::Timeout { side } => {
            let side = match side {
                Side::Gold => "gold",
                Side::Pred => "pred",
            };
            let error = format!("{side}: stopped by the limits of the sandbox on several databases");
            (Status::Timeout, Some(error))
        }
        _ => (Status::Ok, None),
    }
}

/// The name of a verdict in files.
pub fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Same { .. } => "same",
        Verdict::Different { .. } => "different",
        Verdict::GoldError { .. } => "gold_error",
        Verdict::PredError { .. } => "pred_error",
        _ => "timeout",
    }
}
