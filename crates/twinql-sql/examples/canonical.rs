//! The canonical form of a query, and the rules that led to it.
//!
//! `cargo run -p twinql-sql --example canonical`

use twinql_sql::{Schema, Semantics, canonicalize, print};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema =
        Schema::from_ddl("pets", "CREATE TABLE pet (id INTEGER PRIMARY KEY, age INTEGER, name TEXT)")?;
    for sql in [
        "SELECT name FROM pet WHERE age > 3 AND id < 9",
        "SELECT p.name FROM pet AS p WHERE p.id IN (SELECT id FROM pet WHERE 9 > id AND 3 < age)",
        "SELECT nmae FROM pet",
    ] {
        match canonicalize(&schema, sql, &Semantics::default()) {
            Ok(form) => {
                println!(
                    "{sql}\n  {}\n  by {}",
                    print::to_sql(&schema, &form.plan)?,
                    form.applied.join(", ")
                );
            }
            Err(error) => println!("{sql}\n  {error}"),
        }
    }
    Ok(())
}
