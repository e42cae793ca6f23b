//! What conditions on one column say of each other.

use std::cmp::Ordering;

use twinql_sql::{BinaryOp, ColumnId, Expr, TypeClass, UnaryOp, Value};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Gold, numeric};

pub(super) const IMPLIED_CONDITION: Check = Check {
    id: "implied-condition",
    severity: Severity::Note,
    summary: "a condition that another one implies",
    why: "A condition that follows from another one takes no row away: it is superfluous, or another was meant.",
    source: "range analysis of conjuncts",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE age > 30 AND age > 20",
        "SELECT name FROM customer WHERE city = 'Bern' AND city <> 'Basel'",
        "SELECT name FROM customer WHERE city = 'Bern' AND city = 'Bern'",
    ],
    misses: &[
        "SELECT name FROM customer WHERE age > 30 AND age < 40",
        "SELECT a.name FROM customer AS a JOIN customer AS b ON a.id = b.id WHERE a.age > 30 AND b.score > 20",
    ],
    apply: Apply::Plan(implied),
};

/// What a condition says of a column.
#[derive(Debug, Clone, PartialEq)]
enum Says<'e> {
    /// It is one of these.
    Among(Vec<&'e Value>),
    /// It is not this.
    Not(&'e Value),
    /// It is less, or at most that where true.
    Below(&'e Value, bool),
    /// It is greater, or at least that where true.
    Above(&'e Value, bool),
    /// It is NULL.
    Null,
}

/// A condition on one column.
struct Condition<'e> {
    /// Of the schema or derived, but one and the same row's: columns of two scans of a table have two ids.
    column: ColumnId,
    /// What it leaves of the column's values.
    says: Says<'e>,
    /// The condition itself, for its place.
    expr: &'e Expr,
}

/// The order of two constants as a column of numbers or of texts has it; none where they are of different kinds.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    let number = |v: &Value| match v {
        Value::Integer(i) => Some(*i as f64),
        Value::Real(r) => Some(r.0),
        _ => None,
    };
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        _ => number(a)?.partial_cmp(&number(b)?),
    }
}

/// Reads a condition on a column of the schema by constants of its own kind.
fn read<'e>(gold: &Gold<'_>, expr: &'e Expr) -> Option<Condition<'e>> {
    let column = |e: &Expr| match e {
        Expr::Column(c) => Some(*c),
        _ => None,
    };
    let constant = |e: &'e Expr| match e {
        Expr::Literal(value) => Some(value),
        _ => None,
    };
    let (column, says) = match expr {
        Expr::Binary { op, left, right } => {
            let (c, value, op) = match (column(left), constant(right)) {
                (Some(c), Some(value)) => (c, value, *op),
                _ => (column(right)?, constant(left)?, op.flipped()?),
            };
            let says = match op {
                BinaryOp::Eq => Says::Among(vec![value]),
                BinaryOp::NotEq => Says::Not(value),
                BinaryOp::Lt => Says::Below(value, false),
                BinaryOp::LtEq => Says::Below(value, true),
                BinaryOp::Gt => Says::Above(value, false),
                BinaryOp::GtEq => Says::Above(value, true),
                _ => return None,
            };
            (c, says)
        }
        // A list with anything but constants in it says nothing here.
        Expr::InList { expr, list } if !list.is_empty() => {
            (column(expr)?, Says::Among(list.iter().map(constant).collect::<Option<_>>()?))
        }
        Expr::Unary { op: UnaryOp::IsNull, expr } => (column(expr)?, Says::Null),
        _ => return None,
    };
    // A constant of another kind is converted by the column's affinity, and its order is then not the one that
    // `compare` has.
    let class = gold.info(column)?.class;
    let fits = |v: &&Value| match v {
        Value::Integer(_) | Value::Real(_) => numeric(class),
        Value::Text(_) => class == TypeClass::Text || class == TypeClass::Time,
        _ => false,
    };
    let values = match &says {
        Says::Among(values) => values.clone(),
        Says::Not(v) | Says::Below(v, _) | Says::Above(v, _) => vec![*v],
        Says::Null => Vec::new(),
    };
    values.iter().all(fits).then_some(Condition { column, says, expr })
}

/// Whether a value meets a condition; none where that is not known.
fn meets(value: &Value, says: &Says<'_>) -> Option<bool> {
    Some(match says {
        Says::Among(values) => {
            let mut all = Vec::new();
            for v in values {
                all.push(compare(value, v)? == Ordering::Equal);
            }
            all.contains(&true)
        }
        Says::Not(v) => compare(value, v)? != Ordering::Equal,
        Says::Below(v, or_equal) => match compare(value, v)? {
            Ordering::Less => true,
            Ordering::Equal => *or_equal,
            Ordering::Greater => false,
        },
        Says::Above(v, or_equal) => match compare(value, v)? {
            Ordering::Greater => true,
            Ordering::Equal => *or_equal,
            Ordering::Less => false,
        },
        Says::Null => false,
    })
}

/// No value meets both.
fn contradict(a: &Says<'_>, b: &Says<'_>) -> bool {
    match (a, b) {
        (Says::Null, Says::Null) => false,
        (Says::Null, _) | (_, Says::Null) => true,
        (Says::Among(values), other) | (other, Says::Among(values)) => {
            values.iter().all(|v| meets(v, other) == Some(false))
        }
        (Says::Below(high, or_equal), Says::Above(low, and_equal))
        | (Says::Above(low, and_equal), Says::Below(high, or_equal)) => match compare(low, high) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !(*or_equal && *and_equal),
            _ => false,
        },
        _ => false,
    }
}

/// Every value that meets the first meets the second.
fn implies(a: &Says<'_>, b: &Says<'_>) -> bool {
    match (a, b) {
        (Says::Null, other) => *other == Says::Null,
        (Says::Among(values), other) => values.iter().all(|v| meets(v, other) == Some(true)),
        (Says::Below(v, true), Says::Below(w, false)) => compare(v, w) == Some(Ordering::Less),
        (Says::Below(v, _), Says::Below(w, _)) => {
            matches!(compare(v, w), Some(Ordering::Less | Ordering::Equal))
        }
        (Says::Above(v, true), Says::Above(w, false)) => compare(v, w) == Some(Ordering::Greater),
        (Says::Above(v, _), Says::Above(w, _)) => {
            matches!(compare(v, w), Some(Ordering::Greater | Ordering::Equal))
        }
        (Says::Below(..) | Says::Above(..), Says::Not(v)) => meets(v, a) == Some(false),
        (Says::Not(v), Says::Not(w)) => compare(v, w) == Some(Ordering::Equal),
        _ => false,
    }
}

/// Conditions that have to hold together, list by list.
fn together<'a>(gold: &Gold<'a>) -> Vec<Vec<&'a Expr>> {
    let mut all: Vec<Vec<&Expr>> = gold.blocks().into_iter().map(|block| block.conjuncts).collect();
    for e in gold.expressions() {
        if let Expr::And(list) = e {
            all.push(list.iter().collect());
        }
    }
    all
}

/// Shows pairs of conditions on one column that have to hold together.
fn pairs<'a>(gold: &Gold<'a>, found: &mut dyn FnMut(&Condition<'a>, &Condition<'a>)) {
    for list in together(gold) {
        let conditions: Vec<Condition<'a>> = list.into_iter().filter_map(|e| read(gold, e)).collect();
        for (i, a) in conditions.iter().enumerate() {
            for b in conditions.iter().skip(i + 1).filter(|b| b.column == a.column) {
                found(a, b);
            }
        }
    }
}

/// Places of conditions that contradict each other, with the column.
pub(super) fn contradictions(gold: &Gold<'_>) -> Vec<(std::ops::Range<usize>, String)> {
    let mut found = Vec::new();
    pairs(gold, &mut |a, b| {
        if contradict(&a.says, &b.says) {
            let (x, y) = (gold.place(a.expr), gold.place(b.expr));
            found.push((x.start.min(y.start)..x.end.max(y.end), gold.name(a.column)));
        }
    });
    found
}

/// Finds conditions that another one beside them implies, such as `age > 20` beside `age > 30`. Both are on one column,
/// by constants of its kind, and hold together (AND, or ON and WHERE of inner joins), so that it is certain; operands
/// of OR, and columns of the same name in two scans, are none.
fn implied(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let mut found = Vec::new();
    pairs(gold, &mut |a, b| {
        let (by, idle) = match (implies(&a.says, &b.says), implies(&b.says, &a.says)) {
            // Of two that say the same, the second.
            (true, _) => (a, b),
            (false, true) => (b, a),
            (false, false) => return,
        };
        // The same condition twice: the last of its places.
        let places = gold.places(idle.expr);
        let at = if a.expr == b.expr { places.last() } else { places.first() };
        found.push((at.cloned(), gold.text.at(&gold.place(by.expr)).to_owned()));
    });
    for (at, other) in found {
        sink.add(at, format!("it follows from `{other}`"));
    }
}
