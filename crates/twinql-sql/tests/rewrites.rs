//! Every known rewrite: queries that it makes one agree on databases, and queries that
//! only look like them differ on one. `docs/rewrites.md` is written from the same table:
//! `TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test rewrites`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/rewrites.rs"]
mod rewrites;

use std::collections::BTreeSet;
use std::fmt::Write;

use rewrites::REWRITES;
use rusqlite::Connection;
use rusqlite::types::Value;
use twinql_sql::{RULES, Schema, Semantics, canonicalize, explain};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rewrites.md");

const DDL: &str = "
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER, score REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id), total REAL, day TEXT);
CREATE TABLE line (order_id INTEGER REFERENCES orders(id), product TEXT, amount INTEGER, PRIMARY KEY (order_id, product));
";

/// Ties, duplicates, both cases of letters, and every key held.
const PLAIN: &str = "
INSERT INTO customer VALUES (1, 'Ann', 'Rome', 20, 1.0), (2, 'Bob', 'Oslo', 40, 2.5), (3, 'ann', 'Rome', 40, 2.0),
  (4, 'Bob', 'Rome', 30, 3.0), (5, '07', 'Oslo', 1, 2.5), (6, 'Bob', 'Rome', 21, 0.5), (7, 'ANN', 'Lima', 4, 9.5), (8, 'Anna', 'ROme', 40, 3.5), (9, 'Zoe', 'Lima', 3, 4.5);
INSERT INTO orders VALUES (1, 1, 5.0, '2014-01-02'), (2, 1, 2.0, '2014'), (3, 2, 9.0, 'x'), (4, 1, 7.0, '20141'), (5, 4, 1.5, '2015-02-03'), (6, 2, 0.5, 'Rome'), (11, 7, 2.25, 'q'), (12, 9, 3.25, 'r');
INSERT INTO line VALUES (1, 'pen', 1), (1, 'ink', 2), (2, 'pen', 3), (3, 'ink', 40), (3, 'cup', 1), (4, 'pen', 20), (4, 'cup', 5);
";

/// Orders of nobody, among them the largest and the most frequent.
const ORPHANS: &str =
    "INSERT INTO orders VALUES (7, 99, 99.0, 'y'), (8, 99, 3.0, 'z'), (9, 99, 4.0, 'y'), (10, 99, 4.5, 'w');";

/// NULLs where they may be.
const NULLS: &str = "INSERT INTO customer VALUES (20, 'Nil', NULL, NULL, NULL), (21, 'Nil', 'Nowhere', NULL, NULL), (22, 'Noa', NULL, 35, 1.5);
INSERT INTO orders VALUES (20, 2, NULL, NULL);";

fn semantics(name: &str) -> Semantics {
    match name {
        "nulls" => Semantics {
            nulls: true,
            empty_tables: true,
            foreign_keys_hold: false,
            ..Semantics::default()
        },
        other => Semantics::preset(other).unwrap(),
    }
}

/// Databases that meet the semantics.
fn databases(semantics: &Semantics) -> Vec<(&'static str, Connection)> {
    let mut texts = vec![("plain", PLAIN.to_owned())];
    if !semantics.foreign_keys_hold {
        texts.push(("orphans", format!("{PLAIN}{ORPHANS}")));
    }
    if semantics.nulls {
        texts.push(("nulls", format!("{PLAIN}{ORPHANS}{NULLS}")));
    }
    if semantics.empty_tables {
        texts.push(("empty", String::new()));
    }
    texts
        .into_iter()
        .map(|(name, text)| {
            let db = Connection::open_in_memory().unwrap();
            db.execute_batch(&format!("PRAGMA foreign_keys = OFF; {DDL}{text}"))
                .unwrap();
            (name, db)
        })
        .collect()
}

/// The answer as a sorted bag of rows, each sorted where columns have no order.
fn answer(db: &Connection, sql: &str, any_order: bool) -> Vec<Vec<String>> {
    let mut statement = db.prepare(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let width = statement.column_count();
    let show = |v: Value| match v {
        Value::Null => "NULL".to_owned(),
        Value::Integer(i) => format!("{:.6}", i as f64),
        Value::Real(r) => format!("{r:.6}"),
        Value::Text(t) => format!("'{t}'"),
        Value::Blob(b) => format!("{b:?}"),
    };
    let rows = statement.query_map([], |row| {
        let mut cells = Vec::new();
        for i in 0..width {
            cells.push(show(row.get(i)?));
        }
        if any_order {
            cells.sort();
        }
        Ok(cells)
    });
    let mut rows: Vec<Vec<String>> = rows.unwrap().map(Result::unwrap).collect();
    rows.sort();
    rows
}

fn forms(schema: &Schema, preset: &str, one: &str, two: &str) -> (bool, BTreeSet<&'static str>, String) {
    let semantics = semantics(preset);
    let a = canonicalize(schema, one, &semantics).unwrap_or_else(|e| panic!("{one}: {e}"));
    let b = canonicalize(schema, two, &semantics).unwrap_or_else(|e| panic!("{two}: {e}"));
    let rules = a.applied.iter().chain(&b.applied).copied().collect();
    let text = format!(
        "under {preset}\n{one}\n{two}\n{}\n{}",
        explain::tree(schema, &a.plan),
        explain::tree(schema, &b.plan)
    );
    (
        a.plan.query == b.plan.query && a.complete && b.complete,
        rules,
        text,
    )
}

#[test]
fn every_rewrite_is_made_and_is_sound_on_databases() {
    let schema = Schema::from_ddl("shop", DDL).unwrap();
    let mut wrong = Vec::new();
    for r in REWRITES {
        let (preset, one, two) = r.same;
        let (equal, rules, text) = forms(&schema, preset, one, two);
        if !equal {
            wrong.push(format!("not made: {}\n{text}", r.title));
        }
        if !rules.contains(r.rule) {
            wrong.push(format!("{}: made without {}: {rules:?}\n{text}", r.title, r.rule));
        }
        let semantics = semantics(preset);
        for (name, db) in databases(&semantics) {
            let any = semantics.any_column_order;
            let (a, b) = (answer(&db, one, any), answer(&db, two, any));
            if a != b {
                wrong.push(format!(
                    "{}: different on {name}\n{one}\n{a:?}\n{two}\n{b:?}",
                    r.title
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn near_misses_differ_on_a_database_and_in_form() {
    let schema = Schema::from_ddl("shop", DDL).unwrap();
    let mut wrong = Vec::new();
    for r in REWRITES {
        let (preset, one, two) = r.other;
        let (equal, _, text) = forms(&schema, preset, one, two);
        if equal {
            wrong.push(format!("made: {}\n{text}", r.title));
        }
        let semantics = semantics(preset);
        let any = semantics.any_column_order;
        let told_apart = databases(&semantics)
            .iter()
            .any(|(_, db)| answer(db, one, any) != answer(db, two, any));
        if !told_apart {
            wrong.push(format!("{}: no database tells them apart\n{one}\n{two}", r.title));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}

fn document() -> String {
    let mut text = String::from(
        "# Rewrites and the rules that make them

<!-- Written from the table of tests: TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test rewrites -->

Ways in which people and systems write the same query differently, each with the [rule](rules.md) that
does most of the work, two queries of one canonical form, and two that look alike and are not equivalent:
a test runs all four on databases that meet the assumptions, and asks that the first two agree on all of
them and that the last two differ on one. `nulls` is `no-fk` with NULLs and empty tables.

Expressions are rewritten in order to a normal form rather than kept as sets of equal ones in an e-graph:
two queries are compared by equality of one canonical form each, made in tens of microseconds, and
saturation would not pay for the few expressions of a query.
",
    );
    let mut family = "";
    for r in REWRITES {
        if r.family != family {
            family = r.family;
            let _ = write!(
                text,
                "\n## {family}\n\n| rewrite | rule | one form | under | not equivalent | under |\n|---|---|---|---|---|---|\n"
            );
        }
        let plain = |s: &str| s.replace('*', "\\*").replace('|', "\\|");
        let code = |a: &str, b: &str| format!("`{}`<br>`{}`", a.replace('|', "\\|"), b.replace('|', "\\|"));
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} | {} | {} |",
            plain(r.title),
            r.rule,
            code(r.same.1, r.same.2),
            r.same.0,
            code(r.other.1, r.other.2),
            r.other.0
        );
    }
    text
}

#[test]
fn the_document_is_the_table() {
    let names: BTreeSet<&str> = RULES.iter().map(|r| r.name).collect();
    for r in REWRITES {
        assert!(names.contains(r.rule), "no rule {}", r.rule);
    }
    let text = document();
    if std::env::var_os("TWINQL_WRITE_DOCS").is_some() {
        std::fs::write(PATH, &text).unwrap();
    }
    let written = std::fs::read_to_string(PATH).unwrap_or_default();
    assert!(written == text, "docs/rewrites.md is out of date");
}
