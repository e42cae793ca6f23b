//! A schema as DDL text.

use std::fmt::Write as _;

use super::types::{ENDS_A_TYPE, RESERVED_IN_A_TYPE};
use super::{Affinity, Collation, Column, Schema, Table, View};

impl Schema {
    /// SQLite DDL of this schema, one CREATE TABLE for each table, identifiers quoted:
    /// columns with types, NOT NULL, generated columns, primary keys, UNIQUE, foreign keys and
    /// CHECKs that SQLite can evaluate; then one CREATE VIEW for each view.
    /// Reading it back with [`Schema::from_ddl`] gives the same tables and views, but for types
    /// of other dialects that SQLite would take for something else: its own name stands there.
    /// The values of an enumeration become a CHECK.
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
            for check in table.checks.iter().filter(|c| c.enforced) {
                let name = check.name.as_ref();
                let name = name.map_or_else(String::new, |n| format!("CONSTRAINT {} ", quote(n)));
                lines.push(format!("{name}CHECK ({})", check.expr));
            }
            // Writing into a String cannot fail.
            let _ = writeln!(out, "CREATE TABLE {} (\n  {}\n);", quote(&table.name), lines.join(",\n  "));
        }
        for view in &self.views {
            let _ = writeln!(out, "{};", view.create());
        }
        out
    }
}

impl View {
    /// The CREATE VIEW statement, as SQLite has it.
    pub fn create(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|c| quote(c)).collect();
        let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
        format!("CREATE VIEW {}{columns} AS {}", quote(&self.name), self.query)
    }
}

/// `name` as a quoted SQL identifier.
pub fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn column(c: &Column) -> String {
    let mut line = quote(&c.name);
    // Words of letters, then at most one size: all that may stand there unquoted.
    let (words, size) = c.declared.split_at(c.declared.find('(').unwrap_or(c.declared.len()));
    let plain = words
        .split(' ')
        .all(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()) && w.chars().all(word_char))
        && size.chars().all(|c| c.is_ascii_digit() || matches!(c, '(' | ')' | ',' | ' '))
        && size.matches(['(', ')']).count() <= 2
        && (size.is_empty() || (size.len() > 2 && size.ends_with(')')));
    let constraint = words
        .split(' ')
        .any(|w| ENDS_A_TYPE.iter().chain(RESERVED_IN_A_TYPE).any(|k| w.eq_ignore_ascii_case(k)));
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
    if let Some(collation) = c.collation.filter(|c| *c != Collation::Binary) {
        let _ = write!(line, " COLLATE {}", collation.name());
    }
    if c.not_null {
        line.push_str(" NOT NULL");
    }
    if let Some(expr) = &c.generated {
        let _ = write!(line, " AS ({expr}) STORED");
    }
    if !c.values.is_empty() {
        let values: Vec<String> = c.values.iter().map(|v| format!("'{}'", v.replace('\'', "''"))).collect();
        let _ = write!(line, " CHECK ({} IN ({}))", quote(&c.name), values.join(", "));
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
