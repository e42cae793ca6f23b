//! `twinql execute`: both queries on the users' own databases, which is execution accuracy.
//!
//! Nothing is generated, and no schema is given: the files hold theirs. They are opened for reading alone, in
//! the sandbox that predictions always run in. That the answers agree on these files says little of others,
//! which is what `twinql judge` is for.

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value as Json, json};
use twinql::record::{Status, StatusCounts};
use twinql::signature::Signature;
use twinql::suite::files::{Beginning, FileConfig, FileReport, FileVerdict, Files, Ties};
use twinql::{Dialects, Job, judging, status};

use super::answers::{Answer, side_by_side};
use super::batch::{Batch, guard};
use super::says::{End, Says};
use super::stream::Window;
use super::verdicts::{VerdictRecord, Verdicts, cell, rows};
use super::worker;
use crate::args::{Input, Output, typed};
use crate::input::{self, About};
use crate::output::Console;

/// A file on which the answers differ, and the answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct FileWitness {
    file: String,
    gold: Answer,
    pred: Answer,
}

/// Executes each pair as its line is read, and writes its record; the accuracy comes at the end.
pub(crate) fn run(typed: typed::Execute, console: Console) -> Result<bool> {
    if typed.input.schemas.schemas.is_some() {
        bail!("--schemas is not used here: the databases in --db hold their schemas");
    }
    let input = Input::without_schemas(typed.input, |_| input::guessing_over(&typed.db))?;
    let output = Output::of_pairs(typed.output, &input.source)?;
    let usual = FileConfig::new(typed.comparison.semantics()?);
    let config = FileConfig { limits: typed.run.limits(usual.limits)?, ..usual };
    let workers = worker::workers(typed.run.workers, &config.limits)?;
    let files = Files::find(&typed.db)?;
    guard(&input, &output, [("--db", Some(typed.db.as_path()))])?;
    let batch = Batch {
        names: ["execute", "executing", "executed"],
        settings: Json::Null,
        signatures: (signature(&config, input.dialects) + &typed.run.in_signature()).into(),
        window: Window::SMALL_BATCHES,
        schemas: input::schemas_of_files(&files, input.dialects),
        input: &input,
        output: &output,
        flags: None,
        runs: true,
        several_golds: false,
        always_said: true,
        console,
    };
    let work = |jobs: &[Job]| {
        let reports = judging::execute_all(jobs, &files, &config, &workers, &|| ());
        jobs.iter().zip(reports).map(|(job, report)| record(job, report)).collect()
    };
    batch.run(&work, Executed::default())
}

/// Verdicts so far.
#[derive(Default)]
struct Executed(Verdicts);

impl Says for Executed {
    type Record = VerdictRecord<FileWitness>;

    fn add(&mut self, _: &Job, _: &About, record: &mut Self::Record) -> Result<Status> {
        self.0.add(record.verdict);
        Ok(record.status)
    }

    /// The two answers stand side by side where they differ.
    fn words(&self, record: &Self::Record) -> String {
        let mut out = record.words(format!("same on all {} files", record.tried.unwrap_or(0)));
        if let Some(witness) = &record.witness {
            let answers = side_by_side(&witness.gold, &witness.pred);
            out.push_str(&format!("\non {}\n{answers}", witness.file));
        }
        out
    }

    fn cells(&self, record: &Self::Record) -> Vec<(&'static str, String)> {
        vec![cell("verdict", record.verdict)]
    }

    fn end(&self, counts: &StatusCounts) -> Result<End> {
        let (same, accuracy) = (self.0.same, self.0.share(counts));
        let (untested, total) = (counts.get(Status::Untested), counts.total());
        Ok(End {
            document: json!({"same": same, "untested": untested, "execution_accuracy": accuracy}),
            lines: vec![format!(
                "execution accuracy {accuracy:.4}: same {same} of all {total} pairs ({untested} untested)"
            )],
            checked: ("the execution accuracy".into(), accuracy),
            in_part: 0,
        })
    }
}

/// What the figures depend on. Nothing is random, so that the seed is always 0.
fn signature(config: &FileConfig, dialects: Dialects) -> String {
    let ties = match config.ties {
        Ties::Possible => "possible",
        Ties::AsReturned => "as-returned",
    };
    Signature::without_network("execution", dialects, &config.semantics, 0.5, 0, vec![format!("ties:{ties}")])
        .to_string()
}

/// The record of a pair: of its own error where it cannot be used, else of what the files say.
fn record(job: &Job, report: Option<FileReport>) -> VerdictRecord<FileWitness> {
    let mut out = VerdictRecord::new(job, "files");
    let Some(report) = report else { return out };
    out.notes = report.notes;
    (out.status, out.error) = status::of_file(&report.verdict);
    match report.verdict {
        FileVerdict::Same { files, nonempty } => out.same(files as u64, nonempty as u64),
        FileVerdict::Different { file, gold, pred } => {
            let file = file.display().to_string();
            out.different(Some(FileWitness { file, gold: shown(gold), pred: shown(pred) }));
        }
        _ => {}
    }
    out
}

/// The beginning of an answer as JSON.
fn shown(answer: Beginning) -> Answer {
    Answer { columns: answer.width, count: answer.count, rows: rows(answer.rows) }
}
