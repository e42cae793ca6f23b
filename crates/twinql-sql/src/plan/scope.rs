//! What a name means: tables, columns and aliases in sight.

use sqlparser::ast::Ident;

use super::sight::{Allow, RowId, ScopeTable};
use super::{Planner, Result, unsupported};
use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::expr::Expr;
use crate::keywords::is_reserved;
use crate::schema::same_name;
use crate::spans::TextRange;

fn is_rowid(name: &str) -> bool {
    ["rowid", "oid", "_rowid_"].iter().any(|r| name.eq_ignore_ascii_case(r))
}

/// Refuses a word that SQLite reserves and that stands unquoted for a name.
pub(super) fn refuse_reserved(name: &Ident) -> Result<()> {
    if name.quote_style.is_none() && is_reserved(&name.value) {
        return super::invalid(
            format!("{:?} is a reserved word; quote it to use it as a name", name.value),
            name.span,
        );
    }
    Ok(())
}

/// The whole name as written.
pub(crate) fn display(qualifier: Option<&Ident>, name: &Ident) -> String {
    match qualifier {
        Some(q) => format!("{}.{}", q.value, name.value),
        None => name.value.clone(),
    }
}

impl<'a> Planner<'a> {
    /// Refuses a reserved word that stands unquoted for a name, in SQLite's dialect: the parser takes `SELECT a ALL FROM t` for
    /// an alias, and SQLite for a syntax error.
    pub(crate) fn refuse_reserved(&self, name: &Ident) -> Result<()> {
        match self.dialect {
            Dialect::Sqlite => refuse_reserved(name),
            _ => Ok(()),
        }
    }

    /// Refuses `cast.id` in SQLite's dialect: CAST may name a table, and at the beginning of an expression a parenthesis follows it.
    pub(crate) fn refuse_cast(&self, qualifier: Option<&Ident>) -> Result<()> {
        match qualifier {
            Some(name)
                if self.dialect == Dialect::Sqlite
                    && name.quote_style.is_none()
                    && name.value.eq_ignore_ascii_case("cast") =>
            {
                super::invalid("CAST before a dot; quote it to use it as a name", name.span)
            }
            _ => Ok(()),
        }
    }

    /// As [`Self::refuse_reserved`], of an alias: INDEXED may be a column, and without AS no alias.
    pub(crate) fn refuse_alias(&self, name: &Ident) -> Result<()> {
        if self.dialect == Dialect::Sqlite
            && name.quote_style.is_none()
            && name.value.eq_ignore_ascii_case("indexed")
        {
            return super::invalid("INDEXED as an alias; quote it to use it as a name", name.span);
        }
        self.refuse_reserved(name)
    }

    /// The expression that a column name stands for, from the innermost scope outwards;
    /// `None` if nothing in sight has the name.
    pub(crate) fn resolve(&mut self, qualifier: Option<&Ident>, name: &Ident) -> Result<Option<Expr>> {
        for level in (0..self.scopes.len()).rev() {
            if let Some(expr) = self.resolve_at(level, qualifier, name)? {
                return Ok(Some(expr));
            }
        }
        Ok(None)
    }

    pub(super) fn resolve_at(
        &mut self,
        level: usize,
        qualifier: Option<&Ident>,
        name: &Ident,
    ) -> Result<Option<Expr>> {
        let Some(scope) = self.scopes.get(level) else {
            return Ok(None);
        };
        let found = find_column(self.exact_names, &scope.tables, qualifier, name)?;
        if self.dialect.names().aliases_before_columns
            && let Some(planned) = self.resolve_alias(level, qualifier, name)?
        {
            return Ok(Some(planned));
        }
        let Some(scope) = self.scopes.get(level).filter(|_| found.is_none()) else {
            return Ok(found);
        };
        if is_rowid(&name.value) {
            let mut candidates =
                scope.tables.iter().filter(|t| qualifier.is_none_or(|q| self.same(&t.name, q)));
            if let (Some(table), None) = (candidates.next(), candidates.next()) {
                match table.rowid {
                    RowId::Column(id) => return Ok(Some(Expr::Column(id))),
                    RowId::Opaque => {
                        return unsupported(
                            format!("{:?} of a table without an INTEGER PRIMARY KEY", name.value),
                            name.span,
                        );
                    }
                    RowId::None => {}
                }
            }
        }
        self.resolve_alias(level, qualifier, name)
    }

    /// What an output that a name means as an alias stands for.
    fn resolve_alias(
        &mut self,
        level: usize,
        qualifier: Option<&Ident>,
        name: &Ident,
    ) -> Result<Option<Expr>> {
        let seen = self.scopes.get(level).filter(|s| qualifier.is_none() && s.allow.aliases);
        let Some(scope) = seen else {
            return Ok(None);
        };
        let most = scope.allow.aliases_before.unwrap_or(scope.aliases.len());
        let seen = scope.aliases.iter().take(most).enumerate();
        let mut named = seen.filter(|(_, (alias, _))| self.same(&self.stored(alias), name));
        let Some((at, (_, expr))) = named.next() else {
            return Ok(None);
        };
        let expr = *expr;
        self.check_alias(name);
        let chains = self.dialect.names().outputs_see_aliases;
        // An alias is planned anew for each use, so that column ids stay unique.
        let inner = self.scopes.split_off(level + 1);
        let allow = self.set_allow(|allow| (allow.aliases, allow.aliases_before) = (chains, Some(at)));
        let planned = self.plan_expr(expr)?;
        self.restore_allow(allow);
        self.scopes.extend(inner);
        Ok(Some(planned))
    }

    /// Changes what the innermost scope allows; gives back what it allowed before.
    pub(crate) fn set_allow(&mut self, change: impl FnOnce(&mut Allow)) -> Allow {
        match self.scopes.last_mut() {
            Some(scope) => {
                let before = scope.allow;
                change(&mut scope.allow);
                before
            }
            None => Allow::default(),
        }
    }

    pub(crate) fn restore_allow(&mut self, allow: Allow) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.allow = allow;
        }
    }
}

/// The column of these tables that a name means.
pub(crate) fn find_column(
    exact: bool,
    tables: &[ScopeTable],
    qualifier: Option<&Ident>,
    name: &Ident,
) -> Result<Option<Expr>> {
    let mut found = None;
    let same = |stored: &str, n: &Ident| same_name(exact, stored, &n.value, n.quote_style.is_some());
    for table in tables {
        if qualifier.is_some_and(|q| !same(&table.name, q)) {
            continue;
        }
        // Within one table the first of several columns with a name is meant.
        let column = table.columns.iter().find(|c| same(&c.name, name) && (qualifier.is_some() || !c.hidden));
        if let Some(column) = column {
            if found.is_some() {
                return Err(SqlError::AmbiguousColumn {
                    name: display(qualifier, name),
                    place: TextRange::of(name.span),
                });
            }
            found = Some(match qualifier {
                Some(_) => column.own_value(),
                None => column.value(),
            });
        }
    }
    Ok(found)
}
