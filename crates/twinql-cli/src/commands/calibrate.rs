//! `twinql calibrate`: fits `ex` to pairs that were executed on real databases, or how `gmn` weighs what a few
//! databases in memory show to pairs with labels.
//!
//! What is known of each pair without its database is computed as `score --metric ex` does, a logistic model is
//! fitted to the verdicts of execution, and its weights are written into a copy of the checkpoint.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use twinql::files::Inputs;
use twinql::judging::name;
use twinql::model::{Correction, Executed, ExecutionModel, Probed};
use twinql::suite::Limits;
use twinql::{Engine, Job, Network};

use crate::args::{DEFAULT_SEED, Format, databases, typed};
use crate::commands::evaluate::selection::Selection;
use crate::commands::settled_profiles;
use crate::commands::stream::{Window, stream};
use crate::commands::worker::workers;
use crate::input::{self, PairItems};
use crate::labels::Labels;
use crate::output::{Console, Sink, write_file};

/// Reads what is known of all pairs, fits, measures, and writes the checkpoint.
pub(crate) fn run(typed: typed::Calibrate, seed: Option<u64>, console: Console) -> Result<bool> {
    let schemas = input::schemas(typed.input.schemas.as_deref(), typed.input.dialect.dialect)?;
    let network = Network::chosen(typed.checkpoint.as_deref())?;
    let semantics = typed.semantics.get()?;
    let answered = network.answers_for(&semantics);
    if answered.name != semantics.name {
        bail!("the network answers for {}, not for --semantics {semantics}", network.semantics().join(", "));
    }
    let mut inputs = Inputs::default().with([
        ("--pairs", Some(typed.pairs.as_path())),
        ("--schemas", typed.input.schemas.as_deref()),
        ("--labels", typed.labels.labels.as_deref()),
        ("--checkpoint", typed.checkpoint.as_deref()),
        ("--profile", typed.profile.as_deref()),
    ]);
    inputs.output(&typed.out)?;
    let labels = typed.labels.labels.as_deref().map(Labels::read).transpose()?;
    if let Some(labels) = &labels {
        labels.check(&typed.pairs)?;
    }
    let limits = typed.run.limits(Limits::default())?;
    let engine = Engine::builder()
        .network(network.clone())
        .question(typed.question.get()?)
        .probes(typed.probe.probe)
        .semantics(semantics)
        .databases(databases(typed.databases)?)
        .plausible(typed.plausible)
        .profiles(settled_profiles(typed.profile.as_deref(), schemas.all(), console)?)
        .seed(seed.unwrap_or(DEFAULT_SEED))
        .translated_from(schemas.dialect())
        .workers(workers(typed.run.workers, &limits)?, limits)
        .build()?;
    let (pairs, selection) =
        Selection::of(PairItems::open(&typed.pairs, schemas, false)?, typed.split.clone(), labels);
    if typed.metric == "gmn" {
        if engine.probed_databases() == 0 {
            bail!("--probe 0 shows nothing that could be weighed");
        }
        let question = engine.question();
        let mut probed: Vec<Probed> = Vec::new();
        let mut unread = 0;
        let work = |jobs: &[Job]| engine.probes_of(jobs);
        stream(pairs, Window::SMALL_BATCHES, "reading", console, &work, &mut |done| {
            let Some((job, about, known)) = done else { return Ok(true) };
            let database = about
                .db_id
                .clone()
                .with_context(|| format!("pair {} names no db_id", about.id_text(&job.id)))?;
            match known {
                Some(known) => probed.push(Probed { label: about.label == Some(true), database, ..known }),
                None => unread += 1,
            }
            Ok(true)
        })?;
        selection.lock().unwrap_or_else(PoisonError::into_inner).say(&typed.pairs, console)?;
        let correction =
            Correction::fit(question, &probed).with_context(|| typed.pairs.display().to_string())?;
        write_file(&typed.out, &network.with_correction(correction)?)?;
        let mut sink = Sink::new(None)?;
        match typed.format.format {
            Format::Text => sink.write(&corrected(&correction, unread))?,
            Format::Json | Format::Jsonl => {
                sink.line(&serde_json::to_string_pretty(
                    &json!({"correction": correction, "unread": unread}),
                )?)?;
            }
        }
        sink.finish()?;
        console.say(format!("wrote {}", typed.out.display()));
        return Ok(true);
    }
    let mut executed: Vec<Executed> = Vec::new();
    let mut left_out: BTreeMap<&'static str, usize> = BTreeMap::new();
    let work = |jobs: &[Job]| engine.signs(jobs);
    stream(pairs, Window::SMALL_BATCHES, "reading", console, &work, &mut |done| {
        let Some((job, about, known)) = done else {
            return Ok(true);
        };
        match known {
            Some(Ok(known)) => executed.push(Executed {
                signs: known.signs,
                label: about.label == Some(true),
                database: about
                    .db_id
                    .clone()
                    .with_context(|| format!("pair {} names no db_id", about.id_text(&job.id)))?,
            }),
            Some(Err(verdict)) => *left_out.entry(name(&verdict)).or_default() += 1,
            None => *left_out.entry("unusable").or_default() += 1,
        }
        Ok(true)
    })?;
    selection.lock().unwrap_or_else(PoisonError::into_inner).say(&typed.pairs, console)?;
    let model = ExecutionModel::fit(&executed).with_context(|| typed.pairs.display().to_string())?;
    write_file(&typed.out, &network.with_execution(model)?)?;

    let mut sink = Sink::new(None)?;
    match typed.format.format {
        Format::Text => sink.write(&text(&model, &left_out))?,
        Format::Json | Format::Jsonl => {
            sink.line(&serde_json::to_string_pretty(&json!({"execution": model, "left_out": left_out}))?)?;
        }
    }
    sink.finish()?;
    console.say(format!("wrote {}", typed.out.display()));
    Ok(true)
}

/// A correction and its figures for people.
fn corrected(correction: &Correction, unread: usize) -> String {
    let Correction { question, offset, network, share, threshold, validation, folds, .. } = correction;
    let mut out = format!("asked {question}\nweight     log odds\n");
    for (name, weight) in [("offset", offset), ("network", network), ("share", share)] {
        out.push_str(&format!("{name:<9}  {weight:>8.2}\n"));
    }
    out.push_str(&format!(
        "\n{} pairs, of which network and share are weighed on {} over {} databases\n",
        validation.pairs, folds.pairs, folds.databases
    ));
    if unread > 0 {
        out.push_str(&format!("left out, since the network cannot read them: {unread}\n"));
    }
    out.push_str(&format!(
        "these, each fifth of the databases by the others: AUC {:.4}, ECE {:.4}\n",
        folds.auc, folds.ece
    ));
    out.push_str(&format!(
        "all: AUC {:.4}, ECE {:.4}, accuracy {:.4} at {threshold:.2}\n",
        validation.auc, validation.ece, validation.accuracy
    ));
    out
}

/// The model and its figures for people.
fn text(model: &ExecutionModel, left_out: &BTreeMap<&'static str, usize>) -> String {
    let folds = &model.folds;
    let mut out = String::from("weight     log odds\n");
    for (name, weight) in model.named() {
        out.push_str(&format!("{name:<9}  {weight:>8.2}\n"));
    }
    out.push_str(&format!(
        "\n{} pairs over {} databases, {:.1} % of them right\n",
        folds.pairs,
        folds.databases,
        100.0 * folds.positive
    ));
    if !left_out.is_empty() {
        let counts: Vec<String> = left_out.iter().map(|(why, n)| format!("{why} {n}")).collect();
        out.push_str(&format!("left out, since ex has no model of them: {}\n", counts.join(", ")));
    }
    out.push_str(&format!(
        "each fifth of the databases by the others: AUC {:.4}, ECE {:.4}\n",
        folds.auc, folds.ece
    ));
    out
}
