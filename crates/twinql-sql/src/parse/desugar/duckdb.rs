//! DuckDB's calls in plainer words (<https://duckdb.org/docs/stable/sql/functions/aggregates>,
//! <https://duckdb.org/docs/stable/sql/data_types/struct>).
//!
//! | written | written out |
//! |---|---|
//! | `first(x ORDER BY y)`, `last(x ORDER BY y)` | `list(x ORDER BY y)[1]`, `list(x ORDER BY y)[-1]` |
//! | `struct_pack(a := 1)` | `STRUCT(1 AS a)` |

use sqlparser::ast::{
    AccessExpr, Expr, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments, Ident,
    ObjectName, ObjectNamePart, Spanned, Subscript,
};

use super::build::{last_name, number};

/// Writes out a call.
pub(super) fn write_out(expr: &mut Expr) {
    let written = match expr {
        Expr::Function(function) => match last_name(&function.name).as_deref() {
            Some("first") => at_end(expr, 1),
            Some("last") => at_end(expr, -1),
            Some("struct_pack") => record(expr),
            _ => None,
        },
        _ => None,
    };
    if let Some(written) = written {
        *expr = written;
    }
}

/// The first or the last value in an order.
fn at_end(expr: &Expr, place: i64) -> Option<Expr> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    let ordered = matches!(list.clauses.as_slice(), [FunctionArgumentClause::OrderBy(_)]);
    if !ordered || function.over.is_some() {
        return None;
    }
    let span = expr.span();
    let mut values = function.clone();
    values.name = ObjectName(vec![ObjectNamePart::Identifier(Ident::with_span(span, "list"))]);
    let index = Subscript::Index { index: number(place, span) };
    Some(Expr::CompoundFieldAccess {
        root: Box::new(Expr::Function(values)),
        access_chain: vec![AccessExpr::Subscript(index)],
    })
}

/// A STRUCT of named arguments.
fn record(expr: &Expr) -> Option<Expr> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    let field = |arg: &FunctionArg| match arg {
        FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), operator: _ }
        | FunctionArg::ExprNamed {
            name: Expr::Identifier(name),
            arg: FunctionArgExpr::Expr(value),
            operator: _,
        } => Some(Expr::Named { expr: Box::new(value.clone()), name: name.clone() }),
        _ => None,
    };
    let values: Option<Vec<Expr>> = list.args.iter().map(field).collect();
    Some(Expr::Struct { values: values?, fields: Vec::new() })
}
