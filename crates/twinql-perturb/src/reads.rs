//! What a gold query reads of its schema.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use twinql_corpus::schemas::{Given, reads_unnamed, words};
use twinql_sql::columns::Reads as _;
use twinql_sql::tree::{Node, Tree as _};
use twinql_sql::{ColumnId, ColumnRef, Plan, Rel, Schema, parse, plan};

use crate::error::PerturbError;

/// The tables, columns and words of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Tables that stand in a FROM.
    pub tables: BTreeSet<usize>,
    /// Columns that are named, or that a star stands for.
    pub columns: BTreeSet<ColumnRef>,
    /// It selects `*` outside EXISTS, or joins by the names that two tables share.
    pub starred: bool,
    /// Every name in it, in lower case.
    pub words: HashSet<String>,
}

impl Reads {
    /// What `sql` reads.
    ///
    /// # Errors
    /// Why no schema can change under it: it is no query over the schema, or holds what is not understood.
    pub fn of(schema: &Schema, sql: &str) -> Result<Reads, PerturbError> {
        let parsed = parse(sql)?;
        let plan = plan(schema, &parsed)?;
        let given = Given::new(schema, sql, sql).ok_or(PerturbError::NotFollowed)?;
        let mut reads =
            Reads { starred: reads_unnamed(&given), words: words(&given), ..Reads::of_plan(&plan) };
        if reads.starred {
            for &table in &reads.tables {
                let count = schema.tables.get(table).map_or(0, |t| t.columns.len());
                reads.columns.extend((0..count).map(|column| ColumnRef { table, column }));
            }
        }
        Ok(reads)
    }

    /// Tables and columns of a plan.
    pub fn of_plan(plan: &Plan) -> Reads {
        let mut reads = Reads::default();
        let mut sources: BTreeMap<ColumnId, ColumnRef> = BTreeMap::new();
        plan.query.for_each_deep(|node| {
            if let Node::Rel(Rel::Scan { table, columns }) = node {
                reads.tables.insert(*table);
                sources.extend(columns.iter().map(|&(id, column)| (id, ColumnRef { table: *table, column })));
            }
        });
        reads.columns = plan.query.reads().iter().filter_map(|id| sources.get(id).copied()).collect();
        reads
    }
}
