//! Tokens of DDL text in any of the common dialects.
//!
//! A hand-written scanner rather than a full parser: a dump holds much that no schema
//! needs (INSERTs, triggers, table options of other systems), and one statement that
//! cannot be read must not cost the rest.

use crate::dialect::Dialect;

/// One token with the line (from 1) where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// An unquoted name, keyword or number.
    Word(String),
    /// A name in double quotes, backticks or brackets, unescaped.
    Quoted(String),
    /// A string in single quotes, unescaped.
    Text(String),
    /// Any other character.
    Symbol(char),
}

impl Token {
    /// True if this is the unquoted word `keyword` (given in upper case).
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(&self.kind, Kind::Word(w) if w.eq_ignore_ascii_case(keyword))
    }

    pub(super) fn is_symbol(&self, c: char) -> bool {
        self.kind == Kind::Symbol(c)
    }

    /// The name that this token may stand for; SQLite takes strings as names in DDL.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(s) | Kind::Quoted(s) | Kind::Text(s) => Some(s),
            Kind::Symbol(_) => None,
        }
    }

    /// As a reader would write it in a message.
    pub(super) fn shown(&self) -> String {
        match &self.kind {
            Kind::Word(s) => s.clone(),
            Kind::Quoted(s) => format!("\"{s}\""),
            Kind::Text(s) => format!("'{s}'"),
            Kind::Symbol(c) => c.to_string(),
        }
    }
}

/// All tokens of `text` as `dialect` quotes them, comments left out. An unclosed quote runs to the end: the
/// statement that holds it is reported by the reader.
pub(super) fn tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut out = Vec::new();
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let start = line;
        let mut push = |kind| out.push(Token { line: start, kind });
        match c {
            '\n' => line += 1,
            c if c.is_whitespace() => {}
            '-' if chars.peek() == Some(&'-') => skip_line(&mut chars, &mut line),
            '#' if dialect.hash_is_comment() => skip_line(&mut chars, &mut line),
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    line += usize::from(c == '\n');
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '\'' => push(Kind::Text(string(&mut chars, '\'', &mut line, dialect))),
            '"' if dialect.double_quotes_are_strings() => {
                push(Kind::Text(string(&mut chars, '"', &mut line, dialect)));
            }
            '$' if dialect == Dialect::Postgres => match dollar_quoted(&mut chars, &mut line) {
                Some(text) => push(Kind::Text(text)),
                None => push(Kind::Symbol('$')),
            },
            '"' | '`' => push(Kind::Quoted(quoted(&mut chars, c, &mut line))),
            '[' if dialect.brackets_quote_names() && chars.peek() != Some(&']') => {
                push(Kind::Quoted(quoted(&mut chars, ']', &mut line)));
            }
            c if c.is_alphanumeric() || c == '_' || c == '$' => {
                let mut word = String::from(c);
                while let Some(&c) = chars.peek() {
                    if !(c.is_alphanumeric() || c == '_' || c == '$') {
                        break;
                    }
                    word.push(c);
                    chars.next();
                }
                push(Kind::Word(word));
            }
            c => push(Kind::Symbol(c)),
        }
    }
    out
}

fn skip_line(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, line: &mut usize) {
    for c in chars.by_ref() {
        if c == '\n' {
            *line += 1;
            return;
        }
    }
}

/// The rest of a string up to `end`, backslashes read where the dialect has them.
fn string(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    end: char,
    line: &mut usize,
    dialect: Dialect,
) -> String {
    if !dialect.backslash_escapes() {
        return quoted(chars, end, line);
    }
    let mut s = String::new();
    while let Some(c) = chars.next() {
        *line += usize::from(c == '\n');
        if c == '\\' {
            s.extend(chars.next());
        } else if c != end {
            s.push(c);
        } else if chars.next_if_eq(&end).is_some() {
            s.push(end);
        } else {
            break;
        }
    }
    s
}

/// The text between `$tag$` and `$tag$`, the first `$` being read already; `None` where no
/// such quote begins here.
fn dollar_quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, line: &mut usize) -> Option<String> {
    let rest: String = chars.clone().collect();
    let (tag, body) = rest.split_once('$')?;
    if !tag.chars().all(|c| c.is_alphanumeric() || c == '_') || tag.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let close = format!("${tag}$");
    let body = body.split(&close).next().unwrap_or_default().to_owned();
    let taken = tag.chars().count() + 1 + body.chars().count() + close.chars().count();
    for c in chars.by_ref().take(taken) {
        *line += usize::from(c == '\n');
    }
    Some(body)
}

/// The rest of a quoted token up to `end`; a doubled `end` stands for itself.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, end: char, line: &mut usize) -> String {
    let mut s = String::new();
    while let Some(c) = chars.next() {
        *line += usize::from(c == '\n');
        if c == end {
            if chars.peek() == Some(&end) && end != ']' {
                chars.next();
            } else {
                break;
            }
        }
        s.push(c);
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_every_kind_of_quote_and_comment() {
        let text = "a -- x\n\"b\"\"c\" `d e` [f g] 'h''i' /* y\n */ j1 ( # z\n[]";
        let shown: Vec<(usize, String)> = tokens(text, Dialect::Sqlite)
            .iter()
            .map(|t| (t.line, t.shown()))
            .collect();
        let expect = [
            (1, "a"),
            (2, "\"b\"c\""),
            (2, "\"d e\""),
            (2, "\"f g\""),
            (2, "'h'i'"),
            (3, "j1"),
            (3, "("),
            (4, "["),
            (4, "]"),
        ];
        let expect: Vec<(usize, String)> = expect.iter().map(|(l, s)| (*l, (*s).to_owned())).collect();
        assert_eq!(shown, expect);
        tokens("'never closed", Dialect::Sqlite);
        tokens("/* never closed", Dialect::Sqlite);
        tokens("$x$ never closed", Dialect::Postgres);
    }
}
