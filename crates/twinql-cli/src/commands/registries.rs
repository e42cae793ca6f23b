//! `twinql rules`, `twinql checks`, `twinql metrics`: what there is, and one of it in full.

use anyhow::{Result, bail};

use crate::args::typed::Listed;
use crate::output::{Sink, left_table};
use crate::registries::{Entry, Row, checks, metrics, rules};

/// `twinql rules`: all, those of a family, or one.
pub(crate) fn rules(typed: &Listed) -> Result<bool> {
    let name = typed.name.as_deref();
    let rows: Vec<Row> = rules::rows().collect();
    let family = |row: &&Row| row.family.is_some_and(|family| name == Some(family));
    let of_family: Vec<Row> = rows.iter().filter(family).copied().collect();
    if of_family.is_empty() {
        let named = match name {
            Some(name) => rules::entry(name)?,
            None => None,
        };
        print("rule", name, &rows, named)
    } else {
        print("rule", None, &of_family, None)
    }
}

/// `twinql checks`.
pub(crate) fn checks(typed: &Listed) -> Result<bool> {
    let name = typed.name.as_deref();
    print("check", name, &checks::rows().collect::<Vec<_>>(), name.and_then(checks::entry))
}

/// `twinql metrics`.
pub(crate) fn metrics(typed: &Listed) -> Result<bool> {
    let name = typed.name.as_deref();
    print("metric", name, &metrics::rows().collect::<Vec<_>>(), name.and_then(metrics::entry))
}

/// Prints what was asked for: the entry that was named, or a line for each.
fn print(kind: &str, name: Option<&str>, rows: &[Row], named: Option<Entry>) -> Result<bool> {
    let text = match (name, named) {
        (Some(_), Some(entry)) => entry.text(),
        (Some(name), None) => {
            bail!("there is no {kind} {name:?}{}; `twinql {kind}s` lists all", near(name, rows))
        }
        (None, _) => listed(rows),
    };
    let mut sink = Sink::new(None)?;
    text.lines().try_for_each(|line| sink.line(line))?;
    sink.finish()?;
    Ok(true)
}

/// A line for each entry, those of a family below its name.
fn listed(rows: &[Row]) -> String {
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| vec![row.name.to_owned(), row.about.to_owned()]).collect();
    let mut text = String::new();
    let mut family = None;
    for (row, line) in rows.iter().zip(left_table(&cells).lines()) {
        if row.family != family {
            family = row.family;
            let gap = if text.is_empty() { "" } else { "\n" };
            text += &format!("{gap}{}\n", family.unwrap_or_default());
        }
        text += &format!("{}{line}\n", if family.is_some() { "  " } else { "" });
    }
    text
}

/// The names that a wrong one may stand for, as a part of the message.
fn near(name: &str, rows: &[Row]) -> String {
    let wanted = name.to_lowercase();
    let likely = |known: &&str| {
        // Wrong by two letters, or by a quarter of them where the name is long; or a part of it.
        strsim::damerau_levenshtein(&wanted, known) <= 2.max(wanted.len() / 4)
            || wanted.len() >= 3 && known.contains(&wanted)
    };
    let families = rows.iter().filter_map(|row| row.family);
    let mut found: Vec<&str> = rows.iter().map(|row| row.name).chain(families).filter(likely).collect();
    found.dedup();
    found.truncate(5);
    if found.is_empty() { String::new() } else { format!("; near it: {}", found.join(", ")) }
}
