//! `twinql score`: what metrics say of each pair; without a database of the user's, unless they execute.
//!
//! Every score lies in [0, 1], and 1 means the same. A prediction that is no query over the schema scores 0. What a metric
//! could not read or test has no score: it is in no mean, each of which says how many pairs it is over, and counts as 0 in
//! `--fail-under`, so that no check is passed by what was not read.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use twinql::gmn::Decision;
use twinql::metrics::{Metric, Setting, check_read};
use twinql::record::{Record, Status, StatusCounts};
use twinql::rewards::gmn_score;
use twinql::{Engine, Job, Work, vacuous};

use super::batch::{Batch, guard};
use super::contradicted::Contradicted;
use super::says::{Decided, End, Says};
use super::tally::Tally;
use super::{databases, engine, signatures, window};
use crate::args::{Input, Metrics, Output, typed};
use crate::input::{self, About, Item};
use crate::output::Console;

/// Scores pairs in blocks, since a network gains from many at once; the means and signatures come at the end.
pub(crate) fn run(typed: typed::Score, seed: Option<u64>, console: Console) -> Result<bool> {
    let metrics = Metrics::new(typed.metrics, seed)?;
    let input = match metrics.metrics.iter().all(|m| m.executes()) {
        // The databases hold all that is needed.
        true => Input::without_schemas(typed.input, |_| match &metrics.db {
            Some(folder) => input::guessing_over(folder),
            None => bail!("a dialect cannot be guessed without --schemas or --db"),
        })?,
        false => Input::new(typed.input)?,
    };
    let output = Output::of_pairs(typed.output, &input.source)?;
    // Better now than at each pair.
    check_read(&metrics.metrics, typed.reward.then_some((Setting::Reward, "--reward")))?;
    let schemas = databases::schemas(input.schemas.as_deref(), &metrics, input.dialects)?;
    let engine = engine(&metrics, &schemas, console)?;
    if typed.abstain && engine.metrics().iter().all(|m| engine.band(m).is_none()) {
        bail!(
            "--abstain needs a learned metric (gmn, two-tier, three-tier) and a checkpoint with an \
             abstention band; `twinql train` stores one"
        );
    }
    guard(&input, &output, metrics.files())?;
    let read = || Ok(input::open(&input.source, input.db_id.as_deref(), schemas.clone(), false)?.items);
    databases::check(&engine, &input.source.files(), read, console)?;
    let named = signatures(&engine).into_iter().map(|(name, signature)| (name.to_owned(), signature.into()));
    let batch = Batch {
        names: ["score", "scoring", "scored"],
        // A score depends on these; other flags say only where it goes.
        settings: json!({"reward": typed.reward, "abstain": typed.abstain, "echo": typed.batch.echo}),
        signatures: named.collect::<Map<_, _>>().into(),
        window: window(&engine),
        input: &input,
        output: &output,
        schemas,
        flags: Some(&typed.batch),
        runs: false,
        several_golds: true,
        always_said: false,
        console,
    };
    let work = |jobs: &[Job]| {
        let mut scored = engine.score(jobs);
        for (record, job) in scored.iter_mut().zip(jobs) {
            if let (true, Work::Pair { pred, .. }) = (typed.reward, &job.work)
                && let Some(reward) = gmn_score(record, pred)
            {
                record.set_detail("gmn", "reward", reward);
            }
            if typed.abstain {
                abstain(&engine, record);
            }
        }
        scored
    };
    let (tally, contradicted) = (Tally::new(&engine), Contradicted::default());
    batch.run(&work, Scores { engine: &engine, abstaining: typed.abstain, tally, contradicted, console })
}

/// What metrics say of all pairs so far.
struct Scores<'e> {
    engine: &'e Engine,
    /// Decisions are those of the checkpoint's band.
    abstaining: bool,
    tally: Tally,
    contradicted: Contradicted,
    console: Console,
}

impl Says for Scores<'_> {
    type Record = Record;

    fn add(&mut self, job: &Job, about: &About, record: &mut Record) -> Result<Status> {
        self.tally.add(record, about.interaction);
        self.contradicted.tell(job, record, self.console);
        Ok(record.status)
    }

    fn again(&mut self, item: &Item, line: &Value) -> Result<()> {
        let record = Record::deserialize(line).context("a line of an earlier run is no record")?;
        self.tally.add(&record, item.about.interaction);
        Ok(())
    }

    fn decided(&self, record: &Record) -> Vec<Decided> {
        let decided = |metric: &&'static Metric| Decided {
            metric: metric.name,
            decision: match self.engine.call(metric, record, self.abstaining) {
                Decision::Same => "same",
                Decision::Different => "different",
                Decision::Abstained => "abstained",
            },
            threshold: self.engine.threshold(metric),
        };
        self.engine.metrics().iter().map(decided).collect()
    }

    fn words(&self, record: &Record) -> String {
        one(self.engine, record)
    }

    /// Four digits of each score, and a dash where there is none.
    fn cells(&self, record: &Record) -> Vec<(&'static str, String)> {
        let score = |name| record.score(name).map_or("-".to_owned(), |score| format!("{score:.4}"));
        self.engine.metrics().iter().map(|m| (m.name, score(m.name))).collect()
    }

    fn end(&self, counts: &StatusCounts) -> Result<End> {
        let mut document = json!({
                "metric_status": self.tally.map(|of| json!(of.statuses)),
                // Over the pairs that have a score, and over all with 0 for those that have none.
                "mean": self.tally.map(|of| json!(of.mean())),
                "scored": self.tally.map(|of| json!(of.scored)),
                "mean_over_all": self.tally.map(|of| json!(of.over_all())),
        });
        if let (Some(interactions), Value::Object(document)) = (self.tally.interactions(), &mut document) {
            document.insert("interactions".into(), interactions);
        }
        Ok(End {
            document,
            lines: self.tally.lines(counts),
            checked: self.tally.checked(),
            in_part: self.tally.in_part,
        })
    }
}

/// Adds to the details of each metric that has a band what it says: `decision` is true for the
/// same, false for not the same, and null where it abstains.
fn abstain(engine: &Engine, record: &mut Record) {
    for metric in engine.metrics() {
        let Some(decision) = engine.decide(metric, record) else {
            continue;
        };
        let said = match decision {
            Decision::Same => Value::Bool(true),
            Decision::Different => Value::Bool(false),
            Decision::Abstained => Value::Null,
        };
        record.set_detail(metric.name, "decision", said);
        record.set_detail(metric.name, "abstained", decision == Decision::Abstained);
    }
}

/// A single pair for people: a line for each metric, what is wrong, and what was assumed.
fn one(engine: &Engine, record: &Record) -> String {
    let mut out = String::new();
    let width = engine.metrics().iter().map(|m| m.name.len()).max().unwrap_or(0);
    for metric in engine.metrics() {
        let Some(score) = record.score(metric.name) else {
            out.push_str(&format!("{:<width$}  –  no score\n", metric.name));
            continue;
        };
        let threshold = engine.threshold(metric);
        let details = record.details.get(metric.name);
        let is = |key: &str| details.and_then(|d| d.get(key)) == Some(&Value::Bool(true));
        let by_probe = details.and_then(|d| d.get("tier")).is_some_and(|tier| tier == "probe");
        let abstained = is("abstained");
        let called = if abstained {
            "too close to call"
        } else if score >= threshold {
            "the same"
        } else {
            "not the same"
        };
        // Equal canonical forms and a database that tells the two apart decide by themselves, and it is said.
        let unknown = details.and_then(|d| d.get("unknown")).and_then(Value::as_str);
        let why = match unknown {
            _ if is("identical") => ", equal canonical forms".to_owned(),
            _ if is("refuted") || by_probe => ", a few rows tell them apart".to_owned(),
            Some(unknown) => format!(", {unknown}"),
            None => String::new(),
        };
        out.push_str(&format!(
            "{:<width$}  {score:.4}  {called} (threshold {threshold:.2}{why})\n",
            metric.name
        ));
    }
    if let Some(error) = &record.error {
        out.push_str(&format!("{}: {error}\n", record.status));
    }
    // Several metrics may have answered under the same assumptions: each sentence is said once.
    let mut said: Vec<String> = Vec::new();
    for metric in engine.metrics() {
        let by = record.details.get(metric.name).and_then(|d| d.get("vacuous_by"));
        let sentences =
            by.map(|by| vacuous::sentences(&vacuous::from_names(by), &engine.semantics_of(metric)));
        for sentence in sentences.into_iter().flatten() {
            if !said.contains(&sentence) {
                said.push(sentence);
            }
        }
    }
    said.into_iter().fold(out, |out, sentence| out + &sentence + "\n")
}
