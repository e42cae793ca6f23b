//! Tables, within a box that scrolls where the page is narrow.

use std::fmt::Write;

use super::{attribute, inline, line};
use crate::number::shown;
use crate::safe::{name, paragraphs};
use crate::{Align, BestCells, Cell, Column, Table};

/// A table with its caption and notes. `sortable` tables are sorted by the page's script, where it runs.
pub(super) fn write(out: &mut String, table: &Table, sortable: bool) {
    let title = if table.caption.is_empty() { "table" } else { &table.caption };
    // Writing to a string cannot fail, here and below. The box takes focus, to be scrolled by keys.
    let _ = writeln!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table{}>",
        attribute(&name(title)),
        if sortable && table.rows.len() > 1 { " class=\"sortable\"" } else { "" }
    );
    if !table.caption.is_empty() {
        let _ = writeln!(out, "<caption>{}</caption>", inline(&name(&table.caption)));
    }
    out.push_str("<thead><tr>");
    for column in &table.columns {
        let arrow = match column.better {
            Some(crate::Better::Higher) => " <span class=\"better\" title=\"higher is better\">↑</span>",
            Some(crate::Better::Lower) => " <span class=\"better\" title=\"lower is better\">↓</span>",
            None => "",
        };
        let _ = write!(
            out,
            "<th scope=\"col\" class=\"{}\">{}{arrow}</th>",
            side(column.align),
            line(&column.heading())
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let best = BestCells::of(table);
    let empty = Cell::from("");
    for row in &table.rows {
        out.push_str(if row.emphasis { "<tr class=\"emphasis\">" } else { "<tr>" });
        for (number, column) in table.columns.iter().enumerate() {
            let cell = row.cells.get(number).unwrap_or(&empty);
            write_cell(out, cell, column, number == 0, best.is(number, cell, column.digits));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    for note in table.notes.iter().flat_map(|note| paragraphs(note)) {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", inline(&note));
    }
}

/// The class of a side.
fn side(align: Align) -> &'static str {
    match align {
        Align::Left => "l",
        Align::Right => "r",
        Align::Centre => "c",
    }
}

/// A cell; the first one of a row is its heading.
fn write_cell(out: &mut String, cell: &Cell, column: &Column, heads: bool, best: bool) {
    let digits = usize::from(column.digits);
    let inner = match cell {
        Cell::Number { value, low: Some(low), high: Some(high) }
            if value.is_finite() && low.is_finite() && high.is_finite() =>
        {
            format!(
                "<span>{}</span> <small>[{}, {}]</small>",
                shown(*value, digits),
                shown(*low, digits),
                shown(*high, digits)
            )
        }
        Cell::Missing { .. } => format!("<small>{}</small>", line(&cell.shown(column))),
        Cell::Text { text } => inline(&name(text)),
        Cell::Number { .. } => line(&cell.shown(column)),
    };
    let inner = if best { format!("<b>{inner}</b><span class=\"hidden\"> (best)</span>") } else { inner };
    let (tag, scope) = if heads { ("th", " scope=\"row\"") } else { ("td", "") };
    let value = cell.value().map(|value| format!(" data-v=\"{value:e}\"")).unwrap_or_default();
    let best = if best { " best" } else { "" };
    let _ = write!(out, "<{tag}{scope} class=\"{}{best}\"{value}>{inner}</{tag}>", side(column.align));
}
