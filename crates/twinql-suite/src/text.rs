//! From SQL text to what is executed and what is analysed.
//!
//! There is one parser, [`twinql_sql::parse()`]. SQLite is given the text as it is; only where
//! it refuses that is the repaired text tried, and the report says so.

use sqlparser::ast::Query;

use crate::execute::{ExecError, Prepared, Sandbox, trim};

/// A query ready to run, with what was changed to make it so.
pub(crate) struct Ready<'a> {
    pub(crate) prepared: Prepared<'a>,
    /// `None` where the parser does not know the text, which is executed nevertheless.
    pub(crate) ast: Option<Query>,
    pub(crate) sql: String,
    pub(crate) notes: Vec<String>,
}

/// Compiles a query: the text as it is, or else as repaired.
pub(crate) fn ready<'a>(sandbox: &'a Sandbox, sql: &str) -> Result<Ready<'a>, ExecError> {
    let sql = trim(sql);
    let parsed = twinql_sql::parse(sql).ok();
    let refused = match sandbox.prepare(sql) {
        Ok(prepared) => {
            return Ok(Ready {
                prepared,
                // Printed again, the AST would lose what a frame excludes.
                ast: parsed.filter(|p| p.frames.is_empty()).map(|p| *p.query),
                sql: sql.to_owned(),
                notes: Vec::new(),
            });
        }
        Err(error) => error,
    };
    // What SQLite says of the text as it stands tells more than what it says of a repair.
    let Some(parsed) = parsed.filter(|p| !p.repairs.is_empty()) else {
        return Err(refused);
    };
    let repaired = trim(&parsed.sql).to_owned();
    let prepared = sandbox.prepare(&repaired).map_err(|_| refused)?;
    Ok(Ready {
        prepared,
        ast: Some(*parsed.query),
        sql: repaired,
        notes: parsed.repairs.iter().map(|r| format!("repaired: {r}")).collect(),
    })
}
