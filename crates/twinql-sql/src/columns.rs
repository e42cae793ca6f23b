//! Which columns a relation produces, and which are read where.
//!
//! A node *lists* the columns that it computes or passes on by name; it *introduces* those of them that do not exist
//! below it: a bare column keeps its id (`(c, Column(c))`), and is passed on. A relation *produces* what its reader sees;
//! *read* is what an expression names; *free* is what is read and comes from outside. An outer column can be a group key
//! of a subquery, and is no less an outer column there.

use crate::column_set::ColumnSet;
use crate::expr::Expr;
use crate::rel::{ColumnId, ColumnInfo, Query, Rel};
use crate::tree::{Node, NodeMut, Tree};

impl ColumnId {
    /// What is known of the column, in the list that it is an index into.
    pub fn info(self, columns: &[ColumnInfo]) -> Option<&ColumnInfo> {
        columns.get(self.0 as usize)
    }

    /// What is known of the column, to be changed.
    pub fn info_mut(self, columns: &mut [ColumnInfo]) -> Option<&mut ColumnInfo> {
        columns.get_mut(self.0 as usize)
    }
}

/// Columns that are read, subqueries included.
pub trait Reads: Tree {
    /// Adds every column that is read: by an expression, or as an output of a query.
    fn reads_into(&self, into: &mut ColumnSet) {
        self.for_each_deep(|node| match node {
            Node::Expr(Expr::Column(c)) => {
                into.insert(*c);
            }
            Node::Query(query) => into.extend(&query.output),
            _ => {}
        });
    }

    /// Every column that is read: by an expression, or as an output of a query.
    fn reads(&self) -> ColumnSet {
        let mut all = ColumnSet::new();
        self.reads_into(&mut all);
        all
    }

    /// The columns that expressions name, in the order in which they stand, each as often as it does.
    fn named(&self) -> Vec<ColumnId> {
        let mut all = Vec::new();
        self.for_each_deep(|node| {
            if let Node::Expr(Expr::Column(c)) = node {
                all.push(*c);
            }
        });
        all
    }
}

impl Reads for Query {}
impl Reads for Rel {}
impl Reads for Expr {}

impl Expr {
    /// Its free columns: those that are not made in its own subqueries.
    pub fn free_columns(&self) -> ColumnSet {
        let mut free = ColumnSet::new();
        self.for_each(|e| {
            if let Expr::Column(c) = e {
                free.insert(*c);
            }
            if let Some(query) = e.subquery() {
                let made = query.rel.produced_within();
                free.extend(query.reads().difference(&made));
            }
        });
        free
    }
}

/// The columns that a node lists, written once for looking and for changing.
macro_rules! listed {
    ($(#[$doc:meta])* $name:ident, $iter:ident, $id:ty, |$c:ident| $handed:expr $(, $mut:tt)?) => {
        impl Rel {
            $(#[$doc])*
            pub(crate) fn $name(&$($mut)? self, f: &mut dyn FnMut($id)) {
                match self {
                    Rel::Scan { columns, .. } => columns.$iter().for_each(|($c, _)| f($handed)),
                    Rel::Values { columns, .. }
                    | Rel::TableFunction { columns, .. }
                    | Rel::Recursive { columns, .. }
                    | Rel::RecursiveRef { columns, .. }
                    | Rel::SetOp { columns, .. } => columns.$iter().for_each(|$c| f($handed)),
                    Rel::Project { exprs, .. } => exprs.$iter().for_each(|($c, _)| f($handed)),
                    Rel::Aggregate { keys, calls, .. } => {
                        keys.$iter().for_each(|($c, _)| f($handed));
                        calls.$iter().for_each(|($c, _)| f($handed));
                    }
                    Rel::Window { calls, .. } => calls.$iter().for_each(|($c, _)| f($handed)),
                    Rel::Filter { .. } | Rel::Join { .. } | Rel::OuterJoin { .. } => {}
                    Rel::Sort { .. } | Rel::Distinct { .. } => {}
                }
            }
        }
    };
}

listed!(
    /// Shows the columns that this node lists to `f`: those that it introduces, and bare columns that it passes on.
    listed, iter, ColumnId, |c| *c
);
listed!(
    /// Shows the columns that this node lists to `f`, to be changed.
    listed_mut, iter_mut, &mut ColumnId, |c| c, mut
);

impl Rel {
    /// The columns that it produces, from left to right.
    pub fn outputs(&self) -> Vec<ColumnId> {
        let mut all = Vec::new();
        self.outputs_to(&mut |c| all.push(c));
        all
    }

    /// Shows the columns that this node introduces to `f`: none that it passes on.
    pub(crate) fn introduced(&self, f: &mut dyn FnMut(ColumnId)) {
        let computed = |(c, e): &(ColumnId, Expr)| (*e != Expr::Column(*c)).then_some(*c);
        match self {
            Rel::Project { exprs, .. } => exprs.iter().filter_map(computed).for_each(f),
            Rel::Aggregate { keys, calls, .. } => {
                keys.iter().filter_map(computed).for_each(&mut *f);
                calls.iter().for_each(|(c, _)| f(*c));
            }
            other => other.listed(f),
        }
    }

    /// The columns that it produces, as a set.
    pub fn output_set(&self) -> ColumnSet {
        let mut all = ColumnSet::new();
        self.outputs_to(&mut |c| {
            all.insert(c);
        });
        all
    }

    /// Those of some columns that it produces. Of a few this costs less than [`Rel::output_set`]: tables are wide.
    pub(crate) fn outputs_among(&self, columns: &ColumnSet) -> ColumnSet {
        let mut found = ColumnSet::new();
        if !columns.is_empty() {
            self.outputs_to(&mut |c| {
                if columns.contains(&c) {
                    found.insert(c);
                }
            });
        }
        found
    }

    fn outputs_to(&self, f: &mut dyn FnMut(ColumnId)) {
        match self {
            Rel::Filter { input, .. }
            | Rel::Distinct { input }
            | Rel::Sort { input, .. }
            | Rel::Window { input, .. } => input.outputs_to(f),
            Rel::Join { inputs, .. } => inputs.iter().for_each(|r| r.outputs_to(f)),
            Rel::OuterJoin { left, right, .. } => {
                left.outputs_to(f);
                right.outputs_to(f);
            }
            _ => {}
        }
        self.listed(f);
    }

    /// Every column that some node of it introduces, subqueries included.
    pub fn produced_within(&self) -> ColumnSet {
        let mut all = ColumnSet::new();
        self.for_each_deep(|node| {
            if let Node::Rel(rel) = node {
                rel.introduced(&mut |c| {
                    all.insert(c);
                });
            }
        });
        all
    }

    /// Its free columns: those of enclosing queries that it reads.
    pub fn free_columns(&self) -> ColumnSet {
        let made = self.produced_within();
        let mut free = self.reads();
        free.retain(|c| !made.contains(c));
        free
    }
}

impl Query {
    /// Shows every column id to `f`, where it is introduced and where it is read: what is below a node before the
    /// node itself.
    pub(crate) fn map_ids(&mut self, mut f: impl FnMut(&mut ColumnId)) {
        self.map_up_deep(|node| match node {
            NodeMut::Expr(Expr::Column(c)) => f(c),
            NodeMut::Expr(_) => {}
            NodeMut::Rel(rel) => rel.listed_mut(&mut f),
            NodeMut::Query(query) => query.output.iter_mut().for_each(&mut f),
        });
    }
}
