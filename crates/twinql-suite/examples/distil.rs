//! Distils a suite for a gold file, says how long each part took, and prints what is left.
//!
//! `cargo run --release -p twinql-suite --example distil -- GOLD.sql TABLES.json OUT [semantics] [db_id,…]`

use std::collections::BTreeMap;
use std::time::Instant;

use twinql_suite::Semantics;
use twinql_suite::suite::{DistilConfig, Suite, Task, build};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let arg = |i: usize, d: &str| args.get(i).cloned().unwrap_or_else(|| d.to_owned());
    let mut schemas = twinql_sql::schema::load(std::path::Path::new(&arg(2, "")))?;
    let semantics: Semantics = arg(4, "default").parse()?;
    let only = arg(5, "");
    let mut golds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in std::fs::read_to_string(arg(1, ""))?.lines() {
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
    std::fs::write(arg(3, "suite.gz"), &bytes)?;
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
