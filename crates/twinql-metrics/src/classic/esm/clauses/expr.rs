//! Expressions and conditions, with their columns resolved.

use sqlparser::ast::{
    self, BinaryOperator, DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr, FunctionArguments,
    TableAlias, UnaryOperator, Value,
};

use super::build::{Builder, Built, lower};
use super::scope::Scope;
use super::tree::{Op, Term};

type Ctes<'c, 'q> = &'c [(String, &'q ast::Query, &'q TableAlias, usize)];

impl Builder<'_> {
    /// An expression as a term.
    pub(super) fn term(&mut self, expr: &Expr, scope: &Scope<'_>, ctes: Ctes<'_, '_>) -> Built<Term> {
        // Chains of AND and OR are as long as they like, and no recursion follows them.
        if let Expr::BinaryOp { left: _, op: op @ (BinaryOperator::And | BinaryOperator::Or), right: _ } =
            expr
        {
            let mut terms = Vec::new();
            for part in parts(expr, op) {
                match (self.deeper(|b| b.term(part, scope, ctes))?, op) {
                    (Term::And(inner), BinaryOperator::And) | (Term::Or(inner), BinaryOperator::Or) => {
                        terms.extend(inner);
                    }
                    (term, _) => terms.push(term),
                }
            }
            return Ok(if *op == BinaryOperator::And { Term::And(terms) } else { Term::Or(terms) });
        }
        self.deeper(|b| b.single(expr, scope, ctes))
    }

    fn terms<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Expr>,
        scope: &Scope<'_>,
        ctes: Ctes<'_, '_>,
    ) -> Built<Vec<Term>> {
        exprs.into_iter().map(|e| self.term(e, scope, ctes)).collect()
    }

    fn single(&mut self, expr: &Expr, scope: &Scope<'_>, ctes: Ctes<'_, '_>) -> Built<Term> {
        let test = |op, args, negated| negate(Term::Test { op, args }, negated);
        let call = |name: &str, args| Term::Call { name: name.to_owned(), distinct: false, args };
        let other = || Term::Other(expr.to_string().to_lowercase());
        Ok(match expr {
            Expr::Identifier(name) => {
                let found = scope.bare(self.schema, &lower(name));
                found.unwrap_or_else(|| match name.quote_style {
                    // SQLite takes a quoted name that no column has as a string.
                    Some('"') => Term::Text(name.value.clone()),
                    _ => Term::Other(lower(name)),
                })
            }
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [.., table, column] => {
                    let found = scope.qualified(self.schema, &lower(table), &lower(column));
                    found.unwrap_or_else(other)
                }
                _ => other(),
            },
            Expr::Nested(inner) => self.term(inner, scope, ctes)?,
            Expr::Value(value) => match &value.value {
                Value::Number(number, _) => Term::Number(canonical_number(&number.to_string())),
                Value::SingleQuotedString(s) | Value::DoubleQuotedString(s) => Term::Text(s.clone()),
                Value::Null => Term::Null,
                Value::Boolean(b) => Term::Number(u8::from(*b).to_string()),
                other => Term::Other(other.to_string()),
            },
            Expr::UnaryOp { op, expr: inner } => {
                let inner = self.term(inner, scope, ctes)?;
                match (op, inner) {
                    (UnaryOperator::Not, inner) => Term::Not(Box::new(inner)),
                    (UnaryOperator::Minus, Term::Number(n)) if !n.starts_with('-') => {
                        Term::Number(format!("-{n}"))
                    }
                    (UnaryOperator::Plus, inner) => inner,
                    (op, inner) => call(&op.to_string(), vec![inner]),
                }
            }
            Expr::BinaryOp { left, op, right } => {
                let args = self.terms([left.as_ref(), right.as_ref()], scope, ctes)?;
                match comparison(op) {
                    Some(op) => test(op, args, false),
                    None => call(&op.to_string().to_lowercase(), args),
                }
            }
            Expr::IsNull(inner) => test(Op::Is, vec![self.term(inner, scope, ctes)?, Term::Null], false),
            Expr::IsNotNull(inner) => test(Op::Is, vec![self.term(inner, scope, ctes)?, Term::Null], true),
            Expr::InList { expr: inner, list, negated } => {
                test(Op::In, self.terms(std::iter::once(inner.as_ref()).chain(list), scope, ctes)?, *negated)
            }
            Expr::InSubquery { expr: inner, subquery, negated } => {
                let left = self.term(inner, scope, ctes)?;
                let right = Term::Query(Box::new(self.query(subquery, Some(scope), ctes)?));
                test(Op::In, vec![left, right], *negated)
            }
            Expr::Between { expr: inner, negated, low, high } => {
                let args = self.terms([inner.as_ref(), low.as_ref(), high.as_ref()], scope, ctes)?;
                test(Op::Between, args, *negated)
            }
            Expr::Like { negated, any: _, expr: inner, pattern, escape_char }
            | Expr::ILike { negated, any: _, expr: inner, pattern, escape_char } => {
                let args = [inner.as_ref(), pattern.as_ref()].into_iter().chain(escape_char.as_deref());
                test(Op::Like, self.terms(args, scope, ctes)?, *negated)
            }
            Expr::Exists { subquery, negated } => {
                let inner = Term::Query(Box::new(self.query(subquery, Some(scope), ctes)?));
                test(Op::Exists, vec![inner], *negated)
            }
            Expr::Subquery(inner) => Term::Query(Box::new(self.query(inner, Some(scope), ctes)?)),
            Expr::Function(function) => match self.function(function, scope, ctes)? {
                Some(term) => term,
                None => other(),
            },
            Expr::Cast { kind: _, expr: inner, data_type, format: None } => {
                let name = format!("cast {data_type}").to_lowercase();
                call(&name, vec![self.term(inner, scope, ctes)?])
            }
            Expr::Collate { expr: inner, collation } => {
                let name = format!("collate {collation}").to_lowercase();
                call(&name, vec![self.term(inner, scope, ctes)?])
            }
            Expr::Substring { expr: inner, substring_from, substring_for, special: _, shorthand: _ } => {
                let args = [inner].into_iter().chain(substring_from).chain(substring_for);
                call("substr", self.terms(args.map(|e| e.as_ref()), scope, ctes)?)
            }
            Expr::Trim { trim_where: None, trim_what: None, expr: inner, trim_characters: None } => {
                call("trim", vec![self.term(inner, scope, ctes)?])
            }
            Expr::Tuple(items) => call("row", self.terms(items, scope, ctes)?),
            Expr::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
                let mut args = Vec::new();
                let branches = conditions.iter().flat_map(|w| [&w.condition, &w.result]);
                args.extend(self.terms(operand.as_deref(), scope, ctes)?);
                args.extend(self.terms(branches, scope, ctes)?);
                args.extend(self.terms(else_result.as_deref(), scope, ctes)?);
                let shape = match (operand.is_some(), else_result.is_some()) {
                    (true, true) => "case of else",
                    (true, false) => "case of",
                    (false, true) => "case else",
                    (false, false) => "case",
                };
                call(shape, args)
            }
            _ => other(),
        })
    }

    /// A plain call; none for windows, filters and what else a call may carry.
    fn function(
        &mut self,
        function: &ast::Function,
        scope: &Scope<'_>,
        ctes: Ctes<'_, '_>,
    ) -> Built<Option<Term>> {
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
        let mut terms = Vec::new();
        for arg in &list.args {
            terms.push(match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => self.term(e, scope, ctes)?,
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => Term::Star(None),
                _ => return Ok(None),
            });
        }
        let name = name.to_string().to_lowercase();
        let distinct = matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct));
        let args = if name == "count" && terms.is_empty() { vec![Term::Star(None)] } else { terms };
        Ok(Some(Term::Call { name, distinct, args }))
    }
}

/// `term`, or NOT `term`.
fn negate(term: Term, negated: bool) -> Term {
    if negated { Term::Not(Box::new(term)) } else { term }
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
pub(in super::super) fn canonical_number(text: &str) -> String {
    match text.parse::<f64>() {
        // Beyond that, floats skip integers.
        Ok(n) if n.is_finite() && n.abs() < 9e15 => (n + 0.0).to_string(),
        _ => text.to_lowercase(),
    }
}
