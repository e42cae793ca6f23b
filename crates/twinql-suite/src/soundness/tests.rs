//! What a wrong rule would make of a query is found out, ties or not.

use twinql_sql::{Schema, Semantics};

use super::duel::Arena;
use super::open::Nested;
use super::report::Fate;
use super::{Bench, Disagreement, SoundnessConfig};

const DDL: &str = "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id), total REAL, day TEXT);";

fn fate(left: &str, right: &str, semantics: &str) -> Fate {
    let config = SoundnessConfig {
        semantics: Semantics::preset(semantics).unwrap(),
        databases: 40,
        probe: 5,
        ..SoundnessConfig::default()
    };
    let bench = Bench::new(&Schema::from_ddl("shop", DDL).unwrap(), config).unwrap();
    let mut arena = Arena::new(&bench.schema, &bench.sandbox, &bench.config, &bench.config.semantics);
    let mut enter = |sql: &str| {
        let subject = bench.subject(sql).unwrap();
        arena.facts(subject.facts);
        arena.enter(bench.contestant(&subject.sql, &subject.plan).unwrap())
    };
    let (left, right) = (enter(left), enter(right));
    arena.pair(left, right);
    let found = arena.run().into_iter().next().unwrap();
    found.checked(|witness| Disagreement { witness: Some(witness.clone()), ..Disagreement::default() }).fate
}

#[test]
fn wrong_forms_are_told_apart() {
    for (left, right) in [
        ("SELECT name FROM customer WHERE age > 20", "SELECT name FROM customer WHERE age >= 20"),
        ("SELECT name FROM customer", "SELECT DISTINCT name FROM customer"),
        ("SELECT name, city FROM customer", "SELECT name FROM customer"),
        ("SELECT name FROM customer ORDER BY age LIMIT 1", "SELECT name FROM customer LIMIT 1"),
        (
            "SELECT name FROM customer ORDER BY age, id LIMIT 2",
            "SELECT name FROM customer ORDER BY age LIMIT 2",
        ),
        ("SELECT name FROM customer ORDER BY id", "SELECT name FROM customer"),
        ("SELECT name FROM customer ORDER BY id", "SELECT name FROM customer ORDER BY id DESC"),
        ("SELECT name FROM customer WHERE age > 20 ORDER BY age", "SELECT name FROM customer WHERE age > 20"),
        (
            "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY age) AS n FROM customer) WHERE n = 1",
            "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY city) AS n FROM customer) WHERE n = 1",
        ),
        (
            "SELECT id, lag(age) OVER (ORDER BY age) FROM customer",
            "SELECT id, lead(age) OVER (ORDER BY age) FROM customer",
        ),
        (
            "SELECT city, name, MAX(age) FROM customer GROUP BY city",
            "SELECT city, name, MIN(age) FROM customer GROUP BY city",
        ),
        (
            "SELECT city, name FROM customer GROUP BY city",
            "SELECT city, MAX(name) FROM customer GROUP BY city",
        ),
        ("SELECT (SELECT name FROM customer ORDER BY age LIMIT 1)", "SELECT (SELECT name FROM customer)"),
        (
            "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id",
            "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id",
        ),
    ] {
        let fate = fate(left, right, "default");
        let Fate::Differs(found) = fate else {
            panic!("{left} | {right}: {fate:?}");
        };
        assert!(!found.witness.unwrap().statements.is_empty());
    }
}

#[test]
fn what_sql_leaves_open_is_no_difference() {
    for (left, right) in [
        (
            "SELECT name FROM customer ORDER BY age LIMIT 1",
            "SELECT c.name FROM (SELECT * FROM customer ORDER BY id DESC) c ORDER BY age LIMIT 1",
        ),
        (
            "SELECT city, name FROM customer GROUP BY city",
            "SELECT city, name FROM (SELECT * FROM customer ORDER BY id DESC) GROUP BY city",
        ),
        (
            "SELECT day FROM orders WHERE customer_id NOT IN (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY count(*) DESC LIMIT 1)",
            "SELECT day FROM orders o WHERE NOT EXISTS (SELECT 1 FROM (SELECT customer_id AS c FROM orders GROUP BY customer_id ORDER BY count(*) DESC LIMIT 1) WHERE c = o.customer_id)",
        ),
        ("SELECT name FROM customer LIMIT 2", "SELECT name FROM customer WHERE 1 = 1 LIMIT 2"),
        ("SELECT name, city FROM customer", "SELECT city, name FROM customer"),
        // The sort key is the same in all rows, and not to be seen in the answer.
        (
            "SELECT DISTINCT name FROM customer GROUP BY id ORDER BY count(*)",
            "SELECT DISTINCT name FROM customer GROUP BY name",
        ),
        (
            "SELECT name FROM customer WHERE age = (SELECT max(age) FROM customer) ORDER BY age",
            "SELECT name FROM customer WHERE age IN (SELECT max(age) FROM customer) ORDER BY name || name = name",
        ),
        (
            "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY age) AS n FROM customer) WHERE n = 1",
            "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY age) AS n FROM (SELECT * FROM customer ORDER BY id DESC)) WHERE n = 1",
        ),
        (
            "SELECT c.name, o.day, row_number() OVER (PARTITION BY o.customer_id ORDER BY c.age) FROM orders o JOIN customer c ON o.customer_id = c.id",
            "SELECT c.name, o.day, row_number() OVER (PARTITION BY c.id ORDER BY c.age) FROM customer c JOIN orders o ON o.customer_id = c.id",
        ),
        (
            "SELECT city, max(age), min(age) FROM customer",
            "SELECT city, max(age), mi FROM (SELECT city, min(age) AS mi, max(age) AS age FROM customer)",
        ),
    ] {
        assert_eq!(fate(left, right, "default"), Fate::Agrees, "{left} | {right}");
    }
}

#[test]
fn a_rule_that_does_not_hold_is_blamed() {
    let strict = SoundnessConfig {
        semantics: Semantics::preset("strict").unwrap(),
        databases: 30,
        ..SoundnessConfig::default()
    };
    let bench = Bench::new(&Schema::from_ddl("shop", DDL).unwrap(), strict.clone()).unwrap();
    let query = "SELECT count(name) FROM customer WHERE NOT (age < 30)";
    assert_eq!(bench.queries(&[query])[0].fate, Fate::Agrees);
    // A form made under other assumptions than the databases meet.
    let default = Semantics { any_column_order: false, ..Semantics::default() };
    let query = "SELECT count(city) FROM customer";
    let subject = bench.subject(query).unwrap();
    let canonical = twinql_sql::normalize(&bench.schema, subject.plan.clone(), &default);
    let database = crate::Database {
        tables: vec![
            Some(vec![vec![
                twinql_sql::Value::Integer(1),
                twinql_sql::Value::Text("a".into()),
                twinql_sql::Value::Null,
                twinql_sql::Value::Integer(3),
            ]]),
            Some(Vec::new()),
        ],
    };
    let blamed = bench.blamed(&subject, &canonical, &default, &database);
    assert_eq!(blamed, ["count-star"]);
}

#[test]
fn texts_that_cannot_be_checked_say_why() {
    let bench = Bench::new(&Schema::from_ddl("shop", DDL).unwrap(), SoundnessConfig::default()).unwrap();
    let fates: Vec<Fate> = bench
        .queries(&[
            "SELECT nothing FROM nowhere",
            "DROP TABLE customer",
            "SELECT id FROM customer ORDER BY random()",
        ])
        .into_iter()
        .map(|o| o.fate)
        .collect();
    assert!(matches!(fates[0], Fate::Refused(_)), "{fates:?}");
    assert!(matches!(fates[1], Fate::Refused(_)), "{fates:?}");
    assert_eq!(fates[2], Fate::Random);
    let pairs = bench.pairs(
        "SELECT id FROM customer",
        &["SELECT id FROM customer", "SELECT c.id FROM customer c", "SELECT age FROM customer", "SELECT"],
    );
    assert_eq!(pairs[0].fate, Fate::Identical);
    assert_eq!(pairs[1].fate, Fate::Agrees);
    assert_eq!(pairs[2].fate, Fate::Unproved);
    assert!(matches!(pairs[3].fate, Fate::Refused(_)));
}

#[test]
fn opened_forms_are_queries() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let mut opened = 0;
    for line in std::fs::read_to_string(data.join("gold.tsv")).unwrap().lines() {
        let (sql, db) = line.rsplit_once('\t').unwrap();
        let ddl = std::fs::read_to_string(data.join(format!("schemas/{db}.sql"))).unwrap();
        let bench = Bench::new(&Schema::from_ddl(db, &ddl).unwrap(), SoundnessConfig::default()).unwrap();
        let plan = bench.subject(sql).unwrap().plan;
        let canonical = twinql_sql::normalize(&bench.schema, plan.clone(), &bench.config.semantics).plan;
        for plan in [plan, canonical] {
            for nested in [Nested::Freely, Nested::ByValues] {
                if let Some(open) = super::open::opened(&plan, nested) {
                    let sql = bench.printed(&open.plan).unwrap();
                    assert!(bench.sandbox.prepare(&sql).is_ok(), "{sql}");
                    opened += 1;
                }
            }
        }
    }
    assert!(opened > 100, "{opened}");
}
