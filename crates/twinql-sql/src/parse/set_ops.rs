//! Set operators as SQLite associates them.

use std::ops::ControlFlow;

use sqlparser::ast::{Query, SetExpr, SetOperator, SetQuantifier, VisitMut, VisitorMut};

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
    let mut arms = Vec::new();
    let mut operators: Vec<(SetOperator, SetQuantifier)> = Vec::new();
    let mut pending = vec![Step::Visit(Box::new(body))];
    while let Some(step) = pending.pop() {
        let part = match step {
            Step::Operator(op, quantifier) => {
                operators.push((op, quantifier));
                continue;
            }
            Step::Visit(part) => *part,
        };
        if let SetExpr::SetOperation { left, op, set_quantifier, right } = part {
            pending.push(Step::Visit(right));
            pending.push(Step::Operator(op, set_quantifier));
            pending.push(Step::Visit(left));
        } else {
            arms.push(part);
        }
    }
    let mut arms = arms.into_iter();
    let Some(first) = arms.next() else {
        return placeholder();
    };
    arms.zip(operators).fold(first, |left, (right, (op, set_quantifier))| SetExpr::SetOperation {
        left: Box::new(left),
        op,
        set_quantifier,
        right: Box::new(right),
    })
}

fn is_operation(body: &SetExpr) -> bool {
    matches!(body, SetExpr::SetOperation { left: _, op: _, set_quantifier: _, right: _ })
}

enum Step {
    Visit(Box<SetExpr>),
    Operator(SetOperator, SetQuantifier),
}

/// SQLite has one level for all set operators and associates them from the left;
/// sqlparser binds INTERSECT more tightly.
pub(crate) fn associate_left(query: &mut Query) {
    let _ = query.visit(&mut LeftAssociative);
}

/// What stands in a query while its body is rebuilt.
fn placeholder() -> SetExpr {
    SetExpr::Values(sqlparser::ast::Values { explicit_row: false, value_keyword: false, rows: Vec::new() })
}
