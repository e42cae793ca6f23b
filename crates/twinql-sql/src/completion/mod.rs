//! SQL within text: what language models answer, fenced or after some words.
//!
//! Work and memory are linear in the length of a text. Nothing is parsed here.

mod fence;
mod statements;

pub use fence::{Fence, Fenced, fenced};
pub use statements::{bare, begins, statements, without_prose};

/// The query in a text that holds more than a query, with what stands before it: a fenced block wherever it stands, else
/// what follows a sentence or a label. None where the text has neither: the rest of a broken query is no query.
pub(crate) fn query_within(text: &str) -> Option<(&str, &str)> {
    let query = match fenced(text) {
        Fenced::Closed(_, sql) | Fenced::Open(_, sql) => sql,
        Fenced::None => without_prose(bare(text)),
    };
    let at = (query.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let before = text.get(..at)?.trim();
    let (words, fence) =
        before.rfind("```").map_or((before, false), |at| (before.get(..at).unwrap_or_default(), true));
    let sentence = || before.trim_end_matches(['*', '_']).ends_with([':', '.', '!', '?']) && !begins(before);
    let said = fence || sentence();
    (!query.trim().is_empty() && said).then_some((words.trim(), query))
}

/// The text that two spellings of one query share, found without parsing: lower case outside quotes, one space between
/// words, none beside punctuation, no semicolon at the end.
pub fn normal(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut quote: Option<char> = None;
    let mut space = false;
    for c in sql.trim().trim_end_matches([';', ' ', '\n', '\t', '\r']).chars() {
        if let Some(end) = quote {
            out.push(c);
            if c == end {
                quote = None;
            }
            continue;
        }
        if c.is_whitespace() {
            space = true;
            continue;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_' || matches!(c, '\'' | '"' | '`' | '[');
        if space && word(c) && out.chars().next_back().is_some_and(|p| word(p) || p == ']') {
            out.push(' ');
        }
        space = false;
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '[' => quote = Some(']'),
            _ => {}
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_found_behind_words() {
        for (text, found) in [
            ("Here is the query:\n```sql\nSELECT 1\n```\nIt counts.", Some("SELECT 1")),
            ("Use this one:\n```\nSELECT 1\n```", Some("SELECT 1")),
            ("SQL: SELECT 1", Some("SELECT 1")),
            ("**Final SQL:** SELECT 1; I hope it helps.", Some("SELECT 1")),
            ("The question asks for one.\nSELECT 1", Some("SELECT 1")),
            // A broken query is not read from its middle.
            ("SELEC a FROM (\nSELECT b FROM t\n)", None),
            ("SELECT a FROM t WHERE b = :\nSELECT 1", None),
            ("SELECT 1", None),
            ("There is no query: sorry.", None),
        ] {
            assert_eq!(query_within(text).map(|(_, query)| query.trim()), found, "{text}");
        }
    }
}
