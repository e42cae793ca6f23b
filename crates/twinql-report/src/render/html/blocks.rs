//! Prose, tiles and charts; tables and pairs have files of their own.

use std::fmt::Write;

use super::{attribute, beside, line, pairs, prose, table};
use crate::chart::swatch_svg;
use crate::safe::{Slugs, escaped, name};
use crate::{Block, Chart, Tiles};

/// The blocks of a section. Charts that follow each other stand side by side where there is room.
pub(super) fn write(out: &mut String, blocks: &[Block], slugs: &mut Slugs) {
    let mut open = false;
    for block in blocks {
        if beside(block) != open {
            out.push_str(if open { "</div>\n" } else { "<div class=\"charts\">\n" });
            open = !open;
        }
        match block {
            Block::Prose(of) => prose(out, &of.text),
            Block::Tiles(of) => tiles(out, of),
            Block::Table(of) => table::write(out, of, true),
            Block::Chart(of) => chart(out, of, &slugs.of(&of.id)),
            Block::Pairs(of) => pairs::write(out, of, slugs),
        }
    }
    if open {
        out.push_str("</div>\n");
    }
}

/// Figures in large type.
fn tiles(out: &mut String, of: &Tiles) {
    out.push_str("<dl class=\"tiles\">\n");
    for tile in &of.tiles {
        let _ = write!(out, "<div><dt>{}</dt><dd>{}", line(&tile.name), line(&tile.value));
        if !tile.note.is_empty() {
            let _ = write!(out, "<small>{}</small>", line(&tile.note));
        }
        out.push_str("</dd></div>\n");
    }
    out.push_str("</dl>\n");
}

/// A picture with its legend, its caption, and its figures to unfold.
fn chart(out: &mut String, of: &Chart, id: &str) {
    let title = name(&of.title);
    let _ = writeln!(out, "<figure class=\"chart\" id=\"{id}\">\n<h3>{}</h3>", line(&of.title));
    match of.picture() {
        Ok(picture) => {
            let _ = writeln!(out, "{}", picture.inline(id, &title, &of.description()));
            if !picture.legend.is_empty() {
                out.push_str("<ul class=\"legend\">\n");
                for entry in &picture.legend {
                    let _ = write!(out, "<li>{}<span>", swatch_svg(entry.swatch));
                    if !entry.name.is_empty() {
                        let _ = write!(out, "{} ", escaped(&entry.name));
                    }
                    if !entry.note.is_empty() {
                        let _ = write!(out, "<small>{}</small>", escaped(&entry.note));
                    }
                    out.push_str("</span></li>\n");
                }
                out.push_str("</ul>\n");
            }
        }
        Err(why) => {
            let _ = writeln!(out, "<p>The picture could not be drawn: {}</p>", line(&why));
        }
    }
    if !of.caption.is_empty() {
        out.push_str("<figcaption>\n");
        prose(out, &of.caption);
        out.push_str("</figcaption>\n");
    }
    let _ = writeln!(
        out,
        "<details><summary>Figures as a table<span class=\"hidden\">: {}</span></summary>",
        attribute(&title)
    );
    table::write(out, &crate::Table { caption: String::new(), ..of.table() }, false);
    out.push_str("</details>\n</figure>\n");
}
