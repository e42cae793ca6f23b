//! Whole queries: WITH, compound SELECTs, VALUES, and the order and limits on top.
//!
//! ORDER BY and LIMIT belong to the whole query. Over one SELECT they may read its tables and are planned
//! with it; over a compound SELECT they see its outputs alone ([`Planner::order_outputs`]).

use sqlparser::ast::{self, OrderByKind, SetExpr, SetOperator, SetQuantifier, Spanned};

use super::order::{collated, ordinal, sort_key, strip_collate};
use super::refuse::refuse_present;
use super::{Planned, Planner, Result, invalid, types, unsupported, unwrap_nested};
use crate::dialects::Dialect;
use crate::expr::Expr;
use crate::rel::{ColumnId, ColumnInfo, Query, Rel, SetOpKind};

/// LIMIT and OFFSET.
#[derive(Default)]
pub(crate) struct Limits {
    pub(crate) limit: Option<Expr>,
    pub(crate) offset: Option<Expr>,
}

impl Limits {
    pub(crate) fn is_empty(&self) -> bool {
        self.limit.is_none() && self.offset.is_none()
    }
}

/// True if a query has an ORDER BY of its own, or is one in parentheses that has.
pub(super) fn is_ordered(query: &ast::Query) -> bool {
    match (&query.order_by, &*query.body) {
        (Some(_), _) => true,
        (None, SetExpr::Query(inner)) => is_ordered(inner),
        (None, _) => false,
    }
}

/// The clauses of a query that have a plan.
pub(crate) struct Clauses<'a> {
    pub(crate) with: Option<&'a ast::With>,
    pub(crate) body: &'a SetExpr,
    order_by: &'a [ast::OrderByExpr],
    limit: Option<&'a ast::LimitClause>,
    fetch: Option<&'a ast::Fetch>,
    /// The whole, for its place.
    query: &'a ast::Query,
}

impl<'a> Clauses<'a> {
    /// Reads a query; clauses that have no plan are refused.
    pub(crate) fn read(query: &'a ast::Query) -> Result<Clauses<'a>> {
        let ast::Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        refuse_present(locks, "FOR", query)?;
        refuse_present(for_clause, "FOR", query)?;
        refuse_present(settings, "SETTINGS", query)?;
        refuse_present(format_clause, "FORMAT", query)?;
        refuse_present(pipe_operators, "pipe operators", query)?;
        let order_by = match order_by {
            None => &[][..],
            Some(ast::OrderBy { kind, interpolate }) => {
                refuse_present(interpolate, "INTERPOLATE", query)?;
                match kind {
                    OrderByKind::Expressions(keys) => keys,
                    OrderByKind::All(_options) => return unsupported("ORDER BY ALL", query.span()),
                }
            }
        };
        Ok(Clauses {
            with: with.as_ref(),
            body,
            order_by,
            limit: limit_clause.as_ref(),
            fetch: fetch.as_ref(),
            query,
        })
    }
}

/// What joins the arms of a compound SELECT, and whether duplicates stay.
pub(crate) fn read_operator(
    op: SetOperator,
    quantifier: SetQuantifier,
    at: &SetExpr,
) -> Result<(SetOpKind, bool)> {
    let kind = match op {
        SetOperator::Union => SetOpKind::Union,
        SetOperator::Intersect => SetOpKind::Intersect,
        SetOperator::Except | SetOperator::Minus => SetOpKind::Except,
    };
    let all = match quantifier {
        SetQuantifier::All => true,
        SetQuantifier::None | SetQuantifier::Distinct => false,
        SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName => {
            return unsupported(format!("{op} {quantifier}"), at.span());
        }
    };
    Ok((kind, all))
}

impl<'a> Planner<'a> {
    /// Plans a query in the scopes on the stack.
    ///
    /// WITH brings its expressions into sight for this query alone.
    pub(crate) fn plan_query(&mut self, query: &'a ast::Query) -> Result<Planned> {
        self.nested(|p| {
            let outer = p.ctes.len();
            let clauses = Clauses::read(query)?;
            if let Some(with) = clauses.with {
                p.push_ctes(with)?;
            }
            let planned = p.plan_body(&clauses)?;
            p.plan_unread_ctes(outer)?;
            p.ctes.truncate(outer);
            Ok(planned)
        })
    }

    fn plan_body(&mut self, clauses: &Clauses<'a>) -> Result<Planned> {
        if let SetExpr::Select(select) = clauses.body {
            let limits = self.plan_limits(clauses)?;
            return self.plan_select(select, clauses.order_by, limits);
        }
        let (planned, arms) = self.plan_compound(clauses.body)?;
        self.order_outputs(planned, clauses, &arms)
    }

    /// A compound SELECT, with its arms from left to right.
    fn plan_compound(&mut self, body: &'a SetExpr) -> Result<(Planned, Vec<&'a SetExpr>)> {
        // Down the left side without recursion: a compound SELECT may be long.
        let mut tail = Vec::new();
        let mut first = body;
        while let SetExpr::SetOperation { left, op, set_quantifier, right } = first {
            tail.push((op, set_quantifier, &**right));
            first = left;
        }
        let mut arms = vec![first];
        let mut planned = self.plan_arm(first)?;
        for (op, quantifier, right) in tail.into_iter().rev() {
            let by_name = self.by_name(*op, *quantifier);
            let (kind, all) = read_operator(*op, by_name.unwrap_or(*quantifier), right)?;
            let mut next = self.plan_arm(right)?;
            if by_name.is_some() {
                (planned, next) = self.arranged(planned, next, right)?;
            } else {
                arms.push(right);
            }
            planned = self.set_operation(kind, all, planned, next, right)?;
        }
        Ok((planned, arms))
    }

    /// Whether duplicates stay in UNION BY NAME: <https://duckdb.org/docs/stable/sql/query_syntax/setops#union-all-by-name>,
    /// <https://docs.snowflake.com/en/sql-reference/operators-query#union-all-by-name>. BigQuery's has modes of its own.
    fn by_name(&self, op: SetOperator, quantifier: SetQuantifier) -> Option<SetQuantifier> {
        let known = matches!(self.dialect, Dialect::Duckdb | Dialect::Snowflake) && op == SetOperator::Union;
        match quantifier {
            SetQuantifier::AllByName if known => Some(SetQuantifier::All),
            SetQuantifier::ByName | SetQuantifier::DistinctByName if known => Some(SetQuantifier::None),
            _ => None,
        }
    }

    /// Two arms with the columns of both in one order, by their names: NULL where an arm has none.
    fn arranged(&mut self, left: Planned, right: Planned, at: &SetExpr) -> Result<(Planned, Planned)> {
        let has = |names: &[String], name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        let twice = |names: &[String]| (1..names.len()).any(|n| has(&names[n..], &names[n - 1]));
        if twice(&left.names) || twice(&right.names) {
            return unsupported("BY NAME with two columns of one name", at.span());
        }
        let mut names = left.names.clone();
        names.extend(right.names.iter().filter(|name| !has(&left.names, name)).cloned());
        self.charge(2 * names.len())?;
        let mut arrange = |arm: Planned| {
            let Planned { query: Query { rel, output }, names: own } = arm;
            let mut exprs: Vec<(ColumnId, Expr)> = output.iter().map(|&id| (id, Expr::Column(id))).collect();
            let mut arranged = Vec::with_capacity(names.len());
            for name in &names {
                let place = own.iter().position(|n| n.eq_ignore_ascii_case(name));
                arranged.push(match place.and_then(|place| output.get(place)) {
                    Some(id) => *id,
                    None => {
                        let id = self.new_column_of(name, &Expr::NULL)?;
                        exprs.push((id, Expr::NULL));
                        id
                    }
                });
            }
            let rel = if exprs.len() > output.len() { Rel::project(rel, exprs) } else { rel };
            Ok(Planned { query: Query { rel, output: arranged }, names: names.clone() })
        };
        Ok((arrange(left)?, arrange(right)?))
    }

    /// One arm of a compound SELECT.
    pub(crate) fn plan_arm(&mut self, arm: &'a SetExpr) -> Result<Planned> {
        match arm {
            SetExpr::Select(select) => self.nested(|p| p.plan_select(select, &[], Limits::default())),
            SetExpr::Query(query) => self.plan_query(query),
            SetExpr::Values(values) => self.plan_values(values),
            // INTERSECT binds tighter than its neighbours in some dialects.
            SetExpr::SetOperation { op: _, set_quantifier: _, left: _, right: _ } => {
                self.nested(|p| Ok(p.plan_compound(arm)?.0))
            }
            SetExpr::Table(_) => unsupported("TABLE as a query", arm.span()),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                unsupported("a statement that writes", arm.span())
            }
        }
    }

    /// VALUES: its columns are called `column1`, `column2`, … (SQLite). A column's class is what all of its
    /// cells have in common, and it may be NULL if one of them may.
    fn plan_values(&mut self, values: &'a ast::Values) -> Result<Planned> {
        let ast::Values {
            // `VALUES ROW(1)` and `VALUES (1)`, `VALUE` and `VALUES` say the same.
            explicit_row: _,
            value_keyword: _,
            rows: written,
        } = values;
        let mut rows = Vec::with_capacity(written.len());
        for row in written {
            let ast::Parens { opening_token: _, content, closing_token: _ } = row;
            rows.push(self.plan_exprs(content)?);
        }
        let width = rows.first().map_or(0, Vec::len);
        if width == 0 || rows.iter().any(|r| r.len() != width) {
            return invalid(
                "all VALUES must have the same number of terms",
                written
                    .iter()
                    .find_map(|row| row.content.first())
                    .map_or_else(sqlparser::tokenizer::Span::empty, Spanned::span),
            );
        }
        let mut columns = Vec::with_capacity(width);
        let mut names = Vec::with_capacity(width);
        for at in 0..width {
            let name = format!("column{}", at + 1);
            let mut merged: Option<ColumnInfo> = None;
            for cell in rows.iter().filter_map(|r| r.get(at)) {
                let next = types::info_of(cell, &self.columns);
                merged = Some(match merged {
                    None => ColumnInfo { name: name.clone(), origin: None, affinity: None, ..next },
                    Some(info) => ColumnInfo {
                        class: types::common_class(info.class, next.class),
                        nullable: info.nullable || next.nullable,
                        ..info
                    },
                });
            }
            if let Some(info) = merged {
                let id = self.new_column(info)?;
                if let Some(cell) = rows.first().and_then(|r| r.get(at)) {
                    self.note_kind(id, cell);
                }
                columns.push(id);
            }
            names.push(name);
        }
        Ok(Planned {
            query: Query { rel: Rel::Values { columns: columns.clone(), rows }, output: columns },
            names,
        })
    }

    /// Two queries joined by UNION, INTERSECT or EXCEPT: columns of its own, called as the left arm's. What
    /// is known of one is what holds for the rows of both arms that can come out; its affinity and origin
    /// only where the arms agree.
    pub(crate) fn set_operation(
        &mut self,
        kind: SetOpKind,
        all: bool,
        left: Planned,
        right: Planned,
        at: &SetExpr,
    ) -> Result<Planned> {
        let (l, r) = (left.query.output.len(), right.query.output.len());
        if l != r {
            return invalid(format!("the arms of a set operation have {l} and {r} columns"), at.span());
        }
        let mut columns: Vec<(ColumnId, ColumnInfo)> = Vec::with_capacity(l);
        for (left_id, right_id) in left.query.output.iter().zip(&right.query.output) {
            let of = |id: &ColumnId| id.info(&self.columns);
            let (Some(a), Some(b)) = (of(left_id), of(right_id)) else {
                continue;
            };
            // EXCEPT returns rows of the left arm; INTERSECT returns rows that both have.
            let nullable = match kind {
                SetOpKind::Union => a.nullable || b.nullable,
                SetOpKind::Intersect => a.nullable && b.nullable,
                SetOpKind::Except => a.nullable,
            };
            let info = ColumnInfo {
                name: a.name.clone(),
                origin: a.origin.filter(|_| a.origin == b.origin),
                affinity: a.affinity.filter(|_| a.affinity == b.affinity),
                class: if kind == SetOpKind::Union { types::common_class(a.class, b.class) } else { a.class },
                nullable,
            };
            let id = self.new_column(info.clone())?;
            self.copy_kind(id, *left_id);
            self.note_collation(id, &Expr::Column(*left_id));
            columns.push((id, info));
        }
        if !all && let Some(rel) = self.set_operation_folded(kind, &left.query, &right.query, &columns)? {
            let output = columns.into_iter().map(|(id, _)| id).collect();
            return Ok(Planned { query: Query { rel, output }, names: left.names });
        }
        let columns: Vec<ColumnId> = columns.into_iter().map(|(id, _)| id).collect();
        Ok(Planned {
            query: Query {
                rel: Rel::SetOp {
                    kind,
                    all,
                    left: Box::new(left.query),
                    right: Box::new(right.query),
                    columns: columns.clone(),
                },
                output: columns,
            },
            names: left.names,
        })
    }

    /// LIMIT, OFFSET and FETCH, which see no columns.
    ///
    /// The scopes are taken away for the time, so that a name in LIMIT is an unknown one, as in SQLite.
    /// `LIMIT 2, 5`, SQLite's and MySQL's, skips 2 rows and gives 5. WITH TIES and PERCENT depend on the
    /// rows and are refused.
    pub(crate) fn plan_limits(&mut self, clauses: &Clauses<'a>) -> Result<Limits> {
        let query = clauses.query;
        let scopes = std::mem::take(&mut self.scopes);
        let mut limits = Limits::default();
        match clauses.limit {
            None => {}
            Some(ast::LimitClause::LimitOffset { limit, offset, limit_by }) => {
                refuse_present(limit_by, "LIMIT BY", query)?;
                if let Some(limit) = limit {
                    limits.limit = Some(self.plan_expr(limit)?);
                }
                // `OFFSET 3` and `OFFSET 3 ROWS` say the same.
                if let Some(ast::Offset { value, rows: _ }) = offset {
                    limits.offset = Some(self.plan_expr(value)?);
                }
            }
            Some(ast::LimitClause::OffsetCommaLimit { offset, limit }) => {
                limits.limit = Some(self.plan_expr(limit)?);
                limits.offset = Some(self.plan_expr(offset)?);
            }
        }
        // To skip no row is to say nothing, and OFFSET 0 stands for something else in plans.
        limits.offset = limits.offset.filter(|offset| *offset != Expr::integer(0));
        if let Some(fetch) = clauses.fetch {
            let ast::Fetch { with_ties, percent, quantity } = fetch;
            refuse_present(with_ties, "FETCH WITH TIES", query)?;
            refuse_present(percent, "FETCH PERCENT", query)?;
            if limits.limit.is_some() {
                return invalid("both LIMIT and FETCH", query.span());
            }
            limits.limit = Some(match quantity {
                Some(quantity) => self.plan_expr(quantity)?,
                None => Expr::Literal(crate::value::Value::Integer(1)),
            });
        }
        self.scopes = scopes;
        Ok(limits)
    }

    /// ORDER BY and LIMIT over the outputs of a compound SELECT.
    ///
    /// A term is a position, a name or the text of an output; SQLite refuses anything else here, such as
    /// `ORDER BY a + 1`. `arms` are the SELECTs whose outputs may be meant.
    pub(crate) fn order_outputs(
        &mut self,
        planned: Planned,
        clauses: &Clauses<'a>,
        arms: &[&'a SetExpr],
    ) -> Result<Planned> {
        let limits = self.plan_limits(clauses)?;
        let mut keys = Vec::new();
        for (at, key) in clauses.order_by.iter().enumerate() {
            let (term, collation) = strip_collate(&key.expr)?;
            let position = match ordinal(term, planned.names.len(), at, "ORDER BY")? {
                Some(position) => Some(position),
                None => output_position(term, &planned.names, arms),
            };
            let column = position.and_then(|p| planned.query.output.get(p));
            let Some(column) = column else {
                return invalid(
                    format!("ORDER BY term {} does not match any column in the result set", at + 1),
                    key.expr.span(),
                );
            };
            let expr = self.key(collated(Expr::Column(*column), collation));
            self.note_expr(crate::spans::Clause::Order, &expr, || key.expr.span());
            keys.push(sort_key(self.dialect, expr, key)?);
        }
        if keys.is_empty() && limits.is_empty() {
            return Ok(planned);
        }
        Ok(Planned {
            query: Query {
                rel: Rel::Sort {
                    input: Box::new(planned.query.rel),
                    keys,
                    limit: limits.limit,
                    offset: limits.offset,
                },
                output: planned.query.output,
            },
            names: planned.names,
        })
    }
}

/// The output that a term of ORDER BY names: by the name or the text of the column in any
/// arm, the leftmost first (SQLite).
fn output_position(term: &ast::Expr, names: &[String], arms: &[&SetExpr]) -> Option<usize> {
    let term = unwrap_nested(term);
    let name = match term {
        ast::Expr::Identifier(name) => Some(name),
        ast::Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    };
    if let Some(name) = name {
        let by_name = names.iter().position(|n| n.eq_ignore_ascii_case(&name.value));
        if by_name.is_some() {
            return by_name;
        }
    }
    let text = term.to_string().to_ascii_lowercase();
    arms.iter().find_map(|arm| {
        let SetExpr::Select(select) = arm else {
            return None;
        };
        // Its other clauses have been read where it was planned.
        select.projection.iter().position(|item| match item {
            ast::SelectItem::ExprWithAlias { expr, alias } => {
                name.is_some_and(|n| n.value.eq_ignore_ascii_case(&alias.value))
                    || expr.to_string().to_ascii_lowercase() == text
            }
            ast::SelectItem::UnnamedExpr(expr) => {
                let same_name = match (name, unwrap_nested(expr)) {
                    (Some(n), ast::Expr::Identifier(i)) => n.value.eq_ignore_ascii_case(&i.value),
                    (Some(n), ast::Expr::CompoundIdentifier(parts)) => {
                        parts.last().is_some_and(|i| n.value.eq_ignore_ascii_case(&i.value))
                    }
                    _ => false,
                };
                same_name || expr.to_string().to_ascii_lowercase() == text
            }
            ast::SelectItem::ExprWithAliases { expr: _, aliases: _ }
            | ast::SelectItem::QualifiedWildcard(_, _)
            | ast::SelectItem::Wildcard(_) => false,
        })
    })
}
