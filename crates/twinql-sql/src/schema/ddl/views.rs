//! CREATE VIEW and CREATE TABLE … AS.

use super::model::{ColumnDraft, Draft, ViewDraft};
use super::words::{Run as _, names, qualified, shown};
use super::{NoteKind, Reader};
use crate::dialects::Dialect;
use crate::rel::ColumnInfo;
use crate::schema::error::{SchemaError, SchemaErrorKind as E};
use crate::schema::scan::{Token, scan};
use crate::schema::{Affinity, Column, Schema, TypeClass, View};

impl Reader<'_> {
    /// CREATE VIEW, from behind the word VIEW.
    pub(super) fn create_view(&mut self, tokens: &[Token], start: usize) {
        let line = tokens.line();
        let mut at = start;
        if tokens.is(at, &["IF"]) {
            at += 3;
        }
        let Some((name, mut at)) = qualified(tokens, at) else {
            self.not_read(line, shown(tokens), "it has no name");
            return;
        };
        let mut columns = Vec::new();
        if tokens.opens(at) {
            let (inner, after) = tokens.group(at);
            (columns, at) = (names(inner), after);
        }
        // WITH (security_barrier), USING method, TABLESPACE name.
        let Some(body) = (at..tokens.len()).find(|&i| tokens[i].is("AS")) else {
            self.not_read(line, shown(tokens), "AS and a query are missing");
            return;
        };
        let query = without_options(tokens.rest(body + 1));
        if query.is_empty() {
            self.not_read(line, shown(tokens), "its query is missing");
            return;
        }
        let text = self.source(query).to_owned();
        // It would take whatever is printed behind it.
        if !scan(&text, self.dialect).unclosed.is_empty() {
            self.not_read(line, shown(tokens), "a quote in its query is never closed");
            return;
        }
        if self.model.position(&name).is_some() {
            self.not_read(line, shown(tokens), format!("there is a table {name:?} already"));
            return;
        }
        // OR REPLACE, and the stand-ins that MySQL's dumps create first: the last one counts.
        self.model.views.retain(|v| !v.name.eq_ignore_ascii_case(&name));
        self.model.views.push(ViewDraft { name, columns, query: text, line });
    }

    /// CREATE TABLE name [(columns)] AS query: the columns are those of the query.
    pub(super) fn table_of_query(
        &mut self,
        name: String,
        line: usize,
        named: Vec<String>,
        query: &[Token],
    ) -> Result<(), SchemaError> {
        let text = self.source(without_options(query));
        let mut so_far = self.tables(false);
        self.views(&mut so_far);
        let planned = crate::parse::parse_in(text, self.dialect)
            .and_then(|parsed| crate::plan::plan_with_names(&so_far, &parsed));
        let (plan, names) =
            planned.map_err(|e| self.syntax(line, format!("the query of table {name:?}: {e}")))?;
        let mut table = Draft { name, line, ..Draft::default() };
        for (i, (id, own)) in plan.query.output.iter().zip(names).enumerate() {
            let Some(info) = id.info(&plan.columns) else {
                continue;
            };
            let mut name = named.get(i).cloned().unwrap_or(own);
            let mut number = 1;
            while table.has_column(&name) {
                name = format!("{name}:{number}");
                number += 1;
            }
            table.columns.push(ColumnDraft {
                column: Column::new(name, declared(info, &so_far), self.dialect),
                generated: None,
                of_type: None,
            });
        }
        if table.columns.is_empty() {
            return Err(self.at(line, E::NoColumns(table.name)));
        }
        self.model.add(table);
        Ok(())
    }

    /// Adds the views to a schema with all its tables: their queries as SQLite has them. A
    /// view may read one that is defined behind it.
    pub(super) fn views(&mut self, schema: &mut Schema) {
        let mut left = self.model.views.clone();
        if self.dialect == Dialect::Sqlite {
            schema.views =
                left.into_iter().map(|v| View { name: v.name, columns: v.columns, query: v.query }).collect();
            return;
        }
        loop {
            let before = left.len();
            left.retain(|draft| match translated(draft, schema, self.dialect) {
                Ok(view) => {
                    schema.views.push(view);
                    false
                }
                Err(_) => true,
            });
            if left.len() == before {
                break;
            }
        }
    }

    /// Notes the views that cannot be planned over the finished schema.
    pub(super) fn check_views(&mut self, schema: &Schema) {
        for draft in self.model.views.clone() {
            let what = format!("CREATE VIEW {}", draft.name);
            if self.dialect == Dialect::Sqlite {
                let sql = format!("SELECT * FROM {}", crate::schema::quote(&draft.name));
                let planned = crate::parse::parse(&sql).and_then(|parsed| crate::plan(schema, &parsed));
                if let Err(error) = planned {
                    let reason = format!("queries over it are executed but not scored: {error}");
                    self.note(NoteKind::NotRead, draft.line, what, reason);
                }
            } else if schema.view(&draft.name).is_none()
                && let Err(error) = translated(&draft, schema, self.dialect)
            {
                self.not_read(draft.line, what, error);
            }
        }
    }
}

/// A view of another dialect, its query as SQLite has it.
fn translated(draft: &ViewDraft, schema: &Schema, dialect: Dialect) -> Result<View, String> {
    let parsed = crate::parse::parse_in(&draft.query, dialect).map_err(|e| e.to_string())?;
    let (plan, names) = crate::plan::plan_with_names(schema, &parsed).map_err(|e| e.to_string())?;
    if !draft.columns.is_empty() && draft.columns.len() != names.len() {
        return Err(format!("{} names for {} columns", draft.columns.len(), names.len()));
    }
    Ok(View {
        name: draft.name.clone(),
        columns: if draft.columns.is_empty() { names } else { draft.columns.clone() },
        query: crate::print::to_sql(schema, &plan).map_err(|e| e.to_string())?,
    })
}

/// The type of a column that a query computes: that of the column behind it.
fn declared(info: &ColumnInfo, schema: &Schema) -> String {
    if let Some(column) = info.origin.and_then(|r| schema.column(r)) {
        return column.declared.clone();
    }
    match (info.class, info.affinity) {
        (TypeClass::Integer, _) => "INTEGER",
        (TypeClass::Number, _) => "REAL",
        (TypeClass::Text, _) => "TEXT",
        (TypeClass::Boolean, _) => "BOOLEAN",
        (TypeClass::Time | TypeClass::Other, Some(affinity)) if affinity != Affinity::Blob => {
            affinity.type_name()
        }
        (TypeClass::Time | TypeClass::Other, _) => "",
    }
    .to_owned()
}

/// A query's tokens without WITH [NO] DATA, WITH CHECK OPTION and WITH READ ONLY behind it.
fn without_options(query: &[Token]) -> &[Token] {
    let end = query.iter().rposition(|t| t.is("WITH")).filter(|&i| {
        query.is(i + 1, &["NO", "DATA", "CHECK", "CASCADED", "LOCAL", "READ"]) && query.len() - i <= 4
    });
    query.get(..end.unwrap_or(query.len())).unwrap_or_default()
}
