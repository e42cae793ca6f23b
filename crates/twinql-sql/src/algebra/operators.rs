//! What is asked of operators, aggregate functions, affinities and constants.

use std::cmp::Ordering;

use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, WindowCall};
use crate::rel::ColumnId;
use crate::schema::Affinity;
use crate::value::Value;

impl BinaryOp {
    /// True for `= <> < <= > >=`.
    pub fn is_comparison(self) -> bool {
        self.flipped().is_some()
    }

    /// True for `IS` and `IS NOT`, which compare NULL as a value.
    pub fn is_null_safe(self) -> bool {
        matches!(self, BinaryOp::Is | BinaryOp::IsNot)
    }

    /// True for `+ - * / %`.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod)
    }

    /// True where the operands may be exchanged: `= <> IS`, `IS NOT`, `+ * & |`.
    pub fn is_commutative(self) -> bool {
        matches!(self, BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Add | BinaryOp::Mul)
            || matches!(self, BinaryOp::BitAnd | BinaryOp::BitOr)
            || self.is_null_safe()
    }

    /// The comparison that holds with the sides exchanged: `a < b` is `b > a`. None for what is no comparison.
    pub fn flipped(self) -> Option<BinaryOp> {
        Some(match self {
            BinaryOp::Eq | BinaryOp::NotEq => self,
            BinaryOp::Lt => BinaryOp::Gt,
            BinaryOp::LtEq => BinaryOp::GtEq,
            BinaryOp::Gt => BinaryOp::Lt,
            BinaryOp::GtEq => BinaryOp::LtEq,
            _ => return None,
        })
    }

    /// The operator that says the opposite, NULL aside: `a < b` is not `a >= b`. None for what is neither a
    /// comparison nor `IS` nor `IS NOT`.
    pub fn negated(self) -> Option<BinaryOp> {
        Some(match self {
            BinaryOp::Eq => BinaryOp::NotEq,
            BinaryOp::NotEq => BinaryOp::Eq,
            BinaryOp::Lt => BinaryOp::GtEq,
            BinaryOp::LtEq => BinaryOp::Gt,
            BinaryOp::Gt => BinaryOp::LtEq,
            BinaryOp::GtEq => BinaryOp::Lt,
            BinaryOp::Is => BinaryOp::IsNot,
            BinaryOp::IsNot => BinaryOp::Is,
            _ => return None,
        })
    }

    /// Whether it holds of values in this order, neither of them NULL; none for what is neither a comparison nor
    /// `IS` nor `IS NOT`.
    pub fn holds(self, order: Ordering) -> Option<bool> {
        Some(match self {
            BinaryOp::Eq | BinaryOp::Is => order.is_eq(),
            BinaryOp::NotEq | BinaryOp::IsNot => order.is_ne(),
            BinaryOp::Lt => order.is_lt(),
            BinaryOp::LtEq => order.is_le(),
            BinaryOp::Gt => order.is_gt(),
            BinaryOp::GtEq => order.is_ge(),
            _ => return None,
        })
    }
}

impl Affinity {
    /// True for INTEGER, REAL and NUMERIC.
    pub fn is_numeric(self) -> bool {
        matches!(self, Affinity::Integer | Affinity::Real | Affinity::Numeric)
    }
}

impl Value {
    /// The order of two constants of one storage class: whole numbers, texts, or reals. What SQLite says of others
    /// depends on affinities.
    pub fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Integer(x), Value::Integer(y)) => Some(x.cmp(y)),
            (Value::Text(x), Value::Text(y)) => Some(x.as_bytes().cmp(y.as_bytes())),
            (Value::Real(x), Value::Real(y)) => Some(x.cmp(y)),
            _ => None,
        }
    }
}

impl AggFunc {
    /// True for MIN and MAX.
    pub fn is_extreme(&self) -> bool {
        matches!(self, AggFunc::Min | AggFunc::Max)
    }

    /// True where the value depends on the order in which rows come, or may: bare columns, GROUP_CONCAT, and what
    /// is known by name alone.
    pub fn depends_on_order(&self) -> bool {
        matches!(self, AggFunc::Bare | AggFunc::GroupConcat | AggFunc::Other(_))
    }
}

impl WindowCall {
    /// `func()` over all rows.
    pub fn new(func: impl Into<String>) -> WindowCall {
        WindowCall {
            func: func.into(),
            args: Vec::new(),
            distinct: false,
            filter: None,
            partition_by: Vec::new(),
            order_by: Vec::new(),
            frame: None,
        }
    }
}

impl AggregateCall {
    /// `FUNC(args)`.
    pub fn new(func: AggFunc, args: Vec<Expr>) -> AggregateCall {
        AggregateCall { func, distinct: false, args, filter: None }
    }

    /// True if it gives one of the texts of `expr` in a group.
    pub fn represents(&self, expr: &Expr) -> bool {
        let named = matches!(&self.func, AggFunc::Other(name) if name == crate::plan::REPRESENTATIVE);
        named && self.args.first() == Some(expr)
    }

    /// True for `COUNT(*)` without a filter.
    pub fn counts_rows(&self) -> bool {
        self.func == AggFunc::Count && self.args.is_empty() && self.filter.is_none()
    }

    /// True if one of these is a bare column: which row that comes from depends on what else there is.
    pub fn any_bare(calls: &[(ColumnId, AggregateCall)]) -> bool {
        calls.iter().any(|(_, call)| call.func == AggFunc::Bare)
    }

    /// True if how often a row comes does not change its value.
    pub fn ignores_duplicates(&self) -> bool {
        let distinct = matches!(self.func, AggFunc::Count | AggFunc::Sum | AggFunc::Avg);
        self.func.is_extreme() || self.distinct && distinct
    }
}
