//! Work on one gold query or one neighbour that does not depend on the others: done on all
//! threads, with a sandbox for each, and the same on any number of them.

use std::collections::HashMap;

use rayon::prelude::*;
use twinql_sql::{Nulls, Schema, Semantics};

use super::candidates::Candidates;
use super::reduce::{Kept, fewer_rows};
use super::{DistilConfig, EXTRA_TRIES, limits, ring};
use crate::bout::{Outcome, nonempty};
use crate::database::Database;
use crate::execute::{ExecError, Sandbox};
use crate::facts::Facts;

/// Neighbours that databases are looked for at once. What was looked for in vain because an
/// earlier database of the same lot serves too is lost, so it is not many.
pub(super) fn ahead() -> usize {
    match rayon::current_num_threads() {
        1 => 1,
        threads => 2 * threads,
    }
}

/// Does `work` for each of `items`, in a sandbox of its thread's own.
pub(super) fn in_parallel<T: Sync, R: Send>(
    schema: &Schema,
    items: &[T],
    work: &(dyn Fn(&Sandbox, &T) -> R + Sync),
) -> Vec<Result<R, ExecError>> {
    items
        .par_iter()
        .map_init(
            || Sandbox::new(schema, limits()),
            |sandbox, item| match sandbox {
                Ok(sandbox) => Ok(work(sandbox, item)),
                Err(e) => Err(e.clone()),
            },
        )
        .collect()
}

/// A neighbour and its gold, which databases are aimed at.
pub(super) struct Aimed<'w> {
    pub(super) rival: usize,
    pub(super) gold: &'w str,
    pub(super) facts: &'w Facts,
    /// What the gold takes for granted.
    pub(super) semantics: &'w Semantics,
    pub(super) sql: &'w str,
}

/// What databases made for a pair said of it.
pub(super) struct Aim {
    /// Those on which the two did not agree, up to the first that tells them apart; each with
    /// the candidates that were tried up to it.
    pub(super) found: Vec<(u64, Database)>,
    /// Candidates in all.
    pub(super) tried: u64,
}

impl Aimed<'_> {
    /// Looks for a database that tells the two apart.
    pub(super) fn aim(
        &self,
        sandbox: &Sandbox,
        candidates: &Candidates<'_>,
        config: &DistilConfig,
    ) -> Result<Aim, ExecError> {
        let other = match twinql_sql::parse(self.sql) {
            Ok(parsed) => Facts::of(candidates.schema, &parsed.query),
            Err(_) => Facts::default(),
        };
        let pair = [self.facts.clone(), other];
        let mut ring = ring(sandbox, candidates.schema, &config.semantics)?;
        let (gold, rival) = (ring.enter_text(self.gold)?, ring.enter_text(self.sql)?);
        let both = ring.pair(gold, rival);
        let candidates = Candidates { semantics: self.semantics, ..candidates.clone() };
        let others = candidates.others(&pair);
        let maker = candidates.maker(&pair, &others);
        let mut aim = Aim { found: Vec::new(), tried: 0 };
        for index in 0..config.aimed {
            let Some(database) = maker.as_ref().and_then(|maker| maker.database(index)) else {
                continue;
            };
            aim.tried += 1;
            let outcome = ring.bout(both, &database)?;
            let counts = !config.plausible || ring.answer(gold).is_ok_and(nonempty);
            if matches!(outcome, Outcome::Agree(_)) || !counts {
                continue;
            }
            aim.found.push((aim.tried, database));
            if outcome == Outcome::Differ {
                break;
            }
        }
        Ok(aim)
    }
}

/// Databases on which a gold has an answer, from the candidate of number `from` on, and the
/// candidates that were tried.
pub(super) fn answered(
    sandbox: &Sandbox,
    (sql, facts): (&str, &Facts),
    candidates: &Candidates<'_>,
    config: &DistilConfig,
    from: u64,
) -> Result<(u64, Vec<Database>), ExecError> {
    let mut ring = ring(sandbox, candidates.schema, &config.semantics)?;
    let gold = ring.enter_text(sql)?;
    let (facts, others) = (std::slice::from_ref(facts), candidates.others(std::slice::from_ref(facts)));
    let maker = candidates.maker(facts, &others);
    let (mut tried, mut out) = (0, Vec::new());
    for index in from..from + config.extra as u64 * EXTRA_TRIES {
        if out.len() >= config.extra {
            break;
        }
        let Some(database) = maker.as_ref().and_then(|maker| maker.database(index)) else {
            continue;
        };
        tried += 1;
        ring.load(&database)?;
        if ring.answer(gold).is_ok_and(nonempty) {
            out.push(database);
        }
    }
    Ok((tried, out))
}

/// A database with fewer rows that still tells each neighbour from its gold.
pub(super) fn smaller(
    sandbox: &Sandbox,
    schema: &Schema,
    config: &DistilConfig,
    database: &Database,
    rivals: &[(&str, &str)],
) -> Result<Database, ExecError> {
    let mut ring = ring(sandbox, schema, &config.semantics)?;
    let mut golds: HashMap<&str, usize> = HashMap::new();
    let mut kept = Kept { database: database.clone(), rivals: Vec::with_capacity(rivals.len()) };
    for (gold, rival) in rivals {
        let gold = match golds.get(gold) {
            Some(number) => *number,
            None => *golds.entry(gold).or_insert(ring.enter_text(gold)?),
        };
        let rival = ring.enter_text(rival)?;
        kept.rivals.push(ring.pair(gold, rival));
    }
    // With fewer rows there are NULLs in no other columns.
    let nulls = match config.semantics.nulls {
        Nulls::Asked => Nulls::In(database.nulls()),
        ref other => other.clone(),
    };
    fewer_rows(&mut ring, schema, &Semantics { nulls, ..config.semantics.clone() }, &mut kept)?;
    Ok(kept.database)
}
