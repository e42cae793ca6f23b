//! What a mutation is given, and what it answers.

use sqlparser::ast::Query;
use twinql_sql::{Schema, Table};

use crate::dice::Dice;

/// Places of one kind that are visited.
pub(super) const MAX_SITES: usize = 24;

/// What a mutation may look at.
pub(super) struct Context<'a> {
    pub(super) schema: &'a Schema,
    /// The tables that the query mentions.
    pub(super) tables: Vec<&'a Table>,
    /// The tables that the query and its subqueries read, by the name that each goes by.
    pub(super) sources: Vec<(String, &'a Table)>,
    /// The words of the query as it was.
    pub(super) words: Vec<String>,
    /// The random source, for mutations with many outcomes.
    pub(super) dice: Dice,
    /// Which outcome of a place is asked for, from 0: the first ones are those that differ
    /// at a boundary only.
    pub(super) outcome: usize,
}

impl Context<'_> {
    /// The columns of the tables that the query mentions.
    pub(super) fn column_names(&self) -> Vec<String> {
        let columns = self.tables.iter().flat_map(|t| &t.columns);
        columns.map(|c| c.name.clone()).collect()
    }
}

/// What a mutation makes of a query at one of its places.
pub(super) enum Outcome {
    /// There is no such place.
    NoPlace,
    /// Nothing that is a query.
    Nothing,
    /// Another query, in whole or in part at random.
    Query(Box<Query>),
}

/// Something where a change was made.
pub(super) type Changed = Option<()>;

/// Which of many places is changed: those before it give up their turn.
pub(super) struct Turn {
    pub(super) left: usize,
    pub(super) done: bool,
}

impl Turn {
    /// Something at the place that is due, and nowhere else.
    pub(super) fn due(&mut self) -> Option<()> {
        if self.done || self.left > 0 {
            self.left = self.left.saturating_sub(1);
            return None;
        }
        self.done = true;
        Some(())
    }
}
