//! How a transformed schema relates to the one that it comes from.
//!
//! Every table that changed is a query over the old schema. This moves rows, and it reads a query over the new
//! schema as one over the old: each changed table stands for its query. Where its columns are columns of one old
//! table, the mapping says so, and the query is read by names alone.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use twinql_sql::schema::quote;
use twinql_sql::{Column, Table};

/// From a transformed schema to the original one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// The original's `db_id`.
    pub db_id: String,
    /// Tables of the new schema that are not tables of the old one as they are.
    #[serde(default)]
    pub tables: Vec<MappedTable>,
    /// Tables of the old schema that are no longer there, as queries over the new schema.
    #[serde(default)]
    pub gone: Vec<GoneTable>,
}

/// A new or changed table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedTable {
    /// Its name in the new schema.
    pub name: String,
    /// The old table that its rows are those of.
    pub from: String,
    /// Its columns that are columns of that table, with their old names.
    pub columns: IndexMap<String, String>,
    /// Its columns that come from elsewhere, or are new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<String>,
    /// Its rows, as a query over the old schema: columns in their order.
    pub query: String,
}

/// A table that is no longer there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneTable {
    /// Its name in the old schema.
    pub name: String,
    /// Its rows, as far as the new schema holds them.
    pub query: String,
}

impl Mapping {
    /// A mapping under which nothing has changed.
    pub fn same(db_id: impl Into<String>) -> Mapping {
        Mapping { db_id: db_id.into(), ..Mapping::default() }
    }

    /// The changed table of this name.
    pub fn table(&self, name: &str) -> Option<&MappedTable> {
        self.tables.iter().find(|t| t.name.eq_ignore_ascii_case(name))
    }

    /// New names of columns with their old ones, where they differ; new names in lower case.
    pub fn renamed(&self) -> IndexMap<String, String> {
        let columns = self.tables.iter().flat_map(|t| &t.columns);
        let other = columns.filter(|(new, old)| !new.eq_ignore_ascii_case(old));
        other.map(|(new, old)| (new.to_ascii_lowercase(), old.clone())).collect()
    }
}

/// Where a column of a new table comes from.
#[derive(Debug, Clone)]
pub(crate) enum Source<'s> {
    /// A column of the old table.
    Old(&'s Column),
    /// An expression over the old schema.
    Computed(String),
}

impl MappedTable {
    /// A table that is `from` with other columns, given with where each comes from.
    pub(crate) fn new(
        table: &Table,
        from: &str,
        sources: &[Source<'_>],
        joined: Option<&str>,
    ) -> MappedTable {
        let mut columns = IndexMap::new();
        let mut computed = Vec::new();
        let mut items = Vec::new();
        for (column, source) in table.columns.iter().zip(sources) {
            let item = match source {
                Source::Old(old) => {
                    columns.insert(column.name.clone(), old.name.clone());
                    format!("{}.{}", quote(from), quote(&old.name))
                }
                Source::Computed(text) => {
                    computed.push(column.name.clone());
                    text.clone()
                }
            };
            items.push(format!("{item} AS {}", quote(&column.name)));
        }
        let query = format!("SELECT {} FROM {}{}", items.join(", "), quote(from), joined.unwrap_or_default());
        MappedTable { name: table.name.clone(), from: from.to_owned(), columns, computed, query }
    }
}
