//! Numbers by their types, where a system looks at these and SQLite looks at values: what divides to a fraction, and which
//! digits a text shows.
//!
//! | PostgreSQL | SQLite's own meaning | planned |
//! |---|---|---|
//! | `EXTRACT(YEAR FROM d) / 2` is 1012.5 | 1012 | `CAST(strftime('%Y', d) AS REAL) / 2` |
//! | `SUM(big) / COUNT(*)` has a fraction, `SUM(n) / COUNT(*)` none | none | a cast to REAL in the first |
//! | `price::text` is `1.50` where the type is NUMERIC(8, 2) | `1.5` | `printf('%.2f', price)` |
//!
//! Tried on PostgreSQL 15 and MariaDB 10.11 (`cargo measure engines`).

use sqlparser::ast;

use super::foreign_type::ForeignType;
use super::literal::literal;
use super::temporal::call;
use super::types::info_of;
use super::{Planner, Result};
use crate::dialects::Dialect;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp};
use crate::rel::{ColumnId, ColumnInfo};
use crate::schema::{Affinity, TypeClass};
use crate::value::Value;

/// Functions whose values are decimals by their type in PostgreSQL, whatever the argument's.
const OF_DECIMALS: [&str; 4] = words![pg_extract pg_round_to pg_trunc_to pg_interval_length];
/// Functions that give a double there, unless an argument is a decimal.
const OF_DOUBLES: [&str; 11] = words![ceil ceiling floor round trunc sqrt exp ln power sign pg_round_even];
/// Such calls in one another of which the type is asked: each may be asked for twice by the one around it.
const MOST_NESTED: u8 = 4;

impl Planner<'_> {
    /// Notes what an expression is by its type in PostgreSQL, where its form does not say it: EXTRACT gives a decimal, though its
    /// values are whole, and DATE_PART a double.
    pub(super) fn note_number(&self, expr: &Expr, kind: ForeignType) {
        if self.dialect == Dialect::Postgres {
            self.numbers.borrow_mut().insert(expr.clone(), kind);
        }
    }

    /// What is known of the type of a number.
    pub(super) fn kind_of_number(&self, expr: &Expr) -> Option<ForeignType> {
        if self.dialect != Dialect::Postgres {
            return None;
        }
        let of = |e: &Expr| {
            self.kind(e)
                .filter(|k| matches!(k, ForeignType::Decimal | ForeignType::Big | ForeignType::Double))
        };
        match expr {
            _ if self.numbers.borrow().contains_key(expr) => self.numbers.borrow().get(expr).copied(),
            Expr::Function { name, args: _ } if OF_DECIMALS.contains(&name.as_str()) => {
                Some(ForeignType::Decimal)
            }
            Expr::Function { name, args } if OF_DOUBLES.contains(&name.as_str()) => {
                let depth = self.asked.get();
                if depth == MOST_NESTED {
                    return None;
                }
                self.asked.set(depth + 1);
                let decimal = |e: &Expr| {
                    info_of(e, &self.columns).class == TypeClass::Number && !self.is_double(e)
                        || self.is_decimal(e)
                };
                let any = args.iter().any(decimal);
                self.asked.set(depth);
                Some(if any { ForeignType::Decimal } else { ForeignType::Double })
            }
            Expr::Function { name, args } if name == "abs" => of(args.first()?),
            Expr::Unary { op: _, expr } => of(expr),
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod,
                left,
                right,
            } => match (of(left), of(right)) {
                (Some(ForeignType::Decimal), _) | (_, Some(ForeignType::Decimal)) => {
                    Some(ForeignType::Decimal)
                }
                (left, right) => left.or(right),
            },
            _ => None,
        }
    }

    /// Whether a number is a decimal by its type, though its values may be whole.
    pub(super) fn is_decimal(&self, expr: &Expr) -> bool {
        self.kind(expr) == Some(ForeignType::Decimal)
    }

    /// What is known of an aggregate's column beside what SQLite says. PostgreSQL counts in BIGINT, sums whole numbers to
    /// one, and sums of such are decimals.
    pub(super) fn type_of_aggregate(
        &self,
        call: &AggregateCall,
        info: &mut ColumnInfo,
    ) -> Option<ForeignType> {
        if self.dialect != Dialect::Postgres {
            return None;
        }
        if let AggFunc::Other(name) = &call.func {
            let array = (name == "json_group_array").then_some(ForeignType::Array);
            return array.or_else(|| ForeignType::of_function(name));
        }
        let argument = call.args.first();
        let big = argument.is_some_and(|e| self.kind(e) == Some(ForeignType::Big));
        match call.func {
            AggFunc::Count => Some(ForeignType::Big),
            AggFunc::Sum if big || argument.is_some_and(|e| self.is_decimal(e)) => {
                info.class = TypeClass::Number;
                Some(ForeignType::Decimal)
            }
            AggFunc::Sum | AggFunc::Avg if argument.is_some_and(|e| self.is_double(e)) => {
                info.class = TypeClass::Number;
                Some(ForeignType::Double)
            }
            AggFunc::Sum if info.class == TypeClass::Integer => Some(ForeignType::Big),
            AggFunc::Min | AggFunc::Max => argument.and_then(|e| self.kind(e)),
            _ => None,
        }
    }

    /// The class of a window's sum: whole of whole numbers, unless it is a decimal by its type. SQLite looks at values.
    pub(super) fn class_of_sum(&self, args: &[Expr]) -> TypeClass {
        let whole = |e: &Expr| info_of(e, &self.columns).class == TypeClass::Integer;
        let fraction = |e: &Expr| {
            matches!(self.kind(e), Some(ForeignType::Big | ForeignType::Decimal | ForeignType::Double))
        };
        match args.first() {
            Some(e) if self.dialect != Dialect::Sqlite && whole(e) && !fraction(e) => TypeClass::Integer,
            _ => TypeClass::Number,
        }
    }

    /// A value cast to a text.
    ///
    /// | before | after |
    /// |---|---|
    /// | `CAST(active AS VARCHAR)` | `CASE active WHEN 1 THEN 'true' WHEN 0 THEN 'false' END` |
    /// | `CAST(n AS VARCHAR)` | `CAST(n AS TEXT)` |
    pub(crate) fn as_text(&self, expr: Expr) -> Expr {
        if self.dialect == Dialect::Bigquery && self.kind(&expr) == Some(ForeignType::Timestamp) {
            return self.timestamp_as_text(expr);
        }
        let words = self.in_words(expr.clone());
        if self.is_truth(&expr) { words } else { words.cast(Affinity::Text) }
    }

    /// BigQuery writes a TIMESTAMP with its zone, `2024-05-01 10:00:00+00`, and a DATETIME without
    /// (<https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions#cast_as_string>).
    fn timestamp_as_text(&self, expr: Expr) -> Expr {
        match self.declared(&expr).map(str::to_ascii_uppercase).as_deref() {
            Some("DATETIME") => expr.cast(Affinity::Text),
            Some("TIMESTAMP") => {
                let text = Expr::function("pg_timestamp", vec![expr]).cast(Affinity::Text);
                Expr::binary(BinaryOp::Concat, text, Expr::text("+00"))
            }
            _ => Expr::function("bigquery_timestamp_as_text", vec![expr]),
        }
    }

    /// Whether it is a truth value that a text shows as a word.
    fn is_truth(&self, expr: &Expr) -> bool {
        self.dialect.meaning().truth_in_words && info_of(expr, &self.columns).class == TypeClass::Boolean
    }

    /// As [`Self::in_words`] for CONCAT, which shows truth values by one letter in PostgreSQL.
    pub(super) fn in_concat(&self, expr: Expr) -> Expr {
        match self.is_truth(&expr) && self.dialect == Dialect::Postgres {
            true => truth(expr, ["t", "f"]),
            false => self.in_words(expr),
        }
    }

    /// A value as `||` shows it: a truth value as a word; in PostgreSQL and MySQL a decimal with all digits of its scale.
    pub(super) fn in_words(&self, expr: Expr) -> Expr {
        if self.is_truth(&expr) {
            return truth(expr, ["true", "false"]);
        }
        if !self.keeps_digits() && self.dialect != Dialect::Mysql {
            return expr;
        }
        let scale = self.scale(&expr).filter(|_| !expr.has_subquery());
        match (&expr, scale) {
            // A constant as it is written.
            (Expr::Literal(Value::Real(n)), Some(scale)) => Expr::text(format!("{:.*}", scale as usize, n.0)),
            (_, Some(scale)) if scale > 0 || self.class(&expr) != TypeClass::Integer => {
                self.printed(&format!("%.{scale}f"), &[expr])
            }
            (_, None) if self.keeps_digits() && !self.has_its_own(&expr) => self.shown_somehow(expr),
            // A binary number has no point where it is whole.
            _ if self.dialect == Dialect::Postgres
                && self.class(&expr) == TypeClass::Number
                && self.is_double(&expr)
                && !expr.has_subquery() =>
            {
                self.printed("%.15g", &[expr])
            }
            _ => expr,
        }
    }

    /// Whether the digits behind the point of a decimal are told by its type: also in Redshift
    /// (<https://docs.aws.amazon.com/redshift/latest/dg/r_numeric_computations201.html>).
    fn keeps_digits(&self) -> bool {
        matches!(self.dialect, Dialect::Postgres | Dialect::Redshift)
    }

    /// Whether a value is shown as it is stored: a text, a whole number, a binary one, a decimal column of no declared scale.
    fn has_its_own(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Column(id) if id.info(&self.columns).is_some_and(|i| i.origin.is_some()) => true,
            Expr::Cast { expr, affinity: Affinity::Numeric } => self.has_its_own(expr),
            e => (self.class(e) != TypeClass::Number || self.is_double(e)) && !self.is_decimal(e),
        }
    }

    /// A decimal as a text with some number of digits behind the point. Zeros at the end of a constant may decide on it, which
    /// its value does not say: where some are written, no two such texts are the same.
    fn shown_somehow(&self, expr: Expr) -> Expr {
        let padded = |(e, scale): (&Expr, &u32)| match e {
            Expr::Literal(Value::Real(n)) => {
                *scale > 30 || n.0.to_string() != format!("{:.*}", *scale as usize, n.0)
            }
            _ => false,
        };
        let open = self.scales.borrow().iter().any(padded).then(|| call("random", Vec::new()));
        call(&self.dialect.opaque_name("text"), std::iter::once(expr).chain(open).collect())
    }

    /// A constant; PostgreSQL keeps how many digits behind the point a number is written with.
    pub(super) fn plan_constant(&self, value: &ast::ValueWithSpan) -> Result<Expr> {
        let planned = literal(value)?;
        if let ast::Value::Number(text, _) = &value.value {
            self.note_digits(text, &planned);
        }
        Ok(planned)
    }

    pub(super) fn note_digits(&self, text: &str, planned: &Expr) {
        if matches!(planned, Expr::Literal(Value::Real(_))) && self.keeps_digits() {
            let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
            let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.replace('_', "").len());
            let behind = i64::try_from(behind).unwrap_or(0).saturating_sub(power.parse().unwrap_or(0));
            let scale = u32::try_from(behind.max(0)).unwrap_or(u32::MAX);
            let mut scales = self.scales.borrow_mut();
            let noted = scales.entry(planned.clone()).or_insert(scale);
            if *noted != scale {
                *noted = u32::MAX;
            }
        }
    }

    /// Notes how many digits behind the point a column's values have.
    pub(super) fn note_scale(&self, id: ColumnId, value: &Expr) {
        let scale = Some(value).filter(|_| self.keeps_digits()).and_then(|e| self.scale(e));
        self.scales.borrow_mut().extend(scale.map(|scale| (Expr::Column(id), scale)));
    }

    /// How many digits behind the point a decimal or a whole number has by its type, where its form says it
    /// (numeric.c: the greatest of a sum's, the sum of a product's).
    fn scale(&self, expr: &Expr) -> Option<u32> {
        if let Some(scale) = self.scales.borrow().get(expr) {
            return Some(*scale).filter(|scale| *scale <= 30);
        }
        let binary = |e: &Expr| self.is_binary(e) || self.is_double(e);
        let scale = match expr {
            Expr::Column(id) => self.scale_of(*id),
            // `ROUND(x, 2)` of a decimal has its scale, and so has a cast to DECIMAL(10, 2), which is planned so.
            Expr::Function { name, args } => match (name.as_str(), args.as_slice()) {
                ("round", [x, digits]) if !binary(x) => {
                    digits.as_integer().and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= 30)
                }
                _ if !self.keeps_digits() => None,
                ("round" | "ceil" | "ceiling" | "floor" | "trunc", [x])
                    if !binary(x) && self.is_decimal(expr) =>
                {
                    Some(0)
                }
                ("abs", [x]) => self.scale(x),
                ("pg_extract", [part, _]) if self.is_decimal(expr) => match part.as_text()? {
                    "second" | "seconds" | "epoch" => Some(6),
                    "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" => Some(0),
                    _ => None,
                },
                _ => None,
            },
            _ if !self.keeps_digits() => None,
            Expr::Unary { op: UnaryOp::Neg, expr } => self.scale(expr),
            Expr::Cast { expr, affinity: Affinity::Numeric } => match expr.as_text() {
                Some(text) if text.contains(['e', 'E']) => None,
                Some(text) => {
                    text.split_once('.').map_or(Some(0), |(_, behind)| u32::try_from(behind.len()).ok())
                }
                None => self.scale(expr),
            },
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                Some(self.scale(left)?.max(self.scale(right)?))
            }
            Expr::Binary { op: BinaryOp::Mul, left, right } => {
                Some(self.scale(left)?.saturating_add(self.scale(right)?))
            }
            _ => None,
        };
        let whole = || {
            let whole = self.keeps_digits() && self.class(expr) == TypeClass::Integer;
            (whole && !binary(expr)).then_some(0)
        };
        scale.or_else(whole).filter(|scale| *scale <= 30)
    }

    /// The digits behind the point that a column's declared type has, where it has some.
    fn scale_of(&self, id: ColumnId) -> Option<u32> {
        let column = self.schema.column(id.info(&self.columns)?.origin?)?;
        let declared = column.declared.to_ascii_uppercase();
        let sizes = ["NUMERIC", "DECIMAL"].iter().find_map(|word| declared.trim().strip_prefix(word))?;
        let (_, scale) = sizes.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
        scale.trim().parse().ok().filter(|n| *n > 0 && *n <= 30)
    }
}

fn truth(expr: Expr, [yes, no]: [&str; 2]) -> Expr {
    let branches = vec![(Expr::integer(1), Expr::text(yes)), (Expr::integer(0), Expr::text(no))];
    Expr::Case { operand: Some(Box::new(expr)), branches, otherwise: None }
}
