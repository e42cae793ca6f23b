//! Plausible databases over the bundled golds.

use std::path::Path;

use twinql_sql::{Nulls, Schema};
use twinql_suite::Semantics;
use twinql_suite::facts::Facts;
use twinql_suite::plausible::Plausible;

/// Keys, foreign keys, types and CHECKs hold, over schemas with composite keys, self-references and a cycle.
#[test]
fn what_schemas_declare_holds_for_all_bundled_golds() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let kept = Semantics { nulls: Nulls::Nullable, empty_tables: true, ..Semantics::default() };
    let golds = std::fs::read_to_string(data.join("gold.tsv")).unwrap();
    let mut made = 0;
    for line in golds.lines() {
        let (sql, db_id) = line.split_once('\t').unwrap();
        let ddl = std::fs::read_to_string(data.join("schemas").join(db_id).with_extension("sql")).unwrap();
        let schema = Schema::from_ddl(db_id, &ddl).unwrap();
        let Ok(parsed) = twinql_sql::parse(sql) else { continue };
        let facts = Facts::of(&schema, &parsed.query);
        // All tables, so that each reference has where to lead.
        let all: Vec<usize> = (0..schema.tables.len()).collect();
        let plausible = Plausible::new(&schema, &facts, &facts, &all, 3);
        for (index, plenty) in [(0, false), (1, false), (2, true)] {
            let database = plausible.database(index, plenty);
            assert_eq!(database.check(&schema, &kept), Ok(()), "{sql}\n{}", database.to_sql(&schema));
            made += 1;
        }
    }
    assert!(made > 1_000, "{made}");
}
