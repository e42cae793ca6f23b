//! Walks over sqlparser's tree that are compiled once, and what other crates ask of its nodes.
//!
//! sqlparser derives a walk over all of its node types for each type of visitor, and the compiler makes
//! code for each of them: seconds of a build for a visitor of three lines. Here the visitor is a trait
//! object, so that there is one walk that reads and one that changes, whatever the number of visitors.
//! Other crates call these functions instead of `query.visit(&mut visitor)`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, ObjectName, OrderBy, OrderByExpr, Query, Select, Statement, TableAlias,
    TableFactor, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut,
};

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

/// Visits a query and all in it; breaks where the visitor does.
pub fn read(query: &Query, reader: &mut Reader<'_>) -> ControlFlow<()> {
    query.visit(&mut Reading(reader))
}

/// Visits a query and all in it, and changes it; breaks where the visitor does.
pub fn change(query: &mut Query, changer: &mut Changer<'_>) -> ControlFlow<()> {
    query.visit(&mut Changing(changer))
}

/// A function of each expression, which sees a whole before its parts when it reads, and the parts
/// first when it changes them.
struct Expressions<F>(F);

impl Visitor for Expressions<&mut dyn FnMut(&Expr)> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        (self.0)(expr);
        ControlFlow::Continue(())
    }
}

impl VisitorMut for Expressions<&mut dyn FnMut(&mut Expr) -> ControlFlow<()>> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        (self.0)(expr)
    }
}

/// What expressions are changed in.
#[derive(Debug)]
pub enum Place<'p> {
    /// A query.
    Query(&'p mut Query),
    /// One SELECT.
    Select(&'p mut Select),
    /// An expression, itself included.
    Expr(&'p mut Expr),
}

impl<'p> From<&'p mut Query> for Place<'p> {
    fn from(query: &'p mut Query) -> Place<'p> {
        Place::Query(query)
    }
}

impl<'p> From<&'p mut Select> for Place<'p> {
    fn from(select: &'p mut Select) -> Place<'p> {
        Place::Select(select)
    }
}

impl<'p> From<&'p mut Expr> for Place<'p> {
    fn from(expr: &'p mut Expr) -> Place<'p> {
        Place::Expr(expr)
    }
}

/// Calls `each` with an expression and all expressions in it, the whole before its parts.
pub fn read_expressions(expr: &Expr, each: &mut dyn FnMut(&Expr)) {
    let mut expressions = Expressions(each);
    let _ = expr.visit(&mut Reading(&mut expressions));
}

/// Calls `each` with every expression, parts before the whole, until it breaks.
pub fn change_expressions<'p>(
    place: impl Into<Place<'p>>,
    each: &mut dyn FnMut(&mut Expr) -> ControlFlow<()>,
) -> ControlFlow<()> {
    change_expressions_in(place.into(), each)
}

fn change_expressions_in(
    place: Place<'_>,
    each: &mut dyn FnMut(&mut Expr) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut expressions = Expressions(each);
    let mut changing = Changing(&mut expressions);
    match place {
        Place::Query(query) => query.visit(&mut changing),
        Place::Select(select) => select.visit(&mut changing),
        Place::Expr(expr) => expr.visit(&mut changing),
    }
}

/// What stands in FROM by the name of a table, a view or a common table expression.
#[derive(Debug, Clone, Copy)]
pub struct Named<'f> {
    /// The name, with all its parts.
    pub name: &'f ObjectName,
    /// What it is called here instead.
    pub alias: Option<&'f TableAlias>,
    /// A table-valued function is called.
    pub called: bool,
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
            } => Some(Named { name, alias: alias.as_ref(), called: args.is_some() }),
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
