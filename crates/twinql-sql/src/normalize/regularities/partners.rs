//! Joins with what is there anyway.

use super::keys::is_referenced;
use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;
use crate::normalize::rules::without_table;

pub(super) const UNREAD_PARTNER: Rule = Rule {
    name: "unread-partner",
    summary: "a table joined by its key and read for nothing else is not joined, foreign key or none",
    why: "Columns that people join by refer to rows that are there, declared or not.",
    source: "Chakravarthy, Grant & Minker 1990, without the declaration",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT l.product FROM line l JOIN customer c ON l.amount = c.id" == "SELECT product FROM line";
        "bird": "SELECT l.product FROM line l JOIN customer c ON l.amount = c.id WHERE c.age > 1" != "SELECT product FROM line";
    },
    apply: Apply::Root(unread_partner),
};

/// The column that stands for the key is that of another input, and no key of its own table: a key that is joined to a
/// key is another table's rows, some of which have no partner.
fn unread_partner(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    // Rows are known by a column that is declared unique, and by one that is referred to.
    let unique = |at: ColumnRef| cx.is_key(at) || is_referenced(at, cx);
    without_table(query, |at, key, column, Block { inputs, on }| {
        let classes = if unique(column) { cx.equal_columns(on) } else { return None };
        let others = inputs.iter().enumerate().filter(|(i, _)| *i != at);
        let beside: ColumnSet = others.flat_map(|(_, r)| r.outputs()).collect();
        let by = class_of(&classes, key)?.iter().find(|c| beside.contains(c))?;
        cx.origin(*by).is_some_and(|from| !unique(from)).then_some(*by)
    })
}
