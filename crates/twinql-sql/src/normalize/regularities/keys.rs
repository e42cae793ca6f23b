//! Keys by which rows are known beside the declared ones.

use crate::normalize::prelude::*;
use crate::normalize::scan::visible_scans;

pub(super) const OTHER_KEY: Rule = Rule {
    name: "other-key",
    summary: "COUNT(DISTINCT a column that foreign keys refer to) is COUNT(DISTINCT the primary key)",
    why: "What foreign keys refer to is there once.",
    source: "SQL:1999, referenced columns are unique; schemas seldom say so",
    needs: Needs::KEYS,
    examples: examples! {
        "bird": "SELECT COUNT(DISTINCT p.code), COUNT(*) FROM place p JOIN visit v ON v.place = p.code"
            == "SELECT COUNT(DISTINCT p.id), COUNT(*) FROM place p JOIN visit v ON v.place = p.code";
        "bird": "SELECT COUNT(DISTINCT p.name), COUNT(*) FROM place p JOIN visit v ON v.place = p.code"
            != "SELECT COUNT(DISTINCT p.id), COUNT(*) FROM place p JOIN visit v ON v.place = p.code";
    },
    apply: Apply::Rel(other_key),
};

/// True if a foreign key refers to this column alone, and so to one row by it.
pub(super) fn is_referenced(at: ColumnRef, cx: &Context<'_>) -> bool {
    cx.schema.tables.iter().flat_map(|t| &t.foreign_keys).any(|key| {
        key.target == at.table && key.target_columns.as_slice() == [at.column] && key.columns.len() == 1
    })
}

fn other_key(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, _, calls) = rel.as_aggregate_mut()?;
    let mut changed = false;
    for (_, call) in calls {
        let (AggFunc::Count, true, [e]) = (&call.func, call.distinct, call.args.as_mut_slice()) else {
            continue;
        };
        changed |= e.map(|e| {
            let key = e.as_column().and_then(|c| other(c, input, cx));
            put(e, key.map(Expr::Column)).is_some()
        });
    }
    changed.then_some(())
}

/// The primary key beside a referenced column, where that is another one.
fn other(c: ColumnId, input: &Rel, cx: &Context<'_>) -> Option<ColumnId> {
    cx.origin(c).filter(|at| is_referenced(*at, cx))?;
    primary_key(c, input, cx).filter(|key| *key != c)
}

/// The primary key of the scan that a column comes from.
pub(super) fn primary_key(c: ColumnId, input: &Rel, cx: &Context<'_>) -> Option<ColumnId> {
    let [key] = cx.schema.tables.get(cx.origin(c)?.table)?.primary_key.as_slice() else {
        return None;
    };
    let mut scans = Vec::new();
    visible_scans(input, &mut scans);
    let (_, columns) = scans.into_iter().find(|(_, columns)| columns.iter().any(|(own, _)| *own == c))?;
    column_at(&columns, *key)
}
