//! Two answers that differ in one thing alone, and the cells that differ.

use std::collections::BTreeMap;

use twinql::sql::Value;
use twinql::suite::Witness;
use twinql::{Job, Work};
use twinql_refactor::{Kept, Layout, differing};

use super::finding::{Cells, Outcome};
use super::{Checker, Found};

/// Changed rows that are shown.
const MAX_ROWS: usize = 20;

/// In what alone the answers differ, such as `duplicates`; none where it is more, or not known.
///
/// The witness says what is worth asking; it is then asked of all databases, like the queries themselves.
pub(super) fn but_for(layout: &Layout, job: &Job, found: &Found, checker: &Checker) -> Option<&'static str> {
    let witness =
        found.witness.as_deref().filter(|_| found.outcome == Outcome::Different && layout.is_kept())?;
    let Work::Pair { schema, gold, pred } = &job.work else { return None };
    let (old, new) = (&witness.gold_rows, &witness.pred_rows);
    let has_null = |row: &&Vec<Value>| row.contains(&Value::Null);
    let sorted = |rows: &[Vec<Value>], with_nulls: bool, distinct: bool| {
        let mut rows: Vec<Vec<Value>> =
            rows.iter().filter(|row| with_nulls || !has_null(row)).cloned().collect();
        rows.sort();
        if distinct {
            rows.dedup();
        }
        rows
    };
    let alike = |with_nulls: bool, distinct: bool| {
        sorted(old, with_nulls, distinct) == sorted(new, with_nulls, distinct)
    };
    let asked = |kept: Option<Kept>, checker: &Checker| {
        let [gold, pred] = match kept {
            Some(kept) => layout.rows([gold, pred], kept),
            None => [gold.clone(), pred.clone()],
        };
        let work = Work::Pair { schema: schema.clone(), gold, pred };
        let found = checker.check(&[Job::new(job.id.clone(), work)]).pop();
        found.is_some_and(|found| matches!(found.outcome, Outcome::Proved | Outcome::Tested))
    };
    if alike(true, false) {
        // Ordered otherwise.
        let unordered = checker.unordered.as_deref()?;
        return asked(None, unordered).then_some("the order of rows");
    }
    let kinds = [
        (alike(true, true), Kept::Distinct, "duplicates"),
        (alike(false, false), Kept::WithoutNulls, "rows with NULLs"),
    ];
    kinds.into_iter().find(|(alike, kept, _)| *alike && asked(Some(*kept), checker)).map(|(.., what)| what)
}

/// The cells that differ, of rows that are the same but for these; nothing where rows have no partner by their other columns.
pub(super) fn cells(layout: &Layout, witness: &Witness) -> Option<Cells> {
    let width =
        layout.is_kept().then_some(witness.gold_width).filter(|width| *width == witness.pred_width)?;
    let (old, new) = (&witness.gold_rows, &witness.pred_rows);
    let changed = differing(old, new, width);
    if changed.is_empty() || changed.len() == width {
        return None;
    }
    let [old, new] = [old, new].map(|rows| by_others(rows, &changed));
    let (old, new) = (old?, new?);
    if !old.keys().eq(new.keys()) {
        return None;
    }
    let pairs = old.into_values().zip(new.into_values());
    let rows: Vec<[usize; 2]> = pairs
        .filter(|((_, was), (_, is))| was != is)
        .map(|((old, _), (new, _))| [old, new])
        .take(MAX_ROWS)
        .collect();
    (!rows.is_empty()).then(|| Cells { names: layout.named(&layout.pairs), columns: changed, rows })
}

/// Rows and their places, by their values in the columns that are the same.
type ByOthers<'r> = BTreeMap<Vec<&'r Value>, (usize, &'r Vec<Value>)>;

/// Rows by their values in all columns but `changed`; none where two have the same.
fn by_others<'r>(rows: &'r [Vec<Value>], changed: &[usize]) -> Option<ByOthers<'r>> {
    let mut found = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let others = row.iter().enumerate().filter(|(at, _)| !changed.contains(at));
        if found.insert(others.map(|(_, value)| value).collect(), (at, row)).is_some() {
            return None;
        }
    }
    Some(found)
}
