//! `twinql prove`: equal or different on every database of a semantics, with what shows it.
//!
//! A proof needs no database. Where none is found, the judge looks for a counterexample, which is shown
//! beside the proof; that stays `unknown`. Proofs are counted against labels, since a proof that contradicts
//! one means that one of the two is wrong.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value as Json, json};
use twinql::engine::judge_config;
use twinql::judging::{self, Workers};
use twinql::proving;
use twinql::record::{Status, StatusCounts};
use twinql::signature::of_suite;
use twinql::sql::prove::ProveError;
use twinql::sql::{Dialect, Proof, Semantics};
use twinql::suite::{JudgeConfig, Limits, Report, Verdict};
use twinql::{Job, metrics, status};

use crate::args::prove::Prove;
use crate::args::shared::RunFlags;
use crate::args::{self, DEFAULT_SEED, Input, Output, Source};
use crate::commands::batch::{Begin, Decided, ForPeople, Out, Records, guard, made_of, of_input, settings};
use crate::commands::judge;
use crate::commands::stream::{Window, stream};
use crate::commands::witness::WitnessRecord;
use crate::commands::{checks, status_line, without_network, worker};
use crate::input::{self, Pairs};
use crate::labels::Labels;
use crate::output::Console;

/// The wire type of proofs, one JSON object for each pair.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct ProofRecord {
    id: Json,
    status: Status,
    /// `equal`, `different`, `unknown`, or null where a side has no plan.
    proof: Option<&'static str>,
    /// Rules, assumptions and certificate; the reason; or what still differs.
    details: Json,
    /// Where nothing is proved: a database on which the answers differ, if the judge found one.
    witness: Option<WitnessRecord>,
    /// Where it found none: the databases that were tried.
    tested: Option<Tested>,
    error: Option<String>,
    /// The proof in words, where a single pair is asked for.
    #[serde(skip)]
    words: String,
}

impl ProofRecord {
    /// What --echo shows: a proof decides, and where there is none, a counterexample.
    fn decided(&self) -> Decided {
        let decision = match (self.proof, self.status) {
            (Some("equal"), _) => "same",
            (Some("different"), _) | (None, Status::PredError) => "different",
            _ if self.witness.is_some() => "different",
            _ => "abstained",
        };
        Decided { metric: "proof", decision, threshold: threshold() }
    }
}

/// Databases on which two queries agreed.
#[derive(Debug, Clone, Copy, Serialize, schemars::JsonSchema)]
pub(crate) struct Tested {
    databases: u64,
    /// On how many of them the gold's answer held more than NULL and 0.
    nonempty: u64,
}

/// What is known of a pair: its proof, and the judge's report where it is unknown.
type Found = (Option<Result<Proof, ProveError>>, Option<Report>);

/// Proves a chunk, and asks the judge about what stays unknown.
fn found(chunk: &[Job], semantics: &Semantics, judge: Option<&(JudgeConfig, Workers)>) -> Vec<Found> {
    let proofs = proving::prove_all(chunk, semantics, &|| ());
    let open = |proof: &Option<Result<Proof, ProveError>>| matches!(proof, Some(Ok(Proof::Unknown(_))));
    // The judge gets only what is unknown; its reports come in the same order.
    let reports = judge.map(|(config, workers)| {
        let unknown = chunk.iter().zip(&proofs).filter(|(_, proof)| open(proof));
        let jobs: Vec<Job> = unknown.map(|(job, _)| job.clone()).collect();
        judging::judge_all(&jobs, config, workers, &|| ())
    });
    let mut reports = reports.into_iter().flatten();
    let mut report = |proof: &_| if open(proof) { reports.next().flatten() } else { None };
    let with_report = |proof| {
        let report = report(&proof);
        (proof, report)
    };
    proofs.into_iter().map(with_report).collect()
}

/// What is counted over all pairs, in the report and in the document.
#[derive(Default, Serialize)]
struct Counts {
    /// Pairs that are proved equal under the semantics.
    equal: usize,
    /// Pairs of which every database that meets the semantics, or one that the proof names, tells the sides apart.
    different: usize,
    /// Pairs of which nothing is proved.
    unknown: usize,
    /// How many proofs of equality need each assumption.
    assumptions: BTreeMap<String, usize>,
    /// What labels say of the proofs, where pairs have labels.
    labelled: Labelled,
}

/// Proofs against labels.
#[derive(Default, Serialize)]
struct Labelled {
    /// Pairs with label 1, and how many of them are proved equal.
    positive: usize,
    positive_equal: usize,
    /// Pairs with label 0, and how many of them are proved different.
    negative: usize,
    negative_different: usize,
    /// Ids of pairs with label 0 that are proved equal.
    equal_against_label: Vec<Json>,
    /// Ids of pairs with label 1 that are proved different.
    different_against_label: Vec<Json>,
}

impl Labelled {
    /// A proof against a label is one of them being wrong: those are kept by their ids, for somebody to look at.
    fn add(&mut self, id: &Json, label: bool, proof: Option<&str>) {
        *(if label { &mut self.positive } else { &mut self.negative }) += 1;
        match (label, proof) {
            (true, Some("equal")) => self.positive_equal += 1,
            (false, Some("different")) => self.negative_different += 1,
            (false, Some("equal")) => self.equal_against_label.push(id.clone()),
            (true, Some("different")) => self.different_against_label.push(id.clone()),
            _ => {}
        }
    }

    /// The counts in words, and the ids against the labels; nothing without labels.
    fn lines(&self) -> Vec<String> {
        if self.positive + self.negative == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "of {} pairs with label 1, {} are proved equal; of {} with label 0, {} are proved different",
            self.positive, self.positive_equal, self.negative, self.negative_different
        )];
        let against = [("equal", &self.equal_against_label), ("different", &self.different_against_label)];
        lines.extend(against.map(|(what, ids)| {
            let ids: Vec<String> = ids.iter().map(input::id_text).collect();
            let list = if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
            format!("proved {what} against the label: {list}")
        }));
        lines
    }
}

impl Counts {
    /// Counts a record, by its fields: this run's, or those of a line that an earlier one has left.
    fn add(&mut self, id: &Json, label: Option<bool>, proof: Option<&str>, details: &Json) {
        match proof {
            Some("equal") => {
                self.equal += 1;
                for assumption in needs(details) {
                    *self.assumptions.entry(assumption.to_owned()).or_default() += 1;
                }
            }
            Some("different") => self.different += 1,
            Some(_) => self.unknown += 1,
            None => {}
        }
        if let Some(label) = label {
            self.labelled.add(id, label, proof);
        }
    }

    /// The counts in words; `told_apart`: how many of the unknown ones a database tells apart, where the
    /// judge was asked.
    fn lines(&self, total: usize, told_apart: Option<usize>) -> Vec<String> {
        let mut lines = vec![format!(
            "equal {}, different {}, unknown {}, of all {total} pairs",
            self.equal, self.different, self.unknown
        )];
        if let Some(told_apart) = told_apart.filter(|_| self.unknown > 0) {
            lines.push(format!("of the {} unknown, a database tells {told_apart} apart", self.unknown));
        }
        let needs: Vec<String> = self.assumptions.iter().map(|(a, n)| format!("{a} {n}")).collect();
        if !needs.is_empty() {
            lines.push(format!("proofs of equality that need: {}", needs.join(", ")));
        }
        lines.extend(self.labelled.lines());
        lines
    }
}

/// How pairs that stay unproved are judged.
fn searching(
    run: &RunFlags,
    databases: usize,
    semantics: &Semantics,
    seed: Option<u64>,
) -> Result<(JudgeConfig, Workers)> {
    let databases = args::databases(Some(databases))?;
    let config = JudgeConfig {
        shrink: true,
        limits: run.limits(Limits::default())?,
        ..judge_config(semantics.clone(), databases, seed.unwrap_or(DEFAULT_SEED))
    };
    let workers = worker::workers(run.workers, &config.limits)?;
    Ok((config, workers))
}

/// Proves each pair as its line is read, has the judge look for a counterexample where nothing is proved, and
/// writes its record; what proofs need and how they agree with labels comes at the end.
pub(crate) fn run(mut typed: Prove, seed: Option<u64>, console: Console) -> Result<bool> {
    // `twinql prove GOLD PRED` is short for --gold-sql and --pred-sql.
    if let [gold, pred] = typed.queries.as_slice() {
        typed.input.gold_sql = Some(gold.clone());
        typed.input.pred_sql = Some(pred.clone());
    }
    let input = Input::new(typed.input)?;
    let output = Output::of_pairs(typed.output, &input.source)?;
    let semantics = typed.semantics.get()?;
    let signature = signature(&semantics, input.dialect);
    let judge = match typed.no_witness {
        true => None,
        false => Some(searching(&typed.run, typed.databases, &semantics, seed)?),
    };
    let schemas = input::schemas(input.schemas.as_deref(), input.dialect)?;
    guard(&input, &output, [("--labels", typed.labels.labels.as_deref())])?;
    let labels = typed.labels.labels.as_deref().map(Labels::read).transpose()?;
    if let (Some(labels), Source::Pairs(pairs)) = (&labels, &input.source) {
        labels.check(pairs)?;
    }
    let begin = Begin {
        output: &output,
        flags: &typed.batch,
        console,
        settings: &{
            let (signature, schemas) = (signature.clone(), made_of(&output, &schemas));
            let judge = judge.as_ref().map(|(config, _)| json!([of_suite(config), config.seed]));
            let flags = json!({"echo": typed.batch.echo, "judge": judge});
            move || settings("prove", signature.clone().into(), schemas.clone(), flags.clone())
        },
    };
    let mut pairs = input::open(&input, schemas, typed.batch.echo)?;
    input::say(&pairs, console);
    // The labels count as they pass, and say at the end which of them no pair has used.
    let labels = labels.map(|labels| labelled(&mut pairs, labels));
    let mut counts = Counts::default();
    let mut told_apart = 0usize;
    let people = ForPeople {
        text: &|record: &ProofRecord| format!("{}{signature}\n", record.words),
        head: ["id", "status", "proof", "needs"].map(String::from).to_vec(),
        row: &row,
    };
    // Records that an earlier run has left count as if this one had made them.
    let mut records = Records::begin(&begin, &mut pairs, people, &mut |about, line| {
        counts.add(&line["id"], about.label, line["proof"].as_str(), &line["details"]);
        told_apart += usize::from(!line["witness"].is_null());
        Ok(())
    })?;
    let spoken = records.for_people();
    let work = |jobs: &[Job]| found(jobs, &semantics, judge.as_ref());
    let window = match &judge {
        // A thread keeps what it has made for a schema for a block.
        Some((_, Workers::Threads)) => Window::SMALL_BATCHES,
        Some((_, Workers::Processes(_))) | None => Window::PAIRS,
    };
    stream(pairs, window, "proving", console, &work, &mut |done| {
        let Some((job, about, (proof, report))) = done else {
            return records.flush();
        };
        let mut record = record(&job, proof.as_ref(), report);
        told_apart += usize::from(record.witness.is_some());
        if spoken {
            record.words = one(&record, proof.as_ref(), &semantics);
        }
        counts.add(&job.id, about.label, record.proof, &record.details);
        records.add(&Out::new(&job, &about, record.status, &record).decided(vec![record.decided()]))?;
        Ok(true)
    })?;
    if let Some(labels) = labels {
        labels.lock().unwrap_or_else(PoisonError::into_inner).say(console)?;
    }
    let document = |statuses: &StatusCounts| {
        json!({
            "format": 1,
            "signature": signature,
            "pairs": statuses.total(),
            "status": statuses,
            "counts": counts,
            "unknown_told_apart": told_apart,
        })
    };
    let statuses = records.finish(document)?;
    let total = statuses.total();
    if !spoken {
        console.say(format!("proved {}", status_line(&statuses)));
        for line in counts.lines(total, judge.is_some().then_some(told_apart)) {
            console.say(line);
        }
        console.say(&signature);
    }
    let share = counts.equal as f64 / total.max(1) as f64;
    Ok(checks(&output, "the share of pairs proved equal", Some(share), &statuses, console))
}

/// Proofs score 0, 1 or nothing; the threshold is the metric's.
fn threshold() -> f64 {
    metrics::metric("proof").map_or(1.0, |m| m.threshold)
}

/// Gives pairs the labels of a file as they pass.
fn labelled(pairs: &mut Pairs, labels: Labels) -> Arc<Mutex<Labels>> {
    let labels = Arc::new(Mutex::new(labels));
    let own = Arc::clone(&labels);
    let items = std::mem::replace(&mut pairs.items, Box::new(std::iter::empty()));
    pairs.items = Box::new(items.map(move |item| {
        let mut item = item?;
        own.lock().unwrap_or_else(PoisonError::into_inner).apply(&mut item);
        Ok(item)
    }));
    labels
}

/// What the proofs depend on.
fn signature(semantics: &Semantics, dialect: Dialect) -> String {
    // Nothing is random.
    without_network("proof", dialect, semantics, threshold(), 0, Vec::new())
}

/// The record of a pair: of its own error, of its proof, or of the side that has no plan.
fn record(job: &Job, proof: Option<&Result<Proof, ProveError>>, report: Option<Report>) -> ProofRecord {
    let (status, error) = of_input(job);
    let mut out = ProofRecord {
        id: job.id.clone(),
        status,
        proof: None,
        details: Json::Null,
        witness: None,
        tested: None,
        error,
        words: String::new(),
    };
    match report.map(|r| r.verdict) {
        Some(Verdict::Different { witness }) => out.witness = WitnessRecord::of(job, *witness),
        Some(Verdict::Same { databases, nonempty }) => out.tested = Some(Tested { databases, nonempty }),
        _ => {}
    }
    match proof {
        Some(Ok(proof)) => {
            out.proof = Some(proof.name());
            out.details = proving::details(proof);
        }
        Some(Err(error)) => {
            out.status = status::of_proof(error);
            out.error = Some(error.to_string());
        }
        None => {}
    }
    out
}

/// A single pair for people: the proof in words, or what the judge found instead.
fn one(record: &ProofRecord, proof: Option<&Result<Proof, ProveError>>, semantics: &Semantics) -> String {
    let mut out = match (proof, &record.error) {
        (Some(Ok(proof)), _) => proving::text(proof, semantics),
        (_, Some(error)) => format!("{}: {error}\n", record.status),
        _ => String::new(),
    };
    if let Some(witness) = &record.witness {
        out.push_str(&format!(
            "but not equal: a database that meets {semantics} semantics tells them apart\n\n{}\n",
            witness.text
        ));
    }
    if let Some(Tested { databases, nonempty }) = record.tested {
        out.push_str(&format!(
            "no database of {databases} tells them apart ({nonempty} gave a non-empty answer)\n"
        ));
    }
    out
}

/// The assumptions that a proof needs, by its details.
fn needs(details: &Json) -> impl Iterator<Item = &str> {
    let needs = details.get("assumptions").and_then(Json::as_array);
    needs.into_iter().flatten().filter_map(Json::as_str)
}

/// A pair's row in the table of many: its last cell names the assumptions that a proof needs.
fn row(record: &ProofRecord) -> Vec<String> {
    let mut row = judge::row(&record.id, record.status, record.proof);
    row.push(needs(&record.details).collect::<Vec<_>>().join(" "));
    row
}
