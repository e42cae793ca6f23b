//! `twinql profile` through the clients of other databases: stand-ins for them, and the real ones where they are.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use crate::support::{Folder, one_pair, says};
use serde_json::Value;

const STATS: &str = "\
schemaname,tablename,attname,null_frac,n_distinct,most_common_vals,most_common_freqs,histogram_bounds
public,singer,id,0,-1,,,\"{1,2,3,4}\"
public,singer,name,0,-0.75,\"{\"\"Anna Zumbrunn\"\"}\",{0.5},\"{Bo,Cy}\"
";

/// A folder with a shell script that stands in for a client.
fn with_client(name: &str, script: &str) -> Folder {
    let folder = Folder::with("stats.csv", STATS);
    folder.write("class.csv", "relname,reltuples\nsinger,4\n");
    folder.write(name, format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Answers as `psql` would, and notes how it was called.
const PSQL: &str = "\
printf '%s\\n' \"$@\" >> argv
printf '%s|%s\\n' \"$PGPASSWORD\" \"$PGOPTIONS\" >> environment
case \"$*\" in *pg_stats*) cat stats.csv ;; *) cat class.csv ;; esac";

/// A document on stdout.
fn profile(out: &str) -> Value {
    serde_json::from_str(out).unwrap()
}

#[test]
fn a_server_is_read_by_psql() {
    let folder = with_client("client", PSQL);
    let address = "postgres://me:se%3Acret@host:5433/concerts?sslmode=require";
    let (out, err) = folder.run(&["profile", address, "--psql", "./client"], 0);
    let found = profile(&out);
    assert_eq!(found["db_id"], "concerts");
    assert_eq!(found["tables"]["singer"]["rows"], 4);
    assert_eq!(found["tables"]["singer"]["columns"]["name"]["distinct"], 3);
    assert!(!out.contains("Zumbrunn"), "{out}");
    let argv = folder.read("argv");
    assert!(
        argv.contains("--no-psqlrc") && argv.contains("postgres://me@host:5433/concerts?sslmode=require")
    );
    assert!(argv.contains("BEGIN READ ONLY") && argv.contains("E'public'"), "{argv}");
    for told in [&argv, &out, &err] {
        assert!(!told.contains("cret"), "{told}");
    }
    assert_eq!(folder.read("environment"), "se:cret|-c default_transaction_read_only=on\n".repeat(2));
}

#[test]
fn variables_name_the_client_and_flags_the_schema() {
    let folder = with_client("client", PSQL);
    let args =
        ["profile", "postgresql://host/", "--db-id", "mine", "--pg-schema", "o'clock", "--values", "1"];
    let run = folder.twinql(&args).env("TWINQL_PSQL", folder.path("client")).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let found = profile(&String::from_utf8(run.stdout).unwrap());
    assert_eq!(found["db_id"], "mine");
    assert!(found.to_string().contains("Anna Zumbrunn"));
    assert!(folder.read("argv").contains("E'o''clock'"));
}

#[test]
fn what_psql_says_is_shown_without_the_password() {
    let folder = with_client("client", "echo \"FATAL: no entry for $PGPASSWORD\" >&2; exit 2");
    let args = ["profile", "postgres://me:hushhush@host/db", "--psql", "./client"];
    folder.refuses(&args, &["postgres://…@host/db: ./client failed: FATAL: no entry for …"]);
    let (_, err) = folder.run(&args, 2);
    assert!(!err.contains("hushhush"), "{err}");
    // An error without a word.
    let folder = with_client("client", "exit 3");
    folder.refuses(&args, &["exit status: 3"]);
    // What is no CSV of statistics.
    let folder = with_client("client", "echo hello");
    folder.refuses(&args, &["postgres://…@host/db", "the schema public", "pg_"]);
    let folder =
        with_client("client", "case \"$*\" in *pg_stats*) head -1 stats.csv ;; *) cat class.csv ;; esac");
    folder.refuses(&args, &["ANALYZE"]);
}

#[test]
fn clients_are_stopped_in_time() {
    let folder = with_client("client", "sleep 60");
    let began = Instant::now();
    let args = ["profile", "postgres://me:hush@host/db", "--psql", "./client", "--client-seconds", "1"];
    folder.refuses(&args, &["longer than 1 s", "--client-seconds"]);
    assert!(began.elapsed() < Duration::from_secs(30));
    // The client is gone, and what it started holds the pipes.
    let folder = with_client("client", "sleep 60 & echo no >&2; exit 1");
    folder.refuses(&args, &["longer than 1 s"]);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn addresses_that_cannot_be_used() {
    let folder = Folder::new();
    let missing = ["profile", "postgres://me:hush@host/db", "--psql", "./none"];
    folder.refuses(
        &missing,
        &["postgres://…@host/db: ./none was not found", "--psql", "\\copy", "--pg-stats stats.csv"],
    );
    let (_, err) = folder.run(&missing, 2);
    assert!(!err.contains("hush"), "{err}");
    folder.refuses(&["profile", "postgres://me:half/other@host/db"], &["%40"]);
    let mut nameless = folder.twinql(&["profile", "postgres://host"]);
    let out = nameless.env_remove("PGDATABASE").env_remove("PGUSER").output().unwrap();
    assert!(String::from_utf8_lossy(&out.stderr).contains("--db-id") && out.status.code() == Some(2));
}

/// A file that begins as DuckDB's do.
fn duck(folder: &Folder, name: &str) {
    let mut bytes = vec![0; 64];
    bytes[8..12].copy_from_slice(b"DUCK");
    folder.write(name, bytes);
}

/// Lists one statement, and copies a file that is ready to where the script on stdin says.
const DUCKDB: &str = "\
printf '%s\\n' \"$@\" >> argv
cat > script
cat script >> scripts
case \"$*\" in
*-json*) echo '[{\"statement\":\"CREATE TABLE \\\"t\\\"(\\\"a\\\" BIGINT)\"}]' ;;
*) cp ready.sqlite \"$(sed -n \"s/^ATTACH '\\(.*\\)' AS copy (TYPE sqlite);$/\\1/p\" script)\" ;;
esac";

#[test]
fn a_duckdb_file_is_copied_by_duckdb() {
    let folder = with_client("client", DUCKDB);
    rusqlite::Connection::open(folder.path("ready.sqlite"))
        .unwrap()
        .execute_batch("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (3), (5)")
        .unwrap();
    duck(&folder, "o'clock.duckdb");
    let kept = folder.path("temporary");
    std::fs::create_dir(&kept).unwrap();
    let run = folder
        .twinql(&["profile", "o'clock.duckdb", "--duckdb", "./client"])
        .env("TMPDIR", &kept)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let found = profile(&String::from_utf8(run.stdout).unwrap());
    assert_eq!((&found["db_id"], &found["source"]), (&"o'clock".into(), &"DuckDB file".into()));
    assert_eq!(found["tables"]["t"]["columns"]["a"]["range"], serde_json::json!([3.0, 5.0]));
    let scripts = folder.read("scripts");
    says(&scripts, &["o''clock.duckdb' AS source (READ_ONLY)", "CREATE TABLE \"t\"(\"a\" BIGINT);\n"]);
    // The copy is gone.
    assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 0);
}

#[test]
fn duckdb_files_that_cannot_be_copied() {
    let folder =
        with_client("client", "cat > script; echo 'Install it first using \"INSTALL sqlite\".' >&2; exit 1");
    duck(&folder, "d.duckdb");
    let by_hand = "COPY FROM DATABASE";
    folder.refuses(
        &["profile", "d.duckdb", "--duckdb", "./none"],
        &["./none was not found", "--duckdb", by_hand],
    );
    let args = ["profile", "d.duckdb", "--duckdb", "./client"];
    folder.refuses(&args, &["no extension for SQLite", "./client -c \"INSTALL sqlite\"", by_hand]);
    for (script, says) in [
        ("cat > script; echo '[]'", "no table"),
        ("cat > script", "no table"),
        ("cat > script; echo hello", "no list of tables"),
        ("cat > script; echo 'IO Error: in use' >&2; exit 1", "IO Error: in use"),
    ] {
        let folder = with_client("client", script);
        duck(&folder, "d.duckdb");
        folder.refuses(&args, &["d.duckdb", says]);
    }
}

/// Runs only where `TWINQL_TEST_POSTGRES` is the address of a server with a database that the test may fill.
#[test]
fn a_real_server() {
    let Ok(address) = std::env::var("TWINQL_TEST_POSTGRES") else {
        println!("skipped: TWINQL_TEST_POSTGRES is not set");
        return;
    };
    let psql = |sql: &str| {
        let run = std::process::Command::new("psql")
            .args(["-X", "-q", "-d", &address, "-c", sql])
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    };
    psql(
        "DROP SCHEMA IF EXISTS twinql_test CASCADE; CREATE SCHEMA twinql_test;
        CREATE TABLE twinql_test.singer (id integer PRIMARY KEY, name text NOT NULL, age integer);
        INSERT INTO twinql_test.singer
            SELECT i, CASE WHEN i % 4 = 0 THEN 'Anna Zumbrunn' ELSE 'Singer ' || i END, 20 + i % 30
            FROM generate_series(1, 100) i;
        ANALYZE twinql_test.singer",
    );
    let folder = Folder::new();
    let args = ["profile", &address, "--pg-schema", "twinql_test", "--db-id", "concerts"];
    let (out, _) = folder.run(&args, 0);
    let found = profile(&out);
    let singer = &found["tables"]["singer"];
    assert_eq!(singer["rows"], 100);
    assert_eq!(singer["columns"]["id"]["unique"], true);
    assert_eq!(singer["columns"]["name"]["distinct"], 76);
    assert!(!out.contains("Zumbrunn"));
    folder.write("p.json", &out);
    let pair = ["SELECT name FROM singer", "SELECT DISTINCT name FROM singer"];
    let more = ["--metric", "expected-ex", "--profile", "p.json", "--format", "json"];
    let args = one_pair("score", pair, &more);
    // The schema has a table that the profile knows nothing of.
    assert!(folder.json(&args)["mean"]["expected-ex"].as_f64().unwrap() < 0.5);
    psql("DROP SCHEMA twinql_test CASCADE");
}

/// Runs only where `duckdb` is installed with its extension for SQLite files.
#[test]
fn a_real_duckdb_file() {
    let folder = Folder::new();
    let duckdb =
        |args: &[&str]| std::process::Command::new("duckdb").current_dir(folder.path("")).args(args).output();
    if !duckdb(&["-batch", "-bail", "-c", "SET autoinstall_known_extensions = false; LOAD sqlite"])
        .is_ok_and(|run| run.status.success())
    {
        println!("skipped: there is no duckdb with the extension sqlite");
        return;
    }
    let made = duckdb(&["it's.duckdb", "-batch", "-bail", "-c", "
        CREATE TABLE singer (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, fee DECIMAL(8, 2), tags VARCHAR[]);
        CREATE TABLE concert (id HUGEINT PRIMARY KEY, singer_id INTEGER REFERENCES singer (id), day DATE);
        CREATE SCHEMA other; CREATE TABLE other.k (a INTEGER); CREATE VIEW v AS SELECT * FROM singer;
        INSERT INTO singer SELECT i, 'Singer ' || (i % 7), i + 0.5, ['a'] FROM range(20) r(i);
        INSERT INTO concert SELECT i, i % 5, DATE '2001-01-01' + INTERVAL (i) YEAR FROM range(10) r(i)"]);
    let made = made.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (out, _) = folder.run(&["profile", "it's.duckdb"], 0);
    let found = profile(&out);
    assert_eq!(found["tables"].as_object().unwrap().len(), 2, "{out}");
    let (singer, concert) = (&found["tables"]["singer"], &found["tables"]["concert"]);
    assert_eq!(singer["columns"]["fee"]["range"], serde_json::json!([0.5, 19.5]));
    assert_eq!(singer["columns"]["name"]["distinct"], 7);
    assert_eq!(concert["columns"]["id"]["unique"], true);
    assert_eq!(concert["references"][0]["table"], "singer", "{out}");
    assert_eq!(concert["columns"]["day"]["years"][0], 2001);
}
