//! Training and validation examples from corpora of labelled pairs.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use twinql::engine::judge_config;
use twinql::graph::{EncodingConfig, PairArrays, QueryGraph};
use twinql::judging::Workers;
use twinql::model::{Evidence, Example, GraphConfig};
use twinql::prepare::{Graphs, SideError};
use twinql::sql::{Dialect, Schema, Semantics};
use twinql::tiers::evidence;
use twinql::{Job, Work};

use super::own_split::Parts;
use super::sample::sample;
use super::spread::spread;
use super::weaken::Weaken;
use crate::input::{self, Item, Schemas};
use crate::output::Console;

/// What is trained on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Data {
    /// Labelled pairs; with several semantics the network learns to answer for each.
    pub(super) corpora: Vec<Corpus>,
    /// Whose SQL the queries and the DDL are.
    pub(super) dialect: Dialect,
    /// The split that is trained on.
    pub(super) train_split: String,
    /// The split that chooses the epoch and fits the calibration.
    pub(super) valid_split: String,
    /// The share of pairs that validates where no pair has a split: whole databases.
    pub(super) valid_share: f64,
    /// Which databases these are.
    pub(super) split_seed: u64,
    /// Weights in the loss by the pair's kind of origin (`prediction`, `neighbour`,
    /// `neighbour of a rewrite`, `rewrite`, `rewrite of a prediction`); 1 where none is given.
    weights: BTreeMap<String, f32>,
    /// Copies of training pairs whose forms are less canonical.
    weaken: Weaken,
    /// At most this many training pairs, the same ones whatever the seed; 0 for all. Weaker copies
    /// come on top.
    pub(super) max_pairs: usize,
    /// Use a training pair that several corpora label alike under one semantics only, so that
    /// an epoch costs no more than with one corpus.
    spread: bool,
    /// Ask proofs and the suite about validation pairs, to calibrate `two-tier` and
    /// `three-tier`.
    tiers: bool,
}

impl Default for Data {
    fn default() -> Self {
        Data {
            corpora: Vec::new(),
            dialect: Dialect::Sqlite,
            train_split: "train".into(),
            valid_split: "valid".into(),
            valid_share: 0.1,
            split_seed: 8,
            weights: BTreeMap::new(),
            weaken: Weaken::default(),
            max_pairs: 0,
            spread: false,
            tiers: true,
        }
    }
}

/// A pair file whose labels mean one semantics.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Corpus {
    /// The pair file; each pair has a label and a split. Where none has a split they are split by
    /// database.
    pub(super) pairs: PathBuf,
    /// Schemas of pairs that name a database.
    #[serde(default)]
    pub(super) schemas: Option<PathBuf>,
    /// The preset that the labels mean.
    pub(super) semantics: String,
    /// Weight in the loss of all its pairs.
    #[serde(default = "one")]
    weight: f32,
}

/// Told apart from the seeds that corpora are usually labelled with: databases that labelled a
/// pair would agree with its label.
const OTHER_DATABASES: u64 = 0x7469_6572;

fn one() -> f32 {
    1.0
}

impl Data {
    /// The presets that the labels mean, each once, in the order of the corpora.
    pub(super) fn semantics(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for corpus in &self.corpora {
            if !names.contains(&corpus.semantics) {
                names.push(corpus.semantics.clone());
            }
        }
        names
    }

    /// Other files in place of those of the only corpus.
    ///
    /// # Errors
    /// There are several corpora, or none.
    pub(super) fn replace(&mut self, pairs: Option<&Path>, schemas: Option<&Path>) -> Result<()> {
        let [corpus] = self.corpora.as_mut_slice() else {
            bail!(
                "--pairs and --schemas stand for the files of the only [[data.corpora]], and there are {}; edit the configuration",
                self.corpora.len()
            );
        };
        if let Some(pairs) = pairs {
            corpus.pairs = pairs.to_owned();
        }
        if let Some(schemas) = schemas {
            corpus.schemas = Some(schemas.to_owned());
        }
        Ok(())
    }
}

/// How examples are made for a network.
pub(super) struct How {
    /// What graphs are made of.
    pub(super) graph: GraphConfig,
    /// How their nodes are encoded.
    pub(super) encoding: EncodingConfig,
    /// Whether training pairs are asked for; only validation pairs otherwise.
    pub(super) training: bool,
    /// Seed of weaker forms and of the databases that tiers are judged on.
    pub(super) seed: u64,
}

/// A labelled pair of a split that is used.
pub(super) struct Labelled {
    pub(super) schema: Arc<Schema>,
    pub(super) gold: String,
    pub(super) pred: String,
    pub(super) label: bool,
    pub(super) valid: bool,
    pub(super) origin: &'static str,
    pub(super) weight: f32,
    pub(super) ease: Option<f32>,
}

/// Examples of both splits.
#[derive(Default)]
struct Sets {
    train: Vec<Example>,
    valid: Vec<Example>,
    /// How many pairs came before, of all corpora.
    pairs: usize,
    queries: usize,
    weaker: usize,
}

/// Reads, plans and encodes all pairs. Returns training and validation examples.
pub(super) fn examples(data: &Data, how: &How, console: Console) -> Result<(Vec<Example>, Vec<Example>)> {
    let mut sets = Sets::default();
    let mut left_out = LeftOut::default();
    for (mut labelled, semantics) in corpora(data, &mut left_out, console)? {
        if !how.training {
            labelled.retain(|pair| pair.valid);
        }
        let validates = encode(&labelled, &semantics, how, &mut sets, &mut left_out, console);
        if data.tiers {
            ask_tiers(&labelled, &validates, &semantics, how.seed, &mut sets, console);
        }
        weaken(data, &labelled, &semantics, how, &mut sets, console);
        sets.pairs += labelled.len();
    }
    if sets.weaker > 0 {
        console.say(format!("{} more pairs in weaker forms", sets.weaker));
    }
    left_out.say(console);
    let training = how.training.then_some((&sets.train, &data.train_split));
    for (set, split) in training.into_iter().chain([(&sets.valid, &data.valid_split)]) {
        let positives = set.iter().filter(|e| e.label).count();
        console.say(format!("{split}: {} pairs, {positives} with label 1", set.len()));
        if positives == 0 || positives == set.len() {
            bail!(
                "split {split:?} has {positives} pairs with label 1 of {}: both labels are needed; `twinql corpus stats` shows what a file holds",
                set.len()
            );
        }
    }
    console.say(format!("{} distinct queries", sets.queries));
    Ok((sets.train, sets.valid))
}

/// The distinct graphs of all queries of the training split, gold and predicted, in the order in
/// which pairs come. Labels are not read.
pub(super) fn query_graphs(data: &Data, config: &GraphConfig, console: Console) -> Result<Vec<QueryGraph>> {
    let mut left_out = LeftOut::default();
    // Equal plans over different schemas are different graphs.
    let mut known: HashSet<(String, String, u64)> = HashSet::new();
    let mut distinct = Vec::new();
    for (mut labelled, semantics) in corpora(data, &mut left_out, console)? {
        labelled.retain(|pair| !pair.valid);
        let queries = || {
            labelled
                .iter()
                .flat_map(|p| [(&p.schema, p.gold.as_str()), (&p.schema, p.pred.as_str())])
        };
        let bar = console.bar(None, "planning");
        let graphs = Graphs::build(queries(), &semantics, config, &|| bar.inc(1));
        bar.finish_and_clear();
        for (schema, sql) in queries() {
            match graphs.get(schema, sql).as_ref() {
                Ok(graph) => {
                    let key = (semantics.name.clone(), schema.db_id.clone(), graph.fingerprint());
                    if known.insert(key) {
                        distinct.push(graph.clone());
                    }
                }
                Err(error) => left_out.unplanned.add(&error.message),
            }
        }
    }
    left_out.say(console);
    Ok(distinct)
}

/// The pairs of each corpus that are used, with the semantics of their labels.
fn corpora(data: &Data, left_out: &mut LeftOut, console: Console) -> Result<Vec<(Vec<Labelled>, Semantics)>> {
    if !(0.0 < data.valid_share && data.valid_share < 1.0) {
        bail!(
            "valid_share under [data] is {}; give a share between 0 and 1",
            data.valid_share
        );
    }
    let mut files = Vec::with_capacity(data.corpora.len());
    let mut asked = Vec::with_capacity(data.corpora.len());
    for corpus in &data.corpora {
        let semantics: Semantics = corpus
            .semantics
            .parse()
            .map_err(|e| anyhow!("data.corpora, {}: {e}", corpus.pairs.display()))?;
        let schemas = Schemas::load(corpus.schemas.as_deref(), data.dialect)?;
        let items: Vec<Item> = input::of_file(&corpus.pairs, schemas, false)?.collect::<Result<_>>()?;
        files.push(items);
        asked.push(semantics);
    }
    let all = || files.iter().flatten();
    let mut parts = None;
    if all().next().is_some() && all().all(|item| item.about.split.is_none()) {
        let drawn = Parts::draw(all().map(|item| &item.job), data.valid_share, data.split_seed);
        console.say(drawn.said());
        parts = Some(drawn);
    }
    let mut corpora: Vec<Vec<Labelled>> = data
        .corpora
        .iter()
        .zip(files)
        .map(|(corpus, items)| used(items, corpus, data, parts.as_mut(), left_out))
        .collect();
    if data.spread {
        let taken = spread(&mut corpora);
        console.say(format!(
            "{taken} training pairs are used under one semantics of several"
        ));
    }
    if data.max_pairs > 0 {
        let taken = sample(&mut corpora, data.max_pairs);
        console.say(format!("{taken} training pairs are left out of the sample"));
    }
    Ok(corpora.into_iter().zip(asked).collect())
}

fn encode(
    labelled: &[Labelled],
    semantics: &Semantics,
    how: &How,
    sets: &mut Sets,
    left_out: &mut LeftOut,
    console: Console,
) -> Vec<usize> {
    let bar = console.bar(None, "planning");
    let queries = labelled
        .iter()
        .flat_map(|p| [(&p.schema, p.gold.as_str()), (&p.schema, p.pred.as_str())]);
    let graphs = Graphs::build(queries, semantics, &how.graph, &|| bar.inc(1));
    bar.finish_and_clear();
    sets.queries += graphs.len();

    let bar = console.bar(Some(labelled.len() as u64), "encoding");
    let name: Arc<str> = semantics.name.as_str().into();
    let encoded: Vec<Result<Example, SideError>> = labelled
        .par_iter()
        .map(|pair| {
            bar.inc(1);
            let gold = graphs.get(&pair.schema, &pair.gold);
            let pred = graphs.get(&pair.schema, &pair.pred);
            match (gold.as_ref(), pred.as_ref()) {
                (Ok(gold), Ok(pred)) => Ok(Example {
                    pair: PairArrays::build(gold, pred, &how.encoding),
                    label: pair.label,
                    semantics: Arc::clone(&name),
                    weight: pair.weight,
                    ease: pair.ease,
                    evidence: Evidence::None,
                }),
                (Err(error), _) | (_, Err(error)) => Err(error.clone()),
            }
        })
        .collect();
    bar.finish_and_clear();
    let mut validates = Vec::new();
    for (number, (pair, example)) in labelled.iter().zip(encoded).enumerate() {
        match example {
            Ok(example) if pair.valid => {
                validates.push(number);
                sets.valid.push(example);
            }
            Ok(example) => sets.train.push(example),
            Err(error) => left_out.unplanned.add(&error.message),
        }
    }
    validates
}

/// Asks proofs, and where they know nothing the suite, about the validation pairs with these
/// numbers, the last ones of `sets.valid`. The suite's databases are not those of the labels.
fn ask_tiers(
    labelled: &[Labelled],
    validates: &[usize],
    semantics: &Semantics,
    seed: u64,
    sets: &mut Sets,
    console: Console,
) {
    let bar = console.bar(Some(validates.len() as u64), "proofs and verdicts");
    let jobs: Vec<Job> = validates
        .iter()
        .filter_map(|&number| labelled.get(number))
        .map(|pair| Job {
            id: serde_json::Value::Null,
            work: Work::Pair {
                schema: Arc::clone(&pair.schema),
                gold: pair.gold.clone(),
                pred: pair.pred.clone(),
            },
        })
        .collect();
    let judge = judge_config(semantics.clone(), None, seed ^ OTHER_DATABASES);
    let found = evidence(&jobs, semantics, Some((&judge, &Workers::Threads)), &|| {
        bar.inc(1)
    });
    bar.finish_and_clear();
    let first = sets.valid.len().saturating_sub(found.len());
    for (example, evidence) in sets.valid.iter_mut().skip(first).zip(found) {
        example.evidence = evidence;
    }
}

/// Adds the weaker copies of training pairs.
fn weaken(
    data: &Data,
    labelled: &[Labelled],
    semantics: &Semantics,
    how: &How,
    sets: &mut Sets,
    console: Console,
) {
    if data.weaken.is_off() {
        return;
    }
    let bar = console.bar(Some(labelled.len() as u64), "weaker forms");
    let before = sets.pairs;
    let made: Vec<Example> = labelled
        .par_iter()
        .enumerate()
        .filter(|(_, pair)| !pair.valid)
        .flat_map_iter(|(number, pair)| {
            bar.inc(1);
            data.weaken.copies_of(before + number, pair, semantics, how)
        })
        .collect();
    bar.finish_and_clear();
    sets.weaker += made.len();
    sets.train.extend(made);
}

/// The pairs of a corpus that have a label and belong to a split that is used.
fn used(
    items: Vec<Item>,
    corpus: &Corpus,
    data: &Data,
    mut parts: Option<&mut Parts>,
    left_out: &mut LeftOut,
) -> Vec<Labelled> {
    let mut labelled = Vec::new();
    for item in items {
        let Item { job, about } = item;
        let Job { work, .. } = job;
        let (schema, gold, pred) = match work {
            Work::Pair { schema, gold, pred } => (schema, gold, pred),
            Work::Unusable { error, .. } => {
                left_out.unusable.add(&error);
                continue;
            }
        };
        let valid = match (about.split.as_deref(), &mut parts) {
            (_, Some(parts)) => parts.validates(&schema, &gold),
            (Some(split), _) if split == data.train_split => false,
            (Some(split), _) if split == data.valid_split => true,
            (Some(_), _) => {
                left_out.other_split += 1;
                continue;
            }
            (None, _) => {
                left_out.without_split += 1;
                continue;
            }
        };
        let origin = twinql::corpus::build::origin(about.source.as_deref().unwrap_or_default());
        let weight = corpus.weight * data.weights.get(origin).copied().unwrap_or(1.0);
        match about.label {
            Some(label) => labelled.push(Labelled {
                schema,
                gold,
                pred,
                label,
                valid,
                origin,
                weight,
                ease: about.ease,
            }),
            None => left_out.unlabelled += 1,
        }
    }
    labelled
}

/// Pairs that are not trained on, and why.
#[derive(Default)]
struct LeftOut {
    unusable: Reason,
    unplanned: Reason,
    unlabelled: usize,
    other_split: usize,
    without_split: usize,
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
            (self.without_split, "without a split, which others have"),
        ] {
            if count > 0 {
                console.say(format!("left out: {count} pairs {what}"));
            }
        }
    }
}
