//! Worker processes: the same verdicts, and a worker that dies costs one pair.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use twinql::judging::Workers;
use twinql::metrics::SUITE;
use twinql::suite::files::FileConfig;
use twinql::suite::suite::{
    DistilConfig, RunOptions, RunPair, RunVerdict, Suite, Task, build, run, run_in_processes,
};
use twinql::suite::worker::{Crew, Program};
use twinql::suite::{FileVerdict, Judge, JudgeConfig, Limits, VerdictBy as Verdict};
use twinql::{Engine, Job, Schema, Status, Work};

const LONG: Duration = Duration::from_secs(600);

fn schema() -> Arc<Schema> {
    let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);";
    Arc::new(Schema::from_ddl("music", ddl).unwrap())
}

fn crew(patience: Duration) -> Crew {
    let program =
        Program { path: PathBuf::from(env!("CARGO_BIN_EXE_twinql")), arguments: vec!["worker".into()] };
    Crew::new(program, patience)
}

/// Workers that a shell script stands before.
fn scripted(script: &str) -> Crew {
    let program = Program {
        path: "sh".into(),
        arguments: ["-c", script, env!("CARGO_BIN_EXE_twinql")].map(str::to_owned).to_vec(),
    };
    Crew::new(program, LONG)
}

/// Workers that die when they hear of a table `killer`.
fn mortal() -> Crew {
    scripted(
        r#"while IFS= read -r l; do case "$l" in *killer*) exit 1;; esac; printf '%s\n' "$l"; done | "$0" worker"#,
    )
}

const ENDLESS: &str = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";

#[test]
fn verdicts_are_those_of_this_process() {
    let config = JudgeConfig {
        shrink: true,
        databases: 20,
        limits: Limits { steps: 200_000, ..Limits::default() },
        ..JudgeConfig::default()
    };
    let crew = crew(LONG);
    let here = Judge::new(&schema(), config.clone()).unwrap();
    let schema = schema();
    for (gold, pred) in [
        ("SELECT name FROM singer", "SELECT s.name FROM singer s"),
        ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age >= 20"),
        ("SELECT 1e999, x'00ff', NULL, age FROM singer", "SELECT 2, 1.5, 'é', age FROM singer"),
        ("SELECT nme FROM singer", "SELECT name FROM singer"),
        ("SELECT name FROM singer", "DROP TABLE singer"),
        ("SELECT name FROM singer WHERE age > = 1", "SELECT name FROM singer WHERE age >= 1"),
        ("SELECT max(age) FROM singer", ENDLESS),
        ("SELECT 'a\nb' FROM singer", "SELECT 'a\u{2028}b' FROM singer"),
    ] {
        let there = crew.judge(&config, &schema, None, gold, pred).unwrap();
        assert_eq!(there, here.report(gold, pred), "{gold} | {pred}");
    }
}

/// What a query without end does when nothing in the process holds it back.
fn unbounded() -> JudgeConfig {
    JudgeConfig {
        limits: Limits { steps: u64::MAX / 2, millis: 3_600_000, ..Limits::default() },
        ..JudgeConfig::default()
    }
}

const GOLD: &str = "SELECT name FROM singer";
const SAME: &str = "SELECT name FROM singer WHERE id = id";

#[test]
fn a_pair_that_kills_its_worker_costs_itself() {
    let (crew, schema, config) = (mortal(), schema(), JudgeConfig::default());
    let report = |pred: &str| crew.judge(&config, &schema, None, GOLD, pred).unwrap();
    for _ in 0..2 {
        assert_eq!(report(SAME).verdict.label(), Some(1));
        let lost = report("SELECT name FROM killer");
        assert!(matches!(lost.verdict, Verdict::Timeout { .. }), "{lost:?}");
        assert!(lost.notes[0].contains("died or was stopped"));
    }
}

#[test]
fn a_pair_of_a_suite_that_kills_its_worker_costs_itself() {
    let task =
        Task { schema: Schema::clone(&schema()), golds: vec![GOLD.into()], values: None, profile: None };
    let config = DistilConfig::default();
    let suite: Suite = build(&[task], &config, None, &|_| (), &|_| ()).unwrap();
    let preds = [
        SAME,
        "SELECT name FROM killer",
        "SELECT name FROM singer WHERE age > 1",
        "DELETE FROM singer",
        ENDLESS,
    ];
    let pairs = preds.map(|pred| RunPair { db_id: "music".into(), gold: GOLD.into(), pred: pred.into() });
    let options =
        RunOptions { limits: Limits { steps: 200_000, ..Limits::default() }, ..RunOptions::default() };
    let mut expected = run(&suite, &pairs, options, &|_| ());
    assert_eq!(run_in_processes(&suite, &pairs, options, crew(LONG), &|_| ()), expected);
    let timeout = |v: &RunVerdict| matches!(v.verdict, Verdict::Timeout { .. });
    assert!(expected[0].right() && matches!(expected[3].verdict, Verdict::PredError { .. }));
    assert!(matches!(expected[1].verdict, Verdict::PredError { .. }) && timeout(&expected[4]));
    let mut verdicts = run_in_processes(&suite, &pairs, options, mortal(), &|_| ());
    assert!(timeout(&verdicts[1]), "{verdicts:?}");
    verdicts.remove(1);
    expected.remove(1);
    assert_eq!(verdicts, expected);
}

/// Sorts 60 KB for each of its rows, without end.
const HUNGRY: &str = "WITH RECURSIVE r(n, z) AS (SELECT 1, zeroblob(60000) UNION ALL SELECT n + 1, zeroblob(60000) FROM r) \
    SELECT count(*) FROM (SELECT z FROM r ORDER BY z || n LIMIT -1 OFFSET 1)";

/// Nothing but the bound on memory ends it.
#[test]
fn a_pair_that_eats_memory_costs_itself() {
    let config = JudgeConfig {
        limits: Limits { heap_bytes: 24 << 20, ..unbounded().limits },
        ..JudgeConfig::default()
    };
    // The system lets the process have little more.
    let program = Program {
        path: PathBuf::from(env!("CARGO_BIN_EXE_twinql")),
        arguments: ["worker", "--threads", "1", "--address-space", "100000000"].map(str::to_owned).to_vec(),
    };
    let (crew, schema) = (Crew::new(program, LONG), schema());
    let report = |pred: &str| crew.judge(&config, &schema, None, GOLD, pred).unwrap();
    for _ in 0..2 {
        let hungry = report(HUNGRY);
        assert!(matches!(hungry.verdict, Verdict::Timeout { .. }), "{hungry:?}");
        // It was refused, not killed.
        assert!(hungry.notes.is_empty(), "{hungry:?}");
        assert_eq!(report(SAME).verdict.label(), Some(1));
    }
}

#[test]
fn a_file_that_kills_its_worker_costs_its_pair() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        let made = rusqlite::Connection::open(&path).unwrap();
        made.execute_batch("CREATE TABLE singer (id, name); INSERT INTO singer VALUES (1, 'Ann')").unwrap();
        path
    };
    let (good, killer) = (file("good.sqlite"), file("killer.sqlite"));
    let (crew, config) = (mortal(), FileConfig::default());
    let verdict = |file: &PathBuf| {
        let files = std::slice::from_ref(file);
        crew.execute(&config, files, GOLD, SAME).unwrap().verdict
    };
    assert!(matches!(verdict(&good), FileVerdict::Same { .. }));
    assert!(matches!(verdict(&killer), FileVerdict::Timeout { .. }));
    assert!(matches!(verdict(&good), FileVerdict::Same { .. }));
}

#[test]
fn a_worker_beyond_its_time_is_killed() {
    let (crew, schema, config) = (crew(Duration::from_secs(2)), schema(), unbounded());
    let report = crew.judge(&config, &schema, None, GOLD, ENDLESS).unwrap();
    assert!(matches!(report.verdict, Verdict::Timeout { .. }), "{:?}", report.verdict);
    let next = crew.judge(&config, &schema, None, GOLD, SAME).unwrap();
    assert_eq!(next.verdict.label(), Some(1));
}

/// A worker lowers its limits, and does not need more than it is left.
#[test]
fn the_systems_limits_hold() {
    let (schema, config) = (schema(), unbounded());
    // A second of CPU time, 1.5 GB of memory.
    let crew = scripted(r#"ulimit -t 1; ulimit -v 1500000; exec "$0" worker"#);
    let report = crew.judge(&config, &schema, None, GOLD, ENDLESS).unwrap();
    assert!(report.notes[0].contains("died or was stopped"), "{report:?}");
    let next = crew.judge(&config, &schema, None, GOLD, SAME).unwrap();
    assert_eq!(next.verdict.label(), Some(1));
}

#[test]
fn a_program_that_is_no_worker() {
    let (schema, config) = (schema(), JudgeConfig::default());
    let missing = Program { path: "/nonexistent/twinql".into(), arguments: Vec::new() };
    assert!(Crew::new(missing, LONG).judge(&config, &schema, None, GOLD, SAME).is_err());
    for script in ["read a; read b; read c; echo nonsense", "exit 1", "echo nonsense"] {
        let crew = scripted(script);
        assert!(crew.judge(&config, &schema, None, GOLD, SAME).is_err(), "{script}");
    }
}

/// Nothing is said of a pair where the machine fails: neither query is to blame.
#[test]
fn a_machine_that_starts_no_worker_is_a_status_of_its_own() {
    let job = Job::new("1".into(), Work::Pair { schema: schema(), gold: GOLD.into(), pred: SAME.into() });
    let engine = Engine::builder()
        .metric(&SUITE)
        .workers(Workers::Processes(scripted("exit 1")), Limits::default())
        .build()
        .unwrap();
    let record = engine.score(&[job]).remove(0);
    assert_eq!((record.status, record.score("suite")), (Status::MachineError, None));
    assert!(record.error.unwrap().contains("no worker process"));
}
