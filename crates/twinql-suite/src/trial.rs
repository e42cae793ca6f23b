//! Two queries on the same database: whether their answers agree, up to what SQL leaves open.
//!
//! The judge of pairs and the distillation of suites share this file, so that a database
//! that distinguishes a neighbour when a suite is made also distinguishes it when the suite
//! is used.

use std::rc::Rc;

use twinql_sql::{Semantics, Value};

use crate::clock::NOW;
use crate::compare::{Columns, Mode, equal};
use crate::database::Database;
use crate::dice::Dice;
use crate::execute::{Answer, ExecError, Prepared, Sandbox};
use crate::lexical::without_distinct;
use crate::order::{Ordering, Runs};
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

/// One query in the trial.
pub(crate) struct Party<'a> {
    pub(crate) prepared: Prepared<'a>,
    pub(crate) ordering: Ordering,
    keyed: Option<(Prepared<'a>, Vec<usize>)>,
    shaken: Option<Prepared<'a>>,
    /// The runs of equal sort keys on the loaded database, once they were asked for.
    runs: Option<Option<Rc<Runs>>>,
    /// It read the clock; it threw dice.
    fixed: (bool, bool),
}

impl<'a> Party<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox, ready: Ready<'a>, semantics: &Semantics) -> Party<'a> {
        let Ready {
            mut prepared,
            mut ast,
            sql,
            ..
        } = ready;
        if semantics.ignore_distinct {
            let without = without_distinct(&sql);
            if without != sql
                && let Ok(p) = sandbox.prepare(&without)
            {
                prepared = p;
                ast = twinql_sql::parse(&without).ok().map(|p| *p.query);
            }
        }
        let ordering = ast
            .map(|q| Ordering::of(&q, prepared.width()))
            .unwrap_or_default();
        Party {
            prepared,
            ordering,
            keyed: None,
            shaken: None,
            runs: None,
            fixed: (false, false),
        }
    }

    /// The answer on the loaded database, which may be a new one.
    pub(crate) fn answer(&mut self, sandbox: &Sandbox) -> Result<Answer, ExecError> {
        self.runs = None;
        sandbox.fixed();
        let answer = self.prepared.run(0);
        // What it asked for that the sandbox fixes.
        let (clock, chance) = sandbox.fixed();
        self.fixed = (self.fixed.0 | clock, self.fixed.1 | chance);
        answer
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

    /// The answers that a rearranged database shows: as it is, and with ties broken at random.
    pub(crate) fn other_answers(&mut self, sandbox: &'a Sandbox, round: u64) -> Vec<Answer> {
        let plain = self.prepared.run(round).ok();
        plain.into_iter().chain(self.shake(sandbox, round)).collect()
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
    if equal(gold_answer, pred_answer, mode, columns) {
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
    let doubt = Doubt { possible, returned };
    if doubt.settled() {
        Agreement::Yes
    } else {
        Agreement::Open(doubt)
    }
}

/// True if an answer holds anything but NULL and 0.
pub(crate) fn nonempty(answer: &Answer) -> bool {
    let mut values = answer.rows.iter().flatten();
    values.any(|v| !matches!(v, Value::Null | Value::Integer(0)))
}
