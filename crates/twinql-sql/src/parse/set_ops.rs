//! Set operators as SQLite associates them.

use std::ops::ControlFlow;

use sqlparser::ast::{Query, SetExpr, SetOperator, SetQuantifier, VisitorMut};

use crate::syntax::change;

struct LeftAssociative;

impl VisitorMut for LeftAssociative {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if !is_operation(&query.body) {
            return ControlFlow::Continue(());
        }
        let body = std::mem::replace(&mut *query.body, placeholder());
        *query.body = rebuild(body);
        ControlFlow::Continue(())
    }
}

/// The operators and arms of a tree of set operations in the order of the text, hung up
/// again from the left. Parentheses are [`SetExpr::Query`] nodes and stay as they are.
fn rebuild(body: SetExpr) -> SetExpr {
    let mut done: Option<SetExpr> = None;
    // Parts, the next one last, each with the operator before it.
    let mut pending = vec![((SetOperator::Union, SetQuantifier::None), body)];
    while let Some(((op, set_quantifier), part)) = pending.pop() {
        if let SetExpr::SetOperation { left, op: between, set_quantifier: quantifier, right } = part {
            pending.push(((between, quantifier), *right));
            pending.push(((op, set_quantifier), *left));
            continue;
        }
        done = Some(match done {
            None => part,
            Some(left) => {
                SetExpr::SetOperation { left: Box::new(left), op, set_quantifier, right: Box::new(part) }
            }
        });
    }
    done.unwrap_or_else(placeholder)
}

fn is_operation(body: &SetExpr) -> bool {
    matches!(body, SetExpr::SetOperation { left: _, op: _, set_quantifier: _, right: _ })
}

/// SQLite has one level for all set operators and associates them from the left;
/// sqlparser binds INTERSECT more tightly.
pub(crate) fn associate_left(query: &mut Query) {
    let _ = change(query, &mut LeftAssociative);
}

/// What stands in a query while its body is rebuilt.
fn placeholder() -> SetExpr {
    SetExpr::Values(sqlparser::ast::Values { explicit_row: false, value_keyword: false, rows: Vec::new() })
}
