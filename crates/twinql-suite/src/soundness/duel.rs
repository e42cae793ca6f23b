//! Queries that run on the same databases, and the pairs of them that must agree.

use twinql_sql::{Schema, Semantics, Value};

use super::SoundnessConfig;
use super::possible::{Opened, Sampled, sample, sample_rows, stable};
use super::report::{Disagreement, Fate, Outcome, Tally, Witness};
use crate::compare::{Columns, Mode};
use crate::database::Database;
use crate::execute::{Answer, ExecError, Loader, Prepared, Sandbox};
use crate::facts::Facts;
use crate::generate::Generator;
use crate::text::ready;
use crate::trial::{Agreement, Party, agree};

/// Databases on which a query may pass the limits before it is given up.
const MAX_LIMITED: u64 = 3;
/// Databases that are tried to make a witness smaller.
const MAX_SHRINKING: usize = 400;
/// The same where each trial takes thousands of executions.
const MAX_SHRINKING_OPEN: usize = 40;

/// A query in the arena.
pub(super) struct Contestant<'a> {
    party: Party<'a>,
    /// The query with what it leaves open decided by chance: possible answers alone, and
    /// where these are not all, all of them.
    open: Open<Prepared<'a>>,
    answer: Option<Result<Answer, ExecError>>,
    /// It plays in a pair that is not decided yet.
    live: bool,
}

/// A query with what it leaves open decided by chance.
pub(super) struct Open<T> {
    /// More is left open than draws can show.
    pub(super) unspecified: bool,
    /// Each of its answers is possible.
    pub(super) possible: Option<T>,
    /// Each possible answer is one of its answers; `None` where the other is as good.
    pub(super) all: Option<T>,
}

impl<T> Open<T> {
    /// True if something is left open.
    fn is_some(&self) -> bool {
        self.possible.is_some()
    }
}

impl<'a> Contestant<'a> {
    pub(super) fn new(
        sandbox: &'a Sandbox,
        sql: &str,
        open: Open<String>,
        semantics: &Semantics,
    ) -> Result<Contestant<'a>, ExecError> {
        Ok(Contestant {
            party: Party::new(sandbox, ready(sandbox, sql)?, semantics),
            open: Open {
                unspecified: open.unspecified,
                possible: open.possible.and_then(|sql| sandbox.prepare(&sql).ok()),
                all: open.all.and_then(|sql| sandbox.prepare(&sql).ok()),
            },
            answer: None,
            live: false,
        })
    }
}

/// Two contestants that must agree.
struct Pair {
    left: usize,
    right: usize,
    mode: Mode,
    /// The left answer has an order and the right one none: any order is right.
    free: bool,
    columns: Columns,
    result: DuelResult,
    decided: bool,
}

/// What the duel of a pair came to.
#[derive(Debug, Clone, Default)]
pub(super) struct DuelResult {
    tally: Tally,
    witness: Option<Witness>,
}

impl DuelResult {
    pub(super) fn outcome(self, describe: impl FnOnce(&Witness) -> Disagreement) -> Outcome {
        let fate = match &self.witness {
            Some(witness) => Fate::Differs(Box::new(describe(witness))),
            None if self.tally.databases == 0 => Fate::Unanswered,
            None => Fate::Agrees,
        };
        Outcome {
            tally: self.tally,
            fate,
        }
    }
}

/// What one database says of a pair.
enum Verdict {
    Equal,
    Ties,
    Sampled,
    Undecided,
    LeftFails,
    Limited,
    Differs,
}

pub(super) struct Arena<'a> {
    schema: &'a Schema,
    sandbox: &'a Sandbox,
    config: &'a SoundnessConfig,
    /// That of the configuration, but for the order of columns.
    semantics: &'a Semantics,
    facts: Vec<Facts>,
    contestants: Vec<Contestant<'a>>,
    pairs: Vec<Pair>,
}

impl<'a> Arena<'a> {
    pub(super) fn new(
        schema: &'a Schema,
        sandbox: &'a Sandbox,
        config: &'a SoundnessConfig,
        semantics: &'a Semantics,
    ) -> Arena<'a> {
        Arena {
            schema,
            sandbox,
            config,
            semantics,
            facts: Vec::new(),
            contestants: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// What the databases are made for.
    pub(super) fn facts(&mut self, facts: Facts) {
        if !self.facts.contains(&facts) {
            self.facts.push(facts);
        }
    }

    pub(super) fn enter(&mut self, contestant: Contestant<'a>) -> usize {
        self.contestants.push(contestant);
        self.contestants.len() - 1
    }

    pub(super) fn pair(&mut self, left: usize, right: usize) -> usize {
        let (ordered, width) = self.contestants.get(left).map_or((false, 0), |c| {
            (c.party.ordering.ordered, c.party.prepared.width())
        });
        let mode = Mode::new(self.semantics, ordered);
        let listed = |at: usize| self.contestants.get(at).is_some_and(|c| c.party.ordering.ordered);
        self.pairs.push(Pair {
            left,
            right,
            mode,
            free: mode.as_list && !listed(right),
            columns: Columns::new(width, self.semantics.any_column_order),
            result: DuelResult::default(),
            decided: false,
        });
        self.pairs.len() - 1
    }

    /// Runs all pairs on all databases.
    pub(super) fn run(mut self) -> Vec<DuelResult> {
        let facts = std::mem::take(&mut self.facts);
        let generator = Generator::new(self.schema, self.semantics, &facts, &[], self.config.seed);
        let Ok(mut loader) = self.sandbox.loader(generator.tables()) else {
            return Vec::new();
        };
        for index in 0..self.config.databases {
            if self.pairs.iter().all(|p| p.decided) {
                break;
            }
            let Some(database) = generator.database(index) else {
                continue;
            };
            let probe = self.config.probe > 0 && index % self.config.probe == 0;
            for at in self.round(&mut loader, &database, probe) {
                if let Some(witness) = self.witness(&mut loader, at, index, &database)
                    && let Some(pair) = self.pairs.get_mut(at)
                {
                    pair.result.witness = Some(witness);
                    pair.decided = true;
                }
            }
        }
        self.pairs.into_iter().map(|p| p.result).collect()
    }

    /// True if the first pair disagrees on this database.
    pub(super) fn differs_on(mut self, database: &Database) -> bool {
        let facts = std::mem::take(&mut self.facts);
        let generator = Generator::new(self.schema, self.semantics, &facts, &[], self.config.seed);
        let Ok(mut loader) = self.sandbox.loader(generator.tables()) else {
            return false;
        };
        !self.round(&mut loader, database, true).is_empty()
    }

    /// Runs all undecided pairs on one database; gives those that disagree.
    fn round(&mut self, loader: &mut Loader<'a>, database: &Database, probe: bool) -> Vec<usize> {
        if loader.load(database).is_err() {
            return Vec::new();
        }
        for contestant in &mut self.contestants {
            contestant.live = false;
        }
        for pair in self.pairs.iter().filter(|p| !p.decided) {
            for at in [pair.left, pair.right] {
                if let Some(contestant) = self.contestants.get_mut(at) {
                    contestant.live = true;
                }
            }
        }
        for contestant in self.contestants.iter_mut().filter(|c| c.live) {
            contestant.answer = Some(contestant.party.answer(self.sandbox));
        }
        // First what the loaded database alone can tell, then what rearrangements show.
        let mut verdicts: Vec<(usize, Option<Verdict>)> = Vec::new();
        for (at, pair) in self.pairs.iter_mut().enumerate().filter(|(_, p)| !p.decided) {
            let Ok([left, right]) = self.contestants.get_disjoint_mut([pair.left, pair.right]) else {
                continue;
            };
            let verdict = at_once(self.sandbox, left, right, pair, probe);
            verdicts.push((at, verdict));
        }
        let mut differ = Vec::new();
        for (at, verdict) in verdicts {
            let Some(pair) = self.pairs.get_mut(at) else {
                continue;
            };
            let verdict = match verdict {
                Some(verdict) => verdict,
                None => {
                    let Ok([left, right]) = self.contestants.get_disjoint_mut([pair.left, pair.right]) else {
                        continue;
                    };
                    later(loader, database, left, right, pair)
                }
            };
            let tally = &mut pair.result.tally;
            match verdict {
                Verdict::Differs => {
                    differ.push(at);
                    continue;
                }
                Verdict::LeftFails => {
                    tally.failed += 1;
                    continue;
                }
                Verdict::Limited => {
                    tally.limited += 1;
                    pair.decided = tally.limited >= MAX_LIMITED;
                    continue;
                }
                Verdict::Equal => {}
                Verdict::Ties => tally.ties += 1,
                Verdict::Sampled => tally.sampled += 1,
                Verdict::Undecided => tally.undecided += 1,
            }
            tally.databases += 1;
            let rows = self
                .contestants
                .get(pair.left)
                .and_then(|c| c.answer.as_ref())
                .and_then(|a| a.as_ref().ok());
            let told = rows.is_some_and(|a| {
                a.rows
                    .iter()
                    .flatten()
                    .any(|v| !matches!(v, Value::Null | Value::Integer(0)))
            });
            tally.nonempty += u64::from(told);
        }
        differ
    }

    /// The smallest database found on which a pair that disagrees still does.
    fn witness(
        &mut self,
        loader: &mut Loader<'a>,
        at: usize,
        index: u64,
        database: &Database,
    ) -> Option<Witness> {
        let others: Vec<bool> = self.pairs.iter().map(|p| p.decided).collect();
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            pair.decided = i != at;
        }
        let open = self.pairs.get(at).is_some_and(|p| {
            [p.left, p.right]
                .iter()
                .any(|&c| self.contestants.get(c).is_some_and(|c| c.open.is_some()))
        });
        let most = if open { MAX_SHRINKING_OPEN } else { MAX_SHRINKING };
        let mut smallest = database.clone();
        let mut tries = 0;
        'shrink: loop {
            let mut dropped = false;
            for table in 0..smallest.tables.len() {
                let mut row = smallest.rows(table).len();
                while row > 0 {
                    row -= 1;
                    tries += 1;
                    if tries > most {
                        break 'shrink;
                    }
                    let mut smaller = smallest.clone();
                    if let Some(Some(rows)) = smaller.tables.get_mut(table) {
                        rows.remove(row);
                    }
                    if smaller.check(self.schema, self.semantics).is_ok()
                        && !self.round(loader, &smaller, true).is_empty()
                    {
                        smallest = smaller;
                        dropped = true;
                    }
                }
            }
            if !dropped {
                break;
            }
        }
        // Run it once more, for the answers.
        let again = !self.round(loader, &smallest, true).is_empty();
        for (pair, decided) in self.pairs.iter_mut().zip(others) {
            pair.decided = decided;
        }
        if !again {
            smallest = database.clone();
        }
        let pair = self.pairs.get(at)?;
        let answer = |at: usize| self.contestants.get(at).and_then(|c| c.answer.clone());
        let rows = |a: Option<Result<Answer, ExecError>>| a.and_then(Result::ok).unwrap_or_default().rows;
        Some(Witness {
            index,
            statements: smallest.to_sql(self.schema),
            left: rows(answer(pair.left)),
            right: rows(answer(pair.right)),
            error: answer(pair.right).and_then(Result::err).map(|e| e.to_string()),
            database: smallest,
        })
    }
}

/// What the answers on the loaded database say; `None` where rearrangements must be tried.
fn at_once<'a>(
    sandbox: &'a Sandbox,
    left: &mut Contestant<'a>,
    right: &mut Contestant<'a>,
    pair: &mut Pair,
    probe: bool,
) -> Option<Verdict> {
    let (ours, theirs) = match (&left.answer, &right.answer) {
        (Some(Err(ExecError::Limit(_))), _) | (_, Some(Err(ExecError::Limit(_)))) => {
            return Some(Verdict::Limited);
        }
        (Some(Err(_)), _) => return Some(Verdict::LeftFails),
        (Some(Ok(_)), Some(Err(_))) => return Some(Verdict::Differs),
        (Some(Ok(ours)), Some(Ok(theirs))) => (ours, theirs),
        _ => return Some(Verdict::Undecided),
    };
    let same = ours == theirs;
    let found = agree(
        sandbox,
        (&mut left.party, ours),
        (&mut right.party, theirs),
        pair.mode,
        &mut pair.columns,
    );
    let open = left.open.is_some() || right.open.is_some();
    match found {
        Agreement::Yes if probe && open => None,
        Agreement::Yes => Some(if same || !open {
            Verdict::Equal
        } else {
            Verdict::Ties
        }),
        Agreement::No | Agreement::Open(_) => None,
    }
}

/// What other arrangements of the rows say.
fn later<'a>(
    loader: &mut Loader<'a>,
    database: &Database,
    left: &mut Contestant<'a>,
    right: &mut Contestant<'a>,
    pair: &mut Pair,
) -> Verdict {
    let Some(order) = pair.columns.search(|_, _| true, |_| true) else {
        return Verdict::Differs;
    };
    let open = left.open.is_some() || right.open.is_some();
    let unspecified = left.open.unspecified || right.open.unspecified;
    let found = if open {
        let mut ours = Opened {
            plain: &mut left.party.prepared,
            possible: left.open.possible.as_mut(),
            all: left.open.all.as_mut(),
        };
        let mut theirs = Opened {
            plain: &mut right.party.prepared,
            possible: right.open.possible.as_mut(),
            all: right.open.all.as_mut(),
        };
        let found = if pair.free {
            sample_rows(loader, database, &mut ours, &mut theirs, pair.mode, &order)
        } else {
            sample(loader, database, &mut ours, &mut theirs, pair.mode, &order)
        };
        found.map(|s| match s {
            Sampled::Same => Verdict::Sampled,
            // Which column is which is not known yet.
            Sampled::Different if unspecified || !pair.columns.decided() => Verdict::Undecided,
            Sampled::Different => Verdict::Differs,
            Sampled::Undecided => Verdict::Undecided,
        })
    } else {
        // Windows under ties, sums of reals and the like: does the query agree with itself?
        stable(loader, database, &mut left.party.prepared, pair.mode).map(|stable| {
            if stable {
                Verdict::Differs
            } else {
                Verdict::Undecided
            }
        })
    };
    found.unwrap_or_else(|e| match e {
        ExecError::Limit(_) => Verdict::Limited,
        _ => Verdict::Undecided,
    })
}
