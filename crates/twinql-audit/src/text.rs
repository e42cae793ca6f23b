//! Places in a query's text.

use std::ops::Range;

use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Token, Tokenizer};
use twinql_sql::TextRange;

/// A place in [`Audit::text`](crate::Audit::text).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Bytes of the text.
    pub bytes: Range<usize>,
    /// The line it begins in, from 1.
    pub line: usize,
    /// The column it begins in, from 1, in characters.
    pub column: usize,
    /// The line it ends in.
    pub end_line: usize,
    /// The column after its last character.
    pub end_column: usize,
}

/// A text, the starts of its lines, and its words.
#[derive(Debug)]
pub(crate) struct Text {
    /// The text itself.
    sql: String,
    /// The byte at which each line begins.
    lines: Vec<usize>,
    /// Words outside quotes, in upper case, and where they stand.
    words: Vec<(String, Range<usize>)>,
}

impl Text {
    pub(crate) fn new(sql: &str) -> Text {
        let starts = sql.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        let mut text = Text { sql: sql.to_owned(), lines, words: Vec::new() };
        // A text that cannot be split into tokens has no words: then places are those of the whole text.
        let tokens = Tokenizer::new(&SQLiteDialect {}, sql).tokenize_with_location().unwrap_or_default();
        for token in tokens {
            if let Token::Word(word) = &token.token
                && word.quote_style.is_none()
            {
                let (start, end) = (token.span.start, token.span.end);
                let range = text.offset(start.line, start.column)..text.offset(end.line, end.column);
                text.words.push((word.value.to_ascii_uppercase(), range));
            }
        }
        text
    }

    /// The text.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    /// The byte of a line and a column in characters, both from 1.
    pub(crate) fn offset(&self, line: u64, column: u64) -> usize {
        let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        let Some(start) = self.lines.get(index).copied() else { return self.sql.len() };
        let skipped = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
        let rest = self.sql.get(start..).unwrap_or("");
        rest.char_indices().nth(skipped).map_or(self.sql.len(), |(i, _)| start + i)
    }

    /// The bytes of a range.
    pub(crate) fn bytes(&self, range: TextRange) -> Range<usize> {
        let start = self.offset(range.line, range.column);
        self.closed(self.opened(start..self.offset(range.end_line, range.end_column).max(start)))
    }

    /// A range with the parentheses that it closes, and the word before them: the parser's place of `CAST(a AS REAL) / b`
    /// begins at a.
    fn opened(&self, range: Range<usize>) -> Range<usize> {
        let mut missing = 0;
        depth(self.at(&range), 0, &mut |_, open| {
            missing = missing.max(-open);
            false
        });
        // How many closed parentheses have no partner inside the range.
        let Ok(missing) = usize::try_from(missing) else { return range };
        if missing == 0 {
            return range;
        }
        let before = self.sql.get(..range.start).unwrap_or("");
        let open = unclosed(before);
        let Some(start) = open.len().checked_sub(missing).and_then(|i| open.get(i)) else { return range };
        let name = before.get(..*start).unwrap_or("").trim_end();
        let word = name.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        let function = name.get(word.len()..).unwrap_or("").to_ascii_uppercase();
        let called = !function.is_empty() && !BEFORE_PARENTHESES.contains(&function.as_str());
        if called { word.len()..range.end } else { *start..range.end }
    }

    /// A range with the parentheses that it opens, or that a function's name opens behind it: the parser's places leave
    /// out the closing ones.
    fn closed(&self, range: Range<usize>) -> Range<usize> {
        let written = self.at(&range);
        let rest = self.sql.get(range.end..).unwrap_or("");
        // The place of a call may be its name alone.
        let word = !written.is_empty() && written.chars().all(|c| c.is_alphanumeric() || c == '_');
        let called = word && rest.trim_start().starts_with('(');
        let mut open = depth(written, 0, &mut |_, _| false);
        if open <= 0 && !called {
            return range;
        }
        let mut end = range.end;
        open = depth(rest, open, &mut |at, open| {
            end = range.end + at + 1;
            open <= 0
        });
        if open <= 0 { range.start..end } else { range }
    }

    /// What stands there.
    pub(crate) fn at(&self, range: &Range<usize>) -> &str {
        self.sql.get(range.clone()).unwrap_or("")
    }

    /// The whole text, without the blanks around it.
    pub(crate) fn whole(&self) -> Range<usize> {
        let start = self.sql.len() - self.sql.trim_start().len();
        start..self.sql.trim_end().len().max(start)
    }

    /// Where a keyword stands, in order.
    pub(crate) fn keyword<'t>(&'t self, word: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.words.iter().filter(move |(w, _)| w == word).map(|(_, range)| range.clone())
    }

    /// Where a keyword stands that the text has once: of several it is not known which one is meant.
    pub(crate) fn only(&self, word: &str) -> Option<Range<usize>> {
        let mut places = self.keyword(word);
        places.next().filter(|_| places.next().is_none())
    }

    /// The last of the words before a byte that is one of these.
    pub(crate) fn last_of(&self, until: usize, words: &[&str]) -> Option<Range<usize>> {
        let mut before = self.words.iter().rev().filter(|(_, range)| range.end <= until);
        before.find(|(w, _)| words.contains(&w.as_str())).map(|(_, range)| range.clone())
    }

    /// With line and column.
    pub(crate) fn place(&self, bytes: Range<usize>) -> Place {
        let (line, column) = self.line_and_column(bytes.start);
        let (end_line, end_column) = self.line_and_column(bytes.end);
        Place { bytes, line, column, end_line, end_column }
    }

    /// Both from 1, the column in characters, as editors count them.
    fn line_and_column(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= at).saturating_sub(1);
        let start = self.lines.get(line).copied().unwrap_or(0);
        (line + 1, self.sql.get(start..at).map_or(0, |s| s.chars().count()) + 1)
    }

    /// The text with something else in a place.
    pub(crate) fn with(&self, range: &Range<usize>, by: &str) -> String {
        let before = self.sql.get(..range.start).unwrap_or("");
        let after = self.sql.get(range.end..).unwrap_or("");
        format!("{before}{by}{after}")
    }
}

/// Words before a parenthesis that are no function's name.
const BEFORE_PARENTHESES: [&str; 20] = [
    "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "DISTINCT", "ELSE", "FROM", "HAVING", "IN", "JOIN", "LIKE",
    "NOT", "ON", "OR", "SELECT", "THEN", "WHEN", "WHERE",
];

/// Where the parentheses stand that a text opens and does not close, outside quotes.
fn unclosed(text: &str) -> Vec<usize> {
    let (mut open, mut quote) = (Vec::new(), None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(') => open.push(at),
            (None, ')') => {
                open.pop();
            }
            _ => {}
        }
    }
    open
}

/// How many parentheses are open after a text, if so many are before it; `closed` is told of each that is closed outside
/// quotes, and how many are then open, and says whether to stop.
fn depth(text: &str, before: i64, closed: &mut dyn FnMut(usize, i64) -> bool) -> i64 {
    let (mut open, mut quote) = (before, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(') => open += 1,
            (None, ')') => {
                open -= 1;
                if closed(at, open) {
                    break;
                }
            }
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_lines() {
        let text = Text::new("SELECT 'é',\n  a\nFROM t LIMIT 1");
        let word = text.keyword("LIMIT").next().unwrap_or_default();
        assert_eq!(text.at(&word), "LIMIT");
        let place = text.place(word);
        assert_eq!((place.line, place.column), (3, 8));
        let range = TextRange { line: 1, column: 8, end_line: 1, end_column: 11 };
        assert_eq!(text.at(&text.bytes(range)), "'é'");
        assert_eq!(text.with(&text.bytes(range), "2"), "SELECT 2,\n  a\nFROM t LIMIT 1");
        // Places of calls and subqueries are closed.
        let text = Text::new("SELECT max ( ')' || (a) ) FROM t");
        for column in [11, 22] {
            let range = TextRange { line: 1, column: 8, end_line: 1, end_column: column };
            assert_eq!(text.at(&text.bytes(range)), "max ( ')' || (a) )");
        }
        // Places that begin inside a call are opened.
        let text = Text::new("SELECT a FROM t ORDER BY ')', CAST(a AS REAL) / (b + c) LIMIT 1");
        for (end, whole) in [(46, "CAST(a AS REAL)"), (55, "CAST(a AS REAL) / (b + c)")] {
            let range = TextRange { line: 1, column: 36, end_line: 1, end_column: end };
            assert_eq!(text.at(&text.bytes(range)), whole);
        }
        let text = Text::new("SELECT a FROM t WHERE (a + b) / c > 1");
        let range = TextRange { line: 1, column: 24, end_line: 1, end_column: 34 };
        assert_eq!(text.at(&text.bytes(range)), "(a + b) / c");
        // Past the end is the end.
        let far = TextRange { line: 9, column: 9, end_line: 9, end_column: 9 };
        assert_eq!(text.bytes(far), text.sql().len()..text.sql().len());
    }
}
