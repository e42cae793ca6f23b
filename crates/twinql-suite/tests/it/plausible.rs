//! Plausible databases over the bundled golds.

use twinql_sql::Nulls;
use twinql_suite::Semantics;
use twinql_suite::facts::Facts;
use twinql_suite::plausible::Plausible;

use crate::bundled::{golds, schemas};

/// Keys, foreign keys, types and CHECKs hold, over schemas with composite keys, self-references and a cycle.
#[test]
fn what_schemas_declare_holds_for_all_bundled_golds() {
    let schemas = schemas();
    let kept = Semantics { nulls: Nulls::Nullable, empty_tables: true, ..Semantics::default() };
    let mut made = 0;
    for (sql, db_id) in &golds() {
        let schema = &schemas[db_id];
        let Ok(parsed) = twinql_sql::parse(sql) else { continue };
        let facts = Facts::of(schema, &parsed.query);
        // All tables, so that each reference has where to lead.
        let all: Vec<usize> = (0..schema.tables.len()).collect();
        let plausible = Plausible::new(schema, &facts, &facts, &all, 3);
        for (index, plenty) in [(0, false), (1, false), (2, true)] {
            let database = plausible.database(index, plenty);
            assert_eq!(database.check(schema, &kept), Ok(()), "{sql}\n{}", database.to_sql(schema));
            made += 1;
        }
    }
    assert!(made > 1_000, "{made}");
}
