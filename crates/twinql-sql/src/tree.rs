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

use smallvec::SmallVec;

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

macro_rules! trees {
    ($($kind:ident)*) => {$(
        impl Tree for $kind {
            fn node(&self) -> Node<'_> {
                Node::$kind(self)
            }

            fn node_mut(&mut self) -> NodeMut<'_> {
                NodeMut::$kind(self)
            }
        }
    )*};
}

trees!(Query Rel Expr);

impl<'a> Node<'a> {
    /// What `f` answers of the first thing right below of which it answers.
    fn find_child<T>(self, mut f: impl FnMut(Node<'a>) -> Option<T>) -> Option<T> {
        match self {
            Node::Query(query) => f(Node::Rel(&query.rel)),
            Node::Rel(rel) => {
                let found = rel.find_input(|r| f(Node::Rel(r)));
                let found = found.or_else(|| rel.find_arm(|q| f(Node::Query(q))));
                found.or_else(|| rel.find_expr(|e| f(Node::Expr(e))))
            }
            Node::Expr(e) => {
                let found = e.find_operand(|o| f(Node::Expr(o)));
                found.or_else(|| f(Node::Query(e.subquery()?)))
            }
        }
    }

    fn any_child(self, mut test: impl FnMut(Node<'a>) -> bool) -> bool {
        self.find_child(|node| test(node).then_some(())).is_some()
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
                let found = rel.find_input_mut(|r| f(NodeMut::Rel(r)));
                let found = found.or_else(|| rel.find_arm_mut(|q| f(NodeMut::Query(q))));
                found.or_else(|| rel.find_expr_mut(|e| f(NodeMut::Expr(e))))
            }
            NodeMut::Expr(e) => {
                let found = e.find_operand_mut(|o| f(NodeMut::Expr(o)));
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
            test(e) || e.find_operand(|e| any(e, test).then_some(())).is_some()
        }
        any(self, &mut test)
    }

    /// Shows this and its operands, theirs included, to `f`, each before its operands; subqueries stay closed.
    pub fn for_each<'a>(&'a self, mut f: impl FnMut(&'a Expr)) {
        fn each<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
            f(e);
            e.find_operand(|e| -> Option<()> {
                each(e, f);
                None
            });
        }
        each(self, &mut f);
    }

    /// Changes this and its operands, theirs included, by `f`, each after its operands; subqueries stay closed.
    /// True if `f` says so of one of them.
    pub fn map(&mut self, mut f: impl FnMut(&mut Expr) -> bool) -> bool {
        fn map(e: &mut Expr, f: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
            let mut changed = false;
            e.find_operand_mut(|operand| -> Option<()> {
                changed |= map(operand, f);
                None
            });
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
}

impl Rel {
    /// True if `test` holds for this or a relation below it, arms included; expressions stay closed.
    pub fn any(&self, mut test: impl FnMut(&Rel) -> bool) -> bool {
        fn any(rel: &Rel, test: &mut dyn FnMut(&Rel) -> bool) -> bool {
            test(rel)
                || rel.find_input(|r| any(r, test).then_some(())).is_some()
                || rel.find_arm(|q| any(&q.rel, test).then_some(())).is_some()
        }
        any(self, &mut test)
    }

    /// What `f` answers at the first relation, from the bottom, at which it answers; expressions stay closed.
    pub fn find<T>(&mut self, mut f: impl FnMut(&mut Rel) -> Option<T>) -> Option<T> {
        fn find<T>(rel: &mut Rel, f: &mut dyn FnMut(&mut Rel) -> Option<T>) -> Option<T> {
            let found = rel.find_input_mut(|r| find(r, f));
            let found = found.or_else(|| rel.find_arm_mut(|q| find(&mut q.rel, f)));
            found.or_else(|| f(rel))
        }
        find(self, &mut f)
    }
}

/// What lies right below each shape of the algebra. It is written once for looking (`&`) and for changing (`&mut`): as
/// lists, and as `find_…`, what `f` answers of the first of which it answers, which needs no list.
macro_rules! below {
    ($operands:ident, $find_operand:ident, $subquery:ident, $inputs:ident, $find_input:ident, $arms:ident, $find_arm:ident,
     $exprs:ident, $find_expr:ident, $iter:ident, $as_deref:ident $(, $mut:tt)?) => {
        impl Expr {
            /// Its operands: expressions of the same scope right below it.
            pub fn $operands(&$($mut)? self) -> Children<&$($mut)? Expr> {
                let mut all = Children::new();
                self.$find_operand(|e| push(&mut all, e));
                all
            }

            fn $find_operand<'a, T>(&'a $($mut)? self, mut f: impl FnMut(&'a $($mut)? Expr) -> Option<T>) -> Option<T> {
                match self {
                    Expr::Column(_) | Expr::Literal(_) | Expr::Exists(_) | Expr::Scalar(_) => None,
                    Expr::Unary { expr, .. }
                    | Expr::Cast { expr, .. }
                    | Expr::Collate { expr, .. }
                    | Expr::Quantified { expr, .. } => f(expr),
                    Expr::Binary { left, right, .. } => f(left).or_else(|| f(right)),
                    Expr::And(list) | Expr::Or(list) | Expr::Row(list) => list.$iter().find_map(f),
                    Expr::Function { args, .. } => args.$iter().find_map(f),
                    Expr::Case { operand, branches, otherwise } => {
                        let operand = operand.$as_deref().into_iter();
                        let branches = branches.$iter().flat_map(|(when, then)| [when, then]);
                        operand.chain(branches).chain(otherwise.$as_deref()).find_map(f)
                    }
                    Expr::InList { expr, list } => f(expr).or_else(|| list.$iter().find_map(f)),
                    Expr::InSubquery { exprs, .. } => exprs.$iter().find_map(f),
                }
            }

            /// The subquery that it is, or compares with.
            pub fn $subquery(&$($mut)? self) -> Option<&$($mut)? Query> {
                match self {
                    Expr::InSubquery { query, .. } | Expr::Quantified { query, .. } => Some(query),
                    Expr::Exists(query) | Expr::Scalar(query) => Some(query),
                    _ => None,
                }
            }
        }

        impl Rel {
            /// Its inputs: relations that are not queries of their own.
            pub fn $inputs(&$($mut)? self) -> Children<&$($mut)? Rel> {
                let mut all = Children::new();
                self.$find_input(|r| push(&mut all, r));
                all
            }

            fn $find_input<'a, T>(&'a $($mut)? self, mut f: impl FnMut(&'a $($mut)? Rel) -> Option<T>) -> Option<T> {
                match self {
                    Rel::Filter { input, .. }
                    | Rel::Project { input, .. }
                    | Rel::Aggregate { input, .. }
                    | Rel::Distinct { input }
                    | Rel::Sort { input, .. }
                    | Rel::Window { input, .. } => f(input),
                    Rel::Join { inputs, .. } => inputs.$iter().find_map(f),
                    Rel::OuterJoin { left, right, .. } => f(left).or_else(|| f(right)),
                    Rel::Scan { .. } | Rel::Values { .. } | Rel::TableFunction { .. } => None,
                    Rel::Recursive { .. } | Rel::RecursiveRef { .. } | Rel::SetOp { .. } => None,
                }
            }

            /// Its arms: the queries that a set operation or a recursion is made of.
            pub fn $arms(&$($mut)? self) -> Children<&$($mut)? Query> {
                let mut all = Children::new();
                self.$find_arm(|q| push(&mut all, q));
                all
            }

            fn $find_arm<'a, T>(&'a $($mut)? self, mut f: impl FnMut(&'a $($mut)? Query) -> Option<T>) -> Option<T> {
                match self {
                    Rel::SetOp { left, right, .. } => f(left).or_else(|| f(right)),
                    Rel::Recursive { seed, step, .. } => f(seed).or_else(|| f(step)),
                    _ => None,
                }
            }

            /// The expressions that belong to this node itself, in a fixed order.
            pub fn $exprs(&$($mut)? self) -> Children<&$($mut)? Expr> {
                let mut all = Children::new();
                self.$find_expr(|e| push(&mut all, e));
                all
            }

            fn $find_expr<'a, T>(&'a $($mut)? self, f: impl FnMut(&'a $($mut)? Expr) -> Option<T>) -> Option<T> {
                match self {
                    Rel::Scan { .. } | Rel::RecursiveRef { .. } | Rel::Distinct { .. } => None,
                    Rel::Recursive { .. } | Rel::SetOp { .. } => None,
                    Rel::Values { rows, .. } => rows.$iter().flatten().find_map(f),
                    Rel::TableFunction { args, .. } => args.$iter().find_map(f),
                    Rel::Filter { predicate, .. } => predicate.$iter().find_map(f),
                    Rel::Project { exprs, .. } => exprs.$iter().map(|(_, e)| e).find_map(f),
                    Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => on.$iter().find_map(f),
                    Rel::Aggregate { keys, calls, .. } => {
                        let of_calls = calls.$iter().flat_map(|(_, call)| call.$exprs());
                        keys.$iter().map(|(_, e)| e).chain(of_calls).find_map(f)
                    }
                    Rel::Sort { keys, limit, offset, .. } => {
                        let keys = keys.$iter().map(|k| &$($mut)? k.expr);
                        keys.chain(limit).chain(offset).find_map(f)
                    }
                    Rel::Window { calls, .. } => calls.$iter().flat_map(|(_, call)| call.$exprs()).find_map(f),
                }
            }
        }

        impl AggregateCall {
            /// Its arguments and its filter.
            pub fn $exprs(&$($mut)? self) -> impl Iterator<Item = &$($mut)? Expr> {
                self.args.$iter().chain(&$($mut)? self.filter)
            }
        }

        impl WindowCall {
            /// Its arguments, its filter, what it partitions by and what it orders by.
            pub fn $exprs(&$($mut)? self) -> impl Iterator<Item = &$($mut)? Expr> {
                let order_by = self.order_by.$iter().map(|k| &$($mut)? k.expr);
                let own = self.args.$iter().chain(&$($mut)? self.filter);
                own.chain(&$($mut)? self.partition_by).chain(order_by)
            }
        }
    };
}

below!(
    operands,
    find_operand,
    subquery,
    inputs,
    find_input,
    arms,
    find_arm,
    exprs,
    find_expr,
    iter,
    as_deref
);
below!(
    operands_mut,
    find_operand_mut,
    subquery_mut,
    inputs_mut,
    find_input_mut,
    arms_mut,
    find_arm_mut,
    exprs_mut,
    find_expr_mut,
    iter_mut,
    as_deref_mut,
    mut
);

fn push<T>(all: &mut Children<T>, item: T) -> Option<()> {
    all.push(item);
    None
}
