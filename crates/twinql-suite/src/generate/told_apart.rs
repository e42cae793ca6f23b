//! Pairs that only databases of one kind tell apart: for each shape of values and each strategy that aims at one
//! thing, pairs that are different with it, and one at least that would be the same without it.

use std::collections::BTreeMap;

use twinql_sql::{Schema, Semantics};

use super::shapes::{LEFT_OUT, SHAPES};
use super::{Generator, MAX_ROWS};
use crate::facts::Facts;
use crate::judge::{Judge, JudgeConfig, Verdict};

const DDL: &str = "CREATE TABLE word (id INTEGER PRIMARY KEY, s TEXT NOT NULL, u TEXT NOT NULL, x REAL NOT NULL,
        n INTEGER NOT NULL, d DATE NOT NULL, m INTEGER);
    CREATE TABLE place (id INTEGER PRIMARY KEY, m INTEGER);
    CREATE TABLE loose (a, b);
    CREATE TABLE person (pid INTEGER PRIMARY KEY, city TEXT NOT NULL);
    CREATE TABLE hound (id INTEGER PRIMARY KEY, keeper INTEGER NOT NULL REFERENCES person (pid), nm TEXT NOT NULL, w INTEGER NOT NULL);";

/// Of its own, since a further table changes what chance makes of the others.
const SIGHTS: &str = "CREATE TABLE sight (id INTEGER PRIMARY KEY, seen DATETIME NOT NULL)";

/// What tells a pair apart, the semantics, the gold and the prediction.
const PAIRS: &[(&str, &str, &str, &str)] = &[
    ("blanks", "default", "SELECT s FROM word", "SELECT TRIM(s) FROM word"),
    ("blanks", "bird", "SELECT id FROM word WHERE s = 'ab'", "SELECT id FROM word WHERE TRIM(s) = 'ab'"),
    ("blanks", "no-fk", "SELECT TRIM(s) FROM word", "SELECT LTRIM(s) FROM word"),
    ("cases", "default", "SELECT COUNT(DISTINCT s) FROM word", "SELECT COUNT(DISTINCT LOWER(s)) FROM word"),
    (
        "times-of-day",
        "default",
        "SELECT COUNT(DISTINCT seen) FROM sight",
        "SELECT COUNT(DISTINCT DATE(seen)) FROM sight",
    ),
    ("long-decimals", "default", "SELECT ROUND(x, 2) FROM word", "SELECT x FROM word"),
    ("long-decimals", "default", "SELECT ROUND(x, 2) FROM word", "SELECT ROUND(x, 3) FROM word"),
    ("long-decimals", "bird", "SELECT ROUND(SUM(x), 2) FROM word", "SELECT SUM(ROUND(x, 2)) FROM word"),
    ("long-decimals", "default", "SELECT x * 2 FROM word", "SELECT ROUND(x * 2, 2) FROM word"),
    ("signs", "default", "SELECT id FROM word WHERE ABS(n) = 743", "SELECT id FROM word WHERE n = 743"),
    (
        "stand-ins",
        "declared",
        "SELECT id FROM word WHERE m NOT IN (SELECT COALESCE(m, 41) FROM place)",
        "SELECT id FROM word WHERE m NOT IN (SELECT COALESCE(m, 47) FROM place)",
    ),
    (
        "stand-ins",
        "strict",
        "SELECT id FROM word WHERE NOT EXISTS (SELECT 1 FROM place WHERE place.m = word.m)",
        "SELECT id FROM word WHERE NOT EXISTS (SELECT 1 FROM place WHERE COALESCE(place.m, 43) = word.m)",
    ),
    (
        "numerals",
        "default",
        "SELECT COUNT(*) FROM word a JOIN word b ON a.n = b.s",
        "SELECT COUNT(*) FROM word a JOIN word b ON CAST(a.n AS TEXT) = b.s",
    ),
    (
        "other-types",
        "declared",
        "SELECT COUNT(*) FROM loose JOIN word ON loose.b = word.u",
        "SELECT COUNT(*) FROM loose JOIN word ON CAST(loose.b AS TEXT) = word.u",
    ),
    ("other-types", "default", "SELECT a FROM loose WHERE typeof(a) <> 'real'", "SELECT a FROM loose"),
    (
        "month-ends",
        "default",
        "SELECT STRFTIME('%m', DATE(d, '+1 month')) FROM word",
        "SELECT STRFTIME('%m', DATE(d, 'start of month', '+1 month')) FROM word",
    ),
    ("lengths", "default", "SELECT SUBSTR(s, 1, 20) FROM word", "SELECT SUBSTR(s, 1, 21) FROM word"),
    (
        "lengths",
        "default",
        "SELECT id FROM word WHERE LENGTH(s) > 30",
        "SELECT id FROM word WHERE LENGTH(s) >= 30",
    ),
    ("parts", "default", "SELECT REPLACE(s, '#', '') FROM word", "SELECT LTRIM(s, '#') FROM word"),
    (
        "documents",
        "default",
        "SELECT json_extract(s, '$.a') FROM word",
        "SELECT json_extract(s, '$.b') FROM word",
    ),
    ("documents", "default", "SELECT s -> '$.a.b[1]' FROM word", "SELECT s -> '$.a.b[0]' FROM word"),
    ("geographies", "default", "SELECT bq_st_x(s) FROM word", "SELECT bq_st_y(s) FROM word"),
    (
        "text-dates",
        "default",
        "SELECT id FROM word WHERE STRFTIME('%Y', s) = '2021'",
        "SELECT id FROM word WHERE STRFTIME('%Y', s) = '2021' AND STRFTIME('%m', s) > '06'",
    ),
    (
        "one-row",
        "default",
        "SELECT COUNT(DISTINCT h.nm) FROM hound h JOIN person p ON h.keeper = p.pid WHERE h.w <= 1",
        "SELECT COUNT(DISTINCT h.nm) FROM hound h JOIN person p ON h.keeper <> p.pid WHERE h.w <= 1",
    ),
    (
        "null-groups",
        "declared",
        "SELECT n FROM word GROUP BY n HAVING COUNT(*) > 7 AND EXISTS (SELECT 1 FROM word WHERE m IS NOT NULL)",
        "SELECT n FROM word GROUP BY n HAVING COUNT(*) > 7 AND COUNT(m) > 0",
    ),
    (
        "beyond-bounds",
        "default",
        "SELECT COUNT(*) FROM (SELECT s FROM word ORDER BY n LIMIT 60) WHERE s < 'b'",
        "SELECT COUNT(*) FROM (SELECT s FROM word ORDER BY x LIMIT 60) WHERE s < 'b'",
    ),
    (
        "beyond-bounds",
        "default",
        "SELECT s FROM word GROUP BY s HAVING COUNT(*) > 55",
        "SELECT s FROM word GROUP BY s HAVING COUNT(*) > 56",
    ),
];

/// The verdict on a pair without a shape or a strategy.
fn judged(semantics: &str, [gold, pred]: [&str; 2], without: &'static str) -> Verdict {
    let schema = Schema::from_ddl("told", if gold.contains("sight") { SIGHTS } else { DDL }).unwrap();
    let semantics = Semantics::preset(semantics).unwrap();
    let judge = Judge::new(&schema, JudgeConfig { semantics, ..JudgeConfig::default() }).unwrap();
    LEFT_OUT.with(|out| out.set(without));
    let verdict = judge.judge(gold, pred);
    LEFT_OUT.with(|out| out.set(""));
    verdict
}

#[test]
fn each_kind_of_databases_is_needed() {
    let mut needed: BTreeMap<&str, bool> = SHAPES.iter().map(|s| (s.name, false)).collect();
    for &(name, semantics, gold, pred) in PAIRS {
        let verdict = judged(semantics, [gold, pred], "");
        assert!(matches!(verdict, Verdict::Different { .. }), "{name}: {gold} | {pred}: {verdict:?}");
        let without = judged(semantics, [gold, pred], name);
        *needed.entry(name).or_default() |= !matches!(without, Verdict::Different { .. });
    }
    // A parent may be alone by chance.
    needed.remove("one-row");
    let unneeded: Vec<&&str> = needed.iter().filter(|(_, needed)| !**needed).map(|(name, _)| name).collect();
    assert!(unneeded.is_empty(), "no pair here needs {unneeded:?}");
}

#[test]
fn a_parent_is_alone_in_some_databases_and_tables_grow_where_a_query_counts_so_far() {
    let schema = Schema::from_ddl("told", DDL).unwrap();
    let semantics = Semantics::default();
    let sizes = |sql: &str, table: &str| -> Vec<usize> {
        let facts = [Facts::of(&schema, &twinql_sql::parse(sql).unwrap().query)];
        let generator = Generator::new(&schema, &semantics, &facts, &[], 8);
        let table = schema.table_index(table).unwrap();
        (0..100).filter_map(|i| generator.database(i)).map(|d| d.rows(table).len()).collect()
    };
    let parents = sizes("SELECT nm FROM hound JOIN person ON keeper = pid", "person");
    assert!((9..100).step_by(16).all(|i| parents[i] == 1), "{parents:?}");
    for (sql, least, grown) in [
        ("SELECT s FROM word ORDER BY n LIMIT 20", 21, 8),
        ("SELECT s FROM word ORDER BY n LIMIT 220", 221, 4),
        ("SELECT n FROM word GROUP BY n HAVING COUNT(*) > 240", 239, 4),
    ] {
        let rows = sizes(sql, "word");
        assert!((23..100).step_by(24).all(|i| rows[i] >= least), "{sql}: {rows:?}");
        assert!(rows.iter().filter(|n| **n > MAX_ROWS).count() <= grown, "{sql}: {rows:?}");
    }
    let rows = sizes("SELECT s FROM word ORDER BY n LIMIT 5", "word");
    assert!(rows.iter().all(|n| *n <= MAX_ROWS), "{rows:?}");
}

#[test]
fn what_no_database_reaches_is_untested() {
    for (gold, pred) in [
        ("SELECT s FROM word LIMIT 5000", "SELECT s FROM word"),
        (
            "SELECT COUNT(*) FROM (SELECT s FROM word ORDER BY n LIMIT 900) WHERE s < 'b'",
            "SELECT COUNT(*) FROM (SELECT s FROM word ORDER BY x LIMIT 900) WHERE s < 'b'",
        ),
    ] {
        let verdict = judged("default", [gold, pred], "");
        assert!(matches!(verdict, Verdict::Untested { .. }), "{gold} | {pred}: {verdict:?}");
    }
    let gold = "SELECT s FROM word ORDER BY id LIMIT 5000";
    let verdict = judged("default", [gold, "SELECT w.s FROM word w ORDER BY w.id LIMIT 5000"], "");
    assert!(matches!(verdict, Verdict::Same { .. }), "{verdict:?}");
}
