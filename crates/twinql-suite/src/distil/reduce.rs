//! Fewer databases and fewer rows, with every distinction kept.

use twinql_sql::{Schema, Semantics};

use crate::bout::{Outcome, Ring};
use crate::database::Database;
use crate::execute::ExecError;

/// Attempts to drop rows from one database.
const MAX_DROPS: usize = 24;

/// A database of a suite and the rivals that it has to distinguish.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) database: Database,
    pub(crate) rivals: Vec<usize>,
}

/// Takes the databases in reverse: later ones were made for what is hard, and tell much of
/// the rest apart too. A database that has nothing left to distinguish is dropped. Beside each stand the rivals whose
/// gold takes it for possible, in order.
///
/// # Errors
/// If a database cannot be loaded.
pub(crate) fn fewer_databases(
    ring: &mut Ring<'_>,
    kept: Vec<(Kept, Vec<usize>)>,
) -> Result<Vec<Kept>, ExecError> {
    let mut kept = kept;
    for _ in 0..2 {
        let mut left: Vec<usize> = kept.iter().flat_map(|(k, _)| k.rivals.iter().copied()).collect();
        left.sort_unstable();
        let mut out = Vec::with_capacity(kept.len());
        for (one, admitted) in kept.into_iter().rev() {
            let own: Vec<usize> =
                left.iter().filter(|r| admitted.binary_search(r).is_ok()).copied().collect();
            let outcomes = ring.bouts(&own, &one.database, &mut |_, _| false)?;
            let rivals: Vec<usize> = outcomes
                .into_iter()
                .filter(|(_, outcome)| *outcome == Outcome::Differ)
                .map(|(r, _)| r)
                .collect();
            if rivals.is_empty() {
                continue;
            }
            left.retain(|r| rivals.binary_search(r).is_err());
            out.push((Kept { database: one.database, rivals }, admitted));
        }
        kept = out;
    }
    let mut kept: Vec<Kept> = kept.into_iter().map(|(one, _)| one).collect();
    // Those that distinguish most come first: a suite that is run stops at the first.
    kept.sort_by_key(|k| std::cmp::Reverse(k.rivals.len()));
    Ok(kept)
}

/// Drops rows of a database in halves, quarters and eighths of its tables, as long as the
/// assumptions hold and all its rivals stay distinguished.
///
/// # Errors
/// If a database cannot be loaded.
pub(crate) fn fewer_rows(
    ring: &mut Ring<'_>,
    schema: &Schema,
    semantics: &Semantics,
    kept: &mut Kept,
) -> Result<(), ExecError> {
    // The rival that was lost last is likely to be lost again: it comes first.
    let mut order = kept.rivals.clone();
    let mut attempts = 0;
    for parts in [2, 4, 8] {
        for table in 0..kept.database.tables.len() {
            for part in (0..parts).rev() {
                let rows = kept.database.rows(table).len();
                let (from, to) = (rows * part / parts, rows * (part + 1) / parts);
                if to - from == 0 || attempts >= MAX_DROPS {
                    continue;
                }
                let smaller = kept.database.without_rows(table, from..to);
                if smaller.check(schema, semantics).is_err() {
                    continue;
                }
                attempts += 1;
                let mut lost = None;
                let outcomes = ring.bouts(&order, &smaller, &mut |rival, outcome| {
                    let stop = *outcome != Outcome::Differ;
                    if stop {
                        lost = Some(rival);
                    }
                    stop
                })?;
                let lost = lost.or_else(|| {
                    let mut agree = outcomes.iter().filter(|(_, outcome)| *outcome != Outcome::Differ);
                    agree.next().map(|(rival, _)| *rival)
                });
                match lost {
                    None => kept.database = smaller,
                    Some(rival) => {
                        order.retain(|r| *r != rival);
                        order.insert(0, rival);
                    }
                }
            }
        }
    }
    Ok(())
}
