//! Statements of a text, told apart without a parser.

/// Words that a statement begins with. Those that are no queries are refused later, with a better reason than that
/// there is no SQL.
const FIRST_WORDS: [&str; 18] = [
    "select", "with", "values", "explain", "insert", "update", "delete", "replace", "create", "drop",
    "alter", "pragma", "attach", "detach", "vacuum", "begin", "commit", "truncate",
];

/// The statements of a text, each without its `;` and the space around it. Strings, quoted names and comments may
/// hold `;`; what holds nothing but comments is no statement.
pub fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut says) = (0, false);
    let mut end_at = |start: usize, end: usize, says: bool| {
        if let (true, Some(statement)) = (says, text.get(start..end)) {
            found.push(statement.trim());
        }
    };
    for (piece, from, to) in (Pieces { text, at: 0 }) {
        match piece {
            Piece::Semicolon => {
                end_at(start, from, says);
                (start, says) = (to, false);
            }
            Piece::Nothing => {}
            Piece::Something => says = true,
        }
    }
    end_at(start, text.len(), says);
    found
}

/// True if a text begins as a statement does, be it behind comments and parentheses.
pub fn begins(text: &str) -> bool {
    for (piece, from, _) in (Pieces { text, at: 0 }) {
        match piece {
            Piece::Nothing => {}
            Piece::Semicolon => return false,
            Piece::Something if text.get(from..).is_some_and(|t| t.starts_with('(')) => {}
            Piece::Something => return text.get(from..).is_some_and(first_word),
        }
    }
    false
}

/// True if the first word is one of a statement's.
fn first_word(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).is_some_and(|word| FIRST_WORDS.iter().any(|w| word.eq_ignore_ascii_case(w)))
}

/// Of a text without a fence, what is taken for SQL: all from the first line that begins as a statement does, be it behind
/// a label as in `SQL: SELECT 1`.
pub fn bare(text: &str) -> &str {
    let mut start = 0;
    let is_first = |text: &str| first_word(text.trim_start().trim_start_matches(['(', ' ', '\t']));
    let begin = text.split_inclusive('\n').find_map(|line| {
        let at = start;
        start += line.len();
        if is_first(line) {
            return Some(at);
        }
        let label = label(line)?;
        is_first(line.get(label..)?).then_some(at + label)
    });
    begin.and_then(|at| text.get(at..)).unwrap_or_default()
}

/// Words that a label may have: `The final SQL query is:`.
const LABEL_WORDS: usize = 6;

/// The length of the label that a line begins with, its colon included.
fn label(line: &str) -> Option<usize> {
    let end = line.find(':')?;
    let words = line.get(..end)?.trim_matches(|c: char| c.is_whitespace() || "*_#>-`".contains(c));
    let plain = |word: &str| word.chars().all(char::is_alphabetic);
    let words: Vec<&str> = words.split_whitespace().collect();
    let is_label = (1..=LABEL_WORDS).contains(&words.len()) && words.into_iter().all(plain);
    // `**SQL:** SELECT 1`
    let marks = line.get(end + 1..)?.bytes().take_while(|b| matches!(b, b'*' | b'_')).count();
    is_label.then_some(end + 1 + marks)
}

/// A text up to its last `;`, if prose follows there. A statement is none: it counts as one too many.
pub fn without_prose(text: &str) -> &str {
    match text.rfind(';').and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?))) {
        Some((sql, behind)) if !begins(behind) => sql,
        _ => text,
    }
}

/// What a piece of text says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// The end of a statement.
    Semicolon,
    /// Space or a comment.
    Nothing,
    /// A part of a statement.
    Something,
}

/// Cuts a text into pieces, each with its place.
struct Pieces<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Pieces<'_> {
    type Item = (Piece, usize, usize);

    fn next(&mut self) -> Option<(Piece, usize, usize)> {
        let from = self.at;
        let rest = self.text.get(from..)?;
        let first = rest.chars().next()?;
        let second = rest.as_bytes().get(1);
        // The length up to and with an end that follows `skip` bytes; all that is left without one.
        let until = |skip: usize, end: &str| {
            let found = rest.get(skip..).and_then(|r| r.find(end));
            found.map_or(rest.len(), |n| skip + n + end.len())
        };
        let (piece, length) = match (first, second) {
            // A doubled quote opens the next piece, which is as good.
            ('\'', _) => (Piece::Something, until(1, "'")),
            ('"', _) => (Piece::Something, until(1, "\"")),
            ('`', _) => (Piece::Something, until(1, "`")),
            ('[', _) => (Piece::Something, until(1, "]")),
            ('-', Some(b'-')) => (Piece::Nothing, until(2, "\n")),
            ('/', Some(b'*')) => (Piece::Nothing, until(2, "*/")),
            (';', _) => (Piece::Semicolon, 1),
            (c, _) if c.is_whitespace() => (Piece::Nothing, c.len_utf8()),
            (c, _) => (Piece::Something, c.len_utf8()),
        };
        self.at = from + length;
        Some((piece, from, self.at))
    }
}
