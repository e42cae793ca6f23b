//! AND and OR side by side.

use sqlparser::ast::{BinaryOperator, Expr, Ident, Spanned};
use twinql_sql::TextRange;

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const MIXED_AND_OR: Check = Check {
    id: "mixed-and-or",
    severity: Severity::Warning,
    summary: "OR between values of one column, with an AND that holds for one of them only",
    why: "AND binds tighter than OR: in `a AND x = 1 OR x = 2` the condition a does not hold for x = 2.",
    source: "https://sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE age > 30 AND city = 'Bern' OR city = 'Basel'",
        "SELECT name FROM customer WHERE city = 'Bern' OR city = 'Basel' AND age > 30",
    ],
    misses: &[
        "SELECT name FROM customer WHERE age > 30 AND (city = 'Bern' OR city = 'Basel')",
        "SELECT name FROM customer WHERE age > 30 AND city = 'Bern' OR age < 20 AND city = 'Basel'",
        "SELECT name FROM customer WHERE age > 30 AND city = 'Bern' OR score > 3",
        "SELECT name FROM customer WHERE (age > 30 AND city = 'Bern') OR city = 'Basel'",
    ],
    apply: Apply::Plan(mixed),
};

/// Finds `a AND x = 1 OR x = 2`, without parentheses, where x is one column. It is certain from the syntax tree alone,
/// and is no finding where parentheses show the meaning, where each value has an AND of its own, or where other columns
/// follow OR: then both readings make sense.
fn mixed(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let mut found = Vec::new();
    let mut each = |e: &Expr| {
        let Expr::BinaryOp { left, op: BinaryOperator::Or, right } = e else { return };
        // What stands right and left of OR: the neighbouring operand of a chain of ANDs, or a condition by itself.
        let lone = |e: &Expr| column_equal(e);
        let hit = match (chain(left), chain(right)) {
            (Some(and), None) => lone(right)
                .filter(|c| and.last().and_then(|e| column_equal(e)).as_ref() == Some(c) && others(&and, c)),
            (None, Some(and)) => {
                let before = rightmost(left);
                lone(before).filter(|c| {
                    and.first().and_then(|e| column_equal(e)).as_ref() == Some(c) && others(&and, c)
                })
            }
            _ => None,
        };
        if let Some(column) = hit {
            found.push((e.span(), column));
        }
    };
    let _ = twinql_sql::syntax::read(&*gold.parsed.query, &mut Every(&mut each));
    for (span, column) in found {
        let (start, end) = (span.start, span.end);
        let range =
            TextRange { line: start.line, column: start.column, end_line: end.line, end_column: end.column };
        let name = column.last().map_or("the column", |s| s.as_str());
        let reason =
            format!("AND binds tighter than OR: the other conditions hold for one value of {name} only");
        sink.add(gold.text.bytes(range), reason)
            .remedy(format!("parentheses around the conditions on {name}, or IN"));
    }
}

/// Shows every expression to a function.
struct Every<'f>(&'f mut dyn FnMut(&Expr));

impl sqlparser::ast::Visitor for Every<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> std::ops::ControlFlow<()> {
        (self.0)(expr);
        std::ops::ControlFlow::Continue(())
    }
}

/// The operands of a chain of ANDs without parentheres around it.
fn chain(e: &Expr) -> Option<Vec<&Expr>> {
    let Expr::BinaryOp { left, op: BinaryOperator::And, right } = e else { return None };
    let mut all = chain(left).unwrap_or_else(|| vec![&**left]);
    all.push(right);
    Some(all)
}

/// The last operand of a chain of ORs.
fn rightmost(e: &Expr) -> &Expr {
    match e {
        Expr::BinaryOp { left: _, op: BinaryOperator::Or, right } => right,
        e => e,
    }
}

/// The column that a condition says the value of: `x = 1`, `x LIKE 'a'`.
fn column_equal(e: &Expr) -> Option<Vec<String>> {
    let path = |parts: &[Ident]| Some(parts.iter().map(|i| i.value.to_ascii_lowercase()).collect());
    let (column, value) = match e {
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => (&**left, &**right),
        Expr::Like { negated: false, any: _, expr, pattern, escape_char: _ } => (&**expr, &**pattern),
        _ => return None,
    };
    let constant = match value {
        Expr::Value(_) => true,
        Expr::Identifier(i) => i.quote_style == Some('"'),
        _ => false,
    };
    match column {
        Expr::Identifier(i) if constant => path(std::slice::from_ref(i)),
        Expr::CompoundIdentifier(parts) if constant => path(parts),
        _ => None,
    }
}

/// Another condition of the chain is on something else, and none but one is on this column.
fn others(and: &[&Expr], column: &Vec<String>) -> bool {
    and.iter().filter(|e| column_equal(e).as_ref() == Some(column)).count() == 1 && and.len() > 1
}
