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
//! | `JSON_UNQUOTE(JSON_EXTRACT(d, p))` | `json_extract(d, p)` |

use super::Planner;
use super::temporal::call;
use crate::expr::{BinaryOp, Expr};
use crate::schema::Affinity;
use crate::value::Value;

/// The day before the first of the year 0, as a Julian day.
const YEAR_ZERO: f64 = 1_721_059.5;
/// Choices that one FIELD or ELT may have: each is a copy of its subject.
const MAX_CHOICES: usize = 32;

fn minus(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Sub, left, right)
}

impl Planner<'_> {
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
            ("to_days", [at]) => minus(day(at), zero()).cast(Affinity::Integer),
            ("from_days", [days]) => call("date", vec![Expr::binary(BinaryOp::Add, days.clone(), zero())]),
            ("makedate", [year, days]) => {
                let first = call("printf", vec![Expr::text("%04d-01-01"), year.clone()]);
                let later =
                    call("printf", vec![Expr::text("+%d days"), minus(days.clone(), Expr::integer(1))]);
                let counts = Expr::binary(BinaryOp::Gt, days.clone(), Expr::integer(0));
                Expr::case(vec![(counts, call("date", vec![first, later]))], None)
            }
            ("period_diff", [later, earlier]) => {
                let months = |e: &Expr| {
                    let hundred = || Expr::integer(100);
                    let years = Expr::binary(BinaryOp::Div, e.clone().cast(Affinity::Integer), hundred());
                    let months = Expr::binary(BinaryOp::Mod, e.clone().cast(Affinity::Integer), hundred());
                    Expr::binary(BinaryOp::Add, Expr::binary(BinaryOp::Mul, years, Expr::integer(12)), months)
                };
                minus(months(later), months(earlier))
            }
            // SQLite's gives a text without its quotes; MySQL compares it so.
            ("json_unquote", [extracted @ Expr::Function { name, args: _ }]) if name == "json_extract" => {
                extracted.clone()
            }
            _ => return None,
        })
    }
}
