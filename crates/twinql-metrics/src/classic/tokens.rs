//! A query's text as the tokens that n-gram metrics compare.
//!
//! Case outside of strings, spaces, comments and a final semicolon are no part of a query, and are left out;
//! so are the quotes of names. A word in double quotes is a name where the schema has it, else the string that
//! SQLite takes it for.

use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Token as Lexed, Tokenizer};
use twinql_sql::Schema;

use crate::classic::Side;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A word of SQL.
    Keyword,
    /// Another word: a table, a column, an alias, a function.
    Name,
    /// A string, a number, a placeholder.
    Literal,
    /// An operator, a parenthesis, a comma.
    Sign,
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Token {
    /// Its text: words in lower case, strings in single quotes.
    pub(crate) text: String,
    /// What it is.
    pub(crate) kind: Kind,
}

/// The tokens of a query.
pub(super) fn tokens(schema: &Schema, side: &Side<'_>) -> Vec<Token> {
    // What was repaired before it was parsed need not have tokens; what is printed from the tree has.
    let schema = Some(schema);
    lexed(schema, side.sql).or_else(|| lexed(schema, &side.query.to_string())).unwrap_or_default()
}

/// The tokens of a text, none if it is not made of tokens. Without a schema no word in double quotes is a name.
pub(crate) fn lexed(schema: Option<&Schema>, sql: &str) -> Option<Vec<Token>> {
    let lexed = Tokenizer::new(&SQLiteDialect {}, sql).tokenize().ok()?;
    let mut tokens: Vec<Token> = lexed.iter().filter_map(|token| read(schema, token)).collect();
    while tokens.last().is_some_and(|t| t.text == ";") {
        tokens.pop();
    }
    Some(tokens)
}

fn read(schema: Option<&Schema>, token: &Lexed) -> Option<Token> {
    let of = |kind: Kind, text: String| Some(Token { text, kind });
    match token {
        Lexed::EOF | Lexed::Whitespace(_) => None,
        Lexed::Word(word) => {
            let lower = word.value.to_lowercase();
            match word.quote_style {
                None if KEYWORDS.binary_search(&lower.as_str()).is_ok() => of(Kind::Keyword, lower),
                Some('"') if !is_name(schema, &word.value) => of(Kind::Literal, string(&word.value)),
                _ => of(Kind::Name, lower),
            }
        }
        Lexed::DoubleQuotedString(text) if is_name(schema, text) => of(Kind::Name, text.to_lowercase()),
        Lexed::SingleQuotedString(text) | Lexed::DoubleQuotedString(text) => of(Kind::Literal, string(text)),
        Lexed::Number(_, _) | Lexed::Placeholder(_) | Lexed::HexStringLiteral(_) => {
            of(Kind::Literal, token.to_string().to_lowercase())
        }
        // One operator with two spellings.
        Lexed::DoubleEq => of(Kind::Sign, "=".into()),
        other => of(Kind::Sign, other.to_string().to_lowercase()),
    }
}

fn string(text: &str) -> String {
    format!("'{text}'")
}

/// Whether a table or a column is called so.
fn is_name(schema: Option<&Schema>, word: &str) -> bool {
    let named = |name: &str| name.eq_ignore_ascii_case(word);
    let mut tables = schema.iter().flat_map(|s| &s.tables);
    tables.any(|t| named(&t.name) || t.columns.iter().any(|c| named(&c.name)))
}

/// The words of queries that are no names: clauses, operators, and the five aggregates. In order, for
/// looking up.
const KEYWORDS: [&str; 60] = twinql_sql::words![
    all and as asc avg between by case cast count cross desc distinct else end escape except exists filter from full
    glob group having in inner intersect is join left like limit max min natural not null nulls offset on or order
    outer over partition recursive regexp right rows select sum then union using values when where window with xor
];

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sql: &str) -> Vec<String> {
        let schema = twinql_sql::Schema::from_ddl("d", "CREATE TABLE t (a INTEGER, b TEXT)").unwrap();
        lexed(Some(&schema), sql).unwrap().into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn by_hand() {
        for (sql, expected) in [
            ("SELECT  A\nFROM t -- all of them\n; ", "select a from t"),
            ("SELECT \"a\", [b] FROM `T` WHERE b == \"France\"", "select a , b from t where b = 'France'"),
            ("SELECT 'X' <> 1.50", "select 'X' <> 1.50"),
            ("", ""),
        ] {
            assert_eq!(texts(sql).join(" "), expected, "{sql}");
        }
    }

    #[test]
    fn keywords_are_in_order_and_names_are_none() {
        assert!(KEYWORDS.is_sorted());
        let schema = twinql_sql::Schema::from_ddl("d", "CREATE TABLE t (a INTEGER)").unwrap();
        let found = lexed(Some(&schema), "SELECT \"count\", name FROM t").unwrap();
        let words: Vec<&str> =
            found.iter().filter(|t| t.kind == Kind::Keyword).map(|t| t.text.as_str()).collect();
        assert_eq!(words, ["select", "from"]);
    }
}
