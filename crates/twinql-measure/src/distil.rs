//! Distils a suite for a gold file, says how long it took, and prints the neighbours that are left.

use std::collections::BTreeMap;
use std::time::Instant;

use twinql_suite::Semantics;
use twinql_suite::suite::{DistilConfig, Suite, Task, build};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "distil",
    about: "distils a suite for a gold file and prints what is left",
    usage: "GOLD.sql TABLES.json OUT [SEMANTICS [DB_ID,…]]",
    run,
};

fn run(args: &[String]) -> Done {
    let arg = |i: usize, d: &str| args.get(i).cloned().unwrap_or_else(|| d.to_owned());
    let mut schemas = twinql_sql::schema::load(std::path::Path::new(&arg(1, "")))?;
    let semantics: Semantics = arg(3, "default").parse()?;
    let only = arg(4, "");
    let mut golds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in std::fs::read_to_string(arg(0, ""))?.lines() {
        if let Some((sql, db)) = line.rsplit_once('\t')
            && (only.is_empty() || only.split(',').any(|d| d == db))
        {
            golds.entry(db.to_owned()).or_default().push(sql.to_owned());
        }
    }
    let mut tasks = Vec::new();
    for (db, golds) in golds {
        if let Some(schema) = schemas.shift_remove(&db) {
            tasks.push(Task { schema, golds, values: None, profile: None });
        }
    }
    let config = DistilConfig { semantics, ..DistilConfig::default() };
    let started = Instant::now();
    let suite = build(&tasks, &config, None, &|_| (), &|_| ())?;
    let took = started.elapsed().as_secs_f64();
    for s in &suite.schemas {
        for g in &s.golds {
            if let Some(e) = &g.error {
                println!("#### {} unusable {}: {e}", s.schema.db_id, g.sql);
            }
            for l in &g.left {
                println!("#### {} {}\nG {}\nN {}", s.schema.db_id, l.mutation, g.sql, l.sql);
            }
        }
    }
    for s in &suite.schemas {
        let c = s.counts();
        eprintln!("{:30} {c:?} {:.4}", s.schema.db_id, c.share());
    }
    let bytes = suite.to_bytes()?;
    std::fs::write(arg(2, "suite.gz"), &bytes)?;
    let again = Suite::from_bytes(&bytes)?;
    let c = suite.counts();
    eprintln!(
        "{c:?}\nshare {:.5}, {} bytes, {took:.1} s, read back {}",
        c.share(),
        bytes.len(),
        again == suite
    );
    Ok(())
}
