//! Table-valued functions.
//!
//! In FROM they stand for tables whose columns SQLite documents: <https://sqlite.org/json1.html#jeach>,
//! <https://sqlite.org/series.html>. Others are refused, since nothing is known of their columns. What other
//! dialects call `unnest` is `json_each` over the array, which the sandbox keeps as JSON.

use sqlparser::ast::{self, Spanned};

use super::foreign_type::ForeignType;
use super::paths::elements_of;
use super::shapes::Shape;
use super::sight::{ScopeColumn, ScopeTable};
use super::source::TableCall;
use super::{Planner, Result, only_ident, unsupported};
use crate::dialects::Dialect;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, ColumnInfo, Rel};
use crate::schema::TypeClass;

/// What `UNNEST(array) WITH ORDINALITY` is called by those who write it as a call.
pub(crate) const NUMBERED: &str = "unnest with ordinality";

impl<'a> Planner<'a> {
    /// A call in FROM. Its arguments may read the tables before it, which the caller has put in scope.
    pub(super) fn plan_table_function(&mut self, call: TableCall<'a>) -> Result<(Rel, Vec<ScopeTable>)> {
        let TableCall { name, args: _, alias } = call;
        let Some(function) = only_ident(name).map(|i| i.value.to_ascii_lowercase()) else {
            return unsupported(format!("table-valued function {name}"), name.span());
        };
        if let Some(planned) = self.plan_flatten(&function, call)? {
            return Ok(planned);
        }
        let columns: &[&str] = match function.as_str() {
            "jsonb_each"
            | "json_each"
            | "jsonb_each_text"
            | "json_each_text"
            | "jsonb_object_keys"
            | "json_object_keys"
            | "jsonb_array_elements"
            | "json_array_elements"
            | "jsonb_array_elements_text"
            | "json_array_elements_text"
                if self.dialect == Dialect::Postgres =>
            {
                return self.plan_members(&function, call);
            }
            "json_each" | "json_tree" | "jsonb_each" | "jsonb_tree" => {
                &["key", "value", "type", "atom", "id", "parent", "fullkey", "path"]
            }
            "unnest" | "jsonb_array_elements_text" | "json_array_elements_text" | "regexp_split_to_table"
                if self.dialect != Dialect::Sqlite =>
            {
                return self.plan_unnest(&function, call);
            }
            "string_to_table" | "regexp_matches" if self.dialect == Dialect::Postgres => {
                return self.plan_unnest(&function, call);
            }
            NUMBERED => return self.plan_numbered(call),
            "string_split" if self.dialect == Dialect::Tsql => return self.plan_string_split(call),
            "generate_series" => &["value"],
            "pragma_table_info" => &["cid", "name", "type", "notnull", "dflt_value", "pk"],
            _ => return unsupported(format!("table-valued function {function}"), name.span()),
        };
        let planned = self.plan_arguments(call)?;
        let (rel, table) = self.named_relation(&function, planned, columns)?;
        self.as_source(rel, table, alias)
    }

    fn plan_arguments(&mut self, call: TableCall<'a>) -> Result<Vec<Expr>> {
        let plan = |arg: &'a ast::FunctionArg| match arg {
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => self.plan_expr(expr),
            other => unsupported(format!("argument {other}"), call.name.span()),
        };
        call.args.iter().map(plan).collect()
    }

    /// A relation that is known by its name and its columns alone, of which any value may come.
    pub(super) fn named_relation(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        columns: &[&str],
    ) -> Result<(Rel, ScopeTable)> {
        let any_value = |column: &&str| ColumnInfo::computed(*column, TypeClass::Other, true);
        let ids: Vec<ColumnId> =
            columns.iter().map(|c| self.new_column(any_value(c))).collect::<Result<_>>()?;
        let names = columns.iter().map(|c| (*c).to_owned());
        let table = ScopeTable::derived(name, names, ids.iter().copied());
        Ok((Rel::TableFunction { name: name.to_owned(), args, columns: ids }, table))
    }

    /// `unnest(array)` and its relatives: the elements, in a column that is called as the
    /// table is.
    fn plan_unnest(&mut self, function: &str, call: TableCall<'a>) -> Result<(Rel, Vec<ScopeTable>)> {
        let mut planned = self.plan_arguments(call)?;
        let element = self.shape_of_elements(&planned);
        let elements = match (function, planned.as_slice()) {
            ("unnest", [_, _, ..]) if self.dialect == Dialect::Postgres => {
                return self.plan_abreast(planned, call);
            }
            ("regexp_split_to_table", [_, _]) => "pg_regexp_split",
            ("string_to_table", [_, _]) => "pg_string_to_array",
            ("regexp_matches", [_, pattern, flags @ ..])
                if pattern.as_text().is_some_and(super::differing::matches_alike)
                    && flags.len() <= 1
                    && flags
                        .iter()
                        .all(|f| f.as_text().is_some_and(|f| f.chars().all(|c| "gi".contains(c)))) =>
            {
                planned.resize(3, Expr::text(""));
                "pg_regexp_matches"
            }
            ("unnest" | "jsonb_array_elements_text" | "json_array_elements_text", [_]) => "pg_array_of",
            _ => return unsupported(format!("{function} with these arguments"), call.name.span()),
        };
        let written = |e: &Expr| {
            e.as_function().is_some_and(|(name, _)| matches!(name.as_str(), "pg_array" | "json_array"))
        };
        let args = match planned.as_slice() {
            [array] if written(array) => planned,
            _ => vec![Expr::function(elements, planned)],
        };
        let (rel, mut table) = self.named_relation("json_each", args, &["value"])?;
        if let Some(value) = table.ids().next() {
            self.note_shape(value, element);
        }
        let rel = match rel {
            Rel::TableFunction { name: _, args, columns } => elements_of(args, columns),
            other => other,
        };
        self.as_only_column(function, None, &mut table, call);
        if function == "regexp_matches" {
            self.kinds.extend(table.ids().map(|id| (id, ForeignType::Array)));
        }
        self.as_source(rel, table, call.alias)
    }

    /// Names the only column of a function: as the table is called. PostgreSQL's that say a name of their own are found by both.
    fn as_only_column(&self, function: &str, own: Option<&str>, table: &mut ScopeTable, call: TableCall<'a>) {
        table.name = function.to_owned();
        let called = call.alias.map_or_else(|| function.to_owned(), |a| self.stored(&a.name));
        let own = own.filter(|own| called != *own);
        let Some(column) = table.columns.first_mut() else { return };
        own.unwrap_or(&called).clone_into(&mut column.name);
        let (id, part) = (column.id, column.part.clone());
        if own.is_some() && call.alias.is_some_and(|a| a.columns.is_empty()) {
            table.columns.push(ScopeColumn { part, unlisted: true, ..ScopeColumn::new(called, id) });
        }
    }

    /// `UNNEST(a, b)`: the elements side by side, NULLs where an array has no more (PostgreSQL: functions-array).
    fn plan_abreast(&mut self, arrays: Vec<Expr>, call: TableCall<'a>) -> Result<(Rel, Vec<ScopeTable>)> {
        let count = arrays.len();
        let rows = vec![Expr::function("pg_array_zip", arrays)];
        let (rel, mut table) = self.named_relation("json_each", rows, &["value"])?;
        let element = |(at, row): (usize, ColumnId)| {
            let path = Expr::text(format!("$[{at}]"));
            let part = Some(Expr::function("json_extract", vec![Expr::Column(row), path]));
            ScopeColumn { part, ..ScopeColumn::new("unnest".to_owned(), row) }
        };
        table.columns = (0..count).zip(table.ids().cycle()).map(element).collect();
        self.as_source(rel, table, call.alias)
    }

    /// PostgreSQL's functions that give the members or the elements of a document (functions-json).
    fn plan_members(&mut self, function: &str, call: TableCall<'a>) -> Result<(Rel, Vec<ScopeTable>)> {
        let planned = self.plan_arguments(call)?;
        let document = match planned.as_slice() {
            [document] if !document.has_subquery() => document.clone(),
            _ => return unsupported(format!("{function} with these arguments"), call.name.span()),
        };
        let (rel, mut table) = self.named_relation("json_each", planned, &["key"])?;
        let Some(key) = table.columns.first().map(|c| c.id) else {
            return self.as_source(rel, table, call.alias);
        };
        let reader = if function.ends_with("_text") { "pg_json_text" } else { "pg_json_get" };
        let value = Expr::function(reader, vec![document, Expr::Column(key)]);
        let part = ScopeColumn { part: Some(value), ..ScopeColumn::new("value".to_owned(), key) };
        table.name = function.to_owned();
        if function.contains("_elements") {
            table.columns = vec![part];
            self.as_only_column(function, Some("value"), &mut table, call);
        } else if function.ends_with("_keys") {
            self.as_only_column(function, None, &mut table, call);
        } else {
            table.columns.push(part);
        }
        self.as_source(rel, table, call.alias)
    }

    /// What is known of the elements of an array where these are arrays or documents themselves.
    fn shape_of_elements(&self, planned: &[Expr]) -> Option<Shape> {
        match self.shape(planned.first()?) {
            Some(Shape::Array(element)) if self.dialect.functions_of_its_own() => {
                (*element).is_document().then(|| (*element).clone())
            }
            _ => None,
        }
    }

    /// `UNNEST(array) WITH ORDINALITY`: the elements, and their places from 1.
    fn plan_numbered(&mut self, call: TableCall<'a>) -> Result<(Rel, Vec<ScopeTable>)> {
        let planned = self.plan_arguments(call)?;
        let element = self.shape_of_elements(&planned);
        let array = match self.dialect {
            Dialect::Postgres => vec![Expr::function("pg_array_of", planned)],
            _ => planned,
        };
        let (rel, mut table) = self.named_relation("json_each", array, &["key", "value"])?;
        table.columns.rotate_left(1);
        if let Some(value) = table.ids().next() {
            self.note_shape(value, element);
        }
        for (column, name) in table.columns.iter_mut().zip(["unnest", "ordinality"]) {
            name.clone_into(&mut column.name);
        }
        if let Some(place) = table.columns.last_mut() {
            place.part = Some(Expr::binary(BinaryOp::Add, Expr::Column(place.id), Expr::integer(1)));
        }
        table.name = "unnest".to_owned();
        self.as_source(rel, table, call.alias)
    }

    /// SQL Server's `STRING_SPLIT(text, separator)`: the parts in a column `value`, one empty part of an empty text
    /// (<https://learn.microsoft.com/sql/t-sql/functions/string-split-transact-sql>).
    fn plan_string_split(&mut self, call: TableCall<'a>) -> Result<(Rel, Vec<ScopeTable>)> {
        let planned = self.plan_arguments(call)?;
        let [text, _] = planned.as_slice() else {
            return unsupported("STRING_SPLIT with these arguments", call.name.span());
        };
        let text = text.clone();
        let parts = Expr::function("pg_string_to_array", planned);
        let array = match text.as_text() {
            Some(text) if !text.is_empty() => parts,
            _ => {
                let empty = Expr::binary(BinaryOp::Eq, text, Expr::text(""));
                Expr::case(vec![(empty, Expr::text("[\"\"]"))], Some(parts))
            }
        };
        let (rel, mut table) = self.named_relation("json_each", vec![array], &["value"])?;
        table.name = "string_split".to_owned();
        self.as_source(rel, table, call.alias)
    }
}
