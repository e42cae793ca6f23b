//! Hostile SQL: what a prediction may try, against generated databases and users' files.
//!
//! Every text of [`inputs`] has to end within the limits, with an error, and leave the databases and the
//! folder as they were. Limits are counted in SQLite's steps and bytes, so that no outcome depends on the
//! machine's speed.

mod inputs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;
use twinql_sql::{Semantics, Value};

use crate::execute::{ExecError, Limits, Sandbox};
use crate::files::{FileConfig, FileJudge, FileVerdict, Files, Ties};
use crate::generate::Generator;
use crate::testing::schema;
use inputs::hostile;

#[test]
fn hostile_sql_is_bounded_and_changes_nothing() {
    let schema = schema();
    let limits = Limits { steps: 200_000, ..Limits::default() };
    let sandbox = Sandbox::new(&schema, limits).unwrap();
    let semantics = Semantics::default();
    let database = Generator::new(&schema, &semantics, &[], &[0, 1], 1).database(20).unwrap();
    let mut loader = sandbox.loader(&[0, 1]).unwrap();
    loader.load(&database).unwrap();
    let content = |sandbox: &Sandbox| {
        ["SELECT * FROM singer", "SELECT * FROM concert", "SELECT count(*) FROM sqlite_schema"]
            .map(|sql| sandbox.prepare(sql).and_then(|mut p| p.run(0)))
    };
    let before = content(&sandbox);
    let fingerprint = sandbox.fingerprint();
    for (what, sql) in hostile() {
        let result = sandbox.prepare(&sql).and_then(|mut p| p.run(0));
        assert!(result.is_err(), "{what} gave an answer");
        // What stopped it must not depend on how fast the machine is.
        assert_ne!(result, Err(ExecError::Limit("time")), "{what}");
        assert_eq!(content(&sandbox), before, "{what} changed something");
        assert_eq!(sandbox.fingerprint(), fingerprint, "{what} changed something");
    }
    // Odd, but no error: a quoted name that is no column is a string, bytes that are no text.
    for (sql, value) in [
        ("SELECT \"nme\" FROM singer LIMIT 1", Value::Text("nme".into())),
        ("SELECT CAST(x'ff' AS TEXT)", Value::Text("\u{fffd}".into())),
        ("SELECT x'00ff'", Value::Blob(vec![0, 255])),
        ("SELECT 1 -- a comment;", Value::Integer(1)),
        ("\u{feff}SELECT 1", Value::Integer(1)),
        ("SELECT\r\n1;\r\n", Value::Integer(1)),
    ] {
        let answer = sandbox.prepare(sql).and_then(|mut p| p.run(0)).unwrap();
        assert_eq!(answer.rows, [[value]], "{sql}");
    }
    assert_eq!(sandbox.fingerprint(), fingerprint);
    // The wall behind the authorizer.
    assert!(sandbox.write_past_the_authorizer("DELETE FROM singer").is_err());
    loader.load(&database).unwrap();
    assert_eq!(sandbox.fingerprint(), fingerprint);
    assert!(!std::path::Path::new("twinql-test.db").exists());
}

/// A query that ran out of memory does not take others along.
#[test]
fn memory_is_taken_from_the_one_that_wants_it() {
    let hog = "WITH RECURSIVE r(n, z) AS (SELECT 1, zeroblob(60000) UNION ALL SELECT n + 1, zeroblob(60000) FROM r) \
               SELECT count(*) FROM (SELECT z FROM r ORDER BY z || n LIMIT -1 OFFSET 1)";
    std::thread::scope(|scope| {
        let hogs = scope.spawn(|| {
            let sandbox = Sandbox::new(&schema(), Limits::default()).unwrap();
            (0..3).map(|_| sandbox.prepare(hog).and_then(|mut p| p.run(0))).collect::<Vec<_>>()
        });
        let others = scope.spawn(|| {
            (0..300)
                .filter(|_| {
                    let sandbox = Sandbox::new(&schema(), Limits::default()).unwrap();
                    let sql = "SELECT count(*) FROM singer WHERE name = hex(zeroblob(20000))";
                    sandbox.prepare(sql).and_then(|mut p| p.run(0)).is_err()
                })
                .count()
        });
        for result in hogs.join().unwrap() {
            assert_eq!(result, Err(ExecError::Limit("memory")));
        }
        assert_eq!(others.join().unwrap(), 0);
    });
}

/// A folder that is removed in the end.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// `DB/FILE`, made by these statements.
    fn database(&self, file: &str, statements: &str) -> PathBuf {
        let path = self.0.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_CREATE;
        let connection = Connection::open_with_flags(&path, flags).unwrap();
        connection.execute_batch(statements).unwrap();
        path
    }

    /// Every file and its bytes.
    fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(folder: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, into);
                } else {
                    into.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        let mut all = BTreeMap::new();
        walk(self.0.path(), &mut all);
        all
    }
}

const ROWS: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
    INSERT INTO singer VALUES (1, 'Ann', 30), (2, 'Bob', 30), (3, 'Cid', 41);
    CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER, theme TEXT);
    INSERT INTO concert VALUES (1, 1, 'x'), (2, 1, 'y');
    CREATE VIEW adults AS SELECT name, date('now') AS today FROM singer WHERE age > 35;";

#[test]
fn hostile_sql_leaves_files_as_they_are() {
    let folder = Folder::new();
    let file = folder.database("music/music.sqlite", ROWS);
    let before = folder.content();
    let limits = Limits { steps: 200_000, rows: 20_000, ..Limits::for_files() };
    let config = FileConfig { limits, ..FileConfig::default() };
    let mut judge = FileJudge::new(config);
    let files = [file];
    for (what, sql) in hostile() {
        let verdict = judge.report(&files, "SELECT name FROM singer", &sql).verdict;
        assert!(
            matches!(verdict, FileVerdict::PredError { .. } | FileVerdict::Timeout { .. }),
            "{what}: {verdict:?}"
        );
        assert_eq!(folder.content(), before, "{what} changed something");
    }
    let verdict = judge.report(&files, "SELECT name FROM singer", "SELECT name FROM singer WHERE id > 0");
    assert!(matches!(verdict.verdict, FileVerdict::Same { files: 1, nonempty: 1 }));
    drop(judge);
    assert_eq!(folder.content(), before);
}

#[test]
fn files_that_cannot_be_used_cost_their_pair() {
    let folder = Folder::new();
    let good = folder.database("a b?mode=rwc&x=%41#y/a b?mode=rwc&x=%41#y.sqlite", ROWS);
    let bytes = std::fs::read(&good).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let mut overwritten = bytes.clone();
    overwritten[100..1_000].fill(0xff);
    let missing = folder.0.path().join("missing.sqlite");
    let waiting = write("waiting.sqlite", &bytes);
    write("waiting.sqlite-wal", b"frames");
    let before = folder.content();
    let mut judge = FileJudge::new(FileConfig::default());
    let mut on = |file: &Path| {
        let (gold, pred) = ("SELECT name FROM singer", "SELECT s.name FROM singer s");
        judge.report(&[file.to_owned()], gold, pred).verdict
    };
    assert!(matches!(on(&good), FileVerdict::Same { files: 1, .. }));
    for (file, says) in [
        (&missing, "missing.sqlite: No such file"),
        (&write("empty.sqlite", b""), "is empty"),
        (&write("text.sqlite", b"not a database at all, only some text in a file"), "not a database"),
        (&waiting, "write-ahead log"),
        (&folder.0.path().to_owned(), "not a file"),
        (&write("header.sqlite", &overwritten), ""),
    ] {
        let FileVerdict::FileError { message } = on(file) else {
            panic!("{}: {:?}", file.display(), on(file));
        };
        assert!(message.contains(says), "{message}");
    }
    // Found only when the table is read.
    let truncated = on(&write("truncated.sqlite", &bytes[..bytes.len() / 3]));
    assert!(
        matches!(truncated, FileVerdict::FileError { .. } | FileVerdict::GoldError { .. }),
        "{truncated:?}"
    );
    // Nothing was created, nothing else changed.
    assert!(!missing.exists());
    for (path, content) in before {
        assert_eq!(std::fs::read(&path).unwrap(), content, "{}", path.display());
    }
}

#[test]
fn answers_on_files() {
    let folder = Folder::new();
    folder.database("music/music.sqlite", ROWS);
    folder.database("music/music_1.sqlite", &ROWS.replace("41", "12").replace("'Bob', 30", "'Bob', 30.0"));
    folder.database("alone.db", "CREATE TABLE t (a, b); INSERT INTO t VALUES (CAST(x'ff41' AS TEXT), 'A')");
    let files = Files::find(folder.0.path()).unwrap();
    assert_eq!(files.ids().collect::<Vec<_>>(), ["alone", "music"]);
    assert_eq!(files.of("music").unwrap().len(), 2);
    assert!(Files::find(folder.0.path().join("music")).is_ok());
    assert!(Files::find(folder.0.path().join("nowhere")).is_err());
    let judged = |preset: &str, gold: &str, pred: &str| {
        let semantics = Semantics::preset(preset).unwrap();
        let mut judge = FileJudge::new(FileConfig::new(semantics));
        judge.report(files.of("music").unwrap(), gold, pred).verdict
    };
    for (preset, gold, pred, same) in [
        ("default", "SELECT name, age FROM singer", "SELECT age, name FROM singer", true),
        ("bird", "SELECT name, age FROM singer", "SELECT age, name FROM singer", false),
        ("default", "SELECT age FROM singer", "SELECT DISTINCT age FROM singer", false),
        ("spider", "SELECT age FROM singer", "SELECT DISTINCT age FROM singer", true),
        ("bird", "SELECT age FROM singer", "SELECT DISTINCT age FROM singer", true),
        // Only the second file tells them apart.
        ("default", "SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer", false),
        // Ties: as returned, or as possible.
        (
            "default",
            "SELECT name FROM singer ORDER BY age",
            "SELECT name FROM singer ORDER BY age, id DESC",
            true,
        ),
        (
            "spider",
            "SELECT name FROM singer ORDER BY age",
            "SELECT name FROM singer ORDER BY age, id DESC",
            false,
        ),
        ("default", "SELECT name FROM singer ORDER BY age", "SELECT name FROM singer", false),
        (
            "default",
            "SELECT name FROM singer WHERE id = 1 ORDER BY age",
            "SELECT name FROM singer WHERE id = 1",
            true,
        ),
        ("default", "SELECT name FROM singer WHERE 0", "SELECT name, age FROM singer WHERE 0", false),
        ("default", "SELECT name FROM adults", "SELECT name FROM singer WHERE age > 35", true),
        ("default", "SELECT today FROM adults", "SELECT '2020-06-15' FROM adults", true),
        (
            "default",
            "SELECT name FROM singer WHERE age > = 20",
            "SELECT name FROM singer WHERE age >= 20",
            true,
        ),
    ] {
        let verdict = judged(preset, gold, pred);
        assert_eq!(
            matches!(verdict, FileVerdict::Same { files: 2, .. }),
            same,
            "{preset}: {gold} | {pred}: {verdict:?}"
        );
    }
    assert!(matches!(
        judged("default", "SELECT nme FROM singer", "SELECT 1"),
        FileVerdict::GoldError { message, .. } if message.contains("nme")
    ));
    assert!(matches!(judged("default", "SELECT 1", "DELETE FROM singer"), FileVerdict::PredError { .. }));
    let mut judge = FileJudge::new(FileConfig::default());
    assert!(matches!(judge.report(&[], "SELECT 1", "SELECT 1").verdict, FileVerdict::FileError { .. }));
    // Bytes that are no UTF-8 are read as replacement characters.
    let alone = files.of("alone").unwrap();
    let verdict = judge.report(alone, "SELECT a FROM t", "SELECT substr(a, 1) FROM t").verdict;
    assert!(matches!(verdict, FileVerdict::Same { .. }), "{verdict:?}");
    assert_eq!(FileConfig::default().ties, Ties::Possible);
}
