//! No proof against a witness.

use std::path::Path;

use twinql_measure::contradictions::count;
use twinql_sql::Semantics;

/// Every how many pairs of all real data the test takes; `TWINQL_CONTRADICTIONS_STEP` gives another number, 1 for all.
const STEP: usize = 16;

#[test]
fn no_database_refutes_a_proof() {
    let Some(data) = std::env::var_os("TWINQL_DATA") else {
        eprintln!("skipped: real predictions, which TWINQL_DATA would name");
        return;
    };
    let step = std::env::var("TWINQL_CONTRADICTIONS_STEP").ok().and_then(|step| step.parse().ok());
    let found = count(Path::new(&data), step.unwrap_or(STEP), &Semantics::default()).unwrap();
    eprintln!("{found}");
    assert!(found.proved > 100, "{found}");
    assert!(found.contradicted.is_empty(), "{found}:\n{}", found.contradicted.join("\n\n"));
}
