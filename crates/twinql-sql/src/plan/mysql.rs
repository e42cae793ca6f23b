//! Functions that MySQL alone has, in SQLite's words (MySQL 8: string-functions, date-and-time-functions; each row was tried
//! on MariaDB 10.11, `cargo measure engines`).
//!
//! | MySQL | SQLite |
//! |---|---|
//! | `FIELD(x, 'a', 'b')` | `CASE WHEN x = 'a' THEN 1 WHEN x = 'b' THEN 2 ELSE 0 END` |
//! | `ELT(n, 'a', 'b')` | `CASE WHEN n = 1 THEN 'a' WHEN n = 2 THEN 'b' END` |
//! | `STRCMP(a, b)` | `CASE WHEN a = b THEN 0 WHEN a < b THEN -1 WHEN a > b THEN 1 END` |
//! | `TO_DAYS(d)`, `FROM_DAYS(n)` | days since the year 0: `julianday(date(d)) - 1721059.5` |
//! | `MAKEDATE(y, n)` | `date(printf('%04d-01-01', y), printf('+%d days', n - 1))` |
//! | `PERIOD_DIFF(a, b)` | months between two numbers such as 202402 |
//! | `PERIOD_ADD(p, n)` | the month so many after a number such as 202402, as such a number |
//! | `YEARWEEK(d)`, `WEEK(d, 3)` | `CAST(my_date_format(d, '%X%V') AS INTEGER)`, by the mode |
//! | `TO_SECONDS(d)`, `FROM_UNIXTIME(n, f)` | seconds since the year 0, `DATE_FORMAT(FROM_UNIXTIME(n), f)` |
//! | `TIMEDIFF(a, b)`, `ADDTIME(a, b)`, `SUBTIME(a, b)` | `my_timediff(a, b)`, `my_addtime(a, b, 1)` |
//! | `INSERT(x, n, 2, y)` | `x` where n is no place in it, else `ms_stuff(x, n, 2, y)` |
//! | `REGEXP_INSTR(x, p)` | `sql_regexp_place(x, p, 'i')` |
//! | `JSON_UNQUOTE(JSON_EXTRACT(d, p))` | `json_extract(d, p)` |
//! | `JSON_OBJECT('a', x)`, `JSON_ARRAY(x)` | `pg_jsonb(json_object('a', x))`, with a blank behind `:` and `,` |
//! | `BIN(n)`, `OCT(n)`, `CONV(n, 10, 16)` | `my_conv(n, 10, 2)`, … |
//! | `SHA2(x, 256)`, `TIME_FORMAT(t, f)` | `sql_sha256(x)`, `DATE_FORMAT(t, f)` where f has no more than `%H %i %s` |
//! | `DATE(CONCAT(y, '-', m, '-01'))` | `my_str_to_date(y || '-' || m || '-01', '%Y-%m-%d')`, which reads one digit |

use super::Planner;
use super::foreign_type::ForeignType;
use super::temporal::call;
use crate::expr::{BinaryOp, Expr};
use crate::schema::{Affinity, TypeClass};
use crate::value::Value;

/// The day before the first of the year 0, as a Julian day.
const YEAR_ZERO: f64 = 1_721_059.5;
/// Choices that one FIELD or ELT may have: each is a copy of its subject.
const MAX_CHOICES: usize = 32;

fn minus(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Sub, left, right)
}

/// The months of a number such as 202402.
fn months(period: &Expr) -> Expr {
    let hundred = || Expr::integer(100);
    let years = Expr::binary(BinaryOp::Div, period.clone().cast(Affinity::Integer), hundred());
    let months = Expr::binary(BinaryOp::Mod, period.clone().cast(Affinity::Integer), hundred());
    Expr::binary(BinaryOp::Add, Expr::binary(BinaryOp::Mul, years, Expr::integer(12)), months)
}

/// A part of a date by a format of MySQL's, as a number.
fn formatted(at: &Expr, format: &str) -> Expr {
    call("my_date_format", vec![at.clone(), Expr::text(format)]).cast(Affinity::Integer)
}

/// The date of a text that is put together, whose month and day may be of one digit.
pub(super) fn of_parts(text: &Expr) -> Expr {
    call("my_str_to_date", vec![text.clone(), Expr::text("%Y-%m-%d")])
}

/// Whether a format has hours, minutes and seconds alone.
fn of_a_time(format: &str) -> bool {
    format.split('%').skip(1).all(|part| part.starts_with(['H', 'i', 's', 'S', 'T']))
}

impl Planner<'_> {
    /// A document that a function of SQLite's makes, as MySQL prints it.
    fn document(&self, maker: &str, args: &[Expr]) -> Expr {
        call("pg_jsonb", vec![call(maker, self.parts_of_document(args))])
    }

    /// What is put into a document: a document as such, and not as its text.
    pub(crate) fn parts_of_document(&self, args: &[Expr]) -> Vec<Expr> {
        let part = |e: &Expr| match e {
            Expr::Function { name, args } if name == "pg_jsonb" => args.first().unwrap_or(e).clone(),
            _ if self.kind(e) == Some(ForeignType::Json) => call("json", vec![e.clone()]),
            _ => e.clone(),
        };
        args.iter().map(part).collect()
    }

    /// Makes whole numbers beside texts texts, as the values of one expression are
    /// (<https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html>).
    ///
    /// | before | after |
    /// |---|---|
    /// | `IFNULL(bonus, 'none')` | `IFNULL(CAST(bonus AS TEXT), 'none')` |
    pub(super) fn in_one_kind<'e>(&self, values: impl IntoIterator<Item = &'e mut Expr>) {
        let (texts, numbers): (Vec<_>, Vec<_>) =
            values.into_iter().filter(|e| **e != Expr::NULL).partition(|e| self.class(e) == TypeClass::Text);
        if texts.is_empty() {
            return;
        }
        for number in numbers.into_iter().filter(|e| self.class(e) == TypeClass::Integer) {
            *number = std::mem::replace(number, Expr::NULL).cast(Affinity::Text);
        }
    }

    /// Such a call; `None` for any other one.
    pub(super) fn mysql_call(&self, name: &str, args: &[Expr]) -> Option<Expr> {
        if args.iter().any(Expr::has_subquery) {
            return None;
        }
        let day = |e: &Expr| call("julianday", vec![call("date", vec![e.clone()])]);
        let zero = || Expr::Literal(Value::Real(YEAR_ZERO.into()));
        Some(match (name, args) {
            ("field", [subject, choices @ ..]) if choices.len() <= MAX_CHOICES => {
                let branch = |(at, choice): (usize, &Expr)| {
                    let same = self.compare(BinaryOp::Eq, subject.clone(), choice.clone());
                    (same, Expr::integer(i64::try_from(at + 1).unwrap_or(0)))
                };
                Expr::case(choices.iter().enumerate().map(branch).collect(), Some(Expr::integer(0)))
            }
            ("elt", [number, choices @ ..]) if !choices.is_empty() && choices.len() <= MAX_CHOICES => {
                let branch = |(at, choice): (usize, &Expr)| {
                    let place = Expr::integer(i64::try_from(at + 1).unwrap_or(0));
                    (Expr::binary(BinaryOp::Eq, number.clone(), place), choice.clone())
                };
                Expr::case(choices.iter().enumerate().map(branch).collect(), None)
            }
            ("strcmp", [left, right]) => {
                let branch =
                    |op, value| (self.compare(op, left.clone(), right.clone()), Expr::integer(value));
                Expr::case(
                    vec![branch(BinaryOp::Eq, 0), branch(BinaryOp::Lt, -1), branch(BinaryOp::Gt, 1)],
                    None,
                )
            }
            ("timestamp", [at]) => super::temporal::to_timestamp(at.clone()),
            ("timestamp", [at, by]) => {
                let at = super::temporal::to_timestamp(at.clone());
                call("my_addtime", vec![at, by.clone(), Expr::integer(1)])
            }
            ("date", [text @ Expr::Binary { op: BinaryOp::Concat, left: _, right: _ }]) => of_parts(text),
            ("to_days", [at]) => minus(day(at), zero()).cast(Affinity::Integer),
            ("from_days", [days]) => call("date", vec![Expr::binary(BinaryOp::Add, days.clone(), zero())]),
            ("makedate", [year, days]) => {
                let first = self.printed("%04d-01-01", std::slice::from_ref(year));
                let later =
                    call("printf", vec![Expr::text("+%d days"), minus(days.clone(), Expr::integer(1))]);
                let counts = Expr::binary(BinaryOp::Gt, days.clone(), Expr::integer(0));
                Expr::case(vec![(counts, call("date", vec![first, later]))], None)
            }
            ("period_diff", [later, earlier]) => minus(months(later), months(earlier)),
            ("period_add", [period, count]) => {
                let all = Expr::binary(BinaryOp::Add, months(period), count.clone());
                let all = || minus(all.clone(), Expr::integer(1));
                let years = Expr::binary(BinaryOp::Div, all(), Expr::integer(12));
                let month = Expr::binary(BinaryOp::Mod, all(), Expr::integer(12));
                let years = Expr::binary(BinaryOp::Mul, years, Expr::integer(100));
                Expr::binary(BinaryOp::Add, Expr::binary(BinaryOp::Add, years, month), Expr::integer(1))
            }
            ("yearweek", [at]) => formatted(at, "%X%V"),
            ("yearweek", [at, mode]) => match mode.as_integer()? {
                0 | 2 => formatted(at, "%X%V"),
                1 | 3 => formatted(at, "%x%v"),
                _ => return None,
            },
            ("week", [at, mode]) => match mode.as_integer()? {
                0 => formatted(at, "%U"),
                1 => formatted(at, "%u"),
                2 => formatted(at, "%V"),
                3 => formatted(at, "%v"),
                _ => return None,
            },
            ("to_seconds", [at]) => {
                let days = minus(call("julianday", vec![at.clone()]), zero());
                let seconds = Expr::binary(BinaryOp::Mul, days, Expr::integer(86_400));
                call("round", vec![seconds]).cast(Affinity::Integer)
            }
            ("from_unixtime", [count, format]) => {
                let at = call("datetime", vec![count.clone(), Expr::text("unixepoch")]);
                self.function("date_format".to_owned(), vec![at, format.clone()])
            }
            ("timediff", [_, _]) => call("my_timediff", args.to_vec()),
            ("addtime", [at, by]) => call("my_addtime", vec![at.clone(), by.clone(), Expr::integer(1)]),
            ("subtime", [at, by]) => call("my_addtime", vec![at.clone(), by.clone(), Expr::integer(-1)]),
            ("insert", [text, place, count, _]) if count.as_integer().is_some_and(|n| n >= 0) => {
                let length = call("length", vec![text.clone()]);
                let outside = Expr::or_all(vec![
                    Expr::binary(BinaryOp::Lt, place.clone(), Expr::integer(1)),
                    Expr::binary(BinaryOp::Gt, place.clone(), length),
                ]);
                Expr::case(vec![(outside, text.clone())], Some(call("ms_stuff", args.to_vec())))
            }
            // Regular expressions ignore case.
            ("regexp_instr", [text, pattern]) => {
                call("sql_regexp_place", vec![text.clone(), pattern.clone(), Expr::text("i")])
            }
            ("json_object", pairs) if pairs.len() % 2 == 0 => self.document("json_object", args),
            ("json_array", _) => self.document("json_array", args),
            ("json_length", [_]) => call("my_json_length", args.to_vec()),
            ("json_length", [document, path]) => {
                let inner = Expr::binary(BinaryOp::Arrow, document.clone(), path.clone());
                call("my_json_length", vec![inner])
            }
            ("bin", [number]) => call("my_conv", vec![number.clone(), Expr::integer(10), Expr::integer(2)]),
            ("oct", [number]) => call("my_conv", vec![number.clone(), Expr::integer(10), Expr::integer(8)]),
            ("conv", [_, _, _]) => call("my_conv", args.to_vec()),
            ("sha2", [text, bits]) if matches!(bits.as_integer(), Some(0 | 256)) => {
                call("sql_sha256", vec![text.clone()])
            }
            ("time_format", [_, format]) if format.as_text().is_some_and(of_a_time) => {
                self.function("date_format".to_owned(), args.to_vec())
            }
            // SQLite's gives a text without its quotes; MySQL compares it so.
            ("json_unquote", [extracted @ Expr::Function { name, args: _ }]) if name == "json_extract" => {
                extracted.clone()
            }
            _ => return None,
        })
    }
}
