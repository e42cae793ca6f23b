//! What the conditions of a tableau imply: classes of equal columns, single conditions,
//! bounds. Sound, and no more complete than conjunctive queries with constants and
//! comparisons of one expression with constants need.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::classes::Classes;
use crate::column_set::ColumnSet;
use crate::expr::{BinaryOp, Expr};
use crate::normalize::context::Context;
use crate::rel::ColumnId;
use crate::schema::{Affinity, Schema};
use crate::semantics::Semantics;
use crate::substitution::Substitution;
use crate::value::Value;

use super::tableau::{RowOf, Tableau};

/// How deep conditions are taken apart.
const MAX_DEPTH: usize = 8;

/// What holds for every combination of rows that meets a tableau's conditions.
pub(super) struct Facts<'a> {
    cx: Context<'a>,
    /// What stands for each column: the first of its class, or the class's constant.
    stands_for: Substitution,
    /// The conditions, in normal form.
    conditions: Vec<Expr>,
    not_null: ColumnSet,
}

/// Classes of equal columns, some with a constant, which the root of the class has.
#[derive(Default)]
struct Valued {
    classes: Classes<ColumnId>,
    constant: BTreeMap<ColumnId, Value>,
}

impl Valued {
    /// True if the classes were apart.
    fn join(&mut self, a: ColumnId, b: ColumnId) -> bool {
        let Some((low, high)) = self.classes.join(a, b) else {
            return false;
        };
        if let Some(v) = self.constant.remove(&high) {
            self.constant.entry(low).or_insert(v);
        }
        true
    }

    /// The first column of the class, or its constant. The constant keeps the column's
    /// affinity, by which others are converted where they are compared with it.
    fn stands_for(&self, c: ColumnId) -> Expr {
        let root = self.classes.root(c);
        match self.constant.get(&root) {
            Some(v @ Value::Text(_)) => Expr::Literal(v.clone()).cast(Affinity::Text),
            Some(v) => Expr::Literal(v.clone()).cast(Affinity::Numeric),
            None => Expr::Column(root),
        }
    }
}

impl<'a> Facts<'a> {
    pub(super) fn new(schema: &'a Schema, semantics: &'a Semantics, tableau: &Tableau) -> Facts<'a> {
        let cx = Context::new(schema, semantics, tableau.columns.clone());
        let own: ColumnSet = tableau.rows.iter().flat_map(|r| r.columns.iter().copied()).collect();
        let mut classes = Valued::default();
        for condition in &tableau.conditions {
            let Some(operands) = condition.as_equality() else {
                continue;
            };
            match operands {
                (Expr::Column(a), Expr::Column(b)) => {
                    let known = semantics.typed && own.contains(a) && own.contains(b);
                    if known && cx.same_storage(*a, *b) {
                        classes.join(*a, *b);
                    }
                }
                (Expr::Column(c), Expr::Literal(v)) | (Expr::Literal(v), Expr::Column(c))
                    if semantics.typed && own.contains(c) && stored_as_is(&cx, *c, v) =>
                {
                    let root = classes.classes.root(*c);
                    classes.constant.entry(root).or_insert_with(|| v.clone());
                }
                _ => {}
            }
        }
        chase_keys(&cx, tableau, &mut classes);
        let stands_for: Substitution = own.iter().map(|c| (*c, classes.stands_for(*c))).collect();
        let known = cx.not_null(&tableau.block());
        let not_null: ColumnSet = known.iter().map(|c| classes.classes.root(*c)).collect();
        let mut facts = Facts { cx, stands_for, conditions: Vec::new(), not_null };
        facts.conditions = tableau.conditions.iter().map(|e| facts.normal(e.clone())).collect();
        facts
    }

    /// An expression with each column replaced by what stands for its class, and operands
    /// whose order has no meaning in order.
    pub(super) fn normal(&self, mut e: Expr) -> Expr {
        e.substitute(&self.stands_for);
        order(&mut e);
        e
    }

    /// The normal form of an expression of which the value alone counts.
    pub(super) fn value(&self, e: Expr) -> Expr {
        let e = self.normal(e);
        match constant(&e) {
            Some(v) => Expr::Literal(v.clone()),
            None => e,
        }
    }

    /// True if the condition, in normal form, is true whenever all conditions are.
    pub(super) fn imply(&self, condition: &Expr) -> bool {
        self.imply_within(condition, MAX_DEPTH)
    }

    fn imply_within(&self, condition: &Expr, depth: usize) -> bool {
        if depth == 0 {
            return false;
        }
        if self.conditions.contains(condition) || self.holds_alone(condition) {
            return true;
        }
        match condition {
            Expr::And(list) => list.iter().all(|e| self.imply_within(e, depth - 1)),
            Expr::Or(list) if list.iter().any(|e| self.imply_within(e, depth - 1)) => true,
            _ => self.conditions.iter().any(|known| self.one_implies(known, condition, depth)),
        }
    }

    /// True of every row: a comparison of constants, of a column with itself.
    fn holds_alone(&self, condition: &Expr) -> bool {
        match condition {
            Expr::Binary { op, left, right } => match (constant(left), constant(right)) {
                (Some(a), Some(b)) => compare(a, b).is_some_and(|order| op.holds(order) == Some(true)),
                _ if left == right => match op {
                    BinaryOp::Eq | BinaryOp::LtEq | BinaryOp::GtEq => self.never_null(left),
                    BinaryOp::Is => true,
                    _ => false,
                },
                _ => false,
            },
            Expr::InList { expr, list } => constant(expr).is_some_and(|v| {
                let equal = |e: &Expr| constant(e).is_some_and(|w| compare(v, w) == Some(Ordering::Equal));
                list.iter().any(equal)
            }),
            _ => {
                let tested = condition.as_not().and_then(Expr::as_null_test);
                tested.is_some_and(|e| self.never_null(e))
            }
        }
    }

    fn never_null(&self, e: &Expr) -> bool {
        match e {
            Expr::Column(c) => self.not_null.contains(c),
            other => constant(other).is_some_and(|v| *v != Value::Null),
        }
    }

    /// True if `known` being true makes `wanted` true.
    fn one_implies(&self, known: &Expr, wanted: &Expr, depth: usize) -> bool {
        if known == wanted {
            return true;
        }
        if let Expr::Or(arms) = known {
            return depth > 0 && arms.iter().all(|arm| self.one_implies(arm, wanted, depth - 1));
        }
        if let Expr::And(parts) = known {
            return depth > 0 && parts.iter().any(|part| self.one_implies(part, wanted, depth - 1));
        }
        if let (Some((subject, known)), Some((other, wanted))) = (values_of(known), values_of(wanted)) {
            return subject == other
                && !subject.has_subquery()
                && known.constants().chain(wanted.constants()).all(|v| self.comparable(subject, v))
                && known.within(&wanted);
        }
        false
    }

    /// True if the constant is compared with the expression as it is, unconverted.
    fn comparable(&self, subject: &Expr, v: &Value) -> bool {
        match (self.cx.affinity(subject), v) {
            (affinity, Value::Integer(_)) => affinity != Some(Affinity::Text),
            (affinity, Value::Text(_)) => !affinity.is_some_and(Affinity::is_numeric),
            _ => false,
        }
    }
}

/// The value of a constant, or of one that stands for a column.
fn constant(e: &Expr) -> Option<&Value> {
    match e {
        Expr::Literal(v) => Some(v),
        Expr::Cast { expr, affinity } => match (&**expr, affinity) {
            (Expr::Literal(v @ Value::Integer(_)), Affinity::Integer | Affinity::Numeric)
            | (Expr::Literal(v @ Value::Text(_)), Affinity::Text) => Some(v),
            _ => None,
        },
        _ => None,
    }
}

/// True if a column that equals the constant holds exactly it.
fn stored_as_is(cx: &Context<'_>, c: ColumnId, v: &Value) -> bool {
    matches!(
        (cx.info(c).and_then(|i| i.affinity), v),
        (Some(Affinity::Integer | Affinity::Numeric), Value::Integer(_))
            | (Some(Affinity::Text), Value::Text(_))
    )
}

/// Rows of one table that agree in a key are one row: all their columns are equal.
fn chase_keys(cx: &Context<'_>, tableau: &Tableau, classes: &mut Valued) {
    loop {
        let mut changed = false;
        for (i, one) in tableau.rows.iter().enumerate() {
            for two in tableau.rows.iter().skip(i + 1) {
                let RowOf::Table(table) = one.source else {
                    continue;
                };
                if one.source != two.source {
                    continue;
                }
                let equal = |at: &usize| match (one.columns.get(*at), two.columns.get(*at)) {
                    (Some(a), Some(b)) => classes.stands_for(*a) == classes.stands_for(*b),
                    _ => false,
                };
                if cx.table_keys(table).into_iter().any(|key| key.iter().all(equal)) {
                    for (a, b) in one.columns.iter().zip(&two.columns) {
                        changed |= classes.join(*a, *b);
                    }
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Puts operands whose order has no meaning in order; subqueries are left alone.
fn order(e: &mut Expr) {
    let plain = |e: &Expr| !matches!(e, Expr::Collate { .. } | Expr::Row(_));
    e.map(|e| {
        match e {
            Expr::And(list) | Expr::Or(list) | Expr::InList { list, .. } => list.sort_unstable(),
            Expr::Binary {
                op: BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Is | BinaryOp::IsNot,
                left,
                right,
            } if plain(left) && plain(right) && **right < **left => std::mem::swap(left, right),
            _ => {}
        }
        false
    });
}

/// Constants in SQLite's order; only whole numbers with whole numbers and text with text.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    a.order(b).filter(|_| !matches!(a, Value::Real(_)))
}

/// The values for which a condition on one expression is true.
enum Values<'e> {
    /// One of these.
    OneOf(Vec<&'e Value>),
    /// Those of which `<>`, `<`, `<=`, `>` or `>=` holds beside this one.
    Compared(BinaryOp, &'e Value),
}

impl<'e> Values<'e> {
    fn constants(&self) -> impl Iterator<Item = &'e Value> {
        match self {
            Values::OneOf(list) => list.clone(),
            Values::Compared(_, v) => vec![*v],
        }
        .into_iter()
    }

    fn holds(&self, v: &Value) -> bool {
        match self {
            Values::OneOf(list) => list.iter().any(|w| compare(v, w) == Some(Ordering::Equal)),
            Values::Compared(op, w) => compare(v, w).and_then(|order| op.holds(order)) == Some(true),
        }
    }

    /// True if every value of this is one of `other`.
    fn within(&self, other: &Values<'_>) -> bool {
        match (self, other) {
            (Values::OneOf(list), other) => list.iter().all(|v| other.holds(v)),
            (Values::Compared(BinaryOp::NotEq, v), Values::Compared(BinaryOp::NotEq, w)) => {
                compare(v, w) == Some(Ordering::Equal)
            }
            // What is excluded lies outside the range.
            (range, Values::Compared(BinaryOp::NotEq, w)) => {
                range.constants().all(|v| compare(v, w).is_some()) && !range.holds(w)
            }
            // Two ranges to one side: the bound of this is in the other, or both leave out the same bound.
            (Values::Compared(op, v), Values::Compared(also, w)) => {
                let is_below = |op: &BinaryOp| matches!(op, BinaryOp::Lt | BinaryOp::LtEq);
                let one_side = is_below(op) == is_below(also) && *op != BinaryOp::NotEq;
                one_side && (other.holds(v) || op == also && compare(v, w) == Some(Ordering::Equal))
            }
            (Values::Compared(_, _), Values::OneOf(_)) => false,
        }
    }
}

/// A condition that compares one expression with constants.
fn values_of(condition: &Expr) -> Option<(&Expr, Values<'_>)> {
    match condition {
        Expr::InList { expr, list } => {
            let constants: Option<Vec<&Value>> = list.iter().map(Expr::as_literal).collect();
            Some((expr, Values::OneOf(constants?)))
        }
        Expr::Binary { op, left, right } => {
            let (subject, v, op) = match (&**left, &**right) {
                (Expr::Literal(_), Expr::Literal(_)) => return None,
                (e, Expr::Literal(v)) => (e, v, *op),
                (Expr::Literal(v), e) => (e, v, op.flipped()?),
                _ => return None,
            };
            let values = match op {
                BinaryOp::Eq => Values::OneOf(vec![v]),
                op if op.is_comparison() => Values::Compared(op, v),
                _ => return None,
            };
            Some((subject, values))
        }
        _ => None,
    }
}
