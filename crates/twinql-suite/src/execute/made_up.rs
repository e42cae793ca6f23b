//! Values for functions of which only their owner knows anything.
//!
//! Read as BigQuery, `mozfun.map.sum(x)` is `bigquery_mozfun_map_sum(x)`, and nothing can execute it. Two queries that call
//! the same such functions can be compared nevertheless, with values that depend on the function's name and its arguments
//! alone. If the answers agree, it did not matter what the function gives. If they differ, they differ for some function of
//! that name, and the report says that its values are made up. Where only one of two queries calls it, nothing is known.

use std::collections::BTreeSet;

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use twinql_sql::Dialect;
use twinql_sql::hash::{FNV, finalised, fnv};

use super::{ExecError, Sandbox};

/// Functions of one query.
const MOST: usize = 16;
/// Different values of a function: few, so that rows meet in joins and groups.
const VALUES: u64 = 7;

impl Sandbox {
    /// Defines the functions that both queries call and nobody knows, if they are the same on both sides, and gives their
    /// names. Those of the pair before are gone.
    pub(crate) fn make_up(&self, texts: [&str; 2]) -> BTreeSet<String> {
        let [gold, pred] = texts.map(|text| {
            self.forget_made_up();
            self.unknown_functions(text)
        });
        if gold != pred {
            self.forget_made_up();
            return BTreeSet::new();
        }
        gold
    }

    /// Takes the made-up functions away.
    pub(crate) fn forget_made_up(&self) {
        for name in std::mem::take(&mut *self.made_up.borrow_mut()) {
            // One that cannot be taken away would be there for the next pair, and give the same values.
            let _ = self.connection.remove_function(name.as_str(), -1);
        }
    }

    /// The functions that a query calls and nobody knows. They are defined one after the other: SQLite names one at a time.
    fn unknown_functions(&self, sql: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        while names.len() < MOST {
            let Err(ExecError::Invalid(message)) = self.prepare(sql) else { break };
            let Some(name) = unknown_function(&message) else { break };
            if define(&self.connection, name).is_err() || !names.insert(name.to_owned()) {
                break;
            }
            self.made_up.borrow_mut().insert(name.to_owned());
        }
        names
    }
}

/// The function that SQLite lacks by this message of its, where it is one of a dialect: [`Dialect::of_opaque`] says of which.
pub fn unknown_function(message: &str) -> Option<&str> {
    let name = message.split_once("no such function: ")?.1;
    let name = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    Dialect::of_opaque(name).map(|_| name)
}

fn define(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    let of_name = fnv(FNV, name.bytes());
    connection.create_scalar_function(name, -1, flags, move |context| Ok(value(of_name, context)))
}

/// A small number that depends on name and arguments; NULL where the first argument is, as of most functions.
fn value(of_name: u64, context: &Context<'_>) -> Option<i64> {
    let mut hash = of_name;
    for place in 0..context.len() {
        hash = match context.get_raw(place) {
            ValueRef::Null if place == 0 => return None,
            ValueRef::Null => fnv(hash, *b"null"),
            // 1 and 1.0 are equal.
            ValueRef::Integer(n) => fnv(hash, (n as f64).to_bits().to_le_bytes()),
            ValueRef::Real(r) => fnv(hash, r.to_bits().to_le_bytes()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => fnv(hash, bytes.iter().copied()),
        };
    }
    Some((finalised(hash) % VALUES) as i64)
}

#[cfg(test)]
mod tests {
    use super::unknown_function;

    #[test]
    fn only_functions_of_dialects_are_made_up() {
        assert_eq!(unknown_function("no such function: trino_json_query"), Some("trino_json_query"));
        assert_eq!(unknown_function("no such function: bigquery_f in SELECT"), Some("bigquery_f"));
        for message in ["no such function: frobnicate", "no such function: trino_", "no such table: trino_x"]
        {
            assert_eq!(unknown_function(message), None, "{message}");
        }
    }
}
