//! Comparisons: affinities, collations and NULLs.

use std::cmp::Ordering;

use twinql_sql::{Affinity, BinaryOp, Expr, Value};
use twinql_suite::compare::order;

use super::numbers::applied;
use super::{Cell, Evaluator, Result, Stop};

/// How the two sides of a comparison are made comparable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// What both are converted to.
    affinity: Option<Affinity>,
    /// Letters of ASCII are compared without regard to case.
    nocase: bool,
}

impl Terms {
    /// Those of sides with these affinities (SQLite's documentation, "Type conversions prior to comparison").
    pub(super) fn of(left: Option<Affinity>, right: Option<Affinity>, nocase: bool) -> Terms {
        let affinity = match (left, right) {
            (Some(a), Some(b)) if a.is_numeric() || b.is_numeric() => Some(Affinity::Numeric),
            (Some(_), Some(_)) | (None, None) => None,
            (Some(a), None) | (None, Some(a)) if a.is_numeric() => Some(Affinity::Numeric),
            (Some(a), None) | (None, Some(a)) => Some(a),
        };
        Terms { affinity, nocase }
    }

    /// How two values stand to each other; `None` where one is NULL.
    pub(super) fn compare(self, left: &Value, right: &Value) -> Option<Ordering> {
        if matches!(left, Value::Null) || matches!(right, Value::Null) {
            return None;
        }
        Some(self.order(left, right))
    }

    /// The same as a total order, with NULLs first.
    fn order(self, left: &Value, right: &Value) -> Ordering {
        // Keys are mostly whole numbers, and only as texts these are compared in another way.
        if let (Value::Integer(a), Value::Integer(b)) = (left, right)
            && self.affinity != Some(Affinity::Text)
        {
            return a.cmp(b);
        }
        match self.affinity {
            Some(affinity) => self.raw(&applied(left, affinity), &applied(right, affinity)),
            None => self.raw(left, right),
        }
    }

    /// Values that are converted already. Only texts have a collation.
    fn raw(self, left: &Value, right: &Value) -> Ordering {
        match (left, right) {
            (Value::Text(a), Value::Text(b)) if self.nocase => {
                a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
            }
            _ => order(left, right),
        }
    }

    /// What a comparison says; `None` for NULL.
    pub(super) fn holds(self, op: BinaryOp, left: &Value, right: &Value) -> Option<bool> {
        match op {
            BinaryOp::Is => Some(self.order(left, right).is_eq()),
            BinaryOp::IsNot => Some(self.order(left, right).is_ne()),
            _ => op.holds(self.compare(left, right)?),
        }
    }
}

/// Whether an expression asks for a collation that compares without regard to case.
///
/// # Errors
/// It asks for one that is not known here.
pub(super) fn nocase(expr: &Expr) -> Result<Option<bool>> {
    match expr {
        Expr::Collate { collation, .. } => match collation.as_str() {
            "NOCASE" => Ok(Some(true)),
            "BINARY" => Ok(Some(false)),
            _ => Err(Stop::Unsupported("collation")),
        },
        _ => Ok(None),
    }
}

impl<'d> Evaluator<'d> {
    /// The terms on which two expressions are compared.
    pub(super) fn terms(&self, left: &Expr, right: &Expr) -> Result<Terms> {
        let folded = match nocase(left)? {
            Some(folded) => folded,
            None => nocase(right)?.unwrap_or(false),
        };
        Ok(Terms::of(self.affinity(left), self.affinity(right), folded))
    }

    /// `left op right` for a comparison.
    pub(super) fn comparison(
        &mut self,
        op: BinaryOp,
        left: &'d Expr,
        right: &'d Expr,
    ) -> Result<Option<bool>> {
        if let (Expr::Row(ours), Expr::Row(theirs)) = (left, right) {
            return self.rows_compared(op, ours, theirs);
        }
        let terms = self.terms(left, right)?;
        let (a, b): (Cell<'d>, Cell<'d>) = (self.expr(left)?, self.expr(right)?);
        Ok(terms.holds(op, &a, &b))
    }

    /// Row values are equal if all their parts are; other comparisons of them are rare.
    fn rows_compared(&mut self, op: BinaryOp, ours: &'d [Expr], theirs: &'d [Expr]) -> Result<Option<bool>> {
        if !matches!(op, BinaryOp::Eq | BinaryOp::NotEq) || ours.len() != theirs.len() {
            return Err(Stop::Unsupported("row values"));
        }
        let mut equal = Some(true);
        for (a, b) in ours.iter().zip(theirs) {
            match self.comparison(BinaryOp::Eq, a, b)? {
                Some(false) => return Ok(Some(op == BinaryOp::NotEq)),
                None => equal = None,
                Some(true) => {}
            }
        }
        Ok(equal.map(|_| op == BinaryOp::Eq))
    }
}
