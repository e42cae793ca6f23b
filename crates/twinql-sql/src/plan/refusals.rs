//! What PostgreSQL refuses although its meaning is plain: unknown functions, types that do not go together, columns beside a
//! grouping, aliases where there are none.
//!
//! A query that its system refuses answers nothing. Such a query is planned all the same, and the first refusal is noted: beside
//! a gold that its system takes, a prediction that it refuses is an error, as in SQLite's dialect
//! ([`lacking`](crate::parse::lacking)).
//!
//! | written | PostgreSQL 15 says |
//! |---|---|
//! | `YEAR(d)`, `IFNULL(a, b)` | function year(date) does not exist |
//! | `SELECT a, COUNT(*) FROM t GROUP BY b` | column "a" must appear in the GROUP BY clause, unless b is the key of its table |
//! | `AVG(text)`, `SUM(a > b)` | function avg(text) does not exist |
//! | `name = 5`, `number = text`, `flag = 1` | operator does not exist: text = integer |
//! | `d LIKE '2020%'` | operator does not exist: date ~~ unknown |
//! | `ROUND(double, 2)` | function round(double precision, integer) does not exist |
//! | `EXTRACT(YEAR FROM text)` | function extract(unknown, text) does not exist |
//! | `QUALIFY …` | syntax error (in MySQL, SQL Server, Trino and Oracle as well) |
//! | `SELECT a AS x … WHERE x > 1`, `… HAVING x > 1` | column "x" does not exist |

use std::collections::HashSet;
use std::sync::LazyLock;

use sqlparser::ast::BinaryOperator;
use sqlparser::tokenizer::Span;

use super::Planner;
use super::aggregate::Groups;
use super::types::info_of;
use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::expr::{AggFunc, AggregateCall, Expr};
use crate::rel::ColumnId;
use crate::schema::TypeClass;
use crate::spans::TextRange;

/// The names of PostgreSQL 15's functions: its catalogue, and those that its grammar knows.
static NAMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../dialects/postgres/functions.txt").split_whitespace().collect());

/// What PostgreSQL calls a class of types.
fn called(class: TypeClass) -> &'static str {
    match class {
        TypeClass::Text => "text",
        TypeClass::Integer => "integer",
        TypeClass::Number => "numeric",
        TypeClass::Boolean => "boolean",
        TypeClass::Time => "date",
        TypeClass::Other => "unknown",
    }
}

impl Planner<'_> {
    /// Notes that the system refuses the query, and why; the first reason counts.
    pub(super) fn refuse(&self, message: String, span: Span) {
        self.refused
            .borrow_mut()
            .get_or_insert_with(|| SqlError::Invalid { message, place: TextRange::of(span) });
    }

    fn is_strict(&self) -> bool {
        self.dialect == Dialect::Postgres
    }

    /// The class of a value whose type PostgreSQL knows: none of a string, which takes the type of what stands beside it.
    fn class_known(&self, expr: &Expr) -> Option<TypeClass> {
        if expr.as_text().is_some() || *expr == Expr::NULL {
            return None;
        }
        let class = info_of(expr, &self.columns).class;
        (class != TypeClass::Other && self.kind(expr).is_none_or(|k| !k.is_moment())).then_some(class)
    }

    /// A function that PostgreSQL does not have.
    pub(super) fn check_name(&self, name: &str, span: Span) {
        if self.is_strict() && !NAMES.contains(name) {
            self.refuse(format!("no such function in PostgreSQL: {name}()"), span);
        }
    }

    /// An aggregate over values that have no sum or average.
    pub(super) fn check_aggregate(&self, call: &AggregateCall, span: Span) {
        let name = match call.func {
            AggFunc::Sum => "sum",
            AggFunc::Avg => "avg",
            _ => return,
        };
        let class = call.args.first().and_then(|e| self.class_known(e));
        if let Some(class @ (TypeClass::Text | TypeClass::Boolean)) = class
            && self.is_strict()
        {
            self.refuse(format!("PostgreSQL has no {name}({})", called(class)), span);
        }
    }

    /// Two values that PostgreSQL does not compare.
    pub(super) fn check_comparison(&self, left: &Expr, right: &Expr) {
        if !self.is_strict() {
            return;
        }
        let (Some(l), Some(r)) = (self.class_known(left), self.class_known(right)) else { return };
        let group = |class| match class {
            TypeClass::Integer | TypeClass::Number => 0,
            TypeClass::Text => 1,
            TypeClass::Boolean => 2,
            TypeClass::Time => 3,
            TypeClass::Other => 4,
        };
        // 1 and 0 are what TRUE and FALSE are planned to.
        let truth = |e: &Expr| matches!(e.as_integer(), Some(0 | 1));
        let constant = l == TypeClass::Boolean && truth(right) || r == TypeClass::Boolean && truth(left);
        if group(l) != group(r) && !constant {
            self.refuse(
                format!("PostgreSQL does not compare {} with {}; cast one of them", called(l), called(r)),
                Span::empty(),
            );
        }
    }

    /// Sums and differences of texts.
    pub(super) fn check_arithmetic(&self, op: &BinaryOperator, left: &Expr, right: &Expr, span: Span) {
        let arithmetic = matches!(
            op,
            BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo
        );
        let text = |e: &Expr| self.class_known(e) == Some(TypeClass::Text);
        if self.is_strict() && arithmetic && (text(left) || text(right)) {
            self.refuse(format!("PostgreSQL has no {op} over text; cast it to a number"), span);
        }
    }

    /// ON that names a table further right.
    pub(super) fn check_order_of_joins(&self, span: Span) {
        if self.is_strict() {
            self.refuse("ON names a table that is joined after it".into(), span);
        }
    }

    /// LIKE over what is no text.
    pub(super) fn check_like(&self, subject: &Expr, span: Span) {
        if !self.is_strict() {
            return;
        }
        let class = self.class_known(subject).filter(|c| *c != TypeClass::Text);
        let of_time = self.kind(subject).is_some_and(|k| k.is_moment());
        if class.is_some() || of_time {
            let what = class.map_or("date", called);
            self.refuse(format!("PostgreSQL has no LIKE over {what}"), span);
        }
    }

    /// `ROUND(double, digits)`.
    pub(super) fn check_call(&self, name: &str, args: &[Expr]) {
        if self.is_strict()
            && name == "round"
            && args.len() == 2
            && args.first().is_some_and(|x| self.is_double(x))
        {
            self.refuse(
                "PostgreSQL has no round(double precision, integer); cast to numeric".into(),
                Span::empty(),
            );
        }
    }

    /// EXTRACT from what is a text by its type.
    pub(super) fn check_extract(&self, from: &Expr) {
        if self.is_strict() && self.class_known(from) == Some(TypeClass::Text) {
            self.refuse("PostgreSQL has no EXTRACT from text; cast to date".into(), Span::empty());
        }
    }

    /// A column that stands above a grouping without being grouped by. It has one value in each group where the groups are
    /// by the key of its table.
    pub(super) fn check_bare(&self, column: ColumnId, groups: &Groups) {
        if !self.is_strict() {
            return;
        }
        let origin = |id: ColumnId| id.info(&self.columns).and_then(|i| i.origin);
        let grouped = |position: &usize| {
            groups.keys.iter().any(|(_, key)| match key {
                Expr::Column(id) => {
                    groups.input.get(id) == groups.input.get(&column)
                        && origin(*id).is_some_and(|at| at.column == *position)
                }
                _ => false,
            })
        };
        let table = origin(column).and_then(|at| self.schema.tables.get(at.table));
        if !table.is_some_and(|t| !t.primary_key.is_empty() && t.primary_key.iter().all(grouped)) {
            let name = column.info(&self.columns).map(|i| i.name.clone()).unwrap_or_default();
            self.refuse(
                format!(
                    "column {name:?} must appear in the GROUP BY clause or be used in an aggregate function"
                ),
                Span::empty(),
            );
        }
    }

    /// QUALIFY in a system that has none.
    pub(super) fn check_qualify(&self, span: Span) {
        if !self.dialect.text().qualify {
            self.refuse(format!("{} has no QUALIFY", self.dialect.system()), span);
        }
    }

    /// An alias of the select list in a clause that does not see it.
    pub(super) fn check_alias(&self, name: &sqlparser::ast::Ident) {
        if self.is_strict() && self.hides_aliases.get() {
            self.refuse(
                format!("no column named {:?} here; PostgreSQL's WHERE and HAVING see no alias", name.value),
                name.span,
            );
        }
    }
}
