//! `twinql serve`, as typed.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::shared::{PairDialectFlags, RunFlags, SchemaFlags, SemanticsFlag};

/// The scores over HTTP.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql serve --schemas tables.json                       then open http://127.0.0.1:8417/
  twinql serve --schemas tables.json --checkpoint base --port 9000 --threads 4
  TWINQL_TOKEN=$(cat token) twinql serve --host 0.0.0.0 --most-pairs 256

  curl -s 127.0.0.1:8417/score -H 'content-type: application/json' -d '{
    \"schema\": \"CREATE TABLE t (a INTEGER)\", \"gold\": \"SELECT a FROM t\", \"pred\": \"SELECT t.a FROM t\"}'

/openapi.json describes every path. Nothing is stored, nothing is sent anywhere, and logs hold no queries unless
--log-queries asks for them.")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) schemas: SchemaFlags<PairDialectFlags>,
    /// The database of requests that name none [default: the only one in --schemas]
    #[arg(long, value_name = "ID", help_heading = "Input")]
    pub(crate) db_id: Option<String>,
    /// The network: `small` or `base`, which are built in, or a checkpoint of `twinql train` [default: small]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// What `the same answer` means where a request does not say
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    /// The address to listen at; others than this machine's own are for a network that you trust, or with --token
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", help_heading = "Server")]
    pub(crate) host: IpAddr,
    /// The port; 0 takes a free one, which is printed
    #[arg(long, value_name = "N", default_value_t = 8417, help_heading = "Server")]
    pub(crate) port: u16,
    /// Requests must carry `Authorization: Bearer TOKEN`, all but /health; better given as TWINQL_TOKEN
    #[arg(long, value_name = "TOKEN", help_heading = "Server", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// The largest body of a request, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 4096, help_heading = "Server")]
    pub(crate) most_body: usize,
    /// Pairs in one request
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Server")]
    pub(crate) most_pairs: usize,
    /// Requests that are worked on at a time [default: twice the cores]
    #[arg(long, value_name = "N", help_heading = "Server")]
    pub(crate) most_at_once: Option<usize>,
    /// Requests that may wait beside them; further ones are answered 429 at once
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Server")]
    pub(crate) most_waiting: usize,
    /// Seconds after which a request is answered 503
    #[arg(long, value_name = "SECONDS", default_value_t = 30, help_heading = "Server")]
    pub(crate) time_limit: u64,
    /// Log the texts of queries, too
    #[arg(long, help_heading = "Server")]
    pub(crate) log_queries: bool,
    #[command(flatten)]
    pub(crate) run: RunFlags,
}
