//! Comparisons in which an affinity would convert something (<https://sqlite.org/datatype3.html> section 4.2).
//!
//! A column has an affinity, and what is computed has none: `COALESCE(year, 0) = '2014'` compares a number with a text
//! and is never true, where `year = '2014'` makes the text a number. Rules put columns in the place of expressions that
//! have the same value. So that this changes no comparison, the planner writes a `+` before an operand that has no
//! affinity where it would count: `+COALESCE(year, 0) = '2014'` is `+year = '2014'` in the end, which SQLite reads in
//! the same way. Where numbers meet numbers and texts meet texts nothing is converted, and nothing is written.

use super::types::info_of;
use crate::dialects::Dialect;
use crate::expr::{Expr, UnaryOp};
use crate::rel::{Columns, Query, Rel};
use crate::schema::{Affinity, TypeClass};
use crate::value::{Value, number_in};

use super::{Planner, Result};

impl Planner<'_> {
    /// Two operands of a comparison, each with a `+` where it has lost an affinity that would count.
    pub(super) fn apart(&self, left: Expr, right: Expr) -> (Expr, Expr) {
        if self.dialect != Dialect::Sqlite {
            return (left, right);
        }
        if let (Expr::Row(ours), Expr::Row(theirs)) = (&left, &right)
            && ours.len() == theirs.len()
        {
            let each = ours.iter().zip(theirs).map(|(a, b)| self.apart(a.clone(), b.clone()));
            let (ours, theirs) = each.unzip();
            return (Expr::Row(ours), Expr::Row(theirs));
        }
        let counts = (converts(&left, &right, &self.columns), converts(&right, &left, &self.columns));
        (if counts.0 { left.plain() } else { left }, if counts.1 { right.plain() } else { right })
    }

    /// [`Planner::apart`] of values and the columns of the subquery that they are looked for in.
    pub(super) fn apart_within(&mut self, exprs: &mut [Expr], query: &mut Query) -> Result<()> {
        if self.dialect != Dialect::Sqlite {
            return Ok(());
        }
        let outputs: Vec<Expr> = query.output.iter().map(|c| Expr::Column(*c)).collect();
        let mut lost = Vec::new();
        for (at, (expr, output)) in exprs.iter_mut().zip(&outputs).enumerate() {
            let (own, theirs) =
                (converts(expr, output, &self.columns), converts(output, expr, &self.columns));
            if own {
                *expr = std::mem::replace(expr, Expr::NULL).plain();
            }
            if theirs {
                lost.push(at);
            }
        }
        if lost.is_empty() {
            return Ok(());
        }
        let mut entries = Vec::with_capacity(outputs.len());
        for (at, (c, output)) in query.output.iter_mut().zip(outputs).enumerate() {
            let plain = lost.contains(&at);
            let output = if plain { output.plain() } else { output };
            let info = info_of(&output, &self.columns);
            *c = self.new_column(info)?;
            entries.push((*c, output));
        }
        query.rel = Rel::project(query.rel.take(), entries);
        Ok(())
    }
}

/// True if `expr` has no affinity, may be given one by a rule, and would then be compared with `other` in another way.
/// No affinity changes a blob, or a text that is no number.
fn converts(expr: &Expr, other: &Expr, columns: &Columns) -> bool {
    let stays = match other {
        Expr::Literal(Value::Text(text)) => number_in(text).is_none(),
        other => matches!(other, Expr::Literal(Value::Blob(_))),
    };
    !stays
        && may_be_replaced(expr)
        && info_of(expr, columns).affinity.is_none()
        && !converts_nothing(expr, other, columns)
}

/// True if a comparison of these two converts neither, whatever their affinities: both are numbers, or both texts.
pub(crate) fn converts_nothing(a: &Expr, b: &Expr, columns: &Columns) -> bool {
    let class = |e: &Expr| info_of(e, columns).class;
    let null = |e: &Expr| e.is_null_literal();
    // A number is stored as one, and a text that is none stays a text.
    let numbers = |e: &Expr| holds_numbers(class(e));
    let texts = |e: &Expr| holds_texts(e, class(e), columns);
    let no_number = |e: &Expr| e.as_text().is_some_and(|t| number_in(t).is_none());
    null(a)
        || null(b)
        || numbers(a) && numbers(b)
        || texts(a) && texts(b)
        || no_number(a) && (numbers(b) || texts(b))
        || no_number(b) && (numbers(a) || texts(a))
}

/// Expressions in whose place a rule may put a column, a cast or a subquery of the same value.
pub(crate) fn may_be_replaced(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) | Expr::Case { .. } | Expr::Scalar(_) => true,
        Expr::Collate { expr, .. } => may_be_replaced(expr),
        Expr::Function { name, .. } => {
            matches!(name.as_str(), "coalesce" | "ifnull" | "nullif" | "iif" | "if" | "min" | "max")
        }
        _ => false,
    }
}

fn holds_numbers(class: TypeClass) -> bool {
    matches!(class, TypeClass::Integer | TypeClass::Number | TypeClass::Boolean)
}

/// Texts, of columns that keep all texts as they are: one declared STRING makes numbers of digits.
fn holds_texts(expr: &Expr, class: TypeClass, columns: &Columns) -> bool {
    class == TypeClass::Text
        && !expr.any(|e| match e {
            Expr::Column(c) => c.info(columns).is_some_and(|i| i.affinity.is_some_and(Affinity::is_numeric)),
            _ => false,
        })
}

/// `+x`, as a user writes it: the value of `x` without its affinity. What has none stays as it is.
pub(super) fn plus(expr: Expr, columns: &Columns) -> Expr {
    match info_of(&expr, columns).affinity {
        Some(_) => Expr::unary(UnaryOp::Plus, expr),
        None => expr,
    }
}
