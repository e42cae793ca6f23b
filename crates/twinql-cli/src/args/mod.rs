//! Arguments: as typed ([`typed`]), and as validated (here). Commands see only the second.

pub(crate) mod audit;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod consistency;
pub(crate) mod corpus;
pub(crate) mod databases;
#[cfg(test)]
mod documented;
pub(crate) mod environment;
pub(crate) mod estimate;
pub(crate) mod perturb;
pub(crate) mod profile;
pub(crate) mod prove;
pub(crate) mod refactor;
pub(crate) mod rerank;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod shared;
pub(crate) mod suite;
#[cfg(feature = "train")]
pub(crate) mod train;
pub(crate) mod typed;
pub(crate) mod verify;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
pub(crate) use shared::Workers;
use twinql::Dialects;
use twinql::graph::{Question, RelPmConfig};
use twinql::input::Guessing;
pub(crate) use twinql::input::Source;
use twinql::metrics::{Metric, Resampling, Setting, WithoutRules, check_read, named};
use twinql::sql::{Dialect, Semantics};
use twinql::suite::Limits;
use twinql::suite::bird::Cost;
pub(crate) use typed::{Format, GroupBy};

use crate::input::settled;
pub(crate) use twinql::engine::DEFAULT_SEED;

/// Pairs and their schemas.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) source: Source,
    pub(crate) schemas: Option<PathBuf>,
    pub(crate) db_id: Option<String>,
    pub(crate) dialects: Dialects,
}

/// Metrics and what they need.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    /// At least one, none twice.
    pub(crate) metrics: Vec<&'static Metric>,
    /// What the user asked for.
    pub(crate) semantics: Option<Semantics>,
    /// What the network is asked.
    pub(crate) question: Question,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) databases: Option<usize>,
    pub(crate) plausible: Option<u64>,
    /// Databases on which gmn evaluates a pair; 0 for none.
    pub(crate) probe: Option<u64>,
    pub(crate) profile: Option<PathBuf>,
    pub(crate) assume_accuracy: Option<f64>,
    pub(crate) matching: RelPmConfig,
    pub(crate) crystalbleu_corpus: Option<PathBuf>,
    pub(crate) without_rules: WithoutRules,
    pub(crate) workers: Workers,
    pub(crate) limits: Limits,
    /// The users' own databases, where metrics execute on them.
    pub(crate) db: Option<PathBuf>,
    pub(crate) cost: Cost,
    pub(crate) limits_on_files: Limits,
    pub(crate) seed: u64,
}

/// Where results go and what is checked.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) out: Option<PathBuf>,
    pub(crate) format: Format,
    pub(crate) strict: bool,
    pub(crate) fail_under: Option<f64>,
}

impl Input {
    pub(crate) fn new(typed: typed::Input) -> Result<Input> {
        let (schemas, db_id) = (typed.schemas.schemas.clone(), typed.db_id.clone());
        let input = Input::without_schemas(typed, |ddl| {
            Ok(Guessing::new(schemas.as_deref(), ddl, db_id.as_deref()))
        })?;
        if input.schemas.is_none() && !matches!(input.source, Source::Pairs(_)) {
            bail!(
                "--schemas is missing: give a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file or a folder of them"
            );
        }
        Ok(input)
    }

    /// For commands that read databases instead. Dialects that are to be guessed are, over what `guessing` reads where the DDL
    /// is in this dialect.
    pub(crate) fn without_schemas(
        typed: typed::Input,
        guessing: impl FnOnce(Option<Dialect>) -> Result<Guessing>,
    ) -> Result<Input> {
        let source = match (typed.pairs, typed.gold.zip(typed.pred), typed.gold_sql.zip(typed.pred_sql)) {
            (Some(pairs), None, None) => Source::Pairs(pairs),
            (None, Some((gold, pred)), None) => Source::Lines { gold, pred },
            (None, None, Some((gold, pred))) => Source::One { gold, pred },
            _ => bail!(
                "no pairs to work on: give --pairs FILE, or --gold FILE with --pred FILE, or --gold-sql SQL with --pred-sql SQL"
            ),
        };
        let dialects = settled(&typed.schemas.dialects, std::slice::from_ref(&source), guessing)?;
        Ok(Input { source, schemas: typed.schemas.schemas, db_id: typed.db_id, dialects })
    }
}

/// A number of databases, at least 1.
pub(crate) fn databases(typed: Option<usize>) -> Result<Option<usize>> {
    if typed == Some(0) {
        bail!("--databases must be at least 1");
    }
    Ok(typed)
}

impl Metrics {
    pub(crate) fn new(typed: typed::Metrics, seed: Option<u64>) -> Result<Metrics> {
        let names = typed.metric.iter().map(|n| n.trim()).filter(|n| !n.is_empty());
        let metrics = named(names).context("--metric")?;
        if metrics.is_empty() {
            bail!("--metric is empty");
        }
        let question = typed.question.get()?;
        let of_relpm = &typed.matching;
        let given = [
            (Setting::Profile, "--profile", typed.profile.profile.is_some()),
            (Setting::Assumed, "--assume-accuracy", typed.assume_accuracy.is_some()),
            (Setting::Matching, "--relpm-alpha", of_relpm.relpm_alpha.is_some()),
            (Setting::Matching, "--relpm-beta", of_relpm.relpm_beta.is_some()),
            (Setting::Matching, "--relpm-omega", of_relpm.relpm_omega.is_some()),
            (Setting::CrystalbleuCorpus, "--crystalbleu-corpus", typed.crystalbleu_corpus.is_some()),
            (Setting::WithoutRules, "--without-rules", !typed.without_rules.is_empty()),
            (Setting::Question, "--question", !question.is_usual()),
            (Setting::Probe, "--probe", typed.probe.probe.is_some()),
            (Setting::Db, "--db", typed.files.db.is_some()),
        ];
        let given = given.into_iter().filter(|(.., is_given)| *is_given);
        check_read(&metrics, given.map(|(setting, flag, _)| (setting, flag)))?;
        let cost = typed.files.cost(&metrics)?;
        Ok(Metrics {
            metrics,
            semantics: typed.semantics.asked()?,
            question,
            checkpoint: typed.checkpoint,
            databases: databases(typed.databases)?,
            plausible: typed.plausible,
            probe: typed.probe.probe,
            profile: typed.profile.profile,
            assume_accuracy: typed.assume_accuracy,
            matching: RelPmConfig::with(of_relpm.relpm_alpha, of_relpm.relpm_beta, of_relpm.relpm_omega)
                .map_err(|e| anyhow!("--relpm-{e}"))?,
            crystalbleu_corpus: typed.crystalbleu_corpus,
            without_rules: WithoutRules::named(typed.without_rules.iter().map(|name| name.trim()))
                .context("--without-rules")?,
            workers: typed.run.workers,
            limits: typed.run.limits(Limits::default())?,
            cost,
            db: typed.files.db,
            limits_on_files: typed.run.limits(Limits::for_files())?,
            seed: seed.unwrap_or(DEFAULT_SEED),
        })
    }

    /// The files that they read, by flag.
    pub(crate) fn files(&self) -> [(&'static str, Option<&Path>); 4] {
        [
            ("--checkpoint", self.checkpoint.as_deref()),
            ("--profile", self.profile.as_deref()),
            ("--crystalbleu-corpus", self.crystalbleu_corpus.as_deref()),
            ("--db", self.db.as_deref()),
        ]
    }
}

/// How intervals are drawn by what is typed: `--resamples` and `--seed`.
pub(crate) fn resampling(resamples: usize, seed: Option<u64>) -> Resampling {
    Resampling { resamples, seed: seed.unwrap_or(DEFAULT_SEED), ..Resampling::default() }
}

impl Output {
    /// For records of pairs: a single pair of the command line is shown in words, many are lines.
    pub(crate) fn of_pairs(typed: typed::Output, source: &Source) -> Result<Output> {
        let default = match source {
            Source::One { .. } => Format::Text,
            Source::Pairs(_) | Source::Lines { .. } => Format::Jsonl,
        };
        Output::new(typed, default)
    }

    /// For one report: on stdout it is for people, in a file for programs.
    pub(crate) fn of_report(typed: typed::Output) -> Result<Output> {
        let default = if typed.out.is_some() { Format::Json } else { Format::Text };
        Output::new(typed, default)
    }

    /// `default` is the format where none is asked for.
    pub(crate) fn new(typed: typed::Output, default: Format) -> Result<Output> {
        limit(typed.fail_under)?;
        Ok(Output {
            out: typed.out,
            format: typed.format.unwrap_or(default),
            strict: typed.strict,
            fail_under: typed.fail_under,
        })
    }
}

/// Checks the limit of `--fail-under`.
pub(crate) fn limit(typed: Option<f64>) -> Result<()> {
    match typed.filter(|x| !(0.0..=1.0).contains(x)) {
        Some(x) => bail!("--fail-under {x}: must lie between 0 and 1"),
        None => Ok(()),
    }
}

/// Stack of a worker thread in bytes: nested queries need more than the usual 2 MiB.
const WORKER_STACK: usize = 32 << 20;

/// More gain nothing on any machine, and each has a stack and may have a worker process.
const MOST_THREADS: usize = 1024;

/// Sets the number of worker threads of the whole process.
pub(crate) fn use_threads(threads: Option<usize>) -> Result<()> {
    match threads {
        Some(0) => bail!("--threads must be at least 1"),
        Some(n) if n > MOST_THREADS => bail!("--threads {n}: must be at most {MOST_THREADS}"),
        _ => {}
    }
    // 0 stands for one thread a core.
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .stack_size(WORKER_STACK)
        .build_global()
        .with_context(|| match threads {
            Some(n) => format!("--threads {n}: the system does not start that many"),
            None => "no threads can be started".to_owned(),
        })
}
