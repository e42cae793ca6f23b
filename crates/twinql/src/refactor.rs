//! Files of SQL before and after a refactoring: the queries in them, matched to each other.
//!
//! A file holds statements, or is a dbt model. What is no query (`INSERT`, `DROP`) is no one's to compare, and said so;
//! a view is the query that makes it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use twinql_sql::Schema;
use twinql_sql::schema::View;

use crate::rewards::statements;

/// A query of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The view or table that it makes; none for a query alone.
    pub name: Option<String>,
    /// The query; what `ref` and `source` name stands between two private characters until it is written out.
    pub sql: String,
}

/// What stands before and behind the name of a table that `ref` or `source` gave: of no text that anybody writes.
const REFERENCE: [char; 2] = ['\u{E000}', '\u{E001}'];

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
    /// The schema has one table of a name, and two are meant.
    #[error(
        "{0} and {1} are two tables of one name, which a schema without their places does not tell apart"
    )]
    TwoTables(String, String),
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
/// let schema = twinql::Schema::from_ddl("shop", "CREATE TABLE orders (id INTEGER)")?;
/// let ([old, _], _) = twinql::refactor::bound([&parts[0], &parts[0]], &schema.into())?;
/// assert_eq!(old, "SELECT id FROM ref_orders orders");
/// # Ok::<(), Box<dyn std::error::Error>>(())
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

/// Two versions of a query with the tables written out that `ref` and `source` name, and a schema that has them.
///
/// Such a table is never a common table expression, whatever that is called. So the schema has a view for each, under a name that
/// neither it nor the queries have, and inside a view only tables and views are in sight:
///
/// ```text
/// WITH t AS (SELECT * FROM {{ ref('t') }}) SELECT id FROM t
/// WITH t AS (SELECT * FROM ref_t t) SELECT id FROM t        with CREATE VIEW ref_t AS SELECT * FROM t
/// ```
///
/// # Errors
/// Two references are to tables of one name in two places.
pub fn bound(parts: [&Part; 2], schema: &Arc<Schema>) -> Result<([String; 2], Arc<Schema>), RefactorError> {
    let texts = parts.map(|part| part.sql.as_str());
    let mut schema = Arc::clone(schema);
    // By the table's name in lower case: where it was referred to, and its view.
    let mut views: BTreeMap<String, (&str, String)> = BTreeMap::new();
    for (reference, _) in texts.into_iter().flat_map(references) {
        let table = table_of(reference);
        match views.get(&table.to_ascii_lowercase()) {
            Some((other, _)) if *other == reference => continue,
            Some((other, _)) => return Err(RefactorError::TwoTables((*other).into(), reference.into())),
            None => {}
        }
        let mut name = format!("ref_{table}");
        let taken = |name: &str| {
            let name = name.to_ascii_lowercase();
            schema.table(&name).is_some()
                || schema.view(&name).is_some()
                || texts.into_iter().any(|sql| sql.to_ascii_lowercase().contains(&name))
        };
        while taken(&name) {
            name.push('_');
        }
        // A table that the schema lacks is missed under the view's name.
        if schema.table(table).is_some() || schema.view(table).is_some() {
            let query = format!("SELECT * FROM \"{table}\"");
            let view = View { name: name.clone(), columns: Vec::new(), query };
            Arc::make_mut(&mut schema).views.push(view);
        }
        views.insert(table.to_ascii_lowercase(), (reference, name));
    }
    let write = |sql: &str| {
        let mut out = String::with_capacity(sql.len());
        let mut rest = sql;
        for (reference, behind) in references(sql) {
            out.push_str(rest.split(REFERENCE[0]).next().unwrap_or(""));
            let table = table_of(reference);
            if let Some((_, view)) = views.get(&table.to_ascii_lowercase()) {
                out.push_str(view);
            }
            if !has_alias(behind) {
                out.push(' ');
                out.push_str(table);
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    };
    Ok((texts.map(write), schema))
}

/// The table of a reference such as `raw.orders`.
fn table_of(reference: &str) -> &str {
    reference.rsplit('.').next().unwrap_or(reference)
}

/// The names that `ref` and `source` gave, each with the text behind it.
fn references(sql: &str) -> impl Iterator<Item = (&str, &str)> {
    sql.match_indices(REFERENCE[0])
        .filter_map(|(at, mark)| sql.get(at + mark.len()..)?.split_once(REFERENCE[1]))
}

/// Whether a table in FROM is followed by a name of its own.
fn has_alias(behind: &str) -> bool {
    const CLAUSES: &str = "where join inner left right full cross natural on using group order having limit union intersect except \
        minus window qualify lateral fetch offset tablesample pivot unpivot asof semi anti outer for";
    let mut words = Words { rest: behind };
    words.next().is_some_and(|word| {
        let word: String = word.chars().take_while(|c| c.is_alphanumeric() || "_\"`[".contains(*c)).collect();
        !word.is_empty() && !CLAUSES.split_whitespace().any(|clause| word.eq_ignore_ascii_case(clause))
    })
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

/// A dbt model in which the tables that `ref` and `source` name are [marked](REFERENCE), `config` and comments left out.
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
            let name = |argument: &str| {
                let argument = argument.trim();
                let name = argument.trim_matches(['\'', '"']);
                let plain = |c: char| c.is_alphanumeric() || c == '_';
                let quoted = !name.is_empty() && name.len() < argument.len() && name.chars().all(plain);
                quoted.then(|| name.to_owned()).ok_or_else(refused)
            };
            let names = arguments.split(',').map(name).collect::<Result<Vec<_>, _>>()?;
            Ok(format!("{}{}{}", REFERENCE[0], names.join("."), REFERENCE[1]))
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
                vec![query("SELECT * FROM \u{E000}raw.orders\u{E001} JOIN \u{E000}lines\u{E001} USING (id)")],
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

    /// The two queries and the views of a pair, over tables `Orders`, `lines` and `ref_lines`.
    fn written(old: &str, new: &str) -> Result<[String; 3], RefactorError> {
        let ddl = "CREATE TABLE Orders (id INTEGER); CREATE TABLE lines (id INTEGER); CREATE TABLE ref_lines (id INTEGER)";
        let schema: Arc<Schema> = Schema::from_ddl("shop", ddl).unwrap().into();
        let [old, new] = [old, new].map(|text| parts(text).unwrap().remove(0));
        let ([old, new], schema) = bound([&old, &new], &schema)?;
        let views = schema.views.iter().map(|v| format!("{}: {}", v.name, v.query)).collect::<Vec<_>>();
        Ok([old, new, views.join("; ")])
    }

    #[test]
    fn a_reference_is_a_table() {
        assert_eq!(
            written(
                "WITH orders /* all */ AS (SELECT * FROM {{ ref('orders') }} WHERE id > 1) SELECT * FROM orders",
                "SELECT o.id FROM {{ ref('orders') }} AS o, {{ source('raw', 'lines') }} l, {{ ref('none') }}"
            )
            .unwrap(),
            [
                "WITH orders /* all */ AS (SELECT * FROM ref_orders orders WHERE id > 1) SELECT * FROM orders",
                "SELECT o.id FROM ref_orders AS o, ref_lines_ l, ref_none none",
                "ref_orders: SELECT * FROM \"orders\"; ref_lines_: SELECT * FROM \"lines\"",
            ]
        );
    }

    #[test]
    fn two_places_are_two_tables() {
        let of = |place: &str| format!("SELECT id FROM {{{{ source('{place}', 'orders') }}}}");
        assert!(written(&of("raw"), &of("raw")).is_ok());
        let error = written(&of("raw"), &of("clean")).unwrap_err();
        assert_eq!(error, RefactorError::TwoTables("raw.orders".into(), "clean.orders".into()));
        assert!(written(&of("raw"), "SELECT id FROM {{ ref('orders') }}").is_err());
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
