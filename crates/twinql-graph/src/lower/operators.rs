//! Operators that compute columns or order rows: groupings, windows, sort keys.
//!
//! What they compute is used elsewhere, by a leaf that refers to it. So each notes which node produces which
//! column, and data-flow edges lead from there to the uses.

use petgraph::graph::NodeIndex;
use twinql_sql::{AggFunc, AggregateCall, ColumnId, Direction, Expr, NullsOrder, SortKey, WindowCall};

use super::Lowerer;
use crate::error::GraphError;
use crate::vocabulary::{Tag, Word};

impl<'a> Lowerer<'a> {
    /// Each key after the first stands below the one before it, so that the tree alone
    /// tells their order.
    pub(super) fn sort_keys(&mut self, keys: &'a [SortKey], parent: NodeIndex) -> Result<(), GraphError> {
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
            // Only what differs from SQLite's own order, in which NULL is the smallest value.
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

    /// `group` with its keys and aggregate calls below it, or `aggregate` where there is one group of all
    /// rows. A key that is a bare column stays what it is under the name that it has above the group.
    pub(super) fn group(
        &mut self,
        keys: &'a [(ColumnId, Expr)],
        calls: &'a [(ColumnId, AggregateCall)],
        block: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let word = if keys.is_empty() { Word::AGGREGATE } else { Word::GROUP };
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

    /// A call with its arguments. DISTINCT is part of the word, since it makes another aggregate; only a
    /// function without a word of its own has it as a node.
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

    /// The condition of `FILTER (WHERE …)` below a call.
    fn call_filter(&mut self, filter: Option<&'a Expr>, call: NodeIndex) -> Result<(), GraphError> {
        if let Some(filter) = filter {
            let node = self.node(call, Word::AGGREGATE_FILTER)?;
            self.expr(filter, node)?;
        }
        Ok(())
    }

    /// `window` with its calls, and below each what it is over: partition, order, frame as text.
    pub(super) fn window(
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
                self.builder.add(Some(node), Word::FRAME, Tag::NONE, Some(frame.clone()))?;
            }
            self.produced(*id, node);
        }
        Ok(window)
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

/// The word of an aggregate that is called over a window, where its function is known by name alone.
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
