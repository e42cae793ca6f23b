//! What requests are served from.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use lru::LruCache;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use twinql::engine::judge_config;
use twinql::input::{Schemas, work};
use twinql::judging::Workers;
use twinql::metrics::{METRICS, Metric, metric};
use twinql::record::{Record, Status};
use twinql::rewards::{RewardConfig, Rewarder};
use twinql::sql::Dialect;
use twinql::suite::{JudgeConfig, Limits};
use twinql::{Dialects, Engine, EngineBuilder, Job, Network, Schema, Semantics, Work};
use utoipa::ToSchema;

use super::answer::Refused;
use super::gate::Gate;
use super::meters::Meters;
use crate::args::DEFAULT_SEED;
use crate::args::serve::Serve;
use crate::commands::worker;
use crate::input;
use crate::output::Console;

/// Schemas of requests that are kept, so that the same text is read once.
const KEPT: NonZeroUsize = NonZeroUsize::new(512).unwrap();
/// The longest DDL text that is kept: the texts together stay within 64 MiB.
const LONGEST_KEPT: usize = 128 << 10;

/// All that requests need, made once.
pub(super) struct App {
    /// Who may come in.
    pub(super) gate: Gate,
    /// What is counted.
    pub(super) meters: Meters,
    /// What requests must carry, if anything.
    pub(super) token: Option<String>,
    /// The checkpoint, shared by all that scores.
    pub(super) network: Network,
    /// Scores pairs, those in the server's dialects under their signature.
    pub(super) engine: Engine,
    /// Run queries for verdicts, in processes of their own where that was asked for.
    pub(super) workers: Workers,
    /// Rewards completions, each sample in its own dialects.
    pub(super) rewarder: Rewarder,
    /// How verdicts are found: witnesses are shrunk, for people read them.
    pub(super) judge: JudgeConfig,
    /// Of one request.
    pub(super) most_pairs: usize,
    /// Those of the command line, which requests name by their id.
    schemas: Schemas,
    /// The schema of requests that say nothing of theirs.
    db_id: Option<String>,
    /// The dialects of requests that name none.
    dialects: Dialects,
    /// Whether the log may hold queries, which may hold data.
    log_queries: bool,
    /// Schemas that requests carried, by dialect and text.
    carried: Mutex<LruCache<(Dialect, String), Arc<Schema>>>,
    /// True from a signal on: who waits is sent away, who is worked on is answered.
    closing: watch::Sender<bool>,
}

/// Over which schema, and what counts as the same: part of most requests.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub(super) struct Over {
    /// The database of --schemas. Not needed where there is one alone.
    pub(super) db_id: Option<String>,
    /// CREATE TABLE statements instead; other statements are skipped.
    pub(super) schema: Option<String>,
    /// Whose SQL the schema is, and the queries of which nothing else is said: the name of a dialect, as `sqlite`.
    pub(super) dialect: Option<String>,
    /// Whose SQL the gold is.
    pub(super) gold_dialect: Option<String>,
    /// Whose SQL what is compared with it is.
    pub(super) pred_dialect: Option<String>,
    /// What `the same answer` means: `default`, `no-fk`, `spider`, `bird`, `declared`, `strict`.
    pub(super) semantics: Option<String>,
}

impl Over {
    /// The same, in the dialects of the request that it is a part of where it names none itself.
    pub(super) fn in_dialects_of(mut self, request: &Over) -> Over {
        // Whoever names one for all has named them all.
        if self.dialect.is_some() {
            return self;
        }
        for (own, theirs) in [
            (&mut self.dialect, &request.dialect),
            (&mut self.gold_dialect, &request.gold_dialect),
            (&mut self.pred_dialect, &request.pred_dialect),
        ] {
            if own.is_none() {
                own.clone_from(theirs);
            }
        }
        self
    }
}

impl App {
    /// Reads everything that requests need before the first of them: a wrong flag, schema or checkpoint ends the
    /// program and is no answer to a client.
    pub(super) fn new(typed: &Serve, seed: Option<u64>, console: Console) -> Result<App> {
        for (flag, given) in [("--most-body", typed.most_body), ("--most-pairs", typed.most_pairs)] {
            if given == 0 {
                bail!("{flag} must be at least 1");
            }
        }
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let at_once = typed.most_at_once.unwrap_or(2 * cores);
        if !(1..=1024).contains(&at_once) || typed.time_limit == 0 {
            bail!("--most-at-once must be from 1 to 1024, and --time-limit at least 1");
        }
        let dialects = typed.schemas.dialects.known()?;
        let schemas = input::schemas(typed.schemas.schemas.as_deref(), dialects)?;
        if let Some(id) = &typed.db_id {
            schemas.only(Some(id))?;
        }
        let limits = typed.run.limits(Limits::default())?;
        let network = Network::chosen(typed.checkpoint.as_deref())?;
        let semantics = typed.semantics.get()?;
        let seed = seed.unwrap_or(DEFAULT_SEED);
        let builder = || -> Result<EngineBuilder> {
            Ok(Engine::builder()
                .network(network.clone())
                .semantics(semantics.clone())
                .seed(seed)
                .translated_from(dialects)
                .workers(worker::workers(typed.run.workers, &limits)?, limits))
        };
        let engine = builder()?.build()?;
        let rewarder = Rewarder::new(builder()?, RewardConfig { dialects, ..RewardConfig::default() })?;
        let judge = judge_config(semantics, None, seed);
        let judge = JudgeConfig { shrink: true, limits, ..judge };
        console.say(format!("{} databases", schemas.all().count()));
        Ok(App {
            gate: Gate::new(at_once, typed.most_waiting, Duration::from_secs(typed.time_limit)),
            meters: Meters::default(),
            token: typed.token.clone(),
            network,
            engine,
            workers: worker::workers(typed.run.workers, &limits)?,
            judge,
            rewarder,
            most_pairs: typed.most_pairs,
            schemas,
            db_id: typed.db_id.clone(),
            dialects,
            log_queries: typed.log_queries,
            carried: Mutex::new(LruCache::new(KEPT)),
            closing: watch::Sender::new(false),
        })
    }

    /// The network, for people.
    pub(super) fn network_line(&self) -> String {
        format!("network {}, semantics {}", self.network.hash(), self.judge.semantics.name)
    }

    /// What a request calls the model, or its own name.
    pub(super) fn model(&self, asked: Option<String>) -> String {
        asked.unwrap_or_else(|| format!("twinql-{}", self.network.hash()))
    }

    /// No more requests are to come.
    pub(super) fn closing(&self) {
        self.closing.send_replace(true);
    }

    /// Ends once no more requests are to come.
    pub(super) async fn closed(&self) {
        // The sender is this app's own.
        let _ = self.closing.subscribe().wait_for(|closing| *closing).await;
    }

    pub(super) fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Names of the databases.
    pub(super) fn databases(&self) -> Vec<String> {
        let mut names: Vec<String> = self.schemas.all().map(|schema| schema.db_id.clone()).collect();
        names.sort();
        names
    }

    /// The schema of a request.
    ///
    /// # Errors
    /// There is none, in words.
    pub(super) fn schema(&self, over: &Over) -> Result<Arc<Schema>, String> {
        let dialect = self.dialects(over)?.schema;
        let Some(ddl) = over.schema.as_deref().filter(|ddl| !ddl.trim().is_empty()) else {
            return match over.db_id.as_deref().or(self.db_id.as_deref()) {
                Some(id) => self.schemas.get(id),
                None if self.schemas.all().next().is_none() => Err(
                    "give the `schema` as CREATE TABLE statements: the server was started without --schemas"
                        .into(),
                ),
                None => self.schemas.only(None).map_err(|_| {
                    "say which database by `db_id` (/databases lists them), or give a `schema`".to_owned()
                }),
            };
        };
        let key = (dialect, ddl.to_owned());
        if let Some(known) = self.carried.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(known));
        }
        // Read without the lock: others need not wait for it.
        let id = over.db_id.as_deref().unwrap_or("schema");
        let schema = Schema::from_ddl_in(id, ddl, dialect).map_err(|e| format!("the schema: {e}"))?;
        let schema = Arc::new(schema);
        if key.1.len() <= LONGEST_KEPT {
            self.carried.lock().unwrap_or_else(PoisonError::into_inner).put(key, Arc::clone(&schema));
        }
        Ok(schema)
    }

    /// Whose SQL a request is. One that names a dialect for all says nothing else of those that it does not name.
    ///
    /// # Errors
    /// No dialect of twinql's.
    pub(super) fn dialects(&self, over: &Over) -> Result<Dialects, String> {
        let usual = match &over.dialect {
            None => self.dialects,
            Some(name) => name.parse::<Dialect>().map_err(|e| format!("dialect: {e}"))?.into(),
        };
        usual.of_pair(over.gold_dialect.as_deref(), over.pred_dialect.as_deref())
    }

    /// The schema and the dialects of a request that is nothing without them.
    ///
    /// # Errors
    /// There is none, or none of twinql's.
    pub(super) fn over(&self, over: &Over) -> Result<(Arc<Schema>, Dialects), Refused> {
        self.place(over).map_err(Refused::validation)
    }

    /// The same, with the error in words.
    fn place(&self, over: &Over) -> Result<(Arc<Schema>, Dialects), String> {
        Ok((self.schema(over)?, self.dialects(over)?))
    }

    /// What counts as the same in a request.
    ///
    /// # Errors
    /// No semantics of twinql's.
    pub(super) fn semantics(&self, over: &Over) -> Result<Semantics, Refused> {
        match &over.semantics {
            None => Ok(self.judge.semantics.clone()),
            Some(name) => name.parse().map_err(|e| Refused::validation(format!("semantics: {e}"))),
        }
    }

    /// A pair to score. What is wrong with its schema or its texts is its own status: one bad pair never spoils a
    /// request.
    pub(super) fn job(&self, id: Value, over: &Over, gold: &str, pred: &str) -> Job {
        if self.log_queries {
            tracing::info!(gold, pred, "pair");
        }
        // As in a file, a dialect that is not known is no fault of the gold.
        let unknown = self.dialects(over).is_err();
        let work = match self.place(over) {
            Ok((schema, dialects)) => work(schema, gold.to_owned(), pred.to_owned(), dialects),
            Err(error) => {
                let status = if unknown { Status::Unsupported } else { Status::GoldError };
                Work::Unusable { status, error, alike: false }
            }
        };
        Job::new(id, work)
    }

    /// An engine of these metrics, none named stands for `gmn`, whose network is asked `question`: the usual one where there is
    /// none.
    ///
    /// # Errors
    /// Unknown metrics, and such as need databases of one's own; no question that the network was trained for.
    pub(super) fn asking(
        &self,
        names: &[String],
        over: &Over,
        question: Option<&str>,
    ) -> Result<Engine, Refused> {
        let mut metrics: Vec<&'static Metric> = Vec::new();
        for name in names {
            match metric(name.trim()) {
                Some(info) if info.executes() => {
                    return Err(Refused::validation(format!(
                        "{name} executes on databases of your own, which the server does not have"
                    )));
                }
                Some(info) if !metrics.contains(&info) => metrics.push(info),
                Some(_) => {}
                None => {
                    let known = METRICS.iter().filter(|m| !m.executes()).map(|m| m.name);
                    return Err(Refused::validation(format!(
                        "unknown metric {name:?}; the metrics are {}",
                        known.collect::<Vec<_>>().join(", ")
                    )));
                }
            }
        }
        let semantics = self.semantics(over)?;
        let question = match question {
            None => self.engine.question(),
            Some(name) => name.parse().map_err(|e| Refused::validation(format!("question: {e}")))?,
        };
        self.engine.asking(metrics, semantics, question).map_err(|e| Refused::validation(e.to_string()))
    }

    /// Scores jobs and counts them.
    pub(super) fn score(&self, engine: &Engine, jobs: &[Job]) -> Vec<Record> {
        let records = engine.score(jobs);
        self.meters.scored(&records);
        records
    }

    /// Refuses a request of too many pairs, and one of none.
    pub(super) fn count(&self, pairs: usize) -> Result<(), Refused> {
        if pairs == 0 {
            return Err(Refused::validation("there is no pair in the request"));
        }
        if pairs > self.most_pairs {
            return Err(Refused::too_large(format!(
                "{pairs} pairs in one request; at most {} are taken (--most-pairs)",
                self.most_pairs
            )));
        }
        Ok(())
    }

    /// Does what may take a while, on a thread of its own, once there is a place, within the time limit.
    ///
    /// # Errors
    /// Too many requests wait, the time is over, or `work` refuses.
    pub(super) async fn at_work<T: Send + 'static>(
        self: &Arc<App>,
        work: impl FnOnce(&App) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        let limit = self.gate.limit();
        let app = Arc::clone(self);
        let done = async move {
            let place = app.gate.enter().await?;
            let task = tokio::task::spawn_blocking(move || {
                let _place = place;
                work(&app)
            });
            // A panic is a mistake of ours, and ends this request alone.
            task.await.unwrap_or_else(|_| Err(Refused::internal()))
        };
        tokio::time::timeout(limit, done).await.unwrap_or_else(|_| Err(Refused::timeout(limit.as_secs())))
    }
}
