//! Random databases and comparison of answers, for tests.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use rusqlite::types::{Value as Sql, ValueRef};
use twinql_sql::{Affinity, Expr, Plan, Query, Rel, Schema, TypeClass};

/// A small generator of random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

/// What a database may hold.
#[derive(Clone, Copy)]
pub struct Kind {
    pub nulls: bool,
    pub empty: bool,
    pub foreign_keys: bool,
}

/// Constants of a query, of which the databases are made.
pub fn constants(sql: &str) -> Vec<Sql> {
    let mut found = Vec::new();
    let mut rest = sql;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = &rest[at..at + 1];
        let tail = &rest[at + 1..];
        let Some(end) = tail.find(quote) else { break };
        found.push(Sql::Text(tail[..end].trim_matches('%').to_owned()));
        rest = &tail[end + 1..];
    }
    for word in sql.split(|c: char| !(c.is_ascii_digit() || c == '.')) {
        if let Ok(i) = word.parse::<i64>() {
            found.extend([i, i + 1, i.saturating_sub(1)].map(Sql::Integer));
        } else if let Ok(r) = word.parse::<f64>()
            && r.fract() != 0.0
        {
            found.push(Sql::Real(r));
        }
    }
    found
}

fn value(class: TypeClass, affinity: Affinity, pool: &[Sql], random: &mut Random) -> Sql {
    if !pool.is_empty() && random.chance(40) {
        let v = pool[random.below(pool.len())].clone();
        let fits = match (&v, affinity) {
            (Sql::Text(_), Affinity::Text | Affinity::Blob) => true,
            (Sql::Integer(_), Affinity::Text) => false,
            (Sql::Integer(_), _) => true,
            (Sql::Real(_), a) => class != TypeClass::Integer && a != Affinity::Text,
            _ => false,
        };
        if fits {
            return v;
        }
    }
    let small = random.below(6) as i64;
    match affinity {
        Affinity::Text => Sql::Text(["a", "b", "A", "ab", "", "7"][random.below(6)].to_owned()),
        Affinity::Integer => Sql::Integer(small),
        _ if class == TypeClass::Integer => Sql::Integer(small),
        _ if random.chance(20) => Sql::Real(small as f64 + 0.5),
        _ => Sql::Integer(small),
    }
}

/// Rows for the tables, keys and (if asked) foreign keys held.
pub fn rows(schema: &Schema, pool: &[Sql], kind: Kind, random: &mut Random) -> Vec<Vec<Vec<Sql>>> {
    let mut data: Vec<Vec<Vec<Sql>>> = vec![Vec::new(); schema.tables.len()];
    let mut done: BTreeSet<usize> = BTreeSet::new();
    let mut waiting: Vec<usize> = (0..schema.tables.len()).collect();
    while !waiting.is_empty() {
        let ready = waiting
            .iter()
            .position(|t| {
                schema.tables[*t]
                    .foreign_keys
                    .iter()
                    .all(|f| f.target == *t || done.contains(&f.target))
            })
            .unwrap_or(0);
        let at = waiting.remove(ready);
        done.insert(at);
        let table = &schema.tables[at];
        let count = match random.below(10) {
            0 if kind.empty => 0,
            n => 1 + n,
        };
        let mut keys: BTreeMap<Vec<usize>, BTreeSet<String>> = BTreeMap::new();
        for _ in 0..count * 2 {
            if data[at].len() >= count {
                break;
            }
            let mut row: Vec<Sql> = table
                .columns
                .iter()
                .map(|c| {
                    if kind.nulls && !c.not_null && random.chance(25) {
                        Sql::Null
                    } else {
                        value(c.class, c.affinity, pool, random)
                    }
                })
                .collect();
            for f in &table.foreign_keys {
                let target = &data[f.target];
                let alike = f.columns.iter().zip(&f.target_columns).all(|(a, b)| {
                    let text = |x: Affinity| x == Affinity::Text;
                    let to = &schema.tables[f.target].columns[*b];
                    text(table.columns[*a].affinity) == text(to.affinity)
                });
                if target.is_empty() || !alike || !kind.foreign_keys && random.chance(30) {
                    continue;
                }
                let parent = &target[random.below(target.len())];
                for (a, b) in f.columns.iter().zip(&f.target_columns) {
                    row[*a] = parent[*b].clone();
                }
            }
            let mut all = vec![table.primary_key.clone()];
            all.extend(table.unique.clone());
            let text = |key: &[usize]| format!("{:?}", key.iter().map(|c| &row[*c]).collect::<Vec<_>>());
            let clash = all.iter().filter(|k| !k.is_empty()).any(|key| {
                let null = key.iter().any(|c| row[*c] == Sql::Null);
                !null && keys.get(key).is_some_and(|seen| seen.contains(&text(key)))
            });
            if clash {
                continue;
            }
            for key in all {
                keys.entry(key.clone()).or_default().insert(text(&key));
            }
            data[at].push(row);
        }
        if data[at].is_empty() && !kind.empty && !table.columns.is_empty() {
            let row = table
                .columns
                .iter()
                .map(|c| value(c.class, c.affinity, &[], random))
                .collect();
            data[at].push(row);
        }
    }
    data
}

/// A database with these rows, each table's rows in an order of its own.
pub fn database(schema: &Schema, data: &[Vec<Vec<Sql>>], random: &mut Random) -> Connection {
    let mut db = Connection::open_in_memory().unwrap();
    let steps = Arc::new(AtomicUsize::new(0));
    db.progress_handler(
        1_000,
        Some(move || steps.fetch_add(1, Ordering::Relaxed) > 20_000),
    )
    .unwrap();
    for (table, rows) in schema.tables.iter().zip(data) {
        let quote = |n: &str| format!("\"{}\"", n.replace('"', "\"\""));
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|c| format!("{} {}", quote(&c.name), c.affinity.type_name()))
            .collect();
        if columns.is_empty() {
            continue;
        }
        let name = quote(&table.name);
        db.execute(&format!("CREATE TABLE {name} ({})", columns.join(", ")), [])
            .unwrap();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let marks = vec!["?"; columns.len()].join(", ");
        let mut insert = db
            .prepare(&format!("INSERT INTO {name} VALUES ({marks})"))
            .unwrap();
        for i in order {
            insert.execute(rusqlite::params_from_iter(&rows[i])).unwrap();
        }
    }
    db
}

/// The bag of rows of a query as sorted texts; numbers to nine digits.
pub fn answer(db: &Connection, sql: &str) -> Result<Vec<String>, String> {
    let mut statement = db.prepare(sql).map_err(|e| e.to_string())?;
    let width = statement.column_count();
    let mut rows = statement.query([]).map_err(|e| e.to_string())?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().map_err(|e| e.to_string())? {
        let mut text = String::new();
        for i in 0..width {
            let cell = match row.get_ref(i).map_err(|e| e.to_string())? {
                ValueRef::Null => "NULL".to_owned(),
                ValueRef::Integer(i) => format!("{:.9e}", i as f64),
                ValueRef::Real(r) => format!("{r:.9e}"),
                ValueRef::Text(t) => format!("'{}'", String::from_utf8_lossy(t)),
                ValueRef::Blob(b) => format!("{b:?}"),
            };
            text.push_str(&cell);
            text.push('|');
        }
        all.push(text);
    }
    all.sort();
    Ok(all)
}

/// How a query and its printed form compare.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// The query itself answers differently when rows are stored in another order.
    Ambiguous,
    /// SQLite refuses the query.
    Refused,
    Different(String),
}

/// Compares two texts on random databases.
pub fn compare(
    schema: &Schema,
    original: &str,
    printed: &str,
    kind: Kind,
    databases: usize,
    seed: u64,
) -> Outcome {
    let mut random = Random(seed);
    let pool = constants(original);
    let mut ambiguous = false;
    for _ in 0..databases {
        let data = rows(schema, &pool, kind, &mut random);
        let one = database(schema, &data, &mut random);
        let Ok(first) = answer(&one, original) else {
            return Outcome::Refused;
        };
        let second = answer(&one, printed);
        if second.as_ref() == Ok(&first) {
            continue;
        }
        // Bare columns, ties and the like: does the query agree with itself?
        let mut stable = true;
        for _ in 0..4 {
            let other = database(schema, &data, &mut random);
            stable &= answer(&other, original).as_ref() == Ok(&first);
            other
                .execute_batch("PRAGMA reverse_unordered_selects = 1")
                .unwrap();
            stable &= answer(&other, original).as_ref() == Ok(&first);
        }
        if !stable && second.is_ok() {
            ambiguous = true;
            continue;
        }
        return Outcome::Different(format!(
            "original: {original}\n printed: {printed}\n answers: {first:?}\n     and: {second:?}\n    data: {data:?}"
        ));
    }
    if ambiguous {
        Outcome::Ambiguous
    } else {
        Outcome::Same
    }
}

/// Only the tables a plan reads, and what they refer to, hold rows.
pub fn reduced(schema: &Schema, plan: &Plan) -> Schema {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let text = format!("{:?}", plan.query);
    for part in text.split("Scan { table: ").skip(1) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        used.extend(digits.parse::<usize>().ok());
    }
    let mut all: Vec<usize> = used.iter().copied().collect();
    while let Some(t) = all.pop() {
        for f in &schema.tables[t].foreign_keys {
            if used.insert(f.target) {
                all.push(f.target);
            }
        }
    }
    let mut small = schema.clone();
    small.tables = used.iter().map(|t| schema.tables[*t].clone()).collect();
    let place = |t: usize| used.iter().position(|u| *u == t).unwrap();
    for table in &mut small.tables {
        for f in &mut table.foreign_keys {
            f.target = place(f.target);
        }
    }
    small
}

/// The plan with every limit taken away, in its subqueries too: where two queries differ
/// by the ties that a limit cuts, they agree without it.
pub fn unlimited(plan: &Plan) -> Plan {
    fn query(q: &mut Query) {
        rel(&mut q.rel);
    }
    fn expr(e: &mut Expr) {
        match e {
            Expr::Unary { expr: x, .. } => expr(x),
            Expr::Binary { left, right, .. } => {
                expr(left);
                expr(right);
            }
            Expr::And(list) | Expr::Or(list) => list.iter_mut().for_each(expr),
            Expr::InSubquery { query: q, .. } => query(q),
            Expr::Exists(q) | Expr::Scalar(q) => query(q),
            _ => {}
        }
    }
    fn rel(r: &mut Rel) {
        match r {
            Rel::Sort {
                input, limit, offset, ..
            } => {
                *limit = None;
                *offset = None;
                rel(input);
            }
            Rel::Filter { input, predicate } => {
                predicate.iter_mut().for_each(expr);
                rel(input);
            }
            Rel::Project { input, exprs } => {
                exprs.iter_mut().for_each(|(_, e)| expr(e));
                rel(input);
            }
            Rel::Join { inputs, on } => {
                on.iter_mut().for_each(expr);
                inputs.iter_mut().for_each(rel);
            }
            Rel::OuterJoin { left, right, on, .. } => {
                on.iter_mut().for_each(expr);
                rel(left);
                rel(right);
            }
            Rel::Aggregate { input, .. } | Rel::Distinct { input } | Rel::Window { input, .. } => rel(input),
            Rel::SetOp { left, right, .. } => {
                query(left);
                query(right);
            }
            _ => {}
        }
    }
    let mut plan = plan.clone();
    query(&mut plan.query);
    plan
}
