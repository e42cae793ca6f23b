//! Casts and typed strings of other dialects in SQLite's terms: what a type's length, scale
//! and kind do to a value is written out; a type without a word in SQLite stays opaque.

use sqlparser::ast::{self, CharacterLength, DataType, ExactNumberInfo, TimezoneInfo};

use super::foreign_type::ForeignType;
use super::literal::literal;
use super::mysql::of_parts;
use super::temporal::{call, to_date, to_interval, to_timestamp};
use super::types::info_of;
use super::{Planner, Result};
use crate::dialects::Dialect;
use crate::dialects::profile::Whole;
use crate::expr::{BinaryOp, Expr};
use crate::schema::{Affinity, Collation, TypeClass};
use crate::value::Value;

/// What a cast does.
pub(super) enum Target {
    /// What SQLite's cast to a type of this affinity does.
    Affinity(Affinity),
    /// The first characters of the text.
    Text(u64),
    /// A number of so many decimal places.
    Scaled(i64),
    /// A function of SQLite.
    Function(&'static str),
    /// True or false.
    Truth,
    /// MySQL's UNSIGNED: a negative number counts from 2⁶⁴ downwards.
    Unsigned,
    /// A type of one's own, by its name.
    Named(String),
    /// Something else, by the type's name.
    Opaque(String),
}

fn text(length: Option<&CharacterLength>, whole: &DataType) -> Target {
    match length {
        None | Some(CharacterLength::Max) => Target::Affinity(Affinity::Text),
        Some(CharacterLength::IntegerLength {
            length,
            unit: None | Some(ast::CharLengthUnits::Characters),
        }) => Target::Text(*length),
        Some(CharacterLength::IntegerLength { length: _, unit: Some(ast::CharLengthUnits::Octets) }) => {
            opaque(whole)
        }
    }
}

/// CHAR(n): MySQL cuts as VARCHAR does; elsewhere it pads too, and is of one character
/// where nothing is said.
fn character(dialect: Dialect, length: Option<&CharacterLength>, whole: &DataType) -> Target {
    match (length, text(length, whole)) {
        (_, target) if dialect == Dialect::Mysql => target,
        (None, _) => Target::Opaque("CHAR(1)".into()),
        (_, Target::Text(length)) => Target::Opaque(format!("CHAR({length})")),
        _ => opaque(whole),
    }
}

/// A number's scale rounds it; its precision only says what is an overflow.
fn exact(dialect: Dialect, info: &ExactNumberInfo, whole: &DataType) -> Target {
    match info {
        ExactNumberInfo::None => match dialect.meaning().decimal_scale {
            Some(scale) => Target::Scaled(i64::from(scale)),
            None => Target::Affinity(Affinity::Numeric),
        },
        ExactNumberInfo::Precision(_) => Target::Scaled(0),
        ExactNumberInfo::PrecisionAndScale(_, scale) if *scale >= 0 => Target::Scaled(*scale),
        ExactNumberInfo::PrecisionAndScale(_, _) => opaque(whole),
    }
}

fn opaque(data_type: &DataType) -> Target {
    Target::Opaque(data_type.to_string())
}

pub(super) fn target(dialect: Dialect, data_type: &DataType) -> Target {
    use DataType as T;
    match data_type {
        T::Varchar(length) | T::Nvarchar(length) | T::CharVarying(length) | T::CharacterVarying(length) => {
            text(length.as_ref(), data_type)
        }
        T::Char(length) | T::Character(length) => character(dialect, length.as_ref(), data_type),
        T::Text
        | T::TinyText
        | T::MediumText
        | T::LongText
        | T::String(None)
        | T::Clob(None)
        | T::CharLargeObject(None)
        | T::CharacterLargeObject(None) => Target::Affinity(Affinity::Text),
        T::String(Some(length)) => Target::Text(*length),
        T::Numeric(info) | T::Decimal(info) | T::Dec(info) => exact(dialect, info, data_type),
        // The number behind an integer type is a width to print it with.
        T::TinyInt(_)
        | T::Int2(_)
        | T::SmallInt(_)
        | T::MediumInt(_)
        | T::Int(_)
        | T::Int4(_)
        | T::Int8(_)
        | T::Integer(_)
        | T::BigInt(_)
        | T::Int64
        | T::Signed
        | T::SignedInteger => Target::Affinity(Affinity::Integer),
        T::Unsigned | T::UnsignedInteger if dialect == Dialect::Mysql => Target::Unsigned,
        // How many bits a real has shows less than two reals may differ and still be the same.
        T::Float(ExactNumberInfo::None | ExactNumberInfo::Precision(_))
        | T::Double(ExactNumberInfo::None)
        | T::DoublePrecision
        | T::Real
        | T::Float4
        | T::Float8
        | T::Float64 => Target::Affinity(Affinity::Real),
        T::Bool | T::Boolean => Target::Truth,
        T::Date => Target::Function("date"),
        T::Time(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => Target::Function("time"),
        T::Datetime(None)
        | T::TimestampNtz(None | Some(6..=9))
        | T::Timestamp(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            Target::Function("datetime")
        }
        // Two spellings of one type.
        T::Timestamp(None, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => Target::Function("timestamptz"),
        T::Interval { fields: None, precision: None } => Target::Function("interval"),
        T::Blob(None) | T::Bytea | T::Bytes(None) | T::Binary(None) | T::Varbinary(None) => {
            Target::Affinity(Affinity::Blob)
        }
        T::Custom(name, arguments) => custom(dialect, name, arguments, data_type),
        other => opaque(other),
    }
}

/// Oracle's and Snowflake's names.
fn custom(dialect: Dialect, name: &ast::ObjectName, arguments: &[String], whole: &DataType) -> Target {
    let name = name.to_string().to_ascii_uppercase();
    let numbers: Option<Vec<u32>> = arguments.iter().map(|a| a.parse().ok()).collect();
    match (name.as_str(), numbers.as_deref()) {
        // Oracle keeps every digit, Snowflake none behind the point.
        ("NUMBER", Some([])) => exact(dialect, &ExactNumberInfo::None, whole),
        ("TIMESTAMP_LTZ" | "TIMESTAMP_TZ", Some([])) if dialect == Dialect::Snowflake => {
            Target::Function("timestamptz")
        }
        ("NUMBER", Some([_precision])) => Target::Scaled(0),
        ("NUMBER", Some([_precision, scale])) => Target::Scaled(i64::from(*scale)),
        ("VARCHAR2" | "NVARCHAR2", Some([length])) => Target::Text(u64::from(*length)),
        _ if arguments.is_empty() => Target::Named(whole.to_string().to_ascii_uppercase()),
        _ => Target::Opaque(whole.to_string().to_ascii_uppercase()),
    }
}

/// Whether it is the text of a document.
fn is_document(operand: &Expr) -> bool {
    operand.as_text().is_some_and(|text| serde_json::from_str::<serde_json::Value>(text).is_ok())
}

impl<'a> Planner<'a> {
    /// `CAST(expr AS type)` and `expr::type`; TRY_CAST gives NULL where a cast fails.
    pub(super) fn plan_cast(
        &mut self,
        kind: &ast::CastKind,
        expr: &'a ast::Expr,
        data_type: &DataType,
    ) -> Result<Expr> {
        let before = self.nodes;
        let operand = self.plan_expr(expr)?;
        let cost = self.nodes - before;
        if self.dialect == Dialect::Tsql {
            let is_try = matches!(kind, ast::CastKind::TryCast | ast::CastKind::SafeCast);
            return self.convert(operand, cost, data_type, None, is_try);
        }
        match kind {
            ast::CastKind::Cast | ast::CastKind::DoubleColon => {}
            ast::CastKind::TryCast | ast::CastKind::SafeCast => {
                if let Some(planned) = self.plan_try_cast(&operand, cost, data_type)? {
                    return Ok(planned);
                }
                return Ok(call("try_cast", vec![operand, Expr::text(data_type.to_string())]));
            }
        }
        // A text that is no number is NULL or an error, and never 0.
        if self.dialect.meaning().casts_whole_texts
            && matches!(
                target(self.dialect, data_type),
                Target::Affinity(Affinity::Integer | Affinity::Real | Affinity::Numeric) | Target::Scaled(_)
            )
            && matches!(info_of(&operand, &self.columns).class, TypeClass::Text)
            && let Some(planned) = self.plan_try_cast(&operand, cost, data_type)?
        {
            return Ok(planned);
        }
        if self.dialect == Dialect::Sqlite {
            return Ok(operand.cast(Affinity::of_declared(&data_type.to_string())));
        }
        let name = data_type.to_string().to_ascii_uppercase();
        if self.dialect == Dialect::Snowflake && matches!(name.as_str(), "VARIANT" | "OBJECT" | "ARRAY") {
            // A document stays the text that it is here.
            return Ok(operand);
        }
        let to_text = matches!(target(self.dialect, data_type), Target::Affinity(Affinity::Text));
        if self.dialect == Dialect::Bigquery && to_text {
            return Ok(self.text_of_constant(expr, operand));
        }
        let cast = self.cast_to(operand, cost, target(self.dialect, data_type))?;
        // Sums of these are decimals in PostgreSQL.
        if self.dialect == Dialect::Postgres && matches!(data_type, DataType::BigInt(_) | DataType::Int8(_)) {
            let big = match cast {
                Expr::Cast { .. } => cast,
                whole => Expr::Cast { expr: Box::new(whole), affinity: Affinity::Integer },
            };
            self.note_number(&big, ForeignType::Big);
            return Ok(big);
        }
        Ok(cast)
    }

    /// BigQuery's cast to STRING: a constant timestamp is a text here already.
    fn text_of_constant(&self, written: &ast::Expr, planned: Expr) -> Expr {
        let is_time =
            planned.as_text().and_then(crate::temporal::Moment::parse).is_some_and(|m| !m.is_date());
        match written {
            ast::Expr::TypedString(string) if is_time && string.data_type.to_string() == "TIMESTAMP" => {
                Expr::binary(BinaryOp::Concat, planned, Expr::text("+00"))
            }
            ast::Expr::Value(_) | ast::Expr::TypedString(_) => self.as_text(planned),
            _ if is_time => call("bigquery_timestamp_as_text", vec![planned]),
            _ => self.as_text(planned),
        }
    }

    /// TRY_CAST where the sandbox knows what fails: NULL where a text is no number, no date, no truth value. Snowflake:
    /// sql-reference/functions/try_cast; DuckDB: sql/expressions/cast#try_cast; Databricks: functions/try_cast;
    /// Trino: functions/conversion.
    fn plan_try_cast(&mut self, operand: &Expr, cost: usize, data_type: &DataType) -> Result<Option<Expr>> {
        let strict = matches!(self.dialect, Dialect::Bigquery | Dialect::Databricks | Dialect::Trino);
        if !strict && !matches!(self.dialect, Dialect::Snowflake | Dialect::Duckdb) {
            return Ok(None);
        }
        let target = target(self.dialect, data_type);
        let number = |p: &Self| match p.is_number(operand) {
            true => operand.clone(),
            false => call("sql_try_number", vec![operand.clone()]),
        };
        let operand = match &target {
            // These read no fraction as a whole number.
            Target::Affinity(Affinity::Integer) if strict && !self.is_number(operand) => {
                if operand.has_subquery() {
                    return Ok(None);
                }
                let is_whole = call("typeof", vec![number(self)]).eq(Expr::text("integer"));
                Expr::case(vec![(is_whole, number(self))], None)
            }
            Target::Affinity(Affinity::Text) | Target::Text(_) => operand.clone(),
            Target::Affinity(Affinity::Integer | Affinity::Real | Affinity::Numeric) | Target::Scaled(_) => {
                number(self)
            }
            Target::Function("date" | "datetime") => call("pg_timestamp", vec![operand.clone()]),
            Target::Truth => operand.clone(),
            _ => return Ok(None),
        };
        self.cast_to(operand, cost, target).map(Some)
    }

    /// Whether a text is a member of an enumerated type, so that a cast to a type of one's own changes nothing.
    fn is_member(&self, operand: &Expr) -> bool {
        let mut values = self.schema.tables.iter().flat_map(|t| &t.columns).flat_map(|c| &c.values);
        operand.as_text().is_some_and(|text| values.any(|v| v == text))
    }

    /// Whether a cast to a type without a word in SQLite changes nothing: NULL, a document or
    /// an array cast to what it is.
    fn is_already(&self, operand: &Expr, name: &str) -> bool {
        let is_json = matches!(name, "JSON" | "JSONB");
        match operand {
            Expr::Literal(Value::Null) => self.dialect != Dialect::Sqlite,
            // JSON keeps its text, and has fewer operators.
            Expr::Literal(Value::Text(_)) => name == "JSONB" && is_document(operand),
            other => match self.kind(other) {
                Some(ForeignType::Json) => is_json,
                Some(ForeignType::Array) => name.ends_with(']'),
                _ => false,
            },
        }
    }

    pub(super) fn cast_to(&mut self, operand: Expr, cost: usize, target: Target) -> Result<Expr> {
        let to_moment = matches!(target, Target::Function("date" | "datetime" | "timestamptz"));
        let operand = if to_moment { self.with_dashes(operand) } else { operand };
        Ok(match target {
            Target::Affinity(Affinity::Integer) => self.cast_to_whole(operand),
            // MySQL's BINARY: a text that is compared by its bytes.
            Target::Affinity(Affinity::Blob) if self.dialect == Dialect::Mysql && self.is_text(&operand) => {
                Expr::Collate { expr: Box::new(operand), collation: Collation::Binary.name().into() }
            }
            Target::Affinity(Affinity::Text) => self.as_text(operand),
            Target::Affinity(affinity) => operand.cast(affinity),
            Target::Text(length) => call(
                "substr",
                vec![
                    self.as_text(operand),
                    Expr::integer(1),
                    Expr::integer(i64::try_from(length).unwrap_or(i64::MAX)),
                ],
            ),
            Target::Scaled(places) => {
                call("round", vec![operand.cast(Affinity::Numeric), Expr::integer(places)])
            }
            Target::Function("interval") => to_interval(operand, None, ""),
            Target::Function("datetime") if self.dialect != Dialect::Sqlite => to_timestamp(operand),
            Target::Function("timestamptz") => self.to_timestamp_in_zone(operand),
            Target::Function("date") => match &operand {
                Expr::Binary { op: BinaryOp::Concat, left: _, right: _ }
                    if self.dialect == Dialect::Mysql =>
                {
                    of_parts(&operand)
                }
                _ => to_date(operand),
            },
            Target::Function(name) => call(name, vec![operand]),
            Target::Truth => match info_of(&operand, &self.columns).class {
                TypeClass::Boolean => operand.cast(Affinity::Integer),
                TypeClass::Integer | TypeClass::Number => {
                    Expr::binary(BinaryOp::NotEq, operand, Expr::integer(0))
                }
                TypeClass::Text | TypeClass::Other => call("pg_boolean", vec![operand]),
                TypeClass::Time => call("cast_as", vec![operand, Expr::text("BOOLEAN")]),
            },
            Target::Unsigned if operand.has_subquery() => {
                call("cast_as", vec![operand, Expr::text("UNSIGNED")])
            }
            Target::Unsigned => {
                // Two copies more.
                self.charge(2 * cost)?;
                let whole = operand.cast(Affinity::Integer);
                let modulus = Expr::Literal(Value::Real(18_446_744_073_709_551_616.0.into()));
                let negative = Expr::binary(BinaryOp::Lt, whole.clone(), Expr::integer(0));
                let counted = Expr::binary(BinaryOp::Add, whole.clone(), modulus);
                Expr::case(vec![(negative, counted)], Some(whole))
            }
            Target::Named(_) if self.is_member(&operand) => operand,
            Target::Opaque(name) if name == "JSON" && is_document(&operand) => call("json", vec![operand]),
            Target::Named(name) | Target::Opaque(name) if self.is_already(&operand, &name) => operand,
            Target::Named(name) | Target::Opaque(name) => call("cast_as", vec![operand, Expr::text(name)]),
        })
    }

    /// A cast to a whole number: PostgreSQL and MySQL round a number, SQLite and SQL Server cut its fraction off.
    fn cast_to_whole(&self, operand: Expr) -> Expr {
        let class = info_of(&operand, &self.columns).class;
        let reads_fractions = matches!(self.dialect, Dialect::Duckdb | Dialect::Snowflake);
        if reads_fractions && matches!(class, TypeClass::Text | TypeClass::Other) {
            // '2.5' is read as a number first.
            return call("round", vec![operand.cast(Affinity::Numeric)]).cast(Affinity::Integer);
        }
        if class != TypeClass::Number {
            return operand.cast(Affinity::Integer);
        }
        match self.dialect.meaning().whole {
            Whole::Unknown => return call("cast_as", vec![operand, Expr::text("INTEGER")]),
            Whole::Cuts => return operand.cast(Affinity::Integer),
            Whole::Rounds => {}
        }
        // DuckDB rounds halves of binary numbers to even ones, of decimal ones away from 0.
        if self.dialect == Dialect::Duckdb && self.may_be_double(&operand) {
            return call("pg_round_even", vec![operand]).cast(Affinity::Integer);
        }
        let round = call("round", vec![operand]);
        let rounded = match &round {
            Expr::Function { name, args } => self.differing_call(self.dialect, name, args),
            _ => None,
        };
        rounded.unwrap_or(round).cast(Affinity::Integer)
    }

    /// Whether a number is a binary one in DuckDB: a column of such a type, a quotient, an average.
    fn may_be_double(&self, expr: &Expr) -> bool {
        let average = |e: &Expr| match e {
            Expr::Column(id) => id
                .info(&self.columns)
                .is_some_and(|i| i.origin.is_none() && i.affinity.is_none() && i.name == "avg"),
            Expr::Cast { expr: _, affinity } => *affinity == Affinity::Real,
            _ => false,
        };
        self.is_binary(expr) || expr.any(average)
    }

    /// `DATE '2014-01-31'`: the text itself where it is written as SQLite's functions write
    /// such values.
    pub(super) fn plan_typed_string(&mut self, string: &ast::TypedString) -> Result<Expr> {
        let ast::TypedString {
            data_type,
            value,
            // {d '2014-01-31'} is the same.
            uses_odbc_syntax: _,
        } = string;
        let planned = literal(value)?;
        let target = target(Dialect::Generic, data_type);
        if let (Target::Function(function), Expr::Literal(Value::Text(text))) = (&target, &planned) {
            let is = |shape: &str| has_shape(text, shape);
            match *function {
                "date" if is("9999-99-99") => return Ok(planned),
                "time" if is("99:99:99") => return Ok(planned),
                "datetime" | "timestamptz" if is("9999-99-99") => {
                    return Ok(Expr::text(format!("{text} 00:00:00")));
                }
                // PostgreSQL tells it from a text, which would be a date beside a date.
                "datetime" | "timestamptz" if is("9999-99-99 99:99:99") => {
                    let as_text = self.dialect != Dialect::Postgres || is("9999-99-99 00:00:00");
                    return Ok(if as_text { planned } else { call("pg_timestamp", vec![planned]) });
                }
                _ => {}
            }
        }
        self.cast_to(planned, 1, target)
    }
}

/// Whether a text is as long as the shape, with a digit for each 9 and else the same.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(c, s)| match s {
            b'9' => c.is_ascii_digit(),
            _ => c == s,
        })
}
