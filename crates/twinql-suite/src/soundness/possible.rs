//! Samples of the possible answers of two queries on one database.

use std::collections::BTreeMap;

use twinql_sql::Value;

use crate::compare::Mode;
use crate::database::Database;
use crate::execute::{Answer, ExecError, Loader, Prepared};
use crate::trial::rearranged;

/// Arrangements of the rows, and runs with ties broken by chance on each, that are tried first
/// and where these do not settle it.
const STAGES: [(u64, u64); 2] = [(4, 5), (24, 5)];
/// Those that confirm a difference: an answer with one chance in fifty may well be missing
/// from the first samples of one query and be the habit of the other.
const CONFIRM: (u64, u64) = (200, 10);
/// An answer seen more often than this is no accident.
const OFTEN: usize = 7;

/// What the samples say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampled {
    /// The possible answers that were seen are the same, or overlap where not all were seen.
    Same,
    /// One query often gives an answer that the other, all of whose answers were seen, never gives.
    Different,
    /// More answers are possible than were seen, and those seen do not overlap.
    Undecided,
}

/// A query, and the same with what it leaves open decided by chance.
pub(super) struct Opened<'s, 'a> {
    pub(super) plain: &'s mut Prepared<'a>,
    pub(super) open: Option<&'s mut Prepared<'a>>,
}

impl Opened<'_, '_> {
    fn chance(&mut self, seed: u64) -> Result<Answer, ExecError> {
        match &mut self.open {
            Some(open) => open.run(seed),
            None => self.plain.run(seed),
        }
    }
}

/// An answer as text: numbers to six digits, rows in order or sorted.
type Form = Vec<String>;

#[derive(Default)]
struct Seen(BTreeMap<Form, usize>);

impl Seen {
    fn add(&mut self, answer: &Answer, order: &[usize], mode: Mode, ordered: bool) {
        *self.0.entry(form(answer, order, mode, ordered)).or_default() += 1;
    }

    /// True if an answer that was not seen is unlikely to be possible: none was seen only
    /// once or twice (Good and Turing's estimate of what is missing).
    fn saturated(&self) -> bool {
        self.0.values().all(|n| *n > 2)
    }

    fn exceeds(&self, other: &Seen) -> bool {
        other.saturated() && self.0.iter().any(|(a, n)| *n > OFTEN && !other.0.contains_key(a))
    }

    fn within(&self, other: &Seen) -> bool {
        self.0.keys().all(|a| other.0.contains_key(a))
    }
}

fn form(answer: &Answer, order: &[usize], mode: Mode, ordered: bool) -> Form {
    let mut rows: Form = answer
        .rows
        .iter()
        .map(|row| {
            let mut text = String::new();
            for &c in order {
                match row.get(c).unwrap_or(&Value::Null) {
                    Value::Text(s) => {
                        text.push('\'');
                        text.push_str(s);
                    }
                    Value::Null => text.push_str("NULL"),
                    Value::Blob(b) => text.push_str(&format!("{b:?}")),
                    number => {
                        // Sums come out in other orders: 0.1 + 0.2, -0.0.
                        let n = number.as_f64().unwrap_or(0.0);
                        text.push_str(&format!("{:.5e}", if n == 0.0 { 0.0 } else { n }));
                    }
                }
                text.push('|');
            }
            text
        })
        .collect();
    if !ordered {
        rows.sort_unstable();
        if mode.as_set {
            rows.dedup();
        }
    }
    rows
}

/// Samples the possible answers of both queries; column `i` of the left answer is column
/// `order[i]` of the right one. Leaves a rearranged database behind.
pub(super) fn sample(
    loader: &mut Loader<'_>,
    database: &Database,
    left: &mut Opened<'_, '_>,
    right: &mut Opened<'_, '_>,
    mode: Mode,
    order: &[usize],
) -> Result<Sampled, ExecError> {
    // Ties of a list are many; where too many are possible, at least its rows are compared.
    if mode.as_list {
        match sample_as(loader, database, left, right, mode, order, true)? {
            Sampled::Undecided => {}
            found => return Ok(found),
        }
    }
    sample_as(loader, database, left, right, mode, order, false)
}

fn sample_as(
    loader: &mut Loader<'_>,
    database: &Database,
    left: &mut Opened<'_, '_>,
    right: &mut Opened<'_, '_>,
    mode: Mode,
    order: &[usize],
    ordered: bool,
) -> Result<Sampled, ExecError> {
    let (mut ours, mut theirs) = (Seen::default(), Seen::default());
    let own: Vec<usize> = (0..order.len()).collect();
    for (arrangements, runs) in STAGES.into_iter().chain([CONFIRM]) {
        if (arrangements, runs) == CONFIRM && !(ours.exceeds(&theirs) || theirs.exceeds(&ours)) {
            break;
        }
        for round in 0..arrangements {
            if round == 0 {
                loader.load(database)?;
            } else {
                loader.load(&rearranged(database, round))?;
            }
            ours.add(&left.plain.run(round)?, &own, mode, ordered);
            theirs.add(&right.plain.run(round)?, order, mode, ordered);
            for seed in 0..runs {
                let seed = (arrangements * 1_000 + round) * runs + seed;
                ours.add(&left.chance(seed)?, &own, mode, ordered);
                theirs.add(&right.chance(seed + 10_000_000)?, order, mode, ordered);
            }
        }
        if ours.within(&theirs) && theirs.within(&ours) {
            return Ok(Sampled::Same);
        }
    }
    if ours.exceeds(&theirs) || theirs.exceeds(&ours) {
        return Ok(Sampled::Different);
    }
    let overlap = ours.0.keys().any(|a| theirs.0.contains_key(a));
    Ok(if overlap {
        Sampled::Same
    } else {
        Sampled::Undecided
    })
}

/// True if a query gives the same rows however the tables' rows are stored. Leaves a
/// rearranged database behind.
pub(super) fn stable(
    loader: &mut Loader<'_>,
    database: &Database,
    query: &mut Prepared<'_>,
    mode: Mode,
) -> Result<bool, ExecError> {
    let own: Vec<usize> = (0..query.width()).collect();
    let mut seen = Seen::default();
    for round in 0..8 {
        if round == 0 {
            loader.load(database)?;
        } else {
            loader.load(&rearranged(database, round))?;
        }
        seen.add(&query.run(0)?, &own, mode, false);
    }
    Ok(seen.0.len() == 1)
}
