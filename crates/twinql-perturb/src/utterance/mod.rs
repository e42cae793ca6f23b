//! Relations that say a question in other words (MT-TEQL, 3.1.1). Schema and gold stay.

pub mod prefix;
pub mod synonym;

/// Other wordings of a question, the most usual ones first, each once and none of them the question itself.
pub type UtteranceRelation = fn(&str) -> Vec<String>;

/// The spans of a text between quotation marks, which are values and stay: `'…'` and `"…"` that open before a
/// letter or digit at the start of a word, curly ones, and backticks.
pub(crate) fn quoted(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match open {
            Some((from, end)) if c == end => {
                spans.push(from..at + c.len_utf8());
                open = None;
            }
            Some(_) => {}
            None => {
                let end = match c {
                    '"' => Some('"'),
                    '“' => Some('”'),
                    '‘' => Some('’'),
                    '`' => Some('`'),
                    // An apostrophe inside or at the end of a word opens nothing.
                    '\'' if !before.is_alphanumeric() => Some('\''),
                    _ => None,
                };
                // What is never closed is no quotation.
                let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
                open = end.filter(|end| rest.contains(*end)).map(|end| (at, end));
            }
        }
        before = c;
    }
    spans
}

/// Keeps the first of equal texts, drops the question itself, and keeps the order.
pub(crate) fn distinct(question: &str, made: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::from([question.to_owned()]);
    made.into_iter().filter(|text| seen.insert(text.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found() {
        for (text, expect) in [
            ("name is 'the lowest' of all", vec!["'the lowest'"]),
            ("the singers' names and the pet's age", vec![]),
            ("titled \"Ça va\" or “né”", vec!["\"Ça va\"", "“né”"]),
            ("it's open \" and never closed", vec![]),
        ] {
            let found: Vec<&str> = quoted(text).into_iter().map(|span| &text[span]).collect();
            assert_eq!(found, expect, "{text}");
        }
    }
}
