//! SQLite's grammar where it differs from sqlparser's SQLite dialect.
//!
//! A precedence that differs gives another tree without an error, and all that follows would compare the
//! wrong query: in SQLite `a = b < c` is `a = (b < c)`, and `a || b -> c` goes from left to right.

use std::any::TypeId;

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use sqlparser::dialect::{Dialect, Precedence, SQLiteDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// SQLite's dialect with SQLite's operator precedence
/// (<https://sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>) and the
/// operators that sqlparser's own lacks: `x IS y`, `ISNULL`, `NOT GLOB`, `NOT MATCH`,
/// `IN table`, `<<`, `>>`.
#[derive(Debug)]
pub(super) struct Sqlite;

/// Precedence of `= == != <> IS IN LIKE GLOB MATCH REGEXP BETWEEN ISNULL NOTNULL`: one level.
const EQUALITY: u8 = 20;
/// Precedence of `< <= > >=`.
const COMPARISON: u8 = 24;
/// Precedence of `& | << >>`: one level.
const BITS: u8 = 28;
/// Precedence of `|| -> ->>`.
const CONCAT: u8 = 45;

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(w) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word))
}

fn skip(parser: &mut Parser, tokens: usize) {
    for _ in 0..tokens {
        parser.next_token();
    }
}

impl Sqlite {
    /// `x IS [NOT] y` for a `y` other than the constants that sqlparser knows.
    fn parse_is(parser: &mut Parser, left: &Expr) -> Option<Result<Expr, ParserError>> {
        let negated = is_word(&parser.peek_nth_token_ref(1).token, "NOT");
        let operand = &parser.peek_nth_token_ref(if negated { 2 } else { 1 }).token;
        let known = ["NULL", "TRUE", "FALSE", "DISTINCT", "UNKNOWN"];
        if known.iter().any(|word| is_word(operand, word)) {
            return None;
        }
        skip(parser, 1 + usize::from(negated));
        Some(parser.parse_subexpr(EQUALITY).map(|right| {
            let (left, right) = (Box::new(left.clone()), Box::new(right));
            if negated { Expr::IsDistinctFrom(left, right) } else { Expr::IsNotDistinctFrom(left, right) }
        }))
    }

    /// `x NOT GLOB y`, `x NOT MATCH y`, `x NOT REGEXP y`; also without the NOT.
    fn parse_pattern(parser: &mut Parser, left: &Expr) -> Option<Result<Expr, ParserError>> {
        let negated = is_word(&parser.peek_token_ref().token, "NOT");
        let operator = &parser.peek_nth_token_ref(usize::from(negated)).token;
        let operators = [
            ("GLOB", BinaryOperator::Glob),
            ("MATCH", BinaryOperator::Match),
            ("REGEXP", BinaryOperator::Regexp),
        ];
        let (_, op) = operators.into_iter().find(|(word, _)| is_word(operator, word))?;
        skip(parser, 1 + usize::from(negated));
        Some(parser.parse_subexpr(EQUALITY).map(|right| {
            let matched = Expr::BinaryOp { left: Box::new(left.clone()), op, right: Box::new(right) };
            if negated {
                Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(Expr::Nested(Box::new(matched))) }
            } else {
                matched
            }
        }))
    }

    /// `x [NOT] IN …`. A subquery follows the parenthesis at once; one in parentheses of its
    /// own is a member of a list, a single value (SQLite). `IN table` is short for
    /// `IN (SELECT * FROM table)`.
    fn parse_in(&self, parser: &mut Parser, left: &Expr) -> Option<Result<Expr, ParserError>> {
        let negated = is_word(&parser.peek_token_ref().token, "NOT");
        let at = usize::from(negated);
        if !is_word(&parser.peek_nth_token_ref(at).token, "IN") {
            return None;
        }
        skip(parser, 1 + at);
        Some(self.parse_in_operand(parser, left, negated))
    }

    fn parse_in_operand(&self, parser: &mut Parser, left: &Expr, negated: bool) -> Result<Expr, ParserError> {
        let expr = Box::new(left.clone());
        let subquery = if !parser.consume_token(&Token::LParen) {
            let name = parser.parse_object_name(false)?;
            Parser::new(self).try_with_sql(&format!("SELECT * FROM {name}"))?.parse_query()?
        } else if ["SELECT", "WITH", "VALUES"]
            .iter()
            .any(|word| is_word(&parser.peek_token_ref().token, word))
        {
            let subquery = parser.parse_query()?;
            parser.expect_token(&Token::RParen)?;
            subquery
        } else {
            let list = parser.parse_comma_separated0(Parser::parse_expr, Token::RParen)?;
            parser.expect_token(&Token::RParen)?;
            return Ok(Expr::InList { expr, list, negated });
        };
        Ok(Expr::InSubquery { expr, subquery, negated })
    }
}

impl Dialect for Sqlite {
    fn dialect(&self) -> TypeId {
        TypeId::of::<SQLiteDialect>()
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        SQLiteDialect {}.is_delimited_identifier_start(ch)
    }

    fn identifier_quote_style(&self, _identifier: &str) -> Option<char> {
        Some('"')
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_ascii_alphabetic() || ch == '_' || !ch.is_ascii()
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        self.is_identifier_start(ch) || ch.is_ascii_digit() || ch == '$'
    }

    has! {
        supports_filter_during_aggregation
        supports_in_empty_list
        supports_limit_comma
        supports_dollar_placeholder
        supports_notnull_operator
        supports_comma_separated_trim
        supports_numeric_literal_underscores
        supports_bitwise_shift_operators
        supports_cross_join_constraint
        supports_window_clause_named_window_reference
    }

    // SQLite takes these for names behind AS alone. Words that are reserved are refused where a query is planned.
    fn is_column_alias(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        use Keyword::{CROSS, FULL, INNER, LEFT, NATURAL, OUTER, RIGHT};
        !matches!(keyword, CROSS | FULL | INNER | LEFT | NATURAL | OUTER | RIGHT)
            && SQLiteDialect {}.is_column_alias(keyword, parser)
    }

    // Before sqlparser's own infix operators: what is read here it would read otherwise, or not at all.
    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        _precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        let next = &parser.peek_token_ref().token;
        if is_word(next, "ISNULL") {
            parser.next_token();
            return Some(Ok(Expr::IsNull(Box::new(expr.clone()))));
        }
        if is_word(next, "IS") {
            return Self::parse_is(parser, expr);
        }
        Self::parse_pattern(parser, expr).or_else(|| self.parse_in(parser, expr))
    }

    // Levels by token; the other operators have theirs by name in `prec_value`.
    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        let precedence = match &parser.peek_token_ref().token {
            Token::Lt | Token::LtEq | Token::Gt | Token::GtEq => COMPARISON,
            Token::Ampersand | Token::Pipe | Token::ShiftLeft | Token::ShiftRight => BITS,
            Token::StringConcat | Token::Arrow | Token::LongArrow => CONCAT,
            token if is_word(token, "ISNULL") => EQUALITY,
            _ => return None,
        };
        Some(Ok(precedence))
    }

    fn prec_value(&self, prec: Precedence) -> u8 {
        match prec {
            Precedence::Between | Precedence::Eq | Precedence::Like | Precedence::Is => EQUALITY,
            other => SQLiteDialect {}.prec_value(other),
        }
    }
}
