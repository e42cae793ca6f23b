//! Checks the evaluator against SQLite on a file of pairs: each query on generated databases, as planned and in its
//! canonical form, and each pair that the probe tells apart. Prints how often, and each disagreement.
//!
//!   agreement PAIRS SCHEMAS [STEP [SEMANTICS]]        # each STEPth line; under `default`
#![allow(clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

use std::path::Path;

use rayon::prelude::*;
use support::{Tally, agreement, pairs, schemas, soundness};
use twinql_sql::Semantics;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder, rest @ ..] = args.as_slice() else {
        return Err("agreement PAIRS SCHEMAS [STEP [SEMANTICS]]".into());
    };
    let step = rest.first().map_or(Ok(1), |s| s.parse())?;
    let semantics: Semantics = rest.get(1).map_or("default", String::as_str).parse()?;
    let schemas = schemas(Path::new(folder));
    let each: Vec<Tally> = pairs(Path::new(file), step)
        .par_iter()
        .map(|pair| {
            let mut tally = Tally::default();
            if let Some(schema) = schemas.get(&pair.db) {
                agreement(schema, &pair.gold, &mut tally);
                agreement(schema, &pair.pred, &mut tally);
                soundness(schema, pair, &semantics, &mut tally);
            }
            tally
        })
        .collect();
    let mut sum = Tally::default();
    each.into_iter().for_each(|tally| sum.add(tally));
    sum.wrong.iter().for_each(|wrong| println!("{wrong}"));
    for (what, n) in &sum.counts {
        println!("{n:8} {what}");
    }
    println!("{:8} wrong", sum.wrong.len());
    Ok(())
}
