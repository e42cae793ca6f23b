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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value as Sql, ValueRef};
use twinql_sql::{
    Affinity, AggFunc, Direction, Expr, NullsOrder, Plan, Query, Rel, Schema, SortKey, TypeClass, Value,
};

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
                    || data[f.target]
                        .iter()
                        .any(|p| keys.clone().all(|(a, b)| refers(&row[*a], &p[*b])))
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
    let state = Mutex::new(Random(random.next()));
    db.create_scalar_function("shake", 0, FunctionFlags::SQLITE_UTF8, move |_| {
        Ok(state.lock().unwrap().next() as i64)
    })
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

/// The rows of a query as texts, in the order in which they come; numbers to nine digits.
pub fn answer(db: &Connection, sql: &str) -> Result<Answer, String> {
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
    Ok(all)
}

/// The rows of an answer.
pub type Answer = Vec<String>;

fn bag(mut rows: Answer) -> Answer {
    rows.sort();
    rows
}

/// How a query and its printed form compare.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// More answers are possible than were seen, and those seen do not overlap.
    Ambiguous,
    /// SQLite refuses the query.
    Refused,
    /// No database met the assumptions.
    NoDatabase,
    Different(String),
}

/// Two texts to compare.
pub struct Trial<'a> {
    pub original: &'a str,
    pub printed: &'a str,
    /// Both with ties broken by `shake()`, if their answers depend on more than the data:
    /// by LIMIT under ties, bare columns and the like. The first is left out where the
    /// original stands for itself.
    pub shaken: Option<(Option<&'a str>, &'a str)>,
    /// The outermost query has ORDER BY.
    pub ordered: bool,
}

/// Answers that were seen of a text.
#[derive(Default)]
struct Seen {
    all: BTreeMap<Answer, usize>,
}

impl Seen {
    fn add(&mut self, db: &Connection, sql: &str, ordered: bool) -> Result<(), String> {
        let rows = answer(db, sql)?;
        *self
            .all
            .entry(if ordered { rows } else { bag(rows) })
            .or_default() += 1;
        Ok(())
    }

    /// True if an answer that was not seen is unlikely to be possible: none was seen only
    /// once or twice (Good and Turing's estimate of what is missing).
    fn saturated(&self) -> bool {
        self.all.values().all(|n| *n > 2)
    }

    /// True if an answer seen often here is none of `other`'s, all of which were seen.
    fn exceeds(&self, other: &Seen) -> bool {
        other.saturated() && self.all.iter().any(|(a, n)| *n > 7 && !other.all.contains_key(a))
    }

    fn within(&self, other: &Seen) -> bool {
        self.all.keys().all(|a| other.all.contains_key(a))
    }
}

/// The possible answers of both texts; `None` where more are possible than were seen.
fn sample(
    schema: &Schema,
    data: &[Vec<Vec<Sql>>],
    trial: &Trial<'_>,
    ordered: bool,
    random: &mut Random,
) -> Result<Option<bool>, String> {
    let (mut p, mut q) = (Seen::default(), Seen::default());
    let Some((first, second)) = trial.shaken else {
        return Ok(None);
    };
    for arrangements in [4, 24] {
        for round in 0..arrangements {
            let db = database(schema, data, random);
            if round % 2 == 1 {
                db.execute_batch("PRAGMA reverse_unordered_selects = 1").unwrap();
            }
            p.add(&db, trial.original, ordered)?;
            q.add(&db, trial.printed, ordered)?;
            for _ in 0..5 {
                if let Some(first) = first {
                    p.add(&db, first, ordered)?;
                }
                q.add(&db, second, ordered)?;
            }
        }
        if p.within(&q) && (first.is_none() || q.within(&p)) {
            return Ok(Some(true));
        }
    }
    if p.exceeds(&q) || first.is_some() && q.exceeds(&p) {
        return Ok(Some(false));
    }
    let overlap = p.all.keys().any(|a| q.all.contains_key(a));
    Ok(overlap.then_some(true))
}

/// Compares two texts on random databases.
pub fn compare(schema: &Schema, trial: &Trial<'_>, kind: Kind, databases: usize, seed: u64) -> Outcome {
    let mut random = Random(seed);
    let pool = constants(trial.original);
    let (mut ambiguous, mut met) = (false, false);
    for _ in 0..databases {
        let Some(data) = (0..20)
            .map(|_| rows(schema, &pool, kind, &mut random))
            .find(|d| meets(schema, d, kind))
        else {
            continue;
        };
        met = true;
        let one = database(schema, &data, &mut random);
        let Ok(first) = answer(&one, trial.original) else {
            return Outcome::Refused;
        };
        let second = answer(&one, trial.printed);
        let different = |second: &Result<Answer, String>| {
            Outcome::Different(format!(
                "original: {}\n printed: {}\n answers: {first:?}\n     and: {second:?}\n    data: {data:?}",
                trial.original, trial.printed
            ))
        };
        if second.is_err() {
            return different(&second);
        }
        if trial.shaken.is_some() {
            let mut outcome = Ok(None);
            if trial.ordered {
                outcome = sample(schema, &data, trial, true, &mut random);
            }
            if outcome == Ok(None) {
                outcome = sample(schema, &data, trial, false, &mut random);
            }
            match outcome {
                Ok(Some(true)) => {}
                Ok(Some(false)) => return different(&second),
                Ok(None) => ambiguous = true,
                Err(e) => return different(&Err(e)),
            }
            continue;
        }
        let again = bag(second.clone().unwrap_or_default());
        if again == bag(first.clone()) {
            continue;
        }
        // Windows under ties and the like: does the query agree with itself?
        let mut stable = true;
        for _ in 0..4 {
            let other = database(schema, &data, &mut random);
            for _ in 0..2 {
                let own = answer(&other, trial.original).map(bag);
                stable &= own == Ok(bag(first.clone()));
                other
                    .execute_batch("PRAGMA reverse_unordered_selects = 1")
                    .unwrap();
            }
        }
        if stable {
            return different(&second);
        }
        ambiguous = true;
    }
    match (met, ambiguous) {
        (false, _) => Outcome::NoDatabase,
        (true, true) => Outcome::Ambiguous,
        (true, false) => Outcome::Same,
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
    let mut plan = plan.clone();
    edit_query(&mut plan.query, &mut |r| {
        if let Rel::Sort { limit, offset, .. } = r {
            *limit = None;
            *offset = None;
        }
    });
    plan
}

/// The plan with `shake()` wherever it leaves open which row comes first: at the end of
/// every order, below bare columns and concatenations, and in scalar subqueries. `None`
/// where nothing is left open.
pub fn shaken(plan: &Plan) -> Option<Plan> {
    let mut plan = plan.clone();
    let mut open = 0;
    edit_query(&mut plan.query, &mut |r| match r {
        Rel::Sort { keys, .. } => {
            open += 1;
            keys.push(shake());
        }
        Rel::Aggregate { input, calls, .. } => {
            let any = |f: &AggFunc| matches!(f, AggFunc::Bare | AggFunc::GroupConcat | AggFunc::Other(_));
            if calls.iter().any(|(_, c)| any(&c.func)) {
                open += 1;
                let below = std::mem::replace(&mut **input, nothing());
                **input = Rel::Sort {
                    input: Box::new(below),
                    keys: vec![shake()],
                    // A subquery's order is kept where it has a limit.
                    limit: Some(Expr::Literal(Value::Integer(i64::MAX))),
                    offset: None,
                };
            }
        }
        _ => {}
    });
    (open > 0).then_some(plan)
}

/// True if the answer of the plan has an order.
pub fn ordered(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { keys, .. } => !keys.is_empty(),
        Rel::Project { input, .. } => ordered(input),
        _ => false,
    }
}

fn nothing() -> Rel {
    Rel::Values {
        columns: Vec::new(),
        rows: Vec::new(),
    }
}

fn shake() -> SortKey {
    SortKey {
        expr: Expr::Function {
            name: "shake".into(),
            args: Vec::new(),
        },
        direction: Direction::Asc,
        nulls: NullsOrder::First,
    }
}

fn edit_query(q: &mut Query, f: &mut dyn FnMut(&mut Rel)) {
    edit_rel(&mut q.rel, f);
}

fn edit_expr(e: &mut Expr, f: &mut dyn FnMut(&mut Rel)) {
    match e {
        Expr::Unary { expr, .. } | Expr::Cast { expr, .. } | Expr::Collate { expr, .. } => edit_expr(expr, f),
        Expr::Binary { left, right, .. } => {
            edit_expr(left, f);
            edit_expr(right, f);
        }
        Expr::And(list) | Expr::Or(list) | Expr::Row(list) => list.iter_mut().for_each(|e| edit_expr(e, f)),
        Expr::Function { args, .. } => args.iter_mut().for_each(|e| edit_expr(e, f)),
        Expr::InSubquery { query, .. } => edit_query(query, f),
        Expr::Exists(query) => edit_query(query, f),
        Expr::Scalar(query) => {
            edit_query(query, f);
            // The first row of a subquery without an order is any.
            let one = matches!(&query.rel, Rel::Aggregate { keys, .. } if keys.is_empty());
            if !one && !ends_sorted(&query.rel) {
                let mut sorted = Rel::Sort {
                    input: Box::new(std::mem::replace(&mut query.rel, nothing())),
                    keys: Vec::new(),
                    limit: None,
                    offset: None,
                };
                f(&mut sorted);
                query.rel = sorted;
            }
        }
        _ => {}
    }
}

fn ends_sorted(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { .. } => true,
        Rel::Project { input, .. } | Rel::Filter { input, .. } => ends_sorted(input),
        _ => false,
    }
}

fn edit_rel(r: &mut Rel, f: &mut dyn FnMut(&mut Rel)) {
    match r {
        Rel::Sort { input, .. }
        | Rel::Aggregate { input, .. }
        | Rel::Distinct { input }
        | Rel::Window { input, .. } => {
            edit_rel(input, f);
        }
        Rel::Filter { input, predicate } => {
            predicate.iter_mut().for_each(|e| edit_expr(e, f));
            edit_rel(input, f);
        }
        Rel::Project { input, exprs } => {
            exprs.iter_mut().for_each(|(_, e)| edit_expr(e, f));
            edit_rel(input, f);
        }
        Rel::Join { inputs, on } => {
            on.iter_mut().for_each(|e| edit_expr(e, f));
            inputs.iter_mut().for_each(|r| edit_rel(r, f));
        }
        Rel::OuterJoin { left, right, on, .. } => {
            on.iter_mut().for_each(|e| edit_expr(e, f));
            edit_rel(left, f);
            edit_rel(right, f);
        }
        Rel::SetOp { left, right, .. } => {
            edit_query(left, f);
            edit_query(right, f);
        }
        _ => {}
    }
    f(r);
}
