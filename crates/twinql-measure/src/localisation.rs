//! How often `explain` names the wrong clause of a prediction: neighbours of golds, in which the changed clause is known.
//!
//! Every STEPth gold of Spider's training and development sets gets up to NEIGHBOURS neighbours. One that is proved equal to
//! its gold has no wrong clause, and is left out. Each is asked about twice: as the mutation wrote it, and after up to three
//! sound rewrites, which hide the mutation among other differences. With `list`, each prediction for which another clause
//! comes first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twinql_corpus::rewrites::{CATALOGUES, sample};
use twinql_sql::explain::clauses::{CLAUSES, Clause, clause, suspects, written_differently};
use twinql_sql::{Proof, Schema, Semantics, parse, plan, prove};
use twinql_suite::neighbours::neighbours;

use crate::{Done, Measurement, inputs};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "localisation",
    about: "how often `explain` names the clause of a prediction that is wrong",
    usage: "[STEP [NEIGHBOURS [list]]]",
    run,
};

/// The ways in which a prediction is written.
const WRITTEN: [&str; 2] = ["as the mutation wrote it", "rewritten"];

/// Rewrites of one prediction, at most, and how often a choice of sound ones is looked for.
const REWRITES: usize = 3;
const TRIES: usize = 4;

/// Groups of databases whose figures are told apart.
const FOLDS: usize = 5;

/// Mutations that change one clause, by its name. Others change an expression, wherever it stands.
const OF_CLAUSES: [(&str, &[&str]); 9] = [
    ("select", &["drop-item", "add-item"]),
    ("distinct", &["distinct"]),
    ("from", &["join-key", "join-type", "drop-join", "drop-join-condition", "table"]),
    ("where", &["drop-where"]),
    ("group-by", &["group-output", "add-group", "drop-group-key"]),
    ("having", &["drop-having"]),
    ("set-operation", &["set-operator", "drop-arm"]),
    ("order-by", &["direction", "drop-order", "drop-order-key"]),
    ("limit", &["limit", "add-limit"]),
];

/// The clauses that a mutation changed: its own, or the one that it changed something in. `written` are the clauses that
/// read differently: a mutation of a subquery changed the clause in which the subquery stands.
fn changed(mutation: &str, written: Vec<&'static Clause>) -> Vec<&'static Clause> {
    let own = OF_CLAUSES.iter().find(|(_, mutations)| mutations.contains(&mutation));
    match own.and_then(|(name, _)| clause(name)).filter(|own| written.contains(own)) {
        Some(own) => vec![own],
        None => written,
    }
}

/// What became of the guesses over some predictions.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    asked: usize,
    /// Those of which a changed clause comes first.
    first: usize,
    /// The sum of 1 / rank of the first clause that was changed.
    reciprocal: f64,
}

impl Tally {
    fn add(&mut self, rank: Option<usize>) {
        self.asked += 1;
        self.first += usize::from(rank == Some(0));
        self.reciprocal += rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
    }

    fn print(self, name: &str) {
        let of = self.asked.max(1) as f64;
        println!("{name}\t{}\t{:.3}\t{:.3}", self.asked, self.first as f64 / of, self.reciprocal / of);
    }
}

/// A prediction, and what is said of it.
struct Asked {
    /// Its place in [`WRITTEN`].
    written: usize,
    mutation: &'static str,
    changed: Vec<&'static Clause>,
    /// The place of a changed clause among those that are named.
    rank: Option<usize>,
    /// The clauses that are named.
    named: Vec<&'static str>,
    gold: String,
    pred: String,
}

/// Asks about the neighbours of one gold.
fn ask(schema: &Schema, gold: &str, limit: usize) -> Vec<Asked> {
    let base = Semantics::default();
    let Ok(parsed) = parse(gold) else { return Vec::new() };
    let Ok(planned) = plan(schema, &parsed) else { return Vec::new() };
    let semantics = base.for_gold(schema, &planned);
    let mut dice = ChaCha8Rng::seed_from_u64(1);
    let mut out = Vec::new();
    for neighbour in neighbours(schema, gold, 1, limit) {
        let Ok(pred) = parse(&neighbour.sql) else { continue };
        let changed = changed(neighbour.mutation, written_differently(&parsed, &pred));
        let proof = prove(schema, gold, &neighbour.sql, &base);
        if changed.is_empty() || matches!(proof, Err(_) | Ok(Proof::Equal(_))) {
            continue;
        }
        let rewritten = sample(schema, &neighbour.sql, CATALOGUES, TRIES, REWRITES, &mut dice);
        let rewritten = rewritten.into_iter().find(|one| one.sound).map(|one| one.sql);
        for (written, sql) in [Some(neighbour.sql), rewritten].into_iter().enumerate() {
            let Some((sql, pred)) = sql.and_then(|sql| parse(&sql).ok().map(|pred| (sql, pred))) else {
                continue;
            };
            let named: Vec<&Clause> =
                suspects(schema, &parsed, &pred, &semantics).iter().map(|suspect| suspect.clause).collect();
            out.push(Asked {
                written,
                mutation: neighbour.mutation,
                rank: named.iter().position(|clause| changed.contains(clause)),
                changed: changed.clone(),
                named: names(&named),
                gold: gold.to_owned(),
                pred: sql,
            });
        }
    }
    out
}

fn names(clauses: &[&Clause]) -> Vec<&'static str> {
    clauses.iter().map(|clause| clause.name).collect()
}

fn run(args: &[String]) -> Done {
    let step: usize = args.first().map_or(Ok(10), |n| n.parse())?;
    let limit: usize = args.get(1).map_or(Ok(12), |n| n.parse())?;
    let list = args.get(2).is_some_and(|word| word == "list");
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        println!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let schemas = inputs::schemas(&data.join("spider/tables.json"))?;
    for (set, file) in [("training", "train_spider_gold.sql"), ("development", "dev_gold.sql")] {
        let golds = inputs::golds(&data.join("spider").join(file), step)?;
        let asked = golds.par_iter().filter_map(|(db, gold)| {
            let asked = ask(schemas.get(db)?, gold, limit);
            Some((db.as_str(), asked))
        });
        report(set, &asked.collect::<Vec<_>>(), list);
    }
    Ok(())
}

/// Prints the figures of one set of golds, by database.
fn report(set: &str, golds: &[(&str, Vec<Asked>)], list: bool) {
    let mut databases: Vec<&str> = golds.iter().map(|(db, _)| *db).collect();
    databases.sort_unstable();
    databases.dedup();
    println!("# Spider {set}: {} golds of {} databases", golds.len(), databases.len());
    let asked = || golds.iter().flat_map(|(db, asked)| asked.iter().map(move |one| (*db, one)));
    for (at, name) in WRITTEN.into_iter().enumerate() {
        let mut all = Tally::default();
        let mut folds: BTreeMap<usize, Tally> = BTreeMap::new();
        let mut clauses: BTreeMap<usize, Tally> = BTreeMap::new();
        for (db, one) in asked().filter(|(_, one)| one.written == at) {
            all.add(one.rank);
            let fold = databases.iter().position(|own| *own == db).map_or(0, |n| n % FOLDS);
            folds.entry(fold).or_default().add(one.rank);
            for (n, _) in CLAUSES.iter().enumerate().filter(|(_, clause)| one.changed.contains(clause)) {
                clauses.entry(n).or_default().add(one.rank);
            }
        }
        println!("{name}\tpredictions\tfirst guess\tmean reciprocal rank");
        all.print("all");
        folds.into_iter().for_each(|(n, tally)| tally.print(&format!("databases {} of {FOLDS}", n + 1)));
        for (clause, tally) in CLAUSES.iter().enumerate().filter_map(|(n, c)| Some((c, clauses.get(&n)?))) {
            tally.print(clause.name);
        }
    }
    for (db, one) in asked().filter(|(_, one)| list && one.rank != Some(0)) {
        let Asked { written, mutation, gold, pred, named, changed, .. } = one;
        println!(
            "{db}: {mutation}, {}: {} and not {}",
            WRITTEN[*written],
            named.join(", "),
            names(changed).join(", ")
        );
        println!("  gold: {gold}\n  pred: {pred}");
    }
}
