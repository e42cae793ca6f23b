//! Files of SQL before and after a refactoring: the queries in them, matched to each other.
//!
//! A file holds statements, or is a dbt model. What is no query (`INSERT`, `DROP`) is no one's to compare, and said so;
//! a view is the query that makes it.

use std::fmt;

use crate::rewards::statements;

/// A query of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The view or table that it makes; none for a query alone.
    pub name: Option<String>,
    /// The query.
    pub sql: String,
}

/// Why a file cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefactorError {
    /// A template says more than which tables are read.
    #[error(
        "a template that needs dbt ({0}); compile the model (`dbt compile`) and compare the files in target/compiled"
    )]
    Template(String),
    /// The files do not hold the same queries.
    #[error("{before} in the old file, {after} in the new one: nothing to compare them by")]
    Count {
        /// Queries before.
        before: Count,
        /// Queries after.
        after: Count,
    },
    /// A view of one file is not in the other.
    #[error("the new file does not make {0}, which the old one does")]
    Missing(String),
}

/// A number of queries, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub usize);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("no query"),
            1 => f.write_str("1 query"),
            n => write!(f, "{n} queries"),
        }
    }
}

/// The queries of a file, in their order.
///
/// ```
/// let model = "{{ config(materialized='view') }}\nSELECT id FROM {{ ref('orders') }}";
/// let parts = twinql::refactor::parts(model)?;
/// assert_eq!(parts[0].sql, "SELECT id FROM orders");
/// # Ok::<(), twinql::refactor::RefactorError>(())
/// ```
///
/// # Errors
/// A template that only dbt can fill in.
pub fn parts(text: &str) -> Result<Vec<Part>, RefactorError> {
    let text = without_templates(text)?;
    Ok(statements(&text).into_iter().filter_map(part).collect())
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
struct Words<'a> {
    rest: &'a str,
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

/// A dbt model with `ref` and `source` written out as the tables that they name, `config` and comments left out.
fn without_templates(text: &str) -> Result<String, RefactorError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min() {
        let (before, template) = rest.split_at(at);
        out.push_str(before);
        let close = match template.get(..2) {
            Some("{{") => "}}",
            Some("{%") => "%}",
            _ => "#}",
        };
        let end = template.find(close).ok_or_else(|| RefactorError::Template(excerpt(template)))?;
        let (whole, after) = template.split_at(end + close.len());
        if close == "}}" {
            out.push_str(&filled_in(whole)?);
        } else if close == "%}" {
            return Err(RefactorError::Template(excerpt(whole)));
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// What stands for `{{ … }}`.
fn filled_in(template: &str) -> Result<String, RefactorError> {
    let refused = || RefactorError::Template(excerpt(template));
    let inner = template.trim_start_matches(['{', '-']).trim_end_matches(['}', '-']).trim();
    let (function, arguments) = inner.split_once('(').ok_or_else(refused)?;
    let arguments = arguments.strip_suffix(')').ok_or_else(refused)?;
    match function.trim() {
        "config" => Ok(String::new()),
        // Of a package or a source, the table is named last.
        "ref" | "source" => {
            let last = arguments.rsplit(',').next().unwrap_or("").trim();
            let name = last.trim_matches(['\'', '"']);
            let plain = |c: char| c.is_alphanumeric() || c == '_';
            match !name.is_empty() && name.len() < last.len() && name.chars().all(plain) {
                true => Ok(name.to_owned()),
                false => Err(refused()),
            }
        }
        _ => Err(refused()),
    }
}

/// The beginning of a template, on one line.
fn excerpt(template: &str) -> String {
    let line: String = template.chars().take(40).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    if line.len() < template.len() { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sql(text: &str) -> Vec<(Option<String>, String)> {
        parts(text).unwrap().into_iter().map(|p| (p.name, p.sql)).collect()
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
            (
                "{# note #}{{ config(a='b') }} SELECT * FROM {{ source('raw', 'orders') }} JOIN {{- ref(\"lines\") -}} USING (id)",
                vec![query("SELECT * FROM orders JOIN lines USING (id)")],
            ),
            ("", vec![]),
        ] {
            assert_eq!(sql(text), expected, "{text}");
        }
        for text in [
            "{% if x %} SELECT 1 {% endif %}",
            "SELECT {{ var('x') }}",
            "SELECT 1 FROM {{ ref(x) }}",
            "{{ ref('a'",
        ] {
            assert!(matches!(parts(text), Err(RefactorError::Template(_))), "{text}");
        }
    }

    #[test]
    fn queries_are_matched_by_name_and_order() {
        let of = |text: &str| parts(text).unwrap();
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
