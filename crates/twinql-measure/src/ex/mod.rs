//! `ex` and `estimate`: their weights, and how good they are on databases that were left out.

mod held;
mod signs;
mod systems;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use twinql::gmn::{Executed, ExecutionModel};

use crate::page::root;
use crate::{Done, Measurement};
use signs::{Known, Set};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "ex",
    about: "fits `ex` to executed predictions, and measures it and `estimate` on databases that were left out (scripts/ex.sh)",
    usage: "[FOLDER] [--check]",
    run,
};

/// The seeds of the databases that pairs of the second set are seen on: one alone moves figures by .01.
const SEEDS: [u64; 3] = [8, 9, 10];
/// The shipped weights, from the repository's folder.
const WEIGHTS: &str = "crates/twinql-gmn/src/execution/weights.json";

fn run(args: &[String]) -> Done {
    let check = args.iter().any(|arg| arg == "--check");
    let folder = args.iter().find(|arg| *arg != "--check").map_or("out/ex", String::as_str);
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        println!("skipped: set TWINQL_DATA");
        return Ok(());
    };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)?;
    let spider = Set {
        pairs: Path::new("out/executed/labelled.jsonl"),
        schemas: &data.join("spider/tables.json"),
        kept: &folder.join("spider.jsonl"),
        seeds: &SEEDS[..1],
    };
    let bird = Set {
        pairs: &data.join("pairs/bird_ex_dev.jsonl"),
        schemas: &data.join("bird/dev_tables.json"),
        kept: &folder.join("bird_ex_dev.jsonl"),
        seeds: &SEEDS,
    };
    let (spider, bird) = (spider.known()?, bird.known()?);
    // The network was trained on predictions for these databases: what it says of them is no measure.
    let mut unasked = executed(spider.values().flatten());
    for pair in &mut unasked {
        (pair.signs.network, pair.signs.every) = (None, None);
    }
    let first = ExecutionModel::fit(&unasked, None, "")?;
    println!("{}", folds("Spider's training databases, each fifth by the others", &first));
    held::tell(&bird, &first)?;
    // What is shipped knows all databases.
    let all = executed(bird.values().flatten());
    let seeds: Vec<String> = bird.keys().map(u64::to_string).collect();
    let mut model = ExecutionModel::fit(&all, Some(&first), source(&first, &bird, &seeds.join(", ")))?;
    model.together = systems::together(&bird, &first)?;
    let text = serde_json::to_string_pretty(&model)? + "\n";
    let path = root().join(WEIGHTS);
    if check {
        let same = std::fs::read_to_string(&path)? == text;
        return if same { Ok(()) } else { Err(format!("{WEIGHTS} is not what the pairs say").into()) };
    }
    std::fs::write(path, text)?;
    println!("wrote {WEIGHTS}");
    Ok(())
}

/// The pairs that a model is fitted to.
fn executed<'a>(known: impl Iterator<Item = &'a Known>) -> Vec<Executed> {
    known.filter_map(|known| known.executed.clone()).collect()
}

fn folds(of: &str, model: &ExecutionModel) -> String {
    let folds = &model.folds;
    format!("{of}: {} pairs, AUC {:.4}, ECE {:.4}", folds.pairs, folds.auc, folds.ece)
}

/// What the weights say of themselves.
fn source(first: &ExecutionModel, bird: &BTreeMap<u64, Vec<Known>>, seeds: &str) -> String {
    let pairs = bird.values().next().map_or(0, Vec::len);
    format!(
        "{} predictions executed on {} of Spider's training databases, then {pairs} of bird_ex_dev (seeds {seeds}); scripts/ex.sh",
        first.folds.pairs, first.folds.databases
    )
}

/// An error of figures that are not defined.
fn undefined(error: twinql::metrics::Undefined) -> Box<dyn Error> {
    error.to_string().into()
}
