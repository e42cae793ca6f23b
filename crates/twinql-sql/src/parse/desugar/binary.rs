//! MySQL's `BINARY name = 'a'`: the word belongs to `name` alone. The parser puts it before all that follows.

use sqlparser::ast::{CastKind, DataType, Expr};

/// Moves the cast from a comparison, or a condition of several, to its first operand.
///
/// `BINARY (name = 'a' AND n = 2)`, as it is read, becomes `(BINARY name) = 'a' AND n = 2`. A comparison in parentheses, or
/// in CAST(… AS BINARY) beside nothing else, is rare enough to be taken for the same.
pub(super) fn move_down(expr: &mut Expr) {
    let Expr::Cast { kind: CastKind::Cast, expr: inner, data_type: DataType::Binary(None), .. } = expr else {
        return;
    };
    if first_operand(inner).is_none() {
        return;
    }
    let placeholder = Expr::Tuple(Vec::new());
    let mut whole = std::mem::replace(&mut **inner, placeholder.clone());
    let mut cast = std::mem::replace(expr, placeholder.clone());
    let mut leaf = &mut whole;
    while first_operand(leaf).is_some() {
        match first_operand(leaf) {
            Some(next) => leaf = next,
            None => return,
        }
    }
    let operand = std::mem::replace(leaf, placeholder);
    if let Expr::Cast { expr: inner, .. } = &mut cast {
        **inner = operand;
    }
    *leaf = cast;
    *expr = whole;
}

/// The first operand of an operator.
fn first_operand(expr: &mut Expr) -> Option<&mut Expr> {
    Some(match expr {
        Expr::BinaryOp { left, .. } => left,
        Expr::Like { expr, .. }
        | Expr::RLike { expr, .. }
        | Expr::InList { expr, .. }
        | Expr::InSubquery { expr, .. }
        | Expr::Between { expr, .. }
        | Expr::IsNull(expr)
        | Expr::IsNotNull(expr) => expr,
        _ => return None,
    })
}
