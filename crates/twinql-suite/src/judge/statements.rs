//! A witness as SQL that SQLite loads as it is, with what the schema declares.

use std::fmt::Write;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use twinql_sql::{Column, ForeignKey, Schema, Table, Value};

use crate::database::{Database, Row, literal, owned, project, quoted};

/// CREATE and INSERT statements that make the database: tables with what the schema declares, keys, UNIQUE,
/// NOT NULL, foreign keys and CHECKs, each table after those that it refers to. What the rows break, which
/// the semantics then does not assume, is left out and said. Foreign keys are not enforced while it
/// is loaded. Of the schema's views those are made that the queries `read`.
pub(super) fn statements(database: &Database, schema: &Schema, read: [&str; 2]) -> String {
    let (mut declared, order, mut left_out) = declared(database, schema, read);
    let text = written(database, &declared, &order, &left_out);
    if loads(&text, database, &order, &declared) {
        return text;
    }
    for table in &mut declared.tables {
        let listed = table.columns.iter().any(|c| !c.values.is_empty());
        if listed || table.checks.iter().any(|c| c.enforced) {
            left_out.push(format!("CHECK of {}", quoted(&table.name)));
        }
        table.checks.clear();
        for column in &mut table.columns {
            column.values.clear();
            column.generated = None;
        }
    }
    let text = written(database, &declared, &order, &left_out);
    if loads(&text, database, &order, &declared) {
        return text;
    }
    // Something else of the declarations changes the rows: names and affinities alone never do.
    database.to_sql(schema)
}

fn written(database: &Database, declared: &Schema, order: &[usize], left_out: &[String]) -> String {
    let mut out = String::new();
    for what in left_out {
        let _ = writeln!(out, "-- not declared, since the rows break it: {what}");
    }
    if declared.tables.iter().any(|t| !t.foreign_keys.is_empty()) {
        out.push_str("PRAGMA foreign_keys = OFF;\n");
    }
    out.push_str(&declared.to_ddl());
    for (&table, definition) in order.iter().zip(&declared.tables) {
        let mut into = quoted(&definition.name);
        // Generated columns compute themselves.
        let own: Vec<usize> = (0..definition.columns.len())
            .filter(|&c| definition.columns.get(c).is_some_and(|c| c.generated.is_none()))
            .collect();
        if own.len() < definition.columns.len() {
            into.push_str(&format!(" ({})", names(definition, &own)));
        }
        for row in database.rows(table) {
            let values: Vec<String> = own.iter().filter_map(|&c| row.get(c)).map(plain).collect();
            let _ = writeln!(out, "INSERT INTO {into} VALUES ({});", values.join(", "));
        }
    }
    out
}

/// As a literal that every tool can read.
fn plain(value: &Value) -> String {
    match value {
        // SQLite's shell would stop reading there.
        Value::Text(text) if text.contains('\0') => {
            format!("CAST({} AS TEXT)", literal(&Value::Blob(text.clone().into_bytes())))
        }
        Value::Real(r) if r.0 == f64::INFINITY => "9e999".into(),
        Value::Real(r) if r.0 == f64::NEG_INFINITY => "-9e999".into(),
        Value::Real(r) if r.0.is_nan() => "NULL".into(),
        other => literal(other),
    }
}

/// The schema of the database's own tables with what their rows hold of it; the number of each of
/// its tables; what they do not hold.
fn declared(database: &Database, schema: &Schema, read: [&str; 2]) -> (Schema, Vec<usize>, Vec<String>) {
    let present = |t: usize| matches!(database.tables.get(t), Some(Some(_)));
    let order = referred_first(schema, |t| present(t) && !schema.tables[t].columns.is_empty());
    let mut left_out = Vec::new();
    let mut tables = Vec::with_capacity(order.len());
    for &index in &order {
        let Some(table) = schema.tables.get(index) else {
            continue;
        };
        let rows = database.rows(index);
        let mut miss = |what: String| left_out.push(format!("{what} of {}", quoted(&table.name)));
        let mut own = table.clone();
        if !own.primary_key.is_empty() && !may_be_key(table, rows, &own.primary_key) {
            miss(format!("PRIMARY KEY ({})", names(table, &own.primary_key)));
            own.primary_key.clear();
        }
        own.unique.retain(|key| {
            let holds = distinct(rows, key);
            if !holds {
                miss(format!("UNIQUE ({})", names(table, key)));
            }
            holds
        });
        for (i, column) in own.columns.iter_mut().enumerate() {
            if column.not_null && rows.iter().any(|r| r.get(i) == Some(&Value::Null)) {
                miss(format!("NOT NULL for {}", quoted(&column.name)));
                column.not_null = false;
            }
        }
        let mut foreign_keys = Vec::new();
        for key in &table.foreign_keys {
            let (Some(target), Some(place)) =
                (schema.tables.get(key.target), order.iter().position(|&t| t == key.target))
            else {
                continue;
            };
            if refers(rows, database.rows(key.target), key) {
                foreign_keys.push(ForeignKey { target: place, ..key.clone() });
            } else {
                miss(format!(
                    "FOREIGN KEY ({}) REFERENCES {} ({})",
                    names(table, &key.columns),
                    quoted(&target.name),
                    names(target, &key.target_columns)
                ));
            }
        }
        own.foreign_keys = foreign_keys;
        tables.push(own);
    }
    let declared = Schema { tables, views: crate::views::read_by(schema, read), ..schema.clone() };
    (declared, order, left_out)
}

/// Tables, each after those that it refers to; circles are cut somewhere.
fn referred_first(schema: &Schema, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut left: Vec<usize> = (0..schema.tables.len()).filter(|&t| wanted(t)).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let free = left.iter().position(|&t| {
            let keys = schema.tables.get(t).map(|t| &t.foreign_keys);
            let mut keys = keys.into_iter().flatten();
            keys.all(|f| f.target == t || !left.contains(&f.target))
        });
        order.push(left.remove(free.unwrap_or(0)));
    }
    order
}

fn names(table: &Table, columns: &[usize]) -> String {
    let names: Vec<String> =
        columns.iter().filter_map(|&c| table.columns.get(c)).map(|c| quoted(&c.name)).collect();
    names.join(", ")
}

fn distinct(rows: &[Row], key: &[usize]) -> bool {
    let mut seen = std::collections::HashSet::new();
    rows.iter().all(|row| {
        let tuple = project(row, key);
        tuple.contains(&Value::Null) || seen.insert(tuple)
    })
}

fn may_be_key(table: &Table, rows: &[Row], key: &[usize]) -> bool {
    let null = |row: &Row| project(row, key).contains(&Value::Null);
    let numbered = |c: &Column| c.declared.trim().eq_ignore_ascii_case("INTEGER");
    // Such a key is the number of the row, which nothing but a whole number can be.
    let alias = matches!(key, [c] if table.columns.get(*c).is_some_and(numbered));
    let whole = |row: &Row| key.iter().all(|&c| matches!(row.get(c), Some(Value::Integer(_))));
    distinct(rows, key) && !rows.iter().any(null) && (!alias || rows.iter().all(whole))
}

fn refers(rows: &[Row], targets: &[Row], key: &ForeignKey) -> bool {
    rows.iter().all(|row| {
        let own = project(row, &key.columns);
        own.contains(&Value::Null) || targets.iter().any(|t| project(t, &key.target_columns) == own)
    })
}

/// Time that loading may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether SQLite loads the text, and then holds these rows.
fn loads(text: &str, database: &Database, order: &[usize], declared: &Schema) -> bool {
    let held = || -> rusqlite::Result<bool> {
        let mut connection = Connection::open_in_memory()?;
        let began = Instant::now();
        // Declarations may hold expressions of any cost.
        connection.progress_handler(10_000, Some(move || began.elapsed() > PATIENCE))?;
        connection.execute_batch(text)?;
        for (&table, definition) in order.iter().zip(&declared.tables) {
            let mut statement = connection.prepare(&format!("SELECT * FROM {}", quoted(&definition.name)))?;
            let width = statement.column_count();
            let mut found: Vec<Row> = Vec::new();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let cells = (0..width).map(|i| row.get_ref(i).map(owned));
                found.push(cells.collect::<rusqlite::Result<_>>()?);
            }
            let mut expected = database.rows(table).to_vec();
            expected.sort();
            found.sort();
            if found != expected {
                return Ok(false);
            }
        }
        Ok(true)
    };
    held().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        Schema::from_ddl(
            "loans",
            "CREATE TABLE loan (id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES member (id), note TEXT UNIQUE);
             CREATE TABLE member (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES member (id), rate REAL);
             CREATE TABLE other (a, b, PRIMARY KEY (a, b));",
        )
        .unwrap()
    }

    fn database(loans: &[(i64, i64)]) -> Database {
        let int = Value::Integer;
        Database {
            tables: vec![
                Some(
                    loans
                        .iter()
                        .map(|&(id, member)| vec![int(id), int(member), Value::Text(format!("n\0{id}'"))])
                        .collect(),
                ),
                Some(vec![vec![int(1), Value::Null, Value::Real(f64::INFINITY.into())]]),
                None,
            ],
        }
    }

    #[test]
    fn what_the_schema_declares_is_in_the_file() {
        let text = statements(&database(&[(1, 1), (2, 1)]), &schema(), ["", ""]);
        for part in [
            "PRAGMA foreign_keys = OFF;",
            "PRIMARY KEY (\"id\")",
            "FOREIGN KEY (\"member_id\") REFERENCES \"member\" (\"id\")",
            "\"member_id\" INTEGER NOT NULL",
            "UNIQUE (\"note\")",
            "9e999",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.find("TABLE \"member\"").unwrap() < text.find("TABLE \"loan\"").unwrap());
        assert!(!text.contains("other") && !text.contains("-- "), "{text}");
        assert_eq!(text.matches("INSERT").count(), 3);
        // Also where foreign keys are enforced from the beginning, and the circle is closed later.
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&format!("PRAGMA foreign_keys = ON;{text}")).unwrap();
    }

    #[test]
    fn checks_generated_columns_and_views_are_in_the_file() {
        let schema = Schema::from_ddl(
            "d",
            "CREATE TABLE t (a INTEGER PRIMARY KEY CHECK (a < 9), b INTEGER GENERATED ALWAYS AS (a + 1) STORED);
             CREATE TABLE u (c INTEGER);
             CREATE VIEW v AS SELECT b FROM t; CREATE VIEW w AS SELECT c FROM u;",
        )
        .unwrap();
        let of = |a: i64| Database {
            tables: vec![Some(vec![vec![Value::Integer(a), Value::Integer(a + 1)]]), None],
        };
        let read = ["SELECT * FROM v", "SELECT a FROM t"];
        let text = statements(&of(3), &schema, read);
        for part in ["CHECK (", "(\"a\") VALUES (3)", "VIEW \"v\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("\"w\"") && !text.contains("-- "), "{text}");
        let broken = statements(&of(10), &schema, ["", ""]);
        assert!(broken.contains("-- not declared, since the rows break it: CHECK of \"t\""), "{broken}");
        Connection::open_in_memory().unwrap().execute_batch(&broken).unwrap();
    }

    #[test]
    fn what_the_rows_break_is_not_declared_and_said() {
        let text = statements(&database(&[(1, 1), (1, 7)]), &schema(), ["", ""]);
        for part in [
            "-- not declared, since the rows break it: PRIMARY KEY (\"id\") of \"loan\"",
            "-- not declared, since the rows break it: UNIQUE (\"note\") of \"loan\"",
            "-- not declared, since the rows break it: FOREIGN KEY (\"member_id\") REFERENCES \"member\" (\"id\") of \"loan\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        Connection::open_in_memory().unwrap().execute_batch(&text).unwrap();
    }
}
