//! `RATIO_TO_REPORT(x) OVER (PARTITION BY p)` → `x / SUM(x) OVER (PARTITION BY p)`.
//!
//! Snowflake: sql-reference/functions/ratio_to_report; Oracle has it too. A sum of 0 gives NULL.

use sqlparser::ast::{BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident};

use super::build::last_name;

/// Writes out one call.
pub(super) fn write_out(expr: &mut Expr) {
    let Expr::Function(function) = &*expr else {
        return;
    };
    if function.over.is_none() || last_name(&function.name).as_deref() != Some("ratio_to_report") {
        return;
    }
    let FunctionArguments::List(list) = &function.args else {
        return;
    };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))] = list.args.as_slice() else {
        return;
    };
    let value = value.clone();
    let mut sum = function.clone();
    sum.name = Ident::new("sum").into();
    let zero = Expr::Value(sqlparser::ast::Value::Number("0".into(), false).with_empty_span());
    let divisor =
        super::build::call("nullif", vec![Expr::Function(sum), zero], sqlparser::tokenizer::Span::empty());
    *expr = Expr::Nested(Box::new(Expr::BinaryOp {
        left: Box::new(Expr::Nested(Box::new(value))),
        op: BinaryOperator::Divide,
        right: Box::new(divisor),
    }));
}
