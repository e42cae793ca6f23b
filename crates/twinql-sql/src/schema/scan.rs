//! Tokens of DDL text in any of the common dialects.
//!
//! A hand-written scanner rather than a full parser: a dump holds much that no schema
//! needs (INSERTs, triggers, table options of other systems), and one statement that
//! cannot be read must not cost the rest.

use crate::dialects::Dialect;

/// One token with the line (from 1) where it starts, and its bytes in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: TokenKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum TokenKind {
    /// An unquoted name, keyword or number.
    Word(String),
    /// A name in double quotes, backticks or brackets, unescaped.
    Quoted(String),
    /// A string in single quotes, unescaped.
    Text(String),
    /// A semicolon that ends no statement, under MySQL's DELIMITER.
    Inner,
    /// Any other character.
    Symbol(char),
}

impl Token {
    /// True if this is the unquoted word `keyword` (given in upper case).
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(&self.kind, TokenKind::Word(w) if w.eq_ignore_ascii_case(keyword))
    }

    /// True if this is one of these unquoted words.
    pub(super) fn is_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|k| self.is(k))
    }

    pub(super) fn is_symbol(&self, c: char) -> bool {
        self.kind == TokenKind::Symbol(c)
    }

    /// The name that this token may stand for; SQLite takes strings as names in DDL.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word(s) | TokenKind::Quoted(s) | TokenKind::Text(s) => Some(s),
            TokenKind::Inner | TokenKind::Symbol(_) => None,
        }
    }

    /// As a reader would write it in a message.
    pub(super) fn shown(&self) -> String {
        match &self.kind {
            TokenKind::Word(s) => s.clone(),
            TokenKind::Quoted(s) => format!("\"{s}\""),
            TokenKind::Text(s) => format!("'{s}'"),
            TokenKind::Inner => ";".to_owned(),
            TokenKind::Symbol(c) => c.to_string(),
        }
    }
}

/// A text's tokens, and what was odd about the text.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) tokens: Vec<Token>,
    /// Quotes and comments that are never closed, by line: they take the rest of the text.
    pub(super) unclosed: Vec<(usize, &'static str)>,
    /// Lines of data behind COPY … FROM stdin, and commands of a client, by line.
    pub(super) skipped: Vec<(usize, &'static str)>,
}

/// All tokens of `text` as `dialect` quotes them, comments left out. An unclosed quote runs
/// to the end, and is reported.
pub(super) fn scan(text: &str, dialect: Dialect) -> Scanned {
    let mut scanner = Scanner {
        text,
        at: 0,
        line: 1,
        dialect,
        out: Scanned::default(),
        first: 0,
        delimiter: String::from(";"),
        conditional: false,
    };
    while scanner.step() {}
    scanner.out
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    dialect: Dialect,
    out: Scanned,
    /// The first token of the statement that is being read.
    first: usize,
    /// What ends a statement.
    delimiter: String,
    /// Inside MySQL's `/*!40101 … */`, which its server reads as text.
    conditional: bool,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.next();
        }
        found
    }

    fn skip_bytes(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        let passed = self.text.get(self.at..end).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.at = end;
    }

    fn skip_line(&mut self) {
        let bytes = self.rest().find('\n').map_or(self.rest().len(), |i| i + 1);
        self.skip_bytes(bytes);
    }

    fn skip_comment(&mut self, line: usize) {
        match self.rest().find("*/") {
            Some(bytes) => self.skip_bytes(bytes + 2),
            None => {
                self.out.unclosed.push((line, "a comment"));
                self.skip_bytes(self.rest().len());
            }
        }
    }

    /// Reads one token, comment or space; false at the end.
    fn step(&mut self) -> bool {
        let (start, line) = (self.at, self.line);
        let begins = self.first == self.out.tokens.len();
        if self.delimiter != ";" && self.rest().starts_with(&self.delimiter) {
            self.skip_bytes(self.delimiter.len());
            self.push(start, line, TokenKind::Symbol(';'));
            return true;
        }
        let Some(c) = self.next() else {
            return false;
        };
        match c {
            c if c.is_whitespace() => {}
            '-' if self.peek() == Some('-') => self.skip_line(),
            '#' if self.dialect.text().hash_is_comment => self.skip_line(),
            '\\' if begins => {
                // A command of psql: \connect, \restrict.
                self.out.skipped.push((line, "a command of the client (\\…)"));
                self.skip_line();
            }
            '/' if self.peek() == Some('*') => {
                self.next();
                if self.dialect == Dialect::Mysql && self.peek() == Some('!') {
                    self.next();
                    while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                        self.next();
                    }
                    self.conditional = true;
                } else {
                    self.skip_comment(line);
                }
            }
            '*' if self.conditional && self.peek() == Some('/') => {
                self.next();
                self.conditional = false;
            }
            '\'' => {
                let text = self.string('\'');
                self.push(start, line, TokenKind::Text(text));
            }
            '"' if self.dialect.text().double_quotes_are_strings => {
                let text = self.string('"');
                self.push(start, line, TokenKind::Text(text));
            }
            '$' if self.dialect.text().dollars_quote => match self.dollar_quoted() {
                Some(text) => self.push(start, line, TokenKind::Text(text)),
                None => self.push(start, line, TokenKind::Symbol('$')),
            },
            '"' | '`' => {
                let name = self.quoted(c);
                self.push(start, line, TokenKind::Quoted(name));
            }
            '[' if self.dialect.text().brackets_quote_names && self.peek() != Some(']') => {
                let name = self.quoted(']');
                self.push(start, line, TokenKind::Quoted(name));
            }
            c if c.is_alphanumeric() || c == '_' || c == '$' => {
                while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
                    self.next();
                }
                let word = self.text.get(start..self.at).unwrap_or_default().to_owned();
                if begins && word.eq_ignore_ascii_case("DELIMITER") {
                    let end = self.rest().find('\n').unwrap_or(self.rest().len());
                    let delimiter = self.rest().get(..end).unwrap_or_default().trim().to_owned();
                    self.skip_line();
                    if !delimiter.is_empty() {
                        self.delimiter = delimiter;
                    }
                } else {
                    self.push(start, line, TokenKind::Word(word));
                }
            }
            ';' if self.delimiter != ";" => self.push(start, line, TokenKind::Inner),
            c => self.push(start, line, TokenKind::Symbol(c)),
        }
        true
    }

    fn push(&mut self, start: usize, line: usize, kind: TokenKind) {
        let ends = kind == TokenKind::Symbol(';');
        self.out.tokens.push(Token { line, start, end: self.at, kind });
        if ends {
            let statement = self.out.tokens.get(self.first..).unwrap_or_default();
            let data =
                statement.first().is_some_and(|t| t.is("COPY")) && statement.iter().any(|t| t.is("STDIN"));
            self.first = self.out.tokens.len();
            if data {
                self.skip_data();
            }
        }
    }

    /// Skips the lines of COPY … FROM stdin, up to one that is `\.`.
    fn skip_data(&mut self) {
        let line = self.line;
        self.skip_line();
        while !self.rest().is_empty() {
            let end = self.rest().find('\n').unwrap_or(self.rest().len());
            let last = self.rest().get(..end).is_some_and(|l| l.trim_end() == "\\.");
            self.skip_line();
            if last {
                break;
            }
        }
        self.out.skipped.push((line, "data"));
    }

    /// The rest of a string up to `end`, backslashes read where the dialect has them.
    fn string(&mut self, end: char) -> String {
        self.rest_of(end, self.dialect.text().backslash_escapes)
    }

    /// The text between `$tag$` and `$tag$`, the first `$` being read already; `None` where
    /// no such quote begins here.
    fn dollar_quoted(&mut self) -> Option<String> {
        let line = self.line;
        let tag_end = self.rest().find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let tag = self.rest().get(..tag_end)?.to_owned();
        if tag.starts_with(|c: char| c.is_ascii_digit())
            || self.rest().get(tag_end..).is_none_or(|r| !r.starts_with('$'))
        {
            return None;
        }
        self.skip_bytes(tag_end + 1);
        let close = format!("${tag}$");
        let end = self.rest().find(&close);
        if end.is_none() {
            self.out.unclosed.push((line, "a quote"));
        }
        let bytes = end.unwrap_or(self.rest().len());
        let body = self.rest().get(..bytes).unwrap_or_default().to_owned();
        self.skip_bytes(bytes + close.len());
        Some(body)
    }

    /// The rest of a quoted name up to `end`.
    fn quoted(&mut self, end: char) -> String {
        self.rest_of(end, false)
    }

    /// The rest of a quoted token up to `end`; a doubled `end` stands for itself, and what a backslash escapes.
    fn rest_of(&mut self, end: char, escapes: bool) -> String {
        let line = self.line;
        let mut s = String::new();
        loop {
            match self.next() {
                None => {
                    self.out.unclosed.push((line, "a quote"));
                    return s;
                }
                Some('\\') if escapes => s.extend(self.next()),
                Some(c) if c != end => s.push(c),
                Some(_) if end != ']' && self.eat(end) => s.push(end),
                Some(_) => return s,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, dialect: Dialect) -> Vec<(usize, String)> {
        scan(text, dialect).tokens.iter().map(|t| (t.line, t.shown())).collect()
    }

    #[test]
    fn scans_every_kind_of_quote_and_comment() {
        let text = "a -- x\n\"b\"\"c\" `d e` [f g] 'h''i' /* y\n */ j1 ( # z\n[]";
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
        assert_eq!(shown(text, Dialect::Sqlite), expect);
        for (text, dialect) in [
            ("'never closed", Dialect::Sqlite),
            ("/* never closed", Dialect::Sqlite),
            ("$x$ never closed", Dialect::Postgres),
            ("'never \\' closed", Dialect::Mysql),
        ] {
            assert_eq!(scan(text, dialect).unclosed.len(), 1, "{text}");
        }
    }

    #[test]
    fn tokens_know_their_bytes() {
        let text = "é 'x''y' \"z\"";
        let tokens = scan(text, Dialect::Sqlite).tokens;
        let parts: Vec<&str> = tokens.iter().map(|t| &text[t.start..t.end]).collect();
        assert_eq!(parts, ["é", "'x''y'", "\"z\""]);
    }

    #[test]
    fn data_and_commands_of_clients_are_no_tokens() {
        let text = "\\restrict x'y\nCOPY t (a) FROM stdin;\nit's\t1\n\\.\nSELECT 1;";
        let all = shown(text, Dialect::Postgres);
        assert_eq!(all.last(), Some(&(5, ";".to_owned())));
        assert!(!all.iter().any(|(_, t)| t.contains("it")), "{all:?}");
        let all = shown("DELIMITER ;;\na; b;;\nDELIMITER ;\nc;", Dialect::Mysql);
        let ends = scan("DELIMITER ;;\na; b;;\nDELIMITER ;\nc;", Dialect::Mysql)
            .tokens
            .iter()
            .filter(|t| t.is_symbol(';'))
            .count();
        assert_eq!((all.len(), ends), (6, 2));
        let all = shown("/*!50001 VIEW `v` AS select 1 */;", Dialect::Mysql);
        assert_eq!(all[0], (1, "VIEW".to_owned()));
    }
}
