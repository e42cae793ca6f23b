//! Are the conditions of rules needed? Each is taken out in turn, and a proof that becomes wrong is looked for: among the
//! rule's own near misses, and by tiny databases among pairs made of its examples. For each rule at least one must be
//! found; a condition that is not found is superfluous, saves time, or lacks an example.
//!
//! ```sh
//! cargo run --release --manifest-path tools/mutants/Cargo.toml                      # all rules: some forty minutes
//! cargo run --release --manifest-path tools/mutants/Cargo.toml -- grouping-removal  # one rule, each condition shown
//! ```

mod conditions;
mod rules;
mod workspace;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use workspace::Mutant;

/// A mutant that runs for longer goes round in circles.
const PATIENCE: Duration = Duration::from_secs(90);

type Failed = Box<dyn std::error::Error>;

/// What came of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// A near miss of the rule became alike.
    Example,
    /// A tiny database refutes a proof.
    Hunt,
    /// It panicked, or did not end.
    Stopped,
    /// Nothing became wrong.
    Nothing,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("mutants: {e}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Failed> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let copy = root.join("target/mutants");
    let mutants = workspace::copy(&root, &copy)?;
    if let Some(unknown) = only.iter().find(|name| mutants.iter().all(|m| m.rule != **name)) {
        return Err(format!("no rule is called {unknown}; `twinql rules` lists them").into());
    }
    let mutants: Vec<Mutant> =
        mutants.into_iter().filter(|m| only.is_empty() || only.contains(&m.rule)).collect();
    eprintln!("{} conditions; building a copy in which each can be taken out", mutants.len());
    let program = workspace::build(&copy)?;
    let found: Result<Vec<Found>, String> = mutants.par_iter().map(|m| tried(&program, m)).collect();
    Ok(told(&mutants, &found?, !only.is_empty()))
}

/// Runs one mutant in a process of its own: it may panic, or never end.
fn tried(program: &Path, mutant: &Mutant) -> Result<Found, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", program.display());
    let condition = mutant.condition.map_or("needs".to_owned(), |n| n.to_string());
    let mut child = Command::new(program)
        .args([&mutant.rule, &condition])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let begun = Instant::now();
    while child.try_wait().map_err(failed)?.is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Ok(Found::Stopped);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(match String::from_utf8_lossy(&output.stdout).trim() {
        "example" => Found::Example,
        "hunt" => Found::Hunt,
        "none" => Found::Nothing,
        _ => Found::Stopped,
    })
}

/// Prints a line for each rule, and true if something was found for each.
fn told(mutants: &[Mutant], found: &[Found], each: bool) -> bool {
    let mut by_rule: BTreeMap<&str, BTreeMap<Found, usize>> = BTreeMap::new();
    println!("rule\tconditions\tby example\tby hunt\tstopped\tnot found");
    for (mutant, found) in mutants.iter().zip(found) {
        *by_rule.entry(&mutant.rule).or_default().entry(*found).or_default() += 1;
    }
    let kinds = [Found::Example, Found::Hunt, Found::Stopped, Found::Nothing];
    let mut missed = Vec::new();
    for (rule, counts) in &by_rule {
        let columns = kinds.map(|kind| counts.get(&kind).copied().unwrap_or(0));
        println!("{rule}\t{}\t{}", columns.iter().sum::<usize>(), columns.map(|n| n.to_string()).join("\t"));
        if columns[0] + columns[1] == 0 {
            missed.push(*rule);
        }
    }
    if each {
        for (mutant, found) in mutants.iter().zip(found) {
            println!("{}\t{found:?}\t{}", mutant.rule, mutant.place);
        }
    }
    let of = |kind| found.iter().filter(|f| **f == kind).count();
    println!(
        "{} rules, {} conditions: {} found by a near miss, {} by tiny databases, {} ended the program, {} not found",
        by_rule.len(),
        found.len(),
        of(Found::Example),
        of(Found::Hunt),
        of(Found::Stopped),
        of(Found::Nothing)
    );
    for rule in &missed {
        println!("nothing becomes wrong without a condition of {rule}");
    }
    missed.is_empty()
}
