//! Whether two answers on one database agree, up to what SQL leaves open.

use super::party::Party;
use crate::compare::denotation::Denotation;
use crate::compare::{Columns, Mode, equal};
use crate::execute::{Answer, Sandbox};
use crate::permitted::same_answers;

/// What the answers on one database say of two queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// The answers are the same.
    Yes,
    /// They are not.
    No,
    /// They differ, but may be two possible answers of one query: other arrangements of
    /// the rows have to show it.
    Open(Doubt),
}

impl Agreement {
    /// Of answers that are compared, and no doubt about it.
    pub(super) fn of(same: bool) -> Agreement {
        if same { Agreement::Yes } else { Agreement::No }
    }
}

/// What is still to be seen on rearrangements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Doubt {
    /// The prediction's answer is a possible one of the gold.
    pub(super) possible: bool,
    /// The gold's answer is a possible one of the prediction.
    pub(super) returned: bool,
    /// One of them has given two answers.
    pub(super) varied: bool,
}

impl Doubt {
    /// Both have been seen.
    pub(super) fn settled(self) -> bool {
        self.possible && self.returned
    }

    /// Takes note of further possible answers of the gold and of the prediction.
    pub(super) fn look(
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

/// Whether two answers are equal as they were returned. That of the gold is read once for all predictions.
pub(super) fn as_returned(
    gold: &mut Party<'_>,
    [ours, theirs]: [&Answer; 2],
    mode: Mode,
    columns: &mut Columns,
) -> bool {
    let hashed = match gold.denotation(ours, mode) {
        Some(ours) => Denotation::of(theirs, mode).and_then(|theirs| ours.equal(&theirs, columns)),
        None => None,
    };
    hashed.unwrap_or_else(|| equal(ours, theirs, mode, columns))
}

/// Compares the answers that both queries gave on the loaded database: exactly where their sort keys
/// and limits say all that they permit, else as they were returned, and then up to ties.
pub(super) fn agree<'a>(
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
        return Agreement::of(same);
    }
    if as_returned(gold, [gold_answer, pred_answer], mode, columns) {
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
    let returned = pred.runs(sandbox, mode.tolerance).is_some_and(|r| r.contains(gold_answer, mode, &back));
    let doubt = Doubt { possible, returned, varied: possible || returned };
    if doubt.settled() { Agreement::Yes } else { Agreement::Open(doubt) }
}
