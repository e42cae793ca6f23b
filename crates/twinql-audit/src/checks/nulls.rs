//! NULLs where nobody thought of them.

use twinql_sql::known::Known;
use twinql_sql::schema::Typing;
use twinql_sql::{ColumnSet, Expr, Nulls, NullsOrder, Rel, Semantics, UnaryOp, Value};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const NULL_COMPARISON: Check = Check {
    id: "null-comparison",
    severity: Severity::Error,
    summary: "a comparison with NULL",
    why: "Nothing is equal to NULL, or unequal, or less: the comparison is never true.",
    source: "https://sqlite.org/lang_expr.html#isisnot",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE city = NULL",
        "SELECT name FROM customer WHERE city NOT IN ('Bern', NULL)",
    ],
    misses: &[
        "SELECT name FROM customer WHERE city IS NULL",
        "SELECT name FROM customer WHERE city IN ('Bern')",
    ],
    apply: Apply::Plan(compared),
};

pub(super) const NULLS_FIRST: Check = Check {
    id: "nulls-first",
    severity: Severity::Warning,
    summary: "the least value by ORDER BY and LIMIT, where NULL comes first",
    why: "SQLite sorts NULL before all values, so that LIMIT keeps rows without a value before those with the least.",
    source: "https://sqlite.org/lang_select.html#orderby",
    undetermined: false,
    finds: &["SELECT id FROM customer ORDER BY age, id LIMIT 1"],
    misses: &[
        "SELECT id FROM customer ORDER BY age DESC, id LIMIT 1",
        "SELECT id FROM customer WHERE age > 3 ORDER BY age, id LIMIT 1",
        "SELECT id FROM orders ORDER BY total, id LIMIT 1",
        "SELECT city FROM customer GROUP BY city ORDER BY count(*), city LIMIT 1",
    ],
    apply: Apply::Plan(first),
};

pub(super) const NOT_IN_NULL: Check = Check {
    id: "not-in-null",
    severity: Severity::Warning,
    summary: "NOT IN a subquery that may give NULL",
    why: "Where one of its values is NULL, NOT IN is true of nothing.",
    source: "https://sqlite.org/lang_expr.html#in_op",
    undetermined: false,
    finds: &["SELECT product FROM line WHERE product NOT IN (SELECT city FROM customer)"],
    misses: &[
        "SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)",
        "SELECT product FROM line WHERE product NOT IN (SELECT city FROM customer WHERE city IS NOT NULL)",
        "SELECT product FROM line WHERE product IN (SELECT city FROM customer)",
    ],
    apply: Apply::Plan(not_in),
};

/// A comparison with NULL stands in the query.
pub(super) fn compares(gold: &Gold<'_>) -> bool {
    gold.expressions().into_iter().any(with_null)
}

/// NULL written out on a side of a comparison, or in a list of IN. IS is no comparison here.
fn with_null(e: &Expr) -> bool {
    let null = |e: &Expr| *e == Expr::Literal(Value::Null);
    match e {
        Expr::Binary { op, left, right } => op.is_comparison() && (null(left) || null(right)),
        Expr::InList { list, .. } => list.iter().any(null),
        _ => false,
    }
}

/// Finds comparisons with a NULL that is written out, which are never true. It is certain for the condition, and an
/// error only where the whole answer is constant by that: in an operand of OR the other one still decides.
fn compared(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for e in gold.expressions().into_iter().filter(|e| with_null(e)) {
        let said =
            sink.add(gold.place(e), "a comparison with NULL is never true").remedy("IS NULL, or IS NOT NULL");
        if !gold.is_constant() {
            said.only(Severity::Warning);
        }
    }
}

/// Columns that hold NULL in no row of `rel`, by the conditions and what is declared alone.
fn surely_not_null(gold: &Gold<'_>, rel: &Rel) -> ColumnSet {
    let semantics = Semantics { nulls: Nulls::Nullable, ..gold.semantics.clone() };
    Known::new(gold.schema, &semantics, gold.plan.columns.clone()).not_null(rel)
}

/// How bad it is that a column may hold NULL: little where the semantics says that none does.
fn severity(gold: &Gold<'_>) -> Severity {
    if gold.semantics.nulls == Nulls::Nullable { Severity::Warning } else { Severity::Note }
}

/// Finds the least by ORDER BY and LIMIT where the column may be NULL. Descending order, a condition on the column and
/// NOT NULL in the schema rule that out. Whether there are NULLs depends on the data, so it is a note where the
/// semantics has none.
fn first(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for rel in gold.relations() {
        let Rel::Sort { input, keys, limit: Some(_), .. } = rel else { continue };
        let Some(key) = keys.first().filter(|k| k.nulls == NullsOrder::First) else { continue };
        let Expr::Column(c) = &key.expr else { continue };
        let of_schema = gold.info(*c).is_some_and(|info| info.origin.is_some());
        if !of_schema || surely_not_null(gold, input).contains(c) || gold.known.is_unique(input, []) {
            continue;
        }
        let name = gold.name(*c);
        let reason = format!("nothing says that {name} is never NULL, and rows without it come first");
        sink.add(gold.place(&key.expr), reason)
            .remedy(format!("WHERE {name} IS NOT NULL, or NULLS LAST"))
            .only(severity(gold));
    }
}

/// Finds NOT IN over a subquery that may give NULL. What makes it certain that it may not is a declared NOT NULL, or a
/// condition in the subquery; IN itself is not harmed by NULLs in a WHERE.
fn not_in(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    // Of a tables.json nothing is known of NULLs.
    if gold.schema.typing == Typing::Loose && gold.semantics.nulls != Nulls::Nullable {
        return;
    }
    for e in gold.expressions() {
        let Expr::Unary { op: UnaryOp::Not, expr } = e else { continue };
        let Expr::InSubquery { query, .. } = &**expr else { continue };
        let not_null = surely_not_null(gold, &query.rel);
        if let Some(c) = query.output.iter().find(|c| !not_null.contains(c)) {
            let name = gold.name(*c);
            let reason = format!("nothing says that {name} is never NULL, and with one NULL no row is left");
            sink.add(gold.place(e), reason)
                .remedy(format!("WHERE {name} IS NOT NULL in the subquery"))
                .only(severity(gold));
        }
    }
}
