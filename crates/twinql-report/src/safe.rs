//! Texts of strangers made harmless: no character acts, none hides, and none comes without end.
//!
//! Predictions are written by models and by whoever feeds them. A report must show what they wrote, also where
//! that is a control character or one that turns the direction of the text around it.

/// The longest query that is shown, in characters.
pub(crate) const LONGEST_SQL: usize = 4_000;
/// The longest paragraph, question or reason that is shown.
pub(crate) const LONGEST_TEXT: usize = 4_000;
/// The longest name, heading or cell that is shown.
pub(crate) const LONGEST_NAME: usize = 300;
/// The longest text that is shown within a chart.
pub(crate) const LONGEST_LABEL: usize = 60;

/// Whether the character does something other than show itself: controls, marks and overrides of direction,
/// what has no width, and what ends lines in some places only.
fn acts(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Pieces of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// As it is; may hold line breaks and tabs.
    Plain(&'a str),
    /// The name of a character that acts, as `U+202E`.
    Acting(String),
}

/// The text in pieces. A carriage return before a line feed belongs to the line break and is left out.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if acts(c) {
            if from < at {
                out.push(Piece::Plain(&text[from..at]));
            }
            from = at + c.len_utf8();
            if !(c == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n')) {
                out.push(Piece::Acting(format!("U+{:04X}", u32::from(c))));
            }
        }
    }
    if from < text.len() {
        out.push(Piece::Plain(&text[from..]));
    }
    out
}

/// The text with acting characters by their names, as `<U+202E>`. Line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let shown = pieces(text).into_iter().map(|piece| match piece {
        Piece::Plain(text) => text.to_owned(),
        Piece::Acting(name) => format!("<{name}>"),
    });
    shown.collect()
}

/// The visible text in one line: every run of white space is one space.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, and how many characters are cut off.
pub(crate) fn clipped(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        None => (text, 0),
        Some((at, _)) => (&text[..at], text[at..].chars().count()),
    }
}

/// What is said in place of characters that are cut off.
pub(crate) fn cut_note(cut: usize) -> String {
    format!("… {} more characters", crate::number::shown(cut as f64, 0))
}

/// A name, heading or cell: visible, in one line and bounded.
pub(crate) fn name(text: &str) -> String {
    bounded(text, LONGEST_NAME)
}

/// A text within a chart: visible, in one line and short.
pub(crate) fn label(text: &str) -> String {
    let (kept, cut) = clipped(text, LONGEST_LABEL);
    let kept = one_line(kept);
    if cut > 0 { format!("{kept}…") } else { kept }
}

/// The visible text in one line, with a note of what is cut off.
fn bounded(text: &str, most: usize) -> String {
    let (kept, cut) = clipped(text, most);
    let kept = one_line(kept);
    if cut > 0 { format!("{kept} ({})", cut_note(cut)) } else { kept }
}

/// The paragraphs of a text: bounded, visible, each in one line.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let (kept, cut) = clipped(text, LONGEST_TEXT);
    let kept = visible(kept);
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in kept.lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match out.last_mut() {
            _ if line.is_empty() => open = false,
            Some(last) if open => {
                last.push(' ');
                last.push_str(&line);
            }
            _ => {
                out.push(line);
                open = true;
            }
        }
    }
    if cut > 0 {
        out.push(format!("({})", cut_note(cut)));
    }
    out
}

/// Letters, digits and hyphens of a text, as an anchor or a file name; never empty.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(80) {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "part".into() } else { out.into() }
}

/// Slugs that differ from each other.
#[derive(Debug, Default)]
pub(crate) struct Slugs {
    given: std::collections::BTreeSet<String>,
}

impl Slugs {
    /// The slug of a text, with a number where it has been given before.
    pub(crate) fn of(&mut self, text: &str) -> String {
        let base = slug(text);
        let mut slug = base.clone();
        let mut number = 2;
        while !self.given.insert(slug.clone()) {
            slug = format!("{base}-{number}");
            number += 1;
        }
        slug
    }
}

/// The text as it may stand in an element or an attribute of HTML or SVG. It should be visible already: XML
/// allows no control characters, not even escaped ones.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acting_characters_are_named() {
        assert_eq!(visible("a\u{202e}b\u{0}c\u{1b}[31m"), "a<U+202E>b<U+0000>c<U+001B>[31m");
        assert_eq!(visible("a\r\nb\rc\td"), "a\nb<U+000D>c\td");
        assert_eq!(visible("Zoë 東京 🚀"), "Zoë 東京 🚀");
        assert_eq!(one_line("a\n\n b\u{2028}c"), "a b<U+2028>c");
    }

    #[test]
    fn long_texts_are_cut_with_a_note() {
        assert_eq!(clipped("äöü", 3), ("äöü", 0));
        assert_eq!(clipped("äöü", 2), ("äö", 1));
        let long = "x".repeat(1_000_000);
        assert!(name(&long).ends_with("x (… 999,700 more characters)"));
        assert_eq!(label(&long).chars().count(), LONGEST_LABEL + 1);
    }

    #[test]
    fn paragraphs_are_split_at_empty_lines() {
        assert_eq!(paragraphs("a\nb\n \n\nc\n"), ["a b", "c"]);
        assert!(paragraphs(" \n").is_empty());
    }

    #[test]
    fn slugs_are_plain_and_differ() {
        let mut slugs = Slugs::default();
        let all: Vec<String> = ["By hardness", "by-hardness", "\"><script>", "日本", "…", "part-2"]
            .map(|text| slugs.of(text))
            .into();
        assert_eq!(all, ["by-hardness", "by-hardness-2", "script", "part", "part-2", "part-2-2"]);
    }
}
