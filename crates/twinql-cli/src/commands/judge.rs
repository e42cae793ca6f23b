//! `twinql judge`: a verdict of the test suite for each pair, with a witness database where they differ.
//!
//! `same` says that no database told the two apart, which is no proof; `different` is proved by its witness.
//! A pair over whose databases the gold never answered is `untested` and counts as neither.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value as Json, json};
use twinql::judging;
use twinql::record::{Status, StatusCounts};
use twinql::signature::{Signature, of_suite};
use twinql::suite::engines::Engine;
use twinql::suite::{JudgeConfig, Report, Semantics, Verdict};
use twinql::{Dialects, Job, Profiles, status};

use super::batch::{Batch, guard};
use super::says::{Decided, End, Says};
use super::stream::Window;
use super::verdicts::{VerdictRecord, Verdicts, cell};
use super::witness::{EngineRecord, WitnessFolder, WitnessRecord};
use super::{settled_profiles, worker};
use crate::args::{Input, Output, typed};
use crate::input::{self, About, Item};
use crate::output::Console;

/// Judges each pair as its line is read, and writes its record; the counts and the signature come at the end.
pub(crate) fn run(mut typed: typed::Judge, seed: Option<u64>, console: Console) -> Result<bool> {
    let input = Input::new(typed.input)?;
    let engine = typed.engine.as_deref().map(Engine::named).transpose()?;
    if let Some(engine) = &engine {
        of_one_system(engine, input.dialects)?;
        engine.reach().with_context(|| format!("--engine: {} cannot be asked", engine.name()))?;
        typed.batch.echo = true;
    }
    let output = Output::of_pairs(typed.output, &input.source)?;
    let (judge, workers) = worker::judge(&typed.run, typed.comparison.semantics()?, typed.databases, seed)?;
    let config = JudgeConfig { plausible: typed.plausible, ..judge };
    let schemas = input::schemas(input.schemas.as_deref(), input.dialects)?;
    let profile = typed.profile.profile.as_deref();
    let profiles = settled_profiles(profile, schemas.all(), console)?;
    let inputs = guard(&input, &output, [("--profile", profile)])?;
    let batch = Batch {
        names: ["judge", "judging", "judged"],
        settings: json!({"echo": typed.batch.echo, "witness_dir": typed.witness_dir, "plausible": typed.plausible, "engine": typed.engine}),
        signatures: signature(&config, &profiles, input.dialects).into(),
        window: Window::of(&workers),
        input: &input,
        output: &output,
        schemas,
        flags: Some(&typed.batch),
        runs: true,
        several_golds: false,
        always_said: false,
        console,
    };
    let folder = typed.witness_dir.clone().map(|folder| WitnessFolder::new(folder, inputs));
    let work = |jobs: &[Job]| {
        let reports = judging::judge_all_following(jobs, &config, &profiles, &workers, &|| ());
        jobs.iter().zip(reports).map(|(job, report)| record(job, report)).collect()
    };
    let engine = engine.map(|engine| (engine, config.semantics.clone()));
    batch.run(&work, Judged { verdicts: Verdicts::default(), folder, engine, disagrees: 0 })
}

/// Verdicts so far, and where witnesses go.
struct Judged {
    verdicts: Verdicts,
    folder: Option<WitnessFolder>,
    /// The user's own system, and how its answers are compared.
    engine: Option<(Engine, Semantics)>,
    /// Witnesses on which its answers are the same.
    disagrees: usize,
}

/// Refuses an engine that speaks another dialect than the queries.
fn of_one_system(engine: &Engine, dialects: Dialects) -> Result<()> {
    let (spoken, system) = (engine.dialect(), engine.name());
    ensure!(
        dialects.gold == spoken && dialects.pred == spoken,
        "--engine is {system}, and the queries are {}'s and {}'s; give --dialect {spoken}, or --gold-dialect and --pred-dialect",
        dialects.gold,
        dialects.pred
    );
    Ok(())
}

impl Says for Judged {
    type Record = VerdictRecord<WitnessRecord>;

    fn add(&mut self, job: &Job, about: &About, record: &mut Self::Record) -> Result<Status> {
        self.verdicts.add(record.verdict);
        if let (Some((engine, semantics)), Some(witness), Some(echo)) =
            (&self.engine, &mut record.witness, about.echo.as_deref())
            && let (Some(gold), Some(pred)) = (&echo.gold, &echo.pred)
        {
            witness.engine = EngineRecord::of(engine, job, (gold, pred), witness.statements(), semantics);
            self.disagrees += usize::from(witness.engine.as_ref().is_some_and(EngineRecord::disagrees));
        }
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
            if let Some(engine) = &witness.engine {
                out.push_str(&format!("{}\n", engine.words()));
            }
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
        let mut document = json!({"same": same, "different": different, "untested": untested});
        let mut lines =
            vec![format!("same {same}, different {different}, untested {untested}, of all {total} pairs")];
        if let Some((engine, _)) = &self.engine {
            document["engine_disagrees"] = json!(self.disagrees);
            lines.push(format!("{} calls {} of the different pairs the same", engine.name(), self.disagrees));
        }
        Ok(End {
            document,
            lines,
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
    Signature::without_network("suite", dialects, &config.semantics, THRESHOLD, config.seed, further)
        .to_string()
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
