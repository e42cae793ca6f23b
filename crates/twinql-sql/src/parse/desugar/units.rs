//! Units of time that calls name by a word: `TIMESTAMPDIFF(YEAR, a, b)` gets `'year'`.

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Spanned};

use super::build::{last_name, string};
use crate::dialects::{Dialect, tsql};
use crate::temporal::{Part, Unit};

/// Makes a string of the unit that a call names by a word.
pub(super) fn quote(expr: &mut Expr, dialect: Dialect) {
    let Expr::Function(function) = expr else {
        return;
    };
    let name = last_name(&function.name);
    let FunctionArguments::List(list) = &mut function.args else {
        return;
    };
    let position = match name.as_deref() {
        Some(name) if dialect.functions_of_its_own() => {
            dialect.function(name, list.args.len()).and_then(|f| f.unit)
        }
        Some("timestampdiff" | "timestampadd") if dialect == Dialect::Mysql => Some(0),
        Some("date_part" | "datepart") => Some(0),
        _ => None,
    };
    // BigQuery's WEEK(MONDAY).
    if let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(unit))) =
        position.and_then(|at| list.args.get_mut(at))
        && let Expr::Function(week) = unit
        && last_name(&week.name).as_deref() == Some("week")
    {
        *unit = string(week.to_string().to_ascii_lowercase(), unit.span());
        return;
    }
    if let Some(position) = position
        && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(unit))) = list.args.get_mut(position)
        && let Expr::Identifier(word) = unit
        && (word.quote_style.is_none() || dialect == Dialect::Tsql)
    {
        if dialect == Dialect::Tsql {
            if let Some(name) = tsql::unit(&word.value) {
                *unit = string(name, word.span);
            }
            return;
        }
        // MySQL also writes SQL_TSI_MONTH.
        let name = word.value.to_ascii_lowercase();
        let name = name.strip_prefix("sql_tsi_").unwrap_or(&name);
        // In a table of functions the place is a unit's alone.
        let of_table = dialect.functions_of_its_own();
        if of_table || Unit::named(name).is_some() || Part::named(name).is_some() {
            *unit = string(name, word.span);
        }
    }
}
