//! DuckDB's grammar where it differs from sqlparser's: `a ** b` and `a ^ b` bind tighter than `*` and looser than a sign
//! (`-2 ** 2` is 4), `a [NOT] GLOB b`, `a [NOT] IN list`, and `[x + 1 FOR x IN list IF x > 2]`
//! (<https://duckdb.org/docs/stable/sql/functions/numeric>, `pattern_matching` and `list` beside it).

use sqlparser::ast::{
    Array, BinaryOperator, Expr, Ident, LambdaFunction, LambdaFunctionParameter, LambdaSyntax,
    OneOrManyWithParens, Spanned, UnaryOperator,
};
use sqlparser::dialect::{Dialect, DuckDbDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::syntax::call;

/// sqlparser's dialect with these operators.
#[derive(Debug)]
pub(super) struct DuckDb;

/// Between `*` and `::`.
const POWER: u8 = 45;

/// The power that follows, in tokens.
fn power(parser: &Parser) -> Option<usize> {
    match (&parser.peek_token_ref().token, &parser.peek_nth_token_ref(1).token) {
        (Token::Caret, _) => Some(1),
        (Token::Mul, Token::Mul) => Some(2),
        _ => None,
    }
}

/// A list in brackets, or a comprehension: `list_transform(list_filter(list, x -> …), x -> …)`.
fn list(parser: &mut Parser) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LBracket)?;
    let mut elem = parser.parse_comma_separated0(Parser::parse_expr, Token::RBracket)?;
    if let [_] = elem.as_slice()
        && parser.parse_keyword(Keyword::FOR)
        && let Some(value) = elem.pop()
    {
        let name = parser.parse_identifier()?;
        parser.expect_keyword(Keyword::IN)?;
        let mut list = parser.parse_expr()?;
        if parser.parse_keyword(Keyword::IF) {
            list = over("list_filter", list, &name, parser.parse_expr()?);
        }
        parser.expect_token(&Token::RBracket)?;
        return Ok(over("list_transform", list, &name, value));
    }
    parser.expect_token(&Token::RBracket)?;
    Ok(Expr::Array(Array { elem, named: false }))
}

fn over(function: &str, list: Expr, name: &Ident, body: Expr) -> Expr {
    let span = body.span();
    let parameter = LambdaFunctionParameter { name: name.clone(), data_type: None };
    let lambda = LambdaFunction {
        params: OneOrManyWithParens::One(parameter),
        body: Box::new(body),
        syntax: LambdaSyntax::Arrow,
    };
    call(function, vec![list, Expr::Lambda(lambda)], span)
}

impl Dialect for DuckDb {
    names_as_in!(DuckDbDialect);

    // DuckDbDialect's, and `last_value(x IGNORE NULLS)`.
    has! {
        supports_trailing_commas supports_filter_during_aggregation supports_group_by_expr
        supports_bitwise_shift_operators supports_named_fn_args_with_eq_operator
        supports_named_fn_args_with_assignment_operator supports_dictionary_syntax
        support_map_literal_syntax supports_lambda_functions allow_extract_single_quotes
        supports_explain_with_utility_options supports_load_extension
        supports_array_typedef_with_brackets supports_from_first_select supports_order_by_all
        supports_select_wildcard_exclude supports_notnull_operator supports_install supports_detach
        supports_select_wildcard_replace supports_comma_separated_trim
        supports_numeric_literal_underscores supports_window_function_null_treatment_arg
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        match parser.peek_token_ref().token {
            Token::LBracket => Some(list(parser)),
            Token::Minus => {
                parser.next_token();
                let operand = parser.parse_subexpr(POWER);
                Some(operand.map(|e| Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(e) }))
            }
            // A part of a document, where the parser sees a function: `doc -> 'a' ->> 'b'`.
            Token::Word(_)
                if parser.peek_nth_token_ref(1).token == Token::Arrow
                    && matches!(
                        parser.peek_nth_token_ref(2).token,
                        Token::SingleQuotedString(_) | Token::Number(_, _)
                    ) =>
            {
                Some(parser.parse_identifier().map(Expr::Identifier))
            }
            _ => None,
        }
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        _precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        let applied = |op, right| Expr::BinaryOp { left: Box::new(expr.clone()), op, right: Box::new(right) };
        if let Some(tokens) = power(parser) {
            (0..tokens).for_each(|_| drop(parser.next_token()));
            return Some(parser.parse_subexpr(POWER).map(|right| applied(BinaryOperator::PGExp, right)));
        }
        let word = |parser: &Parser, at: usize, known: Keyword| matches!(&parser.peek_nth_token_ref(at).token, Token::Word(w) if w.keyword == known);
        let negated = word(parser, 0, Keyword::NOT);
        let at = usize::from(negated);
        let globs = word(parser, at, Keyword::GLOB);
        // `x IN list`, where no parenthesis follows.
        let among = word(parser, at, Keyword::IN)
            && matches!(parser.peek_nth_token_ref(at + 1).token, Token::Word(_) | Token::LBracket);
        if !globs && !among {
            return None;
        }
        (0..=at).for_each(|_| drop(parser.next_token()));
        Some(parser.parse_subexpr(self.prec_value(Precedence::Like)).map(|right| {
            let found = match globs {
                true => applied(BinaryOperator::Glob, right),
                false => {
                    let span = expr.span();
                    call("list_contains", vec![right, expr.clone()], span)
                }
            };
            match negated {
                true => {
                    Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(Expr::Nested(Box::new(found))) }
                }
                false => found,
            }
        }))
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        power(parser).map(|_| Ok(POWER))
    }
}
