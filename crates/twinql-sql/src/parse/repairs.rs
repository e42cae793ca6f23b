//! Repairs of text that is nearly a query. Each is tried only where the text as it stands
//! does not parse, and each is reported.

use std::fmt;

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use crate::keywords::is_one_of;

/// A place in the text before the repair: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What was repaired in a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// A Markdown fence around the query was removed.
    Fence,
    /// Text before the query was left out, with the fence that it ends in.
    Introduction {
        /// How it begins.
        dropped: String,
    },
    /// Text after the query was cut off: a second text after `;` or a comment, a prompt
    /// that runs on, words that belong to nothing.
    Cut {
        /// Where the cut text begins.
        at: Place,
        /// How it begins.
        dropped: String,
    },
    /// An operator with a space in it was joined: `> =`, `< =`, `! =`, `< >`.
    JoinedOperator {
        /// The operator.
        operator: &'static str,
        /// Where it begins.
        at: Place,
    },
    /// `\'` in a string was written as SQL's `''`.
    EscapedQuote {
        /// The backslash.
        at: Place,
    },
    /// A hint that has no influence on the answer was left out: INDEXED BY, NOT INDEXED,
    /// MATERIALIZED, NOT MATERIALIZED. SQLite takes these; the parser does not.
    DroppedHint {
        /// The hint.
        hint: &'static str,
        /// Where it begins.
        at: Place,
    },
    /// A name with a dollar sign was put in double quotes: `$f0`, as optimisers call what
    /// has no name.
    QuotedName {
        /// The name.
        name: String,
        /// Where it begins.
        at: Place,
    },
}

impl Repair {
    /// What kind of repair it is.
    pub const fn name(&self) -> &'static str {
        match self {
            Repair::Fence => "code fence",
            Repair::Introduction { .. } => "introduction",
            Repair::Cut { .. } => "cut",
            Repair::JoinedOperator { .. } => "joined operator",
            Repair::EscapedQuote { .. } => "escaped quote",
            Repair::DroppedHint { .. } => "dropped hint",
            Repair::QuotedName { .. } => "quoted name",
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::Fence => write!(f, "removed the code fence around the query"),
            Repair::Introduction { dropped } => write!(f, "left out {dropped:?} before the query"),
            Repair::Cut { at, dropped } => write!(f, "cut {dropped:?} at {at}"),
            Repair::JoinedOperator { operator, at } => {
                write!(f, "joined the operator {operator} at {at}")
            }
            Repair::EscapedQuote { at } => write!(f, "wrote \\' as '' at {at}"),
            Repair::DroppedHint { hint, at } => write!(f, "left out {hint} at {at}"),
            Repair::QuotedName { name, at } => write!(f, "put the name {name} in double quotes at {at}"),
        }
    }
}

/// Places in a text, found by offset or by location.
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines { text, starts: std::iter::once(0).chain(newlines).collect() }
    }

    /// The byte offset of a line and a column in characters, both from 1.
    pub(crate) fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        let rest = self.text.get(start..)?;
        let within = rest
            .char_indices()
            .map(|(at, _)| at)
            .chain(std::iter::once(rest.len()))
            .nth(column.checked_sub(1)?)?;
        Some(start + within)
    }

    fn of(&self, location: Location) -> Option<usize> {
        self.offset(usize::try_from(location.line).ok()?, usize::try_from(location.column).ok()?)
    }

    pub(crate) fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(0, |s| s.chars().count()) + 1;
        Place { line, column }
    }
}

/// Bytes of the text, and what stands there instead.
struct Edit {
    range: std::ops::Range<usize>,
    with: &'static str,
}

/// Applies edits, which are in order and do not overlap.
fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(text.get(done..edit.range.start).unwrap_or_default());
        out.push_str(edit.with);
        done = edit.range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// A repair of the tokens at the start of `tokens`: how many it takes.
type TokenRepair = (usize, &'static str, bool);

fn word(token: &TokenWithSpan) -> Option<String> {
    match &token.token {
        Token::Word(w) if w.quote_style.is_none() => Some(w.value.to_ascii_uppercase()),
        _ => None,
    }
}

/// The operator or hint that begins here. The flag tells operators from hints.
fn token_repair(tokens: &[&TokenWithSpan]) -> Option<TokenRepair> {
    if let [a, b, ..] = tokens {
        let operator = match (&a.token, &b.token) {
            (Token::Gt, Token::Eq) => Some(">="),
            (Token::Lt, Token::Eq) => Some("<="),
            (Token::ExclamationMark, Token::Eq) => Some("!="),
            (Token::Lt, Token::Gt) => Some("<>"),
            _ => None,
        };
        if let Some(operator) = operator {
            return Some((2, operator, true));
        }
    }
    let words: Vec<Option<String>> = tokens.iter().take(4).map(|t| word(t)).collect();
    let words: Vec<&str> = words.iter().map(|w| w.as_deref().unwrap_or("")).collect();
    match words.as_slice() {
        ["INDEXED", "BY", ..] => Some((3, "INDEXED BY", false)),
        ["NOT", "INDEXED", ..] => Some((2, "NOT INDEXED", false)),
        ["NOT", "MATERIALIZED", ..] => Some((2, "NOT MATERIALIZED", false)),
        ["MATERIALIZED", ..] => Some((1, "MATERIALIZED", false)),
        _ => None,
    }
}

/// Joins split operators and leaves out hints.
pub(crate) fn mend_tokens(text: &str, tokens: &[TokenWithSpan]) -> (String, Vec<Repair>) {
    let lines = Lines::new(text);
    let significant: Vec<&TokenWithSpan> =
        tokens.iter().filter(|t| !matches!(t.token, Token::Whitespace(_) | Token::EOF)).collect();
    let (mut edits, mut repairs) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(rest) = significant.get(at..).filter(|rest| !rest.is_empty()) {
        at += 1;
        let Some((taken, name, is_operator)) = token_repair(rest) else {
            continue;
        };
        let last = rest.get(taken - 1).or(rest.last());
        let (Some(start), Some(end)) =
            (rest.first().and_then(|t| lines.of(t.span.start)), last.and_then(|t| lines.of(t.span.end)))
        else {
            continue;
        };
        at += taken - 1;
        let place = lines.place(start);
        let with = if is_operator { name } else { "" };
        edits.push(Edit { range: start..end, with });
        repairs.push(if is_operator {
            Repair::JoinedOperator { operator: name, at: place }
        } else {
            Repair::DroppedHint { hint: name, at: place }
        });
    }
    (apply(text, &edits), repairs)
}

/// Puts names that begin with a dollar sign in double quotes.
pub(crate) fn mend_names(text: &str, tokens: &[TokenWithSpan]) -> (String, Vec<Repair>) {
    let lines = Lines::new(text);
    let (mut edits, mut repairs) = (Vec::new(), Vec::new());
    for token in tokens {
        let Token::Placeholder(name) = &token.token else {
            continue;
        };
        let named =
            name.strip_prefix('$').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        if let Some(start) = lines.of(token.span.start).filter(|_| named) {
            for at in [start, start + name.len()] {
                edits.push(Edit { range: at..at, with: "\"" });
            }
            repairs.push(Repair::QuotedName { name: name.clone(), at: lines.place(start) });
        }
    }
    (apply(text, &edits), repairs)
}

/// Writes `\'` as `''`.
pub(crate) fn mend_quotes(text: &str) -> (String, Vec<Repair>) {
    let lines = Lines::new(text);
    let found: Vec<usize> = text.match_indices("\\'").map(|(at, _)| at).collect();
    let edits: Vec<Edit> = found.iter().map(|&at| Edit { range: at..at + 2, with: "''" }).collect();
    let repairs = found.iter().map(|&at| Repair::EscapedQuote { at: lines.place(at) }).collect();
    (apply(text, &edits), repairs)
}

/// The text inside a Markdown fence, if it begins with one.
pub(crate) fn inside_fence(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix("```")?;
    let rest = match rest.get(..6) {
        Some(tag) if tag.eq_ignore_ascii_case("sqlite") => rest.get(6..),
        _ => match rest.get(..3) {
            Some(tag) if tag.eq_ignore_ascii_case("sql") => rest.get(3..),
            _ => Some(rest),
        },
    }?;
    Some(rest.split("```").next().unwrap_or(rest))
}

/// Offsets where a query may end: `;` and comments outside quotes. An unclosed quote
/// does not hide what follows it.
pub(crate) fn ends(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let pair = bytes.get(at + 1).copied();
        match (byte, pair) {
            (b';', _) | (b'`', Some(b'`')) => found.push(at),
            (b'#', _) | (b'-', Some(b'-')) | (b'/', Some(b'*')) if !goes_on(text, at) => found.push(at),
            (b'\'' | b'"' | b'`', _) => {
                let closing = bytes.iter().skip(at + 1).position(|&b| b == byte);
                if let Some(length) = closing {
                    at += length + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether the query goes on behind the comments that begin at `at`: cut there, half of it would
/// be taken for the whole.
fn goes_on(text: &str, at: usize) -> bool {
    let mut rest = text.get(at..).unwrap_or_default();
    loop {
        rest = rest.trim_start();
        let end = match rest.get(..2) {
            Some("/*") => rest.find("*/").map(|end| end + 2),
            Some(two) if two == "--" || two.starts_with('#') => rest.find('\n'),
            _ => break,
        };
        let Some(behind) = end.and_then(|end| rest.get(end..)) else {
            return false;
        };
        rest = behind;
    }
    let word = first_word(rest);
    is_one_of(word, CLAUSES) && !word.eq_ignore_ascii_case("select")
        || rest.starts_with(|c| OPERATORS.contains(c))
}

/// Words that make a text after the query look like a part of it.
const CLAUSES: &[&str] = &words![
    SELECT FROM WHERE BY GROUP HAVING ORDER LIMIT OFFSET JOIN ON USING UNION INTERSECT EXCEPT AND OR IN BETWEEN LIKE
    AS IS NOT CASE WHEN THEN ELSE END
];

/// Further words that a clause begins with, here or in another system. Within prose they say nothing.
const BEGINNINGS: &[&str] = &words![
    INTO FOR FETCH WINDOW QUALIFY RETURNING WITH ESCAPE COLLATE OVER FILTER LOCK PARTITION TABLESAMPLE SAMPLE PIVOT
    UNPIVOT FORMAT SETTINGS OPTION PROCEDURE CONNECT START LATERAL
];

/// The first word of a text.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// What an operator begins with, in SQL, in other systems, and as people write them by hand.
const OPERATORS: &str = ",=<>!+-*/|.(%&~^@≤≥≠＝＜＞＋－＊／，×÷−";

/// Whether text after a query may be cut off: it holds no word of SQL, and does not begin
/// with an operator or a comma, so that no half of a query is taken for a whole one.
pub(crate) fn is_garbage(text: &str) -> bool {
    let begins = text.chars().next();
    let is_operator = begins.is_some_and(|c| OPERATORS.contains(c));
    !is_operator
        && !is_one_of(first_word(text), BEGINNINGS)
        && !text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| is_one_of(word, CLAUSES))
}

/// Whether a text ends within a clause, at a word that begins one: the parser may have taken the word for a name.
pub(crate) fn ends_within(text: &str) -> bool {
    let text = text.trim_end();
    let from = text.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    let last = from.map_or(text, |at| text.get(at..).unwrap_or_default());
    let last = last.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    !last.eq_ignore_ascii_case("end") && (is_one_of(last, CLAUSES) || is_one_of(last, BEGINNINGS))
}

/// How a text that is left out begins.
pub(crate) fn beginning(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

/// The repair that cuts a text at an offset.
pub(crate) fn cut(text: &str, offset: usize) -> Option<(&str, Repair)> {
    let kept = text.get(..offset)?;
    let dropped = beginning(text.get(offset..)?);
    let at = Lines::new(text).place(offset);
    Some((kept, Repair::Cut { at, dropped }))
}
