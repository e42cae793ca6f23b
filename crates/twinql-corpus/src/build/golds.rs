//! The pairs of a file by gold query, so that work on one gold and its schema is done once.

use std::borrow::Borrow;

use indexmap::IndexMap;
use twinql_sql::{Schema, SchemaSet};

use crate::Pair;

/// A gold query over a database, or over the schema that its pairs carry in the database's place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Gold {
    db_id: String,
    ddl: Option<String>,
    pub(super) sql: String,
}

impl Gold {
    /// Does something with the gold's schema; `None` where the database is unknown or its DDL
    /// cannot be read.
    pub(super) fn with_schema<T>(&self, schemas: &SchemaSet, work: impl FnOnce(Option<&Schema>) -> T) -> T {
        match &self.ddl {
            Some(ddl) => work(Schema::from_ddl(&self.db_id, ddl).ok().as_ref()),
            None => work(schemas.get(&self.db_id)),
        }
    }
}

/// Pairs with their place in the file, by gold, in the order in which golds come.
pub(super) fn by_gold<P: Borrow<Pair>>(pairs: impl IntoIterator<Item = P>) -> Vec<(Gold, Vec<(usize, P)>)> {
    let mut golds: IndexMap<Gold, Vec<(usize, P)>> = IndexMap::new();
    for (place, pair) in pairs.into_iter().enumerate() {
        let of: &Pair = pair.borrow();
        let gold = Gold {
            db_id: of.db_id.clone().unwrap_or_default(),
            ddl: of.schema.clone(),
            sql: of.gold.clone(),
        };
        golds.entry(gold).or_default().push((place, pair));
    }
    golds.into_iter().collect()
}
