//! Dates, timestamps and spans of PostgreSQL and MySQL: what `+`, `-` and comparisons mean
//! for them. SQLite has texts alone, so a text that stands for a moment is written as the
//! columns beside it hold theirs, and arithmetic becomes calls of functions that the
//! sandbox has.

use super::foreign_type::ForeignType;
use super::shapes::Shape;
use super::types::info_of;
use super::{Planner, Result, unsupported};
use crate::dialects::Dialect;
use crate::expr::{AggFunc, BinaryOp, Expr};
use crate::rel::ColumnId;
use crate::schema::{Affinity, TypeClass};
use crate::temporal::{Interval, Moment, Unit};
use crate::value::Value;
use sqlparser::tokenizer::Span;

/// A span that is a constant number of months, of days or of seconds alone.
fn of_one_unit(span: &Expr) -> Option<(i64, &'static str)> {
    let (_, parts) = span.as_function().filter(|(name, _)| *name == "pg_interval")?;
    let counts: Vec<i64> = parts.iter().map(Expr::as_integer).collect::<Option<_>>()?;
    let mut some = counts.into_iter().zip(["month", "day", "second"]).filter(|(count, _)| *count != 0);
    some.next().filter(|_| some.next().is_none())
}

pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::function(name.to_owned(), args)
}

impl Planner<'_> {
    /// `printf` of values none of which is NULL, and NULL where one is: SQLite prints a NULL as 0.
    pub(crate) fn printed(&self, format: &str, values: &[Expr]) -> Expr {
        let missing = values.iter().filter(|e| info_of(e, &self.columns).nullable);
        let missing: Vec<Expr> = missing.map(|e| e.clone().is_null()).collect();
        let arguments = std::iter::once(Expr::text(format)).chain(values.iter().cloned()).collect();
        let printed = call("printf", arguments);
        match missing.is_empty() {
            true => printed,
            false => Expr::case(vec![(Expr::or_all(missing), Expr::Literal(Value::Null))], Some(printed)),
        }
    }
}

/// The date whose digits a number is: 20240131.
fn of_digits(number: i64) -> Option<Moment> {
    Moment::date(number / 10_000, number / 100 % 100, number % 100)
}

/// The call that makes a span.
pub(super) fn interval(span: Interval) -> Expr {
    let seconds = match span.micros % 1_000_000 {
        0 => Value::Integer(span.micros / 1_000_000),
        _ => Value::Real((span.micros as f64 / 1e6).into()),
    };
    call("pg_interval", vec![Expr::integer(span.months), Expr::integer(span.days), Expr::Literal(seconds)])
}

/// A constant span of days and seconds, as seconds; months have no length.
pub(super) fn seconds_of(span: &Expr) -> Option<i64> {
    let span = constant_span(span).filter(|span| span.months == 0 && span.micros % 1_000_000 == 0)?;
    i64::try_from(span.length() / 1_000_000).ok().filter(|n| *n >= 0)
}

/// Whether a span is a number of days, months or years, without a time.
fn of_whole_days(span: &Expr) -> bool {
    let Some((name, args)) = span.as_function() else { return false };
    match (name.as_str(), args.as_slice()) {
        ("pg_interval", [_, _, seconds]) => seconds.as_integer() == Some(0),
        ("pg_interval_of", [_, unit]) => {
            matches!(unit.as_text(), Some("day" | "week" | "month" | "quarter" | "year"))
        }
        _ => false,
    }
}

/// The span that such a call with constants makes.
fn constant_span(expr: &Expr) -> Option<Interval> {
    let Expr::Function { name, args } = expr else {
        return None;
    };
    let [months, days, seconds] = args.as_slice() else {
        return None;
    };
    let micros = seconds.as_integer()?.checked_mul(1_000_000)?;
    (name == "pg_interval").then_some(Interval {
        months: months.as_integer()?,
        days: days.as_integer()?,
        micros,
    })
}

/// `CAST(x AS INTERVAL)`, `INTERVAL 'x' unit`.
pub(super) fn to_interval(value: Expr, unit: Option<Unit>, unit_name: &str) -> Expr {
    let written = match &value {
        Expr::Literal(Value::Text(text)) => Interval::parse(text, unit),
        Expr::Literal(Value::Integer(n)) => Interval::parse(&n.to_string(), unit),
        _ => None,
    };
    match written {
        Some(span) => interval(span),
        None if unit_name.is_empty() => call("pg_interval_of", vec![value]),
        None => call("pg_interval_of", vec![value, Expr::text(unit_name)]),
    }
}

/// A moment as a timestamp.
pub(super) fn to_timestamp(value: Expr) -> Expr {
    match value.as_text().and_then(Moment::parse) {
        Some(moment) => Expr::text(moment.to_timestamp().to_string()),
        None => call("pg_timestamp", vec![value]),
    }
}

/// A moment as a date.
pub(super) fn to_date(value: Expr) -> Expr {
    match value.as_text().and_then(Moment::parse) {
        Some(moment) => Expr::text(moment.to_date().to_string()),
        None if matches!(&value, Expr::Function { name, args } if name == "date" && args.len() == 1) => value,
        None => call("date", vec![value]),
    }
}

impl Planner<'_> {
    /// A moment as a timestamp with a time zone, UTC. A text's own zone moves it, which a timestamp
    /// without one leaves out.
    ///
    /// | before | after |
    /// |---|---|
    /// | `placed_at::timestamptz` | `pg_timestamp(placed_at)` |
    /// | `'2024-05-17'::timestamptz` | `'2024-05-17 00:00:00'` |
    /// | `name::timestamptz` | `pg_timestamptz(name)` |
    pub(super) fn to_timestamp_in_zone(&self, value: Expr) -> Expr {
        let is_moment = self.kind(&value).is_some_and(ForeignType::is_moment);
        if is_moment || value.as_text().and_then(Moment::parse).is_some() {
            return to_timestamp(value);
        }
        call("pg_timestamptz", vec![value])
    }

    /// What is known of an expression's kind.
    pub(crate) fn kind(&self, expr: &Expr) -> Option<ForeignType> {
        self.kind_of_number(expr).or_else(|| self.kind_of_value(expr))
    }

    fn kind_of_value(&self, expr: &Expr) -> Option<ForeignType> {
        match expr {
            Expr::Column(id) => self.kind_of_column(*id),
            Expr::Function { name, args } => match name.as_str() {
                "coalesce" | "ifnull" | "nullif" | "min" | "max" | "pg_greatest" | "pg_least" => {
                    args.iter().find_map(|e| self.kind(e))
                }
                "json_extract" => match self.shape(expr)? {
                    Shape::Plain(kind) => kind,
                    Shape::Array(_) => Some(ForeignType::Array),
                    Shape::Struct(_) | Shape::Any => Some(ForeignType::Json),
                },
                "iif" => args.get(1..)?.iter().find_map(|e| self.kind(e)),
                "pg_add" | "pg_subtract" => self.kind_of_arithmetic(name, args),
                "my_date_add" => match (args.first().and_then(|e| self.kind(e)), args.get(2)) {
                    (Some(ForeignType::Date), Some(unit))
                        if !matches!(unit.as_text()?, "second" | "microsecond") =>
                    {
                        Some(ForeignType::Date)
                    }
                    (Some(_), _) => Some(ForeignType::Timestamp),
                    (None, _) => None,
                },
                "my_str_to_date" => {
                    let format = args.get(1).and_then(Expr::as_text)?;
                    let timed = ["%H", "%k", "%h", "%I", "%l", "%i", "%s", "%S", "%T", "%r", "%f"];
                    Some(if timed.iter().any(|part| format.contains(part)) {
                        ForeignType::Timestamp
                    } else {
                        ForeignType::Date
                    })
                }
                name => ForeignType::of_function(name),
            },
            Expr::Case { operand: _, branches, otherwise } => {
                branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).find_map(|e| self.kind(e))
            }
            Expr::Scalar(query) => self.kind_of_column(*query.output.first()?),
            Expr::Collate { expr, collation: _ } => self.kind(expr),
            Expr::Literal(_)
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Cast { .. }
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Exists(_)
            | Expr::Quantified { .. }
            | Expr::Row(_) => None,
        }
    }

    /// What is known of an expression's kind, or what its text is read as.
    fn kind_or_constant(&self, expr: &Expr) -> Option<ForeignType> {
        self.kind(expr).or_else(|| {
            let moment = Moment::parse(expr.as_text()?)?;
            Some(if moment.is_date() { ForeignType::Date } else { ForeignType::Timestamp })
        })
    }

    fn kind_of_arithmetic(&self, name: &str, args: &[Expr]) -> Option<ForeignType> {
        let [left, right] = args else {
            return None;
        };
        match (self.kind_or_constant(left), self.kind_or_constant(right)) {
            (Some(ForeignType::Interval), Some(ForeignType::Interval)) => Some(ForeignType::Interval),
            (Some(m), Some(ForeignType::Interval)) | (Some(ForeignType::Interval), Some(m))
                if m.is_moment() =>
            {
                Some(ForeignType::Timestamp)
            }
            (Some(ForeignType::Date), Some(ForeignType::Date)) => None,
            (Some(l), Some(r)) if name == "pg_subtract" && l.is_moment() && r.is_moment() => {
                Some(ForeignType::Interval)
            }
            // A number of days.
            (Some(ForeignType::Date), None) | (None, Some(ForeignType::Date)) => Some(ForeignType::Date),
            // What a span is added to is a moment.
            (None, Some(ForeignType::Interval)) | (Some(ForeignType::Interval), None) => {
                Some(ForeignType::Timestamp)
            }
            _ => None,
        }
    }

    fn kind_of_column(&self, id: ColumnId) -> Option<ForeignType> {
        if let Some(kind) = self.kinds.get(&id) {
            return Some(*kind);
        }
        let origin = id.info(&self.columns)?.origin?;
        ForeignType::of_declared(&self.schema.column(origin)?.declared)
    }

    /// Notes the kind of a column that holds an expression's value.
    pub(crate) fn note_kind(&mut self, id: ColumnId, expr: &Expr) {
        if self.dialect == Dialect::Sqlite {
            return;
        }
        if let Some(kind) = self.kind_or_constant(expr) {
            self.kinds.insert(id, kind);
        }
        let shape = self.shape(expr);
        self.note_shape(id, shape);
    }

    /// Notes that a column has the kind of another.
    pub(crate) fn copy_kind(&mut self, to: ColumnId, from: ColumnId) {
        self.note_kind(to, &Expr::Column(from));
    }

    /// `left op right` where one side is a moment or a span; `None` where neither is.
    pub(super) fn temporal(
        &self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<Option<Expr>> {
        if self.dialect == Dialect::Sqlite {
            return Ok(None);
        }
        if self.dialect == Dialect::Mysql
            && let Some((left, right)) = self.as_digits(op, left, right)
        {
            return Ok(Some(Expr::binary(op, left, right)));
        }
        let (l, r) = (self.kind(left), self.kind(right));
        let takes_part =
            |k: Option<ForeignType>| k.is_some_and(|k| k.is_moment() || k == ForeignType::Interval);
        let is_date = |e: &Expr| e.as_text().is_some_and(|t| Moment::parse(t).is_some());
        // Two constants: DATE '2024-03-01' - DATE '2024-02-01'.
        let constants = is_date(left) && (is_date(right) || r == Some(ForeignType::Interval));
        // A day and a number of days: DATE '2000-01-01' + 30. A text of that form says so in these systems, or is an error.
        let day = |e: &Expr| e.as_text().and_then(Moment::parse).is_some_and(|m| m.is_date());
        let days = |e: &Expr| info_of(e, &self.columns).class == TypeClass::Integer;
        let counted = match op {
            BinaryOp::Add => day(left) && days(right) || days(left) && day(right),
            BinaryOp::Sub => day(left) && days(right),
            _ => false,
        };
        let constants = constants || counted;
        if !takes_part(l) && !takes_part(r) && !constants {
            return Ok(None);
        }
        let name = match op {
            BinaryOp::Add => "pg_add",
            BinaryOp::Sub => "pg_subtract",
            BinaryOp::Mul | BinaryOp::Div
                if l == Some(ForeignType::Interval) || r == Some(ForeignType::Interval) =>
            {
                "pg_scale"
            }
            _ => return Ok(None),
        };
        // BigQuery's is a span of days, or of hours, where PostgreSQL's is a number of days
        // (<https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#datetime_subtraction>).
        let (l, r) = (self.kind_or_constant(left), self.kind_or_constant(right));
        let moments = l.is_some_and(ForeignType::is_moment) && r.is_some_and(ForeignType::is_moment);
        if self.dialect == Dialect::Bigquery && name == "pg_subtract" && moments {
            let zero = || Expr::integer(0);
            let is_day = l == Some(ForeignType::Date) && r == Some(ForeignType::Date);
            let parts = match is_day {
                true => vec![zero(), self.boundaries("day", right, left), zero()],
                false => vec![zero(), zero(), self.whole_units("second", right, left)],
            };
            return Ok(Some(call("pg_interval", parts)));
        }
        // `at - INTERVAL 7 DAY` is `DATETIME_SUB(at, INTERVAL 7 DAY)` there.
        if self.dialect == Dialect::Bigquery
            && matches!(op, BinaryOp::Add | BinaryOp::Sub)
            && l == Some(ForeignType::Timestamp)
            && let Some((count, unit)) = of_one_unit(right)
            && let Some(count) = count.checked_mul(if name == "pg_subtract" { -1 } else { 1 })
        {
            return Ok(Some(self.later(left, &Expr::integer(count), unit)));
        }
        if self.dialect == Dialect::Mysql {
            return unsupported(
                "arithmetic with dates, which MySQL does with their digits (write DATEDIFF or INTERVAL)",
                span,
            );
        }
        let (left, right) = (left.clone(), right.clone());
        if name == "pg_scale" {
            let factor = match op {
                BinaryOp::Div => Expr::binary(BinaryOp::Div, Expr::Literal(Value::Real(1.0.into())), right),
                _ => right,
            };
            return Ok(Some(call(name, vec![left, factor])));
        }
        // A text beside a moment is of the moment's type, or a span.
        let completed = |e: Expr, beside: Option<ForeignType>| match (e.as_text(), beside) {
            (Some(t), Some(ForeignType::Timestamp)) if Moment::parse(t).is_some() => to_timestamp(e),
            (Some(t), Some(k)) if k.is_moment() && Moment::parse(t).is_none() => to_interval(e, None, ""),
            (Some(_), Some(ForeignType::Interval)) if name == "pg_subtract" && !is_date(&e) => {
                to_interval(e, None, "")
            }
            _ => e,
        };
        let (left, right) = (completed(left, r), completed(right, l));
        // What is added says whether the sum is a date; in PostgreSQL and DuckDB it is a timestamp.
        if self.dialect.meaning().days_keep_dates {
            let sign = if name == "pg_subtract" { -1 } else { 1 };
            let sum = match (l, r) {
                (Some(ForeignType::Date), _) => Some((&left, &right)),
                (_, Some(ForeignType::Date)) if sign > 0 => Some((&right, &left)),
                _ => None,
            };
            match sum.map(|(day, span)| (day, span, of_one_unit(span))) {
                Some((day, _, Some((count, unit @ ("day" | "month"))))) => {
                    return Ok(Some(self.later(
                        &self.day(day),
                        &Expr::integer(count.saturating_mul(sign)),
                        unit,
                    )));
                }
                Some((_, span, _)) if of_whole_days(span) => {
                    return Ok(Some(to_date(folded(name, left, right))));
                }
                _ => {}
            }
        }
        Ok(Some(folded(name, left, right)))
    }

    /// Both operands as MySQL computes with moments: 2024-05-01 is 20240501, and with a time its digits follow
    /// (<https://dev.mysql.com/doc/refman/8.0/en/date-and-time-type-conversion.html>).
    fn as_digits(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<(Expr, Expr)> {
        let computes = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
        let moment = |e: &Expr| self.kind(e).is_some_and(ForeignType::is_moment);
        if !computes || !moment(left) && !moment(right) {
            return None;
        }
        let number = |e: &Expr| {
            let format = match self.kind(e) {
                Some(ForeignType::Date) => "%Y%m%d",
                Some(ForeignType::Timestamp) => "%Y%m%d%H%M%S",
                _ => {
                    let class = info_of(e, &self.columns).class;
                    return matches!(class, TypeClass::Integer | TypeClass::Number).then(|| e.clone());
                }
            };
            Some(call("strftime", vec![Expr::text(format), e.clone()]).cast(Affinity::Integer))
        };
        Some((number(left)?, number(right)?))
    }

    /// Both sides of a comparison in one form. In SQLite each keeps the affinity that it has, or has not; elsewhere a
    /// date beside timestamps becomes its midnight, a text what it means beside the other side, spans their lengths.
    pub(super) fn aligned(&self, left: Expr, right: Expr) -> (Expr, Expr) {
        if self.dialect == Dialect::Sqlite {
            return self.apart(left, right);
        }
        match (self.kind(&left), self.kind(&right)) {
            (Some(ForeignType::Interval), _) | (_, Some(ForeignType::Interval)) => {
                (length(left), length(right))
            }
            (Some(ForeignType::Timestamp), Some(ForeignType::Date)) => (left, to_timestamp(right)),
            (Some(ForeignType::Date), Some(ForeignType::Timestamp)) => (to_timestamp(left), right),
            (Some(kind), None) if kind.is_moment() => self.beside(left, right, kind),
            (None, Some(kind)) if kind.is_moment() => {
                let (right, left) = self.beside(right, left, kind);
                (left, right)
            }
            _ => (left, right),
        }
    }

    /// A text of eight digits as the date that it stands for: `'20240131'` → `'2024-01-31'`, where the dialect reads it so
    /// (<https://learn.microsoft.com/sql/t-sql/data-types/date-transact-sql>, <https://www.postgresql.org/docs/15/datatype-datetime.html>,
    /// <https://dev.mysql.com/doc/refman/8.0/en/date-and-time-literals.html>).
    pub(crate) fn with_dashes(&self, text: Expr) -> Expr {
        let digits = text.as_text().filter(|t| t.len() == 8 && t.bytes().all(|b| b.is_ascii_digit()));
        let number = digits
            .and_then(|t| t.parse::<i64>().ok())
            .filter(|_| self.dialect.meaning().dates_without_dashes);
        match number.and_then(of_digits) {
            Some(date) => Expr::text(date.to_string()),
            None => text,
        }
    }

    /// A moment and the constant that it is compared with.
    fn beside(&self, moment: Expr, constant: Expr, kind: ForeignType) -> (Expr, Expr) {
        // MySQL reads 20240131 as a date.
        let digits = match self.dialect {
            Dialect::Mysql => constant.as_integer().filter(|n| (10_000_101..=99_991_231).contains(n)),
            _ => None,
        };
        let constant = self.with_dashes(constant);
        let Some(written) = digits.and_then(of_digits).or_else(|| constant.as_text().and_then(Moment::parse))
        else {
            return (moment, constant);
        };
        let at_midnight = written.time_of_day() == 0;
        match kind {
            ForeignType::Timestamp => (moment, Expr::text(written.to_timestamp().to_string())),
            // PostgreSQL reads the text as a date, MySQL the date as a moment.
            ForeignType::Date if at_midnight || self.dialect != Dialect::Mysql => {
                (moment, Expr::text(written.to_date().to_string()))
            }
            _ => (to_timestamp(moment), Expr::text(written.to_string())),
        }
    }

    /// What a value is ordered by: a span by its length.
    pub(super) fn ordered_by(&self, expr: Expr) -> Expr {
        match self.dialect != Dialect::Sqlite && self.kind(&expr) == Some(ForeignType::Interval) {
            true => length(expr),
            false => expr,
        }
    }

    /// The aggregate over spans that SQLite's own would not be.
    pub(super) fn over_spans(&self, func: AggFunc, args: &[Expr]) -> AggFunc {
        let of_spans = args.first().is_some_and(|e| self.kind(e) == Some(ForeignType::Interval));
        if self.dialect == Dialect::Sqlite || !of_spans {
            return func;
        }
        let name = match func {
            AggFunc::Sum => "pg_interval_sum",
            AggFunc::Avg => "pg_interval_avg",
            AggFunc::Min => "pg_interval_min",
            AggFunc::Max => "pg_interval_max",
            other => return other,
        };
        AggFunc::Other(name.to_owned())
    }
}

/// A span as its length in seconds.
fn length(expr: Expr) -> Expr {
    let expr = if expr.as_text().is_some() { to_interval(expr, None, "") } else { expr };
    match constant_span(&expr).and_then(|span| i64::try_from(span.length() / 1_000_000).ok()) {
        Some(seconds) => Expr::integer(seconds),
        None => call("pg_interval_length", vec![expr]),
    }
}

/// `pg_add` or `pg_subtract`; of constants what they give.
fn folded(name: &str, left: Expr, right: Expr) -> Expr {
    let sign = if name == "pg_subtract" { -1 } else { 1 };
    let later = |at: &Expr, by: &Expr| -> Option<String> {
        let at = Moment::parse(at.as_text()?)?;
        let moment = match by {
            Expr::Literal(Value::Integer(days)) if at.is_date() => at.plus_days(days.checked_mul(sign)?)?,
            by => {
                let span = constant_span(by)?;
                at.plus(if sign < 0 { span.negated() } else { span })?
            }
        };
        Some(moment.to_string())
    };
    if let Some(moment) = later(&left, &right) {
        return Expr::text(moment);
    }
    if sign > 0 {
        if let Some(moment) = later(&right, &left) {
            return Expr::text(moment);
        }
    } else if let (Some(l), Some(r)) = (left.as_text(), right.as_text())
        && let (Some(l), Some(r)) = (Moment::parse(l), Moment::parse(r))
    {
        return if l.is_date() && r.is_date() {
            Expr::integer(l.day_number() - r.day_number())
        } else {
            interval(l.since(r))
        };
    }
    call(name, vec![left, right])
}
