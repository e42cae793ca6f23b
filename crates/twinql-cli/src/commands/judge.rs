//! `twinql judge`: a verdict of the test suite for each pair, with a witness database where they differ.
//!
//! `same` says that no database told the two apart, which is no proof; `different` is proved by its witness.
//! A pair over whose databases the gold never answered is `untested` and counts as neither.

use anyhow::Result;
use serde_json::{Value as Json, json};
use twinql::judging;
use twinql::record::{Status, StatusCounts};
use twinql::signature::of_suite;
use twinql::suite::{JudgeConfig, Report, Verdict};
use twinql::{Dialects, Job, Profiles, status};

use super::batch::{Batch, guard};
use super::says::{Decided, End, Says};
use super::stream::Window;
use super::verdicts::{VerdictRecord, Verdicts, cell};
use super::witness::{WitnessFolder, WitnessRecord};
use super::{settled_profiles, without_network, worker};
use crate::args::{Input, Output, typed};
use crate::input::{self, About, Item};
use crate::output::Console;

/// Judges each pair as its line is read, and writes its record; the counts and the signature come at the end.
pub(crate) fn run(typed: typed::Judge, seed: Option<u64>, console: Console) -> Result<bool> {
    let input = Input::new(typed.input)?;
    let output = Output::of_pairs(typed.output, &input.source)?;
    let (judge, workers) = worker::judge(&typed.run, typed.comparison.semantics()?, typed.databases, seed)?;
    let config = JudgeConfig { plausible: typed.plausible, ..judge };
    let schemas = input::schemas(input.schemas.as_deref(), input.dialects)?;
    let profile = typed.profile.profile.as_deref();
    let profiles = settled_profiles(profile, schemas.all(), console)?;
    let inputs = guard(&input, &output, [("--profile", profile)])?;
    let batch = Batch {
        names: ["judge", "judging", "judged"],
        settings: json!({"echo": typed.batch.echo, "witness_dir": typed.witness_dir, "plausible": typed.plausible}),
        signatures: signature(&config, &profiles, input.dialects).into(),
        window: Window::of(&workers),
        input: &input,
        output: &output,
        schemas,
        flags: Some(&typed.batch),
        runs: true,
        always_said: false,
        console,
    };
    let folder = typed.witness_dir.clone().map(|folder| WitnessFolder::new(folder, inputs));
    let work = |jobs: &[Job]| {
        let reports = judging::judge_all_following(jobs, &config, &profiles, &workers, &|| ());
        jobs.iter().zip(reports).map(|(job, report)| record(job, report)).collect()
    };
    batch.run(&work, Judged { verdicts: Verdicts::default(), folder })
}

/// Verdicts so far, and where witnesses go.
struct Judged {
    verdicts: Verdicts,
    folder: Option<WitnessFolder>,
}

impl Says for Judged {
    type Record = VerdictRecord<WitnessRecord>;

    fn add(&mut self, job: &Job, _: &About, record: &mut Self::Record) -> Result<Status> {
        self.verdicts.add(record.verdict);
        if let (Some(folder), Some(witness)) = (&mut self.folder, &mut record.witness) {
            folder.write(&job.id, witness)?;
        }
        Ok(record.status)
    }

    /// The line keeps its witness file.
    fn again(&mut self, _: &Item, line: &Json) -> Result<()> {
        self.verdicts.add(line["verdict"].as_str());
        if let (Some(folder), true) = (&mut self.folder, line["witness"].is_object()) {
            folder.written(&line["id"]);
        }
        Ok(())
    }

    /// A prediction that is no query over the schema is different; of a pair without a verdict nothing is said.
    fn decided(&self, record: &Self::Record) -> Vec<Decided> {
        let decision = match (record.verdict, record.status) {
            (Some(verdict), _) => verdict,
            (None, Status::PredError) => "different",
            (None, _) => "abstained",
        };
        vec![Decided { metric: "suite", decision, threshold: THRESHOLD }]
    }

    fn words(&self, record: &Self::Record) -> String {
        let (tried, filled) = (record.tried.unwrap_or(0), record.nonempty.unwrap_or(0));
        let mut out = record.words(format!(
            "same as far as tested: no database of {tried} tells them apart (the gold answered on {filled})"
        ));
        if let Some(witness) = &record.witness {
            out.push_str(&format!("\n{}\n", witness.text));
            if let Some(file) = &witness.file {
                out.push_str(&format!("witness written to {file}\n"));
            }
        }
        out
    }

    fn cells(&self, record: &Self::Record) -> Vec<(&'static str, String)> {
        vec![cell("verdict", record.verdict)]
    }

    fn end(&self, counts: &StatusCounts) -> Result<End> {
        let Verdicts { same, different } = self.verdicts;
        let (untested, total) = (counts.get(Status::Untested), counts.total());
        Ok(End {
            document: json!({"same": same, "different": different, "untested": untested}),
            lines: vec![format!(
                "same {same}, different {different}, untested {untested}, of all {total} pairs"
            )],
            checked: ("the share of pairs called the same".into(), self.verdicts.share(counts)),
            in_part: 0,
        })
    }
}

/// Verdicts are 0 or 1.
const THRESHOLD: f64 = 0.5;

/// What the verdicts depend on.
fn signature(config: &JudgeConfig, profiles: &Profiles, dialects: Dialects) -> String {
    let mut further = of_suite(config);
    if !profiles.is_empty() {
        further.push(format!("profile:{}", profiles.digest()));
    }
    without_network("suite", dialects, &config.semantics, THRESHOLD, config.seed, further)
}

/// The record of a pair: of its own error where it cannot be used, else of what the judge says.
pub(crate) fn record(job: &Job, report: Option<Report>) -> VerdictRecord<WitnessRecord> {
    let mut out = VerdictRecord::new(job, "databases");
    let Some(report) = report else { return out };
    out.notes = report.notes;
    (out.status, out.error) = status::of_verdict(&report.verdict);
    match report.verdict {
        Verdict::Same { databases, nonempty } => out.same(databases, nonempty),
        Verdict::Different { witness } => out.different(WitnessRecord::of(job, *witness)),
        Verdict::Untested { databases, .. } => out.tried = Some(databases),
        Verdict::GoldError { .. }
        | Verdict::PredError { .. }
        | Verdict::Timeout { .. }
        | Verdict::MachineError { .. } => {}
    }
    out
}
