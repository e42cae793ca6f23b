//! Which dialect the queries of a file are in: a vote.
//!
//! A dialect reads a query where its grammar takes the text as it stands, its planner takes the query over the schema and
//! knows of nothing that the system refuses in it, and SQLite or the sandbox has every function of the plan. Each query votes for every dialect that reads it. The dialect
//! with the most votes is taken; of several with as many, the first of [`Dialect::ALL`]. A query that all of them read, or
//! none, decides nothing: a file of such queries is SQLite's as much as anybody's.
//!
//! [`Dialect::Generic`] is no system: it reads what many write, and is never guessed.
//!
//! ```
//! use twinql_sql::guess::Votes;
//! use twinql_sql::{Dialect, Schema};
//!
//! let schema = Schema::from_ddl("d", "CREATE TABLE t (a INTEGER, b TEXT)")?;
//! let mut votes = Votes::default();
//! for sql in ["SELECT a FROM t", "SELECT b::int FROM t WHERE b ILIKE 'x%'"] {
//!     votes.add(sql, |_| Some(&schema));
//! }
//! let guess = votes.guess();
//! assert_eq!(guess.dialect, Dialect::Postgres);
//! assert_eq!((guess.read, guess.decided, guess.queries), (2, 1, 2));
//! # Ok::<(), twinql_sql::SchemaError>(())
//! ```

use std::collections::BTreeMap;

use crate::dialects::Dialect;
use crate::parse::{foreign, lacking, parse, parse_in};
use crate::plan::plan_and_refusal;
use crate::print;
use crate::schema::Schema;

/// The dialects that are guessed: those of a system.
fn candidates() -> impl Iterator<Item = Dialect> {
    Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Generic)
}

/// Whether a dialect reads a query as it stands.
pub fn reads(schema: &Schema, sql: &str, dialect: Dialect) -> bool {
    let Ok(parsed) = parse_in(sql, dialect) else { return false };
    if !parsed.repairs.is_empty() {
        return false;
    }
    let Ok((plan, None)) = plan_and_refusal(schema, &parsed) else { return false };
    if dialect == Dialect::Sqlite {
        return foreign::refuse(sql).is_ok() && lacking(&parsed).is_none();
    }
    let printed = print::to_sql(schema, &plan);
    printed.is_ok_and(|sql| parse(&sql).is_ok_and(|translated| lacking(&translated).is_none()))
}

/// The systems that read a query over a schema.
pub fn readers(schema: &Schema, sql: &str) -> Vec<Dialect> {
    candidates().filter(|dialect| reads(schema, sql, *dialect)).collect()
}

/// What queries say of their dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Votes {
    queries: usize,
    decided: usize,
    read: BTreeMap<Dialect, usize>,
}

/// The dialect that a vote came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// The dialect.
    pub dialect: Dialect,
    /// How many queries it reads.
    pub read: usize,
    /// How many queries some dialects read and others do not.
    pub decided: usize,
    /// How many queries voted.
    pub queries: usize,
    /// The dialects that read most beside it, with their number of queries.
    pub next: Vec<(Dialect, usize)>,
}

impl Votes {
    /// Lets a query vote. `schema` is what a dialect reads of the DDL, none where it cannot read it.
    pub fn add<'s>(&mut self, sql: &str, schema: impl Fn(Dialect) -> Option<&'s Schema>) {
        let readers = candidates().filter(|d| schema(*d).is_some_and(|schema| reads(schema, sql, *d)));
        self.count(&readers.collect::<Vec<_>>());
    }

    /// Counts a query that these dialects read.
    fn count(&mut self, readers: &[Dialect]) {
        self.queries += 1;
        self.decided += usize::from(!readers.is_empty() && readers.len() < candidates().count());
        for dialect in readers {
            *self.read.entry(*dialect).or_default() += 1;
        }
    }

    /// What the votes come to.
    pub fn guess(&self) -> Guess {
        let read = |dialect| self.read.get(&dialect).copied().unwrap_or(0);
        let most = candidates().map(read).max().unwrap_or(0);
        let dialect = candidates().find(|d| read(*d) == most).unwrap_or_default();
        let others = || candidates().filter(|d| *d != dialect);
        let second = others().map(read).max().unwrap_or(0);
        Guess {
            dialect,
            read: most,
            decided: self.decided,
            queries: self.queries,
            next: others().filter(|d| read(*d) == second).map(|d| (d, second)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(queries: &[&str]) -> Guess {
        let schema = Schema::from_ddl("d", "CREATE TABLE t (a INTEGER, b TEXT, d DATE)").unwrap();
        let mut votes = Votes::default();
        queries.iter().for_each(|sql| votes.add(sql, |_| Some(&schema)));
        votes.guess()
    }

    #[test]
    fn what_one_system_alone_has_decides() {
        let plain = "SELECT a FROM t WHERE b = 'x'";
        for (queries, dialect, decided) in [
            (vec![plain, plain], Dialect::Sqlite, 0),
            (vec![plain, "SELECT a FROM t WHERE b = \"x\" AND [a] > 3"], Dialect::Sqlite, 1),
            (vec![plain, "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a"], Dialect::Postgres, 1),
            (vec![plain, "SELECT b FROM t LIMIT 2, 3", "SELECT `a` DIV 2 FROM t"], Dialect::Mysql, 2),
            // What nobody reads says nothing.
            (vec!["SELECT nothing FROM nowhere", "no SQL"], Dialect::Sqlite, 0),
        ] {
            let found = guess(&queries);
            assert_eq!((found.dialect, found.decided), (dialect, decided), "{queries:?}: {found:?}");
            assert_eq!(found.queries, queries.len());
        }
    }

    /// A dialect that is added joins by itself; of equal ones the first is taken.
    #[test]
    fn every_system_votes() {
        for dialect in candidates() {
            let mut votes = Votes::default();
            votes.count(&candidates().collect::<Vec<_>>());
            votes.count(&[dialect]);
            let guess = votes.guess();
            assert_eq!((guess.dialect, guess.read, guess.decided), (dialect, 2, 1));
            assert!(guess.next.iter().all(|(other, read)| *other != dialect && *read == 1));
        }
        assert_eq!(Votes::default().guess().dialect, Dialect::Sqlite);
    }
}
