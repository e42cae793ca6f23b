//! Functions that give rows: `generate_series` becomes its values or a recursion, one in
//! the list of outputs moves to FROM.
//!
//! `SELECT unnest(x) FROM t` → `SELECT series_1.value FROM t, unnest(x) AS series_1(value)`. SQLite has such
//! functions in FROM alone.

use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, SelectItem, SetExpr, Spanned,
    TableAlias, TableAliasColumnDef, TableFactor, TableFunctionArgs, TableWithJoins,
};

use sqlparser::tokenizer::Span;

use super::build::{call_in_from, last_name, plain_arguments, plain_call, plain_table, query, text, whole};
use crate::dialects::Dialect;
use crate::error::{SqlError, unsupported};
use crate::syntax::Named;
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

/// Those of PostgreSQL alone.
const OF_POSTGRES: [&str; 6] = [
    "string_to_table",
    "regexp_matches",
    "jsonb_array_elements",
    "json_array_elements",
    "jsonb_object_keys",
    "json_object_keys",
];

/// Moves the calls of such functions from the outputs of a SELECT to its FROM; one in each output, also where something is
/// done with its rows: `generate_series(…)::date`.
///
/// FROM lists it last, with a comma, so that its argument may read the tables before it.
///
/// Where the arguments aggregate, all else of the SELECT goes into them: `SELECT generate_series(MIN(a), MAX(a)) FROM t` →
/// `SELECT … FROM generate_series((SELECT MIN(a) FROM t), (SELECT MAX(a) FROM t))`.
pub(super) fn move_to_from(body: &mut SetExpr, made: &mut usize, dialect: Dialect) {
    let SetExpr::Select(select) = body else {
        return;
    };
    let is_alone = select.projection.len() == 1;
    let abreast = dialect == Dialect::Postgres && several(&select.projection, dialect);
    let mut moved: Vec<TableFactor> = Vec::new();
    let (mut arrays, mut columns) = (Vec::new(), Vec::new());
    let mut over_groups = false;
    for item in &mut select.projection {
        let (expr, name) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.clone())),
            SelectItem::ExprWithAliases { expr: _, aliases: _ }
            | SelectItem::QualifiedWildcard(_, _)
            | SelectItem::Wildcard(_) => continue,
        };
        let Some(call) = set_returning(expr, dialect) else {
            continue;
        };
        let Some((function, args)) = plain_call(call) else {
            continue;
        };
        let function = if function == "arrayjoin" { "unnest".to_owned() } else { function };
        let mut args: Vec<Expr> = args.into_iter().cloned().collect();
        if args.iter().any(aggregates) {
            let plain = select.distinct.is_none() && select.having.is_none() && select.qualify.is_none();
            let ungrouped = matches!(&select.group_by, ast::GroupByExpr::Expressions(keys, more) if keys.is_empty() && more.is_empty());
            if !is_alone || !plain || !ungrouped {
                continue;
            }
            let of_group = |arg: Expr| -> Option<Expr> {
                if !aggregates(&arg) {
                    return Some(arg);
                }
                let mut one = query("SELECT \"$1\"", &[arg])?;
                if let SetExpr::Select(inner) = &mut *one.body {
                    inner.from.clone_from(&select.from);
                    inner.selection.clone_from(&select.selection);
                }
                Some(Expr::Subquery(one))
            };
            let Some(written) = args.into_iter().map(of_group).collect() else {
                continue;
            };
            args = written;
            over_groups = true;
        }
        let span = call.span();
        if abreast && !(function == "unnest" && args.len() == 1) {
            continue;
        }
        *made += usize::from(arrays.is_empty());
        let alias = Ident::with_span(span, format!("series_{made}"));
        let column = match arrays.len() {
            0 => Ident::with_span(span, "value"),
            more => Ident::with_span(span, format!("value_{}", more + 1)),
        };
        let named = TableAliasColumnDef { name: column.clone(), data_type: None };
        if abreast {
            arrays.append(&mut args);
            columns.push(named);
        } else {
            let called = TableAlias { explicit: true, name: alias.clone(), columns: vec![named], at: None };
            moved.push(call_in_from(&function, args, Some(called), span));
        }
        *call = Expr::CompoundIdentifier(vec![alias, column]);
        let name = name.unwrap_or_else(|| Ident::with_span(span, function));
        *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: name };
    }
    if !arrays.is_empty() {
        let name = Ident::new(format!("series_{made}"));
        let called = TableAlias { explicit: true, name, columns, at: None };
        moved.push(call_in_from("unnest", arrays, Some(called), Span::empty()));
    }
    if over_groups {
        select.from.clear();
        select.selection = None;
    }
    select.from.extend(moved.into_iter().map(|relation| TableWithJoins { relation, joins: Vec::new() }));
}

/// Whether several outputs give rows, which PostgreSQL takes side by side (xfunc-sql, SQL functions returning sets).
fn several(outputs: &[SelectItem], dialect: Dialect) -> bool {
    let gives_rows = |item: &&SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } => {
            set_returning(&mut expr.clone(), dialect).is_some()
        }
        _ => false,
    };
    outputs.iter().filter(gives_rows).nth(1).is_some()
}

/// The call of such a function that an output is, or that a cast or a function of one row is applied to.
fn set_returning(expr: &mut Expr, dialect: Dialect) -> Option<&mut Expr> {
    let gives_rows = |name: &str| {
        let own = match dialect {
            Dialect::Clickhouse => name == "arrayjoin",
            Dialect::Databricks => name == "explode",
            Dialect::Postgres => OF_POSTGRES.contains(&name),
            _ => false,
        };
        // DuckDB's is a list there (sql/functions/list#range-functions).
        let list = (dialect, name) == (Dialect::Duckdb, "generate_series");
        own || IN_OUTPUTS.contains(&name) && !list
    };
    if plain_call(expr).is_some_and(|(name, _)| gives_rows(&name)) {
        return Some(expr);
    }
    match expr {
        Expr::Nested(inner)
        | Expr::CompoundFieldAccess { root: inner, access_chain: _ }
        | Expr::Cast { kind: _, expr: inner, data_type: _, format: None }
        | Expr::Extract { field: _, syntax: _, expr: inner } => set_returning(inner, dialect),
        Expr::BinaryOp { left, op: _, right } => {
            set_returning(left, dialect).or_else(|| set_returning(right, dialect))
        }
        Expr::Function(function) => {
            let name = last_name(&function.name)?;
            if function.over.is_some() || crate::plan::is_aggregate(&name) {
                return None;
            }
            let FunctionArguments::List(list) = &mut function.args else { return None };
            list.args.iter_mut().find_map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) => set_returning(arg, dialect),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Whether an aggregate stands in an expression, outside of subqueries.
fn aggregates(expr: &Expr) -> bool {
    if let Expr::Function(function) = expr
        && function.over.is_none()
        && last_name(&function.name).is_some_and(|name| crate::plan::is_aggregate(&name))
    {
        return true;
    }
    let mut found = false;
    super::children::each(&mut expr.clone(), &mut |part| found |= aggregates(part));
    found
}

/// Makes a call of `UNNEST(array)`, which has a form of its own in the AST, where WITH ORDINALITY stands behind it or not.
pub(super) fn as_call(factor: &mut TableFactor, numbered: bool) {
    if let TableFactor::UNNEST {
        alias,
        array_exprs,
        with_offset: false,
        with_offset_alias: None,
        with_ordinality,
    } = factor
        && let [array, more @ ..] = array_exprs.as_slice()
        && (more.is_empty() || !numbered)
        && *with_ordinality == numbered
    {
        let function = if numbered { crate::plan::NUMBERED } else { "unnest" };
        let span = array.span();
        *factor = call_in_from(function, array_exprs.clone(), alias.clone(), span);
    }
    // Behind LATERAL it is a function.
    if let TableFactor::Function { lateral: _, name, args, with_ordinality: true, alias } = factor
        && numbered
        && last_name(name).as_deref() == Some("unnest")
        && let Some(args) = plain_arguments(args)
    {
        let args = args.into_iter().cloned().collect();
        *factor = call_in_from(crate::plan::NUMBERED, args, alias.clone(), name.span());
    }
}

/// What else gives a series, and what its only column is called: DuckDB's and Spark's RANGE end before their second bound,
/// ClickHouse's NUMBERS are so many (DuckDB: sql/functions/nested#range-functions, Databricks:
/// sql-ref-syntax-qry-select-tvf, ClickHouse: table-functions/numbers).
fn relative(
    name: &str,
    mut args: Vec<Expr>,
    dialect: Dialect,
) -> Option<(Vec<Expr>, bool, Option<&'static str>)> {
    let zero = || super::build::number(0, Span::empty());
    let column = match (dialect, name) {
        (Dialect::Tsql, "generate_series") => return Some((args, false, Some("value"))),
        (_, "generate_series") => return Some((args, false, None)),
        (Dialect::Duckdb, "range") => "range",
        (Dialect::Databricks, "range") => "id",
        (Dialect::Clickhouse, "numbers") if args.len() == 1 => "number",
        _ => return None,
    };
    if args.len() == 1 {
        args.insert(0, zero());
    }
    Some((args, true, Some(column)))
}

/// Writes out a `generate_series` in FROM.
///
/// A factor with hints, a sample or an ordinality is left alone: the planner refuses those by name.
pub(super) fn write_out(factor: &mut TableFactor, dialect: Dialect) -> Result<(), SqlError> {
    if !dialect.names().fields {
        as_call(factor, false);
    }
    as_call(factor, true);
    let (name, args, alias) = match (&*factor, plain_table(factor)) {
        (TableFactor::Function { lateral: _, name, args, with_ordinality: false, alias }, _) => {
            (name, args, alias.as_ref())
        }
        (_, Some((Named { name, alias, args: Some(TableFunctionArgs { args, settings: None }) }, true))) => {
            (name, args, alias)
        }
        _ => return Ok(()),
    };
    let Some(function) =
        last_name(name).filter(|name| ["generate_series", "range", "numbers"].contains(&name.as_str()))
    else {
        return Ok(());
    };
    let args = plain_arguments(args).map(|args| args.into_iter().cloned().collect());
    let span = name.span();
    let Some((args, ends_before, column)) = args.and_then(|args| relative(&function, args, dialect)) else {
        return Ok(());
    };
    let Some(subquery) = series(&args, ends_before) else {
        return unsupported(format!("{function} with these arguments"), span);
    };
    // Its only column is called as its table is.
    let mut alias = alias.cloned().unwrap_or_else(|| TableAlias {
        explicit: true,
        name: Ident::with_span(span, &function),
        columns: Vec::new(),
        at: None,
    });
    if alias.columns.is_empty() {
        let name = column.map_or_else(|| alias.name.clone(), |column| Ident::with_span(span, column));
        alias.columns.push(TableAliasColumnDef { name, data_type: None });
    }
    *factor = TableFactor::Derived { lateral: false, subquery, alias: Some(alias), sample: None };
    Ok(())
}

fn series(args: &[Expr], ends_before: bool) -> Option<Box<ast::Query>> {
    let (start, stop, step) = match args {
        [start, stop] => (start, stop, None),
        [start, stop, step] => (start, stop, Some(step)),
        _ => return None,
    };
    if let Some(values) = values(start, stop, step, ends_before) {
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
            None => whole(step, false)? < 0,
        },
    };
    let bound = match (down, ends_before) {
        (true, false) => ">=",
        (false, false) => "<=",
        (true, true) => ">",
        (false, true) => "<",
    };
    let step = step.map_or("1", |_| "\"$3\"");
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
fn values(start: &Expr, stop: &Expr, step: Option<&Expr>, ends_before: bool) -> Option<Vec<String>> {
    let mut rows = Vec::new();
    if let (Some(start), Some(stop)) = (whole(start, false), whole(stop, false)) {
        let step = step.map_or(Some(1), |step| whole(step, false))?;
        let mut at = start;
        while (step > 0 && at <= stop || step < 0 && at >= stop) && !(ends_before && at == stop) {
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
    while at == stop && !ends_before || at != stop && (at < stop) != down {
        if rows.len() >= MAX_VALUES || step.length() == 0 {
            return None;
        }
        rows.push(format!("(TIMESTAMP '{at}')"));
        at = at.plus(step)?;
    }
    Some(rows)
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
            let written = text(value).map(str::to_owned).or_else(|| Some(whole(value, false)?.to_string()));
            Interval::parse(&written?, unit)
        }
        other => Interval::parse(constant(other, &["INTERVAL"]).or_else(|| text(other))?, None),
    }
}
