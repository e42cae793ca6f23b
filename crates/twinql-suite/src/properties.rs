//! Properties over random schemas, and over numbers of threads.
//!
//! Generated databases keep the assumptions of every preset, whatever keys a schema has; verdicts and
//! databases are the same bytes on any number of threads; values have the types that columns declare; and
//! what a query asks of the clock or of chance is the same in each run.

use std::fmt::Write;

use twinql_sql::{Schema, Semantics, Value, semantics::PRESETS};

use crate::clock::NOW;
use crate::database::Database;
use crate::dice::Dice;
use crate::facts::Facts;
use crate::generate::{Generator, shapes::SHAPES, strategies::STRATEGIES};
use crate::judge::{Judge, JudgeConfig, Verdict};
use crate::testing::schema;

/// Up to four tables with keys of one or two columns, UNIQUE columns, and foreign keys to
/// any of them: of a table to itself, in cycles, over composite keys, UNIQUE ones.
fn random_ddl(dice: &mut Dice) -> String {
    const TYPES: [&str; 8] =
        ["INTEGER", "TEXT", "REAL", "DATE", "BOOLEAN", "DECIMAL(8, 2)", "TIMESTAMP", "VARCHAR(9)"];
    let tables = 1 + dice.below(4);
    let keys: Vec<Vec<&str>> = (0..tables)
        .map(|_| (0..1 + dice.below(2)).map(|_| ["INTEGER", "TEXT"][dice.below(2)]).collect())
        .collect();
    let mut ddl = String::new();
    for (t, key) in keys.iter().enumerate() {
        let mut parts: Vec<String> = Vec::new();
        for (i, class) in key.iter().enumerate() {
            parts.push(format!("k{i} {class}"));
        }
        for c in 0..dice.below(4) {
            let mark = ["", " NOT NULL", " UNIQUE", ""][dice.below(4)];
            parts.push(format!("c{c} {}{mark}", TYPES[dice.below(TYPES.len())]));
        }
        let names: Vec<String> = (0..key.len()).map(|i| format!("k{i}")).collect();
        let mut constraints = vec![format!("PRIMARY KEY ({})", names.join(", "))];
        for f in 0..dice.below(3) {
            let target = dice.below(tables);
            let mut own = Vec::new();
            for (i, class) in keys[target].iter().enumerate() {
                // Some foreign keys are made of the table's own key columns.
                let k = format!("k{i}");
                if dice.chance(0.25) && key.get(i) == Some(class) && target != t {
                    own.push(k);
                } else {
                    let name = format!("f{f}_{i}");
                    let unique = if keys[target].len() == 1 && dice.chance(0.25) { " UNIQUE" } else { "" };
                    parts.push(format!("{name} {class}{unique}"));
                    own.push(name);
                }
            }
            let theirs: Vec<String> = (0..keys[target].len()).map(|i| format!("k{i}")).collect();
            constraints.push(format!(
                "FOREIGN KEY ({}) REFERENCES t{target} ({})",
                own.join(", "),
                theirs.join(", ")
            ));
        }
        parts.extend(constraints);
        let _ = writeln!(ddl, "CREATE TABLE t{t} ({});", parts.join(", "));
    }
    ddl
}

#[test]
fn databases_of_random_schemas_meet_their_assumptions() {
    let (mut made, mut asked) = (0, 0);
    for number in 0..150 {
        let ddl = random_ddl(&mut Dice::new(3, number));
        let schema = Schema::from_ddl("random", &ddl).unwrap_or_else(|e| panic!("{number}: {e}\n{ddl}"));
        let tables: Vec<usize> = (0..schema.tables.len()).collect();
        for preset in PRESETS {
            let semantics = Semantics::preset(preset).unwrap();
            let generator = Generator::new(&schema, &semantics, &[], &tables, number);
            for index in 0..12 {
                asked += 1;
                if let Some(database) = generator.database(index) {
                    made += 1;
                    if let Err(e) = database.check(&schema, &semantics) {
                        panic!("schema {number}, {preset}, database {index}: {e}\n{ddl}");
                    }
                }
            }
        }
    }
    assert!(made * 100 >= asked * 95, "{made} of {asked}");
}

const PAIRS: [(&str, &str); 8] = [
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age >= 20"),
    ("SELECT name FROM singer", "SELECT s.name FROM singer s"),
    ("SELECT count(*) FROM concert", "SELECT count(theme) FROM concert"),
    ("SELECT name FROM singer ORDER BY age LIMIT 1", "SELECT name FROM singer ORDER BY age, name LIMIT 1"),
    ("SELECT random() % 3 FROM singer", "SELECT random() % 3 AS r FROM singer"),
    ("SELECT name FROM singer WHERE age > strftime('%Y')", "SELECT name FROM singer WHERE age > 2020"),
    ("SELECT name FROM nowhere", "SELECT name FROM singer"),
    (
        "SELECT name FROM singer",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
    ),
];

#[test]
fn verdicts_and_databases_do_not_depend_on_threads() {
    let schema = schema();
    let config = JudgeConfig { databases: 25, ..JudgeConfig::default() };
    let semantics = Semantics::default();
    let run = |threads: usize| -> Vec<(Verdict, Vec<Option<Database>>)> {
        let mut results: Vec<Option<(Verdict, Vec<Option<Database>>)>> = vec![None; PAIRS.len()];
        std::thread::scope(|scope| {
            for (thread, slots) in results.chunks_mut(PAIRS.len().div_ceil(threads)).enumerate() {
                let (schema, config, semantics) = (&schema, &config, &semantics);
                let first = thread * PAIRS.len().div_ceil(threads);
                scope.spawn(move || {
                    let judge = Judge::new(schema, config.clone()).unwrap();
                    for (slot, (gold, pred)) in slots.iter_mut().zip(&PAIRS[first..]) {
                        let facts: Vec<Facts> = [gold, pred]
                            .map(|sql| Facts::of(schema, &twinql_sql::parse(sql).unwrap().query))
                            .into();
                        let generator = Generator::new(schema, semantics, &facts, &[], config.seed);
                        let databases = (0..10).map(|i| generator.database(i)).collect();
                        *slot = Some((judge.judge(gold, pred), databases));
                    }
                });
            }
        });
        results.into_iter().map(Option::unwrap).collect()
    };
    let one = run(1);
    for threads in [2, 4] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn shapes_are_named_and_explained() {
    let names: std::collections::BTreeSet<&str> = SHAPES.iter().map(|s| s.name).collect();
    assert_eq!(names.len(), SHAPES.len());
    for s in SHAPES {
        assert!(!s.why.is_empty() && !s.columns.is_empty(), "{}", s.name);
    }
}

#[test]
fn strategies_are_named_and_explained() {
    let mut names: Vec<&str> = STRATEGIES.iter().map(|s| s.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), STRATEGIES.len());
    for s in STRATEGIES {
        assert!(!s.doc.is_empty() && !s.why.is_empty() && !s.when.is_empty(), "{}", s.name);
    }
}

/// A column whose declared type says what its values are, and constants of other forms.
#[test]
fn values_have_the_declared_type() {
    let schema = Schema::from_ddl(
        "t",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, d DATE, m TIMESTAMP, n DECIMAL(6, 2), r REAL, i INTEGER)",
    )
    .unwrap();
    let judge = |semantics: Semantics, gold: &str, pred: &str| {
        let config = JudgeConfig { semantics, ..JudgeConfig::default() };
        crate::judge(&schema, gold, pred, &config).label()
    };
    let loose = Semantics { typed: false, ..Semantics::default() };
    for (gold, pred, typed, untyped) in [
        (
            "SELECT id FROM t WHERE strftime('%Y', d) = '2023'",
            "SELECT id FROM t WHERE d BETWEEN '2023-01-01' AND '2023-12-31'",
            1,
            0,
        ),
        (
            "SELECT id FROM t WHERE d LIKE '2023-04%'",
            "SELECT id FROM t WHERE substr(d, 1, 7) = '2023-04'",
            1,
            1,
        ),
        ("SELECT id FROM t WHERE d > '2023-04-30'", "SELECT id FROM t WHERE d >= '2023-05-01'", 1, 0),
        ("SELECT id FROM t WHERE m >= '2023-05-01'", "SELECT id FROM t WHERE date(m) >= '2023-05-01'", 1, 0),
        (
            "SELECT id FROM t WHERE strftime('%m', d) = '04'",
            "SELECT id FROM t WHERE strftime('%m', d) = '05'",
            0,
            0,
        ),
        ("SELECT id FROM t WHERE m > '2023-05-01'", "SELECT id FROM t WHERE date(m) > '2023-05-01'", 0, 0),
        ("SELECT id FROM t WHERE n > 100", "SELECT id FROM t WHERE n >= 101", 0, 0),
        ("SELECT id FROM t WHERE r > 3", "SELECT id FROM t WHERE r >= 4", 0, 0),
        ("SELECT id FROM t WHERE i > 3", "SELECT id FROM t WHERE i >= 4", 1, 0),
    ] {
        assert_eq!(judge(Semantics::default(), gold, pred), Some(typed), "{gold} | {pred}");
        assert_eq!(judge(loose.clone(), gold, pred), Some(untyped), "untyped: {gold} | {pred}");
    }
}

#[test]
fn the_clock_stands_still_in_every_form() {
    let judge = Judge::new(&schema(), JudgeConfig::default()).unwrap();
    for (asks, is) in [
        ("date()", "'2020-06-15'"),
        ("time()", "'12:00:00'"),
        ("datetime()", "'2020-06-15 12:00:00'"),
        ("datetime('NOW', 'localtime')", "'2020-06-15 12:00:00'"),
        ("datetime('now', '-1 month', 'utc')", "'2020-05-15 12:00:00'"),
        ("strftime('%Y')", "'2020'"),
        ("strftime('%Y-%m', 'now')", "'2020-06'"),
        ("julianday()", "julianday('2020-06-15 12:00:00')"),
        ("unixepoch()", "1592222400"),
        ("unixepoch('subsec')", "unixepoch('2020-06-15 12:00:00', 'subsec')"),
        ("timediff('now', '2019-06-15')", "timediff('2020-06-15 12:00:00', '2019-06-15')"),
        ("CURRENT_DATE", "'2020-06-15'"),
        ("CURRENT_TIME", "'12:00:00'"),
        ("CURRENT_TIMESTAMP", "'2020-06-15 12:00:00'"),
    ] {
        let report =
            judge.report(&format!("SELECT {asks}, id FROM singer"), &format!("SELECT {is}, id FROM singer"));
        assert!(matches!(report.verdict, Verdict::Same { .. }), "{asks}: {:?}", report.verdict);
        assert_eq!(report.notes, [format!("gold: the current time is taken as {NOW} UTC")], "{asks}");
    }
    let report =
        judge.report("SELECT id FROM singer WHERE name = 'now'", "SELECT id FROM singer WHERE 'now' = name");
    assert!(matches!(report.verdict, Verdict::Same { .. }) && report.notes.is_empty());
}

#[test]
fn chance_is_seeded_and_reported() {
    let judge = Judge::new(&schema(), JudgeConfig::default()).unwrap();
    let gold = "SELECT hex(randomblob(4)), id FROM singer";
    let first = judge.report(gold, "SELECT random(), id FROM singer");
    assert!(matches!(first.verdict, Verdict::Different { .. }));
    assert_eq!(first.notes.len(), 2, "{:?}", first.notes);
    assert_eq!(judge.report(gold, "SELECT random(), id FROM singer"), first);
    let Verdict::Different { witness } = first.verdict else { panic!() };
    assert!(witness.gold_rows.iter().all(|r| matches!(&r[0], Value::Text(s) if s.len() == 8)));
}
