//! A tokenizer for showing SQL of any dialect, right or wrong: together, the tokens are the whole text.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word of the language.
    Keyword,
    /// Any other word, and quoted names.
    Name,
    /// Between single quotes; also one that does not end.
    Text,
    /// A number.
    Number,
    /// To the end of the line, or between `/*` and `*/`.
    Comment,
    /// Operators, brackets, commas, anything else.
    Sign,
    /// White space.
    Space,
}

/// A piece of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
}

/// Words that are coloured, sorted. Functions are not among them.
const KEYWORDS: &[&str] = &[
    "ALL",
    "ALTER",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "COLLATE",
    "CREATE",
    "CROSS",
    "CURRENT",
    "DELETE",
    "DESC",
    "DISTINCT",
    "DROP",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXISTS",
    "FALSE",
    "FETCH",
    "FILTER",
    "FIRST",
    "FOLLOWING",
    "FROM",
    "FULL",
    "GLOB",
    "GROUP",
    "HAVING",
    "ILIKE",
    "IN",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTERVAL",
    "INTO",
    "IS",
    "JOIN",
    "LAST",
    "LATERAL",
    "LEFT",
    "LIKE",
    "LIMIT",
    "NATURAL",
    "NOT",
    "NULL",
    "NULLS",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARTITION",
    "PRECEDING",
    "RANGE",
    "RECURSIVE",
    "REGEXP",
    "RIGHT",
    "ROWS",
    "SELECT",
    "SET",
    "TABLE",
    "THEN",
    "TRUE",
    "UNBOUNDED",
    "UNION",
    "UPDATE",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WINDOW",
    "WITH",
];

/// Operators of more than one sign, longer ones first.
const OPERATORS: &[&str] = &["->>", "<=>", "!=", "<>", "<=", ">=", "==", "||", "::", "->", "<<", ">>"];

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = next(rest, first);
        // A boundary of characters by construction; if not, the rest is one token.
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push(Token { kind, text: token });
        rest = after;
    }
    out
}

/// Kind and length in bytes of the token at the start of a text, at least that of its first character.
fn next(text: &str, first: char) -> (Kind, usize) {
    let run = |wanted: &dyn Fn(char) -> bool| text.find(|c| !wanted(c)).unwrap_or(text.len());
    if first.is_whitespace() {
        return (Kind::Space, run(&char::is_whitespace));
    }
    if text.starts_with("--") {
        return (Kind::Comment, text.find('\n').unwrap_or(text.len()));
    }
    if let Some(body) = text.strip_prefix("/*") {
        return (Kind::Comment, body.find("*/").map_or(text.len(), |end| end + 4));
    }
    match first {
        '\'' => return (Kind::Text, quoted(text, '\'')),
        '"' | '`' => return (Kind::Name, quoted(text, first)),
        '[' => {
            // A name only where it ends in the same line; otherwise a bracket.
            let end = text.find([']', '\n']).filter(|end| text[*end..].starts_with(']'));
            return end.map_or((Kind::Sign, 1), |end| (Kind::Name, end + 1));
        }
        _ => {}
    }
    let digit_next = text.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    if first.is_ascii_digit() || (first == '.' && digit_next) {
        return (Kind::Number, number(text));
    }
    if first.is_alphanumeric() || first == '_' {
        let length = run(&|c| c.is_alphanumeric() || c == '_' || c == '$');
        let upper = text[..length].to_ascii_uppercase();
        let keyword = KEYWORDS.binary_search(&upper.as_str()).is_ok();
        return (if keyword { Kind::Keyword } else { Kind::Name }, length);
    }
    let operator = OPERATORS.iter().find(|operator| text.starts_with(**operator));
    (Kind::Sign, operator.map_or(first.len_utf8(), |operator| operator.len()))
}

/// The length of a quoted text; a doubled quote is one of its characters. It may have no end.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    text.len()
}

/// The length of a number: digits, a point, an exponent.
fn number(text: &str) -> usize {
    let mut length = 0;
    let mut exponent = false;
    for (at, c) in text.char_indices() {
        let sign = matches!(c, '+' | '-') && exponent && text[..at].ends_with(['e', 'E']);
        if !(c.is_ascii_alphanumeric() || c == '.' || sign) {
            break;
        }
        exponent |= matches!(c, 'e' | 'E');
        length = at + c.len_utf8();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let all = tokens(text).into_iter().map(|t| (t.kind, t.text));
        all.filter(|(kind, _)| *kind != Kind::Space).collect()
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn a_query_is_told_apart() {
        use Kind::{Comment, Keyword, Name, Number, Sign, Text};
        assert_eq!(
            kinds("select T1.\"a b\", 'it''s' from [x] -- why\nwhere y>=1.5e-3 /* z */"),
            [
                (Keyword, "select"),
                (Name, "T1"),
                (Sign, "."),
                (Name, "\"a b\""),
                (Sign, ","),
                (Text, "'it''s'"),
                (Keyword, "from"),
                (Name, "[x]"),
                (Comment, "-- why"),
                (Keyword, "where"),
                (Name, "y"),
                (Sign, ">="),
                (Number, "1.5e-3"),
                (Comment, "/* z */"),
            ]
        );
        assert_eq!(kinds("1-2"), [(Number, "1"), (Sign, "-"), (Number, "2")]);
    }

    #[test]
    fn what_does_not_end_is_one_token() {
        assert_eq!(kinds("'abc"), [(Kind::Text, "'abc")]);
        assert_eq!(kinds("/* abc"), [(Kind::Comment, "/* abc")]);
        assert_eq!(kinds("[\nx]").first(), Some(&(Kind::Sign, "[")));
    }

    proptest! {
        #[test]
        fn tokens_are_the_whole_text(text in "\\PC{0,60}|[-'\"`\\[\\]/* a1.e+\n]{0,40}") {
            let joined: String = tokens(&text).iter().map(|t| t.text).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
