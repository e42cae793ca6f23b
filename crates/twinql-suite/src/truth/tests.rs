use super::*;

fn finder(preset: &str) -> Finder {
    let ddl = "CREATE TABLE race (k INTEGER PRIMARY KEY, year INTEGER NOT NULL, speed REAL, code TEXT);
               CREATE TABLE mark (m INTEGER PRIMARY KEY, race INTEGER NOT NULL REFERENCES race (k), at DATE)";
    Finder::new(&Schema::from_ddl("races", ddl).unwrap(), &Semantics::preset(preset).unwrap()).unwrap()
}

#[test]
fn tiny_databases_tell_look_alikes_apart() {
    for (preset, gold, pred) in [
        ("default", "SELECT k FROM race WHERE year = '1'", "SELECT k FROM race WHERE +year = '1'"),
        ("default", "SELECT code FROM race", "SELECT TRIM(code) FROM race"),
        (
            "default",
            "SELECT code FROM race WHERE code = 'a'",
            "SELECT code FROM race WHERE LOWER(code) = 'a'",
        ),
        ("default", "SELECT speed FROM race", "SELECT ROUND(speed, 2) FROM race"),
        ("default", "SELECT k FROM race", "SELECT k FROM race JOIN mark ON race = k"),
        ("default", "SELECT year FROM race", "SELECT DISTINCT year FROM race"),
        ("declared", "SELECT COUNT(*) FROM race", "SELECT COUNT(speed) FROM race"),
        ("declared", "SELECT MAX(k) FROM race", "SELECT k FROM race ORDER BY k DESC LIMIT 1"),
        ("no-fk", "SELECT m FROM mark", "SELECT m FROM mark JOIN race ON race = k"),
        ("strict", "SELECT k FROM race", "SELECT DISTINCT k FROM race"),
        (
            "strict",
            "SELECT m FROM mark WHERE STRFTIME('%Y', at) = '1993'",
            "SELECT m FROM mark WHERE at LIKE '1994%'",
        ),
    ] {
        let found = finder(preset).refutation((gold, pred), 8, 400).unwrap();
        assert!(found.is_some(), "{preset}: {gold} | {pred}");
    }
}

#[test]
fn what_is_equal_is_not_told_apart() {
    for (preset, gold, pred) in [
        ("default", "SELECT m FROM mark", "SELECT m FROM mark JOIN race ON race = k"),
        ("default", "SELECT COUNT(*) FROM race", "SELECT COUNT(speed) FROM race"),
        ("default", "SELECT MAX(k) FROM race", "SELECT k FROM race ORDER BY k DESC LIMIT 1"),
        ("declared", "SELECT k FROM race", "SELECT DISTINCT k FROM race"),
        ("bird", "SELECT year FROM race", "SELECT DISTINCT year FROM race"),
        (
            "strict",
            "SELECT m FROM mark WHERE STRFTIME('%Y', at) = '1993'",
            "SELECT m FROM mark WHERE at LIKE '1993%'",
        ),
    ] {
        assert_eq!(
            finder(preset).refutation((gold, pred), 8, 400).unwrap(),
            None,
            "{preset}: {gold} | {pred}"
        );
    }
}

/// Each twist has a query that it changes: one that never applies asks nothing.
#[test]
fn each_twist_applies() {
    let finder = finder("default");
    let all = twisted(
        &finder.schema,
        &finder.sandbox,
        "SELECT code, speed FROM race WHERE year = 3 AND code = '01' AND k IN (SELECT race FROM mark) ORDER BY k",
    );
    for twist in TWISTS {
        assert!(all.iter().any(|t| t.twist == twist.name), "{}", twist.name);
    }
}
