//! Texts in quotes where a column was most likely meant.

use twinql_sql::{BinaryOp, Expr, Rel, Value};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const CONSTANT_COMPARISON: Check = Check {
    id: "constant-comparison",
    severity: Severity::Warning,
    summary: "a text compared with a constant",
    why: "A name in double quotes that no column has is a string to SQLite, and a name in single quotes always is: the condition is true of every row or of none.",
    source: "https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE \"citi\" = 'Bern'",
        "SELECT name FROM customer WHERE 'city' LIKE '%e%'",
    ],
    misses: &["SELECT name FROM customer WHERE \"city\" = 'Bern'", "SELECT name FROM customer WHERE 1 = 1"],
    apply: Apply::Plan(compared),
};

pub(super) const STRING_FOR_COLUMN: Check = Check {
    id: "string-for-column",
    severity: Severity::Warning,
    summary: "a text put out, sorted or grouped by, that is a column's name, or nearly",
    why: "A name in double quotes that no column has is a string to SQLite, and a name in single quotes always is: every row has the same.",
    source: "https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted",
    undetermined: false,
    finds: &[
        "SELECT 'name' FROM customer",
        "SELECT \"nmae\" FROM customer",
        "SELECT name FROM customer ORDER BY 'age'",
        "SELECT count(*) FROM customer GROUP BY \"citi\"",
    ],
    misses: &["SELECT 'total', count(*) FROM customer", "SELECT \"name\" FROM customer ORDER BY age"],
    apply: Apply::Plan(elsewhere),
};

/// The column of the query's tables whose name a text is, or nearly is.
fn meant(gold: &Gold<'_>, text: &str) -> Option<String> {
    let plain = |s: &str| s.to_ascii_lowercase().replace([' ', '_', '-'], "");
    let wanted = plain(text);
    let mut best: Option<(usize, String)> = None;
    for rel in gold.relations() {
        let Rel::Scan { table, .. } = rel else { continue };
        for column in gold.schema.tables.get(*table).map_or(&[][..], |t| &t.columns) {
            let name = plain(&column.name);
            let far = strsim::damerau_levenshtein(&wanted, &name);
            // The shorter a name is, the more words are near it by chance.
            let near = far == 0 || (far <= 1 && name.len() >= 4) || (far <= 2 && name.len() >= 7);
            if near && best.as_ref().is_none_or(|(d, _)| far < *d) {
                best = Some((far, column.name.clone()));
            }
        }
    }
    best.map(|(_, name)| name)
}

/// Finds a comparison of two constants of which one is a text: a column's name in the wrong quotes. It is certain, for
/// no row has a part in it. `1 = 1`, which generated queries use to begin a WHERE, is no finding.
fn compared(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for e in gold.expressions() {
        let Expr::Binary { op, left, right } = e else { continue };
        if !op.is_comparison() && !matches!(op, BinaryOp::Like | BinaryOp::Glob) {
            continue;
        }
        let (Expr::Literal(left), Expr::Literal(right)) = (&**left, &**right) else { continue };
        let Some(text) = [left, right].into_iter().find_map(|v| match v {
            Value::Text(text) => Some(text),
            _ => None,
        }) else {
            continue;
        };
        let said = sink.add(
            gold.place(e),
            format!("'{text}' is a string here, so that the condition is the same for every row"),
        );
        if let Some(column) = meant(gold, text) {
            said.remedy(format!("the column {column} without quotes, or in the right ones"));
        }
    }
}

/// Finds a text that is put out, sorted by or grouped by. To sort or group by a constant has no use, so that is always
/// told; a constant is put out on purpose (`SELECT 'total', …`), so there it has to be a column's name, or nearly.
fn elsewhere(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let mut look = |e: &Expr, what: &str, always: bool| {
        let Expr::Literal(Value::Text(text)) = e else { return };
        let column = meant(gold, text);
        if column.is_none() && !always {
            return;
        }
        let at = gold.found(e).or_else(|| quoted(gold, text));
        let said = sink.add(at, format!("'{text}' is a string here: every row {what}"));
        if let Some(column) = column {
            said.remedy(format!("the column {column} without quotes, or in the right ones"));
        }
    };
    for rel in gold.relations() {
        match rel {
            Rel::Project { exprs, .. } => exprs.iter().for_each(|(_, e)| look(e, "has it", false)),
            Rel::Sort { keys, .. } => keys.iter().for_each(|k| look(&k.expr, "is sorted by the same", true)),
            Rel::Aggregate { keys, .. } => keys.iter().for_each(|(_, e)| look(e, "is in one group", true)),
            _ => {}
        }
    }
}

/// Where a text stands in quotes.
fn quoted(gold: &Gold<'_>, text: &str) -> Option<std::ops::Range<usize>> {
    let sql = gold.text.sql();
    ['\'', '"'].into_iter().find_map(|q| {
        let written = format!("{q}{text}{q}");
        sql.find(&written).map(|i| i..i + written.len())
    })
}
