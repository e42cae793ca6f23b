//! Resolved scalar expressions.

use crate::rel::{ColumnId, Query, SortKey};
use crate::schema::Affinity;
use crate::value::Value;

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnaryOp {
    /// Logical NOT.
    Not,
    /// Arithmetic negation.
    Neg,
    /// `~x`.
    BitNot,
    /// `x IS NULL`; `IS NOT NULL` is `Not` of it.
    IsNull,
    /// `+x`: the value of `x` without its affinity, which counts where it is compared.
    Plus,
}

/// Operators with two operands. `>` and `>=` exist until the comparison-orientation rule
/// has turned them round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are the operators
pub enum BinaryOp {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    /// `IS` and `IS NOT DISTINCT FROM`: equality that takes NULL as a value.
    Is,
    /// `IS NOT` and `IS DISTINCT FROM`.
    IsNot,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Concat,
    BitAnd,
    BitOr,
    ShiftLeft,
    ShiftRight,
    /// `x LIKE pattern` (ESCAPE makes it a [`Expr::Function`] named `like` with 3 arguments).
    Like,
    /// `x GLOB pattern`.
    Glob,
    /// `x REGEXP pattern`.
    Regexp,
    /// `x MATCH pattern`.
    Match,
    /// `x -> path`.
    Arrow,
    /// `x ->> path`.
    LongArrow,
}

/// A scalar expression over the columns of its relation and, in a correlated subquery,
/// of the relations around it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Expr {
    /// A column, by its id; ids are unique in a whole query, so correlation needs no depth.
    Column(ColumnId),
    /// A constant.
    Literal(Value),
    /// One operand.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        expr: Box<Expr>,
    },
    /// Two operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// Conjunction; at least two operands, none of them an `And`.
    And(Vec<Expr>),
    /// Disjunction; at least two operands, none of them an `Or`.
    Or(Vec<Expr>),
    /// A scalar function by its lower-case name; known or opaque.
    Function {
        /// Lower-case name.
        name: String,
        /// Arguments in order.
        args: Vec<Expr>,
    },
    /// `CASE [operand] WHEN … THEN … [ELSE …] END`.
    Case {
        /// The operand, if the short form is used.
        operand: Option<Box<Expr>>,
        /// WHEN and THEN.
        branches: Vec<(Expr, Expr)>,
        /// ELSE; NULL where absent.
        otherwise: Option<Box<Expr>>,
    },
    /// `CAST(x AS type)`; SQLite looks at the type's affinity alone.
    Cast {
        /// What is cast.
        expr: Box<Expr>,
        /// The target's affinity.
        affinity: Affinity,
    },
    /// `x COLLATE name`.
    Collate {
        /// What is compared.
        expr: Box<Expr>,
        /// Upper-case name of the collation.
        collation: String,
    },
    /// `x IN (e, …)`; NOT IN is `Not` of it.
    InList {
        /// The tested expression.
        expr: Box<Expr>,
        /// The members, possibly none.
        list: Vec<Expr>,
    },
    /// `(x, …) IN (SELECT …)`; NOT IN is `Not` of it.
    InSubquery {
        /// As many expressions as the subquery has outputs.
        exprs: Vec<Expr>,
        /// The subquery.
        query: Box<Query>,
    },
    /// `EXISTS (SELECT …)`; NOT EXISTS is `Not` of it.
    Exists(Box<Query>),
    /// A subquery as a value: its first row, NULL where it has none (SQLite).
    Scalar(Box<Query>),
    /// `x op ALL (SELECT …)` or `x op ANY (SELECT …)`; SQLite has none of these, other dialects do.
    Quantified {
        /// The tested expression.
        expr: Box<Expr>,
        /// A comparison.
        op: BinaryOp,
        /// ALL rather than ANY/SOME.
        all: bool,
        /// The subquery.
        query: Box<Query>,
    },
    /// A row value `(a, b)`, which SQLite allows in comparisons.
    Row(Vec<Expr>),
}

/// Aggregate functions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AggFunc {
    /// `COUNT(*)` with no argument, `COUNT(x)` with one.
    Count,
    /// `SUM(x)`: NULL over no rows.
    Sum,
    /// `TOTAL(x)`: 0.0 over no rows.
    Total,
    /// `AVG(x)`.
    Avg,
    /// `MIN(x)` with one argument.
    Min,
    /// `MAX(x)` with one argument.
    Max,
    /// `GROUP_CONCAT(x[, separator])`, also `string_agg`.
    GroupConcat,
    /// A column that is neither a group key nor inside an aggregate: its value in one row
    /// of the group, SQLite's bare column. Where the same node has exactly one MIN or MAX,
    /// it is the row that holds the extreme.
    Bare,
    /// An aggregate that the planner knows by name alone, in lower case.
    Other(String),
}

/// One aggregate of an [`Aggregate`](crate::Rel::Aggregate) node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AggregateCall {
    /// The function.
    pub func: AggFunc,
    /// `DISTINCT` inside the call.
    pub distinct: bool,
    /// Arguments; none for `COUNT(*)`.
    pub args: Vec<Expr>,
    /// `FILTER (WHERE …)`.
    pub filter: Option<Expr>,
}

/// One call of a [`Window`](crate::Rel::Window) node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowCall {
    /// Lower-case name: `row_number`, `rank`, `sum`, …
    pub func: String,
    /// Arguments; none for `COUNT(*)` and `ROW_NUMBER()`.
    pub args: Vec<Expr>,
    /// `DISTINCT` inside the call.
    pub distinct: bool,
    /// `FILTER (WHERE …)`.
    pub filter: Option<Expr>,
    /// `PARTITION BY`.
    pub partition_by: Vec<Expr>,
    /// `ORDER BY`.
    pub order_by: Vec<SortKey>,
    /// The frame as canonical upper-case text, `None` for the default frame.
    pub frame: Option<String>,
}
