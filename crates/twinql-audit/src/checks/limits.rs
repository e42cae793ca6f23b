//! LIMIT keeps some of several rows, and nothing says which.

use std::collections::BTreeSet;

use twinql_sql::{BinaryOp, ColumnId, ColumnSet, Expr, Query, Rel, SortKey, UnaryOp, Value};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Gold, Role};

pub(super) const LIMIT_TIES: Check = Check {
    id: "limit-ties",
    severity: Severity::Warning,
    summary: "rows that tie at a LIMIT",
    why: "Where several rows have the same sort keys at the LIMIT, SQL does not say which of them are kept, so that the query has several right answers.",
    source: "Zhong, Yu and Klein 2020, section 3; ties at LIMIT 1 give verdicts that differ between machines",
    undetermined: true,
    finds: &[
        "SELECT name FROM customer ORDER BY age DESC LIMIT 1",
        "SELECT city FROM customer GROUP BY city ORDER BY count(*) DESC LIMIT 1",
        "SELECT total FROM orders WHERE customer_id IN (SELECT id FROM customer ORDER BY age LIMIT 3)",
    ],
    misses: &[
        "SELECT age FROM customer ORDER BY age DESC LIMIT 1",
        "SELECT name FROM customer ORDER BY age DESC, id LIMIT 1",
        "SELECT name FROM customer WHERE id = 3 ORDER BY age LIMIT 1",
        "SELECT c.name FROM customer AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id ORDER BY c.id DESC LIMIT 1",
    ],
    apply: Apply::Plan(ties),
};

pub(super) const LIMIT_WITHOUT_ORDER: Check = Check {
    id: "limit-without-order",
    severity: Severity::Warning,
    summary: "LIMIT without ORDER BY",
    why: "Without ORDER BY the rows that LIMIT keeps are any of them.",
    source: "https://sqlite.org/lang_select.html#limitoffset",
    undetermined: true,
    finds: &["SELECT name FROM customer LIMIT 1"],
    misses: &[
        "SELECT name FROM customer WHERE id = 3 LIMIT 1",
        "SELECT max(age) FROM customer LIMIT 1",
        "SELECT name FROM customer WHERE EXISTS (SELECT * FROM orders WHERE customer_id = customer.id LIMIT 1)",
    ],
    apply: Apply::Plan(without_order),
};

/// Every limit of the query that leaves open which rows it keeps: its input, its keys, and itself.
fn limits<'a>(gold: &Gold<'a>) -> Vec<(&'a Rel, &'a Rel, &'a [SortKey])> {
    let idle: BTreeSet<*const Rel> =
        gold.queries().into_iter().filter_map(|(role, q)| tested(role, q)).collect();
    let mut found = Vec::new();
    for rel in gold.relations() {
        let Rel::Sort { input, keys, limit, offset } = rel else { continue };
        let none = Expr::Literal(Value::Integer(0));
        // LIMIT 0 keeps no row, which leaves nothing open.
        if (limit.is_none() && offset.is_none()) || limit.as_ref() == Some(&none) {
            continue;
        }
        if !idle.contains(&std::ptr::from_ref(rel)) {
            found.push((rel, &**input, keys.as_slice()));
        }
    }
    found
}

/// The limit of a query of which only whether there is a row counts.
fn tested(role: Role, query: &Query) -> Option<*const Rel> {
    let mut rel = &query.rel;
    while let Rel::Project { input, .. } = rel {
        rel = input;
    }
    (role == Role::Exists).then_some(std::ptr::from_ref(rel))
}

/// Whether the rows that tie on these columns are the same in all that is read of them.
pub(super) fn decided(gold: &Gold<'_>, sort: &Rel, input: &Rel, by: &ColumnSet) -> bool {
    if gold.lenient.is_unique(input, by.iter().copied()) {
        return true;
    }
    let determined = gold.lenient.determined(input, by.iter().copied());
    let read = gold.read_outside(sort);
    input.outputs().into_iter().filter(|c| read.contains(c)).all(|c| determined.contains(&c))
}

/// The column whose values an expression tells apart: itself, or what it is a copy of with a sign, a type or a
/// constant.
pub(super) fn told_apart(expr: &Expr) -> Option<ColumnId> {
    match expr {
        Expr::Column(c) => Some(*c),
        Expr::Unary { op: UnaryOp::Neg, expr } | Expr::Cast { expr, .. } | Expr::Collate { expr, .. } => {
            told_apart(expr)
        }
        Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => match (&**left, &**right) {
            (e, Expr::Literal(_)) | (Expr::Literal(_), e) => told_apart(e),
            _ => None,
        },
        _ => None,
    }
}

/// The columns that sort keys tell apart, also those that a computed key is made of.
pub(super) fn told_by(input: &Rel, keys: &[SortKey]) -> ColumnSet {
    let mut all: ColumnSet = keys.iter().filter_map(|k| told_apart(&k.expr)).collect();
    let mut rel = input;
    while let Rel::Distinct { input } | Rel::Sort { input, .. } = rel {
        rel = input;
    }
    if let Rel::Project { exprs, .. } = rel {
        let made = exprs.iter().filter(|(c, _)| all.contains(c)).filter_map(|(_, e)| told_apart(e));
        all.extend(made.collect::<Vec<_>>());
    }
    all
}

/// Finds a LIMIT whose sort keys may tie. It is certain where neither a key is among the columns that the sort keys
/// tell apart nor do these decide all that is read of the rows: the greatest age is one value, however many have it.
fn ties(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for (sort, input, keys) in limits(gold) {
        if keys.is_empty() || decided(gold, sort, input, &told_by(input, keys)) {
            continue;
        }
        let at = keys.iter().find_map(|k| gold.found(&k.expr));
        let named: Vec<String> = keys.iter().map(|k| key_name(gold, &k.expr)).collect();
        let reason = format!(
            "several rows may have the same {} at the LIMIT, and nothing says which are kept",
            named.join(", ")
        );
        sink.add(at, reason)
            .remedy("order by a key as well, or ask for all rows that have the extreme value");
    }
}

/// A sort key as people know it: by its column, else as it is written.
pub(super) fn key_name(gold: &Gold<'_>, expr: &Expr) -> String {
    match (gold.found(expr), expr) {
        (_, Expr::Column(c)) if gold.info(*c).is_some_and(|i| i.origin.is_some()) => gold.name(*c),
        (Some(at), _) => gold.text.at(&at).to_owned(),
        (None, _) => "sort keys".into(),
    }
}

/// Finds a LIMIT without ORDER BY over rows that may be several and differ in what is read. One row, and a LIMIT inside
/// EXISTS, leave nothing open.
fn without_order(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for (sort, input, keys) in limits(gold) {
        if !keys.is_empty() || decided(gold, sort, input, &ColumnSet::new()) {
            continue;
        }
        sink.add(gold.text.only("LIMIT"), "LIMIT keeps any rows, since there is no ORDER BY")
            .remedy("say by ORDER BY which rows are meant");
    }
}
