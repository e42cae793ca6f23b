//! Joins that only ask whether there is a partner, and rows from arrays behind FROM.
//!
//! | before | after |
//! |---|---|
//! | `FROM a LEFT SEMI JOIN b ON a.x = b.x` | `FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.x = b.x)` |
//! | `FROM a LEFT ANTI JOIN b ON a.x = b.x` | `FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.x = b.x)` |
//! | `FROM a LATERAL VIEW OUTER explode(a.x) v AS y` | `FROM a LEFT JOIN explode(a.x) AS v(y) ON TRUE` |
//! | `FROM a PREWHERE x WHERE y` | `FROM a WHERE x AND y` |
//!
//! Databricks: sql-ref-syntax-qry-select-join, sql-ref-syntax-qry-select-lateral-view; DuckDB: query_syntax/from#semi-and-anti-joins;
//! ClickHouse: statements/select/prewhere.

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArguments, Ident, Join, JoinConstraint, JoinOperator, LateralView,
    ObjectName, Select, SetExpr, Spanned, TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins,
    Value,
};

use super::build::{called, query};
use crate::error::{SqlError, unsupported};

/// Rewrites the joins, the views and PREWHERE of one SELECT.
pub(super) fn write_out(select: &mut Select) -> Result<(), SqlError> {
    let mut conditions = Vec::new();
    for from in &mut select.from {
        semi_joins(from, &mut conditions)?;
    }
    for view in std::mem::take(&mut select.lateral_views) {
        let join = of_view(view)?;
        match select.from.last_mut() {
            Some(from) => from.joins.push(join),
            None => select.from.push(TableWithJoins { relation: join.relation, joins: Vec::new() }),
        }
    }
    // PREWHERE is read first, and asks for the same.
    conditions.splice(0..0, select.prewhere.take());
    for condition in conditions {
        select.selection = Some(match select.selection.take() {
            Some(before) => Expr::BinaryOp {
                left: Box::new(Expr::Nested(Box::new(before))),
                op: BinaryOperator::And,
                right: Box::new(Expr::Nested(Box::new(condition))),
            },
            None => condition,
        });
    }
    Ok(())
}

/// Takes the semi-joins out of a list of joins; what they ask for goes to `conditions`.
fn semi_joins(from: &mut TableWithJoins, conditions: &mut Vec<Expr>) -> Result<(), SqlError> {
    use JoinOperator as J;
    let fills_up = |j: &Join| matches!(j.join_operator, J::Right(_) | J::RightOuter(_) | J::FullOuter(_));
    let mut kept: Vec<Join> = Vec::new();
    let mut joins = std::mem::take(&mut from.joins).into_iter();
    while let Some(join) = joins.next() {
        let (negated, constraint) = match &join.join_operator {
            J::Semi(constraint) | J::LeftSemi(constraint) => (false, constraint.clone()),
            J::Anti(constraint) | J::LeftAnti(constraint) => (true, constraint.clone()),
            _ => {
                kept.push(join);
                continue;
            }
        };
        let span = join.relation.span();
        // A later join may give rows that this one has not seen.
        if joins.as_slice().iter().any(fills_up) {
            return unsupported("a SEMI or ANTI join before a RIGHT or FULL one", span);
        }
        let on = match constraint {
            JoinConstraint::On(on) => Some(on),
            JoinConstraint::None => None,
            JoinConstraint::Using(names) => Some(using(from, &kept, &join.relation, &names)?),
            JoinConstraint::Natural => return unsupported("a NATURAL SEMI or ANTI join", span),
        };
        let Some(mut subquery) = query("SELECT 1 FROM x", &[]) else {
            return unsupported("a SEMI or ANTI join", span);
        };
        if let SetExpr::Select(inner) = &mut *subquery.body {
            inner.from = vec![TableWithJoins { relation: join.relation, joins: Vec::new() }];
            inner.selection = on;
        }
        conditions.push(Expr::Exists { subquery, negated });
    }
    from.joins = kept;
    Ok(())
}

/// `USING (x)` of a semi-join with one table to its left: `a.x = b.x`.
fn using(
    from: &TableWithJoins,
    kept: &[Join],
    right: &TableFactor,
    names: &[ObjectName],
) -> Result<Expr, SqlError> {
    let (Some(left_name), Some(right_name), []) = (called(&from.relation), called(right), kept) else {
        return unsupported("a SEMI or ANTI join with USING of these tables", right.span());
    };
    let mut all: Option<Expr> = None;
    for name in names {
        let Some(column) = name.0.last().and_then(|part| part.as_ident()) else {
            return unsupported(format!("USING ({name})"), name.span());
        };
        let of = |table: &Ident| Box::new(Expr::CompoundIdentifier(vec![table.clone(), column.clone()]));
        let equal = Expr::BinaryOp { left: of(&left_name), op: BinaryOperator::Eq, right: of(&right_name) };
        all = Some(match all {
            Some(before) => {
                Expr::BinaryOp { left: Box::new(before), op: BinaryOperator::And, right: Box::new(equal) }
            }
            None => equal,
        });
    }
    all.map_or_else(|| unsupported("USING without a column", right.span()), Ok)
}

/// `LATERAL VIEW f(x) t AS a, b` as a join.
fn of_view(view: LateralView) -> Result<Join, SqlError> {
    let LateralView { lateral_view, lateral_view_name, lateral_col_alias, outer } = view;
    let span = lateral_view.span();
    let Expr::Function(function) = lateral_view else {
        return unsupported("LATERAL VIEW of what is no function", span);
    };
    let FunctionArguments::List(list) = function.args else {
        return unsupported("LATERAL VIEW of this function", span);
    };
    let Some(name) = lateral_view_name.0.last().and_then(|part| part.as_ident()) else {
        return unsupported("the name of a LATERAL VIEW", span);
    };
    let columns = lateral_col_alias.into_iter().map(|name| TableAliasColumnDef { name, data_type: None });
    let relation = TableFactor::Function {
        lateral: true,
        name: function.name,
        args: list.args,
        with_ordinality: false,
        alias: Some(TableAlias { explicit: true, name: name.clone(), columns: columns.collect(), at: None }),
    };
    let always = JoinConstraint::On(Expr::Value(Value::Boolean(true).with_span(span)));
    let join_operator =
        if outer { JoinOperator::Left(always) } else { JoinOperator::CrossJoin(JoinConstraint::None) };
    Ok(Join { relation, global: false, join_operator })
}
