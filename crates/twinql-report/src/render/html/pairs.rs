//! Pairs of queries as cards: both queries coloured, what differs marked, the reason, the witness.

use std::fmt::Write;

use super::{line, prose, text};
use crate::render::{more_rows, witness_rows};
use crate::safe::{Slugs, cut_note, name};
use crate::sql::{Compared, Kind, Side, laid_out};
use crate::{PairCard, Pairs, Tone, WitnessTable};

/// Some pairs.
pub(super) fn write(out: &mut String, pairs: &Pairs, slugs: &mut Slugs) {
    if pairs.folded {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "<details class=\"fold\"><summary>{}</summary>", line(&pairs.caption));
    } else {
        prose(out, &pairs.caption);
    }
    for of in &pairs.cards {
        card(out, of, &slugs.of(&format!("pair-{}", of.title)));
    }
    if pairs.folded {
        out.push_str("</details>\n");
    }
}

/// One pair.
fn card(out: &mut String, card: &PairCard, id: &str) {
    let _ = writeln!(out, "<article class=\"pair\" id=\"{id}\">\n<h3>{}</h3>", line(&card.title));
    if !card.badges.is_empty() {
        out.push_str("<ul class=\"badges\">");
        for badge in &card.badges {
            let tone = match badge.tone {
                Tone::Same => "same",
                Tone::Different => "different",
                Tone::Neutral => "neutral",
            };
            let (name, value) = (line(&badge.name), line(&badge.value));
            let _ = write!(out, "<li class=\"{tone}\"><span>{name}</span> <b>{value}</b></li>");
        }
        out.push_str("</ul>\n");
    }
    if !card.question.is_empty() {
        out.push_str("<div class=\"question\">\n");
        prose(out, &card.question);
        out.push_str("</div>\n");
    }
    let compared = Compared::new(&card.gold, &card.pred);
    out.push_str("<div class=\"queries\">\n");
    query(out, "gold", "gold", &compared.gold);
    query(out, "pred", "prediction", &compared.pred);
    out.push_str("</div>\n");
    prose(out, &card.reason);
    if let Some(witness) = &card.witness {
        out.push_str("<details class=\"witness\" open=\"\"><summary>A database that shows it</summary>\n");
        prose(out, &witness.note);
        out.push_str("<div class=\"tables\">\n");
        witness.tables.iter().for_each(|of| table(out, of));
        out.push_str("</div>\n</details>\n");
    }
    out.push_str("</article>\n");
}

/// A query with colours and marks. Runs of one look share an element.
fn query(out: &mut String, class: &str, title: &str, side: &Side<'_>) {
    let _ = write!(
        out,
        "<figure class=\"sql {class}\"><figcaption>{title}</figcaption>\n<pre tabindex=\"0\"><code>"
    );
    let breaks = laid_out(&side.tokens);
    // Spaces between two marked tokens are marked with them.
    let marked = |at: usize| {
        let differs = |at: Option<usize>| at.and_then(|at| side.differs.get(at)).copied().unwrap_or(false);
        let space = side.tokens.get(at).is_some_and(|token| token.kind == Kind::Space);
        if space { differs(at.checked_sub(1)) && differs(Some(at + 1)) } else { differs(Some(at)) }
    };
    let mut open = false;
    for (at, token) in side.tokens.iter().enumerate() {
        let broken = |at: usize| breaks.get(at).is_some_and(Option::is_some);
        let wanted = marked(at) && !(token.kind == Kind::Space && broken(at + 1));
        if open && (!wanted || broken(at)) {
            out.push_str("</mark>");
            open = false;
        }
        if let Some(space) = breaks.get(at).and_then(Option::as_deref) {
            out.push_str(space);
        }
        if token.kind == Kind::Space && broken(at + 1) {
            continue;
        }
        if wanted && !open {
            out.push_str("<mark>");
            open = true;
        }
        let class = match token.kind {
            Kind::Keyword => "k",
            Kind::Text => "s",
            Kind::Number => "d",
            Kind::Comment => "c",
            Kind::Name | Kind::Sign | Kind::Space => "",
        };
        let shown = text(token.text);
        let _ = if class.is_empty() {
            write!(out, "{shown}")
        } else {
            write!(out, "<span class=\"{class}\">{shown}</span>")
        };
    }
    if open {
        out.push_str("</mark>");
    }
    if side.tokens.is_empty() {
        out.push_str("<span class=\"c\">(empty)</span>");
    }
    out.push_str("</code></pre>");
    if side.cut > 0 {
        let _ = write!(out, "<p class=\"note\">{}</p>", cut_note(side.cut));
    }
    out.push_str("</figure>\n");
}

/// A table of a witness.
fn table(out: &mut String, table: &WitnessTable) {
    let title = line(&table.name);
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table class=\"small\"><caption>{title}</caption>\n<thead><tr>"
    );
    for column in table.columns.iter().take(crate::render::MOST_COLUMNS) {
        let _ = write!(out, "<th scope=\"col\" class=\"l\">{}</th>", line(column));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let (rows, more) = witness_rows(table);
    for row in &rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = match cell {
                Some(value) => write!(out, "<td>{}</td>", line(value)),
                None => write!(out, "<td class=\"null\">NULL</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    if rows.is_empty() {
        let columns = table.columns.len().max(1);
        let _ = writeln!(out, "<tr><td colspan=\"{columns}\" class=\"null\">no rows</td></tr>");
    }
    out.push_str("</tbody></table>");
    if let Some(more) = more_rows(more) {
        let _ = write!(out, "<p class=\"note\">{}</p>", name(&more));
    }
    out.push_str("</div>\n");
}
