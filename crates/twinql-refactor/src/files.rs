//! The queries of a file, and those of two files matched to each other.
//!
//! What is no query (`INSERT`, `DROP`) is no one's to compare; a view is the query that makes it.

use twinql::rewards::statements;

use crate::{Count, RefactorError};

/// A query of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The view or table that it makes; none for a query alone.
    pub name: Option<String>,
    /// The query; what `ref` and `source` name stands between two private characters until it is written out.
    pub sql: String,
}

/// The queries of a file, in their order.
///
/// ```
/// use twinql::Schema;
/// use twinql::sql::Dialect;
/// use twinql_refactor::{Templates, Versions, bound, parts};
///
/// let model = "{{ config(materialized='view') }}\nSELECT id FROM {{ ref('orders') }}";
/// let parts = parts(&Templates::new(Dialect::Sqlite).render("recent", model, false)?.sql);
/// let schema = Schema::from_ddl("shop", "CREATE TABLE orders (id INTEGER)")?;
/// let bound = bound([&parts[0], &parts[0]], &schema, &Versions::default(), Dialect::Sqlite)?;
/// assert_eq!(bound.queries[0].trim(), "SELECT id FROM ref_orders orders");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parts(sql: &str) -> Vec<Part> {
    statements(sql).into_iter().filter_map(part).collect()
}

/// Pairs of old and new queries: by the views that they make, and by their order where they make none.
///
/// # Errors
/// The files do not hold the same queries.
pub fn matched(old: Vec<Part>, new: Vec<Part>) -> Result<Vec<(Part, Part)>, RefactorError> {
    if old.is_empty() || old.len() != new.len() {
        let (before, after) = (Count(old.len()), Count(new.len()));
        return Err(RefactorError::Count { before, after });
    }
    let mut left = new;
    old.into_iter()
        .map(|part| {
            let same = |other: &Part| match (&part.name, &other.name) {
                (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
                (None, None) => true,
                _ => false,
            };
            match left.iter().position(same) {
                Some(at) => Ok((part, left.remove(at))),
                None => Err(RefactorError::Missing(part.name.unwrap_or_else(|| "a query".into()))),
            }
        })
        .collect()
}

/// The query of a statement; none for what changes data or settings.
fn part(statement: &str) -> Option<Part> {
    let mut words = Words { rest: statement };
    match words.next()?.to_ascii_lowercase().as_str() {
        "create" => {
            let mut kind = words.next()?.to_ascii_lowercase();
            while matches!(
                kind.as_str(),
                "or" | "replace" | "temp" | "temporary" | "materialized" | "recursive"
            ) {
                kind = words.next()?.to_ascii_lowercase();
            }
            if !matches!(kind.as_str(), "view" | "table") {
                return None;
            }
            let mut name = words.next()?;
            if name.eq_ignore_ascii_case("if") {
                // IF NOT EXISTS
                words.next()?;
                words.next()?;
                name = words.next()?;
            }
            let name = name.trim_matches(['"', '`', '[', ']']).to_owned();
            words.next().filter(|word| word.eq_ignore_ascii_case("as"))?;
            Some(Part { name: Some(name), sql: words.rest.trim().to_owned() })
        }
        "select" | "with" | "values" => Some(Part { name: None, sql: statement.to_owned() }),
        word if word.starts_with('(') => Some(Part { name: None, sql: statement.to_owned() }),
        _ => None,
    }
}

/// Words of the head of a statement, comments left out.
pub(crate) struct Words<'a> {
    pub(crate) rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            let after = match self.rest.get(..2) {
                Some("--") => self.rest.find('\n').map_or(self.rest.len(), |end| end + 1),
                Some("/*") => self.rest.find("*/").map_or(self.rest.len(), |end| end + 2),
                _ => break,
            };
            self.rest = self.rest.get(after..).unwrap_or("");
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(text: &str) -> Vec<(Option<String>, String)> {
        parts(text).into_iter().map(|p| (p.name, p.sql)).collect()
    }

    #[test]
    fn queries_of_files() {
        let query = |sql: &str| (None, sql.to_owned());
        let view = |name: &str, sql: &str| (Some(name.to_owned()), sql.to_owned());
        for (text, expected) in [
            (
                "SELECT 1;\n-- then\nWITH a AS (SELECT 2) SELECT * FROM a;",
                vec![query("SELECT 1"), query("-- then\nWITH a AS (SELECT 2) SELECT * FROM a")],
            ),
            (
                "CREATE OR REPLACE VIEW \"v\" AS SELECT 1; INSERT INTO t VALUES (1)",
                vec![view("v", "SELECT 1")],
            ),
            ("CREATE TABLE IF NOT EXISTS t AS SELECT ';' AS x", vec![view("t", "SELECT ';' AS x")]),
            ("CREATE TABLE t (a INTEGER); DROP TABLE t", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(sql(text), expected, "{text}");
        }
    }

    #[test]
    fn queries_are_matched_by_name_and_order() {
        let of = |text: &str| parts(text);
        let pairs = matched(
            of("CREATE VIEW a AS SELECT 1; CREATE VIEW b AS SELECT 2; SELECT 3"),
            of("CREATE VIEW B AS SELECT 22; SELECT 33; CREATE VIEW a AS SELECT 11"),
        )
        .unwrap();
        let new: Vec<&str> = pairs.iter().map(|(_, new)| new.sql.as_str()).collect();
        assert_eq!(new, ["SELECT 11", "SELECT 22", "SELECT 33"]);
        assert_eq!(
            matched(of("SELECT 1"), of("SELECT 1; SELECT 2")).unwrap_err().to_string(),
            "1 query in the old file, 2 queries in the new one: nothing to compare them by"
        );
        assert_eq!(
            matched(of("CREATE VIEW a AS SELECT 1"), of("SELECT 1")).unwrap_err(),
            RefactorError::Missing("a".into())
        );
        assert!(matched(Vec::new(), Vec::new()).is_err());
    }
}
