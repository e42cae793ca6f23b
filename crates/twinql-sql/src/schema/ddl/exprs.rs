//! Conditions and computed values of a schema, in SQLite's terms.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, AccessExpr, Array, BinaryOperator, CastKind, DataType, DateTimeField, Expr, FunctionArguments,
    Ident, ObjectNamePart, Value, ValueWithSpan,
};
use sqlparser::tokenizer::Span;

use crate::dialects::Dialect;
use crate::syntax::{any_expression, change_expressions};

/// The expression as SQLite has it.
///
/// # Errors
/// What has no form there.
pub(super) fn to_sqlite(mut expr: Expr, dialect: Dialect) -> Result<Expr, String> {
    let failure = change_expressions(&mut expr, &mut |e| match rewrite(e, dialect) {
        Ok(()) => ControlFlow::Continue(()),
        Err(why) => ControlFlow::Break(why),
    });
    match failure {
        ControlFlow::Continue(()) => Ok(expr),
        ControlFlow::Break(why) => Err(why),
    }
}

fn null() -> Expr {
    Expr::Value(ValueWithSpan { value: Value::Null, span: Span::empty() })
}

fn text(value: &str) -> Expr {
    Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(value.to_owned()), span: Span::empty() })
}

/// One node, its children being rewritten already.
fn rewrite(e: &mut Expr, dialect: Dialect) -> Result<(), String> {
    let taken = std::mem::replace(e, null());
    *e = match taken {
        Expr::Cast { kind: _, expr, data_type, format } => {
            if format.is_some() {
                return Err("a cast with a format".into());
            }
            cast(*expr, data_type)
        }
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, is_some: _ } => {
            in_list(*left, *right, false)?
        }
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => in_list(*left, *right, true)?,
        Expr::BinaryOp { left, op, right } => match op {
            BinaryOperator::PGLikeMatch => like(*left, *right, false, true)?,
            BinaryOperator::PGNotLikeMatch => like(*left, *right, true, true)?,
            BinaryOperator::PGILikeMatch => like(*left, *right, false, false)?,
            BinaryOperator::PGNotILikeMatch => like(*left, *right, true, false)?,
            op => Expr::BinaryOp { left, op, right },
        },
        Expr::Like { negated, any, expr, pattern, escape_char } => {
            if any || escape_char.is_some() && dialect.meaning().like_minds_case {
                return Err("this form of LIKE".into());
            }
            match escape_char {
                Some(_) => Expr::Like { negated, any, expr, pattern, escape_char },
                None => like(*expr, *pattern, negated, dialect.meaning().like_minds_case)?,
            }
        }
        Expr::ILike { negated, any, expr, pattern, escape_char } => {
            if any || escape_char.is_some() {
                return Err("this form of ILIKE".into());
            }
            like(*expr, *pattern, negated, false)?
        }
        Expr::Extract { field, syntax: _, expr } => {
            let format = match field {
                DateTimeField::Year => "%Y",
                DateTimeField::Month => "%m",
                DateTimeField::Day => "%d",
                other => return Err(format!("EXTRACT({other})")),
            };
            return parsed(&format!("CAST(strftime('{format}', {expr}) AS INTEGER)")).map(|new| *e = new);
        }
        Expr::Function(mut function) => {
            if let [ObjectNamePart::Identifier(name)] = function.name.0.as_mut_slice()
                && ["char_length", "character_length", "len"]
                    .iter()
                    .any(|n| name.value.eq_ignore_ascii_case(n))
            {
                name.value = "length".into();
            }
            if matches!(function.args, FunctionArguments::Subquery(_)) {
                return Err("a subquery".into());
            }
            Expr::Function(function)
        }
        Expr::CompoundIdentifier(mut parts) => match parts.pop() {
            Some(last) => Expr::Identifier(last),
            None => return Err("a name without parts".into()),
        },
        Expr::CompoundFieldAccess { root, access_chain } => {
            // sqlparser reads `[a]` behind a name as a subscript.
            let shown = access_chain.iter().map(AccessExpr::to_string).collect::<String>();
            return Err(format!("the access {root}{shown}"));
        }
        Expr::Value(ValueWithSpan {
            value:
                Value::DoubleQuotedString(s) | Value::EscapedStringLiteral(s) | Value::NationalStringLiteral(s),
            span: _,
        }) => text(&s),
        Expr::Value(ValueWithSpan { value: Value::DollarQuotedString(quoted), span: _ }) => {
            text(&quoted.value)
        }
        Expr::Value(ValueWithSpan { value: Value::Placeholder(name), span: _ }) => {
            return Err(format!("the parameter {name}"));
        }
        Expr::Subquery(_)
        | Expr::Exists { subquery: _, negated: _ }
        | Expr::InSubquery { expr: _, subquery: _, negated: _ } => return Err("a subquery".into()),
        other => other,
    };
    Ok(())
}

fn parsed(text: &str) -> Result<Expr, String> {
    crate::parse::parse_expression(text, Dialect::Sqlite).map_err(|e| e.to_string())
}

/// A cast to text or to a form of time changes nothing that SQLite stores.
fn cast(expr: Expr, data_type: DataType) -> Expr {
    let shown = data_type.to_string().to_ascii_uppercase();
    let number = ["INT", "NUM", "DEC", "REAL", "FLOAT", "DOUBLE", "SIGNED", "SERIAL"];
    let word = shown.split(['(', ' ']).next().unwrap_or_default();
    if number.iter().any(|n| word.contains(n)) && word != "INTERVAL" && !shown.contains("[]") {
        Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, format: None }
    } else {
        expr
    }
}

fn inner(expr: Expr) -> Expr {
    match expr {
        Expr::Nested(e) => inner(*e),
        other => other,
    }
}

fn in_list(left: Expr, right: Expr, negated: bool) -> Result<Expr, String> {
    match inner(right) {
        Expr::Array(Array { elem, named: _ }) => {
            Ok(Expr::InList { expr: Box::new(left), list: elem.into_iter().map(inner).collect(), negated })
        }
        other => Err(format!("a comparison with the elements of {other}")),
    }
}

/// LIKE; where it tells cases apart, as the GLOB that says the same.
fn like(left: Expr, pattern: Expr, negated: bool, case: bool) -> Result<Expr, String> {
    if !case {
        return Ok(Expr::Like {
            negated,
            any: false,
            expr: Box::new(left),
            pattern: Box::new(pattern),
            escape_char: None,
        });
    }
    let Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(pattern), span: _ }) = inner(pattern)
    else {
        return Err("LIKE with a computed pattern".into());
    };
    let mut glob = String::new();
    for c in pattern.chars() {
        match c {
            '%' => glob.push('*'),
            '_' => glob.push('?'),
            '*' | '?' | '[' => {
                glob.push('[');
                glob.push(c);
                glob.push(']');
            }
            '\\' => return Err("LIKE with a backslash".into()),
            c => glob.push(c),
        }
    }
    let glob = parsed(&format!("glob({}, {left})", text(&glob)))?;
    Ok(if negated { Expr::UnaryOp { op: ast::UnaryOperator::Not, expr: Box::new(glob) } } else { glob })
}

/// Gives a column another name.
pub(super) fn rename(expr: &mut Expr, old: &str, new: &str) {
    let _: ControlFlow<()> = change_expressions(expr, &mut |e| {
        if let Expr::Identifier(ident) = e
            && ident.value.eq_ignore_ascii_case(old)
        {
            *ident = Ident::with_quote('"', new);
        }
        ControlFlow::Continue(())
    });
}

/// True if the expression names the column.
pub(super) fn mentions(expr: &Expr, name: &str) -> bool {
    any_expression(
        expr,
        &mut |e| matches!(e, Expr::Identifier(ident) if ident.value.eq_ignore_ascii_case(name)),
    )
}

/// The columns, by position among `names`, that the expression names; each name takes the
/// schema's spelling, and a name in double quotes that is no column becomes the string that
/// SQLite takes it for.
///
/// # Errors
/// A name that is no column.
pub(super) fn resolve(expr: &mut Expr, names: &[&str]) -> Result<Vec<usize>, String> {
    let mut columns = Vec::new();
    let unknown = change_expressions(expr, &mut |e| {
        let Expr::Identifier(ident) = e else {
            return ControlFlow::Continue(());
        };
        match names.iter().position(|n| n.eq_ignore_ascii_case(&ident.value)) {
            Some(at) => {
                if !columns.contains(&at) {
                    columns.push(at);
                }
                *ident = Ident::with_quote('"', names[at].replace('"', "\"\""));
            }
            None if ident.quote_style == Some('"') => {
                let value = ident.value.clone();
                *e = text(&value);
            }
            None => return ControlFlow::Break(ident.value.clone()),
        }
        ControlFlow::Continue(())
    });
    match unknown {
        ControlFlow::Continue(()) => Ok(columns),
        ControlFlow::Break(name) => Err(format!("it names {name:?}, which is no column of the table")),
    }
}

/// The columns that a condition asks to be not null, as conjuncts of it.
pub(super) fn not_null(expr: &Expr, into: &mut Vec<String>) {
    match expr {
        Expr::Nested(e) => not_null(e, into),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            not_null(left, into);
            not_null(right, into);
        }
        Expr::IsNotNull(e) => {
            if let Expr::Identifier(ident) = &**e {
                into.push(ident.value.clone());
            }
        }
        _ => {}
    }
}
