//! Training and validation examples from labelled pairs, and the graphs of their queries.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use twinql_corpus::build::{kinds, origin};
use twinql_files::Fingerprint;
use twinql_gmn::{Evidence, GraphConfig};
use twinql_graph::{PairArrays, QueryGraph, Question};
use twinql_sql::Semantics;

use super::data::{Corpus, Data};
use crate::error::TrainError;
use crate::example::Example;

use super::labelled::{How, Labelled};
use super::sample::sample;
use super::split::Parts;
use super::spread::spread;
use twinql::engine::judge_config;
use twinql::input::{Item, PairItems, Schemas};
use twinql::judging::Workers;
use twinql::prepare::{Graphs, SideError};
use twinql::progress::Progress;
use twinql::proving::prove_all;
use twinql::tiers::evidence;
use twinql::{Job, Work};

type Result<T, E = TrainError> = std::result::Result<T, E>;

/// Told apart from the seeds that corpora are usually labelled with: databases that labelled a
/// pair would agree with its label.
const OTHER_DATABASES: u64 = 0x7469_6572;

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
///
/// # Errors
/// See [`TrainError`].
pub fn examples(
    data: &Data,
    how: &How,
    progress: &Arc<dyn Progress>,
) -> Result<(Vec<Example>, Vec<Example>)> {
    let mut sets = Sets::default();
    let mut left_out = LeftOut::default();
    for Used { mut labelled, semantics, question, taught } in corpora(data, &mut left_out, progress)? {
        if !how.training {
            labelled.retain(|pair| pair.valid);
        }
        let how = How { graph: GraphConfig { question, ..how.graph }, taught, ..*how };
        let validates = encode(&labelled, &semantics, &how, &mut sets, &mut left_out, &**progress);
        // Proofs and suite answer for every database.
        if data.tiers && question.is_usual() {
            ask_tiers(&labelled, &validates, &semantics, how.seed, &mut sets, &**progress);
        }
        weaken(data, &labelled, &semantics, &how, &mut sets, &**progress);
        sets.pairs += labelled.len();
    }
    if sets.weaker > 0 {
        progress.say(&format!("{} more pairs in weaker forms", sets.weaker));
    }
    left_out.say(&**progress);
    let training = how.training.then_some((&sets.train, &data.train_split));
    for (set, split) in training.into_iter().chain([(&sets.valid, &data.valid_split)]) {
        let positives = set.iter().filter(|e| e.label).count();
        progress.say(&format!("{split}: {} pairs, {positives} with label 1", set.len()));
        if positives == 0 || positives == set.len() {
            return Err(TrainError::OneSided { split: split.clone(), positives, pairs: set.len() });
        }
    }
    progress.say(&format!("{} distinct queries", sets.queries));
    Ok((sets.train, sets.valid))
}

/// The distinct graphs of all queries of the training split, gold and predicted, in the order in
/// which pairs come. Labels are not read.
///
/// # Errors
/// See [`TrainError`].
pub fn query_graphs(
    data: &Data,
    config: &GraphConfig,
    progress: &Arc<dyn Progress>,
) -> Result<Vec<QueryGraph>> {
    let mut left_out = LeftOut::default();
    // Equal plans over different schemas are different graphs.
    let mut known: HashSet<(String, String, u64)> = HashSet::new();
    let mut distinct = Vec::new();
    for Used { mut labelled, semantics, .. } in corpora(data, &mut left_out, progress)? {
        labelled.retain(|pair| !pair.valid);
        let pairs = || labelled.iter().map(|p| (&p.schema, p.gold.as_str(), p.pred.as_str()));
        let planned = progress.stage("planning", None);
        let graphs = Graphs::build(pairs(), &semantics, config, &planned);
        drop(planned);
        let both = pairs().flat_map(|(schema, gold, pred)| {
            let pair = graphs.pair(schema, gold, pred);
            [(schema, pair.gold), (schema, pair.pred)]
        });
        for (schema, graph) in both {
            match graph.as_ref() {
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
    left_out.say(&**progress);
    Ok(distinct)
}

/// The pairs of a corpus that are used, and what their labels mean.
struct Used {
    labelled: Vec<Labelled>,
    semantics: Semantics,
    question: Question,
    taught: bool,
}

/// The pairs of each corpus that are used, with the semantics of their labels.
fn corpora(data: &Data, left_out: &mut LeftOut, progress: &Arc<dyn Progress>) -> Result<Vec<Used>> {
    if !(0.0 < data.valid_share && data.valid_share < 1.0) {
        return Err(TrainError::Share(data.valid_share));
    }
    let mut files = Vec::with_capacity(data.corpora.len());
    let mut asked = Vec::with_capacity(data.corpora.len());
    for corpus in &data.corpora {
        let semantics: Semantics = corpus
            .semantics
            .parse()
            .map_err(|unknown| TrainError::Semantics { pairs: corpus.pairs.clone(), unknown })?;
        let schemas = Schemas::load(corpus.schemas.as_deref(), data.dialect, Arc::clone(progress))?;
        let items = PairItems::open(&corpus.pairs, schemas, false)?.map(|item| item.map(Item::of_one_gold));
        let items: Vec<Item> = items.collect::<Result<_, _>>()?;
        files.push(items);
        asked.push((semantics, corpus.question));
    }
    let all = || files.iter().flatten();
    let mut parts = None;
    if all().next().is_some() && all().all(|item| item.about.split.is_none()) {
        let drawn = Parts::draw(all().map(|item| &item.job), data.valid_share, data.split_seed);
        progress.say(drawn.said());
        parts = Some(drawn);
    }
    let mut corpora: Vec<Vec<Labelled>> = data
        .corpora
        .iter()
        .zip(files)
        .map(|(corpus, items)| used(items, corpus, data, parts.as_mut(), left_out))
        .collect();
    if let Some(name) = data.without_kinds.iter().find(|name| !left_out.kinds.contains(*name)) {
        return Err(TrainError::NoSuchKind(name.clone()));
    }
    if data.spread {
        let questions: Vec<Question> = asked.iter().map(|(_, question)| *question).collect();
        let taken = spread(&mut corpora, &questions);
        progress.say(&format!("{taken} training pairs are used under one semantics of several"));
    }
    if data.max_pairs > 0 {
        let taken = sample(&mut corpora, data.max_pairs);
        progress.say(&format!("{taken} training pairs are left out of the sample"));
    }
    let used = |((labelled, (semantics, question)), corpus): ((_, _), &Corpus)| Used {
        labelled,
        semantics,
        question,
        taught: corpus.taught,
    };
    Ok(corpora.into_iter().zip(asked).zip(&data.corpora).map(used).collect())
}

/// Turns labelled pairs into examples. Each distinct query is planned once, however many pairs it is in. A pair of
/// which one query has no graph is left out and counted; the order of the others stays, so that a seed means the same.
fn encode(
    labelled: &[Labelled],
    semantics: &Semantics,
    how: &How,
    sets: &mut Sets,
    left_out: &mut LeftOut,
    progress: &dyn Progress,
) -> Vec<usize> {
    let planned = progress.stage("planning", None);
    let pairs = labelled.iter().map(|p| (&p.schema, p.gold.as_str(), p.pred.as_str()));
    let graphs = Graphs::build(pairs, semantics, &how.graph, &planned);
    drop(planned);
    sets.queries += graphs.len();

    let encoding = progress.stage("encoding", Some(labelled.len() as u64));
    let name: Arc<str> = semantics.name.as_str().into();
    let encoded: Vec<Result<Example, SideError>> = labelled
        .par_iter()
        .map(|pair| {
            encoding();
            let graphs = graphs.pair(&pair.schema, &pair.gold, &pair.pred);
            match (graphs.gold.as_ref(), graphs.pred.as_ref()) {
                (Ok(gold), Ok(pred)) => Ok(Example {
                    pair: PairArrays::build(gold, pred, &how.encoding),
                    label: pair.label,
                    semantics: Arc::clone(&name),
                    question: how.graph.question,
                    weight: pair.weight,
                    ease: pair.ease,
                    share: pair.share,
                    taught: how.taught,
                    evidence: Evidence::None,
                }),
                (Err(error), _) | (_, Err(error)) => Err(error.clone()),
            }
        })
        .collect();
    drop(encoding);
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
    progress: &dyn Progress,
) {
    let asked = progress.stage("proofs and verdicts", Some(validates.len() as u64));
    let jobs: Vec<Job> = validates
        .iter()
        .filter_map(|&number| labelled.get(number))
        .map(|pair| {
            Job::new(
                serde_json::Value::Null,
                Work::Pair {
                    schema: Arc::clone(&pair.schema),
                    gold: pair.gold.clone(),
                    pred: pair.pred.clone(),
                },
            )
        })
        .collect();
    let judge = judge_config(semantics.clone(), None, seed ^ OTHER_DATABASES);
    let proofs = prove_all(&jobs, semantics, &|| ());
    let found = evidence(&jobs, &proofs, Some((&judge, &Workers::Threads)), &asked);
    drop(asked);
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
    progress: &dyn Progress,
) {
    if data.weaken.is_off() {
        return;
    }
    let done = progress.stage("weaker forms", Some(labelled.len() as u64));
    let before = sets.pairs;
    let made: Vec<Example> = labelled
        .par_iter()
        .enumerate()
        .filter(|(_, pair)| !pair.valid)
        .flat_map_iter(|(number, pair)| {
            done();
            data.weaken.copies_of(before + number, pair, semantics, how)
        })
        .collect();
    drop(done);
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
        let source = about.source.as_deref().unwrap_or_default();
        let mut unwanted =
            data.without_kinds.iter().filter(|name| kinds(source).any(|(_, kind)| kind == *name)).peekable();
        if unwanted.peek().is_some() {
            left_out.kinds.extend(unwanted.cloned());
            left_out.of_kinds += 1;
            continue;
        }
        let origin = origin(source);
        let weight = corpus.weight * data.weights.get(origin).copied().unwrap_or(1.0);
        let share = about.share.filter(|_| !corpus.question.is_usual());
        let label = match share {
            Some(share) => Some(drawn(&[&schema.db_id, &gold, &pred]) < share),
            None => about.label,
        };
        match label {
            Some(label) => labelled.push(Labelled {
                schema,
                gold,
                pred,
                label,
                valid,
                origin,
                weight,
                ease: about.ease,
                share,
            }),
            None => left_out.unlabelled += 1,
        }
    }
    labelled
}

/// A number from 0 to below 1 that belongs to these texts. A pair of which a share is known counts as the same where its
/// number lies below: of many pairs with one share as many do, and so a calibration that is fitted to such labels is
/// fitted to the shares.
fn drawn(texts: &[&str]) -> f32 {
    let number = Fingerprint::of(texts.iter().map(|text| text.as_bytes())).number();
    (number >> 40) as f32 / (1u32 << 24) as f32
}

/// Pairs that are not trained on, and why.
#[derive(Default)]
struct LeftOut {
    unusable: Reason,
    unplanned: Reason,
    unlabelled: usize,
    of_kinds: usize,
    /// Those of `without_kinds` that a pair names.
    kinds: BTreeSet<String>,
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
    fn say(&self, progress: &dyn Progress) {
        for (reason, what) in [(&self.unusable, "unusable lines"), (&self.unplanned, "pairs without a plan")]
        {
            if let Some(first) = &reason.first {
                progress.say(&format!("left out: {} {what}; the first: {first}", reason.count));
            }
        }
        for (count, what) in [
            (self.unlabelled, "without a label"),
            (self.of_kinds, "of the kinds in without_kinds"),
            (self.other_split, "of other splits"),
            (self.without_split, "without a split, which others have"),
        ] {
            if count > 0 {
                progress.say(&format!("left out: {count} pairs {what}"));
            }
        }
    }
}
