//! What stands around a query of SQL Server: hints, and variables. `DECLARE @n INT = 5; SELECT … WHERE a > @n` is `SELECT … WHERE a > 5`.
//!
//! A variable stands for the value that it was given, as a value of its type
//! (<https://learn.microsoft.com/sql/t-sql/language-elements/declare-local-variable-transact-sql>).

use std::ops::ControlFlow;

use sqlparser::ast::{CastKind, CharacterLength, DataType, Expr, Ident, Query, Value, ValueWithSpan};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::syntax::{Place, change_expressions};

/// Variables by their lower-case names, with their types.
#[derive(Default)]
pub(super) struct Variables(Vec<(String, DataType, Expr)>);

impl Variables {
    /// Reads the DECLARE and SET before a query.
    ///
    /// # Errors
    /// The parser's, where one of them has another form.
    pub(super) fn read(parser: &mut Parser<'_>) -> Result<Variables, ParserError> {
        let mut variables = Variables::default();
        loop {
            while parser.consume_token(&Token::SemiColon) {}
            if is_word(&parser.peek_token().token, "declare") {
                parser.next_token();
                variables.declare(parser)?;
            } else if is_word(&parser.peek_token().token, "set")
                && is_variable(&parser.peek_nth_token(1).token)
            {
                parser.next_token();
                let name = parser.parse_identifier()?.value.to_ascii_lowercase();
                parser.expect_token(&Token::Eq)?;
                let value = variables.in_place(parser.parse_expr()?);
                match variables.0.iter_mut().find(|(known, _, _)| *known == name) {
                    Some((_, data_type, slot)) => *slot = typed(value, data_type),
                    None => return Err(expected("a variable that DECLARE names", parser)),
                }
            } else {
                return Ok(variables);
            }
        }
    }

    fn declare(&mut self, parser: &mut Parser<'_>) -> Result<(), ParserError> {
        loop {
            if !is_variable(&parser.peek_token().token) {
                return Err(expected("a variable", parser));
            }
            let name = parser.parse_identifier()?.value.to_ascii_lowercase();
            let _ = parser.parse_keyword(Keyword::AS);
            let data_type = parser.parse_data_type()?;
            let null = Expr::Value(Value::Null.with_empty_span());
            let value = match parser.consume_token(&Token::Eq) {
                true => typed(self.in_place(parser.parse_expr()?), &data_type),
                false => null,
            };
            self.0.push((name, data_type, value));
            if !parser.consume_token(&Token::Comma) {
                return Ok(());
            }
        }
    }

    /// An expression with the values in the variables' places.
    fn in_place(&self, mut expr: Expr) -> Expr {
        self.substitute(&mut expr);
        expr
    }

    /// Puts the values in the places of the variables of a query.
    pub(super) fn fill(&self, query: &mut Query) {
        if !self.0.is_empty() {
            self.substitute(query);
        }
    }

    fn substitute<'p>(&self, place: impl Into<Place<'p>>) {
        let _: ControlFlow<()> = change_expressions(place, &mut |expr| {
            if let Expr::Identifier(Ident { value, quote_style: None, span: _ }) = expr
                && let Some((_, _, known)) =
                    self.0.iter().find(|(name, _, _)| value.eq_ignore_ascii_case(name))
            {
                *expr = known.clone();
            }
            ControlFlow::Continue(())
        });
    }
}

/// Passes over `OPTION (…)` behind a query, hints that say how an answer is computed
/// (<https://learn.microsoft.com/sql/t-sql/queries/option-clause-transact-sql>).
pub(super) fn skip_option(parser: &mut Parser<'_>) {
    if !is_word(&parser.peek_token().token, "option") || parser.peek_nth_token(1).token != Token::LParen {
        return;
    }
    parser.next_token();
    let mut depth = 0_usize;
    loop {
        match parser.next_token().token {
            Token::LParen => depth += 1,
            Token::RParen if depth <= 1 => return,
            Token::RParen => depth -= 1,
            Token::EOF => return,
            _ => {}
        }
    }
}

fn expected(what: &str, parser: &Parser<'_>) -> ParserError {
    let found = parser.peek_token();
    ParserError::ParserError(format!("Expected: {what}, found: {}{}", found.token, found.span.start))
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(w) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word))
}

fn is_variable(token: &Token) -> bool {
    matches!(token, Token::Word(w) if w.quote_style.is_none() && w.value.starts_with('@'))
}

/// A value as one of a variable's type: itself where it is one.
fn typed(value: Expr, data_type: &DataType) -> Expr {
    let literal = match &value {
        Expr::Value(ValueWithSpan { value, span: _ }) => Some(value),
        _ => None,
    };
    // A variable's text has one character where nothing is said.
    let length = |length: &Option<CharacterLength>| match length {
        None => Some(1),
        Some(CharacterLength::Max) => None,
        Some(CharacterLength::IntegerLength { length, unit: _ }) => Some(*length),
    };
    let already = match (literal, data_type) {
        (Some(Value::Null), _) => true,
        (
            Some(Value::Number(digits, _)),
            DataType::Int(None) | DataType::Integer(None) | DataType::BigInt(None) | DataType::SmallInt(None),
        ) => digits.bytes().all(|b| b.is_ascii_digit()),
        (
            Some(Value::SingleQuotedString(text) | Value::NationalStringLiteral(text)),
            DataType::Varchar(n) | DataType::Nvarchar(n),
        ) => length(n).is_none_or(|n| text.chars().count() as u64 <= n),
        _ => false,
    };
    if already {
        return value;
    }
    let data_type = match data_type {
        DataType::Varchar(None) => {
            DataType::Varchar(Some(CharacterLength::IntegerLength { length: 1, unit: None }))
        }
        DataType::Nvarchar(None) => {
            DataType::Nvarchar(Some(CharacterLength::IntegerLength { length: 1, unit: None }))
        }
        other => other.clone(),
    };
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(value), data_type, format: None }
}
