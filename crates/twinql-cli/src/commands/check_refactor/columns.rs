//! What became of each column of a query.

use twinql::{Job, Work};
use twinql_refactor::{Layout, differing};

use super::finding::{Columns, Outcome};
use super::{Checker, Found};

/// Times that columns are left out which a new database shows to differ.
const MAX_ROUNDS: usize = 4;

/// What became of the columns; none where they are what they were, or nothing can be said.
///
/// Columns whose values differ on the witness are left out until the others are the same. Rows that differ as a whole have no
/// column to blame.
pub(super) fn of(layout: &Layout, job: &Job, found: &Found, checker: &Checker) -> Option<Columns> {
    let same = |found: &Found| matches!(found.outcome, Outcome::Proved | Outcome::Tested);
    if layout.is_kept() && (same(found) || layout.pairs.len() == 1) || found.outcome == Outcome::NotCompared {
        return None;
    }
    let renamed = layout.with_renamed();
    // What was compared by position needs no second look.
    if let Some(renamed) = renamed.as_ref().filter(|layout| layout.is_positional() && same(found)) {
        let same_is_proved = found.outcome == Outcome::Proved;
        return Some(Columns { same: renamed.named(&renamed.pairs), same_is_proved, ..Columns::of(renamed) });
    }
    for layout in renamed.iter().filter(|layout| !layout.is_positional()) {
        let found = among(layout, &layout.pairs, job, checker)?;
        if same(&found) {
            let same_is_proved = found.outcome == Outcome::Proved;
            return Some(Columns {
                same: layout.named(&layout.pairs),
                same_is_proved,
                ..Columns::of(layout)
            });
        }
    }
    let mut columns = Columns::of(layout);
    let mut kept = layout.pairs.clone();
    let mut witness = found.witness.as_deref().filter(|_| layout.is_kept()).cloned();
    for _ in 0..MAX_ROUNDS {
        if let Some(shown) = &witness {
            let differ = differing(&shown.gold_rows, &shown.pred_rows, kept.len());
            if differ.is_empty() {
                break;
            }
            let (away, left): (Vec<_>, Vec<_>) =
                kept.iter().copied().enumerate().partition(|(at, _)| differ.contains(at));
            columns.changed.extend(layout.named(&away.into_iter().map(|(_, pair)| pair).collect::<Vec<_>>()));
            kept = left.into_iter().map(|(_, pair)| pair).collect();
        }
        if kept.is_empty() {
            break;
        }
        let found = among(layout, &kept, job, checker)?;
        if same(&found) {
            columns.same = layout.named(&kept);
            columns.same_is_proved = found.outcome == Outcome::Proved;
            return Some(columns);
        }
        witness = found.witness.map(|witness| *witness);
        if witness.is_none() {
            break;
        }
    }
    // The rows differ as a whole.
    columns.changed.clear();
    (!layout.is_kept()).then_some(columns)
}

/// The two queries, some of their columns alone.
fn among(layout: &Layout, pairs: &[(usize, usize)], job: &Job, checker: &Checker) -> Option<Found> {
    let Work::Pair { schema, gold, pred } = &job.work else {
        return None;
    };
    let [gold, pred] = layout.projected([gold, pred], pairs);
    let work = Work::Pair { schema: schema.clone(), gold, pred };
    checker.check(&[Job::new(job.id.clone(), work)]).pop()
}
