//! Random rows that meet a schema's keys, and databases of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value as Sql;
use twinql_sql::{Affinity, Schema, TypeClass};

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

/// A value as a text column holds it: SQLite compares a child key with the affinity of its
/// parent, so `2` may be written `2.0` there.
fn as_text_if(text: bool, v: &Sql, random: &mut Random) -> Sql {
    match v {
        Sql::Integer(i) if text && random.chance(20) => Sql::Text(format!("{i}.0")),
        Sql::Integer(i) if text => Sql::Text(i.to_string()),
        Sql::Real(r) if text => Sql::Text(r.to_string()),
        v => v.clone(),
    }
}

/// True if two keys are equal to SQLite, the parent's affinity applied.
fn refers(child: &Sql, parent: &Sql) -> bool {
    let number = |v: &Sql| match v {
        Sql::Integer(i) => Some(*i as f64),
        Sql::Real(r) => Some(*r),
        Sql::Text(t) => t.parse().ok(),
        _ => None,
    };
    match parent {
        Sql::Integer(_) | Sql::Real(_) => number(child) == number(parent),
        _ => child == parent,
    }
}

/// True if every foreign key refers to a row, and no table is empty where none may be.
pub fn meets(schema: &Schema, data: &[Vec<Vec<Sql>>], kind: Kind) -> bool {
    let full = |t: usize| kind.empty || !data[t].is_empty() || schema.tables[t].columns.is_empty();
    let linked = |t: usize| {
        schema.tables[t].foreign_keys.iter().all(|f| {
            let mut keys = f.columns.iter().zip(&f.target_columns);
            data[t].iter().all(|row| {
                // NULL refers to nothing.
                kind.nulls && f.columns.iter().any(|c| row[*c] == Sql::Null)
                    || data[f.target].iter().any(|p| keys.clone().all(|(a, b)| refers(&row[*a], &p[*b])))
            }) || keys.next().is_none()
        })
    };
    (0..schema.tables.len()).all(|t| full(t) && (!kind.foreign_keys || linked(t)))
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
                schema.tables[*t].foreign_keys.iter().all(|f| f.target == *t || done.contains(&f.target))
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
                let alike = f.columns.iter().zip(&f.target_columns).all(|(a, b)| {
                    let text = |x: Affinity| x == Affinity::Text;
                    let to = &schema.tables[f.target].columns[*b];
                    text(table.columns[*a].affinity) || !text(to.affinity)
                });
                if !alike || !kind.foreign_keys && random.chance(30) {
                    continue;
                }
                let nullable = |c: &&usize| kind.nulls && !table.columns[**c].not_null;
                if kind.foreign_keys && f.columns.iter().filter(nullable).any(|c| row[*c] == Sql::Null) {
                    continue;
                }
                // The first row of a table that refers to itself refers to itself.
                let parent = match data[f.target].len() {
                    0 if f.target == at => row.clone(),
                    0 => {
                        if let Some(c) = f.columns.iter().find(nullable) {
                            row[*c] = Sql::Null;
                        }
                        continue;
                    }
                    n => data[f.target][random.below(n)].clone(),
                };
                for (a, b) in f.columns.iter().zip(&f.target_columns) {
                    row[*a] = as_text_if(table.columns[*a].affinity == Affinity::Text, &parent[*b], random);
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
            let row = table.columns.iter().map(|c| value(c.class, c.affinity, &[], random)).collect();
            data[at].push(row);
        }
    }
    data
}

/// A database with these rows, each table's rows in an order of its own.
pub fn database(schema: &Schema, data: &[Vec<Vec<Sql>>], random: &mut Random) -> Connection {
    let mut db = Connection::open_in_memory().unwrap();
    let steps = Arc::new(AtomicUsize::new(0));
    db.progress_handler(1_000, Some(move || steps.fetch_add(1, Ordering::Relaxed) > 20_000)).unwrap();
    let state = Mutex::new(Random(random.next()));
    db.create_scalar_function("shake", 0, FunctionFlags::SQLITE_UTF8, move |_| {
        Ok(state.lock().unwrap().next() as i64)
    })
    .unwrap();
    for (table, rows) in schema.tables.iter().zip(data) {
        let quote = |n: &str| format!("\"{}\"", n.replace('"', "\"\""));
        let columns: Vec<String> =
            table.columns.iter().map(|c| format!("{} {}", quote(&c.name), c.affinity.type_name())).collect();
        if columns.is_empty() {
            continue;
        }
        let name = quote(&table.name);
        db.execute(&format!("CREATE TABLE {name} ({})", columns.join(", ")), []).unwrap();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let marks = vec!["?"; columns.len()].join(", ");
        let mut insert = db.prepare(&format!("INSERT INTO {name} VALUES ({marks})")).unwrap();
        for i in order {
            insert.execute(rusqlite::params_from_iter(&rows[i])).unwrap();
        }
    }
    db
}
