//! What is known of an expression's values.

use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp};
use crate::function::{self, Gives};
use crate::rel::{ColumnInfo, Columns, Query};
use crate::schema::{Affinity, TypeClass};
use crate::value::Value;

fn info(affinity: Option<Affinity>, class: TypeClass, nullable: bool) -> ColumnInfo {
    ColumnInfo { affinity, ..ColumnInfo::computed("", class, nullable) }
}

/// An unnamed column's info for the value of an expression.
pub(crate) fn info_of(expr: &Expr, columns: &Columns) -> ColumnInfo {
    match expr {
        Expr::Column(id) => match id.info(columns) {
            Some(column) => column.clone(),
            None => info(None, TypeClass::Other, true),
        },
        Expr::Literal(value) => {
            let class = match value {
                Value::Integer(_) => TypeClass::Integer,
                Value::Real(_) => TypeClass::Number,
                Value::Text(_) => TypeClass::Text,
                Value::Null | Value::Blob(_) => TypeClass::Other,
            };
            info(None, class, *value == Value::Null)
        }
        Expr::Unary { op, expr } => {
            let inner = info_of(expr, columns);
            match op {
                UnaryOp::IsNull => info(None, TypeClass::Boolean, false),
                UnaryOp::Not => info(None, TypeClass::Boolean, inner.nullable),
                UnaryOp::BitNot => info(None, TypeClass::Integer, inner.nullable),
                UnaryOp::Neg => info(None, numeric(inner.class), inner.nullable),
                UnaryOp::Plus => info(None, inner.class, inner.nullable),
            }
        }
        Expr::Binary { op, left, right } => binary(*op, left, right, columns),
        Expr::And(list) | Expr::Or(list) => {
            info(None, TypeClass::Boolean, list.iter().any(|e| info_of(e, columns).nullable))
        }
        Expr::Function { name, args } => function(name, args, columns),
        Expr::Case { branches, otherwise, .. } => {
            let mut values = branches.iter().map(|(_, then)| then).chain(otherwise.as_deref());
            let first = values.next().map(|e| info_of(e, columns));
            let mut nullable = otherwise.is_none() || first.as_ref().is_none_or(|i| i.nullable);
            let mut class = first.map_or(TypeClass::Other, |i| i.class);
            for value in values {
                let next = info_of(value, columns);
                nullable |= next.nullable;
                if !matches!(value, Expr::Literal(Value::Null)) {
                    class = common_class(class, next.class);
                }
            }
            info(None, class, nullable)
        }
        Expr::Cast { expr, affinity } => {
            let class = match affinity {
                Affinity::Text => TypeClass::Text,
                Affinity::Integer => TypeClass::Integer,
                Affinity::Numeric | Affinity::Real => TypeClass::Number,
                Affinity::Blob => TypeClass::Other,
            };
            info(Some(*affinity), class, info_of(expr, columns).nullable)
        }
        Expr::Collate { expr, .. } => ColumnInfo { origin: None, ..info_of(expr, columns) },
        Expr::Scalar(query) => ColumnInfo { origin: None, nullable: true, ..output_info(query, columns) },
        Expr::Exists(_) => info(None, TypeClass::Boolean, false),
        Expr::InList { .. } | Expr::InSubquery { .. } | Expr::Quantified { .. } => {
            info(None, TypeClass::Boolean, true)
        }
        Expr::Row(_) => info(None, TypeClass::Other, true),
    }
}

fn output_info(query: &Query, columns: &Columns) -> ColumnInfo {
    query
        .output
        .first()
        .and_then(|id| id.info(columns))
        .cloned()
        .unwrap_or_else(|| info(None, TypeClass::Other, true))
}

fn numeric(class: TypeClass) -> TypeClass {
    match class {
        TypeClass::Integer | TypeClass::Boolean => TypeClass::Integer,
        _ => TypeClass::Number,
    }
}

/// The class that holds the values of both.
///
/// Integers and reals are numbers; anything else together is `Other`, of which no rule assumes anything.
pub(crate) fn common_class(a: TypeClass, b: TypeClass) -> TypeClass {
    use TypeClass::{Integer, Number, Other};
    match (a, b) {
        (a, b) if a == b => a,
        (Integer, Number) | (Number, Integer) => Number,
        _ => Other,
    }
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, columns: &Columns) -> ColumnInfo {
    let (l, r) = (info_of(left, columns), info_of(right, columns));
    let nullable = l.nullable || r.nullable;
    match op {
        BinaryOp::Is | BinaryOp::IsNot => info(None, TypeClass::Boolean, false),
        BinaryOp::Eq
        | BinaryOp::NotEq
        | BinaryOp::Lt
        | BinaryOp::LtEq
        | BinaryOp::Gt
        | BinaryOp::GtEq
        | BinaryOp::Like
        | BinaryOp::Glob
        | BinaryOp::Regexp
        | BinaryOp::Match => info(None, TypeClass::Boolean, nullable),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
            info(None, common_class(numeric(l.class), numeric(r.class)), nullable)
        }
        // Division by zero is NULL.
        BinaryOp::Div | BinaryOp::Mod => info(None, common_class(numeric(l.class), numeric(r.class)), true),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            info(None, TypeClass::Integer, nullable)
        }
        BinaryOp::Concat => info(None, TypeClass::Text, nullable),
        BinaryOp::Arrow | BinaryOp::LongArrow => info(None, TypeClass::Other, true),
    }
}

/// A scalar function's result by the table of functions; of one that is not in it nothing is known.
fn function(name: &str, args: &[Expr], columns: &Columns) -> ColumnInfo {
    // Each argument is looked at once: nested calls must not double the work at each level.
    let args: Vec<ColumnInfo> = args.iter().map(|e| info_of(e, columns)).collect();
    let class = |i: usize| args.get(i).map_or(TypeClass::Other, |a| a.class);
    let Some(known) = function::scalar(name) else {
        return info(None, TypeClass::Other, true);
    };
    let given = match known.gives {
        Gives::Class(class) => class,
        Gives::First => class(0),
        Gives::Numeric => numeric(class(0)),
        Gives::Common => {
            let classes = args.iter().map(|a| a.class);
            classes.reduce(common_class).unwrap_or(TypeClass::Other)
        }
        Gives::Branches => common_class(class(1), class(2)),
    };
    let nullable = known.nulls.may_be_null(args.iter().map(|a| a.nullable));
    info(None, given, nullable)
}

/// The info of an aggregate's result. `grouped` is false for an aggregate over a whole
/// relation, which may be empty.
pub(crate) fn aggregate_info(call: &AggregateCall, grouped: bool, columns: &Columns) -> ColumnInfo {
    let arg = call.args.first().map_or_else(|| info(None, TypeClass::Other, true), |e| info_of(e, columns));
    // Over an empty input, or where a filter takes every row, the result is NULL.
    let nullable = arg.nullable || !grouped || call.filter.is_some();
    let named = |name: &str, i: ColumnInfo| ColumnInfo { name: name.into(), ..i };
    match &call.func {
        AggFunc::Count => named("count", info(None, TypeClass::Integer, false)),
        AggFunc::Sum => named("sum", info(None, numeric(arg.class), nullable)),
        AggFunc::Total => named("total", info(None, TypeClass::Number, false)),
        AggFunc::Avg => named("avg", info(None, TypeClass::Number, nullable)),
        // The value is the column's, but a function's result has no affinity (SQLite).
        AggFunc::Min => named("min", extreme(arg, nullable)),
        AggFunc::Max => named("max", extreme(arg, nullable)),
        AggFunc::GroupConcat => named("group_concat", info(None, TypeClass::Text, nullable)),
        AggFunc::Bare => ColumnInfo { nullable, ..arg },
        AggFunc::Other(name) => named(name, info(None, TypeClass::Other, true)),
    }
}

/// MIN or MAX: the argument's values, without its affinity.
fn extreme(arg: ColumnInfo, nullable: bool) -> ColumnInfo {
    ColumnInfo { affinity: None, nullable, ..arg }
}
