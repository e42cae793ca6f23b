//! Two answers, for people.

use serde_json::Value as Json;

/// Rows of an answer that text output shows.
const SHOWN_ROWS: usize = 8;
/// Characters of a row that it shows.
const SHOWN_WIDTH: usize = 50;

/// One of two answers.
pub(crate) struct OneAnswer<'a> {
    /// `gold` or `pred`.
    pub(crate) name: &'static str,
    pub(crate) columns: usize,
    /// How many rows there are; `rows` may hold only the first.
    pub(crate) count: usize,
    pub(crate) rows: &'a [Vec<Json>],
}

/// The two answers side by side, the first rows of each.
pub(crate) fn side_by_side(sides: [OneAnswer<'_>; 2]) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let [left, right] = sides.map(|side| {
        let mut lines = vec![format!(
            "{} answers {} of {}:",
            side.name,
            plural(side.count, "row"),
            plural(side.columns, "column")
        )];
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
        let (gold, pred) = ([vec![Json::from(1), Json::from("é")]], []);
        let text = side_by_side([
            OneAnswer { name: "gold", columns: 2, count: 1, rows: &gold },
            OneAnswer { name: "pred", columns: 2, count: 0, rows: &pred },
        ]);
        assert_eq!(
            text,
            "  gold answers 1 row of 2 columns: | pred answers 0 rows of 2 columns:\n  1, \"é\"                           |\n"
        );
    }
}
