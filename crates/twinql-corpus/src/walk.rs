//! Walks over the nodes of one kind in a query.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Ident, Query, Select, TableFactor, VisitorMut};
use twinql_sql::syntax::change;

/// Functions that call `each` with every node of a type, before or after the nodes inside it.
macro_rules! walks {
    ($($(#[$doc:meta])* $name:ident: $visit:ident($node:ty);)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(query: &mut Query, each: &mut dyn FnMut(&mut $node)) {
            struct Each<'a>(&'a mut dyn FnMut(&mut $node));
            impl VisitorMut for Each<'_> {
                type Break = ();
                fn $visit(&mut self, node: &mut $node) -> ControlFlow<()> {
                    (self.0)(node);
                    ControlFlow::Continue(())
                }
            }
            let _ = change(query, &mut Each(each));
        }
    )*};
}

walks! {
    /// Each query, subqueries before those that they stand in.
    queries: post_visit_query(Query);
    /// Each SELECT, inner ones first.
    selects: post_visit_select(Select);
    /// Each expression, parts before the whole.
    expressions: post_visit_expr(Expr);
    /// Each item of FROM, in the order of the text.
    factors: pre_visit_table_factor(TableFactor);
    /// Each item of FROM after the items in it: what is put in its place is not visited itself.
    factors_from_within: post_visit_table_factor(TableFactor);
    /// Each identifier.
    identifiers: pre_visit_ident(Ident);
}
