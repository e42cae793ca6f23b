//! How long hostile pairs take to judge, in threads and in worker processes: every hostile query of the tests
//! and every pair of the fuzz corpus, as prediction, as gold, and against itself in other words. Prints the slowest, and fails
//! where one takes more than two seconds.

#[allow(unreachable_pub)]
#[path = "../../twinql-suite/src/hostile/inputs.rs"]
mod inputs;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use twinql::Schema;
use twinql::judging::{WORKER_HEAP, crew};
use twinql::suite::worker::Program;
use twinql::suite::{Judge, JudgeConfig, Limits, Verdict};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "hostile-times",
    about: "how long hostile pairs take to judge",
    usage: "PATH-OF-TWINQL",
    run,
};

/// The schema of the hostile queries and of the fuzz corpus.
const DDL: &str = include_str!("../../../fuzz/schema.sql");
/// What no pair may take.
const MOST: Duration = Duration::from_secs(2);
/// Large answers that grow with the fourth power of a table.
const GROWING: [&str; 4] = [
    "SELECT json_group_array(json_array(hex(zeroblob(9000)), a.id)) FROM singer a, singer b, singer c, singer d",
    "SELECT group_concat(hex(zeroblob(9000)) || a.id) FROM singer a, singer b, singer c, singer d",
    "SELECT a.name, hex(zeroblob(9000)) FROM singer a, singer b, singer c, singer d ORDER BY hex(randomblob(9000))",
    "SELECT count(*) FROM singer a, singer b, singer c, singer d, singer e, singer f",
];

/// The pairs: a name, the gold, the prediction.
fn pairs() -> Vec<(String, String, String)> {
    const GOLD: &str = "SELECT name FROM singer";
    let growing = GROWING.map(|sql| ("growing", sql.to_owned()));
    let mut out = Vec::new();
    for (name, sql) in inputs::hostile().into_iter().chain(growing) {
        out.push((format!("{name}, as prediction"), GOLD.to_owned(), sql.clone()));
        out.push((format!("{name}, as gold"), sql.clone(), GOLD.to_owned()));
        let again = format!("{sql} -- in other words");
        out.push((format!("{name}, against itself"), sql, again));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/judge");
    for entry in std::fs::read_dir(folder).expect("the fuzz corpus").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a file of the corpus");
        // The first byte chooses semantics.
        let text = String::from_utf8_lossy(bytes.get(1..).unwrap_or_default()).into_owned();
        if let Some((gold, pred)) = text.split_once('\0') {
            let name = entry.file_name().to_string_lossy().into_owned();
            out.push((name, gold.to_owned(), pred.to_owned()));
        }
    }
    out
}

fn verdict(verdict: &Verdict) -> &'static str {
    twinql::judging::name(verdict)
}

fn run(args: &[String]) -> Done {
    let program = args.first().ok_or("give the path of twinql")?;
    let schema = Arc::new(Schema::from_ddl("hostile", DDL).expect("a schema"));
    let config = |heap_bytes: u64| JudgeConfig {
        shrink: true,
        limits: Limits { heap_bytes, ..Limits::default() },
        ..JudgeConfig::default()
    };
    let (threads, processes) = (config(Limits::default().heap_bytes), config(WORKER_HEAP));
    let judge = Judge::new(&schema, threads).expect("a schema that SQLite can create");
    let crew = crew(Program {
        path: PathBuf::from(program),
        arguments: vec!["worker".into(), "--threads".into(), "1".into()],
    });
    let mut times: Vec<(Duration, &str, String, &str)> = Vec::new();
    for (name, gold, pred) in pairs() {
        let started = Instant::now();
        let here = judge.judge(&gold, &pred);
        times.push((started.elapsed(), "threads", name.clone(), verdict(&here)));
        let started = Instant::now();
        let there = crew.judge(&processes, &schema, &gold, &pred).expect("a worker").verdict;
        times.push((started.elapsed(), "processes", name, verdict(&there)));
    }
    times.sort_by_key(|t| std::cmp::Reverse(t.0));
    let slow = times.iter().filter(|t| t.0 > MOST).count();
    println!("{} pairs, twice each; {slow} take more than {MOST:?}", times.len() / 2);
    for (time, how, name, verdict) in times.iter().take(25) {
        println!("{:7.3} s  {how:9}  {verdict:10}  {name}", time.as_secs_f64());
    }
    if slow > 0 { Err(format!("{slow} take more than {MOST:?}").into()) } else { Ok(()) }
}
