//! ClickHouse has a value of the type where other systems have NULL: in an array out of range, and in an aggregate of no rows.

use super::Planner;
use super::foreign_type::ForeignType;
use super::paths::Step;
use crate::dialects::Dialect;
use crate::expr::{AggFunc, AggregateCall, Expr};
use crate::schema::TypeClass;

impl Planner<'_> {
    /// What ClickHouse's SUM, MIN and MAX of no rows give, unless the value may be NULL
    /// (<https://clickhouse.com/docs/en/operations/settings/settings#aggregate_functions_null_for_empty>).
    pub(super) fn of_no_rows(&self, call: &AggregateCall) -> Option<Expr> {
        let value = call.args.first()?;
        let is_extreme = matches!(call.func, AggFunc::Min | AggFunc::Max);
        if self.dialect != Dialect::Clickhouse
            || !is_extreme && call.func != AggFunc::Sum
            || self.may_be_null(value)
        {
            return None;
        }
        // Of other types that are texts here (UUID, enumerations) it is none.
        let declared = self.declared(value).unwrap_or("String").to_ascii_lowercase();
        let is_string = ["string", "text", "varchar", "char"].iter().any(|name| declared.starts_with(name));
        Some(match (self.class(value), self.kind(value)) {
            (TypeClass::Integer | TypeClass::Number | TypeClass::Boolean, _) => Expr::integer(0),
            (_, Some(ForeignType::Date)) => Expr::text("1970-01-01"),
            (_, Some(ForeignType::Timestamp)) => Expr::text("1970-01-01 00:00:00"),
            (TypeClass::Text, None) if is_string => Expr::text(""),
            _ => Expr::function("clickhouse_default", vec![Expr::text(declared)]),
        })
    }

    /// ClickHouse's `array[n]`: from the end where n is negative, and where nothing is there what the type of the elements has for
    /// nothing (<https://clickhouse.com/docs/en/sql-reference/functions/array-functions#arrayelement>).
    pub(crate) fn element_or_default(&self, array: Expr, place: Expr) -> Expr {
        let unknown = || Expr::function("clickhouse_element_1", vec![array.clone(), place.clone()]);
        let (Some(n), Some((name, elements))) = (place.as_integer().filter(|n| *n != 0), array.as_function())
        else {
            return unknown();
        };
        let written = matches!(name.as_str(), "pg_array" | "json_array") && !elements.is_empty();
        let default = match name.as_str() {
            "sql_split" => Expr::text(""),
            _ if written && elements.iter().all(|e| e.as_text().is_some()) => Expr::text(""),
            _ if written && elements.iter().all(|e| e.as_integer().is_some()) => Expr::integer(0),
            _ => return unknown(),
        };
        let Some(at) = n.checked_abs().and_then(|n| usize::try_from(n).ok()) else { return unknown() };
        if written {
            let at = if n > 0 { at.checked_sub(1) } else { elements.len().checked_sub(at) };
            return at.and_then(|at| elements.get(at).cloned()).unwrap_or(default);
        }
        let step = if n > 0 { Step::Element(at - 1) } else { Step::FromEnd(at) };
        match self.part(array.clone(), &[step]) {
            Some(part) => Expr::function("coalesce", vec![part, default]),
            None => unknown(),
        }
    }
}
