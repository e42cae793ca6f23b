//! Small parts of sqlparser's AST.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident,
    ObjectName, ObjectNamePart, Query, TableAlias, TableFactor, TableFunctionArgs, ValueWithSpan,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Span;

pub(super) use crate::syntax::call;
use crate::syntax::{Named, change_expressions, plain_argument};

/// What a factor of FROM is called: its alias, or a table's own name.
pub(super) fn called(factor: &TableFactor) -> Option<Ident> {
    if let Some(Named { name, alias, args: _ }) = Named::of(factor) {
        return match alias {
            Some(alias) => Some(alias.name.clone()),
            None => name.0.last()?.as_ident().cloned(),
        };
    }
    match factor {
        TableFactor::Derived { alias, lateral: _, subquery: _, sample: _ } => {
            alias.as_ref().map(|alias| alias.name.clone())
        }
        _ => None,
    }
}

/// A table without a version, a sample, an ordinality or a path; and whether it has no hints and partitions either.
pub(super) fn plain_table(factor: &TableFactor) -> Option<(Named<'_>, bool)> {
    let TableFactor::Table {
        name,
        alias,
        args,
        with_hints,
        version: None,
        with_ordinality: false,
        partitions,
        json_path: None,
        sample: None,
        index_hints,
    } = factor
    else {
        return None;
    };
    let bare = with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty();
    Some((Named { name, alias: alias.as_ref(), args: args.as_ref() }, bare))
}

/// The arguments of a call, where none has a name and none is a wildcard.
pub(super) fn plain_arguments(args: &[FunctionArg]) -> Option<Vec<&Expr>> {
    args.iter().map(plain_argument).collect()
}

/// The whole number that a constant is; of `'7'` too, where `texts` count.
pub(super) fn whole(expr: &Expr, texts: bool) -> Option<i64> {
    match expr {
        Expr::Nested(inner) => whole(inner, texts),
        Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => whole(expr, texts)?.checked_neg(),
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) => digits.parse().ok(),
            ast::Value::SingleQuotedString(text) if texts => text.trim().parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// A number.
pub(super) fn number(n: i64, span: Span) -> Expr {
    Expr::Value(ValueWithSpan { value: ast::Value::Number(n.to_string(), false), span })
}

/// A string.
pub(super) fn string(text: impl Into<String>, span: Span) -> Expr {
    Expr::Value(ValueWithSpan { value: ast::Value::SingleQuotedString(text.into()), span })
}

/// NULL.
pub(super) fn null(span: Span) -> Expr {
    Expr::Value(ValueWithSpan { value: ast::Value::Null, span })
}

/// A function in FROM.
pub(super) fn call_in_from(
    function: &str,
    args: Vec<Expr>,
    alias: Option<TableAlias>,
    span: Span,
) -> TableFactor {
    TableFactor::Table {
        name: ObjectName(vec![ObjectNamePart::Identifier(Ident::with_span(span, function))]),
        alias,
        args: Some(TableFunctionArgs {
            args: args.into_iter().map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e))).collect(),
            settings: None,
        }),
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

/// A function's lower-case name and plain arguments; `None` where anything else stands in
/// the call.
pub(super) fn plain_call(expr: &Expr) -> Option<(String, Vec<&Expr>)> {
    let Expr::Function(function) = expr else {
        return None;
    };
    let Function {
        name,
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(list),
        within_group,
        filter: None,
        null_treatment: None,
        over: None,
    } = function
    else {
        return None;
    };
    let FunctionArgumentList { duplicate_treatment: None, args, clauses } = list else {
        return None;
    };
    if !within_group.is_empty() || !clauses.is_empty() {
        return None;
    }
    Some((last_name(name)?, plain_arguments(args)?))
}

/// The last part of a name, in lower case.
pub(super) fn last_name(name: &ObjectName) -> Option<String> {
    Some(name.0.last()?.as_ident()?.value.to_ascii_lowercase())
}

/// The text of a string.
pub(super) fn text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Nested(inner) => text(inner),
        Expr::Value(ValueWithSpan { value: ast::Value::SingleQuotedString(text), span: _ }) => Some(text),
        _ => None,
    }
}

/// A query of this text, with the expressions in the places of `"$1"`, `"$2"`, ….
pub(super) fn query(sql: &str, args: &[Expr]) -> Option<Box<Query>> {
    let mut parser = Parser::new(&PostgreSqlDialect {}).try_with_sql(sql).ok()?;
    let mut query = parser.parse_query().ok()?;
    let _: ControlFlow<()> = change_expressions(&mut *query, &mut |expr| {
        if let Expr::Identifier(name) = expr
            && let Some(at) = name.value.strip_prefix('$')
            && let Some(arg) = at.parse::<usize>().ok().and_then(|at| args.get(at.checked_sub(1)?))
        {
            *expr = arg.clone();
        }
        ControlFlow::Continue(())
    });
    Some(query)
}
