//! What an audit says: findings, where they are, and what shows them.

use serde::Serialize;
use twinql_sql::{Assumption, Value};

use crate::check::Check;
use crate::text::Place;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something does nothing, or may matter on some data.
    Note,
    /// The answer is not determined, or most likely not the one that was meant.
    Warning,
    /// There is no answer, or it is empty on every database.
    Error,
}

impl Severity {
    /// From the least to the greatest.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Two answers and the database that has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// What the two answers are of.
    pub shows: Shows,
    /// CREATE and INSERT statements that make the database.
    pub statements: String,
    /// What SQLite calls the columns of the answers.
    pub columns: [Vec<String>; 2],
    /// The rows of the answers.
    pub answers: [Vec<Vec<Value>>; 2],
}

/// What a witness compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shows {
    /// Two answers that SQL allows: the same rows are stored in two orders, or ties are broken otherwise.
    TwoAnswers,
    /// The query's answer, and that of the query as it was most likely meant.
    Mended(String),
}

/// Something that is wrong, or most likely is.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static Check,
    /// How bad it is; never worse than the check says.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// Why, in one sentence.
    pub reason: String,
    /// What to do about it.
    pub remedy: Option<String>,
    /// The query as it was most likely meant, where that is clear.
    pub mended: Option<String>,
    /// What the semantics takes for granted without which it would be no finding.
    pub assumes: Vec<Assumption>,
    /// What shows it.
    pub witness: Option<Witness>,
}

/// How far a query was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// All checks looked at it.
    Audited,
    /// SQLite refuses it: the finding says why.
    Refused,
    /// SQLite takes it and the planner does not: nothing beyond that was looked at.
    NotUnderstood(String),
}

impl Status {
    /// Its name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Audited => "audited",
            Status::Refused => "refused",
            Status::NotUnderstood(_) => "not_understood",
        }
    }
}

/// What is said of one query.
#[derive(Debug, Clone)]
pub struct Audit {
    /// How far it was understood.
    pub status: Status,
    /// The text that places refer to: the query, after what was repaired in it.
    pub text: String,
    /// What was found, in the order of the text.
    pub findings: Vec<Finding>,
}
