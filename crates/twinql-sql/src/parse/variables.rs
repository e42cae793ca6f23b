//! Variables that a script declares before its query: `DECLARE @n INT = 5; SELECT … WHERE a > @n` in SQL Server
//! (<https://learn.microsoft.com/sql/t-sql/language-elements/declare-local-variable-transact-sql>),
//! `DECLARE day DATE DEFAULT '2024-01-01'; SELECT … WHERE d > day` in BigQuery
//! (<https://cloud.google.com/bigquery/docs/reference/standard-sql/procedural-language#declare>).
//!
//! A variable stands for the value that it was given, as a value of its type. A name with a mark (`@n`) is nothing else, and
//! the value takes its place. One without may be that of a column, which is meant first: the query keeps the name, with the
//! value beside it (`value AS name`), and the planner takes the value where it finds no column.

use std::ops::ControlFlow;

use sqlparser::ast::{CastKind, CharacterLength, DataType, Expr, Ident, Query, Value, ValueWithSpan};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::tokens::is;
use crate::syntax::{Place, change_expressions};

/// How a dialect writes variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `DECLARE @a INT = 1, @b DATE`
    Marked,
    /// `DECLARE a, b INT64 DEFAULT 1`
    Plain,
}

struct Variable {
    name: Ident,
    data_type: Option<DataType>,
    value: Expr,
}

/// The variables that are known.
pub(super) struct Variables {
    style: Style,
    known: Vec<Variable>,
}

impl Variables {
    /// Reads the DECLARE and SET before a query.
    ///
    /// # Errors
    /// The parser's, where one of them has another form.
    pub(super) fn read(parser: &mut Parser<'_>, style: Style) -> Result<Variables, ParserError> {
        let mut variables = Variables { style, known: Vec::new() };
        loop {
            while parser.consume_token(&Token::SemiColon) {}
            if is(&parser.peek_token().token, &["declare"]) {
                parser.next_token();
                variables.declare(parser)?;
                while style == Style::Marked && parser.consume_token(&Token::Comma) {
                    variables.declare(parser)?;
                }
            } else if is(&parser.peek_token().token, &["set"])
                && variables.may_name(&parser.peek_nth_token(1).token)
            {
                parser.next_token();
                variables.set(parser)?;
            } else {
                return Ok(variables);
            }
        }
    }

    /// True for what can be the name of a variable.
    fn may_name(&self, token: &Token) -> bool {
        let marked = matches!(token, Token::Word(w) if w.quote_style.is_none() && w.value.starts_with('@'));
        marked || self.style == Style::Plain
    }

    /// Names of one type and value.
    fn declare(&mut self, parser: &mut Parser<'_>) -> Result<(), ParserError> {
        if !self.may_name(&parser.peek_token().token) {
            return Err(expected("a variable", parser));
        }
        let (names, data_type, given) = match self.style {
            Style::Marked => {
                let name = parser.parse_identifier()?;
                let _ = parser.parse_keyword(Keyword::AS);
                (vec![name], Some(parser.parse_data_type()?), parser.consume_token(&Token::Eq))
            }
            Style::Plain => {
                let names = parser.parse_comma_separated(Parser::parse_identifier)?;
                let untyped = is(&parser.peek_token().token, &["default"]);
                let data_type = if untyped { None } else { Some(parser.parse_data_type()?) };
                let given = is(&parser.peek_token().token, &["default"]);
                if given {
                    parser.next_token();
                }
                (names, data_type, given)
            }
        };
        let value = match given {
            true => typed(self.in_place(parser.parse_expr()?), data_type.as_ref()),
            false => Expr::Value(Value::Null.with_empty_span()),
        };
        self.known.extend(names.into_iter().map(|name| Variable {
            name,
            data_type: data_type.clone(),
            value: value.clone(),
        }));
        Ok(())
    }

    fn set(&mut self, parser: &mut Parser<'_>) -> Result<(), ParserError> {
        let name = parser.parse_identifier()?;
        parser.expect_token(&Token::Eq)?;
        let value = self.in_place(parser.parse_expr()?);
        let of_name = |v: &&mut Variable| v.name.value.eq_ignore_ascii_case(&name.value);
        let Some(variable) = self.known.iter_mut().rfind(of_name) else {
            return Err(expected("a variable that DECLARE names", parser));
        };
        variable.value = typed(value, variable.data_type.as_ref());
        Ok(())
    }

    /// An expression with the values in the variables' places.
    fn in_place(&self, mut expr: Expr) -> Expr {
        self.substitute(&mut expr);
        expr
    }

    /// Puts the values in the places of the variables of a query, or beside their names.
    pub(super) fn fill(&self, query: &mut Query) {
        if !self.known.is_empty() {
            self.substitute(query);
        }
    }

    fn substitute<'p>(&self, place: impl Into<Place<'p>>) {
        let _: ControlFlow<()> = change_expressions(place, &mut |expr| {
            if let Expr::Identifier(name) = expr
                && let Some(variable) =
                    self.known.iter().rfind(|v| v.name.value.eq_ignore_ascii_case(&name.value))
            {
                let value = variable.value.clone();
                *expr = match self.style {
                    Style::Marked => value,
                    Style::Plain => Expr::Named { expr: Box::new(value), name: name.clone() },
                };
            }
            ControlFlow::Continue(())
        });
    }
}

fn expected(what: &str, parser: &Parser<'_>) -> ParserError {
    let found = parser.peek_token();
    ParserError::ParserError(format!("Expected: {what}, found: {}{}", found.token, found.span.start))
}

/// A value as one of a variable's type: itself where it is one.
fn typed(value: Expr, data_type: Option<&DataType>) -> Expr {
    let Some(data_type) = data_type else { return value };
    let literal = match &value {
        Expr::Value(ValueWithSpan { value, span: _ }) => Some(value),
        _ => None,
    };
    // A variable's text has one character in SQL Server where nothing is said.
    let length = |length: &Option<CharacterLength>| match length {
        None => Some(1),
        Some(CharacterLength::Max) => None,
        Some(CharacterLength::IntegerLength { length, unit: _ }) => Some(*length),
    };
    let already = match (literal, data_type) {
        (Some(Value::Null), _) => true,
        (
            Some(Value::Number(digits, _)),
            DataType::Int(None)
            | DataType::Int64
            | DataType::Integer(None)
            | DataType::BigInt(None)
            | DataType::SmallInt(None),
        ) => digits.bytes().all(|b| b.is_ascii_digit()),
        (Some(Value::SingleQuotedString(_) | Value::DoubleQuotedString(_)), DataType::String(None)) => true,
        (
            Some(Value::SingleQuotedString(text) | Value::NationalStringLiteral(text)),
            DataType::Varchar(n) | DataType::Nvarchar(n),
        ) => length(n).is_none_or(|n| text.chars().count() as u64 <= n),
        _ => false,
    };
    if already {
        return value;
    }
    let one = || Some(CharacterLength::IntegerLength { length: 1, unit: None });
    let data_type = match data_type {
        DataType::Varchar(None) => DataType::Varchar(one()),
        DataType::Nvarchar(None) => DataType::Nvarchar(one()),
        other => other.clone(),
    };
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(value), data_type, format: None }
}
