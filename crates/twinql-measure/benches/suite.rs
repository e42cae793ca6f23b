//! What a verdict costs, what distilling a schema costs, and what a prediction on a suite costs.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use twinql_sql::{Schema, Semantics, Value};
use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::Answer;
use twinql_suite::suite::{DistilConfig, Known, RunOptions, RunPair, Suite, Tally, distil, run};
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
    let make = || distil(&schema, &golds, Known::default(), &config, &Tally::default(), &|_| ());
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

/// Answers of 48 rows whose columns have to be matched: permuted; two thirds of the columns are alike, the
/// same five values in other rows. The last pair is equal but for two cells of one column
/// that changed places.
fn columns(c: &mut Criterion) {
    const ROWS: usize = 48;
    let mut random = 8u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % n
    };
    for width in [10, 20, 50] {
        let mut shuffled = |n: usize| {
            let mut order: Vec<usize> = (0..n).collect();
            (1..n).rev().for_each(|i| order.swap(i, below(i + 1)));
            order
        };
        let columns: Vec<Vec<usize>> = (0..width)
            .map(|c| shuffled(ROWS).into_iter().map(|r| if c % 3 == 0 { r * c } else { r % 5 }).collect())
            .collect();
        let (order, rows) = (shuffled(width), shuffled(ROWS));
        let answer = |order: &[usize], rows: &[usize]| Answer {
            width,
            rows: rows
                .iter()
                .map(|&r| order.iter().map(|&c| Value::Integer(columns[c][r] as i64)).collect())
                .collect(),
        };
        let gold = answer(&(0..width).collect::<Vec<_>>(), &(0..ROWS).collect::<Vec<_>>());
        let same = answer(&order, &rows);
        let mut other = same.clone();
        let column = order.iter().position(|c| c % 3 == 1).unwrap_or(0);
        let first = other.rows[0][column].clone();
        if let Some(row) = other.rows.iter().position(|r| r[column] != first) {
            other.rows[0][column] = std::mem::replace(&mut other.rows[row][column], first);
        }
        let mode = Mode::new(&Semantics::default(), false);
        for (name, pred, expected) in [("equal", same, true), ("one column differs", other, false)] {
            let compared = || equal(&gold, &pred, mode, &mut Columns::new(width, true));
            assert_eq!(compared(), expected, "{width} columns, {name}");
            c.bench_function(&format!("columns/{width}, {name}"), |b| b.iter(compared));
        }
    }
}

criterion_group!(all, benches, columns);
criterion_main!(all);
