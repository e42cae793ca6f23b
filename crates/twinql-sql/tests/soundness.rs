//! A query and its printed canonical form return the same answer on random databases.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Kind, Outcome, compare, reduced, unlimited};
use twinql_sql::{Schema, Semantics, parse, plan, print};

#[derive(Default, Debug)]
struct Counts {
    same: usize,
    ambiguous: usize,
    refused: usize,
    unplanned: usize,
    different: usize,
}

fn semantics(kind: Kind) -> Semantics {
    Semantics {
        name: "custom".into(),
        any_column_order: false,
        nulls: kind.nulls,
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
    let databases = std::env::var("TWINQL_SOUNDNESS_DATABASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(4);
    let raw = print::to_sql(schema, &plan);
    let cut = sql.to_ascii_lowercase().contains("limit");
    let without_limits = print::to_sql(schema, &unlimited(&plan));
    let canonical = twinql_sql::normalize(schema, plan, &semantics(kind));
    let printed = print::to_sql(schema, &canonical.plan);
    for (what, text) in [("plan", raw), ("canonical", printed)] {
        match compare(&small, &sql, &text, kind, databases, seed) {
            Outcome::Same => counts.same += 1,
            Outcome::Ambiguous => counts.ambiguous += 1,
            Outcome::Refused => {
                counts.refused += 1;
                return None;
            }
            Outcome::Different(_)
                if cut && {
                    let other = print::to_sql(schema, &unlimited(&canonical.plan));
                    compare(&small, &without_limits, &other, kind, databases, seed) == Outcome::Same
                } =>
            {
                counts.ambiguous += 1;
            }
            // SQLite takes a bare column from any row of its group.
            Outcome::Different(_) if format!("{:?}", canonical.plan.query).contains("Bare") => {
                counts.ambiguous += 1;
            }
            Outcome::Different(why) => {
                counts.different += 1;
                return Some(format!("{what} {why}\n applied: {:?}", canonical.applied));
            }
        }
    }
    None
}

const KINDS: [Kind; 3] = [
    Kind {
        nulls: false,
        empty: false,
        foreign_keys: true,
    },
    Kind {
        nulls: false,
        empty: false,
        foreign_keys: false,
    },
    Kind {
        nulls: true,
        empty: true,
        foreign_keys: false,
    },
];

#[test]
fn bundled_queries_keep_their_answers() {
    let schema = Schema::from_ddl(
        "shop",
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id), total REAL, day TEXT);
         CREATE TABLE line (order_id INTEGER REFERENCES orders(id), product TEXT, amount INTEGER, PRIMARY KEY (order_id, product));",
    )
    .unwrap();
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
}

#[test]
fn real_queries_keep_their_answers() {
    let Ok(data) = std::env::var("TWINQL_DATA") else {
        println!("skipped: TWINQL_DATA is not set");
        return;
    };
    let data = std::path::Path::new(&data);
    let number = |name: &str, or: usize| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(or)
    };
    let (step, offset) = (
        number("TWINQL_SOUNDNESS_STEP", 60),
        number("TWINQL_SOUNDNESS_OFFSET", 0),
    );
    let schemas = twinql_sql::schema::load(data.join("spider/tables.json")).unwrap();
    let mut queries: Vec<(String, String)> = Vec::new();
    for line in std::fs::read_to_string(data.join("spider/train_gold.sql"))
        .unwrap()
        .lines()
    {
        if let Some((sql, db)) = line.rsplit_once('\t') {
            queries.push((db.to_owned(), sql.to_owned()));
        }
    }
    let splash = std::fs::read_to_string(data.join("pairs/splash_train_seq2struct.jsonl"));
    for line in splash.unwrap_or_default().lines() {
        let Ok(row) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        if let (Some(db), Some(sql)) = (row["db_id"].as_str(), row["pred"].as_str()) {
            queries.push((db.to_owned(), sql.to_owned()));
        }
    }
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
    let shown: Vec<String> = failures
        .iter()
        .take(12)
        .map(|f| f.chars().take(1_500).collect())
        .collect();
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        shown.join("\n\n")
    );
}
