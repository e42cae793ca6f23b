//! Words and signs that the parser knows in another form alone, put into that form before it reads them.
//!
//! | system | written | read as |
//! |---|---|---|
//! | DuckDB | `sum(x) FILTER (x > 1)` | `sum(x) FILTER (WHERE x > 1)` |
//! | DuckDB | `FROM t WHERE x > 1` | `SELECT * FROM t WHERE x > 1` |
//! | ClickHouse | `ARRAY JOIN [1, 2] AS x` | `ARRAY JOIN array(1, 2) AS x` |
//!
//! <https://duckdb.org/docs/stable/sql/query_syntax/filter>, <https://duckdb.org/docs/stable/sql/query_syntax/from>,
//! <https://clickhouse.com/docs/en/sql-reference/statements/select/array-join>.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Whether a token is one of these words, in capitals, without quotes.
fn is(token: &Token, words: &[&str]) -> bool {
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
