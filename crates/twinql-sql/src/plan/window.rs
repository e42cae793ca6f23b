//! Window functions.
//!
//! A call with OVER is a column from the moment it is read, as an aggregate is: the scope collects it, and
//! one `Window` node above the grouping computes all of them. The frame stays text, in one canonical
//! spelling, since no rule looks inside it; EXCLUDE, which the parser does not know, comes from
//! [`crate::parse::Parsed::frames`].

use sqlparser::ast::{self, Spanned};
use sqlparser::tokenizer::{Location, Span};

use super::aggregates::Then;
use super::foreign_type::ForeignType;
use super::functions::Call;
use super::refuse::refuse_present;
use super::{Planner, Result, invalid, unsupported};
use crate::dialects::Dialect;
use crate::expr::{Expr, WindowCall};
use crate::function;
use crate::parse::Exclusion;
use crate::rel::{ColumnId, ColumnInfo, SortKey};
use crate::schema::{Affinity, TypeClass};

/// Refuses with OVER what SQLite refuses there: functions that are of one row, or with other arguments.
fn check_window_function(call: &Call<'_>, function: &ast::Function) -> Result<()> {
    let given = call.args.len();
    let of_window = function::window_arity(&call.name);
    let arity = of_window.or_else(|| function::aggregate(&call.name).map(|aggregate| aggregate.arity));
    let Some((least, most)) = arity else {
        let name = &call.name;
        return match function::is_scalar(name) {
            true => invalid(format!("{name}() may not be used as a window function"), function.span()),
            false => Ok(()),
        };
    };
    if !call.star && (given < least || given > most) {
        return invalid(format!("wrong number of arguments to function {}()", call.name), function.span());
    }
    if call.filter.is_some() && of_window.is_some() {
        return invalid("FILTER clause may only be used with aggregate window functions", function.span());
    }
    Ok(())
}

/// The frame of all rows of a partition.
const ALL_ROWS: &str = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";

/// Whether Snowflake takes all rows of a partition where no frame is said: FIRST_VALUE, whose first row is the same in either
/// frame, LAST_VALUE and NTH_VALUE (<https://docs.snowflake.com/en/sql-reference/functions/last_value>).
fn sees_all_rows(call: &Call<'_>, planned: &WindowCall) -> bool {
    let said = matches!(call.over, Some(ast::WindowType::WindowSpec(spec)) if spec.window_frame.is_some());
    let of_frame = ["last_value", "nth_value", "sql_first_present", "sql_last_present"];
    !said
        && planned.frame.is_none()
        && !planned.order_by.is_empty()
        && of_frame.contains(&planned.func.as_str())
}

/// A window function that passes over NULLs.
struct Values {
    name: String,
    args: Vec<Expr>,
    /// The frame in which it looks, where it has one of its own.
    frame: Option<&'static str>,
    /// What stands where there is no value.
    otherwise: Option<Expr>,
}

/// IGNORE NULLS, which SQLite lacks: the sandbox's aggregates of the n-th value that is no NULL, from the first or the last.
///
/// | written | planned |
/// |---|---|
/// | `LAST_VALUE(x) IGNORE NULLS OVER w` | `sql_last_present(x, 1) OVER w` |
/// | `NTH_VALUE(x, 2) IGNORE NULLS OVER w` | `sql_first_present(x, 2) OVER w` |
/// | `LAG(x, 2, 0) IGNORE NULLS OVER (…)` | `coalesce(sql_last_present(x, 2) OVER (… ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)` |
fn present(func: &str, args: Vec<Expr>) -> Option<Values> {
    let mut args = args.into_iter();
    let value = args.next()?;
    let (place, otherwise) = (args.next(), args.next());
    let place = place.unwrap_or_else(|| Expr::integer(1));
    if place.as_integer().is_none_or(|n| n < 1) {
        return None;
    }
    let (name, frame) = match func {
        "first_value" | "nth_value" => ("sql_first_present", None),
        "last_value" => ("sql_last_present", None),
        "lag" => ("sql_last_present", Some("ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING")),
        "lead" => ("sql_first_present", Some("ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING")),
        _ => return None,
    };
    Some(Values { name: name.to_owned(), args: vec![value, place], frame, otherwise })
}

impl<'a> Planner<'a> {
    /// Plans `f(…) OVER …` as a column of the innermost SELECT. The checks are SQLite's; the same call twice
    /// is one column.
    pub(crate) fn plan_window_call(
        &mut self,
        function: &'a ast::Function,
        mut call: Call<'a>,
    ) -> Result<Expr> {
        if !self.scopes.last().is_some_and(|s| s.allow.windows) {
            return invalid(format!("misuse of window function {}()", call.name), function.span());
        }
        let all_rows = call.name == "count" || self.dialect.aggregate(&call.name, 0).is_some();
        if !call.has_list || call.star && !all_rows {
            return invalid(
                format!("wrong number of arguments to window function {}()", call.name),
                function.span(),
            );
        }
        if self.dialect == Dialect::Sqlite {
            check_window_function(&call, function)?;
        }
        let of_an_order = self.dialect != Dialect::Sqlite && call.is_ordered_set();
        if !of_an_order {
            refuse_present(&call.within_group, "WITHIN GROUP of a window function", function)?;
            if !call.order_by.is_empty() {
                return unsupported("ORDER BY among the arguments of a window function", function.span());
            }
        }
        let no_distinct = || invalid("DISTINCT is not supported for window functions", function.span());
        // SQLite, PostgreSQL and MySQL refuse it.
        if call.distinct && !self.dialect.functions_of_its_own() {
            return no_distinct();
        }
        // Windows do not nest.
        let allow = self.set_allow(|allow| allow.windows = false);
        let mut then: Then = |value| value;
        let (func, args) = match of_an_order {
            true => {
                let (name, args) = self.ordered_set(function, &call)?;
                (name.to_owned(), args)
            }
            false => {
                let args = self.plan_exprs(std::mem::take(&mut call.args))?;
                match self.window_words(&call.name, call.distinct, args) {
                    Some((name, args, after)) => {
                        then = after;
                        (name, args)
                    }
                    None => return no_distinct(),
                }
            }
        };
        let values = match call.ignores_nulls {
            true => match present(&func, args) {
                Some(present) => present,
                None => return unsupported(format!("IGNORE NULLS of {func}()"), function.span()),
            },
            false => Values { name: func, args, frame: None, otherwise: None },
        };
        let Values { name: func, args, frame, otherwise } = values;
        let done = |value: Expr| match otherwise.clone() {
            Some(otherwise) => Expr::function("coalesce", vec![then(value), otherwise]),
            None => then(value),
        };
        let mut planned =
            WindowCall { args, filter: self.plan_optional(call.filter)?, ..WindowCall::new(func) };
        match call.over {
            Some(ast::WindowType::WindowSpec(spec)) => {
                self.plan_window_spec(spec, call.place, &mut planned, 0)?;
            }
            Some(ast::WindowType::NamedWindow(name)) => {
                self.plan_named_window(name, &mut planned, 0)?;
            }
            None => return unsupported("a window function without OVER", function.span()),
        }
        if let Some(frame) = frame {
            planned.frame = Some(frame.to_owned());
        } else if self.dialect == Dialect::Snowflake && sees_all_rows(&call, &planned) {
            planned.frame = Some(ALL_ROWS.to_owned());
        }
        let (compares, distinct) = match planned.func.as_str() {
            "sql_count_distinct" => ("count", true),
            name => (name, false),
        };
        self.folded_arguments(compares, distinct, &mut planned.args);
        self.restore_allow(allow);
        let known = self.scopes.last().and_then(|s| s.windows.iter().find(|(_, w)| *w == planned));
        if let Some((id, _)) = known {
            return Ok(done(Expr::Column(*id)));
        }
        let class = match planned.func.as_str() {
            "row_number" | "rank" | "dense_rank" | "ntile" | "count" | "sql_count_distinct" => {
                TypeClass::Integer
            }
            "sum" => self.class_of_sum(&planned.args),
            "group_concat" | "string_agg" => TypeClass::Text,
            "lag" | "lead" | "first_value" | "last_value" | "nth_value" | "min" | "max"
            | "sql_first_present" | "sql_last_present" => planned
                .args
                .first()
                .map_or(TypeClass::Other, |e| super::types::info_of(e, &self.columns).class),
            _ => TypeClass::Number,
        };
        // Numbers and counts are never NULL; `lag` is at the edge, and a sum over an empty frame.
        let nullable = !matches!(
            planned.func.as_str(),
            "row_number"
                | "rank"
                | "dense_rank"
                | "ntile"
                | "count"
                | "sql_count_distinct"
                | "percent_rank"
                | "cume_dist"
        );
        let id = self.new_column(ColumnInfo::computed(&planned.func, class, nullable))?;
        self.note_column(id, function.span());
        match (planned.func.as_str(), planned.args.first()) {
            ("lag" | "lead" | "first_value" | "last_value" | "nth_value" | "min" | "max", Some(value)) => {
                self.note_kind(id, value);
            }
            ("sum" | "avg", Some(value)) if self.dialect == Dialect::Postgres && self.is_double(value) => {
                self.kinds.insert(id, ForeignType::Double);
            }
            (name, _) => self.kinds.extend(ForeignType::of_function(name).map(|kind| (id, kind))),
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.windows.push((id, planned));
        }
        Ok(done(Expr::Column(id)))
    }

    /// `row_number() OVER (PARTITION BY … ORDER BY …)`, which the caller puts into a `Window` node.
    pub(super) fn row_number(
        &mut self,
        partition_by: Vec<Expr>,
        order_by: Vec<SortKey>,
    ) -> Result<(ColumnId, WindowCall)> {
        let id = self.new_column(ColumnInfo::computed("row_number", TypeClass::Integer, false))?;
        Ok((id, WindowCall { partition_by, order_by, ..WindowCall::new("row_number") }))
    }

    /// A window of the WINDOW clause. Definitions may build on each other, `w2 AS (w1 ORDER BY a)`; the
    /// depth ends a circle of them.
    fn plan_named_window(&mut self, name: &'a ast::Ident, call: &mut WindowCall, depth: usize) -> Result<()> {
        let definition = self.scopes.last().and_then(|s| {
            s.named_windows.iter().find_map(|ast::NamedWindowDefinition(known, found)| {
                let same = known.value.eq_ignore_ascii_case(&name.value);
                same.then_some((known.span.start, found))
            })
        });
        let Some((place, found)) = definition.filter(|_| depth < 8) else {
            return invalid(format!("no such window: {}", name.value), name.span);
        };
        match found {
            ast::NamedWindowExpr::NamedWindow(other) => self.plan_named_window(other, call, depth + 1),
            ast::NamedWindowExpr::WindowSpec(spec) => self.plan_window_spec(spec, place, call, depth + 1),
        }
    }

    /// PARTITION BY, ORDER BY and the frame, behind those of the window it builds on. `owner` is where the
    /// call or the definition stands, by which its EXCLUDE is found.
    fn plan_window_spec(
        &mut self,
        spec: &'a ast::WindowSpec,
        owner: Location,
        call: &mut WindowCall,
        depth: usize,
    ) -> Result<()> {
        let ast::WindowSpec { window_name, partition_by, order_by, window_frame } = spec;
        if let Some(base) = window_name {
            self.plan_named_window(base, call, depth)?;
        }
        let partition_by = self.plan_exprs(partition_by)?;
        call.partition_by.extend(partition_by.into_iter().map(|e| self.key(e)));
        for key in order_by {
            let expr = self.plan_expr(&key.expr)?;
            let expr = self.key(self.ordered_by(expr));
            call.order_by.push(super::order::sort_key(self.dialect, expr, key)?);
        }
        if let Some(frame) = window_frame {
            let exclusion = self.frames.iter().find(|e| e.owner == owner);
            call.frame = match self.in_seconds(frame)? {
                Some(frame) => {
                    let [key] = call.order_by.as_mut_slice() else {
                        return unsupported("a frame of spans without one key", owner_span(owner));
                    };
                    let moment = std::mem::replace(&mut key.expr, Expr::NULL);
                    let seconds = Expr::function("strftime", vec![Expr::text("%s"), moment]);
                    key.expr = seconds.cast(Affinity::Integer);
                    frame_text(&frame, exclusion.map(|e| e.exclusion))
                }
                None => frame_text(frame, exclusion.map(|e| e.exclusion)),
            };
        }
        Ok(())
    }

    /// A frame whose bounds are spans of time, in seconds; `None` where there is no span.
    ///
    /// | before | after |
    /// |---|---|
    /// | `ORDER BY d RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW` | `ORDER BY CAST(strftime('%s', d) AS INTEGER) RANGE BETWEEN 604800 PRECEDING AND CURRENT ROW` |
    fn in_seconds(&mut self, frame: &'a ast::WindowFrame) -> Result<Option<ast::WindowFrame>> {
        use ast::WindowFrameBound as B;
        let ast::WindowFrame { units, start_bound, end_bound } = frame;
        let is_span = |bound: &B| matches!(bound, B::Preceding(Some(e)) | B::Following(Some(e)) if matches!(**e, ast::Expr::Interval(_)));
        if !is_span(start_bound) && !end_bound.as_ref().is_some_and(is_span) {
            return Ok(None);
        }
        let mut bound = |bound: &'a B| {
            let (B::Preceding(Some(span)) | B::Following(Some(span))) = bound else {
                return Ok(bound.clone());
            };
            let planned = self.plan_expr(span)?;
            let Some(seconds) = super::temporal::seconds_of(&planned) else {
                return unsupported("a frame of months, or of a span that is computed", span.span());
            };
            let seconds = Box::new(ast::Expr::value(ast::Value::Number(seconds.to_string(), false)));
            Ok(match bound {
                B::Preceding(_) => B::Preceding(Some(seconds)),
                _ => B::Following(Some(seconds)),
            })
        };
        let start_bound = bound(start_bound)?;
        let end_bound = end_bound.as_ref().map(bound).transpose()?;
        Ok(Some(ast::WindowFrame { units: *units, start_bound, end_bound }))
    }
}

fn owner_span(at: Location) -> Span {
    Span::new(at, at)
}

/// A frame as canonical text, `None` for the default one. A frame with one bound ends at the current row:
/// `ROWS 2 PRECEDING` → `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`.
fn frame_text(frame: &ast::WindowFrame, exclusion: Option<Exclusion>) -> Option<String> {
    let ast::WindowFrame { units, start_bound, end_bound } = frame;
    let end = end_bound.as_ref().unwrap_or(&ast::WindowFrameBound::CurrentRow);
    let text = format!("{units} BETWEEN {start_bound} AND {end}").to_uppercase();
    match exclusion {
        None | Some(Exclusion::NoOthers) => {
            (text != "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW").then_some(text)
        }
        Some(exclusion) => Some(format!("{text} {exclusion}")),
    }
}
