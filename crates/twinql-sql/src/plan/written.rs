//! What the tables of dialects ask of the planner: an expression's class, moments, and calls that another dialect means.

use super::Planner;
use super::foreign_type::ForeignType;
use super::temporal::{call, to_date, to_timestamp};
use super::types::info_of;
use crate::dialects::Dialect;
use crate::expr::{BinaryOp, Expr};
use crate::schema::{TypeClass, Typing};
use crate::temporal::{Moment, Unit};

impl Planner<'_> {
    /// What `dialect` means by a call.
    pub(crate) fn as_in(&self, dialect: Dialect, name: &str, args: Vec<Expr>) -> Expr {
        self.shared_function(dialect, name.to_owned(), args)
    }

    /// The class of an expression's values.
    pub(crate) fn class(&self, expr: &Expr) -> TypeClass {
        info_of(expr, &self.columns).class
    }

    /// The most characters that a column's declared type allows a text.
    pub(crate) fn longest(&self, expr: &Expr) -> Option<usize> {
        let origin = expr.as_column()?.info(&self.columns)?.origin?;
        self.schema.column(origin)?.limits(Typing::Enforced).max_chars
    }

    /// Whether it may be NULL.
    pub(crate) fn may_be_null(&self, expr: &Expr) -> bool {
        info_of(expr, &self.columns).nullable
    }

    /// Whether it is a number by its type.
    pub(crate) fn is_number(&self, expr: &Expr) -> bool {
        matches!(self.class(expr), TypeClass::Integer | TypeClass::Number)
    }

    /// Whether it is a date without a time of day, by its type or as a constant.
    pub(crate) fn is_day(&self, expr: &Expr) -> bool {
        match expr.as_text().and_then(Moment::parse) {
            Some(moment) => moment.is_date(),
            None => self.kind(expr) == Some(ForeignType::Date),
        }
    }

    /// Whether an expression is a date or a date with a time by its type.
    pub(crate) fn is_moment(&self, expr: &Expr) -> bool {
        match self.kind(expr) {
            Some(kind) => kind.is_moment(),
            None if self.class(expr) == TypeClass::Time => true,
            None => match expr {
                Expr::Function { name, args: _ } => {
                    ["my_date_add", "my_str_to_date", "ora_add_months"].contains(&name.as_str())
                }
                _ => false,
            },
        }
    }

    /// The type that a table's column is declared with.
    pub(crate) fn declared(&self, expr: &Expr) -> Option<&str> {
        let Expr::Column(id) = expr else { return None };
        let origin = id.info(&self.columns)?.origin?;
        Some(&self.schema.column(origin)?.declared)
    }

    /// Whether it is a list by its type.
    pub(crate) fn is_list(&self, expr: &Expr) -> bool {
        let by_shape = matches!(self.shape(expr), Some(super::shapes::Shape::Array(_)));
        by_shape || self.kind(expr) == Some(ForeignType::Array)
    }

    /// A text that stands where a moment is meant, as a timestamp; a moment as it is.
    pub(crate) fn moment(&self, expr: &Expr) -> Expr {
        let is_text = self.class(expr) == TypeClass::Text && self.kind(expr).is_none();
        match expr.as_text() {
            None if is_text => to_timestamp(expr.clone()),
            _ => expr.clone(),
        }
    }

    /// The day of a moment.
    pub(crate) fn day(&self, expr: &Expr) -> Expr {
        to_date(expr.clone())
    }

    /// The moment as a timestamp.
    pub(crate) fn timestamp(&self, expr: &Expr) -> Expr {
        to_timestamp(expr.clone())
    }

    /// So many of a unit later: a day stays a day unless the unit is a part of one.
    pub(crate) fn later(&self, at: &Expr, count: &Expr, unit: &str) -> Expr {
        self.as_in(Dialect::Mysql, "my_date_add", vec![self.moment(at), count.clone(), Expr::text(unit)])
    }

    /// How many beginnings of a unit lie between two moments. Days and years are said as SQLite's queries say them.
    pub(crate) fn boundaries(&self, unit: &str, from: &Expr, to: &Expr) -> Expr {
        match unit {
            "day" => self.as_in(Dialect::Mysql, "datediff", vec![to.clone(), from.clone()]),
            "year" => Expr::binary(
                BinaryOp::Sub,
                self.extract("year", to.clone()),
                self.extract("year", from.clone()),
            ),
            _ => call("ms_datediff", vec![Expr::text(unit), from.clone(), to.clone()]),
        }
    }

    /// Whole units between two moments.
    pub(crate) fn whole_units(&self, unit: &str, from: &Expr, to: &Expr) -> Expr {
        call("my_timestampdiff", vec![Expr::text(unit), from.clone(), to.clone()])
    }

    /// The start of the unit that a moment lies in: of a day, and a unit of days or more, again a day.
    pub(crate) fn start_of(&self, unit: &str, at: &Expr) -> Expr {
        let days = !matches!(unit, "hour" | "minute" | "second" | "millisecond" | "microsecond");
        let as_day = days && self.is_day(at);
        let known =
            at.as_text().and_then(Moment::parse).zip(Unit::named(unit)).and_then(|(m, u)| m.truncated(u));
        match known {
            Some(start) if as_day => Expr::text(start.to_date().to_string()),
            Some(start) => Expr::text(start.to_string()),
            None => {
                let start = call("pg_date_trunc", vec![Expr::text(unit), at.clone()]);
                if as_day { call("date", vec![start]) } else { start }
            }
        }
    }

    /// A span of so many units.
    pub(crate) fn span(&self, count: &Expr, unit: &str) -> Expr {
        self.span_of(count.clone(), unit)
    }

    /// A part of a moment.
    pub(crate) fn date_part(&self, part: &str, at: &Expr) -> Expr {
        self.extract(part, at.clone())
    }
}
