//! `twinql prove`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value as Json, json};
use twinql::engine::Work;
use twinql::proving;
use twinql::record::{Status, StatusCounts};
use twinql::signature::Signature;
use twinql::sql::prove::ProveError;
use twinql::sql::{Dialect, Proof, Semantics};
use twinql::{Job, metrics};

use crate::args::prove::Prove;
use crate::args::{Format, Input, Output, Source};
use crate::commands::batch::{Begin, Decided, ForPeople, Out, Records, guard, made_of, settings};
use crate::commands::stream::{Window, stream};
use crate::commands::{fail_under, status_line, strict};
use crate::input::{self, Labels, Pairs, Schemas};
use crate::output::Console;

/// The wire type of proofs, one JSON object for each pair.
#[derive(Debug, Serialize)]
struct ProofRecord {
    id: Json,
    status: Status,
    /// `equal`, `different`, `unknown`, or null where a side has no plan.
    proof: Option<&'static str>,
    /// Rules, assumptions and certificate; the reason; or what still differs.
    details: Json,
    error: Option<String>,
    /// The proof in words, where a single pair is asked for.
    #[serde(skip)]
    words: String,
}

#[derive(Default, Serialize)]
struct Counts {
    equal: usize,
    different: usize,
    unknown: usize,
    /// How many proofs of equality need each assumption.
    assumptions: BTreeMap<String, usize>,
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
    fn add(&mut self, id: &Json, label: bool, proof: Option<&str>) {
        *(if label {
            &mut self.positive
        } else {
            &mut self.negative
        }) += 1;
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
        for (what, ids) in [
            ("equal", &self.equal_against_label),
            ("different", &self.different_against_label),
        ] {
            let ids: Vec<String> = ids.iter().map(input::id_text).collect();
            let list = if ids.is_empty() {
                "none".to_owned()
            } else {
                ids.join(", ")
            };
            lines.push(format!("proved {what} against the label: {list}"));
        }
        lines
    }
}

impl Counts {
    /// Counts a record, by its fields: this run's, or those of a line that an earlier one has left.
    fn add(&mut self, id: &Json, label: Option<bool>, proof: Option<&str>, details: &Json) {
        match proof {
            Some("equal") => {
                self.equal += 1;
                let needs = details.get("assumptions").and_then(Json::as_array);
                for assumption in needs.into_iter().flatten().filter_map(Json::as_str) {
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
}

pub(crate) fn run(mut typed: Prove, console: Console) -> Result<bool> {
    if let [gold, pred] = typed.queries.as_slice() {
        typed.input.gold_sql = Some(gold.clone());
        typed.input.pred_sql = Some(pred.clone());
    }
    let input = Input::new(typed.input)?;
    let default = match input.source {
        Source::One { .. } => Format::Text,
        _ => Format::Jsonl,
    };
    let output = Output::new(typed.output, default)?;
    let semantics = typed.semantics.get()?;
    let signature = signature(&semantics, input.dialect);
    let schemas = Schemas::load(input.schemas.as_deref(), input.dialect)?;
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
            let flags = json!({"echo": typed.batch.echo});
            move || settings("prove", signature.clone().into(), schemas.clone(), flags.clone())
        },
    };
    let mut pairs = input::open(&input, schemas, typed.batch.echo)?;
    let labels = labels.map(|labels| labelled(&mut pairs, labels));
    let mut counts = Counts::default();
    let people = ForPeople {
        text: &|record: &ProofRecord| format!("{}{signature}\n", record.words),
        head: ["id", "status", "proof", "needs"].map(String::from).to_vec(),
        row: &row,
    };
    let mut records = Records::begin(&begin, &mut pairs, people, &mut |about, line| {
        counts.add(&line["id"], about.label, line["proof"].as_str(), &line["details"]);
        Ok(())
    })?;
    let spoken = records.for_people();
    let work = |jobs: &[Job]| proving::prove_all(jobs, &semantics, &|| ());
    stream(pairs, Window::PAIRS, "proving", console, &work, &mut |done| {
        let Some((job, about, proof)) = done else {
            return records.flush();
        };
        let mut record = record(&job, proof.as_ref());
        if spoken {
            record.words = one(&record, proof.as_ref(), &semantics);
        }
        counts.add(&job.id, about.label, record.proof, &record.details);
        records.add(&Out {
            job: &job,
            about: &about,
            status: record.status,
            record: &record,
            decided: vec![Decided {
                metric: "proof",
                decision: match (record.proof, record.status) {
                    (Some("equal"), _) => "same",
                    (Some("different"), _) | (None, Status::PredError) => "different",
                    _ => "abstained",
                },
                threshold: threshold(),
            }],
        })?;
        Ok(true)
    })?;
    if let Some(labels) = labels {
        labels
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .say(console)?;
    }
    let document = |statuses: &StatusCounts| {
        json!({
            "format": 1,
            "signature": signature,
            "pairs": statuses.total(),
            "status": statuses,
            "counts": counts,
        })
    };
    let statuses = records.finish(document)?;
    let total = statuses.total();
    if !spoken {
        console.say(format!("proved {}", status_line(&statuses)));
        console.say(format!(
            "equal {}, different {}, unknown {}, of all {total} pairs",
            counts.equal, counts.different, counts.unknown
        ));
        let needs: Vec<String> = counts
            .assumptions
            .iter()
            .map(|(a, n)| format!("{a} {n}"))
            .collect();
        if !needs.is_empty() {
            console.say(format!("proofs of equality that need: {}", needs.join(", ")));
        }
        for line in counts.labelled.lines() {
            console.say(line);
        }
        console.say(&signature);
    }
    let share = counts.equal as f64 / total.max(1) as f64;
    let reached = fail_under(
        output.fail_under,
        "the share of pairs proved equal",
        Some(share),
        console,
    );
    Ok(strict(output.strict, &statuses, console) && reached)
}

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
        own.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .apply(&mut item);
        Ok(item)
    }));
    labels
}

fn signature(semantics: &Semantics, dialect: Dialect) -> String {
    Signature {
        metric: "proof".into(),
        checkpoint: "none".into(),
        dialect,
        semantics: semantics.name.clone(),
        threshold: threshold(),
        device: "cpu".into(),
        // Nothing is random.
        seed: 0,
        further: Vec::new(),
    }
    .to_string()
}

fn record(job: &Job, proof: Option<&Result<Proof, ProveError>>) -> ProofRecord {
    let mut out = ProofRecord {
        id: job.id.clone(),
        status: Status::Ok,
        proof: None,
        details: Json::Null,
        error: None,
        words: String::new(),
    };
    match (&job.work, proof) {
        (Work::Unusable { status, error }, _) => {
            out.status = *status;
            out.error = Some(error.clone());
        }
        (_, Some(Ok(proof))) => {
            out.proof = Some(proof.name());
            out.details = proving::details(proof);
        }
        (_, Some(Err(error))) => {
            out.status = proving::status(error);
            out.error = Some(error.to_string());
        }
        (_, None) => {}
    }
    out
}

fn one(record: &ProofRecord, proof: Option<&Result<Proof, ProveError>>, semantics: &Semantics) -> String {
    match (proof, &record.error) {
        (Some(Ok(proof)), _) => proving::text(proof, semantics),
        (_, Some(error)) => format!("{}: {error}\n", record.status),
        _ => String::new(),
    }
}

fn row(record: &ProofRecord) -> Vec<String> {
    let needs = record.details.get("assumptions").and_then(Json::as_array);
    let needs: Vec<&str> = needs.into_iter().flatten().filter_map(Json::as_str).collect();
    vec![
        input::id_text(&record.id),
        record.status.to_string(),
        record.proof.unwrap_or("-").to_owned(),
        needs.join(" "),
    ]
}
