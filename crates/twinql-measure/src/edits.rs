//! Edits of SQL files as people committed them, through `twinql check-refactor`: what is read, what is decided and how rightly.
//! Needs `TWINQL_DATA` (its `edits/README.md` says what the labels mean) and the program beside this one. With `list`, each edit
//! that is not decided or not decided as its label says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "edits",
    about: "edits of SQL files that people committed: read, decided, and rightly so",
    usage: "[list]",
    run,
};

/// What is counted.
#[derive(Default)]
struct Tally {
    edits: usize,
    read: usize,
    outcomes: BTreeMap<String, usize>,
    /// Of edits with the labels `same` and `different`: by what was found.
    labelled: BTreeMap<(String, String), usize>,
    times: Vec<Duration>,
}

fn run(args: &[String]) -> Done {
    let list = args.first().is_some_and(|word| word == "list");
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        println!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let program = std::env::current_exe()?.with_file_name("twinql");
    let text = fs::read_to_string(data.join("edits/edits.jsonl"))?;
    let edits = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    println!(
        "program\tedits\tread, %\tdecided, %\tthe same\tdifferent\tas labelled\tagainst its label\tms, median"
    );
    for (name, adapted) in [("twinql", false), ("twinql, texts adapted by a script", true)] {
        let mut tally = Tally::default();
        for edit in &edits {
            add(&mut tally, edit, adapted, &program, list)?;
        }
        tally.print(name);
    }
    Ok(())
}

/// Compares the two versions of an edit.
fn add(tally: &mut Tally, edit: &Value, adapted: bool, program: &Path, list: bool) -> Done {
    let folder = tempfile::tempdir()?;
    let field = |name: &str| edit[name].as_str().unwrap_or("");
    // What a script had nothing to adapt in stands once.
    let version = |name: &str| match field(&format!("{name}_run")) {
        text if adapted && !text.is_empty() => text.to_owned(),
        _ => field(name).to_owned(),
    };
    let mut command = Command::new(program);
    command.args(["check-refactor", "--format", "json", "--dialect", field("dialect")]);
    if !field("schema").trim().is_empty() {
        fs::write(folder.path().join("schema.sql"), field("schema"))?;
        command.args(["--schemas", "schema.sql"]);
    }
    fs::write(folder.path().join("old.sql"), version("before"))?;
    fs::write(folder.path().join("new.sql"), version("after"))?;
    let start = Instant::now();
    let output = command.args(["old.sql", "new.sql"]).current_dir(folder.path()).output()?;
    tally.times.push(start.elapsed());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let finding = &report["queries"][0];
    let outcome = finding["outcome"].as_str().unwrap_or("not_compared");
    let why = match finding["because"].as_array() {
        Some(reasons) => reasons.iter().filter_map(|r| r.as_str()).collect::<Vec<_>>().join("; "),
        None => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    };
    tally.edits += 1;
    tally.read += usize::from(outcome != "not_compared");
    *tally.outcomes.entry(outcome.to_owned()).or_default() += 1;
    let says = match outcome {
        "proved" | "tested" => "same",
        "different" => "different",
        _ => "nothing",
    };
    let truth = Some(field("truth")).filter(|truth| ["same", "different"].contains(truth));
    if let Some(truth) = truth {
        *tally.labelled.entry((truth.to_owned(), says.to_owned())).or_default() += 1;
    }
    if list && (says == "nothing" || outcome == "tested" || truth.is_some_and(|truth| truth != says)) {
        println!("{}\t{}\t{outcome}\t{}\t{why}", field("id"), field("dialect"), truth.unwrap_or("-"));
    }
    Ok(())
}

impl Tally {
    /// A row; `scripts/edits_others.py` prints the same of other programs. What was tested alone is not decided.
    fn print(mut self, name: &str) {
        let share = |n: usize| 100.0 * n as f64 / self.edits.max(1) as f64;
        let of = |outcome: &str| self.outcomes.get(outcome).copied().unwrap_or(0);
        let (same, different) = (of("proved"), of("different"));
        let labelled = |which: fn(&str, &str) -> bool| -> usize {
            self.labelled.iter().filter(|((truth, says), _)| which(truth, says)).map(|(_, n)| n).sum()
        };
        self.times.sort();
        let median = self.times.get(self.times.len() / 2).map_or(0.0, |time| 1000.0 * time.as_secs_f64());
        println!(
            "{name}\t{}\t{:.1}\t{:.1}\t{same}\t{different}\t{} of {}\t{}\t{median:.0}",
            self.edits,
            share(self.read),
            share(same + different),
            labelled(|truth, says| truth == says),
            labelled(|_, _| true),
            labelled(|truth, says| says != "nothing" && truth != says),
        );
    }
}
