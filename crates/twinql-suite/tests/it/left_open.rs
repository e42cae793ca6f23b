//! What SQL leaves open: queries that permit the same answers are the same whatever SQLite's
//! habits, and those that permit others are different. And conditions that count together.

use twinql_suite::{Judge, JudgeConfig, Verdict};

const SINGERS: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, age INTEGER);
    CREATE TABLE concert (id INTEGER PRIMARY KEY, theme TEXT, year INTEGER, singer_id INTEGER NOT NULL REFERENCES singer(id));";

fn judge(ddl: &str, semantics: &str, seed: u64) -> Judge {
    let schema = twinql_sql::Schema::from_ddl("open", ddl).unwrap();
    let config = JudgeConfig { semantics: semantics.parse().unwrap(), seed, ..JudgeConfig::default() };
    Judge::new(&schema, config).unwrap()
}

#[test]
fn windows_and_limits_over_ties() {
    let judge = judge(SINGERS, "default", 8);
    for (same, gold, pred) in [
        // SQLite numbers ties in the order in which rows come: by another order in the second.
        (
            true,
            "SELECT name, row_number() OVER (ORDER BY age) FROM singer",
            "SELECT name, row_number() OVER (ORDER BY age) FROM (SELECT * FROM singer ORDER BY name DESC, id) t",
        ),
        (
            true,
            "SELECT DISTINCT country, first_value(name) OVER (PARTITION BY country ORDER BY age) FROM singer",
            "SELECT DISTINCT country, first_value(name) OVER (PARTITION BY country ORDER BY age) FROM (SELECT * FROM singer ORDER BY name DESC) t",
        ),
        (
            true,
            "SELECT name FROM (SELECT name, row_number() OVER (ORDER BY age) AS n FROM singer) WHERE n = 1",
            "SELECT name FROM singer ORDER BY age LIMIT 1",
        ),
        (
            false,
            "SELECT name, row_number() OVER (ORDER BY age) FROM singer",
            "SELECT name, row_number() OVER (ORDER BY age DESC) FROM singer",
        ),
        (
            false,
            "SELECT name, row_number() OVER (ORDER BY age) FROM singer",
            "SELECT name, row_number() OVER (ORDER BY age, name) FROM singer",
        ),
        (
            false,
            "SELECT name FROM (SELECT name, row_number() OVER (ORDER BY age) AS n FROM singer) WHERE n = 1",
            "SELECT name FROM (SELECT name, rank() OVER (ORDER BY age) AS n FROM singer) WHERE n = 1",
        ),
        // An index gives the same habit to all three.
        (
            true,
            "SELECT name FROM singer ORDER BY age LIMIT 2 OFFSET 1",
            "SELECT s.name FROM singer AS s ORDER BY age LIMIT 1, 2",
        ),
        (
            false,
            "SELECT name FROM singer ORDER BY age LIMIT 2",
            "SELECT name FROM singer ORDER BY age, name LIMIT 2",
        ),
        (false, "SELECT name FROM singer LIMIT 2", "SELECT name FROM singer ORDER BY name LIMIT 2"),
        (
            false,
            "SELECT name FROM singer ORDER BY age LIMIT 2",
            "SELECT name FROM singer ORDER BY age LIMIT 2 OFFSET 1",
        ),
        (true, "SELECT max(age) FROM singer", "SELECT age FROM singer ORDER BY age DESC LIMIT 1"),
        (
            true,
            "SELECT country, count(*) FROM singer GROUP BY country ORDER BY count(*) DESC LIMIT 1",
            "SELECT t.country, count(t.id) FROM (SELECT * FROM singer ORDER BY country DESC) t GROUP BY t.country ORDER BY 2 DESC LIMIT 1",
        ),
        (
            false,
            "SELECT country, count(*) FROM singer GROUP BY country ORDER BY count(*) DESC LIMIT 1",
            "SELECT country, count(*) FROM singer GROUP BY country ORDER BY count(*) DESC, country LIMIT 1",
        ),
    ] {
        let verdict = judge.judge(gold, pred);
        let wanted = if same { Some(1) } else { Some(0) };
        assert_eq!(verdict.label(), wanted, "{gold} | {pred}: {verdict:?}");
    }
}

/// A dangling key that two tables share, a condition on one, and the largest value of the other.
#[test]
fn a_join_that_counts_for_one_row() {
    let ddl = "CREATE TABLE nation (code TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT, code TEXT REFERENCES nation(code), people INTEGER);
        CREATE TABLE tongue (code TEXT REFERENCES nation(code), word TEXT, share REAL, PRIMARY KEY (code, word));";
    let gold = "SELECT t.name, t.people FROM town t JOIN tongue g ON t.code = g.code WHERE g.word = 'English' ORDER BY t.people DESC LIMIT 1";
    let pred = "SELECT t.name, t.people FROM town t JOIN nation n ON t.code = n.code JOIN tongue g ON n.code = g.code WHERE g.word = 'English' ORDER BY t.people DESC LIMIT 1";
    for seed in 1..=6 {
        let verdict = judge(ddl, "no-fk", seed).judge(gold, pred);
        assert!(matches!(verdict, Verdict::Different { .. }), "{seed}: {verdict:?}");
    }
    let verdict = judge(ddl, "default", 8).judge(gold, pred);
    assert!(matches!(verdict, Verdict::Same { .. }), "{verdict:?}");
}
