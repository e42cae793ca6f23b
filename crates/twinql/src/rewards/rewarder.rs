//! What completions earn.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use twinql_gmn::GraphConfig;
use twinql_graph::relpm;
use twinql_sql::explain::clauses::share_right;
use twinql_sql::prove::Side;
use twinql_sql::{Dialect, Repair, Schema, Semantics, parse};
use twinql_suite::JudgeConfig;

use super::extract::{Extraction, Format, Reading, extract};
use super::guard::{Certainty, GUARD_DATABASES, certainties, draws, open_to_chance};
use super::shaping::Shaping;
use super::steps::{EVEN, Steps, steps};
use crate::builder::EngineBuilder;
use crate::dialects::Dialects;
use crate::engine::Engine;
use crate::input::{in_sqlite, pred_in_sqlite};
use crate::job::{Job, Work};
use crate::judging;
use crate::network::NetworkError;
use crate::prepare::Graphs;
use crate::record::{Status, shortest};

/// A part of the reward for the format alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormatPart {
    /// The format asked for.
    pub format: Format,
    /// What it earns to keep to it.
    pub weight: f64,
}

/// How completions are rewarded.
#[derive(Debug, Clone, PartialEq)]
pub struct RewardConfig {
    /// What the main part is made of.
    pub shaping: Shaping,
    /// How completions are read.
    pub reading: Reading,
    /// Whose SQL golds and completions are, where a sample does not say so.
    pub dialects: Dialects,
    /// Databases on which the guard looks for a refutation; 0 asks no guard at all. Under `expected-ex`, which counts
    /// databases itself, the guard asks for chance and for loose ends alone.
    pub guard: u64,
    /// What a completion without exactly one statement earns, in place of what the shaping says.
    pub no_sql: Option<f64>,
    /// What a statement earns that is no query over the schema, in place of what the shaping says.
    pub no_plan: Option<f64>,
    /// The weight of partial credit, RelPM of the canonical trees: it fills up this share of what the main part leaves.
    pub partial: f64,
    /// The weight of the steps of a WITH clause, in the same way.
    pub steps: f64,
    /// The weight of the clauses that are right, in the same way.
    pub clauses: f64,
    /// A part for the format alone, added to all else.
    pub format: Option<FormatPart>,
}

impl Default for RewardConfig {
    fn default() -> Self {
        RewardConfig {
            shaping: Shaping::default(),
            reading: Reading::default(),
            dialects: Dialects::default(),
            guard: GUARD_DATABASES,
            no_sql: None,
            no_plan: None,
            partial: 0.0,
            steps: 0.0,
            clauses: 0.0,
            format: None,
        }
    }
}

/// A completion, and the gold that it is held against.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The schema of both.
    pub schema: Arc<Schema>,
    /// The reference.
    pub gold: String,
    /// What the model wrote.
    pub completion: String,
    /// Whose SQL both are, where that is not what the rewarder takes them to be.
    pub dialects: Option<Dialects>,
}

impl Sample {
    /// A completion against a gold.
    pub fn new(schema: &Arc<Schema>, gold: impl Into<String>, completion: impl Into<String>) -> Sample {
        Sample {
            schema: Arc::clone(schema),
            gold: gold.into(),
            completion: completion.into(),
            dialects: None,
        }
    }

    /// The same, whose gold and completion are in dialects of their own.
    #[must_use]
    pub fn in_dialects(self, dialects: impl Into<Dialects>) -> Sample {
        Sample { dialects: Some(dialects.into()), ..self }
    }
}

/// The parts of a reward. Those that were not asked for are none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Parts {
    /// By the shaping, after the guard.
    pub answer: Option<f64>,
    /// RelPM of the canonical trees, from 0 to 1.
    pub partial: Option<f64>,
    /// How far the steps build the gold's tree, from 0 to 1.
    pub steps: Option<f64>,
    /// The share of clauses that are right, from 0 to 1.
    pub clauses: Option<f64>,
    /// 1 for the format asked for, else 0.
    pub format: Option<f64>,
}

/// What a completion earns, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reward {
    /// The sum of the weighted parts; none where it is not the completion's fault that nothing is known: the gold
    /// cannot be used, or the machine failed.
    pub reward: Option<f64>,
    /// Its parts.
    pub parts: Parts,
    /// What was found in the completion.
    pub extraction: Extraction,
    /// What is certain of it, where the guard was asked.
    pub certainty: Option<Certainty>,
    /// The alignment of its steps with the gold's, where that was asked for.
    pub steps: Option<Steps>,
    /// What became of the pair.
    pub status: Status,
    /// What went wrong.
    pub error: Option<String>,
}

impl Reward {
    fn of(extraction: Extraction) -> Reward {
        Reward {
            reward: None,
            parts: Parts::default(),
            extraction,
            certainty: None,
            steps: None,
            status: Status::Ok,
            error: None,
        }
    }

    fn failed(&mut self, status: Status, error: impl Into<String>) {
        self.status = status;
        self.error = Some(error.into());
    }
}

/// Rewards completions over any number of schemas.
#[derive(Debug, Clone)]
pub struct Rewarder {
    engine: Engine,
    config: RewardConfig,
    /// The semantics that the main part answers for.
    semantics: Semantics,
}

impl Rewarder {
    /// Sets up a rewarder: `engine` says which network, semantics, seed and limits, and gets the metric that the
    /// shaping is made of.
    ///
    /// # Errors
    /// Those of [`EngineBuilder::build`].
    pub fn new(engine: EngineBuilder, config: RewardConfig) -> Result<Rewarder, NetworkError> {
        let engine = engine.metric(config.shaping.metric()).build()?;
        let semantics = engine.semantics_of(config.shaping.metric());
        Ok(Rewarder { engine, config, semantics })
    }

    /// The engine behind it: signatures and thresholds.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How it rewards.
    pub fn config(&self) -> &RewardConfig {
        &self.config
    }

    /// What the rewards depend on, in a line.
    pub fn signature(&self) -> String {
        let RewardConfig { shaping, partial, steps, clauses, .. } = &self.config;
        let mut line = self.engine.signature(shaping.metric()).to_string();
        line.push_str(&format!("|reward:{}", shaping.name()));
        line.push_str(&format!("|guard:{}", self.config.guard));
        for (name, weight) in [("partial", partial), ("steps", steps), ("clauses", clauses)] {
            if *weight != 0.0 {
                line.push_str(&format!("|{name}:{weight}"));
            }
        }
        if let Some(part) = self.config.format {
            line.push_str(&format!("|format:{}:{}", part.format.name(), part.weight));
        }
        line
    }

    /// Rewards a batch: one reward for each sample, in order, whatever it holds. Runs on rayon's current pool; the
    /// result does not depend on the number of threads, nor on the other samples.
    pub fn rewards(&self, samples: &[Sample]) -> Vec<Reward> {
        let mut rewards: Vec<Reward> =
            samples.iter().map(|s| Reward::of(extract(&s.completion, self.config.reading))).collect();
        let mut jobs = Vec::new();
        for (at, (sample, reward)) in samples.iter().zip(&mut rewards).enumerate() {
            match self.job(at, sample, &reward.extraction) {
                Ok(job) => jobs.push((at, job)),
                Err(refused) => self.refuse(reward, refused),
            }
        }
        self.answers(&jobs, &mut rewards);
        let RewardConfig { partial, steps, clauses, .. } = self.config;
        if [partial, steps, clauses].iter().any(|weight| *weight != 0.0) {
            self.credit(&jobs, &mut rewards);
        }
        for reward in &mut rewards {
            self.sum(reward);
        }
        rewards
    }

    /// The pair that a sample is.
    fn job(&self, at: usize, sample: &Sample, found: &Extraction) -> Result<Job, Refused> {
        let Some(sql) = found.sql() else {
            return Err(Refused::NoSql(match found {
                Extraction::Several { statements, .. } => format!("{statements} statements in place of one"),
                Extraction::Unclosed { .. } => "the completion was cut off".into(),
                Extraction::TooLong { bytes } => format!("{bytes} bytes of text"),
                Extraction::NoSql | Extraction::Sql { .. } => "no SQL".into(),
            }));
        };
        let dialects = sample.dialects.unwrap_or(self.config.dialects);
        let gold = in_sqlite(&sample.schema, Side::Gold, &sample.gold, dialects)
            .map_err(|(_, error)| Refused::Gold(error))?;
        let pred = pred_in_sqlite(&sample.schema, &sample.gold, sql, dialects)
            .map_err(|(status, error)| Refused::NoPlan(status, error))?;
        if dialects.pred == Dialect::Sqlite {
            as_it_stands(&pred).map_err(Refused::NoSql)?;
        }
        let work = Work::Pair { schema: Arc::clone(&sample.schema), gold, pred };
        Ok(Job::new(Value::from(at), work))
    }

    /// Says of a sample that it is no pair.
    fn refuse(&self, reward: &mut Reward, refused: Refused) {
        match refused {
            Refused::Gold(error) => reward.failed(Status::GoldError, error),
            Refused::NoSql(error) => {
                reward.parts.answer = Some(self.of_no_sql());
                reward.failed(Status::PredError, error);
            }
            Refused::NoPlan(status, error) => {
                reward.parts.answer = Some(self.of_no_plan());
                reward.failed(status, error);
            }
        }
    }

    fn of_no_sql(&self) -> f64 {
        self.config.no_sql.unwrap_or(self.config.shaping.of_no_sql())
    }

    fn of_no_plan(&self) -> f64 {
        self.config.no_plan.unwrap_or(self.config.shaping.of_no_plan())
    }

    /// The main parts: by what is certain where the guard is asked and something is, by the metric elsewhere.
    fn answers(&self, jobs: &[(usize, Job)], rewards: &mut [Reward]) {
        let shaping = self.config.shaping;
        let pairs: Vec<Job> = jobs.iter().map(|(_, job)| job.clone()).collect();
        let judge = JudgeConfig {
            databases: self.config.guard,
            semantics: self.semantics.clone(),
            ..self.engine.setup.judge.clone()
        };
        let certain = match (self.config.guard, shaping.is_guarded()) {
            (0, _) => pairs.iter().map(|_| None).collect(),
            (_, false) => open_to_chance(&pairs, &judge, &self.engine.setup.workers),
            (_, true) => certainties(&pairs, &judge, &self.engine.setup.workers),
        };
        let mut open = Vec::new();
        for ((at, job), certainty) in jobs.iter().zip(certain) {
            let Some(reward) = rewards.get_mut(*at) else { continue };
            let earned = certainty.as_ref().and_then(|c| shaping.of_certain(c));
            if let Some(Certainty::Refused { message }) = &certainty {
                reward.failed(Status::PredError, format!("pred: {message}"));
                reward.parts.answer = Some(self.of_no_plan());
            } else if earned.is_some() {
                reward.parts.answer = earned;
            } else {
                open.push((*at, job.clone()));
            }
            reward.certainty = certainty;
        }
        let (places, asked): (Vec<usize>, Vec<Job>) = open.into_iter().unzip();
        for (at, record) in places.into_iter().zip(self.engine.score(&asked)) {
            let Some(reward) = rewards.get_mut(at) else { continue };
            let unrefuted = matches!(reward.certainty, Some(Certainty::Unrefuted { .. }));
            let unread = unrefuted.then(|| self.of_unread()).flatten();
            reward.parts.answer = match (record.status, self.config.no_plan) {
                (Status::PredError, Some(own)) => Some(own),
                _ => shaping.of_record(&record, unread),
            };
            (reward.status, reward.error) = (record.status, record.error);
        }
    }

    /// The probability of pairs that the network cannot read and no database tells apart, if it is known.
    fn of_unread(&self) -> Option<f64> {
        let tiers = self.engine.setup.network.as_ref()?.scorer().info().tiers?;
        Some(shortest(tiers.unrefuted))
    }

    /// Partial credit, steps and clauses, for predictions that are queries and not hollow.
    fn credit(&self, jobs: &[(usize, Job)], rewards: &mut [Reward]) {
        let pair = |job: &Job| {
            job.pair().map(|(schema, gold, pred)| (Arc::clone(schema), gold.to_owned(), pred.to_owned()))
        };
        let pairs: Vec<(usize, Pair)> = jobs
            .iter()
            .filter(|(at, _)| rewards.get(*at).is_some_and(|r| r.status == Status::Ok))
            .filter_map(|(at, job)| Some((*at, pair(job)?)))
            .collect();
        let hollow = self.hollow(&pairs);
        let all = pairs.iter().map(|(_, (schema, gold, pred))| (schema, gold.as_str(), pred.as_str()));
        let graphs = Graphs::build(all, &self.semantics, &GraphConfig::default(), &|| ());
        for ((at, (schema, gold, pred)), hollow) in pairs.iter().zip(hollow) {
            let Some(reward) = rewards.get_mut(*at) else { continue };
            let pair = graphs.pair(schema, gold, pred);
            if self.config.partial != 0.0 {
                let matched = match pair.both() {
                    _ if hollow => 0.0,
                    Some(_) if pair.identical => 1.0,
                    Some((gold, pred)) => relpm(gold, pred, &EVEN),
                    None => 0.0,
                };
                reward.parts.partial = Some(matched);
            }
            if self.config.steps != 0.0 {
                reward.steps = steps(schema, gold, pred, &self.semantics).ok();
                let score = reward.steps.as_ref().map_or(0.0, |s| s.score);
                reward.parts.steps = Some(if hollow { 0.0 } else { score });
            }
            if self.config.clauses != 0.0 {
                let share = if hollow { 0.0 } else { right_clauses(schema, gold, pred, &self.semantics) };
                reward.parts.clauses = Some(share);
            }
        }
    }

    /// Predictions that ask nothing of the data, whatever their trees look like: they read no table, depend on chance,
    /// or answer nothing on any database that is tried.
    fn hollow(&self, pairs: &[(usize, Pair)]) -> Vec<bool> {
        // As the gold of a pair, a query that never answers is one that nothing tests.
        let against_nothing: Vec<Job> = pairs
            .iter()
            .map(|(at, (schema, _, pred))| {
                Job::new(
                    Value::from(*at),
                    Work::Pair {
                        schema: Arc::clone(schema),
                        gold: pred.clone(),
                        pred: nothing(schema, pred),
                    },
                )
            })
            .collect();
        let judge = JudgeConfig {
            databases: self.config.guard.max(1),
            semantics: self.semantics.clone(),
            ..self.engine.setup.judge.clone()
        };
        let reports = judging::judge_all(&against_nothing, &judge, &self.engine.setup.workers, &|| ());
        pairs
            .iter()
            .zip(reports)
            .map(|((_, (schema, _, pred)), report)| {
                let answers =
                    report.is_some_and(|r| matches!(r.verdict, twinql_suite::Verdict::Different { .. }));
                !answers || !reads(schema, pred) || draws(schema, pred, &self.semantics)
            })
            .collect()
    }

    /// Adds the parts up.
    fn sum(&self, reward: &mut Reward) {
        let asked = self.config.format;
        reward.parts.format =
            asked.map(|part| f64::from(u8::from(reward.extraction.format() == Some(part.format))));
        reward.reward = reward.parts.answer.map(|answer| {
            let Parts { partial, steps, clauses, format, .. } = reward.parts;
            let RewardConfig { partial: of_partial, steps: of_steps, clauses: of_clauses, .. } = self.config;
            let mut sum = answer;
            for (weight, part) in [(of_partial, partial), (of_steps, steps), (of_clauses, clauses)] {
                if let Some(part) = part {
                    sum += weight * part * (1.0 - sum).max(0.0);
                }
            }
            sum + asked.map_or(0.0, |part| part.weight) * format.unwrap_or_default()
        });
    }
}

/// The schema of a pair, its gold and its prediction.
type Pair = (Arc<Schema>, String, String);

/// Why a sample is no pair.
enum Refused {
    /// The gold cannot be used.
    Gold(String),
    /// There is not exactly one statement, or SQLite would not take it as it stands.
    NoSql(String),
    /// It has no form in SQLite.
    NoPlan(Status, String),
}

/// Whether a text is SQL as it stands. Scores of predictions are of what is left after repairs, so that one stray word
/// does not cost a system its answer; a policy would learn that what follows a query does not matter.
fn as_it_stands(sql: &str) -> Result<(), String> {
    match parse(sql) {
        Ok(parsed) => match parsed.repairs.iter().find(|r| !matches!(r, Repair::DroppedHint { .. })) {
            Some(repair) => Err(format!("pred: no SQL as it stands: it parses once one has {repair}")),
            None => Ok(()),
        },
        Err(error @ (twinql_sql::SqlError::Parse { .. } | twinql_sql::SqlError::NotAQuery { .. })) => {
            Err(format!("pred: {error}"))
        }
        // What is known to be SQL, and is not understood.
        Err(_) => Ok(()),
    }
}

/// The share of a prediction's clauses that are right; 0 where one of the two cannot be planned.
fn right_clauses(schema: &Schema, gold: &str, pred: &str, semantics: &Semantics) -> f64 {
    let semantics = semantics.for_gold_text(schema, gold);
    match (parse(gold), parse(pred)) {
        (Ok(gold), Ok(pred)) => share_right(schema, &gold, &pred, &semantics),
        _ => 0.0,
    }
}

/// A query without rows, of as many columns as another.
fn nothing(schema: &Schema, sql: &str) -> String {
    let planned = parse(sql).and_then(|parsed| twinql_sql::plan(schema, &parsed));
    let width = planned.map_or(1, |plan| plan.query.output.len().max(1));
    format!("SELECT {} WHERE 0", vec!["NULL"; width].join(", "))
}

/// Whether a query reads a table.
fn reads(schema: &Schema, sql: &str) -> bool {
    use twinql_sql::Rel;
    use twinql_sql::tree::{Node, Tree};
    let planned = parse(sql).and_then(|parsed| twinql_sql::plan(schema, &parsed));
    planned.is_ok_and(|plan| plan.query.any_deep(|node| matches!(node, Node::Rel(Rel::Scan { .. }))))
}
