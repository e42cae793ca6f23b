//! Whole queries: WITH, compound SELECTs, VALUES, and the order and limits on top.

use sqlparser::ast::{self, OrderByKind, SetExpr, SetOperator, SetQuantifier, Spanned};

use super::expr::unwrap_nested;
use super::order::{collated, ordinal, sort_key, strip_collate};
use super::{Planned, Planner, Result, invalid, types, unsupported};
use crate::expr::Expr;
use crate::rel::{ColumnInfo, Query, Rel, SetOpKind};

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

/// The keys of ORDER BY.
pub(crate) fn order_by(query: &ast::Query) -> Result<&[ast::OrderByExpr]> {
    match &query.order_by {
        None => Ok(&[]),
        Some(ast::OrderBy {
            kind: OrderByKind::Expressions(keys),
            ..
        }) => Ok(keys),
        Some(_) => unsupported("ORDER BY ALL", query.span()),
    }
}

impl<'a> Planner<'a> {
    /// Plans a query in the scopes on the stack.
    pub(crate) fn plan_query(&mut self, query: &'a ast::Query) -> Result<Planned> {
        self.nested(|p| {
            let outer = p.ctes.len();
            if let Some(with) = &query.with {
                p.push_ctes(with);
            }
            let planned = p.plan_body(query);
            p.ctes.truncate(outer);
            planned
        })
    }

    fn plan_body(&mut self, query: &'a ast::Query) -> Result<Planned> {
        if !query.locks.is_empty() || query.for_clause.is_some() {
            return unsupported("FOR", query.span());
        }
        if !query.pipe_operators.is_empty() {
            return unsupported("pipe operators", query.span());
        }
        if let SetExpr::Select(select) = &*query.body {
            let limits = self.plan_limits(query)?;
            return self.plan_select(select, order_by(query)?, limits);
        }
        let (planned, arms) = self.plan_compound(&query.body)?;
        self.order_outputs(planned, query, &arms)
    }

    /// A compound SELECT, with its arms from left to right.
    fn plan_compound(&mut self, body: &'a SetExpr) -> Result<(Planned, Vec<&'a SetExpr>)> {
        // Down the left side without recursion: a compound SELECT may be long.
        let mut tail = Vec::new();
        let mut first = body;
        while let SetExpr::SetOperation {
            left,
            op,
            set_quantifier,
            right,
        } = first
        {
            tail.push((op, set_quantifier, &**right));
            first = left;
        }
        let mut arms = vec![first];
        let mut planned = self.plan_arm(first)?;
        for (op, quantifier, right) in tail.into_iter().rev() {
            let kind = match op {
                SetOperator::Union => SetOpKind::Union,
                SetOperator::Intersect => SetOpKind::Intersect,
                SetOperator::Except | SetOperator::Minus => SetOpKind::Except,
            };
            let all = match quantifier {
                SetQuantifier::All => true,
                SetQuantifier::None | SetQuantifier::Distinct => false,
                _ => return unsupported(format!("{op} {quantifier}"), right.span()),
            };
            let next = self.plan_arm(right)?;
            planned = self.set_operation(kind, all, planned, next, right)?;
            arms.push(right);
        }
        Ok((planned, arms))
    }

    /// One arm of a compound SELECT.
    pub(crate) fn plan_arm(&mut self, arm: &'a SetExpr) -> Result<Planned> {
        match arm {
            SetExpr::Select(select) => self.nested(|p| p.plan_select(select, &[], Limits::default())),
            SetExpr::Query(query) => self.plan_query(query),
            SetExpr::Values(values) => self.plan_values(values),
            // INTERSECT binds tighter than its neighbours in some dialects.
            SetExpr::SetOperation { .. } => self.nested(|p| Ok(p.plan_compound(arm)?.0)),
            other => unsupported("this kind of query body", other.span()),
        }
    }

    fn plan_values(&mut self, values: &'a ast::Values) -> Result<Planned> {
        let mut rows = Vec::with_capacity(values.rows.len());
        for row in &values.rows {
            rows.push(self.plan_exprs(&row.content)?);
        }
        let width = rows.first().map_or(0, Vec::len);
        if width == 0 || rows.iter().any(|r| r.len() != width) {
            return invalid(
                "all VALUES must have the same number of terms",
                values
                    .rows
                    .first()
                    .and_then(|r| r.content.first())
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
                    None => ColumnInfo {
                        name: name.clone(),
                        origin: None,
                        affinity: None,
                        ..next
                    },
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
            query: Query {
                rel: Rel::Values {
                    columns: columns.clone(),
                    rows,
                },
                output: columns,
            },
            names,
        })
    }

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
            return invalid(
                format!("the arms of a set operation have {l} and {r} columns"),
                at.span(),
            );
        }
        let mut columns = Vec::with_capacity(l);
        for (left_id, right_id) in left.query.output.iter().zip(&right.query.output) {
            let of = |id: &ColumnId| self.columns.get(id.0 as usize);
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
                class: if kind == SetOpKind::Union {
                    types::common_class(a.class, b.class)
                } else {
                    a.class
                },
                nullable,
            };
            let id = self.new_column(info)?;
            self.copy_kind(id, *left_id);
            columns.push(id);
        }
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
    pub(crate) fn plan_limits(&mut self, query: &'a ast::Query) -> Result<Limits> {
        let scopes = std::mem::take(&mut self.scopes);
        let mut limits = Limits::default();
        match &query.limit_clause {
            None => {}
            Some(ast::LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            }) => {
                if !limit_by.is_empty() {
                    return unsupported("LIMIT BY", query.span());
                }
                if let Some(limit) = limit {
                    limits.limit = Some(self.plan_expr(limit)?);
                }
                if let Some(offset) = offset {
                    limits.offset = Some(self.plan_expr(&offset.value)?);
                }
            }
            Some(ast::LimitClause::OffsetCommaLimit { offset, limit }) => {
                limits.limit = Some(self.plan_expr(limit)?);
                limits.offset = Some(self.plan_expr(offset)?);
            }
        }
        if let Some(fetch) = &query.fetch {
            if fetch.with_ties || fetch.percent {
                return unsupported("FETCH WITH TIES or PERCENT", query.span());
            }
            limits.limit = Some(match &fetch.quantity {
                Some(quantity) => self.plan_expr(quantity)?,
                None => Expr::Literal(crate::value::Value::Integer(1)),
            });
        }
        self.scopes = scopes;
        Ok(limits)
    }

    /// ORDER BY and LIMIT over the outputs of a compound SELECT.
    pub(crate) fn order_outputs(
        &mut self,
        planned: Planned,
        query: &'a ast::Query,
        arms: &[&'a SetExpr],
    ) -> Result<Planned> {
        let limits = self.plan_limits(query)?;
        let mut keys = Vec::new();
        for (at, key) in order_by(query)?.iter().enumerate() {
            let (term, collation) = strip_collate(&key.expr);
            let position = match ordinal(term, planned.names.len(), at, "ORDER BY")? {
                Some(position) => Some(position),
                None => output_position(term, &planned.names, arms),
            };
            let column = position.and_then(|p| planned.query.output.get(p));
            let Some(column) = column else {
                return invalid(
                    format!(
                        "ORDER BY term {} does not match any column in the result set",
                        at + 1
                    ),
                    key.expr.span(),
                );
            };
            let expr = collated(Expr::Column(*column), collation);
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
        select.projection.iter().position(|item| match item {
            ast::SelectItem::ExprWithAlias { expr, alias } => {
                name.is_some_and(|n| n.value.eq_ignore_ascii_case(&alias.value))
                    || expr.to_string().to_ascii_lowercase() == text
            }
            ast::SelectItem::UnnamedExpr(expr) => {
                let same_name = match (name, unwrap_nested(expr)) {
                    (Some(n), ast::Expr::Identifier(i)) => n.value.eq_ignore_ascii_case(&i.value),
                    (Some(n), ast::Expr::CompoundIdentifier(parts)) => parts
                        .last()
                        .is_some_and(|i| n.value.eq_ignore_ascii_case(&i.value)),
                    _ => false,
                };
                same_name || expr.to_string().to_ascii_lowercase() == text
            }
            _ => false,
        })
    })
}
