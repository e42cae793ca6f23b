//! MySQL's `BINARY name = 'a'` and `!flag = 1`: the word belongs to `name` alone. The parser puts it before all that follows.

use sqlparser::ast::{CastKind, DataType, Expr, UnaryOperator};

/// Moves the cast, or `!`, from a comparison, or a condition of several, to its first operand.
///
/// `BINARY (name = 'a' AND n = 2)`, as it is read, becomes `(BINARY name) = 'a' AND n = 2`. A comparison alone inside
/// CAST(… AS BINARY) is taken for the same.
pub(super) fn move_down(expr: &mut Expr) {
    let (Expr::Cast { kind: CastKind::Cast, expr: inner, data_type: DataType::Binary(None), format: None }
    | Expr::UnaryOp { op: UnaryOperator::BangNot, expr: inner }) = expr
    else {
        return;
    };
    let mut whole = std::mem::replace(&mut **inner, Expr::Tuple(Vec::new()));
    let leaf = leftmost(&mut whole);
    // The cast changes places with the operand.
    std::mem::swap(&mut **inner, leaf);
    std::mem::swap(expr, leaf);
    *expr = whole;
}

/// The operand that stands first in an expression.
fn leftmost(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::BinaryOp { left, op: _, right: _ } => leftmost(left),
        Expr::Like { expr, negated: _, any: _, pattern: _, escape_char: _ }
        | Expr::RLike { expr, negated: _, pattern: _, regexp: _ }
        | Expr::InList { expr, list: _, negated: _ }
        | Expr::InSubquery { expr, subquery: _, negated: _ }
        | Expr::Between { expr, negated: _, low: _, high: _ }
        | Expr::IsNull(expr)
        | Expr::IsNotNull(expr) => leftmost(expr),
        other => other,
    }
}
