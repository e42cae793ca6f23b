//! ClickHouse's own clauses in plainer words.
//!
//! | written | in plainer words |
//! |---|---|
//! | `FROM a GLOBAL JOIN b` | `FROM a JOIN b` |
//! | `FROM t ARRAY JOIN t.tags AS tag` | `FROM t CROSS JOIN UNNEST(t.tags) AS tag (tag)` |
//! | `quantile(0.5)(x)` | `quantile(x, 0.5)` |
//! | `… ORDER BY b LIMIT 2 BY a` | `… QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) <= 2 ORDER BY b` |
//!
//! statements/select/join, statements/select/array-join, statements/select/limit-by, aggregate-functions/parametric-functions.

use sqlparser::ast::{
    Expr, FunctionArguments, Ident, JoinConstraint, JoinOperator, LimitClause, OrderByKind, Query, Select,
    SetExpr, Spanned, TableAlias, TableAliasColumnDef, TableFactor, WindowSpec, WindowType,
};

use super::build::{call, last_name, plain_arguments, plain_table};
use crate::syntax::Named;

/// The joins of a SELECT.
pub(super) fn joins(select: &mut Select) {
    for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
        join.global = false;
        let of_array = match &join.join_operator {
            JoinOperator::ArrayJoin | JoinOperator::InnerArrayJoin => array(&join.relation),
            _ => None,
        };
        if let Some(elements) = of_array {
            join.relation = elements;
            join.join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
        }
    }
}

/// The elements of an array with a name, which the parser reads as a table.
fn array(factor: &TableFactor) -> Option<TableFactor> {
    let (Named { name, alias, args }, _) = plain_table(factor)?;
    let alias = alias?;
    let parts: Option<Vec<Ident>> = name.0.iter().map(|part| part.as_ident().cloned()).collect();
    let array = match (args, parts?.as_slice()) {
        (Some(called), [_]) => {
            let args = plain_arguments(&called.args)?.into_iter().cloned();
            call(&last_name(name)?, args.collect(), name.span())
        }
        (None, [one]) => Expr::Identifier(one.clone()),
        (None, parts) => Expr::CompoundIdentifier(parts.to_vec()),
        (Some(_), _) => return None,
    };
    let column = TableAliasColumnDef { name: alias.name.clone(), data_type: None };
    let alias = TableAlias { explicit: true, name: alias.name.clone(), columns: vec![column], at: None };
    Some(TableFactor::UNNEST {
        alias: Some(alias),
        array_exprs: vec![array],
        with_offset: false,
        with_offset_alias: None,
        with_ordinality: false,
    })
}

/// Puts the parameters of a function behind its arguments.
pub(super) fn parameters(expr: &mut Expr) {
    let Expr::Function(function) = expr else { return };
    let FunctionArguments::List(given) = &mut function.parameters else { return };
    let FunctionArguments::List(list) = &mut function.args else { return };
    if given.duplicate_treatment.is_none() && given.clauses.is_empty() {
        list.args.append(&mut given.args);
        function.parameters = FunctionArguments::None;
    }
}

/// LIMIT n BY.
pub(super) fn limit_by(query: &mut Query) {
    let Some(LimitClause::LimitOffset { limit, offset: None, limit_by }) = &mut query.limit_clause else {
        return;
    };
    let SetExpr::Select(select) = &mut *query.body else { return };
    let (Some(count), false, None) = (limit.clone(), limit_by.is_empty(), &select.qualify) else { return };
    let order_by = match query.order_by.as_ref().map(|order| &order.kind) {
        None => Vec::new(),
        Some(OrderByKind::Expressions(keys)) => keys.clone(),
        Some(OrderByKind::All(_)) => return,
    };
    let span = count.span();
    let mut number = call("row_number", Vec::new(), span);
    if let Expr::Function(function) = &mut number {
        let partition_by = std::mem::take(limit_by);
        function.over = Some(WindowType::WindowSpec(WindowSpec {
            window_name: None,
            partition_by,
            order_by,
            window_frame: None,
        }));
    }
    select.qualify = Some(Expr::BinaryOp {
        left: Box::new(number),
        op: sqlparser::ast::BinaryOperator::LtEq,
        right: Box::new(count),
    });
    query.limit_clause = None;
}
