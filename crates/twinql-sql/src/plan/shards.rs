//! BigQuery's tables with a star, `events_*`, and those that such a table stands for, `events_20240101`
//! (<https://cloud.google.com/bigquery/docs/querying-wildcard-tables>).
//!
//! | read | planned |
//! |---|---|
//! | `events_*` | the table, with its `_TABLE_SUFFIX` |
//! | `events_2024*` | its rows whose suffix begins with 2024, and the rest of that as the suffix |
//! | `events_20240101` | its rows of that suffix |
//! | `e*` over several tables | UNION ALL of them by the last one's columns, and the suffix as a column |

use sqlparser::ast::{self, Ident, Spanned};

use super::planner::Planned;
use super::sight::ScopeTable;
use super::{Planner, Result, unsupported};
use crate::expr::{BinaryOp, Expr};
use crate::rel::{Query, Rel, SetOpKind};
use crate::schema::{NamePart, Part, Rows, SUFFIX, Suffix};

impl<'a> Planner<'a> {
    /// The table that a name with a star, or the name of one of its tables, means; `None` for any other name.
    pub(super) fn plan_wildcard_table(
        &mut self,
        name: &'a ast::ObjectName,
    ) -> Result<Option<(Rel, ScopeTable)>> {
        let parts: Option<Vec<&Ident>> = name.0.iter().map(ast::ObjectNamePart::as_ident).collect();
        let Some(parts) = parts.filter(|_| self.dialect.names().wildcards) else {
            return Ok(None);
        };
        let has_star = parts.last().is_some_and(|last| last.value.ends_with('*'));
        let written: Vec<NamePart> = parts
            .iter()
            .map(|p| NamePart { text: p.value.clone(), quoted: p.quote_style.is_some() })
            .collect();
        let mut found = self.schema.parts_of_wildcard(&written);
        let Some(last) = found.pop() else {
            return Ok(None);
        };
        if !has_star && !found.is_empty() {
            return unsupported(format!("{name}, which several tables hold"), name.span());
        }
        let own = parts.last().map_or_else(String::new, |p| p.value.clone());
        let (rel, mut table) = self.plan_part(last, has_star)?;
        if found.is_empty() {
            table.name = own;
            return Ok(Some((rel, table)));
        }
        let columns = |rel: Rel, table: &ScopeTable| Planned {
            query: Query { rel, output: table.ids().collect() },
            names: table.columns.iter().map(|c| c.name.clone()).collect(),
        };
        let mut all = columns(rel, &table);
        for part in found.into_iter().rev() {
            let (rel, other) = self.plan_part(part, true)?;
            // A column that a table lacks is NULL there.
            let mut ids = Vec::with_capacity(all.names.len());
            let mut exprs = Vec::with_capacity(all.names.len());
            for name in &all.names {
                let known = other.columns.iter().find(|c| c.name.eq_ignore_ascii_case(name));
                let id = match known {
                    Some(column) => column.id,
                    None => self.new_column_of(name, &Expr::NULL)?,
                };
                ids.push(id);
                exprs.push((id, known.map_or(Expr::NULL, |c| Expr::Column(c.id))));
            }
            let right = Planned {
                query: Query { rel: Rel::project(rel, exprs), output: ids },
                names: all.names.clone(),
            };
            all = self.union_of(all, right)?;
        }
        let mut table = ScopeTable::derived(own, all.names, all.query.output);
        for column in &mut table.columns {
            column.unlisted = column.name == SUFFIX;
        }
        Ok(Some((all.query.rel, table)))
    }

    fn union_of(&mut self, left: Planned, right: Planned) -> Result<Planned> {
        let nowhere =
            ast::SetExpr::Values(ast::Values { explicit_row: false, value_keyword: false, rows: Vec::new() });
        self.set_operation(SetOpKind::Union, true, left, right, &nowhere)
    }

    /// One table of those that a star stands for.
    fn plan_part(&mut self, part: Part, has_star: bool) -> Result<(Rel, ScopeTable)> {
        let (rel, mut table) = self.plan_scan(part.table)?;
        table.table = None;
        let stored = table.columns.pop_if(|c| c.name == SUFFIX).map(|c| Expr::Column(c.id));
        let rel = match (&stored, part.rows) {
            (Some(suffix), Rows::Of(digits)) => Rel::filter(rel, vec![suffix.clone().eq(Expr::text(digits))]),
            (Some(suffix), Rows::Beginning(digits)) => {
                let pattern = Expr::text(format!("{digits}*"));
                Rel::filter(rel, vec![Expr::binary(BinaryOp::Glob, suffix.clone(), pattern)])
            }
            _ => rel,
        };
        if !has_star {
            return Ok((rel, table));
        }
        let suffix = match (part.suffix, stored) {
            (Suffix::Behind(0), Some(stored)) => stored,
            (Suffix::Behind(digits), Some(stored)) => {
                let start = i64::try_from(digits).unwrap_or(i64::MAX).saturating_add(1);
                Expr::function("substr", vec![stored, Expr::integer(start)])
            }
            (Suffix::After(before), Some(stored)) => {
                Expr::binary(BinaryOp::Concat, Expr::text(before), stored)
            }
            (Suffix::Is(text), _) => Expr::text(text),
            (Suffix::Behind(_) | Suffix::After(_), None) => Expr::NULL,
        };
        let (rel, id) = match suffix {
            Expr::Column(id) => (rel, id),
            computed => {
                let id = self.new_column_of(SUFFIX, &computed)?;
                let mut exprs: Vec<_> = table.ids().map(|id| (id, Expr::Column(id))).collect();
                exprs.push((id, computed));
                (Rel::project(rel, exprs), id)
            }
        };
        table.columns.push(super::sight::ScopeColumn {
            unlisted: true,
            ..super::sight::ScopeColumn::new(SUFFIX.to_owned(), id)
        });
        Ok((rel, table))
    }
}
