//! What is timed: the bundled gold queries, and chains that grow in one way each.

use std::fmt::Write as _;

use twinql_measure::inputs::bundled;
use twinql_sql::{Schema, SchemaSet, schema};

/// The bundled gold queries with their schemas.
pub(super) fn golds() -> Vec<(Schema, String)> {
    let folder = bundled();
    let schemas: SchemaSet = schema::load(folder.join("schemas")).unwrap_or_default();
    let text = std::fs::read_to_string(folder.join("gold.tsv")).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let (sql, db) = line.rsplit_once('\t')?;
            Some((schemas.get(db.trim())?.clone(), sql.to_owned()))
        })
        .collect()
}

/// The schema of the chains: eight tables, each with a key and a reference to the one before.
pub(super) fn schema() -> Schema {
    let mut ddl = String::new();
    for t in 0..8 {
        let to = (t + 7) % 8;
        // Writing into a String cannot fail.
        let _ = writeln!(
            ddl,
            "CREATE TABLE t{t} (id INTEGER PRIMARY KEY, up INTEGER NOT NULL REFERENCES t{to}(id),
             a INTEGER, b TEXT, c REAL, d INTEGER, e TEXT, f INTEGER);"
        );
    }
    Schema::from_ddl("chains", &ddl).unwrap_or_default()
}

/// A family of queries: its name, sizes, and the query of a size.
pub(super) type Chain = (&'static str, &'static [usize], fn(usize) -> String);

/// All families.
pub(super) const CHAINS: &[Chain] = &[
    ("joins along keys", &[5, 10, 25, 50, 100], joins),
    ("self-joins on a column", &[5, 10, 25, 50, 100], self_joins),
    ("conjuncts", &[10, 100, 250, 500, 1000], conjuncts),
    ("disjuncts", &[10, 100, 250, 500, 1000], disjuncts),
    ("sum of terms", &[10, 50, 100, 199], terms),
    ("items of IN", &[10, 100, 1000, 5000], items),
    ("arms of UNION", &[2, 10, 25, 50], arms),
    ("nested derived tables", &[2, 5, 10, 20], derived),
    ("chained WITH", &[2, 5, 10, 20], chained),
    ("branches of CASE", &[10, 100, 500], branches),
];

fn joins(n: usize) -> String {
    let mut sql = String::from("SELECT j0.a, j0.b FROM t0 AS j0");
    for i in 1..=n {
        let _ = write!(sql, " JOIN t{} AS j{i} ON j{i}.up = j{}.id AND j{i}.a > {i}", i % 8, i - 1);
    }
    sql
}

fn self_joins(n: usize) -> String {
    let mut sql = String::from("SELECT j0.b FROM t0 AS j0");
    for i in 1..=n {
        let _ = write!(sql, " JOIN t0 AS j{i} ON j{i}.a = j0.a");
    }
    sql
}

fn list(n: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(separator)
}

fn conjuncts(n: usize) -> String {
    let one = |i: usize| format!("{} <> {i}", ["a", "d", "f"][i % 3]);
    format!("SELECT id FROM t0 WHERE {}", list(n, " AND ", one))
}

fn disjuncts(n: usize) -> String {
    let one = |i: usize| format!("{} = {i}", ["a", "d", "f"][i % 3]);
    format!("SELECT id FROM t0 WHERE {}", list(n, " OR ", one))
}

fn terms(n: usize) -> String {
    let one = |i: usize| format!("{} * {i}", ["a", "d", "f"][i % 3]);
    format!("SELECT {} FROM t0", list(n, " + ", one))
}

fn items(n: usize) -> String {
    let item = |i: usize| (i * 7919 % 100_003).to_string();
    format!("SELECT id FROM t0 WHERE a IN ({})", list(n, ", ", item))
}

fn arms(n: usize) -> String {
    let arm = |i: usize| format!("SELECT id, b FROM t{} WHERE a = {i}", i % 8);
    list(n, " UNION ", arm)
}

fn derived(n: usize) -> String {
    let open: String =
        (0..n).rev().map(|i| format!("SELECT x, y FROM (SELECT x, y + {i} AS y FROM (")).collect();
    let close: String = (0..n).map(|i| format!(") AS p{i} WHERE x > {i}) AS q{i}")).collect();
    format!("{open}SELECT id AS x, a AS y FROM t0{close}")
}

fn chained(n: usize) -> String {
    let one = |i: usize| match i {
        0 => "w0 AS (SELECT id, a FROM t0)".to_owned(),
        i => format!("w{i} AS (SELECT id, a FROM w{} WHERE a > {i})", i - 1),
    };
    format!("WITH {} SELECT COUNT(*) FROM w{}", list(n, ", ", one), n.max(1) - 1)
}

fn branches(n: usize) -> String {
    let one = |i: usize| format!("WHEN a = {i} THEN '{i}'");
    format!("SELECT CASE {} ELSE 'x' END FROM t0", list(n, " ", one))
}
