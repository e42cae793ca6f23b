//! Two queries on one database in an engine.

use rusqlite::Connection;
use twinql_sql::{Schema, Semantics, Value};

use super::{Engine, EngineError, Printed, harmless};
use crate::compare::{Columns, Mode, equal};
use crate::database::{Database, owned, quoted};
use crate::execute::Answer;

/// What an engine says of two queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its answer to the gold.
    pub gold: Printed,
    /// Its answer to the prediction.
    pub pred: Printed,
    /// They differ, compared by the semantics.
    pub differ: bool,
}

impl Engine {
    /// Runs two queries of this system on a database.
    ///
    /// # Errors
    /// [`EngineError`]: the tables cannot be made, a query is none, or is refused; which one is said.
    pub fn bout(
        &self,
        schema: &Schema,
        database: &Database,
        (gold, pred): (&str, &str),
        semantics: &Semantics,
    ) -> Result<Said, EngineError> {
        let ordered =
            twinql_sql::parse_in(gold, self.dialect()).is_ok_and(|parsed| parsed.query.order_by.is_some());
        let named = |side: &str, error| match error {
            EngineError::Query(message) => EngineError::Query(format!("{side}: {message}")),
            other => other,
        };
        let clean = |side: &str, sql| harmless(sql, self.dialect()).map_err(|e| named(side, e));
        let (gold, pred) = (clean("gold", gold)?, clean("pred", pred)?);
        let session = self.open(schema, database)?;
        let gold = session.query(&gold).map_err(|e| named("gold", e))?;
        let pred = session.query(&pred).map_err(|e| named("pred", e))?;
        let mode = Mode::new(semantics, ordered);
        let width = |rows: &Printed| rows.first().map(Vec::len);
        // How wide an answer without rows is, no client says.
        let (of_gold, of_pred) = (width(&gold), width(&pred));
        let (of_gold, of_pred) = (of_gold.or(of_pred).unwrap_or(0), of_pred.or(of_gold).unwrap_or(0));
        let mut columns = Columns::new(of_gold, mode.any_column_order);
        let same = equal(&answer(&gold, of_gold), &answer(&pred, of_pred), mode, &mut columns);
        Ok(Said { gold, pred, differ: !same })
    }
}

/// Printed rows as values: what reads as a number is one.
fn answer(rows: &Printed, width: usize) -> Answer {
    let value = |text: &Option<String>| match text {
        None => Value::Null,
        Some(text) => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) => Value::Integer(whole),
            (_, Ok(number)) if number.is_finite() => Value::Real(number.into()),
            _ => Value::Text(text.clone()),
        },
    };
    Answer { width, rows: rows.iter().map(|row| row.iter().map(value).collect()).collect() }
}

impl Database {
    /// The database that a witness's statements make: SQLite reads them.
    ///
    /// # Errors
    /// [`EngineError::Tables`] where SQLite does not take them.
    pub fn of_statements(schema: &Schema, statements: &str) -> Result<Database, EngineError> {
        let failed = |e: rusqlite::Error| EngineError::Tables { system: "SQLite", message: e.to_string() };
        let connection = Connection::open_in_memory().map_err(failed)?;
        connection.execute_batch(statements).map_err(failed)?;
        let mut tables = Vec::with_capacity(schema.tables.len());
        for table in &schema.tables {
            // A witness leaves out the tables that neither query reads.
            let Ok(mut rows) = connection.prepare(&format!("SELECT * FROM {}", quoted(&table.name))) else {
                tables.push(None);
                continue;
            };
            let names: Vec<String> = rows.column_names().map(str::to_owned).collect();
            let place = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
            let places: Vec<Option<usize>> = table.columns.iter().map(|c| place(&c.name)).collect();
            let row = |row: &rusqlite::Row<'_>| {
                let value =
                    |place: &Option<usize>| place.map_or(Ok(Value::Null), |at| row.get_ref(at).map(owned));
                places.iter().map(value).collect::<rusqlite::Result<Vec<Value>>>()
            };
            tables.push(Some(rows.query_map([], row).and_then(Iterator::collect).map_err(failed)?));
        }
        Ok(Database { tables })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_is_read_back() {
        let schema =
            Schema::from_ddl("d", "CREATE TABLE a (x INTEGER, y TEXT); CREATE TABLE b (z REAL);").unwrap();
        let row = vec![Value::Integer(1), Value::Text("it's".into())];
        let database = Database { tables: vec![Some(vec![row, vec![Value::Null, Value::Null]]), None] };
        assert_eq!(Database::of_statements(&schema, &database.to_sql(&schema)).unwrap(), database);
        assert!(Database::of_statements(&schema, "CREATE TABLE").is_err());
    }
}
