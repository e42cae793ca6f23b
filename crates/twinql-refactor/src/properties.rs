//! What a project's YAML says of columns: types, keys, and the tests that its data are held to.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::yaml::{list, text};

/// What is said of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    /// Columns, in their order.
    pub columns: Vec<Column>,
    /// Columns that are unique together.
    pub unique: Vec<Vec<String>>,
    /// Conditions that hold of each row.
    pub checks: Vec<String>,
    /// All columns are listed: of seeds, and of models with a contract.
    pub complete: bool,
}

/// What is said of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type; empty where none is said.
    pub data_type: String,
    /// It is never NULL.
    pub not_null: bool,
    /// No value of it stands twice.
    pub unique: bool,
    /// All values that it has; empty where that is not said.
    pub accepted: Vec<String>,
    /// The table, and the column of it, whose values it has.
    pub refers: Option<(String, String)>,
}

/// A table that no model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The source that it is part of; none for a seed.
    pub source: Option<String>,
    /// Its name.
    pub name: String,
    /// What is said of its columns.
    pub properties: Properties,
}

impl Table {
    /// A table by its full name, such as `raw.orders`.
    pub(crate) fn named(name: &str, properties: Properties) -> Table {
        let (source, name) = match name.rsplit_once('.') {
            Some((place, name)) => (place.rsplit('.').next().map(str::to_owned), name),
            None => (None, name),
        };
        Table { source, name: name.to_owned(), properties }
    }
}

/// Whether a test says nothing of all rows: it has a condition, or only warns.
pub(crate) fn limited(config: &Json) -> bool {
    let given = |field: &str| config.get(field).filter(|value| !value.is_null());
    let is =
        |field: &str, value: &str| given(field).is_some_and(|given| text(given).eq_ignore_ascii_case(value));
    given("where").is_some()
        || is("severity", "warn")
        || is("enabled", "false")
        || given("error_if").is_some() && !is("error_if", "!= 0")
}

/// What files say, by the name of what they say it of.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    named: BTreeMap<String, Properties>,
    pub(crate) sources: Vec<Table>,
    /// The file that tells of a model, a seed or a table of a source.
    pub(crate) said_in: BTreeMap<String, String>,
}

impl Relations {
    /// Adds what the file at `path` says; of a table that two tell of, the first. `is_weak` tells of a table, a column and a test
    /// whether this fails no run.
    pub(crate) fn add(
        &mut self,
        path: &str,
        file: &Json,
        is_weak: &dyn Fn(&str, Option<&str>, &str) -> bool,
    ) {
        for kind in ["models", "seeds", "snapshots"] {
            for entry in list(file, kind) {
                if let Some(name) = entry.get("name").map(text) {
                    let properties = Properties::of(entry, &|column, test| is_weak(&name, column, test));
                    self.said_in.entry(name.clone()).or_insert_with(|| path.to_owned());
                    self.named.entry(name).or_insert(properties);
                }
            }
        }
        for source in list(file, "sources") {
            let of = source.get("name").map(text);
            for entry in list(source, "tables") {
                let Some(name) = entry.get("name").map(text) else { continue };
                let full = format!("{}.{name}", of.as_deref().unwrap_or(""));
                let properties = Properties::of(entry, &|column, test| is_weak(&full, column, test));
                if !self.sources.iter().any(|table| table.source == of && table.name == name) {
                    self.said_in.entry(name.clone()).or_insert_with(|| path.to_owned());
                    self.sources.push(Table { source: of.clone(), name, properties });
                }
            }
        }
    }

    /// What is said of a model or a seed.
    pub(crate) fn take(&mut self, name: &str) -> Properties {
        self.named.remove(name).unwrap_or_default()
    }
}

impl Properties {
    fn of(entry: &Json, is_weak: &dyn Fn(Option<&str>, &str) -> bool) -> Properties {
        let mut properties = Properties {
            columns: list(entry, "columns").filter_map(|column| Column::of(column, is_weak)).collect(),
            ..Properties::default()
        };
        let contract =
            entry.pointer("/config/contract/enforced").or_else(|| entry.pointer("/contract/enforced"));
        properties.complete = contract.and_then(Json::as_bool).unwrap_or(false);
        for (test, arguments) in tests(entry, &|test| is_weak(None, test)) {
            if test.ends_with("unique_combination_of_columns") {
                properties.unique.push(list(arguments, "combination_of_columns").map(text).collect());
            }
        }
        for constraint in list(entry, "constraints") {
            let columns: Vec<String> = list(constraint, "columns").map(text).collect();
            match constraint.get("type").and_then(Json::as_str) {
                Some("primary_key") => {
                    for column in properties.columns.iter_mut().filter(|c| columns.contains(&c.name)) {
                        column.not_null = true;
                    }
                    properties.unique.push(columns);
                }
                Some("unique") => properties.unique.push(columns),
                Some("check") => properties.checks.extend(constraint.get("expression").map(text)),
                _ => {}
            }
        }
        properties
    }

    /// Columns that are unique together, those that are so alone among them.
    pub fn unique_sets(&self) -> Vec<Vec<String>> {
        let alone =
            self.columns.iter().filter(|column| column.unique).map(|column| vec![column.name.clone()]);
        alone.chain(self.unique.iter().cloned()).collect()
    }

    /// The column of a name.
    pub(crate) fn column(&mut self, name: &str) -> &mut Column {
        let known = self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        let at = known.unwrap_or(self.columns.len());
        if known.is_none() {
            self.columns.push(Column { name: name.to_owned(), ..Column::default() });
        }
        &mut self.columns[at]
    }

    /// Adds columns that a table has beside these, and types that nobody says.
    pub(crate) fn add(&mut self, stored: &[Column]) {
        for column in stored {
            match self.columns.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&column.name)) {
                Some(known) if known.data_type.is_empty() => known.data_type.clone_from(&column.data_type),
                Some(_) => {}
                None => self.columns.push(column.clone()),
            }
        }
    }

    /// Takes over columns that a file itself shows: their order is its own, and what is said of types wins.
    pub(crate) fn complete(&mut self, shown: Vec<Column>) {
        let said = std::mem::take(&mut self.columns);
        self.complete = true;
        self.columns = shown
            .into_iter()
            .map(|column| {
                let known = said.iter().find(|known| known.name.eq_ignore_ascii_case(&column.name));
                match known {
                    Some(known) if known.data_type.is_empty() => {
                        Column { data_type: column.data_type, ..known.clone() }
                    }
                    Some(known) => known.clone(),
                    None => column,
                }
            })
            .collect();
    }
}

impl Column {
    fn of(entry: &Json, is_weak: &dyn Fn(Option<&str>, &str) -> bool) -> Option<Column> {
        let mut column = Column { name: text(entry.get("name")?), ..Column::default() };
        column.data_type = entry.get("data_type").map(text).unwrap_or_default();
        let own = column.name.clone();
        for (test, arguments) in tests(entry, &|test| is_weak(Some(&own), test)) {
            match test.as_str() {
                "unique" => column.unique = true,
                "not_null" => column.not_null = true,
                "accepted_values" => column.accepted = list(arguments, "values").map(text).collect(),
                "relationships" => {
                    let to = arguments.get("to").and_then(Json::as_str).and_then(referred);
                    column.refers = to.zip(arguments.get("field").map(text));
                }
                _ => {}
            }
        }
        for constraint in list(entry, "constraints") {
            match constraint.get("type").and_then(Json::as_str) {
                Some("not_null") => column.not_null = true,
                Some("unique") => column.unique = true,
                Some("primary_key") => (column.not_null, column.unique) = (true, true),
                _ => {}
            }
        }
        Some(column)
    }
}

/// Tests that hold of all rows, with their arguments: one with a condition, or that only warns, says nothing.
fn tests<'j>(entry: &'j Json, is_weak: &dyn Fn(&str) -> bool) -> Vec<(String, &'j Json)> {
    let mut found = Vec::new();
    for test in list(entry, "tests").chain(list(entry, "data_tests")) {
        match test {
            Json::String(name) => found.push((name.clone(), &Json::Null)),
            Json::Object(map) => {
                for (name, arguments) in map {
                    let config = arguments.get("config").unwrap_or(&Json::Null);
                    if !limited(arguments) && !limited(config) {
                        found.push((name.clone(), arguments.get("arguments").unwrap_or(arguments)));
                    }
                }
            }
            _ => {}
        }
    }
    found.retain(|(name, _)| !is_weak(name.rsplit('.').next().unwrap_or(name)));
    found
}

/// What `ref('orders')` or `source('raw', 'orders')` refers to, as a model writes it: `orders`, `raw.orders`.
fn referred(to: &str) -> Option<String> {
    let (function, inside) = to.trim().split_once('(')?;
    let names: Vec<&str> =
        inside.trim_end_matches(')').split(',').map(|name| name.trim().trim_matches(['\'', '"'])).collect();
    match (function.trim(), names.as_slice()) {
        ("source", [source, table]) => Some(format!("{source}.{table}")),
        ("ref", [.., model]) => Some((*model).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests_of_properties {
    use super::*;

    #[test]
    fn tests_are_what_is_known_of_the_data() {
        let file = crate::yaml::parse(
            "models:
  - name: orders
    config: {contract: {enforced: true}}
    constraints: [{type: check, expression: total >= 0}]
    data_tests:
      - dbt_utils.unique_combination_of_columns: {combination_of_columns: [shop, number]}
    columns:
      - name: id
        data_type: integer
        tests: [unique, not_null]
      - name: kind
        tests: [{accepted_values: {values: [new, paid]}}, {not_null: {where: 'id > 3'}}]
      - name: customer
        data_tests: [{relationships: {arguments: {to: ref('customers'), field: id}}}]
sources:
  - name: raw
    tables: [{name: lines, columns: [{name: id}]}]
",
        )
        .unwrap();
        let mut relations = Relations::default();
        relations.add("schema.yml", &file, &|_, _, _| false);
        let orders = relations.take("orders");
        assert_eq!(orders.unique, [["shop", "number"]]);
        assert_eq!((orders.checks.join(""), orders.complete), ("total >= 0".to_owned(), true));
        let [id, kind, customer] = &orders.columns[..] else { unreachable!("{orders:?}") };
        assert!(id.unique && id.not_null && id.data_type == "integer");
        assert_eq!((kind.accepted.join(" "), kind.not_null), ("new paid".to_owned(), false));
        assert_eq!(customer.refers, Some(("customers".to_owned(), "id".to_owned())));
        assert_eq!(referred("source('raw', \"lines\")").as_deref(), Some("raw.lines"));
        assert_eq!(referred("ref('shop', 'lines')").as_deref(), Some("lines"));
        assert_eq!(
            (relations.sources[0].source.as_deref(), relations.sources[0].name.as_str()),
            (Some("raw"), "lines")
        );
    }
}
