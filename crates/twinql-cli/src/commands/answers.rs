//! Two answers, for people.

use serde::Serialize;
use serde_json::Value as Json;

/// Rows of an answer that text output shows.
const SHOWN_ROWS: usize = 8;
/// Characters of a row that it shows.
const SHOWN_WIDTH: usize = 50;

/// An answer, or its beginning.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Answer {
    pub(crate) columns: usize,
    /// How many rows there are.
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) rows: Vec<Vec<Json>>,
}

/// The answers of gold and prediction side by side, the first rows of each.
pub(crate) fn side_by_side(gold: &Answer, pred: &Answer) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let [left, right] = [("gold", gold), ("pred", pred)].map(|(name, side)| {
        let (rows, columns) = (plural(side.count, "row"), plural(side.columns, "column"));
        let mut lines = vec![format!("{name} answers {rows} of {columns}:")];
        lines.extend(side.rows.iter().take(SHOWN_ROWS).map(|row| {
            let cells: Vec<String> = row.iter().map(Json::to_string).collect();
            shortened(&cells.join(", "))
        }));
        if side.count > SHOWN_ROWS {
            lines.push("…".into());
        }
        lines
    });
    let width = left.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for i in 0..left.len().max(right.len()) {
        let (l, r) = (line(&left, i), line(&right, i));
        let pad = " ".repeat(width.saturating_sub(l.chars().count()));
        out.push_str(format!("  {l}{pad} | {r}").trim_end());
        out.push('\n');
    }
    out
}

/// The line at a place; empty below the last one.
fn line(lines: &[String], i: usize) -> &str {
    lines.get(i).map_or("", String::as_str)
}

/// The text, cut with an ellipsis where it is too wide.
fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN_WIDTH {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(SHOWN_WIDTH - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_beside_each_other() {
        let gold = Answer { columns: 2, count: 1, rows: vec![vec![Json::from(1), Json::from("é")]] };
        let text = side_by_side(&gold, &Answer { columns: 2, count: 0, rows: Vec::new() });
        assert_eq!(
            text,
            "  gold answers 1 row of 2 columns: | pred answers 0 rows of 2 columns:\n  1, \"é\"                           |\n"
        );
    }
}
