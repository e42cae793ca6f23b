//! The vocabulary of [`Expr`](crate::Expr) and [`Rel`](crate::Rel): constructors that read like the algebra, and what
//! is asked of operators, expressions and relations again and again.
//!
//! ```
//! use twinql_sql::{BinaryOp, ColumnId, Expr};
//!
//! let (age, boss) = (Expr::Column(ColumnId(0)), Expr::Column(ColumnId(1)));
//! let adult = Expr::binary(BinaryOp::LtEq, Expr::integer(18), age);
//! let all = Expr::and_all(vec![adult.clone(), boss.clone().is_null().not()]);
//! assert!(all.is_boolean());
//! assert_eq!(all.conjuncts(), [adult.clone(), boss.is_null().not()]);
//! assert_eq!(Expr::and_all(vec![adult.clone()]), adult);
//! assert!(Expr::and_all(Vec::new()).is_true());
//! assert_eq!(BinaryOp::LtEq.flipped(), Some(BinaryOp::GtEq));
//! ```

mod exprs;
mod operators;
mod parts;
mod rels;

pub(crate) use rels::{Block, BlockMut, Grouping};
