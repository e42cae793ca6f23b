//! Which tables the two versions of a query read.

use std::collections::BTreeMap;
use std::sync::Arc;

use twinql::Dialects;
use twinql::sql::schema::View;
use twinql::sql::{Dialect, Parsed, Schema, parse_in, tables_in_use};

use crate::RefactorError;
use crate::files::{Part, Words};
use crate::parameters::with_parameters;
use crate::templates::REFERENCE;

/// Two versions of a query, and the tables that they read.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The old and the new query.
    pub queries: [String; 2],
    /// The schema with what it lacked.
    pub schema: Arc<Schema>,
    /// The tables that it lacked, whose columns are those that the queries name.
    pub from_use: Vec<String>,
}

/// Models that say something else than before: their old and new queries, as SQLite has them, and the views that these read.
#[derive(Debug, Clone, Default)]
pub struct Versions {
    queries: BTreeMap<String, [(String, Vec<String>); 2]>,
    views: Vec<View>,
}

impl Versions {
    /// Adds a model, whose queries with these columns are over `schema`.
    pub fn add(&mut self, model: &str, queries: [(&str, Vec<String>); 2], schema: &Schema) {
        self.queries.insert(model.to_owned(), queries.map(|(sql, columns)| (sql.to_owned(), columns)));
        for view in &schema.views {
            if !self.views.contains(view) {
                self.views.push(view.clone());
            }
        }
    }

    /// Whether a model is among them.
    pub fn has(&self, model: &str) -> bool {
        self.queries.contains_key(model)
    }
}

/// Two versions of a query over a schema that has all their tables: what `ref` and `source` name is written out, and tables that
/// the schema lacks come from their [use](tables_in_use).
///
/// # Errors
/// Two references are to tables of one name in two places.
pub fn bound(
    parts: [&Part; 2],
    schema: &Schema,
    versions: &Versions,
    dialects: impl Into<Dialects>,
) -> Result<Bound, RefactorError> {
    let dialects = dialects.into();
    let texts = parts.map(|part| part.sql.as_str());
    let ([old, new], mut schema) = written(texts, schema, versions)?;
    let queries = [with_parameters(old, dialects.gold), with_parameters(new, dialects.pred)];
    let [old, new] = &queries;
    // What does not parse is said where the query is planned.
    let read = |(sql, dialect): (&String, Dialect)| parse_in(sql, dialect).ok();
    let parsed: Vec<Parsed> =
        [(old, dialects.gold), (new, dialects.pred)].into_iter().filter_map(read).collect();
    let from_use = tables_in_use(&mut schema, &parsed.iter().collect::<Vec<_>>());
    Ok(Bound { queries, schema: schema.into(), from_use })
}

/// Two versions of a query with the tables written out that `ref` and `source` name.
///
/// What `ref` names is never a common table expression, whatever that is called. So the schema has a view for each, under a name
/// that neither it nor the queries have, and inside a view only tables and views are in sight:
///
/// ```text
/// WITH t AS (SELECT * FROM {{ ref('t') }}) SELECT id FROM t
/// WITH t AS (SELECT * FROM ref_t t) SELECT id FROM t        with CREATE VIEW ref_t AS SELECT * FROM t
/// ```
///
/// A model that has two versions has a view for each.
pub(crate) fn written(
    texts: [&str; 2],
    schema: &Schema,
    versions: &Versions,
) -> Result<([String; 2], Schema), RefactorError> {
    let mut schema = schema.clone();
    let mut names: BTreeMap<&str, [String; 2]> = BTreeMap::new();
    // By the stored table in lower case: where it was referred to.
    let mut stored: BTreeMap<String, &str> = BTreeMap::new();
    for (reference, _) in texts.into_iter().flat_map(references) {
        if names.contains_key(reference) {
            continue;
        }
        let table = table_of(&schema, reference);
        let mut view = |prefix: &str, query: String, columns: Vec<String>| {
            let mut name = format!("{prefix}_{}", plain(reference));
            let taken = |name: &str| {
                let name = name.to_ascii_lowercase();
                schema.table(&name).is_some()
                    || schema.view(&name).is_some_and(|view| view.query != query)
                    || texts.into_iter().any(|sql| sql.to_ascii_lowercase().contains(&name))
            };
            while taken(&name) {
                name.push('_');
            }
            let view = View { name: name.clone(), columns, query };
            if !schema.views.contains(&view) {
                schema.views.push(view);
            }
            name
        };
        let views = match versions.queries.get(reference) {
            Some([old, new]) => [("old", old), ("new", new)]
                .map(|(prefix, (query, columns))| view(prefix, query.clone(), columns.clone())),
            None => {
                match stored.insert(table.to_ascii_lowercase(), reference) {
                    Some(other) if other != reference => {
                        return Err(RefactorError::TwoTables(other.into(), reference.into()));
                    }
                    _ => {}
                }
                let name = view("ref", format!("SELECT * FROM \"{table}\""), Vec::new());
                [name.clone(), name]
            }
        };
        names.insert(reference, views);
    }
    if !names.is_empty() {
        let known = versions.views.iter().filter(|view| schema.view(&view.name).is_none());
        let known: Vec<View> = known.cloned().collect();
        schema.views.extend(known);
    }
    let [old, new] = texts;
    let write = |sql: &str, side: usize| {
        let mut out = String::with_capacity(sql.len());
        let mut rest = sql;
        for (reference, behind) in references(sql) {
            out.push_str(rest.split(REFERENCE[0]).next().unwrap_or(""));
            let alias = plain(last_of(reference));
            match names.get(reference) {
                // The table of a column.
                _ if behind.starts_with('.') => out.push_str(&alias),
                Some(views) => {
                    out.push_str(&views[side]);
                    if !has_alias(behind) {
                        out.push(' ');
                        out.push_str(&alias);
                    }
                }
                None => {}
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    };
    Ok(([write(old, 0), write(new, 1)], schema))
}

/// The stored table that a reference such as `raw.orders` means; its last part where there is none.
pub(crate) fn table_of(schema: &Schema, reference: &str) -> String {
    let name = last_of(reference);
    let place = reference.rsplit('.').nth(1);
    let lies = |table: &&twinql::sql::schema::Table| {
        table.bare_name().eq_ignore_ascii_case(name) && table.schema.as_deref() == place
    };
    let found = schema.tables.iter().find(lies).map(|table| table.name.clone());
    found.unwrap_or_else(|| name.to_owned())
}

fn last_of(reference: &str) -> &str {
    reference.rsplit('.').next().unwrap_or(reference)
}

/// A name that needs no quotes.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// The names that `ref` and `source` gave, each with the text behind it.
pub(crate) fn references(sql: &str) -> impl Iterator<Item = (&str, &str)> {
    sql.match_indices(REFERENCE[0])
        .filter_map(|(at, mark)| sql.get(at + mark.len()..)?.split_once(REFERENCE[1]))
}

/// SQL in which tables are written out, with references for them: `tables` has their texts and the references.
pub(crate) fn referring(sql: &str, tables: &[(String, String)]) -> String {
    let is_word = |c: char| c.is_alphanumeric() || "_$\"`".contains(c);
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    // The first that is there, and of several the longest.
    while let Some((at, text, reference)) = tables
        .iter()
        .filter(|(text, _)| !text.is_empty())
        .filter_map(|(text, reference)| Some((rest.find(text.as_str())?, text, reference)))
        .min_by_key(|(at, text, _)| (*at, std::cmp::Reverse(text.len())))
    {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let behind = from.get(text.len()..).unwrap_or("");
        out.push_str(before);
        if out.ends_with(|c| is_word(c) || c == '.') || behind.starts_with(is_word) {
            out.push_str(text);
        } else {
            out.push_str(&format!("{}{reference}{}", REFERENCE[0], REFERENCE[1]));
        }
        rest = behind;
    }
    out.push_str(rest);
    out
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Templates;
    use crate::files::parts;

    /// The two queries and the views of a pair, over tables `Orders`, `lines` and `ref_lines`.
    fn written(old: &str, new: &str) -> Result<[String; 3], RefactorError> {
        let ddl = "CREATE TABLE Orders (id INTEGER); CREATE TABLE lines (id INTEGER); CREATE TABLE ref_lines (id INTEGER)";
        let schema = Schema::from_ddl("shop", ddl).unwrap();
        let [old, new] = [old, new].map(|text| {
            parts(&Templates::new(Dialect::Sqlite).render("m", text, false).unwrap().sql).remove(0)
        });
        let Bound { queries: [old, new], schema, from_use } =
            bound([&old, &new], &schema, &Versions::default(), Dialect::Sqlite)?;
        assert!(from_use.iter().all(|table| table == "none"), "{from_use:?}");
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
                "SELECT o.id FROM ref_orders AS o, ref_raw_lines l, ref_none none",
                "ref_orders: SELECT * FROM \"Orders\"; ref_raw_lines: SELECT * FROM \"lines\"; ref_none: SELECT * FROM \"none\"",
            ]
        );
    }

    #[test]
    fn parameters_are_values_that_nobody_knows() {
        let of = |sql: &str| with_parameters(sql.to_owned(), Dialect::Bigquery);
        assert_eq!(
            of("SELECT '@a', `x@b`, a@b -- @c\nFROM t WHERE d = @day"),
            "SELECT '@a', `x@b`, a@b -- @c\nFROM t WHERE d = (SELECT MAX(query_parameters.day) FROM query_parameters)"
        );
        assert_eq!(with_parameters("SELECT @a".into(), Dialect::Tsql), "SELECT @a");
    }

    #[test]
    fn two_places_are_two_tables() {
        let of = |place: &str| format!("SELECT id FROM {{{{ source('{place}', 'orders') }}}}");
        assert!(written(&of("raw"), &of("raw")).is_ok());
        let error = written(&of("raw"), &of("clean")).unwrap_err();
        assert_eq!(error, RefactorError::TwoTables("raw.orders".into(), "clean.orders".into()));
        assert!(written(&of("raw"), "SELECT id FROM {{ ref('orders') }}").is_err());
    }
}
