//! For a paper: `booktabs` tables and `pgfplots` figures, to be taken over one by one.
//!
//! The file is a document of its own, so that it can be looked at. Characters of other scripts than the Latin
//! one are shown by LuaLaTeX and XeLaTeX with a font that has them; pdfLaTeX names them.

mod plots;

use std::fmt::Write;

use super::{more_rows, witness_rows};
use crate::safe::{Slugs, cut_note, name, one_line, paragraphs};
use crate::sql::{Compared, Side};
use crate::{
    Align, BestCells, Block, Cell, Chart, PairCard, Pairs, Plot, Report, Table, Tiles, WitnessTable,
};

/// The packages that are used, and how queries look.
const HEAD: &str = "\\documentclass{article}\n\
    \\usepackage{iftex}\n\
    \\ifPDFTeX\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}\\usepackage{textcomp}\
    \\else\\usepackage{fontspec}\\fi\n\
    \\usepackage[margin=2.5cm]{geometry}\n\
    \\usepackage{booktabs}\n\
    \\usepackage{pgfplots}\n\
    \\pgfplotsset{compat=1.16}\n\
    % Characters that pdfLaTeX has no fonts for are named there; LuaLaTeX and XeLaTeX show them.\n\
    \\ifPDFTeX\\DeclareRobustCommand\\other[2]{\\textless U+#2\\textgreater}\
    \\else\\DeclareRobustCommand\\other[2]{#1}\\fi\n";

impl Report {
    /// The report as a LaTeX document.
    pub fn latex(&self) -> String {
        let mut out = String::from(HEAD);
        let _ = writeln!(out, "\\title{{{}}}", escaped(&name(&self.title)));
        out.push_str("\\author{}\\date{}\n\\begin{document}\n\\maketitle\n");
        if !self.subtitle.is_empty() {
            let _ = writeln!(out, "\\noindent {}", inline(&name(&self.subtitle)));
        }
        let mut slugs = Slugs::default();
        for section in &self.sections {
            let label = slugs.of(&section.id);
            let _ = writeln!(out, "\n\\section{{{}}}\\label{{sec:{label}}}", escaped(&name(&section.title)));
            for block in &section.blocks {
                out.push('\n');
                match block {
                    Block::Prose(of) => prose(&mut out, &of.text),
                    Block::Tiles(of) => tiles(&mut out, of),
                    Block::Table(of) => {
                        let label = slugs.of(&format!("{label}-{}", of.caption));
                        table(&mut out, of, Some(&label));
                    }
                    Block::Chart(of) => chart(&mut out, of, &slugs.of(&of.id)),
                    Block::Pairs(of) => pairs(&mut out, of),
                }
            }
        }
        if !self.provenance.is_empty() {
            out.push_str("\n\\section*{Where the figures come from}\n\\begin{description}\\raggedright\n");
            for fact in &self.provenance {
                let (fact, value) = (escaped(&name(&fact.name)), breakable(&name(&fact.value)));
                let _ = writeln!(out, "\\item[{{{fact}}}] \\texttt{{{value}}}");
            }
            out.push_str("\\end{description}\n");
        }
        out.push_str("\\end{document}\n");
        out
    }
}

/// The text with everything that TeX would act on escaped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '%' | '#' | '_' => {
                out.push('\\');
                out.push(c);
            }
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '\'' => out.push_str("\\textquotesingle{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            // Dashes that would become one.
            '-' => out.push_str("-{}"),
            '…' => out.push_str("\\ldots{}"),
            '–' => out.push_str("--"),
            '↑' => out.push_str("$\\uparrow$"),
            '↓' => out.push_str("$\\downarrow$"),
            'τ' => out.push_str("$\\tau$"),
            'ρ' => out.push_str("$\\rho$"),
            '≤' => out.push_str("$\\leq$"),
            '≥' => out.push_str("$\\geq$"),
            // Latin letters with accents are in every font.
            '\u{0}'..='\u{17f}' => out.push(c),
            _ => {
                let _ = write!(out, "\\other{{{c}}}{{{:04X}}}", u32::from(c));
            }
        }
    }
    out
}

/// An escaped text that may break after any sign, as signatures need it.
fn breakable(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        out.push_str(&escaped(c.encode_utf8(&mut [0; 4])));
        if !c.is_alphanumeric() && !c.is_whitespace() {
            out.push_str("\\allowbreak{}");
        }
    }
    out
}

/// Words escaped, code in a typewriter's type.
fn inline(text: &str) -> String {
    let pieces = super::inline(text).into_iter();
    let shown = pieces.map(
        |(code, piece)| {
            if code { format!("\\texttt{{{}}}", breakable(piece)) } else { escaped(piece) }
        },
    );
    shown.collect()
}

/// Paragraphs.
fn prose(out: &mut String, text: &str) {
    for paragraph in paragraphs(text) {
        let _ = writeln!(out, "{}\n", inline(&paragraph));
    }
}

/// Figures as a list.
fn tiles(out: &mut String, of: &Tiles) {
    if of.tiles.is_empty() {
        return;
    }
    out.push_str("\\begin{itemize}\n");
    for tile in &of.tiles {
        let note =
            if tile.note.is_empty() { String::new() } else { format!(" ({})", escaped(&name(&tile.note))) };
        let (name, value) = (escaped(&name(&tile.name)), escaped(&name(&tile.value)));
        let _ = writeln!(out, "\\item {name}: \\textbf{{{value}}}{note}");
    }
    out.push_str("\\end{itemize}\n");
}

/// The letters of columns.
fn sides(sides: impl Iterator<Item = Align>) -> String {
    let letters = sides.map(|side| match side {
        Align::Left => 'l',
        Align::Right => 'r',
        Align::Centre => 'c',
    });
    letters.collect()
}

/// A table with the best of each column in bold; with a label it floats.
fn table(out: &mut String, table: &Table, label: Option<&str>) {
    if table.columns.is_empty() {
        return;
    }
    if let Some(label) = label {
        let caption = inline(&name(&table.caption));
        let _ = writeln!(
            out,
            "\\begin{{table}}[!htbp]\n\\centering\\small\n\\caption{{{caption}}}\\label{{tab:{label}}}"
        );
    }
    let columns = sides(table.columns.iter().map(|column| column.align));
    let _ = writeln!(out, "\\begin{{tabular}}{{{columns}}}\n\\toprule");
    let heads: Vec<String> = table.columns.iter().map(|column| escaped(&name(&column.heading()))).collect();
    let _ = writeln!(out, "{} \\\\\n\\midrule", heads.join(" & "));
    let best = BestCells::of(table);
    let empty = Cell::from("");
    for row in &table.rows {
        let cells = table.columns.iter().enumerate().map(|(number, column)| {
            let cell = row.cells.get(number).unwrap_or(&empty);
            let text = match cell {
                Cell::Text { text } => inline(&name(text)),
                // A minus is longer than a hyphen; brackets would be read as options after a line's end.
                Cell::Number { .. } => number_text(&cell.shown(column)),
                Cell::Missing { .. } => escaped(&name(&cell.shown(column))),
            };
            let strong = best.is(number, cell, column.digits) || (row.emphasis && number == 0);
            if strong { format!("\\textbf{{{text}}}") } else { text }
        });
        let _ = writeln!(out, "{} \\\\", cells.collect::<Vec<_>>().join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{tabular}\n");
    for note in table.notes.iter().flat_map(|note| paragraphs(note)) {
        let _ = writeln!(out, "\\par\\smallskip{{\\footnotesize {}}}", inline(&note));
    }
    if label.is_some() {
        out.push_str("\\end{table}\n");
    }
}

/// A number with its interval, which is set smaller.
fn number_text(text: &str) -> String {
    let minus = |text: &str| text.replace('-', "$-$");
    match text.split_once(' ') {
        None => minus(text),
        Some((value, interval)) => format!("{} {{\\scriptsize {}}}", minus(value), minus(interval)),
    }
}

/// A figure that floats.
fn chart(out: &mut String, of: &Chart, label: &str) {
    out.push_str("\\begin{figure}[!htbp]\n\\centering\n");
    if !plots::write(out, &of.plot) {
        let figures = Table { caption: String::new(), ..of.table() };
        out.push_str("\\small\n");
        table(out, &figures, None);
    }
    let mut caption: String =
        paragraphs(&of.caption).iter().map(|text| format!(" {}", inline(text))).collect();
    caption.push_str(&marks(of));
    let title = escaped(name(&of.title).trim_end_matches('.'));
    let _ = writeln!(out, "\\caption{{{title}.{caption}}}\\label{{fig:{label}}}\n\\end{{figure}}");
}

/// What the rings on curves mark, which legends of `pgfplots` have no room for.
fn marks(of: &Chart) -> String {
    let Plot::Curves(curves) = &of.plot else {
        return String::new();
    };
    let said = curves.curves.iter().flat_map(|curve| {
        let marks = curve.marks.iter().filter(|mark| !mark.note.is_empty()).take(20);
        marks.map(|mark| format!("{} {}", escaped(&name(&curve.name)), escaped(&name(&mark.note))))
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { String::new() } else { format!(" Marked: {}.", said.join("; ")) }
}

/// Pairs one below the other.
fn pairs(out: &mut String, of: &Pairs) {
    prose(out, &of.caption);
    of.cards.iter().for_each(|card| pair(out, card));
}

/// One pair.
fn pair(out: &mut String, card: &PairCard) {
    let _ = writeln!(out, "\\subsection*{{{}}}", escaped(&name(&card.title)));
    let badges: Vec<String> = card
        .badges
        .iter()
        .map(|b| format!("{}: \\textbf{{{}}}", escaped(&name(&b.name)), escaped(&name(&b.value))))
        .collect();
    if !badges.is_empty() {
        let _ = writeln!(out, "\\noindent {}\n", badges.join("; "));
    }
    if !card.question.is_empty() {
        out.push_str("\\begin{quote}\n");
        prose(out, &card.question);
        out.push_str("\\end{quote}\n");
    }
    let compared = Compared::new(&card.gold, &card.pred);
    query(out, "Gold", &compared.gold);
    query(out, "Prediction", &compared.pred);
    for (title, side) in [("Only in gold", &compared.gold), ("Only in the prediction", &compared.pred)] {
        let runs: Vec<String> = side
            .differing_runs()
            .iter()
            .map(|run| format!("\\texttt{{{}}}", breakable(&one_line(run))))
            .collect();
        if !runs.is_empty() {
            let _ = writeln!(out, "\\noindent {title}: {}\n", runs.join(", "));
        }
    }
    prose(out, &card.reason);
    if let Some(witness) = &card.witness {
        out.push_str("\\noindent A database that shows it:\n\n");
        prose(out, &witness.note);
        witness.tables.iter().for_each(|table| witness_table(out, table));
    }
}

/// A query in typewriter type, line by line; nothing in it can end a listing.
fn query(out: &mut String, title: &str, side: &Side<'_>) {
    let mut lines: Vec<String> = side
        .shown()
        .lines()
        .map(|line| {
            let body = line.trim_start();
            let indent = "~".repeat((line.len() - body.len()).min(40));
            format!("{indent}{}", breakable(body))
        })
        .filter(|line| !line.is_empty())
        .collect();
    if side.cut > 0 {
        lines.push(escaped(&cut_note(side.cut)));
    }
    let _ = writeln!(
        out,
        "\\noindent {title}:\n\\begin{{quote}}\\small\\ttfamily\\raggedright\n{}\\par\n\\end{{quote}}",
        lines.join("\\par\n")
    );
}

/// A table of a witness.
fn witness_table(out: &mut String, table: &WitnessTable) {
    let (rows, more) = witness_rows(table);
    let columns: Vec<&String> = table.columns.iter().take(super::MOST_COLUMNS).collect();
    if columns.is_empty() {
        return;
    }
    let letters = sides(columns.iter().map(|_| Align::Left));
    let heads: Vec<String> = columns.iter().map(|column| escaped(&name(column))).collect();
    let _ = writeln!(
        out,
        "\\noindent\\texttt{{{}}}\\par\\noindent{{\\small\\begin{{tabular}}{{{letters}}}\n\\toprule\n{} \\\\\n\\midrule",
        escaped(&name(&table.name)),
        heads.join(" & ")
    );
    for row in rows {
        let cells = row.into_iter().take(columns.len());
        let cells = cells.map(|cell| cell.map_or_else(|| "\\textit{NULL}".into(), |text| escaped(&text)));
        let _ = writeln!(out, "{{}}{} \\\\", cells.collect::<Vec<String>>().join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{tabular}}\\par\\medskip\n");
    if let Some(more) = more_rows(more) {
        let _ = writeln!(out, "\\noindent {}\\par", escaped(&more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tex_does_not_act() {
        assert_eq!(
            escaped("\\end{verbatim} $x_1$ 50% & #"),
            "\\textbackslash{}end\\{verbatim\\} \\$x\\_1\\$ 50\\% \\& \\#"
        );
        assert_eq!(escaped("é τ 東"), "é $\\tau$ \\other{東}{6771}");
        assert_eq!(inline("a `b_c`"), "a \\texttt{b\\_\\allowbreak{}c}");
        assert_eq!(number_text("-0.5 [-0.6, 0.1]"), "$-$0.5 {\\scriptsize [$-$0.6, 0.1]}");
    }
}
