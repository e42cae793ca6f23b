//! Units of time that calls name by a word: `TIMESTAMPDIFF(YEAR, a, b)` gets `'year'`.

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::build::{last_name, string};
use crate::dialect::Dialect;
use crate::temporal::{Part, Unit};

/// Makes a string of the unit that a call names first.
pub(super) fn quote(expr: &mut Expr, dialect: Dialect) {
    let Expr::Function(function) = expr else {
        return;
    };
    let takes_unit = match last_name(&function.name).as_deref() {
        Some("timestampdiff" | "timestampadd") => dialect == Dialect::Mysql,
        Some("date_part" | "datepart") => true,
        _ => false,
    };
    let FunctionArguments::List(list) = &mut function.args else {
        return;
    };
    if let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(unit))) = list.args.first_mut()
        && takes_unit
        && let Expr::Identifier(word) = unit
        && word.quote_style.is_none()
    {
        // MySQL also writes SQL_TSI_MONTH.
        let name = word.value.to_ascii_lowercase();
        let name = name.strip_prefix("sql_tsi_").unwrap_or(&name);
        if Unit::named(name).is_some() || Part::named(name).is_some() {
            *unit = string(name, word.span);
        }
    }
}
