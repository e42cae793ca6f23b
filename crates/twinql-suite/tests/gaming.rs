//! No query that reads no table is called the same as one that does, by the judge, on a distilled suite,
//! on files; `scripts/gaming.sh` does the same over all golds of a benchmark.
#![allow(clippy::expect_used)]

#[path = "../examples/gaming/against.rs"]
#[allow(dead_code)]
mod against;

use std::collections::BTreeMap;
use std::path::Path;

use twinql_sql::{Schema, Semantics, schema};
use twinql_suite::suite::DistilConfig;

/// Constants that have passed before, or that would first.
const SUSPECTS: [&str; 10] = [
    "SELECT 9e999",
    "SELECT -9e999",
    "SELECT NULL",
    "SELECT 0",
    "SELECT 1",
    "SELECT ''",
    "SELECT 1 WHERE 0",
    "SELECT 9e999, 9e999",
    "SELECT 1, 2 WHERE 0",
    "SELECT 1, 2, 3 WHERE 0",
];

/// The bundled golds, every `step`th, by schema.
fn golds(step: usize) -> Vec<(Schema, Vec<String>)> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let mut set = schema::load(data.join("schemas")).expect("the bundled schemas");
    let text = std::fs::read_to_string(data.join("gold.tsv")).expect("the bundled golds");
    let mut by_id: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (sql, db_id) in text.lines().step_by(step).filter_map(|l| l.rsplit_once('\t')) {
        by_id.entry(db_id).or_default().push(sql.to_owned());
    }
    by_id
        .into_iter()
        .filter_map(|(db_id, golds)| Some((set.shift_remove(db_id)?, golds)))
        .collect()
}

#[test]
fn there_are_at_least_200_constants() {
    assert!(against::constants().len() >= 200);
}

#[test]
fn the_judge_calls_no_constant_the_same() {
    for preset in ["default", "no-fk", "strict"] {
        let semantics = Semantics::preset(preset).expect("a preset");
        let few = against::judged(&golds(20), &against::constants(), &semantics);
        let suspects = against::judged(&golds(1), &SUSPECTS, &semantics);
        for tally in [few, suspects] {
            assert_eq!(tally.same, [], "{preset}");
            assert!(tally.different * 10 > tally.pairs * 9, "{preset}: {tally:?}");
        }
    }
}

#[test]
fn no_suite_and_no_file_calls_a_constant_the_same() {
    let semantics = Semantics::default();
    let golds = golds(6);
    let config = DistilConfig {
        neighbours: 10,
        aimed: 0,
        max_databases: 30,
        ..DistilConfig::default()
    };
    let suite = against::suite(&golds, config);
    let constants = against::constants();
    let run = against::run_on(&suite, &golds, &constants);
    let folder = std::env::temp_dir().join(format!("twinql-gaming-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let files = against::files(&suite, &folder);
    let executed = against::executed(&golds, &files, &SUSPECTS, &semantics);
    let _ = std::fs::remove_dir_all(&folder);
    for tally in [run, executed] {
        assert_eq!(tally.same, []);
        assert!(tally.different * 10 > tally.pairs * 9, "{tally:?}");
    }
}
