//! Distillation: a few databases that tell the gold queries of a schema from their
//! neighbours.
//!
//! Greedy, as Algorithm 1 of Zhong, Yu and Klein (EMNLP 2020): a candidate database is kept
//! if it distinguishes a neighbour that no kept one does. Three things differ. Databases are
//! aimed: first at a few gold queries at a time, then at each neighbour that is left, with
//! the generator of pairs. Neighbours that the canonical form proves equal are set aside.
//! And a last pass drops databases and rows that are not needed for any distinction.

mod alone;
mod candidates;
mod reduce;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use twinql_sql::{ColumnRef, Schema, Semantics, canonicalize};

use crate::bout::{Effort, Outcome, Ring, Rules, Side, nonempty};
use crate::database::Database;
use crate::dice::stable_hash;
use crate::execute::{ExecError, Limits, Sandbox};
use crate::facts::Facts;
use crate::generate::Values;
use crate::neighbours::neighbours_in;
use crate::profile::Profile;
use crate::text::ready;
use candidates::Candidates;
use reduce::{Kept, fewer_databases};

/// How a suite is distilled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DistilConfig {
    /// What "the same answer" means.
    #[schemars(with = "serde_json::Value")]
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
    /// Databases are plausible ones, whole, in which each regularity holds that holds more often than not. Those on
    /// which a gold finds nothing tell nothing from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plausible: bool,
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
            plausible: false,
        }
    }
}

/// Bounds on each execution while distilling: tighter than a judge's, because neighbours
/// without join conditions are many and cost much.
fn limits() -> Limits {
    Limits { steps: 1_000_000, rows: 5_000, ..Limits::default() }
}

/// The ring of a distillation: few samples, since thousands of neighbours are compared, and columns anew on
/// each database, which has to distinguish by itself.
fn ring<'a>(
    sandbox: &'a Sandbox,
    schema: &'a Schema,
    semantics: &'a Semantics,
) -> Result<Ring<'a>, ExecError> {
    let rules = Rules { carry_columns: false, ..Rules::of_many(Effort::Brief) };
    Ring::over_all(sandbox, schema, semantics, rules)
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Left {
    /// Its SQL text.
    pub sql: String,
    /// The mutation that made it.
    pub mutation: String,
}

/// What became of one gold query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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

/// What is known of the real database.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Values that are mixed into the pools that columns are filled from.
    pub values: Option<&'a Values>,
    /// A profile that plausible databases follow, as far as it fits the schema.
    pub profile: Option<&'a Profile>,
}

/// Distils the databases of one schema for its gold queries; repeated queries count once. `tick` is called after each candidate database.
///
/// # Errors
/// Where SQLite cannot create the schema's tables.
pub fn distil(
    schema: &Schema,
    golds: &[String],
    known: Known<'_>,
    config: &DistilConfig,
    tally: &Tally,
    tick: &(dyn Fn(&Tally) + Sync),
) -> Result<SchemaSuite, ExecError> {
    let sandbox = Sandbox::new(schema, limits())?;
    let seed = seed_of(config.seed, &schema.db_id);
    let profile = known.profile.and_then(|p| p.bind(schema).ok()).map(|(bound, _)| Arc::new(bound));
    let mut work = Work {
        schema,
        config,
        candidates: Candidates {
            schema,
            semantics: &config.semantics,
            seed,
            values: known.values,
            plausible: None,
            profile,
        },
        ring: ring(&sandbox, schema, &config.semantics)?,
        reports: Vec::new(),
        golds: Vec::new(),
        facts: Vec::new(),
        semantics: Vec::new(),
        rivals: Vec::new(),
        kept: Vec::new(),
        tried: 0,
        tally,
        tick,
    };
    work.enter(&sandbox, golds, seed);
    work.candidates.plausible = config.plausible.then(|| Arc::new(Facts::merged(&work.facts)));
    work.shared()?;
    work.prove();
    work.aimed()?;
    work.finish()
}

/// Whether a semantics has NULLs in all these columns. That of generated databases are nullable ones.
pub(crate) fn reach(semantics: &Semantics, nulls: &BTreeSet<ColumnRef>) -> bool {
    nulls.iter().all(|at| semantics.nulls.reach(*at))
}

/// The seed of a schema's own random streams.
fn seed_of(seed: u64, db_id: &str) -> u64 {
    stable_hash(seed.to_le_bytes().into_iter().chain(db_id.bytes()))
}

struct Work<'a> {
    schema: &'a Schema,
    config: &'a DistilConfig,
    candidates: Candidates<'a>,
    /// Golds first: their numbers are those of `golds` and `facts`; the numbers of pairs are those of `rivals`.
    ring: Ring<'a>,
    reports: Vec<GoldReport>,
    /// The report of each gold in the contest.
    golds: Vec<usize>,
    /// The facts of each gold in the contest.
    facts: Vec<Facts>,
    /// What each gold in the contest takes for granted: NULLs stand where it asks for them.
    semantics: Vec<Cow<'a, Semantics>>,
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
            match self.ring.enter_text(sql) {
                Ok(_) => {
                    let facts = match ready(sandbox, sql) {
                        Ok(ready) => ready.ast.as_ref().map(|q| Facts::of(self.schema, q)),
                        Err(_) => None,
                    };
                    self.facts.push(facts.unwrap_or_default());
                    self.semantics.push(self.config.semantics.for_gold_text(self.schema, sql));
                    self.golds.push(self.reports.len());
                }
                Err(e) => report.error = Some(e.to_string()),
            }
            self.reports.push(report);
        }
        let (schema, most) = (self.schema, self.config.neighbours);
        let found = alone::in_parallel(schema, &self.gold_texts(), &|sandbox, sql| {
            neighbours_in(sandbox, schema, sql, seed_of(seed, sql), most)
        });
        for (gold, neighbours) in found.into_iter().enumerate() {
            for n in neighbours.unwrap_or_default() {
                if let Ok(rival) = self.ring.enter_text(&n.sql) {
                    let pair = self.ring.pair(gold, rival);
                    debug_assert_eq!(pair, self.rivals.len());
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
        let count = self.rivals.len() as u64;
        self.tally.neighbours.fetch_add(count, Ordering::Relaxed);
        self.tally.left.fetch_add(count, Ordering::Relaxed);
    }

    /// The text of each gold in the contest.
    fn gold_texts(&self) -> Vec<String> {
        let texts = self.golds.iter().map(|&report| self.reports[report].sql.clone());
        texts.collect()
    }

    fn left(&self) -> Vec<usize> {
        (0..self.rivals.len()).filter(|&rival| self.is_left(rival)).collect()
    }

    /// Those of some rivals whose gold takes the database for possible: it holds NULL only where the gold asks for it.
    /// Of a plausible one, those whose gold finds something on it.
    fn admitted(&mut self, rivals: &[usize], database: &Database) -> Result<Vec<usize>, ExecError> {
        if self.config.plausible {
            self.ring.load(database)?;
            let golds: BTreeSet<usize> = rivals.iter().map(|&rival| self.rivals[rival].gold).collect();
            let finds: BTreeSet<usize> =
                golds.into_iter().filter(|&gold| self.ring.answer(gold).is_ok_and(nonempty)).collect();
            let finds = |rival: &&usize| finds.contains(&self.rivals[**rival].gold);
            return Ok(rivals.iter().filter(finds).copied().collect());
        }
        let nulls = database.nulls();
        let of_gold = |rival: usize| self.semantics.get(self.rivals.get(rival)?.gold);
        let admits = |rival: &&usize| of_gold(**rival).is_some_and(|s| reach(s, &nulls));
        Ok(rivals.iter().filter(admits).copied().collect())
    }

    fn set(&mut self, rival: usize, state: State) {
        if self.is_left(rival) {
            self.rivals[rival].state = state;
            self.tally.left.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Runs what is left on a candidate and keeps it if it distinguishes a neighbour.
    fn offer(&mut self, database: Database) -> Result<bool, ExecError> {
        let left = self.admitted(&self.left(), &database)?;
        let mut rivals = Vec::new();
        for (rival, outcome) in self.ring.bouts(&left, &database, &mut |_, _| false)? {
            match outcome {
                Outcome::Differ => {
                    self.set(rival, State::Distinguished);
                    rivals.push(rival);
                }
                Outcome::Failed(Side::Pred, ExecError::Limit(_)) => {
                    self.rivals[rival].failures += 1;
                    if self.rivals[rival].failures >= MAX_FAILURES {
                        self.set(rival, State::Costly);
                    }
                }
                Outcome::Failed(Side::Pred, _) => self.set(rival, State::Dead),
                Outcome::Agree(_) | Outcome::Failed(Side::Gold, _) => {}
            }
        }
        let kept = !rivals.is_empty();
        if kept {
            self.kept.push(Kept { database, rivals });
        }
        Ok(kept)
    }

    fn tried(&mut self, candidates: u64) {
        self.tried += candidates;
        self.tally.tried.fetch_add(candidates, Ordering::Relaxed);
        (self.tick)(self.tally);
    }

    /// Databases aimed at several gold queries at a time.
    fn shared(&mut self) -> Result<(), ExecError> {
        let mut idle = 0;
        for index in 0..self.config.max_databases {
            let mut left = vec![0usize; self.facts.len()];
            for r in self.rivals.iter().filter(|r| r.state == State::Left) {
                left[r.gold] += 1;
            }
            if idle >= PATIENCE || left.iter().all(|n| *n == 0) {
                break;
            }
            let Some(database) = self.candidates.shared(&self.facts, &left, index) else {
                idle += 1;
                continue;
            };
            self.tried(1);
            idle = if self.offer(database)? { 0 } else { idle + 1 };
        }
        Ok(())
    }

    /// Sets aside what is left and has the gold's canonical form.
    fn prove(&mut self) {
        let schema = self.schema;
        // The forms of a gold and its neighbours, where NULLs stand where the gold asks for them.
        let form = |gold: usize, sql: &str| {
            let semantics = self.semantics.get(gold)?;
            canonicalize(schema, sql, semantics).ok().map(|c| c.plan.query)
        };
        let left: Vec<(usize, usize, &str)> = self
            .left()
            .into_iter()
            .map(|rival| (rival, self.rivals[rival].gold, self.rivals[rival].sql.as_str()))
            .collect();
        let open: BTreeSet<usize> = left.iter().map(|(_, gold, _)| *gold).collect();
        let texts = self.gold_texts();
        let golds: Vec<_> = texts
            .par_iter()
            .enumerate()
            .map(|(gold, sql)| open.contains(&gold).then(|| form(gold, sql)).flatten())
            .collect();
        let proved: Vec<usize> = left
            .par_iter()
            .filter(|(_, gold, sql)| {
                let of_gold = golds.get(*gold).and_then(Option::as_ref);
                of_gold.is_some_and(|of_gold| form(*gold, sql).as_ref() == Some(of_gold))
            })
            .map(|(rival, _, _)| *rival)
            .collect();
        for rival in proved {
            self.set(rival, State::Proved);
        }
    }

    fn distinguished(&self) -> Vec<usize> {
        (0..self.rivals.len()).filter(|&r| self.rivals[r].state == State::Distinguished).collect()
    }

    fn is_left(&self, rival: usize) -> bool {
        self.rivals[rival].state == State::Left
    }

    /// Databases aimed at one neighbour at a time, made for the pair.
    ///
    /// Threads look for them ahead, for several neighbours at once; what they find is taken
    /// in order, and not at all for a neighbour that is distinguished by then. So the result
    /// is that of looking for one after the other.
    fn aimed(&mut self) -> Result<(), ExecError> {
        let texts = self.gold_texts();
        for some in self.left().chunks(alone::ahead()) {
            let pairs: Vec<alone::Aimed<'_>> = some
                .iter()
                .filter(|&&rival| self.is_left(rival))
                .map(|&rival| {
                    let Neighbouring { gold, sql, .. } = &self.rivals[rival];
                    let semantics = &*self.semantics[*gold];
                    alone::Aimed { rival, gold: &texts[*gold], facts: &self.facts[*gold], semantics, sql }
                })
                .collect();
            let (candidates, config) = (&self.candidates, self.config);
            let aims = alone::in_parallel(self.schema, &pairs, &|sandbox, pair| {
                (pair.rival, pair.aim(sandbox, candidates, config))
            });
            for aim in aims {
                let (rival, aim) = aim?;
                let (aim, mut tried) = (aim?, 0);
                for (at, database) in aim.found {
                    if !self.is_left(rival) {
                        break;
                    }
                    self.tried(at - tried);
                    tried = at;
                    self.offer(database)?;
                }
                if self.is_left(rival) {
                    self.tried(aim.tried - tried);
                }
            }
        }
        Ok(())
    }

    /// Further databases, on which a gold has an answer.
    fn extra(&mut self) -> Result<Vec<Database>, ExecError> {
        let texts = self.gold_texts();
        let golds: Vec<(u64, &String, &Facts, &Semantics)> = (1..)
            .zip(texts.iter().zip(self.facts.iter().zip(&self.semantics)))
            .map(|(number, (sql, (facts, semantics)))| (number, sql, facts, &**semantics))
            .collect();
        let (candidates, config) = (&self.candidates, self.config);
        let found = alone::in_parallel(self.schema, &golds, &|sandbox, (number, sql, facts, semantics)| {
            let candidates = Candidates { semantics, ..candidates.clone() };
            // Golds with the same facts would have the same databases.
            alone::answered(sandbox, (sql, facts), &candidates, config, EXTRA_FROM * number)
        });
        let mut out = Vec::new();
        for one in found {
            let (tried, databases) = one??;
            self.tried(tried);
            out.extend(databases);
        }
        Ok(out)
    }

    /// The databases with fewer rows.
    fn smaller(&self, kept: &[Kept]) -> Result<Vec<Database>, ExecError> {
        let texts = self.gold_texts();
        let tasks: Vec<(&Database, Vec<(&str, &str)>)> = kept
            .iter()
            .map(|one| {
                let rivals = one.rivals.iter().map(|&rival| {
                    let Neighbouring { gold, sql, .. } = &self.rivals[rival];
                    (texts[*gold].as_str(), sql.as_str())
                });
                (&one.database, rivals.collect())
            })
            .collect();
        let config = self.config;
        alone::in_parallel(self.schema, &tasks, &|sandbox, (database, rivals)| {
            alone::smaller(sandbox, self.schema, config, database, rivals)
        })
        .into_iter()
        .map(|one| one?)
        .collect()
    }

    /// The reduction pass, and the report.
    fn finish(mut self) -> Result<SchemaSuite, ExecError> {
        let kept = std::mem::take(&mut self.kept);
        let distinguished = self.distinguished();
        let all = kept.iter().map(|one| self.admitted(&distinguished, &one.database));
        let admitted: Vec<Vec<usize>> = all.collect::<Result<_, _>>()?;
        let kept = fewer_databases(&mut self.ring, kept.into_iter().zip(admitted).collect())?;
        // With fewer rows a plausible database would not be one.
        let kept = match self.config.plausible {
            true => kept.into_iter().map(|one| one.database).collect(),
            false => self.smaller(&kept)?,
        };
        let extra = self.extra()?;
        for r in &self.rivals {
            let report = &mut self.reports[self.golds[r.gold]];
            report.neighbours += u64::from(r.state != State::Dead);
            match r.state {
                State::Proved => report.proved += 1,
                State::Distinguished => report.distinguished += 1,
                State::Left | State::Costly => {
                    report.left.push(Left { sql: r.sql.clone(), mutation: r.mutation.to_owned() })
                }
                State::Dead => {}
            }
        }
        Ok(SchemaSuite {
            schema: self.schema.clone(),
            databases: kept.into_iter().chain(extra).collect(),
            golds: self.reports,
            tried: self.tried,
        })
    }
}
