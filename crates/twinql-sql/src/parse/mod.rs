//! From SQL text to sqlparser's AST, with the repairs that real predictions need.

mod desugar;
pub(crate) mod foreign;
mod frames;
mod limits;
mod repairs;
mod set_ops;
#[cfg(test)]
mod tests;
mod tokens;
pub(crate) mod variables;

use sqlparser::ast::{Expr, Query, SetExpr};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

pub use foreign::lacking;
pub use frames::{Exclusion, FrameExclusion};
pub use limits::{MAX_BYTES, MAX_OPERATORS, MAX_PARENTHESES, MAX_PREFIXES, MAX_SET_OPERATORS};
pub use repairs::{Place, Repair};
use variables::Variables;

use crate::completion::query_within;
use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::spans::TextRange;

/// A parsed query.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The AST, its set operators associated as the dialect does.
    pub query: Box<Query>,
    /// The text that was parsed: the input after the repairs.
    pub sql: String,
    /// What was repaired, in order.
    pub repairs: Vec<Repair>,
    /// Whose SQL it is.
    pub dialect: Dialect,
    /// Whose data it reads: that system says how texts compare in a column of which the schema does not say it.
    pub data: Dialect,
    /// EXCLUDE of window frames, which the AST does not hold.
    pub frames: Vec<FrameExclusion>,
}

impl Parsed {
    /// A query whose AST was made or changed by other means than parsing.
    pub fn of_ast(query: Box<Query>, dialect: Dialect) -> Parsed {
        Parsed { query, sql: String::new(), repairs: Vec::new(), dialect, data: dialect, frames: Vec::new() }
    }
}

/// Places where a cut is tried.
const MAX_CUTS: usize = 12;

/// Parses one query in SQLite's grammar, with reported [`Repair`]s where the text as it
/// stands does not parse.
///
/// # Errors
/// [`SqlError::Parse`] for what is no SQL even after the repairs, [`SqlError::NotAQuery`]
/// for anything but one SELECT, [`SqlError::TooLarge`] beyond the limits.
pub fn parse(sql: &str) -> Result<Parsed, SqlError> {
    parse_in(sql, Dialect::Sqlite)
}

/// As [`parse`], without repairs: a text that needs one is an error. Repairs cost several times what parsing does.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_unmended(sql: &str) -> Result<Parsed, SqlError> {
    limits::check_text(sql)?;
    let read = Grammar::of(Dialect::Sqlite).attempt(sql).map_err(|failure| failure.error)?;
    finish(read, sql.to_owned(), Vec::new(), Dialect::Sqlite)
}

/// As [`parse`], in the grammar of `dialect`.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_in(sql: &str, dialect: Dialect) -> Result<Parsed, SqlError> {
    limits::check_text(sql)?;
    let text = sql.strip_prefix('\u{feff}').unwrap_or(sql);
    let grammar = Grammar::of(dialect);
    let finish = |read, sql, repairs| finish(read, sql, repairs, dialect);
    let failure = match grammar.attempt(text) {
        Ok(read) => return finish(read, text.to_owned(), Vec::new()),
        Err(failure) => failure,
    };
    // Words before a query may begin as a statement of another kind does.
    let introduced = || {
        let (before, query) = query_within(text)?;
        let (read, sql, rest) = grammar.mend(query).ok()?;
        let dropped = repairs::beginning(before);
        let repairs = std::iter::once(Repair::Introduction { dropped }).chain(rest).collect();
        Some(finish(read, sql, repairs))
    };
    if failure.is_final {
        return introduced().filter(|_| text.contains("```")).unwrap_or(Err(failure.error));
    }
    if let Some(inside) = repairs::inside_fence(text)
        && let Ok((query, text, rest)) = grammar.mend(inside)
    {
        let mut repairs = vec![Repair::Fence];
        repairs.extend(rest);
        return finish(query, text, repairs);
    }
    match grammar.mend(text) {
        Ok((query, text, repairs)) => finish(query, text, repairs),
        // A repair may have laid open what the text is; otherwise its own error says most.
        Err(mended) if mended.is_final => Err(mended.error),
        Err(_) => introduced().unwrap_or(Err(failure.error)),
    }
}

/// Parses one expression, as it stands in a CHECK.
pub(crate) fn parse_expression(text: &str, dialect: Dialect) -> Result<Expr, SqlError> {
    limits::check_text(text)?;
    let grammar = Grammar::of(dialect);
    let failed = |e: &ParserError| Failure::parse(text, e).error;
    let tokens = grammar.tokenize(text).map_err(|e| failed(&e))?;
    limits::check_tokens(&tokens)?;
    let mut parser =
        Parser::new(grammar.grammar).with_recursion_limit(RECURSION_LIMIT).with_tokens_with_locations(tokens);
    let expr = parser.parse_expr().map_err(|e| failed(&e))?;
    let next = parser.peek_token();
    if next.token != Token::EOF {
        let message = format!("Expected: end of the expression, found: {}", next.token);
        return Err(SqlError::Parse { message, place: None });
    }
    Ok(expr)
}

fn finish(read: Read, sql: String, repairs: Vec<Repair>, dialect: Dialect) -> Result<Parsed, SqlError> {
    let Read { mut query, frames } = read;
    if dialect.meaning().set_operators_are_of_one_level {
        set_ops::associate_left(&mut query);
    }
    desugar::desugar(&mut query, dialect)?;
    Ok(Parsed { query, sql, repairs, dialect, data: dialect, frames })
}

/// What a text says, its AST and what that does not hold.
struct Read {
    query: Box<Query>,
    frames: Vec<FrameExclusion>,
}

type Mended = (Read, String, Vec<Repair>);

/// A dialect with the parser's view of it.
#[derive(Clone, Copy)]
struct Grammar {
    dialect: Dialect,
    grammar: &'static dyn sqlparser::dialect::Dialect,
}

impl Grammar {
    fn of(dialect: Dialect) -> Grammar {
        Grammar { dialect, grammar: dialect.grammar() }
    }

    /// Tries the repairs: those of tokens and quotes first, then ever shorter texts.
    fn mend(&self, text: &str) -> Result<Mended, Failure> {
        let failure = match self.mend_whole(text) {
            Ok(mended) => return Ok(mended),
            Err(failure) if failure.is_final => return Err(failure),
            Err(failure) => failure,
        };
        let mut ends = repairs::ends(text);
        ends.truncate(MAX_CUTS);
        // The longest text that parses; where nothing marks an end, up to what does not fit.
        let garbage = failure
            .offset
            .filter(|&at| text.get(at..).is_some_and(repairs::is_garbage))
            .filter(|&at| !text.get(..at).is_some_and(repairs::ends_within));
        let candidates = ends.into_iter().rev().chain(garbage);
        for offset in candidates {
            let Some((kept, cut)) = repairs::cut(text, offset) else {
                continue;
            };
            if kept.trim().is_empty() {
                continue;
            }
            match self.mend_whole(kept) {
                Ok((query, text, mut made)) => {
                    made.push(cut);
                    return Ok((query, text, made));
                }
                Err(failure) if failure.is_final => return Err(failure),
                Err(_) => {}
            }
        }
        Err(failure)
    }

    /// Parses a text, with the repairs of tokens and quotes.
    fn mend_whole(&self, text: &str) -> Result<Mended, Failure> {
        let failure = match self.attempt(text) {
            Ok(query) => return Ok((query, text.to_owned(), Vec::new())),
            Err(failure) if failure.is_final => return Err(failure),
            Err(failure) => failure,
        };
        let (text, mut made) = repairs::mend_quotes(text);
        if !made.is_empty()
            && let Ok(query) = self.attempt(&text)
        {
            return Ok((query, text, made));
        }
        if let Ok(tokens) = self.tokenize(&text) {
            let (text, rest) = repairs::mend_tokens(&text, &tokens);
            made.extend(rest);
            if !made.is_empty()
                && let Ok(query) = self.attempt(&text)
            {
                return Ok((query, text, made));
            }
            if let Ok(tokens) = self.tokenize(&text) {
                let (text, rest) = repairs::mend_names(&text, &tokens);
                if !rest.is_empty()
                    && let Ok(query) = self.attempt(&text)
                {
                    made.extend(rest);
                    return Ok((query, text, made));
                }
            }
        }
        Err(failure)
    }

    fn tokenize(&self, text: &str) -> Result<Vec<TokenWithSpan>, ParserError> {
        let mut tokens = Tokenizer::new(self.grammar, text).tokenize_with_location()?;
        if self.dialect == Dialect::Sqlite {
            as_names(&mut tokens);
        }
        if self.dialect == Dialect::Mysql {
            modulo(&mut tokens);
            tokens::units_of_two(&mut tokens);
        }
        if self.dialect == Dialect::Tsql {
            tokens::leave_out_option(&mut tokens);
        }
        match self.dialect {
            Dialect::Trino => tokens::quotes_as_argument(&mut tokens),
            Dialect::Duckdb => {
                tokens::filters(&mut tokens);
                tokens::selects(&mut tokens);
            }
            Dialect::Clickhouse => tokens::arrays(&mut tokens),
            _ => {}
        }
        if self.dialect.text().bars_are_or {
            for token in &mut tokens {
                match token.token {
                    Token::StringConcat => token.token = Token::make_keyword("OR"),
                    Token::Overlap => token.token = Token::make_keyword("AND"),
                    _ => {}
                }
            }
        }
        Ok(tokens)
    }

    /// One query, with the variables that are declared before it where the dialect has such.
    fn with_variables(&self, parser: &mut Parser<'_>) -> Result<Box<Query>, ParserError> {
        let Some(style) = self.dialect.text().variables else {
            return parser.parse_query();
        };
        let variables = Variables::read(parser, style)?;
        let mut query = parser.parse_query()?;
        variables.fill(&mut query);
        Ok(query)
    }

    /// Parses a text as it stands.
    fn attempt(&self, text: &str) -> Result<Read, Failure> {
        let mut tokens = self.tokenize(text).map_err(|e| Failure::parse(text, &e))?;
        limits::check_tokens(&tokens).map_err(Failure::last)?;
        let not_a_query = |found: &str| Failure::last(SqlError::NotAQuery { found: found.to_owned() });
        let first = tokens
            .iter()
            .map(|t| &t.token)
            .find(|t| !matches!(t, Token::Whitespace(_) | Token::SemiColon | Token::EOF));
        match first.map(|t| (t, statement_word(t))) {
            None => return Err(not_a_query("an empty text")),
            Some((_, Some("SELECT" | "WITH" | "VALUES"))) | Some((Token::LParen, _)) => {}
            Some((_, Some(word))) => return Err(not_a_query(word)),
            Some((_, None)) => {}
        }
        if let Some(token) = misplaced_filter(&tokens) {
            let (found, at) = (&token.token, token.span.start);
            let message = format!("Expected: (WHERE after FILTER, found: {found}{at}");
            return Err(Failure::parse(text, &ParserError::ParserError(message)));
        }
        let frames = if self.dialect.text().frames_exclude {
            frames::take_exclusions(&mut tokens)
        } else {
            Vec::new()
        };
        let mut parser = Parser::new(self.grammar)
            .with_recursion_limit(RECURSION_LIMIT)
            .with_tokens_with_locations(tokens);
        while parser.consume_token(&Token::SemiColon) {}
        let query = self.with_variables(&mut parser).map_err(|e| Failure::parse(text, &e))?;
        let ended = parser.consume_token(&Token::SemiColon);
        while parser.consume_token(&Token::SemiColon) {}
        let next = parser.peek_token();
        if next.token != Token::EOF {
            if ended && let Some(word) = statement_word(&next.token) {
                return Err(not_a_query(&format!("a second statement, {word}")));
            }
            let error = ParserError::ParserError(format!(
                "Expected: end of statement, found: {}{}",
                next.token, next.span.start
            ));
            return Err(Failure::parse(text, &error));
        }
        if writes(&query.body) {
            return Err(not_a_query("a statement that writes"));
        }
        Ok(Read { query, frames })
    }
}

/// MySQL's `a MOD b`, which the parser knows as `a % b` alone.
fn modulo(tokens: &mut [TokenWithSpan]) {
    let calls: Vec<usize> = (0..tokens.len())
        .filter(|&at| matches!(&tokens.get(at).map(|t| &t.token), Some(Token::Word(w)) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case("MOD")))
        .filter(|&at| {
            let blank = |t: &&TokenWithSpan| matches!(t.token, Token::Whitespace(_));
            let next = tokens.iter().skip(at + 1).find(|t| !blank(t)).map(|t| &t.token);
            let before = tokens.iter().take(at).rev().find(|t| !blank(t)).map(|t| &t.token);
            // An operand stands before an operator, and no parenthesis behind it at once: that is a call.
            let operand = matches!(before, Some(Token::Word(_) | Token::Number(_, _) | Token::RParen));
            let called = matches!(tokens.get(at + 1).map(|t| &t.token), Some(Token::LParen));
            operand && !called && matches!(next, Some(Token::Word(_) | Token::Number(_, _) | Token::LParen))
        })
        .collect();
    for at in calls {
        if let Some(token) = tokens.get_mut(at) {
            token.token = Token::Mod;
        }
    }
}

/// Takes words of other dialects for names, as SQLite does, where the parser would drop them and take the rest for a query:
/// ClickHouse's GLOBAL before anything but JOIN, and the ALL of LIMIT ALL (which is no name either, and is refused as one).
fn as_names(tokens: &mut [TokenWithSpan]) {
    let mut behind_limit = false;
    for token in tokens.iter_mut().filter(|t| !matches!(t.token, Token::Whitespace(_))) {
        let keyword = match &mut token.token {
            Token::Word(word) => &mut word.keyword,
            _ => {
                behind_limit = false;
                continue;
            }
        };
        let is_limit = *keyword == Keyword::LIMIT;
        if *keyword == Keyword::GLOBAL || behind_limit && *keyword == Keyword::ALL {
            *keyword = Keyword::NoKeyword;
        }
        behind_limit = is_limit;
    }
}

/// The word or sign that makes no sense behind FILTER: the parser drops `FILTER` and `FILTER (` where no `(WHERE` follows, and
/// takes the rest for a query that SQLite refuses: `COUNT(*) FILTER ( FROM t`. Where FILTER may be an alias, nothing is amiss.
fn misplaced_filter(tokens: &[TokenWithSpan]) -> Option<&TokenWithSpan> {
    let is = |token: &TokenWithSpan, words: &[&str]| match &token.token {
        Token::Word(w) => {
            w.quote_style.is_none() && words.iter().any(|word| w.value.eq_ignore_ascii_case(word))
        }
        _ => false,
    };
    let tokens: Vec<_> = tokens.iter().filter(|t| !matches!(t.token, Token::Whitespace(_))).collect();
    // Of each parenthesis that is open, whether a subquery stands in it: an alias does not stand among arguments.
    let mut subqueries = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).copied();
        match token.token {
            Token::LParen => subqueries.push(next.is_some_and(|n| is(n, &["SELECT", "WITH", "VALUES"]))),
            Token::RParen => {
                subqueries.pop();
                let Some(follows) = next.filter(|n| is(n, &["FILTER"])).and_then(|_| tokens.get(at + 2))
                else {
                    continue;
                };
                let right = match &follows.token {
                    Token::LParen => tokens.get(at + 3).is_some_and(|n| is(n, &["WHERE"])),
                    Token::Comma | Token::RParen => subqueries.last().copied().unwrap_or(true),
                    Token::SemiColon => true,
                    _ => is(follows, FOLLOWS_AN_ALIAS),
                };
                if !right {
                    return Some(follows);
                }
            }
            _ => {}
        }
    }
    None
}

/// What may stand behind the alias of an output or of a subquery.
const FOLLOWS_AN_ALIAS: &[&str] = &words![
    FROM WHERE ON USING JOIN LEFT RIGHT FULL INNER CROSS NATURAL GROUP HAVING ORDER LIMIT UNION INTERSECT EXCEPT
    WINDOW
];

/// Why a text did not parse.
struct Failure {
    error: SqlError,
    /// No repair is wanted: the text is SQL, but not one query, or too large.
    is_final: bool,
    /// The byte at which the parser stopped.
    offset: Option<usize>,
}

impl Failure {
    fn last(error: SqlError) -> Self {
        Failure { error, is_final: true, offset: None }
    }

    fn parse(text: &str, error: &ParserError) -> Self {
        let message = match error {
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => message.clone(),
            ParserError::RecursionLimitExceeded => {
                return Failure::last(SqlError::TooLarge {
                    what: "the nesting of expressions and queries",
                    found: RECURSION_LIMIT + 1,
                    limit: RECURSION_LIMIT,
                });
            }
        };
        // sqlparser says the place in its message only.
        let said = message.rsplit_once(" at Line: ").and_then(|(found, place)| {
            let (line, column) = place.split_once(", Column: ")?;
            Some((found.to_owned(), line.trim().parse().ok()?, column.trim().parse().ok()?))
        });
        let (message, place) = match said {
            Some((found, line, column)) => (found, Some(TextRange::at(line, column))),
            None => (message, None),
        };
        let offset = place.and_then(|at| {
            repairs::Lines::new(text).offset(at.line.try_into().ok()?, at.column.try_into().ok()?)
        });
        Failure { error: SqlError::Parse { message, place }, is_final: false, offset }
    }
}

/// Levels of nesting that sqlparser follows: twice its own default, so that CASE nested 50
/// deep has room. A level is an expression, a set operation or a query in another.
const RECURSION_LIMIT: usize = 100;

/// Words that begin a statement.
const STATEMENTS: [&str; 23] = words![
    SELECT WITH VALUES INSERT REPLACE UPDATE DELETE CREATE DROP ALTER PRAGMA EXPLAIN ATTACH DETACH BEGIN COMMIT
    ROLLBACK VACUUM REINDEX ANALYZE SAVEPOINT RELEASE TRUNCATE
];

fn statement_word(token: &Token) -> Option<&'static str> {
    match token {
        Token::Word(w) if w.quote_style.is_none() => {
            STATEMENTS.into_iter().find(|s| w.value.eq_ignore_ascii_case(s))
        }
        _ => None,
    }
}

fn writes(body: &SetExpr) -> bool {
    matches!(body, SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_))
}
