//! Scalar expressions.

use std::borrow::Cow;

use twinql_sql::{BinaryOp, Expr, Query, UnaryOp, Value};

use super::comparison::Terms;
use super::functions::call;
use super::numbers::{cast, compute, logical, numeric, real, text, truth};
use super::patterns::{glob, like};
use super::rows::same;
use super::sandboxed::ASKED;
use super::{Cell, Evaluator, NULL, Result, Stop};

/// Bytes of text that cost a step.
const LETTERS: usize = 128;

/// Functions that evaluate no more of their arguments than they need ([`Evaluator::function`]).
#[cfg(test)]
pub(super) const CHOICES: &[&str] = &["coalesce", "if", "ifnull", "iif", "nullif"];

/// The function that SQLite has for an operator of documents.
fn arrow(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Arrow => Some("->"),
        BinaryOp::LongArrow => Some("->>"),
        _ => None,
    }
}

/// A computed value.
fn owned<'d>(value: Value) -> Cell<'d> {
    Cow::Owned(value)
}

impl<'d> Evaluator<'d> {
    /// The value of an expression over the rows that are bound.
    pub(super) fn expr(&mut self, expr: &'d Expr) -> Result<Cell<'d>> {
        Ok(match expr {
            Expr::Column(c) => self.get(*c),
            Expr::Literal(value) => Cow::Borrowed(value),
            Expr::Unary { op: UnaryOp::Neg, expr } => owned(match numeric(&*self.expr(expr)?) {
                // The least integer has no negative one: SQLite goes on with a double.
                Value::Integer(i) => i.checked_neg().map_or_else(|| real(-(i as f64)), Value::Integer),
                Value::Real(r) => real(-r.0),
                _ => Value::Null,
            }),
            Expr::Unary { op: UnaryOp::Plus, expr } => self.expr(expr)?,
            Expr::Unary { op: UnaryOp::BitNot, expr } => owned(match numeric(&*self.expr(expr)?) {
                Value::Integer(i) => Value::Integer(!i),
                Value::Real(r) => Value::Integer(!(r.0 as i64)),
                _ => Value::Null,
            }),
            Expr::Binary { op, left, right } if !op.is_comparison() && !op.is_null_safe() => {
                self.operation(*op, left, right)?
            }
            Expr::Function { name, args } => self.function(name, args)?,
            Expr::Case { operand, branches, otherwise } => {
                self.case(operand.as_deref(), branches, otherwise.as_deref())?
            }
            Expr::Cast { expr, affinity } => owned(cast(&*self.expr(expr)?, *affinity)),
            Expr::Collate { expr, .. } => self.expr(expr)?,
            Expr::Scalar(query) => self.scalar(query)?,
            Expr::Row(_) => return Err(Stop::Unsupported("row values")),
            Expr::Unary { op: UnaryOp::Not | UnaryOp::IsNull, .. }
            | Expr::Binary { .. }
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Exists(_)
            | Expr::Quantified { .. } => owned(logical(self.condition(expr)?)),
        })
    }

    /// Whether a condition holds; `None` for NULL.
    pub(super) fn condition(&mut self, expr: &'d Expr) -> Result<Option<bool>> {
        Ok(match expr {
            Expr::Unary { op: UnaryOp::Not, expr } => self.condition(expr)?.map(|holds| !holds),
            Expr::Unary { op: UnaryOp::IsNull, expr } => Some(*self.expr(expr)? == Value::Null),
            Expr::Binary { op, left, right } if op.is_comparison() || op.is_null_safe() => {
                self.comparison(*op, left, right)?
            }
            Expr::And(list) => self.all(list)?,
            Expr::Or(list) => {
                let mut known = Some(false);
                for e in list {
                    match self.condition(e)? {
                        Some(true) => return Ok(Some(true)),
                        None => known = None,
                        Some(false) => {}
                    }
                }
                known
            }
            Expr::InList { expr, list } => {
                // SQLite gives members of a list no affinity, whatever they are.
                let terms = Terms::of(self.affinity(expr), None, false);
                let value = self.expr(expr)?;
                let mut found = Some(false);
                for member in list {
                    match terms.holds(BinaryOp::Eq, &value, &*self.expr(member)?) {
                        Some(true) => return Ok(Some(true)),
                        None => found = None,
                        Some(false) => {}
                    }
                }
                found
            }
            Expr::InSubquery { exprs, query } => self.member(exprs, query)?,
            Expr::Exists(query) => Some(!self.subquery(query)?.rows.is_empty()),
            Expr::Quantified { expr, op, all, query } => self.quantified(expr, *op, *all, query)?,
            other => truth(&*self.expr(other)?),
        })
    }

    /// A conjunction: false as soon as one conjunct is.
    pub(super) fn all(&mut self, list: &'d [Expr]) -> Result<Option<bool>> {
        let mut known = Some(true);
        for e in list {
            match self.condition(e)? {
                Some(false) => return Ok(Some(false)),
                None => known = None,
                Some(true) => {}
            }
        }
        Ok(known)
    }

    /// Arithmetic is computed first; what is left are operators of texts, whose cost in steps grows with the texts,
    /// since a query may double a text as often as it likes.
    fn operation(&mut self, op: BinaryOp, left: &'d Expr, right: &'d Expr) -> Result<Cell<'d>> {
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        if let Some(name) = arrow(op) {
            return Ok(owned(self.asked(name, &[], &[a, b])?));
        }
        if let Some(value) = compute(op, &a, &b) {
            return Ok(owned(value));
        }
        let (Some(a), Some(b)) = (text(&a), text(&b)) else { return Ok(NULL) };
        self.step(match op {
            BinaryOp::Like | BinaryOp::Glob => a.len().saturating_mul(b.len()) / LETTERS,
            _ => (a.len() + b.len()) / LETTERS,
        })?;
        Ok(owned(match op {
            BinaryOp::Concat => Value::Text(format!("{a}{b}")),
            BinaryOp::Like => logical(Some(like(&a, &b, None))),
            BinaryOp::Glob => match glob(&a, &b) {
                Some(holds) => logical(Some(holds)),
                // GLOB(pattern, text).
                None => self.asked("glob", &[], &[b, a].map(|s| owned(Value::Text(s.into_owned()))))?,
            },
            _ => return Err(Stop::Unsupported("operator")),
        }))
    }

    /// Functions that leave arguments unevaluated are here, since an argument may have no determined value and not be
    /// needed.
    fn function(&mut self, name: &str, args: &'d [Expr]) -> Result<Cell<'d>> {
        match (name, args) {
            // These evaluate no more than they need.
            ("coalesce" | "ifnull", _) => {
                for arg in args {
                    let value = self.expr(arg)?;
                    if *value != Value::Null {
                        return Ok(value);
                    }
                }
                return Ok(NULL);
            }
            ("iif" | "if", [test, then, rest @ ..]) if rest.len() < 2 => {
                return match (self.condition(test)?, rest) {
                    (Some(true), _) => self.expr(then),
                    (_, [otherwise]) => self.expr(otherwise),
                    _ => Ok(NULL),
                };
            }
            ("nullif", [a, b]) => {
                let same = self.comparison(BinaryOp::Eq, a, b)? == Some(true);
                return if same { Ok(NULL) } else { self.expr(a) };
            }
            _ => {}
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.expr(arg)?);
        }
        let value = match call(name, &values) {
            Some(Ok(value)) => value,
            // Dates may be written in more ways than are known here.
            Some(Err(Stop::Unsupported(_))) => self.asked(name, args, &values)?,
            Some(Err(stop)) => return Err(stop),
            None if ASKED.binary_search(&name).is_ok() => self.asked(name, args, &values)?,
            None => return Err(Stop::Unsupported("function")),
        };
        // What grows from call to call is to end.
        if let Value::Text(text) = &value {
            self.step(text.len() / LETTERS)?;
        }
        Ok(owned(value))
    }

    /// The first branch that holds. With an operand each comparison has the affinities of its own two sides.
    fn case(
        &mut self,
        operand: Option<&'d Expr>,
        branches: &'d [(Expr, Expr)],
        otherwise: Option<&'d Expr>,
    ) -> Result<Cell<'d>> {
        for (when, then) in branches {
            let taken = match operand {
                Some(operand) => self.comparison(BinaryOp::Eq, operand, when)?,
                None => self.condition(when)?,
            };
            if taken == Some(true) {
                return self.expr(then);
            }
        }
        otherwise.map_or(Ok(NULL), |e| self.expr(e))
    }

    /// A subquery as a value: that of its first row, where SQL says which one is first.
    fn scalar(&mut self, query: &'d Query) -> Result<Cell<'d>> {
        let rows = self.settled_subquery(query)?;
        let value = |row: &Vec<Cell<'d>>| row.first().cloned().unwrap_or(NULL);
        let Some(first) = rows.rows.first().map(value) else { return Ok(NULL) };
        let ties = |i: usize| rows.run(i) == rows.run(0);
        let other = |(i, row)| ties(i) && !same(&value(row), &first);
        if self.choice.is_none() && rows.rows.iter().enumerate().any(other) {
            return Err(Stop::Undetermined);
        }
        Ok(first)
    }

    /// `x IN (SELECT …)`: NULL where no row is equal and some comparison is NULL, so that NOT IN is true of nothing
    /// then. The subquery's columns give their affinity too, which members of a list do not.
    fn member(&mut self, exprs: &'d [Expr], query: &'d Query) -> Result<Option<bool>> {
        let mut sides = Vec::with_capacity(exprs.len());
        for (expr, column) in exprs.iter().zip(&query.output) {
            let theirs = column.info(&self.plan.columns).and_then(|info| info.affinity);
            // The collation is that of the left side, as SQLite documents for IN.
            let folded = super::comparison::nocase(expr)?.unwrap_or(false);
            sides.push((self.expr(expr)?, Terms::of(self.affinity(expr), theirs, folded)));
        }
        let rows = self.settled_subquery(query)?;
        self.step(rows.rows.len())?;
        let mut found = Some(false);
        for row in &rows.rows {
            let mut equal = Some(true);
            for ((value, terms), other) in sides.iter().zip(row) {
                match terms.holds(BinaryOp::Eq, value, other) {
                    Some(false) => {
                        equal = Some(false);
                        break;
                    }
                    None => equal = None,
                    Some(true) => {}
                }
            }
            match equal {
                Some(true) => return Ok(Some(true)),
                None => found = None,
                Some(false) => {}
            }
        }
        Ok(found)
    }

    /// `x op ALL (…)` and `x op ANY (…)`. Over no rows ALL is true and ANY is false; a row that decides makes NULLs
    /// irrelevant.
    fn quantified(
        &mut self,
        expr: &'d Expr,
        op: BinaryOp,
        all: bool,
        query: &'d Query,
    ) -> Result<Option<bool>> {
        let theirs = query.output.first().and_then(|c| c.info(&self.plan.columns)).and_then(|i| i.affinity);
        let terms = Terms::of(self.affinity(expr), theirs, false);
        let value = self.expr(expr)?;
        let rows = self.settled_subquery(query)?;
        self.step(rows.rows.len())?;
        let mut known = Some(all);
        for other in rows.rows.iter().filter_map(|row| row.first()) {
            match terms.holds(op, &value, other) {
                Some(holds) if holds != all => return Ok(Some(!all)),
                Some(_) => {}
                None => known = None,
            }
        }
        Ok(known)
    }
}
