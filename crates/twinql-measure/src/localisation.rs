//! How often `explain` names the wrong clause of a prediction: neighbours of golds, in which the changed clause is known.
//!
//! Every STEPth gold of Spider's training and development sets gets up to NEIGHBOURS neighbours. One that is proved equal to
//! its gold has no wrong clause, and is left out. Each is asked about three times: as the mutation wrote it; after up to
//! three sound rewrites; and as its canonical form prints, which shares with the gold hardly more than the tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twinql_corpus::rewrites::{CATALOGUES, sample};
use twinql_sql::explain::clauses::{CLAUSES, Clause, suspects, written_differently};
use twinql_sql::{Proof, Schema, Semantics, parse, plan, print, prove};
use twinql_suite::neighbours::neighbours;

use crate::{Done, Measurement, inputs};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "localisation",
    about: "how often `explain` names the clause of a prediction that is wrong",
    usage: "[STEP [NEIGHBOURS]]",
    run,
};

/// The ways in which a prediction is written.
const WRITTEN: [&str; 3] = ["as written", "rewritten", "canonical form"];

/// Rewrites of one prediction, at most.
const REWRITES: usize = 3;

/// Groups of databases whose figures are told apart.
const FOLDS: usize = 5;

/// What became of the guesses over some predictions.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    asked: usize,
    first: usize,
    /// The sum of 1 / rank of the first clause that is wrong indeed.
    reciprocal: f64,
}

impl Tally {
    fn add(&mut self, rank: Option<usize>) {
        self.asked += 1;
        self.first += usize::from(rank == Some(0));
        self.reciprocal += rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
    }

    fn merge(&mut self, other: Tally) {
        self.asked += other.asked;
        self.first += other.first;
        self.reciprocal += other.reciprocal;
    }

    fn line(self) -> String {
        let of = self.asked.max(1) as f64;
        format!("{}\t{:.3}\t{:.3}", self.asked, self.first as f64 / of, self.reciprocal / of)
    }
}

/// One question: a prediction that is written in one of the ways.
struct Asked {
    written: usize,
    /// The clauses that were changed.
    changed: Vec<&'static Clause>,
    mutation: &'static str,
    rank: Option<usize>,
    gold: String,
    pred: String,
    /// What was named instead.
    named: String,
}

/// The questions about the neighbours of one gold.
fn of_gold(schema: &Schema, gold: &str, limit: usize) -> Vec<Asked> {
    let base = Semantics::default();
    let Ok(parsed) = parse(gold) else { return Vec::new() };
    let Ok(written) = plan(schema, &parsed) else { return Vec::new() };
    let semantics = base.for_gold(schema, &written);
    let mut out = Vec::new();
    let mut dice = ChaCha8Rng::seed_from_u64(1);
    for neighbour in neighbours(schema, gold, 1, limit) {
        let Ok(pred) = parse(&neighbour.sql) else { continue };
        let changed = written_differently(&parsed, &pred);
        if changed.is_empty() || !matches!(prove(schema, gold, &neighbour.sql, &base), Ok(ref p) if !matches!(p, Proof::Equal(_)))
        {
            continue;
        }
        let rewritten = sample(schema, &neighbour.sql, CATALOGUES, 4, REWRITES, &mut dice);
        let rewritten = rewritten.into_iter().find(|one| one.sound).map(|one| one.sql);
        let form = twinql_sql::canonicalize(schema, &neighbour.sql, &semantics);
        let form = form.ok().and_then(|form| print::to_sql(schema, &form.plan).ok());
        for (written, sql) in [Some(neighbour.sql), rewritten, form].into_iter().enumerate() {
            let Some(sql) = sql else { continue };
            let Ok(pred) = parse(&sql) else { continue };
            let found = suspects(schema, &parsed, &pred, &semantics);
            let rank = found.iter().position(|suspect| changed.contains(&suspect.clause));
            let named = found.iter().map(|s| format!("{} {:?}", s.clause.name, s.repair)).collect::<Vec<_>>();
            out.push(Asked {
                written,
                changed: changed.clone(),
                mutation: neighbour.mutation,
                rank,
                gold: gold.to_owned(),
                pred: sql,
                named: named.join("; "),
            });
        }
    }
    out
}

fn run(args: &[String]) -> Done {
    let step: usize = args.first().map_or(Ok(10), |n| n.parse())?;
    let limit: usize = args.get(1).map_or(Ok(12), |n| n.parse())?;
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        println!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let schemas = inputs::schemas(&data.join("spider/tables.json"))?;
    for (set, file) in [("training", "spider/train_spider_gold.sql"), ("development", "spider/dev_gold.sql")] {
        let golds = inputs::golds(&data.join(file), step)?;
        let asked: Vec<(&str, Vec<Asked>)> = golds
            .par_iter()
            .filter_map(|(db, gold)| Some((db.as_str(), of_gold(schemas.get(db)?, gold, limit))))
            .collect();
        report(set, &asked);
    }
    Ok(())
}

/// Prints the figures of one set of golds.
fn report(set: &str, asked: &[(&str, Vec<Asked>)]) {
    let mut databases: Vec<&str> = asked.iter().map(|(db, _)| *db).collect();
    databases.sort_unstable();
    databases.dedup();
    let fold = |db: &str| databases.iter().position(|own| *own == db).unwrap_or_default() % FOLDS;
    println!("# Spider {set} golds: {} of {} databases", asked.len(), databases.len());
    for (at, name) in WRITTEN.into_iter().enumerate() {
        let mut all = Tally::default();
        let mut folds = [Tally::default(); FOLDS];
        let mut by_clause: BTreeMap<usize, Tally> = BTreeMap::new();
        for (db, one) in asked.iter().flat_map(|(db, all)| all.iter().map(move |one| (db, one))) {
            if one.written != at {
                continue;
            }
            all.add(one.rank);
            folds[fold(db)].add(one.rank);
            let clause = CLAUSES.iter().position(|c| one.changed.first() == Some(c)).unwrap_or_default();
            by_clause.entry(clause).or_default().add(one.rank);
        }
        println!("{name}\tpredictions\tfirst guess\tmean reciprocal rank");
        println!("all\t{}", all.line());
        for (n, tally) in folds.into_iter().enumerate() {
            println!("fold {}\t{}", n + 1, tally.line());
        }
        for (clause, tally) in by_clause {
            println!("{}\t{}", CLAUSES[clause].name, tally.line());
        }
    }
    if std::env::var_os("LOC_LIST").is_some() {
        for one in asked.iter().flat_map(|(_, all)| all) {
            if one.rank != Some(0) {
                let changed: Vec<&str> = one.changed.iter().map(|c| c.name).collect();
                println!("MISS {} [{}] {}\n  gold {}\n  pred {}\n  named {}", WRITTEN[one.written], one.mutation, changed.join(","), one.gold, one.pred, one.named);
            }
        }
    }
}
