//! What a name in a query means.

use sqlparser::ast;
use twinql_sql::Schema;

use super::tree::Term;

/// The columns of an item of FROM.
#[derive(Debug, Clone)]
pub(super) enum Columns {
    /// Those of a table of the schema.
    Table(usize),
    /// The output of a derived table, by name where it has one.
    Derived(Vec<Option<String>>),
    /// Any name may be one.
    Unknown,
}

/// An item of FROM as expressions see it.
#[derive(Debug, Clone)]
pub(super) struct Visible {
    pub(super) id: usize,
    /// What its columns may be qualified with, in lower case.
    pub(super) name: String,
    pub(super) columns: Columns,
}

/// A common table expression, which is read anew wherever it is named.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cte<'q> {
    pub(super) query: &'q ast::Query,
    /// Its name, and those of its columns where they are given.
    pub(super) alias: &'q ast::TableAlias,
    /// How many stand before it: it sees these, and not itself.
    pub(super) before: usize,
}

/// The names that a block sees: its own, then those of the blocks around it.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope<'p> {
    pub(super) sources: Vec<Visible>,
    /// Output columns by their alias.
    pub(super) outputs: Vec<(String, Term)>,
    pub(super) outer: Option<&'p Scope<'p>>,
    /// Common table expressions; of two with one name the last one counts.
    pub(super) ctes: &'p [Cte<'p>],
}

impl Visible {
    /// This source's column of that name. An alias of a derived table that is a position's name stays one.
    pub(super) fn find(&self, schema: &Schema, name: &str) -> Option<Term> {
        let found = match &self.columns {
            Columns::Table(table) => {
                let column = schema.tables.get(*table)?.column_index(name);
                // SQLite numbers the rows of every table.
                let rowid = matches!(name, "rowid" | "_rowid_" | "oid");
                return (column.is_some() || rowid).then(|| Term::column(self.id, name));
            }
            Columns::Derived(names) => names.iter().position(|n| n.as_deref() == Some(name))?,
            Columns::Unknown => return None,
        };
        Some(Term::column(self.id, format!("#{found}")))
    }
}

impl Scope<'_> {
    /// What an unqualified name means: a column here, then an output column, then a column further out.
    pub(super) fn bare(&self, schema: &Schema, name: &str) -> Option<Term> {
        let here = self.sources.iter().find_map(|s| s.find(schema, name));
        let here = here.or_else(|| self.output(name)).or_else(|| self.outer?.bare(schema, name));
        here.or_else(|| {
            let unknown = self.sources.iter().find(|s| matches!(s.columns, Columns::Unknown))?;
            Some(Term::column(unknown.id, name))
        })
    }

    /// The output column of this alias.
    pub(super) fn output(&self, name: &str) -> Option<Term> {
        self.outputs.iter().find(|(alias, _)| alias == name).map(|(_, term)| term.clone())
    }

    /// The source that a qualifier names, here or further out.
    pub(super) fn source(&self, qualifier: &str) -> Option<&Visible> {
        let here = self.sources.iter().find(|s| s.name == qualifier);
        here.or_else(|| self.outer?.source(qualifier))
    }

    /// What a qualified name means.
    pub(super) fn qualified(&self, schema: &Schema, qualifier: &str, name: &str) -> Option<Term> {
        let source = self.source(qualifier)?;
        match source.columns {
            Columns::Unknown => Some(Term::column(source.id, name)),
            _ => source.find(schema, name),
        }
    }
}
