#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use twinql_sql::{Schema, Semantics, Value, semantics::PRESETS};

use crate::database::Database;
use crate::execute::{ExecError, Limits, Sandbox};
use crate::facts::Facts;
use crate::generate::{Generator, MAX_ROWS};
use crate::judge::{Judge, JudgeConfig, Side, Verdict};
use crate::testing::schema;

fn under(semantics: &str, gold: &str, pred: &str) -> Verdict {
    let config = JudgeConfig {
        semantics: semantics.parse().unwrap(),
        ..JudgeConfig::default()
    };
    crate::judge(&schema(), gold, pred, &config)
}

fn assert_same(semantics: &str, gold: &str, pred: &str) {
    let verdict = under(semantics, gold, pred);
    assert!(
        matches!(verdict, Verdict::Same { .. }),
        "{semantics}: {gold} | {pred}: {verdict:?}"
    );
}

fn assert_different(semantics: &str, gold: &str, pred: &str) {
    let verdict = under(semantics, gold, pred);
    assert!(
        matches!(verdict, Verdict::Different { .. }),
        "{semantics}: {gold} | {pred}: {verdict:?}"
    );
}

/// Each of these must end within its limits, with an error, and change nothing.
#[test]
fn hostile_sql_is_bounded_and_changes_nothing() {
    let schema = schema();
    let limits = Limits {
        steps: 200_000,
        ..Limits::default()
    };
    let sandbox = Sandbox::new(&schema, limits).unwrap();
    let semantics = Semantics::default();
    let database = Generator::new(&schema, &semantics, &[], &[0, 1], 1)
        .database(20)
        .unwrap();
    let mut loader = sandbox.loader(&[0, 1]).unwrap();
    loader.load(&database).unwrap();
    let content = |sandbox: &Sandbox| {
        [
            "SELECT * FROM singer",
            "SELECT * FROM concert",
            "SELECT count(*) FROM sqlite_schema",
        ]
        .map(|sql| sandbox.prepare(sql).and_then(|mut p| p.run(0)))
    };
    let before = content(&sandbox);
    let fingerprint = sandbox.fingerprint();
    let unions = vec!["SELECT 1"; 1_000].join(" UNION ALL ");
    let parens = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    let subqueries = format!("{}SELECT 1{}", "SELECT * FROM (".repeat(2_000), ")".repeat(2_000));
    let sum = format!("SELECT 1{}", "+1".repeat(5_000));
    let long = format!("SELECT '{}'", "x".repeat(100_000));
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)";
    let many = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 1000)";
    for (what, sql) in [
        ("endless CTE", format!("{endless} SELECT count(*) FROM r")),
        ("endless rows", format!("{endless} SELECT n FROM r")),
        ("endless sort", format!("{endless} SELECT n FROM r ORDER BY -n")),
        ("growing text", format!("{endless} SELECT group_concat(n) FROM r")),
        ("cross join", format!("{many} SELECT count(*) FROM r a, r b, r c")),
        ("random blob", "SELECT randomblob(1000000000)".into()),
        ("zero blob", "SELECT length(zeroblob(1000000000) || 'x')".into()),
        ("printf", "SELECT printf('%.*c', 1000000000, 'x')".into()),
        ("doubling", "WITH RECURSIVE r(s) AS (SELECT 'abcdefgh' UNION ALL SELECT s || s FROM r) SELECT length(s) FROM r".into()),
        ("attach", "ATTACH 'twinql-test.db' AS other".into()),
        ("attach uri", "ATTACH 'file:twinql-test.db?mode=rwc' AS other".into()),
        ("vacuum into", "VACUUM INTO 'twinql-test.db'".into()),
        ("vacuum", "VACUUM".into()),
        ("pragma", "PRAGMA user_version = 3".into()),
        ("reading pragma", "PRAGMA table_info(singer)".into()),
        ("pragma function", "SELECT * FROM pragma_table_info('singer')".into()),
        ("schema table", "SELECT * FROM sqlite_schema".into()),
        ("load_extension", "SELECT load_extension('x')".into()),
        ("fts3_tokenizer", "SELECT fts3_tokenizer('simple')".into()),
        ("delete", "DELETE FROM singer".into()),
        ("update", "UPDATE singer SET age = 1".into()),
        ("insert", "INSERT INTO singer VALUES (99, 'a', 'b', 1)".into()),
        ("returning", "DELETE FROM singer RETURNING *".into()),
        ("cte delete", "WITH x AS (SELECT 1) DELETE FROM singer".into()),
        ("drop", "DROP TABLE singer".into()),
        ("temp table", "CREATE TEMP TABLE t (a)".into()),
        ("view", "CREATE VIEW v AS SELECT 1".into()),
        ("begin", "BEGIN".into()),
        ("savepoint", "SAVEPOINT s".into()),
        ("analyze", "ANALYZE".into()),
        ("reindex", "REINDEX".into()),
        ("explain", "EXPLAIN SELECT 1".into()),
        ("two statements", "SELECT 1; SELECT 2".into()),
        ("hidden statement", "SELECT 1; DROP TABLE singer".into()),
        ("NUL byte", "SELECT 1\0; DROP TABLE singer".into()),
        ("parameter", "SELECT ?1".into()),
        ("replace bomb", format!("{endless} SELECT max(length(replace(hex(zeroblob(60)), '0', 'ab'))) FROM r")),
        ("growing printf", format!("{endless} SELECT max(length(printf('%.*c', 500, 'x'))) FROM r")),
        ("exploding join", format!("{many} SELECT a.n FROM r a, r b, r c ORDER BY random()")),
        ("random blobs", "SELECT hex(randomblob(70000))".into()),
        ("many modifiers", format!("SELECT date('now'{})", ", '+1 day'".repeat(20))),
        ("insert or replace", "REPLACE INTO singer VALUES (1, 'a', 'b', 1)".into()),
        ("upsert", "INSERT INTO singer VALUES (1, 'a', 'b', 1) ON CONFLICT DO NOTHING".into()),
        ("insert from select", "INSERT INTO singer SELECT * FROM singer".into()),
        ("alter", "ALTER TABLE singer ADD COLUMN x".into()),
        ("create as", "CREATE TABLE copy AS SELECT * FROM singer".into()),
        ("index", "CREATE INDEX i ON singer (age)".into()),
        ("trigger", "CREATE TRIGGER t AFTER INSERT ON singer BEGIN SELECT 1; END".into()),
        ("virtual table", "CREATE VIRTUAL TABLE v USING fts5(a)".into()),
        ("commit", "COMMIT".into()),
        ("rollback", "ROLLBACK".into()),
        ("detach", "DETACH main".into()),
        ("query_only off", "PRAGMA query_only = OFF".into()),
        ("limits off", "PRAGMA hard_heap_limit = 0".into()),
        ("dbstat", "SELECT * FROM dbstat".into()),
        ("sequence", "SELECT * FROM sqlite_sequence".into()),
        ("temp schema", "SELECT * FROM sqlite_temp_master".into()),
        ("explain plan", "EXPLAIN QUERY PLAN SELECT 1".into()),
        ("wide row", format!("SELECT {}", vec!["1"; 3_000].join(", "))),
        ("many arguments", format!("SELECT max({})", vec!["1"; 50].join(", "))),
        ("long pattern", format!("SELECT 'a' LIKE '{}'", "%a".repeat(2_000))),
        ("integer overflow", "SELECT abs(-9223372036854775807 - 1)".into()),
        ("invalid function", "SELECT sqlite_version_()".into()),
        ("nothing", String::new()),
        ("semicolons", " ;; ".into()),
        ("comment", "-- empty prediction".into()),
        ("not SQL", "the answer is 42".into()),
        ("1,000 arms", unions),
        ("parentheses", parens),
        ("nested subqueries", subqueries),
        ("long sum", sum),
        ("long text", long),
    ] {
        let result = sandbox.prepare(&sql).and_then(|mut p| p.run(0));
        assert!(result.is_err(), "{what} gave an answer");
        // What stopped it must not depend on how fast the machine is.
        assert_ne!(result, Err(ExecError::Limit("time")), "{what}");
        assert_eq!(content(&sandbox), before, "{what} changed something");
        assert_eq!(sandbox.fingerprint(), fingerprint, "{what} changed something");
    }
    // Odd, but no error: a quoted name that is no column is a string, bytes that are no text.
    for (sql, value) in [
        ("SELECT \"nme\" FROM singer LIMIT 1", Value::Text("nme".into())),
        ("SELECT CAST(x'ff' AS TEXT)", Value::Text("\u{fffd}".into())),
        ("SELECT x'00ff'", Value::Blob(vec![0, 255])),
        ("SELECT 1 -- a comment;", Value::Integer(1)),
        ("\u{feff}SELECT 1", Value::Integer(1)),
        ("SELECT\r\n1;\r\n", Value::Integer(1)),
    ] {
        let answer = sandbox.prepare(sql).and_then(|mut p| p.run(0)).unwrap();
        assert_eq!(answer.rows, [[value]], "{sql}");
    }
    assert_eq!(sandbox.fingerprint(), fingerprint);
    // The wall behind the authorizer.
    assert!(sandbox.write_past_the_authorizer("DELETE FROM singer").is_err());
    loader.load(&database).unwrap();
    assert_eq!(sandbox.fingerprint(), fingerprint);
    assert!(!std::path::Path::new("twinql-test.db").exists());
}

#[test]
fn limits_say_which_was_met() {
    let limits = Limits {
        rows: 10,
        steps: 100_000,
        ..Limits::default()
    };
    let sandbox = Sandbox::new(&schema(), limits).unwrap();
    let run = |sql: &str| sandbox.prepare(sql).and_then(|mut p| p.run(0));
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)";
    assert_eq!(
        run(&format!("{endless} SELECT n FROM r")),
        Err(ExecError::Limit("rows"))
    );
    assert_eq!(
        run(&format!("{endless} SELECT max(n) FROM r")),
        Err(ExecError::Limit("steps"))
    );
    assert_eq!(run("SELECT 1;").unwrap().rows, [[Value::Integer(1)]]);
}

#[test]
fn chance_and_the_clock_are_fixed() {
    let sandbox = Sandbox::new(&schema(), Limits::default()).unwrap();
    for sql in [
        "SELECT random()",
        "SELECT current_timestamp",
        "SELECT random() FROM singer",
    ] {
        let run = || sandbox.prepare(sql).unwrap().run(5).unwrap();
        assert_eq!(run(), run(), "{sql}");
    }
    assert_same(
        "default",
        "SELECT count(*) FROM concert WHERE year < strftime('%Y', 'now')",
        "SELECT count(*) FROM concert WHERE year < strftime('%Y', '2020-06-15')",
    );
}

const SCHEMAS: [&str; 8] = [
    "CREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT UNIQUE, z REAL)",
    "CREATE TABLE a (x TEXT PRIMARY KEY, n INT); CREATE TABLE b (a TEXT NOT NULL REFERENCES a(x), k INT, PRIMARY KEY (a, k))",
    "CREATE TABLE p (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES p(id), name VARCHAR(20))",
    "CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b(id)); CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id))",
    "CREATE TABLE \"order\" (\"key of\" INTEGER PRIMARY KEY, \"a b\" DATE, ok BOOLEAN)",
    "CREATE TABLE s (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY); CREATE TABLE e (s INTEGER REFERENCES s(id), c INTEGER REFERENCES c(id), g NUMERIC, PRIMARY KEY (s, c))",
    "CREATE TABLE t (flag BOOLEAN PRIMARY KEY, d DATE UNIQUE)",
    "CREATE TABLE a (id TEXT PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY REFERENCES a(id)); CREATE TABLE c (b INTEGER UNIQUE REFERENCES b(id))",
];

#[test]
fn generated_databases_meet_their_assumptions() {
    for ddl in SCHEMAS {
        let schema = Schema::from_ddl("t", ddl).unwrap();
        let tables: Vec<usize> = (0..schema.tables.len()).collect();
        for preset in PRESETS {
            let semantics = Semantics::preset(preset).unwrap();
            for seed in 0..3 {
                let generator = Generator::new(&schema, &semantics, &[], &tables, seed);
                let made: Vec<Database> = (0..40).filter_map(|i| generator.database(i)).collect();
                assert!(
                    made.len() >= 36,
                    "{ddl} under {preset}: only {} databases",
                    made.len()
                );
                for database in &made {
                    database.check(&schema, &semantics).unwrap();
                    assert!(tables.iter().all(|&t| database.rows(t).len() <= MAX_ROWS));
                }
                assert_eq!(
                    made,
                    (0..40).filter_map(|i| generator.database(i)).collect::<Vec<_>>()
                );
            }
        }
    }
}

#[test]
fn databases_vary_as_the_semantics_allows() {
    let schema = schema();
    let query = twinql_sql::parse("SELECT name FROM singer JOIN concert ON singer.id = singer_id WHERE country = 'France' AND theme LIKE '%rock%'").unwrap();
    let facts = [Facts::of(&schema, &query.query)];
    assert_eq!((facts[0].atoms.len(), facts[0].links.len()), (2, 1));
    let made = |preset: &str| -> Vec<Database> {
        let semantics = Semantics::preset(preset).unwrap();
        let generator = Generator::new(&schema, &semantics, &facts, &[], 7);
        (0..60).filter_map(|i| generator.database(i)).collect()
    };
    let holds = |preset: &str| {
        let semantics = Semantics::default();
        made(preset)
            .iter()
            .filter(|d| d.check(&schema, &semantics).is_ok())
            .count()
    };
    assert_eq!(holds("default"), 60);
    // Some databases keep all foreign keys where they may dangle, others do not.
    assert!((10..55).contains(&holds("no-fk")), "{}", holds("no-fk"));
    let strict = made("strict");
    assert!(strict.iter().any(|d| d.rows(0).is_empty()));
    assert!(
        strict
            .iter()
            .any(|d| d.rows(0).iter().flatten().any(|v| *v == Value::Null))
    );
    let hits = made("default")
        .iter()
        .filter(|d| d.rows(0).iter().any(|r| r[2] == Value::Text("France".into())))
        .count();
    assert!(hits > 30, "{hits}");
}

#[test]
fn comparison_under_default_semantics() {
    for (gold, pred) in [
        // columns in any order, aliases, identical conditions
        ("SELECT name, age FROM singer", "SELECT age, name FROM singer"),
        (
            "SELECT name FROM singer WHERE age > 20",
            "SELECT name FROM singer WHERE age >= 21",
        ),
        (
            "SELECT name FROM singer WHERE age = 20",
            "SELECT name FROM singer WHERE age = '20'",
        ),
        // keys and foreign keys hold, no NULLs
        (
            "SELECT count(*) FROM singer",
            "SELECT count(DISTINCT id) FROM singer",
        ),
        (
            "SELECT theme FROM concert",
            "SELECT theme FROM concert JOIN singer ON singer_id = singer.id",
        ),
        ("SELECT count(country) FROM singer", "SELECT count(*) FROM singer"),
        // an outermost ORDER BY counts in the gold alone
        ("SELECT name FROM singer", "SELECT name FROM singer ORDER BY age"),
        // ties: equal up to ties of the gold's sort keys, equal sets of possible answers
        (
            "SELECT name FROM singer ORDER BY age",
            "SELECT name FROM singer ORDER BY age, name",
        ),
        (
            "SELECT max(age) FROM singer",
            "SELECT age FROM singer ORDER BY age DESC LIMIT 1",
        ),
        (
            "SELECT name FROM singer ORDER BY age LIMIT 1",
            "SELECT s.name FROM singer AS s ORDER BY s.age ASC LIMIT 1",
        ),
        (
            "SELECT avg(age), sum(age) FROM singer",
            "SELECT sum(age) * 1.0 / count(*), sum(age) FROM singer",
        ),
    ] {
        assert_same("default", gold, pred);
    }
    for (gold, pred) in [
        ("SELECT name FROM singer", "SELECT DISTINCT name FROM singer"),
        ("SELECT name FROM singer", "SELECT name, age FROM singer"),
        (
            "SELECT name FROM singer WHERE 1 = 0",
            "SELECT name, age FROM singer WHERE 1 = 0",
        ),
        ("SELECT age FROM singer", "SELECT CAST(age AS TEXT) FROM singer"),
        (
            "SELECT name FROM singer WHERE country = 'France'",
            "SELECT name FROM singer WHERE country = 'france'",
        ),
        (
            "SELECT name FROM singer WHERE country LIKE '%fra%'",
            "SELECT name FROM singer WHERE country LIKE 'fra%'",
        ),
        // order
        ("SELECT name FROM singer ORDER BY age", "SELECT name FROM singer"),
        (
            "SELECT name FROM singer ORDER BY age",
            "SELECT name FROM singer ORDER BY age DESC",
        ),
        (
            "SELECT country FROM singer GROUP BY country ORDER BY country",
            "SELECT country FROM singer GROUP BY country",
        ),
        // ties
        (
            "SELECT name FROM singer ORDER BY age LIMIT 1",
            "SELECT name FROM singer WHERE age = (SELECT min(age) FROM singer)",
        ),
        (
            "SELECT name FROM singer ORDER BY age LIMIT 1",
            "SELECT name FROM singer ORDER BY age, name LIMIT 1",
        ),
        // bounds of groups, two conditions at once
        (
            "SELECT country FROM singer GROUP BY country HAVING count(*) > 3",
            "SELECT country FROM singer GROUP BY country HAVING count(*) >= 3",
        ),
        (
            "SELECT name FROM singer ORDER BY id LIMIT 3",
            "SELECT name FROM singer ORDER BY id LIMIT 4",
        ),
        (
            "SELECT s.id FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.theme = 'APG' INTERSECT SELECT s.id FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.theme = 'CVO'",
            "SELECT s.id FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.theme = 'APG' AND c.theme = 'CVO'",
        ),
        (
            "SELECT count(theme) FROM concert",
            "SELECT count(DISTINCT theme) FROM concert",
        ),
        (
            "SELECT name FROM singer",
            "SELECT name FROM singer JOIN concert ON singer.id = singer_id",
        ),
    ] {
        assert_different("default", gold, pred);
    }
}

#[test]
fn semantics_decides() {
    for (gold, pred, same, different) in [
        (
            "SELECT theme FROM concert",
            "SELECT theme FROM concert JOIN singer ON singer_id = singer.id",
            &["default", "spider"][..],
            &["no-fk"][..],
        ),
        (
            "SELECT DISTINCT name FROM singer",
            "SELECT name FROM singer",
            &["spider", "bird"],
            &["default"],
        ),
        (
            "SELECT name, age FROM singer",
            "SELECT age, name FROM singer",
            &["default"],
            &["bird", "strict"],
        ),
        (
            "SELECT name FROM singer ORDER BY age",
            "SELECT name FROM singer",
            &["bird"],
            &["default", "strict"],
        ),
        (
            "SELECT count(country) FROM singer",
            "SELECT count(*) FROM singer",
            &["default", "no-fk"],
            &["strict"],
        ),
        (
            "SELECT max(age) FROM singer",
            "SELECT age FROM singer ORDER BY age DESC LIMIT 1",
            &["default"],
            &["strict"],
        ),
    ] {
        for s in same {
            assert_same(s, gold, pred);
        }
        for s in different {
            assert_different(s, gold, pred);
        }
    }
}

#[test]
fn errors_name_their_side() {
    let ok = "SELECT name FROM singer";
    assert!(
        matches!(under("default", "SELECT nope FROM singer", ok), Verdict::GoldError { message } if message.contains("nope"))
    );
    assert!(
        matches!(under("default", ok, "SELECT name FROM nowhere"), Verdict::PredError { message } if message.contains("nowhere"))
    );
    assert!(matches!(
        under("default", ok, "DROP TABLE singer"),
        Verdict::PredError { .. }
    ));
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
    assert_eq!(
        under("default", "SELECT max(age) FROM singer", endless),
        Verdict::Timeout { side: Side::Pred }
    );
}

/// A hostile prediction leaves nothing behind for the pairs that follow.
#[test]
fn hostile_predictions_do_not_touch_later_verdicts() {
    let judge = Judge::new(&schema(), JudgeConfig::default()).unwrap();
    let pair = ("SELECT name FROM singer", "SELECT name FROM singer WHERE age > 3");
    let before = judge.judge(pair.0, pair.1);
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r";
    for (pred, label) in [
        ("DELETE FROM singer", Some(0)),
        ("SELECT name FROM singer; DROP TABLE singer", Some(0)),
        ("PRAGMA query_only = OFF", Some(0)),
        ("ATTACH 'x.db' AS x", Some(0)),
        (endless, None),
    ] {
        assert_eq!(judge.judge(pair.0, pred).label(), label, "{pred}");
        assert_eq!(judge.judge(pair.0, pair.1), before, "after {pred}");
    }
}

#[test]
fn repairs_are_reported() {
    let judge = Judge::new(&schema(), JudgeConfig::default()).unwrap();
    let report = judge.report(
        "SELECT name FROM singer WHERE age > = 20",
        "SELECT name FROM singer WHERE age >= 20",
    );
    assert!(matches!(report.verdict, Verdict::Same { .. }));
    assert_eq!(report.notes.len(), 1);
    assert!(report.notes[0].starts_with("gold: repaired"));
}

#[test]
fn a_witness_is_small_true_and_legal() {
    let config = JudgeConfig {
        shrink: true,
        ..JudgeConfig::default()
    };
    let schema = schema();
    let (gold, pred) = (
        "SELECT name FROM singer WHERE age > 20",
        "SELECT name FROM singer WHERE age >= 20",
    );
    let Verdict::Different { witness } = crate::judge(&schema, gold, pred, &config) else {
        panic!("they differ");
    };
    assert_eq!(
        witness.statements.matches("INSERT").count(),
        1,
        "{}",
        witness.statements
    );
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch(&witness.statements).unwrap();
    let rows = |sql: &str| -> Vec<String> {
        connection
            .prepare(sql)
            .unwrap()
            .query_map([], |r| r.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    assert_ne!(rows(gold), rows(pred));
    assert_eq!(rows(pred).len(), witness.pred_rows.len());
}

#[test]
fn wide_answers_are_matched_without_trying_all_orders() {
    let columns: Vec<String> = (0..50).map(|i| format!("c{i} INTEGER")).collect();
    let ddl = format!("CREATE TABLE wide ({})", columns.join(", "));
    let schema = Schema::from_ddl("wide", &ddl).unwrap();
    let forward: Vec<String> = (0..50).map(|i| format!("c{i}")).collect();
    let backward: Vec<String> = (0..50).rev().map(|i| format!("c{i}")).collect();
    let verdict = crate::judge(
        &schema,
        &format!("SELECT {} FROM wide", forward.join(", ")),
        &format!("SELECT {} FROM wide", backward.join(", ")),
        &JudgeConfig::default(),
    );
    assert!(matches!(verdict, Verdict::Same { .. }), "{verdict:?}");
}

/// On the published pairs of Spider dev; a sample, so that it takes a second.
#[test]
fn agrees_with_adjudicated_labels() {
    let Ok(data) = std::env::var("TWINQL_DATA") else {
        eprintln!("skipped: TWINQL_DATA is not set");
        return;
    };
    let data = std::path::Path::new(&data);
    let read = |p: &str| std::fs::read_to_string(data.join(p)).unwrap();
    let schemas = twinql_sql::schema::load(data.join("spider/tables.json")).unwrap();
    let truth: serde_json::Value =
        serde_json::from_str(&read("pairs/spider_pair_dev.adjudicated.json")).unwrap();
    let (mut right, mut all) = (0, 0);
    for line in read("pairs/spider_pair_dev.jsonl").lines().step_by(20) {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let label = truth[pair["id"].to_string()]
            .as_u64()
            .or(pair["label"].as_u64())
            .unwrap();
        let schema = &schemas[pair["db_id"].as_str().unwrap()];
        let config = JudgeConfig {
            databases: 40,
            ..JudgeConfig::default()
        };
        let verdict = crate::judge(
            schema,
            pair["gold"].as_str().unwrap(),
            pair["pred"].as_str().unwrap(),
            &config,
        );
        all += 1;
        right += usize::from(verdict.label().map(u64::from) == Some(label));
    }
    assert!(right * 100 >= all * 97, "{right} of {all}");
}
