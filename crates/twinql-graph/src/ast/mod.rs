//! From a query's syntax tree to a graph: the baseline that plans are compared with
//! (FuncEvalGMN, §5.3, experiment 0).
//!
//! The tree is that of the text: aliases stay, `JOIN … ON` is no `WHERE`, nothing is resolved and
//! nothing proved. It has tree edges alone and no schema facts, and shares the plans' vocabulary: where
//! that has no word for a keyword or a function, a `function` node holds the text.
//! Names are in lower case, literals as they are, parentheses and spelled-out defaults (`ASC`,
//! `INNER`) leave no node. Where the order of operands matters, they stand below `second`,
//! `third` and `later` as in plans.

mod expr;

use std::fmt::Display;

use petgraph::graph::NodeIndex;
use sqlparser::ast::{
    Distinct, GroupByExpr, Ident, JoinConstraint, JoinOperator, LimitClause, ObjectName, OrderBy,
    OrderByExpr, OrderByKind, OrderBySort, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier,
    TableAlias, TableFactor, TableWithJoins,
};
use twinql_sql::syntax::Named;

use crate::error::GraphError;
use crate::graph::{Builder, QueryGraph};
use crate::lower::MAX_DEPTH;
use crate::vocabulary::{Fnv, Tag, Word};

impl QueryGraph {
    /// The graph of a syntax tree.
    ///
    /// # Errors
    /// The tree is larger or nests deeper than a graph may.
    pub fn of_ast(query: &Query) -> Result<QueryGraph, GraphError> {
        let mut walk = Walk::default();
        let root = walk.builder.add(None, Word::RELS, Tag::NONE, None)?;
        walk.query(query, root)?;
        let graph = walk.builder.graph;
        // A fingerprint of words, contents and the shape of the tree: nodes are numbered as they are met.
        let mut hash = Fnv::default();
        for node in graph.node_weights() {
            hash.write(&node.word.index().to_le_bytes());
            hash.write(node.content.as_deref().unwrap_or_default().as_bytes());
        }
        for edge in graph.raw_edges() {
            hash.write(&edge.source().index().to_le_bytes());
        }
        Ok(QueryGraph::new(graph, hash.0))
    }
}

type Done = Result<(), GraphError>;

/// The graph so far, and how deep the walk is in it.
#[derive(Default)]
struct Walk {
    builder: Builder,
    depth: usize,
}

impl Walk {
    fn node(&mut self, parent: NodeIndex, word: Word) -> Result<NodeIndex, GraphError> {
        self.builder.add(Some(parent), word, Tag::NONE, None)
    }

    /// What is nested in what is here, unless that is too deep.
    fn deeper(&mut self, nested: impl FnOnce(&mut Walk) -> Done) -> Done {
        if self.depth >= MAX_DEPTH {
            return Err(GraphError::TooDeep { limit: MAX_DEPTH });
        }
        self.depth += 1;
        nested(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn text(&mut self, parent: NodeIndex, word: Word, text: String) -> Result<NodeIndex, GraphError> {
        self.builder.add(Some(parent), word, Tag::NONE, Some(text))
    }

    /// A keyword without a word of its own.
    fn keyword(&mut self, parent: NodeIndex, keyword: &str) -> Result<NodeIndex, GraphError> {
        self.text(parent, Word::UNKNOWN_FUNCTION, keyword.to_owned())
    }

    /// A construct that is not looked into: its text.
    fn other(&mut self, parent: NodeIndex, construct: &dyn Display) -> Done {
        let text = construct.to_string();
        self.text(parent, Word::UNKNOWN_FUNCTION, text).map(drop)
    }

    /// A name in lower case.
    fn name(&mut self, parent: NodeIndex, name: &Ident) -> Result<NodeIndex, GraphError> {
        self.text(parent, Word::NAME, lower(name))
    }

    /// An alias, with the names that it gives to columns.
    fn alias(&mut self, parent: NodeIndex, alias: Option<&TableAlias>) -> Done {
        if let Some(alias) = alias {
            let node = self.name(parent, &alias.name)?;
            for column in &alias.columns {
                self.text(node, Word::COLUMN, lower(&column.name))?;
            }
        }
        Ok(())
    }

    /// Where the operand at a position stands.
    fn place(&mut self, node: NodeIndex, position: usize) -> Result<NodeIndex, GraphError> {
        match position {
            0 => Ok(node),
            1 => self.node(node, Word::SECOND),
            2 => self.node(node, Word::THIRD),
            _ => self.node(node, Word::LATER),
        }
    }

    /// A query: its common tables, its body, then what orders and cuts the answer.
    fn query(&mut self, query: &Query, parent: NodeIndex) -> Done {
        self.deeper(|walk| walk.query_here(query, parent))
    }

    fn query_here(&mut self, query: &Query, parent: NodeIndex) -> Done {
        if let Some(with) = &query.with {
            let word = if with.recursive { Word::RECURSIVE } else { Word::DERIVED };
            for table in &with.cte_tables {
                let node = self.node(parent, word)?;
                self.alias(node, Some(&table.alias))?;
                self.query(&table.query, node)?;
            }
        }
        self.body(&query.body, parent)?;
        if let Some(order) = &query.order_by {
            self.order_by(order, parent)?;
        }
        let (limit, offset) = match &query.limit_clause {
            None => (None, None),
            Some(LimitClause::LimitOffset { limit, offset, limit_by: _ }) => {
                (limit.as_ref(), offset.as_ref().map(|o| &o.value))
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
        };
        for (word, value) in [(Word::LIMIT, limit), (Word::OFFSET, offset)] {
            if let Some(value) = value {
                let node = self.node(parent, word)?;
                self.expr(value, node)?;
            }
        }
        if let Some(fetch) = &query.fetch {
            self.other(parent, fetch)?;
        }
        Ok(())
    }

    /// A SELECT, a nested query or a set operation; the sides of a difference keep their order.
    fn body(&mut self, body: &SetExpr, parent: NodeIndex) -> Done {
        match body {
            SetExpr::Select(select) => self.select(select, parent),
            SetExpr::Query(query) => self.query(query, parent),
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let all = *set_quantifier == SetQuantifier::All;
                let word = match (op, all) {
                    (SetOperator::Union, true) => Word::UNION_ALL,
                    (SetOperator::Union, false) => Word::UNION,
                    (SetOperator::Intersect, true) => Word::INTERSECT_ALL,
                    (SetOperator::Intersect, false) => Word::INTERSECT,
                    (_, true) => Word::EXCEPT_ALL,
                    (_, false) => Word::EXCEPT,
                };
                self.deeper(|walk| {
                    let node = walk.node(parent, word)?;
                    for (word, side) in [(Word::ARM, left), (Word::SECOND_ARM, right)] {
                        let arm = walk.node(node, word)?;
                        walk.body(side, arm)?;
                    }
                    Ok(())
                })
            }
            SetExpr::Values(values) => {
                let node = self.node(parent, Word::VALUES)?;
                for row in &values.rows {
                    let row_node = self.node(node, Word::ROW)?;
                    self.operands(row.iter(), row_node)?;
                }
                Ok(())
            }
            other => self.other(parent, other),
        }
    }

    /// A block, a node for each of its clauses, in the order in which they are written.
    fn select(&mut self, select: &Select, parent: NodeIndex) -> Done {
        let node = self.node(parent, Word::SELECT)?;
        match &select.distinct {
            Some(Distinct::Distinct) => {
                self.node(node, Word::DISTINCT)?;
            }
            Some(Distinct::On(keys)) => {
                let distinct = self.node(node, Word::DISTINCT)?;
                self.all(keys, distinct)?;
            }
            Some(Distinct::All) | None => {}
        }
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => self.expr(expr, node)?,
                SelectItem::ExprWithAlias { expr, alias } => {
                    let named = self.name(node, alias)?;
                    self.expr(expr, named)?;
                }
                other => {
                    self.text(node, Word::COLUMN, other.to_string().to_ascii_lowercase())?;
                }
            }
        }
        if !select.from.is_empty() {
            let from = self.keyword(parent, "from")?;
            for tables in &select.from {
                self.tables(tables, from)?;
            }
        }
        let keys = match &select.group_by {
            GroupByExpr::Expressions(keys, _) => keys.as_slice(),
            GroupByExpr::All(_) => &[],
        };
        // A clause is a node of its own even where a plan would see one filter: that is the baseline.
        let clauses = [
            (Word::FILTER, select.selection.as_slice()),
            (Word::GROUP, keys),
            (Word::HAVING, select.having.as_slice()),
            (Word::QUALIFY, select.qualify.as_slice()),
        ];
        for (word, exprs) in clauses {
            if !exprs.is_empty() {
                let clause = self.node(parent, word)?;
                self.all(exprs, clause)?;
            }
        }
        for window in &select.named_window {
            self.other(parent, window)?;
        }
        Ok(())
    }

    /// An item of FROM: its first table, then the joins, each with what it joins and on what.
    fn tables(&mut self, tables: &TableWithJoins, parent: NodeIndex) -> Done {
        self.factor(&tables.relation, parent)?;
        for join in &tables.joins {
            let (node, constraint) = match &join.join_operator {
                JoinOperator::Join(c) | JoinOperator::Inner(c) | JoinOperator::CrossJoin(c) => {
                    (self.node(parent, Word::JOIN)?, c)
                }
                JoinOperator::Left(c) | JoinOperator::LeftOuter(c) => {
                    (self.node(parent, Word::LEFT_JOIN)?, c)
                }
                JoinOperator::FullOuter(c) => (self.node(parent, Word::FULL_JOIN)?, c),
                // Plans have no right joins, and so the vocabulary has no word.
                JoinOperator::Right(c) | JoinOperator::RightOuter(c) => {
                    (self.keyword(parent, "right join")?, c)
                }
                _ => {
                    self.other(parent, join)?;
                    continue;
                }
            };
            self.factor(&join.relation, node)?;
            match constraint {
                JoinConstraint::On(expr) => {
                    let on = self.keyword(node, "on")?;
                    self.expr(expr, on)?;
                }
                JoinConstraint::Using(columns) => {
                    let using = self.keyword(node, "using")?;
                    for column in columns {
                        self.text(using, Word::COLUMN, object(column))?;
                    }
                }
                JoinConstraint::Natural => {
                    self.keyword(node, "natural")?;
                }
                JoinConstraint::None => {}
            }
        }
        Ok(())
    }

    /// What stands in FROM: a table with its alias, a derived table, a nested join.
    fn factor(&mut self, factor: &TableFactor, parent: NodeIndex) -> Done {
        if let Some(Named { name, alias, args: None }) = Named::of(factor) {
            let node = self.text(parent, Word::TABLE, object(name))?;
            return self.alias(node, alias);
        }
        match factor {
            TableFactor::Derived { subquery, alias, lateral: _, sample: _ } => {
                let node = self.node(parent, Word::DERIVED)?;
                self.alias(node, alias.as_ref())?;
                self.query(subquery, node)
            }
            TableFactor::NestedJoin { table_with_joins, alias } => self.deeper(|walk| {
                let node = walk.node(parent, Word::DERIVED)?;
                walk.alias(node, alias.as_ref())?;
                walk.tables(table_with_joins, node)
            }),
            other => self.other(parent, other),
        }
    }

    /// ORDER BY; of its other forms the text.
    fn order_by(&mut self, order: &OrderBy, parent: NodeIndex) -> Done {
        match &order.kind {
            OrderByKind::Expressions(keys) => self.sort(keys, parent),
            OrderByKind::All(_) => self.other(parent, order),
        }
    }

    /// Sort keys by direction and place; `THEN_…` are those after the first, which decide only its ties.
    fn sort(&mut self, keys: &[OrderByExpr], parent: NodeIndex) -> Done {
        let sort = self.node(parent, Word::SORT)?;
        for (position, key) in keys.iter().enumerate() {
            let descending = matches!(key.options.sort, Some(OrderBySort::Desc));
            let word = match (position, descending) {
                (0, false) => Word::ASC,
                (0, true) => Word::DESC,
                (_, false) => Word::THEN_ASC,
                (_, true) => Word::THEN_DESC,
            };
            let node = self.node(sort, word)?;
            self.expr(&key.expr, node)?;
            match key.options.nulls_first {
                Some(true) => self.node(node, Word::NULLS_FIRST).map(drop)?,
                Some(false) => self.node(node, Word::NULLS_LAST).map(drop)?,
                None => {}
            }
        }
        Ok(())
    }
}

/// A name as SQLite compares it.
fn lower(name: &Ident) -> String {
    name.value.to_ascii_lowercase()
}

/// A qualified name, its parts as they are without their quotes.
fn object(name: &ObjectName) -> String {
    let part = |part: &sqlparser::ast::ObjectNamePart| match part.as_ident() {
        Some(ident) => lower(ident),
        None => part.to_string().to_ascii_lowercase(),
    };
    let parts: Vec<String> = name.0.iter().map(part).collect();
    parts.join(".")
}
