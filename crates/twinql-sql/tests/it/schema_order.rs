//! A canonical form does not depend on the order of a schema's tables and columns, nor on what else is in it:
//! MT-TEQL's shuffles, insertions and removals (section 3.1.2). The bundled queries, and with `TWINQL_DATA` real ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::real;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use twinql_sql::{Column, Dialect, Schema, Semantics, Table, canonicalize, print, schema};

/// The schema with its tables and columns in another order, beside tables and columns that it did not have.
fn rearranged(schema: &Schema, rng: &mut ChaCha8Rng) -> Schema {
    let order = |n: usize, rng: &mut ChaCha8Rng| {
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(rng);
        order
    };
    let mut grown = schema.clone();
    for table in &mut grown.tables {
        for i in 0..rng.random_range(0..3) {
            table.columns.push(Column::new(
                format!("{}spare_{i}", ["a", "m", "z"][i]),
                "INTEGER",
                Dialect::Sqlite,
            ));
        }
    }
    let spare = Column::new("id", "INTEGER", Dialect::Sqlite);
    grown.tables.push(Table { name: "m_spare".into(), columns: vec![spare], ..Table::default() });
    let tables = order(grown.tables.len(), rng);
    let columns: Vec<Vec<usize>> = grown.tables.iter().map(|t| order(t.columns.len(), rng)).collect();
    // Where a position went to.
    let table_at = |old: usize| tables.iter().position(|t| *t == old).unwrap();
    let column_at = |table: usize, old: usize| columns[table].iter().position(|c| *c == old).unwrap();
    let mut new = grown.clone();
    new.tables = tables
        .iter()
        .map(|&t| {
            let mut table = grown.tables[t].clone();
            table.columns = columns[t].iter().map(|&c| grown.tables[t].columns[c].clone()).collect();
            let moved = |list: &mut Vec<usize>| list.iter_mut().for_each(|c| *c = column_at(t, *c));
            moved(&mut table.primary_key);
            table.unique.iter_mut().for_each(moved);
            table.checks.iter_mut().for_each(|check| moved(&mut check.columns));
            for key in &mut table.foreign_keys {
                moved(&mut key.columns);
                key.target_columns.iter_mut().for_each(|c| *c = column_at(key.target, *c));
                key.target = table_at(key.target);
            }
            table
        })
        .collect();
    new
}

/// How many queries were compared, and those whose form changed.
#[derive(Default)]
struct Found {
    compared: usize,
    moved: Vec<String>,
}

fn check(queries: &[(Arc<Schema>, String)]) -> Found {
    let mut found = Found::default();
    for (i, (schema, sql)) in queries.iter().enumerate() {
        // A star reads the columns in their order, and all of them.
        let stars = sql.to_ascii_lowercase().replace(' ', "").replace("count(*)", "");
        if stars.contains('*') || stars.contains("natural") {
            continue;
        }
        for name in ["default", "no-fk"] {
            let semantics: Semantics = name.parse().unwrap();
            let form = |schema: &Schema| {
                let canonical = canonicalize(schema, sql, &semantics).ok()?;
                let text = print::to_sql(schema, &canonical.plan).ok()?;
                canonical.complete.then_some((text, canonical.applied))
            };
            let Some(before) = form(schema) else { continue };
            let new = rearranged(schema, &mut ChaCha8Rng::seed_from_u64(i as u64));
            let after = form(&new);
            found.compared += 1;
            if after.as_ref().map(|a| &a.0) != Some(&before.0) {
                found.moved.push(format!("{sql}\n  {}\n  {:?}", before.0, after.map(|a| a.0)));
            }
        }
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

fn read(schemas: &BTreeMap<String, Arc<Schema>>, gold: &Path) -> Vec<(Arc<Schema>, String)> {
    let lines = real::gold(gold).into_iter();
    lines.filter_map(|(db, sql)| Some((Arc::clone(schemas.get(&db)?), sql))).collect()
}

fn load(path: impl AsRef<Path>) -> BTreeMap<String, Arc<Schema>> {
    schema::load(path).unwrap().into_iter().map(|(id, s)| (id, Arc::new(s))).collect()
}

#[test]
fn forms_of_bundled_queries_stay() {
    let queries = read(&load(root().join("schemas")), &root().join("gold.tsv"));
    let found = check(&queries);
    assert!(found.compared > 600, "{} compared", found.compared);
    assert!(
        found.moved.is_empty(),
        "{} of {}:\n{}",
        found.moved.len(),
        found.compared,
        found.moved.join("\n")
    );
}

#[test]
fn forms_of_real_queries_stay() {
    let Some(data) = real::data() else { return };
    let mut queries =
        read(&load(data.join("spider/tables.json")), &data.join("spider/train_spider_gold.sql"));
    queries.extend(read(&load(data.join("bird/train_tables.json")), &data.join("bird/train_gold.sql")));
    let every = if std::env::var_os("TWINQL_SAMPLE").is_some() { 1 } else { 4 };
    let queries: Vec<_> = queries.into_iter().step_by(every).collect();
    let found = check(&queries);
    assert!(found.compared > queries.len(), "{} compared", found.compared);
    let shown = &found.moved[..found.moved.len().min(12)];
    assert!(found.moved.is_empty(), "{} of {}:\n{}", found.moved.len(), found.compared, shown.join("\n"));
}
