//! Golds turned against themselves: how many of those that the suite tells from the gold a network calls the same, by kind, over
//! every STEPth gold of `data/gold.tsv` and, with `TWINQL_DATA`, of Spider's development set. Kinds with a star are in no
//! corpus that the shipped networks are trained on. With `list`, each pair that is called the same and is not. Without
//! arguments: `small 1 default every`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use twinql::corpus::turned::{TURNED, Target, Turned, parts};
use twinql::metrics::{GMN, SUITE};
use twinql::record::{Record, Status};
use twinql::{Engine, Job, Network, Work};

use crate::inputs::{self, Schemas};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "turned",
    about: "golds turned against themselves: how many a network calls the same",
    usage: "[CHECKPOINT [STEP [SEMANTICS [QUESTION [list]]]]]",
    run,
};

/// What became of the pairs of one kind.
#[derive(Default, Clone, Copy)]
struct Tally {
    /// Pairs that the suite could judge, and those of them that it calls the same.
    judged: usize,
    same: usize,
    /// Of the others, those that the network calls the same.
    wrong: usize,
    /// Of those that the suite calls the same, those that the network does not.
    missed: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.judged += other.judged;
        self.same += other.same;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    fn print(&self, name: &str) {
        let different = self.judged - self.same;
        println!(
            "{name:26} {different:6} differ, {:5} called the same ({:5.2} %); {:5} same, {:5} called different",
            self.wrong,
            100.0 * self.wrong as f64 / different.max(1) as f64,
            self.same,
            self.missed
        );
    }
}

fn run(args: &[String]) -> Done {
    let network = Network::chosen(args.first().map(Path::new))?;
    let step: usize = args.get(1).map_or(Ok(1), |n| n.parse())?;
    let semantics = args.get(2).map_or_else(|| Ok(twinql::Semantics::default()), |s| s.parse())?;
    let question = args.get(3).map_or_else(|| Ok(Default::default()), |q| q.parse())?;
    let list = args.get(4).is_some_and(|word| word == "list");
    let engine = Engine::builder()
        .network(network)
        .semantics(semantics)
        .question(question)
        .metric(&GMN)
        .metric(&SUITE)
        .build()?;
    let bundled = inputs::bundled();
    let mut sets = vec![("bundled golds", bundled.join("schemas"), bundled.join("gold.tsv"))];
    match std::env::var_os("TWINQL_DATA").map(PathBuf::from) {
        Some(data) => {
            sets.push((
                "Spider dev golds",
                data.join("spider/tables.json"),
                data.join("spider/dev_gold.sql"),
            ));
        }
        None => println!("skipped: TWINQL_DATA is not set"),
    }
    let (_, kept) = parts();
    for (name, schemas, golds) in sets {
        let schemas = inputs::schemas(&schemas)?;
        let golds = inputs::golds(&golds, step)?;
        println!("── {name}: {}; {}", golds.len(), engine.signature(&GMN));
        let (mut learned, mut apart) = (Tally::default(), Tally::default());
        for kind in TURNED {
            let is_kept = kept.iter().any(|k| k.name == kind.name);
            let tally = of_kind(kind, &golds, &schemas, &engine, list);
            tally.print(&format!("{}{}", kind.name, if is_kept { " *" } else { "" }));
            if is_kept { apart.add(tally) } else { learned.add(tally) }
        }
        learned.print("kinds of the corpora");
        apart.print("kinds kept apart *");
    }
    Ok(())
}

/// What becomes of all golds in one kind.
fn of_kind(
    kind: &Turned,
    golds: &[(String, String)],
    schemas: &Schemas,
    engine: &Engine,
    list: bool,
) -> Tally {
    let job = |(db_id, gold): &(String, String)| {
        let schema = schemas.get(db_id)?.clone();
        let pred = kind.make(&Target { schema: &schema, gold })?;
        Some(Job { id: Value::Null, work: Work::Pair { schema, gold: gold.clone(), pred } })
    };
    let jobs: Vec<Job> = golds.iter().filter_map(job).collect();
    let mut tally = Tally::default();
    for (job, record) in jobs.iter().zip(engine.score(&jobs)) {
        if let Some((same, called)) = verdicts(engine, &record) {
            tally.judged += 1;
            tally.same += usize::from(same);
            tally.wrong += usize::from(called && !same);
            tally.missed += usize::from(same && !called);
            if let Work::Pair { schema, gold, pred } = &job.work
                && list
                && called
                && !same
            {
                println!("{}\t{}\t{gold}\t{pred}", kind.name, schema.db_id);
            }
        }
    }
    tally
}

/// What the suite and the network say of a pair that both read.
fn verdicts(engine: &Engine, record: &Record) -> Option<(bool, bool)> {
    let suite = record.score("suite").filter(|_| record.status == Status::Ok)?;
    let network = record.score("gmn")?;
    Some((suite >= 0.5, network >= engine.threshold(&GMN)))
}
