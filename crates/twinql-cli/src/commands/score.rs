//! `twinql score`: what metrics say of each pair; without a database of the user's, unless they execute.
//!
//! Every score lies in [0, 1], and 1 means the same. A prediction that is no query over the schema scores 0. What a metric
//! could not read or test has no score: it is in no mean, each of which says how many pairs it is over, and counts as 0 in
//! `--fail-under`, so that no check is passed by what was not read.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use twinql::metrics::{Metric, Setting, check_read};
use twinql::model::Decision;
use twinql::record::{Record, StatusCounts};
use twinql::rewards::gmn_score;
use twinql::{Engine, Job, Work, vacuous};

use crate::args::typed;
use crate::args::{Input, Metrics, Output};
use crate::commands::batch::{Begin, Decided, ForPeople, Out, Records, guard, made_of, settings};
use crate::commands::contradicted::Contradicted;
use crate::commands::stream::stream;
use crate::commands::tally::Tally;
use crate::commands::{checks, databases, engine, signatures, status_line, window};
use crate::input;
use crate::output::Console;

/// Scores pairs in blocks, since a network gains from many at once; the means and signatures come at the end.
pub(crate) fn run(typed: typed::Score, seed: Option<u64>, console: Console) -> Result<bool> {
    let metrics = Metrics::new(typed.metrics, seed)?;
    let input = match metrics.metrics.iter().all(|m| m.executes()) {
        // The databases hold all that is needed.
        true => Input::without_schemas(typed.input)?,
        false => Input::new(typed.input)?,
    };
    let output = Output::of_pairs(typed.output, &input.source)?;
    // Better now than at each pair.
    check_read(&metrics.metrics, typed.reward.then_some((Setting::Reward, "--reward")))?;
    let schemas = databases::schemas(input.schemas.as_deref(), &metrics, input.dialect)?;
    let engine = engine(&metrics, &schemas, console)?;
    if typed.abstain && engine.metrics().iter().all(|m| engine.band(m).is_none()) {
        bail!(
            "--abstain needs a learned metric (gmn, two-tier, three-tier) and a checkpoint with an \
             abstention band; `twinql train` stores one"
        );
    }
    guard(&input, &output, metrics.files())?;
    let begin = Begin {
        output: &output,
        flags: &typed.batch,
        console,
        // A score depends on these; other flags say only where it goes.
        settings: &{
            let schemas = made_of(&output, &schemas);
            let signatures: Map<String, Value> = of_all(signatures(&engine));
            let flags = json!({"reward": typed.reward, "abstain": typed.abstain, "echo": typed.batch.echo});
            move || settings("score", signatures.clone().into(), schemas.clone(), flags.clone())
        },
    };
    databases::check(
        &engine,
        &input.source.files(),
        || Ok(input::open(&input, schemas.clone(), false)?.items),
        console,
    )?;
    let mut pairs = input::open(&input, schemas, typed.batch.echo)?;
    input::say(&pairs, console);
    let mut tally = Tally::new(&engine);
    let mut contradicted = Contradicted::default();
    let people = ForPeople {
        text: &|record| one(&engine, record),
        head: head(&engine),
        row: &|record| row(&engine, record),
    };
    // Records that an earlier run has left count in the means.
    let mut records = Records::begin(&begin, &mut pairs, people, &mut |_, line| {
        tally.add(&Record::deserialize(line).context("a line of an earlier run is no record")?);
        Ok(())
    })?;
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
    stream(pairs, window(&engine), "scoring", console, &work, &mut |done| {
        let Some((job, about, record)) = done else {
            return records.flush();
        };
        tally.add(&record);
        contradicted.tell(&job, &record, console);
        let decided = match typed.batch.echo {
            true => decided(&engine, &record, typed.abstain),
            false => Vec::new(),
        };
        records.add(&Out::new(&job, &about, record.status, &record).decided(decided))?;
        Ok(true)
    })?;
    let spoken = records.for_people();
    let counts = records.finish(|counts| document(&engine, counts, &tally))?;
    if !spoken {
        console.say(format!("scored {}", status_line(&counts)));
        tally.lines(&counts).iter().for_each(|line| console.say(line));
        for (_, signature) in signatures(&engine) {
            console.say(signature);
        }
    }
    let (what, mean) = tally.checked();
    let complete = !output.strict || tally.is_complete(console);
    Ok(checks(&output, &what, Some(mean), &counts, console) && complete)
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

/// What each metric says of a pair: with `abstaining`, by its checkpoint's band.
fn decided(engine: &Engine, record: &Record, abstaining: bool) -> Vec<Decided> {
    let decided = |metric: &&'static Metric| Decided {
        metric: metric.name,
        decision: match engine.call(metric, record, abstaining) {
            Decision::Same => "same",
            Decision::Different => "different",
            Decision::Abstained => "abstained",
        },
        threshold: engine.threshold(metric),
    };
    engine.metrics().iter().map(decided).collect()
}

/// Signatures by metric, as JSON.
fn of_all(signatures: Vec<(&str, String)>) -> Map<String, Value> {
    let named = signatures.into_iter();
    named.map(|(name, s)| (name.to_owned(), s.into())).collect()
}

/// What a JSON document says besides its records.
fn document(engine: &Engine, counts: &StatusCounts, tally: &Tally) -> Value {
    let signatures = of_all(signatures(engine));
    json!({
        "format": 1,
        "signatures": signatures,
        "pairs": counts.total(),
        "status": counts,
        "metric_status": tally.map(|of| json!(of.statuses)),
        // Over the pairs that have a score, and over all with 0 for those that have none.
        "mean": tally.map(|of| json!(of.mean())),
        "scored": tally.map(|of| json!(of.scored)),
        "mean_over_all": tally.map(|of| json!(of.over_all())),
    })
}

/// The head of the table of many pairs.
fn head(engine: &Engine) -> Vec<String> {
    let names = ["id", "status"].into_iter();
    let names = names.chain(engine.metrics().iter().map(|m| m.name));
    names.map(str::to_owned).collect()
}

/// A pair's row: four digits of each score, and a dash where there is none.
fn row(engine: &Engine, record: &Record) -> Vec<String> {
    let mut row = vec![input::id_text(&record.id), record.status.to_string()];
    let score = |m: &&'static Metric| match record.score(m.name) {
        Some(score) => format!("{score:.4}"),
        None => "-".to_owned(),
    };
    row.extend(engine.metrics().iter().map(score));
    row
}

/// A single pair for people: a line for each metric, what is wrong, and the signatures.
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
    said.extend(signatures(engine).into_iter().map(|(_, signature)| signature));
    out + &said.join("\n") + "\n"
}
