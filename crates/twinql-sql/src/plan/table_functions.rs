//! Table-valued functions.
//!
//! In FROM they stand for tables whose columns SQLite documents: <https://sqlite.org/json1.html#jeach>,
//! <https://sqlite.org/series.html>. Others are refused, since nothing is known of their columns. What other
//! dialects call `unnest` is `json_each` over the array, which the sandbox keeps as JSON.

use sqlparser::ast::{self, Spanned};

use super::paths::elements_of;
use super::shapes::Shape;
use super::sight::ScopeTable;
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
            "json_each" | "json_tree" | "jsonb_each" | "jsonb_tree" => {
                &["key", "value", "type", "atom", "id", "parent", "fullkey", "path"]
            }
            "unnest" | "jsonb_array_elements_text" | "json_array_elements_text" | "regexp_split_to_table"
                if self.dialect != Dialect::Sqlite =>
            {
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
        let planned = self.plan_arguments(call)?;
        let element = self.shape_of_elements(&planned);
        let elements = match (function, planned.as_slice()) {
            ("regexp_split_to_table", [_, _]) => "pg_string_to_array",
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
        table.name = function.to_owned();
        let called = call.alias.map_or_else(|| function.to_owned(), |a| self.stored(&a.name));
        if let Some(column) = table.columns.first_mut() {
            column.name = called;
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
