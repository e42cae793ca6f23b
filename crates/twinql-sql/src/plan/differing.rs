//! Functions that SQLite has under a name by which another dialect means something else.
//!
//! | call | SQLite | PostgreSQL | MySQL |
//! |---|---|---|---|
//! | `substr('abc', -2)` | `bc` | `abc` | `bc` |
//! | `substr('a', -2)` | `a` | `a` | empty |
//! | `substr('abc', 0, 2)` | `a` | `a` | empty |
//! | `left('abc', -1)` | none | `ab` | empty |
//! | `round(125, -1)` | `125` | `130` | `130` |
//! | `log(100)` | `2` | `2` | `4.605…` |
//! | `hex(255)` | `323535` | none | `FF` |
//! | `10.5 % 3` | `1` | `1.5` | `1.5` |
//!
//! PostgreSQL 15: functions-string, functions-math; MySQL 8: string-functions, mathematical-functions; each row was tried on
//! PostgreSQL 15 and MariaDB 10.11. Where SQLite can say it in another way it does; else the sandbox has a function; what no
//! one knows (`log(x)` in `generic`) is a function of no system, which no rule knows and nothing executes.

use super::Planner;
use super::foreign_type::ForeignType;
use super::temporal::call;
use super::types::info_of;
use crate::dialects::Dialect;
use crate::expr::{BinaryOp, Expr};
use crate::schema::{Affinity, TypeClass};
use crate::value::Value;

/// Whether a number is known to be at least this one.
fn at_least(expr: &Expr, least: i64) -> bool {
    match expr {
        Expr::Literal(Value::Integer(n)) => *n >= least,
        Expr::Function { name, args: _ } => {
            least <= 0 && matches!(name.as_str(), "instr" | "length" | "octet_length")
        }
        Expr::Case { operand: _, branches, otherwise: Some(otherwise) } => {
            branches.iter().all(|(_, then)| at_least(then, least)) && at_least(otherwise, least)
        }
        Expr::Binary { op: BinaryOp::Add, left, right } => {
            let sum = |number: &Expr, other: &Expr| {
                number.as_integer().is_some_and(|n| at_least(other, least.saturating_sub(n)))
            };
            sum(left, right) || sum(right, left)
        }
        _ => false,
    }
}

impl Planner<'_> {
    /// Such a call in SQLite's terms; `None` where the name means the same, or is none of SQLite's.
    pub(super) fn differing_call(&self, dialect: Dialect, name: &str, args: &[Expr]) -> Option<Expr> {
        let mysql = dialect == Dialect::Mysql;
        let same = |name: &str| call(name, args.to_vec());
        Some(match (name, args) {
            ("substr" | "substring" | "mid", [text, start, rest @ ..]) if rest.len() <= 1 => {
                self.substring(dialect, text, start, rest.first())
            }
            ("left", [text, count]) => self.left(dialect, text, count)?,
            ("right", [text, count]) => self.right(dialect, text, count)?,
            // PostgreSQL and MySQL round halves of binary numbers to even ones, of decimal ones away from 0.
            ("round", [x])
                if matches!(dialect, Dialect::Postgres | Dialect::Mysql) && self.is_binary(x)
                    || dialect == Dialect::Postgres && self.is_double(x) =>
            {
                same("pg_round_even")
            }
            ("round", [_, digits]) if digits.as_integer().is_none_or(|n| n < 0) => same("pg_round_to"),
            ("trunc" | "truncate", [_, _]) => same("pg_trunc_to"),
            ("log", [_]) if mysql => same("ln"),
            // SQL Server and Spark take the natural one, Oracle wants a base.
            ("log", _) if dialect == Dialect::Generic => same("generic_log"),
            ("mod", [left, right]) => self.remainder(left.clone(), right.clone()),
            ("concat" | "concat_ws", _) if args.iter().any(|e| self.in_concat(e.clone()) != *e) => {
                let words = args.iter().map(|e| self.in_concat(e.clone())).collect();
                return Some(self.function(name.to_owned(), words));
            }
            ("hex", [_]) if mysql => same("my_hex"),
            ("to_hex", [_]) if dialect == Dialect::Postgres => same("pg_to_hex"),
            ("chr", [_]) if !mysql => same("char"),
            ("format", [_, _]) if mysql => same("my_format"),
            // printf's %s alone is PostgreSQL's.
            ("format", _)
                if dialect == Dialect::Postgres && args.iter().any(|e| self.in_concat(e.clone()) != *e) =>
            {
                return Some(
                    self.function(name.to_owned(), args.iter().map(|e| self.in_concat(e.clone())).collect()),
                );
            }
            ("format", [template, ..])
                if dialect != Dialect::Postgres || !template.as_text().is_some_and(only_strings) =>
            {
                same(&format!("{dialect}_format"))
            }
            // PostgreSQL takes characters away, as SQLite does, MySQL the text as a whole.
            ("trim" | "ltrim" | "rtrim", [_, what])
                if dialect != Dialect::Postgres && !is_character(what) =>
            {
                same(&dialect.opaque_name(name))
            }
            ("locate", [_, _, _]) if mysql => same("my_locate"),
            ("char" | "quote" | "json_type" | "soundex", _) if mysql => same(&format!("mysql_{name}")),
            _ => return None,
        })
    }

    /// SUBSTRING. From the first character on, and of no negative length, it is SQLite's.
    fn substring(&self, dialect: Dialect, text: &Expr, start: &Expr, length: Option<&Expr>) -> Expr {
        let sqlite = |start: Expr, length: Option<Expr>| {
            call("substr", [text.clone(), start].into_iter().chain(length).collect())
        };
        // Before the first character there are none, whatever the length: substr(x, 1, -1) is empty.
        let plain = length.is_none_or(|n| at_least(n, 0) || start.as_integer() == Some(1));
        if at_least(start, 1) && plain {
            return sqlite(start.clone(), length.cloned());
        }
        let constants = (start.as_integer(), length.map(|n| n.as_integer()));
        match (dialect, constants) {
            // Places before the first are counted, and empty.
            (Dialect::Postgres, (Some(_), None)) => sqlite(Expr::integer(1), None),
            (Dialect::Postgres, (Some(from), Some(Some(n)))) if n >= 0 => {
                let length = from.saturating_add(n).saturating_sub(1).max(0);
                sqlite(Expr::integer(1), Some(Expr::integer(length)))
            }
            // Place 0 is the first, and no length is none: as MySQL has it from the first place on.
            (Dialect::Snowflake, (from, _)) if at_least(start, 0) => {
                let start = match from {
                    Some(0) => Expr::integer(1),
                    _ if at_least(start, 1) => start.clone(),
                    _ => call("max", vec![Expr::integer(1), start.clone()]),
                };
                match length {
                    Some(n) if plain => sqlite(start, Some(n.clone())),
                    None => sqlite(start, None),
                    Some(n) => call("my_substr", vec![text.clone(), start, n.clone()]),
                }
            }
            (Dialect::Mysql, (Some(0), _)) => sqlite(Expr::integer(1), Some(Expr::integer(0))),
            (dialect, _) => {
                let name = match dialect {
                    Dialect::Postgres if start.as_text().is_some() => {
                        return matching(text, start, length);
                    }
                    Dialect::Postgres => "pg_substr".to_owned(),
                    Dialect::Mysql => "my_substr".to_owned(),
                    other => format!("{other}_substring"),
                };
                let all = [text, start].into_iter().chain(length).cloned();
                call(&name, all.collect())
            }
        }
    }

    /// LEFT: a negative count leaves so many out in PostgreSQL, and is none in MySQL.
    fn left(&self, dialect: Dialect, text: &Expr, count: &Expr) -> Option<Expr> {
        let first = |n: Expr| call("substr", vec![text.clone(), Expr::integer(1), n]);
        if at_least(count, 0) {
            return Some(first(count.clone()));
        }
        match dialect {
            // substr(x, 1, -1) is empty.
            Dialect::Mysql => Some(first(count.clone())),
            Dialect::Postgres => match count.as_integer() {
                Some(n) => Some(first(Expr::binary(
                    BinaryOp::Sub,
                    call("length", vec![text.clone()]),
                    Expr::integer(n.saturating_neg()),
                ))),
                None => Some(call("pg_left", vec![text.clone(), count.clone()])),
            },
            _ => None,
        }
    }

    /// RIGHT. substr(s, -n) is the end of the text, but substr(s, 0) is all of it.
    fn right(&self, dialect: Dialect, text: &Expr, count: &Expr) -> Option<Expr> {
        let last = |n: i64| call("substr", vec![text.clone(), Expr::integer(n.saturating_neg())]);
        let none = || call("substr", vec![text.clone(), Expr::integer(1), Expr::integer(0)]);
        match (count.as_integer(), dialect) {
            (Some(n), _) if n > 0 => Some(last(n)),
            (Some(0), _) | (Some(_), Dialect::Mysql) => Some(none()),
            // All but the first.
            (Some(n), Dialect::Postgres) => {
                let start = Expr::integer(n.saturating_neg().saturating_add(1));
                Some(call("substr", vec![text.clone(), start]))
            }
            (None, Dialect::Postgres) => Some(call("pg_right", vec![text.clone(), count.clone()])),
            (None, Dialect::Mysql) => Some(call("my_right", vec![text.clone(), count.clone()])),
            _ => None,
        }
    }

    /// The remainder: SQLite's `%` cuts fractions off first, its mod() does not.
    pub(super) fn remainder(&self, left: Expr, right: Expr) -> Expr {
        let whole =
            |e: &Expr| matches!(info_of(e, &self.columns).class, TypeClass::Integer | TypeClass::Boolean);
        match whole(&left) && whole(&right) || self.dialect == Dialect::Sqlite {
            true => Expr::binary(BinaryOp::Mod, left, right),
            false => call("mod", vec![left, right]),
        }
    }

    /// Whether a number is binary by its type, and no decimal number cast by us: a column, or whole numbers behind a cast.
    pub(super) fn is_double(&self, expr: &Expr) -> bool {
        let whole = |e: &Expr| info_of(e, &self.columns).class == TypeClass::Integer && !self.is_decimal(e);
        match expr {
            Expr::Cast { expr: _, affinity: Affinity::Real } => true,
            Expr::Binary { op: BinaryOp::Div, left, right } => match &**left {
                Expr::Cast { expr, affinity: Affinity::Real } => {
                    whole(expr) && whole(right) || self.is_double(expr) || self.is_double(right)
                }
                left => self.is_double(left) || self.is_double(right),
            },
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right } => {
                self.is_double(left) || self.is_double(right)
            }
            Expr::Unary { op: _, expr } => self.is_double(expr),
            Expr::Column(_) => self.is_binary(expr) || self.kind(expr) == Some(ForeignType::Double),
            // DATE_PART's whole numbers.
            other => self.kind(other) == Some(ForeignType::Double),
        }
    }

    /// Whether a value is computed from binary numbers: REAL, DOUBLE. A cast below a division is our own.
    pub(super) fn is_binary(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Column(id) => id.info(&self.columns).is_some_and(|i| i.affinity == Some(Affinity::Real)),
            Expr::Cast { expr: _, affinity } => *affinity == Affinity::Real,
            Expr::Binary { op: BinaryOp::Div, left, right } => {
                let dividend = match &**left {
                    Expr::Cast { expr, affinity: Affinity::Real } => expr,
                    other => other,
                };
                self.is_binary(dividend) || self.is_binary(right)
            }
            other => other.operands().into_iter().any(|e| self.is_binary(e)),
        }
    }

    /// A text and a number, compared as numbers: `'a' = 0`, `'1a' = 1` in MySQL; elsewhere such a text is an error or NULL.
    pub(super) fn as_numbers(&self, left: Expr, right: Expr) -> (Expr, Expr) {
        if !self.dialect.meaning().texts_as_numbers {
            return (left, right);
        }
        let class = |e: &Expr| info_of(e, &self.columns).class;
        let number =
            |e: &Expr| matches!(class(e), TypeClass::Integer | TypeClass::Number | TypeClass::Boolean);
        // SQL Server reads 'true' beside a BIT as 1 (<https://learn.microsoft.com/sql/t-sql/data-types/bit-transact-sql>).
        let read = |text: Expr, beside: &Expr| match text.as_text().map(str::to_ascii_lowercase).as_deref() {
            Some(word @ ("true" | "false"))
                if self.dialect == Dialect::Tsql && class(beside) == TypeClass::Boolean =>
            {
                Expr::integer(i64::from(word == "true"))
            }
            _ => as_number(text),
        };
        match (class(&left) == TypeClass::Text, class(&right) == TypeClass::Text) {
            (true, false) if number(&right) => (read(left, &right), right),
            (false, true) if number(&left) => {
                let right = read(right, &left);
                (left, right)
            }
            _ => (left, right),
        }
    }
}

/// Whether PostgreSQL and the sandbox match the same by a regular expression.
pub(super) fn matches_alike(pattern: &str) -> bool {
    let lazy = ["*?", "+?", "??", "}?", "(?", "|"].iter().any(|part| pattern.contains(part));
    let classes =
        pattern.split('\\').skip(1).all(|rest| rest.starts_with(['d', 's', 'w', 'D', 'S', 'W', '.']));
    !lazy && classes
}

/// `SUBSTRING(x FROM pattern)`: what its only group matches, or all of it. Where there is a choice, PostgreSQL takes the longest
/// match, and the sandbox the first.
fn matching(text: &Expr, pattern: &Expr, length: Option<&Expr>) -> Expr {
    match (pattern.as_text().filter(|p| matches_alike(p)), length) {
        (Some(written), None) if written.matches('(').count() <= 1 && !written.contains("[(") => {
            let group = Expr::integer(i64::from(written.contains('(')));
            let flags = Expr::text("c");
            call("sql_regexp_extract", vec![text.clone(), pattern.clone(), flags, Expr::integer(1), group])
        }
        _ => {
            let all = [text, pattern].into_iter().chain(length).cloned();
            call("postgres_substring_matching", all.collect())
        }
    }
}

/// The number that a text begins with, 0 where it begins with none: what SQLite's cast gives as well.
fn as_number(expr: Expr) -> Expr {
    let whole = expr.as_text().and_then(|t| t.trim().parse::<i64>().ok());
    match whole {
        Some(n) => Expr::integer(n),
        None => expr.cast(Affinity::Real),
    }
}

/// Whether a template of printf holds texts alone.
fn only_strings(template: &str) -> bool {
    template.matches('%').count() == template.matches("%s").count()
}

/// Whether it is one character.
fn is_character(expr: &Expr) -> bool {
    expr.as_text().is_some_and(|t| t.chars().count() == 1)
}
