//! Grammars of sqlparser's with what their systems have besides.

#![allow(missing_docs, unreachable_pub, dead_code)]

use sqlparser::ast::Expr;
use sqlparser::derive_dialect;
use sqlparser::dialect::{BigQueryDialect, Dialect, GenericDialect, MsSqlDialect, MySqlDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// sqlparser's MySQL with MySQL's levels of operators (<https://dev.mysql.com/doc/refman/8.0/en/operator-precedence.html>),
/// `!x`, and EXTRACT of YEAR_MONTH. Another level gives another tree without an error.
#[derive(Debug)]
pub(super) struct Mysql;

impl Dialect for Mysql {
    names_as_in!(MySqlDialect);

    fn is_table_factor_alias(&self, explicit: bool, keyword: &Keyword, parser: &mut Parser) -> bool {
        MySqlDialect {}.is_table_factor_alias(explicit, keyword, parser)
    }

    fn supports_left_associative_joins_without_parens(&self) -> bool {
        false
    }

    has! {
        supports_string_literal_backslash_escape supports_string_literal_concatenation ignores_wildcard_escapes
        supports_numeric_prefix supports_bitwise_shift_operators supports_multiline_comment_hints
        require_interval_qualifier supports_limit_comma supports_create_table_select supports_table_hints
        requires_single_line_comment_whitespace supports_match_against supports_select_modifiers
        supports_data_type_signed_suffix supports_cross_join_constraint supports_double_ampersand_operator
        supports_binary_kw_as_cast supports_comment_optimizer_hint supports_constraint_keyword_without_name
        supports_key_column_option supports_group_by_with_modifier supports_bang_not_operator allow_extract_custom
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        MySqlDialect {}.parse_infix(parser, expr, precedence)
    }

    // XOR between AND (10) and OR (5), shifts between `&` (23) and `+` (30), `^` above `*` (40), `->` above all.
    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        Some(Ok(match &parser.peek_token_ref().token {
            Token::Word(word) if word.keyword == Keyword::XOR => 7,
            Token::ShiftLeft | Token::ShiftRight => 28,
            Token::Caret => 45,
            Token::Arrow | Token::LongArrow => 60,
            _ => return None,
        }))
    }
}

// `x << 1`.
derive_dialect!(
    BigQuery,
    BigQueryDialect,
    preserve_type_id = true,
    overrides = { supports_bitwise_shift_operators = true }
);

// `GROUP BY GROUPING SETS (a, b)`.
derive_dialect!(Tsql, MsSqlDialect, preserve_type_id = true, overrides = { supports_group_by_expr = true });

// `x -> x + 1` in a call.
derive_dialect!(
    Trino,
    GenericDialect,
    preserve_type_id = true,
    overrides = { supports_lambda_functions = true }
);

pub(super) static MYSQL: Mysql = Mysql;
pub(super) static BIGQUERY: BigQuery = BigQuery { dialect: BigQueryDialect {} };
pub(super) static TSQL: Tsql = Tsql { dialect: MsSqlDialect {} };
pub(super) static TRINO: Trino = Trino { dialect: GenericDialect {} };
