//! Walks over sqlparser's tree that are compiled once, and what other crates ask of its nodes.
//!
//! sqlparser derives a walk over all of its node types for each type of visitor, and the compiler makes
//! code for each of them: seconds of a build for a visitor of three lines. Here the visitor is a trait
//! object, so that there is one walk that reads and one that changes, whatever the number of visitors.
//! All crates, this one included, call these functions instead of `query.visit(&mut visitor)` and of
//! sqlparser's `visit_expressions` and `visit_relations`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments,
    GroupByExpr, Ident, ObjectName, ObjectNamePart, OrderBy, OrderByExpr, Query, Select, SelectItem, SetExpr,
    Statement, TableAlias, TableFactor, TableFunctionArgs, ValueWithSpan, Visit, VisitMut, Visitor,
    VisitorMut,
};
use sqlparser::tokenizer::Span;

/// A visitor that reads.
pub type Reader<'v> = dyn Visitor<Break = ()> + 'v;
/// A visitor that changes what it visits.
pub type Changer<'v> = dyn VisitorMut<Break = ()> + 'v;

struct Reading<'v, 'd>(&'v mut Reader<'d>);
struct Changing<'v, 'd>(&'v mut Changer<'d>);

/// Has the visitor inside do what is asked for at each kind of node.
macro_rules! hand_on {
    ($($before:ident, $after:ident: $node:ty;)*) => {
        type Break = ();
        $(
            fn $before(&mut self, node: $node) -> ControlFlow<()> {
                self.0.$before(node)
            }
            fn $after(&mut self, node: $node) -> ControlFlow<()> {
                self.0.$after(node)
            }
        )*
    };
}

impl Visitor for Reading<'_, '_> {
    hand_on! {
        pre_visit_query, post_visit_query: &Query;
        pre_visit_select, post_visit_select: &Select;
        pre_visit_relation, post_visit_relation: &ObjectName;
        pre_visit_table_factor, post_visit_table_factor: &TableFactor;
        pre_visit_expr, post_visit_expr: &Expr;
        pre_visit_statement, post_visit_statement: &Statement;
        pre_visit_value, post_visit_value: &ValueWithSpan;
        pre_visit_ident, post_visit_ident: &Ident;
        pre_visit_order_by, post_visit_order_by: &OrderBy;
        pre_visit_order_by_expr, post_visit_order_by_expr: &OrderByExpr;
        pre_visit_group_by, post_visit_group_by: &GroupByExpr;
    }
}

impl VisitorMut for Changing<'_, '_> {
    hand_on! {
        pre_visit_query, post_visit_query: &mut Query;
        pre_visit_select, post_visit_select: &mut Select;
        pre_visit_relation, post_visit_relation: &mut ObjectName;
        pre_visit_table_factor, post_visit_table_factor: &mut TableFactor;
        pre_visit_expr, post_visit_expr: &mut Expr;
        pre_visit_statement, post_visit_statement: &mut Statement;
        pre_visit_value, post_visit_value: &mut ValueWithSpan;
        pre_visit_ident, post_visit_ident: &mut Ident;
        pre_visit_order_by, post_visit_order_by: &mut OrderBy;
        pre_visit_order_by_expr, post_visit_order_by_expr: &mut OrderByExpr;
        pre_visit_group_by, post_visit_group_by: &mut GroupByExpr;
    }
}

/// What is read.
#[derive(Debug, Clone, Copy)]
pub enum Node<'n> {
    /// A query.
    Query(&'n Query),
    /// A query without its WITH, ORDER BY and LIMIT.
    Body(&'n SetExpr),
    /// An expression, itself included.
    Expr(&'n Expr),
}

/// Variants that hold a reference of this kind are made of it.
macro_rules! refers {
    ($whole:ident: $($variant:ident($node:ty)),*) => {$(
        impl<'n> From<$node> for $whole<'n> {
            fn from(node: $node) -> $whole<'n> {
                $whole::$variant(node)
            }
        }
    )*};
}

refers!(Node: Query(&'n Query), Body(&'n SetExpr), Expr(&'n Expr));

/// What is changed.
#[derive(Debug)]
pub enum Place<'p> {
    /// A query.
    Query(&'p mut Query),
    /// One SELECT.
    Select(&'p mut Select),
    /// An expression, itself included.
    Expr(&'p mut Expr),
}

refers!(Place: Query(&'n mut Query), Select(&'n mut Select), Expr(&'n mut Expr));

/// Visits a node and all in it; breaks where the visitor does.
pub fn read<'n>(node: impl Into<Node<'n>>, reader: &mut Reader<'_>) -> ControlFlow<()> {
    read_in(node.into(), reader)
}

fn read_in(node: Node<'_>, reader: &mut Reader<'_>) -> ControlFlow<()> {
    match node {
        Node::Query(query) => query.visit(&mut Reading(reader)),
        Node::Body(body) => body.visit(&mut Reading(reader)),
        Node::Expr(expr) => expr.visit(&mut Reading(reader)),
    }
}

/// Visits a node and all in it, and changes it; breaks where the visitor does.
pub fn change<'p>(place: impl Into<Place<'p>>, changer: &mut Changer<'_>) -> ControlFlow<()> {
    change_in(place.into(), changer)
}

fn change_in(place: Place<'_>, changer: &mut Changer<'_>) -> ControlFlow<()> {
    match place {
        Place::Query(query) => query.visit(&mut Changing(changer)),
        Place::Select(select) => select.visit(&mut Changing(changer)),
        Place::Expr(expr) => expr.visit(&mut Changing(changer)),
    }
}

/// A function of each expression, which sees a whole before its parts when it reads, and the parts
/// first when it changes them.
struct Expressions<F>(F);

impl Visitor for Expressions<&mut dyn FnMut(&Expr) -> ControlFlow<()>> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        (self.0)(expr)
    }
}

impl VisitorMut for Expressions<&mut dyn FnMut(&mut Expr) -> ControlFlow<()>> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        (self.0)(expr)
    }
}

/// Calls `each` with all expressions of a node, a whole before its parts.
pub fn read_expressions<'n>(node: impl Into<Node<'n>>, each: &mut dyn FnMut(&Expr)) {
    let _ = any_expression(node, &mut |expr| {
        each(expr);
        false
    });
}

/// True if `test` holds for an expression of the node. The whole is asked before its parts, and none after
/// the first that passes.
pub fn any_expression<'n>(node: impl Into<Node<'n>>, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut each = |expr: &Expr| if test(expr) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    read(node, &mut Expressions(&mut each as &mut dyn FnMut(&Expr) -> ControlFlow<()>)).is_break()
}

/// A function of each expression outside the queries of the node.
struct OwnExpressions<'e> {
    each: &'e mut dyn FnMut(&Expr),
    /// The queries around this place.
    queries: usize,
}

impl Visitor for OwnExpressions<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.queries == 0 {
            (self.each)(expr);
        }
        ControlFlow::Continue(())
    }
}

/// Calls `each` with an expression and its parts, a whole before its parts, but not with what stands in its
/// subqueries.
pub fn read_own_expressions(expr: &Expr, each: &mut dyn FnMut(&Expr)) {
    let _ = read(expr, &mut OwnExpressions { each, queries: 0 });
}

/// Calls `each` with every expression, parts before the whole, until it breaks.
pub fn change_expressions<'p, B>(
    place: impl Into<Place<'p>>,
    each: &mut dyn FnMut(&mut Expr) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut broken = None;
    let mut each = |expr: &mut Expr| match each(expr) {
        ControlFlow::Continue(()) => ControlFlow::Continue(()),
        ControlFlow::Break(value) => {
            broken = Some(value);
            ControlFlow::Break(())
        }
    };
    let _ = change(place, &mut Expressions(&mut each as &mut dyn FnMut(&mut Expr) -> ControlFlow<()>));
    broken.map_or(ControlFlow::Continue(()), ControlFlow::Break)
}

/// A question to each name in FROM.
struct Relations<'t>(&'t mut dyn FnMut(&ObjectName) -> bool);

impl Visitor for Relations<'_> {
    type Break = ();

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        if (self.0)(name) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// True if `test` holds for the name of a relation that a node reads, at any depth; none is asked after the
/// first that passes.
pub fn any_relation<'n>(node: impl Into<Node<'n>>, test: &mut dyn FnMut(&ObjectName) -> bool) -> bool {
    read(node, &mut Relations(test)).is_break()
}

/// Calls `each` with the name of every relation that a node reads, at any depth.
pub fn read_relations<'n>(node: impl Into<Node<'n>>, each: &mut dyn FnMut(&ObjectName)) {
    let _ = any_relation(node, &mut |name| {
        each(name);
        false
    });
}

/// What stands in FROM by the name of a table, a view or a common table expression.
#[derive(Debug, Clone, Copy)]
pub struct Named<'f> {
    /// The name, with all its parts.
    pub name: &'f ObjectName,
    /// What it is called here instead.
    pub alias: Option<&'f TableAlias>,
    /// What a table-valued function is called with.
    pub args: Option<&'f TableFunctionArgs>,
}

impl<'f> Named<'f> {
    /// None for a derived table, a nested join and other items.
    pub fn of(factor: &'f TableFactor) -> Option<Named<'f>> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints: _,
                version: _,
                with_ordinality: _,
                partitions: _,
                json_path: _,
                sample: _,
                index_hints: _,
            } => Some(Named { name, alias: alias.as_ref(), args: args.as_ref() }),
            _ => None,
        }
    }

    /// What its columns are qualified with, where `name` is its own name; none where the alias renames
    /// the columns too, since then the schema does not say what they are called.
    pub fn shown(&self, name: &Ident) -> Option<String> {
        match self.alias {
            Some(a) if a.columns.is_empty() => Some(a.name.value.clone()),
            Some(_) => None,
            None => Some(name.value.clone()),
        }
    }
}

/// The name and alias of a [`Named`], to be changed.
pub fn named_mut(factor: &mut TableFactor) -> Option<(&mut ObjectName, &mut Option<TableAlias>)> {
    match factor {
        TableFactor::Table {
            name,
            alias,
            args: _,
            with_hints: _,
            version: _,
            with_ordinality: _,
            partitions: _,
            json_path: _,
            sample: _,
            index_hints: _,
        } => Some((name, alias)),
        _ => None,
    }
}

/// The items of a SELECT's FROM, those in parentheses not taken apart.
pub fn factors(select: &Select) -> impl Iterator<Item = &TableFactor> {
    let from = select.from.iter();
    from.flat_map(|f| std::iter::once(&f.relation).chain(f.joins.iter().map(|j| &j.relation)))
}

/// As [`factors`], to be changed.
pub fn factors_mut(select: &mut Select) -> impl Iterator<Item = &mut TableFactor> {
    let from = select.from.iter_mut();
    from.flat_map(|f| std::iter::once(&mut f.relation).chain(f.joins.iter_mut().map(|j| &mut j.relation)))
}

/// The expression of an output; none for a wildcard.
pub fn item_expr(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ } => Some(e),
        _ => None,
    }
}

/// An argument of a call without a name, and no wildcard.
pub fn plain_argument(arg: &FunctionArg) -> Option<&Expr> {
    match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => Some(e),
        _ => None,
    }
}

/// A call of a function.
pub fn call(name: &str, args: Vec<Expr>, span: Span) -> Expr {
    let args = args.into_iter().map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e))).collect();
    Expr::Function(Function {
        name: ObjectName(vec![ObjectNamePart::Identifier(Ident::with_span(span, name))]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args,
            clauses: Vec::new(),
        }),
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    })
}

/// A comparison after its sides have changed places.
pub fn flipped(op: &BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    Some(match op {
        B::Lt => B::Gt,
        B::Gt => B::Lt,
        B::LtEq => B::GtEq,
        B::GtEq => B::LtEq,
        B::Eq => B::Eq,
        B::NotEq => B::NotEq,
        _ => return None,
    })
}
