//! What a block reads: tables, joins, set operations, nested blocks.
//!
//! Two queries may spell one block in many ways: a condition in ON or in WHERE, a filter below a join or
//! above it. Here these come together. Conditions of one table go to the block's `filter`, those of several
//! to the join, and projections dissolve in what uses their columns.

use petgraph::graph::NodeIndex;
use twinql_sql::{ColumnId, ColumnRef, Expr, JoinKind, Query, Rel, SetOpKind};

use super::block::{Shown, Top};
use super::{Lowerer, Made, Origin, Produced};
use crate::error::GraphError;
use crate::vocabulary::{Tag, Word};

impl<'a> Lowerer<'a> {
    /// What a block reads. Predicates that may as well run after its joins go to `predicate`.
    pub(super) fn read(
        &mut self,
        rel: &'a Rel,
        block: NodeIndex,
        predicate: &mut Vec<&'a Expr>,
    ) -> Result<Top, GraphError> {
        self.deeper(|l| l.read_item(rel, block, predicate))
    }

    /// One arm for each operator that may stand below a block, which makes its length. Scans, filters and
    /// projections leave no node of their own here.
    fn read_item(
        &mut self,
        rel: &'a Rel,
        block: NodeIndex,
        predicate: &mut Vec<&'a Expr>,
    ) -> Result<Top, GraphError> {
        let node = match rel {
            Rel::Scan { table, columns } => return self.table(*table, columns, block).map(Some),
            Rel::Filter { input, predicate: conjuncts } => {
                let top = self.read(input, block, predicate)?;
                predicate.extend(conjuncts);
                return Ok(top);
            }
            Rel::Project { input, exprs } => {
                self.define(exprs);
                return self.read(input, block, predicate);
            }
            Rel::Join { inputs, on } => {
                let mut tops = Vec::with_capacity(inputs.len());
                for input in inputs {
                    tops.extend(self.read(input, block, predicate)?);
                }
                // Conditions of one table are filters, wherever the query puts them.
                let (joining, filtering): (Vec<_>, Vec<_>) =
                    on.iter().partition(|conjunct| self.joins(conjunct));
                predicate.extend(filtering);
                self.join(Word::JOIN, joining, &tops, block)?
            }
            Rel::OuterJoin { kind: JoinKind::Left, left, right, on } => {
                let mut tops = Vec::new();
                tops.extend(self.read(left, block, predicate)?);
                tops.push(self.optional_side(right, block)?);
                self.join(Word::LEFT_JOIN, on.iter().collect(), &tops, block)?
            }
            Rel::OuterJoin { kind: JoinKind::Full, left, right, on } => {
                let tops = [self.optional_side(left, block)?, self.optional_side(right, block)?];
                self.join(Word::FULL_JOIN, on.iter().collect(), &tops, block)?
            }
            Rel::SetOp { kind, all, left, right, columns } => {
                self.set_operation(*kind, *all, [left, right], columns, block)?
            }
            Rel::Values { columns, rows } => {
                let node = self.node(block, Word::VALUES)?;
                for row in rows.iter().filter(|row| !row.is_empty()) {
                    let row_node = self.node(node, Word::ROW)?;
                    self.arguments(row, row_node)?;
                }
                self.produces_all(columns, node);
                node
            }
            Rel::TableFunction { name, args, columns } => {
                let node = self.node(block, Word::TABLE_FUNCTION)?;
                let name = Some(name.clone());
                self.builder.add(Some(node), Word::NAME, Tag::NONE, name)?;
                self.arguments(args, node)?;
                self.produces_all(columns, node);
                node
            }
            Rel::Recursive { columns, seed, step, all, .. } => {
                let node = self.node(block, Word::RECURSIVE)?;
                let union = self.node(node, if *all { Word::UNION_ALL } else { Word::UNION })?;
                self.arm(Word::ARM, seed, union)?;
                self.arm(Word::SECOND_ARM, step, union)?;
                self.produces_all(columns, node);
                node
            }
            Rel::RecursiveRef { columns, .. } => {
                let node = self.node(block, Word::RECURSIVE_REF)?;
                self.produces_all(columns, node);
                node
            }
            Rel::Aggregate { .. } | Rel::Distinct { .. } | Rel::Sort { .. } | Rel::Window { .. } => {
                let node = self.node(block, Word::DERIVED)?;
                self.block(rel, None, node)?;
                node
            }
        };
        Ok(Some(node))
    }

    /// A table as often as it is read, each instance by its number in the scope, with its columns as sources.
    fn table(
        &mut self,
        table: usize,
        columns: &[(ColumnId, usize)],
        block: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let scope = self.scope;
        let instance = match self.scopes.get_mut(scope) {
            Some(s) => {
                let count = s.instances.entry(table).or_insert(0);
                *count += 1;
                *count
            }
            None => 1,
        };
        let content = self.table_text(table, instance);
        let node = self.builder.add(Some(block), Word::TABLE, Tag::NONE, Some(content))?;
        if let Some((first, _)) = columns.first() {
            self.made(node, Made::Producer(*first));
        }
        for (id, column) in columns {
            let column = ColumnRef { table, column: *column };
            let origin = Origin::Table { scope, instance, column };
            self.sources.insert(*id, Produced { origin, last: node });
        }
        Ok(node)
    }

    /// A join with its conditions below it; the rows of what it joins go to it.
    fn join(
        &mut self,
        word: Word,
        on: Vec<&'a Expr>,
        tops: &[NodeIndex],
        block: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let join = self.node(block, word)?;
        for conjunct in on {
            self.expr(conjunct, join)?;
        }
        for top in tops {
            self.logic(*top, join);
        }
        Ok(join)
    }

    /// The side of an outer join whose rows may be missing.
    fn optional_side(&mut self, rel: &'a Rel, block: NodeIndex) -> Result<NodeIndex, GraphError> {
        let side = self.node(block, Word::OPTIONAL)?;
        self.deeper(|l| l.block(rel, None, side))?;
        Ok(side)
    }

    /// A set operation with its arms. Only the arms of EXCEPT are told apart: the others commute.
    fn set_operation(
        &mut self,
        kind: SetOpKind,
        all: bool,
        arms: [&'a Query; 2],
        columns: &[ColumnId],
        block: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let word = match (kind, all) {
            (SetOpKind::Union, false) => Word::UNION,
            (SetOpKind::Union, true) => Word::UNION_ALL,
            (SetOpKind::Intersect, false) => Word::INTERSECT,
            (SetOpKind::Intersect, true) => Word::INTERSECT_ALL,
            (SetOpKind::Except, false) => Word::EXCEPT,
            (SetOpKind::Except, true) => Word::EXCEPT_ALL,
        };
        let node = self.node(block, word)?;
        let [left, right] = arms;
        self.arm(Word::ARM, left, node)?;
        let second = if kind == SetOpKind::Except { Word::SECOND_ARM } else { Word::ARM };
        self.arm(second, right, node)?;
        for (id, inside) in columns.iter().zip(&left.output) {
            let content = self.describe(*inside);
            let origin = Origin::Computed { word: Word::COMPUTED_COLUMN, content };
            self.sources.insert(*id, Produced { origin, last: node });
        }
        Ok(node)
    }

    /// An arm is a query of its own: tables are counted anew in it.
    fn arm(&mut self, word: Word, query: &'a Query, parent: NodeIndex) -> Result<(), GraphError> {
        let arm = self.node(parent, word)?;
        self.in_new_scope(|l| l.query(query, arm, Shown::Columns))
    }

    /// The node produces columns that have no description but their position.
    fn produces_all(&mut self, columns: &[ColumnId], node: NodeIndex) {
        for (position, id) in columns.iter().enumerate() {
            let content = self.describe(*id).unwrap_or_else(|| format!("#{}", position + 1));
            let origin = Origin::Computed { word: Word::COMPUTED_COLUMN, content: Some(content) };
            self.sources.insert(*id, Produced { origin, last: node });
        }
    }
}
