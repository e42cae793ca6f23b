use twinql_sql::{Schema, Semantics, Value, semantics::PRESETS};

use crate::bout::{Effort, MAX_STEPS, Outcome, Ring, Rules, Side};
use crate::database::Database;
use crate::execute::{ExecError, Limits, Sandbox};
use crate::facts::Facts;
use crate::generate::{Generator, MAX_ROWS};
use crate::judge::{Judge, JudgeConfig, Verdict};
use crate::testing::schema;

fn under(semantics: &str, gold: &str, pred: &str) -> Verdict {
    let config = JudgeConfig { semantics: semantics.parse().unwrap(), ..JudgeConfig::default() };
    crate::judge(&schema(), gold, pred, &config)
}

fn assert_same(semantics: &str, gold: &str, pred: &str) {
    let verdict = under(semantics, gold, pred);
    assert!(matches!(verdict, Verdict::Same { .. }), "{semantics}: {gold} | {pred}: {verdict:?}");
}

fn assert_different(semantics: &str, gold: &str, pred: &str) {
    let verdict = under(semantics, gold, pred);
    assert!(matches!(verdict, Verdict::Different { .. }), "{semantics}: {gold} | {pred}: {verdict:?}");
}

#[test]
fn limits_say_which_was_met() {
    let limits = Limits { rows: 10, steps: 100_000, ..Limits::default() };
    let sandbox = Sandbox::new(&schema(), limits).unwrap();
    let run = |sql: &str| sandbox.prepare(sql).and_then(|mut p| p.run(0));
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)";
    assert_eq!(run(&format!("{endless} SELECT n FROM r")), Err(ExecError::Limit("rows")));
    assert_eq!(run(&format!("{endless} SELECT max(n) FROM r")), Err(ExecError::Limit("steps")));
    assert_eq!(run("SELECT 1;").unwrap().rows, [[Value::Integer(1)]]);
}

#[test]
fn chance_and_the_clock_are_fixed() {
    let sandbox = Sandbox::new(&schema(), Limits::default()).unwrap();
    for sql in ["SELECT random()", "SELECT current_timestamp", "SELECT random() FROM singer"] {
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
                assert!(made.len() >= 36, "{ddl} under {preset}: only {} databases", made.len());
                for database in &made {
                    database.check(&schema, &semantics).unwrap();
                    assert!(tables.iter().all(|&t| database.rows(t).len() <= MAX_ROWS));
                }
                assert_eq!(made, (0..40).filter_map(|i| generator.database(i)).collect::<Vec<_>>());
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
        made(preset).iter().filter(|d| d.check(&schema, &semantics).is_ok()).count()
    };
    assert_eq!(holds("default"), 60);
    // Some databases keep all foreign keys where they may dangle, others do not.
    assert!((10..55).contains(&holds("no-fk")), "{}", holds("no-fk"));
    let strict = made("strict");
    assert!(strict.iter().any(|d| d.rows(0).is_empty()));
    assert!(strict.iter().any(|d| d.rows(0).iter().flatten().any(|v| *v == Value::Null)));
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
        ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age >= 21"),
        ("SELECT name FROM singer WHERE age = 20", "SELECT name FROM singer WHERE age = '20'"),
        // keys and foreign keys hold, no NULLs
        ("SELECT count(*) FROM singer", "SELECT count(DISTINCT id) FROM singer"),
        ("SELECT theme FROM concert", "SELECT theme FROM concert JOIN singer ON singer_id = singer.id"),
        ("SELECT count(country) FROM singer", "SELECT count(*) FROM singer"),
        // an outermost ORDER BY counts in the gold alone
        ("SELECT name FROM singer", "SELECT name FROM singer ORDER BY age"),
        // ties: equal up to ties of the gold's sort keys, equal sets of possible answers
        ("SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age, name"),
        ("SELECT max(age) FROM singer", "SELECT age FROM singer ORDER BY age DESC LIMIT 1"),
        (
            "SELECT name FROM singer ORDER BY age LIMIT 1",
            "SELECT s.name FROM singer AS s ORDER BY s.age ASC LIMIT 1",
        ),
        ("SELECT avg(age), sum(age) FROM singer", "SELECT sum(age) * 1.0 / count(*), sum(age) FROM singer"),
    ] {
        assert_same("default", gold, pred);
    }
    for (gold, pred) in [
        ("SELECT name FROM singer", "SELECT DISTINCT name FROM singer"),
        ("SELECT name FROM singer", "SELECT name, age FROM singer"),
        ("SELECT name FROM singer WHERE 1 = 0", "SELECT name, age FROM singer WHERE 1 = 0"),
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
        ("SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age DESC"),
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
        ("SELECT name FROM singer ORDER BY id LIMIT 3", "SELECT name FROM singer ORDER BY id LIMIT 4"),
        (
            "SELECT s.id FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.theme = 'APG' INTERSECT SELECT s.id FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.theme = 'CVO'",
            "SELECT s.id FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.theme = 'APG' AND c.theme = 'CVO'",
        ),
        ("SELECT count(theme) FROM concert", "SELECT count(DISTINCT theme) FROM concert"),
        ("SELECT name FROM singer", "SELECT name FROM singer JOIN concert ON singer.id = singer_id"),
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
        ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer", &["spider", "bird"], &["default"]),
        ("SELECT name, age FROM singer", "SELECT age, name FROM singer", &["default"], &["bird", "strict"]),
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
    assert!(matches!(under("default", ok, "DROP TABLE singer"), Verdict::PredError { .. }));
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
    assert_eq!(
        under("default", "SELECT max(age) FROM singer", endless),
        Verdict::Timeout { side: Side::Pred }
    );
}

/// Nobody knows what `bigquery_f` gives: where both queries call it, it gives something.
#[test]
fn functions_that_nobody_knows_have_values_made_up() {
    let judge = Judge::new(&schema(), JudgeConfig::default()).unwrap();
    let gold = "SELECT bigquery_f(name) FROM singer WHERE age > 3";
    for _ in 0..2 {
        let same = judge.report(gold, "SELECT bigquery_f(name) FROM singer WHERE 3 < age");
        assert!(matches!(same.verdict, Verdict::Same { .. }), "{same:?}");
        assert_eq!(same.notes, ["nothing is known of bigquery_f: values are made up"]);
        for pred in
            ["SELECT bigquery_f(name) FROM singer", "SELECT bigquery_f(country) FROM singer WHERE age > 3"]
        {
            assert!(matches!(judge.judge(gold, pred), Verdict::Different { .. }), "{pred}");
        }
        // One that calls another, or none, is refused as ever; so is what no dialect has.
        for pred in ["SELECT name FROM singer", "SELECT bigquery_g(name) FROM singer"] {
            assert!(matches!(judge.judge(gold, pred), Verdict::GoldError { .. }), "{pred}");
            assert!(matches!(judge.judge("SELECT name FROM singer", gold), Verdict::PredError { .. }));
        }
        assert!(matches!(
            judge.judge("SELECT f(age) FROM singer", "SELECT f(age) FROM singer"),
            Verdict::GoldError { .. }
        ));
    }
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
    let report =
        judge.report("SELECT name FROM singer WHERE age > = 20", "SELECT name FROM singer WHERE age >= 20");
    assert!(matches!(report.verdict, Verdict::Same { .. }));
    assert_eq!(report.notes.len(), 1);
    assert!(report.notes[0].starts_with("gold: repaired"));
}

#[test]
fn a_witness_is_small_true_and_legal() {
    let config = JudgeConfig { shrink: true, ..JudgeConfig::default() };
    let schema = schema();
    let (gold, pred) = ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age >= 20");
    let Verdict::Different { witness } = crate::judge(&schema, gold, pred, &config) else {
        panic!("they differ");
    };
    assert_eq!(witness.statements.matches("INSERT").count(), 1, "{}", witness.statements);
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch(&witness.statements).unwrap();
    let rows = |sql: &str| -> Vec<String> {
        connection.prepare(sql).unwrap().query_map([], |r| r.get(0)).unwrap().map(Result::unwrap).collect()
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

/// Every singer with every concert, all of whose groups tie: each sample costs what a join costs.
#[test]
fn samples_of_a_pair_have_a_price_that_is_not_passed() {
    let (schema, semantics) = (schema(), Semantics::default());
    let number = |n: i64| Value::Integer(n);
    let text = |n: i64| Value::Text(format!("t{n}"));
    let singers = (0..60).map(|i| vec![number(i), text(i), text(i % 50), number(30)]);
    let concerts = (0..60).map(|i| vec![number(i), text(i), number(2000), number(1), number(i)]);
    let database = Database { tables: vec![Some(singers.collect()), Some(concerts.collect())] };
    let sandbox = Sandbox::new(&schema, Limits::default()).unwrap();
    let mut ring = Ring::over_all(&sandbox, &schema, &semantics, Rules::of_many(Effort::Full)).unwrap();
    let gold = "SELECT s.name, s.country FROM singer s JOIN concert c ON s.id = c.singer_id \
                GROUP BY s.id ORDER BY count(*) LIMIT 1";
    let pred =
        "SELECT s.name, s.country FROM singer s JOIN concert c GROUP BY s.id ORDER BY count(*) LIMIT 3";
    let (gold, pred) = (ring.enter_text(gold).unwrap(), ring.enter_text(pred).unwrap());
    let pair = ring.pair(gold, pred);
    let mut costs = Vec::new();
    for _ in 0..6 {
        let before = sandbox.spent();
        let outcome = ring.bout(pair, &database).unwrap();
        assert!(matches!(outcome, Outcome::Differ | Outcome::Agree(_)), "{outcome:?}");
        costs.push(sandbox.spent() - before);
    }
    let total: u64 = costs.iter().sum();
    // Without the bound the first database alone costs ten times as much.
    assert!(total > MAX_STEPS / 4 && total < MAX_STEPS + MAX_STEPS / 4, "{costs:?}");
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
        let label = truth[pair["id"].to_string()].as_u64().or(pair["label"].as_u64()).unwrap();
        let schema = &schemas[pair["db_id"].as_str().unwrap()];
        let config = JudgeConfig { databases: 40, ..JudgeConfig::default() };
        let verdict =
            crate::judge(schema, pair["gold"].as_str().unwrap(), pair["pred"].as_str().unwrap(), &config);
        all += 1;
        right += usize::from(verdict.label().map(u64::from) == Some(label));
    }
    assert!(right * 100 >= all * 97, "{right} of {all}");
}

/// Keys are declared, ids are small whole numbers, texts words, dates round; only what is read is there.
#[test]
fn a_reference_that_may_be_null_needs_no_table() {
    let ddl = "CREATE TABLE town (id INTEGER PRIMARY KEY);
        CREATE TABLE branch (id INTEGER PRIMARY KEY, town_id INTEGER NOT NULL REFERENCES town (id));
        CREATE TABLE copy (id INTEGER PRIMARY KEY, price REAL NOT NULL, branch_id INTEGER REFERENCES branch (id));";
    let schema = Schema::from_ddl("copies", ddl).unwrap();
    for (semantics, tables) in [("default", 3), ("declared", 1)] {
        let semantics = Semantics::preset(semantics).unwrap();
        let config = JudgeConfig { shrink: true, semantics, ..JudgeConfig::default() };
        let (gold, pred) = ("SELECT price FROM copy", "SELECT price FROM copy WHERE id > 5");
        let Verdict::Different { witness } = crate::judge(&schema, gold, pred, &config) else {
            panic!("the same");
        };
        assert_eq!(witness.statements.matches("CREATE TABLE").count(), tables, "{}", witness.statements);
    }
}

#[test]
fn a_witness_is_plain() {
    let schema = Schema::from_ddl(
        "loans",
        "CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT NOT NULL, boss INTEGER REFERENCES member (id));
         CREATE TABLE loan (id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES member (id), due DATE);
         CREATE TABLE branch (id INTEGER PRIMARY KEY, city TEXT);",
    )
    .unwrap();
    let witness = |semantics: &str, gold: &str, pred: &str| {
        let config = JudgeConfig {
            shrink: true,
            semantics: Semantics::preset(semantics).unwrap(),
            ..JudgeConfig::default()
        };
        match crate::judge(&schema, gold, pred, &config) {
            Verdict::Different { witness } => witness,
            other => panic!("{other:?}"),
        }
    };
    let plain = witness("default", "SELECT name FROM member WHERE id > 1", "SELECT name FROM member");
    assert_eq!(plain.statements.matches("CREATE TABLE").count(), 1, "{}", plain.statements);
    // One row: a small id, a name that says of what, and itself as its boss.
    let row = plain.statements.lines().last().unwrap_or_default();
    let values = row
        .strip_prefix("INSERT INTO \"member\" VALUES (")
        .and_then(|row| row.strip_suffix(");"))
        .unwrap_or_else(|| panic!("{}", plain.statements));
    let values: Vec<&str> = values.split(", ").collect();
    assert!(values[0].parse::<u8>().is_ok_and(|id| id < 10), "{values:?}");
    assert_eq!((values[1], values[0]), ("'member A'", values[2]));
    assert!(plain.statements.contains("PRIMARY KEY (\"id\")"), "{}", plain.statements);
    assert_eq!((plain.gold_columns[0].as_str(), plain.pred_rows.len()), ("name", plain.gold_rows.len() + 1));
    // A foreign key needs the table that it refers to; without it the table is left out.
    let (gold, pred) = ("SELECT COUNT(*) FROM loan WHERE due > '2020-02-28'", "SELECT COUNT(*) FROM loan");
    let needed = witness("default", gold, pred).statements;
    assert!(needed.contains("CREATE TABLE \"member\"") && !needed.contains("branch"), "{needed}");
    assert!(needed.contains("REFERENCES \"member\"") && needed.contains("'2020-02-2"), "{needed}");
    let alone = witness("no-fk", gold, pred).statements;
    assert_eq!(alone.matches("CREATE TABLE").count(), 1, "{alone}");
    // What is seen again: SQLite itself gives the answers that are shown.
    for semantics in ["default", "no-fk", "strict"] {
        let gold = "SELECT m.name, COUNT(*) FROM member m JOIN loan l ON l.member_id = m.id GROUP BY m.id";
        let pred =
            "SELECT m.name, COUNT(*) FROM member m LEFT JOIN loan l ON l.member_id = m.id GROUP BY m.id";
        let witness = witness(semantics, gold, pred);
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(&witness.statements).unwrap();
        for (sql, rows) in [(gold, &witness.gold_rows), (pred, &witness.pred_rows)] {
            let count = format!("SELECT COUNT(*) FROM ({sql})");
            let found: i64 = connection.query_row(&count, [], |r| r.get(0)).unwrap();
            assert_eq!(found as usize, rows.len(), "{semantics} {sql} {}", witness.statements);
        }
    }
}
