//! Reading predicates and other expressions.
//!
//! A condition becomes atoms (a column and constants) and links (two columns). Those that must hold for a row
//! to count are told from the `weak` ones, which need not: rows of a scenario meet all of the former and some
//! of the latter.

use sqlparser::ast::{
    self, BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SelectItem,
    SetExpr, UnaryOperator,
};
use twinql_sql::Value;
use twinql_sql::syntax::plain_argument;

use super::names::{counts_rows, is};
use super::patterns;
use super::treatment::measures;
use super::walk::{MAX_DEPTH, Walker, comparison, constant, flip};
use super::{Atom, Comparison, Link, Slot};

/// True of a subquery whose one output counts rows.
fn counts(query: &Query) -> bool {
    let SetExpr::Select(select) = &*query.body else {
        return false;
    };
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(expr)] => counts_rows(expr),
        [SelectItem::ExprWithAlias { expr, alias: _ }] => counts_rows(expr),
        _ => false,
    }
}

impl Walker<'_> {
    /// Adds a comparison with constants. Of a count they are sizes of groups; of an expression over a column
    /// they are weak, since the column itself need not have the value: `upper(name) = 'ANN'`.
    fn atom(&mut self, expr: &Expr, comparison: Comparison, values: Vec<Value>, weak: bool) {
        let alias = |e: &Expr| matches!(e, Expr::Identifier(i) if self.counted.iter().any(|c| c.eq_ignore_ascii_case(&i.value)));
        if counts_rows(expr) || alias(expr) {
            for v in &values {
                if let Value::Integer(n) = v {
                    self.facts.counts.push(*n);
                }
            }
            return;
        }
        self.facts.literals.extend(values.iter().cloned());
        if let Some(slot) = self.slot(expr) {
            let plain = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
            let weak = weak || !plain;
            self.facts.atoms.push(Atom {
                slot,
                comparison,
                values,
                weak,
                derived: !plain,
                measured: measures(expr),
                computed: computes(expr),
                folded: folds(expr),
            });
        } else if matches!(comparison, Comparison::Lt | Comparison::LtEq | Comparison::Gt | Comparison::GtEq)
        {
            let whole = |v: &Value| if let Value::Integer(n) = v { Some(*n) } else { None };
            self.facts.ranks.extend(values.iter().filter_map(whole));
        }
    }

    /// An expression against a constant.
    fn against(&mut self, expr: &Expr, op: Comparison, value: Value, weak: bool) {
        match expr {
            Expr::Nested(inner) => self.against(inner, op, value, weak),
            Expr::Subquery(query) => {
                // `(SELECT max(age) FROM t) > 30`: the constant is for the column that the subquery puts out.
                let output = self.query(query);
                match value {
                    Value::Integer(n) if counts(query) => self.facts.counts.push(n),
                    value => {
                        self.facts.literals.push(value.clone());
                        if let Some(slot) = output.first().and_then(|o| o.1) {
                            self.facts.atoms.push(Atom {
                                slot,
                                comparison: op,
                                values: vec![value],
                                weak: true,
                                derived: false,
                                measured: false,
                                computed: false,
                                folded: false,
                            });
                        }
                    }
                }
            }
            Expr::Function(f) if is(&f.name, &["instr"]) => {
                // A text that is to be found in a column.
                if let Some((text, part)) = self.searched(f) {
                    let found = matches!(op, Comparison::Gt | Comparison::GtEq | Comparison::NotEq);
                    self.atom(
                        &text,
                        Comparison::Like,
                        vec![Value::Text(format!("%{part}%"))],
                        weak || !found,
                    );
                }
            }
            other => self.atom(other, op, vec![value], weak),
        }
    }

    /// The text and the constant part of a call of `instr`.
    fn searched(&mut self, f: &Function) -> Option<(Expr, String)> {
        let FunctionArguments::List(list) = &f.args else {
            return None;
        };
        match list.args.as_slice() {
            [
                FunctionArg::Unnamed(FunctionArgExpr::Expr(text)),
                FunctionArg::Unnamed(FunctionArgExpr::Expr(part)),
            ] => match self.literal(part)? {
                Value::Text(part) => Some((text.clone(), part)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A comparison of two sides: a column with a constant, two rows value by value, or two columns. Only an
    /// equality is a link that must hold.
    fn compare(&mut self, left: &Expr, op: Comparison, right: &Expr, weak: bool) {
        if let (Expr::Tuple(left), Expr::Tuple(right)) = (left, right) {
            // Only equality of rows is that of each pair of values.
            let weak = weak || op != Comparison::Eq;
            for (left, right) in left.iter().zip(right) {
                self.compare(left, op, right, weak);
            }
            return;
        }
        let (l, r) = (self.literal(left), self.literal(right));
        match (l, r) {
            (None, Some(v)) => {
                self.against(left, op, v, weak);
                self.look_into(left);
            }
            (Some(v), None) => {
                self.against(right, flip(op), v, weak);
                self.look_into(right);
            }
            _ => {
                let sides = (self.operand(left), self.operand(right));
                if let (Some(left), Some(right)) = sides {
                    let weak = weak || op != Comparison::Eq;
                    self.facts.links.push(Link { left, right, weak, apart: false });
                }
                // What is compared with arithmetic over moments is computed with, too.
                for (side, other) in [(left, right), (right, left)] {
                    if ours(other) {
                        self.compute(side);
                    }
                }
                self.expr_children(left, right, weak);
            }
        }
    }

    /// Looks into a call of one of the sandbox's own functions that is compared with a constant.
    fn look_into(&mut self, expr: &Expr) {
        if ours(expr) {
            self.expr(expr, true);
        }
    }

    /// What a call of one of the sandbox's own functions says of a column.
    fn call(&mut self, function: &ast::Function, args: &[&Expr], weak: bool) {
        match args {
            // x ~ 'pattern'
            [x, pattern, _] if is(&function.name, &["pg_regexp"]) => {
                if let Some(Value::Text(pattern)) = self.literal(pattern) {
                    let like = Value::Text(patterns::of_regexp(&pattern));
                    self.atom(x, Comparison::Like, vec![like], weak);
                }
            }
            [text, format] if is(&function.name, &["my_str_to_date"]) => {
                if let Some(Value::Text(format)) = self.literal(format) {
                    self.atom(text, Comparison::Eq, patterns::dates_in(&format), true);
                }
            }
            args if is(
                &function.name,
                &["pg_add", "pg_subtract", "pg_age", "my_date_add", "my_timestampdiff", "ms_datediff"],
            ) =>
            {
                for arg in args {
                    self.compute(arg);
                }
            }
            _ => {}
        }
    }

    /// The slot of an operand; that of a scalar subquery is its output's.
    fn operand(&mut self, expr: &Expr) -> Option<Slot> {
        match expr {
            Expr::Subquery(query) => self.query(query).first().and_then(|o| o.1),
            other => self.slot(other),
        }
    }

    /// Reads the sides of a comparison, but for subqueries, which were read as operands.
    fn expr_children(&mut self, left: &Expr, right: &Expr, weak: bool) {
        for side in [left, right] {
            if !matches!(side, Expr::Subquery(_)) {
                self.expr(side, weak);
            }
        }
    }

    /// Reads a condition, unless it is nested too deeply.
    pub(super) fn predicate(&mut self, expr: &Expr, weak: bool) {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            self.predicate_inner(expr, weak);
        }
        self.depth -= 1;
    }

    /// What a condition says of columns. `weak` conditions need not hold for a row to count: those below
    /// OR or NOT, and those of outer joins. Long, for each construct of SQL that compares has its own arm.
    fn predicate_inner(&mut self, expr: &Expr, weak: bool) {
        match expr {
            Expr::Nested(e) => self.predicate(e, weak),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.predicate(left, weak);
                self.predicate(right, weak);
            }
            Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
                self.predicate(left, true);
                self.predicate(right, true);
            }
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => self.predicate(expr, true),
            Expr::BinaryOp { left, op, right } if comparison(op).is_some() => {
                if let Some(c) = comparison(op) {
                    self.compare(left, c, right, weak);
                }
            }
            Expr::BinaryOp { left, op: BinaryOperator::Glob, right } => match self.literal(right) {
                Some(Value::Text(pattern)) => {
                    let like = Value::Text(patterns::of_glob(&pattern));
                    self.atom(left, Comparison::Like, vec![like], weak);
                }
                _ => self.expr_children(left, right, weak),
            },
            // NOT BETWEEN is met by either bound, so neither must hold.
            Expr::Between { expr, low, high, negated } => {
                let weak = weak || *negated;
                self.compare(expr, Comparison::GtEq, low, weak);
                self.compare(expr, Comparison::LtEq, high, weak);
            }
            Expr::Like { negated, expr, pattern, any: _, escape_char: _ } => {
                if let Some(v) = self.literal(pattern) {
                    let c = if *negated { Comparison::NotLike } else { Comparison::Like };
                    self.atom(expr, c, vec![v], weak);
                }
            }
            Expr::IsNotDistinctFrom(left, right) => self.compare(left, Comparison::Eq, right, weak),
            Expr::IsDistinctFrom(left, right) => self.compare(left, Comparison::NotEq, right, weak),
            Expr::InList { expr, list, negated } if matches!(&**expr, Expr::Tuple(_)) => {
                for row in list {
                    // Any of the rows will do.
                    self.compare(expr, Comparison::Eq, row, weak || *negated || list.len() > 1);
                }
            }
            Expr::InList { expr, list, negated } => {
                let values: Vec<Value> = list.iter().filter_map(|e| self.literal(e)).collect();
                let c = if *negated { Comparison::NotIn } else { Comparison::In };
                if !values.is_empty() {
                    self.atom(expr, c, values, weak);
                }
            }
            Expr::InSubquery { expr, subquery, negated } => {
                // `x IN (VALUES (1), (2))` is a list.
                if let SetExpr::Values(rows) = &*subquery.body {
                    let first = rows.rows.iter().filter_map(|row| self.literal(row.first()?)).collect();
                    let c = if *negated { Comparison::NotIn } else { Comparison::In };
                    self.atom(expr, c, first, weak);
                    return;
                }
                let output = self.query(subquery);
                let left = match &**expr {
                    Expr::Tuple(items) => items.iter().map(|e| self.slot(e)).collect(),
                    other => vec![self.slot(other)],
                };
                for (left, (_, right)) in left.into_iter().zip(output) {
                    if let (Some(left), Some(right)) = (left, right) {
                        let weak = weak || *negated;
                        self.facts.links.push(Link { left, right, weak, apart: *negated });
                    }
                }
            }
            other => self.expr(other, true),
        }
    }

    /// Looks for literals, subqueries and comparisons inside any other expression.
    pub(super) fn expr(&mut self, expr: &Expr, weak: bool) {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            self.expr_inner(expr, weak);
        }
        self.depth -= 1;
    }

    /// The same for what is no condition: one arm for each construct that has parts. What is left to `_` is
    /// passed over: facts only aim databases, so it costs aim and never a wrong verdict.
    fn expr_inner(&mut self, expr: &Expr, weak: bool) {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {}
            Expr::Exists { subquery, negated: _ } | Expr::Subquery(subquery) => {
                self.query(subquery);
            }
            Expr::Value(_) => {
                if let Some(v) = constant(expr) {
                    self.facts.literals.push(v);
                }
            }
            Expr::Nested(e) | Expr::UnaryOp { expr: e, op: _ } | Expr::Collate { expr: e, collation: _ } => {
                self.expr(e, weak);
            }
            Expr::Cast { expr: e, kind: _, data_type: _, format: _ } => {
                self.compute(e);
                self.expr(e, weak);
            }
            Expr::Function(f) => {
                if let FunctionArguments::List(list) = &f.args {
                    let args: Vec<&Expr> = list.args.iter().filter_map(plain_argument).collect();
                    self.call(f, &args, weak);
                    for e in args {
                        if is(&f.name, &["sum", "avg", "round", "abs", "total"]) {
                            self.compute(e);
                        }
                        if is(&f.name, &["coalesce", "ifnull", "nullif"]) {
                            self.facts.nulls.extend(self.slot(e));
                        }
                        if is(&f.name, &["min", "max"])
                            && let Some(slot) = self.slot(e)
                        {
                            self.facts.ranked.push(slot);
                        }
                        self.expr(e, true);
                    }
                }
            }
            Expr::Case { operand, conditions, else_result, case_token: _, end_token: _ } => {
                if let Some(operand) = operand {
                    for when in conditions {
                        self.compare(operand, Comparison::Eq, &when.condition, true);
                    }
                } else {
                    for when in conditions {
                        self.predicate(&when.condition, true);
                    }
                }
                for when in conditions {
                    self.expr(&when.result, true);
                }
                if let Some(e) = else_result {
                    self.expr(e, true);
                }
            }
            Expr::BinaryOp { left, op, right } => {
                if comparison(op).is_some() || matches!(op, BinaryOperator::And | BinaryOperator::Or) {
                    self.predicate(expr, true);
                } else {
                    self.compute(left);
                    self.compute(right);
                    self.expr(left, weak);
                    self.expr(right, weak);
                }
            }
            Expr::Between { expr: _, negated: _, low: _, high: _ }
            | Expr::Like { negated: _, any: _, expr: _, pattern: _, escape_char: _ }
            | Expr::InList { expr: _, list: _, negated: _ }
            | Expr::InSubquery { expr: _, subquery: _, negated: _ } => self.predicate(expr, true),
            Expr::Tuple(items) => {
                for e in items {
                    self.expr(e, weak);
                }
            }
            Expr::IsNull(e) | Expr::IsNotNull(e) => {
                self.facts.nulls.extend(self.slot(e));
                self.expr(e, weak);
            }
            Expr::Substring { expr: e, substring_from: _, substring_for: _, special: _, shorthand: _ } => {
                self.expr(e, weak);
            }
            _ => {}
        }
    }

    /// Marks a column whose values are computed with: they should then be numbers, or moments close together.
    fn compute(&mut self, expr: &Expr) {
        if let Some(slot) = self.slot(expr) {
            self.facts.computed.push(slot);
        }
    }
}

/// Whether an expression is a text in which case does not count.
fn folds(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(e) => folds(e),
        Expr::Function(f) => is(&f.name, &["lower", "upper"]),
        Expr::Collate { expr: _, collation } => is(collation, &["nocase"]),
        _ => false,
    }
}

/// Whether an expression is arithmetic over a column, under whatever rounds or reads it.
fn computes(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(e) | Expr::Cast { expr: e, kind: _, data_type: _, format: _ } => computes(e),
        Expr::BinaryOp { left: _, op, right: _ } => comparison(op).is_none(),
        Expr::Function(f) => match &f.args {
            FunctionArguments::List(list) => list
                .args
                .iter()
                .any(|arg| matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) if computes(e))),
            _ => false,
        },
        _ => false,
    }
}

/// Whether an expression is a call of one of the sandbox's own functions.
fn ours(expr: &Expr) -> bool {
    match expr {
        Expr::Function(f) => matches!(f.name.0.last(), Some(ast::ObjectNamePart::Identifier(name))
            if name.value.starts_with("pg_") || name.value.starts_with("my_")),
        Expr::Nested(e) => ours(e),
        _ => false,
    }
}
