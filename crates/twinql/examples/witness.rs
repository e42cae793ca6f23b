//! A small database on which two queries give different answers.
//!
//! `cargo run -p twinql --example witness`

use twinql::Schema;
use twinql::suite::{JudgeConfig, Verdict, judge};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
    let schema = Schema::from_ddl("concerts", ddl)?;
    let config = JudgeConfig { shrink: true, ..JudgeConfig::default() };
    let gold = "SELECT name FROM singer ORDER BY age DESC LIMIT 1";
    let pred = "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)";
    match judge(&schema, gold, pred, &config) {
        Verdict::Different { witness } => {
            println!("{}\ngold: {:?}\npred: {:?}", witness.statements, witness.gold_rows, witness.pred_rows);
        }
        other => println!("no database tells them apart: {other:?}"),
    }
    Ok(())
}
