//! Aggregates of a dialect that has a table of its own.
//!
//! A row says what an aggregate is in SQLite's or the sandbox's words: `COUNTIF(c)` → `count(CASE WHEN c THEN 1 END)`. It holds
//! for the aggregate of a group and over a window. What has no row is looked up among those that all systems share
//! ([`crate::function::AGGREGATES`]).

use crate::dialects::Dialect;
use crate::expr::Expr;
use crate::plan::Planner;

/// An aggregate of one system.
pub(crate) struct Aggregate {
    /// Its names, in lower case: `some|any`.
    names: &'static str,
    /// The least and the greatest number of arguments with which this row holds.
    pub(crate) arguments: (usize, usize),
    /// What it is.
    pub(crate) to: To,
}

/// What an aggregate is in words that are known.
pub(crate) enum To {
    /// The aggregate of SQLite or the sandbox of this name, with the same arguments.
    Call(&'static str),
    /// Other words; `None` for a call that has none, which is then opaque.
    Written(fn(&Planner<'_>, &[Expr]) -> Option<Words>),
}

/// An aggregate in other words.
pub(crate) struct Words {
    /// The aggregate of SQLite or the sandbox.
    pub(crate) name: &'static str,
    /// Each value counts once.
    pub(crate) distinct: bool,
    /// Its arguments.
    pub(crate) args: Vec<Expr>,
    /// What is done with its value.
    pub(crate) then: Option<fn(Expr) -> Expr>,
}

impl Words {
    /// The aggregate of this name with these arguments.
    pub(crate) fn new(name: &'static str, args: Vec<Expr>) -> Words {
        Words { name, distinct: false, args, then: None }
    }
}

/// Lines of regression, as PostgreSQL has them (functions-aggregate): in Databricks, DuckDB, Oracle, Snowflake and Trino too.
pub(crate) const REGRESSIONS: &[Aggregate] = &[
    aggregate("regr_slope", (2, 2), To::Call("sql_regr_slope")),
    aggregate("regr_intercept", (2, 2), To::Call("sql_regr_intercept")),
    aggregate("regr_r2", (2, 2), To::Call("sql_regr_r2")),
];

/// The value of one argument where another is greatest or least: in BigQuery, Databricks, Snowflake and Trino. Which, where
/// several are, is open.
pub(crate) const BY_ANOTHER: &[Aggregate] = &[
    aggregate("max_by", (2, 2), To::Call("sql_max_by")),
    aggregate("min_by", (2, 2), To::Call("sql_min_by")),
];

/// A row.
pub(crate) const fn aggregate(names: &'static str, arguments: (usize, usize), to: To) -> Aggregate {
    Aggregate { names, arguments, to }
}

impl Aggregate {
    /// Its names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split('|')
    }
}

impl Dialect {
    /// The row of an aggregate's call, and its name there.
    pub(crate) fn aggregate(
        self,
        name: &str,
        arguments: usize,
    ) -> Option<(&'static str, &'static Aggregate)> {
        let rows = self.profile().aggregates.iter().copied().flatten();
        let mut fitting = rows.filter(|a| a.arguments.0 <= arguments && arguments <= a.arguments.1);
        fitting.find_map(|a| Some((a.names().find(|n| *n == name)?, a)))
    }

    /// Whether a dialect has a row for an aggregate of this lower-case name.
    pub(crate) fn any_has_aggregate(name: &str) -> bool {
        let mut rows = Dialect::ALL.iter().flat_map(|d| d.profile().aggregates.iter().copied().flatten());
        rows.any(|a| a.names().any(|n| n == name))
    }
}

/// `COUNTIF(c)`: how many rows hold.
pub(crate) fn count_if(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let [condition] = args else { return None };
    let one = Expr::case(vec![(condition.clone(), Expr::integer(1))], None);
    Some(Words::new("count", vec![one]))
}

/// `MEDIAN(x)`: the value in the middle, or between the two there.
pub(crate) fn median(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let [value] = args else { return None };
    let half = Expr::Literal(crate::value::Value::Real(0.5.into()));
    Some(Words::new("pg_percentile_cont", vec![half, value.clone()]))
}

/// `LISTAGG(x[, separator])`: nothing stands between the texts where no separator is said.
pub(crate) fn listagg(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let separator = args.get(1).cloned().unwrap_or_else(|| Expr::text(""));
    Some(Words::new("group_concat", vec![args.first()?.clone(), separator]))
}
