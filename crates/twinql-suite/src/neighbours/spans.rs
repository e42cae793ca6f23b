//! Dropped words.

use sqlparser::ast::Query;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::turn::{Context, MAX_SITES, Outcome};

/// Words that are dropped together, at most.
pub(super) const MAX_WORDS: usize = 16;

/// The words of a query's text: tokens as they are written.
pub(super) fn words(query: &Query) -> Vec<String> {
    let tokens = Tokenizer::new(&SQLiteDialect {}, &query.to_string()).tokenize().unwrap_or_default();
    let words = tokens.iter().filter(|t| !matches!(t, Token::Whitespace(_)));
    words.map(Token::to_string).collect()
}

/// Drops as many words as the outcome says. The places are spread over a long query.
pub(super) fn drop_span(_: &Query, site: usize, context: &mut Context<'_>) -> Outcome {
    let words = &context.words;
    if site >= words.len().min(MAX_SITES) {
        return Outcome::NoPlace;
    }
    let from = site * words.len().max(MAX_SITES) / MAX_SITES;
    let to = from + context.outcome + 1;
    // SELECT stays, and something beside it.
    let (Some(before), Some(dropped), Some(after)) =
        (words.get(..from), words.get(from..to), words.get(to..))
    else {
        return Outcome::Nothing;
    };
    // Without one of two parentheses nothing is a query, which counting tells sooner than parsing.
    let count = |wanted: &str| dropped.iter().filter(|word| *word == wanted).count();
    if from == 0 || count("(") != count(")") {
        return Outcome::Nothing;
    }
    match twinql_sql::parse_unmended(&[before, after].concat().join(" ")) {
        Ok(parsed) => Outcome::Query(parsed.query),
        Err(_) => Outcome::Nothing,
    }
}
