//! Proofs that two queries differ: each is an argument that ends in a database.
//!
//! - *Width.* An answer has a number of columns whether or not it has rows, so two queries
//!   of different widths differ on every database.
//! - *Kinds of values.* The argument builds one database: every table has one row, no value
//!   is NULL, all numbers are alike and all texts are alike, but for what the query's own
//!   conditions and the foreign keys ask for ([`OneRow`]). If one query surely has a row
//!   there with text in more columns than the other could have text in at all (or with
//!   numbers), no order of columns makes the answers equal.

use std::collections::BTreeMap;

use crate::classes::Classes;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::plan::Plan;
use crate::rel::{ColumnId, JoinKind, Query, Rel, SetOpKind};
use crate::schema::{Affinity, ColumnRef, Schema, TypeClass};
use crate::semantics::Semantics;
use crate::value::Value;

use super::Side;

/// Why two queries cannot be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Different numbers of output columns: the answers differ on every database.
    Width {
        /// Output columns of the gold.
        gold: usize,
        /// Output columns of the prediction.
        pred: usize,
    },
    /// One side has values of a kind in its answer for which the other has no column: they
    /// differ on the database with one row in each table that meets the side's conditions.
    ValueKind {
        /// The side that surely has them.
        side: Side,
        /// `text` or `numbers`.
        kind: &'static str,
        /// In how many columns it has them.
        has: usize,
        /// In how many columns the other side could have them.
        other: usize,
    },
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Difference::Width { gold, pred } => {
                write!(f, "the gold has {gold} output columns, the prediction {pred}")
            }
            Difference::ValueKind { side, kind, has, other } => {
                let (one, two) = side.pick(("gold", "prediction"), ("prediction", "gold"));
                write!(
                    f,
                    "with one row in each table, the {one} has {kind} in {has} output columns, and the {two} can have {kind} in {other}"
                )
            }
        }
    }
}

/// A difference that can be proved, if there is one.
pub(super) fn distinguish(
    schema: &Schema,
    gold: &Plan,
    pred: &Plan,
    semantics: &Semantics,
) -> Option<Difference> {
    let (g, p) = (gold.query.output.len(), pred.query.output.len());
    if g != p {
        return Some(Difference::Width { gold: g, pred: p });
    }
    let (of_gold, of_pred) = (kinds(schema, gold), kinds(schema, pred));
    for (side, plan, own, other) in
        [(Side::Gold, gold, &of_gold, &of_pred), (Side::Pred, pred, &of_pred, &of_gold)]
    {
        if own.iter().all(|k| *k == ValueKind::Any) {
            continue;
        }
        let Some(sure) = OneRow::new(schema, &plan.query).answer(&plan.query) else {
            continue;
        };
        for (kind, name) in [(ValueKind::Text, "text"), (ValueKind::Number, "numbers")] {
            let has = |i: usize| own.get(i) == Some(&kind) && sure.get(i) == Some(&true);
            let may = |i: usize| matches!(other.get(i), Some(k) if *k == kind || *k == ValueKind::Any);
            let count = |of: &dyn Fn(usize) -> bool| (0..g).filter(|i| of(*i)).count();
            let impossible = if semantics.any_column_order {
                count(&has) > count(&may)
            } else {
                (0..g).any(|i| has(i) && !may(i))
            };
            if impossible {
                return Some(Difference::ValueKind {
                    side,
                    kind: name,
                    has: count(&has),
                    other: count(&may),
                });
            }
        }
    }
    None
}

/// What the values of a column are, NULLs aside, on a database of typed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Number,
    Text,
    /// Not known.
    Any,
}

/// Kinds of the output columns.
fn kinds(schema: &Schema, plan: &Plan) -> Vec<ValueKind> {
    let mut known = Kinds { schema, of: BTreeMap::new() };
    known.rel(&plan.query.rel);
    let kind = |c: &ColumnId| known.get(*c);
    plan.query.output.iter().map(kind).collect()
}

struct Kinds<'a> {
    schema: &'a Schema,
    of: BTreeMap<ColumnId, ValueKind>,
}

/// The kind of a base column's values.
fn base_kind(schema: &Schema, at: ColumnRef) -> ValueKind {
    match schema.column(at).map(|c| (c.affinity, c.class)) {
        Some((Affinity::Text, TypeClass::Text | TypeClass::Time)) => ValueKind::Text,
        Some((
            Affinity::Integer | Affinity::Real | Affinity::Numeric,
            TypeClass::Integer | TypeClass::Number,
        )) => ValueKind::Number,
        _ => ValueKind::Any,
    }
}

impl Kinds<'_> {
    fn get(&self, c: ColumnId) -> ValueKind {
        self.of.get(&c).copied().unwrap_or(ValueKind::Any)
    }

    fn rel(&mut self, rel: &Rel) {
        for input in rel.inputs() {
            self.rel(input);
        }
        let computed = |exprs: &[(ColumnId, Expr)]| -> Vec<(ColumnId, ValueKind)> {
            exprs.iter().map(|(c, e)| (*c, self.expr(e))).collect()
        };
        let kinds = match rel {
            Rel::Scan { table, columns } => {
                let kind = |at: usize| base_kind(self.schema, ColumnRef { table: *table, column: at });
                columns.iter().map(|(c, at)| (*c, kind(*at))).collect()
            }
            Rel::Project { exprs, .. } => computed(exprs),
            Rel::Aggregate { keys, calls, .. } => {
                let calls = calls.iter().map(|(c, call)| (*c, self.call(call)));
                computed(keys).into_iter().chain(calls).collect()
            }
            Rel::SetOp { kind, left, right, columns, .. } => {
                self.rel(&left.rel);
                self.rel(&right.rel);
                let arms = left.output.iter().zip(&right.output);
                let of = |(l, r): (&ColumnId, &ColumnId)| match kind {
                    SetOpKind::Union if self.get(*l) != self.get(*r) => ValueKind::Any,
                    // INTERSECT and EXCEPT answer with rows of the left arm.
                    _ => self.get(*l),
                };
                columns.iter().copied().zip(arms.map(of)).collect()
            }
            _ => Vec::new(),
        };
        self.of.extend(kinds);
    }

    fn expr(&self, expr: &Expr) -> ValueKind {
        match expr {
            Expr::Column(c) => self.get(*c),
            Expr::Literal(Value::Integer(_) | Value::Real(_)) => ValueKind::Number,
            Expr::Literal(Value::Text(_)) => ValueKind::Text,
            _ => ValueKind::Any,
        }
    }

    fn call(&self, call: &AggregateCall) -> ValueKind {
        match call.func {
            AggFunc::Count | AggFunc::Sum | AggFunc::Total | AggFunc::Avg => ValueKind::Number,
            AggFunc::Min | AggFunc::Max | AggFunc::Bare => {
                call.args.first().map_or(ValueKind::Any, |e| self.expr(e))
            }
            AggFunc::GroupConcat | AggFunc::Other(_) => ValueKind::Any,
        }
    }
}

/// The database with one row in each table: columns that a condition of the query or a
/// foreign key makes equal form a class, and each class may be compared with one constant.
/// A query of such conditions alone has a row there.
struct OneRow<'a> {
    schema: &'a Schema,
    /// The table column that a column id is.
    base: BTreeMap<ColumnId, ColumnRef>,
    /// Table columns that hold the same value.
    classes: Classes<ColumnRef>,
    /// Classes that are compared with a constant.
    bound: Vec<ColumnRef>,
}

impl<'a> OneRow<'a> {
    fn new(schema: &'a Schema, query: &Query) -> OneRow<'a> {
        let mut base = BTreeMap::new();
        collect_base(&query.rel, &mut base);
        let mut out = OneRow { schema, base, classes: Classes::default(), bound: Vec::new() };
        for (t, table) in schema.tables.iter().enumerate() {
            for key in &table.foreign_keys {
                for (from, to) in key.columns.iter().zip(&key.target_columns) {
                    let place = |table, column| ColumnRef { table, column };
                    out.classes.join(place(t, *from), place(key.target, *to));
                }
            }
        }
        out
    }

    /// Which output columns surely hold a value in some row of the answer; `None` if it may
    /// have no row.
    fn answer(mut self, query: &Query) -> Option<Vec<bool>> {
        let sure = self.rel(&query.rel)?;
        // Every column of a class must be able to hold the same value.
        let classes: Vec<(ColumnRef, ColumnRef)> =
            self.classes.others().map(|c| (c, self.classes.root(c))).collect();
        let kind = |c: ColumnRef| base_kind(self.schema, c);
        let fits = |(c, root): &(ColumnRef, ColumnRef)| kind(*c) != ValueKind::Any && kind(*c) == kind(*root);
        let touched = |root: ColumnRef| self.base.values().any(|c| self.classes.root(*c) == root);
        if !classes.iter().filter(|(_, root)| touched(*root)).all(fits) {
            return None;
        }
        let mut bound: Vec<ColumnRef> = self.bound.iter().map(|c| self.classes.root(*c)).collect();
        bound.sort_unstable();
        let count = bound.len();
        bound.dedup();
        if bound.len() != count {
            return None;
        }
        Some(query.output.iter().map(|c| sure.contains(c)).collect())
    }

    /// The columns that hold a value in the relation's row; `None` if it may have no row.
    fn rel(&mut self, rel: &Rel) -> Option<Vec<ColumnId>> {
        match rel {
            Rel::Scan { columns, .. } => Some(columns.iter().map(|(c, _)| *c).collect()),
            Rel::Filter { input, predicate } => {
                let sure = self.rel(input)?;
                self.conditions(predicate)?;
                Some(sure)
            }
            Rel::Join { inputs, on } => {
                let mut sure = Vec::new();
                for input in inputs {
                    sure.extend(self.rel(input)?);
                }
                self.conditions(on)?;
                Some(sure)
            }
            Rel::OuterJoin { kind: JoinKind::Left, left, .. } => self.rel(left),
            Rel::Project { input, exprs } => {
                let below = self.rel(input)?;
                Some(kept(exprs, &below))
            }
            Rel::Distinct { input } => self.rel(input),
            Rel::Sort { input, limit, offset: None, .. } => {
                let some = match limit {
                    None => true,
                    Some(Expr::Literal(Value::Integer(n))) => *n != 0,
                    Some(_) => false,
                };
                let sure = self.rel(input)?;
                some.then_some(sure)
            }
            Rel::Aggregate { input, keys, calls } => {
                // COUNT has a value even where the input has no row.
                let below = match self.rel(input) {
                    Some(below) => below,
                    None if keys.is_empty() && !calls.is_empty() => Vec::new(),
                    None => return None,
                };
                let mut sure = kept(keys, &below);
                sure.extend(calls.iter().filter(|(_, call)| valued(call, &below)).map(|(c, _)| *c));
                Some(sure)
            }
            _ => None,
        }
    }

    /// `None` unless the conditions hold in the database's rows.
    fn conditions(&mut self, conjuncts: &[Expr]) -> Option<()> {
        for conjunct in conjuncts {
            let Expr::Binary { op, left, right } = conjunct else {
                return None;
            };
            match (&**left, &**right) {
                (Expr::Column(a), Expr::Column(b)) if *op == BinaryOp::Eq => {
                    let (a, b) = (*self.base.get(a)?, *self.base.get(b)?);
                    let (ka, kb) = (base_kind(self.schema, a), base_kind(self.schema, b));
                    if ka != kb || ka == ValueKind::Any {
                        return None;
                    }
                    self.classes.join(a, b);
                }
                (Expr::Column(c), Expr::Literal(v)) => self.compared(*c, *op, v)?,
                (Expr::Literal(v), Expr::Column(c)) => self.compared(*c, op.flipped()?, v)?,
                _ => return None,
            }
        }
        Some(())
    }

    /// `c op v`, for which a value of the column's kind exists.
    fn compared(&mut self, c: ColumnId, op: BinaryOp, v: &Value) -> Option<()> {
        let place = *self.base.get(&c)?;
        // Dates and the like must look the part.
        let column = self.schema.column(place);
        if column.is_none_or(|c| c.class == TypeClass::Time) {
            return None;
        }
        let possible = match (base_kind(self.schema, place), v) {
            (ValueKind::Number, Value::Integer(n)) => match op {
                BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::LtEq | BinaryOp::GtEq => true,
                BinaryOp::Lt => *n > i64::MIN,
                BinaryOp::Gt => *n < i64::MAX,
                _ => false,
            },
            (ValueKind::Number, Value::Real(_)) => op == BinaryOp::NotEq,
            (ValueKind::Text, Value::Text(_)) => {
                matches!(op, BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::GtEq | BinaryOp::LtEq)
            }
            _ => false,
        };
        if !possible {
            return None;
        }
        self.bound.push(place);
        Some(())
    }
}

/// Columns computed from what has a value.
fn kept(exprs: &[(ColumnId, Expr)], below: &[ColumnId]) -> Vec<ColumnId> {
    let valued = |e: &Expr| match e {
        Expr::Column(b) => below.contains(b),
        Expr::Literal(v) => *v != Value::Null,
        _ => false,
    };
    exprs.iter().filter(|(_, e)| valued(e)).map(|(c, _)| *c).collect()
}

/// True if the aggregate is not NULL over a row whose columns `below` have values.
fn valued(call: &AggregateCall, below: &[ColumnId]) -> bool {
    match call.func {
        AggFunc::Count | AggFunc::Total => true,
        AggFunc::Sum | AggFunc::Avg | AggFunc::Min | AggFunc::Max | AggFunc::Bare => {
            call.filter.is_none() && matches!(call.args.first(), Some(Expr::Column(c)) if below.contains(c))
        }
        AggFunc::GroupConcat | AggFunc::Other(_) => false,
    }
}

/// The table columns that the scans of a relation read.
fn collect_base(rel: &Rel, into: &mut BTreeMap<ColumnId, ColumnRef>) {
    if let Rel::Scan { table, columns } = rel {
        into.extend(columns.iter().map(|(c, at)| (*c, ColumnRef { table: *table, column: *at })));
    }
    for input in rel.inputs() {
        collect_base(input, into);
    }
}
