//! What a probe costs beside the network: pairs that the first databases tell apart, pairs that none does, and pairs over
//! plausible databases.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use twinql_probe::{Finding, Probe, Reading, Side};
use twinql_sql::{Plan, Schema, Semantics, normalize, parse, plan};

const DDL: &str = "
    CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, city TEXT);
    CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner(id), kind TEXT, weight REAL);";
const GOLD: &str = "SELECT o.name, count(*) FROM owner o JOIN pet p ON p.owner_id = o.id
    WHERE o.age > 30 AND p.kind = 'dog' GROUP BY o.id HAVING count(*) > 1";
const NEAR: &str = "SELECT o.name, count(*) FROM owner o JOIN pet p ON p.owner_id = o.id
    WHERE o.age >= 30 AND p.kind = 'dog' GROUP BY o.id HAVING count(*) > 1";
const SAME: &str =
    "SELECT name, n FROM (SELECT name, (SELECT count(*) FROM pet WHERE owner_id = o.id AND kind = 'dog') AS n
    FROM owner o WHERE age > 30) WHERE n > 1";

fn read(schema: &Schema, sql: &str, semantics: &Semantics) -> (Reading, Plan) {
    let parsed = parse(sql).unwrap();
    let planned = plan(schema, &parsed).unwrap();
    (Reading::of(schema, &parsed, &planned), normalize(schema, planned, semantics).plan)
}

fn side((reading, plan): &(Reading, Plan)) -> Side<'_> {
    Side { plan, reading }
}

fn pairs(c: &mut Criterion) {
    let schema = Schema::from_ddl("pets", DDL).unwrap();
    let semantics = Semantics::default();
    let [gold, near, same] = [GOLD, NEAR, SAME].map(|sql| read(&schema, sql, &semantics));
    let every = |pred: &(Reading, Plan)| -> Finding {
        Probe::default().every(&schema, side(&gold), side(pred), &semantics)
    };
    assert!(every(&near).differ == 1 && every(&same).agree == 12);
    c.bench_function("every/told apart", |b| b.iter(|| every(black_box(&near))));
    c.bench_function("every/not told apart", |b| b.iter(|| every(black_box(&same))));
    let probe = Probe { databases: 4, ..Probe::default() };
    c.bench_function("plausible/four databases", |b| {
        b.iter(|| probe.plausible(&schema, side(&gold), side(black_box(&near)), &semantics));
    });
}

criterion_group!(benches, pairs);
criterion_main!(benches);
