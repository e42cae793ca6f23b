//! What can be told from a CHECK's text: bounds on single columns, and values to try.
//!
//! `CHECK (age BETWEEN 18 AND 99 AND state IN ('a', 'b'))` bounds two columns, and values are then drawn
//! within the bounds. `CHECK (start < finish)` bounds none by itself; there the row is changed until SQLite
//! says that it holds, with values that are likely to help.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArgumentList, FunctionArguments, SelectItem, SetExpr,
};
use twinql_sql::schema::Check;
use twinql_sql::syntax::{self, plain_argument};
use twinql_sql::{Table, Value};

use super::Rule;
use crate::dice::Dice;
use crate::facts::constant;
use crate::generate::values::variant;

/// A CHECK as the generator sees it.
#[derive(Debug)]
pub(super) struct Shape {
    /// The columns that it names.
    columns: Vec<usize>,
    /// The constants in it.
    constants: Vec<Value>,
    /// Bounds on single columns that follow from it.
    bounds: Vec<(usize, Bound)>,
}

/// A bound that a conjunct of a CHECK sets.
#[derive(Debug)]
enum Bound {
    Low(Value, bool),
    High(Value, bool),
    Among(Vec<Value>),
    Not(Vec<Value>),
    MinChars(usize),
    MaxChars(usize),
    Like(String),
}

impl Shape {
    /// Reads a CHECK of a table. What cannot be parsed has no bounds and no constants.
    pub(super) fn of(check: &Check, table: &Table) -> Shape {
        let mut shape = Shape { columns: check.columns.clone(), constants: Vec::new(), bounds: Vec::new() };
        if let Some(expr) = parsed(&check.expr) {
            syntax::read_expressions(&expr, &mut |e| {
                if let Some(value) = constant(e)
                    && !shape.constants.contains(&value)
                {
                    shape.constants.push(value);
                }
            });
            shape.read(&expr, table);
        }
        shape
    }

    /// Adds the bounds on a column to its rule.
    pub(super) fn bind(&self, column: usize, rule: &mut Rule) {
        for (_, bound) in self.bounds.iter().filter(|(c, _)| *c == column) {
            match bound {
                Bound::Low(value, met) => rule.at_least(value.clone(), *met),
                Bound::High(value, met) => rule.at_most(value.clone(), *met),
                Bound::Among(values) => rule.one_of(values.clone()),
                Bound::Not(values) => rule.none_of(values.clone()),
                Bound::MinChars(n) => rule.at_least_chars(*n),
                Bound::MaxChars(n) => rule.at_most_chars(*n),
                Bound::Like(pattern) => rule.patterns.push(pattern.clone()),
            }
        }
    }

    /// The columns that decide it: those that it names, or all where one of these is computed.
    pub(super) fn inputs(&self, table: &Table) -> Vec<usize> {
        let computed = |c: &usize| table.columns.get(*c).is_some_and(|c| c.generated.is_some());
        if self.columns.is_empty() || self.columns.iter().any(computed) {
            (0..table.columns.len()).collect()
        } else {
            self.columns.clone()
        }
    }

    /// A value for one of its columns that may make it true: one of its constants or of the
    /// row's values, as it is or changed a little.
    pub(super) fn propose(&self, column: usize, row: &[Value], null: bool, dice: &mut Dice) -> Value {
        if null && dice.chance(0.05) {
            return Value::Null;
        }
        let others: Vec<&Value> = self
            .columns
            .iter()
            .filter(|&&c| c != column)
            .filter_map(|&c| row.get(c))
            .filter(|v| **v != Value::Null)
            .collect();
        let own = row.get(column).cloned().unwrap_or(Value::Null);
        // Half of the proposals start at another column's value: `start < finish` compares the two.
        let base = match dice.below(4) {
            0 | 1 if !others.is_empty() => dice.pick(&others).map_or(own, |v| (*v).clone()),
            0 | 2 if !self.constants.is_empty() => dice.pick(&self.constants).cloned().unwrap_or(own),
            _ => own,
        };
        match (dice.below(6), base) {
            (0 | 1, base) => base,
            (2, Value::Text(s)) => Value::Text(s.to_uppercase()),
            (3, Value::Text(s)) => Value::Text(s.to_lowercase()),
            (4, Value::Text(s)) => Value::Text(s.trim().to_owned()),
            (4, Value::Integer(n)) => Value::Integer(n.saturating_neg()),
            (5, Value::Integer(_)) => Value::Integer(dice.between(-3, 40)),
            (5, Value::Text(_)) => {
                let length = 1 + dice.below(8);
                let letters = (0..length).map(|_| char::from(b'a' + dice.below(26) as u8));
                Value::Text(letters.collect())
            }
            (_, Value::Null) => match dice.pick(&self.constants) {
                Some(value) => value.clone(),
                None => Value::Integer(dice.between(0, 20)),
            },
            (_, base) => variant(&base, dice),
        }
    }

    /// Adds the bounds that a CHECK sets on single columns. What it does not understand sets none, so that a
    /// value may still fail the CHECK, which the probe then shows.
    fn read(&mut self, expr: &Expr, table: &Table) {
        match expr {
            Expr::Nested(e) => self.read(e, table),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.read(left, table);
                self.read(right, table);
            }
            // An OR bounds a column only if it lists values of one.
            Expr::BinaryOp { left: _, op: BinaryOperator::Or, right: _ } => {
                if let Some((column, values)) = alternatives(expr, table) {
                    self.bounds.push((column, Bound::Among(values)));
                }
            }
            Expr::BinaryOp { left, op, right } => {
                // The constant may stand on either side.
                self.comparison(left, op, right, table);
                if let Some(op) = syntax::flipped(op) {
                    self.comparison(right, &op, left, table);
                }
            }
            Expr::Between { expr, negated: false, low, high } => {
                self.comparison(expr, &BinaryOperator::GtEq, low, table);
                self.comparison(expr, &BinaryOperator::LtEq, high, table);
            }
            Expr::InList { expr, list, negated } => {
                let values: Option<Vec<Value>> = list.iter().map(constant).collect();
                if let (Some(column), Some(values)) = (column(expr, table), values) {
                    let bound = if *negated { Bound::Not(values) } else { Bound::Among(values) };
                    self.bounds.push((column, bound));
                }
            }
            Expr::Like { negated: false, any: false, expr, pattern, escape_char: None } => {
                if let (Some(column), Some(Value::Text(pattern))) = (column(expr, table), constant(pattern)) {
                    self.bounds.push((column, Bound::Like(pattern)));
                }
            }
            Expr::Function(function) => {
                if let Some((pattern, of)) =
                    call(function, "glob", 2).and_then(|args| match args.as_slice() {
                        [pattern, of] => Some((constant(pattern)?, column(of, table)?)),
                        _ => None,
                    })
                    && let Value::Text(pattern) = pattern
                    && !pattern.contains(['[', '%', '_'])
                {
                    let pattern = pattern.replace('*', "%").replace('?', "_");
                    self.bounds.push((of, Bound::Like(pattern)));
                }
            }
            _ => {}
        }
    }

    /// Adds the bound of `column < constant` and the like, and of `length(column) < constant`.
    fn comparison(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr, table: &Table) {
        let Some(value) = constant(right) else {
            return;
        };
        if let Some(column) = column(left, table) {
            let bound = match op {
                BinaryOperator::Lt => Bound::High(value, false),
                BinaryOperator::LtEq => Bound::High(value, true),
                BinaryOperator::Gt => Bound::Low(value, false),
                BinaryOperator::GtEq => Bound::Low(value, true),
                BinaryOperator::Eq => Bound::Among(vec![value]),
                BinaryOperator::NotEq => Bound::Not(vec![value]),
                _ => return,
            };
            self.bounds.push((column, bound));
            return;
        }
        let Expr::Function(function) = inner(left) else {
            return;
        };
        let length = call(function, "length", 1);
        let column = length.and_then(|args| args.first().and_then(|a| column(a, table)));
        let (Some(column), Value::Integer(n)) = (column, value) else {
            return;
        };
        let n = usize::try_from(n).unwrap_or(0);
        let mut push = |bound| self.bounds.push((column, bound));
        match op {
            BinaryOperator::Lt => push(Bound::MaxChars(n.saturating_sub(1))),
            BinaryOperator::LtEq => push(Bound::MaxChars(n)),
            BinaryOperator::Gt => push(Bound::MinChars(n + 1)),
            BinaryOperator::GtEq => push(Bound::MinChars(n)),
            BinaryOperator::Eq => {
                push(Bound::MinChars(n));
                push(Bound::MaxChars(n));
            }
            _ => {}
        }
    }
}

/// The CHECK's expression.
fn parsed(text: &str) -> Option<Expr> {
    let parsed = twinql_sql::parse(&format!("SELECT ({text})")).ok()?;
    let SetExpr::Select(select) = *parsed.query.body else {
        return None;
    };
    match select.projection.into_iter().next()? {
        SelectItem::UnnamedExpr(expr) => Some(expr),
        _ => None,
    }
}

/// The expression inside parentheses.
fn inner(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(e) => inner(e),
        other => other,
    }
}

/// The column of the table that an expression names.
fn column(expr: &Expr, table: &Table) -> Option<usize> {
    match inner(expr) {
        Expr::Identifier(ident) => table.column_index(&ident.value),
        _ => None,
    }
}

/// `a = 1 OR a = 2 OR a IN (3)`: the column and its values.
fn alternatives(expr: &Expr, table: &Table) -> Option<(usize, Vec<Value>)> {
    match inner(expr) {
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
            let (column, mut values) = alternatives(left, table)?;
            let (other, more) = alternatives(right, table)?;
            values.extend(more);
            (column == other).then_some((column, values))
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            Some((column(left, table)?, vec![constant(right)?]))
        }
        Expr::InList { expr, list, negated: false } => {
            Some((column(expr, table)?, list.iter().map(constant).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// The arguments of a plain call of this function.
fn call<'e>(function: &'e Function, name: &str, arguments: usize) -> Option<Vec<&'e Expr>> {
    let Function {
        name: called,
        uses_odbc_syntax: _,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses: _ }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: _,
    } = function
    else {
        return None;
    };
    if !called.to_string().eq_ignore_ascii_case(name) || args.len() != arguments {
        return None;
    }
    args.iter().map(plain_argument).collect()
}
