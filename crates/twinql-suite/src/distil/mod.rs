//! Distillation: a few databases that tell the gold queries of a schema from their
//! neighbours.
//!
//! Greedy, as Algorithm 1 of Zhong, Yu and Klein (EMNLP 2020): a candidate database is kept
//! if it distinguishes a neighbour that no kept one does. Three things differ. Databases are
//! aimed: first at a few gold queries at a time, then at each neighbour that is left, with
//! the generator of pairs. Neighbours that the canonical form proves equal are set aside.
//! And a last pass drops databases and rows that are not needed for any distinction.

mod candidates;
pub(crate) mod contest;
mod reduce;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use twinql_sql::{Schema, Semantics, canonicalize};

use crate::database::Database;
use crate::dice::stable_hash;
use crate::execute::{ExecError, Limits, Sandbox};
use crate::facts::Facts;
use crate::generate::Values;
use crate::neighbours::neighbours_in;
use crate::text::ready;
use candidates::Candidates;
use contest::{Contest, Seen};
use reduce::{Kept, fewer_databases, fewer_rows};

/// How a suite is distilled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistilConfig {
    /// What "the same answer" means.
    pub semantics: Semantics,
    /// The seed of all neighbours and databases.
    pub seed: u64,
    /// Shared candidate databases for each schema, at most.
    pub max_databases: u64,
    /// Databases aimed at one neighbour that is left, at most.
    pub aimed: u64,
    /// Neighbours for each gold query, at most.
    pub neighbours: usize,
    /// Further databases for each gold query, made for it alone. Neighbours are one change
    /// away; predictions are wrong in ways that no neighbour foresees.
    pub extra: usize,
}

impl Default for DistilConfig {
    fn default() -> Self {
        DistilConfig {
            semantics: Semantics::default(),
            seed: 8,
            max_databases: 200,
            aimed: 60,
            neighbours: 200,
            extra: 8,
        }
    }
}

/// Bounds on each execution while distilling: tighter than a judge's, because neighbours
/// without join conditions are many and cost much.
fn limits() -> Limits {
    Limits {
        steps: 1_000_000,
        rows: 5_000,
        ..Limits::default()
    }
}

/// Shared databases in a row that distinguish nothing new, after which aiming starts.
const PATIENCE: u64 = 12;
/// Databases on which a neighbour passes the limits before it is given up.
const MAX_FAILURES: u8 = 3;
/// Numbers of the first extra databases: with more rows than those with low numbers have.
const EXTRA_FROM: u64 = 1_000;
/// Candidates for each extra database: those on which the gold answers nothing are passed over.
const EXTRA_TRIES: u64 = 3;

/// A neighbour that no database told from its gold, and that is not proved equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Its SQL text.
    pub sql: String,
    /// The mutation that made it.
    pub mutation: String,
}

/// What became of one gold query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldReport {
    /// The query.
    pub sql: String,
    /// Neighbours that run.
    pub neighbours: u64,
    /// Of these, equal to the gold by their canonical forms.
    pub proved: u64,
    /// Of these, distinguished by a database of the suite.
    pub distinguished: u64,
    /// Of these, neither proved nor distinguished.
    pub left: Vec<Left>,
    /// Why the query cannot be used, if it cannot.
    pub error: Option<String>,
}

/// The distilled databases of one schema.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaSuite {
    /// The schema.
    pub schema: Schema,
    /// The databases: distilled ones, those that distinguish most first, and then further ones
    /// for each gold query. Each meets the assumptions.
    pub databases: Vec<Database>,
    /// The distinct gold queries, in the order given.
    pub golds: Vec<GoldReport>,
    /// Candidate databases that were run.
    pub tried: u64,
}

/// Counts of a distillation under way, shared by all threads.
#[derive(Debug, Default)]
pub struct Tally {
    /// Candidate databases that were run.
    pub tried: AtomicU64,
    /// Neighbours of all gold queries so far.
    pub neighbours: AtomicU64,
    /// Neighbours that are neither distinguished nor set aside.
    pub left: AtomicU64,
}

/// A neighbour in the contest.
struct Neighbouring {
    gold: usize,
    sql: String,
    mutation: &'static str,
    failures: u8,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Left,
    Distinguished,
    Proved,
    /// It fails when it runs: no neighbour.
    Dead,
    /// It passes the limits again and again.
    Costly,
}

/// Distils the databases of one schema for its gold queries; repeated queries count once.
/// `values` are mixed into the pools that columns are filled from. `tick` is called after each candidate database.
///
/// # Errors
/// Where SQLite cannot create the schema's tables.
pub fn distil(
    schema: &Schema,
    golds: &[String],
    values: Option<&Values>,
    config: &DistilConfig,
    tally: &Tally,
    tick: &(dyn Fn(&Tally) + Sync),
) -> Result<SchemaSuite, ExecError> {
    let sandbox = Sandbox::new(schema, limits())?;
    let contest = Contest::new(&sandbox, &config.semantics, schema.tables.len(), false)?;
    let seed = seed_of(config.seed, &schema.db_id);
    let mut work = Work {
        schema,
        config,
        candidates: Candidates {
            schema,
            semantics: &config.semantics,
            seed,
            values,
        },
        contest,
        reports: Vec::new(),
        golds: Vec::new(),
        facts: Vec::new(),
        rivals: Vec::new(),
        kept: Vec::new(),
        tried: 0,
        tally,
        tick,
    };
    work.enter(&sandbox, golds, seed);
    work.shared()?;
    work.prove();
    work.aimed()?;
    work.finish()
}

/// The seed of a schema's own random streams.
fn seed_of(seed: u64, db_id: &str) -> u64 {
    stable_hash(seed.to_le_bytes().into_iter().chain(db_id.bytes()))
}

struct Work<'a> {
    schema: &'a Schema,
    config: &'a DistilConfig,
    candidates: Candidates<'a>,
    contest: Contest<'a>,
    reports: Vec<GoldReport>,
    /// The report of each gold in the contest.
    golds: Vec<usize>,
    /// The facts of each gold in the contest.
    facts: Vec<Facts>,
    rivals: Vec<Neighbouring>,
    kept: Vec<Kept>,
    tried: u64,
    tally: &'a Tally,
    tick: &'a (dyn Fn(&Tally) + Sync),
}

impl<'a> Work<'a> {
    /// Compiles golds and neighbours.
    fn enter(&mut self, sandbox: &'a Sandbox, golds: &[String], seed: u64) {
        let mut seen = BTreeSet::new();
        for sql in golds {
            let sql = sql.trim().trim_end_matches(';').trim_end();
            if !seen.insert(sql.to_owned()) {
                continue;
            }
            let mut report = GoldReport {
                sql: sql.to_owned(),
                neighbours: 0,
                proved: 0,
                distinguished: 0,
                left: Vec::new(),
                error: None,
            };
            match self.contest.add_gold(sql) {
                Ok(gold) => {
                    let facts = match ready(sandbox, sql) {
                        Ok(ready) => ready.ast.as_ref().map(|q| Facts::of(self.schema, q)),
                        Err(_) => None,
                    };
                    self.facts.push(facts.unwrap_or_default());
                    self.golds.push(self.reports.len());
                    let seed = seed_of(seed, sql);
                    for n in neighbours_in(sandbox, self.schema, sql, seed, self.config.neighbours) {
                        if self.contest.add_rival(gold, &n.sql).is_ok() {
                            self.rivals.push(Neighbouring {
                                gold,
                                sql: n.sql,
                                mutation: n.mutation,
                                failures: 0,
                                state: State::Left,
                            });
                        }
                    }
                }
                Err(e) => report.error = Some(e.to_string()),
            }
            self.reports.push(report);
        }
        let count = self.rivals.len() as u64;
        self.tally.neighbours.fetch_add(count, Ordering::Relaxed);
        self.tally.left.fetch_add(count, Ordering::Relaxed);
    }

    fn left(&self) -> Vec<usize> {
        (0..self.rivals.len())
            .filter(|&i| self.rivals.get(i).is_some_and(|r| r.state == State::Left))
            .collect()
    }

    fn set(&mut self, rival: usize, state: State) {
        if let Some(r) = self.rivals.get_mut(rival)
            && r.state == State::Left
        {
            r.state = state;
            self.tally.left.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Runs what is left on a candidate and keeps it if it distinguishes a neighbour.
    fn offer(&mut self, database: Database) -> Result<bool, ExecError> {
        let left = self.left();
        let mut rivals = Vec::new();
        for (rival, seen) in self.contest.compare(&database, &left, &mut |_, _| false)? {
            match seen {
                Seen::Differ => {
                    self.set(rival, State::Distinguished);
                    rivals.push(rival);
                }
                Seen::Failed(ExecError::Limit(_)) => {
                    let Some(r) = self.rivals.get_mut(rival) else {
                        continue;
                    };
                    r.failures += 1;
                    if r.failures >= MAX_FAILURES {
                        self.set(rival, State::Costly);
                    }
                }
                Seen::Failed(_) => self.set(rival, State::Dead),
                Seen::Same { .. } | Seen::GoldFailed(_) => {}
            }
        }
        let kept = !rivals.is_empty();
        if kept {
            self.kept.push(Kept { database, rivals });
        }
        Ok(kept)
    }

    fn tried(&mut self) {
        self.tried += 1;
        self.tally.tried.fetch_add(1, Ordering::Relaxed);
        (self.tick)(self.tally);
    }

    /// Databases aimed at several gold queries at a time.
    fn shared(&mut self) -> Result<(), ExecError> {
        let mut idle = 0;
        for index in 0..self.config.max_databases {
            let mut left = vec![0usize; self.facts.len()];
            for r in &self.rivals {
                if r.state == State::Left
                    && let Some(n) = left.get_mut(r.gold)
                {
                    *n += 1;
                }
            }
            if idle >= PATIENCE || left.iter().all(|n| *n == 0) {
                break;
            }
            let Some(database) = self.candidates.shared(&self.facts, &left, index) else {
                idle += 1;
                continue;
            };
            self.tried();
            idle = if self.offer(database)? { 0 } else { idle + 1 };
        }
        Ok(())
    }

    /// Sets aside what is left and has the gold's canonical form.
    fn prove(&mut self) {
        let semantics = &self.config.semantics;
        let form = |sql: &str| {
            canonicalize(self.schema, sql, semantics)
                .ok()
                .map(|c| c.plan.query)
        };
        let mut gold = None;
        let mut proved = Vec::new();
        for i in self.left() {
            let Some(rival) = self.rivals.get(i) else { continue };
            if gold.as_ref().is_none_or(|(number, _)| *number != rival.gold) {
                let sql = self.golds.get(rival.gold).and_then(|&r| self.reports.get(r));
                gold = Some((rival.gold, sql.and_then(|r| form(&r.sql))));
            }
            if let Some((_, Some(gold))) = &gold
                && form(&rival.sql).as_ref() == Some(gold)
            {
                proved.push(i);
            }
        }
        for i in proved {
            self.set(i, State::Proved);
        }
    }

    /// Databases aimed at one neighbour at a time, made for the pair.
    fn aimed(&mut self) -> Result<(), ExecError> {
        for rival in self.left() {
            let Some(r) = self.rivals.get(rival) else { continue };
            let Some(gold) = self.facts.get(r.gold) else {
                continue;
            };
            let other = match twinql_sql::parse(&r.sql) {
                Ok(parsed) => Facts::of(self.schema, &parsed.query),
                Err(_) => Facts::default(),
            };
            let pair = [gold.clone(), other];
            for index in 0..self.config.aimed {
                if self.rivals.get(rival).is_none_or(|r| r.state != State::Left) {
                    break;
                }
                let Some(database) = self.candidates.database(&pair, index) else {
                    continue;
                };
                self.tried();
                let seen = self.contest.compare(&database, &[rival], &mut |_, _| false)?;
                if seen.iter().all(|(_, s)| matches!(s, Seen::Same { .. })) {
                    continue;
                }
                self.offer(database)?;
            }
        }
        Ok(())
    }

    /// Further databases, on which a gold has an answer.
    fn extra(&mut self) -> Result<Vec<Database>, ExecError> {
        let mut out = Vec::new();
        for gold in 0..self.facts.len() {
            let Some(facts) = self.facts.get(gold).cloned() else {
                continue;
            };
            let mut found = 0;
            // Golds with the same facts would have the same databases.
            let from = EXTRA_FROM * (gold as u64 + 1);
            for index in from..from + self.config.extra as u64 * EXTRA_TRIES {
                if found >= self.config.extra {
                    break;
                }
                let Some(database) = self.candidates.database(std::slice::from_ref(&facts), index) else {
                    continue;
                };
                self.tried();
                if self.contest.answers(&database, gold)? {
                    found += 1;
                    out.push(database);
                }
            }
        }
        Ok(out)
    }

    /// The reduction pass, and the report.
    fn finish(mut self) -> Result<SchemaSuite, ExecError> {
        let kept = std::mem::take(&mut self.kept);
        let mut kept = fewer_databases(&mut self.contest, kept)?;
        for one in &mut kept {
            fewer_rows(&mut self.contest, self.schema, &self.config.semantics, one)?;
        }
        let extra = self.extra()?;
        for r in &self.rivals {
            let Some(report) = self
                .golds
                .get(r.gold)
                .copied()
                .and_then(|i| self.reports.get_mut(i))
            else {
                continue;
            };
            report.neighbours += u64::from(r.state != State::Dead);
            match r.state {
                State::Proved => report.proved += 1,
                State::Distinguished => report.distinguished += 1,
                State::Left | State::Costly => report.left.push(Left {
                    sql: r.sql.clone(),
                    mutation: r.mutation.to_owned(),
                }),
                State::Dead => {}
            }
        }
        Ok(SchemaSuite {
            schema: self.schema.clone(),
            databases: kept.into_iter().map(|k| k.database).chain(extra).collect(),
            golds: self.reports,
            tried: self.tried,
        })
    }
}
