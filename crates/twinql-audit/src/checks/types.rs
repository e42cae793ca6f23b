//! Text taken for numbers, and numbers for text.

use std::collections::BTreeSet;

use twinql_sql::columns::Reads;
use twinql_sql::schema::Typing;
use twinql_sql::{
    Affinity, AggFunc, Assumption, BinaryOp, ColumnId, ColumnRef, Expr, Rel, TypeClass, UnaryOp, Value,
};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Gold, numeric};

pub(super) const TEXT_AS_NUMBER: Check = Check {
    id: "text-as-number",
    severity: Severity::Warning,
    summary: "a text column compared with a number by order",
    why: "SQLite compares a text column with a number as texts, and '9' is greater than '10'.",
    source: "https://sqlite.org/datatype3.html#type_conversions_prior_to_comparison",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE weight > 80",
        "SELECT name FROM customer WHERE weight BETWEEN 9 AND 10",
    ],
    misses: &[
        "SELECT name FROM customer WHERE weight = 80",
        "SELECT name FROM customer WHERE CAST(weight AS REAL) > 80",
        "SELECT name FROM customer WHERE age > 80",
        "SELECT name FROM customer WHERE city > 1990",
        "SELECT name FROM customer WHERE city BETWEEN 201301 AND 201312",
    ],
    apply: Apply::Plan(compared),
};

pub(super) const TEXT_ORDER: Check = Check {
    id: "text-order",
    severity: Severity::Warning,
    summary: "a text column of numbers sorted as text",
    why: "ORDER BY, MIN and MAX take a text column's values as texts, and '9' comes after '10'.",
    source: "https://sqlite.org/datatype3.html#sort_order",
    undetermined: false,
    finds: &["SELECT name FROM customer ORDER BY weight DESC LIMIT 1", "SELECT max(weight) FROM customer"],
    misses: &[
        "SELECT name FROM customer ORDER BY name LIMIT 1",
        "SELECT name FROM customer ORDER BY CAST(weight AS REAL) DESC LIMIT 1",
        "SELECT max(age) FROM customer",
    ],
    apply: Apply::Plan(sorted),
};

pub(super) const NUMBER_AS_TEXT: Check = Check {
    id: "number-as-text",
    severity: Severity::Warning,
    summary: "a column of numbers compared with a text that is none",
    why: "A number is never equal to a text that is no number, and always smaller.",
    source: "https://sqlite.org/datatype3.html#comparisons",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE age = 'old'",
        "SELECT name FROM customer WHERE age IN ('old', 'young')",
    ],
    misses: &["SELECT name FROM customer WHERE age = '30'", "SELECT name FROM customer WHERE city = 'old'"],
    apply: Apply::Plan(never_equal),
};

/// Names that say of a column that it holds numbers whose size matters.
const MEASURES: [&str; 24] = twinql_sql::words![
    age amount attendance budget capacity cost distance height horsepower income length mpg points population price
    quantity revenue salary score scores speed total weight width
];

/// Whether the last word of a name is one of a measure.
fn measures(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit(|c: char| !c.is_ascii_alphabetic()).find(|w| !w.is_empty()).unwrap_or("");
    MEASURES.contains(&last)
}

/// A number by which nobody is misled: years, and dates of digits (201301, 20130131), sort as texts as they do as
/// numbers.
fn year(value: &Value) -> bool {
    let month = |n: i64| (1..=12).contains(&(n % 100)) && (1000..=2999).contains(&(n / 100));
    match value {
        Value::Integer(n @ 0..1_000_000) => (1000..=2999).contains(n) || month(*n),
        Value::Integer(n) => (1..=31).contains(&(n % 100)) && month(n / 100),
        _ => false,
    }
}

/// A constant, also a negative one, which the parser gives as a minus before a number.
fn constant(e: &Expr) -> Option<&Value> {
    match e {
        Expr::Literal(value) => Some(value),
        Expr::Unary { op: UnaryOp::Neg, expr } => constant(expr),
        _ => None,
    }
}

/// Comparisons in which it counts whether '9' comes before '10'.
fn by_order(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Lt | BinaryOp::LtEq | BinaryOp::Gt | BinaryOp::GtEq)
}

/// Finds a text column compared by order with a number, or with a computed one. SQLite then compares texts, which is
/// certain by the column's affinity. Equality is no finding, since texts and numbers that are equal are so both ways;
/// years and dates of digits sort alike as texts, as long as all have the same length.
fn compared(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for e in gold.expressions() {
        let Expr::Binary { op, left, right } = e else { continue };
        if !by_order(*op) {
            continue;
        }
        for (column, other) in [(left, right), (right, left)] {
            let number = match constant(other) {
                Some(value) => matches!(value, Value::Integer(_) | Value::Real(_)) && !year(value),
                // A computed number has no affinity: it is turned into a text.
                None => gold.class(other).is_some_and(numeric) && affinity(gold, other).is_none(),
            };
            let Expr::Column(c) = &**column else { continue };
            if !number || !gold.is_text(column) {
                continue;
            }
            let at = gold.place(e);
            let mended = cast(gold, &at, *c);
            let reason =
                format!("{} is text, so this compares texts: '9' is greater than '10'", gold.name(*c));
            sink.add(at, reason).remedy("CAST(… AS REAL)").mended(mended);
        }
    }
}

/// The affinity that an expression has in a comparison.
fn affinity(gold: &Gold<'_>, e: &Expr) -> Option<Affinity> {
    match e {
        Expr::Column(c) => gold.info(*c)?.affinity,
        Expr::Cast { affinity, .. } => Some(*affinity),
        Expr::Scalar(query) => gold.info(*query.output.first()?)?.affinity,
        _ => None,
    }
}

/// The query with the column cast where it stands in a place, if it stands there once.
fn cast(gold: &Gold<'_>, at: &std::ops::Range<usize>, c: ColumnId) -> Option<String> {
    let name = &gold.info(c)?.name;
    let written = gold.text.at(at);
    let lower = written.to_ascii_lowercase();
    let found: Vec<usize> = lower.match_indices(&name.to_ascii_lowercase()).map(|(i, _)| i).collect();
    let [start] = found[..] else { return None };
    // With its qualifier.
    let from = written.get(..start)?.rfind(|ch: char| !(ch.is_alphanumeric() || "._`\"[".contains(ch)));
    let from =
        from.map_or(0, |i| i + written.get(i..).and_then(|s| s.chars().next()).map_or(1, char::len_utf8));
    let quoted = written.get(start + name.len()..)?.starts_with(['"', '`', ']']);
    let end = start + name.len() + usize::from(quoted);
    let range = at.start + from..at.start + end;
    Some(gold.text.with(&range, &format!("CAST({} AS REAL)", gold.text.at(&range))))
}

/// Text columns that the query itself takes for numbers: summed, averaged, computed with, compared with numbers.
fn taken_for_numbers(gold: &Gold<'_>) -> BTreeSet<ColumnRef> {
    let mut found = BTreeSet::new();
    let mut add = |e: &Expr| {
        let inner = match e {
            Expr::Cast { expr, affinity: Affinity::Integer | Affinity::Real | Affinity::Numeric } => expr,
            e => e,
        };
        if let (Expr::Column(c), true) = (inner, gold.is_text(inner)) {
            found.extend(gold.info(*c).and_then(|info| info.origin));
        }
    };
    for e in gold.expressions() {
        match e {
            Expr::Cast { affinity: Affinity::Integer | Affinity::Real | Affinity::Numeric, .. } => add(e),
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div,
                left,
                right,
            } => {
                add(left);
                add(right);
            }
            _ => {}
        }
    }
    for rel in gold.relations() {
        let Rel::Aggregate { calls, .. } = rel else { continue };
        for (_, call) in
            calls.iter().filter(|(_, c)| matches!(c.func, AggFunc::Sum | AggFunc::Avg | AggFunc::Total))
        {
            call.args.iter().for_each(&mut add);
        }
    }
    found
}

/// Finds text columns of numbers that ORDER BY, MIN or MAX sort as texts. That a column holds numbers is taken from the
/// query itself, which computes with it elsewhere, or from a name that is one of a measure; names and codes sort as
/// texts rightly.
fn sorted(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let taken = taken_for_numbers(gold);
    let mut look = |e: &Expr, at: std::ops::Range<usize>, what: &str| {
        let Expr::Column(c) = e else { return };
        let Some(info) = gold.info(*c).filter(|_| gold.is_text(e)) else { return };
        let origin = info.origin.and_then(|origin| Some((origin, gold.schema.column(origin)?)));
        let Some((origin, column)) = origin else { return };
        if taken.contains(&origin) || measures(&column.name) {
            let mended = cast(gold, &at, *c);
            let reason = format!(
                "{} is text that holds numbers, and {what} takes it as text: '9' comes after '10'",
                gold.name(*c)
            );
            sink.add(at, reason).remedy("CAST(… AS REAL)").mended(mended);
        }
    };
    for rel in gold.relations() {
        match rel {
            Rel::Sort { keys, .. } => {
                for key in keys {
                    look(&key.expr, order_place(gold, &key.expr), "ORDER BY");
                }
            }
            Rel::Aggregate { calls, .. } => {
                for (id, call) in calls.iter().filter(|(_, c)| matches!(c.func, AggFunc::Min | AggFunc::Max))
                {
                    let at = gold.column_place(*id);
                    let what = if call.func == AggFunc::Min { "MIN" } else { "MAX" };
                    call.args.iter().for_each(|arg| look(arg, at.clone(), what));
                }
            }
            _ => {}
        }
    }
}

/// Where a sort key stands: after ORDER BY where it is also put out.
fn order_place(gold: &Gold<'_>, key: &Expr) -> std::ops::Range<usize> {
    let at = gold.place(key);
    let Some(order) = gold.text.keyword("ORDER").last().filter(|order| order.start > at.end) else {
        return at;
    };
    let name = key.named().first().and_then(|c| gold.info(*c)).map(|info| info.name.to_ascii_lowercase());
    let rest = gold.text.sql().get(order.end..).unwrap_or("").to_ascii_lowercase();
    match name.and_then(|name| rest.find(&name).map(|i| (i, name.len()))) {
        Some((i, len)) => order.end + i..order.end + i + len,
        None => at,
    }
}

/// Finds a column of numbers compared with a text that is none. In a column of a numeric affinity that holds what its
/// type says no value equals it. A text that is a number ('30') is converted, and is no finding.
fn never_equal(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for e in gold.expressions() {
        let (column, texts): (&Expr, Vec<&Expr>) = match e {
            Expr::Binary { op, left, right }
                if by_order(*op) || matches!(op, BinaryOp::Eq | BinaryOp::NotEq) =>
            {
                match (&**left, &**right) {
                    (c @ Expr::Column(_), l @ Expr::Literal(_))
                    | (l @ Expr::Literal(_), c @ Expr::Column(_)) => (c, vec![l]),
                    _ => continue,
                }
            }
            Expr::InList { expr, list } => (expr, list.iter().collect()),
            _ => continue,
        };
        let Expr::Column(c) = column else { continue };
        let Some(info) = gold.info(*c).filter(|info| info.origin.is_some() && numeric(info.class)) else {
            continue;
        };
        if !matches!(info.affinity, Some(Affinity::Integer | Affinity::Real | Affinity::Numeric)) {
            continue;
        }
        let text = texts.into_iter().find_map(|e| match e {
            Expr::Literal(Value::Text(t)) if t.trim().parse::<f64>().is_err() => Some(t),
            _ => None,
        });
        if let (Some(text), true) = (text, info.class != TypeClass::Boolean) {
            let reason =
                format!("{} holds numbers, and '{text}' is none: no value is equal to it", gold.name(*c));
            let said = sink.add(gold.place(e), reason).assumes(&[Assumption::Typed]);
            // The types of a tables.json are often wrong, and a text in such a column is then what the data hold.
            if gold.schema.typing == Typing::Loose {
                said.only(Severity::Note);
            }
        }
    }
}
