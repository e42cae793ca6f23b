//! How names are compared, and names with a schema or a database before them.
//!
//! SQLite ignores the case of a name, quoted or not. PostgreSQL folds a name without quotes to lower case and
//! takes one in quotes as it is: `Name` is `name`, `"Name"` is another. [`Planner::same`] and
//! [`Planner::stored`] are the two sides of that; [`Schema::compares_exactly`](crate::Schema::compares_exactly)
//! says which of the two holds.

use sqlparser::ast::{self, Ident, Spanned};

use super::sight::ScopeTable;
use super::{Planner, Result, invalid, unsupported};
use crate::error::SqlError;
use crate::expr::Expr;
use crate::schema::{Found, NamePart, case_hint, same_name};
use crate::spans::TextRange;

impl<'a> Planner<'a> {
    /// Whether a name of the query is the one that is stored.
    pub(crate) fn same(&self, stored: &str, written: &Ident) -> bool {
        same_name(self.exact_names, stored, &written.value, written.quote_style.is_some())
    }

    /// What a name that the query gives is stored as.
    pub(crate) fn stored(&self, name: &Ident) -> String {
        if self.exact_names && name.quote_style.is_none() {
            name.value.to_ascii_lowercase()
        } else {
            name.value.clone()
        }
    }

    /// The position of a table in the schema.
    pub(crate) fn table_named(&self, name: &ast::ObjectName) -> Result<Option<usize>> {
        let parts: Option<Vec<&Ident>> = name.0.iter().map(ast::ObjectNamePart::as_ident).collect();
        match parts {
            Some(parts) => self.table_of(&parts),
            None => unsupported(format!("table name {name}"), name.span()),
        }
    }

    fn table_of(&self, parts: &[&Ident]) -> Result<Option<usize>> {
        let written: Vec<NamePart> = parts
            .iter()
            .map(|p| NamePart { text: p.value.clone(), quoted: p.quote_style.is_some() })
            .collect();
        let name = || {
            let parts: Vec<&str> = parts.iter().map(|p| p.value.as_str()).collect();
            parts.join(".")
        };
        let span = parts.last().map_or_else(sqlparser::tokenizer::Span::empty, |p| p.span);
        match self.schema.find_table(&written, self.dialect) {
            Found::Table(index) => Ok(Some(index)),
            Found::Unknown(None) => Ok(None),
            Found::Unknown(Some(hint)) => invalid(format!("no table named {:?} ({hint})", name()), span),
            Found::Ambiguous(places) => invalid(
                format!(
                    "{:?} is the name of several tables, {}; write the schema before it",
                    name(),
                    places.join(" and ")
                ),
                span,
            ),
        }
    }

    /// `schema.table.column`, also with a database before it: the column of the table in
    /// sight that has no alias and is that table.
    pub(super) fn plan_qualified(&mut self, parts: &[Ident]) -> Result<Expr> {
        let Some((column, qualifiers)) = parts.split_last() else {
            return unsupported("an empty name", sqlparser::tokenizer::Span::empty());
        };
        let unknown = || {
            let parts: Vec<&str> = parts.iter().map(|p| p.value.as_str()).collect();
            Err(SqlError::UnknownColumn { name: parts.join("."), place: TextRange::of(column.span) })
        };
        let qualifiers: Vec<&Ident> = qualifiers.iter().collect();
        let Some(index) = self.table_of(&qualifiers)? else {
            return unknown();
        };
        for scope in self.scopes.iter().rev() {
            let mut found = None;
            for table in scope.tables.iter().filter(|t| t.table == Some(index)) {
                let named = table.columns.iter().find(|c| self.same(&c.name, column));
                if let Some(named) = named {
                    if found.is_some() {
                        return Err(SqlError::AmbiguousColumn {
                            name: column.value.clone(),
                            place: TextRange::of(column.span),
                        });
                    }
                    found = Some(Expr::Column(named.id));
                }
            }
            if let Some(found) = found {
                return Ok(found);
            }
        }
        unknown()
    }

    /// A name with dots where a dot may reach into a value; then a whole table's name before it.
    pub(super) fn plan_dotted(&mut self, parts: &[Ident]) -> Result<Expr> {
        let names: Vec<&Ident> = parts.iter().collect();
        match self.plan_name_path(&names)? {
            Some(value) => Ok(value),
            None if parts.len() > 2 => {
                if let [first, second, ..] = parts {
                    self.note_missing_column(Some(first), second);
                }
                self.plan_qualified(parts)
            }
            None => Err(self.unknown_column(
                parts.first().filter(|_| parts.len() > 1),
                match parts.last() {
                    Some(last) => last,
                    None => return unsupported("an empty name", sqlparser::tokenizer::Span::empty()),
                },
            )),
        }
    }

    /// Whether a table in sight is the one that `name.*` names.
    pub(super) fn is_named(&self, table: &ScopeTable, name: &ast::ObjectName) -> Result<bool> {
        Ok(match name.0.as_slice() {
            [only] => only.as_ident().is_some_and(|n| self.same(&table.name, n)),
            _ => match self.table_named(name)? {
                Some(index) => table.table == Some(index),
                None => false,
            },
        })
    }

    /// That nothing in sight has a name, and what may have been meant.
    pub(super) fn unknown_column(&self, qualifier: Option<&Ident>, name: &Ident) -> SqlError {
        self.note_missing_column(qualifier, name);
        let written = super::scope::display(qualifier, name);
        let near = self.exact_names.then(|| {
            self.scopes
                .iter()
                .flat_map(|s| &s.tables)
                .flat_map(|t| &t.columns)
                .find(|c| c.name.eq_ignore_ascii_case(&name.value))
        });
        match near.flatten() {
            Some(column) => SqlError::Invalid {
                message: format!("no column named {written:?} in scope ({})", case_hint(&column.name)),
                place: TextRange::of(name.span),
            },
            None => SqlError::UnknownColumn { name: written, place: TextRange::of(name.span) },
        }
    }
}
