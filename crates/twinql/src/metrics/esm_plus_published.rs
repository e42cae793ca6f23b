//! ESM+ as its script computes it.

use serde_json::Value;
use twinql_sql::Schema;
use twinql_suite::{ExecError, Limits, Sandbox};

use super::*;

/// `esm+:published`.
pub static ESM_PLUS_PUBLISHED: Metric = Metric {
    name: "esm+:published",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "ESM+ as its script computes it, false matches included",
    source: "Ascoli et al. 2024, the released script",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Texts(published),
    signature: nothing,
    examples: [
        Example::new("SELECT name, age FROM owner", "SELECT age, name FROM owner", 1.0),
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age > 50", 0.0),
    ],
    further: Further::NONE,
};

/// The script executes a prediction before it reads it, and what fails there is wrong. SQLite finds nearly all such faults
/// when it compiles a query, so empty tables serve.
fn published(schema: &Schema, gold: &str, pred: &str) -> Scored {
    let mut scored = esm_plus_published(schema, gold, pred);
    if scored.score > 0.0
        && let Ok(sandbox) = Sandbox::new(schema, Limits::default())
        && let Err(why @ (ExecError::Invalid(_) | ExecError::NotAQuery)) = sandbox.prepare(pred)
    {
        scored.score = 0.0;
        scored.details.insert("refused".to_owned(), Value::from(why.to_string()));
    }
    scored
}
