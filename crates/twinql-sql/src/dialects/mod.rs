//! Whose SQL a text is: each system is one unit here, data that scanner, parser and planner read.

/// What a grammar of our own has, by the names of sqlparser's questions.
macro_rules! has {
    ($($feature:ident)*) => {$(
        fn $feature(&self) -> bool {
            true
        }
    )*};
}

/// The names of a dialect of sqlparser's, for a grammar that adds operators to it.
macro_rules! names_as_in {
    ($dialect:ident) => {
        fn dialect(&self) -> std::any::TypeId {
            std::any::TypeId::of::<$dialect>()
        }

        fn is_delimited_identifier_start(&self, ch: char) -> bool {
            $dialect {}.is_delimited_identifier_start(ch)
        }

        fn is_identifier_start(&self, ch: char) -> bool {
            $dialect {}.is_identifier_start(ch)
        }

        fn is_identifier_part(&self, ch: char) -> bool {
            $dialect {}.is_identifier_part(ch)
        }

        fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
            $dialect {}.identifier_quote_style(identifier)
        }
    };
}

pub(crate) mod aggregates;
mod bigquery;
mod clickhouse;
mod databricks;
mod described;
mod duckdb;
pub(crate) mod functions;
mod generic;
mod grammars;
mod lists;
mod mysql;
mod oracle;
mod postgres;
pub(crate) mod profile;
mod redshift;
mod snowflake;
mod sqlite;
mod trino;
pub(crate) mod tsql;
mod words;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use profile::Profile;

pub use described::{Described, QUESTIONS};
pub(crate) use duckdb::part as duckdb_part;
pub(crate) use lists::joined as joined_lists;
pub(crate) use words::matches_whole;

/// The system whose grammar and meaning a text has. Trees mean what SQLite means by them,
/// whatever the dialect: where another system means something else, the planner writes it
/// out in SQLite's terms (`docs/dialects.md` says what is and what is not modelled).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// SQLite; what databases are judged with.
    #[default]
    Sqlite,
    /// PostgreSQL.
    Postgres,
    /// MySQL and MariaDB, in their default SQL mode.
    Mysql,
    /// SQL Server.
    Tsql,
    /// BigQuery.
    Bigquery,
    /// Snowflake.
    Snowflake,
    /// Databricks and Spark.
    Databricks,
    /// DuckDB.
    Duckdb,
    /// Redshift.
    Redshift,
    /// Trino, Presto and Athena.
    Trino,
    /// Oracle.
    Oracle,
    /// ClickHouse.
    Clickhouse,
    /// Standard SQL with what most systems add to it.
    Generic,
}

impl Dialect {
    /// Every dialect, in the order in which they are documented.
    pub const ALL: [Dialect; 13] = [
        Dialect::Sqlite,
        Dialect::Postgres,
        Dialect::Mysql,
        Dialect::Tsql,
        Dialect::Bigquery,
        Dialect::Snowflake,
        Dialect::Databricks,
        Dialect::Duckdb,
        Dialect::Redshift,
        Dialect::Trino,
        Dialect::Oracle,
        Dialect::Clickhouse,
        Dialect::Generic,
    ];

    /// What it says of itself.
    pub(crate) const fn profile(self) -> &'static Profile {
        match self {
            Dialect::Sqlite => &sqlite::PROFILE,
            Dialect::Postgres => &postgres::PROFILE,
            Dialect::Mysql => &mysql::PROFILE,
            Dialect::Tsql => &tsql::PROFILE,
            Dialect::Bigquery => &bigquery::PROFILE,
            Dialect::Snowflake => &snowflake::PROFILE,
            Dialect::Databricks => &databricks::PROFILE,
            Dialect::Duckdb => &duckdb::PROFILE,
            Dialect::Redshift => &redshift::PROFILE,
            Dialect::Trino => &trino::PROFILE,
            Dialect::Oracle => &oracle::PROFILE,
            Dialect::Clickhouse => &clickhouse::PROFILE,
            Dialect::Generic => &generic::PROFILE,
        }
    }

    /// Its name on the command line and in signatures.
    pub const fn name(self) -> &'static str {
        self.profile().name
    }

    /// The system that speaks it, as messages call it.
    pub const fn system(self) -> &'static str {
        self.profile().system
    }

    /// The parser's view of its grammar.
    pub fn grammar(self) -> &'static dyn sqlparser::dialect::Dialect {
        (self.profile().grammar)()
    }

    /// How its text is cut into tokens.
    pub(crate) const fn text(self) -> &'static profile::Text {
        &self.profile().text
    }

    /// How its names are found.
    pub(crate) const fn names(self) -> &'static profile::Names {
        &self.profile().names
    }

    /// Whether it looks that rows keep to the keys that are declared. BigQuery, Snowflake, Databricks and Redshift take keys
    /// as promises (<https://cloud.google.com/bigquery/docs/primary-foreign-keys>,
    /// <https://docs.snowflake.com/en/sql-reference/constraints-overview>,
    /// <https://docs.databricks.com/en/tables/constraints.html>,
    /// <https://docs.aws.amazon.com/redshift/latest/dg/t_Defining_constraints.html>).
    pub(crate) const fn enforces_keys(self) -> bool {
        !matches!(self, Dialect::Bigquery | Dialect::Snowflake | Dialect::Databricks | Dialect::Redshift)
    }

    /// What its words mean.
    pub(crate) const fn meaning(self) -> &'static profile::Meaning {
        &self.profile().meaning
    }
}

impl Dialect {
    /// A part of EXTRACT, by the name that PostgreSQL has for it; `None` for one of which nothing is known.
    ///
    /// Databricks: sql/language-manual/functions/extract; DuckDB: sql/functions/datepart; Trino: functions/datetime#extract.
    pub(crate) fn part(self, name: &str) -> Option<&str> {
        let lower = name.to_ascii_lowercase();
        match (self, lower.as_str()) {
            (Dialect::Snowflake, lower) => snowflake::part(lower),
            (Dialect::Databricks, "dow" | "dayofweek" | "yearofweek") => None,
            (Dialect::Databricks, "dow_iso" | "dayofweek_iso") => Some("isodow"),
            (Dialect::Duckdb, "weekday" | "dayofweek") => Some("dow"),
            (Dialect::Duckdb, "weekofyear") => Some("week"),
            (Dialect::Trino, "dow" | "day_of_week") => Some("isodow"),
            (Dialect::Trino, "day_of_year") => Some("doy"),
            (Dialect::Trino, "day_of_month") => Some("day"),
            (Dialect::Trino, "yow" | "year_of_week") => Some("isoyear"),
            (Dialect::Duckdb, "second" | "seconds" | "sec" | "s") => Some("second"),
            _ => Some(name),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no dialect has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect {name:?}; the dialects are {}", Dialect::ALL.map(Dialect::name).join(", "))]
pub struct UnknownDialect {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let lower = name.trim().to_ascii_lowercase();
        Dialect::ALL
            .into_iter()
            .find(|d| d.name() == lower || d.profile().also.contains(&lower.as_str()))
            .ok_or_else(|| UnknownDialect { name: name.to_owned() })
    }
}
