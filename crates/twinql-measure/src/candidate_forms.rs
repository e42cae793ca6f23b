//! Whether reading a pair in several forms says more than reading it in one: the AUC, where canonical forms differ, of the canonical
//! form alone, of the query as written, of both, and of means over forms by random parts of the rules. Rules are left out of both
//! queries alike, by a seed of their own. Semantics and question are `default` and `every` where they are not named.

use std::path::Path;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twinql::corpus::pairs::{self, Pair};
use twinql::graph::PairArrays;
use twinql::metrics::auc;
use twinql::prepare::graph_with;
use twinql::sql::normalize::REGULARITIES;
use twinql::sql::{RULES, Rule, SchemaSet, Semantics, schema};
use twinql::{Network, Schema};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "candidate-forms",
    about: "whether reading a pair in several forms says more than in one",
    usage: "CHECKPOINT PAIRS.jsonl SCHEMAS [SEMANTICS [QUESTION]]",
    run,
};

/// Forms by random parts of the rules.
const WEAKER: u64 = 8;

/// The chances that a rule is left out of such a form.
const CHANCES: [f64; 3] = [0.05, 0.15, 0.4];

/// A pair whose canonical forms differ, with distances by form.
struct Read {
    same: bool,
    canonical: f32,
    written: f32,
    /// By chance, then by seed.
    weaker: Vec<Vec<f32>>,
}

fn run(args: &[String]) -> Done {
    let [checkpoint, file, schemas, rest @ ..] = args else {
        return Err("give a checkpoint, a file of pairs and their schemas".into());
    };
    let semantics: Semantics = rest.first().map_or(Ok(Semantics::default()), |name| name.parse())?;
    let question = rest.get(1).map_or_else(|| Ok(Default::default()), |q| q.parse())?;
    let network = Network::named(Path::new(checkpoint))?.asked(question, &semantics)?;
    let semantics = network.conditioned_on(&semantics);
    let schemas = schema::load(schemas)?;
    let pairs = pairs::read(file)?.pairs;
    let read: Vec<Read> =
        pairs.par_iter().filter_map(|pair| read(pair, &schemas, &semantics, &network)).collect();
    println!("{} of {} pairs have forms that differ", read.len(), pairs.len());
    print("canonical", &read, |pair| pair.canonical);
    print("as written", &read, |pair| pair.written);
    print("mean of both", &read, |pair| pair.canonical + pair.written);
    for (place, chance) in CHANCES.into_iter().enumerate() {
        let of = |pair: &Read| pair.weaker.get(place).cloned().unwrap_or_default();
        let mean = |forms: &[f32]| forms.iter().sum::<f32>() / forms.len() as f32;
        let name = |what: &str| format!("{WEAKER} without {} %, {what}", 100.0 * chance);
        print(&name("mean"), &read, |pair| mean(&of(pair)));
        print(&name("and canonical"), &read, |pair| mean(&of(pair)) + pair.canonical);
        print(&name("least"), &read, |pair| of(pair).into_iter().fold(pair.canonical, f32::min));
        print(&name("greatest"), &read, |pair| of(pair).into_iter().fold(pair.canonical, f32::max));
    }
    Ok(())
}

fn print(name: &str, read: &[Read], distance: impl Fn(&Read) -> f32) {
    let scores: Vec<f64> = read.iter().map(|pair| -f64::from(distance(pair))).collect();
    let labels: Vec<bool> = read.iter().map(|pair| pair.same).collect();
    match auc(&scores, &labels) {
        Ok(auc) => println!("{name:28} {auc:.4}"),
        Err(error) => println!("{name:28} {error}"),
    }
}

fn read(pair: &Pair, schemas: &SchemaSet, semantics: &Semantics, network: &Network) -> Option<Read> {
    let own = pair.schema.as_ref().map(|ddl| Schema::from_ddl("own", ddl));
    let schema = match &own {
        Some(own) => own.as_ref().ok()?,
        None => schemas.get(pair.db_id.as_ref()?)?,
    };
    let semantics = semantics.for_gold_text(schema, &pair.gold);
    let arrays = |kept: &dyn Fn(&Rule) -> bool| {
        let graph = |sql: &str| graph_with(schema, sql, &semantics, &network.graph(), kept).ok();
        Some(PairArrays::build(&graph(&pair.gold)?, &graph(&pair.pred)?, &network.encoding()))
    };
    let canonical = arrays(&|_| true)?;
    if canonical.identical {
        return None;
    }
    let mut all = vec![canonical, arrays(&|_| false)?];
    for chance in CHANCES {
        for seed in 0..WEAKER {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let dropped: Vec<&str> = RULES
                .iter()
                .chain(REGULARITIES)
                .map(|rule| rule.name)
                .filter(|_| rng.random_bool(chance))
                .collect();
            all.push(arrays(&|rule| !dropped.contains(&rule.name))?);
        }
    }
    let scores = network.scorer().score(&all);
    let distances: Vec<f32> =
        scores.into_iter().map(|score| Some(score.ok()?.distance)).collect::<Option<_>>()?;
    let (first, weaker) = distances.split_at_checked(2)?;
    Some(Read {
        same: pair.label? == 1,
        canonical: *first.first()?,
        written: *first.last()?,
        weaker: weaker.chunks(WEAKER as usize).map(<[f32]>::to_vec).collect(),
    })
}
