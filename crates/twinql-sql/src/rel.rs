//! Relational operator trees (ROT): what a query computes, free of its wording.

use crate::expr::{AggregateCall, Expr, WindowCall};
use crate::schema::{Affinity, Column, ColumnRef, TypeClass};

/// A column's id, unique in one whole [`Query`], its subqueries included: an index into
/// [`Columns`]. Every scan of a table gets fresh ids, so a self-join
/// needs no aliases, predicates move between nodes without renumbering, and a correlated
/// reference is an ordinary column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

/// What is known of a column of some node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ColumnInfo {
    /// A name for people: the schema's column name, an alias, or a function's name.
    pub name: String,
    /// The schema column that this is a value of, if it is one, unchanged: through scans,
    /// bare projections, group keys, MIN, MAX and both arms of set operations that agree.
    pub origin: Option<ColumnRef>,
    /// SQLite's affinity; `None` for computed values, which have none.
    pub affinity: Option<Affinity>,
    /// What kind of values it holds.
    pub class: TypeClass,
    /// False only where no row can hold NULL here, foreign keys and data unknown.
    pub nullable: bool,
}

impl ColumnInfo {
    /// A computed column: no table's, and without an affinity.
    pub(crate) fn computed(name: impl Into<String>, class: TypeClass, nullable: bool) -> ColumnInfo {
        ColumnInfo { name: name.into(), origin: None, affinity: None, class, nullable }
    }

    /// A column of a table, with what the schema says of it.
    pub(crate) fn stored(column: &Column, at: ColumnRef) -> ColumnInfo {
        ColumnInfo {
            origin: Some(at),
            affinity: Some(column.affinity),
            ..ColumnInfo::computed(&column.name, column.class, !column.not_null)
        }
    }
}

/// The columns of a query and its subqueries, indexed by [`ColumnId`].
pub type Columns = Vec<ColumnInfo>;

/// A planned query or subquery: a relation, and which of its columns are the answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Query {
    /// The tree.
    pub rel: Rel,
    /// The answer's columns from left to right; each is produced by `rel`, and one may
    /// stand twice (`SELECT a, a`).
    pub output: Vec<ColumnId>,
}

/// How an outer join treats rows without a partner. RIGHT JOIN is planned as LEFT with
/// its sides exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JoinKind {
    /// Rows of the left side without a partner are kept.
    Left,
    /// Rows of both sides without a partner are kept.
    Full,
}

/// Set operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are the operators
pub enum SetOpKind {
    Union,
    Intersect,
    Except,
}

/// Ascending or descending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Direction {
    Asc,
    Desc,
}

/// Where NULLs stand in an order. The planner fills in SQLite's default: first when
/// ascending, last when descending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum NullsOrder {
    First,
    Last,
}

/// One key of an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortKey {
    /// What is ordered by.
    pub expr: Expr,
    /// Ascending or descending.
    pub direction: Direction,
    /// Where NULLs stand.
    pub nulls: NullsOrder,
}

/// A relational operator. Predicates are lists of conjuncts, none of them an
/// [`Expr::And`]; an empty list is TRUE.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rel {
    /// A base table. `columns` pairs each produced id with a column position; the planner
    /// lists all columns, pruning drops those that nothing uses.
    Scan {
        /// Index into [`Schema::tables`](crate::Schema::tables).
        table: usize,
        /// Produced ids with the positions of the table's columns.
        columns: Vec<(ColumnId, usize)>,
    },
    /// Constant rows; no columns and one row is the relation of `SELECT 1`.
    Values {
        /// Produced ids.
        columns: Vec<ColumnId>,
        /// Rows, each as long as `columns`.
        rows: Vec<Vec<Expr>>,
    },
    /// A table-valued function, or a relation the planner knows by name alone.
    TableFunction {
        /// Lower-case name.
        name: String,
        /// Arguments in order.
        args: Vec<Expr>,
        /// Produced ids.
        columns: Vec<ColumnId>,
    },
    /// A recursive common table expression: `body` refers to itself through
    /// [`Rel::RecursiveRef`] with the same `name`.
    Recursive {
        /// The CTE's name, made unique in the query.
        name: String,
        /// Produced ids.
        columns: Vec<ColumnId>,
        /// Rows that start the recursion.
        seed: Box<Query>,
        /// The recursive arm.
        step: Box<Query>,
        /// UNION ALL rather than UNION.
        all: bool,
    },
    /// A reference to the CTE being defined.
    RecursiveRef {
        /// The CTE's unique name.
        name: String,
        /// Produced ids.
        columns: Vec<ColumnId>,
    },
    /// Rows for which all conjuncts are true.
    Filter {
        /// The input.
        input: Box<Rel>,
        /// Conjuncts.
        predicate: Vec<Expr>,
    },
    /// Computed columns. A bare column keeps its id (`(c, Column(c))`), so a projection
    /// that only drops columns renames nothing.
    Project {
        /// The input.
        input: Box<Rel>,
        /// Produced ids with what they are.
        exprs: Vec<(ColumnId, Expr)>,
    },
    /// Inner and cross join of two or more inputs; the order of the inputs has no meaning.
    Join {
        /// Inputs; none of them an inner `Join` after normalisation.
        inputs: Vec<Rel>,
        /// Conjuncts over the columns of all inputs.
        on: Vec<Expr>,
    },
    /// LEFT or FULL outer join.
    OuterJoin {
        /// Which.
        kind: JoinKind,
        /// The side that LEFT keeps.
        left: Box<Rel>,
        /// The other side; its columns are nullable above the join.
        right: Box<Rel>,
        /// Conjuncts.
        on: Vec<Expr>,
    },
    /// Grouping and aggregation. With no keys and at least one call there is exactly one
    /// output row, over an empty input too. With no calls it is a duplicate elimination.
    Aggregate {
        /// The input.
        input: Box<Rel>,
        /// Produced ids with the group keys; a bare column keeps its id.
        keys: Vec<(ColumnId, Expr)>,
        /// Produced ids with the calls.
        calls: Vec<(ColumnId, AggregateCall)>,
    },
    /// Duplicate elimination over all columns of the input (SELECT DISTINCT).
    Distinct {
        /// The input, which produces exactly the columns to compare.
        input: Box<Rel>,
    },
    /// Order and row limits; without keys, a limit alone.
    Sort {
        /// The input.
        input: Box<Rel>,
        /// Keys from major to minor.
        keys: Vec<SortKey>,
        /// LIMIT.
        limit: Option<Expr>,
        /// OFFSET.
        offset: Option<Expr>,
    },
    /// A set operation of two queries of the same width.
    SetOp {
        /// Which.
        kind: SetOpKind,
        /// `ALL`: duplicates are kept.
        all: bool,
        /// Left arm.
        left: Box<Query>,
        /// Right arm.
        right: Box<Query>,
        /// Produced ids, one for each output of the arms.
        columns: Vec<ColumnId>,
    },
    /// Window functions: the input's columns, and one more for each call.
    Window {
        /// The input.
        input: Box<Rel>,
        /// Produced ids with the calls.
        calls: Vec<(ColumnId, WindowCall)>,
    },
}
