//! Answers of two texts, compared on random databases.

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::types::{Value as Sql, ValueRef};
use twinql_sql::Schema;

use super::databases::{Kind, Random, constants, database, meets, rows};

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
        *self.all.entry(if ordered { rows } else { bag(rows) }).or_default() += 1;
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
        let Some(data) =
            (0..20).map(|_| rows(schema, &pool, kind, &mut random)).find(|d| meets(schema, d, kind))
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
                other.execute_batch("PRAGMA reverse_unordered_selects = 1").unwrap();
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
