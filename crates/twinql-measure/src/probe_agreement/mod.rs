//! Checks the evaluator against SQLite on a file of pairs: each query on generated databases, as planned and in its
//! canonical form, and each pair that the probe tells apart. Prints how often, and each disagreement. Each STEPth line is taken,
//! and `default` where no semantics is named.

#[allow(dead_code)]
pub mod beside_sqlite;

use std::path::Path;

use beside_sqlite::{Tally, agreement, pairs, schemas, soundness};
use twinql_sql::Semantics;

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "probe-agreement",
    about: "the probe's evaluator against SQLite on a file of pairs",
    usage: "PAIRS SCHEMAS [STEP [SEMANTICS]]",
    run,
};

fn run(args: &[String]) -> Done {
    let [file, folder, rest @ ..] = args else {
        return Err("give a file of pairs and their schemas".into());
    };
    let step = rest.first().map_or(Ok(1), |s| s.parse())?;
    let semantics: Semantics = rest.get(1).map_or("default", String::as_str).parse()?;
    let schemas = schemas(Path::new(folder));
    let pairs = pairs(Path::new(file), step);
    if !pairs.iter().any(|pair| schemas.contains_key(&pair.db)) {
        return Err(format!("{file} holds no pair over the schemas of {folder}").into());
    }
    let sum = Tally::over(&pairs, &schemas, |schema, pair, tally| {
        agreement(schema, &pair.gold, tally);
        agreement(schema, &pair.pred, tally);
        soundness(schema, pair, &semantics, tally);
    });
    sum.wrong.iter().for_each(|wrong| println!("{wrong}"));
    for (what, n) in &sum.counts {
        println!("{n:8} {what}");
    }
    println!("{:8} wrong", sum.wrong.len());
    Ok(())
}
