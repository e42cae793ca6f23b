//! Limits on text before it reaches a recursive parser.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::SqlError;

/// Bytes of SQL text.
pub const MAX_BYTES: usize = 64 * 1024;
/// Parentheses and CASEs inside one another.
pub const MAX_PARENTHESES: usize = 100;
/// Prefix operators in a row (`NOT NOT x`, `- - x`): each is a level of the tree, and the
/// parser's own limit turns the rest into nonsense rather than an error.
pub const MAX_PREFIXES: usize = 32;
/// Operators, AND and OR included: a chain of them is a tree as deep as it is long.
pub const MAX_OPERATORS: usize = 2_000;
/// Set operators; SQLite's own limit on the arms of a compound SELECT.
pub const MAX_SET_OPERATORS: usize = 500;

/// Refuses text that is too long or holds a NUL byte.
pub(crate) fn check_text(sql: &str) -> Result<(), SqlError> {
    if sql.len() > MAX_BYTES {
        return Err(SqlError::TooLarge {
            what: "the text's length in bytes",
            found: sql.len(),
            limit: MAX_BYTES,
        });
    }
    match sql.bytes().position(|b| b == 0) {
        Some(at) => Err(SqlError::Parse { message: format!("a NUL byte at offset {at}"), place: None }),
        None => Ok(()),
    }
}

/// Refuses token sequences whose tree would be too deep.
pub(crate) fn check_tokens(tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
    let (mut depth, mut deepest, mut operators, mut set_operators) = (0usize, 0usize, 0, 0);
    let (mut prefixes, mut longest) = (0usize, 0usize);
    for token in tokens {
        match &token.token {
            Token::Whitespace(_) => {}
            Token::Minus | Token::Plus | Token::Tilde => prefixes += 1,
            Token::Word(w) if w.value.eq_ignore_ascii_case("NOT") => prefixes += 1,
            _ => prefixes = 0,
        }
        longest = longest.max(prefixes);
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            Token::Word(word) if word.quote_style.is_none() => {
                let upper = word.value.to_ascii_uppercase();
                match upper.as_str() {
                    "CASE" => {
                        depth += 1;
                        deepest = deepest.max(depth);
                    }
                    "END" => depth = depth.saturating_sub(1),
                    "AND" | "OR" | "NOT" | "IS" | "ISNULL" | "NOTNULL" | "IN" | "LIKE" | "GLOB" | "MATCH"
                    | "REGEXP" | "RLIKE" | "ILIKE" | "BETWEEN" | "COLLATE" | "DIV" | "XOR" | "AT"
                    | "JOIN" => operators += 1,
                    "UNION" | "INTERSECT" | "EXCEPT" | "MINUS" => set_operators += 1,
                    _ => {}
                }
            }
            Token::Word(_)
            | Token::Number(_, _)
            | Token::SingleQuotedString(_)
            | Token::Comma
            | Token::Whitespace(_)
            | Token::Period
            | Token::EOF
            | Token::SemiColon => {}
            _ => operators += 1,
        }
    }
    for (what, found, limit) in [
        ("the nesting of parentheses and CASE", deepest, MAX_PARENTHESES),
        ("the run of prefix operators", longest, MAX_PREFIXES),
        ("the number of operators", operators, MAX_OPERATORS),
        ("the number of set operators", set_operators, MAX_SET_OPERATORS),
    ] {
        if found > limit {
            return Err(SqlError::TooLarge { what, found, limit });
        }
    }
    Ok(())
}
