//! For a page of documentation: GitHub's tables, fenced queries, charts as tables or as pictures beside it.

use std::fmt::Write;

use super::{more_rows, witness_rows};
use crate::safe::{cut_note, name, one_line, paragraphs};
use crate::sql::Compared;
use crate::{Align, BestCells, Block, Cell, Chart, PairCard, Pairs, Report, Table, Tiles, WitnessTable};

impl Report {
    /// The report as Markdown. Charts are tables of their figures.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n", plain(&name(&self.title)));
        if !self.subtitle.is_empty() {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(out, "\n{}", inline(&name(&self.subtitle)));
        }
        for section in &self.sections {
            let _ = writeln!(out, "\n## {}", plain(&name(&section.title)));
            for block in &section.blocks {
                out.push('\n');
                match block {
                    Block::Prose(of) => prose(&mut out, &of.text),
                    Block::Tiles(of) => tiles(&mut out, of),
                    Block::Table(of) => table(&mut out, of),
                    Block::Chart(of) => chart(&mut out, of),
                    Block::Pairs(of) => pairs(&mut out, of),
                }
            }
        }
        if !self.provenance.is_empty() {
            out.push_str("\n## Where the figures come from\n\n| | |\n|---|---|\n");
            for fact in &self.provenance {
                let _ = writeln!(out, "| {} | {} |", plain(&name(&fact.name)), code(&name(&fact.value)));
            }
        }
        out
    }
}

/// The text with everything that Markdown or HTML would act on escaped. `<` becomes an entity, since not every
/// reader of Markdown takes `\<`.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Links that are made of bare addresses and mentions.
            '@' => out.push_str("&#64;"),
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' | '!' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    // What would begin a list or a rule.
    let digits = out.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let sign = digits > 0 && out[digits..].starts_with(['.', ')']);
    let ends = |at: usize| out[at..].chars().next().is_none_or(char::is_whitespace);
    if sign && ends(digits + 1) {
        out.insert(digits, '\\');
    } else if out.starts_with(['-', '+', '=']) && !out[1..].starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '\\');
    }
    out
}

/// Words escaped, code between backticks.
fn inline(text: &str) -> String {
    let pieces = super::inline(text).into_iter();
    pieces.map(|(is_code, piece)| if is_code { code(piece) } else { plain(piece) }).collect()
}

/// Code within a line or a cell of a table.
fn code(text: &str) -> String {
    let text = one_line(text);
    // A bar would end the cell, and cannot be escaped within code everywhere.
    if text.is_empty() || text.contains(['`', '|', '\\']) { plain(&text) } else { format!("`{text}`") }
}

/// Paragraphs.
fn prose(out: &mut String, text: &str) {
    for (nth, paragraph) in paragraphs(text).iter().enumerate() {
        let _ = writeln!(out, "{}{}", if nth > 0 { "\n" } else { "" }, inline(paragraph));
    }
}

/// Figures as a list.
fn tiles(out: &mut String, of: &Tiles) {
    for tile in &of.tiles {
        let note =
            if tile.note.is_empty() { String::new() } else { format!(" ({})", plain(&name(&tile.note))) };
        let _ = writeln!(out, "- {}: **{}**{note}", plain(&name(&tile.name)), plain(&name(&tile.value)));
    }
}

/// A table with the best of each column in bold.
fn table(out: &mut String, table: &Table) {
    if !table.caption.is_empty() {
        let _ = writeln!(out, "{}\n", inline(&name(&table.caption)));
    }
    let heads: Vec<String> = table.columns.iter().map(|column| plain(&name(&column.heading()))).collect();
    let sides: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    let best = BestCells::of(table);
    let empty = Cell::from("");
    let rows = table.rows.iter().map(|row| {
        let cells = table.columns.iter().enumerate().map(|(number, column)| {
            let cell = row.cells.get(number).unwrap_or(&empty);
            let text = match cell {
                Cell::Text { text } => inline(&name(text)),
                Cell::Missing { .. } => plain(&name(&cell.shown(column))),
                Cell::Number { .. } => cell.shown(column),
            };
            let strong = best.is(number, cell, column.digits) || (row.emphasis && number == 0);
            if strong && !text.is_empty() { format!("**{text}**") } else { text }
        });
        cells.collect()
    });
    grid(out, &heads, &sides, &rows.collect::<Vec<Vec<String>>>());
    for note in table.notes.iter().flat_map(|note| paragraphs(note)) {
        let _ = writeln!(out, "\n{}", inline(&note));
    }
}

/// Cells that are escaped already.
fn grid(out: &mut String, heads: &[String], sides: &[Align], rows: &[Vec<String>]) {
    let _ = writeln!(out, "| {} |", heads.join(" | "));
    let rules = sides.iter().map(|side| match side {
        Align::Left => "---",
        Align::Right => "---:",
        Align::Centre => ":---:",
    });
    let _ = writeln!(out, "|{}|", rules.collect::<Vec<_>>().join("|"));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
}

/// A chart's figures.
fn chart(out: &mut String, of: &Chart) {
    table(out, &of.table());
    if !of.caption.is_empty() {
        out.push('\n');
        prose(out, &of.caption);
    }
}

/// Pairs one below the other.
fn pairs(out: &mut String, of: &Pairs) {
    prose(out, &of.caption);
    for (number, card) in of.cards.iter().enumerate() {
        if number > 0 || !of.caption.is_empty() {
            out.push('\n');
        }
        pair(out, card);
    }
}

/// One pair.
fn pair(out: &mut String, card: &PairCard) {
    let _ = writeln!(out, "### {}", plain(&name(&card.title)));
    if !card.badges.is_empty() {
        let badges: Vec<String> = card
            .badges
            .iter()
            .map(|badge| format!("{}: **{}**", plain(&name(&badge.name)), plain(&name(&badge.value))))
            .collect();
        let _ = writeln!(out, "\n{}", badges.join(" · "));
    }
    for paragraph in paragraphs(&card.question) {
        let _ = writeln!(out, "\n> {}", inline(&paragraph));
    }
    let compared = Compared::new(&card.gold, &card.pred);
    for (title, side) in [("Gold", &compared.gold), ("Prediction", &compared.pred)] {
        let _ = write!(out, "\n{title}:\n\n{}", fenced(&side.shown()));
        if side.cut > 0 {
            let _ = writeln!(out, "\n{}", cut_note(side.cut));
        }
    }
    let mut differing = Vec::new();
    for (title, side) in [("only in gold", &compared.gold), ("only in the prediction", &compared.pred)] {
        let runs: Vec<String> = side.differing_runs().iter().map(|run| code(run)).collect();
        if !runs.is_empty() {
            differing.push(format!("{title}: {}", runs.join(", ")));
        }
    }
    if !differing.is_empty() {
        let _ = writeln!(out, "\nDiffering: {}.", differing.join("; "));
    }
    if !card.reason.is_empty() {
        out.push('\n');
        prose(out, &card.reason);
    }
    if let Some(witness) = &card.witness {
        out.push_str("\nA database that shows it:\n");
        if !witness.note.is_empty() {
            out.push('\n');
            prose(out, &witness.note);
        }
        witness.tables.iter().for_each(|table| witness_table(out, table));
    }
}

/// A query between fences that it does not contain.
fn fenced(text: &str) -> String {
    let (mut longest, mut run) = (2, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}sql\n{text}\n{fence}\n")
}

/// A table of a witness.
fn witness_table(out: &mut String, table: &WitnessTable) {
    let (rows, more) = witness_rows(table);
    let columns = table.columns.iter().take(super::MOST_COLUMNS);
    let heads: Vec<String> = columns.map(|column| plain(&name(column))).collect();
    let sides = vec![Align::Left; heads.len()];
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| {
            row.into_iter().map(|cell| cell.map_or_else(|| "*NULL*".into(), |text| plain(&text))).collect()
        })
        .collect();
    let _ = writeln!(out, "\n{}:\n", plain(&name(&table.name)));
    grid(out, &heads, &sides, &rows);
    if rows.is_empty() {
        out.push_str("\nno rows\n");
    }
    if let Some(more) = more_rows(more) {
        let _ = writeln!(out, "\n{more}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_does_not_act() {
        assert_eq!(plain("<img> [a](b) *c* | `d` #1"), "&lt;img&gt; \\[a\\](b) \\*c\\* \\| \\`d\\` \\#1");
        assert_eq!(plain("- a"), "\\- a");
        assert_eq!(plain("12. a"), "12\\. a");
        assert_eq!([plain("0.94"), plain("-0.5")], ["0.94", "-0.5"]);
        assert_eq!(plain("http://x @y"), "http&#58;//x &#64;y");
        assert_eq!(inline("a_b `c_d`"), "a\\_b `c_d`");
        assert_eq!(code("a || b"), "a \\|\\| b");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("a"), "```sql\na\n```\n");
        assert_eq!(fenced("```\nb"), "````sql\n```\nb\n````\n");
    }
}
