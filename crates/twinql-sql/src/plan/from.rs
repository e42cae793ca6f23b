//! FROM: tables, subqueries and joins.
//!
//! A list of joins is read from left to right ([`Planner::plan_from`]): first the sources, then the columns
//! that USING and NATURAL merge, then the conditions, which see all of them; last the tree is built
//! ([`Planner::join`]). Inner joins that follow each other become one `Join` of many inputs, since their
//! order has no meaning; an outer join closes what stands to its left into one input. A comma, CROSS JOIN
//! and INNER JOIN are the same join.

use sqlparser::ast::{self, Ident, JoinConstraint, JoinOperator, Spanned, TableWithJoins};

use super::lateral::{Above, Rows};
use super::refuse::{refuse_beside, refuse_present};
use super::scope::find_column;
use super::shapes::Shape;
use super::sight::{RowId, Scope, ScopeColumn, ScopeTable};
use super::source::FromItem;
use super::used::REST;
use super::{Planner, Result, invalid, last_ident, only_ident, unsupported};
use crate::columns::Reads;
use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, ColumnInfo, JoinKind, Rel};
use crate::schema::{Affinity, ColumnRef, TypeClass, by_name, is_document, same_name};
use crate::spans::TextRange;
use crate::value::Value;

/// How an input joins those before it.
#[derive(Clone, Copy, PartialEq)]
enum JoinSide {
    Inner,
    Left,
    Right,
    Full,
}

/// An input of a list of joins.
struct Input<'a> {
    rel: Rel,
    side: JoinSide,
    constraint: Option<&'a JoinConstraint>,
    /// Its tables, as positions in the scope.
    tables: std::ops::Range<usize>,
    on: Vec<Expr>,
    /// What a LATERAL subquery asks of the tables before it.
    lifted: Vec<Expr>,
    /// What of a LATERAL subquery is computed above the join.
    above: Option<Above>,
}

impl<'a> Planner<'a> {
    /// Plans FROM. The scope is left on the stack with its tables; the conjuncts that come
    /// back belong above all joins: an inner join's ON may name tables to its right (SQLite).
    pub(crate) fn plan_from(
        &mut self,
        from: &'a [TableWithJoins],
        mut scope: Scope<'a>,
    ) -> Result<(Rel, Vec<Expr>)> {
        // The sources. The scope grows with them, so that LATERAL and arguments see those before.
        let mut inputs = Vec::new();
        for TableWithJoins { relation, joins } in from {
            let first = std::iter::once((relation, None));
            let rest = joins.iter().map(|join| (&join.relation, Some(join)));
            for (factor, join) in first.chain(rest) {
                let (mut side, constraint) = match join {
                    Some(join) => read_join(join)?,
                    None => (JoinSide::Inner, None),
                };
                let source = FromItem::read(factor)?;
                if let FromItem::Call(call) = source
                    && super::flatten::fills_up(call)
                {
                    if matches!(constraint, Some(JoinConstraint::On(_))) || scope.tables.is_empty() {
                        return unsupported(
                            "a function that fills up with NULLs, joined in this way",
                            factor.span(),
                        );
                    }
                    side = JoinSide::Left;
                }
                let (mut lifted, mut above) = (Vec::new(), None);
                let (rel, tables) = match source {
                    FromItem::Derived { subquery, alias, lateral: true } => {
                        let outer: Vec<ColumnId> = scope.tables.iter().flat_map(ScopeTable::ids).collect();
                        self.scopes.push(scope);
                        let (rel, tables) = self.nested(|p| p.plan_derived(subquery, alias))?;
                        scope = self.leave_scope();
                        if matches!(side, JoinSide::Right | JoinSide::Full) {
                            return unsupported("a RIGHT or FULL join with LATERAL", factor.span());
                        }
                        let parts = self.lift_lateral(rel, &outer, factor.span())?;
                        (lifted, above) = (parts.on, parts.above);
                        (parts.rel, tables)
                    }
                    // Its arguments see the tables before it.
                    FromItem::Call(_) | FromItem::Elements { .. } => {
                        self.scopes.push(scope);
                        let planned = self.nested(|p| p.plan_source(source))?;
                        scope = self.leave_scope();
                        planned
                    }
                    // FROM t, t.array: its elements.
                    FromItem::Named { name, alias } if self.is_array_of(&scope, name) => {
                        self.scopes.push(scope);
                        let planned = self.nested(|p| p.plan_array_of(name, alias))?;
                        scope = self.leave_scope();
                        planned
                    }
                    FromItem::Named { .. } | FromItem::Derived { .. } | FromItem::Nested { .. } => {
                        self.nested(|p| p.plan_source(source))?
                    }
                };
                let start = scope.tables.len();
                scope.tables.extend(tables);
                inputs.push(Input {
                    rel,
                    side,
                    constraint,
                    tables: start..scope.tables.len(),
                    on: Vec::new(),
                    lifted,
                    above,
                });
            }
        }
        for input in &mut inputs {
            let equated = merge_common(self, &mut scope.tables, input)?;
            input.on = equated.into_iter().map(|(l, r)| self.compare(BinaryOp::Eq, l, r)).collect();
        }
        self.scopes.push(scope);
        for input in &mut inputs {
            if let Some(JoinConstraint::On(on)) = input.constraint {
                // SQLite lets ON name an alias of the select list.
                let allow = self.set_allow(|allow| allow.aliases = true);
                let on = self.plan_expr(on)?;
                self.restore_allow(allow);
                input.on.extend(on.conjuncts());
            }
            if self.dialect.meaning().outer_joins_fill {
                if matches!(input.side, JoinSide::Left | JoinSide::Full) {
                    self.fill(input.tables.clone());
                }
                if matches!(input.side, JoinSide::Right | JoinSide::Full) {
                    self.fill(0..input.tables.start);
                }
            }
        }
        self.join(inputs)
    }

    /// Makes names of these tables mean 0, an empty text or the first day where an outer join finds no row, as it is where
    /// columns hold no NULL unless they are declared to.
    ///
    /// | before | after |
    /// |---|---|
    /// | `SELECT b.n FROM a LEFT JOIN b ON a.id = b.id` | `SELECT COALESCE(b.n, 0) FROM …` |
    fn fill(&mut self, tables: std::ops::Range<usize>) {
        let Some(scope) = self.scopes.last_mut() else { return };
        for column in scope.tables.get_mut(tables).into_iter().flatten().flat_map(|t| &mut t.columns) {
            let Some(info) = column.id.info(&self.columns).filter(|info| !info.nullable) else { continue };
            let default = match info.class {
                TypeClass::Integer | TypeClass::Number | TypeClass::Boolean => Expr::integer(0),
                TypeClass::Text => Expr::text(""),
                TypeClass::Time => Expr::text("1970-01-01"),
                TypeClass::Other => continue,
            };
            let own = column.own_value();
            column.part = Some(Expr::function("coalesce", vec![own, default]));
        }
    }

    /// The tree of a list of joins, and the conjuncts that belong above all of it.
    ///
    /// `rels` and `on` are the inner joins since the last outer join. A conjunct that names a table further
    /// right has to wait until that is joined, which only an inner join can do:
    /// `FROM a JOIN b ON b.x = c.x JOIN c` is `FROM a, b, c WHERE b.x = c.x`, while an outer join decides by
    /// its ON which rows it fills up with NULLs. RIGHT is LEFT with its sides exchanged.
    fn join(&mut self, inputs: Vec<Input<'a>>) -> Result<(Rel, Vec<Expr>)> {
        let mut late = Vec::new();
        let mut rels: Vec<Rel> = Vec::new();
        let mut on: Vec<Expr> = Vec::new();
        for mut input in inputs {
            if let Some(above) = input.above.take() {
                let before = self.columns_from(0..input.tables.start);
                let at = constraint_span(input.constraint);
                let always = |e: &Expr| *e == Expr::Literal(Value::Integer(1));
                match (input.side, above.rows) {
                    (JoinSide::Inner, _) => late.extend(input.on),
                    (_, Rows::OneOverNone | Rows::Written) if input.on.iter().all(always) => {}
                    _ => {
                        return unsupported(
                            "a LEFT JOIN LATERAL that computes with the tables before it",
                            at,
                        );
                    }
                }
                let joined = if above.rows == Rows::OneOverNone {
                    // One row for each row on the left, also where it finds nothing. An outer join keeps those, and its
                    // outputs turn NULL into what COUNT gives over no rows.
                    let left = Rel::join(std::mem::take(&mut rels), std::mem::take(&mut on));
                    Rel::OuterJoin {
                        kind: JoinKind::Left,
                        left: Box::new(left),
                        right: Box::new(input.rel),
                        on: input.lifted,
                    }
                } else {
                    if input.rel != Rel::unit() {
                        rels.push(input.rel);
                    }
                    on.extend(input.lifted);
                    Rel::join(std::mem::take(&mut rels), std::mem::take(&mut on))
                };
                let before = before.into_iter().map(|id| (id, Expr::Column(id)));
                rels.push(Rel::project(joined, before.chain(above.outputs).collect()));
                continue;
            }
            // Another LATERAL is an ordinary input with what was lifted out of it in the join's condition.
            input.on.extend(input.lifted);
            let after = self.columns_from(input.tables.end..usize::MAX);
            let (now, later): (Vec<Expr>, Vec<Expr>) = input
                .on
                .into_iter()
                .partition(|e| after.is_empty() || !e.named().iter().any(|c| after.contains(c)));
            if input.side == JoinSide::Inner {
                if !later.is_empty() {
                    let at = constraint_span(input.constraint);
                    self.check_order_of_joins(at);
                }
                late.extend(later);
                rels.push(input.rel);
                on.extend(now);
                continue;
            }
            if !later.is_empty() {
                return unsupported(
                    "an outer join whose ON names a table to its right",
                    constraint_span(input.constraint),
                );
            }
            let left_ids = self.columns_from(0..input.tables.start);
            let right_ids = self.columns_from(input.tables);
            let left = Rel::join(std::mem::take(&mut rels), std::mem::take(&mut on));
            let (kind, left, right) = match input.side {
                JoinSide::Right => (JoinKind::Left, input.rel, left),
                JoinSide::Full => (JoinKind::Full, left, input.rel),
                JoinSide::Left | JoinSide::Inner => (JoinKind::Left, left, input.rel),
            };
            // The side that is filled up may be NULL, whatever its columns were declared.
            if input.side != JoinSide::Right {
                self.mark_nullable(right_ids);
            }
            if input.side != JoinSide::Left {
                self.mark_nullable(left_ids);
            }
            rels.push(Rel::OuterJoin { kind, left: Box::new(left), right: Box::new(right), on: now });
        }
        Ok((Rel::join(rels, on), late))
    }

    /// The columns of some of the innermost scope's tables.
    fn columns_from(&self, tables: std::ops::Range<usize>) -> Vec<ColumnId> {
        let all = self.scopes.last().map_or(&[][..], |s| &s.tables);
        let end = tables.end.min(all.len());
        let some = all.get(tables.start.min(end)..end).unwrap_or_default();
        some.iter().flat_map(ScopeTable::ids).collect()
    }

    /// One source, and the tables it brings into scope: parentheses without an alias bring all of theirs.
    fn plan_source(&mut self, source: FromItem<'a>) -> Result<(Rel, Vec<ScopeTable>)> {
        match source {
            FromItem::Named { name, alias } => {
                let (rel, table) = self.plan_table(name)?;
                Ok((rel, vec![self.with_alias(table, alias, true)?]))
            }
            FromItem::Call(call) => self.plan_table_function(call),
            FromItem::Derived { subquery, alias, lateral: _ } => self.plan_derived(subquery, alias),
            FromItem::Elements { array, alias, offset } => {
                let array = self.plan_expr(array)?;
                let number = offset.map(|name| name.map_or_else(|| "offset".to_owned(), |n| self.stored(n)));
                let (rel, table) = self.plan_elements(array, alias, number)?;
                Ok((rel, vec![table]))
            }
            FromItem::Nested { from, alias } => {
                let (rel, late) = self.plan_from(std::slice::from_ref(from), Scope::default())?;
                let tables = self.leave_scope().tables;
                let rel = Rel::filter(rel, late);
                if alias.is_none() {
                    return Ok((rel, tables));
                }
                let columns = tables.into_iter().flat_map(|t| t.columns).filter(|c| !c.hidden).collect();
                let table = ScopeTable { columns, ..ScopeTable::derived("", [], []) };
                self.as_source(rel, table, alias)
            }
        }
    }

    /// A relation as the one table that it brings into scope.
    pub(super) fn as_source(
        &self,
        rel: Rel,
        table: ScopeTable,
        alias: Option<&ast::TableAlias>,
    ) -> Result<(Rel, Vec<ScopeTable>)> {
        Ok((rel, vec![self.with_alias(table, alias, false)?]))
    }

    /// A subquery in FROM. Its outputs are the columns; no table behind them has a name or a rowid any more.
    fn plan_derived(
        &mut self,
        subquery: &'a ast::Query,
        alias: Option<&'a ast::TableAlias>,
    ) -> Result<(Rel, Vec<ScopeTable>)> {
        let planned = self.plan_query(subquery)?;
        let table = ScopeTable::derived("", planned.names, planned.query.output);
        self.as_source(planned.query.rel, table, alias)
    }

    /// A common table expression or a table of the schema.
    ///
    /// SQLite's order: a common table expression hides a table, a table hides a view, and the catalogue
    /// comes last. Only a name without a database before it can be the first or the last.
    fn plan_table(&mut self, name: &'a ast::ObjectName) -> Result<(Rel, ScopeTable)> {
        let Some(ident) = last_ident(name) else {
            return unsupported(format!("table name {name}"), name.span());
        };
        self.refuse_reserved(ident)?;
        if name.0.len() == 1
            && let Some(found) = self.plan_cte_use(ident)?
        {
            return Ok(found);
        }
        if let Some(found) = self.plan_wildcard_table(name)? {
            return Ok(found);
        }
        let Some(index) = self.table_named(name)? else {
            let own = match name.0.as_slice() {
                [_] => true,
                [database, _] => database
                    .as_ident()
                    .is_some_and(|d| ["main", "temp"].iter().any(|own| d.value.eq_ignore_ascii_case(own))),
                _ => false,
            };
            if (own || self.dialect != Dialect::Sqlite)
                && let Some(found) = self.plan_view_use(ident)?
            {
                return Ok(found);
            }
            if name.0.len() == 1 && is_catalogue(&ident.value) {
                return self.named_relation("sqlite_schema", Vec::new(), &CATALOGUE);
            }
            self.note_missing_table(name);
            return Err(SqlError::UnknownTable {
                name: match name.0.len() {
                    1 => ident.value.clone(),
                    _ => name.to_string(),
                },
                place: TextRange::of(ident.span),
            });
        };
        let (rel, scope) = self.plan_scan(index)?;
        for column in &scope.columns {
            self.note_column(column.id, ident.span);
        }
        Ok((rel, scope))
    }

    /// A table of the schema: all its columns, with what the schema says of them. An INTEGER PRIMARY KEY is
    /// the rowid under another name (<https://sqlite.org/lang_createtable.html#rowid>).
    pub(super) fn plan_scan(&mut self, index: usize) -> Result<(Rel, ScopeTable)> {
        let schema = self.schema;
        let Some(table) = schema.tables.get(index) else {
            return invalid("a table out of range", sqlparser::tokenizer::Span::empty());
        };
        let mut columns = Vec::with_capacity(table.columns.len());
        let mut scope = Vec::with_capacity(table.columns.len());
        let mut rowid = RowId::Opaque;
        // Ids by name: what compares ids does not depend on the order of the schema's columns.
        let mut named: Vec<usize> = (0..table.columns.len()).collect();
        named.sort_by(|a, b| match (table.columns.get(*a), table.columns.get(*b)) {
            (Some(a), Some(b)) => by_name(&a.name, &b.name),
            _ => std::cmp::Ordering::Equal,
        });
        let mut ids = vec![ColumnId(0); table.columns.len()];
        for position in named {
            let (Some(column), Some(id)) = (table.columns.get(position), ids.get_mut(position)) else {
                continue;
            };
            *id =
                self.new_column(ColumnInfo::stored(column, ColumnRef { table: index, column: position }))?;
        }
        for ((position, column), id) in table.columns.iter().enumerate().zip(ids) {
            if table.primary_key == [position] && column.affinity == Affinity::Integer {
                rowid = RowId::Column(id);
            }
            if self.dialect != Dialect::Sqlite && is_document(&column.declared.to_ascii_uppercase()) {
                self.note_shape(id, Some(Shape::of_declared(&column.declared)));
            }
            columns.push((id, position));
            scope.push(ScopeColumn::new(column.name.clone(), id));
        }
        let rel = Rel::Scan { table: index, columns };
        let scope = ScopeTable {
            name: table.bare_name().to_owned(),
            columns: scope,
            rowid,
            table: Some(index),
            whole: None,
        };
        Ok((rel, scope))
    }
}

/// The columns of SQLite's catalogue.
const CATALOGUE: [&str; 5] = ["type", "name", "tbl_name", "rootpage", "sql"];

fn is_catalogue(name: &str) -> bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master"].iter().any(|n| name.eq_ignore_ascii_case(n))
}

fn constraint_span(constraint: Option<&JoinConstraint>) -> sqlparser::tokenizer::Span {
    match constraint {
        Some(JoinConstraint::On(expr)) => expr.span(),
        Some(JoinConstraint::Using(_) | JoinConstraint::Natural | JoinConstraint::None) | None => {
            sqlparser::tokenizer::Span::empty()
        }
    }
}

fn read_join(join: &ast::Join) -> Result<(JoinSide, Option<&JoinConstraint>)> {
    use JoinOperator as J;
    let ast::Join { relation, global, join_operator } = join;
    refuse_present(global, "GLOBAL JOIN", relation)?;
    Ok(match join_operator {
        J::Join(constraint)
        | J::Inner(constraint)
        | J::CrossJoin(constraint)
        | J::StraightJoin(constraint) => (JoinSide::Inner, Some(constraint)),
        J::Left(constraint) | J::LeftOuter(constraint) => (JoinSide::Left, Some(constraint)),
        J::Right(constraint) | J::RightOuter(constraint) => (JoinSide::Right, Some(constraint)),
        J::FullOuter(constraint) => (JoinSide::Full, Some(constraint)),
        _ => return unsupported("this kind of join", relation.span()),
    })
}

impl Planner<'_> {
    /// The name that an alias gives, and the names of columns.
    pub(crate) fn read_alias<'b>(&self, alias: &'b ast::TableAlias) -> Result<(&'b Ident, Vec<&'b Ident>)> {
        let ast::TableAlias {
            // AS.
            explicit: _,
            name,
            columns,
            at,
        } = alias;
        refuse_beside(at, "AT behind an alias", name)?;
        self.refuse_alias(name)?;
        let mut names = Vec::with_capacity(columns.len());
        for ast::TableAliasColumnDef { name, data_type } in columns {
            refuse_beside(data_type, "a type in an alias", name)?;
            self.refuse_reserved(name)?;
            names.push(name);
        }
        Ok((name, names))
    }

    /// A table under its alias. SQLite and MySQL take no names for the columns of a table;
    /// for those of a subquery they stand for all, elsewhere the columns after the last
    /// name keep theirs. (SQLite takes none for a subquery either, but their meaning is plain.)
    pub(super) fn with_alias(
        &self,
        mut table: ScopeTable,
        alias: Option<&ast::TableAlias>,
        is_table: bool,
    ) -> Result<ScopeTable> {
        let Some(alias) = alias else {
            return Ok(table);
        };
        let (name, names) = self.read_alias(alias)?;
        table.name = self.stored(name);
        table.table = None;
        let Some(first) = names.first() else {
            return Ok(table);
        };
        let all_named = self.dialect.names().aliases_name_all;
        if all_named && is_table {
            return invalid(format!("names of columns behind the alias {}", name.value), first.span);
        }
        let (given, columns) = (names.len(), table.columns.len());
        if given > columns || all_named && given < columns {
            return invalid(
                format!("table {} has {columns} columns, {given} names given", name.value),
                name.span,
            );
        }
        for (column, name) in table.columns.iter_mut().zip(names) {
            column.name = self.stored(name);
        }
        Ok(table)
    }
}

/// What USING and NATURAL equate; the columns they equate become one name.
///
/// `a JOIN b USING (x)`: the condition `a.x = b.x`; `x` alone then means `a.x`, and `*` lists it once. For a
/// RIGHT join it is `b.x`, since `a.x` may be filled up, and for a FULL join `coalesce(a.x, b.x)`. `a.x` and
/// `b.x` go on meaning themselves. Joins are gone through from left to right, so a third table's USING meets
/// what the first two were merged to.
fn merge_common(
    planner: &Planner<'_>,
    tables: &mut [ScopeTable],
    input: &Input<'_>,
) -> Result<Vec<(Expr, Expr)>> {
    let exact = planner.exact_names;
    let start = input.tables.start;
    let same = |stored: &str, n: &Ident| same_name(exact, stored, &n.value, n.quote_style.is_some());
    // Tables of later joins are in the scope already, but not on either side of this one.
    let tables = tables.get_mut(..input.tables.end).unwrap_or_default();
    let names: Vec<Ident> = match input.constraint {
        Some(JoinConstraint::Using(names)) => {
            let mut found = Vec::with_capacity(names.len());
            for name in names {
                match only_ident(name) {
                    Some(column) => found.push(column.clone()),
                    None => return unsupported(format!("USING ({name})"), name.span()),
                }
            }
            found
        }
        Some(JoinConstraint::Natural) => {
            if tables.iter().flat_map(|t| &t.columns).any(|c| c.name == REST) {
                let at = constraint_span(input.constraint);
                return unsupported("NATURAL JOIN of a table whose columns are not declared", at);
            }
            let (left, right) = tables.split_at(start.min(tables.len()));
            right
                .iter()
                .flat_map(|t| &t.columns)
                .filter(|c| !c.hidden)
                .map(|c| Ident::with_quote('"', c.name.clone()))
                .filter(|name| {
                    left.iter().any(|t| t.columns.iter().any(|c| !c.hidden && same(&c.name, name)))
                })
                .collect()
        }
        Some(JoinConstraint::On(_) | JoinConstraint::None) | None => return Ok(Vec::new()),
    };
    let mut on = Vec::new();
    for name in &names {
        let (left, right) = tables.split_at_mut(start.min(tables.len()));
        let found = (find_column(exact, left, None, name)?, find_column(exact, right, None, name)?);
        let (Some(l), Some(r)) = found else {
            planner.note_missing_side(if found.0.is_none() { left } else { right }, name);
            return invalid(
                format!("cannot join using column {}: it is not present in both tables", name.value),
                name.span,
            );
        };
        on.push((l.clone(), r.clone()));
        let value = match input.side {
            JoinSide::Inner | JoinSide::Left => None,
            JoinSide::Right => Some(r),
            JoinSide::Full => Some(Expr::function("coalesce", vec![l, r])),
        };
        let is_it = |c: &&mut ScopeColumn| !c.hidden && same(&c.name, name);
        for column in right.iter_mut().flat_map(|t| &mut t.columns).filter(is_it) {
            (column.hidden, column.shared) = (true, true);
        }
        for column in left.iter_mut().flat_map(|t| &mut t.columns).filter(is_it) {
            column.shared = true;
            if value.is_some() {
                column.merged.clone_from(&value);
            }
        }
    }
    Ok(on)
}
