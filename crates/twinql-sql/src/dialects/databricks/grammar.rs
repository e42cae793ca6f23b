//! Databricks' grammar with what sqlparser's lacks: `a DIV b`
//! (<https://docs.databricks.com/en/sql/language-manual/functions/div.html>).

use sqlparser::ast::{BinaryOperator, Expr};
use sqlparser::dialect::{DatabricksDialect, Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};

/// sqlparser's dialect with this operator.
#[derive(Debug)]
pub(super) struct Databricks;

impl Dialect for Databricks {
    names_as_in!(DatabricksDialect);

    // DatabricksDialect's, `last_value(x IGNORE NULLS)`, EXTRACT of DAYOFWEEK_ISO and ORDER BY ALL.
    has! {
        supports_numeric_prefix supports_filter_during_aggregation supports_group_by_expr
        supports_table_versioning supports_lambda_functions supports_select_wildcard_except
        require_interval_qualifier supports_struct_literal supports_nested_comments
        supports_group_by_with_modifier supports_values_as_table_factor supports_optimize_table
        supports_bang_not_operator supports_cte_without_as supports_select_item_multi_column_alias
        supports_map_literal_with_angle_brackets supports_string_literal_backslash_escape
        supports_select_wildcard_replace supports_from_first_select supports_pipe_operator
        supports_window_function_null_treatment_arg allow_extract_custom supports_order_by_all
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        _precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        if !parser.parse_keyword(Keyword::DIV) {
            return None;
        }
        let left = Box::new(expr.clone());
        Some(parser.parse_subexpr(self.prec_value(Precedence::MulDivModOp)).map(|right| Expr::BinaryOp {
            left,
            op: BinaryOperator::MyIntegerDivide,
            right: Box::new(right),
        }))
    }
}
