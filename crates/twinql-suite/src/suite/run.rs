//! Test-suite accuracy: predictions on the databases of a suite.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use rayon::prelude::*;

use super::pair::{RunOptions, RunPair, RunVerdict};
use super::plug::plugs;
use super::{SchemaSuite, Suite};
use crate::bout::{Answered, Effort, Next, Outcome, Ring, Rules, Side, Standing, Verdict, nonempty};
use crate::database::Database;
use crate::distil::reach;
use crate::execute::{ExecError, Sandbox};
use crate::worker::Crew;
use twinql_sql::{Proof, Semantics, prove};

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
    let options = RunOptions { plausible: suite.config.plausible, ..options };
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
    let options = RunOptions { plausible: suite.config.plausible, ..options };
    run_by(suite, pairs, each, &|schema, pairs| {
        crew.run(schema, &suite.config.semantics, pairs, options).unwrap_or_else(|e| {
            let message = format!("no worker process can be started: {e}");
            vec![Verdict::MachineError { message }.into(); pairs.len()]
        })
    })
}

/// What gives a verdict for each of some pairs over one schema.
type RunSome<'f> = dyn Fn(&SchemaSuite, &[&RunPair]) -> Vec<RunVerdict> + Sync + 'f;

/// Cuts the pairs into pieces, each over one schema and with the predictions of a gold together, and has
/// them run on all threads, the largest first. A pair that repeats is run once.
fn run_by(
    suite: &Suite,
    pairs: &[RunPair],
    each: &(dyn Fn(usize) + Sync),
    run_some: &RunSome<'_>,
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
    order.sort_by_key(|&i| (&unique[i].db_id, &unique[i].gold, i));
    let mut pieces: Vec<Vec<usize>> = Vec::new();
    for &i in &order {
        let same_schema = |j: usize| unique[i].db_id == unique[j].db_id;
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
            let some: Vec<&RunPair> = piece.iter().map(|&i| unique[i]).collect();
            let db_id = some.first().map_or("", |p| &*p.db_id);
            let verdicts = match suite.schema(db_id) {
                Some(schema) => run_some(schema, &some),
                None => {
                    let message = format!("the suite has no databases for db_id {db_id:?}");
                    vec![Verdict::failed(Side::Gold, message).into(); some.len()]
                }
            };
            each(piece.len());
            piece.into_iter().zip(verdicts).collect()
        })
        .collect();
    let mut verdicts: Vec<Option<RunVerdict>> = vec![None; unique.len()];
    for (i, verdict) in done.into_iter().flatten() {
        verdicts[i] = Some(verdict);
    }
    index
        .into_iter()
        .map(|i| verdicts[i].clone().unwrap_or_else(|| Verdict::failed(Side::Gold, "not run").into()))
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
        Piece::new(&sandbox, schema, semantics)?.run(pairs, options)
    };
    work().unwrap_or_else(|e| vec![Verdict::failed(Side::Gold, e).into(); pairs.len()])
}

/// One text that may stand for a prediction. Its number is that of its pair in the ring.
struct Way<'p> {
    gold: &'p str,
    /// The gold's number in the ring.
    query: usize,
    text: String,
    /// Values were put into it.
    plugged: bool,
    standing: Standing,
    /// It has met on a database.
    met: bool,
    /// It differed on a database that was passed over.
    passed_over: bool,
    /// Why it is out.
    out: Option<Verdict<u64>>,
}

/// The queries of some pairs over one schema.
struct Piece<'a, 'p> {
    schema: &'a SchemaSuite,
    semantics: &'a Semantics,
    ring: Ring<'a>,
    /// The number of each gold in the ring, or why it has none.
    golds: HashMap<&'p str, Result<usize, ExecError>>,
    /// What each gold takes for granted, by its number: NULLs stand where it asks for them.
    granted: HashMap<usize, Cow<'a, Semantics>>,
    /// What each gold has answered so far.
    answered: HashMap<usize, Answered>,
    ways: Vec<Way<'p>>,
    /// Databases on which a gold finds nothing are passed over.
    plausible: bool,
}

impl<'a, 'p> Piece<'a, 'p> {
    fn new(
        sandbox: &'a Sandbox,
        schema: &'a SchemaSuite,
        semantics: &'a Semantics,
    ) -> Result<Piece<'a, 'p>, ExecError> {
        let rules = Rules::of_many(Effort::Full);
        Ok(Piece {
            schema,
            semantics,
            ring: Ring::over_all(sandbox, &schema.schema, semantics, rules)?,
            golds: HashMap::new(),
            granted: HashMap::new(),
            answered: HashMap::new(),
            ways: Vec::new(),
            plausible: false,
        })
    }

    /// Compiles all pairs, has them meet on the suite's databases, and gives a verdict for each.
    fn run(
        mut self,
        pairs: &[(&'p str, &'p str)],
        options: RunOptions,
    ) -> Result<Vec<RunVerdict>, ExecError> {
        self.plausible = options.plausible;
        // The ways of each pair, or what is known of it at once.
        let entries: Vec<Result<Range<usize>, Verdict<u64>>> =
            pairs.iter().map(|(gold, pred)| self.enter(gold, pred, options)).collect();
        self.watch();
        for (number, database) in self.schema.databases.iter().enumerate() {
            let mut wanted: Vec<usize> =
                (0..self.ways.len()).filter(|&way| self.ways[way].out.is_none()).collect();
            if wanted.is_empty() {
                break;
            }
            // Made for another gold, it may hold NULLs that this one does not ask for.
            let nulls = database.nulls();
            if !nulls.is_empty() && !self.plausible {
                let granted = |way: usize| self.granted.get(&self.ways[way].query);
                wanted.retain(|&way| granted(way).is_some_and(|s| reach(s, &nulls)));
                if wanted.is_empty() {
                    continue;
                }
            }
            wanted.iter().for_each(|&way| self.ways[way].met = true);
            self.meet(number as u64, database, &wanted)?;
        }
        self.set_untested_aside();
        Ok(entries
            .into_iter()
            .map(|entry| entry.map_or_else(RunVerdict::from, |own| best(&self.ways[own])))
            .collect())
    }

    /// Compiles a gold and the texts that may stand for a prediction.
    fn enter(
        &mut self,
        gold: &'p str,
        pred: &str,
        options: RunOptions,
    ) -> Result<Range<usize>, Verdict<u64>> {
        let query = self.golds.entry(gold).or_insert_with(|| self.ring.enter_text(gold));
        let query = *query.as_ref().map_err(|e| Verdict::failed(Side::Gold, e))?;
        let schema = &self.schema.schema;
        self.granted.entry(query).or_insert_with(|| self.semantics.for_gold_text(schema, gold));
        let texts =
            if options.plug_values { plugs(&self.schema.schema, gold, pred) } else { vec![pred.to_owned()] };
        let first = self.ways.len();
        let mut refusal = None;
        for text in texts {
            match self.ring.enter_text(&text) {
                Ok(rival) => {
                    let way = self.ring.pair(query, rival);
                    debug_assert_eq!(way, self.ways.len());
                    self.ways.push(Way {
                        gold,
                        query,
                        plugged: text != pred,
                        text,
                        standing: Standing::default(),
                        met: false,
                        passed_over: false,
                        out: None,
                    });
                }
                Err(e) => {
                    refusal.get_or_insert_with(|| Verdict::failed(Side::Pred, e));
                }
            }
        }
        match refusal {
            Some(verdict) if self.ways.len() == first => Err(verdict),
            _ => Ok(first..self.ways.len()),
        }
    }

    /// Notes from now on what the golds answer, beginning with empty tables.
    fn watch(&mut self) {
        for &query in self.golds.values().flatten() {
            let reads = self.ring.party(query).prepared.reads();
            let nothing = self.ring.over_nothing(query).ok();
            self.answered.insert(query, Answered::new(reads, nothing));
        }
    }

    /// Has those that are not out meet on one database.
    fn meet(&mut self, number: u64, database: &Database, wanted: &[usize]) -> Result<(), ExecError> {
        let outcomes = self.ring.bouts(wanted, database, &mut |_, _| false)?;
        // The golds of these pairs ran there, each once.
        let mut says: HashMap<usize, bool> = HashMap::new();
        let mut finds: HashMap<usize, bool> = HashMap::new();
        for &way in wanted {
            let query = self.ways[way].query;
            if let Entry::Vacant(entry) = says.entry(query)
                && let Ok(answer) = self.ring.answer(query)
                && let Some(answered) = self.answered.get_mut(&query)
            {
                entry.insert(answered.note(answer));
                finds.insert(query, nonempty(answer));
            }
        }
        for (way, outcome) in outcomes {
            let way = &mut self.ways[way];
            let gold_says = || says.get(&way.query).copied().unwrap_or(false);
            if self.plausible && outcome == Outcome::Differ && finds.get(&way.query) == Some(&false) {
                way.passed_over = true;
                continue;
            }
            way.out = match way.standing.note(outcome, gold_says) {
                Next::Another => None,
                Next::Differ => Some(Verdict::Different { witness: number }),
                Next::End(verdict) => Some(verdict),
            };
        }
        Ok(())
    }

    /// What agrees though no database tests it is out, unless a proof says that it is the same.
    fn set_untested_aside(&mut self) {
        for (number, way) in self.ways.iter_mut().enumerate().filter(|(_, way)| way.out.is_none()) {
            let databases = way.standing.agreed();
            let reason = if !way.met && !self.schema.databases.is_empty() {
                Some("every database holds NULLs that the gold does not ask for".to_owned())
            } else if databases == 0 {
                way.passed_over.then(|| "the gold finds nothing on any database of the suite".to_owned())
            } else {
                let answered = self.answered.get(&way.query);
                let reason = answered.and_then(|answered| self.ring.untested(number, answered, databases));
                let proved = || {
                    let proof = prove(&self.schema.schema, way.gold, &way.text, self.semantics);
                    matches!(proof, Ok(Proof::Equal(_)))
                };
                reason.filter(|_| way.text != way.gold && !proved())
            };
            way.out = reason.map(|reason| Verdict::Untested { databases, reason });
        }
    }
}

impl Way<'_> {
    fn verdict(&self) -> RunVerdict {
        let agreed = || self.standing.verdict(|_| "the gold gave an answer on no database".into());
        let verdict = self.out.clone().unwrap_or_else(agreed);
        let plugged = matches!(verdict, Verdict::Same { .. }) && self.plugged;
        RunVerdict { verdict, plugged: plugged.then(|| self.text.clone()) }
    }
}

/// The verdict of the ways of one pair: of the first that passes, else of the one that came
/// furthest.
fn best(ways: &[Way<'_>]) -> RunVerdict {
    // What no database told apart came further than what one did, and that than what ended otherwise.
    let reached = |found: &RunVerdict| match found.verdict {
        Verdict::Same { .. } => (3, 0),
        Verdict::Untested { .. } => (2, 0),
        Verdict::Different { witness } => (1, witness),
        _ => (0, 0),
    };
    let verdicts = ways.iter().map(Way::verdict);
    let best = verdicts.reduce(|best, other| if reached(&other) > reached(&best) { other } else { best });
    best.unwrap_or_else(|| Verdict::failed(Side::Pred, "no query").into())
}
