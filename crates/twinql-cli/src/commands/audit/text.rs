//! Findings for people: the query with the place underlined, the reason, and the witness.

use std::fmt::Write;

use twinql::Job;
use twinql::audit::{Audit, Finding, Shows, Status, Witness};
use twinql::witness::answer;

use super::{Done, silent};
use crate::input::About;

/// Characters of a line that are shown around a place.
const MAX_LINE: usize = 110;

/// A gold and what is wrong with it; nothing where nothing is, but of a single query.
pub(super) fn gold(job: &Job, about: &About, done: &Done, single: bool) -> String {
    let id = about.id_text(&job.id);
    let head = match (&about.db_id, single) {
        (_, true) => String::new(),
        (Some(db), false) => format!("{id} (line {}, {db})\n", about.print),
        (None, false) => format!("{id} (line {})\n", about.print),
    };
    match done {
        Err(error) => format!("{head}  unusable: {error}\n\n"),
        Ok(audit) if silent(audit) => {
            if single {
                "nothing found\n".into()
            } else {
                String::new()
            }
        }
        Ok(audit) => {
            let mut out = head;
            if let Status::NotUnderstood(why) = &audit.status {
                let sql = job.pair().map_or_else(String::new, |(_, gold, _)| visible(gold.trim()));
                let _ = writeln!(out, "  {sql}\n  not understood, and not audited: {why}");
            }
            for finding in &audit.findings {
                out.push_str(&one(audit, finding));
            }
            out.push('\n');
            out
        }
    }
}

/// Control characters would reach the terminal.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn one(audit: &Audit, finding: &Finding) -> String {
    let mut out = format!("  {}: {}: {}\n", finding.severity, finding.check.id, finding.reason);
    out.push_str(&underlined(&audit.text, finding));
    if let Some(remedy) = &finding.remedy {
        let _ = writeln!(out, "    remedy: {}", visible(remedy));
    }
    if !finding.assumes.is_empty() {
        let assumed: Vec<&str> = finding.assumes.iter().map(|a| a.clause()).collect();
        let _ = writeln!(out, "    assumed: {}", assumed.join("; "));
    }
    if let Some(witness) = &finding.witness {
        out.push_str(&shown(witness));
    }
    out
}

/// The line of a place, cut where it is long, and a line of carets below it.
fn underlined(text: &str, finding: &Finding) -> String {
    let place = &finding.place;
    let line = text.lines().nth(place.line.saturating_sub(1)).unwrap_or("");
    let all: Vec<char> = visible(line).chars().collect();
    let start = place.column.saturating_sub(1).min(all.len());
    let end = if place.end_line == place.line {
        place.end_column.saturating_sub(1).min(all.len())
    } else {
        all.len()
    };
    let length = end.saturating_sub(start).max(1);
    // What is shown begins some way before the place.
    let from = if all.len() <= MAX_LINE { 0 } else { start.saturating_sub(MAX_LINE / 3) };
    let until = if all.len() <= MAX_LINE { all.len() } else { (from + MAX_LINE).min(all.len()) };
    let part: String = all.get(from..until).unwrap_or(&[]).iter().collect();
    let (before, after) = (if from > 0 { "…" } else { "" }, if until < all.len() { "…" } else { "" });
    let pad = " ".repeat(start - from + before.chars().count());
    let carets = "^".repeat(length.min(until.saturating_sub(start)).max(1));
    format!("    {before}{part}{after}\n    {pad}{carets}\n")
}

fn shown(witness: &Witness) -> String {
    let mut out = String::new();
    let heads = match &witness.shows {
        Shows::TwoAnswers => ["on this database it answers".to_owned(), "and may as well answer".to_owned()],
        Shows::Mended(sql) | Shows::OtherGold(sql) => {
            ["on this database it answers".to_owned(), format!("where {} answers", visible(sql.trim()))]
        }
    };
    for line in witness.statements.lines() {
        let _ = writeln!(out, "      {line}");
    }
    for (i, head) in heads.iter().enumerate() {
        let rows = witness.answers.get(i).map_or(&[][..], Vec::as_slice);
        let columns = witness.columns.get(i).map_or(&[][..], Vec::as_slice);
        if rows.is_empty() {
            let _ = writeln!(out, "    {head}: no rows");
            continue;
        }
        let _ = writeln!(out, "    {head}:");
        for line in answer(columns, columns.len(), rows) {
            let _ = writeln!(out, "      {line}");
        }
    }
    out
}
