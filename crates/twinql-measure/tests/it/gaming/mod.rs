//! No query that reads no table is called the same as one that does, by the judge, on a distilled suite,
//! on files.

mod against;

use std::collections::BTreeMap;

use twinql_measure::inputs::bundled;
use twinql_sql::{Schema, Semantics, schema};
use twinql_suite::suite::DistilConfig;
use twinql_suite::{Judge, JudgeConfig, Verdict};

/// Constants that have passed before, or that would first.
const SUSPECTS: [&str; 12] = [
    "SELECT random()",
    "SELECT random(), random()",
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
    let data = bundled();
    let mut set = schema::load(data.join("schemas")).expect("the bundled schemas");
    let text = std::fs::read_to_string(data.join("gold.tsv")).expect("the bundled golds");
    let mut by_id: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (sql, db_id) in text.lines().step_by(step).filter_map(|l| l.rsplit_once('\t')) {
        by_id.entry(db_id).or_default().push(sql.to_owned());
    }
    by_id.into_iter().filter_map(|(db_id, golds)| Some((set.shift_remove(db_id)?, golds))).collect()
}

#[test]
fn there_are_at_least_200_constants() {
    assert!(against::constants().len() >= 200);
}

#[test]
fn the_judge_calls_no_constant_the_same() {
    for (preset, few, many) in [("default", 60, 2), ("no-fk", 150, 9), ("strict", 150, 9)] {
        let semantics = Semantics::preset(preset).expect("a preset");
        let few = against::judged(&golds(few), &against::constants(), &semantics);
        let suspects = against::judged(&golds(many), &SUSPECTS, &semantics);
        for tally in [few, suspects] {
            assert_eq!(tally.same, [], "{preset}");
            assert!(tally.different * 10 > tally.pairs * 9, "{preset}: {tally:?}");
        }
    }
}

/// Conditions that once no database met: rows of values, IS NOT DISTINCT FROM, a count by its alias or in
/// a subquery, `instr`, lists as VALUES, bounds above the size of ordinary groups.
#[test]
fn golds_with_rare_conditions_are_answered() {
    let ddl = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, town TEXT, since INTEGER);
        CREATE TABLE visit (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id), note TEXT);";
    let schema = Schema::from_ddl("town", ddl).expect("a schema");
    let judge = Judge::new(&schema, JudgeConfig::default()).expect("a judge");
    for gold in [
        "SELECT name FROM person WHERE (town, since) = ('Hallstatt', 2015)",
        "SELECT name FROM person WHERE (town, since) IN ((1, 2), ('Hallstatt', 2015))",
        "SELECT name FROM person WHERE town IS NOT DISTINCT FROM 'Hallstatt & Co'",
        "SELECT town, count(*) AS n FROM person GROUP BY town HAVING n >= 20",
        "SELECT town FROM person GROUP BY town HAVING count(*) > 50",
        "SELECT p.name FROM person p WHERE (SELECT count(*) FROM visit v WHERE v.person_id = p.id) > 8",
        "SELECT id FROM visit WHERE instr(note, 'late') > 0",
        "SELECT name FROM person WHERE town IN (VALUES ('Hallstatt'), ('Graz'))",
    ] {
        let verdict = judge.judge(gold, "SELECT 1 WHERE 0");
        assert!(matches!(verdict, Verdict::Different { .. }), "{gold}: {verdict:?}");
    }
}

/// Ties leave the gold open and chance the prediction: that is no agreement.
#[test]
fn chance_is_no_answer_under_ties() {
    let ddl = "CREATE TABLE quake (id INTEGER PRIMARY KEY, region TEXT, magnitude REAL);";
    let schema = Schema::from_ddl("seismic", ddl).expect("a schema");
    let judge = Judge::new(&schema, JudgeConfig::default()).expect("a judge");
    let gold = "SELECT region FROM quake GROUP BY region ORDER BY avg(magnitude) DESC LIMIT 1";
    for pred in
        ["SELECT random()", "SELECT abs(random())", "SELECT randomblob(3)", "SELECT hex(randomblob(2))"]
    {
        assert!(matches!(judge.judge(gold, pred), Verdict::Different { .. }), "{pred}");
    }
}

#[test]
fn a_gold_that_no_database_meets_is_untested_and_says_why() {
    let ddl = "CREATE TABLE card (id INTEGER PRIMARY KEY, side TEXT, power TEXT);";
    let schema = Schema::from_ddl("cards", ddl).expect("a schema");
    let judge = Judge::new(&schema, JudgeConfig::default()).expect("a judge");
    let gold = "SELECT power FROM card WHERE id IS NULL AND side = 'front'";
    for pred in ["SELECT power FROM card WHERE id IS NULL AND power = '*'", "SELECT 1 WHERE 0"] {
        let verdict = judge.judge(gold, pred);
        let Verdict::Untested { reason, .. } = &verdict else {
            unreachable!("{pred}: {verdict:?}");
        };
        assert!(reason.contains("never answered") && reason.contains("id IS NULL"), "{reason}");
        assert_eq!(verdict.label(), None);
    }
    // The text itself, and what is proved equal.
    for pred in [gold, "SELECT c.power FROM card AS c WHERE 'front' = c.side AND c.id IS NULL"] {
        assert!(matches!(judge.judge(gold, pred), Verdict::Same { .. }), "{pred}");
    }
    // A column that may be NULL is, where the gold asks for it.
    let gold = "SELECT id FROM card WHERE side IS NULL";
    let pred = "SELECT id FROM card WHERE side IS NULL AND power = '*'";
    assert!(matches!(judge.judge(gold, pred), Verdict::Different { .. }));
}

#[test]
fn no_suite_and_no_file_calls_a_constant_the_same() {
    let semantics = Semantics::default();
    let golds = golds(24);
    let config = DistilConfig { neighbours: 10, aimed: 0, max_databases: 30, ..DistilConfig::default() };
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
