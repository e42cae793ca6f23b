//! Rows from arrays and documents as Snowflake and Spark write them in FROM.
//!
//! | written | planned |
//! |---|---|
//! | `LATERAL FLATTEN(input => t.doc, path => 'a') f` | `json_each(t.doc, '$.a') AS f`: `f.value`, `f.key` of objects, `f.index` of arrays |
//! | `LATERAL SPLIT_TO_TABLE(t.line, ',') s` | `json_each(sql_split(t.line, ',')) AS s`: `s.value`, `s.index` from 1 |
//! | `TABLE(GENERATOR(ROWCOUNT => 3))` | `json_each(sql_range(0, 3))`, whose value is SEQ4() |
//! | `LATERAL VIEW posexplode(t.list) v AS p, x` | `json_each(t.list) AS v(p, x)` |
//!
//! <https://docs.snowflake.com/en/sql-reference/functions/flatten>,
//! <https://docs.snowflake.com/en/sql-reference/functions/split_to_table>,
//! <https://docs.snowflake.com/en/sql-reference/functions/generator>,
//! <https://docs.databricks.com/en/sql/language-manual/functions/posexplode.html>. SEQ and PATH of FLATTEN are not known here, nor
//! what is inside of elements (RECURSIVE). SEQ4() is taken to have no gaps.

use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, Spanned};

use super::paths::Step;
use super::shapes::Shape;
use super::sight::{ScopeColumn, ScopeTable};
use super::source::TableCall;
use super::{Planner, Result, unsupported};
use crate::dialects::Dialect;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, ColumnInfo, Rel};
use crate::schema::TypeClass;

/// The table that a planned function brings into sight.
type Source = (Rel, Vec<ScopeTable>);

/// The arguments of a call by name; those without one are called by their place.
fn named<'e>(args: &'e [FunctionArg], places: &[&str]) -> Option<Vec<(String, &'e ast::Expr)>> {
    let read = |(at, arg): (usize, &'e FunctionArg)| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(((*places.get(at)?).to_owned(), expr)),
        FunctionArg::Named { name, arg: FunctionArgExpr::Expr(expr), operator: _ } => {
            Some((name.value.to_ascii_lowercase(), expr))
        }
        FunctionArg::ExprNamed {
            name: ast::Expr::Identifier(name),
            arg: FunctionArgExpr::Expr(expr),
            operator: _,
        } => Some((name.value.to_ascii_lowercase(), expr)),
        _ => None,
    };
    args.iter().enumerate().map(read).collect()
}

fn is_true(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Value(v) if v.value == ast::Value::Boolean(true))
}

/// Whether a function in FROM gives a row of NULLs where it finds none.
pub(super) fn fills_up(call: TableCall<'_>) -> bool {
    match super::last_ident(call.name).map(|n| n.value.to_ascii_lowercase()).as_deref() {
        Some("explode_outer" | "posexplode_outer") => true,
        Some("flatten") => named(call.args, &["input"])
            .is_some_and(|args| args.iter().any(|(name, value)| name == "outer" && is_true(value))),
        _ => false,
    }
}

impl<'a> Planner<'a> {
    /// Such a function in FROM; `None` for another one.
    pub(super) fn plan_flatten(&mut self, function: &str, call: TableCall<'a>) -> Result<Option<Source>> {
        Ok(Some(match (self.dialect, function) {
            (Dialect::Snowflake, "flatten") => self.plan_flattened(call)?,
            (Dialect::Snowflake, "split_to_table") => self.plan_split(call)?,
            (Dialect::Snowflake, "generator") => self.plan_generator(call)?,
            (Dialect::Databricks, "explode" | "explode_outer" | "posexplode" | "posexplode_outer") => {
                self.plan_explode(function.starts_with("pos"), call)?
            }
            _ => return Ok(None),
        }))
    }

    /// `json_each` over a document or a part of it, with its keys and values.
    fn each(&mut self, document: Expr) -> Result<(Rel, ColumnId, ColumnId)> {
        let shape = self.shape(&document);
        let args = match document {
            Expr::Function { name, args } if name == "json_extract" && args.len() == 2 => args,
            other => vec![other],
        };
        let key = self.new_column(ColumnInfo::computed("key", TypeClass::Other, true))?;
        let value = self.new_column(ColumnInfo::computed("value", TypeClass::Other, true))?;
        match shape {
            Some(Shape::Array(element)) => self.note_shape(value, Some((*element).clone())),
            Some(Shape::Any) => self.note_shape(value, Some(Shape::Any)),
            _ => {}
        }
        Ok((Rel::TableFunction { name: "json_each".to_owned(), args, columns: vec![key, value] }, key, value))
    }

    fn plan_flattened(&mut self, call: TableCall<'a>) -> Result<Source> {
        let Some(args) = named(call.args, &["input"]) else {
            return unsupported("FLATTEN with these arguments", call.name.span());
        };
        let (mut input, mut steps) = (None, Vec::new());
        for (name, value) in args {
            match name.as_str() {
                "input" => input = Some(self.plan_expr(value)?),
                "path" => match self.plan_expr(value)?.as_text() {
                    Some(path) if path.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)) => {
                        let fields = path.split('.').filter(|f| !f.is_empty());
                        steps.extend(fields.map(|f| Step::Field(f.to_owned())));
                    }
                    _ => return unsupported("FLATTEN with this path", value.span()),
                },
                "outer" => {}
                "recursive" if !is_true(value) => {}
                "mode" if self.plan_expr(value)?.as_text() == Some("BOTH") => {}
                _ => return unsupported(format!("FLATTEN with {name}"), value.span()),
            }
        }
        let Some(document) = input.and_then(|input| self.part(input, &steps)) else {
            return unsupported("FLATTEN without an input", call.name.span());
        };
        let this = document.clone();
        let (rel, key, value) = self.each(document)?;
        // A key of an object is a text, the place in an array a number.
        let of_kind = |kind: &str| {
            let is = Expr::function("typeof", vec![Expr::Column(key)]).eq(Expr::text(kind));
            Expr::case(vec![(is, Expr::Column(key))], None)
        };
        let part = |name: &str, part: Expr| ScopeColumn {
            part: Some(part),
            unlisted: true,
            ..ScopeColumn::new(name.to_owned(), key)
        };
        let columns = vec![
            part("key", of_kind("text")),
            part("index", of_kind("integer")),
            ScopeColumn { unlisted: true, ..ScopeColumn::new("value".to_owned(), value) },
            part("this", this),
        ];
        let table = ScopeTable { columns, ..ScopeTable::derived("flatten", [], []) };
        self.as_source(rel, table, call.alias)
    }

    fn plan_split(&mut self, call: TableCall<'a>) -> Result<Source> {
        let planned = match named(call.args, &["text", "by"]) {
            Some(args) if args.len() == 2 => self.plan_exprs(args.into_iter().map(|(_, e)| e))?,
            _ => return unsupported("SPLIT_TO_TABLE with these arguments", call.name.span()),
        };
        let (rel, key, value) = self.each(Expr::function("sql_split", planned))?;
        let from_one = Expr::binary(BinaryOp::Add, Expr::Column(key), Expr::integer(1));
        let columns = vec![
            ScopeColumn { part: Some(from_one), unlisted: true, ..ScopeColumn::new("index".to_owned(), key) },
            ScopeColumn { unlisted: true, ..ScopeColumn::new("value".to_owned(), value) },
        ];
        let table = ScopeTable { columns, ..ScopeTable::derived("split_to_table", [], []) };
        self.as_source(rel, table, call.alias)
    }

    fn plan_generator(&mut self, call: TableCall<'a>) -> Result<Source> {
        let rows = match named(call.args, &["rowcount"]).as_deref() {
            Some([(name, rows)]) if name == "rowcount" => self.plan_expr(rows)?.as_integer(),
            _ => None,
        };
        let Some(rows) = rows else {
            return unsupported("GENERATOR without a number of rows", call.name.span());
        };
        let numbers = Expr::function("sql_range", vec![Expr::integer(0), Expr::integer(rows)]);
        let (rel, mut table) = self.named_relation("json_each", vec![numbers], &["value"])?;
        for column in &mut table.columns {
            column.unlisted = true;
            SEQUENCE.clone_into(&mut column.name);
        }
        self.as_source(rel, table, call.alias)
    }

    /// SEQ1(), SEQ2(), SEQ4() and SEQ8() beside a GENERATOR: the number of its row, from 0.
    pub(crate) fn number_of_row(&self) -> Option<Expr> {
        let tables = &self.scopes.last()?.tables;
        let mut found = tables.iter().flat_map(|t| &t.columns).filter(|c| c.name == SEQUENCE);
        found.next().map(|c| Expr::Column(c.id)).filter(|_| found.next().is_none())
    }

    /// `explode(array) AS x`, `explode(map) AS k, v`, `posexplode(array) AS p, x`.
    fn plan_explode(&mut self, places: bool, call: TableCall<'a>) -> Result<Source> {
        let array = match named(call.args, &["array"]).as_deref() {
            Some([(_, array)]) => self.plan_expr(array)?,
            _ => return unsupported("EXPLODE with these arguments", call.name.span()),
        };
        let names = call.alias.map_or(0, |a| a.columns.len());
        let (rel, key, value) = self.each(array)?;
        let columns = match (places, names) {
            (true, 0 | 2) => vec![("pos", key), ("col", value)],
            (false, 2) => vec![("key", key), ("value", value)],
            (false, 0 | 1) => vec![("col", value)],
            _ => return unsupported("EXPLODE with these columns", call.name.span()),
        };
        let columns = columns.into_iter().map(|(name, id)| ScopeColumn::new(name.to_owned(), id)).collect();
        let table = ScopeTable { columns, ..ScopeTable::derived("explode", [], []) };
        self.as_source(rel, table, call.alias)
    }

    /// `doc:a.b[0]`, `doc['a']`: Snowflake and Databricks.
    pub(super) fn plan_json_access(
        &mut self,
        whole: &'a ast::Expr,
        value: &'a ast::Expr,
        path: &'a ast::JsonPath,
    ) -> Result<Expr> {
        let mut value = self.plan_expr(value)?;
        let ast::JsonPath { path } = path;
        for element in path {
            let step = match element {
                ast::JsonPathElem::Dot { key, quoted: _ } => Step::Field(key.clone()),
                ast::JsonPathElem::Bracket { key } | ast::JsonPathElem::ColonBracket { key } => {
                    let place = self.plan_expr(key)?;
                    let at = place.as_integer().and_then(|n| usize::try_from(n).ok());
                    match (place.as_text(), at) {
                        (Some(name), _) => Step::Field(name.to_owned()),
                        (None, Some(at)) => Step::Element(at),
                        (None, None) => {
                            value = Expr::function(format!("{}_element_0", self.dialect), vec![value, place]);
                            continue;
                        }
                    }
                }
            };
            value = match self.part(value, &[step]) {
                Some(part) => part,
                None => return unsupported(format!("expression {whole}"), whole.span()),
            };
        }
        Ok(value)
    }

    /// `GET(doc, 'field')`, `GET(array, 0)`, `GET_PATH(doc, 'a.b')`.
    pub(crate) fn part_named(&self, document: &Expr, place: &Expr, is_path: bool) -> Option<Expr> {
        let steps: Vec<Step> = match (place.as_text(), place.as_integer()) {
            (Some(path), _) if is_path => {
                let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
                plain.then(|| path.split('.').map(|f| Step::Field(f.to_owned())).collect())?
            }
            (Some(name), _) => vec![Step::Field(name.to_owned())],
            (None, Some(at)) => vec![Step::Element(usize::try_from(at).ok()?)],
            (None, None) => return None,
        };
        self.part(document.clone(), &steps)
    }
}

/// What a GENERATOR's column is called, which no query can name.
const SEQUENCE: &str = "seq()";
