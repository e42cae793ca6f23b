//! What names can mean in a query: relations and their columns, common table expressions, views.

use std::cell::{Cell, RefCell};

use sqlparser::ast::{self, Ident};

use crate::error::Result;
use crate::expr::{AggregateCall, Expr, WindowCall};
use crate::parse::Parsed;
use crate::rel::{ColumnId, ColumnInfo};
use crate::schema::View;

/// A column of a table in scope.
pub(crate) struct ScopeColumn {
    pub(crate) name: String,
    pub(crate) id: ColumnId,
    /// The same column of USING or NATURAL on the other side of a join: found with a
    /// qualifier only, and left out of `*`, not of `t.*`.
    pub(crate) hidden: bool,
    /// USING or NATURAL named it, on either side.
    pub(crate) shared: bool,
    /// What the name means without a qualifier, if that is not the column itself.
    pub(crate) merged: Option<Expr>,
    /// The part of the column that it is, if it is not all of it: a field of an array's elements.
    pub(crate) part: Option<Expr>,
    /// It is left out of `*`, but found by its name.
    pub(crate) unlisted: bool,
}

impl ScopeColumn {
    pub(crate) fn new(name: String, id: ColumnId) -> Self {
        ScopeColumn { name, id, hidden: false, shared: false, merged: None, part: None, unlisted: false }
    }

    /// The value of the name behind a qualifier.
    pub(crate) fn own_value(&self) -> Expr {
        self.part.clone().unwrap_or(Expr::Column(self.id))
    }

    /// The value of the name without a qualifier.
    pub(crate) fn value(&self) -> Expr {
        self.merged.clone().unwrap_or_else(|| self.own_value())
    }
}

/// What `rowid` means for a table.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum RowId {
    /// The table has none: a subquery, a table function.
    None,
    /// Its INTEGER PRIMARY KEY.
    Column(ColumnId),
    /// It has one that no column shows.
    Opaque,
}

/// A table in scope.
pub(crate) struct ScopeTable {
    /// Alias or name; empty where it has neither.
    pub(crate) name: String,
    pub(crate) columns: Vec<ScopeColumn>,
    pub(crate) rowid: RowId,
    /// The table of the schema that it is, where it has no other name.
    pub(crate) table: Option<usize>,
    /// The column that its name alone means: an array's elements.
    pub(crate) whole: Option<ColumnId>,
}

impl ScopeTable {
    /// What is no table of the schema: columns by name, and no rowid.
    pub(crate) fn derived(
        name: impl Into<String>,
        names: impl IntoIterator<Item = String>,
        ids: impl IntoIterator<Item = ColumnId>,
    ) -> Self {
        let columns = names.into_iter().zip(ids).map(|(name, id)| ScopeColumn::new(name, id)).collect();
        ScopeTable { name: name.into(), columns, rowid: RowId::None, table: None, whole: None }
    }

    /// The ids of its columns.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ColumnId> + Clone {
        self.columns.iter().map(|c| c.id)
    }
}

/// One SELECT's names, and what its clauses collect.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    pub(crate) tables: Vec<ScopeTable>,
    /// Aliases of the select list.
    pub(crate) aliases: Vec<(&'a Ident, &'a ast::Expr)>,
    pub(crate) named_windows: &'a [ast::NamedWindowDefinition],
    /// What the clause being planned may use.
    pub(crate) allow: Allow,
    pub(crate) aggregates: Vec<(ColumnId, AggregateCall)>,
    pub(crate) windows: Vec<(ColumnId, WindowCall)>,
}

/// What a clause may use.
#[derive(Clone, Copy, Default)]
pub(crate) struct Allow {
    pub(crate) aliases: bool,
    pub(crate) aggregates: bool,
    pub(crate) windows: bool,
    /// Of the aliases only so many of the first: an output sees those before it.
    pub(crate) aliases_before: Option<usize>,
}

impl Scope<'_> {
    /// Whether a table of this scope produces the column.
    pub(crate) fn owns(&self, id: ColumnId) -> bool {
        self.tables.iter().flat_map(ScopeTable::ids).any(|own| own == id)
    }
}

/// A common table expression in sight.
pub(crate) struct Cte<'a> {
    pub(super) name: &'a Ident,
    pub(super) columns: Vec<&'a Ident>,
    pub(super) query: &'a ast::Query,
    /// How many scopes and expressions its body sees.
    pub(super) scopes: usize,
    pub(super) ctes: usize,
    /// Its own name in its body means itself.
    pub(super) may_recur: bool,
    /// It was planned.
    pub(super) read: Cell<bool>,
    /// Being planned: a use now is recursive or circular.
    pub(super) active: Cell<bool>,
    /// What a recursive use reads.
    pub(super) recursion: RefCell<Option<Recursion>>,
}

/// What a recursive use of a common table expression reads.
#[derive(Clone)]
pub(super) struct Recursion {
    pub(super) name: String,
    /// The names of its columns.
    pub(super) names: Vec<String>,
    /// What is known of them.
    pub(super) infos: Vec<ColumnInfo>,
    /// The seed's columns.
    pub(super) seed: Vec<ColumnId>,
}

/// A view that a query may reach.
pub(crate) struct ViewQuery<'s> {
    pub(super) view: &'s View,
    pub(super) parsed: Result<Parsed>,
    /// Being planned: a use now is circular.
    pub(super) active: Cell<bool>,
}

/// The last part of a name with dots: `main.singer` is `singer`.
pub(crate) fn last_ident(name: &ast::ObjectName) -> Option<&ast::Ident> {
    name.0.last().and_then(ast::ObjectNamePart::as_ident)
}

/// The name that has no dots.
pub(crate) fn only_ident(name: &ast::ObjectName) -> Option<&ast::Ident> {
    match name.0.as_slice() {
        [only] => only.as_ident(),
        _ => None,
    }
}

/// An expression without the parentheses around it.
pub(crate) fn unwrap_nested(mut expr: &ast::Expr) -> &ast::Expr {
    while let ast::Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}
