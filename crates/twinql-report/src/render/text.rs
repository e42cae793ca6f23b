//! For a terminal: columns in line, charts as their figures, bars of blocks where bars are meant.

use std::fmt::Write;

use super::{more_rows, witness_rows};
use crate::chart::bar_lengths;
use crate::safe::{clipped, cut_note, name, one_line, paragraphs};
use crate::sql::Compared;
use crate::{Align, BestCells, Block, Cell, Chart, PairCard, Pairs, Report, Table, Tiles, WitnessTable};

/// Characters of a line of prose.
const WIDTH: usize = 100;
/// Characters of the longest bar.
const BAR: f64 = 24.0;
/// Characters of a table's cell.
const CELL: usize = 60;

impl Report {
    /// The report for a terminal.
    pub fn text(&self) -> String {
        let mut out = String::new();
        heading(&mut out, &name(&self.title), '=');
        wrapped(&mut out, &name(&self.subtitle), "");
        for section in &self.sections {
            out.push('\n');
            heading(&mut out, &name(&section.title), '-');
            for block in &section.blocks {
                out.push('\n');
                match block {
                    Block::Prose(prose) => prose_text(&mut out, &prose.text, ""),
                    Block::Tiles(of) => tiles(&mut out, of),
                    Block::Table(of) => table(&mut out, of, ""),
                    Block::Chart(of) => chart(&mut out, of),
                    Block::Pairs(of) => pairs(&mut out, of),
                }
            }
        }
        if !self.provenance.is_empty() {
            out.push('\n');
            heading(&mut out, "Where the figures come from", '-');
            for fact in &self.provenance {
                // Writing to a string cannot fail, here and below.
                let _ = writeln!(out, "{}: {}", name(&fact.name), name(&fact.value));
            }
        }
        out
    }
}

/// A title with a line below it.
fn heading(out: &mut String, title: &str, line: char) {
    let rule: String = std::iter::repeat_n(line, width(title).clamp(1, WIDTH)).collect();
    let _ = writeln!(out, "{title}\n{rule}");
}

/// The columns of a terminal that a text takes: wide characters take two.
fn width(text: &str) -> usize {
    let wide = |c: char| {
        matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}'
            | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
    };
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

/// A text in lines, each after an indent.
fn wrapped(out: &mut String, text: &str, indent: &str) {
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = width(word);
        if used > 0 && used + 1 + wide > WIDTH {
            out.push('\n');
            used = 0;
        }
        if used == 0 {
            out.push_str(indent);
            used = indent.len();
        } else {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
    }
    if used > 0 {
        out.push('\n');
    }
}

/// Paragraphs with an empty line between two.
fn prose_text(out: &mut String, text: &str, indent: &str) {
    for (nth, paragraph) in paragraphs(text).iter().enumerate() {
        if nth > 0 {
            out.push('\n');
        }
        wrapped(out, paragraph, indent);
    }
}

/// A line for each figure.
fn tiles(out: &mut String, of: &Tiles) {
    let names: Vec<String> = of.tiles.iter().map(|tile| name(&tile.name)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    for (tile, name) in of.tiles.iter().zip(&names) {
        let gap = " ".repeat(widest - width(name).min(widest));
        let note = self::note(&tile.note);
        let _ = writeln!(out, "{name}{gap}  {}{note}", crate::safe::name(&tile.value));
    }
}

/// A note in brackets, if there is one.
fn note(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(" ({})", name(note)) }
}

/// A cell's text, no longer than a column may be.
fn cell_text(text: &str) -> String {
    let text = one_line(text);
    match clipped(&text, CELL) {
        (_, 0) => text,
        (kept, _) => format!("{kept}…"),
    }
}

/// A table with the best of each column starred.
fn table(out: &mut String, table: &Table, indent: &str) {
    if !table.caption.is_empty() {
        wrapped(out, &name(&table.caption), indent);
    }
    let best = BestCells::of(table);
    let empty = Cell::from("");
    let mut starred = false;
    let mut lines: Vec<Vec<String>> =
        vec![table.columns.iter().map(|column| cell_text(&column.heading())).collect()];
    for row in &table.rows {
        let cells = table.columns.iter().enumerate().map(|(number, column)| {
            let cell = row.cells.get(number).unwrap_or(&empty);
            let mut text = cell_text(&cell.shown(column));
            if best.is(number, cell, column.digits) {
                text.push('*');
                starred = true;
            } else if column.better.is_some() && cell.value().is_some() {
                // So that digits stay below digits.
                text.push(' ');
            }
            text
        });
        lines.push(cells.collect());
    }
    let sides: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    aligned(out, &lines, &sides, indent);
    if starred {
        let _ = writeln!(out, "{indent}* best of its column");
    }
    table.notes.iter().for_each(|note| prose_text(out, note, indent));
}

/// Lines of cells in columns, a rule below the first line.
fn aligned(out: &mut String, lines: &[Vec<String>], sides: &[Align], indent: &str) {
    let columns = sides.len();
    let widest: Vec<usize> = (0..columns)
        .map(|i| lines.iter().filter_map(|line| line.get(i)).map(|cell| width(cell)).max().unwrap_or(0))
        .collect();
    for (number, line) in lines.iter().enumerate() {
        let mut text = String::from(indent);
        for ((cell, side), widest) in line.iter().zip(sides).zip(&widest) {
            let room = widest.saturating_sub(width(cell));
            let (before, after) = match side {
                Align::Left => (0, room),
                Align::Right => (room, 0),
                Align::Centre => (room / 2, room - room / 2),
            };
            let _ = write!(text, "{}{cell}{}  ", " ".repeat(before), " ".repeat(after));
        }
        out.push_str(text.trim_end());
        out.push('\n');
        if number == 0 {
            let rules: Vec<String> = widest.iter().map(|width| "-".repeat(*width)).collect();
            let _ = writeln!(out, "{indent}{}", rules.join("  ").trim_end());
        }
    }
}

/// A chart's figures, with bars where the chart has bars.
fn chart(out: &mut String, of: &Chart) {
    let mut figures = of.table();
    for (column, lengths) in bar_lengths(of) {
        for (row, length) in figures.rows.iter_mut().zip(&lengths) {
            row.cells.insert(column.min(row.cells.len()), Cell::from(bar(*length)));
        }
        figures.columns.insert(column.min(figures.columns.len()), crate::Column::text(""));
    }
    table(out, &figures, "");
    prose_text(out, &of.caption, "");
}

/// A bar for a share of the longest one, in eighths of a character.
fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = if share.is_finite() { (share.clamp(0.0, 1.0) * BAR * 8.0).round() as usize } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Pairs one below the other.
fn pairs(out: &mut String, of: &Pairs) {
    prose_text(out, &of.caption, "");
    for (number, card) in of.cards.iter().enumerate() {
        if number > 0 || !of.caption.is_empty() {
            out.push('\n');
        }
        pair(out, card);
    }
}

/// One pair: what is said of it, both queries, where they differ, the witness.
fn pair(out: &mut String, card: &PairCard) {
    let _ = writeln!(out, "{}", name(&card.title));
    let badges: Vec<String> =
        card.badges.iter().map(|badge| format!("{}: {}", name(&badge.name), name(&badge.value))).collect();
    wrapped(out, &badges.join(" | "), "  ");
    prose_text(out, &card.question, "  ");
    let compared = Compared::new(&card.gold, &card.pred);
    for (title, side) in [("gold", &compared.gold), ("prediction", &compared.pred)] {
        let _ = writeln!(out, "  {title}:");
        side.shown().lines().for_each(|line| {
            let _ = writeln!(out, "    {line}");
        });
        if side.cut > 0 {
            let _ = writeln!(out, "    {}", cut_note(side.cut));
        }
    }
    for (title, side) in [("only in gold", &compared.gold), ("only in prediction", &compared.pred)] {
        let runs = side.differing_runs();
        if !runs.is_empty() {
            let runs: Vec<String> = runs.iter().map(|run| one_line(run)).collect();
            wrapped(out, &format!("{title}: {}", runs.join(" … ")), "  ");
        }
    }
    prose_text(out, &card.reason, "  ");
    if let Some(witness) = &card.witness {
        prose_text(out, &witness.note, "  ");
        witness.tables.iter().for_each(|table| witness_table(out, table));
    }
}

/// A table of a witness.
fn witness_table(out: &mut String, table: &WitnessTable) {
    let (rows, more) = witness_rows(table);
    let columns: Vec<String> =
        table.columns.iter().take(super::MOST_COLUMNS).map(|column| cell_text(column)).collect();
    let sides = vec![Align::Left; columns.len()];
    let mut lines = vec![columns];
    lines.extend(rows.into_iter().map(|row| {
        row.into_iter().map(|cell| cell.map_or_else(|| "NULL".into(), |text| cell_text(&text))).collect()
    }));
    let _ = writeln!(out, "  {}", name(&table.name));
    aligned(out, &lines, &sides, "    ");
    if lines.len() == 1 {
        let _ = writeln!(out, "    no rows");
    }
    if let Some(more) = more_rows(more) {
        let _ = writeln!(out, "    {more}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_shares() {
        assert_eq!(bar(1.0).chars().count(), 24);
        assert_eq!(bar(0.5), "█".repeat(12));
        assert_eq!(bar(1.0 / 192.0), "▏");
        assert_eq!(bar(f64::NAN), "");
    }

    #[test]
    fn columns_stand_in_line() {
        let mut out = String::new();
        let lines = [["a", "1"], ["東京", "10"]].map(|line| line.map(String::from).to_vec());
        aligned(&mut out, &lines, &[Align::Left, Align::Right], "");
        assert_eq!(out, "a      1\n----  --\n東京  10\n");
    }
}
