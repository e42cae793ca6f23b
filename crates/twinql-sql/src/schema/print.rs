//! A schema as DDL text.

use std::fmt::Write as _;

use super::types::{ENDS_A_TYPE, RESERVED_IN_A_TYPE};
use super::{Affinity, Column, Schema, Table};

impl Schema {
    /// SQLite DDL of this schema, one CREATE TABLE for each table, identifiers quoted:
    /// columns with types, NOT NULL, primary keys, UNIQUE and foreign keys.
    /// Reading it back with [`Schema::from_ddl`] gives an equal schema, but for types of
    /// other dialects that SQLite would take for something else: its own name stands there.
    pub fn to_ddl(&self) -> String {
        let mut out = String::new();
        for table in &self.tables {
            let mut lines: Vec<String> = table.columns.iter().map(column).collect();
            if !table.primary_key.is_empty() {
                lines.push(format!("PRIMARY KEY ({})", list(table, &table.primary_key)));
            }
            for unique in &table.unique {
                lines.push(format!("UNIQUE ({})", list(table, unique)));
            }
            for key in &table.foreign_keys {
                if let Some(target) = self.tables.get(key.target) {
                    lines.push(format!(
                        "FOREIGN KEY ({}) REFERENCES {} ({})",
                        list(table, &key.columns),
                        quote(&target.name),
                        list(target, &key.target_columns)
                    ));
                }
            }
            // Writing into a String cannot fail.
            let _ = writeln!(
                out,
                "CREATE TABLE {} (\n  {}\n);",
                quote(&table.name),
                lines.join(",\n  ")
            );
        }
        out
    }
}

/// `name` as a quoted SQL identifier.
pub fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn column(c: &Column) -> String {
    let mut line = quote(&c.name);
    // Words of letters, then at most one size: all that may stand there unquoted.
    let (words, size) = c
        .declared
        .split_at(c.declared.find('(').unwrap_or(c.declared.len()));
    let plain = words
        .split(' ')
        .all(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()) && w.chars().all(word_char))
        && size
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '(' | ')' | ',' | ' '))
        && size.matches(['(', ')']).count() <= 2
        && (size.is_empty() || (size.len() > 2 && size.ends_with(')')));
    let constraint = words.split(' ').any(|w| {
        ENDS_A_TYPE
            .iter()
            .chain(&RESERVED_IN_A_TYPE)
            .any(|k| w.eq_ignore_ascii_case(k))
    });
    // Another dialect's type may mean something else to SQLite.
    let same = Affinity::of_declared(&c.declared) == c.affinity;
    let declared = if same && (c.declared.is_empty() || plain && !constraint) {
        c.declared.as_str()
    } else {
        c.affinity.type_name()
    };
    if !declared.is_empty() {
        line.push(' ');
        line.push_str(declared);
    }
    if c.not_null {
        line.push_str(" NOT NULL");
    }
    line
}

fn word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn list(table: &Table, columns: &[usize]) -> String {
    columns
        .iter()
        .filter_map(|&c| table.columns.get(c))
        .map(|c| quote(&c.name))
        .collect::<Vec<_>>()
        .join(", ")
}
