//! `twinql train`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use twinql::engine::encoding;
use twinql::graph::{PairArrays, vocabulary};
use twinql::model::{
    Compute, EpochReport, Example, GmnConfig, Observer, StartReport, StepReport, TrainConfig, train,
};
use twinql::prepare::{Graphs, SideError};
use twinql::signature::{Signature, short_hash};
use twinql::sql::{Dialect, Schema, Semantics};
use twinql::{Job, Work};

use super::weaken::Weaken;
use crate::args::typed;
use crate::input::{self, Schemas};
use crate::output::{Console, Sink, write_file};

/// A run's configuration file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The run's folder.
    #[serde(default)]
    run: Option<PathBuf>,
    #[serde(default)]
    data: Data,
    #[serde(default)]
    model: GmnConfig,
    #[serde(default)]
    train: TrainConfig,
}

/// What is trained on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Data {
    /// Pair files; each pair has a label and a split.
    pairs: Vec<PathBuf>,
    /// Schemas of pairs that name a database.
    schemas: Option<PathBuf>,
    /// Whose SQL the queries and the DDL are.
    dialect: Dialect,
    /// The semantics of the labels.
    semantics: String,
    /// The split that is trained on.
    train_split: String,
    /// The split that chooses the epoch and fits the calibration.
    valid_split: String,
    /// Weights in the loss by the pair's kind of origin (`prediction`, `neighbour`,
    /// `neighbour of a rewrite`, `rewrite`, `rewrite of a prediction`); 1 where none is given.
    weights: BTreeMap<String, f32>,
    /// Copies of training pairs whose forms are less canonical.
    weaken: Weaken,
}

impl Default for Data {
    fn default() -> Self {
        Data {
            pairs: Vec::new(),
            schemas: None,
            dialect: Dialect::Sqlite,
            semantics: "default".into(),
            train_split: "train".into(),
            valid_split: "valid".into(),
            weights: BTreeMap::new(),
            weaken: Weaken::default(),
        }
    }
}

pub(crate) fn run(typed: &typed::Train, seed: Option<u64>, console: Console) -> Result<bool> {
    let (config, run) = config(typed, seed)?;
    let semantics: Semantics = config
        .data
        .semantics
        .parse()
        .map_err(|e| anyhow::anyhow!("data.semantics: {e}"))?;
    let (train_set, valid_set) = examples(&config, &semantics, console)?;
    std::fs::create_dir_all(&run)
        .with_context(|| format!("cannot create the run folder {}", run.display()))?;
    let text = toml::to_string_pretty(&config).context("cannot write the configuration as TOML")?;
    write_file(&run.join("config.toml"), text.as_bytes())?;

    let mut progress = Progress {
        console,
        bar: None,
        auc: None,
    };
    let trained = train(&config.train, &train_set, &valid_set, &mut progress)?;
    progress.close();

    let bytes = trained.checkpoint.to_bytes()?;
    let path = run.join("model.safetensors");
    write_file(&path, &bytes)?;

    let info = &trained.checkpoint.info;
    let quality = &info.validation;
    let mut sink = Sink::new(None)?;
    sink.line(&format!("checkpoint  {}", path.display()))?;
    sink.line(&format!(
        "validation  {} pairs, AUC {:.4}, accuracy {:.4} at {:.2}, ECE {:.4}, log loss {:.4} (chosen and calibrated on these pairs: optimistic)",
        quality.pairs, quality.auc, quality.accuracy, info.threshold, quality.ece, quality.log_loss
    ))?;
    sink.line(&format!(
        "epoch       {} of {} kept",
        info.epoch,
        trained.history.len()
    ))?;
    let signature = Signature {
        metric: "gmn".into(),
        checkpoint: short_hash(&bytes),
        dialect: config.data.dialect,
        semantics: info.semantics.clone(),
        threshold: f64::from(info.threshold),
        device: "cpu".into(),
        seed: info.seed,
    };
    sink.line(&signature.to_string())?;
    sink.finish()?;
    Ok(true)
}

/// The configuration with what the flags override, and the run's folder.
fn config(typed: &typed::Train, seed: Option<u64>) -> Result<(Config, PathBuf)> {
    let path = &typed.config;
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut config: Config = toml::from_str(&text).with_context(|| path.display().to_string())?;
    if let Some(pairs) = &typed.pairs {
        config.data.pairs = vec![pairs.clone()];
    }
    if typed.dialect != Dialect::Sqlite {
        config.data.dialect = typed.dialect;
    }
    if let Some(schemas) = &typed.schemas {
        config.data.schemas = Some(schemas.clone());
    }
    let paths = config
        .data
        .pairs
        .iter_mut()
        .chain(&mut config.data.schemas)
        .chain(&mut config.run);
    for given in paths {
        *given = expand(given).with_context(|| path.display().to_string())?;
    }
    if config.data.pairs.is_empty() {
        bail!(
            "{}: no pairs to train on; set data.pairs = [\"FILE\"] or give --pairs",
            path.display()
        );
    }
    let run = typed.run.clone().or(config.run.clone());
    let Some(run) = run else {
        bail!(
            "{}: no folder to write into; set run = \"FOLDER\" or give --run",
            path.display()
        );
    };
    config.run = Some(run.clone());
    config.model.words = vocabulary::WORD_COUNT;
    config.model.tags = vocabulary::TAG_COUNT;
    let train = &mut config.train;
    train.model = config.model.clone();
    train.vocabulary = vocabulary::hash();
    train.semantics = config.data.semantics.clone();
    train.run_dir = Some(run.clone());
    train.resume = typed.resume;
    if let Some(seed) = seed {
        train.seed = seed;
    }
    if let Some(epochs) = typed.epochs {
        train.epochs = epochs;
    }
    if let Some(minutes) = typed.max_minutes {
        train.max_minutes = minutes;
    }
    if let Some(device) = &typed.device {
        train.compute = device.parse::<Compute>()?;
    }
    train.validate().with_context(|| path.display().to_string())?;
    Ok((config, run))
}

/// Fills `${NAME}` in from the environment.
fn expand(path: &Path) -> Result<PathBuf> {
    match path.to_str() {
        Some(text) => Ok(twinql::corpus::build::expand(text)?.into()),
        None => Ok(path.to_owned()),
    }
}

/// A labelled pair of a split that is used.
pub(super) struct Labelled {
    pub(super) schema: Arc<Schema>,
    pub(super) gold: String,
    pub(super) pred: String,
    pub(super) label: bool,
    valid: bool,
    pub(super) origin: &'static str,
    pub(super) weight: f32,
}

/// Reads, plans and encodes all pairs. Returns training and validation examples.
fn examples(
    config: &Config,
    semantics: &Semantics,
    console: Console,
) -> Result<(Vec<Example>, Vec<Example>)> {
    let data = &config.data;
    let mut schemas = Schemas::load(data.schemas.as_deref(), data.dialect)?;
    let mut labelled = Vec::new();
    let mut left_out = LeftOut::default();
    for path in &data.pairs {
        read(path, data, &mut schemas, &mut labelled, &mut left_out)?;
    }
    let bar = console.bar(None, "planning");
    let queries = labelled
        .iter()
        .flat_map(|p| [(&p.schema, p.gold.as_str()), (&p.schema, p.pred.as_str())]);
    let graphs = Graphs::build(queries, semantics, &|| bar.inc(1));
    bar.finish_and_clear();

    let encoding = encoding(config.model.walk_steps);
    let bar = console.bar(Some(labelled.len() as u64), "encoding");
    let encoded: Vec<Result<Example, SideError>> = labelled
        .par_iter()
        .map(|pair| {
            bar.inc(1);
            let gold = graphs.get(&pair.schema, &pair.gold);
            let pred = graphs.get(&pair.schema, &pair.pred);
            match (gold.as_ref(), pred.as_ref()) {
                (Ok(gold), Ok(pred)) => Ok(Example {
                    pair: PairArrays::build(gold, pred, &encoding),
                    label: pair.label,
                    weight: pair.weight,
                }),
                (Err(error), _) | (_, Err(error)) => Err(error.clone()),
            }
        })
        .collect();
    bar.finish_and_clear();

    let (mut train, mut valid) = (Vec::new(), Vec::new());
    for (pair, example) in labelled.iter().zip(encoded) {
        match example {
            Ok(example) if pair.valid => valid.push(example),
            Ok(example) => train.push(example),
            Err(error) => left_out.unplanned.add(&error.message),
        }
    }
    if !data.weaken.is_off() {
        let bar = console.bar(None, "weaker forms");
        let pairs: Vec<&Labelled> = labelled.iter().filter(|p| !p.valid).collect();
        let made: Vec<Example> = pairs
            .par_iter()
            .enumerate()
            .flat_map_iter(|(number, pair)| {
                bar.inc(1);
                let made = data
                    .weaken
                    .copies_of(number, pair, semantics, &encoding, config.train.seed);
                made.into_iter()
            })
            .collect();
        bar.finish_and_clear();
        console.say(format!("{} more pairs in weaker forms", made.len()));
        train.extend(made);
    }
    left_out.say(console);
    for (set, split) in [(&train, &data.train_split), (&valid, &data.valid_split)] {
        let positives = set.iter().filter(|e| e.label).count();
        console.say(format!("{split}: {} pairs, {positives} with label 1", set.len()));
        if positives == 0 || positives == set.len() {
            bail!(
                "split {split:?} has {positives} pairs with label 1 of {}: both labels are needed; `twinql corpus stats` shows what a file holds",
                set.len()
            );
        }
    }
    console.say(format!("{} distinct queries", graphs.len()));
    Ok((train, valid))
}

fn read(
    path: &Path,
    data: &Data,
    schemas: &mut Schemas,
    labelled: &mut Vec<Labelled>,
    left_out: &mut LeftOut,
) -> Result<()> {
    for item in input::read_pairs(path, schemas)? {
        let Job { work, .. } = item.job;
        let (schema, gold, pred) = match work {
            Work::Pair { schema, gold, pred } => (schema, gold, pred),
            Work::Unusable { error, .. } => {
                left_out.unusable.add(&error);
                continue;
            }
        };
        let valid = match item.split.as_deref() {
            Some(split) if split == data.train_split => false,
            Some(split) if split == data.valid_split => true,
            _ => {
                left_out.other_split += 1;
                continue;
            }
        };
        let origin = twinql::corpus::build::origin(item.source.as_deref().unwrap_or_default());
        let weight = data.weights.get(origin).copied().unwrap_or(1.0);
        match item.label {
            Some(label) => labelled.push(Labelled {
                schema,
                gold,
                pred,
                label,
                valid,
                origin,
                weight,
            }),
            None => left_out.unlabelled += 1,
        }
    }
    Ok(())
}

/// Pairs that are not trained on, and why.
#[derive(Default)]
struct LeftOut {
    unusable: Reason,
    unplanned: Reason,
    unlabelled: usize,
    other_split: usize,
}

#[derive(Default)]
struct Reason {
    count: usize,
    first: Option<String>,
}

impl Reason {
    fn add(&mut self, message: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| message.to_owned());
    }
}

impl LeftOut {
    fn say(&self, console: Console) {
        for (reason, what) in [
            (&self.unusable, "unusable lines"),
            (&self.unplanned, "pairs without a plan"),
        ] {
            if let Some(first) = &reason.first {
                console.say(format!("left out: {} {what}; the first: {first}", reason.count));
            }
        }
        for (count, what) in [
            (self.unlabelled, "without a label"),
            (self.other_split, "of other splits"),
        ] {
            if count > 0 {
                console.say(format!("left out: {count} pairs {what}"));
            }
        }
    }
}

/// A bar for each epoch on a terminal, a line for each epoch everywhere.
struct Progress {
    console: Console,
    bar: Option<ProgressBar>,
    auc: Option<f64>,
}

impl Progress {
    fn close(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn start(&mut self, report: &StartReport) {
        let resumed = match report.resumed_after {
            0 => String::new(),
            epoch => format!(", resumed after epoch {epoch}"),
        };
        self.console.say(format!(
            "training {} parameters on {} pairs ({} more have equal canonical forms), {} steps an epoch{resumed}",
            report.parameters, report.train_pairs, report.identical, report.steps
        ));
        if let Some((count, first)) = &report.unusable {
            self.console.warn(format!(
                "{count} pairs cannot be read by the network; the first: {first}"
            ));
        }
    }

    fn step(&mut self, report: &StepReport) {
        if self.bar.is_none() {
            self.bar = Some(
                self.console
                    .bar(Some(report.steps as u64), &format!("epoch {}", report.epoch)),
            );
        }
        if let Some(bar) = &self.bar {
            let auc = self
                .auc
                .map_or_else(String::new, |a| format!(" valid AUC {a:.4}"));
            bar.set_message(format!(
                "loss {:.4}{auc} {:.0} pairs/s",
                report.loss, report.pairs_per_second
            ));
            bar.set_position(report.step as u64);
        }
    }

    fn epoch(&mut self, report: &EpochReport, seconds: f64) {
        self.close();
        self.auc = Some(report.valid_auc);
        self.console.say(format!(
            "epoch {:>3}  loss {:.4}  valid AUC {:.4}{}  {seconds:.1} s",
            report.epoch,
            report.loss,
            report.valid_auc,
            if report.best { " *" } else { "" },
        ));
    }
}
