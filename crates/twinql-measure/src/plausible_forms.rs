//! How often regularities are right: pairs whose forms are equal by them and not without, by regularity, and how many of these
//! are the same. A pair is the same where its `share` of plausible databases is more than a half; where it has none, by its
//! `label`. The semantics is `bird` where none is named.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::Value;
use twinql::corpus::pairs::{self, Pair};
use twinql::sql::normalize::{REGULARITIES, normalize_plausible};
use twinql::sql::{Canonical, Schema, SchemaSet, Semantics, normalize, parse, plan, schema};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "plausible-forms",
    about: "how often regularities are right",
    usage: "PAIRS.jsonl SCHEMAS [SEMANTICS]",
    run,
};

/// What is counted of a regularity, or of all.
#[derive(Default, Clone, Copy)]
struct Count {
    /// Pairs of which one query met it and the other did not.
    met: usize,
    /// Of these, pairs whose forms are equal, and are not without regularities.
    alike: usize,
    /// Of these, pairs that are the same.
    same: usize,
}

/// A pair as it is read.
struct Read {
    /// The forms differ by the rules alone.
    differ: bool,
    alike: bool,
    same: bool,
    /// The regularities that one query alone met.
    one_sided: Vec<&'static str>,
}

fn run(args: &[String]) -> Done {
    let [file, schemas, rest @ ..] = args else {
        return Err("give a file of pairs and their schemas".into());
    };
    let semantics: Semantics = rest.first().map_or("bird", String::as_str).parse()?;
    let schemas = schema::load(schemas)?;
    let pairs = pairs::read(file)?.pairs;
    let read: Vec<Read> = pairs.par_iter().filter_map(|pair| read(pair, &schemas, &semantics)).collect();
    let mut all = Count::default();
    let mut by_name: BTreeMap<&str, Count> = BTreeMap::new();
    let differ: Vec<&Read> = read.iter().filter(|pair| pair.differ).collect();
    for pair in &differ {
        let add = |count: &mut Count| {
            count.met += 1;
            count.alike += usize::from(pair.alike);
            count.same += usize::from(pair.alike && pair.same);
        };
        add(&mut all);
        pair.one_sided.iter().for_each(|name| add(by_name.entry(name).or_default()));
    }
    let same = differ.iter().filter(|pair| pair.same).count();
    println!(
        "{} pairs, of which {} have forms that differ, and {same} of these are the same",
        read.len(),
        differ.len()
    );
    println!("regularity             one query met it  then alike  of these the same");
    for rule in REGULARITIES {
        let count = by_name.get(rule.name).copied().unwrap_or_default();
        println!("{:<22} {:>16} {:>11} {:>18}", rule.name, count.met, count.alike, count.same);
    }
    println!("{:<22} {:>16} {:>11} {:>18}", "any, or none alone", all.met, all.alike, all.same);
    Ok(())
}

/// Both forms of both queries; nothing for a pair that cannot be read.
fn read(pair: &Pair, schemas: &SchemaSet, semantics: &Semantics) -> Option<Read> {
    let schema = schemas.get(pair.db_id.as_deref()?)?;
    let semantics = semantics.for_gold_text(schema, &pair.gold);
    let [gold, pred] = [&pair.gold, &pair.pred].map(|sql| forms(schema, sql, &semantics));
    let (gold, pred) = (gold?, pred?);
    let share = pair.extra.get("share").and_then(Value::as_f64);
    let same = share.map_or_else(|| pair.label.map(|label| label == 1), |share| Some(share > 0.5))?;
    let met = |form: &Canonical, name: &str| form.regularities().any(|n| n == name);
    let one_sided = REGULARITIES.iter().map(|rule| rule.name);
    Some(Read {
        differ: gold[0].plan.query != pred[0].plan.query,
        alike: gold[1].plan.query == pred[1].plan.query,
        same,
        one_sided: one_sided.filter(|name| met(&gold[1], name) != met(&pred[1], name)).collect(),
    })
}

/// The canonical form by the rules, and by the regularities as well.
fn forms(schema: &Schema, sql: &str, semantics: &Semantics) -> Option<[Canonical; 2]> {
    let plan = plan(schema, &parse(sql).ok()?).ok()?;
    let usual = normalize(schema, plan.clone(), semantics);
    Some([usual, normalize_plausible(schema, plan, semantics, &|_| true)])
}
