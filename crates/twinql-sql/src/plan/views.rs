//! Views: a reference to one is its query, planned where it is used.

use std::cell::Cell;
use std::collections::HashSet;

use sqlparser::ast::{self, Ident};

use super::sight::{ScopeTable, ViewQuery};
use super::{Planner, Result, invalid, last_ident};
use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::parse::parse;
use crate::rel::Rel;
use crate::schema::Schema;
use crate::spans::TextRange;
use crate::syntax::read_relations;

/// The views that a query, or a view that it names, names.
pub(crate) fn reached<'s>(schema: &'s Schema, query: &ast::Query) -> Vec<ViewQuery<'s>> {
    let mut found: Vec<ViewQuery<'s>> = Vec::new();
    if schema.views.is_empty() {
        return found;
    }
    let mut seen: HashSet<String> = HashSet::new();
    let mut names = relations(query);
    while let Some(name) = names.pop() {
        if !seen.insert(name.to_ascii_lowercase()) {
            continue;
        }
        if let Some(view) = schema.view(&name) {
            let parsed = parse(&view.query);
            if let Ok(parsed) = &parsed {
                names.extend(relations(&parsed.query));
            }
            found.push(ViewQuery { view, parsed, active: Cell::new(false) });
        }
    }
    found
}

/// Last parts of all names in FROM, at any depth; more than views, which the caller sorts out.
fn relations(query: &ast::Query) -> Vec<String> {
    let mut names = Vec::new();
    read_relations(query, &mut |relation| names.extend(last_ident(relation).map(|i| i.value.clone())));
    names
}

impl<'a> Planner<'a> {
    /// The relation of a view, if the name is one.
    ///
    /// Planned anew for each use, as a common table expression is. What belongs to the query that names the
    /// view is put aside meanwhile: its scopes and expressions are not in sight inside the view.
    pub(crate) fn plan_view_use(&mut self, name: &Ident) -> Result<Option<(Rel, ScopeTable)>> {
        let views = self.views;
        let found = views.iter().find(|v| v.view.name.eq_ignore_ascii_case(&name.value));
        let Some(used) = found else {
            return Ok(None);
        };
        let title = &used.view.name;
        if used.active.get() {
            return invalid(format!("view {title} is circularly defined"), name.span);
        }
        let parsed = used.parsed.as_ref().map_err(|e| of_view(title, e.clone(), name))?;
        // Its query sees tables and views alone, is SQLite's, and its places are not the query's.
        let scopes = std::mem::take(&mut self.scopes);
        let ctes = std::mem::take(&mut self.ctes);
        let spans = self.spans.take();
        let dialect = std::mem::replace(&mut self.dialect, Dialect::Sqlite);
        let exact_names = std::mem::replace(&mut self.exact_names, false);
        used.active.set(true);
        let planned = self.plan_query(&parsed.query).map_err(|e| of_view(title, e, name))?;
        used.active.set(false);
        self.dialect = dialect;
        self.exact_names = exact_names;
        self.spans = spans;
        self.ctes = ctes;
        self.scopes = scopes;
        let listed = &used.view.columns;
        if !listed.is_empty() && listed.len() != planned.names.len() {
            return invalid(
                format!("view {title} lists {} columns, its query has {}", listed.len(), planned.names.len()),
                name.span,
            );
        }
        let names = if listed.is_empty() { planned.names } else { listed.clone() };
        let table = ScopeTable::derived(title, names, planned.query.output);
        Ok(Some((planned.query.rel, table)))
    }
}

/// An error inside a view, at the place where the view is named.
fn of_view(view: &str, error: SqlError, name: &Ident) -> SqlError {
    match error {
        SqlError::Unsupported { construct, place: _ } => SqlError::Unsupported {
            construct: format!("{construct}, in view {view},"),
            place: TextRange::of(name.span),
        },
        too_large @ SqlError::TooLarge { what: _, found: _, limit: _ } => too_large,
        other => {
            SqlError::Invalid { message: format!("view {view}: {other}"), place: TextRange::of(name.span) }
        }
    }
}
