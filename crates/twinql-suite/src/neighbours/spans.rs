//! Dropped words.

use sqlparser::ast::Query;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::{Context, MAX_SITES};

/// Words that are dropped together, at most.
pub(super) const MAX_WORDS: usize = 16;

/// Drops as many words as the outcome says. The places are spread over a long query.
pub(super) fn drop_span(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let text = query.to_string();
    let Ok(tokens) = Tokenizer::new(&SQLiteDialect {}, &text).tokenize() else {
        return false;
    };
    let words: Vec<&Token> = tokens.iter().filter(|t| !matches!(t, Token::Whitespace(_))).collect();
    if site >= words.len().min(MAX_SITES) {
        return false;
    }
    let from = site * words.len().max(MAX_SITES) / MAX_SITES;
    let to = from + context.outcome + 1;
    // SELECT stays, and something beside it.
    if from == 0 || to > words.len() {
        return true;
    }
    let kept: Vec<String> = words
        .iter()
        .enumerate()
        .filter(|(i, _)| !(from..to).contains(i))
        .map(|(_, t)| t.to_string())
        .collect();
    if let Ok(parsed) = twinql_sql::parse(&kept.join(" "))
        && parsed.repairs.is_empty()
    {
        *query = *parsed.query;
    }
    true
}
