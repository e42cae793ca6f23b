//! Test-suite accuracy: predictions on the databases of a suite.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::plug::plugs;
use super::{SchemaSuite, Suite};
use crate::distil::contest::{Contest, Seen};
use crate::execute::{ExecError, Limits, Sandbox};
use crate::judge::Side;
use crate::worker::Crew;
use twinql_sql::{Proof, Semantics, prove};

/// A gold query and a prediction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunPair {
    /// The database.
    pub db_id: Arc<str>,
    /// The gold query.
    pub gold: Arc<str>,
    /// The prediction.
    pub pred: Arc<str>,
}

/// How a suite is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Bounds on each execution.
    pub limits: Limits,
    /// Put the gold's values into predictions, and call one right if any way passes.
    pub plug_values: bool,
}

/// What a suite says of a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum RunVerdict {
    /// No database told them apart.
    Same {
        /// Databases on which both gave an answer.
        databases: u64,
        /// Databases on which the gold answered: its answer there is not the one that it has when
        /// every table is empty.
        nonempty: u64,
        /// The text that passed, where values were put into the prediction.
        plugged: Option<String>,
    },
    /// A database tells them apart (with plugged values, each way is told apart by one).
    Different {
        /// Its number in the schema's suite, from 0; the last that was needed.
        database: u64,
    },
    /// The gold cannot be executed, or the suite lacks its schema.
    GoldError {
        /// Why.
        message: String,
    },
    /// The prediction cannot be executed.
    PredError {
        /// What SQLite says.
        message: String,
    },
    /// A query passed the limits on several databases, and no other told them apart.
    Timeout {
        /// Which query.
        side: Side,
    },
    /// No database told them apart, and none says that they are the same: the gold never answered, or
    /// never otherwise than a constant does.
    Untested {
        /// Databases on which both gave an answer.
        databases: u64,
        /// Which of the two.
        reason: String,
    },
    /// The machine failed, not the queries.
    MachineError {
        /// How.
        message: String,
    },
}

impl RunVerdict {
    /// True if the prediction counts as right.
    pub fn right(&self) -> bool {
        matches!(self, RunVerdict::Same { .. })
    }
}

/// Databases on which one side passes the limits, after which a pair is given up.
const MAX_TIMEOUTS: u64 = 3;
/// Pairs of one piece of work: enough for the databases to be loaded seldom, few enough for
/// all threads to have some. Bounds the compiled statements that live at a time.
const CHUNK: usize = 200;

/// Runs a suite: one verdict for each pair, in order, whatever the number of threads. Pairs
/// that repeat are run once. `each` is called with the number of pairs that a piece of work
/// has finished.
pub fn run(
    suite: &Suite,
    pairs: &[RunPair],
    options: RunOptions,
    each: &(dyn Fn(usize) + Sync),
) -> Vec<RunVerdict> {
    run_by(suite, pairs, each, &|schema, pairs| {
        let texts: Vec<(&str, &str)> = pairs.iter().map(|p| (&*p.gold, &*p.pred)).collect();
        run_piece(schema, &suite.config.semantics, &texts, options)
    })
}

/// As [`run`], by `crew`, which nothing else has worked with. A pair whose worker dies of it is a `timeout`.
pub fn run_in_processes(
    suite: &Suite,
    pairs: &[RunPair],
    options: RunOptions,
    crew: Crew,
    each: &(dyn Fn(usize) + Sync),
) -> Vec<RunVerdict> {
    run_by(suite, pairs, each, &|schema, pairs| {
        crew.run(schema, &suite.config.semantics, pairs, options)
            .unwrap_or_else(|e| {
                let message = format!("no worker process can be started: {e}");
                vec![RunVerdict::MachineError { message }; pairs.len()]
            })
    })
}

/// What gives a verdict for each of some pairs over one schema.
type Piece<'f> = dyn Fn(&SchemaSuite, &[&RunPair]) -> Vec<RunVerdict> + Sync + 'f;

fn run_by(
    suite: &Suite,
    pairs: &[RunPair],
    each: &(dyn Fn(usize) + Sync),
    run_some: &Piece<'_>,
) -> Vec<RunVerdict> {
    let mut distinct: HashMap<&RunPair, usize> = HashMap::new();
    let mut unique: Vec<&RunPair> = Vec::new();
    let index: Vec<usize> = pairs
        .iter()
        .map(|pair| {
            *distinct.entry(pair).or_insert_with(|| {
                unique.push(pair);
                unique.len() - 1
            })
        })
        .collect();
    // Pairs of one schema and gold stand together, so that a gold runs once for all of them.
    let mut order: Vec<usize> = (0..unique.len()).collect();
    order.sort_by_key(|&i| unique.get(i).map(|p| (&p.db_id, &p.gold, i)));
    let mut pieces: Vec<Vec<usize>> = Vec::new();
    for &i in &order {
        let same_schema = |j: usize| unique.get(i).map(|p| &p.db_id) == unique.get(j).map(|p| &p.db_id);
        match pieces.last_mut() {
            Some(piece) if piece.len() < CHUNK && piece.first().is_some_and(|&j| same_schema(j)) => {
                piece.push(i);
            }
            _ => pieces.push(vec![i]),
        }
    }
    pieces.sort_by_key(|p| std::cmp::Reverse(p.len()));
    let done: Vec<Vec<(usize, RunVerdict)>> = pieces
        .into_par_iter()
        .with_max_len(1)
        .map(|piece| {
            let some: Vec<&RunPair> = piece.iter().filter_map(|&i| unique.get(i).copied()).collect();
            let db_id = some.first().map_or("", |p| &*p.db_id);
            let verdicts = match suite.schema(db_id) {
                Some(schema) => run_some(schema, &some),
                None => {
                    let message = format!("the suite has no databases for db_id {db_id:?}");
                    vec![RunVerdict::GoldError { message }; some.len()]
                }
            };
            each(piece.len());
            piece.into_iter().zip(verdicts).collect()
        })
        .collect();
    let mut verdicts: Vec<Option<RunVerdict>> = vec![None; unique.len()];
    for (i, verdict) in done.into_iter().flatten() {
        if let Some(entry) = verdicts.get_mut(i) {
            *entry = Some(verdict);
        }
    }
    index
        .into_iter()
        .map(|i| {
            verdicts
                .get(i)
                .cloned()
                .flatten()
                .unwrap_or(RunVerdict::GoldError {
                    message: "not run".into(),
                })
        })
        .collect()
}

/// Pairs of gold and prediction over one schema: a verdict for each.
pub(crate) fn run_piece(
    schema: &SchemaSuite,
    semantics: &Semantics,
    pairs: &[(&str, &str)],
    options: RunOptions,
) -> Vec<RunVerdict> {
    let work = || -> Result<Vec<RunVerdict>, ExecError> {
        let sandbox = Sandbox::new(&schema.schema, options.limits)?;
        let mut contest = Contest::new(&sandbox, &schema.schema, semantics, true)?;
        decide(&mut contest, schema, semantics, pairs, options)
    };
    work().unwrap_or_else(|e| {
        let message = e.to_string();
        vec![RunVerdict::GoldError { message }; pairs.len()]
    })
}

/// One text that may stand for a prediction.
struct Way<'p> {
    rival: usize,
    gold: &'p str,
    text: String,
    /// Values were put into it.
    plugged: bool,
    agreed: u64,
    nonempty: u64,
    timeouts: [u64; 2],
    /// Why it is out.
    out: Option<RunVerdict>,
}

fn decide(
    contest: &mut Contest<'_>,
    schema: &SchemaSuite,
    semantics: &Semantics,
    pairs: &[(&str, &str)],
    options: RunOptions,
) -> Result<Vec<RunVerdict>, ExecError> {
    let mut golds: HashMap<&str, Result<usize, ExecError>> = HashMap::new();
    let mut ways: Vec<Way<'_>> = Vec::new();
    // The ways of each pair, or what is known of it at once.
    let mut entries: Vec<Result<Vec<usize>, RunVerdict>> = Vec::with_capacity(pairs.len());
    let mut way_of: HashMap<usize, usize> = HashMap::new();
    for (gold_sql, pred_sql) in pairs {
        let gold = golds
            .entry(gold_sql)
            .or_insert_with(|| contest.add_gold(gold_sql))
            .clone();
        let gold = match gold {
            Ok(gold) => gold,
            Err(e) => {
                entries.push(Err(RunVerdict::GoldError {
                    message: e.to_string(),
                }));
                continue;
            }
        };
        let texts = if options.plug_values {
            plugs(&schema.schema, gold_sql, pred_sql)
        } else {
            vec![(*pred_sql).to_owned()]
        };
        let mut own = Vec::new();
        let mut refused = None;
        for text in texts {
            match contest.add_rival(gold, &text) {
                Ok(rival) => {
                    way_of.insert(rival, ways.len());
                    own.push(ways.len());
                    ways.push(Way {
                        rival,
                        gold: gold_sql,
                        plugged: text != *pred_sql,
                        text,
                        agreed: 0,
                        nonempty: 0,
                        timeouts: [0; 2],
                        out: None,
                    });
                }
                Err(e) => {
                    refused.get_or_insert(RunVerdict::PredError {
                        message: e.to_string(),
                    });
                }
            }
        }
        entries.push(match refused {
            Some(verdict) if own.is_empty() => Err(verdict),
            _ => Ok(own),
        });
    }
    contest.watch();
    for (number, database) in schema.databases.iter().enumerate() {
        let wanted: Vec<usize> = ways.iter().filter(|w| w.out.is_none()).map(|w| w.rival).collect();
        if wanted.is_empty() {
            break;
        }
        for (rival, seen) in contest.compare(database, &wanted, &mut |_, _| false)? {
            let Some(way) = way_of.get(&rival).and_then(|&w| ways.get_mut(w)) else {
                continue;
            };
            way.note(number as u64, seen);
        }
    }
    for way in ways.iter_mut().filter(|w| w.out.is_none() && w.agreed > 0) {
        let Some(reason) = contest.untested(way.rival, way.agreed) else {
            continue;
        };
        let proved = || {
            matches!(
                prove(&schema.schema, way.gold, &way.text, semantics),
                Ok(Proof::Equal(_))
            )
        };
        if way.text != way.gold && !proved() {
            way.out = Some(RunVerdict::Untested {
                databases: way.agreed,
                reason,
            });
        }
    }
    Ok(entries
        .into_iter()
        .map(|entry| match entry {
            Err(verdict) => verdict,
            Ok(own) => best(own.iter().filter_map(|&w| ways.get(w))),
        })
        .collect())
}

impl Way<'_> {
    fn note(&mut self, database: u64, seen: Seen) {
        match seen {
            Seen::Same { nonempty } => {
                self.agreed += 1;
                self.nonempty += u64::from(nonempty);
            }
            Seen::Differ => self.out = Some(RunVerdict::Different { database }),
            Seen::Failed(e) if e.is_final() => self.out = Some(RunVerdict::Timeout { side: Side::Pred }),
            Seen::GoldFailed(e) if e.is_final() => {
                self.out = Some(RunVerdict::Timeout { side: Side::Gold });
            }
            Seen::Failed(ExecError::Limit(_)) => self.late(Side::Pred),
            Seen::GoldFailed(ExecError::Limit(_)) => self.late(Side::Gold),
            Seen::Failed(e) => {
                self.out = Some(RunVerdict::PredError {
                    message: e.to_string(),
                });
            }
            // A gold that fails on one database says nothing there.
            Seen::GoldFailed(_) => {}
        }
    }

    fn late(&mut self, side: Side) {
        let count = &mut self.timeouts[usize::from(side == Side::Pred)];
        *count += 1;
        if *count >= MAX_TIMEOUTS {
            self.out = Some(RunVerdict::Timeout { side });
        }
    }

    fn verdict(&self) -> RunVerdict {
        if let Some(verdict) = &self.out {
            return verdict.clone();
        }
        if self.agreed == 0 {
            return match self.timeouts {
                [0, 0] => RunVerdict::GoldError {
                    message: "the gold gave an answer on no database".into(),
                },
                [0, _] => RunVerdict::Timeout { side: Side::Pred },
                _ => RunVerdict::Timeout { side: Side::Gold },
            };
        }
        RunVerdict::Same {
            databases: self.agreed,
            nonempty: self.nonempty,
            plugged: self.plugged.then(|| self.text.clone()),
        }
    }
}

/// The verdict of the ways of one pair: of the first that passes, else of the one that came
/// furthest.
fn best<'w>(ways: impl Iterator<Item = &'w Way<'w>>) -> RunVerdict {
    let mut out: Option<RunVerdict> = None;
    for way in ways {
        let verdict = way.verdict();
        let further = match (&verdict, &out) {
            (RunVerdict::Same { .. }, _) => return verdict,
            (_, None) => true,
            (RunVerdict::Different { database: a }, Some(RunVerdict::Different { database: b })) => a > b,
            // What no database told apart came further than what one did.
            (RunVerdict::Untested { .. }, Some(other)) => !matches!(other, RunVerdict::Untested { .. }),
            (RunVerdict::Different { .. }, Some(other)) => !matches!(other, RunVerdict::Untested { .. }),
            _ => false,
        };
        if further {
            out = Some(verdict);
        }
    }
    out.unwrap_or(RunVerdict::PredError {
        message: "no query".into(),
    })
}
