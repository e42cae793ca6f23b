//! Scalar functions of PostgreSQL and MySQL in SQLite's and the sandbox's terms, where another name alone (see
//! [`crate::function`]) does not say it all.

use super::expr::binary;
use super::temporal::{Kind, call, text, to_interval};
use super::{Planner, dialect};
use crate::dialect::Dialect;
use crate::expr::{BinaryOp, Expr};
use crate::schema::Affinity;
use crate::temporal::{Interval, Moment, Part, Unit, format_mysql, format_postgres, to_strftime};
use crate::value::Value;

fn literal_text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal(Value::Text(text)) => Some(text),
        _ => None,
    }
}

fn whole(expr: Expr) -> Expr {
    Expr::Cast {
        expr: Box::new(expr),
        affinity: Affinity::Integer,
    }
}

fn integer(n: i64) -> Expr {
    Expr::Literal(Value::Integer(n))
}

impl Planner<'_> {
    /// A span of a value and a unit.
    pub(super) fn span_of(&self, value: Expr, unit: &str) -> Expr {
        to_interval(value, Unit::named(unit), unit)
    }

    /// EXTRACT.
    pub(super) fn extract(&self, field: &str, from: Expr) -> Expr {
        if self.dialect == Dialect::Sqlite {
            return dialect::extract(field, from);
        }
        let Some(part) = Part::named(field) else {
            return dialect::extract(field, from);
        };
        let has_fraction = self.dialect == Dialect::Postgres && matches!(part, Part::Second | Part::Epoch);
        let in_strftime = matches!(
            part,
            Part::Year
                | Part::Month
                | Part::Day
                | Part::Hour
                | Part::Minute
                | Part::Second
                | Part::DayOfWeek
                | Part::IsoDayOfWeek
                | Part::DayOfYear
                | Part::Epoch
        );
        if self.kind(&from) == Some(Kind::Interval) || has_fraction || !in_strftime {
            return call("pg_extract", vec![text(field.to_ascii_lowercase()), from]);
        }
        dialect::extract(field, from)
    }

    /// A scalar function's call by the names that SQLite or the sandbox has for it.
    pub(super) fn foreign_function(&self, name: String, mut args: Vec<Expr>) -> Expr {
        let mysql = self.dialect == Dialect::Mysql;
        let extract = |field: &str, from: &Expr| call("pg_extract", vec![text(field), from.clone()]);
        let formatted = |at: &Expr, format: &str| call("my_date_format", vec![at.clone(), text(format)]);
        match (name.as_str(), args.as_mut_slice()) {
            ("date_trunc", [unit, _]) => {
                if let Some(name) = literal_text(unit) {
                    *unit = text(name.to_ascii_lowercase());
                }
                call("pg_date_trunc", args)
            }
            ("age", [at]) => call("pg_age", vec![call("current_date", Vec::new()), at.clone()]),
            ("date_part" | "datepart", [field, at]) => match literal_text(field) {
                Some(field) => self.extract(field, at.clone()),
                None => call(&name, args),
            },
            ("to_char", [at, format]) => {
                let probe = Moment::date(2024, 5, 7);
                match literal_text(format) {
                    Some(f) if self.kind(at) == Some(Kind::Interval) || at_number(f) => call(&name, args),
                    Some(f) => match to_strftime(f) {
                        Some(format) => call("strftime", vec![text(format), at.clone()]),
                        None if probe.and_then(|p| format_postgres(p, f)).is_some() => {
                            call("pg_to_char", args)
                        }
                        None => call(&name, args),
                    },
                    None => call(&name, args),
                }
            }
            ("date_format", [_, format]) => {
                let probe = Moment::date(2024, 5, 7);
                let known = literal_text(format).and_then(|f| format_mysql(probe?, f));
                let plain = dialect::common(self.dialect, name.clone(), args.clone());
                match (&plain, known) {
                    (Expr::Function { name, args: _ }, Some(_)) if name == "date_format" => {
                        call("my_date_format", args)
                    }
                    _ => plain,
                }
            }
            ("my_date_add", [at, count, unit]) => match later(at, count, unit) {
                Some(moment) => text(moment.to_string()),
                None => call(&name, args),
            },
            ("quarter", [at]) => extract("quarter", at),
            ("weekofyear", [at]) => extract("week", at),
            ("dayofweek", [at]) => binary(BinaryOp::Add, extract("dow", at), integer(1)),
            ("weekday", [at]) => binary(BinaryOp::Sub, extract("isodow", at), integer(1)),
            ("dayname", [at]) => formatted(at, "%W"),
            ("monthname", [at]) => formatted(at, "%M"),
            ("week", [at]) if mysql => whole(formatted(at, "%U")),
            ("unix_timestamp", [at]) => whole(call("strftime", vec![text("%s"), at.clone()])),
            ("from_unixtime", [at]) => call("datetime", vec![at.clone(), text("unixepoch")]),
            ("to_timestamp", [at]) if !mysql => call("datetime", vec![at.clone(), text("unixepoch")]),
            ("make_date", [_, _, _]) if !mysql => {
                let format = text("%04d-%02d-%02d");
                let mut parts = vec![format];
                parts.append(&mut args);
                call("date", vec![call("printf", parts)])
            }
            ("regexp_like", [x, pattern]) => {
                let flags = if mysql { "i" } else { "c" };
                call("pg_regexp", vec![x.clone(), pattern.clone(), text(flags)])
            }
            ("regexp_replace", [x, pattern, with]) if mysql => call(
                "pg_regexp_replace",
                vec![x.clone(), pattern.clone(), with.clone(), text("gi")],
            ),
            ("array_length", [array, dimension]) if *dimension == integer(1) => call(
                "nullif",
                vec![call("pg_array_length", vec![array.clone()]), integer(0)],
            ),
            ("space", [n]) if mysql => call("pg_repeat", vec![text(" "), n.clone()]),
            ("div", [_, _]) if !mysql => call("trunc", vec![divided(args)]),
            _ => dialect::common(self.dialect, name, args),
        }
    }
}

/// What `my_date_add` gives for constants.
fn later(at: &Expr, count: &Expr, unit: &Expr) -> Option<Moment> {
    let (at, unit) = (
        Moment::parse(literal_text(at)?)?,
        Unit::named(literal_text(unit)?)?,
    );
    let Expr::Literal(Value::Integer(count)) = count else {
        return None;
    };
    let one = unit.span();
    let span = Interval {
        months: one.months.checked_mul(*count)?,
        days: one.days.checked_mul(*count)?,
        micros: one.micros.checked_mul(*count)?,
    };
    let later = at.plus(span)?;
    Some(if at.is_date() && one.micros == 0 {
        later.to_date()
    } else {
        later
    })
}

/// A quotient with its fraction.
fn divided(mut args: Vec<Expr>) -> Expr {
    let right = args.pop().unwrap_or(Expr::Literal(Value::Null));
    let left = args.pop().unwrap_or(Expr::Literal(Value::Null));
    let left = Expr::Cast {
        expr: Box::new(left),
        affinity: Affinity::Real,
    };
    binary(BinaryOp::Div, left, right)
}

/// Whether a template of TO_CHAR is one for numbers.
fn at_number(template: &str) -> bool {
    template.contains(['9', '0']) || template.eq_ignore_ascii_case("RN")
}
