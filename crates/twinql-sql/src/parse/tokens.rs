//! Words and signs that the parser knows in another form alone, put into that form before it reads them.
//!
//! | system | written | read as |
//! |---|---|---|
//! | DuckDB | `sum(x) FILTER (x > 1)` | `sum(x) FILTER (WHERE x > 1)` |
//! | DuckDB | `FROM t WHERE x > 1` | `SELECT * FROM t WHERE x > 1` |
//! | ClickHouse | `ARRAY JOIN [1, 2] AS x` | `ARRAY JOIN array(1, 2) AS x` |
//! | MySQL | `INTERVAL '1:30' HOUR_MINUTE` | `INTERVAL '1:30' HOUR TO MINUTE` |
//! | SQL Server | `SELECT a FROM t OPTION (RECOMPILE)` | `SELECT a FROM t` |
//! | Trino | `JSON_QUERY(d, p OMIT QUOTES)` | `JSON_QUERY(d, p, 'omit quotes')` |
//!
//! <https://duckdb.org/docs/stable/sql/query_syntax/filter>, <https://duckdb.org/docs/stable/sql/query_syntax/from>,
//! <https://clickhouse.com/docs/en/sql-reference/statements/select/array-join>,
//! <https://learn.microsoft.com/sql/t-sql/queries/option-clause-transact-sql>.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::temporal::Unit;

/// Whether a token is one of these words, without quotes.
pub(super) fn is(token: &Token, words: &[&str]) -> bool {
    matches!(token, Token::Word(w) if w.quote_style.is_none() && words.iter().any(|word| w.value.eq_ignore_ascii_case(word)))
}

/// The tokens that are no blanks.
fn places(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let blank = |t: &TokenWithSpan| matches!(t.token, Token::Whitespace(_));
    tokens.iter().enumerate().filter(|(_, t)| !blank(t)).map(|(at, _)| at).collect()
}

/// Puts words before tokens.
fn insert(tokens: &mut Vec<TokenWithSpan>, mut before: Vec<usize>, words: &[Token]) {
    before.sort_unstable();
    let old = std::mem::take(tokens);
    for (at, token) in old.into_iter().enumerate() {
        if before.binary_search(&at).is_ok() {
            tokens.extend(words.iter().map(|word| TokenWithSpan { token: word.clone(), span: token.span }));
        }
        tokens.push(token);
    }
}

/// Where tokens stand in a row that are each as asked: the places of the last ones.
fn ends(tokens: &[TokenWithSpan], asked: &[&dyn Fn(&Token) -> bool]) -> Vec<usize> {
    let places = places(tokens);
    let fits = |at: &usize, asked: &dyn Fn(&Token) -> bool| tokens.get(*at).is_some_and(|t| asked(&t.token));
    let rows =
        places.windows(asked.len()).filter(|row| row.iter().zip(asked).all(|(at, asked)| fits(at, asked)));
    rows.filter_map(|row| row.last().copied()).collect()
}

/// DuckDB's FILTER without WHERE.
pub(super) fn filters(tokens: &mut Vec<TokenWithSpan>) {
    let closes = |t: &Token| *t == Token::RParen;
    let filter = |t: &Token| is(t, &["FILTER"]);
    let opens = |t: &Token| *t == Token::LParen;
    let found = ends(tokens, &[&closes, &filter, &opens, &|t| !is(t, &["WHERE"])]);
    insert(tokens, found, &[Token::make_keyword("WHERE")]);
}

/// What has been read of a query.
#[derive(Clone, Copy, PartialEq)]
enum Read {
    /// Nothing.
    Nothing,
    /// WITH, and expressions in parentheses.
    With,
    /// The FROM at this place first.
    FromFirst(usize),
    /// More.
    More,
}

/// DuckDB's queries that begin with FROM and have no SELECT.
pub(super) fn selects(tokens: &mut Vec<TokenWithSpan>) {
    let mut found = Vec::new();
    let mut open = vec![Read::Nothing];
    let ended = |read: Option<Read>, found: &mut Vec<usize>| {
        if let Some(Read::FromFirst(at)) = read {
            found.push(at);
        }
    };
    for at in places(tokens) {
        let Some(token) = tokens.get(at).map(|t| &t.token) else { continue };
        let Some(read) = open.last_mut() else { break };
        match token {
            Token::LParen => open.push(Read::Nothing),
            Token::RParen | Token::SemiColon | Token::EOF => ended(open.pop(), &mut found),
            word if is(word, &["UNION", "INTERSECT", "EXCEPT"]) => {
                ended(Some(std::mem::replace(read, Read::Nothing)), &mut found);
            }
            word if *read == Read::Nothing && is(word, &["ALL", "DISTINCT", "BY", "NAME"]) => {}
            word if *read == Read::Nothing && is(word, &["WITH"]) => *read = Read::With,
            word if matches!(read, Read::Nothing | Read::With) && is(word, &["FROM"]) => {
                *read = Read::FromFirst(at);
            }
            word if is(word, &["SELECT"]) => *read = Read::More,
            _ if *read == Read::Nothing => *read = Read::More,
            _ => {}
        }
    }
    ended(open.pop(), &mut found);
    insert(tokens, found, &[Token::make_keyword("SELECT"), Token::Mul]);
}

/// ClickHouse's arrays in brackets behind ARRAY JOIN, where the parser looks for a table.
pub(super) fn arrays(tokens: &mut Vec<TokenWithSpan>) {
    let found = ends(tokens, &[&|t| is(t, &["ARRAY"]), &|t| is(t, &["JOIN"]), &|t| *t == Token::LBracket]);
    for from in &found {
        let mut depth = 0_usize;
        for token in tokens.iter_mut().skip(*from) {
            match token.token {
                Token::LBracket if depth == 0 => token.token = Token::LParen,
                Token::RBracket if depth == 1 => token.token = Token::RParen,
                _ => {}
            }
            match token.token {
                Token::LBracket | Token::LParen => depth += 1,
                Token::RBracket | Token::RParen => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if depth == 0 {
                break;
            }
        }
    }
    insert(tokens, found, &[Token::make_word("array", None)]);
}

/// MySQL's units of several parts, largest first.
const UNITS_OF_TWO: &[(&str, &str, &str)] = &[
    ("YEAR_MONTH", "YEAR", "MONTH"),
    ("DAY_HOUR", "DAY", "HOUR"),
    ("DAY_MINUTE", "DAY", "MINUTE"),
    ("DAY_SECOND", "DAY", "SECOND"),
    ("HOUR_MINUTE", "HOUR", "MINUTE"),
    ("HOUR_SECOND", "HOUR", "SECOND"),
    ("MINUTE_SECOND", "MINUTE", "SECOND"),
];

/// MySQL's `INTERVAL '1:30' HOUR_MINUTE` as the parser knows it, `HOUR TO MINUTE`. Elsewhere such a word may be a name.
pub(super) fn units_of_two(tokens: &mut Vec<TokenWithSpan>) {
    // How many parentheses are open, and how many were at each INTERVAL whose unit has not come yet.
    let (mut depth, mut waiting) = (0_usize, Vec::new());
    let mut at = 0;
    while let Some(TokenWithSpan { token, span }) = tokens.get(at) {
        let span = *span;
        match token {
            Token::LParen => depth += 1,
            Token::RParen => {
                waiting.retain(|from| *from < depth);
                depth = depth.saturating_sub(1);
            }
            Token::Comma => waiting.retain(|from| *from < depth),
            Token::Word(word) if word.keyword == Keyword::INTERVAL => waiting.push(depth),
            Token::Word(word) if word.quote_style.is_none() && waiting.last() == Some(&depth) => {
                let known = UNITS_OF_TWO.iter().find(|(name, _, _)| word.value.eq_ignore_ascii_case(name));
                if known.is_some() || Unit::named(&word.value).is_some() {
                    waiting.pop();
                }
                if let Some((_, first, last)) = known {
                    let words =
                        [first, "TO", last].map(|word| TokenWithSpan::new(Token::make_keyword(word), span));
                    tokens.splice(at..=at, words);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Leaves out `OPTION (…)` behind a query, hints that say how SQL Server computes an answer; the parser takes the word for an
/// alias.
pub(super) fn leave_out_option(tokens: &mut Vec<TokenWithSpan>) {
    let places = places(tokens);
    let (mut depth, mut start) = (0_usize, None);
    for (i, &at) in places.iter().enumerate() {
        let opens = places.get(i + 1).is_some_and(|next| tokens[*next].token == Token::LParen);
        match &tokens[at].token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            word if depth == 0 && is(word, &["option"]) && opens => {
                start = Some(at);
                continue;
            }
            _ => continue,
        }
        if let Some(start) = start.filter(|_| depth == 0) {
            tokens.drain(start..=at);
            return;
        }
    }
}

/// Trino's `json_query(x, 'lax $.a' OMIT QUOTES)` with the words as one more argument, for which the parser has a place
/// (<https://trino.io/docs/current/functions/json.html#json-query>).
pub(super) fn quotes_as_argument(tokens: &mut [TokenWithSpan]) {
    for pair in places(tokens).windows(2) {
        let &[first, second] = pair else { continue };
        let omits = is(&tokens[first].token, &["omit"]);
        if (omits || is(&tokens[first].token, &["keep"])) && is(&tokens[second].token, &["quotes"]) {
            let says = if omits { "omit quotes" } else { "keep quotes" };
            tokens[first].token = Token::Comma;
            tokens[second].token = Token::SingleQuotedString(says.to_owned());
        }
    }
}
