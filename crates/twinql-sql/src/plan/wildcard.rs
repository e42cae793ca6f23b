//! `*` and `t.*` in a select list, with what BigQuery, DuckDB, Snowflake and others let
//! stand behind it.
//!
//! A star is expanded where it is planned: the tree knows outputs alone. The order is that of FROM. A column that USING or
//! NATURAL merged comes once in `*`; `t.*` has t's own.

use sqlparser::ast::{self, Ident, Spanned};

use super::planner::Item;
use super::refuse::refuse_present;
use super::{Planner, Result, invalid, only_ident, unsupported};
use crate::error::SqlError;
use crate::spans::TextRange;

impl<'a> Planner<'a> {
    /// The outputs of `*`.
    pub(super) fn plan_wildcard(
        &mut self,
        options: &'a ast::WildcardAdditionalOptions,
        at: &ast::SelectItem,
    ) -> Result<Vec<Item>> {
        // FLATTEN has columns that are not known here.
        let partial =
            |t: &super::sight::ScopeTable| t.columns.iter().any(|c| c.unlisted && c.name == "value");
        if self.scopes.last().is_some_and(|s| s.tables.iter().any(partial)) {
            return unsupported("* over FLATTEN", at.span());
        }
        let scope = self.scopes.last().into_iter();
        let columns = scope.flat_map(|s| &s.tables).flat_map(|t| &t.columns);
        let listed = columns.filter(|c| !c.hidden && !c.unlisted);
        let all: Vec<Item> = listed.map(|c| Item { expr: c.value(), name: c.name.clone() }).collect();
        if all.is_empty() {
            return invalid("no tables specified", at.span());
        }
        self.plan_options(all, options, at)
    }

    /// The outputs of `t.*`.
    pub(super) fn plan_qualified_wildcard(
        &mut self,
        kind: &'a ast::SelectItemQualifiedWildcardKind,
        options: &'a ast::WildcardAdditionalOptions,
        at: &ast::SelectItem,
    ) -> Result<Vec<Item>> {
        let name = match kind {
            ast::SelectItemQualifiedWildcardKind::ObjectName(name) => name,
            ast::SelectItemQualifiedWildcardKind::Expr(_) => return unsupported(at.to_string(), at.span()),
        };
        let mut listed = Vec::new();
        for (i, table) in self.scopes.last().iter().flat_map(|s| s.tables.iter().enumerate()) {
            if self.is_named(table, name)? {
                listed.push(i);
            }
        }
        if listed.is_empty()
            && let Some(fields) = self.plan_fields(name)?
        {
            return self.plan_options(fields, options, at);
        }
        if listed.is_empty() {
            return Err(SqlError::UnknownTable {
                name: match only_ident(name) {
                    Some(only) => only.value.clone(),
                    None => name.to_string(),
                },
                place: TextRange::of(name.span()),
            });
        }
        let tables = self.scopes.last().map(|s| s.tables.as_slice()).unwrap_or_default();
        let columns = || listed.iter().filter_map(|i| tables.get(*i)).flat_map(|t| &t.columns);
        let has_shared = match self.dialect.names().shared_in_star {
            Some(has) => has,
            None if columns().any(|c| c.shared) => {
                return unsupported(format!("{name}.* of a table that is joined by USING"), at.span());
            }
            None => true,
        };
        let own = columns().filter(|c| !c.unlisted && (has_shared || !c.shared));
        let all = own.map(|c| Item { expr: c.own_value(), name: c.name.clone() }).collect();
        self.plan_options(all, options, at)
    }

    /// The fields of a STRUCT that a name means: `device.*`.
    fn plan_fields(&mut self, name: &ast::ObjectName) -> Result<Option<Vec<Item>>> {
        let names: Option<Vec<&Ident>> = name.0.iter().map(ast::ObjectNamePart::as_ident).collect();
        let Some(names) = names.filter(|_| self.dialect.names().fields) else {
            return Ok(None);
        };
        let Some(value) = self.plan_name_path(&names)? else {
            return Ok(None);
        };
        let parts = self.parts_of(&value);
        self.charge(parts.len())?;
        let items = parts.into_iter().map(|(name, expr)| Item { expr, name }).collect::<Vec<_>>();
        Ok(Some(items).filter(|items| !items.is_empty()))
    }

    /// First the columns that are left out, then those with another value, then those with
    /// another name.
    fn plan_options(
        &mut self,
        mut items: Vec<Item>,
        options: &'a ast::WildcardAdditionalOptions,
        at: &ast::SelectItem,
    ) -> Result<Vec<Item>> {
        let ast::WildcardAdditionalOptions {
            wildcard_token: _,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        refuse_present(opt_ilike, "ILIKE behind *", at)?;
        refuse_present(opt_alias, "an alias of *", at)?;
        // EXCLUDE (DuckDB, Snowflake) and EXCEPT (BigQuery) say the same.
        let mut left_out: Vec<&Ident> = match opt_exclude {
            None => Vec::new(),
            Some(ast::ExcludeSelectItem::Single(name)) => vec![column_of(name)?],
            Some(ast::ExcludeSelectItem::Multiple(names)) => {
                names.iter().map(column_of).collect::<Result<_>>()?
            }
        };
        if let Some(ast::ExceptSelectItem { first_element, additional_elements }) = opt_except {
            left_out.push(first_element);
            left_out.extend(additional_elements);
        }
        for name in left_out {
            let before = items.len();
            items.retain(|item| !item.name.eq_ignore_ascii_case(&name.value));
            if items.len() == before {
                return Err(unknown(name));
            }
        }
        if items.is_empty() {
            return invalid("* leaves no column", at.span());
        }
        if let Some(ast::ReplaceSelectItem { items: replaced }) = opt_replace {
            for element in replaced {
                let ast::ReplaceSelectElement { expr, column_name, as_keyword: _ } = &**element;
                let expr = self.plan_item(expr)?;
                only_item(&mut items, column_name)?.expr = expr;
            }
        }
        let renamed = match opt_rename {
            None => &[][..],
            Some(ast::RenameSelectItem::Single(one)) => std::slice::from_ref(one),
            Some(ast::RenameSelectItem::Multiple(list)) => list,
        };
        for ast::IdentWithAlias { ident, alias } in renamed {
            only_item(&mut items, ident)?.name.clone_from(&alias.value);
        }
        Ok(items)
    }
}

fn unknown(name: &Ident) -> SqlError {
    SqlError::UnknownColumn { name: name.value.clone(), place: TextRange::of(name.span) }
}

/// The column that a name behind EXCLUDE means.
fn column_of(name: &ast::ObjectName) -> Result<&Ident> {
    match only_ident(name) {
        Some(column) => Ok(column),
        None => unsupported(format!("EXCLUDE of {name}"), name.span()),
    }
}

/// The only output with a name.
fn only_item<'i>(items: &'i mut [Item], name: &Ident) -> Result<&'i mut Item> {
    let mut found = items.iter_mut().filter(|item| item.name.eq_ignore_ascii_case(&name.value));
    match (found.next(), found.next()) {
        (Some(item), None) => Ok(item),
        (None, _) => Err(unknown(name)),
        (Some(_), Some(_)) => {
            Err(SqlError::AmbiguousColumn { name: name.value.clone(), place: TextRange::of(name.span) })
        }
    }
}
