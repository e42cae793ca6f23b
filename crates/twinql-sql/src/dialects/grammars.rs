//! Grammars of sqlparser's with what their systems have besides.

#![allow(missing_docs, unreachable_pub, dead_code)]

use sqlparser::derive_dialect;
use sqlparser::dialect::{BigQueryDialect, GenericDialect, MsSqlDialect, MySqlDialect};

// `!x`, and EXTRACT of YEAR_MONTH.
derive_dialect!(
    Mysql,
    MySqlDialect,
    preserve_type_id = true,
    overrides = { supports_bang_not_operator = true, allow_extract_custom = true }
);

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

pub(super) static MYSQL: Mysql = Mysql { dialect: MySqlDialect {} };
pub(super) static BIGQUERY: BigQuery = BigQuery { dialect: BigQueryDialect {} };
pub(super) static TSQL: Tsql = Tsql { dialect: MsSqlDialect {} };
pub(super) static TRINO: Trino = Trino { dialect: GenericDialect {} };
