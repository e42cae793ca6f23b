//! Models of SQLMesh, as far as they need no Python: <https://sqlmesh.readthedocs.io/en/stable/concepts/models/sql_models/>.
//!
//! ```text
//! MODEL (name shop.orders, kind FULL);
//! @DEF(large, 100);
//! SELECT id FROM raw.orders WHERE total > @large AND day = @start_ds
//! ```
//!
//! What `@DEF` defines is written out, and so are the project's variables. The times of a run are parameters. Any other macro is an
//! error that names it.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use twinql::rewards::statements;

use crate::RefactorError;
use crate::files::Words;
use crate::parameters::{BRACE, parameter, replaced};
use crate::properties::{Column, Properties};
use crate::yaml::text;

/// The head of a model.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// Its name; empty where its file gives it.
    pub(crate) name: String,
    /// The file of its rows, beside its own.
    pub(crate) seed: Option<String>,
    /// What it says of its columns.
    pub(crate) properties: Properties,
}

/// The head of a model in a file; none of a file that has another.
pub(crate) fn head(file: &str) -> Option<Head> {
    keyword(file)?;
    let statement = without_comments(statements(file).into_iter().next()?);
    let inside = within(statement.trim().get(keyword(&statement)?.len()..)?.trim())?;
    let mut head = Head::default();
    let mut audits = "";
    for field in split(inside) {
        let (key, value) = field.split_once(|c: char| c.is_whitespace() || c == '(').unwrap_or((field, ""));
        let value = field.get(key.len()..).unwrap_or(value).trim();
        match key.to_ascii_lowercase().as_str() {
            "name" => head.name = value.trim_matches('"').to_owned(),
            "columns" => {
                head.properties.complete = true;
                let column = |column: &str| {
                    let (name, data_type) = column.split_once(char::is_whitespace)?;
                    Some(Column {
                        name: plain(name),
                        data_type: data_type.trim().to_owned(),
                        ..Column::default()
                    })
                };
                head.properties.columns =
                    split(within(value).unwrap_or("")).into_iter().filter_map(column).collect();
            }
            "kind" if value.get(..4).is_some_and(|kind| kind.eq_ignore_ascii_case("seed")) => {
                let path = value.split_once('\'').and_then(|(_, path)| path.split_once('\''));
                head.seed = path.map(|(path, _)| path.to_owned());
            }
            "audits" => audits = within(value).unwrap_or(value),
            _ => {}
        }
    }
    for audit in split(audits) {
        audited(&mut head.properties, audit);
    }
    Some(head)
}

/// The word that begins a model.
fn keyword(text: &str) -> Option<&str> {
    let first = Words { rest: text }.next()?;
    first.get(..5).filter(|word| word.eq_ignore_ascii_case("model"))
}

/// What an audit that ends a run says of the columns: <https://sqlmesh.readthedocs.io/en/stable/concepts/audits/>.
fn audited(properties: &mut Properties, audit: &str) {
    let Some((name, arguments)) = audit.split_once('(') else { return };
    let arguments = split(arguments.trim_end().strip_suffix(')').unwrap_or(arguments));
    let argument = |key: &str| {
        let named = arguments.iter().filter_map(|argument| argument.split_once(":="));
        let value =
            named.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim()).next().unwrap_or("");
        split(within(value).unwrap_or(value)).into_iter().map(plain).collect::<Vec<String>>()
    };
    // One with a condition, or that only warns, says nothing.
    if arguments
        .iter()
        .any(|argument| ["condition", "blocking"].iter().any(|key| argument.trim().starts_with(key)))
    {
        return;
    }
    match name.trim().to_ascii_lowercase().as_str() {
        "not_null" => {
            for name in argument("columns") {
                properties.column(&name).not_null = true;
            }
        }
        "accepted_values" => {
            for name in argument("column") {
                properties.column(&name).accepted = argument("is_in");
            }
        }
        "unique_values" => properties.unique.extend(argument("columns").into_iter().map(|name| vec![name])),
        "unique_combination_of_columns" => properties.unique.push(argument("columns")),
        _ => {}
    }
}

/// The query of a model; none of a file that has another head.
///
/// # Errors
/// It uses a macro.
pub(crate) fn query(file: &str, vars: &BTreeMap<String, Json>) -> Option<Result<String, RefactorError>> {
    let name = head(file)?.name;
    let mut defined: BTreeMap<String, String> =
        vars.iter().filter_map(|(name, value)| Some((name.to_ascii_lowercase(), literal(value)?))).collect();
    let mut query = None;
    for statement in statements(file).into_iter().skip(1) {
        let mut words = Words { rest: statement };
        let first = words.next().unwrap_or("").to_ascii_lowercase();
        if first.starts_with("jinja_") {
            return Some(Err(RefactorError::Macro("JINJA_QUERY_BEGIN".to_owned())));
        }
        if let Some(definition) = statement.trim().get(..4).filter(|word| word.eq_ignore_ascii_case("@def")) {
            let inside = statement.trim().get(definition.len()..).and_then(|rest| within(rest.trim()));
            if let Some((name, value)) = inside.and_then(|inside| inside.split_once(',')) {
                match written(value.trim(), &defined) {
                    Ok(value) => defined.insert(name.trim().to_ascii_lowercase(), format!("({value})")),
                    Err(error) => return Some(Err(error)),
                };
            }
        } else if query.is_none()
            && (first.starts_with('(') || ["select", "with", "values"].contains(&first.as_str()))
        {
            query = Some(written(statement, &defined));
        }
    }
    let view = |query: String| if name.is_empty() { query } else { format!("CREATE VIEW {name} AS {query}") };
    Some(query.map_or(Ok(String::new()), |query| query.map(view)))
}

/// SQL with what its variables stand for.
fn written(sql: &str, defined: &BTreeMap<String, String>) -> Result<String, RefactorError> {
    let value = |name: &str| {
        let name = name.to_ascii_lowercase();
        defined.get(&name).cloned().unwrap_or_else(|| parameter(&name))
    };
    replaced(sql, |name, behind| {
        let called = behind.starts_with('(');
        if called && name.eq_ignore_ascii_case("var") {
            let end = behind.find(')').map(|end| end + 1);
            let inside = end.and_then(|end| behind.get(1..end - 1));
            let named =
                inside.and_then(|inside| inside.split(',').next()).map(|name| name.trim().trim_matches('\''));
            if let Some((name, end)) = named.zip(end) {
                return Ok((value(name), end));
            }
        }
        match called || name == BRACE || defined.get(name).is_some_and(|value| value.contains("->")) {
            true => Err(RefactorError::Macro(format!("@{name}"))),
            false => Ok((value(name), 0)),
        }
    })
}

/// A variable of the project in SQL.
fn literal(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(format!("'{}'", text.replace('\'', "''"))),
        Json::Number(_) | Json::Bool(_) => Some(text(value)),
        _ => None,
    }
}

/// What stands in the parentheses around a text.
fn within(text: &str) -> Option<&str> {
    text.strip_prefix('(')?.strip_suffix(')')
}

fn plain(name: &str) -> String {
    name.trim().trim_matches(['"', '`', '\'']).to_owned()
}

/// A text without its comments.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = |close: &str| rest.find(close).map_or(rest.len(), |at| at + close.len());
        let (length, kept) = match first {
            '\'' | '"' => {
                (rest.get(1..).and_then(|text| text.find(first)).map_or(rest.len(), |at| at + 2), true)
            }
            '-' if rest.starts_with("--") => (end("\n"), false),
            '/' if rest.starts_with("/*") => (end("*/"), false),
            c => (c.len_utf8(), true),
        };
        let (passed, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push_str(if kept { passed } else { " " });
        rest = left;
    }
    out
}

/// A list by its commas, outside of parentheses and texts.
fn split(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from, mut quote) = (0_i32, 0, None);
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some(open), _) => quote = (c != open).then_some(open),
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(list.get(from..at).unwrap_or(""));
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list.get(from..).unwrap_or(""));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
