//! Joins with what is there anyway.

use std::collections::BTreeSet;

use super::keys::is_referenced;
use crate::columns::Reads;
use crate::expr::Expr;
use crate::normalize::context::{Context, Role};
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, Query, Rel};
use crate::schema::ColumnRef;
use crate::substitution::Substitution;
use crate::tree::{NodeMut, Tree};

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
    apply: Apply::Query(unread_partner),
};

/// A rule for whole queries, as `foreign-key-join` is.
fn unread_partner(query: &mut Query, role: Role, cx: &mut Context<'_>) -> bool {
    if role != Role::Root {
        return false;
    }
    let used = query.reads();
    let found = query.find_deep(|node| match node {
        NodeMut::Rel(rel) => without_partner(rel, &used, cx),
        _ => None,
    });
    let Some(map) = found else { return false };
    query.substitute(&map);
    true
}

/// True if rows are known by this column, be it declared unique or referred to.
fn is_unique(at: ColumnRef, cx: &Context<'_>) -> bool {
    cx.is_key(at) || is_referenced(at, cx)
}

/// Removes a table that is read for its key alone; what the key becomes.
fn without_partner(rel: &mut Rel, used: &BTreeSet<ColumnId>, cx: &Context<'_>) -> Option<Substitution> {
    let Rel::Join { inputs, on } = rel else {
        return None;
    };
    let classes = cx.equal_columns(on);
    let made: BTreeSet<ColumnId> = inputs.iter().flat_map(Rel::outputs).collect();
    let (at, key, by) = inputs.iter().enumerate().find_map(|(at, input)| {
        let Rel::Scan { table, columns } = input else {
            return None;
        };
        let mut read = columns.iter().filter(|(c, _)| used.contains(c));
        let (Some((key, column)), None) = (read.next(), read.next()) else {
            return None;
        };
        let key_column = ColumnRef { table: *table, column: *column };
        if !is_unique(key_column, cx) {
            return None;
        }
        let class = classes.iter().find(|class| class.contains(key))?;
        let own: BTreeSet<ColumnId> = columns.iter().map(|(c, _)| *c).collect();
        let by = class.iter().find(|c| made.contains(c) && !own.contains(c))?;
        // A key that is joined to a key is another table's rows, some of which have no partner.
        let loose = cx.origin(*by).is_some_and(|from| !is_unique(from, cx));
        loose.then_some((at, *key, *by))
    })?;
    let (mut inputs, on) = rel.take().into_block();
    inputs.remove(at);
    *rel = Rel::join(inputs, on);
    Some([(key, Expr::Column(by))].into())
}
