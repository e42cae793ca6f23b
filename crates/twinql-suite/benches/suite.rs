//! What a verdict costs, what distilling a schema costs, and what a prediction on a suite costs.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use twinql_sql::Schema;
use twinql_suite::suite::{DistilConfig, RunOptions, RunPair, Suite, Tally, distil, run};
use twinql_suite::{Judge, JudgeConfig, neighbours};

const DDL: &str = "
    CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, city TEXT);
    CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner(id),
                      kind TEXT, weight REAL);";
const GOLDS: [&str; 4] = [
    "SELECT name FROM owner WHERE age > 30 AND city = 'Oslo'",
    "SELECT o.name, count(*) FROM owner o JOIN pet p ON p.owner_id = o.id GROUP BY o.id HAVING count(*) > 1",
    "SELECT kind, avg(weight) FROM pet GROUP BY kind ORDER BY avg(weight) DESC LIMIT 3",
    "SELECT name FROM owner WHERE id NOT IN (SELECT owner_id FROM pet WHERE kind = 'dog')",
];
/// The same as the second gold: all databases are run.
const SAME: &str = "SELECT o.name, count(p.id) FROM pet p JOIN owner o ON o.id = p.owner_id GROUP BY o.id HAVING count(*) >= 2";

fn benches(c: &mut Criterion) {
    let Ok(schema) = Schema::from_ddl("pets", DDL) else {
        return;
    };
    if let Ok(judge) = Judge::new(&schema, JudgeConfig::default()) {
        c.bench_function("judge/same, 100 databases", |b| {
            b.iter(|| judge.judge(black_box(GOLDS[1]), black_box(SAME)));
        });
        c.bench_function("judge/different", |b| {
            b.iter(|| judge.judge(black_box(GOLDS[0]), black_box(GOLDS[3])));
        });
    }
    c.bench_function("neighbours/one gold", |b| {
        b.iter(|| neighbours(&schema, black_box(GOLDS[1]), 8, 200));
    });
    let golds: Vec<String> = GOLDS.iter().map(|g| (*g).to_owned()).collect();
    let config = DistilConfig::default();
    let make = || distil(&schema, &golds, None, &config, &Tally::default(), &|_| ());
    c.bench_function("distil/four golds", |b| b.iter(make));
    let Ok(schemas) = make().map(|s| vec![s]) else {
        return;
    };
    let suite = Suite { config, schemas };
    let pairs: Vec<RunPair> = (0..100)
        .map(|i| RunPair {
            db_id: Arc::from("pets"),
            gold: Arc::from(GOLDS[1]),
            pred: Arc::from(format!("{SAME} -- {i}").as_str()),
        })
        .collect();
    c.bench_function("run/100 predictions that pass", |b| {
        b.iter(|| run(&suite, black_box(&pairs), RunOptions::default(), &|_| ()));
    });
}

criterion_group!(all, benches);
criterion_main!(all);
