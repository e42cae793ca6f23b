//! How bad a finding is, and what shows it.

use serde::Serialize;
use twinql_sql::Value;

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

twinql_sql::named!(Severity: Note "note", Warning "warning", Error "error");

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
    /// The query's answer, and that of another gold of the same question.
    OtherGold(String),
}
