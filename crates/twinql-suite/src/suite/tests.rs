use std::io::{Read, Write};
use std::sync::Arc;

use twinql_sql::Schema;

use super::{DistilConfig, RunOptions, RunPair, RunVerdict, Suite, SuiteError, Task, build, run};
use crate::testing::schema;

fn tasks() -> Vec<Task> {
    let golds = |list: &[&str]| list.iter().map(|g| (*g).to_owned()).collect();
    let pets = Schema::from_ddl(
        "pets",
        "CREATE TABLE pet (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, weight REAL, photo BLOB);",
    );
    vec![
        Task {
            schema: schema(),
            golds: golds(&[
                "SELECT name FROM singer WHERE age > 20",
                "SELECT country, COUNT(*) FROM singer GROUP BY country",
            ]),
            values: None,
            profile: None,
        },
        Task {
            schema: pets.unwrap(),
            golds: golds(&["SELECT kind FROM pet WHERE weight > 2.5", "SELECT COUNT(*) FROM pet"]),
            values: None,
            profile: None,
        },
    ]
}

fn config() -> DistilConfig {
    DistilConfig { max_databases: 30, aimed: 8, neighbours: 40, extra: 2, ..DistilConfig::default() }
}

fn suite() -> Suite {
    build(&tasks(), &config(), None, &|_| (), &|_| ()).unwrap()
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| suite().to_bytes().unwrap())
    };
    let one = bytes(1);
    assert_eq!(one, bytes(3));
    assert_eq!(Suite::from_bytes(&one).unwrap(), suite());
}

#[test]
fn damaged_files_are_refused_with_a_reason() {
    let bytes = suite().to_bytes().unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    let unsealed = |text: &str| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    };
    let pack = |text: &str| super::seal::seal(unsealed(text));
    assert_eq!(Suite::from_bytes(&pack(&text)).unwrap(), suite());
    assert!(matches!(Suite::from_bytes(&unsealed(&text)), Err(SuiteError::NoChecksum)));
    for (bytes, says) in [
        (Vec::new(), "gzip"),
        (b"SELECT 1".to_vec(), "gzip"),
        (bytes[..bytes.len() / 2].to_vec(), "cut off"),
        (pack(""), "empty"),
        (pack("{}"), "header"),
        (pack("{\"format\":\"x\",\"version\":1}"), "format \"x\""),
        (pack(&text.replacen("\"version\":1", "\"version\":2", 1)), "version 2"),
        (pack(&text[..text.len() - 3]), "schema 2"),
        (pack(text.lines().next().unwrap()), "counts"),
        (pack(&text.replacen("\"target\":0", "\"target\":9", 1)), "key"),
        (pack(&text.replacen("\"tried\":", "\"tried\":1", 1)), "counts"),
    ] {
        let error = Suite::from_bytes(&bytes).unwrap_err();
        assert!(error.to_string().contains(says), "{error} should say {says}");
    }
}

/// Bits of the gzip header, of the packed text, of both checksums: no file with one wrong bit is read.
#[test]
fn a_suite_with_a_flipped_bit_is_refused() {
    let bytes = suite().to_bytes().unwrap();
    let mut dice = crate::dice::Dice::new(8, 0);
    let ends = (0..200).chain((bytes.len() - 110) * 8..bytes.len() * 8);
    let inner: Vec<usize> = (0..400).map(|_| dice.below(bytes.len() * 8)).collect();
    for bit in ends.chain(inner) {
        let mut bad = bytes.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        let error = Suite::from_bytes(&bad).unwrap_err();
        assert!(
            matches!(error, SuiteError::Checksum | SuiteError::NoChecksum)
                || error.to_string().contains("gzip"),
            "bit {bit}: {error}"
        );
    }
}

#[test]
fn a_killed_build_goes_on_where_it_stopped() {
    let folder = std::env::temp_dir().join(format!("twinql-suite-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("x.partial");
    let whole = build(&tasks(), &config(), Some((&path, false)), &|_| (), &|_| ()).unwrap();
    // Cut within the last line: that schema is distilled again, the other is not.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
    let done = std::sync::Mutex::new(Vec::new());
    let note = |n: usize| done.lock().unwrap().push(n);
    let again = build(&tasks(), &config(), Some((&path, true)), &|_| (), &note).unwrap();
    assert_eq!(again, whole);
    assert_eq!(*done.lock().unwrap(), [2]);
    // Work under another configuration is of no use.
    let other = DistilConfig { seed: 9, ..config() };
    done.lock().unwrap().clear();
    let note = |n: usize| done.lock().unwrap().push(n);
    build(&tasks(), &other, Some((&path, true)), &|_| (), &note).unwrap();
    assert_eq!(done.lock().unwrap().len(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn verdicts_of_a_run() {
    let suite = suite();
    let gold = "SELECT name FROM singer WHERE age > 20";
    let cases = [
        ("test", gold, gold, "same"),
        ("test", gold, "SELECT T1.name FROM singer AS T1 WHERE 20 < T1.age", "same"),
        ("test", gold, "SELECT name FROM singer WHERE age >= 20", "different"),
        ("test", gold, "SELECT name, age FROM singer WHERE age > 20", "different"),
        ("test", gold, "SELECT name FROM singer WHERE age > 'terminal'", "different"),
        ("test", gold, "SELECT nam FROM singer", "pred_error"),
        ("test", gold, "DROP TABLE singer", "pred_error"),
        ("test", gold, "", "pred_error"),
        (
            "test",
            gold,
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c",
            "timeout",
        ),
        ("test", "SELECT nothing", gold, "gold_error"),
        ("missing", gold, gold, "gold_error"),
        ("pets", "SELECT COUNT(*) FROM pet", "SELECT COUNT(id) FROM pet", "same"),
    ];
    let pairs: Vec<RunPair> = cases
        .iter()
        .map(|(db, g, p, _)| RunPair { db_id: Arc::from(*db), gold: Arc::from(*g), pred: Arc::from(*p) })
        .collect();
    let options = RunOptions {
        limits: crate::Limits { steps: 200_000, ..crate::Limits::default() },
        ..RunOptions::default()
    };
    let name = |v: &RunVerdict| serde_json::to_value(&v.verdict).unwrap()["verdict"].clone();
    let verdicts = run(&suite, &pairs, options, &|_| ());
    for ((_, g, p, says), verdict) in cases.iter().zip(&verdicts) {
        assert_eq!(name(verdict), *says, "{g} / {p}: {verdict:?}");
    }
    // The gold's 20 takes the place of 'terminal'.
    let plugged = run(&suite, &pairs, RunOptions { plug_values: true, ..options }, &|_| ());
    assert!(plugged[4].right(), "{:?}", plugged[4]);
    assert!(!plugged[2].right());
}

/// A prediction that differs on odd databases alone passes on plausible ones, a wrong one does not; and what a gold
/// that finds nothing says counts for nothing.
#[test]
fn plausible_suites_refute_what_is_wrong_on_databases_as_people_have_them() {
    const DDL: &str = "CREATE TABLE power (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, height INTEGER, power_id INTEGER REFERENCES power (id));";
    let named = "SELECT COUNT(*) FROM hero h JOIN power p ON h.power_id = p.id WHERE p.name = 'Stealth'";
    let tallest = "SELECT name FROM hero ORDER BY height DESC LIMIT 1";
    let sum = "SELECT SUM(height) FROM hero WHERE name LIKE 'Bat%'";
    let tasks = [Task {
        schema: twinql_sql::Schema::from_ddl("heroes", DDL).unwrap(),
        golds: [named, tallest, sum].map(str::to_owned).to_vec(),
        values: None,
        profile: None,
    }];
    let semantics = twinql_sql::Semantics::preset("bird").unwrap();
    let suite = |plausible| {
        let config = DistilConfig {
            plausible,
            neighbours: 40,
            aimed: 10,
            semantics: semantics.clone(),
            ..DistilConfig::default()
        };
        build(&tasks, &config, None, &|_| (), &|_| ()).unwrap()
    };
    let (telling, plausible) = (suite(false), suite(true));
    assert_eq!(plausible, suite(true));
    let bytes = plausible.to_bytes().unwrap();
    assert_eq!(Suite::from_bytes(&bytes).unwrap(), plausible);
    let counts = plausible.counts();
    assert!(counts.share() > 0.8 && counts.databases < 60, "{counts:?}");
    let right = |suite: &Suite, gold: &str, pred: &str| {
        let pair = RunPair { db_id: "heroes".into(), gold: gold.into(), pred: pred.into() };
        run(suite, &[pair], RunOptions::default(), &|_| ()).remove(0).right()
    };
    for (gold, pred) in [
        (named, "SELECT COUNT(*) FROM hero WHERE power_id = (SELECT id FROM power WHERE name = 'Stealth')"),
        (tallest, "SELECT name FROM hero WHERE height = (SELECT MAX(height) FROM hero)"),
        (sum, "SELECT COALESCE(SUM(height), 0) FROM hero WHERE name LIKE 'Bat%'"),
    ] {
        // Whether two heroes tie on a database that was made to tell neighbours apart is left to chance.
        assert!(gold == tallest || !right(&telling, gold, pred), "{gold} / {pred}");
        assert!(right(&plausible, gold, pred), "{gold} / {pred}");
    }
    for (gold, pred) in [
        (named, "SELECT COUNT(*) FROM hero"),
        (tallest, "SELECT name FROM hero ORDER BY height LIMIT 1"),
        (sum, "SELECT SUM(height) FROM hero"),
    ] {
        assert!(!right(&plausible, gold, pred), "{gold} / {pred}");
    }
}

/// A file from elsewhere: its version is looked at first.
#[test]
fn versions_are_named() {
    assert!(SuiteError::Version(7).to_string().contains("version 7"));
}
