//! One status for one cause, whatever metric or command meets it.
//!
//! | cause | status |
//! |---|---|
//! | the gold, the schema or the line cannot be used | `gold_error` |
//! | the prediction does not parse, names what the schema lacks, writes, or is missing | `pred_error` |
//! | a construct or the name of a dialect that is not known; a gold with a function that SQLite lacks; a function of another system of which nothing is known; a query larger or deeper than a limit, ours or SQLite's | `unsupported` |
//! | a query ran into the time, row or memory limits of the sandbox | `timeout` |
//! | the gold answered on no database | `untested` |
//! | no worker process can be started | `machine_error` |
//! | a database refutes a proof | `contradicted` |
//!
//! A metric has the status of what it met ([`Record::status_of`](crate::Record::status_of)); that of the pair is made of them.
//! Where both sides fail, the gold is named, unless it is merely not supported.

use twinql_sql::prove::{ProveError, Side};
use twinql_sql::{Dialect, SqlError};
use twinql_suite::{FileVerdict, VerdictBy, unknown_function};

use crate::job::{Job, Work};
use crate::record::Status;

/// What SQLite and the sandbox say where a text is larger or deeper than one of its limits, or asks for what
/// SQLite has no form for. They say nothing of whether it is a query: SQLite built otherwise, or the system that it was
/// written for, takes it.
const BEYOND: [&str; 12] = [
    "Expression tree is too large",
    "parser stack overflow",
    "string or blob too big",
    "LIKE or GLOB pattern too complex",
    "too many columns",
    "too many terms in",
    "too many FROM clause terms",
    "tables in a join",
    "too many arguments on function",
    "Recursion limit",
    "more bytes of SQL than allowed",
    "cannot be executed",
];

/// The status of a pair that nothing has been asked of yet, and the error where its input is unusable.
pub fn of_input(job: &Job) -> (Status, Option<String>) {
    match &job.work {
        Work::Unusable { status, error, .. } => (*status, Some(error.clone())),
        Work::Pair { .. } => (Status::Ok, None),
    }
}

/// The name of a side in messages and files.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::Gold => "gold",
        Side::Pred => "pred",
    }
}

/// The status of a pair of which this side cannot be read; `unsupported`: SQLite may well take it.
pub fn of_side(side: Side, unsupported: bool) -> Status {
    match (unsupported, side) {
        (true, _) => Status::Unsupported,
        (false, Side::Gold) => Status::GoldError,
        (false, Side::Pred) => Status::PredError,
    }
}

/// The side that decides the status where both cannot be read.
pub fn decisive(gold_unsupported: bool, pred_unsupported: bool) -> Side {
    // What is no query at all says more than what is merely not supported.
    match gold_unsupported && !pred_unsupported {
        true => Side::Pred,
        false => Side::Gold,
    }
}

/// True if an error says that a query is not understood or beyond a limit, and not that it is none.
pub fn is_unsupported(error: &SqlError) -> bool {
    matches!(error, SqlError::Unsupported { .. } | SqlError::TooLarge { .. })
}

/// The status of a pair that has no proof of either kind because a side has no plan.
pub fn of_proof(error: &ProveError) -> Status {
    of_side(error.side, is_unsupported(&error.error))
}

/// What SQLite says of a function that it does not have.
const NO_FUNCTION: &str = "no such function";

/// The status of a pair of which SQLite refuses a side, by what it says.
fn of_refusal(side: Side, message: &str) -> Status {
    // The system that a gold was written for has its functions; a prediction beside a gold that runs has no such excuse.
    let opaque = side == Side::Gold && message.contains(NO_FUNCTION);
    of_side(side, opaque || is_beyond(message))
}

/// Whether a refusal says nothing of whether the text is a query.
fn is_beyond(message: &str) -> bool {
    BEYOND.iter().any(|limit| message.contains(limit))
}

fn refused(side: Side, message: &str) -> (Status, Option<String>) {
    let name = side_name(side);
    if let Some((dialect, function)) = unknown_function(message).and_then(Dialect::of_opaque) {
        let error =
            format!("{name}: nothing is known of {dialect}'s {function}, and only one query calls it");
        return (Status::Unsupported, Some(error));
    }
    let error = match message {
        "not authorized" => {
            format!("{name}: not authorized: the sandbox runs queries that read, and nothing that writes")
        }
        message => format!("{name}: {message}"),
    };
    (of_refusal(side, message), Some(error))
}

fn stopped(side: Side) -> (Status, Option<String>) {
    let error = format!("{}: stopped by the limits of the sandbox on several databases", side_name(side));
    (Status::Timeout, Some(error))
}

/// The status of a verdict, of the judge or on a distilled suite, with the error to show.
pub fn of_verdict<W>(verdict: &VerdictBy<W>) -> (Status, Option<String>) {
    match verdict {
        VerdictBy::GoldError { message } => refused(Side::Gold, message),
        VerdictBy::PredError { message } => refused(Side::Pred, message),
        VerdictBy::Timeout { side } => stopped(*side),
        VerdictBy::Untested { reason, .. } => (Status::Untested, Some(reason.clone())),
        VerdictBy::MachineError { message } => (Status::MachineError, Some(message.clone())),
        VerdictBy::Same { .. } | VerdictBy::Different { .. } => (Status::Ok, None),
    }
}

/// The status of an execution on the users' own databases, with the error to show.
pub fn of_file(verdict: &FileVerdict) -> (Status, Option<String>) {
    let at = |file: &std::path::Path, message: &str| format!("{}: {message}", file.display());
    let placed = |side, file, message: &str| {
        let error = format!("{}: {}", side_name(side), at(file, message));
        (of_refusal(side, message), Some(error))
    };
    match verdict {
        FileVerdict::Same { .. } | FileVerdict::Different { .. } => (Status::Ok, None),
        FileVerdict::FileError { message } => (Status::GoldError, Some(message.clone())),
        FileVerdict::Untested { reason, .. } => (Status::Untested, Some(reason.clone())),
        FileVerdict::MachineError { message } => (Status::MachineError, Some(message.clone())),
        FileVerdict::GoldError { file, message } => placed(Side::Gold, file, message),
        FileVerdict::PredError { file, message } => placed(Side::Pred, file, message),
        FileVerdict::Timeout { side, file, message } => {
            let error = format!("{}: {}", side_name(*side), at(file, message));
            // The length of a text is a limit of another kind than time, rows and memory.
            let status = if is_beyond(message) { Status::Unsupported } else { Status::Timeout };
            (status, Some(error))
        }
        _ => (Status::GoldError, None),
    }
}
