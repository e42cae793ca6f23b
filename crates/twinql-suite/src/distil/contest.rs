//! Many pairs of queries on one database after another, the databases of a suite.
//!
//! All golds and rivals of a schema are compiled once. A database is loaded once for all of
//! them, and each gold runs once for all its rivals. Answers live until the next database.

use std::collections::HashMap;

use twinql_sql::{Schema, Semantics};

use crate::compare::{Columns, Mode};
use crate::database::Database;
use crate::execute::{Answer, ExecError, Loader, Sandbox};
use crate::soundness::possible::Effort;
use crate::tested::Answered;
use crate::text::ready;
use crate::trial::{
    ARRANGEMENTS, Agreement, Doubt, Party, Patience, agree, nonempty, rearranged, told_apart,
};

/// What one database says of a rival and its gold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    /// The answers agree; whether the gold's says something.
    Same { nonempty: bool },
    /// They differ.
    Differ,
    /// The gold gave no answer.
    GoldFailed(ExecError),
    /// The rival gave no answer.
    Failed(ExecError),
}

struct Gold<'a> {
    party: Party<'a>,
    mode: Mode,
    /// Databases on which it passed the limits.
    timeouts: u64,
    /// On the loaded database.
    answer: Option<Result<Answer, ExecError>>,
    /// What it has answered so far; none while distilling.
    answered: Option<Answered>,
}

impl Gold<'_> {
    /// True if this answer of its says something: while distilling, if it holds more than NULL and 0.
    fn says(&self, answer: &Answer) -> bool {
        match &self.answered {
            Some(answered) => answered.on(answer),
            None => nonempty(answer),
        }
    }
}

struct Rival<'a> {
    gold: usize,
    party: Party<'a>,
    /// Databases on which it passed the limits.
    timeouts: u64,
    /// What earlier databases leave of the orders of columns.
    columns: Columns,
    /// What samples of its possible answers may still cost.
    patience: Patience,
}

/// Golds and their rivals in one sandbox.
pub(crate) struct Contest<'a> {
    sandbox: &'a Sandbox,
    schema: &'a Schema,
    semantics: &'a Semantics,
    loader: Loader<'a>,
    golds: Vec<Gold<'a>>,
    rivals: Vec<Rival<'a>>,
    /// One order of columns has to serve on all databases. Off while distilling, where a
    /// database has to distinguish by itself.
    carry: bool,
}

/// Runs a query with the steps that its `timeouts` so far leave it, and counts one more.
fn within(
    sandbox: &Sandbox,
    timeouts: &mut u64,
    run: impl FnOnce() -> Result<Answer, ExecError>,
) -> Result<Answer, ExecError> {
    sandbox.after_timeouts(*timeouts);
    let answer = run();
    *timeouts += u64::from(matches!(answer, Err(ExecError::Limit(_))));
    sandbox.after_timeouts(0);
    answer
}

/// A rival whose answer may still turn out to be a possible one.
struct Open {
    rival: usize,
    pred: Answer,
    doubt: Doubt,
    columns: Columns,
}

impl<'a> Contest<'a> {
    /// An empty contest over all tables of the sandbox's schema.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if SQLite refuses a statement.
    pub(crate) fn new(
        sandbox: &'a Sandbox,
        schema: &'a Schema,
        semantics: &'a Semantics,
        carry: bool,
    ) -> Result<Contest<'a>, ExecError> {
        let tables: Vec<usize> = (0..schema.tables.len()).collect();
        Ok(Contest {
            sandbox,
            schema,
            semantics,
            loader: sandbox.loader(&tables)?,
            golds: Vec::new(),
            rivals: Vec::new(),
            carry,
        })
    }

    /// Adds a gold query and gives its number.
    ///
    /// # Errors
    /// What SQLite says of a text that it does not compile.
    pub(crate) fn add_gold(&mut self, sql: &str) -> Result<usize, ExecError> {
        let party = Party::new(self.sandbox, ready(self.sandbox, sql)?, self.semantics);
        let mode = Mode::new(self.semantics, party.ordering.ordered);
        self.golds.push(Gold {
            party,
            mode,
            timeouts: 0,
            answer: None,
            answered: None,
        });
        Ok(self.golds.len() - 1)
    }

    /// Notes from now on what the golds answer, beginning with empty tables.
    pub(crate) fn watch(&mut self) {
        for gold in &mut self.golds {
            let sandbox = self.sandbox;
            let nothing = within(sandbox, &mut gold.timeouts, || {
                gold.party.over_nothing(&mut self.loader)
            });
            gold.answered = Some(Answered::new(gold.party.prepared.reads(), nothing.ok()));
        }
    }

    /// Why agreement of a rival with its gold on `agreed` databases says nothing, if it does not.
    pub(crate) fn untested(&mut self, rival: usize, agreed: u64) -> Option<String> {
        let rival = self.rivals.get_mut(rival)?;
        let answered = self.golds.get(rival.gold)?.answered.as_ref()?;
        let untested = answered.untested(|| rival.party.over_nothing(&mut self.loader).ok());
        untested.or_else(|| rival.patience.untested(agreed))
    }

    /// Adds a rival of a gold query and gives its number.
    ///
    /// # Errors
    /// What SQLite says of a text that it does not compile.
    pub(crate) fn add_rival(&mut self, gold: usize, sql: &str) -> Result<usize, ExecError> {
        let party = Party::new(self.sandbox, ready(self.sandbox, sql)?, self.semantics);
        let width = self.golds.get(gold).map_or(0, |g| g.party.prepared.width());
        self.rivals.push(Rival {
            gold,
            party,
            timeouts: 0,
            columns: Columns::new(width, self.semantics.any_column_order),
            patience: Patience::new(),
        });
        Ok(self.rivals.len() - 1)
    }

    /// Runs the rivals on a database. Outcomes come in the order of `wanted`; they end
    /// early where `stop` says so of one.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if the database cannot be loaded.
    pub(crate) fn compare(
        &mut self,
        database: &Database,
        wanted: &[usize],
        stop: &mut dyn FnMut(usize, &Seen) -> bool,
    ) -> Result<Vec<(usize, Seen)>, ExecError> {
        self.loader.load(database)?;
        for gold in &mut self.golds {
            gold.answer = None;
        }
        let mut out = Vec::with_capacity(wanted.len());
        let mut open: Vec<(usize, Open)> = Vec::new();
        for &number in wanted {
            let seen = match self.first(number) {
                Ok(seen) => seen,
                Err(doubtful) => {
                    open.push((out.len(), doubtful));
                    // Replaced below.
                    Seen::Differ
                }
            };
            let doubtful = open.last().is_some_and(|(at, _)| *at == out.len());
            out.push((number, seen));
            if !doubtful && out.last().is_some_and(|(n, s)| stop(*n, s)) {
                return Ok(out);
            }
        }
        self.settle(database, open, &mut out)?;
        Ok(out)
    }

    /// True if a gold's answer on a database holds more than NULL and 0.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if the database cannot be loaded.
    pub(crate) fn answers(&mut self, database: &Database, gold: usize) -> Result<bool, ExecError> {
        self.loader.load(database)?;
        let Some(gold) = self.golds.get_mut(gold) else {
            return Ok(false);
        };
        Ok(gold.party.answer(self.sandbox).is_ok_and(|a| nonempty(&a)))
    }

    /// The outcome of a rival on the database as it is loaded.
    fn first(&mut self, number: usize) -> Result<Seen, Open> {
        let Some(rival) = self.rivals.get_mut(number) else {
            return Ok(Seen::Failed(ExecError::NotAQuery));
        };
        let Some(gold) = self.golds.get_mut(rival.gold) else {
            return Ok(Seen::GoldFailed(ExecError::NotAQuery));
        };
        let sandbox = self.sandbox;
        let answer = match gold.answer.take() {
            Some(answer) => answer,
            None => {
                let answer = within(sandbox, &mut gold.timeouts, || gold.party.answer(sandbox));
                if let (Some(answered), Ok(answer)) = (&mut gold.answered, &answer) {
                    answered.note(answer);
                }
                answer
            }
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(e) => {
                gold.answer = Some(Err(e.clone()));
                return Ok(Seen::GoldFailed(e));
            }
        };
        let pred = match within(sandbox, &mut rival.timeouts, || rival.party.answer(sandbox)) {
            Ok(pred) => pred,
            Err(e) => {
                gold.answer = Some(Ok(answer));
                return Ok(Seen::Failed(e));
            }
        };
        let mut columns = rival.columns.clone();
        let agreement = agree(
            sandbox,
            (&mut gold.party, &answer),
            (&mut rival.party, &pred),
            gold.mode,
            &mut columns,
        );
        let seen = match agreement {
            Agreement::Yes => {
                if self.carry {
                    rival.columns = columns;
                }
                Ok(Seen::Same {
                    nonempty: gold.says(&answer),
                })
            }
            Agreement::No => Ok(Seen::Differ),
            Agreement::Open(doubt) => Err(Open {
                rival: number,
                pred,
                doubt,
                columns,
            }),
        };
        gold.answer = Some(Ok(answer));
        seen
    }

    /// Looks at rearrangements of the database, for all doubtful rivals together.
    fn settle(
        &mut self,
        database: &Database,
        mut open: Vec<(usize, Open)>,
        out: &mut [(usize, Seen)],
    ) -> Result<(), ExecError> {
        for round in 1..=ARRANGEMENTS {
            if open.is_empty() {
                return Ok(());
            }
            self.loader.load(&rearranged(database, round))?;
            let mut others: HashMap<usize, Vec<Answer>> = HashMap::new();
            let mut rest = Vec::with_capacity(open.len());
            for (at, mut one) in open {
                let (Some(rival), sandbox) = (self.rivals.get_mut(one.rival), self.sandbox) else {
                    continue;
                };
                let Some(gold) = self.golds.get_mut(rival.gold) else {
                    continue;
                };
                let Some(Ok(answer)) = &gold.answer else {
                    continue;
                };
                gold.party.open(sandbox, self.schema);
                rival.party.open(sandbox, self.schema);
                let preds = if one.doubt.returned {
                    Vec::new()
                } else {
                    rival.party.other_answers(sandbox, round)
                };
                let golds = if one.doubt.possible {
                    &Vec::new()
                } else {
                    others
                        .entry(rival.gold)
                        .or_insert_with(|| gold.party.other_answers(sandbox, round))
                };
                one.doubt
                    .look((answer, &one.pred), golds, &preds, gold.mode, &one.columns);
                if one.doubt.settled() {
                    if let Some(entry) = out.get_mut(at) {
                        entry.1 = Seen::Same {
                            nonempty: gold.says(answer),
                        };
                    }
                } else {
                    rest.push((at, one));
                }
            }
            open = rest;
        }
        let effort = if self.carry { Effort::Full } else { Effort::Brief };
        for (at, one) in open {
            let Some(rival) = self.rivals.get_mut(one.rival) else {
                continue;
            };
            let Some(gold) = self.golds.get_mut(rival.gold) else {
                continue;
            };
            let apart = told_apart(
                &mut self.loader,
                database,
                &mut gold.party,
                &mut rival.party,
                (one.doubt, gold.mode, &one.columns),
                (&mut rival.patience, effort),
            );
            if let (false, Some(entry), Some(Ok(answer))) = (apart, out.get_mut(at), &gold.answer) {
                entry.1 = Seen::Same {
                    nonempty: gold.says(answer),
                };
            }
        }
        Ok(())
    }
}
