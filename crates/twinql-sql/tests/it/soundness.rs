//! A query and its printed canonical form return the same answer on random databases.

use std::collections::BTreeMap;

use crate::common::real;
use crate::common::{Kind, Outcome, Trial, compare, ordered, reduced, shaken, unlimited};
use twinql_sql::{Nulls, Plan, Schema, Semantics, parse, plan, print};

#[derive(Default, Debug)]
struct Counts {
    same: usize,
    ambiguous: usize,
    refused: usize,
    no_database: usize,
    unplanned: usize,
    different: usize,
    applied: BTreeMap<&'static str, usize>,
}

/// The plan as SQL.
fn sql_of(schema: &Schema, plan: &Plan) -> String {
    print::to_sql(schema, plan).unwrap()
}

fn semantics(kind: Kind) -> Semantics {
    Semantics {
        name: "custom".into(),
        any_column_order: false,
        nulls: if kind.nulls { Nulls::Nullable } else { Nulls::Nowhere },
        empty_tables: kind.empty,
        foreign_keys_hold: kind.foreign_keys,
        ..Semantics::default()
    }
}

fn check(schema: &Schema, sql: &str, kind: Kind, seed: u64, counts: &mut Counts) -> Option<String> {
    let planned = parse(sql).and_then(|p| {
        let text = p.sql.clone();
        plan(schema, &p).map(|plan| (text, plan))
    });
    let Ok((sql, plan)) = planned else {
        counts.unplanned += 1;
        return None;
    };
    let small = reduced(schema, &plan);
    let databases = real::number("TWINQL_SOUNDNESS_DATABASES", 4);
    let sure = |plan: &Plan| shaken(plan).map(|p| sql_of(schema, &p));
    let (raw, raw_shaken) = (sql_of(schema, &plan), sure(&plan));
    let ordered = ordered(&plan.query.rel);
    let without_limits = sql_of(schema, &unlimited(&plan));
    let cut = raw != without_limits;
    let canonical = twinql_sql::normalize(schema, plan, &semantics(kind));
    for rule in &canonical.applied {
        *counts.applied.entry(rule).or_default() += 1;
    }
    let printed = sql_of(schema, &canonical.plan);
    // What the rules left nothing open in must not leave anything open before them either.
    let end_shaken = sure(&canonical.plan);
    let end = end_shaken.as_deref().unwrap_or(&printed);
    let begin = raw_shaken.as_deref().unwrap_or(&sql);
    let trials = [
        ("plan", &raw, raw_shaken.as_deref().map(|r| (None, r))),
        ("canonical", &printed, (raw_shaken.is_some() || end_shaken.is_some()).then_some((Some(begin), end))),
    ];
    for (what, text, both) in trials {
        let trial = Trial { original: &sql, printed: text, shaken: both, ordered };
        let mut outcome = compare(&small, &trial, kind, databases, seed);
        if outcome == Outcome::Ambiguous && cut {
            let trial = Trial {
                original: &without_limits,
                printed: &sql_of(schema, &unlimited(&canonical.plan)),
                shaken: None,
                ordered: false,
            };
            if let Outcome::Different(why) = compare(&small, &trial, kind, databases, seed) {
                outcome = Outcome::Different(format!("without limits {why}"));
            }
        }
        match outcome {
            Outcome::Same => counts.same += 1,
            Outcome::Ambiguous => counts.ambiguous += 1,
            Outcome::NoDatabase => counts.no_database += 1,
            Outcome::Refused => {
                counts.refused += 1;
                return None;
            }
            Outcome::Different(why) => {
                counts.different += 1;
                return Some(format!("{what} {why}\n applied: {:?}", canonical.applied));
            }
        }
    }
    None
}

const KINDS: [Kind; 4] = [
    Kind { nulls: false, empty: false, foreign_keys: true },
    Kind { nulls: false, empty: false, foreign_keys: false },
    Kind { nulls: true, empty: true, foreign_keys: false },
    Kind { nulls: true, empty: true, foreign_keys: true },
];

const DDL: &str = "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id), total REAL, day TEXT, code TEXT REFERENCES customer(id));
         CREATE TABLE line (order_id INTEGER REFERENCES orders(id), product TEXT, amount INTEGER, PRIMARY KEY (order_id, product));";

/// What a wrong rule would make of a query is found out, ties or not.
#[test]
fn wrong_forms_are_told_apart() {
    let schema = Schema::from_ddl("shop", DDL).unwrap();
    let of = |sql: &str| plan(&schema, &parse(sql).unwrap()).unwrap();
    for (one, two) in [
        ("SELECT name FROM customer ORDER BY age LIMIT 1", "SELECT name FROM customer LIMIT 1"),
        (
            "SELECT name FROM customer ORDER BY age, id LIMIT 2",
            "SELECT name FROM customer ORDER BY age LIMIT 2",
        ),
        ("SELECT name FROM customer ORDER BY id", "SELECT name FROM customer"),
        ("SELECT name FROM customer ORDER BY id", "SELECT name FROM customer ORDER BY id DESC"),
        (
            "SELECT city, name, MAX(age) FROM customer GROUP BY city",
            "SELECT city, name, MIN(age) FROM customer GROUP BY city",
        ),
        (
            "SELECT city, name FROM customer GROUP BY city",
            "SELECT city, MAX(name) FROM customer GROUP BY city",
        ),
        ("SELECT (SELECT name FROM customer ORDER BY age LIMIT 1)", "SELECT (SELECT name FROM customer)"),
    ] {
        let (first, second) = (of(one), of(two));
        let open = |plan: &Plan| shaken(plan).map_or(sql_of(&schema, plan), |p| sql_of(&schema, &p));
        let trial = Trial {
            original: one,
            printed: two,
            shaken: Some((Some(&open(&first)), &open(&second))),
            ordered: ordered(&first.query.rel),
        };
        let outcome = compare(&reduced(&schema, &first), &trial, KINDS[0], 6, 1);
        assert!(matches!(outcome, Outcome::Different(_)), "{outcome:?}: {one}");
    }
}

#[test]
fn bundled_queries_keep_their_answers() {
    let schema = Schema::from_ddl("shop", DDL).unwrap();
    let mut failures = Vec::new();
    let mut counts = Counts::default();
    for (i, sql) in include_str!("queries.sql").lines().enumerate() {
        if sql.trim().is_empty() || sql.starts_with("--") {
            continue;
        }
        for kind in KINDS {
            let before = (counts.unplanned, counts.refused);
            failures.extend(check(&schema, sql, kind, i as u64, &mut counts));
            assert_eq!(before, (counts.unplanned, counts.refused), "{sql}");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(counts.same > 100, "{counts:?}");
    assert_eq!(counts.no_database, 0, "{counts:?}");
    assert!(counts.applied.contains_key("foreign-key-cast"), "{counts:?}");
}

#[test]
fn real_queries_keep_their_answers() {
    let Some(data) = real::data() else { return };
    let (step, offset) =
        (real::number("TWINQL_SOUNDNESS_STEP", 60), real::number("TWINQL_SOUNDNESS_OFFSET", 0));
    let schemas = twinql_sql::schema::load(data.join("spider/tables.json")).unwrap();
    let mut queries = real::gold(&data.join("spider/train_gold.sql"));
    queries.extend(real::queries(&data.join("pairs/splash_train_seq2struct.jsonl"), "pred"));
    queries.sort();
    queries.dedup();
    let mut counts = Counts::default();
    let mut failures = Vec::new();
    for (i, (db, sql)) in queries.iter().enumerate().skip(offset).step_by(step) {
        let Some(schema) = schemas.get(db.trim()) else {
            continue;
        };
        let kind = KINDS[(i / step) % KINDS.len()];
        if let Some(why) = check(schema, sql, kind, i as u64, &mut counts) {
            failures.push(format!("{db}: {why}"));
        }
    }
    println!("{counts:?}");
    let shown: Vec<String> = failures.iter().take(12).map(|f| f.chars().take(1_500).collect()).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), shown.join("\n\n"));
}
