//! What numbers an expression gives: whole ones, doubles, or either.

use super::context::Context;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::schema::{Affinity, TypeClass};
use crate::value::Value;

/// What numbers an expression gives, NULL aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Whole numbers; an overflow would make a real.
    Whole,
    /// Doubles.
    Real,
    /// The one or the other, by the row.
    Either,
}

/// Expressions nested deeper than this are not looked into.
const MAX_DEPTH: usize = 24;

impl Context<'_> {
    /// What numbers an expression of moderate depth gives, if it gives numbers alone.
    pub(crate) fn numbers(&self, e: &Expr) -> Option<Numbers> {
        numbers_within(e, self, MAX_DEPTH)
    }
}

fn numbers_within(e: &Expr, cx: &Context<'_>, depth: usize) -> Option<Numbers> {
    let depth = depth.checked_sub(1)?;
    match e {
        Expr::Literal(Value::Integer(_)) => Some(Numbers::Whole),
        Expr::Literal(Value::Real(_)) => Some(Numbers::Real),
        Expr::Column(c) => {
            let info = cx.info(*c)?;
            match (info.affinity, info.class) {
                (Some(Affinity::Real), TypeClass::Number) => Some(Numbers::Real),
                _ if cx.is_integer(e) => Some(Numbers::Whole),
                (None | Some(Affinity::Numeric), TypeClass::Number) => Some(Numbers::Either),
                _ => None,
            }
        }
        Expr::Cast { affinity, .. } => match affinity {
            Affinity::Integer => Some(Numbers::Whole),
            Affinity::Real => Some(Numbers::Real),
            _ => None,
        },
        Expr::Unary { op: UnaryOp::Neg | UnaryOp::Plus, expr } => numbers_within(expr, cx, depth),
        Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, left, right } => {
            match (numbers_within(left, cx, depth)?, numbers_within(right, cx, depth)?) {
                (Numbers::Whole, Numbers::Whole) => Some(Numbers::Whole),
                (Numbers::Real, _) | (_, Numbers::Real) => Some(Numbers::Real),
                _ => Some(Numbers::Either),
            }
        }
        e if e.is_boolean() && !matches!(e, Expr::Literal(_)) => Some(Numbers::Whole),
        _ => None,
    }
}
