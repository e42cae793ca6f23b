use std::collections::BTreeSet;

use twinql_sql::Schema;

use super::{ESM_RULES, Facts, WithoutRules, esm_plus, simplify};
use crate::classic::esm::clauses::{Query, Writer, build};

const DDL: &str = "
    CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, age INTEGER);
    CREATE TABLE dog (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner(id), name TEXT,
        weight REAL, tag TEXT UNIQUE);
    CREATE TABLE walk (id INTEGER PRIMARY KEY, dog_id INTEGER REFERENCES dog(id), miles REAL NOT NULL);
";

fn schema() -> Schema {
    twinql_sql::schema::read_ddl("kennel", DDL).unwrap()
}

fn read(schema: &Schema, sql: &str) -> Query {
    build(schema, &twinql_sql::parse(sql).unwrap().query).unwrap()
}

/// The canonical text, and the rules that led there.
fn canonical(schema: &Schema, sql: &str) -> (String, Vec<&'static str>) {
    let mut query = read(schema, sql);
    let used = simplify(&mut query, &Facts { schema }, &WithoutRules::default());
    (Writer::new(schema, true).text(&query), used)
}

#[test]
fn each_rule_does_what_its_entry_says() {
    let schema = schema();
    for rule in &ESM_RULES {
        let shown = (rule.before, rule.after);
        for (a, b) in std::iter::once(&shown).chain(rule.alike) {
            let ((left, mut used), (right, more)) = (canonical(&schema, a), canonical(&schema, b));
            used.extend(more);
            assert_eq!(left, right, "rule {}: {a} / {b}", rule.number);
            let silent = rule.name == "alias";
            assert!(silent || used.contains(&rule.name), "rule {} is not used: {a} / {b}", rule.number);
        }
        assert!(!rule.apart.is_empty(), "rule {} has no pair that it must leave apart", rule.number);
        for (a, b) in rule.apart {
            let (left, right) = (canonical(&schema, a).0, canonical(&schema, b).0);
            assert_ne!(left, right, "rule {}: {a} / {b}", rule.number);
        }
    }
}

#[test]
fn each_rule_of_the_table_is_there_once() {
    let numbers: BTreeSet<u8> = ESM_RULES.iter().map(|r| r.number).collect();
    assert_eq!(numbers, (1..=20).collect());
    let names: BTreeSet<&str> = ESM_RULES.iter().map(|r| r.name).collect();
    assert_eq!(names.len(), ESM_RULES.len());
}

/// What the published script equates and SQL does not (docs/esm.md).
#[test]
fn faults_of_the_script_are_not_ours() {
    let schema = schema();
    for (a, b) in [
        ("SELECT name FROM dog ORDER BY name DESC, id ASC", "SELECT name FROM dog ORDER BY name ASC, id ASC"),
        (
            "SELECT name FROM dog WHERE tag = 'a' AND id = 1 OR weight = 2",
            "SELECT name FROM dog WHERE tag = 'a' AND (id = 1 OR weight = 2)",
        ),
        ("SELECT max(weight) FROM dog", "SELECT min(weight) FROM dog"),
        ("SELECT DISTINCT name FROM dog", "SELECT name FROM dog"),
        ("SELECT name FROM dog LIMIT 1", "SELECT name FROM dog LIMIT 2"),
    ] {
        assert_ne!(canonical(&schema, a).0, canonical(&schema, b).0, "{a} / {b}");
    }
}

/// What the paper names as its limitations.
#[test]
fn its_limitations_are_not_ours() {
    let schema = schema();
    for (a, b) in [
        (
            "SELECT n FROM (SELECT name AS n, weight FROM dog) AS x WHERE x.weight > 3",
            "SELECT y.n FROM (SELECT name AS n, weight FROM dog) y WHERE weight > 3",
        ),
        (
            "SELECT name, COUNT(*) AS c FROM dog GROUP BY name ORDER BY c DESC",
            "SELECT name, COUNT(*) FROM dog GROUP BY 1 ORDER BY COUNT(*) DESC",
        ),
        (
            "WITH x AS (SELECT name AS n FROM dog) SELECT n FROM x",
            "SELECT n FROM (SELECT name AS n FROM dog)",
        ),
        (
            "SELECT a.name FROM owner a JOIN dog b ON a.id = b.owner_id JOIN dog c ON a.id = c.owner_id WHERE b.tag = 'x' AND c.tag = 'y'",
            "SELECT a.name FROM owner a JOIN dog b ON a.id = b.owner_id JOIN dog c ON a.id = c.owner_id WHERE c.tag = 'x' AND b.tag = 'y'",
        ),
    ] {
        assert_eq!(canonical(&schema, a).0, canonical(&schema, b).0, "{a} / {b}");
    }
}

/// Each rule is needed for its own example, and what is compared beyond Spider's match can be left out.
#[test]
fn parts_are_left_out_by_name() {
    let schema = schema();
    let score = |a: &str, b: &str, without: &[&str]| {
        let [a, b] = [a, b].map(|sql| twinql_sql::parse(sql).unwrap());
        let without = WithoutRules::named(without.iter().copied()).unwrap();
        esm_plus(&schema, &a.query, &b.query, &without).score
    };
    let mut needed = 0;
    for rule in ESM_RULES.iter().filter(|rule| rule.name != "alias") {
        assert_eq!(score(rule.before, rule.after, &[]), 1.0, "{}", rule.name);
        needed += usize::from(score(rule.before, rule.after, &[rule.name]) == 0.0);
        assert!(score(rule.before, rule.after, &["all"]) <= score(rule.before, rule.after, &[rule.name]));
    }
    // `all-columns` is also an effect of naming columns, and rules overlap.
    assert!(needed >= 15, "{needed}");
    let (one, other) = ("SELECT DISTINCT tag FROM dog WHERE id > 1", "SELECT tag FROM dog WHERE id > 2");
    for (without, same) in [(&["values"][..], 0.0), (&["duplicates"], 0.0), (&["values", "duplicates"], 1.0)]
    {
        assert_eq!(score(one, other, without), same, "{without:?}");
    }
    let unknown = WithoutRules::named(["between", "betwen"]).unwrap_err();
    assert!(unknown.to_string().starts_with("\"betwen\" is not a rule of esm+: all-columns, "), "{unknown}");
}
