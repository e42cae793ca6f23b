//! Queries that SQLite refuses.

use std::ops::Range;

use twinql_sql::{Schema, SqlError};

use crate::check::{Apply, Check};
use crate::finding::Severity;

pub(crate) const SYNTAX: Check = Check {
    id: "syntax",
    severity: Severity::Error,
    summary: "no SQL",
    why: "SQLite cannot read it, so it has no answer.",
    source: "15 golds of one benchmark do not execute, by its own issue list",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE age > = 3",
        "SELECT name FROM customer WHERE",
        "SELECT name customer WHERE (age = 3",
    ],
    misses: &["SELECT name FROM customer WHERE age >= 3"],
    apply: Apply::Refusal,
};

pub(super) const UNKNOWN_NAME: Check = Check {
    id: "unknown-name",
    severity: Severity::Error,
    summary: "a table or a column that the schema does not have",
    why: "SQLite refuses it, so it has no answer.",
    source: "the schema",
    undetermined: false,
    finds: &["SELECT nmae FROM customer", "SELECT name FROM customers", "SELECT c.total FROM customer AS c"],
    misses: &["SELECT NAME FROM Customer"],
    apply: Apply::Refusal,
};

pub(super) const AMBIGUOUS_NAME: Check = Check {
    id: "ambiguous-name",
    severity: Severity::Error,
    summary: "a column's name that two tables have",
    why: "SQLite refuses it, so it has no answer.",
    source: "the schema",
    undetermined: false,
    finds: &["SELECT id FROM customer JOIN orders ON customer.id = orders.customer_id"],
    misses: &["SELECT customer.id FROM customer JOIN orders ON customer.id = orders.customer_id"],
    apply: Apply::Refusal,
};

pub(crate) const REFUSED: Check = Check {
    id: "refused",
    severity: Severity::Error,
    summary: "a query that SQLite refuses for another reason",
    why: "It has no answer.",
    source: "SQLite's own compiler",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer UNION SELECT id, name FROM customer",
        "SELECT name FROM customer WHERE max(age) > 3",
    ],
    misses: &["SELECT name FROM customer UNION SELECT product FROM line"],
    apply: Apply::Refusal,
};

/// The check whose finding an error is, and what to say of it.
pub(crate) fn refusal(error: &SqlError) -> (&'static Check, String) {
    match error {
        SqlError::Parse { .. } | SqlError::NotAQuery { .. } => (&SYNTAX, error.to_string()),
        SqlError::UnknownTable { name, .. } => (&UNKNOWN_NAME, format!("the schema has no table {name}")),
        SqlError::UnknownColumn { name, .. } => {
            (&UNKNOWN_NAME, format!("no table in sight has a column {name}"))
        }
        SqlError::AmbiguousColumn { name, .. } => {
            (&AMBIGUOUS_NAME, format!("two tables have a column {name}"))
        }
        other => (&REFUSED, other.to_string()),
    }
}

/// What may have been meant by a name that an error is about: the nearest name of the schema.
pub(crate) fn remedy(schema: &Schema, error: &SqlError) -> Option<String> {
    let nearest = |name: &str, all: Vec<&str>| {
        let wanted = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
        // A name may be wrong by two letters, or by a quarter of them where it is long.
        let far = |n: &&str| strsim::damerau_levenshtein(&wanted, &n.to_ascii_lowercase());
        all.into_iter().min_by_key(far).filter(|n| far(n) <= 2.max(wanted.len() / 4)).map(str::to_owned)
    };
    match error {
        SqlError::UnknownTable { name, .. } => {
            let tables = schema.tables.iter().map(|t| t.name.as_str()).collect();
            nearest(name, tables).map(|n| format!("the table {n}?"))
        }
        SqlError::UnknownColumn { name, .. } => {
            let columns =
                schema.tables.iter().flat_map(|t| t.columns.iter().map(|c| c.name.as_str())).collect();
            nearest(name, columns).map(|n| format!("the column {n}?"))
        }
        SqlError::AmbiguousColumn { .. } => Some("say which table's it is".into()),
        _ => None,
    }
}

/// The end of the word or sign that begins at a byte.
pub(crate) fn word_from(sql: &str, start: usize) -> Range<usize> {
    let rest = sql.get(start..).unwrap_or("");
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '`' | '$');
    let len = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + len.max(first)
}
