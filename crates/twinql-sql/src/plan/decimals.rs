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

use super::Planner;
use super::foreign_type::ForeignType;
use super::types::info_of;
use crate::dialects::Dialect;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::rel::{ColumnId, ColumnInfo};
use crate::schema::{Affinity, TypeClass};

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
        let argument = call.args.first();
        let big = argument.is_some_and(|e| self.kind(e) == Some(ForeignType::Big));
        match call.func {
            AggFunc::Count => Some(ForeignType::Big),
            AggFunc::Sum if big || argument.is_some_and(|e| self.is_decimal(e)) => {
                info.class = TypeClass::Number;
                Some(ForeignType::Decimal)
            }
            AggFunc::Sum if info.class == TypeClass::Integer => Some(ForeignType::Big),
            AggFunc::Sum | AggFunc::Avg if argument.is_some_and(|e| self.is_double(e)) => {
                Some(ForeignType::Double)
            }
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
        if !matches!(self.dialect, Dialect::Postgres | Dialect::Mysql) {
            return expr;
        }
        let scale = match &expr {
            Expr::Column(id) => self.scale_of(*id),
            // `ROUND(x, 2)` of a decimal has its scale, and so has a cast to DECIMAL(10, 2), which is planned so.
            Expr::Function { name, args } if name == "round" && !expr.has_subquery() => match args.as_slice()
            {
                [x, digits] if !self.is_binary(x) && !self.is_double(x) => {
                    digits.as_integer().and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= 30)
                }
                _ => None,
            },
            _ => None,
        };
        match scale {
            Some(scale) => self.printed(&format!("%.{scale}f"), &[expr]),
            None => expr,
        }
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
