//! SQL Server's conversions, its `+`, and Oracle's operators.
//!
//! A date becomes a text in a style (<https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql#date-and-time-styles>),
//! texts are concatenated with `+`, and a number beside a moment counts days.

use sqlparser::ast::{self, BinaryOperator, DataType, Spanned};

use super::cast::{Target, target};
use super::dialect::mysql_format;
use super::foreign_type::ForeignType;
use super::temporal::{call, to_date, to_timestamp};
use super::types::info_of;
use super::{Planner, Result, unsupported};
use crate::dialects::Dialect;
use crate::expr::{BinaryOp, Expr};
use crate::schema::{Affinity, TypeClass};
use crate::temporal::Moment;

/// The least number of characters that holds every whole number.
const DIGITS: u64 = 20;
/// The length of VARCHAR in a cast that says none.
const DEFAULT_LENGTH: u64 = 30;

impl<'a> Planner<'a> {
    /// Whether an expression is a whole number; a column of a schema that tells no more than "number" is written as one.
    fn is_whole(&self, expr: &Expr) -> bool {
        let bare = |id: crate::rel::ColumnId| {
            let origin = id.info(&self.columns)?.origin?;
            Some(self.schema.column(origin)?.declared.eq_ignore_ascii_case("number"))
        };
        match self.class(expr) {
            TypeClass::Integer | TypeClass::Boolean => true,
            TypeClass::Number => matches!(expr, Expr::Column(id) if bare(*id) == Some(true)),
            _ => false,
        }
    }

    /// A value as the text that SQL Server converts it to where nothing is said; `None` where that depends on a scale.
    pub(crate) fn as_text_of_server(&self, expr: Expr) -> Option<Expr> {
        if self.is_moment(&expr) {
            return self.styled(expr, None, None);
        }
        match self.class(&expr) {
            TypeClass::Number if !self.is_whole(&expr) => None,
            _ => Some(expr),
        }
    }

    /// A moment in a format of MySQL's words, by strftime where that has them all.
    pub(crate) fn date_in_format(&self, at: Expr, format: &str) -> Expr {
        match mysql_format(format) {
            Some(format) => call("strftime", vec![Expr::text(format), at]),
            None => call("my_date_format", vec![at, Expr::text(format)]),
        }
    }

    /// A moment as a text in a style, cut to so many characters.
    fn styled(&self, at: Expr, style: Option<i64>, length: Option<u64>) -> Option<Expr> {
        let is_date = self.kind(&at) == Some(ForeignType::Date);
        let cut = |text: Expr| match length.and_then(|n| i64::try_from(n).ok()) {
            Some(n) => call("substr", vec![text, Expr::integer(1), Expr::integer(n)]),
            None => text,
        };
        let format = match style.unwrap_or(if is_date { 23 } else { 0 }) {
            // May  1 2024 12:30PM
            0 | 100 if !is_date => return Some(cut(call("ms_date_text", vec![at]))),
            1 => "%m/%d/%y",
            101 => "%m/%d/%Y",
            2 => "%y.%m.%d",
            102 => "%Y.%m.%d",
            3 => "%d/%m/%y",
            103 => "%d/%m/%Y",
            4 => "%d.%m.%y",
            104 => "%d.%m.%Y",
            5 => "%d-%m-%y",
            105 => "%d-%m-%Y",
            6 => "%d %b %y",
            106 => "%d %b %Y",
            7 => "%b %d, %y",
            107 => "%b %d, %Y",
            8 | 108 if !is_date => "%H:%i:%s",
            10 => "%m-%d-%y",
            110 => "%m-%d-%Y",
            11 => "%y/%m/%d",
            111 => "%Y/%m/%d",
            12 => "%y%m%d",
            112 => "%Y%m%d",
            23 => "%Y-%m-%d",
            20 | 21 | 25 | 120 | 121 | 126 | 127 if is_date => "%Y-%m-%d",
            20 | 120 => "%Y-%m-%d %H:%i:%s",
            // Thousandths follow.
            21 | 25 | 121 if length.is_some_and(|n| n <= 19) => "%Y-%m-%d %H:%i:%s",
            21 | 25 | 121 => {
                return Some(cut(call("strftime", vec![Expr::text("%Y-%m-%d %H:%M:%f"), at])));
            }
            126 | 127 if length.is_some_and(|n| n <= 19) => "%Y-%m-%dT%H:%i:%s",
            _ => return None,
        };
        Some(match length {
            None => self.date_in_format(at, format),
            Some(length) => match beginning(format, length) {
                Some(format) => self.date_in_format(at, &format),
                None => cut(self.date_in_format(at, format)),
            },
        })
    }

    /// `CONVERT(type, x[, style])` and TRY_CONVERT.
    pub(super) fn plan_convert(
        &mut self,
        expr: &'a ast::Expr,
        data_type: Option<&DataType>,
        styles: &'a [ast::Expr],
        is_try: bool,
        whole: &ast::Expr,
    ) -> Result<Expr> {
        let Some(data_type) = data_type else {
            return unsupported("CONVERT with a character set", whole.span());
        };
        let before = self.nodes;
        let operand = self.plan_expr(expr)?;
        let cost = self.nodes - before;
        let style = match styles {
            [] => None,
            [style] => match self.plan_expr(style)?.as_integer() {
                Some(style) => Some(style),
                None => return unsupported("CONVERT with a style that is computed", whole.span()),
            },
            _ => return unsupported("CONVERT with several styles", whole.span()),
        };
        self.convert(operand, cost, data_type, style, is_try)
    }

    /// A cast of SQL Server's.
    pub(super) fn convert(
        &mut self,
        operand: Expr,
        cost: usize,
        data_type: &DataType,
        style: Option<i64>,
        is_try: bool,
    ) -> Result<Expr> {
        let unknown = |operand: Expr| {
            let mut args = vec![operand, Expr::text(data_type.to_string().to_ascii_uppercase())];
            args.extend(style.map(Expr::integer));
            call(if is_try { "tsql_try_convert" } else { "tsql_convert" }, args)
        };
        if operand.is_null_literal() {
            return Ok(operand);
        }
        let (class, is_moment) = (self.class(&operand), self.is_moment(&operand));
        let (length, is_text, pads) = match data_type {
            DataType::Varchar(None)
            | DataType::Nvarchar(None)
            | DataType::CharVarying(None)
            | DataType::CharacterVarying(None) => (Some(DEFAULT_LENGTH), true, false),
            DataType::Char(None) | DataType::Character(None) => (Some(DEFAULT_LENGTH), true, true),
            DataType::Custom(name, arguments) if name.to_string().eq_ignore_ascii_case("nchar") => {
                let length = arguments.first().map_or(Some(DEFAULT_LENGTH), |n| n.parse().ok());
                (length, true, true)
            }
            DataType::Custom(name, _) if name.to_string().eq_ignore_ascii_case("ntext") => {
                (None, true, false)
            }
            DataType::Char(Some(ast::CharacterLength::IntegerLength { length, unit: _ }))
            | DataType::Character(Some(ast::CharacterLength::IntegerLength { length, unit: _ })) => {
                (Some(*length), true, true)
            }
            other => match target(self.dialect, other) {
                Target::Text(length) => (Some(length), true, false),
                Target::Affinity(Affinity::Text) => (None, true, false),
                _ => (None, false, false),
            },
        };
        if is_text {
            return Ok(self
                .as_varying(operand.clone(), length, pads, style)
                .unwrap_or_else(|| unknown(operand)));
        }
        let target = match data_type {
            DataType::Custom(name, arguments) => match name.to_string().to_ascii_uppercase().as_str() {
                "MONEY" | "SMALLMONEY" if arguments.is_empty() => Target::Scaled(4),
                "DATETIME2" | "SMALLDATETIME" => Target::Function("datetime"),
                _ => return Ok(unknown(operand)),
            },
            DataType::Datetime(_) => Target::Function("datetime"),
            DataType::Bit(None) => Target::Truth,
            other => target(self.dialect, other),
        };
        let to_moment = matches!(target, Target::Function("date" | "datetime"));
        let of_style = |text: &Expr, style: i64| {
            let format = match style {
                101 => "%m/%d/%Y",
                102 => "%Y.%m.%d",
                103 => "%d/%m/%Y",
                104 => "%d.%m.%Y",
                105 => "%d-%m-%Y",
                110 => "%m-%d-%Y",
                111 => "%Y/%m/%d",
                112 => "%Y%m%d",
                _ => return None,
            };
            Some(call("my_str_to_date", vec![text.clone(), Expr::text(format)]))
        };
        Ok(match (&target, class) {
            // The styles of ISO are read without saying so.
            (Target::Function(name), TypeClass::Text)
                if to_moment && style.is_some_and(|s| !matches!(s, 20 | 21 | 23 | 25 | 120 | 121 | 126)) =>
            {
                match style.and_then(|style| of_style(&operand, style)) {
                    Some(date) if *name == "date" => to_date(date),
                    Some(date) => to_timestamp(date),
                    None => unknown(operand),
                }
            }
            (Target::Function("date" | "datetime" | "time"), TypeClass::Integer | TypeClass::Number) => {
                match operand.as_integer().and_then(|days| Moment::date(1900, 1, 1)?.plus_days(days)) {
                    Some(at) => self.cast_to(Expr::text(at.to_string()), cost, target)?,
                    None => unknown(operand),
                }
            }
            // A constant keeps its type: a text of it is written in a style.
            (Target::Function("date"), TypeClass::Text) if operand.is_literal() => {
                call("date", vec![operand])
            }
            (Target::Function("datetime"), TypeClass::Text) if operand.is_literal() => {
                call("pg_timestamp", vec![operand])
            }
            // Days since 1900-01-01.
            (Target::Affinity(Affinity::Real), _) if is_moment => {
                let epoch = Expr::Literal(crate::value::Value::Real(2_415_020.5.into()));
                Expr::binary(BinaryOp::Sub, call("julianday", vec![operand]), epoch)
            }
            (Target::Affinity(Affinity::Integer), _) if is_moment => {
                let epoch = Expr::Literal(crate::value::Value::Real(2_415_020.5.into()));
                let days = Expr::binary(BinaryOp::Sub, call("julianday", vec![operand]), epoch);
                call("round", vec![days]).cast(Affinity::Integer)
            }
            (Target::Affinity(_) | Target::Scaled(_) | Target::Truth, _) if is_moment => unknown(operand),
            (Target::Named(_) | Target::Opaque(_), _) => unknown(operand),
            // Where a text is none of the type it is NULL, elsewhere an error.
            (_, TypeClass::Text | TypeClass::Other) if is_try && !is_moment => {
                let name = match target {
                    Target::Affinity(Affinity::Integer) => "ms_try_integer",
                    Target::Affinity(Affinity::Real | Affinity::Numeric) => "ms_try_number",
                    Target::Function("date") => return Ok(to_date(operand)),
                    Target::Function("datetime") => return Ok(to_timestamp(operand)),
                    _ => return Ok(unknown(operand)),
                };
                call(name, vec![operand])
            }
            _ => self.cast_to(operand, cost, target)?,
        })
    }

    /// A value as a text of at most so many characters, or padded to as many; `None` where its form is not known.
    fn as_varying(&self, operand: Expr, length: Option<u64>, pads: bool, style: Option<i64>) -> Option<Expr> {
        if self.is_moment(&operand) {
            // Padding is seen where a text is shorter.
            let text = self.styled(operand, style, length)?;
            let fits = match (&text, length) {
                (Expr::Function { name, args }, Some(length)) if name == "strftime" => {
                    args.first().and_then(Expr::as_text).and_then(width_of_strftime) == Some(length)
                }
                _ => false,
            };
            return (!pads || fits).then_some(text);
        }
        if pads {
            return None;
        }
        match self.class(&operand) {
            _ if self.is_whole(&operand) => {
                let text = operand.cast(Affinity::Text);
                let limit = length.filter(|n| *n < DIGITS).and_then(|n| i64::try_from(n).ok());
                // A number that has no room is a star.
                Some(match limit {
                    Some(_) if text.has_subquery() => return None,
                    Some(n) if n < 11 && !is_short(&text, n) => {
                        let long = call("length", vec![text.clone()]);
                        let long = Expr::binary(BinaryOp::Gt, long, Expr::integer(n));
                        Expr::case(vec![(long, Expr::text("*"))], Some(text))
                    }
                    _ => text,
                })
            }
            class if class == TypeClass::Text || gives_text(&operand) => {
                let fits = |n: u64| operand.as_text().is_some_and(|t| t.chars().count() as u64 <= n);
                Some(match length {
                    Some(n) if !fits(n) => {
                        let n = Expr::integer(i64::try_from(n).unwrap_or(i64::MAX));
                        call("substr", vec![operand, Expr::integer(1), n])
                    }
                    _ => operand,
                })
            }
            _ => None,
        }
    }

    /// `left + right` and `left - right` of texts or with a moment; `None` where both are numbers.
    ///
    /// Texts are concatenated; a text beside a number is read as one
    /// (<https://learn.microsoft.com/sql/t-sql/data-types/data-type-precedence-transact-sql>).
    pub(super) fn server_arithmetic(&self, op: &BinaryOperator, left: &Expr, right: &Expr) -> Option<Expr> {
        let adds = match op {
            BinaryOperator::Plus => true,
            BinaryOperator::Minus => false,
            _ => return None,
        };
        let name = if adds { "tsql_plus" } else { "tsql_minus" };
        let unknown = || Some(call(name, vec![left.clone(), right.clone()]));
        let later = |at: &Expr, days: &Expr| {
            let days = if adds { days.clone() } else { days.counted_back() };
            Some(call("my_date_add", vec![at.clone(), days, Expr::text("day")]))
        };
        let whole = |e: &Expr| self.class(e) == TypeClass::Integer;
        match (self.is_moment(left), self.is_moment(right)) {
            (true, false) if whole(right) => return later(left, right),
            (false, true) if adds && whole(left) => return later(right, left),
            (true, true) if !adds => {
                // A moment so long after 1900-01-01.
                let days = |e: &Expr| call("julianday", vec![e.clone()]);
                let day = Expr::Literal(crate::value::Value::Real(86_400.0.into()));
                let between = Expr::binary(BinaryOp::Sub, days(left), days(right));
                let seconds =
                    call("round", vec![Expr::binary(BinaryOp::Mul, between, day), Expr::integer(3)]);
                let base = Expr::text("1900-01-01 00:00:00");
                return Some(call("my_date_add", vec![base, seconds, Expr::text("second")]));
            }
            (false, false) => {}
            _ => return unknown(),
        }
        let texts = |e: &Expr| self.class(e) == TypeClass::Text || gives_text(e);
        let null = Expr::is_null_literal;
        match (texts(left), texts(right)) {
            (true, true) => {}
            (true, false) if null(right) => {}
            (false, true) if null(left) => {}
            (false, false) => return None,
            (true, false) | (false, true) => {
                let other = if texts(left) { right } else { left };
                return match self.class(other) {
                    TypeClass::Integer | TypeClass::Number => None,
                    _ => unknown(),
                };
            }
        }
        if adds { Some(Expr::binary(BinaryOp::Concat, left.clone(), right.clone())) } else { None }
    }

    /// Both sides of a comparison of SQL Server's: a number beside a moment counts days since 1900-01-01, and a constant that is
    /// cast to a date is the text that it would be without the cast.
    pub(super) fn days_as_moments(&self, left: Expr, right: Expr) -> (Expr, Expr) {
        if self.dialect != Dialect::Tsql {
            return (left, right);
        }
        let day = |e: &Expr| Moment::date(1900, 1, 1)?.plus_days(e.as_integer()?);
        let (of_left, of_right) = (self.is_moment(&left), self.is_moment(&right));
        let plain = |e: Expr, beside: bool| match day(&e).filter(|_| beside) {
            Some(day) => Expr::text(day.to_timestamp().to_string()),
            None => written(&e).unwrap_or(e),
        };
        (plain(left, of_right), plain(right, of_left))
    }

    /// Oracle's `||`, for which NULL is an empty text.
    pub(crate) fn joined_texts(&self, left: Expr, right: Expr) -> Expr {
        let nullable = |e: &Expr| info_of(e, &self.columns).nullable;
        let both = nullable(&left) && nullable(&right);
        let full = |e: Expr| match nullable(&e) {
            true => call("coalesce", vec![e, Expr::text("")]),
            false => e,
        };
        let joined = Expr::binary(BinaryOp::Concat, full(left), full(right));
        match both {
            true => call("nullif", vec![joined, Expr::text("")]),
            false => joined,
        }
    }

    /// `||`, and `+` and `-` of dates, which count days; `None` where they are SQLite's.
    ///
    /// <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Datetime-and-Interval-Data-Types.html>
    pub(super) fn oracle_operator(&self, op: &BinaryOperator, left: &Expr, right: &Expr) -> Option<Expr> {
        let adds = match op {
            BinaryOperator::StringConcat => return Some(self.joined_texts(left.clone(), right.clone())),
            BinaryOperator::Plus => true,
            BinaryOperator::Minus => false,
            _ => return None,
        };
        let days = |e: &Expr| matches!(self.class(e), TypeClass::Integer | TypeClass::Number);
        let later = |at: &Expr, by: &Expr| {
            let by = if adds { by.clone() } else { by.counted_back() };
            match self.class(&by) {
                TypeClass::Integer => call("my_date_add", vec![at.clone(), by, Expr::text("day")]),
                _ => {
                    let seconds = Expr::binary(BinaryOp::Mul, by, Expr::integer(86_400));
                    call("my_date_add", vec![to_timestamp(at.clone()), seconds, Expr::text("second")])
                }
            }
        };
        match (self.is_moment(left), self.is_moment(right)) {
            (true, true) if !adds => {
                let number = |e: &Expr| call("julianday", vec![e.clone()]);
                Some(Expr::binary(BinaryOp::Sub, number(left), number(right)))
            }
            (true, false) if days(right) => Some(later(left, right)),
            (false, true) if adds && days(left) => Some(later(right, left)),
            _ => None,
        }
    }
}

/// The constant that was cast to a date.
fn written(expr: &Expr) -> Option<Expr> {
    let Expr::Function { name, args } = expr else {
        return None;
    };
    let [at] = args.as_slice() else {
        return None;
    };
    let at = Moment::parse(at.as_text()?)?;
    match name.as_str() {
        "date" => Some(Expr::text(at.to_date().to_string())),
        "pg_timestamp" => Some(Expr::text(at.to_timestamp().to_string())),
        _ => None,
    }
}

/// Whether a function of the sandbox gives a text.
fn gives_text(expr: &Expr) -> bool {
    match expr {
        Expr::Function { name, args } => match name.as_str() {
            "my_date_format"
            | "ms_date_text"
            | "ms_stuff"
            | "ms_replace"
            | "pg_repeat"
            | "pg_reverse"
            | "my_right"
            | "my_format"
            | "concat"
            | "concat_ws"
            | "char"
            | "pg_substr"
            | "pg_string_agg_distinct" => true,
            "coalesce" => args.iter().any(gives_text),
            _ => false,
        },
        Expr::Binary { op: BinaryOp::Concat, .. } => true,
        Expr::Case { operand: _, branches, otherwise } => {
            branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).any(gives_text)
        }
        _ => false,
    }
}

/// Whether a number as a text has no more than so many digits: a part of a date.
fn is_short(text: &Expr, length: i64) -> bool {
    let Expr::Cast { expr, affinity: Affinity::Text } = text else { return false };
    if let Some(n) = expr.as_integer() {
        return i64::try_from(n.to_string().len()).is_ok_and(|digits| digits <= length);
    }
    let Expr::Cast { expr, affinity: Affinity::Integer } = &**expr else { return false };
    match &**expr {
        Expr::Function { name, args } if name == "strftime" => match args.first().and_then(Expr::as_text) {
            Some("%Y") => length >= 4,
            Some("%m" | "%d" | "%H" | "%M" | "%S") => length >= 2,
            _ => false,
        },
        _ => false,
    }
}

/// How many characters a part of MySQL's formats has, where that is always the same.
fn width(part: char) -> Option<u64> {
    Some(match part {
        'Y' => 4,
        'y' | 'm' | 'd' | 'H' | 'i' | 's' | 'S' | 'M' => 2,
        'b' => 3,
        _ => return None,
    })
}

/// The first parts of a format of MySQL's, which have so many characters.
fn beginning(format: &str, length: u64) -> Option<String> {
    let mut out = String::new();
    let mut written = 0;
    let mut chars = format.chars();
    while written < length {
        // The whole of it is shorter.
        let Some(c) = chars.next() else { return Some(out) };
        out.push(c);
        written += match c {
            '%' => {
                let part = chars.next()?;
                out.push(part);
                width(part)?
            }
            _ => 1,
        };
    }
    (written == length).then_some(out)
}

/// How many characters a format of strftime gives.
fn width_of_strftime(format: &str) -> Option<u64> {
    let mut written = 0;
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        written += if c == '%' { width(chars.next()?)? } else { 1 };
    }
    Some(written)
}
