//! From a plan to a graph.
//!
//! A query block becomes one node whose children are the block's operators, in the order
//! in which they run: tables, joins, `filter`, `group` or `aggregate`, `having`, `window`,
//! `qualify`, `select`, `distinct`, `sort`, `limit`. Logic-flow edges lead from each operator
//! to the one that takes its rows. Below an operator stand its operands: predicates' conjuncts,
//! group keys and aggregate calls, output columns, sort keys.
//!
//! - Below the root, `assume` nodes say what the semantics assumes beyond the plain case; where
//!   it compares columns as given, logic-flow edges lead from each output column to the next.
//! - Bare projections leave no node: `select` names the output columns. A computed column stands
//!   where it is first used; a later use, as every use of an aggregate or a window call
//!   outside its operator, is a leaf with the computing word, the tag `reference`, and the column
//!   inside as its content. Data-flow edges connect both.
//! - A column's content is `table.column` in lower case; the second instance of a table within
//!   a query or subquery is `table#2`. A correlated reference is an `outer_column`.
//! - A block nests where its operators cannot be one run of clauses: arms of set operations,
//!   subqueries in expressions, derived tables that group or limit, and the sides of outer joins
//!   that rows may be missing from.
//! - Operands: the operand with the more constant nature (column < subquery < literal) is the
//!   right one; comparisons are turned to make it so. Where both are alike, or the operator
//!   does not commute and cannot be turned, the right operand stands below a `second` node.

mod block;
mod expr;
mod operators;
mod sources;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use petgraph::graph::NodeIndex;
use twinql_sql::{ColumnId, ColumnRef, Columns, Expr, Plan, Schema, Semantics};

use crate::error::GraphError;
use crate::graph::{Builder, EdgeKind, QueryGraph};
use crate::vocabulary::{Tag, Word};

/// How deep expressions and blocks may nest.
pub(crate) const MAX_DEPTH: usize = 200;

/// Literals of a list after this many are folded into one node.
pub(crate) const MAX_LIST: usize = 64;

impl QueryGraph {
    /// The graph of a plan, best of a canonical one. Facts of the schema are told as far as they
    /// hold under `semantics`; what else it assumes stands below the root.
    ///
    /// # Errors
    /// The plan is larger or nests deeper than a graph may.
    pub fn lower(schema: &Schema, plan: &Plan, semantics: &Semantics) -> Result<QueryGraph, GraphError> {
        lower(schema, plan, semantics, None).map(|(graph, _)| graph)
    }

    /// As [`QueryGraph::lower`], and what each node was made from: an entry for each node, by its
    /// index, none for operators and marks.
    ///
    /// # Errors
    /// The plan is larger or nests deeper than a graph may.
    pub fn lower_traced<'a>(
        schema: &'a Schema,
        plan: &'a Plan,
        semantics: &'a Semantics,
    ) -> Result<(QueryGraph, Vec<Option<Made<'a>>>), GraphError> {
        let (graph, made) = lower(schema, plan, semantics, Some(Vec::new()))?;
        let mut made = made.unwrap_or_default();
        made.resize(graph.node_count(), None);
        Ok((graph, made))
    }
}

/// The part of a plan that a node was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// The use of a column.
    Use(ColumnId),
    /// What produces a column: a table (its first column), a call, a computed value.
    Producer(ColumnId),
}

/// For each node by its index what it was made from.
type Origins<'a> = Vec<Option<Made<'a>>>;

fn lower<'a>(
    schema: &'a Schema,
    plan: &'a Plan,
    semantics: &'a Semantics,
    made: Option<Origins<'a>>,
) -> Result<(QueryGraph, Option<Origins<'a>>), GraphError> {
    let mut lowerer = Lowerer {
        made,
        schema,
        semantics,
        columns: &plan.columns,
        builder: Builder::default(),
        scopes: vec![Scope::default()],
        scope: 0,
        definitions: HashMap::new(),
        sources: HashMap::new(),
        depth: 0,
    };
    let root = lowerer.builder.add(None, Word::RELS, Tag::NONE, None)?;
    for mark in Tag::assumptions(semantics) {
        lowerer.builder.add(Some(root), Word::ASSUME, mark, None)?;
    }
    lowerer.query(&plan.query, root, block::Shown::Columns)?;
    let mut hasher = DefaultHasher::new();
    plan.query.hash(&mut hasher);
    let graph = QueryGraph::new(lowerer.builder.graph, hasher.finish());
    Ok((graph.of_width(Some(plan.query.output.len())), lowerer.made))
}

/// A query or subquery: within it, instances of a table are numbered.
#[derive(Debug, Default)]
struct Scope {
    instances: HashMap<usize, u32>,
}

/// Where the values of a column come from.
#[derive(Debug, Clone)]
enum Origin {
    /// A base table's column.
    Table { scope: usize, instance: u32, column: ColumnRef },
    /// An operator: its word, and the column inside that describes it best.
    Computed { word: Word, content: Option<String> },
}

/// A column that some node produces, with the end of its data flow so far.
#[derive(Debug, Clone)]
struct Produced {
    origin: Origin,
    last: NodeIndex,
}

struct Lowerer<'a> {
    /// What nodes were made from, by index; none where nobody asks.
    made: Option<Origins<'a>>,
    schema: &'a Schema,
    semantics: &'a Semantics,
    columns: &'a Columns,
    builder: Builder,
    scopes: Vec<Scope>,
    /// The current scope, an index into `scopes`.
    scope: usize,
    /// Projected columns that no node has computed yet.
    definitions: HashMap<ColumnId, &'a Expr>,
    sources: HashMap<ColumnId, Produced>,
    depth: usize,
}

impl<'a> Lowerer<'a> {
    /// Runs `body` one level deeper.
    fn deeper<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T, GraphError>) -> Result<T, GraphError> {
        if self.depth >= MAX_DEPTH {
            return Err(GraphError::TooDeep { limit: MAX_DEPTH });
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    /// Runs `body` in a scope of its own.
    fn in_new_scope<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        let outer = self.scope;
        self.scope = self.scopes.len();
        self.scopes.push(Scope::default());
        let result = body(self);
        self.scope = outer;
        result
    }

    /// An operator or a leaf without content.
    fn node(&mut self, parent: NodeIndex, word: Word) -> Result<NodeIndex, GraphError> {
        self.builder.add(Some(parent), word, Tag::NONE, None)
    }

    /// Notes what a node was made from. The innermost part is noted first, and stays.
    fn made(&mut self, node: NodeIndex, from: Made<'a>) {
        let Some(made) = &mut self.made else { return };
        if made.len() <= node.index() {
            made.resize(node.index() + 1, None);
        }
        if let Some(entry) = made.get_mut(node.index()) {
            entry.get_or_insert(from);
        }
    }

    fn logic(&mut self, from: NodeIndex, to: NodeIndex) {
        self.builder.edge(from, to, EdgeKind::Logic);
    }

    /// Follows columns that are another column under a new id.
    fn resolve(&self, mut id: ColumnId) -> ColumnId {
        // A well-formed plan has no cycles; a bound costs nothing.
        for _ in 0..MAX_DEPTH {
            match self.definitions.get(&id) {
                Some(Expr::Column(other)) if !self.sources.contains_key(&id) => id = *other,
                _ => break,
            }
        }
        id
    }

    /// Notes what projected columns are.
    fn define(&mut self, exprs: &'a [(ColumnId, Expr)]) {
        for (id, expr) in exprs {
            if *expr != Expr::Column(*id) {
                self.definitions.insert(*id, expr);
            }
        }
    }

    /// `table.column` in lower case, with the instance where it is not the first.
    fn column_text(&self, column: ColumnRef, instance: u32) -> String {
        let table = self.table_text(column.table, instance);
        let name = self.schema.column(column).map_or("?", |c| c.name.as_str());
        format!("{table}.{}", name.to_ascii_lowercase())
    }

    fn table_text(&self, table: usize, instance: u32) -> String {
        let name = self.schema.tables.get(table).map_or("?", |t| t.name.as_str());
        let name = name.to_ascii_lowercase();
        if instance > 1 { format!("{name}#{instance}") } else { name }
    }

    /// The text that describes a column best: its own or that of the column inside.
    fn describe(&self, id: ColumnId) -> Option<String> {
        let id = self.resolve(id);
        match self.sources.get(&id).map(|s| &s.origin) {
            Some(Origin::Table { column, instance, .. }) => Some(self.column_text(*column, *instance)),
            Some(Origin::Computed { content, .. }) => content.clone(),
            None => {
                let info = id.info(self.columns)?;
                Some(self.column_text(info.origin?, 1))
            }
        }
    }

    /// Notes that `node` computes `id`. The node's subtree must be the last one added.
    fn produced(&mut self, id: ColumnId, node: NodeIndex) {
        self.made(node, Made::Producer(id));
        let graph = &self.builder.graph;
        let nodes = (node.index()..graph.node_count()).filter_map(|i| graph.node_weight(NodeIndex::new(i)));
        let is_column = |word| word == Word::COLUMN || word == Word::OUTER_COLUMN;
        let content = nodes
            .clone()
            .find(|n| is_column(n.word))
            .or_else(|| nodes.clone().find(|n| n.content.is_some()))
            .and_then(|n| n.content.clone());
        let word = graph.node_weight(node).map_or(Word::COMPUTED_COLUMN, |n| n.word);
        let origin = Origin::Computed { word, content };
        self.sources.insert(id, Produced { origin, last: node });
    }

    /// A use of a column below `parent`.
    fn column_use(&mut self, id: ColumnId, parent: NodeIndex) -> Result<NodeIndex, GraphError> {
        let id = self.resolve(id);
        let Some(source) = self.sources.get(&id).cloned() else {
            if let Some(expr) = self.definitions.get(&id).copied() {
                let node = self.expr(expr, parent)?;
                self.produced(id, node);
                return Ok(node);
            }
            return self.unknown_column(id, parent);
        };
        let (word, tag, content) = match source.origin {
            Origin::Table { scope, instance, column } => {
                let word = if scope == self.scope { Word::COLUMN } else { Word::OUTER_COLUMN };
                let tag = Tag::column(self.schema, column, self.semantics);
                (word, tag, Some(self.column_text(column, instance)))
            }
            Origin::Computed { word: Word::COMPUTED_COLUMN, content } => {
                (Word::COMPUTED_COLUMN, self.computed_tag(id), content)
            }
            Origin::Computed { word, content } => (word, Tag::REFERENCE, content),
        };
        let node = self.builder.add(Some(parent), word, tag, content)?;
        self.made(node, Made::Use(id));
        self.builder.edge(source.last, node, EdgeKind::Data);
        if let Some(source) = self.sources.get_mut(&id) {
            source.last = node;
        }
        Ok(node)
    }

    fn computed_tag(&self, id: ColumnId) -> Tag {
        id.info(self.columns).map_or(Tag::NONE, |info| Tag::computed(info.class, info.nullable))
    }

    /// A column that nothing in the plan produces: its first use stands for its producer.
    fn unknown_column(&mut self, id: ColumnId, parent: NodeIndex) -> Result<NodeIndex, GraphError> {
        let content = self.describe(id);
        let tag = self.computed_tag(id);
        let word = Word::COMPUTED_COLUMN;
        let node = self.builder.add(Some(parent), word, tag, content.clone())?;
        let origin = Origin::Computed { word, content };
        self.sources.insert(id, Produced { origin, last: node });
        Ok(node)
    }
}
