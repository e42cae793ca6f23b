//! Proofs against the truth: no pair that is proved equal is told apart by a tiny database.
//!
//! `TWINQL_TRUTH` says on how many databases each proof is tried, and how many variants of each query there are: 1 is the
//! usual size, `cargo measure truth` runs larger ones on real queries.

use rayon::prelude::*;
use twinql_sql::Semantics;
use twinql_sql::normalize::RULES;
use twinql_sql::normalize::example::Example;
use twinql_suite::truth::{Finder, Hunt, Tally};

use crate::bundled::{golds, schemas};

fn size() -> usize {
    std::env::var("TWINQL_TRUTH").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn hunt(seed: usize) -> Hunt {
    let n = size();
    Hunt { seed: seed as u64, neighbours: 16 * n, across: 24 * n, databases: 40 * n as u64 }
}

/// The presets take turns.
fn semantics(turn: usize) -> Semantics {
    let presets = ["default", "declared", "no-fk", "strict", "bird", "spider"];
    Semantics::preset(presets[turn % presets.len()]).unwrap()
}

fn told(tally: &Tally) {
    println!("{tally}");
    let wrong: Vec<String> = tally.wrong.iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(tally.equal > 0 && tally.pairs > 10 * size());
}

fn sum(all: impl ParallelIterator<Item = Tally>) -> Tally {
    let together = |mut all: Tally, one| {
        all.merge(one);
        all
    };
    all.reduce(Tally::default, together)
}

/// Bundled golds, their neighbours and their twists.
#[test]
fn bundled_golds() {
    let schemas = schemas();
    let golds: Vec<_> = golds().into_iter().enumerate().step_by(3).collect();
    told(&sum(golds.par_iter().map(|(i, (gold, name))| {
        let finder = Finder::new(&schemas[name], &semantics(*i / 3)).unwrap();
        let mut tally = Tally::default();
        finder.hunt(gold, &hunt(*i), &mut tally).unwrap();
        tally
    })));
}

/// What rules make alike, what they must not, and both twisted.
#[test]
fn examples_of_rules() {
    let schema = Example::schema().unwrap();
    let examples: Vec<(usize, &Example)> = RULES.iter().flat_map(|r| r.examples).enumerate().collect();
    told(&sum(examples.par_iter().map(|(i, example)| {
        let finder = Finder::new(&schema, &example.semantics().unwrap()).unwrap();
        let mut tally = Tally::default();
        let [one, two] = example.queries;
        finder.pair(one, two, &hunt(*i), &mut tally).unwrap();
        // Neighbours of one side alone: the other is held in turn where it is an example's first query.
        let some = Hunt { neighbours: 6 * size(), across: 12 * size(), ..hunt(*i) };
        finder.hunt(if i % 2 == 0 { one } else { two }, &some, &mut tally).unwrap();
        tally
    })));
}
