//! Query blocks: runs of operators.

use petgraph::graph::NodeIndex;
use twinql_sql::{
    AggFunc, AggregateCall, ColumnId, ColumnRef, Direction, Expr, JoinKind, NullsOrder, Query, Rel,
    SetOpKind, SortKey, WindowCall,
};

use super::{Lowerer, Origin, Source};
use crate::error::GraphError;
use crate::vocabulary::{Tag, Word};

/// What a block shows of its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// The columns.
    Columns,
    /// Nothing: EXISTS asks only for rows.
    RowsOnly,
}

/// The last operator of a block so far; none where the block has no rows of its own.
type Top = Option<NodeIndex>;

impl<'a> Lowerer<'a> {
    /// The operators of a query below `block`.
    pub(super) fn query(
        &mut self,
        query: &'a Query,
        block: NodeIndex,
        output: Output,
    ) -> Result<(), GraphError> {
        let columns = (output == Output::Columns).then_some(query.output.as_slice());
        self.deeper(|l| l.block(&query.rel, columns, block))
    }

    /// The operators of a relation below `block`. `output` are the columns to show; where a
    /// nested block has none, a DISTINCT shows what it compares.
    fn block(
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
                Rel::Filter {
                    input,
                    predicate: conjuncts,
                } => {
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
            for id in output {
                self.column_use(*id, select)?;
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
            Rel::Sort {
                keys, limit, offset, ..
            } => {
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

    /// Each key after the first stands below the one before it, so that the tree alone
    /// tells their order.
    fn sort_keys(&mut self, keys: &'a [SortKey], parent: NodeIndex) -> Result<(), GraphError> {
        let mut above = parent;
        for (position, key) in keys.iter().enumerate() {
            let word = match (key.direction, position) {
                (Direction::Asc, 0) => Word::ASC,
                (Direction::Desc, 0) => Word::DESC,
                (Direction::Asc, _) => Word::THEN_ASC,
                (Direction::Desc, _) => Word::THEN_DESC,
            };
            let node = self.node(above, word)?;
            self.expr(&key.expr, node)?;
            match (key.direction, key.nulls) {
                (Direction::Asc, NullsOrder::Last) => {
                    self.node(node, Word::NULLS_LAST)?;
                }
                (Direction::Desc, NullsOrder::First) => {
                    self.node(node, Word::NULLS_FIRST)?;
                }
                _ => {}
            }
            above = node;
        }
        Ok(())
    }

    fn group(
        &mut self,
        keys: &'a [(ColumnId, Expr)],
        calls: &'a [(ColumnId, AggregateCall)],
        block: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let word = if keys.is_empty() {
            Word::AGGREGATE
        } else {
            Word::GROUP
        };
        let group = self.node(block, word)?;
        for (id, expr) in keys {
            if let Expr::Column(column) = expr {
                self.column_use(*column, group)?;
                if column != id {
                    self.definitions.insert(*id, expr);
                }
            } else {
                let node = self.expr(expr, group)?;
                self.produced(*id, node);
            }
        }
        for (id, call) in calls {
            let node = self.aggregate_call(call, group)?;
            self.produced(*id, node);
        }
        Ok(group)
    }

    fn aggregate_call(
        &mut self,
        call: &'a AggregateCall,
        parent: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let distinct = call.distinct;
        let word = match (&call.func, distinct) {
            (AggFunc::Count, false) => Word::COUNT,
            (AggFunc::Count, true) => Word::COUNT_DISTINCT,
            (AggFunc::Sum, false) => Word::SUM,
            (AggFunc::Sum, true) => Word::SUM_DISTINCT,
            (AggFunc::Total, false) => Word::TOTAL,
            (AggFunc::Total, true) => Word::TOTAL_DISTINCT,
            (AggFunc::Avg, false) => Word::AVG,
            (AggFunc::Avg, true) => Word::AVG_DISTINCT,
            (AggFunc::GroupConcat, false) => Word::GROUP_CONCAT,
            (AggFunc::GroupConcat, true) => Word::GROUP_CONCAT_DISTINCT,
            // DISTINCT changes nothing in these.
            (AggFunc::Min, _) => Word::MIN,
            (AggFunc::Max, _) => Word::MAX,
            (AggFunc::Bare, _) => Word::BARE,
            (AggFunc::Other(name), _) => {
                let node = self.function_node(name, parent)?;
                if distinct {
                    self.node(node, Word::DISTINCT)?;
                }
                self.arguments(&call.args, node)?;
                self.call_filter(call.filter.as_ref(), node)?;
                return Ok(node);
            }
        };
        let node = self.node(parent, word)?;
        self.arguments(&call.args, node)?;
        self.call_filter(call.filter.as_ref(), node)?;
        Ok(node)
    }

    fn call_filter(&mut self, filter: Option<&'a Expr>, call: NodeIndex) -> Result<(), GraphError> {
        if let Some(filter) = filter {
            let node = self.node(call, Word::AGGREGATE_FILTER)?;
            self.expr(filter, node)?;
        }
        Ok(())
    }

    fn window(
        &mut self,
        calls: &'a [(ColumnId, WindowCall)],
        block: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let window = self.node(block, Word::WINDOW)?;
        for (id, call) in calls {
            let node = match aggregate_word(&call.func) {
                Some(word) => self.node(window, word)?,
                None => self.function_node(&call.func, window)?,
            };
            if call.distinct {
                self.node(node, Word::DISTINCT)?;
            }
            self.arguments(&call.args, node)?;
            self.call_filter(call.filter.as_ref(), node)?;
            if !call.partition_by.is_empty() {
                let partition = self.node(node, Word::PARTITION)?;
                for expr in &call.partition_by {
                    self.expr(expr, partition)?;
                }
            }
            self.sort_keys(&call.order_by, node)?;
            if let Some(frame) = &call.frame {
                self.builder
                    .add(Some(node), Word::FRAME, Tag::NONE, Some(frame.clone()))?;
            }
            self.produced(*id, node);
        }
        Ok(window)
    }

    /// What a block reads. Predicates that may as well run after its joins go to `predicate`.
    fn read(
        &mut self,
        rel: &'a Rel,
        block: NodeIndex,
        predicate: &mut Vec<&'a Expr>,
    ) -> Result<Top, GraphError> {
        self.deeper(|l| l.read_item(rel, block, predicate))
    }

    fn read_item(
        &mut self,
        rel: &'a Rel,
        block: NodeIndex,
        predicate: &mut Vec<&'a Expr>,
    ) -> Result<Top, GraphError> {
        let node = match rel {
            Rel::Scan { table, columns } => return self.table(*table, columns, block).map(Some),
            Rel::Filter {
                input,
                predicate: conjuncts,
            } => {
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
            Rel::OuterJoin {
                kind: JoinKind::Left,
                left,
                right,
                on,
            } => {
                let mut tops = Vec::new();
                tops.extend(self.read(left, block, predicate)?);
                tops.push(self.optional_side(right, block)?);
                self.join(Word::LEFT_JOIN, on.iter().collect(), &tops, block)?
            }
            Rel::OuterJoin {
                kind: JoinKind::Full,
                left,
                right,
                on,
            } => {
                let tops = [
                    self.optional_side(left, block)?,
                    self.optional_side(right, block)?,
                ];
                self.join(Word::FULL_JOIN, on.iter().collect(), &tops, block)?
            }
            Rel::SetOp {
                kind,
                all,
                left,
                right,
                columns,
            } => self.set_operation(*kind, *all, [left, right], columns, block)?,
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
            Rel::Recursive {
                columns,
                seed,
                step,
                all,
                ..
            } => {
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
        let node = self
            .builder
            .add(Some(block), Word::TABLE, Tag::NONE, Some(content))?;
        for (id, column) in columns {
            let column = ColumnRef {
                table,
                column: *column,
            };
            let origin = Origin::Table {
                scope,
                instance,
                column,
            };
            self.sources.insert(*id, Source { origin, last: node });
        }
        Ok(node)
    }

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
        let second = if kind == SetOpKind::Except {
            Word::SECOND_ARM
        } else {
            Word::ARM
        };
        self.arm(second, right, node)?;
        for (id, inside) in columns.iter().zip(&left.output) {
            let content = self.describe(*inside);
            let origin = Origin::Computed {
                word: Word::COMPUTED_COLUMN,
                content,
            };
            self.sources.insert(*id, Source { origin, last: node });
        }
        Ok(node)
    }

    fn arm(&mut self, word: Word, query: &'a Query, parent: NodeIndex) -> Result<(), GraphError> {
        let arm = self.node(parent, word)?;
        self.in_new_scope(|l| l.query(query, arm, Output::Columns))
    }

    /// The node produces columns that have no description but their position.
    fn produces_all(&mut self, columns: &[ColumnId], node: NodeIndex) {
        for (position, id) in columns.iter().enumerate() {
            let content = self.describe(*id).unwrap_or_else(|| format!("#{}", position + 1));
            let origin = Origin::Computed {
                word: Word::COMPUTED_COLUMN,
                content: Some(content),
            };
            self.sources.insert(*id, Source { origin, last: node });
        }
    }

    /// A subquery in an expression: `word` is the block.
    pub(super) fn subquery(
        &mut self,
        query: &'a Query,
        block: NodeIndex,
        output: Output,
    ) -> Result<(), GraphError> {
        self.in_new_scope(|l| l.query(query, block, output))
    }

    /// A function's node by its name.
    pub(super) fn function_node(&mut self, name: &str, parent: NodeIndex) -> Result<NodeIndex, GraphError> {
        if let Some(word) = Word::function(name) {
            return self.node(parent, word);
        }
        let node = self.node(parent, Word::UNKNOWN_FUNCTION)?;
        let name = Some(name.to_owned());
        self.builder.add(Some(node), Word::NAME, Tag::NONE, name)?;
        Ok(node)
    }
}

fn aggregate_word(name: &str) -> Option<Word> {
    Some(match name {
        "count" => Word::COUNT,
        "sum" => Word::SUM,
        "total" => Word::TOTAL,
        "avg" => Word::AVG,
        "min" => Word::MIN,
        "max" => Word::MAX,
        "group_concat" | "string_agg" => Word::GROUP_CONCAT,
        _ => return None,
    })
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

fn same_columns(a: &[ColumnId], b: &[ColumnId]) -> bool {
    a.iter().all(|id| b.contains(id)) && b.iter().all(|id| a.contains(id))
}
