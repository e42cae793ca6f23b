//! The best of several candidates for one question, without a database and without a gold.
//!
//! `cargo run -p twinql --example rerank`

use std::sync::Arc;

use twinql::Schema;
use twinql::rerank::{Candidate, RerankConfig, Reranker, Set};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
    let candidates = [
        "SELECT name FROM singer",
        "SELECT COUNT(*) FROM singer",
        "SELECT COUNT(id) FROM singer",
        "SELECT COUNT(nothing) FROM singer",
    ];
    let set = Set {
        schema: Arc::new(Schema::from_ddl("concerts", ddl)?),
        dialect: None,
        candidates: candidates.map(Candidate::new).to_vec(),
    };
    let ranking = Reranker::new(None, RerankConfig::default())?.rank(&set);
    for (sql, (score, error)) in candidates.iter().zip(ranking.scores.iter().zip(&ranking.errors)) {
        match (score, error) {
            (Some(score), _) => println!("{score:.2}  {sql}"),
            (None, error) => println!("  --  {sql}: {}", error.as_deref().unwrap_or("not ranked")),
        }
    }
    println!("chosen: {:?}", ranking.chosen.and_then(|place| candidates.get(place)));
    Ok(())
}
