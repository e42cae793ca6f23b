//! Expressions and conditions, with their columns resolved.

use std::iter;

use sqlparser::ast::{
    self, BinaryOperator, DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    UnaryOperator, Value,
};

use super::build::{Builder, Built, lower};
use super::scope::Scope;
use super::tree::{Op, Term};

impl Builder<'_> {
    /// An expression as a term.
    pub(super) fn term(&mut self, expr: &Expr, scope: &Scope<'_>) -> Built<Term> {
        // Chains of AND and OR are as long as they like, and no recursion follows them.
        if let Expr::BinaryOp { left: _, op: op @ (BinaryOperator::And | BinaryOperator::Or), right: _ } =
            expr
        {
            let mut terms = Vec::new();
            for part in parts(expr, op) {
                match (self.deeper(|b| b.term(part, scope))?, op) {
                    (Term::And(inner), BinaryOperator::And) | (Term::Or(inner), BinaryOperator::Or) => {
                        terms.extend(inner);
                    }
                    (term, _) => terms.push(term),
                }
            }
            return Ok(if *op == BinaryOperator::And { Term::And(terms) } else { Term::Or(terms) });
        }
        self.deeper(|b| match b.condition(expr, scope)? {
            Some(condition) => Ok(condition),
            None => b.value(expr, scope),
        })
    }

    fn terms<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Expr>,
        scope: &Scope<'_>,
    ) -> Built<Vec<Term>> {
        exprs.into_iter().map(|e| self.term(e, scope)).collect()
    }

    /// A subquery; it sees the names of the block around it.
    fn subquery(&mut self, query: &ast::Query, scope: &Scope<'_>) -> Built<Term> {
        Ok(Term::Query(Box::new(self.query(query, Some(scope), scope.ctes)?)))
    }

    /// What an operator tests; none for what is no condition. `a NOT IN (1)` is NOT of `a IN (1)`, and so on.
    fn condition(&mut self, expr: &Expr, scope: &Scope<'_>) -> Built<Option<Term>> {
        let (op, args, negated) = match expr {
            Expr::BinaryOp { left, op, right } => match comparison(op) {
                Some(op) => (op, self.terms([left.as_ref(), right.as_ref()], scope)?, false),
                None => return Ok(None),
            },
            Expr::IsNull(inner) => (Op::Is, vec![self.term(inner, scope)?, Term::Null], false),
            Expr::IsNotNull(inner) => (Op::Is, vec![self.term(inner, scope)?, Term::Null], true),
            Expr::InList { expr: inner, list, negated } => {
                (Op::In, self.terms(iter::once(inner.as_ref()).chain(list), scope)?, *negated)
            }
            Expr::InSubquery { expr: inner, subquery, negated } => {
                (Op::In, vec![self.term(inner, scope)?, self.subquery(subquery, scope)?], *negated)
            }
            Expr::Between { expr: inner, negated, low, high } => {
                (Op::Between, self.terms([inner, low, high].map(|e| e.as_ref()), scope)?, *negated)
            }
            Expr::Like { negated, any: _, expr: inner, pattern, escape_char }
            | Expr::ILike { negated, any: _, expr: inner, pattern, escape_char } => {
                let args = [inner, pattern].into_iter().chain(escape_char);
                (Op::Like, self.terms(args.map(|e| e.as_ref()), scope)?, *negated)
            }
            Expr::Exists { subquery, negated } => {
                (Op::Exists, vec![self.subquery(subquery, scope)?], *negated)
            }
            _ => return Ok(None),
        };
        let test = Term::Test { op, args };
        Ok(Some(if negated { Term::Not(Box::new(test)) } else { test }))
    }

    /// Anything but a condition. What has no form of its own is kept by its text.
    fn value(&mut self, expr: &Expr, scope: &Scope<'_>) -> Built<Term> {
        let (name, args) = match expr {
            Expr::Identifier(name) => return Ok(self.bare(name, scope)),
            Expr::CompoundIdentifier(names) => {
                let found = match names.as_slice() {
                    [.., table, column] => scope.qualified(self.schema, &lower(table), &lower(column)),
                    _ => None,
                };
                return Ok(found.unwrap_or_else(|| other(expr)));
            }
            Expr::Nested(inner) => return self.term(inner, scope),
            Expr::Value(value) => return Ok(literal(&value.value)),
            Expr::UnaryOp { op, expr: inner } => match (op, self.term(inner, scope)?) {
                (UnaryOperator::Not, inner) => return Ok(Term::Not(Box::new(inner))),
                (UnaryOperator::Minus, Term::Number(n)) if !n.starts_with('-') => {
                    return Ok(Term::Number(format!("-{n}")));
                }
                (UnaryOperator::Plus, inner) => return Ok(inner),
                (op, inner) => (op.to_string(), vec![inner]),
            },
            Expr::BinaryOp { left, op, right } => {
                (op.to_string().to_lowercase(), self.terms([left.as_ref(), right.as_ref()], scope)?)
            }
            Expr::Subquery(inner) => return self.subquery(inner, scope),
            Expr::Function(function) => {
                return Ok(self.function(function, scope)?.unwrap_or_else(|| other(expr)));
            }
            Expr::Cast { kind: _, expr: inner, data_type, format: None } => {
                (format!("cast {data_type}").to_lowercase(), vec![self.term(inner, scope)?])
            }
            Expr::Collate { expr: inner, collation } => {
                (format!("collate {collation}").to_lowercase(), vec![self.term(inner, scope)?])
            }
            Expr::Substring { expr: inner, substring_from, substring_for, special: _, shorthand: _ } => {
                let args = [inner].into_iter().chain(substring_from).chain(substring_for);
                ("substr".to_owned(), self.terms(args.map(|e| e.as_ref()), scope)?)
            }
            Expr::Trim { trim_where: None, trim_what: None, expr: inner, trim_characters: None } => {
                ("trim".to_owned(), vec![self.term(inner, scope)?])
            }
            Expr::Tuple(items) => ("row".to_owned(), self.terms(items, scope)?),
            Expr::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
                let branches = conditions.iter().flat_map(|w| [&w.condition, &w.result]);
                let args = operand.as_deref().into_iter().chain(branches).chain(else_result.as_deref());
                let of = if operand.is_some() { " of" } else { "" };
                let otherwise = if else_result.is_some() { " else" } else { "" };
                (format!("case{of}{otherwise}"), self.terms(args, scope)?)
            }
            _ => return Ok(other(expr)),
        };
        Ok(Term::Call { name, distinct: false, args })
    }

    /// A name without a qualifier.
    fn bare(&self, name: &Ident, scope: &Scope<'_>) -> Term {
        scope.bare(self.schema, &lower(name)).unwrap_or_else(|| match name.quote_style {
            // SQLite takes a quoted name that no column has as a string.
            Some('"') => Term::Text(name.value.clone()),
            _ => Term::Other(lower(name)),
        })
    }

    /// A plain call; none for windows, filters and what else a call may carry.
    fn function(&mut self, function: &ast::Function, scope: &Scope<'_>) -> Built<Option<Term>> {
        let ast::Function {
            name,
            uses_odbc_syntax: _,
            parameters,
            args,
            within_group,
            filter,
            null_treatment: _,
            over,
        } = function;
        let FunctionArguments::List(list) = args else { return Ok(None) };
        let plain = matches!(parameters, FunctionArguments::None)
            && within_group.is_empty()
            && filter.is_none()
            && over.is_none()
            && list.clauses.is_empty();
        if !plain {
            return Ok(None);
        }
        let mut args = Vec::new();
        for arg in &list.args {
            args.push(match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => self.term(e, scope)?,
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => Term::Star(None),
                _ => return Ok(None),
            });
        }
        let name = name.to_string().to_lowercase();
        let distinct = matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct));
        if name == "count" && args.is_empty() {
            args.push(Term::Star(None));
        }
        Ok(Some(Term::Call { name, distinct, args }))
    }
}

/// An expression by its text.
fn other(expr: &Expr) -> Term {
    Term::Other(expr.to_string().to_lowercase())
}

fn literal(value: &Value) -> Term {
    match value {
        Value::Number(number, _) => Term::Number(canonical_number(&number.to_string())),
        Value::SingleQuotedString(s) | Value::DoubleQuotedString(s) => Term::Text(s.clone()),
        Value::Null => Term::Null,
        Value::Boolean(b) => Term::Number(u8::from(*b).to_string()),
        other => Term::Other(other.to_string()),
    }
}

/// The operands of a chain of one connective, in their order.
fn parts<'e>(expr: &'e Expr, connective: &BinaryOperator) -> Vec<&'e Expr> {
    let mut out = Vec::new();
    let mut todo = vec![expr];
    while let Some(next) = todo.pop() {
        match next {
            Expr::BinaryOp { left, op, right } if op == connective => {
                todo.push(right);
                todo.push(left);
            }
            Expr::Nested(inner) => todo.push(inner),
            other => out.push(other),
        }
    }
    out
}

fn comparison(op: &BinaryOperator) -> Option<Op> {
    Some(match op {
        BinaryOperator::Eq => Op::Eq,
        BinaryOperator::NotEq => Op::NotEq,
        BinaryOperator::Lt => Op::Lt,
        BinaryOperator::LtEq => Op::LtEq,
        BinaryOperator::Gt => Op::Gt,
        BinaryOperator::GtEq => Op::GtEq,
        _ => return None,
    })
}

/// A number in one form: `5`, `5.0` and `05` are the same.
pub(in crate::classic::esm) fn canonical_number(text: &str) -> String {
    match text.parse::<f64>() {
        // Beyond that, floats skip integers.
        Ok(n) if n.is_finite() && n.abs() < 9e15 => (n + 0.0).to_string(),
        _ => text.to_lowercase(),
    }
}
