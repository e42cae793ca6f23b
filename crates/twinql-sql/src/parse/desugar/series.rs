//! Functions that give rows: `generate_series` becomes its values or a recursion, one in
//! the list of outputs moves to FROM.
//!
//! `SELECT unnest(x) FROM t` → `SELECT series_1.value FROM t, unnest(x) AS series_1(value)`. SQLite has such
//! functions in FROM alone.

use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, Ident, SelectItem, SetExpr, Spanned, TableAlias,
    TableAliasColumnDef, TableFactor, TableFunctionArgs, TableWithJoins, UnaryOperator,
};

use super::build::{last_name, plain_call, query, text};
use crate::dialects::Dialect;
use crate::error::{SqlError, unsupported};
use crate::temporal::{Interval, Moment};

/// Values that are written out; longer series are recursions.
const MAX_VALUES: usize = 1_000;

/// Functions that give rows, where the list of outputs may hold them.
const IN_OUTPUTS: [&str; 5] = [
    "generate_series",
    "unnest",
    "jsonb_array_elements_text",
    "json_array_elements_text",
    "regexp_split_to_table",
];

/// Moves the calls of such functions from the outputs of a SELECT to its FROM.
///
/// FROM lists it last, with a comma, so that its argument may read the tables before it.
pub(super) fn move_to_from(body: &mut SetExpr, made: &mut usize) {
    let SetExpr::Select(select) = body else {
        return;
    };
    for item in &mut select.projection {
        let (expr, name) = match &*item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.clone())),
            SelectItem::ExprWithAliases { expr: _, aliases: _ }
            | SelectItem::QualifiedWildcard(_, _)
            | SelectItem::Wildcard(_) => continue,
        };
        let Some((function, args)) = plain_call(expr) else {
            continue;
        };
        if !IN_OUTPUTS.contains(&function.as_str()) {
            continue;
        }
        let span = expr.span();
        *made += 1;
        let alias = Ident::with_span(span, format!("series_{made}"));
        let column = Ident::with_span(span, "value");
        let factor = TableFactor::Table {
            name: ast::ObjectName::from(vec![Ident::with_span(span, &function)]),
            alias: Some(TableAlias {
                explicit: true,
                name: alias.clone(),
                columns: vec![TableAliasColumnDef { name: column.clone(), data_type: None }],
                at: None,
            }),
            args: Some(TableFunctionArgs {
                args: args
                    .into_iter()
                    .map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e.clone())))
                    .collect(),
                settings: None,
            }),
            with_hints: Vec::new(),
            version: None,
            with_ordinality: false,
            partitions: Vec::new(),
            json_path: None,
            sample: None,
            index_hints: Vec::new(),
        };
        select.from.push(TableWithJoins { relation: factor, joins: Vec::new() });
        *item = SelectItem::ExprWithAlias {
            expr: Expr::CompoundIdentifier(vec![alias, column]),
            alias: name.unwrap_or_else(|| Ident::with_span(span, function)),
        };
    }
}

/// Makes a call of `UNNEST(array)`, which has a form of its own in the AST.
pub(super) fn as_call(factor: &mut TableFactor) {
    if let TableFactor::UNNEST {
        alias,
        array_exprs,
        with_offset: false,
        with_offset_alias: None,
        with_ordinality: false,
    } = factor
        && let [array] = array_exprs.as_slice()
    {
        let span = array.span();
        *factor = TableFactor::Function {
            lateral: true,
            name: ast::ObjectName::from(vec![Ident::with_span(span, "unnest")]),
            args: vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(array.clone()))],
            with_ordinality: false,
            alias: alias.clone(),
        };
    }
}

/// Writes out a `generate_series` in FROM.
///
/// A factor with hints, a sample or an ordinality is left alone: the planner refuses those by name.
pub(super) fn write_out(factor: &mut TableFactor, dialect: Dialect) -> Result<(), SqlError> {
    if !dialect.names().fields {
        as_call(factor);
    }
    let (name, args, alias) = match &*factor {
        TableFactor::Table {
            name,
            alias,
            args: Some(TableFunctionArgs { args, settings: None }),
            with_hints,
            version: None,
            with_ordinality: false,
            partitions,
            json_path: None,
            sample: None,
            index_hints,
        } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => (name, args, alias),
        TableFactor::Function { lateral: _, name, args, with_ordinality: false, alias } => {
            (name, args, alias)
        }
        _ => return Ok(()),
    };
    if last_name(name).as_deref() != Some("generate_series") {
        return Ok(());
    }
    let args: Option<Vec<Expr>> = args
        .iter()
        .map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => Some(e.clone()),
            _ => None,
        })
        .collect();
    let span = name.span();
    let Some(subquery) = args.and_then(|args| series(&args)) else {
        return unsupported("generate_series with these arguments", span);
    };
    // Its only column is called as its table is.
    let mut alias = alias.clone().unwrap_or_else(|| TableAlias {
        explicit: true,
        name: Ident::with_span(span, "generate_series"),
        columns: Vec::new(),
        at: None,
    });
    if alias.columns.is_empty() {
        alias.columns.push(TableAliasColumnDef { name: alias.name.clone(), data_type: None });
    }
    *factor = TableFactor::Derived { lateral: false, subquery, alias: Some(alias), sample: None };
    Ok(())
}

fn series(args: &[Expr]) -> Option<Box<ast::Query>> {
    let (start, stop, step) = match args {
        [start, stop] => (start, stop, None),
        [start, stop, step] => (start, stop, Some(step)),
        _ => return None,
    };
    if let Some(values) = values(start, stop, step) {
        let rows = match values.is_empty() {
            true => "SELECT NULL WHERE 1 = 0".to_owned(),
            false => format!("VALUES {}", values.join(", ")),
        };
        return query(&rows, &[]);
    }
    // A step of unknown sign could go either way.
    let down = match step {
        None => false,
        Some(step) => match span(step) {
            Some(by) => by.length() < 0,
            None => whole(step)? < 0,
        },
    };
    let (bound, step) = (if down { ">=" } else { "<=" }, step.map_or("1", |_| "\"$3\""));
    let sql = format!(
        "WITH RECURSIVE series(value) AS (
           SELECT \"$1\" WHERE \"$1\" {bound} \"$2\"
           UNION ALL SELECT value + {step} FROM series WHERE value + {step} {bound} \"$2\"
         ) SELECT value FROM series"
    );
    let timed = step != "1" && args.get(2).is_some_and(|s| span(s).is_some());
    let mut args = args.to_vec();
    if timed {
        // A series with a span for its step is one of timestamps.
        for bound in args.iter_mut().take(2) {
            *bound = super::build::call("pg_timestamp", vec![bound.clone()], bound.span());
        }
    }
    query(&sql, &args)
}

/// The rows of a series of constants, as text.
fn values(start: &Expr, stop: &Expr, step: Option<&Expr>) -> Option<Vec<String>> {
    let mut rows = Vec::new();
    if let (Some(start), Some(stop)) = (whole(start), whole(stop)) {
        let step = step.map_or(Some(1), whole)?;
        let mut at = start;
        while step > 0 && at <= stop || step < 0 && at >= stop {
            if rows.len() >= MAX_VALUES {
                return None;
            }
            rows.push(format!("({at})"));
            at = at.checked_add(step)?;
        }
        return (step != 0).then_some(rows);
    }
    let (start, stop, step) = (moment(start)?, moment(stop)?, span(step?)?);
    let down = step.length() < 0;
    let (mut at, stop) = (start.to_timestamp(), stop.to_timestamp());
    while at == stop || (at < stop) != down {
        if rows.len() >= MAX_VALUES || step.length() == 0 {
            return None;
        }
        rows.push(format!("(TIMESTAMP '{at}')"));
        at = at.plus(step)?;
    }
    Some(rows)
}

fn whole(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Nested(inner) => whole(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => whole(expr)?.checked_neg(),
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The constant text behind a type or a cast.
fn constant<'e>(expr: &'e Expr, types: &[&str]) -> Option<&'e str> {
    let is = |declared: &ast::DataType| {
        let declared = declared.to_string().to_ascii_uppercase();
        types.iter().any(|t| declared.starts_with(t))
    };
    match expr {
        Expr::Nested(inner) => constant(inner, types),
        Expr::Cast { kind: _, expr, data_type, format: None } if is(data_type) => {
            constant(expr, types).or_else(|| text(expr))
        }
        Expr::TypedString(ast::TypedString { data_type, value, uses_odbc_syntax: _ }) if is(data_type) => {
            match &value.value {
                ast::Value::SingleQuotedString(text) => Some(text),
                _ => None,
            }
        }
        _ => None,
    }
}

fn moment(expr: &Expr) -> Option<Moment> {
    Moment::parse(constant(expr, &["DATE", "TIMESTAMP"]).or_else(|| text(expr))?)
}

/// The span that an INTERVAL, or a text in its place, is.
fn span(expr: &Expr) -> Option<Interval> {
    match expr {
        Expr::Nested(inner) => span(inner),
        Expr::Interval(ast::Interval {
            value,
            leading_field,
            leading_precision: _,
            last_field: None,
            fractional_seconds_precision: None,
        }) => {
            let unit = leading_field.as_ref().and_then(|f| crate::temporal::Unit::named(&f.to_string()));
            Interval::parse(text(value)?, unit)
        }
        other => Interval::parse(constant(other, &["INTERVAL"]).or_else(|| text(other))?, None),
    }
}
