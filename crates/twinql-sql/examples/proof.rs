//! Whether two queries are proved equal, and on what the proof relies.
//!
//! `cargo run -p twinql-sql --example proof`

use twinql_sql::{Proof, Schema, Semantics, prove};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
    let schema = Schema::from_ddl("concerts", ddl)?;
    let gold = "SELECT COUNT(*) FROM singer";
    for pred in ["SELECT COUNT(id) FROM singer", "SELECT COUNT(age) FROM singer", "SELECT 7"] {
        match prove(&schema, gold, pred, &Semantics::default())? {
            Proof::Equal(proof) => println!("{pred}: the same, which assumes {:?}", proof.assumptions),
            Proof::Different(difference) => println!("{pred}: {difference}"),
            Proof::Unknown(_) => println!("{pred}: neither is proved"),
        }
    }
    Ok(())
}
