//! The checks: each one small unit, with a query that it finds and one that only looks like it.

mod bare_columns;
mod booleans;
mod conditions;
mod constants;
mod counted;
mod divisions;
mod emptiness;
mod floats;
mod joins;
mod limits;
mod nulls;
mod orders;
mod outer_joins;
mod refused;
mod repeated;
mod scalars;
mod superfluous;
mod types;
mod windows;

use std::ops::Range;

use crate::finding::{Finding, Severity};
use crate::gold::Gold;
use crate::text::Text;

pub(crate) use emptiness::NEVER_ANSWERED;
pub(crate) use orders::ORDER_TIES;
pub(crate) use refused::{REFUSED, SYNTAX, name_of, position, refusal, word_from};

/// The schema of all examples.
pub const SHOP: &str = "\
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER, score REAL, weight TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id),
  total REAL NOT NULL, day DATE NOT NULL);
CREATE TABLE line (order_id INTEGER NOT NULL REFERENCES orders(id), product TEXT NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY (order_id, product));
";

/// How a check looks at a query.
#[derive(Clone, Copy)]
pub(crate) enum Apply {
    /// The query has to be understood.
    Plan(fn(&Gold<'_>, &mut Sink<'_>)),
    /// What SQLite says of it is looked at before.
    Refusal,
    /// It is found by running the query.
    Execution,
}

/// One check.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name, in kebab case.
    pub id: &'static str,
    /// How bad what it finds is, at worst.
    pub severity: Severity,
    /// What it finds, in a line.
    pub summary: &'static str,
    /// Why that is wrong, in one sentence.
    pub why: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The answer is not determined: two orders of the same rows may show it.
    pub undetermined: bool,
    /// Queries over [`SHOP`] in which it finds something.
    pub finds: &'static [&'static str],
    /// Queries that look like these, in which it must find nothing.
    pub misses: &'static [&'static str],
    pub(crate) apply: Apply,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

impl PartialEq for Check {
    fn eq(&self, other: &Check) -> bool {
        self.id == other.id
    }
}

/// All checks, the worst first.
pub const CHECKS: &[Check] = &[
    refused::SYNTAX,
    refused::UNKNOWN_NAME,
    refused::AMBIGUOUS_NAME,
    refused::REFUSED,
    emptiness::CONTRADICTION,
    nulls::NULL_COMPARISON,
    emptiness::ALWAYS_EMPTY,
    emptiness::EMPTY_BY_ASSUMPTION,
    emptiness::NEVER_ANSWERED,
    constants::CONSTANT_COMPARISON,
    constants::STRING_FOR_COLUMN,
    limits::LIMIT_TIES,
    limits::LIMIT_WITHOUT_ORDER,
    bare_columns::BARE_COLUMN,
    bare_columns::BARE_BESIDE_EXTREME,
    orders::LIMIT_OF_ONE_ROW,
    scalars::SCALAR_OF_MANY,
    windows::WINDOW_TIES,
    windows::CONCATENATION_ORDER,
    types::TEXT_AS_NUMBER,
    types::TEXT_ORDER,
    types::NUMBER_AS_TEXT,
    divisions::INTEGER_DIVISION,
    booleans::MIXED_AND_OR,
    joins::JOIN_WITHOUT_CONDITION,
    joins::SELF_COMPARISON,
    joins::OTHER_JOIN_COLUMN,
    counted::COUNT_OF_REPEATED_KEY,
    repeated::SUM_OF_REPEATED_ROWS,
    repeated::AVERAGE_OF_REPEATED_ROWS,
    counted::GROUPS_OF_ONE_ROW,
    outer_joins::COUNT_OF_PADDING,
    emptiness::SAME_ARMS,
    nulls::NULLS_FIRST,
    nulls::NOT_IN_NULL,
    floats::FLOAT_EQUALITY,
    conditions::IMPLIED_CONDITION,
    outer_joins::OUTER_JOIN_UNDONE,
    superfluous::IDLE_DISTINCT,
    superfluous::IDLE_JOIN,
    orders::IDLE_ORDER,
    orders::ORDER_TIES,
    superfluous::REPEATED_OUTPUT,
];

/// The check with this name.
pub fn check(id: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|c| c.id == id)
}

/// Takes what a check finds.
pub(crate) struct Sink<'s> {
    check: &'static Check,
    text: &'s Text,
    found: &'s mut Vec<Finding>,
}

impl<'s> Sink<'s> {
    pub(crate) fn new(check: &'static Check, text: &'s Text, found: &'s mut Vec<Finding>) -> Sink<'s> {
        Sink { check, text, found }
    }

    /// A finding at a place, for which more may be said.
    pub(crate) fn add(&mut self, at: Range<usize>, reason: impl Into<String>) -> Said<'_> {
        self.found.push(Finding {
            check: self.check,
            severity: self.check.severity,
            place: self.text.place(at),
            reason: reason.into(),
            remedy: None,
            mended: None,
            assumes: Vec::new(),
            witness: None,
        });
        Said(self.found.last_mut())
    }
}

/// A finding that was just added.
pub(crate) struct Said<'f>(Option<&'f mut Finding>);

impl Said<'_> {
    fn set(mut self, change: impl FnOnce(&mut Finding)) -> Self {
        if let Some(finding) = &mut self.0 {
            change(finding);
        }
        self
    }

    /// What to do about it.
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        self.set(|f| f.remedy = Some(remedy.into()))
    }

    /// The query as it was most likely meant.
    pub(crate) fn mended(self, sql: Option<String>) -> Self {
        self.set(|f| f.mended = sql)
    }

    /// It is a finding by these assumptions only.
    pub(crate) fn assumes(self, assumptions: &[twinql_sql::Assumption]) -> Self {
        self.set(|f| f.assumes.extend(assumptions))
    }

    /// It is less bad than the check says.
    pub(crate) fn only(self, severity: Severity) -> Self {
        self.set(|f| f.severity = f.severity.min(severity))
    }
}
