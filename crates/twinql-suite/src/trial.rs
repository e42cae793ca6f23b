//! Two queries on the same database: whether their answers agree, up to what SQL leaves open.
//!
//! The judge of pairs and the distillation of suites share this file, so that a database
//! that distinguishes a neighbour when a suite is made also distinguishes it when the suite
//! is used.

use std::rc::Rc;

use twinql_sql::{Plan, Schema, Semantics, Value, plan, print};

use crate::clock::NOW;
use crate::compare::denotation::Denotation;
use crate::compare::{Columns, Mode, equal};
use crate::database::Database;
use crate::dice::Dice;
use crate::execute::{Answer, ExecError, Loader, Prepared, Sandbox};
use crate::lexical::without_distinct;
use crate::order::{Ordering, Runs};
use crate::permitted::{Permitted, same_answers};
use crate::soundness::open::{Nested, opened};
use crate::soundness::possible::{Alignment, Effort, Opened, Price, Sampled, sample_in_part};
use crate::text::Ready;

/// Rearrangements of a database that are tried where an answer depends on the order of rows.
pub(crate) const ARRANGEMENTS: u64 = 6;

/// The database with its rows in another order: the first arrangement is the reverse.
pub(crate) fn rearranged(database: &Database, round: u64) -> Database {
    let mut other = database.clone();
    for rows in other.tables.iter_mut().flatten() {
        if round == 1 {
            rows.reverse();
        } else {
            Dice::new(round, 0).shuffle(rows);
        }
    }
    other
}

/// A query's plan with what it leaves open decided by chance.
struct Open<'a> {
    /// Each of its answers is possible.
    possible: Option<Prepared<'a>>,
    /// Each possible answer is one of its answers; `None` where those above are all.
    all: Option<Prepared<'a>>,
    /// More is left open than draws can show.
    unspecified: bool,
}

/// One query in the trial.
pub(crate) struct Party<'a> {
    pub(crate) prepared: Prepared<'a>,
    pub(crate) ordering: Ordering,
    /// What is run.
    sql: String,
    keyed: Option<(Prepared<'a>, Vec<usize>)>,
    shaken: Option<Prepared<'a>>,
    open: Option<Open<'a>>,
    /// The runs of equal sort keys on the loaded database, once they were asked for.
    runs: Option<Option<Rc<Runs>>>,
    /// The hashes of its answer on the loaded database, once they were asked for.
    denotation: Option<Option<Denotation>>,
    /// It read the clock; it threw dice.
    fixed: (bool, bool),
}

impl<'a> Party<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox, ready: Ready<'a>, semantics: &Semantics) -> Party<'a> {
        let Ready {
            mut prepared,
            mut ast,
            mut sql,
            ..
        } = ready;
        if semantics.ignore_distinct {
            let without = without_distinct(&sql);
            if without != sql
                && let Ok(p) = sandbox.prepare(&without)
            {
                prepared = p;
                let parsed = twinql_sql::parse(&without).ok();
                ast = parsed.filter(|p| p.frames.is_empty()).map(|p| *p.query);
                sql = without;
            }
        }
        let ordering = ast
            .map(|q| Ordering::of(&q, prepared.width()))
            .unwrap_or_default();
        Party {
            prepared,
            ordering,
            sql,
            keyed: None,
            shaken: None,
            open: None,
            runs: None,
            denotation: None,
            fixed: (false, false),
        }
    }

    /// The answer on the loaded database, which may be a new one.
    pub(crate) fn answer(&mut self, sandbox: &Sandbox) -> Result<Answer, ExecError> {
        self.runs = None;
        self.denotation = None;
        sandbox.fixed();
        let answer = self.prepared.run(0);
        // What it asked for that the sandbox fixes.
        let (clock, chance) = sandbox.fixed();
        self.fixed = (self.fixed.0 | clock, self.fixed.1 | chance);
        answer
    }

    /// What is run.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    pub(crate) fn notes(&self, side: &str) -> impl Iterator<Item = String> {
        let clock = self
            .fixed
            .0
            .then(|| format!("{side}: the current time is taken as {NOW} UTC"));
        let chance = self
            .fixed
            .1
            .then(|| format!("{side}: random() and randomblob() are seeded"));
        clock.into_iter().chain(chance)
    }

    /// Its answer while every table is empty.
    pub(crate) fn over_nothing(&mut self, loader: &mut Loader<'_>) -> Result<Answer, ExecError> {
        loader.load(&Database::default())?;
        self.runs = None;
        self.denotation = None;
        self.prepared.run(0)
    }

    /// The hashes of its answer on the loaded database, which it gave last; `mode` is always the same.
    fn denotation(&mut self, answer: &Answer, mode: Mode) -> Option<&Denotation> {
        self.denotation
            .get_or_insert_with(|| Denotation::of(answer, mode))
            .as_ref()
    }

    /// The runs of equal sort keys on the loaded database, if they can be told.
    fn runs(&mut self, sandbox: &'a Sandbox, tolerance: f64) -> Option<Rc<Runs>> {
        if self.runs.is_none() {
            self.runs = Some(self.find_runs(sandbox, tolerance).map(Rc::new));
        }
        self.runs.clone().flatten()
    }

    fn find_runs(&mut self, sandbox: &'a Sandbox, tolerance: f64) -> Option<Runs> {
        if self.keyed.is_none()
            && let Some((sql, places)) = self.ordering.keyed.take()
            && let Ok(p) = sandbox.prepare(&sql)
        {
            self.keyed = Some((p, places));
        }
        let (keyed, places) = self.keyed.as_mut()?;
        let answer = keyed.run(0).ok()?;
        Some(Runs::new(
            answer,
            places,
            &self.ordering,
            self.prepared.width(),
            tolerance,
        ))
    }

    /// The answer with ties broken at random.
    fn shake(&mut self, sandbox: &'a Sandbox, seed: u64) -> Option<Answer> {
        if self.shaken.is_none()
            && let Some(sql) = self.ordering.shaken.take()
        {
            self.shaken = sandbox.prepare(&sql).ok();
        }
        self.shaken.as_mut()?.run(seed).ok()
    }

    /// True if all rows of this query's answer tie, so that their order says nothing.
    fn order_is_moot(&mut self, sandbox: &'a Sandbox, tolerance: f64, answer: &Answer) -> bool {
        if let Some(first) = answer.rows.first()
            && answer.rows.iter().all(|r| r == first)
        {
            return true;
        }
        self.runs(sandbox, tolerance).is_some_and(|r| !r.several())
    }

    /// Compiles the query with what it leaves open decided by chance, if that was not done yet.
    pub(crate) fn open(&mut self, sandbox: &'a Sandbox, schema: &Schema) {
        if self.open.is_some() {
            return;
        }
        let parsed = twinql_sql::parse(&self.sql).ok();
        let plan = parsed.and_then(|parsed| plan(schema, &parsed).ok());
        let found = |nested| plan.as_ref().and_then(|plan| opened(plan, nested));
        let prepared = |plan: &Plan| {
            let sql = print::to_sql(schema, plan).ok()?;
            sandbox.prepare(&sql).ok()
        };
        let (values, freely) = (found(Nested::ByValues), found(Nested::Freely));
        self.open = Some(Open {
            possible: values.and_then(|o| prepared(&o.plan)),
            all: freely
                .as_ref()
                .filter(|o| o.within)
                .and_then(|o| prepared(&o.plan)),
            unspecified: freely.is_some_and(|o| o.unspecified),
        });
    }

    /// The answers that a rearranged database shows: as it is, and with what is left open
    /// decided by chance.
    pub(crate) fn other_answers(&mut self, sandbox: &'a Sandbox, round: u64) -> Vec<Answer> {
        let mut answers: Vec<Answer> = self.prepared.run(round).ok().into_iter().collect();
        answers.extend(self.shake(sandbox, round));
        if let Some(open) = &mut self.open {
            let queries = [&mut open.possible, &mut open.all];
            let runs = queries.into_iter().flatten().map(|q| q.run(round).ok());
            answers.extend(runs.flatten());
        }
        answers
    }

    /// What samples of its answers are taken from.
    fn samples(&mut self) -> Opened<'_, 'a> {
        let (possible, mut all) = match &mut self.open {
            Some(open) => (open.possible.as_mut(), open.all.as_mut()),
            None => (None, None),
        };
        if possible.is_none() && all.is_none() {
            all = self.shaken.as_mut();
        }
        Opened {
            plain: &mut self.prepared,
            possible,
            all,
        }
    }

    /// All that it may answer, where its sort keys and LIMIT alone leave that open.
    fn source<'s>(&mut self, sandbox: &'a Sandbox, mode: Mode, answer: &'s Answer) -> Option<Source<'s>> {
        if !(self.ordering.limited || (mode.as_list && self.ordering.ordered)) {
            return Some(Source::Answer(answer));
        }
        self.runs(sandbox, mode.tolerance).map(Source::Runs)
    }
}

/// Where the answers that a query permits are read from.
enum Source<'s> {
    Answer(&'s Answer),
    Runs(Rc<Runs>),
}

impl Source<'_> {
    fn permitted(&self) -> Permitted<'_> {
        match self {
            Source::Answer(answer) => Permitted::whole(answer),
            Source::Runs(runs) => runs.permitted(),
        }
    }
}

/// What the answers on one database say of two queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// The answers are the same.
    Yes,
    /// They are not.
    No,
    /// They differ, but may be two possible answers of one query: other arrangements of
    /// the rows have to show it.
    Open(Doubt),
}

/// What is still to be seen on rearrangements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// The prediction's answer is a possible one of the gold.
    pub(crate) possible: bool,
    /// The gold's answer is a possible one of the prediction.
    pub(crate) returned: bool,
    /// One of them has given two answers.
    pub(crate) varied: bool,
}

impl Doubt {
    /// Both have been seen.
    pub(crate) fn settled(self) -> bool {
        self.possible && self.returned
    }

    /// Takes note of further possible answers of the gold and of the prediction.
    pub(crate) fn look(
        &mut self,
        answers: (&Answer, &Answer),
        golds: &[Answer],
        preds: &[Answer],
        mode: Mode,
        columns: &Columns,
    ) {
        let (gold, pred) = answers;
        let other = |answer: &Answer, all: &[Answer]| {
            let mut own = Columns::new(answer.width, false);
            all.iter().any(|a| !equal(answer, a, mode, &mut own))
        };
        self.varied = self.varied || other(gold, golds) || other(pred, preds);
        if !self.possible {
            self.possible = golds.iter().any(|a| equal(a, pred, mode, &mut columns.clone()));
        }
        if !self.returned {
            let back = columns.inverse();
            self.returned = preds.iter().any(|a| equal(a, gold, mode, &mut back.clone()));
        }
    }
}

/// Compares the answers that both queries gave on the loaded database.
pub(crate) fn agree<'a>(
    sandbox: &'a Sandbox,
    gold: (&mut Party<'a>, &Answer),
    pred: (&mut Party<'a>, &Answer),
    mode: Mode,
    columns: &mut Columns,
) -> Agreement {
    let ((gold, gold_answer), (pred, pred_answer)) = (gold, pred);
    if gold_answer.width != pred_answer.width {
        return Agreement::No;
    }
    // Without ORDER BY any order of its rows is an answer of the prediction.
    let loose = mode.as_list && !pred.ordering.ordered && !pred.ordering.inner_order;
    if loose && gold_answer.rows.len() > 1 && !gold.order_is_moot(sandbox, mode.tolerance, gold_answer) {
        return Agreement::No;
    }
    let exact = gold.ordering.certain && pred.ordering.certain;
    if exact
        && (gold.ordering.limited || pred.ordering.limited)
        && let Some(ours) = gold.source(sandbox, mode, gold_answer)
        && let Some(theirs) = pred.source(sandbox, mode, pred_answer)
        && let Some(same) = same_answers(&ours.permitted(), &theirs.permitted(), mode, columns)
    {
        return if same { Agreement::Yes } else { Agreement::No };
    }
    let hashed = match gold.denotation(gold_answer, mode) {
        Some(ours) => Denotation::of(pred_answer, mode).and_then(|theirs| ours.equal(&theirs, columns)),
        None => None,
    };
    if hashed.unwrap_or_else(|| equal(gold_answer, pred_answer, mode, columns)) {
        return Agreement::Yes;
    }
    let limited = gold.ordering.limited || pred.ordering.limited;
    let runs = gold.runs(sandbox, mode.tolerance);
    let possible = runs.is_some_and(|r| r.contains(pred_answer, mode, columns));
    if possible && !limited {
        return Agreement::Yes;
    }
    if !gold.ordering.sensitive && !pred.ordering.sensitive {
        return Agreement::No;
    }
    let back = columns.inverse();
    let returned = pred
        .runs(sandbox, mode.tolerance)
        .is_some_and(|r| r.contains(gold_answer, mode, &back));
    let doubt = Doubt {
        possible,
        returned,
        varied: possible || returned,
    };
    if doubt.settled() {
        Agreement::Yes
    } else {
        Agreement::Open(doubt)
    }
}

/// Databases on which samples may leave a pair undecided; on later ones none are taken.
const MAX_UNDECIDED: u32 = 6;
/// Steps of SQLite's machine that samples of one pair may take on all databases, a second or so. Most
/// need a tenth of it; joins without a condition, all of whose rows tie, would go on for a minute.
pub(crate) const MAX_STEPS: u64 = 100_000_000;

/// What samples of one pair may still cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Databases on which they left it undecided.
    undecided: u32,
    /// Those, and databases on which none were taken any more: what agreement there rests on nothing.
    open: u64,
    /// Steps that are left.
    steps: u64,
}

impl Patience {
    pub(crate) fn new() -> Patience {
        Patience {
            undecided: 0,
            open: 0,
            steps: MAX_STEPS,
        }
    }

    /// Why agreement on this many databases says nothing, if on none of them it was seen.
    pub(crate) fn untested(self, agreed: u64) -> Option<String> {
        (agreed > 0 && self.open >= agreed).then(|| {
            format!(
                "what the queries leave open (ties, chance) could not be decided on any of {agreed} databases"
            )
        })
    }

    /// What they have cost so far, in steps.
    pub(crate) fn used(self) -> u64 {
        MAX_STEPS.saturating_sub(self.steps)
    }
}

/// What is to be said of two queries whose doubt no rearrangement has settled: true if they are
/// different. Where one of them has several possible answers, many samples of both are taken; a
/// difference needs an answer (or a row) that one often gives and the other, all of whose answers
/// seem to be known, never does. Leaves a rearranged database behind.
pub(crate) fn told_apart<'a>(
    loader: &mut Loader<'_>,
    database: &Database,
    gold: &mut Party<'a>,
    pred: &mut Party<'a>,
    compared: (Doubt, Mode, &Columns),
    (patience, effort): (&mut Patience, Effort),
) -> bool {
    let (doubt, mode, columns) = compared;
    // Both seem to have one answer each.
    if !doubt.varied {
        return true;
    }
    if patience.undecided >= MAX_UNDECIDED || patience.steps == 0 {
        patience.open += 1;
        return false;
    }
    let order = columns.search(|_, _| true, |_| true);
    let alignment = match &order {
        Some(order) if columns.decided() => Alignment::Known(order),
        Some(_) => Alignment::Unknown,
        None => return true,
    };
    let mode = Mode {
        as_list: mode.as_list && pred.ordering.ordered,
        ..mode
    };
    let unspecified = |party: &Party<'_>| party.open.as_ref().is_some_and(|o| o.unspecified);
    let unspecified = unspecified(gold) || unspecified(pred);
    let price = Price {
        effort,
        // Later databases may show more.
        steps: patience.steps / 2,
    };
    let before = gold.prepared.spent();
    let found = sample_in_part(
        loader,
        database,
        &mut gold.samples(),
        &mut pred.samples(),
        (mode, alignment, price),
    );
    let cost = gold.prepared.spent() - before;
    patience.steps = patience.steps.saturating_sub(cost);
    match found {
        Ok(Sampled::Different) if !unspecified => true,
        Ok(Sampled::Same) => false,
        _ => {
            patience.undecided += 1;
            patience.open += 1;
            false
        }
    }
}

/// True if an answer holds anything but NULL and 0.
pub(crate) fn nonempty(answer: &Answer) -> bool {
    let mut values = answer.rows.iter().flatten();
    values.any(|v| !matches!(v, Value::Null | Value::Integer(0)))
}
