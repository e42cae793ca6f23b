//! Scores predictions against a gold query by three metrics.
//!
//! `cargo run -p twinql --example score`

use twinql::{Pipeline, Schema};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
    let pipeline = Pipeline::with_metrics(Schema::from_ddl("concerts", ddl)?, &["relpm", "proof", "suite"])?;
    let gold = "SELECT name FROM singer ORDER BY age DESC LIMIT 1";
    for pred in [
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
        "SELECT name FROM singer ORDER BY age LIMIT 1",
    ] {
        let record = pipeline.score(gold, pred);
        println!("{pred}");
        for metric in pipeline.engine().metrics() {
            match record.score(metric.name) {
                Some(score) => println!("  {}: {score:.3}", metric.name),
                None => println!("  {}: no score, {}", metric.name, record.status_of(metric.name).name()),
            }
        }
    }
    Ok(())
}
