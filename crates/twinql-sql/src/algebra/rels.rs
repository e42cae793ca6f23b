//! Constructors of relations, and views of them: a filter or inner join as a [`Block`], an aggregation as a
//! [`Grouping`].

use crate::column_set::ColumnSet;
use crate::columns::Reads;
use crate::expr::{AggregateCall, Expr};
use crate::rel::{ColumnId, JoinKind, Query, Rel, SetOpKind, SortKey};

/// Constructors.
impl Rel {
    /// The relation of one row without columns.
    pub fn unit() -> Rel {
        Rel::Values { columns: Vec::new(), rows: vec![Vec::new()] }
    }

    /// A relation without rows.
    pub fn empty(columns: Vec<ColumnId>) -> Rel {
        Rel::Values { columns, rows: Vec::new() }
    }

    /// The rows of `input` that meet all conjuncts: `input` itself where there are none.
    pub fn filter(input: Rel, predicate: Vec<Expr>) -> Rel {
        if predicate.is_empty() {
            return input;
        }
        Rel::Filter { input: Box::new(input), predicate }
    }

    /// The inner join of any number of inputs: no join node for fewer than two.
    pub fn join(mut inputs: Vec<Rel>, on: Vec<Expr>) -> Rel {
        match inputs.len() {
            0 => Rel::filter(Rel::unit(), on),
            1 => Rel::filter(inputs.remove(0), on),
            _ => Rel::Join { inputs, on },
        }
    }

    /// Computed columns of `input`.
    pub fn project(input: Rel, exprs: Vec<(ColumnId, Expr)>) -> Rel {
        Rel::Project { input: Box::new(input), exprs }
    }

    /// Aggregates of the groups of `input`.
    pub fn aggregate(input: Rel, keys: Vec<(ColumnId, Expr)>, calls: Vec<(ColumnId, AggregateCall)>) -> Rel {
        Rel::Aggregate { input: Box::new(input), keys, calls }
    }

    /// The different values of `keys` over `input`: a grouping without aggregates.
    pub fn distinct_by(input: Rel, keys: Vec<(ColumnId, Expr)>) -> Rel {
        Rel::aggregate(input, keys, Vec::new())
    }

    /// The first `limit` rows of `input` in the order of `keys`; all of them without a limit.
    pub fn sort(input: Rel, keys: Vec<SortKey>, limit: Option<Expr>) -> Rel {
        Rel::Sort { input: Box::new(input), keys, limit, offset: None }
    }

    /// Moves a relation out, leaving the unit relation.
    pub fn take(&mut self) -> Rel {
        std::mem::replace(self, Rel::unit())
    }

    /// Filters a relation, merging into a filter or inner join that is there.
    pub fn add_conjunct(&mut self, conjunct: Expr) {
        match self.as_block_mut() {
            Some(block) => block.on.push(conjunct),
            None => *self = Rel::filter(self.take(), vec![conjunct]),
        }
    }

    /// Makes a LEFT JOIN an inner one; false where it is none.
    pub fn make_inner(&mut self) -> bool {
        let Rel::OuterJoin { kind: JoinKind::Left, left, right, on } = self else {
            return false;
        };
        *self = Rel::Join { inputs: vec![left.take(), right.take()], on: std::mem::take(on) };
        true
    }
}

impl Query {
    /// The arms in a chain of unions to the left; `columns` gives those of each union, the innermost first. `None`
    /// for no arms.
    pub fn union_chain(
        arms: Vec<Query>,
        all: bool,
        mut columns: impl FnMut(usize) -> Vec<ColumnId>,
    ) -> Option<Query> {
        let mut arms = arms.into_iter();
        let first = arms.next()?;
        Some(arms.enumerate().fold(first, |left, (at, right)| {
            let columns = columns(at);
            Query {
                output: columns.clone(),
                rel: Rel::SetOp {
                    kind: SetOpKind::Union,
                    all,
                    left: Box::new(left),
                    right: Box::new(right),
                    columns,
                },
            }
        }))
    }
}

/// A filter or an inner join: rows of all inputs together that meet all conjuncts.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The filter's input, or the join's.
    pub inputs: &'a [Rel],
    /// Conjuncts.
    pub on: &'a [Expr],
}

/// A [`Block`], to be changed.
#[derive(Debug)]
pub struct BlockMut<'a> {
    /// The filter's input, or the join's.
    pub inputs: &'a mut [Rel],
    /// Conjuncts.
    pub on: &'a mut Vec<Expr>,
}

/// An aggregation.
#[derive(Debug, Clone, Copy)]
pub struct Grouping<'a> {
    /// What is grouped.
    pub input: &'a Rel,
    /// Group keys.
    pub keys: &'a [(ColumnId, Expr)],
    /// Aggregates.
    pub calls: &'a [(ColumnId, AggregateCall)],
}

impl<'a> Grouping<'a> {
    /// Every column that keys and aggregates read.
    pub fn reads(self) -> ColumnSet {
        let mut all = ColumnSet::new();
        self.keys.iter().for_each(|(_, e)| e.reads_into(&mut all));
        self.add_reads_of_calls(&mut all);
        all
    }

    /// Every column that aggregates read.
    pub fn reads_of_calls(self) -> ColumnSet {
        let mut all = ColumnSet::new();
        self.add_reads_of_calls(&mut all);
        all
    }

    fn add_reads_of_calls(self, into: &mut ColumnSet) {
        let exprs = self.calls.iter().flat_map(|(_, call)| call.exprs());
        exprs.for_each(|e| e.reads_into(into));
    }

    /// The columns that are group keys as they are.
    pub fn bare_keys(self) -> impl Iterator<Item = ColumnId> + Clone + 'a {
        self.keys.iter().filter_map(|(_, e)| e.as_column())
    }

    /// True if it gives a bare column: which row that comes from depends on what else there is.
    pub fn has_bare(self) -> bool {
        AggregateCall::any_bare(self.calls)
    }

    /// True for an aggregation of all rows to one.
    pub fn is_global(self) -> bool {
        self.keys.is_empty() && !self.calls.is_empty()
    }

    /// True if it makes no difference how often a row of the input comes: it asks for groups, extremes and distinct
    /// values alone. One of a single group without calls counts as not so.
    pub fn ignores_duplicates(self) -> bool {
        let insensitive = self.calls.iter().all(|(_, call)| call.ignores_duplicates());
        insensitive && !(self.keys.is_empty() && self.calls.is_empty())
    }
}

/// What a relation is.
impl Rel {
    /// True for the relation of one row without columns.
    pub fn is_unit(&self) -> bool {
        matches!(self, Rel::Values { columns, rows } if columns.is_empty() && rows.len() == 1)
    }

    /// True for a relation that is written out without rows.
    pub fn is_empty(&self) -> bool {
        matches!(self, Rel::Values { rows, .. } if rows.is_empty())
    }

    /// The filter or inner join that it is.
    pub fn as_block(&self) -> Option<Block<'_>> {
        match self {
            Rel::Filter { input, predicate } => {
                Some(Block { inputs: std::slice::from_ref(&**input), on: predicate })
            }
            Rel::Join { inputs, on } => Some(Block { inputs, on }),
            _ => None,
        }
    }

    /// The filter or inner join that it is.
    pub fn as_block_mut(&mut self) -> Option<BlockMut<'_>> {
        match self {
            Rel::Filter { input, predicate } => {
                Some(BlockMut { inputs: std::slice::from_mut(&mut **input), on: predicate })
            }
            Rel::Join { inputs, on } => Some(BlockMut { inputs, on }),
            _ => None,
        }
    }

    /// Takes a block apart: its inputs and its conjuncts. The reverse of [`Rel::join`].
    pub fn into_block(self) -> (Vec<Rel>, Vec<Expr>) {
        match self {
            Rel::Join { inputs, on } => (inputs, on),
            Rel::Filter { input, predicate } => (vec![*input], predicate),
            other => (vec![other], Vec::new()),
        }
    }

    /// The conjuncts of a filter, an inner join or an outer join.
    pub fn condition(&self) -> Option<&[Expr]> {
        match self {
            Rel::Filter { predicate: on, .. } | Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => Some(on),
            _ => None,
        }
    }

    /// The conjuncts of a filter, an inner join or an outer join.
    pub fn condition_mut(&mut self) -> Option<&mut Vec<Expr>> {
        match self {
            Rel::Filter { predicate: on, .. } | Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => Some(on),
            _ => None,
        }
    }

    /// The aggregation that it is.
    pub fn as_grouping(&self) -> Option<Grouping<'_>> {
        match self {
            Rel::Aggregate { input, keys, calls } => Some(Grouping { input, keys, calls }),
            _ => None,
        }
    }

    /// The arms of a chain of unions, with what each gives for the columns `wanted` of it.
    pub(crate) fn union_arms<'a>(
        &'a self,
        wanted: &[ColumnId],
        all: bool,
        into: &mut Vec<(&'a Rel, Vec<ColumnId>)>,
    ) {
        match self {
            Rel::SetOp { kind: SetOpKind::Union, all: own, left, right, columns }
                if *own == all && wanted.iter().all(|c| columns.contains(c)) =>
            {
                for arm in [left, right] {
                    let output: Vec<ColumnId> = wanted
                        .iter()
                        .filter_map(|c| arm.output.get(columns.iter().position(|k| k == c)?).copied())
                        .collect();
                    arm.rel.union_arms(&output, all, into);
                }
            }
            rel => into.push((rel, wanted.to_vec())),
        }
    }
}
