//! Scalar functions of PostgreSQL and MySQL in SQLite's and the sandbox's terms, where another name alone (see
//! [`crate::function`]) does not say it all.
//!
//! A call that SQLite can say is said in SQLite's functions, so that it meets the queries that were written
//! for SQLite: `to_char(d, 'YYYY')` → `strftime('%Y', d)`. Next come functions that the sandbox adds
//! (`pg_…`, `my_…`). What neither has stays the call it was, a function of which nothing is known but that
//! the same call gives the same value.

use super::foreign_type::ForeignType;
use super::temporal::{call, to_interval, to_timestamp};
use super::{Planner, dialect as words};
use crate::dialects::Dialect;
use crate::dialects::functions::To;
use crate::expr::{BinaryOp, Expr};
use crate::function;
use crate::schema::Affinity;
use crate::temporal::{Moment, Part, Unit, format_mysql, format_postgres, to_mysql_format, to_strftime};

fn whole(expr: Expr) -> Expr {
    expr.cast(Affinity::Integer)
}

impl Planner<'_> {
    /// A span of a value and a unit.
    pub(super) fn span_of(&self, value: Expr, unit: &str) -> Expr {
        to_interval(value, Unit::named(unit), unit)
    }

    /// EXTRACT of a part by the name that the dialect has for it.
    pub(super) fn extract_named(&self, field: &str, from: Expr) -> Expr {
        // DuckDB and PostgreSQL take EXTRACT('quarter' FROM d) too.
        let field = field.trim_matches('\'').to_ascii_lowercase();
        match self.dialect.part(&field) {
            // MySQL's weeks begin on Sunday (<https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html#function_extract>).
            Some("week") if self.dialect == Dialect::Mysql => {
                self.shared_function(self.dialect, field, vec![from])
            }
            // Spark's seconds and DuckDB's epoch have their fraction.
            Some(part @ "second") if self.dialect == Dialect::Databricks => {
                call("pg_extract", vec![Expr::text(part), from])
            }
            Some(part @ "epoch") if self.dialect == Dialect::Duckdb => {
                call("pg_extract", vec![Expr::text(part), from])
            }
            Some(part) => self.extract(part, from),
            None => call(&format!("{}_extract_{field}", self.dialect), vec![from]),
        }
    }

    /// EXTRACT.
    pub(crate) fn extract(&self, field: &str, from: Expr) -> Expr {
        self.check_extract(&from);
        if self.dialect == Dialect::Sqlite {
            return words::extract(field, from);
        }
        let Some(part) = Part::named(field) else {
            return match words::composite(field).filter(|_| self.dialect == Dialect::Mysql) {
                Some(format) => whole(call("strftime", vec![Expr::text(format), from])),
                None => words::extract(field, from),
            };
        };
        // `EXTRACT(SECOND FROM t)` is 30.5 in PostgreSQL; strftime's `%S` gives whole seconds.
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
        if self.kind(&from) == Some(ForeignType::Interval) || has_fraction || !in_strftime {
            return call("pg_extract", vec![Expr::text(field.to_ascii_lowercase()), from]);
        }
        let part = words::extract(field, from);
        self.note_number(&part, ForeignType::Decimal);
        part
    }

    /// A scalar function's call by the names that SQLite or the sandbox has for it.
    pub(super) fn foreign_function(&self, name: String, args: Vec<Expr>) -> Expr {
        // With several arguments they are SQLite's; Trino's and DuckDB's MAX(x, n) aggregates.
        if matches!(name.as_str(), "max" | "min") {
            return call(&self.dialect.opaque_name(&name), args);
        }
        if !self.dialect.functions_of_its_own() {
            self.check_call(&name, &args);
            return match self.shared_function(self.dialect, name, args) {
                // PostgreSQL and MySQL have no function but those that are known; some system may.
                Expr::Function { name, args }
                    if self.dialect == Dialect::Generic
                        && !function::is_scalar(&name)
                        && Dialect::of_opaque(&name).is_none() =>
                {
                    call(&self.dialect.opaque_name(&name), args)
                }
                planned => planned,
            };
        }
        // Arrays are joined as `||` joins them; DuckDB's CONCAT has words of its own.
        if name == "concat" && self.dialect != Dialect::Duckdb && args.iter().any(|e| self.is_list(e)) {
            let joined =
                args.into_iter().reduce(|all, next| crate::dialects::joined_lists(self, &all, &next));
            return joined.unwrap_or(Expr::NULL);
        }
        let planned = match self.dialect.function(&name, args.len()).map(|f| &f.to) {
            Some(To::Call(known)) => return call(known, args),
            Some(To::As(other)) => return self.shared_function(*other, name, args),
            Some(To::Written(words)) => words(self, &args),
            None if Dialect::is_portable(&name, args.len()) => {
                return self.shared_function(self.dialect, name, args);
            }
            None => None,
        };
        planned.unwrap_or_else(|| call(&self.dialect.opaque_name(&name), args))
    }

    /// A call as PostgreSQL, MySQL or standard SQL means it; of other dialects only what every system has.
    pub(super) fn shared_function(&self, dialect: Dialect, name: String, mut args: Vec<Expr>) -> Expr {
        if let Some(planned) = self.differing_call(dialect, &name, &args) {
            return planned;
        }
        let mysql = dialect == Dialect::Mysql;
        if mysql && matches!(name.as_str(), "coalesce" | "ifnull" | "if" | "iif") {
            let values = if name.ends_with("if") { 1 } else { 0 };
            self.in_one_kind(args.get_mut(values..).unwrap_or_default());
        }
        if mysql && let Some(planned) = self.mysql_call(&name, &args) {
            return planned;
        }
        if dialect == Dialect::Postgres
            && let Some(planned) = self.postgres_call(&name, &args)
        {
            return planned;
        }
        let extract = |field: &str, from: &Expr| call("pg_extract", vec![Expr::text(field), from.clone()]);
        // A moment on which it is tried whether every part of a format is known.
        let probe = Moment::date(2024, 5, 7);
        let formatted =
            |at: &Expr, format: &str| call("my_date_format", vec![at.clone(), Expr::text(format)]);
        let of_epoch = |at: &Expr| call("datetime", vec![at.clone(), Expr::text("unixepoch")]);
        match (name.as_str(), args.as_mut_slice()) {
            ("date_trunc", [unit, _]) => {
                if let Some(name) = unit.as_text() {
                    *unit = Expr::text(name.to_ascii_lowercase());
                }
                call("pg_date_trunc", args)
            }
            ("age", [at]) => call("pg_age", vec![call("current_date", Vec::new()), at.clone()]),
            ("date_part" | "datepart", [field, at]) => match field.as_text() {
                Some(field) => {
                    let part = self.extract(field, at.clone());
                    self.note_number(&part, ForeignType::Double);
                    part
                }
                None => call(&name, args),
            },
            ("to_char", [at, format]) => {
                match format.as_text() {
                    Some(f) if self.is_number(at) && dialect == Dialect::Postgres && plain_number(f) => {
                        let binary = Expr::integer(i64::from(self.is_binary(at)));
                        call("pg_number_text", vec![at.clone(), format.clone(), binary])
                    }
                    // Templates for spans and other numbers have other parts than those for dates.
                    Some(f) if self.kind(at) == Some(ForeignType::Interval) || at_number(f) => {
                        call(&name, args)
                    }
                    Some(f) => match to_strftime(f) {
                        Some(format) => call("strftime", vec![Expr::text(format), at.clone()]),
                        None if probe.and_then(|p| format_postgres(p, f)).is_some() => {
                            call("pg_to_char", args)
                        }
                        None => call(&name, args),
                    },
                    None => call(&name, args),
                }
            }
            ("date_format", [at, format]) => {
                // SQLite's own strftime first; the sandbox's where that lacks a part, such as %M, a month's
                // name.
                let written = format.as_text();
                match written.and_then(words::mysql_format) {
                    Some(format) => call("strftime", vec![Expr::text(format), at.clone()]),
                    None if written.and_then(|f| format_mysql(probe?, f)).is_some() => {
                        call("my_date_format", args)
                    }
                    None => call(&name, args),
                }
            }
            ("my_date_add", [at, count, unit]) => match (later(at, count, unit), begun(at, count, unit)) {
                (Some(moment), _) => Expr::text(moment.to_string()),
                (None, Some((unit, at))) => {
                    let is_timestamp = self.kind(at) == Some(ForeignType::Timestamp);
                    let at = if is_timestamp { at.clone() } else { to_timestamp(at.clone()) };
                    call("pg_date_trunc", vec![unit.clone(), at])
                }
                (None, None) => call(&name, args),
            },
            ("quarter", [at]) => extract("quarter", at),
            ("weekofyear", [at]) => extract("week", at),
            // MySQL's DAYOFWEEK counts from Sunday as 1, its WEEKDAY from Monday as 0.
            ("dayofweek", [at]) => Expr::binary(BinaryOp::Add, extract("dow", at), Expr::integer(1)),
            ("weekday", [at]) => Expr::binary(BinaryOp::Sub, extract("isodow", at), Expr::integer(1)),
            ("dayname", [at]) => formatted(at, "%W"),
            ("monthname", [at]) => formatted(at, "%M"),
            ("week", [at]) if mysql => whole(formatted(at, "%U")),
            ("unix_timestamp", [at]) => whole(call("strftime", vec![Expr::text("%s"), at.clone()])),
            ("from_unixtime", [at]) => of_epoch(at),
            ("to_timestamp", [at]) if !mysql => of_epoch(at),
            ("make_date", [_, _, _]) if !mysql => call("date", vec![self.printed("%04d-%02d-%02d", &args)]),
            // MySQL's default collations ignore case, and its regular expressions with them.
            ("regexp_like", [x, pattern]) => {
                let flags = if mysql { "i" } else { "c" };
                call("pg_regexp", vec![x.clone(), pattern.clone(), Expr::text(flags)])
            }
            ("regexp_replace", [x, pattern, with]) if mysql => {
                call("pg_regexp_replace", vec![x.clone(), pattern.clone(), with.clone(), Expr::text("gi")])
            }
            // PostgreSQL: the length of an empty array is NULL.
            ("array_length", [array, dimension]) if *dimension == Expr::integer(1) => {
                call("nullif", vec![call("pg_array_length", vec![array.clone()]), Expr::integer(0)])
            }
            ("ascii" | "ord", [text]) => call("pg_ascii", vec![text.clone()]),
            ("starts_with", [text, start]) if !mysql && !start.has_subquery() && !text.has_subquery() => {
                let beginning =
                    call("substr", vec![text.clone(), Expr::integer(1), call("length", vec![start.clone()])]);
                Expr::binary(BinaryOp::Eq, beginning, start.clone())
            }
            ("cbrt", [x]) if !mysql => call("pg_cbrt", vec![x.clone()]),
            // A template with parts for dates alone is read as MySQL's STR_TO_DATE reads its own.
            ("to_date" | "to_timestamp", [text, template]) if !mysql => {
                match template.as_text().and_then(to_mysql_format) {
                    Some(format) => call("my_str_to_date", vec![text.clone(), Expr::text(format)]),
                    None => call(&format!("postgres_{name}"), args),
                }
            }
            ("insert", _) => call("mysql_insert", args),
            ("make_interval", parts) if dialect == Dialect::Postgres && !parts.is_empty() => made_span(parts),
            ("make_timestamp", [_, _, _, _, _, _]) if dialect == Dialect::Postgres => {
                call("datetime", vec![self.printed("%04d-%02d-%02d %02d:%02d:%02d", &args)])
            }
            ("overlay", [text, with, from, rest @ ..])
                if rest.len() <= 1 && !text.has_subquery() && from.as_integer().is_some_and(|n| n > 0) =>
            {
                let from = from.as_integer().unwrap_or(1);
                let end = match rest.first() {
                    Some(count) => Expr::binary(BinaryOp::Add, Expr::integer(from), count.clone()),
                    None => {
                        let length = call("length", vec![with.clone()]);
                        Expr::binary(BinaryOp::Add, Expr::integer(from), length)
                    }
                };
                let before = call("substr", vec![text.clone(), Expr::integer(1), Expr::integer(from - 1)]);
                let behind = call("substr", vec![text.clone(), end]);
                let joined = Expr::binary(BinaryOp::Concat, before, with.clone());
                Expr::binary(BinaryOp::Concat, joined, behind)
            }
            ("quote_literal", [text]) if dialect == Dialect::Postgres => {
                call("quote", vec![text.clone().cast(Affinity::Text)])
            }
            ("regexp_count", [text, pattern]) if dialect == Dialect::Postgres => {
                call("sql_regexp_count", vec![text.clone(), pattern.clone(), Expr::text("c")])
            }
            ("array_remove", [array, value]) if dialect == Dialect::Postgres => {
                call("sql_array_remove", vec![call("pg_array_of", vec![array.clone()]), value.clone()])
            }
            ("array_position", [array, value]) if dialect == Dialect::Postgres => {
                let array = call("pg_array_of", vec![array.clone()]);
                let place = call("sql_array_position", vec![array, value.clone()]);
                Expr::binary(BinaryOp::Add, place, Expr::integer(1))
            }
            ("width_bucket", [x, low, high, count])
                if ![&*x, low, high, count].iter().any(|e| e.has_subquery()) =>
            {
                words::width_bucket(x, low, high, count)
            }
            ("space", [n]) if mysql => call("pg_repeat", vec![Expr::text(" "), n.clone()]),
            // The quotient has its fraction first.
            ("div", [left, right]) if !mysql => {
                let quotient = Expr::binary(BinaryOp::Div, left.clone().cast(Affinity::Real), right.clone());
                call("trunc", vec![quotient])
            }
            _ => words::common(dialect, name, args),
        }
    }
}

/// What `my_date_add` gives for constants.
///
/// `DATE_ADD('2024-01-31', INTERVAL 1 DAY)` is then the same constant as `'2024-02-01'`. A date moved by
/// days or months stays a date; by hours it becomes a time, as in MySQL.
fn later(at: &Expr, count: &Expr, unit: &Expr) -> Option<Moment> {
    let (at, unit) = (Moment::parse(at.as_text()?)?, Unit::named(unit.as_text()?)?);
    let one = unit.span();
    let later = at.plus(one.checked_mul(count.as_integer()?)?)?;
    Some(if at.is_date() && one.micros == 0 { later.to_date() } else { later })
}

/// The unit and the moment of MySQL's idiom for the start of a unit, which translators write for DATE_TRUNC: so many whole months
/// after the year 0 as have passed since. The year 0 lies before every date, so that no count is cut towards it.
///
/// | before | after |
/// |---|---|
/// | `DATE_ADD('0000-01-01 00:00:00', INTERVAL (TIMESTAMPDIFF(MONTH, '0000-01-01 00:00:00', d)) MONTH)` | `DATE_TRUNC('month', d)` |
fn begun<'e>(at: &Expr, count: &'e Expr, base: &Expr) -> Option<(&'e Expr, &'e Expr)> {
    let start = at.as_text().filter(|text| *text == "0000-01-01 00:00:00")?;
    let Expr::Binary { op: BinaryOp::Mul, left, right } = count else { return None };
    let (_, args) = left.as_function().filter(|(name, _)| *name == "my_timestampdiff")?;
    let [unit, from, at] = args.as_slice() else { return None };
    let counted = Unit::named(unit.as_text()?).filter(|unit| *unit != Unit::Week)?;
    let added = Unit::named(base.as_text()?)?.span().checked_mul(right.as_integer()?)?;
    (from.as_text() == Some(start) && counted.span() == added).then_some((unit, at))
}

/// Whether a template of TO_CHAR for numbers holds digits, groups and a point alone, with signs of money before or behind them.
fn plain_number(template: &str) -> bool {
    let rest = template.strip_prefix("FM").unwrap_or(template);
    let digits = rest.trim_matches(['$', '€', '£', '%', ' ']);
    digits.contains(['9', '0'])
        && digits.chars().all(|c| matches!(c, '9' | '0' | ',' | '.' | 'D' | 'G'))
        && digits.matches(['.', 'D']).count() <= 1
}

/// `MAKE_INTERVAL(years, months, weeks, days, hours, mins, secs)`.
fn made_span(parts: &[Expr]) -> Expr {
    let part = |at: usize, times: i64| match parts.get(at).map(|e| (e, e.as_integer())) {
        None | Some((_, Some(0))) => None,
        Some((_, Some(n))) => Some(Expr::integer(n.saturating_mul(times))),
        Some((e, None)) if times == 1 => Some(e.clone()),
        Some((e, None)) => Some(Expr::binary(BinaryOp::Mul, e.clone(), Expr::integer(times))),
    };
    let sum = |all: &[Option<Expr>]| {
        let add = |l: Expr, r: Expr| match (l.as_integer(), r.as_integer()) {
            (Some(l), Some(r)) => Expr::integer(l.saturating_add(r)),
            _ => Expr::binary(BinaryOp::Add, l, r),
        };
        all.iter().flatten().cloned().reduce(add).unwrap_or(Expr::integer(0))
    };
    let months = sum(&[part(0, 12), part(1, 1)]);
    let days = sum(&[part(2, 7), part(3, 1)]);
    let seconds = sum(&[part(4, 3_600), part(5, 60), part(6, 1)]);
    call("pg_interval", vec![months, days, seconds])
}

/// Whether a template of TO_CHAR is one for numbers.
fn at_number(template: &str) -> bool {
    template.contains(['9', '0']) || template.eq_ignore_ascii_case("RN")
}
