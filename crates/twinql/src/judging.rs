//! The suite over batches of pairs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use twinql_sql::Schema;
use twinql_suite::bird::{BirdConfig, BirdJudge, Measures};
use twinql_suite::files::FileReport;
use twinql_suite::plausible::ExpectedConfig;
use twinql_suite::profile::Bound;
use twinql_suite::worker::{Crew, Program};
use twinql_suite::{
    Expectation, FileConfig, FileJudge, FileVerdict, Files, Judge, JudgeConfig, Report, Verdict,
};

use crate::job::Job;
use crate::profiles::Profiles;

/// What runs queries.
#[derive(Debug, Default)]
pub enum Workers {
    /// Threads of this process. What the sandbox cannot hold back, a stack that runs out for
    /// instance, ends the whole process.
    #[default]
    Threads,
    /// Processes that can be killed.
    Processes(Crew),
}

/// Wall time after which a worker that has not answered is killed. A worker's own limits are
/// met long before it, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(600);

/// Bytes that SQLite may usually hold in a worker process that runs one query after the other
/// on generated databases. The bound of all workers together is this times their number.
pub const WORKER_HEAP: u64 = 256 << 20;

/// Processes of `program`.
pub fn crew(program: Program) -> Crew {
    Crew::new(program, PATIENCE)
}

/// Judges a batch: one report for each job that holds a pair, in order. Runs on rayon's
/// current pool; the result does not depend on the number of threads. `each` is called
/// once for each pair when it is done.
pub fn judge_all(
    jobs: &[Job],
    config: &JudgeConfig,
    workers: &Workers,
    each: &(dyn Fn() + Sync),
) -> Vec<Option<Report>> {
    judge_all_following(jobs, config, &Profiles::default(), workers, each)
}

/// As [`judge_all`], with witnesses that are as plausible as databases like those of the profiles say: verdicts are the
/// same.
pub fn judge_all_following(
    jobs: &[Job],
    config: &JudgeConfig,
    profiles: &Profiles,
    workers: &Workers,
    each: &(dyn Fn() + Sync),
) -> Vec<Option<Report>> {
    let how = Runners {
        profile: |schema: &Schema| profiles.bound(schema),
        by_judge: |judge: &Judge, gold: &str, pred: &str| judge.report(gold, pred),
        by_crew: |crew: &Crew, schema: &Arc<Schema>, gold: &str, pred: &str| {
            crew.judge(config, schema, profiles.of(schema), gold, pred)
        },
        otherwise: |verdict| Report { verdict, notes: Vec::new() },
    };
    all(jobs, config, workers, each, &how)
}

/// Counts the plausible databases on which pairs agree, as [`judge_all`] judges them; they follow the profiles of
/// databases that have one.
pub fn expect_all(
    jobs: &[Job],
    config: &JudgeConfig,
    expected: ExpectedConfig,
    profiles: &Profiles,
    workers: &Workers,
) -> Vec<Option<Expectation>> {
    let how = Runners {
        profile: |schema: &Schema| profiles.bound(schema),
        by_judge: |judge: &Judge, gold: &str, pred: &str| judge.expected(gold, pred, expected),
        by_crew: |crew: &Crew, schema: &Arc<Schema>, gold: &str, pred: &str| {
            crew.expected(config, expected, schema, profiles.of(schema), gold, pred)
        },
        otherwise: Expectation::None,
    };
    all(jobs, config, workers, &|| (), &how)
}

/// Runners one pair is handled: by a judge of this process, by a worker process, and where neither can be had.
struct Runners<P, J, C, O> {
    profile: P,
    by_judge: J,
    by_crew: C,
    otherwise: O,
}

fn all<T, P, J, C, O>(
    jobs: &[Job],
    config: &JudgeConfig,
    workers: &Workers,
    each: &(dyn Fn() + Sync),
    how: &Runners<P, J, C, O>,
) -> Vec<Option<T>>
where
    T: Send,
    P: Fn(&Schema) -> Result<Option<Arc<Bound>>, String> + Sync,
    J: Fn(&Judge, &str, &str) -> T + Sync,
    C: Fn(&Crew, &Arc<Schema>, &str, &str) -> std::io::Result<T> + Sync,
    O: Fn(Verdict) -> T + Sync,
{
    // A judge keeps a sandbox, which is not shared between threads; one for each schema
    // lives as long as the thread's share of the batch.
    jobs.par_iter()
        .map_init(HashMap::new, |judges: &mut HashMap<*const Schema, Judge>, job| {
            let (schema, gold, pred) = job.pair()?;
            let found = match workers {
                Workers::Processes(crew) => (how.by_crew)(crew, schema, gold, pred)
                    .unwrap_or_else(|e| (how.otherwise)(Verdict::MachineError { message: no_worker(&e) })),
                Workers::Threads => match judges.entry(Arc::as_ptr(schema)) {
                    Entry::Occupied(entry) => (how.by_judge)(entry.get(), gold, pred),
                    Entry::Vacant(entry) => match (Judge::new(schema, config.clone()), (how.profile)(schema))
                    {
                        (Ok(judge), Ok(profile)) => {
                            (how.by_judge)(entry.insert(judge.following(profile)), gold, pred)
                        }
                        (Err(error), _) => (how.otherwise)(Report::schema_error(&error).verdict),
                        (_, Err(error)) => (how.otherwise)(Report::profile_error(&error).verdict),
                    },
                },
            };
            each();
            Some(found)
        })
        .collect()
}

/// Executes a batch on the users' own databases: one report for each job that holds a pair,
/// in order. The database of a pair is the one that its schema is named after.
pub fn execute_all(
    jobs: &[Job],
    files: &Files,
    config: &FileConfig,
    workers: &Workers,
    each: &(dyn Fn() + Sync),
) -> Vec<Option<FileReport>> {
    // Pairs of one database stand together as a rule; a thread keeps its files open.
    jobs.par_iter()
        .with_min_len(8)
        .map_init(
            || FileJudge::new(config.clone()),
            |judge, job| {
                let (schema, gold, pred) = job.pair()?;
                let of_database = files.of(&schema.db_id).unwrap_or(&[]);
                let report = match workers {
                    Workers::Threads => judge.report(of_database, gold, pred),
                    Workers::Processes(crew) => {
                        crew.execute(config, of_database, gold, pred).unwrap_or_else(|e| FileReport {
                            verdict: FileVerdict::MachineError { message: no_worker(&e) },
                            notes: Vec::new(),
                        })
                    }
                };
                each();
                Some(report)
            },
        )
        .collect()
}

/// What BIRD's measures of a pair are, or why there are none.
pub(crate) type Measured = Result<Measures, FileVerdict>;

/// Measures a batch as BIRD does: one result for each job that holds a pair, in order. The database of a pair is the
/// one that its schema is named after.
pub(crate) fn measure_all(
    jobs: &[Job],
    files: &Files,
    config: BirdConfig,
    workers: &Workers,
) -> Vec<Option<Measured>> {
    jobs.par_iter()
        .with_min_len(8)
        .map_init(
            || BirdJudge::new(config),
            |judge, job| {
                let (schema, gold, pred) = job.pair()?;
                let Some(file) = files.main_of(&schema.db_id) else {
                    return Some(Err(FileVerdict::FileError { message: "there is no database file".into() }));
                };
                Some(match workers {
                    Workers::Threads => judge.measure(file, gold, pred),
                    Workers::Processes(crew) => {
                        let refused = |e| Err(FileVerdict::MachineError { message: no_worker(&e) });
                        crew.measure(config, file, gold, pred).unwrap_or_else(refused)
                    }
                })
            },
        )
        .collect()
}

fn no_worker(error: &std::io::Error) -> String {
    format!("no worker process can be started: {error}")
}

/// The name of a verdict in files.
pub fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Same { .. } => "same",
        Verdict::Different { .. } => "different",
        Verdict::GoldError { .. } => "gold_error",
        Verdict::PredError { .. } => "pred_error",
        Verdict::Timeout { .. } => "timeout",
        Verdict::Untested { .. } => "untested",
        Verdict::MachineError { .. } => "machine_error",
    }
}
