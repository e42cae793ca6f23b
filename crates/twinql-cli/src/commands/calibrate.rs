//! `twinql calibrate`: fits `ex` to pairs that were executed on real databases, or how `gmn` weighs what a few
//! databases in memory show to pairs with labels.
//!
//! What is known of each pair without its database is computed as `score --metric ex` does, a logistic model is
//! fitted to the verdicts of execution, and its weights are written into a copy of the checkpoint.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use twinql::files::Inputs;
use twinql::gmn::{Correction, Executed, ExecutionModel, Probed};
use twinql::input::{Guessing, Source};
use twinql::judging::name;
use twinql::metrics::GMN;
use twinql::suite::Limits;
use twinql::{Engine, Job, Network};

use crate::args::{DEFAULT_SEED, databases, typed};
use crate::commands::evaluate::selection::Selection;
use crate::commands::stream::{Window, stream};
use crate::commands::worker::workers;
use crate::commands::{print, settled_profiles};
use crate::input::{self, Pairs};
use crate::labels::Labels;
use crate::output::{Console, write_file};

/// Reads what is known of all pairs, fits, measures, and writes the checkpoint.
pub(crate) fn run(typed: typed::Calibrate, seed: Option<u64>, console: Console) -> Result<bool> {
    let source = Source::Pairs(typed.pairs.clone());
    let dialects = input::settled(&typed.input.dialects, &[source], |ddl| {
        Ok(Guessing::new(typed.input.schemas.as_deref(), ddl, None))
    })?;
    let schemas = input::schemas(typed.input.schemas.as_deref(), dialects)?;
    let network = Network::chosen(typed.checkpoint.as_deref())?;
    let semantics = typed.semantics.get()?;
    if network.stands_in_for(&semantics).is_some() {
        bail!(
            "the network was trained for {}, not for --semantics {semantics}",
            network.semantics().join(", ")
        );
    }
    let mut inputs = Inputs::default().with([
        ("--pairs", Some(typed.pairs.as_path())),
        ("--schemas", typed.input.schemas.as_deref()),
        ("--labels", typed.labels.labels.as_deref()),
        ("--checkpoint", typed.checkpoint.as_deref()),
        ("--profile", typed.profile.profile.as_deref()),
    ]);
    inputs.output(&typed.out)?;
    let labels = Labels::of(typed.labels.labels.as_deref(), &typed.pairs)?;
    let limits = typed.run.limits(Limits::default())?;
    let engine = Engine::builder()
        .network(network.clone())
        .question(typed.question.get()?)
        .probes(typed.probe.probe)
        .semantics(semantics)
        .databases(databases(typed.databases)?)
        .plausible(typed.plausible)
        .profiles(settled_profiles(typed.profile.profile.as_deref(), schemas.all(), console)?)
        .seed(seed.unwrap_or(DEFAULT_SEED))
        .translated_from(schemas.dialects())
        .workers(workers(typed.run.workers, &limits)?, limits)
        .build()?;
    let (pairs, selection) = Selection::of(&typed.pairs, schemas, typed.split.clone(), labels)?;
    let pairs = Labelled { pairs, selection, file: &typed.pairs, console };
    let fitted = match typed.metric.as_str() {
        "gmn" => correction(&engine, &network, pairs)?,
        _ => execution(&engine, &network, pairs)?,
    };
    write_file(&typed.out, &fitted.checkpoint)?;
    print(typed.format.format, || fitted.text, || fitted.json)?;
    console.say(format!("wrote {}", typed.out.display()));
    Ok(true)
}

/// The pairs of a file that are fitted to.
struct Labelled<'a> {
    /// The pairs, as they are read.
    pairs: Pairs,
    /// Which of them are used. It counts in the thread that reads, and is asked here at the end.
    selection: Arc<Mutex<Selection>>,
    file: &'a Path,
    console: Console,
}

impl Labelled<'_> {
    /// Calls `each` with all pairs, their databases, and what `work` finds out of them.
    fn read<T: Send>(
        self,
        work: &(dyn Fn(&[Job]) -> Vec<T> + Sync),
        mut each: impl FnMut(bool, String, T),
    ) -> Result<()> {
        stream(self.pairs, Window::SMALL_BATCHES, "reading", self.console, work, &mut |done| {
            let Some((job, about, known)) = done else { return Ok(true) };
            let named = about.db_id.clone();
            let database =
                named.with_context(|| format!("pair {} names no db_id", about.id_text(&job.id)))?;
            each(about.label == Some(true), database, known);
            Ok(true)
        })?;
        self.selection.lock().unwrap_or_else(PoisonError::into_inner).say(self.file, self.console)
    }
}

/// A checkpoint with new weights, and what is said of them.
struct Fitted {
    /// The whole file, with what was fitted in its header.
    checkpoint: Vec<u8>,
    /// For people.
    text: String,
    /// For programs.
    json: serde_json::Value,
}

/// How `gmn` weighs what databases in memory show.
fn correction(engine: &Engine, network: &Network, pairs: Labelled<'_>) -> Result<Fitted> {
    if engine.probed_databases() == 0 {
        bail!("--probe 0 shows nothing that could be weighed");
    }
    let file = pairs.file;
    let semantics = engine.semantics_of(&GMN);
    let mut probed: Vec<Probed> = Vec::new();
    let mut unread = 0;
    pairs.read(&|jobs| engine.probes_of(jobs), |label, database, known| match known {
        Some(known) => probed.push(Probed { label, database, ..known }),
        None => unread += 1,
    })?;
    let vacuous = probed.iter().filter(|pair| pair.vacuous).count();
    let found = Correction::fit(engine.question(), &semantics.name, &probed)
        .with_context(|| file.display().to_string())?;
    Ok(Fitted {
        text: corrected(&found, unread, vacuous),
        json: json!({"correction": found, "unread": unread, "vacuous": vacuous}),
        checkpoint: network.with_correction(found)?,
    })
}

/// What `ex` makes of what is known of a pair without its database.
fn execution(engine: &Engine, network: &Network, pairs: Labelled<'_>) -> Result<Fitted> {
    let file = pairs.file;
    let mut executed: Vec<Executed> = Vec::new();
    let mut left_out: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut golds: HashMap<String, usize> = HashMap::new();
    let of_gold = |job: &Job| {
        job.pair().map_or_else(String::new, |(schema, gold, _)| format!("{}\n{gold}", schema.db_id))
    };
    let work = |jobs: &[Job]| jobs.iter().map(of_gold).zip(engine.signs(jobs)).collect();
    pairs.read(&work, |label, database, (gold, known)| match known {
        Some(Ok(known)) => {
            let next = golds.len();
            let gold = *golds.entry(gold).or_insert(next);
            executed.push(Executed { signs: known.signs, label, database, gold });
        }
        Some(Err(verdict)) => *left_out.entry(name(&verdict)).or_default() += 1,
        None => *left_out.entry("unusable").or_default() += 1,
    })?;
    let model = ExecutionModel::fit(&executed, ExecutionModel::shipped(), file.display().to_string())
        .with_context(|| file.display().to_string())?;
    Ok(Fitted {
        text: text(&model, &left_out),
        json: json!({"ex": model, "left_out": left_out}),
        checkpoint: network.with_execution(model)?,
    })
}

/// A table of weights.
fn weights<'n>(named: impl IntoIterator<Item = (&'n str, f64)>) -> String {
    let rows = named.into_iter().map(|(name, weight)| format!("{name:<9}  {weight:>8.2}\n"));
    rows.fold(String::from("weight     log odds\n"), |out, row| out + &row)
}

/// A correction and its figures for people.
fn corrected(correction: &Correction, unread: usize, vacuous: usize) -> String {
    let Correction {
        question,
        semantics,
        offset,
        network,
        share,
        silent,
        open,
        threshold,
        validation,
        folds,
        ..
    } = correction;
    let named =
        [("offset", *offset), ("network", *network), ("share", *share), ("silent", *silent), ("open", *open)];
    let mut out = format!("asked {question}, under {semantics}\n{}", weights(named));
    out.push_str(&format!(
        "\n{} pairs, of which network and share are weighed on {} over {} databases\n",
        validation.pairs, folds.pairs, folds.databases
    ));
    let since = [("the network cannot read them", unread), ("an assumption empties a part of them", vacuous)];
    for (reason, count) in since.into_iter().filter(|(_, count)| *count > 0) {
        out.push_str(&format!("left out, since {reason}: {count}\n"));
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
    let mut out = weights(model.named());
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
