//! BigQuery's variables: `DECLARE day DATE DEFAULT '2024-01-01'; SELECT … WHERE d > day`
//! (<https://cloud.google.com/bigquery/docs/reference/standard-sql/procedural-language#declare>).
//!
//! A variable is a name like any other, and a column of that name is meant first. So the query keeps the name, with the value
//! beside it (`value AS name`), and the planner takes the value where it finds no column.

use std::ops::ControlFlow;

use sqlparser::ast::{CastKind, DataType, Expr, Ident, Query, Value, ValueWithSpan};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::syntax::{Place, change_expressions};

/// Variables with their types and values.
#[derive(Default)]
pub(super) struct Variables(Vec<(Ident, Option<DataType>, Expr)>);

impl Variables {
    /// Reads the DECLARE and SET before a query.
    ///
    /// # Errors
    /// The parser's, where one of them has another form.
    pub(super) fn read(parser: &mut Parser<'_>) -> Result<Variables, ParserError> {
        let mut variables = Variables::default();
        loop {
            while parser.consume_token(&Token::SemiColon) {}
            let is = |parser: &Parser<'_>, word: &str| match parser.peek_token().token {
                Token::Word(w) => w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word),
                _ => false,
            };
            if is(parser, "declare") {
                parser.next_token();
                let names = parser.parse_comma_separated(Parser::parse_identifier)?;
                let data_type = if is(parser, "default") { None } else { Some(parser.parse_data_type()?) };
                let value = if is(parser, "default") {
                    parser.next_token();
                    variables.typed(parser.parse_expr()?, data_type.as_ref())
                } else {
                    Expr::Value(Value::Null.with_empty_span())
                };
                variables.0.extend(names.into_iter().map(|name| (name, data_type.clone(), value.clone())));
            } else if is(parser, "set") {
                parser.next_token();
                let name = parser.parse_identifier()?;
                parser.expect_token(&Token::Eq)?;
                let value = parser.parse_expr()?;
                let known =
                    |v: &&(Ident, Option<DataType>, Expr)| v.0.value.eq_ignore_ascii_case(&name.value);
                let Some((_, data_type, _)) = variables.0.iter().find(known).cloned() else {
                    let message =
                        format!("Expected: a variable that DECLARE names, found: {name}{}", name.span.start);
                    return Err(ParserError::ParserError(message));
                };
                let value = variables.typed(value, data_type.as_ref());
                for variable in variables.0.iter_mut().filter(|v| v.0.value.eq_ignore_ascii_case(&name.value))
                {
                    variable.2 = value.clone();
                }
            } else {
                return Ok(variables);
            }
        }
    }

    /// A value as one of the type: itself where it is one.
    fn typed(&self, mut value: Expr, data_type: Option<&DataType>) -> Expr {
        self.substitute(&mut value);
        let already = match (&value, data_type) {
            (Expr::Value(ValueWithSpan { value, span: _ }), Some(data_type)) => match (value, data_type) {
                (Value::Null, _) => true,
                (Value::Number(digits, _), DataType::Int64) => digits.bytes().all(|b| b.is_ascii_digit()),
                (Value::SingleQuotedString(_) | Value::DoubleQuotedString(_), DataType::String(None)) => true,
                _ => false,
            },
            (_, None) => true,
            _ => false,
        };
        match data_type.filter(|_| !already) {
            Some(data_type) => Expr::Cast {
                kind: CastKind::Cast,
                expr: Box::new(value),
                data_type: data_type.clone(),
                format: None,
            },
            None => value,
        }
    }

    /// Puts the values beside the names of a query.
    pub(super) fn fill(&self, query: &mut Query) {
        if !self.0.is_empty() {
            self.substitute(query);
        }
    }

    fn substitute<'p>(&self, place: impl Into<Place<'p>>) {
        let _: ControlFlow<()> = change_expressions(place, &mut |expr| {
            if let Expr::Identifier(name) = expr
                && let Some((_, _, value)) =
                    self.0.iter().find(|v| v.0.value.eq_ignore_ascii_case(&name.value))
            {
                *expr = Expr::Named { expr: Box::new(value.clone()), name: name.clone() };
            }
            ControlFlow::Continue(())
        });
    }
}
