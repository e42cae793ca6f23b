//! Function calls: scalar functions, aggregates, and sqlparser's special forms.

use std::sync::LazyLock;

use sqlparser::ast::{self, Spanned};
use sqlparser::tokenizer::{Location, Span};

use crate::ordered;
use crate::value::Value;

use super::literal::literal;
use super::postgres::written_truth;
use super::refuse::refuse_present;
use super::{Planner, Result, invalid, unsupported};
use crate::dialects::Dialect;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::function;

/// The aggregate with this lower-case name, called with that many arguments.
fn aggregate(name: &str, arguments: usize) -> Option<&'static function::Aggregate> {
    // With several arguments MIN and MAX are scalar functions.
    let scalar = matches!(name, "min" | "max") && arguments > 1;
    function::aggregate(name).filter(|_| !scalar)
}

/// Whether a function of this lower-case name aggregates.
pub(crate) fn is_aggregate(name: &str) -> bool {
    aggregate(name, 1).is_some() || Dialect::any_has_aggregate(name)
}

/// The least and the greatest number of arguments of a function that SQLite has.
fn arity(name: &str) -> Option<(usize, usize)> {
    let aggregate = function::aggregate(name).map(|a| a.arity);
    aggregate.or_else(|| function::scalar(name).map(|f| f.arity))
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
    /// It has parentheses; CURRENT_DATE has none.
    pub(crate) has_list: bool,
    pub(crate) star: bool,
    pub(crate) distinct: bool,
    /// ORDER BY inside the call.
    pub(crate) order_by: &'a [ast::OrderByExpr],
    /// WITHIN GROUP.
    pub(crate) within_group: bool,
    /// FILTER (WHERE …).
    pub(crate) filter: Option<&'a ast::Expr>,
    /// Where its name stands.
    pub(crate) place: Location,
    /// OVER.
    pub(crate) over: Option<&'a ast::WindowType>,
    /// IGNORE NULLS.
    pub(crate) ignores_nulls: bool,
    /// MySQL's SEPARATOR.
    pub(crate) separator: Option<&'a ast::ValueWithSpan>,
}

impl Call<'_> {
    /// Whether it is one of the aggregates that WITHIN GROUP (ORDER BY …) belongs to.
    pub(super) fn is_ordered_set(&self) -> bool {
        self.within_group && matches!(self.name.as_str(), "percentile_cont" | "percentile_disc" | "mode")
    }
}

impl<'a> Planner<'a> {
    /// The expressions that are function calls in words of their own, and all that is left.
    ///
    /// `SUBSTRING(x FROM 2 FOR 3)` → `substr(x, 2, 3)`, `POSITION(a IN b)` → `instr(b, a)`: the standard's
    /// words, which the parser knows by form.
    pub(crate) fn plan_function_expr(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        let (name, args): (&str, Vec<&'a ast::Expr>) = match expr {
            E::Function(function) => return self.plan_function(function),
            E::Substring {
                expr: text,
                substring_from,
                substring_for,
                // SUBSTR or SUBSTRING, commas or words.
                special: _,
                shorthand: _,
            } => {
                let Some(from) = substring_from else {
                    return self.plan_start(text, substring_for.as_deref(), expr);
                };
                let args = [text, from].into_iter().chain(substring_for);
                ("substr", args.map(|e| &**e).collect())
            }
            E::Trim { expr, trim_where, trim_what, trim_characters } => {
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
            E::Ceil { expr: number, field } => return self.plan_rounding("ceil", number, field),
            E::Floor { expr: number, field } => return self.plan_rounding("floor", number, field),
            E::Position { expr, r#in } => ("instr", vec![&**r#in, &**expr]),
            E::Extract {
                field,
                // FROM or a comma.
                syntax: _,
                expr,
            } => {
                let date = self.plan_expr(expr)?;
                return Ok(match self.dialect.function("extract", 2) {
                    Some(_) => {
                        let field = Expr::text(field.to_string().to_ascii_lowercase());
                        self.foreign_function("extract".to_owned(), vec![field, date])
                    }
                    None => self.extract_named(&field.to_string(), date),
                });
            }
            E::Overlay { expr, overlay_what, overlay_from, overlay_for } => (
                "overlay",
                [expr, overlay_what, overlay_from].into_iter().chain(overlay_for).map(|e| &**e).collect(),
            ),
            E::Interval(interval) => return self.plan_interval(interval),
            E::Convert { is_try, expr: value, data_type, charset: None, target_before_value: _, styles }
                if self.dialect == Dialect::Tsql =>
            {
                return self.plan_convert(value, data_type.as_ref(), styles, *is_try, expr);
            }
            // MySQL's `CONVERT(x, SIGNED)` is a cast, and `CONVERT(x USING utf8)` the same text in another encoding.
            E::Convert {
                is_try: false,
                expr: value,
                data_type,
                charset,
                target_before_value: false,
                styles,
            } if self.dialect == Dialect::Mysql && styles.is_empty() => {
                return match (data_type, charset) {
                    (Some(data_type), None) => self.plan_cast(&ast::CastKind::Cast, value, data_type),
                    (None, Some(_)) => self.plan_expr(value),
                    _ => unsupported(describe(expr), expr.span()),
                };
            }
            other => return unsupported(describe(other), other.span()),
        };
        check_arity(self.dialect, name, args.len(), expr.span())?;
        let args = self.plan_exprs(args)?;
        Ok(self.function(name.to_owned(), args))
    }

    /// `SUBSTRING(text FOR length)`: from the first character.
    fn plan_start(
        &mut self,
        text: &'a ast::Expr,
        length: Option<&'a ast::Expr>,
        whole: &ast::Expr,
    ) -> Result<Expr> {
        let Some(length) = length else {
            return invalid("wrong number of arguments to function substr()", whole.span());
        };
        let text = self.plan_expr(text)?;
        let length = self.plan_expr(length)?;
        let args = vec![text, Expr::Literal(Value::Integer(1)), length];
        Ok(self.function("substr".into(), args))
    }

    /// `CEIL(number)`; SQLite's takes no scale.
    fn plan_rounding(
        &mut self,
        name: &str,
        number: &'a ast::Expr,
        field: &ast::CeilFloorKind,
    ) -> Result<Expr> {
        match field {
            ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime) => {}
            ast::CeilFloorKind::DateTimeField(field) => {
                return unsupported(format!("{name} TO {field}"), number.span());
            }
            ast::CeilFloorKind::Scale(_) if self.dialect == Dialect::Sqlite => {
                return invalid(format!("{name}() takes one argument"), number.span());
            }
            // A function of which nothing is known where the dialect has a table of its own.
            ast::CeilFloorKind::Scale(scale) if self.dialect.functions_of_its_own() => {
                let args = vec![self.plan_expr(number)?, literal(scale)?];
                return Ok(self.function(name.to_owned(), args));
            }
            ast::CeilFloorKind::Scale(scale) => {
                return unsupported(format!("{name} to the scale {scale}"), number.span());
            }
        }
        let number = self.plan_expr(number)?;
        Ok(self.function(name.to_owned(), vec![number]))
    }

    fn plan_interval(&mut self, interval: &'a ast::Interval) -> Result<Expr> {
        let ast::Interval {
            value,
            leading_field,
            leading_precision,
            last_field,
            fractional_seconds_precision,
        } = interval;
        refuse_present(leading_precision, "an INTERVAL with a precision", &**value)?;
        refuse_present(last_field, "an INTERVAL of several fields", &**value)?;
        refuse_present(fractional_seconds_precision, "an INTERVAL with a precision", &**value)?;
        let unit = leading_field
            .as_ref()
            .map(|f| format!("_{}", f.to_string().to_ascii_lowercase()))
            .unwrap_or_default();
        let value = self.plan_expr(value)?;
        if self.dialect != Dialect::Sqlite {
            return Ok(self.span_of(value, unit.trim_start_matches('_')));
        }
        Ok(Expr::function(format!("interval{unit}"), vec![value]))
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
    pub(super) fn function(&self, name: String, args: Vec<Expr>) -> Expr {
        let args = match self.folded_call(&name, args) {
            Ok(planned) => return planned,
            Err(args) => args,
        };
        if self.dialect == Dialect::Sqlite {
            return Expr::Function { name, args };
        }
        self.foreign_function(name, args)
    }

    /// A call by name: of a window, an ordered set, a scalar function or an aggregate, in that order. The
    /// checks in between are SQLite's, in SQLite's words, so that what SQLite would refuse is refused here
    /// too. Long, since the order of the checks is the order in which SQLite would complain.
    fn plan_function(&mut self, function: &'a ast::Function) -> Result<Expr> {
        if let Some(count) = self.plan_count_of_rows(function)? {
            return Ok(count);
        }
        let mut call = read_call(function, self.dialect)?;
        if self.dialect == Dialect::Databricks {
            ignoring_if_true(&mut call);
        }
        if call.ignores_nulls && !(self.dialect.functions_of_its_own() && call.over.is_some()) {
            return unsupported("IGNORE NULLS", function.span());
        }
        if let Some(planned) = self.plan_joined_array(&call)? {
            return Ok(planned);
        }
        self.plan_call(function, call)
    }

    /// Plans a call that has been read.
    pub(super) fn plan_call(&mut self, function: &'a ast::Function, mut call: Call<'a>) -> Result<Expr> {
        if call.over.is_some() {
            return self.plan_window_call(function, call);
        }
        if let Some(whose) = self.foreign_call(&call) {
            return unsupported(whose, function.span());
        }
        self.check_name(&call.name, function.span());
        // MySQL's GROUP_CONCAT joins several.
        let joins = self.dialect == Dialect::Mysql && call.name == "group_concat" && !call.args.is_empty();
        let given = if joins { 1 } else { call.args.len() };
        check_arity(self.dialect, &call.name, given, function.span())?;
        if call.star && call.name != "count" && self.dialect.aggregate(&call.name, 0).is_none() {
            return invalid(
                format!("wrong number of arguments to function {}()", call.name),
                function.span(),
            );
        }
        if self.dialect != Dialect::Sqlite && call.is_ordered_set() {
            return self.plan_ordered_set(function, call);
        }
        if let Some(row) = self.dialect.aggregate(&call.name, given) {
            return self.plan_own_aggregate(function, call, row);
        }
        let Some(known) = aggregate(&call.name, given) else {
            refuse_present(&call.within_group, &format!("WITHIN GROUP of {}()", call.name), function)?;
            if call.distinct || call.filter.is_some() || !call.order_by.is_empty() {
                return invalid(
                    format!("DISTINCT, FILTER or ORDER BY with the scalar function {}()", call.name),
                    function.span(),
                );
            }
            if let Some(field) = self.date_field(&call)
                && let [_, date] = call.args.as_slice()
            {
                let date = self.plan_expr(date)?;
                return Ok(self.extract(field, date));
            }
            if self.dialect == Dialect::Sqlite && function::window_arity(&call.name).is_some() {
                return invalid(format!("misuse of window function {}()", call.name), function.span());
            }
            let truths: Vec<_> = match self.dialect == Dialect::Postgres && call.name.contains("_build_") {
                true => call.args.iter().map(|arg| written_truth(arg)).collect(),
                false => Vec::new(),
            };
            let mut args = self.plan_exprs(call.args)?;
            for (arg, truth) in args.iter_mut().zip(truths) {
                *arg = truth.unwrap_or(std::mem::replace(arg, Expr::NULL));
            }
            return Ok(self.function(call.name, args));
        };
        let func = known.in_dialect(Dialect::Sqlite);
        if !call.has_list {
            return invalid(format!("{}() without parentheses", call.name), function.span());
        }
        // PostgreSQL needs a separator, SQLite takes none beside DISTINCT.
        let with_separator = func == AggFunc::GroupConcat && self.dialect != Dialect::Sqlite;
        // COUNT(DISTINCT a, b).
        let of_several = func == AggFunc::Count
            && matches!(self.dialect, Dialect::Mysql | Dialect::Snowflake | Dialect::Databricks);
        if call.distinct && given != 1 && !with_separator && !of_several {
            return invalid("DISTINCT aggregates must have exactly one argument", function.span());
        }
        let depends_on_order = matches!(func, AggFunc::GroupConcat | AggFunc::Other(_));
        // WITHIN GROUP (ORDER BY …) of other functions is an order inside the call: LISTAGG.
        let takes_order = func == AggFunc::GroupConcat || known.of_an_order;
        if call.within_group && !takes_order {
            return unsupported(format!("WITHIN GROUP of {}()", call.name), function.span());
        }
        // Aggregates do not nest.
        let allow = self.set_allow(|allow| {
            allow.aggregates = false;
            allow.windows = false;
        });
        let mut args = self.plan_exprs(std::mem::take(&mut call.args))?;
        // MySQL's GROUP_CONCAT(a, ' ', b) joins its arguments (<https://dev.mysql.com/doc/refman/8.0/en/aggregate-functions.html>).
        if self.dialect == Dialect::Mysql && func == AggFunc::GroupConcat && args.len() > 1 {
            args = vec![self.function("concat".to_owned(), args)];
        }
        if call.distinct && func == AggFunc::Count {
            args = self.as_one_value(args)?;
        }
        if let Some(separator) = call.separator {
            args.push(literal(separator)?);
        }
        let mut func = self.over_spans(known.in_dialect(self.dialect), &args);
        // `group_concat(x, ',')` is `group_concat(x)`: the comma is SQLite's default.
        let comma = Expr::Literal(Value::Text(",".into()));
        if func == AggFunc::GroupConcat && args.get(1) == Some(&comma) {
            args.truncate(1);
        }
        // `group_concat(x ORDER BY y)` gives another text for another order: its keys become arguments, and
        // it is another function than the one without an order, of which rules know more.
        if depends_on_order && !call.order_by.is_empty() {
            // No rule about concatenations knows of an order.
            if call.distinct && func == AggFunc::GroupConcat && self.dialect != Dialect::Sqlite {
                return self.plan_distinct_concatenation(function, &call, args, allow);
            }
            let name = match func {
                AggFunc::GroupConcat => "group_concat".to_owned(),
                AggFunc::Other(name) => name,
                _ => call.name.clone(),
            };
            func = AggFunc::Other(name);
            for key in call.order_by {
                let expr = self.plan_expr(&key.expr)?;
                args.push(ordered::argument(super::order::sort_key(self.dialect, expr, key)?));
            }
        } else {
            // Warehouses take an order in aggregates that depend on one alone.
            if self.dialect.functions_of_its_own() && !call.order_by.is_empty() {
                return invalid(format!("ORDER BY in {}()", call.name), function.span());
            }
            // No influence on a count, a sum or an extreme; but its names must be known.
            for key in call.order_by {
                let expr = self.plan_expr(&key.expr)?;
                super::order::sort_key(self.dialect, expr, key)?;
            }
        }
        // PostgreSQL sorts the values to find those that are the same, which SQLite does not.
        let sorts = self.dialect == Dialect::Postgres;
        if call.distinct && func == AggFunc::GroupConcat && (args.len() > 1 || sorts) {
            return self.plan_distinct_concatenation(function, &call, args, allow);
        }
        // An array among the elements is no text.
        if self.dialect.functions_of_its_own()
            && call.name == "json_group_array"
            && let Some(first) = args.first_mut()
        {
            *first = self.as_part(std::mem::replace(first, Expr::NULL));
        }
        self.folded_arguments(&call.name, call.distinct, &mut args);
        let filter = self.plan_optional(call.filter)?;
        self.restore_allow(allow);
        let call = AggregateCall { func, distinct: call.distinct, args, filter };
        let default = self.of_no_rows(&call);
        let value = self.add_aggregate(call, function.span())?;
        Ok(match default {
            Some(default) => Expr::function("coalesce", vec![value, default]),
            None => value,
        })
    }
}

impl Planner<'_> {
    /// `COUNT(DISTINCT a, b)` of MySQL and `COUNT(DISTINCT (a, b))` of PostgreSQL count tuples: here as one text of each, from
    /// which the values can be read again. MySQL leaves out those with a NULL, PostgreSQL counts them.
    fn as_one_value(&mut self, args: Vec<Expr>) -> Result<Vec<Expr>> {
        let (parts, counts_nulls) = match <[Expr; 1]>::try_from(args) {
            Ok([Expr::Row(parts)]) if self.dialect == Dialect::Postgres => (parts, true),
            Ok([one]) => return Ok(vec![one]),
            Err(parts) => (parts, false),
        };
        if parts.iter().any(Expr::has_subquery) {
            return unsupported("COUNT(DISTINCT …) of several values, one of them a subquery", Span::empty());
        }
        self.charge(parts.len())?;
        let nullable = |e: &&Expr| super::types::info_of(e, &self.columns).nullable;
        let nulls: Vec<Expr> =
            parts.iter().filter(|e| !counts_nulls && nullable(e)).map(|e| e.clone().is_null()).collect();
        let quoted = parts.into_iter().map(|e| Expr::function("quote", vec![self.key(e)]));
        let joined = quoted.reduce(|all, part| {
            let before = Expr::binary(BinaryOp::Concat, all, Expr::text(","));
            Expr::binary(BinaryOp::Concat, before, part)
        });
        let joined = joined.unwrap_or(Expr::NULL);
        Ok(vec![match nulls.is_empty() {
            true => joined,
            false => Expr::case(vec![(Expr::or_all(nulls), Expr::NULL)], Some(joined)),
        }])
    }
}

/// What a function is called, in lower case. One of a schema, which is somebody's own, has a name that none of a system has:
/// `mozfun.map.sum(x)` is `mozfun_map_sum(x)`.
fn called(name: &ast::ObjectName, dialect: Dialect) -> Option<String> {
    let parts: Option<Vec<&ast::Ident>> = name.0.iter().map(ast::ObjectNamePart::as_ident).collect();
    let parts: Vec<String> = parts?.into_iter().map(|part| part.value.to_lowercase()).collect();
    match parts.as_slice() {
        // SQLite's functions lie in no schema.
        [only] if dialect == Dialect::Sqlite => Some(only.clone()),
        _ if dialect == Dialect::Sqlite => None,
        all => Some(all.join("_").replace(|c: char| !c.is_alphanumeric(), "_")),
    }
}

/// Reads a call; what has no plan in it is refused.
///
/// The parser takes clauses of a dozen dialects in a call. Each is named here: what has a meaning for SQLite
/// is kept, the rest is refused rather than passed over.
pub(crate) fn read_call(function: &ast::Function, dialect: Dialect) -> Result<Call<'_>> {
    let ast::Function {
        name,
        // {fn upper(x)} is upper(x).
        uses_odbc_syntax: _,
        parameters,
        args,
        filter,
        null_treatment,
        over,
        within_group,
    } = function;
    let Some(called) = called(name, dialect) else {
        return unsupported(format!("function {name}"), function.span());
    };
    match parameters {
        ast::FunctionArguments::None => {}
        ast::FunctionArguments::Subquery(_) | ast::FunctionArguments::List(_) => {
            return unsupported("parameters before the arguments of a function", function.span());
        }
    }
    match null_treatment {
        // What is meant where nothing is said.
        None | Some(ast::NullTreatment::RespectNulls) => {}
        Some(ast::NullTreatment::IgnoreNulls) => {}
    }
    let mut call = Call {
        name: called,
        args: Vec::new(),
        has_list: false,
        star: false,
        distinct: false,
        order_by: within_group,
        within_group: !within_group.is_empty(),
        filter: filter.as_deref(),
        over: over.as_ref(),
        place: name.span().start,
        ignores_nulls: matches!(null_treatment, Some(ast::NullTreatment::IgnoreNulls)),
        separator: None,
    };
    let ast::FunctionArgumentList { duplicate_treatment, args, clauses } = match args {
        ast::FunctionArguments::None => return Ok(call),
        ast::FunctionArguments::Subquery(_) => {
            return unsupported("a subquery as the only argument of a function", function.span());
        }
        ast::FunctionArguments::List(list) => list,
    };
    call.has_list = true;
    call.distinct = match duplicate_treatment {
        Some(ast::DuplicateTreatment::Distinct) => true,
        None | Some(ast::DuplicateTreatment::All) => false,
    };
    for clause in clauses {
        match clause {
            ast::FunctionArgumentClause::OrderBy(keys) if call.order_by.is_empty() => call.order_by = keys,
            ast::FunctionArgumentClause::Separator(text) if call.name == "group_concat" => {
                call.separator = Some(text);
            }
            ast::FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => {
                call.ignores_nulls |= matches!(treatment, ast::NullTreatment::IgnoreNulls);
            }
            other => return unsupported(format!("{other} inside a call"), function.span()),
        }
    }
    for (at, arg) in args.iter().enumerate() {
        let arg = match arg {
            ast::FunctionArg::Unnamed(arg) if call.args.len() == at => arg,
            ast::FunctionArg::Named { name, arg: ast::FunctionArgExpr::Expr(value), operator: _ }
            | ast::FunctionArg::ExprNamed {
                name: ast::Expr::Identifier(name),
                arg: ast::FunctionArgExpr::Expr(value),
                operator: _,
            } if place_named(&call.name, &name.value).is_some() => {
                let place = place_named(&call.name, &name.value).unwrap_or(0);
                // Those that are left out are 0.
                while call.args.len() <= place {
                    call.args.push(&ZERO);
                }
                if let Some(arg) = call.args.get_mut(place) {
                    *arg = value;
                }
                continue;
            }
            ast::FunctionArg::Unnamed(_)
            | ast::FunctionArg::Named { name: _, arg: _, operator: _ }
            | ast::FunctionArg::ExprNamed { name: _, arg: _, operator: _ } => {
                return unsupported(format!("the named argument {arg}"), function.span());
            }
        };
        match arg {
            ast::FunctionArgExpr::Expr(expr) => call.args.push(expr),
            ast::FunctionArgExpr::Wildcard if args.len() == 1 && duplicate_treatment.is_none() => {
                call.star = true;
            }
            ast::FunctionArgExpr::Wildcard
            | ast::FunctionArgExpr::QualifiedWildcard(_)
            | ast::FunctionArgExpr::WildcardWithOptions(_) => {
                return invalid(format!("* inside {}()", call.name), function.span());
            }
        }
    }
    Ok(call)
}

/// The arguments of PostgreSQL's MAKE_INTERVAL by name, each of which may be left out (functions-datetime).
const PARTS_OF_A_SPAN: [&str; 7] = ["years", "months", "weeks", "days", "hours", "mins", "secs"];

/// The place of an argument that a function knows by name.
fn place_named(function: &str, argument: &str) -> Option<usize> {
    (function == "make_interval")
        .then(|| PARTS_OF_A_SPAN.iter().position(|part| argument.eq_ignore_ascii_case(part)))
        .flatten()
}

/// An argument that is left out.
static ZERO: LazyLock<ast::Expr> =
    LazyLock::new(|| ast::Expr::Value(ast::Value::Number("0".to_owned(), false).with_empty_span()));

/// Spark's `first(x, true)`, `last_value(x, true)`: NULLs are passed over
/// (<https://docs.databricks.com/en/sql/language-manual/functions/first_value.html>).
fn ignoring_if_true(call: &mut Call<'_>) {
    let name = match call.name.as_str() {
        "first" | "first_value" => "first_value",
        "last" | "last_value" => "last_value",
        _ => return,
    };
    if call.over.is_some() {
        call.name = name.to_owned();
    }
    if let [_, ast::Expr::Value(said)] = call.args.as_slice()
        && let ast::Value::Boolean(ignores) = said.value
    {
        call.ignores_nulls |= ignores && call.over.is_some();
        call.args.truncate(1);
    }
}

/// A short name for an expression that has no plan.
fn describe(expr: &ast::Expr) -> String {
    let text = expr.to_string();
    let short: String = text.chars().take(60).collect();
    format!("expression {short}")
}
