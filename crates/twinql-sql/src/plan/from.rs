//! FROM: tables, subqueries and joins.

use sqlparser::ast::{self, Ident, JoinConstraint, JoinOperator, Spanned, TableFactor, TableWithJoins};

use super::expr::{binary, conjuncts};
use super::scope::{RowId, Scope, ScopeColumn, ScopeTable, find_column};
use super::walk::columns_of;
use super::{Planner, Result, invalid, last_ident, place, unsupported};
use crate::dialect::Dialect;
use crate::error::SqlError;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, ColumnInfo, JoinKind, Rel};
use crate::schema::{Affinity, ColumnRef, TypeClass, same_name};

/// How an input joins those before it.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Inner,
    Left,
    Right,
    Full,
}

/// An input of a list of joins.
struct Input<'a> {
    rel: Rel,
    side: Side,
    constraint: Option<&'a JoinConstraint>,
    /// Its tables, as positions in the scope.
    tables: std::ops::Range<usize>,
    on: Vec<Expr>,
}

impl<'a> Planner<'a> {
    /// Plans FROM. The scope is left on the stack with its tables; the conjuncts that come
    /// back belong above all joins: an inner join's ON may name tables to its right (SQLite).
    pub(crate) fn plan_from(
        &mut self,
        from: &'a [TableWithJoins],
        mut scope: Scope<'a>,
    ) -> Result<(Rel, Vec<Expr>)> {
        let mut inputs = Vec::new();
        for list in from {
            let first = std::iter::once((&list.relation, None));
            let rest = list.joins.iter().map(|j| (&j.relation, Some(&j.join_operator)));
            for (factor, operator) in first.chain(rest) {
                let (side, constraint) = read_operator(operator, factor)?;
                let (rel, tables) = match factor {
                    // A table-valued function's arguments see the tables before it.
                    TableFactor::Table { args: Some(_), .. } | TableFactor::Function { .. } => {
                        self.scopes.push(scope);
                        let planned = self.nested(|p| p.plan_factor(factor))?;
                        scope = self.scopes.pop().unwrap_or_default();
                        planned
                    }
                    _ => self.nested(|p| p.plan_factor(factor))?,
                };
                let start = scope.tables.len();
                scope.tables.extend(tables);
                inputs.push(Input {
                    rel,
                    side,
                    constraint,
                    tables: start..scope.tables.len(),
                    on: Vec::new(),
                });
            }
        }
        for input in &mut inputs {
            input.on = merge_common(self.exact_names, &mut scope.tables, input)?;
        }
        self.scopes.push(scope);
        for input in &mut inputs {
            if let Some(JoinConstraint::On(on)) = input.constraint {
                let allow = self.set_allow(|allow| allow.aliases = true);
                let on = self.plan_expr(on)?;
                self.restore_allow(allow);
                input.on.extend(conjuncts(on));
            }
        }
        self.join(inputs)
    }

    fn join(&mut self, inputs: Vec<Input<'a>>) -> Result<(Rel, Vec<Expr>)> {
        let mut late = Vec::new();
        let mut rels: Vec<Rel> = Vec::new();
        let mut on: Vec<Expr> = Vec::new();
        for input in inputs {
            let after = self.columns_from(input.tables.end..usize::MAX);
            let (now, later): (Vec<Expr>, Vec<Expr>) = input
                .on
                .into_iter()
                .partition(|e| after.is_empty() || !columns_of(e).iter().any(|c| after.contains(c)));
            if input.side == Side::Inner {
                late.extend(later);
                rels.push(input.rel);
                on.extend(now);
                continue;
            }
            if !later.is_empty() {
                return unsupported(
                    "an outer join whose ON names a table to its right",
                    input
                        .constraint
                        .map_or_else(sqlparser::tokenizer::Span::empty, constraint_span),
                );
            }
            let left_ids = self.columns_from(0..input.tables.start);
            let right_ids = self.columns_from(input.tables);
            let left = inner_join(std::mem::take(&mut rels), std::mem::take(&mut on));
            let (kind, left, right) = match input.side {
                Side::Right => (JoinKind::Left, input.rel, left),
                Side::Full => (JoinKind::Full, left, input.rel),
                Side::Left | Side::Inner => (JoinKind::Left, left, input.rel),
            };
            if input.side != Side::Right {
                self.mark_nullable(right_ids);
            }
            if input.side != Side::Left {
                self.mark_nullable(left_ids);
            }
            rels.push(Rel::OuterJoin {
                kind,
                left: Box::new(left),
                right: Box::new(right),
                on: now,
            });
        }
        Ok((inner_join(rels, on), late))
    }

    /// The columns of some of the innermost scope's tables.
    fn columns_from(&self, tables: std::ops::Range<usize>) -> Vec<ColumnId> {
        let Some(scope) = self.scopes.last() else {
            return Vec::new();
        };
        let end = tables.end.min(scope.tables.len());
        scope
            .tables
            .get(tables.start.min(end)..end)
            .unwrap_or_default()
            .iter()
            .flat_map(|t| t.columns.iter().map(|c| c.id))
            .collect()
    }

    fn plan_factor(&mut self, factor: &'a TableFactor) -> Result<(Rel, Vec<ScopeTable>)> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                ..
            } => {
                let (rel, table) = self.plan_table(name)?;
                Ok((rel, vec![self.with_alias(table, alias.as_ref())?]))
            }
            TableFactor::Table {
                name,
                alias,
                args: Some(args),
                ..
            } => self.plan_table_function(name, &args.args, alias.as_ref()),
            TableFactor::Function {
                name, args, alias, ..
            } => self.plan_table_function(name, args, alias.as_ref()),
            TableFactor::Derived {
                lateral: false,
                subquery,
                alias,
                ..
            } => {
                let planned = self.plan_query(subquery)?;
                let columns = planned
                    .names
                    .into_iter()
                    .zip(planned.query.output)
                    .map(|(name, id)| ScopeColumn::new(name, id))
                    .collect();
                let table = ScopeTable {
                    name: String::new(),
                    columns,
                    rowid: RowId::None,
                    table: None,
                };
                Ok((planned.query.rel, vec![self.with_alias(table, alias.as_ref())?]))
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                let from = std::slice::from_ref(&**table_with_joins);
                let (rel, late) = self.plan_from(from, Scope::default())?;
                let tables = self.scopes.pop().map(|s| s.tables).unwrap_or_default();
                let rel = filter(rel, late);
                let Some(alias) = alias else {
                    return Ok((rel, tables));
                };
                let columns = tables
                    .into_iter()
                    .flat_map(|t| t.columns)
                    .filter(|c| !c.hidden)
                    .collect();
                let table = ScopeTable {
                    name: String::new(),
                    columns,
                    rowid: RowId::None,
                    table: None,
                };
                Ok((rel, vec![self.with_alias(table, Some(alias))?]))
            }
            other => unsupported("this kind of table in FROM", other.span()),
        }
    }

    /// A common table expression or a table of the schema.
    fn plan_table(&mut self, name: &'a ast::ObjectName) -> Result<(Rel, ScopeTable)> {
        let Some(ident) = last_ident(name) else {
            return unsupported(format!("table name {name}"), name.span());
        };
        if self.dialect == Dialect::Sqlite {
            super::scope::refuse_reserved(ident)?;
        }
        if name.0.len() == 1
            && let Some(found) = self.plan_cte_use(ident)?
        {
            return Ok(found);
        }
        let Some(index) = self.table_named(name)? else {
            if name.0.len() == 1 && is_catalogue(&ident.value) {
                return self.named_relation("sqlite_schema", Vec::new(), &CATALOGUE);
            }
            return Err(SqlError::UnknownTable {
                name: match name.0.len() {
                    1 => ident.value.clone(),
                    _ => name.to_string(),
                },
                place: place(ident.span),
            });
        };
        let (rel, scope) = self.plan_scan(index)?;
        for column in &scope.columns {
            self.note_column(column.id, ident.span);
        }
        Ok((rel, scope))
    }

    fn plan_scan(&mut self, index: usize) -> Result<(Rel, ScopeTable)> {
        let schema = self.schema;
        let Some(table) = schema.tables.get(index) else {
            return invalid("a table out of range", sqlparser::tokenizer::Span::empty());
        };
        let mut columns = Vec::with_capacity(table.columns.len());
        let mut scope = Vec::with_capacity(table.columns.len());
        let mut rowid = RowId::Opaque;
        for (position, column) in table.columns.iter().enumerate() {
            let id = self.new_column(ColumnInfo {
                name: column.name.clone(),
                origin: Some(ColumnRef {
                    table: index,
                    column: position,
                }),
                affinity: Some(column.affinity),
                class: column.class,
                nullable: !column.not_null,
            })?;
            if table.primary_key == [position] && column.affinity == Affinity::Integer {
                rowid = RowId::Column(id);
            }
            columns.push((id, position));
            scope.push(ScopeColumn::new(column.name.clone(), id));
        }
        let rel = Rel::Scan {
            table: index,
            columns,
        };
        let scope = ScopeTable {
            name: table.bare_name().to_owned(),
            columns: scope,
            rowid,
            table: Some(index),
        };
        Ok((rel, scope))
    }

    fn plan_table_function(
        &mut self,
        name: &'a ast::ObjectName,
        args: &'a [ast::FunctionArg],
        alias: Option<&'a ast::TableAlias>,
    ) -> Result<(Rel, Vec<ScopeTable>)> {
        let function = last_ident(name)
            .map(|i| i.value.to_ascii_lowercase())
            .unwrap_or_default();
        let columns: &[&str] = match function.as_str() {
            "json_each" | "json_tree" | "jsonb_each" | "jsonb_tree" => {
                &["key", "value", "type", "atom", "id", "parent", "fullkey", "path"]
            }
            "unnest" | "jsonb_array_elements_text" | "json_array_elements_text" | "regexp_split_to_table"
                if self.dialect != Dialect::Sqlite =>
            {
                return self.plan_unnest(&function, args, alias, name);
            }
            "generate_series" => &["value"],
            "pragma_table_info" => &["cid", "name", "type", "notnull", "dflt_value", "pk"],
            _ => return unsupported(format!("table-valued function {function}"), name.span()),
        };
        let mut planned = Vec::new();
        for arg in args {
            match arg {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => {
                    planned.push(self.plan_expr(expr)?);
                }
                other => return unsupported(format!("argument {other}"), name.span()),
            }
        }
        let (rel, table) = self.named_relation(&function, planned, columns)?;
        Ok((rel, vec![self.with_alias(table, alias)?]))
    }

    fn with_alias(&self, mut table: ScopeTable, alias: Option<&ast::TableAlias>) -> Result<ScopeTable> {
        let Some(alias) = alias else {
            return Ok(table);
        };
        table.name = self.stored(&alias.name);
        table.table = None;
        if !alias.columns.is_empty() {
            if alias.columns.len() != table.columns.len() {
                return invalid(
                    format!(
                        "table {} has {} columns, {} names given",
                        alias.name.value,
                        table.columns.len(),
                        alias.columns.len()
                    ),
                    alias.name.span,
                );
            }
            for (column, name) in table.columns.iter_mut().zip(&alias.columns) {
                column.name = self.stored(&name.name);
            }
        }
        Ok(table)
    }

    fn named_relation(&mut self, name: &str, args: Vec<Expr>, columns: &[&str]) -> Result<(Rel, ScopeTable)> {
        let mut ids = Vec::new();
        let mut scope = Vec::new();
        for column in columns {
            let id = self.new_column(ColumnInfo {
                name: (*column).to_owned(),
                origin: None,
                affinity: None,
                class: TypeClass::Other,
                nullable: true,
            })?;
            ids.push(id);
            scope.push(ScopeColumn::new((*column).to_owned(), id));
        }
        let rel = Rel::TableFunction {
            name: name.to_owned(),
            args,
            columns: ids,
        };
        let table = ScopeTable {
            name: name.to_owned(),
            columns: scope,
            rowid: RowId::None,
            table: None,
        };
        Ok((rel, table))
    }
}

/// The columns of SQLite's catalogue.
const CATALOGUE: [&str; 5] = ["type", "name", "tbl_name", "rootpage", "sql"];

fn is_catalogue(name: &str) -> bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master"]
        .iter()
        .any(|n| name.eq_ignore_ascii_case(n))
}

/// A relation under conjuncts, if there are any.
pub(crate) fn filter(rel: Rel, predicate: Vec<Expr>) -> Rel {
    if predicate.is_empty() {
        return rel;
    }
    Rel::Filter {
        input: Box::new(rel),
        predicate,
    }
}

fn inner_join(mut rels: Vec<Rel>, on: Vec<Expr>) -> Rel {
    match (rels.len(), rels.pop()) {
        (1, Some(only)) => filter(only, on),
        (_, Some(last)) => {
            rels.push(last);
            Rel::Join { inputs: rels, on }
        }
        (_, None) => Rel::Values {
            columns: Vec::new(),
            rows: vec![Vec::new()],
        },
    }
}

fn constraint_span(constraint: &JoinConstraint) -> sqlparser::tokenizer::Span {
    match constraint {
        JoinConstraint::On(expr) => expr.span(),
        _ => sqlparser::tokenizer::Span::empty(),
    }
}

fn read_operator<'a>(
    operator: Option<&'a JoinOperator>,
    factor: &TableFactor,
) -> Result<(Side, Option<&'a JoinConstraint>)> {
    use JoinOperator as J;
    Ok(match operator {
        None => (Side::Inner, None),
        Some(
            J::Join(constraint)
            | J::Inner(constraint)
            | J::CrossJoin(constraint)
            | J::StraightJoin(constraint),
        ) => (Side::Inner, Some(constraint)),
        Some(J::Left(constraint) | J::LeftOuter(constraint)) => (Side::Left, Some(constraint)),
        Some(J::Right(constraint) | J::RightOuter(constraint)) => (Side::Right, Some(constraint)),
        Some(J::FullOuter(constraint)) => (Side::Full, Some(constraint)),
        Some(_) => return unsupported("this kind of join", factor.span()),
    })
}

/// The conjuncts of USING and NATURAL; the columns they equate become one name.
fn merge_common(exact: bool, tables: &mut [ScopeTable], input: &Input<'_>) -> Result<Vec<Expr>> {
    let start = input.tables.start;
    let same = |stored: &str, n: &Ident| same_name(exact, stored, &n.value, n.quote_style.is_some());
    // Tables of later joins are in the scope already, but not on either side of this one.
    let tables = tables.get_mut(..input.tables.end).unwrap_or_default();
    let names: Vec<Ident> = match input.constraint {
        Some(JoinConstraint::Using(names)) => names.iter().filter_map(|n| last_ident(n).cloned()).collect(),
        Some(JoinConstraint::Natural) => {
            let (left, right) = tables.split_at(start.min(tables.len()));
            right
                .iter()
                .flat_map(|t| &t.columns)
                .filter(|c| !c.hidden)
                .map(|c| Ident::with_quote('"', c.name.clone()))
                .filter(|name| {
                    left.iter().any(|t| {
                        t.columns
                            .iter()
                            .any(|c| !c.hidden && same(&c.name, name))
                    })
                })
                .collect()
        }
        _ => return Ok(Vec::new()),
    };
    let mut on = Vec::new();
    for name in &names {
        let (left, right) = tables.split_at_mut(start.min(tables.len()));
        let (Some(l), Some(r)) = (find_column(exact, left, None, name)?, find_column(exact, right, None, name)?) else {
            return invalid(
                format!(
                    "cannot join using column {}: it is not present in both tables",
                    name.value
                ),
                name.span,
            );
        };
        on.push(binary(BinaryOp::Eq, l.clone(), r.clone()));
        let value = match input.side {
            Side::Inner | Side::Left => None,
            Side::Right => Some(r),
            Side::Full => Some(Expr::Function {
                name: "coalesce".into(),
                args: vec![l, r],
            }),
        };
        let is_it = |c: &&mut ScopeColumn| !c.hidden && same(&c.name, name);
        for column in right.iter_mut().flat_map(|t| &mut t.columns).filter(is_it) {
            column.hidden = true;
        }
        if value.is_some() {
            for column in left.iter_mut().flat_map(|t| &mut t.columns).filter(is_it) {
                column.merged.clone_from(&value);
            }
        }
    }
    Ok(on)
}

impl<'a> Planner<'a> {
    /// `unnest(array)` and its relatives: the elements, in a column that is called as the
    /// table is.
    fn plan_unnest(
        &mut self,
        function: &str,
        args: &'a [ast::FunctionArg],
        alias: Option<&'a ast::TableAlias>,
        name: &ast::ObjectName,
    ) -> Result<(Rel, Vec<ScopeTable>)> {
        let mut planned = Vec::new();
        for arg in args {
            match arg {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => {
                    planned.push(self.plan_expr(expr)?);
                }
                other => return unsupported(format!("argument {other}"), name.span()),
            }
        }
        let elements = match (function, planned.as_slice()) {
            ("regexp_split_to_table", [_, _]) => "pg_string_to_array",
            ("unnest" | "jsonb_array_elements_text" | "json_array_elements_text", [_]) => "pg_array_of",
            _ => return unsupported(format!("{function} with these arguments"), name.span()),
        };
        let array = Expr::Function {
            name: elements.into(),
            args: planned,
        };
        let (rel, mut table) = self.named_relation("json_each", vec![array], &["value"])?;
        table.name = function.to_owned();
        let called = alias.map_or_else(|| function.to_owned(), |a| self.stored(&a.name));
        if let Some(column) = table.columns.first_mut() {
            column.name = called;
        }
        Ok((rel, vec![self.with_alias(table, alias)?]))
    }
}
