//! The evaluator gives SQLite's answers, and what the probe tells apart SQLite does.

use std::path::PathBuf;

use twinql_measure::inputs::bundled as bundled_data;
use twinql_measure::probe_agreement::beside_sqlite::{Pair, Tally, agreement, pairs, schemas, soundness};
use twinql_sql::Semantics;

/// A file of pairs, its schemas, and which of its lines are taken.
type Set = (PathBuf, PathBuf, usize);

fn bundled() -> Set {
    (bundled_data().join("pairs.jsonl"), bundled_data().join("schemas"), 1)
}

/// Real queries and predictions, where there are any.
fn real() -> Vec<Set> {
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        eprintln!("skipped: real queries, which TWINQL_DATA would name");
        return Vec::new();
    };
    vec![
        (data.join("pairs/bird_ex_dev.jsonl"), data.join("bird/dev_tables.json"), 8),
        (data.join("pairs/spider_pair_dev.jsonl"), data.join("spider/tables.json"), 2),
        (data.join("pairs/splash_train_seq2struct.jsonl"), data.join("spider/tables.json"), 8),
    ]
}

fn tally(set: &Set, of: impl Fn(&twinql_sql::Schema, &Pair, &mut Tally) + Sync) -> Tally {
    let (file, folder, step) = set;
    let schemas = schemas(folder);
    let all = pairs(file, *step);
    assert!(!all.is_empty(), "no pairs in {}", file.display());
    Tally::over(&all, &schemas, of)
}

#[test]
fn answers_are_those_of_sqlite() {
    for set in std::iter::once(bundled()).chain(real()) {
        let found = tally(&set, |schema, pair, tally| {
            agreement(schema, &pair.gold, tally);
            agreement(schema, &pair.pred, tally);
        });
        let (agreed, other) = (found.of("planned: agrees"), found.of("planned: "));
        assert!(found.wrong.is_empty(), "{} answers differ: {:#?}", found.wrong.len(), found.wrong.first());
        assert!(agreed * 10 > other * 8, "few queries have an answer: {:?}", found.counts);
    }
}

#[test]
fn what_is_told_apart_sqlite_tells_apart() {
    let presets = ["default", "no-fk", "bird", "declared", "strict"];
    for (i, set) in std::iter::once(bundled()).chain(real()).enumerate() {
        // Bundled pairs under all presets, the others under one each.
        let asked = if i == 0 { &presets[..] } else { presets.get(i..=i).unwrap_or(&presets[..1]) };
        for name in asked {
            let semantics = Semantics::preset(name).unwrap();
            let found = tally(&set, |schema, pair, tally| soundness(schema, pair, &semantics, tally));
            assert!(
                found.wrong.is_empty(),
                "{name}: {} pairs: {:#?}",
                found.wrong.len(),
                found.wrong.first()
            );
            assert!(found.of("refuted") > 50, "{name}: {:?}", found.counts);
        }
    }
}
