//! Walking trees: one way over the operators of a plan and the expressions inside them.
//!
//! A plan is made of three kinds of [`Node`]s: queries, relations and expressions. What lies right below a node has
//! one order everywhere: below a query its relation; below a relation its inputs, then its arms, then its own
//! expressions; below an expression its operands, then its subquery. All walks follow it.
//!
//! | | its own scope | subqueries, too |
//! |---|---|---|
//! | look | [`Expr::any`], [`Expr::for_each`] | [`Tree::any_deep`], [`Tree::for_each_deep`] |
//! | change | [`Expr::map`], bottom up | [`Tree::map_deep`] top down, [`Tree::map_up_deep`] bottom up |
//! | find the first place and change it | | [`Tree::find_deep`] |
//!
//! "Its own scope" leaves subqueries closed: the operands of an expression read the same rows as the expression itself,
//! the expressions of a subquery do not.
//!
//! ```
//! use twinql_sql::tree::{Node, Tree};
//! use twinql_sql::{Expr, Rel, Schema, Value, parse, plan};
//!
//! let schema = Schema::from_ddl("d", "CREATE TABLE pet (id INTEGER PRIMARY KEY, age INTEGER)")?;
//! let sql = "SELECT id FROM pet WHERE age > 3 AND id IN (SELECT id FROM pet WHERE age < 7)";
//! let mut plan = plan(&schema, &parse(sql)?)?;
//!
//! let mut scans = 0;
//! plan.query.for_each_deep(|node| scans += usize::from(matches!(node, Node::Rel(Rel::Scan { .. }))));
//! assert_eq!(scans, 2);
//!
//! plan.query.map_up_deep(|node| {
//!     if let twinql_sql::tree::NodeMut::Expr(e @ Expr::Literal(_)) = node {
//!         *e = Expr::integer(0);
//!     }
//! });
//! let seven = |e: &Expr| *e == Expr::integer(7);
//! assert!(!plan.query.any_deep(|node| matches!(node, Node::Expr(e) if seven(e))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use smallvec::{SmallVec, smallvec};

use crate::expr::{AggregateCall, Expr, WindowCall};
use crate::function;
use crate::rel::{Query, Rel};

/// Children of a node. Nearly always a handful, asked for at every step of every walk: kept off the heap.
pub type Children<T> = SmallVec<[T; 4]>;

/// A node of a plan.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // the names are the types
pub enum Node<'a> {
    Query(&'a Query),
    Rel(&'a Rel),
    Expr(&'a Expr),
}

/// A node of a plan, to be changed.
#[derive(Debug)]
#[allow(missing_docs)] // the names are the types
pub enum NodeMut<'a> {
    Query(&'a mut Query),
    Rel(&'a mut Rel),
    Expr(&'a mut Expr),
}

/// Where a walk from the top goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// To what lies below the node.
    Below,
    /// Past it.
    Past,
}

/// Walks that open subqueries: over queries, relations and expressions alike.
pub trait Tree {
    /// The top of the walk.
    fn node(&self) -> Node<'_>;

    /// The top of the walk, to be changed.
    fn node_mut(&mut self) -> NodeMut<'_>;

    /// True if `test` holds for this or for something below; from the top, ends at the first.
    fn any_deep<'a>(&'a self, mut test: impl FnMut(Node<'a>) -> bool) -> bool {
        any(self.node(), &mut test)
    }

    /// Shows this and all below it to `f`, each before what is below it.
    fn for_each_deep<'a>(&'a self, mut f: impl FnMut(Node<'a>)) {
        any(self.node(), &mut |node| {
            f(node);
            false
        });
    }

    /// Changes this and all below it by `f`, from the top, which says whether to go below.
    fn map_deep(&mut self, mut f: impl FnMut(NodeMut<'_>) -> Next) {
        map_down(self.node_mut(), &mut f);
    }

    /// Changes this and all below it by `f`, each after what is below it.
    fn map_up_deep(&mut self, mut f: impl FnMut(NodeMut<'_>)) {
        find_up::<()>(self.node_mut(), &mut |node| {
            f(node);
            None
        });
    }

    /// What `f` answers at the first place, from the bottom, at which it answers.
    fn find_deep<T>(&mut self, mut f: impl FnMut(NodeMut<'_>) -> Option<T>) -> Option<T> {
        find_up(self.node_mut(), &mut f)
    }

    /// How many relations and expressions there are.
    fn size(&self) -> usize {
        let mut nodes = 0;
        self.for_each_deep(|node| nodes += usize::from(!matches!(node, Node::Query(_))));
        nodes
    }

    /// True if relations and expressions are nested deeper than `limit`; stops at the limit.
    fn deeper_than(&self, limit: usize) -> bool {
        deeper(self.node(), limit)
    }

    /// True where every evaluation over the same rows gives the same.
    fn is_deterministic(&self) -> bool {
        !self.any_deep(
            |node| matches!(node, Node::Expr(Expr::Function { name, .. }) if function::is_volatile(name)),
        )
    }
}

impl Tree for Query {
    fn node(&self) -> Node<'_> {
        Node::Query(self)
    }

    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Query(self)
    }
}

impl Tree for Rel {
    fn node(&self) -> Node<'_> {
        Node::Rel(self)
    }

    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Rel(self)
    }
}

impl Tree for Expr {
    fn node(&self) -> Node<'_> {
        Node::Expr(self)
    }

    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Expr(self)
    }
}

impl<'a> Node<'a> {
    /// True if `test` holds for something right below.
    fn any_child(self, mut test: impl FnMut(Node<'a>) -> bool) -> bool {
        match self {
            Node::Query(query) => test(Node::Rel(&query.rel)),
            Node::Rel(rel) => {
                rel.inputs().into_iter().any(|r| test(Node::Rel(r)))
                    || rel.arms().into_iter().any(|q| test(Node::Query(q)))
                    || rel.exprs().into_iter().any(|e| test(Node::Expr(e)))
            }
            Node::Expr(e) => {
                e.operands().into_iter().any(|o| test(Node::Expr(o)))
                    || e.subquery().is_some_and(|q| test(Node::Query(q)))
            }
        }
    }
}

impl NodeMut<'_> {
    fn reborrow(&mut self) -> NodeMut<'_> {
        match self {
            NodeMut::Query(query) => NodeMut::Query(query),
            NodeMut::Rel(rel) => NodeMut::Rel(rel),
            NodeMut::Expr(e) => NodeMut::Expr(e),
        }
    }

    /// What `f` answers of the first thing right below of which it answers.
    fn find_child<T>(self, mut f: impl FnMut(NodeMut<'_>) -> Option<T>) -> Option<T> {
        match self {
            NodeMut::Query(query) => f(NodeMut::Rel(&mut query.rel)),
            NodeMut::Rel(rel) => {
                let found = rel.inputs_mut().into_iter().find_map(|r| f(NodeMut::Rel(r)));
                let found = found.or_else(|| rel.arms_mut().into_iter().find_map(|q| f(NodeMut::Query(q))));
                found.or_else(|| rel.exprs_mut().into_iter().find_map(|e| f(NodeMut::Expr(e))))
            }
            NodeMut::Expr(e) => {
                let found = e.operands_mut().into_iter().find_map(|o| f(NodeMut::Expr(o)));
                found.or_else(|| f(NodeMut::Query(e.subquery_mut()?)))
            }
        }
    }
}

fn any<'a>(node: Node<'a>, test: &mut dyn FnMut(Node<'a>) -> bool) -> bool {
    test(node) || node.any_child(|below| any(below, test))
}

fn map_down(mut node: NodeMut<'_>, f: &mut dyn FnMut(NodeMut<'_>) -> Next) {
    if f(node.reborrow()) == Next::Below {
        node.find_child(|below| -> Option<()> {
            map_down(below, f);
            None
        });
    }
}

fn find_up<T>(mut node: NodeMut<'_>, f: &mut dyn FnMut(NodeMut<'_>) -> Option<T>) -> Option<T> {
    let found = node.reborrow().find_child(|below| find_up(below, f));
    found.or_else(|| f(node))
}

fn deeper(node: Node<'_>, limit: usize) -> bool {
    let below = match node {
        Node::Query(_) => Some(limit),
        _ => limit.checked_sub(1),
    };
    below.is_none_or(|limit| node.any_child(|child| deeper(child, limit)))
}

impl Expr {
    /// True if `test` holds for this or one of its operands, theirs included; subqueries stay closed.
    pub fn any(&self, mut test: impl FnMut(&Expr) -> bool) -> bool {
        fn any(e: &Expr, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
            test(e) || e.operands().into_iter().any(|e| any(e, test))
        }
        any(self, &mut test)
    }

    /// Shows this and its operands, theirs included, to `f`, each before its operands; subqueries stay closed.
    pub fn for_each<'a>(&'a self, mut f: impl FnMut(&'a Expr)) {
        fn each<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
            f(e);
            e.operands().into_iter().for_each(|e| each(e, f));
        }
        each(self, &mut f);
    }

    /// Changes this and its operands, theirs included, by `f`, each after its operands; subqueries stay closed.
    /// True if `f` says so of one of them.
    pub fn map(&mut self, mut f: impl FnMut(&mut Expr) -> bool) -> bool {
        fn map(e: &mut Expr, f: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
            let mut changed = false;
            for operand in e.operands_mut() {
                changed |= map(operand, f);
            }
            f(e) | changed
        }
        map(self, &mut f)
    }

    /// True if there is a subquery in it.
    pub fn has_subquery(&self) -> bool {
        self.any(|e| e.subquery().is_some())
    }

    /// The subqueries in it, each after those in the operands beside it.
    pub fn subqueries(&self) -> Vec<&Query> {
        fn collect<'a>(e: &'a Expr, into: &mut Vec<&'a Query>) {
            e.operands().into_iter().for_each(|e| collect(e, into));
            into.extend(e.subquery());
        }
        let mut all = Vec::new();
        collect(self, &mut all);
        all
    }

    /// Its operands: expressions of the same scope right below it.
    pub fn operands(&self) -> Children<&Expr> {
        match self {
            Expr::Column(_) | Expr::Literal(_) | Expr::Exists(_) | Expr::Scalar(_) => Children::new(),
            Expr::Unary { expr, .. }
            | Expr::Cast { expr, .. }
            | Expr::Collate { expr, .. }
            | Expr::Quantified { expr, .. } => smallvec![&**expr],
            Expr::Binary { left, right, .. } => smallvec![&**left, &**right],
            Expr::And(list) | Expr::Or(list) | Expr::Row(list) => list.iter().collect(),
            Expr::Function { args, .. } => args.iter().collect(),
            Expr::Case { operand, branches, otherwise } => operand
                .as_deref()
                .into_iter()
                .chain(branches.iter().flat_map(|(w, t)| [w, t]))
                .chain(otherwise.as_deref())
                .collect(),
            Expr::InList { expr, list } => std::iter::once(&**expr).chain(list).collect(),
            Expr::InSubquery { exprs, .. } => exprs.iter().collect(),
        }
    }

    /// Its operands, in the order of [`Expr::operands`].
    pub fn operands_mut(&mut self) -> Children<&mut Expr> {
        match self {
            Expr::Column(_) | Expr::Literal(_) | Expr::Exists(_) | Expr::Scalar(_) => Children::new(),
            Expr::Unary { expr, .. }
            | Expr::Cast { expr, .. }
            | Expr::Collate { expr, .. }
            | Expr::Quantified { expr, .. } => smallvec![&mut **expr],
            Expr::Binary { left, right, .. } => smallvec![&mut **left, &mut **right],
            Expr::And(list) | Expr::Or(list) | Expr::Row(list) => list.iter_mut().collect(),
            Expr::Function { args, .. } => args.iter_mut().collect(),
            Expr::Case { operand, branches, otherwise } => operand
                .as_deref_mut()
                .into_iter()
                .chain(branches.iter_mut().flat_map(|(w, t)| [w, t]))
                .chain(otherwise.as_deref_mut())
                .collect(),
            Expr::InList { expr, list } => std::iter::once(&mut **expr).chain(list).collect(),
            Expr::InSubquery { exprs, .. } => exprs.iter_mut().collect(),
        }
    }

    /// The subquery that it is, or compares with.
    pub fn subquery(&self) -> Option<&Query> {
        match self {
            Expr::InSubquery { query, .. } | Expr::Quantified { query, .. } => Some(query),
            Expr::Exists(query) | Expr::Scalar(query) => Some(query),
            _ => None,
        }
    }

    /// The subquery that it is, or compares with.
    pub fn subquery_mut(&mut self) -> Option<&mut Query> {
        match self {
            Expr::InSubquery { query, .. } | Expr::Quantified { query, .. } => Some(query),
            Expr::Exists(query) | Expr::Scalar(query) => Some(query),
            _ => None,
        }
    }
}

impl Rel {
    /// True if `test` holds for this or a relation below it, arms included; expressions stay closed.
    pub fn any(&self, mut test: impl FnMut(&Rel) -> bool) -> bool {
        fn any(rel: &Rel, test: &mut dyn FnMut(&Rel) -> bool) -> bool {
            test(rel)
                || rel.inputs().into_iter().any(|r| any(r, test))
                || rel.arms().into_iter().any(|q| any(&q.rel, test))
        }
        any(self, &mut test)
    }

    /// What `f` answers at the first relation, from the bottom, at which it answers; expressions stay closed.
    pub fn find<T>(&mut self, mut f: impl FnMut(&mut Rel) -> Option<T>) -> Option<T> {
        fn find<T>(rel: &mut Rel, f: &mut dyn FnMut(&mut Rel) -> Option<T>) -> Option<T> {
            let found = rel.inputs_mut().into_iter().find_map(|r| find(r, f));
            let found = found.or_else(|| rel.arms_mut().into_iter().find_map(|q| find(&mut q.rel, f)));
            found.or_else(|| f(rel))
        }
        find(self, &mut f)
    }

    /// Its inputs: relations that are not queries of their own.
    pub fn inputs(&self) -> Children<&Rel> {
        match self {
            Rel::Filter { input, .. }
            | Rel::Project { input, .. }
            | Rel::Aggregate { input, .. }
            | Rel::Distinct { input }
            | Rel::Sort { input, .. }
            | Rel::Window { input, .. } => smallvec![&**input],
            Rel::Join { inputs, .. } => inputs.iter().collect(),
            Rel::OuterJoin { left, right, .. } => smallvec![&**left, &**right],
            Rel::Scan { .. }
            | Rel::Values { .. }
            | Rel::TableFunction { .. }
            | Rel::Recursive { .. }
            | Rel::RecursiveRef { .. }
            | Rel::SetOp { .. } => Children::new(),
        }
    }

    /// Its inputs, in the order of [`Rel::inputs`].
    pub fn inputs_mut(&mut self) -> Children<&mut Rel> {
        match self {
            Rel::Filter { input, .. }
            | Rel::Project { input, .. }
            | Rel::Aggregate { input, .. }
            | Rel::Distinct { input }
            | Rel::Sort { input, .. }
            | Rel::Window { input, .. } => smallvec![&mut **input],
            Rel::Join { inputs, .. } => inputs.iter_mut().collect(),
            Rel::OuterJoin { left, right, .. } => smallvec![&mut **left, &mut **right],
            Rel::Scan { .. }
            | Rel::Values { .. }
            | Rel::TableFunction { .. }
            | Rel::Recursive { .. }
            | Rel::RecursiveRef { .. }
            | Rel::SetOp { .. } => Children::new(),
        }
    }

    /// Its arms: the queries that a set operation or a recursion is made of.
    pub fn arms(&self) -> Children<&Query> {
        match self {
            Rel::SetOp { left, right, .. } => smallvec![&**left, &**right],
            Rel::Recursive { seed, step, .. } => smallvec![&**seed, &**step],
            _ => Children::new(),
        }
    }

    /// Its arms, in the order of [`Rel::arms`].
    pub fn arms_mut(&mut self) -> Children<&mut Query> {
        match self {
            Rel::SetOp { left, right, .. } => smallvec![&mut **left, &mut **right],
            Rel::Recursive { seed, step, .. } => smallvec![&mut **seed, &mut **step],
            _ => Children::new(),
        }
    }

    /// The expressions that belong to this node itself, in a fixed order.
    pub fn exprs(&self) -> Children<&Expr> {
        match self {
            Rel::Scan { .. } | Rel::RecursiveRef { .. } | Rel::Distinct { .. } => Children::new(),
            Rel::Recursive { .. } | Rel::SetOp { .. } => Children::new(),
            Rel::Values { rows, .. } => rows.iter().flatten().collect(),
            Rel::TableFunction { args, .. } => args.iter().collect(),
            Rel::Filter { predicate, .. } => predicate.iter().collect(),
            Rel::Project { exprs, .. } => exprs.iter().map(|(_, e)| e).collect(),
            Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => on.iter().collect(),
            Rel::Aggregate { keys, calls, .. } => {
                let of_calls = calls.iter().flat_map(|(_, call)| call.exprs());
                keys.iter().map(|(_, e)| e).chain(of_calls).collect()
            }
            Rel::Sort { keys, limit, offset, .. } => {
                keys.iter().map(|k| &k.expr).chain(limit).chain(offset).collect()
            }
            Rel::Window { calls, .. } => calls.iter().flat_map(|(_, call)| call.exprs()).collect(),
        }
    }

    /// The expressions that belong to this node itself, in the order of [`Rel::exprs`].
    pub fn exprs_mut(&mut self) -> Children<&mut Expr> {
        match self {
            Rel::Scan { .. } | Rel::RecursiveRef { .. } | Rel::Distinct { .. } => Children::new(),
            Rel::Recursive { .. } | Rel::SetOp { .. } => Children::new(),
            Rel::Values { rows, .. } => rows.iter_mut().flatten().collect(),
            Rel::TableFunction { args, .. } => args.iter_mut().collect(),
            Rel::Filter { predicate, .. } => predicate.iter_mut().collect(),
            Rel::Project { exprs, .. } => exprs.iter_mut().map(|(_, e)| e).collect(),
            Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => on.iter_mut().collect(),
            Rel::Aggregate { keys, calls, .. } => {
                let of_calls = calls.iter_mut().flat_map(|(_, call)| call.exprs_mut());
                keys.iter_mut().map(|(_, e)| e).chain(of_calls).collect()
            }
            Rel::Sort { keys, limit, offset, .. } => {
                let keys = keys.iter_mut().map(|k| &mut k.expr);
                keys.chain(limit).chain(offset).collect()
            }
            Rel::Window { calls, .. } => calls.iter_mut().flat_map(|(_, call)| call.exprs_mut()).collect(),
        }
    }
}

impl AggregateCall {
    /// Its arguments and its filter.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.args.iter().chain(&self.filter)
    }

    /// Its arguments and its filter.
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.args.iter_mut().chain(&mut self.filter)
    }
}

impl WindowCall {
    /// Its arguments, its filter, what it partitions by and what it orders by.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let order_by = self.order_by.iter().map(|k| &k.expr);
        let own = self.args.iter().chain(&self.filter);
        own.chain(&self.partition_by).chain(order_by)
    }

    /// Its expressions, in the order of [`WindowCall::exprs`].
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let order_by = self.order_by.iter_mut().map(|k| &mut k.expr);
        let own = self.args.iter_mut().chain(&mut self.filter);
        own.chain(&mut self.partition_by).chain(order_by)
    }
}
