//! The tables of a witness, as people look at them.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::Witness;

/// A table of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows as text, in their order; none is NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Witness {
    /// The tables that hold rows, in the order in which they are made. Empty where SQLite refuses the
    /// witness's statements, as it does with functions in a CHECK that this connection lacks.
    pub fn tables(&self) -> Vec<Shown> {
        let tables = || -> rusqlite::Result<Vec<Shown>> {
            let connection = Connection::open_in_memory()?;
            connection.execute_batch(&self.statements)?;
            let mut names = connection.prepare(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
            )?;
            let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let shown =
                names.into_iter().map(|name| shown(&connection, name)).collect::<Result<Vec<_>, _>>()?;
            Ok(shown.into_iter().filter(|table| !table.rows.is_empty()).collect())
        };
        tables().unwrap_or_default()
    }
}

fn shown(connection: &Connection, name: String) -> rusqlite::Result<Shown> {
    let quoted = name.replace('"', "\"\"");
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{quoted}\""))?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let rows = statement.query_map([], |row| (0..width).map(|i| Ok(text(row.get_ref(i)?))).collect())?;
    Ok(Shown { rows: rows.collect::<Result<_, _>>()?, name, columns })
}

fn text(value: ValueRef<'_>) -> Option<String> {
    Some(match value {
        ValueRef::Null => return None,
        ValueRef::Integer(i) => i.to_string(),
        ValueRef::Real(r) => format!("{r:?}"),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()),
    })
}

#[cfg(test)]
mod tests {
    use twinql_sql::Schema;

    use crate::{JudgeConfig, Verdict, judge};

    #[test]
    fn the_tables_of_a_witness() {
        let schema =
            Schema::from_ddl("s", "CREATE TABLE singer (id INTEGER PRIMARY KEY, \"home town\" TEXT)")
                .unwrap();
        let config = JudgeConfig { shrink: true, ..JudgeConfig::default() };
        let gold = "SELECT id FROM singer WHERE \"home town\" = 'Bern'";
        let Verdict::Different { witness } = judge(&schema, gold, "SELECT id FROM singer", &config) else {
            panic!("they differ");
        };
        let tables = witness.tables();
        assert_eq!(tables.len(), 1, "{}", witness.statements);
        assert_eq!((tables[0].name.as_str(), tables[0].columns.len()), ("singer", 2));
        assert!(tables[0].rows.iter().all(|row| row.len() == 2) && !tables[0].rows.is_empty());
    }
}
