//! From SQL text to what is executed and what is analysed.

use sqlparser::ast::{Query, Statement};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use crate::execute::{ExecError, NOW, Prepared, Sandbox, trim};

/// Text beyond this is executed, but not analysed.
const MAX_BYTES: usize = 32 * 1024;
/// sqlparser's own bound on nesting.
const MAX_NESTING: usize = 64;

/// Parses a single query. `None` where sqlparser cannot, which is no error: the text is
/// still executed. Call it only with text that SQLite has compiled, because SQLite's limit
/// on expressions bounds how deep the tree can be.
pub fn parse(sql: &str) -> Option<Query> {
    if sql.len() > MAX_BYTES {
        return None;
    }
    let mut statements = Parser::new(&SQLiteDialect {})
        .with_recursion_limit(MAX_NESTING)
        .try_with_sql(sql)
        .ok()?
        .parse_statements()
        .ok()?;
    match (statements.pop(), statements.is_empty()) {
        (Some(Statement::Query(query)), true) => Some(*query),
        _ => None,
    }
}

/// `'now'` made a fixed moment, so that the same inputs give the same verdict.
pub(crate) fn fix_now(sql: &str) -> Option<String> {
    let lower = sql.to_ascii_lowercase();
    if !lower.contains("'now'") {
        return None;
    }
    let mut out = String::with_capacity(sql.len() + 16);
    let mut from = 0;
    for (at, _) in lower.match_indices("'now'") {
        out.push_str(sql.get(from..at)?);
        out.push('\'');
        out.push_str(NOW);
        out.push('\'');
        from = at + 5;
    }
    out.push_str(sql.get(from..)?);
    Some(out)
}

/// A query ready to run, with what was changed to make it so.
pub(crate) struct Ready<'a> {
    pub(crate) prepared: Prepared<'a>,
    pub(crate) ast: Option<Query>,
    pub(crate) sql: String,
    pub(crate) notes: Vec<String>,
}

/// Compiles a query: the text as it is, or else the first repair that SQLite takes.
pub(crate) fn ready<'a>(sandbox: &'a Sandbox, sql: &str) -> Result<Ready<'a>, ExecError> {
    let mut notes = Vec::new();
    let mut text = trim(sql).to_owned();
    if let Some(fixed) = fix_now(&text) {
        notes.push(format!("'now' is taken as {NOW:?}"));
        text = fixed;
    }
    let prepared = match sandbox.prepare(&text) {
        Ok(p) => p,
        Err(error) => {
            let mut found = None;
            for (repaired, what) in repairs(&text) {
                if let Ok(p) = sandbox.prepare(&repaired) {
                    notes.push(format!("repaired: {what}"));
                    found = Some((p, repaired));
                    break;
                }
            }
            match found {
                Some((p, repaired)) => {
                    text = repaired;
                    p
                }
                None => return Err(error),
            }
        }
    };
    let ast = parse(&text);
    Ok(Ready {
        prepared,
        ast,
        sql: text,
        notes,
    })
}

/// Repairs of text that is not SQL as it stands (what occurs in real files).
fn repairs(sql: &str) -> Vec<(String, &'static str)> {
    let mut out = Vec::new();
    let joined = sql
        .replace("> =", ">=")
        .replace("< =", "<=")
        .replace("! =", "!=")
        .replace("< >", "<>");
    if joined != sql {
        out.push((joined, "split operators joined"));
    }
    for (mark, what) in [
        (";", "text after the first statement cut"),
        ("/*", "text from a comment on cut"),
    ] {
        if let Some(at) = sql.find(mark)
            && let Some(head) = sql.get(..at)
        {
            out.push((head.to_owned(), what));
        }
    }
    let escaped = sql.replace("\\'", "''");
    if escaped != sql {
        out.push((escaped, "backslash before an apostrophe"));
    }
    out
}
