//! Function calls: scalar functions, aggregates, and sqlparser's special forms.

use sqlparser::ast::{self, Spanned};
use sqlparser::tokenizer::Span;

use crate::ordered;
use crate::value::Value;

use super::aggregates::is_ordered_set;
use super::literal::literal;
use super::{Planner, Result, invalid, last_ident, unsupported};
use crate::dialect::Dialect;
use crate::expr::{AggFunc, AggregateCall, Expr};

/// Aggregates that other dialects have and SQLite lacks, or that need no more than a name.
const OTHER_AGGREGATES: [&str; 24] = [
    "any_value",
    "array_agg",
    "bit_and",
    "bit_or",
    "bool_and",
    "bool_or",
    "corr",
    "covar_pop",
    "covar_samp",
    "every",
    "json_agg",
    "json_group_array",
    "json_group_object",
    "jsonb_group_array",
    "jsonb_group_object",
    "listagg",
    "median",
    "mode",
    "percentile",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "var_pop",
    "variance",
];

/// The aggregate with this lower-case name, called with that many arguments.
fn aggregate(name: &str, arguments: usize) -> Option<AggFunc> {
    Some(match name {
        "count" => AggFunc::Count,
        "sum" => AggFunc::Sum,
        "total" => AggFunc::Total,
        "avg" => AggFunc::Avg,
        // With several arguments these are scalar functions.
        "min" if arguments <= 1 => AggFunc::Min,
        "max" if arguments <= 1 => AggFunc::Max,
        "group_concat" | "string_agg" => AggFunc::GroupConcat,
        other if OTHER_AGGREGATES.contains(&other) => AggFunc::Other(other.to_owned()),
        _ => return None,
    })
}

/// Whether a function of this lower-case name aggregates.
pub(crate) fn is_aggregate(name: &str) -> bool {
    aggregate(name, 1).is_some()
}

/// The least and the greatest number of arguments of SQLite's functions that real queries use.
fn arity(name: &str) -> Option<(usize, usize)> {
    Some(match name {
        "count" => (0, 1),
        "sum" | "total" | "avg" => (1, 1),
        "group_concat" => (1, 2),
        "min" | "max" => (1, usize::MAX),
        "abs" | "length" | "lower" | "upper" | "hex" | "typeof" | "unicode" | "quote" | "last_day" => (1, 1),
        "round" | "trim" | "ltrim" | "rtrim" => (1, 2),
        "ifnull" | "nullif" | "instr" | "glob" => (2, 2),
        "like" => (2, 3),
        "replace" => (3, 3),
        "substr" | "substring" => (2, 3),
        "coalesce" => (2, usize::MAX),
        _ => return None,
    })
}

fn check_arity(dialect: Dialect, name: &str, given: usize, span: Span) -> Result<()> {
    match arity(name).filter(|_| dialect == Dialect::Sqlite) {
        Some((least, most)) if given < least || given > most => {
            invalid(format!("wrong number of arguments to function {name}()"), span)
        }
        _ => Ok(()),
    }
}

/// What stands in a call's parentheses.
pub(crate) struct Call<'a> {
    pub(crate) name: String,
    pub(crate) args: Vec<&'a ast::Expr>,
    pub(crate) star: bool,
    pub(crate) distinct: bool,
    /// ORDER BY inside the call.
    pub(crate) order_by: &'a [ast::OrderByExpr],
    /// WITHIN GROUP.
    pub(crate) within_group: bool,
    /// MySQL's SEPARATOR.
    pub(crate) separator: Option<&'a ast::ValueWithSpan>,
}

impl<'a> Planner<'a> {
    /// The expressions that look like function calls, and all that is left.
    pub(crate) fn plan_function_expr(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        let (name, args): (&str, Vec<&'a ast::Expr>) = match expr {
            E::Function(function) => return self.plan_function(function),
            E::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => (
                "substr",
                std::iter::once(expr)
                    .chain(substring_from)
                    .chain(substring_for)
                    .map(|e| &**e)
                    .collect(),
            ),
            E::Trim {
                expr,
                trim_where,
                trim_what,
                trim_characters,
            } => {
                let name = match trim_where {
                    Some(ast::TrimWhereField::Leading) => "ltrim",
                    Some(ast::TrimWhereField::Trailing) => "rtrim",
                    Some(ast::TrimWhereField::Both) | None => "trim",
                };
                let args = std::iter::once(&**expr)
                    .chain(trim_what.as_deref())
                    .chain(trim_characters.iter().flatten());
                (name, args.collect())
            }
            E::Ceil { expr, .. } => ("ceil", vec![&**expr]),
            E::Floor { expr, .. } => ("floor", vec![&**expr]),
            E::Position { expr, r#in } => ("instr", vec![&**r#in, &**expr]),
            E::Extract {
                field,
                // FROM or a comma.
                syntax: _,
                expr,
            } => {
                let date = self.plan_expr(expr)?;
                return Ok(self.extract(&field.to_string(), date));
            }
            E::Overlay {
                expr,
                overlay_what,
                overlay_from,
                overlay_for,
            } => (
                "overlay",
                [expr, overlay_what, overlay_from]
                    .into_iter()
                    .chain(overlay_for)
                    .map(|e| &**e)
                    .collect(),
            ),
            E::Interval(interval) => {
                let unit = interval
                    .leading_field
                    .as_ref()
                    .map(|f| format!("_{}", f.to_string().to_ascii_lowercase()))
                    .unwrap_or_default();
                let value = self.plan_expr(&interval.value)?;
                if self.dialect != Dialect::Sqlite {
                    return Ok(self.span_of(value, unit.trim_start_matches('_')));
                }
                let args = vec![value];
                return Ok(Expr::Function {
                    name: format!("interval{unit}"),
                    args,
                });
            }
            other => return unsupported(describe(other), other.span()),
        };
        check_arity(self.dialect, name, args.len(), expr.span())?;
        let args = self.plan_exprs(args)?;
        Ok(self.function(name.to_owned(), args))
    }

    /// The part of a date that a call names by a word without quotes: DATE_PART(YEAR, d).
    fn date_field(&self, call: &Call<'a>) -> Option<&'a str> {
        let takes_field = matches!(call.name.as_str(), "date_part" | "datepart");
        match call.args.first() {
            Some(ast::Expr::Identifier(word)) if takes_field && self.dialect != Dialect::Sqlite => {
                Some(&word.value)
            }
            _ => None,
        }
    }

    /// A scalar function's call, by its common name.
    fn function(&self, name: String, args: Vec<Expr>) -> Expr {
        if self.dialect == Dialect::Sqlite {
            return Expr::Function { name, args };
        }
        self.foreign_function(name, args)
    }

    fn plan_function(&mut self, function: &'a ast::Function) -> Result<Expr> {
        let call = read_call(function)?;
        if function.over.is_some() {
            return self.plan_window_call(function, call);
        }
        if let Some(whose) = self.foreign_call(&call) {
            return unsupported(whose, function.span());
        }
        let given = call.args.len();
        check_arity(self.dialect, &call.name, given, function.span())?;
        if call.star && call.name != "count" {
            return invalid(
                format!("wrong number of arguments to function {}()", call.name),
                function.span(),
            );
        }
        if self.dialect != Dialect::Sqlite && is_ordered_set(&call) {
            return self.plan_ordered_set(function, call);
        }
        let Some(func) = aggregate(&call.name, given) else {
            if call.distinct || function.filter.is_some() {
                return invalid(
                    format!("DISTINCT or FILTER with the scalar function {}()", call.name),
                    function.span(),
                );
            }
            if let Some(field) = self.date_field(&call)
                && let [_, date] = call.args.as_slice()
            {
                let date = self.plan_expr(date)?;
                return Ok(self.extract(field, date));
            }
            let args = self.plan_exprs(call.args)?;
            return Ok(self.function(call.name, args));
        };
        // PostgreSQL needs a separator, SQLite takes none beside DISTINCT.
        let with_separator = func == AggFunc::GroupConcat && self.dialect != Dialect::Sqlite;
        if call.distinct && given != 1 && !with_separator {
            return invalid(
                "DISTINCT aggregates must have exactly one argument",
                function.span(),
            );
        }
        let depends_on_order = matches!(func, AggFunc::GroupConcat | AggFunc::Other(_));
        if call.within_group && func != AggFunc::GroupConcat {
            return unsupported(format!("WITHIN GROUP of {}()", call.name), function.span());
        }
        // Aggregates do not nest.
        let allow = self.set_allow(|allow| {
            allow.aggregates = false;
            allow.windows = false;
        });
        let mut args = self.plan_exprs(call.args)?;
        if let Some(separator) = call.separator {
            args.push(literal(separator)?);
        }
        let mut func = self.over_spans(self.aggregate_of(func), &args);
        let comma = Expr::Literal(Value::Text(",".into()));
        if func == AggFunc::GroupConcat && args.get(1) == Some(&comma) {
            args.truncate(1);
        }
        if depends_on_order && !call.order_by.is_empty() {
            // No rule about concatenations knows of an order.
            if call.distinct && args.len() > 1 && self.dialect != Dialect::Sqlite {
                return self.plan_distinct_concatenation(function, call, args, allow);
            }
            let name = match func {
                AggFunc::GroupConcat => "group_concat".to_owned(),
                AggFunc::Other(name) => name,
                _ => call.name.clone(),
            };
            func = AggFunc::Other(name);
            for key in call.order_by {
                let expr = self.plan_expr(&key.expr)?;
                args.push(ordered::argument(super::order::sort_key(
                    self.dialect,
                    expr,
                    key,
                )?));
            }
        }
        if call.distinct && func == AggFunc::GroupConcat && args.len() > 1 {
            return self.plan_distinct_concatenation(function, call, args, allow);
        }
        let filter = match &function.filter {
            Some(filter) => Some(self.plan_expr(filter)?),
            None => None,
        };
        self.restore_allow(allow);
        let call = AggregateCall {
            func,
            distinct: call.distinct,
            args,
            filter,
        };
        self.add_aggregate(call, function.span())
    }
}

/// The name and arguments of a call.
pub(crate) fn read_call(function: &ast::Function) -> Result<Call<'_>> {
    let name = last_ident(&function.name)
        .map(|i| i.value.to_lowercase())
        .unwrap_or_default();
    let mut call = Call {
        name,
        args: Vec::new(),
        star: false,
        distinct: false,
        order_by: &function.within_group,
        within_group: !function.within_group.is_empty(),
        separator: None,
    };
    let list = match &function.args {
        ast::FunctionArguments::None => return Ok(call),
        ast::FunctionArguments::Subquery(_) => {
            return unsupported("a subquery as the only argument of a function", function.span());
        }
        ast::FunctionArguments::List(list) => list,
    };
    call.distinct = list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct);
    for clause in &list.clauses {
        match clause {
            ast::FunctionArgumentClause::OrderBy(keys) => call.order_by = keys,
            ast::FunctionArgumentClause::Separator(text) if call.name == "group_concat" => {
                call.separator = Some(text);
            }
            other => return unsupported(format!("{other} inside a call"), function.span()),
        }
    }
    for arg in &list.args {
        let arg = match arg {
            ast::FunctionArg::Unnamed(arg)
            | ast::FunctionArg::Named { arg, .. }
            | ast::FunctionArg::ExprNamed { arg, .. } => arg,
        };
        match arg {
            ast::FunctionArgExpr::Expr(expr) => call.args.push(expr),
            ast::FunctionArgExpr::Wildcard if list.args.len() == 1 && !call.distinct => {
                call.star = true;
            }
            _ => return invalid(format!("* inside {}()", call.name), function.span()),
        }
    }
    Ok(call)
}

/// A short name for an expression that has no plan.
fn describe(expr: &ast::Expr) -> String {
    let text = expr.to_string();
    let short: String = text.chars().take(60).collect();
    format!("expression {short}")
}
