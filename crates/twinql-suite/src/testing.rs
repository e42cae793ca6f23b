//! What the tests of this crate share.

use twinql_sql::Schema;

/// Two tables, a foreign key, a nullable column.
pub(crate) fn schema() -> Schema {
    Schema::from_ddl(
        "test",
        "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, age INTEGER);
         CREATE TABLE concert (id INTEGER PRIMARY KEY, theme TEXT, year INTEGER, seats REAL,
             singer_id INTEGER NOT NULL REFERENCES singer(id));",
    )
    .unwrap()
}
