//! `twinql execute`: both queries on the users' own databases, which is execution accuracy.
//!
//! Nothing is generated, and no schema is given: the files hold theirs. They are opened for reading alone, in
//! the sandbox that predictions always run in. That the answers agree on these files says little of others,
//! which is what `twinql judge` is for.

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value as Json, json};
use twinql::Job;
use twinql::judging;
use twinql::record::{Status, StatusCounts};
use twinql::sql::Dialect;
use twinql::status;
use twinql::suite::files::{Beginning, FileConfig, FileReport, FileVerdict, Files, Ties};

use crate::args::{Input, Output, typed};
use crate::commands::answers::{OneAnswer, side_by_side};
use crate::commands::batch::{ForPeople, Out, Records, guard, of_input};
use crate::commands::judge::{head, plain, remarks, row};
use crate::commands::stream::{Window, stream};
use crate::commands::{checks, machine, status_line, without_network, worker};
use crate::input;
use crate::output::Console;

/// The wire type of executions, one JSON object for each pair.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct ExecutionRecord {
    id: Json,
    status: Status,
    /// `same`, `different`, or null where there is no verdict.
    verdict: Option<&'static str>,
    /// Files on which the answers agree, where they agree on all.
    files: Option<usize>,
    /// On how many of them the gold answered: not what it gives over empty tables.
    nonempty: Option<usize>,
    witness: Option<FileWitness>,
    notes: Vec<String>,
    error: Option<String>,
}

/// A file on which the answers differ, and the answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct FileWitness {
    file: String,
    gold: ShownAnswer,
    pred: ShownAnswer,
}

/// The beginning of an answer.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct ShownAnswer {
    columns: usize,
    /// How many rows there are.
    count: usize,
    /// The first of them.
    rows: Vec<Vec<Json>>,
}

/// Executes each pair as its line is read, and writes its record; the accuracy comes at the end.
pub(crate) fn run(typed: typed::Execute, console: Console) -> Result<bool> {
    if typed.input.schemas.schemas.is_some() {
        bail!("--schemas is not used here: the databases in --db hold their schemas");
    }
    let input = Input::without_schemas(typed.input)?;
    let output = Output::of_pairs(typed.output, &input.source)?;
    let usual = FileConfig::new(typed.comparison.semantics()?);
    let config = FileConfig { limits: typed.run.limits(usual.limits)?, ..usual };
    let workers = worker::workers(typed.run.workers, &config.limits)?;
    let files = Files::find(&typed.db)?;
    let signature = signature(&config, input.dialect) + &typed.run.in_signature();
    guard(&input, &output, [("--db", Some(typed.db.as_path()))])?;
    let pairs = input::open(&input, input::schemas_of_files(&files, input.dialect), false)?;
    input::say(&pairs, console);
    let row = |record: &ExecutionRecord| row(&record.id, record.status, record.verdict);
    let people = ForPeople { text: &one, head: head(), row: &row };
    let mut records = Records::new(&output, pairs.single, people)?;
    let mut same = 0usize;
    let work = |jobs: &[Job]| judging::execute_all(jobs, &files, &config, &workers, &|| ());
    stream(pairs, Window::SMALL_BATCHES, "executing", console, &work, &mut |done| {
        let Some((job, about, report)) = done else {
            return records.flush();
        };
        let record = record(&job, report);
        same += usize::from(record.verdict == Some("same"));
        records.add(&Out::new(&job, &about, record.status, &record))?;
        Ok(true)
    })?;
    let accuracy = |counts: &StatusCounts| same as f64 / counts.total().max(1) as f64;
    let document = |counts: &StatusCounts| {
        json!({
            "format": 1,
            "signature": signature,
            "pairs": counts.total(),
            "status": counts,
            "same": same,
            "untested": counts.get(Status::Untested),
            "execution_accuracy": accuracy(counts),
        })
    };
    let counts = records.finish(document)?;
    machine(&counts)?;
    let accuracy = accuracy(&counts);
    console.say(format!("executed {}", status_line(&counts)));
    console.say(format!(
        "execution accuracy {accuracy:.4}: same {same} of all {} pairs ({} untested)",
        counts.total(),
        counts.get(Status::Untested)
    ));
    console.say(&signature);
    Ok(checks(&output, "the execution accuracy", Some(accuracy), &counts, console))
}

/// What the figures depend on. Nothing is random, so that the seed is always 0.
fn signature(config: &FileConfig, dialect: Dialect) -> String {
    let ties = match config.ties {
        Ties::Possible => "possible",
        Ties::AsReturned => "as-returned",
    };
    without_network("execution", dialect, &config.semantics, 0.5, 0, vec![format!("ties:{ties}")])
}

/// The record of a pair: of its own error where it cannot be used, else of what the files say.
fn record(job: &Job, report: Option<FileReport>) -> ExecutionRecord {
    let (status, error) = of_input(job);
    let mut out = ExecutionRecord {
        id: job.id.clone(),
        status,
        verdict: None,
        files: None,
        nonempty: None,
        witness: None,
        notes: Vec::new(),
        error,
    };
    let Some(report) = report else { return out };
    out.notes = report.notes;
    (out.status, out.error) = status::of_file(&report.verdict);
    match report.verdict {
        FileVerdict::Same { files, nonempty } => {
            (out.verdict, out.files, out.nonempty) = (Some("same"), Some(files), Some(nonempty));
        }
        FileVerdict::Different { file, gold, pred } => {
            out.verdict = Some("different");
            out.witness =
                Some(FileWitness { file: file.display().to_string(), gold: shown(gold), pred: shown(pred) });
        }
        _ => {}
    }
    out
}

/// The beginning of an answer as JSON.
fn shown(answer: Beginning) -> ShownAnswer {
    ShownAnswer {
        columns: answer.width,
        count: answer.count,
        rows: answer.rows.into_iter().map(|r| r.into_iter().map(plain).collect()).collect(),
    }
}

/// A single pair for people, with the two answers side by side where they differ.
fn one(record: &ExecutionRecord) -> String {
    let mut out = String::new();
    match (record.verdict, record.files) {
        (Some("same"), Some(n)) => out.push_str(&format!("same on all {n} files\n")),
        (Some(verdict), _) => out.push_str(&format!("{verdict}\n")),
        (None, _) => {}
    }
    out.push_str(&remarks(record.status, record.error.as_deref(), &record.notes));
    if let Some(witness) = &record.witness {
        out.push_str(&format!("\non {}\n", witness.file));
        let sides = [("gold", &witness.gold), ("pred", &witness.pred)];
        out.push_str(&side_by_side(sides.map(|(name, answer)| OneAnswer {
            name,
            columns: answer.columns,
            count: answer.count,
            rows: &answer.rows,
        })));
    }
    out
}
