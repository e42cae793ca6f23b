//! `twinql judge`: a verdict of the test suite for each pair, with a witness database where they differ.
//!
//! `same` says that no database told the two apart, which is no proof; `different` is proved by its witness.
//! A pair over whose databases the gold never answered is `untested` and counts as neither.

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value as Json, json};
use twinql::engine::judge_config;
use twinql::files::hex;
use twinql::judging::{self, Workers};
use twinql::record::{Status, StatusCounts};
use twinql::signature::of_suite;
use twinql::sql::{Dialect, Value};
use twinql::status;
use twinql::suite::{JudgeConfig, Limits, Report, Verdict};
use twinql::{Job, Profiles};

use crate::args::{self, DEFAULT_SEED, Input, Output, typed};
use crate::commands::batch::{Begin, Decided, ForPeople, Out, Records, guard, made_of, of_input, settings};
use crate::commands::stream::{Window, stream};
use crate::commands::witness::{WitnessFolder, WitnessRecord};
use crate::commands::{checks, machine, settled_profiles, status_line, without_network, worker};
use crate::input;
use crate::output::Console;

/// The wire type of verdicts, one JSON object for each pair.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct VerdictRecord {
    id: Json,
    status: Status,
    /// `same` (no database told them apart), `different`, or null where there is no verdict.
    verdict: Option<&'static str>,
    /// Databases on which both queries gave an answer.
    databases: Option<u64>,
    /// On how many of them the gold answered: not what it gives over empty tables.
    nonempty: Option<u64>,
    witness: Option<WitnessRecord>,
    /// Repairs of the texts.
    notes: Vec<String>,
    error: Option<String>,
}

impl VerdictRecord {
    /// What --echo shows: a prediction that is no query over the schema is different; of a pair without a
    /// verdict nothing is said.
    fn decided(&self) -> Decided {
        let decision = match (self.verdict, self.status) {
            (Some("same"), _) => "same",
            (Some(_), _) | (None, Status::PredError) => "different",
            (None, _) => "abstained",
        };
        Decided { metric: "suite", decision, threshold: THRESHOLD }
    }
}

/// Judges each pair as its line is read, and writes its record; the counts and the signature come at the end.
pub(crate) fn run(typed: typed::Judge, seed: Option<u64>, console: Console) -> Result<bool> {
    let input = Input::new(typed.input)?;
    let output = Output::of_pairs(typed.output, &input.source)?;
    let semantics = typed.comparison.semantics()?;
    let databases = args::databases(typed.databases)?;
    let config = JudgeConfig {
        shrink: true,
        plausible: typed.plausible,
        limits: typed.run.limits(Limits::default())?,
        ..judge_config(semantics, databases, seed.unwrap_or(DEFAULT_SEED))
    };
    let workers = worker::workers(typed.run.workers, &config.limits)?;
    let schemas = input::schemas(input.schemas.as_deref(), input.dialect)?;
    let profiles = settled_profiles(typed.profile.profile.as_deref(), schemas.all(), console)?;
    let signature = signature(&config, &profiles, input.dialect);
    let inputs = guard(&input, &output, [("--profile", typed.profile.profile.as_deref())])?;
    let begin = Begin {
        output: &output,
        flags: &typed.batch,
        console,
        // Made only if the output is one that may be gone on with: the schemas' hash takes a while.
        settings: &{
            let (signature, schemas) = (signature.clone(), made_of(&output, &schemas));
            let flags = json!({"echo": typed.batch.echo, "witness_dir": typed.witness_dir.clone(), "plausible": typed.plausible});
            move || settings("judge", signature.clone().into(), schemas.clone(), flags.clone())
        },
    };
    let mut pairs = input::open(&input, schemas, typed.batch.echo)?;
    input::say(&pairs, console);
    let mut folder = typed.witness_dir.map(|folder| WitnessFolder::new(folder, inputs));
    let (mut same, mut different) = (0usize, 0usize);
    let people = ForPeople {
        text: &|record| one(record, &signature),
        head: head(),
        row: &|record| row(&record.id, record.status, record.verdict),
    };
    // Records that an earlier run has left count as if this one had made them, and keep their witness files.
    let mut records = Records::begin(&begin, &mut pairs, people, &mut |_, line| {
        same += usize::from(line["verdict"] == "same");
        different += usize::from(line["verdict"] == "different");
        if let (Some(folder), true) = (&mut folder, line["witness"].is_object()) {
            folder.written(&line["id"]);
        }
        Ok(())
    })?;
    let work = |jobs: &[Job]| judging::judge_all_following(jobs, &config, &profiles, &workers, &|| ());
    let window = match workers {
        // A process keeps what it has made for a schema; a thread does so for a block.
        Workers::Processes(_) => Window::PAIRS,
        Workers::Threads => Window::SMALL_BATCHES,
    };
    stream(pairs, window, "judging", console, &work, &mut |done| {
        let Some((job, about, report)) = done else {
            return records.flush();
        };
        let mut record = record(&job, report);
        same += usize::from(record.verdict == Some("same"));
        different += usize::from(record.verdict == Some("different"));
        if let (Some(folder), Some(witness)) = (&mut folder, &mut record.witness) {
            folder.write(&job.id, witness)?;
        }
        records.add(&Out::new(&job, &about, record.status, &record).decided(vec![record.decided()]))?;
        Ok(true)
    })?;
    let spoken = records.for_people();
    let document = |counts: &StatusCounts| {
        json!({
            "format": 1,
            "signature": signature,
            "pairs": counts.total(),
            "status": counts,
            "same": same,
            "different": different,
            "untested": counts.get(Status::Untested),
        })
    };
    let counts = records.finish(document)?;
    if !spoken {
        console.say(format!("judged {}", status_line(&counts)));
        console.say(format!(
            "same {same}, different {different}, untested {}, of all {} pairs",
            counts.get(Status::Untested),
            counts.total()
        ));
        console.say(&signature);
    }
    // After the records, which say how the machine failed.
    machine(&counts)?;
    let share = same as f64 / counts.total().max(1) as f64;
    Ok(checks(&output, "the share of pairs called the same", Some(share), &counts, console))
}

/// Verdicts are 0 or 1.
const THRESHOLD: f64 = 0.5;

fn signature(config: &JudgeConfig, profiles: &Profiles, dialect: Dialect) -> String {
    let mut further = of_suite(config);
    if !profiles.is_empty() {
        further.push(format!("profile:{}", profiles.digest()));
    }
    without_network("suite", dialect, &config.semantics, THRESHOLD, config.seed, further)
}

/// The record of a pair: of its own error where it cannot be used, else of what the judge says.
pub(crate) fn record(job: &Job, report: Option<Report>) -> VerdictRecord {
    let (status, error) = of_input(job);
    let mut out = VerdictRecord {
        id: job.id.clone(),
        status,
        verdict: None,
        databases: None,
        nonempty: None,
        witness: None,
        notes: Vec::new(),
        error,
    };
    let Some(report) = report else { return out };
    out.notes = report.notes;
    (out.status, out.error) = status::of_verdict(&report.verdict);
    match report.verdict {
        Verdict::Same { databases, nonempty } => {
            (out.verdict, out.databases, out.nonempty) = (Some("same"), Some(databases), Some(nonempty));
        }
        Verdict::Different { witness } => {
            out.verdict = Some("different");
            out.witness = WitnessRecord::of(job, *witness);
        }
        Verdict::Untested { databases, .. } => out.databases = Some(databases),
        Verdict::GoldError { .. }
        | Verdict::PredError { .. }
        | Verdict::Timeout { .. }
        | Verdict::MachineError { .. } => {}
    }
    out
}

/// A value as JSON has it; a blob is an object with its bytes in hexadecimal.
pub(crate) fn plain(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(i) => i.into(),
        Value::Real(r) => r.0.into(),
        Value::Text(s) => s.into(),
        Value::Blob(bytes) => {
            let hex = hex(bytes);
            json!({ "blob": hex })
        }
    }
}

/// What went wrong with a pair, and the repairs of its texts, a line each.
pub(super) fn remarks(status: Status, error: Option<&str>, notes: &[String]) -> String {
    let error = error.map(|error| format!("{status}: {error}\n"));
    error.into_iter().chain(notes.iter().map(|note| format!("note: {note}\n"))).collect()
}

/// A single pair for people: the verdict, what went wrong, repairs, the witness, the signature.
fn one(record: &VerdictRecord, signature: &str) -> String {
    let mut out = String::new();
    match (record.verdict, record.databases.zip(record.nonempty)) {
        (Some("same"), Some((n, filled))) => out.push_str(&format!(
            "same as far as tested: no database of {n} tells them apart (the gold answered on {filled})\n"
        )),
        (Some(verdict), _) => out.push_str(&format!("{verdict}\n")),
        (None, _) => {}
    }
    out.push_str(&remarks(record.status, record.error.as_deref(), &record.notes));
    if let Some(witness) = &record.witness {
        out.push('\n');
        out.push_str(&witness.text);
        out.push('\n');
        if let Some(file) = &witness.file {
            out.push_str(&format!("witness written to {file}\n"));
        }
    }
    out.push_str(signature);
    out.push('\n');
    out
}

/// The head of the table of many pairs.
pub(super) fn head() -> Vec<String> {
    ["id", "status", "verdict"].map(String::from).to_vec()
}

/// A pair's row in it.
pub(super) fn row(id: &Json, status: Status, verdict: Option<&str>) -> Vec<String> {
    vec![input::id_text(id), status.to_string(), verdict.unwrap_or("-").to_owned()]
}
