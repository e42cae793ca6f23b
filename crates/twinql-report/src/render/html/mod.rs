//! One file with everything in it: style, pictures, and a script that nothing depends on.
//!
//! Every text of the model goes through [`text`] or [`attribute`]. The page's own policy allows the one script
//! that is written here, by its digest, and loads nothing, so that a mistake in this file could still not make
//! a prediction act.

mod blocks;
mod pairs;
mod table;

use std::fmt::Write;

use crate::chart::{rules, variables};
use crate::safe::{Piece, Slugs, escaped, name, one_line, paragraphs, pieces, visible};
use crate::{Block, Report};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The digest of [`SCRIPT`] as content security policies write it; a test computes it anew.
const SCRIPT_DIGEST: &str = "sha256-1rn3Jyyy+M+ArLX20eVb6N153Pbp1dWaySeJarM1Bm4=";

/// A text as it may stand in an element. Line breaks and tabs stay.
fn text(text: &str) -> String {
    let mut out = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Plain(text) => out.push_str(&escaped(text)),
            // Writing to a string cannot fail, here and below.
            Piece::Acting(name) => {
                let _ =
                    write!(out, r#"<span class="acts" title="a character that is not seen">{name}</span>"#);
            }
        }
    }
    out
}

/// A name, heading or cell, in one line and bounded.
fn line(of: &str) -> String {
    // Names of acting characters are made twice; the second time nothing acts.
    escaped(&name(of))
}

/// A text as it may stand in an attribute.
fn attribute(text: &str) -> String {
    escaped(&one_line(&visible(text)))
}

/// A heading of a text: `code` in backticks.
fn inline(text: &str) -> String {
    let pieces = super::inline(text).into_iter();
    let shown = pieces.map(
        |(code, piece)| {
            if code { format!("<code>{}</code>", escaped(piece)) } else { escaped(piece) }
        },
    );
    shown.collect()
}

/// Paragraphs.
fn prose(out: &mut String, text: &str) {
    for paragraph in paragraphs(text) {
        // Writing to a string cannot fail, here as above.
        let _ = writeln!(out, "<p>{}</p>", inline(&paragraph));
    }
}

impl Report {
    /// The report as one HTML file.
    pub fn html(&self) -> String {
        let mut slugs = Slugs::default();
        // Names that the page itself uses.
        for taken in ["content", "contents", "top"] {
            slugs.of(taken);
        }
        let mut toc = String::new();
        let mut main = String::new();
        for section in &self.sections {
            let id = slugs.of(&section.id);
            let title = line(&section.title);
            // No slug has an underscore.
            let _ = writeln!(toc, "<li><a href=\"#{id}\">{title}</a></li>");
            let _ = writeln!(main, "<section id=\"{id}\" aria-labelledby=\"{id}_h\">");
            let _ = writeln!(main, "<h2 id=\"{id}_h\">{title}</h2>");
            blocks::write(&mut main, &section.blocks, &mut slugs);
            main.push_str("</section>\n");
        }
        if !self.provenance.is_empty() {
            let id = slugs.of("provenance");
            let _ = writeln!(toc, "<li><a href=\"#{id}\">Where the figures come from</a></li>");
            let _ = writeln!(main, "<section id=\"{id}\" aria-labelledby=\"{id}_h\">");
            let _ =
                writeln!(main, "<h2 id=\"{id}_h\">Where the figures come from</h2>\n<dl class=\"facts\">");
            for fact in &self.provenance {
                let (fact, value) = (line(&fact.name), line(&fact.value));
                let _ = writeln!(main, "<div><dt>{fact}</dt><dd>{value}</dd></div>");
            }
            main.push_str("</dl>\n</section>\n");
        }
        let title = line(&self.title);
        let subtitle = if self.subtitle.is_empty() {
            String::new()
        } else {
            format!("<p class=\"subtitle\">{}</p>\n", line(&self.subtitle))
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n\
             <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#content\">Skip to the figures</a>\n\
             <header id=\"top\">\n<div>\n<h1>{title}</h1>\n{subtitle}</div>\n</header>\n<div class=\"page\">\n\
             <nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n{toc}</ol>\n</nav>\n\
             <main id=\"content\">\n{main}</main>\n</div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
            policy(),
            style(),
        )
    }
}

/// What the page may do: its own style and script, and nothing from elsewhere.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_DIGEST}'; base-uri 'none'; form-action 'none'"
    )
}

/// The style sheet with the colours of charts. Printed pages are light.
fn style() -> String {
    let (light, dark) = (variables(false), variables(true));
    format!(
        ":root{{{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n\
         @media screen{{:root[data-theme=dark]{{{dark}}}}}\n{}\n{STYLE}",
        rules()
    )
}

/// Whether blocks that follow each other stand side by side where there is room.
fn beside(block: &Block) -> bool {
    matches!(block, Block::Chart(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// Base 64 with padding (RFC 4648).
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for chunk in bytes.chunks(3) {
            let bits =
                chunk.iter().fold(0u32, |bits, b| bits << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
            for i in 0..4 {
                let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
                out.push(if i <= chunk.len() { char::from(letter) } else { '=' });
            }
        }
        out
    }

    #[test]
    fn the_policy_allows_the_script_that_is_there() {
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(format!("sha256-{}", base64(&Sha256::digest(SCRIPT))), SCRIPT_DIGEST);
    }

    #[test]
    fn texts_are_harmless() {
        assert_eq!(
            text("</pre>\u{202e}"),
            "&lt;/pre&gt;<span class=\"acts\" title=\"a character that is not seen\">U+202E</span>"
        );
        assert_eq!(attribute("\" onload='x'\n"), "&quot; onload=&#39;x&#39;");
        assert_eq!(inline("`a<b` c"), "<code>a&lt;b</code> c");
    }
}
