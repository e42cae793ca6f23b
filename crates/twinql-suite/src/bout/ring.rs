//! The ring: queries of one sandbox, and pairs of them that meet on one database after another.

use std::collections::HashMap;

use twinql_sql::{Schema, Semantics};

use super::agree::{Agreement, Doubt, agree, as_returned};
use super::answered::Answered;
use super::party::Party;
use super::samples::{Comparison, Effort, Sampled, sample, sample_rows, stable};
use super::undecided::{Patience, told_apart};
use super::{ARRANGEMENTS, Basis, Outcome, Rules, Settling, Side, rearranged};
use crate::compare::{Columns, Mode};
use crate::database::Database;
use crate::execute::{Answer, ExecError, Loader, Sandbox};
use crate::text::{Ready, ready};

/// A query, and its answer on the loaded database once it has run there.
struct Contestant<'a> {
    party: Party<'a>,
    answer: Option<Result<Answer, ExecError>>,
    /// Databases on which it passed the limits.
    timeouts: u64,
}

impl<'a> Contestant<'a> {
    /// The query, and its answer on the loaded database.
    fn answered(&mut self, sandbox: &Sandbox, rules: Rules) -> (&mut Party<'a>, Result<&Answer, &ExecError>) {
        let Contestant { party, answer, timeouts } = self;
        let answer = answer.get_or_insert_with(|| {
            if !rules.halve_steps {
                return party.answer(sandbox);
            }
            sandbox.after_timeouts(*timeouts);
            let answer = party.answer(sandbox);
            *timeouts += u64::from(matches!(answer, Err(ExecError::Limit(_))));
            sandbox.after_timeouts(0);
            answer
        });
        (party, answer.as_ref())
    }
}

/// Two queries of a ring, and what is carried from one database to the next.
struct Pair {
    gold: usize,
    pred: usize,
    mode: Mode,
    /// What earlier databases leave of the orders of columns.
    columns: Columns,
    /// What samples of the possible answers may still cost.
    patience: Patience,
}

/// A bout that the answers as they were returned do not decide.
struct Doubtful {
    pair: usize,
    doubt: Doubt,
    columns: Columns,
}

/// Queries of one sandbox, and pairs of them that meet on one database after another.
///
/// Queries and pairs are named by the numbers that they get when they are added.
pub(crate) struct Ring<'a> {
    sandbox: &'a Sandbox,
    semantics: &'a Semantics,
    pub(crate) rules: Rules,
    /// None over a user's file, which is as it is.
    generated: Option<(&'a Schema, Loader<'a>)>,
    contestants: Vec<Contestant<'a>>,
    pairs: Vec<Pair>,
}

/// The two queries of a pair.
fn corners<'c, 'a>(contestants: &'c mut [Contestant<'a>], pair: &Pair) -> [&'c mut Contestant<'a>; 2] {
    #[expect(clippy::expect_used, reason = "a pair is made of two queries of its ring")]
    contestants.get_disjoint_mut([pair.gold, pair.pred]).expect("two queries of the ring")
}

impl<'a> Ring<'a> {
    /// A ring without queries over what the sandbox holds, a user's file for instance.
    pub(crate) fn bare(sandbox: &'a Sandbox, semantics: &'a Semantics, rules: Rules) -> Ring<'a> {
        Ring { sandbox, semantics, rules, generated: None, contestants: Vec::new(), pairs: Vec::new() }
    }

    /// A ring without queries over all tables of a schema.
    ///
    /// # Errors
    /// Those of [`Ring::load_into`].
    pub(crate) fn over_all(
        sandbox: &'a Sandbox,
        schema: &'a Schema,
        semantics: &'a Semantics,
        rules: Rules,
    ) -> Result<Ring<'a>, ExecError> {
        let mut ring = Ring::bare(sandbox, semantics, rules);
        let tables: Vec<usize> = (0..schema.tables.len()).collect();
        ring.load_into(schema, &tables)?;
        Ok(ring)
    }

    /// Has databases loaded into these tables from now on.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if SQLite refuses a statement.
    pub(crate) fn load_into(&mut self, schema: &'a Schema, tables: &[usize]) -> Result<(), ExecError> {
        self.generated = Some((schema, self.sandbox.loader(tables)?));
        Ok(())
    }

    /// Adds a query.
    pub(crate) fn enter(&mut self, party: Party<'a>) -> usize {
        self.contestants.push(Contestant { party, answer: None, timeouts: 0 });
        self.contestants.len() - 1
    }

    /// Adds a query that was compiled and parsed.
    pub(crate) fn enter_ready(&mut self, ready: Ready<'a>) -> usize {
        self.enter(Party::new(self.sandbox, ready, self.semantics))
    }

    /// Adds a query.
    ///
    /// # Errors
    /// What SQLite says of a text that it does not compile.
    pub(crate) fn enter_text(&mut self, sql: &str) -> Result<usize, ExecError> {
        Ok(self.enter_ready(ready(self.sandbox, sql)?))
    }

    /// Adds a pair.
    pub(crate) fn pair(&mut self, gold: usize, pred: usize) -> usize {
        let ordered = self.contestants[gold].party.ordering.ordered;
        self.pair_of(gold, pred, ordered)
    }

    /// Adds a pair of which it is known whether the gold's answer is a list.
    pub(crate) fn pair_of(&mut self, gold: usize, pred: usize, ordered: bool) -> usize {
        self.pairs.push(Pair {
            gold,
            pred,
            mode: Mode::new(self.semantics, ordered),
            columns: self.any_columns(gold),
            patience: Patience::new(),
        });
        self.pairs.len() - 1
    }

    fn any_columns(&self, gold: usize) -> Columns {
        let width = self.contestants[gold].party.prepared.width();
        Columns::new(width, self.semantics.any_column_order)
    }

    /// Has the numbers of a pair's answers compared within this tolerance.
    pub(crate) fn compare_within(&mut self, pair: usize, tolerance: f64) {
        self.pairs[pair].mode.tolerance = tolerance;
    }

    /// Forgets which columns of a pair earlier databases have matched.
    pub(crate) fn forget_columns(&mut self, pair: usize) {
        self.pairs[pair].columns = self.any_columns(self.pairs[pair].gold);
    }

    /// The orders of columns that earlier databases leave a pair.
    pub(crate) fn columns(&mut self, pair: usize) -> &mut Columns {
        &mut self.pairs[pair].columns
    }

    /// A query.
    pub(crate) fn party(&self, query: usize) -> &Party<'a> {
        &self.contestants[query].party
    }

    /// What samples of a pair's possible answers have cost so far, in steps.
    pub(crate) fn sampled(&self, pair: usize) -> u64 {
        self.pairs[pair].patience.used()
    }

    /// Why agreement of a pair on `agreed` databases says nothing, if it does not: of what its gold has
    /// `answered`, or because what the queries leave open was never decided.
    pub(crate) fn untested(&mut self, pair: usize, answered: &Answered, agreed: u64) -> Option<String> {
        let (pred, patience) = (self.pairs[pair].pred, self.pairs[pair].patience);
        let untested = answered.untested(|| self.over_nothing(pred).ok());
        untested.or_else(|| patience.untested(agreed))
    }

    /// A query's answer while every table is empty.
    ///
    /// # Errors
    /// It gives none.
    pub(crate) fn over_nothing(&mut self, query: usize) -> Result<Answer, ExecError> {
        self.load(&Database::default())?;
        let contestant = &mut self.contestants[query];
        let answer = contestant.party.over_nothing();
        contestant.timeouts += u64::from(matches!(answer, Err(ExecError::Limit(_))));
        answer
    }

    /// Loads a database.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if SQLite refuses a row.
    pub(crate) fn load(&mut self, database: &Database) -> Result<(), ExecError> {
        for contestant in &mut self.contestants {
            contestant.answer = None;
        }
        match &mut self.generated {
            Some((_, loader)) => loader.load(database),
            None => Ok(()),
        }
    }

    /// A query's answer on the loaded database.
    pub(crate) fn answer(&mut self, query: usize) -> Result<&Answer, &ExecError> {
        self.contestants[query].answered(self.sandbox, self.rules).1
    }

    /// The answer of a query that has answered in its last bout; it is taken out of the ring.
    pub(crate) fn take_answer(&mut self, query: usize) -> Answer {
        let answer = self.contestants[query].answer.take().and_then(Result::ok);
        debug_assert!(answer.is_some(), "taken of a query that has answered, and once");
        answer.unwrap_or_default()
    }

    /// Has one pair meet on a database.
    ///
    /// # Errors
    /// Those of [`Ring::bouts`].
    pub(crate) fn bout(&mut self, pair: usize, database: &Database) -> Result<Outcome, ExecError> {
        self.load(database)?;
        self.loaded_bout(pair, Some(database))
    }

    /// Has one pair meet on the database that is loaded, or on a user's file.
    ///
    /// # Errors
    /// Those of [`Ring::bouts`].
    pub(crate) fn loaded_bout(
        &mut self,
        pair: usize,
        database: Option<&Database>,
    ) -> Result<Outcome, ExecError> {
        let mut outcomes = self.loaded_bouts(&[pair], database, &mut |_, _| false)?;
        #[expect(clippy::expect_used, reason = "there is an outcome for each pair")]
        let (_, outcome) = outcomes.pop().expect("one pair, one outcome");
        Ok(outcome)
    }

    /// Has pairs meet on a database. Outcomes come in the order of `wanted`; they end early where
    /// `stop` says so of one that was clear at once.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if the database cannot be loaded.
    pub(crate) fn bouts(
        &mut self,
        wanted: &[usize],
        database: &Database,
        stop: &mut dyn FnMut(usize, &Outcome) -> bool,
    ) -> Result<Vec<(usize, Outcome)>, ExecError> {
        self.load(database)?;
        self.loaded_bouts(wanted, Some(database), stop)
    }

    /// As [`Ring::bouts`], on the database that is loaded already.
    pub(crate) fn loaded_bouts(
        &mut self,
        wanted: &[usize],
        database: Option<&Database>,
        stop: &mut dyn FnMut(usize, &Outcome) -> bool,
    ) -> Result<Vec<(usize, Outcome)>, ExecError> {
        let mut outcomes = Vec::with_capacity(wanted.len());
        let mut open: Vec<(usize, Doubtful)> = Vec::new();
        for &pair in wanted {
            match self.at_once(pair) {
                Ok(outcome) => {
                    let stopped = stop(pair, &outcome);
                    outcomes.push((pair, outcome));
                    if stopped {
                        return Ok(outcomes);
                    }
                    if !self.rules.keep_answers {
                        self.contestants[self.pairs[pair].pred].answer = None;
                    }
                }
                Err(doubtful) => {
                    open.push((outcomes.len(), doubtful));
                    // Unless what follows shows that they agree.
                    outcomes.push((pair, Outcome::Differ));
                }
            }
        }
        if let Settling::Sampled { .. } = self.rules.settling {
            for (at, doubtful) in open {
                outcomes[at].1 = self.by_samples(&doubtful, database);
            }
            return Ok(outcomes);
        }
        let open = self.rearrange(open, database, &mut outcomes)?;
        if let Settling::Rearranged(effort) = self.rules.settling {
            for (at, doubtful) in open {
                outcomes[at].1 = self.told_apart(doubtful, database, effort);
            }
        }
        Ok(outcomes)
    }

    /// The outcome of a pair by the answers on the database as it is loaded.
    fn at_once(&mut self, number: usize) -> Result<Outcome, Doubtful> {
        let (sandbox, rules) = (self.sandbox, self.rules);
        let pair = &mut self.pairs[number];
        let [gold, pred] = corners(&mut self.contestants, pair);
        let (gold, ours) = match gold.answered(sandbox, rules) {
            (gold, Ok(answer)) => (gold, answer),
            (_, Err(e)) => return Ok(Outcome::Failed(Side::Gold, e.clone())),
        };
        let (pred, theirs) = match pred.answered(sandbox, rules) {
            (pred, Ok(answer)) => (pred, answer),
            (_, Err(e)) => return Ok(Outcome::Failed(Side::Pred, e.clone())),
        };
        let mut columns = pair.columns.clone();
        let agreement = match rules.settling {
            Settling::AsReturned => Agreement::of(as_returned(gold, [ours, theirs], pair.mode, &mut columns)),
            // Without an order or a limit the answer is the only one there is.
            Settling::InPlace
                if as_returned(gold, [ours, theirs], pair.mode, &mut columns) && !pair.mode.as_list =>
            {
                Agreement::Yes
            }
            _ => {
                gold.read_ordering();
                pred.read_ordering();
                agree(sandbox, (gold, ours), (pred, theirs), pair.mode, &mut columns)
            }
        };
        if agreement == Agreement::Yes && rules.carry_columns {
            pair.columns.clone_from(&columns);
        }
        let doubt = match (agreement, rules.settling) {
            (Agreement::Yes, Settling::Sampled { probe }) if gold.leaves_open() || pred.leaves_open() => {
                if !probe {
                    return Ok(Outcome::Agree(if ours == theirs { Basis::Answers } else { Basis::Ties }));
                }
                Doubt::default()
            }
            (Agreement::Yes, _) => return Ok(Outcome::Agree(Basis::Answers)),
            (Agreement::No | Agreement::Open(_), Settling::Sampled { .. }) => Doubt::default(),
            (Agreement::No, _) | (Agreement::Open(_), Settling::AsReturned | Settling::BySortKeys) => {
                return Ok(Outcome::Differ);
            }
            (Agreement::Open(doubt), Settling::InPlace | Settling::Rearranged(_)) => doubt,
        };
        Err(Doubtful { pair: number, doubt, columns })
    }

    /// Looks at rearrangements of the rows, or at ties broken otherwise where the rows are a user's, for
    /// all doubtful pairs together. Gives those that are doubtful still.
    fn rearrange(
        &mut self,
        mut open: Vec<(usize, Doubtful)>,
        database: Option<&Database>,
        outcomes: &mut [(usize, Outcome)],
    ) -> Result<Vec<(usize, Doubtful)>, ExecError> {
        let sandbox = self.sandbox;
        for round in 1..=ARRANGEMENTS {
            if open.is_empty() {
                break;
            }
            if let (Some((_, loader)), Some(database)) = (&mut self.generated, database) {
                loader.load(&rearranged(database, round))?;
            }
            let mut others: HashMap<usize, Vec<Answer>> = HashMap::new();
            let schema = self.generated.as_ref().map(|(schema, _)| *schema);
            open.retain_mut(|(at, Doubtful { pair, doubt, columns })| {
                let pair = &self.pairs[*pair];
                let [gold, pred] = corners(&mut self.contestants, pair);
                let (Some(Ok(ours)), Some(Ok(theirs))) = (&gold.answer, &pred.answer) else {
                    debug_assert!(false, "both queries of a doubtful pair gave an answer");
                    return true;
                };
                if let Some(schema) = schema {
                    gold.party.open(sandbox, schema);
                    pred.party.open(sandbox, schema);
                }
                let preds =
                    if doubt.returned { Vec::new() } else { pred.party.other_answers(sandbox, round) };
                let golds = if doubt.possible {
                    &Vec::new()
                } else {
                    others.entry(pair.gold).or_insert_with(|| gold.party.other_answers(sandbox, round))
                };
                doubt.look((ours, theirs), golds, &preds, pair.mode, columns);
                if doubt.settled() {
                    outcomes[*at].1 = Outcome::Agree(Basis::Ties);
                }
                !doubt.settled()
            });
        }
        Ok(open)
    }

    /// What samples of the possible answers say of a pair that no rearrangement has settled.
    fn told_apart(&mut self, doubtful: Doubtful, database: Option<&Database>, effort: Effort) -> Outcome {
        let pair = &mut self.pairs[doubtful.pair];
        let [gold, pred] = corners(&mut self.contestants, pair);
        let (Some((_, loader)), Some(database)) = (&mut self.generated, database) else {
            return Outcome::Differ;
        };
        told_apart(
            (loader, database),
            [&mut gold.party, &mut pred.party],
            (doubtful.doubt, pair.mode, &doubtful.columns),
            (&mut pair.patience, effort),
        )
    }

    /// What samples say of a pair under [`Settling::Sampled`]: no bound but the sandbox's, and no
    /// rearrangement before.
    fn by_samples(&mut self, doubtful: &Doubtful, database: Option<&Database>) -> Outcome {
        let pair = &self.pairs[doubtful.pair];
        let (mode, columns) = (pair.mode, &doubtful.columns);
        let [gold, pred] = corners(&mut self.contestants, pair);
        let (Some(order), Some((_, loader)), Some(database)) =
            (columns.search(|_, _| true, |_| true), &mut self.generated, database)
        else {
            return Outcome::Differ;
        };
        let (gold, pred) = (&mut gold.party, &mut pred.party);
        let unspecified = gold.unspecified() || pred.unspecified();
        let found = if gold.leaves_open() || pred.leaves_open() {
            // The gold has an order and the prediction none, so that any order must be right.
            let free = mode.as_list && !pred.ordering.ordered;
            let sample = if free { sample_rows } else { sample };
            let comparison = Comparison::known(mode, &order);
            let found = sample(loader, database, &mut gold.samples(), &mut pred.samples(), comparison);
            found.map(|sampled| match sampled {
                // Which column is which may not be known yet.
                Sampled::Different if unspecified || !columns.decided() => Sampled::Undecided,
                sampled => sampled,
            })
        } else {
            // Windows under ties, sums of reals and the like: does the query agree with itself?
            stable(loader, database, &mut gold.prepared, mode).map(|stable| match stable {
                true => Sampled::Different,
                false => Sampled::Undecided,
            })
        };
        match found {
            Ok(Sampled::Same) => Outcome::Agree(Basis::Sampled),
            Ok(Sampled::Different) => Outcome::Differ,
            Ok(Sampled::Undecided) => Outcome::Agree(Basis::Undecided),
            Err(error @ ExecError::Limit(_)) => Outcome::Failed(Side::Pred, error),
            Err(_) => Outcome::Agree(Basis::Undecided),
        }
    }
}
