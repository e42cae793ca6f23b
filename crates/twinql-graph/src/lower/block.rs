//! Query blocks: runs of operators.

use petgraph::graph::NodeIndex;
use twinql_sql::{ColumnId, Expr, Query, Rel};

use super::Lowerer;
use crate::error::GraphError;
use crate::vocabulary::Word;

/// What a block shows of its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// The columns.
    Columns,
    /// Nothing: EXISTS asks only for rows.
    RowsOnly,
}

/// The last operator of a block so far; none where the block has no rows of its own.
pub(super) type Top = Option<NodeIndex>;

impl<'a> Lowerer<'a> {
    /// The operators of a query below `block`.
    pub(super) fn query(
        &mut self,
        query: &'a Query,
        block: NodeIndex,
        output: Shown,
    ) -> Result<(), GraphError> {
        let columns = (output == Shown::Columns).then_some(query.output.as_slice());
        self.deeper(|l| l.block(&query.rel, columns, block))
    }

    /// The operators of a relation below `block`. `output` are the columns to show; where a
    /// nested block has none, a DISTINCT shows what it compares.
    pub(super) fn block(
        &mut self,
        rel: &'a Rel,
        output: Option<&'a [ColumnId]>,
        block: NodeIndex,
    ) -> Result<(), GraphError> {
        // From the top: what runs after SELECT.
        let mut tail = Vec::new();
        let mut rel = rel;
        loop {
            rel = match rel {
                Rel::Sort { input, .. } | Rel::Distinct { input } => {
                    tail.push(rel);
                    input
                }
                Rel::Project { input, exprs } => {
                    self.define(exprs);
                    input
                }
                _ => break,
            };
        }
        // Windows and one grouping, each with the filters above it.
        let mut stages: Vec<(&'a Rel, Vec<&'a Expr>)> = Vec::new();
        let mut predicate: Vec<&'a Expr> = Vec::new();
        let mut grouped = false;
        loop {
            rel = match rel {
                Rel::Filter { input, predicate: conjuncts } => {
                    predicate.extend(conjuncts);
                    input
                }
                Rel::Project { input, exprs } => {
                    self.define(exprs);
                    input
                }
                Rel::Window { input, .. } if !grouped => {
                    stages.push((rel, std::mem::take(&mut predicate)));
                    input
                }
                Rel::Aggregate { input, .. } if !grouped => {
                    grouped = true;
                    stages.push((rel, std::mem::take(&mut predicate)));
                    input
                }
                _ => break,
            };
        }
        let mut top = self.read(rel, block, &mut predicate)?;
        top = self.filter(Word::FILTER, &predicate, block, top)?;
        for (stage, filters) in stages.into_iter().rev() {
            let (operator, word) = match stage {
                Rel::Window { calls, .. } => (self.window(calls, block)?, Word::QUALIFY),
                Rel::Aggregate { keys, calls, .. } => (self.group(keys, calls, block)?, Word::HAVING),
                _ => continue,
            };
            top = self.follow(top, operator);
            top = self.filter(word, &filters, block, top)?;
        }
        let plain_set_operation = matches!(rel, Rel::SetOp { columns, .. }
            if output == Some(columns.as_slice()) && top.is_some());
        if let Some(output) = output
            && !plain_set_operation
        {
            let select = self.node(block, Word::SELECT)?;
            let mut last = None;
            for id in output {
                let node = self.column_use(*id, select)?;
                if let Some(last) = last.replace(node)
                    && !self.semantics.any_column_order
                {
                    self.logic(last, node);
                }
            }
            top = self.follow(top, select);
        }
        for operator in tail.into_iter().rev() {
            top = self.tail(operator, output, block, top)?;
        }
        Ok(())
    }

    /// `next` runs on the rows of `top`.
    fn follow(&mut self, top: Top, next: NodeIndex) -> Top {
        if let Some(top) = top {
            self.logic(top, next);
        }
        Some(next)
    }

    /// A node with conjuncts below it, where there are any.
    fn filter(
        &mut self,
        word: Word,
        predicate: &[&'a Expr],
        block: NodeIndex,
        top: Top,
    ) -> Result<Top, GraphError> {
        if predicate.is_empty() {
            return Ok(top);
        }
        let filter = self.node(block, word)?;
        for conjunct in predicate {
            self.expr(conjunct, filter)?;
        }
        Ok(self.follow(top, filter))
    }

    /// DISTINCT, ORDER BY and LIMIT.
    fn tail(
        &mut self,
        rel: &'a Rel,
        output: Option<&'a [ColumnId]>,
        block: NodeIndex,
        mut top: Top,
    ) -> Result<Top, GraphError> {
        match rel {
            Rel::Distinct { input } => {
                let distinct = self.node(block, Word::DISTINCT)?;
                // What it compares is `select`, unless columns are dropped above it.
                let compared = produced_columns(input);
                if !compared.is_empty() && !output.is_some_and(|o| same_columns(o, &compared)) {
                    for id in compared {
                        self.column_use(id, distinct)?;
                    }
                }
                top = self.follow(top, distinct);
            }
            Rel::Sort { keys, limit, offset, .. } => {
                if !keys.is_empty() {
                    let sort = self.node(block, Word::SORT)?;
                    self.sort_keys(keys, sort)?;
                    top = self.follow(top, sort);
                }
                for (bound, word) in [(limit, Word::LIMIT), (offset, Word::OFFSET)] {
                    if let Some(bound) = bound {
                        let operator = self.node(block, word)?;
                        self.expr(bound, operator)?;
                        top = self.follow(top, operator);
                    }
                }
            }
            _ => {}
        }
        Ok(top)
    }

    /// A subquery in an expression: `word` is the block.
    pub(super) fn subquery(
        &mut self,
        query: &'a Query,
        block: NodeIndex,
        output: Shown,
    ) -> Result<(), GraphError> {
        self.in_new_scope(|l| l.query(query, block, output))
    }
}

/// The columns of a relation where they are few and known: those of a projection, a
/// grouping or a set operation; empty elsewhere.
fn produced_columns(mut rel: &Rel) -> Vec<ColumnId> {
    loop {
        rel = match rel {
            Rel::Project { exprs, .. } => return exprs.iter().map(|(id, _)| *id).collect(),
            Rel::Aggregate { keys, calls, .. } => {
                let keys = keys.iter().map(|(id, _)| *id);
                return keys.chain(calls.iter().map(|(id, _)| *id)).collect();
            }
            Rel::Scan { columns, .. } => return columns.iter().map(|(id, _)| *id).collect(),
            Rel::SetOp { columns, .. } => return columns.clone(),
            Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Distinct { input } => input,
            _ => return Vec::new(),
        };
    }
}

/// The same columns in any order.
fn same_columns(a: &[ColumnId], b: &[ColumnId]) -> bool {
    a.iter().all(|id| b.contains(id)) && b.iter().all(|id| a.contains(id))
}
