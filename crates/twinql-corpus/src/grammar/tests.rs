use std::collections::BTreeMap;

use rand::SeedableRng as _;
use twinql_sql::{Semantics, canonicalize};
use twinql_suite::{Judge, JudgeConfig, Verdict};

use super::*;

fn schema() -> Schema {
    Schema::from_ddl(
        "shop",
        "CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, opened_year INTEGER, \"open hours\" REAL);
         CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, shop_id INTEGER NOT NULL, name TEXT, born DATE, salary REAL,
           retired BOOLEAN, boss INTEGER REFERENCES staff(staff_id), FOREIGN KEY (shop_id) REFERENCES shop(id));
         CREATE TABLE \"order\" (staff_id INTEGER, \"line\" INTEGER, amount DECIMAL(6,2), n INTEGER, PRIMARY KEY (staff_id, \"line\"),
           FOREIGN KEY (staff_id) REFERENCES staff(staff_id));
         CREATE TABLE part (staff_id INTEGER, line INTEGER, T1 TEXT, FOREIGN KEY (staff_id, line) REFERENCES \"order\"(staff_id, \"line\"));",
    )
    .unwrap()
}

/// Every shape plans, runs, and has one answer: SQLite's choices among ties and bare columns would
/// make it differ from itself.
#[test]
fn every_shape_plans_and_runs() {
    let schema = schema();
    let config = JudgeConfig { databases: 12, shrink: false, ..JudgeConfig::default() };
    let judge = Judge::new(&schema, config).unwrap();
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let both = [Style::Golds, Style::Models]
        .into_iter()
        .flat_map(|style| style.shapes().iter().map(move |s| (style, s)));
    for (style, shape) in both.clone() {
        for seed in 0..20 {
            let mut sampler = Sampler::new(&schema, style, ChaCha8Rng::seed_from_u64(seed));
            let Some(sql) = (shape.write)(&mut sampler) else {
                continue;
            };
            canonicalize(&schema, &sql, &Semantics::default()).unwrap_or_else(|e| panic!("{sql}: {e}"));
            let (written, nonempty) = rows.entry(shape.name).or_default();
            *written += 1;
            match judge.judge(&sql, &sql) {
                Verdict::Same { nonempty: n, .. } => *nonempty += usize::from(n > 0),
                other => panic!("{sql}: {other:?}"),
            }
        }
    }
    for (_, shape) in both {
        let (written, nonempty) = rows[shape.name];
        assert!(written >= 6 && nonempty * 3 >= written, "{}: {:?}", shape.name, rows[shape.name]);
    }
}

#[test]
fn queries_are_deterministic_bounded_and_various() {
    let schema = schema();
    let draw = |style, seed| {
        let mut sampler = Sampler::new(&schema, style, ChaCha8Rng::seed_from_u64(seed));
        (0..400).filter_map(|_| sampler.query()).collect::<Vec<_>>()
    };
    let drawn = draw(Style::Golds, 1);
    assert_eq!(drawn, draw(Style::Golds, 1));
    assert_ne!(drawn, draw(Style::Golds, 2));
    let of_models = draw(Style::Models, 1);
    assert!(of_models.len() > 300, "{}", of_models.len());
    for part in [
        "FILTER (WHERE",
        "STRFTIME(",
        "LOWER(",
        "TRIM(",
        "SUBSTR(",
        "COALESCE(",
        "NULLIF(",
        "ROUND(",
        "CAST(",
        " || ",
        "IIF(",
        "RANK() OVER",
        "ROW_NUMBER() OVER",
        "), top AS (",
        "NOT EXISTS",
        "LEFT JOIN",
        "IS NOT NULL",
        " AS total",
        "UNION ALL",
        "= (SELECT MIN(",
    ] {
        assert!(of_models.iter().any(|sql| sql.contains(part)), "{part}");
    }
    assert!(drawn.len() > 300, "{}", drawn.len());
    assert!(drawn.iter().all(|sql| sql.len() < 1500));
    for part in [
        " JOIN ",
        "LEFT JOIN",
        " IN (SELECT",
        "NOT IN (SELECT",
        "EXISTS (SELECT",
        "GROUP BY",
        "HAVING",
        "INTERSECT",
        "EXCEPT",
        "UNION",
        "CASE WHEN",
        " OVER (",
        "WITH ",
        "ORDER BY",
        "LIMIT",
        "DISTINCT",
        "BETWEEN",
        "LIKE",
        " IN (",
        "IS NOT NULL",
        "(SELECT avg(",
        "FROM (SELECT",
        "\"order\"",
        "'2",
    ] {
        assert!(drawn.iter().any(|sql| sql.contains(part)), "{part}");
    }
}

#[test]
fn poor_schemas() {
    for ddl in ["CREATE TABLE t (a BLOB)", "CREATE TABLE t (a TEXT PRIMARY KEY REFERENCES t(a))"] {
        let schema = Schema::from_ddl("poor", ddl).unwrap();
        let mut sampler = Sampler::new(&schema, Style::Golds, ChaCha8Rng::seed_from_u64(1));
        let drawn: Vec<String> = (0..200).filter_map(|_| sampler.query()).collect();
        assert!(!drawn.is_empty());
        for sql in drawn {
            canonicalize(&schema, &sql, &Semantics::default()).unwrap_or_else(|e| panic!("{sql}: {e}"));
        }
    }
    let empty = Schema::default();
    let mut sampler = Sampler::new(&empty, Style::Golds, ChaCha8Rng::seed_from_u64(1));
    assert!((0..50).all(|_| sampler.query().is_none()));
}
