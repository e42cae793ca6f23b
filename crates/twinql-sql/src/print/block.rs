//! A SELECT in the making: its clauses, and how far they are filled.

use std::collections::BTreeMap;

use crate::column_set::ColumnSet;
use crate::columns::Reads;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::rel::ColumnId;

/// What each column in scope is called.
pub(crate) type Names = BTreeMap<ColumnId, String>;

/// How far a SELECT is filled.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    #[default]
    From,
    Grouped,
    Windowed,
    Distinct,
    Sorted,
}

/// A SELECT in the making.
#[derive(Default)]
pub(super) struct Block {
    pub(super) stage: Stage,
    pub(super) from: Option<String>,
    /// `from` is one table or derived table.
    pub(super) single: bool,
    pub(super) filters: Vec<String>,
    pub(super) groups: Option<Vec<String>>,
    pub(super) having: Vec<String>,
    pub(super) distinct: bool,
    pub(super) order: Vec<String>,
    pub(super) limit: Option<String>,
    pub(super) offset: Option<String>,
    /// Produced columns with what they are in this SELECT.
    pub(super) items: Vec<(ColumnId, String)>,
    /// An aggregate over the whole input: one of these texts must be listed, or the
    /// SELECT is no aggregate.
    pub(super) whole: ColumnSet,
}

impl Block {
    pub(super) fn from(from: Option<String>, items: Vec<(ColumnId, String)>) -> Block {
        Block { single: from.is_some(), from, items, ..Block::default() }
    }

    pub(super) fn scope(&self, outer: &Names) -> Names {
        let mut names = outer.clone();
        names.extend(self.items.iter().cloned());
        names
    }

    /// The block as text, its clauses in SQL's order. SQLite has no OFFSET without LIMIT, so that one alone gets `LIMIT
    /// -1`; and rows without columns, of which only the number counts, are written as `SELECT 1`.
    pub(super) fn select(&self, items: &[String]) -> String {
        let mut sql = String::from("SELECT ");
        if self.distinct {
            sql.push_str("DISTINCT ");
        }
        if items.is_empty() {
            sql.push('1');
        }
        sql.push_str(&items.join(", "));
        let mut clause = |keyword: &str, text: &str| {
            sql.push(' ');
            sql.push_str(keyword);
            sql.push(' ');
            sql.push_str(text);
        };
        if let Some(from) = &self.from {
            clause("FROM", from);
        }
        if !self.filters.is_empty() {
            clause("WHERE", &self.filters.join(" AND "));
        }
        if let Some(groups) = self.groups.as_ref().filter(|g| !g.is_empty()) {
            clause("GROUP BY", &groups.join(", "));
        }
        if !self.having.is_empty() {
            clause("HAVING", &self.having.join(" AND "));
        }
        if !self.order.is_empty() {
            clause("ORDER BY", &self.order.join(", "));
        }
        match (&self.limit, &self.offset) {
            (Some(limit), _) => clause("LIMIT", limit),
            (None, Some(_)) => clause("LIMIT", "-1"),
            (None, None) => {}
        }
        if let Some(offset) = &self.offset {
            clause("OFFSET", offset);
        }
        sql
    }
}

/// SQL takes an aggregate whose operands are columns of an enclosing query alone for one of that
/// query: such a call gets a filter, always true, that reads a column of its own.
pub(super) fn anchored(call: &AggregateCall, block: &Block) -> Option<AggregateCall> {
    let mut read = ColumnSet::new();
    for e in call.args.iter().chain(&call.filter) {
        e.reads_into(&mut read);
    }
    let own = |c: &ColumnId| block.items.iter().any(|(b, _)| b == c);
    if call.func == AggFunc::Bare || read.is_empty() || read.iter().any(own) {
        return None;
    }
    let (anchor, _) = block.items.first()?;
    let mut filter: Vec<Expr> = call.filter.clone().into_iter().collect();
    filter.push(Expr::binary(BinaryOp::Is, Expr::Column(*anchor), Expr::Column(*anchor)));
    Some(AggregateCall { filter: Some(Expr::And(filter)), ..call.clone() })
}
