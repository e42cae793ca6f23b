//! Parameters of a query, which a run fills in: values that nobody knows.

use std::convert::Infallible;

use twinql::sql::Dialect;

/// The table whose columns are the parameters of a query.
const PARAMETERS: &str = "query_parameters";

/// What `@{name}` begins with.
pub(crate) const BRACE: &str = "{";

/// A parameter as an expression that all systems read: `(SELECT MAX(query_parameters.day) FROM query_parameters)`.
pub(crate) fn parameter(name: &str) -> String {
    format!("(SELECT MAX({PARAMETERS}.{name}) FROM {PARAMETERS})")
}

/// A query of BigQuery with its named parameters as values that nobody knows
/// (<https://cloud.google.com/bigquery/docs/parameterized-queries>):
///
/// ```text
/// SELECT id FROM orders WHERE day = @day
/// SELECT id FROM orders WHERE day = (SELECT MAX(query_parameters.day) FROM query_parameters)
/// ```
pub(crate) fn with_parameters(sql: String, dialect: Dialect) -> String {
    if dialect != Dialect::Bigquery || !sql.contains('@') {
        return sql;
    }
    let named = |name: &str, _: &str| match name {
        BRACE => Ok(("@{".to_owned(), 0)),
        name => Ok::<_, Infallible>((parameter(name), 0)),
    };
    let Ok(sql) = replaced(&sql, named);
    sql
}

/// Writes something for each `@name` outside of texts, names and comments. `with` gets the name and what is behind it, and gives the
/// text and how many bytes behind the name it stands for.
pub(crate) fn replaced<E>(
    sql: &str,
    mut with: impl FnMut(&str, &str) -> Result<(String, usize), E>,
) -> Result<String, E> {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        // Texts, names and comments are passed over whole.
        let closed = |open: &str, close: &str| {
            let end = rest.get(open.len()..)?.find(close)? + open.len() + close.len();
            rest.starts_with(open).then_some(end)
        };
        let skipped = [("--", "\n"), ("#", "\n"), ("/*", "*/"), ("'", "'"), ("\"", "\""), ("`", "`")]
            .into_iter()
            .find_map(|(open, close)| closed(open, close));
        let name = rest.strip_prefix('@').map_or("", word);
        let inside = out.ends_with(|c: char| c.is_alphanumeric() || "_@".contains(c));
        let length = match skipped {
            Some(length) => length,
            None if !name.is_empty() && !inside => {
                let behind = rest.get(1 + name.len()..).unwrap_or("");
                let (text, taken) = with(name, behind)?;
                out.push_str(&text);
                rest = behind.get(taken..).unwrap_or("");
                continue;
            }
            None => first.len_utf8(),
        };
        let (passed, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push_str(passed);
        rest = left;
    }
    Ok(out)
}

/// The letters, digits and underscores that a text begins with, or the brace of `@{name}`.
fn word(text: &str) -> &str {
    if text.starts_with('{') {
        return BRACE;
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}
