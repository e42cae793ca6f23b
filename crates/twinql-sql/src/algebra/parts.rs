//! Relations and expressions taken apart, where they are of one kind: for code that goes on with the parts, or ends with
//! `?` where the node is another. Each view is there for looking and for changing.

use crate::expr::{AggregateCall, BinaryOp, Expr};
use crate::rel::{ColumnId, JoinKind, Query, Rel, SetOpKind, SortKey};
use crate::schema::Affinity;
use crate::value::Value;

/// A view for each line: its name for looking, its name for changing, the pattern, and the parts with their types.
macro_rules! views {
    ($of:ident: $($(#[$doc:meta])* $look:ident, $change:ident, $pattern:pat => $($part:ident: $type:ty),+;)*) => {
        #[allow(unused_parens)] // a view of one part is the part
        impl $of {$(
            $(#[$doc])*
            pub fn $look(&self) -> Option<($(&$type),+)> {
                match self {
                    $pattern => Some(($($part),+)),
                    _ => None,
                }
            }

            $(#[$doc])*
            pub fn $change(&mut self) -> Option<($(&mut $type),+)> {
                match self {
                    $pattern => Some(($($part),+)),
                    _ => None,
                }
            }
        )*}
    };
}

views! { Rel:
    /// A scan: the table, and the columns with their positions in it.
    as_scan, as_scan_mut, Rel::Scan { table, columns } => table: usize, columns: Vec<(ColumnId, usize)>;
    /// A filter: its input and its conjuncts.
    as_filter, as_filter_mut, Rel::Filter { input, predicate } => input: Rel, predicate: Vec<Expr>;
    /// An inner join: its inputs and its conjuncts.
    as_join, as_join_mut, Rel::Join { inputs, on } => inputs: Vec<Rel>, on: Vec<Expr>;
    /// A LEFT JOIN: its sides, of which the left one is kept, and its conjuncts.
    as_left_join, as_left_join_mut, Rel::OuterJoin { kind: JoinKind::Left, left, right, on } =>
        left: Rel, right: Rel, on: Vec<Expr>;
    /// A projection: its input and what it computes.
    as_project, as_project_mut, Rel::Project { input, exprs } => input: Rel, exprs: Vec<(ColumnId, Expr)>;
    /// An aggregation: its input, its group keys and its aggregates.
    as_aggregate, as_aggregate_mut, Rel::Aggregate { input, keys, calls } =>
        input: Rel, keys: Vec<(ColumnId, Expr)>, calls: Vec<(ColumnId, AggregateCall)>;
    /// The first row in an order: ORDER BY with LIMIT 1. Its input and its keys.
    as_first_row, as_first_row_mut,
        Rel::Sort { input, keys, limit: Some(Expr::Literal(Value::Integer(1))), offset: None } =>
        input: Rel, keys: Vec<SortKey>;
    /// A union: whether it says ALL, its arms and its columns.
    as_union, as_union_mut, Rel::SetOp { kind: SetOpKind::Union, all, left, right, columns } =>
        all: bool, left: Query, right: Query, columns: Vec<ColumnId>;
    /// A UNION ALL: its arms and its columns.
    as_union_all, as_union_all_mut, Rel::SetOp { kind: SetOpKind::Union, all: true, left, right, columns } =>
        left: Query, right: Query, columns: Vec<ColumnId>;
}

views! { Expr:
    /// An operator with its two operands.
    as_binary, as_binary_mut, Expr::Binary { op, left, right } => op: BinaryOp, left: Expr, right: Expr;
    /// A function with its arguments.
    as_function, as_function_mut, Expr::Function { name, args } => name: String, args: Vec<Expr>;
    /// A searched CASE: its branches and its ELSE.
    as_case, as_case_mut, Expr::Case { operand: None, branches, otherwise } =>
        branches: Vec<(Expr, Expr)>, otherwise: Option<Box<Expr>>;
    /// What EXISTS asks for.
    as_exists, as_exists_mut, Expr::Exists(query) => query: Query;
    /// The subquery whose value it is.
    as_scalar, as_scalar_mut, Expr::Scalar(query) => query: Query;
    /// A cast: what is cast, and to what.
    as_cast, as_cast_mut, Expr::Cast { expr, affinity } => expr: Expr, affinity: Affinity;
    /// IN over a list: what is tested, and the list.
    as_in_list, as_in_list_mut, Expr::InList { expr, list } => expr: Expr, list: Vec<Expr>;
}

impl Expr {
    /// A comparison as it reads from either side, the left one first: `a < b`, and `b > a`. An operator that compares
    /// nothing has the first reading alone.
    pub fn readings(&self) -> impl Iterator<Item = (&Expr, BinaryOp, &Expr)> {
        let there = self.as_binary().map(|(op, left, right)| (left, *op, right));
        let turned = |op: BinaryOp| op.flipped().or(op.is_null_safe().then_some(op));
        let back = there.and_then(|(left, op, right)| Some((right, turned(op)?, left)));
        there.into_iter().chain(back)
    }

    /// The condition, the value and the ELSE of a CASE with one condition.
    pub fn as_conditional(&self) -> Option<(&Expr, &Expr, Option<&Expr>)> {
        match self.as_case()? {
            (branches, otherwise) if branches.len() == 1 => {
                let (condition, value) = branches.first()?;
                Some((condition, value, otherwise.as_deref()))
            }
            _ => None,
        }
    }
}

impl AggregateCall {
    /// Its argument, where it has one alone.
    pub fn argument(&self) -> Option<&Expr> {
        match self.args.as_slice() {
            [e] => Some(e),
            _ => None,
        }
    }

    /// The column of which it is the MIN or MAX over all rows.
    pub fn as_extreme(&self) -> Option<ColumnId> {
        self.argument()?.as_column().filter(|_| self.func.is_extreme() && self.filter.is_none())
    }
}

impl Query {
    /// Its outputs as entries of a projection that calls them by these ids.
    pub fn called<'a>(&'a self, columns: &'a [ColumnId]) -> impl Iterator<Item = (ColumnId, Expr)> + 'a {
        columns.iter().copied().zip(self.output.iter().map(|c| Expr::Column(*c)))
    }
}
