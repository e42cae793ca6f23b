//! Queries of systems that cannot be had, in DuckDB's words, by sqlglot: a second opinion, wrong now and then.

use std::error::Error;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::json;

use super::sets::Subject;

/// Where the Python that has sqlglot is named.
pub(super) const PLACE: &str = "TWINQL_SQLGLOT";
/// What reads queries and writes translations, a line each.
const SCRIPT: &str = "scripts/second_opinion.py";

/// For each query its translation, if there is one.
///
/// # Errors
/// The script cannot be run, or says something else.
pub(super) fn translations(
    python: &str,
    subjects: &[&Subject],
) -> Result<Vec<Option<String>>, Box<dyn Error>> {
    let mut child = Command::new(python)
        .arg(SCRIPT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{PLACE}: cannot run {python}: {e}"))?;
    let asked: String = subjects
        .iter()
        .map(|s| format!("{}\n", json!({"dialect": s.dialect.name(), "sql": s.sql})))
        .collect();
    let mut stdin = child.stdin.take().ok_or("no way to write to the script")?;
    let writer = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let output = child.wait_with_output()?;
    let written = writer.join().map_err(|_| "the queries were not written")?;
    if !output.status.success() {
        return Err(format!("{PLACE}: {python} {SCRIPT} failed; has it sqlglot?").into());
    }
    written?;
    let said = String::from_utf8(output.stdout)?;
    let found = said.lines().map(serde_json::from_str::<Option<String>>).collect::<Result<Vec<_>, _>>()?;
    if found.len() != subjects.len() {
        return Err(format!("{SCRIPT}: {} lines for {} queries", found.len(), subjects.len()).into());
    }
    Ok(found)
}
