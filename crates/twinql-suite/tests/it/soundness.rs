//! The small form of `scripts/soundness.sh`, over the bundled queries and pairs.

use std::collections::BTreeMap;

use twinql_sql::normalize::example::Example;
use twinql_sql::{Schema, Semantics};
use twinql_suite::soundness::{Bench, Checked, Fate, SoundnessConfig, Totals};

use crate::bundled::{data, golds};

fn bench(db_id: &str, semantics: &str, databases: u64) -> Bench {
    let ddl = std::fs::read_to_string(data().join(format!("schemas/{db_id}.sql"))).unwrap();
    let config = SoundnessConfig {
        semantics: Semantics::preset(semantics).unwrap(),
        databases,
        ..SoundnessConfig::default()
    };
    Bench::new(&Schema::from_ddl(db_id, &ddl).unwrap(), config).unwrap()
}

fn sum(outcomes: Vec<Checked>, totals: &mut Totals) {
    for outcome in outcomes {
        totals.add(&outcome);
        if let Fate::Differs(found) = outcome.fate {
            panic!("{found:#?}");
        }
    }
}

#[test]
fn bundled_queries_agree_with_their_printed_forms() {
    let mut queries: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (sql, db) in golds() {
        queries.entry(db).or_default().push(sql);
    }
    for (semantics, databases, step) in
        [("default", 8, 1), ("no-fk", 6, 3), ("declared", 6, 3), ("strict", 6, 3)]
    {
        let mut totals = Totals::default();
        for (db, queries) in &queries {
            let bench = bench(db, semantics, databases);
            for batch in queries.chunks(8).step_by(step) {
                let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
                sum(bench.queries(&batch), &mut totals);
            }
        }
        println!("{semantics}: {totals:?}");
        assert_eq!(totals.refused + totals.unplanned + totals.unanswered, 0, "{totals:?}");
        assert!(totals.answered * 10 > totals.agreed * 7, "{totals:?}");
        assert_eq!(totals.undecided, 0, "{totals:?}");
    }
}

/// All constructs, which the tests of the rules read too.
#[test]
fn queries_of_all_constructs_agree_with_their_printed_forms() {
    let lines = include_str!("../../../twinql-sql/tests/it/queries.sql").lines();
    let queries: Vec<&str> = lines.filter(|l| !l.trim().is_empty() && !l.starts_with("--")).collect();
    for semantics in ["default", "no-fk", "declared", "strict"] {
        let config = SoundnessConfig {
            semantics: Semantics::preset(semantics).unwrap(),
            databases: 12,
            ..SoundnessConfig::default()
        };
        let bench = Bench::new(&Example::schema().unwrap(), config).unwrap();
        let mut totals = Totals::default();
        for batch in queries.chunks(8) {
            sum(bench.queries(batch), &mut totals);
        }
        println!("{semantics}: {totals:?}");
        assert_eq!(totals.refused + totals.unplanned + totals.unanswered, 0, "{semantics}: {totals:?}");
        assert_eq!(totals.undecided, 0, "{semantics}: {totals:?}");
    }
}

#[test]
fn bundled_pairs_with_equal_forms_agree() {
    let text = std::fs::read_to_string(data().join("pairs.jsonl")).unwrap();
    for semantics in ["default", "no-fk"] {
        let mut benches: BTreeMap<String, Bench> = BTreeMap::new();
        let mut totals = Totals::default();
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let of = |field: &str| row[field].as_str().unwrap().to_owned();
            let bench = benches.entry(of("db_id")).or_insert_with(|| bench(&of("db_id"), semantics, 40));
            sum(bench.pairs(&of("gold"), &[&of("pred")]), &mut totals);
        }
        println!("{semantics}: {totals:?}");
        assert!(totals.agreed > 60, "{totals:?}");
        assert_eq!(totals.undecided, 0, "{totals:?}");
    }
}

/// Queries whose printed forms once disagreed with them.
#[test]
fn forms_that_once_were_wrong() {
    let ddl = "CREATE TABLE driver (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT);
        CREATE TABLE lap (driver_id INTEGER REFERENCES driver(id), millis INTEGER NOT NULL, shown TEXT NOT NULL);";
    for (semantics, sql) in [
        // A correlated condition was lost when its subquery moved up.
        (
            "default",
            "SELECT r.id, r.shown FROM (SELECT d.id, (SELECT l.shown FROM lap l WHERE l.driver_id = d.id ORDER BY l.millis LIMIT 1) AS shown FROM driver d ORDER BY d.name LIMIT 3) r",
        ),
        (
            "default",
            "WITH best AS (SELECT d.id, MIN(l.millis) AS m FROM driver d JOIN lap l ON d.id = l.driver_id GROUP BY d.id) SELECT id, shown FROM (SELECT b.id, (SELECT MIN(l.shown) FROM lap l WHERE l.driver_id = b.id AND l.millis = b.m) AS shown FROM best b ORDER BY b.m LIMIT 3)",
        ),
        // A filter was lost where its aggregate became a scalar subquery.
        (
            "default",
            "WITH a AS (SELECT count(*) AS n FROM driver WHERE name = 'x' AND born = '+'), b AS (SELECT count(*) AS n FROM driver WHERE name = 'x' AND born = '-') SELECT CAST(a.n - b.n AS REAL) * 100.0 / b.n FROM a, b",
        ),
        // A key stood for the column that an outer join pads, and COUNT of it became COUNT(*).
        (
            "default",
            "SELECT COUNT(i.driver_id) FROM driver m LEFT JOIN (SELECT l.driver_id FROM lap l JOIN driver d ON l.driver_id = d.id) i ON m.id = i.driver_id",
        ),
        // An aggregate of the enclosing query's columns alone was printed, and is that query's.
        (
            "default",
            "SELECT d.id, d.name FROM driver d JOIN lap l ON d.id = l.driver_id GROUP BY d.id HAVING count(*) >= 2 INTERSECT SELECT d.id, d.name FROM driver d JOIN lap l ON d.id = l.driver_id GROUP BY d.id HAVING count(DISTINCT d.id) > 3",
        ),
        // Of an aggregate that is not read a bare column was left, which makes no aggregate.
        (
            "default",
            "SELECT t.name FROM (SELECT d.name, SUM(l.millis) FROM driver d JOIN lap l ON d.id = l.driver_id WHERE l.shown = 'x' ORDER BY l.millis LIMIT 1) t",
        ),
        // An order was printed inside a derived table.
        (
            "default",
            "SELECT d.name, count(*) * 1.0 / nullif((SELECT count(*) FROM driver WHERE name IS NOT NULL), 0) AS share FROM driver d GROUP BY d.name ORDER BY share DESC",
        ),
        // A constant below an outer join was printed above it, where it is never NULL.
        (
            "strict",
            "SELECT d.name, x.i FROM driver d LEFT JOIN (SELECT l.driver_id, l.shown, 1 AS i FROM lap l) x ON d.id = x.driver_id AND x.shown = 'x'",
        ),
        // A bare column over no rows is NULL, and was printed as the constant it is filtered by.
        ("default", "SELECT count(*), name FROM driver WHERE name = 'x'"),
        // NOT NULL was trusted where nothing but types is assumed.
        ("strict", "SELECT count(name) FROM driver"),
        ("strict", "SELECT count(*) FROM driver d WHERE EXISTS (SELECT 1 FROM lap l WHERE l.shown = d.name)"),
    ] {
        let config = SoundnessConfig {
            semantics: Semantics::preset(semantics).unwrap(),
            databases: 40,
            ..SoundnessConfig::default()
        };
        let bench = Bench::new(&Schema::from_ddl("laps", ddl).unwrap(), config).unwrap();
        let outcomes = bench.queries(&[sql]);
        assert_eq!(outcomes[0].fate, Fate::Agrees, "{sql}");
    }
}
