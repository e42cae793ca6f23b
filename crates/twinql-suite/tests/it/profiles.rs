//! Profiles of real files: what is measured, what is never told, and databases that follow them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use rusqlite::{Connection, params};
use serde_json::Value;
use tempfile::TempDir;
use twinql_sql::{ColumnRef, Schema, Semantics};
use twinql_suite::facts::Facts;
use twinql_suite::plausible::Plausible;
use twinql_suite::profile::{Bound, ColumnProfile, MeasureConfig, Profile, TableProfile, measure};

use crate::bundled::{golds, schemas};

/// A folder that is removed again.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn database(&self, name: &str, sql: &str) -> PathBuf {
        let path = self.0.path().join(name);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    }
}

fn profile(path: &Path, values: usize) -> Profile {
    measure(path, &MeasureConfig { values, ..MeasureConfig::default() }).unwrap().profile
}

fn table<'p>(profile: &'p Profile, name: &str) -> &'p TableProfile {
    &profile.tables.iter().find(|(n, _)| n == name).unwrap().1
}

fn column<'p>(profile: &'p Profile, of: &str, name: &str) -> &'p ColumnProfile {
    &table(profile, of).columns.iter().find(|(n, _)| n == name).unwrap().1
}

const SHOP: &str = "
    CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT, country TEXT, founded DATE);
    CREATE TABLE visit (id INTEGER PRIMARY KEY, town_id INTEGER REFERENCES town (id), day DATE, price REAL, code TEXT, guide INTEGER);
    CREATE TABLE tour (number INTEGER PRIMARY KEY, visit_id INTEGER);
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
        INSERT INTO town SELECT i, 'Town' || i, CASE WHEN i <= 6 THEN 'Peru' ELSE 'Chile' END, (1900 + i) || '-0' || i || '-12' FROM n;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO visit SELECT i * 3, CASE WHEN i <= 9 THEN 1 ELSE i % 3 + 2 END, '2021-03-' || printf('%02d', i), i / 2.0,
            'AB-' || (100 + i), CASE WHEN i % 4 = 0 THEN NULL ELSE MIN(i, 17) END FROM n;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
        INSERT INTO tour SELECT i, i * 6 FROM n;";

#[test]
fn what_is_counted_is_what_is_there() {
    let folder = Folder::new();
    let profile = profile(&folder.database("shop.sqlite", SHOP), 0);
    assert_eq!((profile.db_id.as_str(), profile.tables.len()), ("shop", 3));
    assert_eq!(table(&profile, "visit").rows, Some(20));
    let country = column(&profile, "town", "country");
    assert_eq!((country.distinct, country.unique, country.null_share), (Some(2), Some(false), Some(0.0)));
    assert_eq!(country.frequencies, [0.75, 0.25]);
    assert_eq!((country.lengths, country.range), (Some([4, 5]), None));
    assert_eq!(column(&profile, "town", "name").unique, Some(true));
    let founded = column(&profile, "town", "founded");
    assert_eq!((founded.years.first(), founded.years.last()), (Some(&1901), Some(&1908)));
    assert_eq!(founded.shapes[0].shape, "9999-99-99");
    let price = column(&profile, "visit", "price");
    assert_eq!((price.range, price.whole_share), (Some([0.5, 10.0]), Some(0.5)));
    assert_eq!(price.quantiles.len(), 9);
    let guide = column(&profile, "visit", "guide");
    assert_eq!(guide.null_share, Some(0.25));
    assert_eq!(guide.extremes.map(|e| (e.largest, e.smallest)), Some((3, 1)));
    assert_eq!(column(&profile, "visit", "code").shapes[0].shape, "AA-999");
    let visit = &table(&profile, "visit").references[0];
    assert_eq!((visit.table.as_str(), visit.holds, visit.favourites), ("town", Some(1.0), Some(1)));
    assert_eq!((visit.fan_out.first(), visit.fan_out.last()), (Some(&0), Some(&9)));
    // Declared nowhere, but it holds, and is named after the table.
    let tour = &table(&profile, "tour").references[0];
    assert_eq!((tour.columns.as_slice(), tour.table.as_str()), (&["visit_id".to_owned()][..], "visit"));
}

#[test]
fn one_database_gives_one_profile() {
    let folder = Folder::new();
    let path = folder.database("shop.sqlite", SHOP);
    for values in [0, 5] {
        let first = profile(&path, values);
        assert_eq!(first.text(), profile(&path, values).text());
        assert_eq!(Profile::read(&first.text()).unwrap(), first);
        let schema = Schema::from_sqlite(&path).unwrap();
        let (_, warnings) = first.bind(&schema).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}

#[test]
fn common_values_are_told_where_they_were_asked_for() {
    let folder = Folder::new();
    let path = folder.database("shop.sqlite", SHOP);
    let told = profile(&path, 5);
    let common: Vec<(Value, f64)> =
        column(&told, "town", "country").common.iter().map(|c| (c.value.clone(), c.share)).collect();
    assert_eq!(common, [("Peru".into(), 0.75), ("Chile".into(), 0.25)]);
    assert!(column(&told, "visit", "code").common.is_empty(), "each occurs once");
    let without = profile(&path, 0).text();
    for value in ["Peru", "Chile", "Town", "AB-", "1901-01-12", "2021-03-01"] {
        assert!(!without.contains(value), "{value}");
    }
}

/// Texts in a profile beside names, which no value may come near.
fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|v| texts(v, out)),
        Value::Object(map) => map.values().for_each(|v| texts(v, out)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever texts a database holds: without values, all that a profile says in letters is a name or a shape.
    #[test]
    fn no_text_of_the_database_is_told(rows in proptest::collection::vec(("\\PC{0,24}", any::<Option<i64>>(), "[a-z]{3,9}( [A-Z][a-z]{2,8})?"), 1..40)) {
        let connection_path = Folder::new();
        let path = connection_path.database("d.sqlite", "CREATE TABLE t (a TEXT, b INTEGER, c)");
        let connection = Connection::open(&path).unwrap();
        for (a, b, c) in &rows {
            connection.execute("INSERT INTO t VALUES (?1, ?2, ?3)", params![a, b, c]).unwrap();
        }
        drop(connection);
        let mut said = Vec::new();
        texts(&Value::from(profile(&path, 0)), &mut said);
        for text in said {
            let name = ["twinql-profile", "d", "SQLite file", "a", "b", "c", "t"].contains(&text.as_str());
            let shape = text.chars().all(|ch| "Aa9+? -/:.,@_()#%&'".contains(ch));
            prop_assert!(name || shape, "{text:?}");
        }
    }
}

#[test]
fn hostile_files_are_measured_or_refused() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("text.sqlite", &b"this is no database, though it is long enough to look like one"[..]),
        ("empty.sqlite", b""),
    ] {
        let path = folder.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert!(measure(&path, &MeasureConfig::default()).unwrap_err().to_string().contains(name));
    }
    assert!(measure(&folder.0.path().join("none.sqlite"), &MeasureConfig::default()).is_err());
    let path = folder.database(
        "odd.sqlite",
        "CREATE TABLE vacant (a INTEGER, b TEXT);
         CREATE TABLE untyped (a, b, \"c d\"\"e\");
         CREATE TABLE compact (k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID;
         CREATE TABLE computed (a INTEGER, b INTEGER AS (a * 2), c INTEGER AS (a + 1) STORED);
         CREATE TABLE big (a INTEGER, b REAL);
         CREATE VIEW seen AS SELECT a FROM untyped;
         CREATE VIEW broken AS SELECT * FROM nowhere;
         INSERT INTO untyped VALUES (1, 'x', NULL), (1.0, CAST(x'ff41fe' AS TEXT), x'00'), ('1', x'ff41fe', 9e999);
         INSERT INTO compact VALUES ('a', zeroblob(100)), ('b', NULL);
         INSERT INTO computed (a) VALUES (1), (2);
         INSERT INTO big VALUES (9223372036854775807, -9e999), (-9223372036854775808, 1e300);",
    );
    let measured = measure(&path, &MeasureConfig { values: 5, ..MeasureConfig::default() }).unwrap();
    assert!(measured.notes.is_empty(), "{:?}", measured.notes);
    let profile = measured.profile;
    assert_eq!(profile.tables.len(), 5);
    assert_eq!(table(&profile, "vacant").rows, Some(0));
    assert_eq!(column(&profile, "vacant", "a").distinct, Some(0));
    assert_eq!(column(&profile, "untyped", "a").distinct, Some(2), "1 and 1.0 are one");
    assert_eq!(column(&profile, "computed", "b").range, Some([2.0, 4.0]));
    // What is written is read, whatever numbers there are.
    assert_eq!(Profile::read(&profile.text()).unwrap(), profile);
    let schema = Schema::from_sqlite(&path).unwrap();
    let (bound, _) = profile.bind(&schema).unwrap();
    databases(&schema, "SELECT * FROM untyped, big, computed, compact, vacant", Some(bound), 3);
}

#[test]
fn a_locked_file_is_an_error_in_words() {
    let folder = Folder::new();
    let path = folder.database("shop.sqlite", SHOP);
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let error = measure(&path, &MeasureConfig::default()).unwrap_err().to_string();
    assert!(error.contains("locked"), "{error}");
}

#[test]
fn ten_thousand_tables_are_measured() {
    let folder = Folder::new();
    let sql: String =
        (0..10_000).map(|i| format!("CREATE TABLE t{i} (id INTEGER PRIMARY KEY, name TEXT);")).collect();
    let path = folder.database("many.sqlite", &format!("BEGIN; {sql} COMMIT;"));
    assert_eq!(profile(&path, 0).tables.len(), 10_000);
}

#[test]
fn large_tables_are_sampled_and_keys_checked() {
    let folder = Folder::new();
    let path = folder.database(
        "large.sqlite",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, twice INTEGER, kind INTEGER);
         WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO t SELECT i, i / 2, i % 7 FROM n;",
    );
    let profile = measure(&path, &MeasureConfig { rows: 2000, values: 0 }).unwrap().profile;
    let t = table(&profile, "t");
    assert_eq!((t.rows, t.sampled), (Some(20_000), Some(2000)));
    assert_eq!(
        (column(&profile, "t", "id").unique, column(&profile, "t", "id").distinct),
        (Some(true), Some(20_000))
    );
    // Every tenth row shows each value once, and the whole table shows it twice.
    assert_eq!(column(&profile, "t", "twice").unique, Some(false));
    assert_eq!(column(&profile, "t", "kind").distinct, Some(7));
}

/// Databases around a query, each of which keeps what the schema declares.
fn databases(schema: &Schema, gold: &str, profile: Option<Bound>, count: u64) -> Vec<twinql_suite::Database> {
    let facts = Facts::of(schema, &twinql_sql::parse(gold).unwrap().query);
    let all: Vec<usize> = (0..schema.tables.len()).collect();
    let plausible = Plausible::following(schema, &facts, &facts, &all, 3, profile.map(Arc::new));
    let kept = Semantics { nulls: twinql_sql::Nulls::Nullable, empty_tables: true, ..Semantics::default() };
    (0..count)
        .map(|index| {
            let database = plausible.database(index, index % 4 == 3);
            assert_eq!(database.check(schema, &kept), Ok(()), "{}", database.to_sql(schema));
            assert_eq!(database, plausible.database(index, index % 4 == 3));
            database
        })
        .collect()
}

#[test]
fn databases_follow_what_a_profile_says() {
    let folder = Folder::new();
    let path = folder.database("shop.sqlite", SHOP);
    let schema = Schema::from_sqlite(&path).unwrap();
    let at = |table: &str, column: &str| {
        let table = schema.table_index(table).unwrap();
        ColumnRef { table, column: schema.tables[table].column_index(column).unwrap() }
    };
    let (bound, _) = profile(&path, 5).bind(&schema).unwrap();
    let gold = "SELECT t.name FROM town t JOIN visit v ON v.town_id = t.id WHERE v.price > 2";
    let made = databases(&schema, gold, Some(bound), 16);
    for database in &made {
        let cells = |at: ColumnRef| database.rows(at.table).iter().map(move |r| r[at.column].clone());
        assert!((5..=40).contains(&database.rows(at("town", "id").table).len()));
        for name in cells(at("town", "name")) {
            assert_eq!(cells(at("town", "name")).filter(|n| *n == name).count(), 1, "names are unique");
        }
        for country in cells(at("town", "country")) {
            assert!(
                [twinql_sql::Value::Text("Peru".into()), twinql_sql::Value::Text("Chile".into())]
                    .contains(&country)
            );
        }
        for day in cells(at("visit", "day")) {
            assert!(matches!(&day, twinql_sql::Value::Text(t) if t.starts_with("2021-")), "{day:?}");
        }
        for price in cells(at("visit", "price")) {
            assert!((0.5..=10.5).contains(&price.as_f64().unwrap()));
        }
    }
    let nulls: usize = made
        .iter()
        .flat_map(|d| d.rows(at("visit", "guide").table))
        .filter(|r| r[at("visit", "guide").column] == twinql_sql::Value::Null)
        .count();
    assert!(nulls > 30, "a quarter of some 320: {nulls}");
}

#[test]
fn every_bundled_schema_keeps_its_keys_under_a_profile() {
    let schemas = schemas();
    let folder = Folder::new();
    let mut done = std::collections::BTreeSet::new();
    for (sql, db_id) in &golds() {
        if !done.insert(db_id.clone()) {
            continue;
        }
        let schema = &schemas[db_id];
        // A database that was made, as if it were somebody's own.
        let given = databases(schema, sql, None, 1).remove(0);
        let path = folder.database(&format!("{db_id}.sqlite"), &given.to_sql(schema));
        let measured = profile(&path, 3);
        let (bound, _) = measured.bind(schema).unwrap_or_else(|e| panic!("{db_id}: {e:?}"));
        databases(schema, sql, Some(bound), 4);
    }
    assert!(done.len() > 10);
}

#[test]
fn contradictions_are_errors_or_warnings() {
    let schema = Schema::from_ddl(
        "d",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INTEGER NOT NULL); CREATE TABLE u (t_id INTEGER REFERENCES t (id));",
    )
    .unwrap();
    let read = |tables: &str| {
        Profile::read(&format!(r#"{{"format": "twinql-profile", "version": 1, "tables": {{{tables}}}}}"#))
            .unwrap()
    };
    for (tables, says) in [
        (r#""x": {}"#, "tables.x: the schema d has no table of this name"),
        (r#""t": {}, "T": {}"#, "tables.T: names a table that stands above"),
        (
            r#""t": {"columns": {"nam": {}}}"#,
            "tables.t.columns.nam: table t has no column \"nam\"; it has id, name, n",
        ),
        (
            r#""t": {"rows": 2, "columns": {"n": {"distinct": 3}}}"#,
            "tables.t.columns.n.distinct: 3 distinct values in 2 rows",
        ),
        (
            r#""t": {"rows": 9, "columns": {"n": {"distinct": 3, "unique": true}}}"#,
            "tables.t.columns.n.unique: 3 distinct values in 9 rows",
        ),
        (r#""t": {"columns": {"n": {"null_share": 1.5}}}"#, "tables.t.columns.n.null_share: 1.5 is no share"),
        (r#""t": {"columns": {"n": {"range": [3, 1]}}}"#, "tables.t.columns.n.range: 3 is larger than 1"),
        (
            r#""t": {"columns": {"n": {"range": [1, 3], "quantiles": [1, 5]}}}"#,
            "tables.t.columns.n.quantiles: lie outside",
        ),
        (r#""t": {"columns": {"n": {"quantiles": [5, 1]}}}"#, "tables.t.columns.n.quantiles: must go from"),
        (r#""t": {"columns": {"name": {"lengths": [5, 1]}}}"#, "tables.t.columns.name.lengths: 5 is larger"),
        (
            r#""t": {"columns": {"name": {"common": [{"value": "a", "share": 0.7}, {"value": "b", "share": 0.7}]}}}"#,
            "tables.t.columns.name.common: the shares come to 1.400",
        ),
        (
            r#""t": {"columns": {"name": {"common": [{"value": null, "share": 0.7}]}}}"#,
            "tables.t.columns.name.common[0].value: must be",
        ),
        (r#""t": {"keys": [["id"]]}"#, "tables.t.keys[0]: has fewer than two columns"),
        (r#""t": {"keys": [["id", "x"]]}"#, "tables.t.keys[0]: table t has no column"),
        (r#""t": {"dependencies": [["id", "x"]]}"#, "tables.t.dependencies[0]: table t has no column"),
        (
            r#""u": {"references": [{"columns": ["t_id"], "table": "v", "target_columns": ["id"]}]}"#,
            "tables.u.references[0].table: the schema has no table \"v\"",
        ),
        (
            r#""u": {"references": [{"columns": ["t_id"], "table": "t", "target_columns": ["id", "n"]}]}"#,
            "tables.u.references[0]: 1 columns refer to 2",
        ),
        (
            r#""u": {"rows": 3, "references": [{"columns": ["t_id"], "table": "t", "target_columns": ["id"], "fan_out": [0, 9]}]}"#,
            "tables.u.references[0].fan_out: 9 rows refer to one",
        ),
    ] {
        let errors = read(tables).bind(&schema).unwrap_err();
        assert!(errors[0].to_string().starts_with(says), "{}", errors[0]);
    }
    for (tables, says) in [
        (
            r#""t": {"columns": {"n": {"null_share": 0.5}}}"#,
            "tables.t.columns.n.null_share: the schema says that the column is never NULL",
        ),
        (r#""t": {"columns": {"id": {"null_share": 0.5}}}"#, "tables.t.columns.id.null_share: "),
        (
            r#""t": {"columns": {"id": {"unique": false}}}"#,
            "tables.t.columns.id.unique: the schema says that the column is a key",
        ),
        (r#""t": {"columns": {"n": {"number_share": 0}}}"#, "tables.t.columns.n: holds texts"),
        (
            r#""t": {"columns": {"name": {"number_share": 1, "range": [1, 2]}}}"#,
            "tables.t.columns.name: holds numbers",
        ),
        (
            r#""u": {"references": [{"columns": ["t_id"], "table": "t", "target_columns": ["id"], "holds": 0.5}]}"#,
            "tables.u.references[0].holds: 50.00 %",
        ),
    ] {
        let (bound, warnings) = read(tables).bind(&schema).unwrap();
        assert!(warnings.len() == 1 && warnings[0].to_string().starts_with(says), "{warnings:?}");
        let kept = databases_of(&schema, bound);
        assert!(kept > 0);
    }
}

/// Rows of databases under a profile that the schema contradicts: keys and types still hold.
fn databases_of(schema: &Schema, bound: Bound) -> usize {
    let facts = Facts::of(schema, &twinql_sql::parse("SELECT name FROM t WHERE n > 1").unwrap().query);
    let plausible = Plausible::following(schema, &facts, &facts, &[0, 1], 3, Some(Arc::new(bound)));
    // A reference that does not hold in fact need not hold here.
    let kept = Semantics {
        nulls: twinql_sql::Nulls::Nullable,
        empty_tables: true,
        foreign_keys_hold: false,
        ..Semantics::default()
    };
    (0..6)
        .map(|i| {
            let database = plausible.database(i, false);
            assert_eq!(database.check(schema, &kept), Ok(()), "{}", database.to_sql(schema));
            database.len()
        })
        .sum()
}

#[test]
fn the_document_names_every_field() {
    let document = include_str!("../../../../docs/profiles.md");
    let full = serde_json::from_str::<Value>(
        r#"{"distinct": 1, "unique": true, "null_share": 0, "number_share": 0, "whole_share": 0, "range": [0, 1], "quantiles": [0, 1],
            "extremes": {"largest": 1, "smallest": 1}, "years": [1, 2], "lengths": [1, 2], "shapes": [{"shape": "a", "share": 1}],
            "frequencies": [1], "common": [{"value": 1, "share": 1}]}"#,
    )
    .unwrap();
    let column: ColumnProfile = serde_json::from_value(full).unwrap();
    // Whatever a column can say is written, so this list is all of it.
    let Value::Object(fields) = serde_json::to_value(column).unwrap() else { unreachable!() };
    let table = ["rows", "sampled", "columns", "keys", "dependencies", "references"];
    let reference = ["columns", "table", "target_columns", "holds", "fan_out", "favourites"];
    let head = ["format", "version", "db_id", "source", "tables"];
    for field in fields.keys().map(String::as_str).chain(table).chain(reference).chain(head) {
        assert!(document.contains(&format!("| `{field}` |")), "{field}");
    }
    let example = document.split("```json\n").nth(1).and_then(|t| t.split("```").next()).unwrap();
    let read = Profile::read(example).unwrap();
    assert_eq!(read.tables.len(), 2);
}
