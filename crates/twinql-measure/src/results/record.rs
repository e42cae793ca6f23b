//! Runs the commands of a stored output again.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::stored::{Made, Stored};
use crate::page::root;

type Rows = Vec<Vec<String>>;

/// What its commands say now, at this commit and on this day.
///
/// # Errors
/// It is from a publication, or a command fails or prints no table that is understood.
pub(super) fn again(stored: &mut Stored) -> Result<&Stored, Box<dyn std::error::Error>> {
    let Made::By { commands, commit, date } = &mut stored.made else {
        return Err("it is from a publication: there is nothing to run".into());
    };
    let mut rows = Rows::new();
    for command in &*commands {
        eprintln!("$ {command}");
        let made = rows_of(command, &shell(command)?)?;
        // The names of the columns stand once.
        let named = usize::from(!rows.is_empty());
        rows.extend(made.into_iter().skip(named));
    }
    *commit = shell("git rev-parse --short HEAD")?.trim().to_owned();
    *date = shell("date -I")?.trim().to_owned();
    stored.rows = rows;
    Ok(stored)
}

/// Runs a command in the repository's folder; `twinql` and `measure` are those that were built beside this program.
fn shell(command: &str) -> Result<String, Box<dyn std::error::Error>> {
    let built =
        std::env::current_exe()?.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let path = format!("{built}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", command])
        .env("PATH", path)
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{command}: {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The rows that a command printed: those of `twinql evaluate --format json`, or tab-separated lines.
fn rows_of(command: &str, printed: &str) -> Result<Rows, Box<dyn std::error::Error>> {
    if let Ok(report) = serde_json::from_str::<Value>(printed) {
        return evaluated(command, &report)
            .ok_or_else(|| format!("{command}: not a report of `evaluate`").into());
    }
    let rows: Rows = printed
        .lines()
        .filter(|line| line.contains('\t'))
        .map(|line| line.trim_start_matches("# ").split('\t').map(str::to_owned).collect())
        .collect();
    if rows.is_empty() { Err(format!("{command}: it prints no table").into()) } else { Ok(rows) }
}

/// Flags that make a metric another one: its row is called by them too.
const NAMING: [&str; 3] = ["--checkpoint", "--probe", "--question"];

/// A row for each metric of a report, and where it is grouped by form one for the pairs whose forms differ.
fn evaluated(command: &str, report: &Value) -> Option<Rows> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let flags: String = words
        .windows(2)
        .filter_map(|pair| match pair {
            [flag, value] if NAMING.contains(flag) => Some(format!(" {flag} {value}")),
            _ => None,
        })
        .collect();
    let head = ["metric", "pairs", "AUC", "τ-b", "ρ", "accuracy"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let groups = [("", report.get("metrics")), (", forms differ", report.pointer("/groups/forms differ"))];
    for (group, metrics) in groups {
        for metric in metrics.and_then(Value::as_array).into_iter().flatten() {
            let name = metric.get("metric")?.as_str()?;
            let number = |at: &str, places: usize| {
                metric
                    .pointer(at)
                    .and_then(Value::as_f64)
                    .map_or("–".to_owned(), |x| format!("{x:.places$}"))
            };
            let auc = ["estimate", "low", "high"].map(|part| number(&format!("/auc/{part}"), 4));
            let [estimate, low, high] = &auc;
            rows.push(vec![
                format!("`{name}{flags}`{group}"),
                metric.get("pairs")?.to_string(),
                format!("{estimate} ({low}–{high})"),
                number("/kendall_tau_b", 3),
                number("/spearman", 3),
                number("/accuracy", 3),
            ]);
        }
    }
    (rows.len() > 1).then_some(rows)
}
