//! `twinql profile`, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql profile shop.sqlite > shop.profile.json
  twinql profile shop.sqlite --values 20 --out shop.profile.json
  twinql profile database --out profiles.jsonl
  twinql profile shop.duckdb > shop.profile.json
  twinql profile postgres://me@host/shop --pg-schema public > shop.profile.json
  twinql profile --pg-stats stats.csv --pg-class class.csv --db-id shop > shop.profile.json
  twinql score --pairs pairs.jsonl --schemas shop.sql --metric expected-ex --profile shop.profile.json

The database is opened read-only. Servers and DuckDB files are read by the clients psql and duckdb, which must
be installed; psql finds passwords in ~/.pgpass, PGPASSWORD or the address. The profile holds no row, and no value of a text without --values;
the smallest and the largest number of a column are in it, and years of dates. It is JSON to read and edit.")]
pub(crate) struct ProfileCommand {
    /// A SQLite or DuckDB file, the address of a PostgreSQL server (postgres://…), or a folder with DB/DB.sqlite
    /// for each (their profiles are written as JSON lines)
    #[arg(value_name = "DB")]
    pub(crate) db: Option<PathBuf>,
    /// PostgreSQL's client
    #[arg(long, value_name = "PATH", default_value = "psql")]
    pub(crate) psql: PathBuf,
    /// The schema whose tables are measured, on a PostgreSQL server
    #[arg(long, value_name = "NAME", default_value = "public")]
    pub(crate) pg_schema: String,
    /// DuckDB's client
    #[arg(long, value_name = "PATH", default_value = "duckdb")]
    pub(crate) duckdb: PathBuf,
    /// Seconds that a client may take for each thing it is asked
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub(crate) client_seconds: u64,
    /// PostgreSQL's view pg_stats, exported as CSV with a header
    #[arg(long, value_name = "FILE", conflicts_with = "db")]
    pub(crate) pg_stats: Option<PathBuf>,
    /// relname and reltuples of PostgreSQL's pg_class, exported as CSV with a header: numbers of rows
    #[arg(long, value_name = "FILE", requires = "pg_stats")]
    pub(crate) pg_class: Option<PathBuf>,
    /// The database's id in the profile [default: the file's name without its ending, a server's database]
    #[arg(long, value_name = "ID")]
    pub(crate) db_id: Option<String>,
    /// Tell the N most common values of each column too
    #[arg(long, value_name = "N")]
    pub(crate) values: Option<usize>,
    /// Rows of a table that are looked at
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub(crate) rows: u64,
    /// Write the profile to this file, whole or not at all [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl ProfileCommand {
    /// How long a client may take.
    pub(crate) fn limit(&self) -> Duration {
        Duration::from_secs(self.client_seconds)
    }
}
