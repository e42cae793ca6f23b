//! Constructors of expressions, and views of them.

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::rel::{ColumnId, Query, Rel};
use crate::schema::Affinity;
use crate::value::Value;

/// Constructors.
impl Expr {
    /// The constant NULL.
    pub const NULL: Expr = Expr::Literal(Value::Null);

    /// A whole constant.
    pub fn integer(i: i64) -> Expr {
        Expr::Literal(Value::Integer(i))
    }

    /// A constant text.
    pub fn text(text: impl Into<String>) -> Expr {
        Expr::Literal(Value::Text(text.into()))
    }

    /// `left op right`.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
    }

    /// `op expr`.
    pub fn unary(op: UnaryOp, expr: Expr) -> Expr {
        Expr::Unary { op, expr: Box::new(expr) }
    }

    /// `self = other`.
    pub fn eq(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::Eq, self, other)
    }

    /// `NOT self`.
    #[allow(clippy::should_implement_trait)] // it reads as the algebra does, and needs no import
    pub fn not(self) -> Expr {
        Expr::unary(UnaryOp::Not, self)
    }

    /// `self IS NULL`.
    pub fn is_null(self) -> Expr {
        Expr::unary(UnaryOp::IsNull, self)
    }

    /// `+self`: the value without its affinity.
    pub fn plain(self) -> Expr {
        match self {
            Expr::Literal(_) | Expr::Unary { op: UnaryOp::Plus, .. } => self,
            other => Expr::unary(UnaryOp::Plus, other),
        }
    }

    /// `CAST(self AS …)`.
    pub fn cast(self, affinity: Affinity) -> Expr {
        Expr::Cast { expr: Box::new(self), affinity }
    }

    /// `name(args)`; `name` is in lower case.
    pub fn function(name: impl Into<String>, args: Vec<Expr>) -> Expr {
        Expr::Function { name: name.into(), args }
    }

    /// `CASE WHEN … THEN … [ELSE …] END`.
    pub fn case(branches: Vec<(Expr, Expr)>, otherwise: Option<Expr>) -> Expr {
        Expr::Case { operand: None, branches, otherwise: otherwise.map(Box::new) }
    }

    /// `EXISTS (SELECT 1 FROM rel)`.
    pub fn exists(rel: Rel) -> Expr {
        Expr::Exists(Box::new(Query { rel, output: Vec::new() }))
    }

    /// `(SELECT output FROM rel)`.
    pub fn scalar(rel: Rel, output: ColumnId) -> Expr {
        Expr::Scalar(Box::new(Query { rel, output: vec![output] }))
    }

    /// The conjunction of `list`: TRUE of none, itself of one.
    pub fn and_all(list: Vec<Expr>) -> Expr {
        one_or(list, Expr::And).unwrap_or_else(|| Expr::integer(1))
    }

    /// The disjunction of `list`: FALSE of none, itself of one.
    pub fn or_all(list: Vec<Expr>) -> Expr {
        one_or(list, Expr::Or).unwrap_or_else(|| Expr::integer(0))
    }
}

fn one_or(mut list: Vec<Expr>, all: fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    match list.len() {
        0 | 1 => list.pop(),
        _ => Some(all(list)),
    }
}

/// What an expression is.
impl Expr {
    /// The column that it is.
    pub fn as_column(&self) -> Option<ColumnId> {
        match self {
            Expr::Column(c) => Some(*c),
            _ => None,
        }
    }

    /// The constant that it is.
    pub fn as_literal(&self) -> Option<&Value> {
        match self {
            Expr::Literal(v) => Some(v),
            _ => None,
        }
    }

    /// The whole constant that it is.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Expr::Literal(Value::Integer(i)) => Some(*i),
            _ => None,
        }
    }

    /// The constant text that it is.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Expr::Literal(Value::Text(t)) => Some(t),
            _ => None,
        }
    }

    /// The operands of `=`.
    pub fn as_equality(&self) -> Option<(&Expr, &Expr)> {
        match self {
            Expr::Binary { op: BinaryOp::Eq, left, right } => Some((left, right)),
            _ => None,
        }
    }

    /// The columns of `a = b`.
    pub fn as_column_equality(&self) -> Option<(ColumnId, ColumnId)> {
        let (a, b) = self.as_equality()?;
        Some((a.as_column()?, b.as_column()?))
    }

    /// What NOT denies.
    pub fn as_not(&self) -> Option<&Expr> {
        match self {
            Expr::Unary { op: UnaryOp::Not, expr } => Some(expr),
            _ => None,
        }
    }

    /// What a + stands before.
    pub fn as_plus(&self) -> Option<&Expr> {
        match self {
            Expr::Unary { op: UnaryOp::Plus, expr } => Some(expr),
            _ => None,
        }
    }

    /// What IS NULL tests.
    pub fn as_null_test(&self) -> Option<&Expr> {
        match self {
            Expr::Unary { op: UnaryOp::IsNull, expr } => Some(expr),
            _ => None,
        }
    }

    /// Its negation as a count: a constant's is one.
    pub(crate) fn counted_back(&self) -> Expr {
        match self.as_integer() {
            Some(n) => Expr::integer(n.saturating_neg()),
            None => Expr::unary(UnaryOp::Neg, self.clone()),
        }
    }

    /// True for constants.
    pub fn is_literal(&self) -> bool {
        matches!(self, Expr::Literal(_))
    }

    /// True for the constant NULL.
    pub fn is_null_literal(&self) -> bool {
        matches!(self, Expr::Literal(Value::Null))
    }

    /// True for constants that are true.
    pub fn is_true(&self) -> bool {
        match self {
            Expr::Literal(Value::Integer(i)) => *i != 0,
            Expr::Literal(Value::Real(r)) => r.0 != 0.0,
            _ => false,
        }
    }

    /// True for constants that are false (NULL is not).
    pub fn is_false(&self) -> bool {
        match self {
            Expr::Literal(Value::Integer(i)) => *i == 0,
            Expr::Literal(Value::Real(r)) => r.0 == 0.0,
            _ => false,
        }
    }

    /// True for constants that are not true.
    pub fn is_never_true(&self) -> bool {
        self.is_false() || self.is_null_literal()
    }

    /// True for expressions whose value is 0, 1 or NULL.
    pub fn is_boolean(&self) -> bool {
        match self {
            Expr::Binary { op, .. } => {
                op.is_comparison() || op.is_null_safe() || matches!(op, BinaryOp::Like | BinaryOp::Glob)
            }
            Expr::Unary { op, .. } => matches!(op, UnaryOp::Not | UnaryOp::IsNull),
            Expr::And(_)
            | Expr::Or(_)
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Exists(_)
            | Expr::Quantified { .. } => true,
            Expr::Literal(Value::Integer(i)) => matches!(i, 0 | 1),
            Expr::Literal(Value::Null) => true,
            _ => false,
        }
    }

    /// Its conjuncts: itself, where it is no conjunction.
    pub fn conjuncts(self) -> Vec<Expr> {
        match self {
            Expr::And(list) => list.into_iter().flat_map(Expr::conjuncts).collect(),
            other => vec![other],
        }
    }
}
