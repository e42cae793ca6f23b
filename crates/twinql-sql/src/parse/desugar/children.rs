//! The direct parts of an expression.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, VisitorMut};

use crate::syntax::change;

/// Calls `f` with each direct part of an expression. Subqueries are left alone: their names
/// are their own.
pub(super) fn each(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    let _ = change(expr, &mut Children { depth: 0, inside: None, queries: 0, f });
}

/// Visits one level: below a part that has been handed over, nothing.
struct Children<'f> {
    depth: usize,
    /// What stands in a part's place while the visitor is below it.
    inside: Option<Expr>,
    queries: usize,
    f: &'f mut dyn FnMut(&mut Expr),
}

impl VisitorMut for Children<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.depth += 1;
        if self.depth == 2 && self.queries == 0 {
            (self.f)(expr);
            // The part is taken out while the visitor passes, so that nothing below it is seen.
            let nothing = Expr::Value(sqlparser::ast::Value::Null.with_empty_span());
            self.inside = Some(std::mem::replace(expr, nothing));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.depth == 2
            && let Some(part) = self.inside.take()
        {
            *expr = part;
        }
        self.depth -= 1;
        ControlFlow::Continue(())
    }
}
