//! PostgreSQL's statistics through `psql`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::{ClientError, output};

/// A server's address as it was typed, apart from its password.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// The address without a password: what `psql` gets.
    url: String,
    /// What is printed of it.
    shown: String,
    password: Option<String>,
    /// The database's name, where the address says it.
    database: Option<String>,
    user: Option<String>,
}

/// `pg_stats` and the row counts of `pg_class`, as CSV with a header.
pub(crate) struct Exported {
    pub(crate) stats: String,
    pub(crate) classes: String,
}

impl std::fmt::Display for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Server {
    /// Reads an address; none where the text is none.
    ///
    /// # Errors
    /// It cannot be told which part of it is the password.
    pub(crate) fn read(text: &str) -> Result<Option<Server>> {
        let Some((scheme, rest)) =
            text.split_once("://").filter(|(s, _)| matches!(*s, "postgres" | "postgresql"))
        else {
            return Ok(None);
        };
        let (authority, beyond) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (path, query) =
            beyond.split_once('?').map_or((beyond, None), |(path, query)| (path, Some(query)));
        let (account, host) = match authority.rsplit_once('@') {
            Some((account, host)) => (Some(account), host),
            None => (None, authority),
        };
        if account.is_none() && path.contains('@') {
            // What stands before it may be the half of a password.
            bail!(
                "{scheme}://…: write a @, / or ? in a name or password as %40, %2F and %3F: the address has a @ behind a /"
            );
        }
        let (user, mut password) = match account.map(|a| a.split_once(':').unwrap_or((a, ""))) {
            Some((user, password)) => (Some(user), Some(password).filter(|p| !p.is_empty())),
            None => (None, None),
        };
        let mut kept = Vec::new();
        let mut named = None;
        for part in query.into_iter().flat_map(|q| q.split('&')) {
            match part.split_once('=') {
                Some(("password", value)) => password = Some(value),
                other => {
                    if let Some(("dbname", value)) = other {
                        named = Some(value);
                    }
                    kept.push(part);
                }
            }
        }
        let database = named.or(path.strip_prefix('/')).filter(|d| !d.is_empty());
        let account = user.map(|u| format!("{u}@")).unwrap_or_default();
        let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
        Ok(Some(Server {
            url: format!("{scheme}://{account}{host}{path}{query}"),
            shown: format!("{scheme}://…@{host}{path}"),
            password: password.map(decoded).transpose()?,
            database: database.map(decoded).transpose()?,
            user: user.filter(|u| !u.is_empty()).map(decoded).transpose()?,
        }))
    }

    /// The name of the database that `psql` connects to.
    pub(crate) fn database(&self) -> Result<String> {
        // The order in which libpq looks.
        let set = |name| std::env::var(name).ok().filter(|v| !v.is_empty());
        let found = self.database.clone().or_else(|| set("PGDATABASE"));
        found.or_else(|| self.user.clone()).or_else(|| set("PGUSER")).with_context(|| {
            format!(
                "{}: the address names no database: add its name behind the host, or give --db-id",
                self.shown
            )
        })
    }

    /// Reads the statistics of the tables in `schema`.
    ///
    /// # Errors
    /// `psql` is missing, fails, or passes a bound.
    pub(crate) fn statistics(&self, psql: &Path, schema: &str, limit: Duration) -> Result<Exported> {
        let name = literal(schema);
        let stats = format!(
            "SELECT * FROM pg_catalog.pg_stats WHERE schemaname = {name} ORDER BY tablename, attname"
        );
        let classes = format!(
            "SELECT c.relname, c.reltuples FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = {name} AND c.relkind IN ('r', 'p') ORDER BY c.relname"
        );
        Ok(Exported { stats: self.copy(psql, &stats, limit)?, classes: self.copy(psql, &classes, limit)? })
    }

    /// The rows of a query as CSV with a header.
    fn copy(&self, psql: &Path, query: &str, limit: Duration) -> Result<String> {
        let mut command = Command::new(psql);
        // Neither a file of the user's nor a prompt: a missing password is an error.
        command.args([
            "--no-psqlrc",
            "--no-password",
            "--quiet",
            "--set=ON_ERROR_STOP=1",
            "--dbname",
            &self.url,
        ]);
        // Twice read-only: options in the address stand in for PGOPTIONS.
        let milliseconds = limit.as_millis().min(i32::MAX as u128);
        command.arg("--command").arg(format!(
            "BEGIN READ ONLY; SET LOCAL statement_timeout = {milliseconds}; COPY ({query}) TO STDOUT (FORMAT csv, HEADER); COMMIT"
        ));
        command.env("PGOPTIONS", "-c default_transaction_read_only=on").env("PGCLIENTENCODING", "UTF8");
        if let Some(password) = &self.password {
            command.env("PGPASSWORD", password);
        }
        command.stdin(Stdio::null());
        let bytes = output(command, limit, None).map_err(|e| anyhow::anyhow!(self.told(psql, &e)))?;
        String::from_utf8(bytes)
            .with_context(|| format!("{}: what psql gave is no text in UTF-8", self.shown))
    }

    /// What went wrong, and what helps.
    fn told(&self, psql: &Path, error: &ClientError) -> String {
        let (shown, program) = (&self.shown, psql.display());
        match error {
            ClientError::Missing => format!(
                "{shown}: {program} was not found: install PostgreSQL's client, say where it is with --psql, or have somebody who may export the statistics:\n{}",
                by_hand()
            ),
            error => {
                let said = format!("{shown}: {program} {error}");
                match self.password.as_deref().filter(|p| !p.is_empty()) {
                    Some(password) => said.replace(password, "…"),
                    None => said,
                }
            }
        }
    }
}

/// What somebody types who may read the server.
fn by_hand() -> &'static str {
    "  psql URL -c \"\\copy (SELECT * FROM pg_stats WHERE schemaname = 'public') TO 'stats.csv' CSV HEADER\"\n  \
     psql URL -c \"\\copy (SELECT relname, reltuples FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace) TO 'class.csv' CSV HEADER\"\n  \
     twinql profile --pg-stats stats.csv --pg-class class.csv --db-id NAME > NAME.profile.json"
}

/// A text as a literal that means the same whatever `standard_conforming_strings` says.
fn literal(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// A part of an address with its `%41` read.
fn decoded(text: &str) -> Result<String> {
    let fail = || {
        anyhow::anyhow!("the address has a % that is not followed by two hexadecimal digits; write % as %25")
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digit = |at: usize| rest.get(at).and_then(|d| char::from(*d).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(fail()) };
        bytes.push((high * 16 + low) as u8);
        rest = rest.get(2..).unwrap_or_default();
    }
    // An environment variable cannot hold it.
    if bytes.contains(&0) {
        return Err(fail());
    }
    String::from_utf8(bytes).map_err(|_| anyhow::anyhow!("the address holds bytes that are no text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str, password: Option<&str>, database: Option<&str>, text: &str) {
        let read = Server::read(text).unwrap().unwrap();
        assert_eq!(
            (read.url.as_str(), read.password.as_deref(), read.database.as_deref()),
            (url, password, database),
            "{text}"
        );
        if let Some(password) = password {
            assert!(!read.shown.contains(password) && !read.url.contains(password), "{read:?}");
        }
    }

    #[test]
    fn a_password_is_taken_out_of_an_address() {
        server("postgres://me@host/db", Some("secret"), Some("db"), "postgres://me:secret@host/db");
        server(
            "postgresql://me@[::1]:5433/a%20b",
            Some("p@:/"),
            Some("a b"),
            "postgresql://me:p%40%3A%2F@[::1]:5433/a%20b",
        );
        // Further marks in it, and several hosts.
        server("postgres://me@h1:1,h2:2/db", Some("a:b@c"), Some("db"), "postgres://me:a:b@c@h1:1,h2:2/db");
        server(
            "postgres://host/?user=me&dbname=x",
            Some("s e"),
            Some("x"),
            "postgres://host/?user=me&password=s%20e&dbname=x",
        );
        server("postgres://", None, None, "postgres://");
        server("postgres://me@host", None, None, "postgres://me:@host");
    }

    #[test]
    fn what_is_no_address_is_a_file() {
        for text in ["shop.sqlite", "postgres:/x", "mysql://host/db", ""] {
            assert_eq!(Server::read(text).unwrap(), None, "{text}");
        }
    }

    #[test]
    fn an_address_that_may_tell_a_password_is_refused() {
        for text in
            ["postgres://me:half/other@host/db", "postgres://me:100%@host/db", "postgres://me:%00@host/db"]
        {
            let error = Server::read(text).unwrap_err().to_string();
            assert!(error.contains('%') && !error.contains("half") && !error.contains("100%"), "{error}");
        }
    }

    #[test]
    fn literals_are_closed() {
        assert_eq!(literal("public"), "E'public'");
        assert_eq!(literal("a'b\\'; DROP"), "E'a''b\\\\''; DROP'");
    }
}
