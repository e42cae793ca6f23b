//! DuckDB files through `duckdb`, which copies their tables to a SQLite file.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use twinql::files::Scratch;

use super::{ClientError, output};

/// What copies the tables, a statement a row.
const STATEMENTS: &str = include_str!("duckdb_statements.sql");

/// True for a file that begins as DuckDB's do.
pub(crate) fn is_duckdb(path: &Path) -> bool {
    let mut head = [0; 12];
    // A pipe would be emptied, and a missing file has an error of its own.
    let plain = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    plain && File::open(path).and_then(|mut f| f.read_exact(&mut head)).is_ok() && head.ends_with(b"DUCK")
}

/// A row of what `STATEMENTS` gives.
#[derive(Deserialize)]
struct Row {
    statement: String,
}

/// Copies the tables of a DuckDB file, opened read-only, to the SQLite file `copy` in `scratch`.
///
/// # Errors
/// `duckdb` is missing, fails, or passes a bound; the file has no table.
pub(crate) fn copy_to_sqlite(
    file: &Path,
    program: &Path,
    limit: Duration,
    scratch: &Scratch,
    copy: &Path,
) -> Result<()> {
    let shown = file.display();
    let absolute = file.canonicalize().with_context(|| format!("cannot read {shown}"))?;
    let quoted = |path: &Path| -> Result<String> {
        let text =
            path.to_str().with_context(|| format!("{}: its name is no text in UTF-8", path.display()))?;
        Ok(format!("'{}'", text.replace('\'', "''")))
    };
    // Nothing is installed on the way: that needs the network, and is the user's to do.
    let attach = format!(
        "SET autoinstall_known_extensions = false;\nATTACH {} AS source (READ_ONLY);\n",
        quoted(&absolute)?
    );
    let run = |script: String, options: &[&str], written: Option<&Path>| {
        duckdb(program, script, options, limit, scratch, written)
            .map_err(|e| anyhow::anyhow!(told(file, program, &e)))
    };
    let listed = run(format!("{attach}{STATEMENTS}"), &["-json"], None)?;
    let rows: Vec<Row> = match listed.trim_ascii() {
        b"" => Vec::new(),
        text => serde_json::from_slice(text)
            .with_context(|| format!("{shown}: {} gave no list of tables", program.display()))?,
    };
    if rows.is_empty() {
        bail!("{shown}: it has no table in the schema main");
    }
    let mut script =
        format!("{attach}LOAD sqlite;\nATTACH {} AS copy (TYPE sqlite);\nUSE copy;\n", quoted(copy)?);
    for row in rows {
        script.push_str(&row.statement);
        script.push_str(";\n");
    }
    run(script, &[], Some(copy)).map(|_| ())
}

/// Runs a script, without the user's own settings of the client.
fn duckdb(
    program: &Path,
    script: String,
    options: &[&str],
    limit: Duration,
    scratch: &Scratch,
    written: Option<&Path>,
) -> Result<Vec<u8>, ClientError> {
    let input = |name: &str, text: &str| -> std::io::Result<(File, std::path::PathBuf)> {
        let path = scratch.path().join(name);
        let mut file = File::options().create(true).truncate(true).read(true).write(true).open(&path)?;
        file.write_all(text.as_bytes())?;
        file.rewind()?;
        Ok((file, path))
    };
    let (_, none) = input("settings", "").map_err(ClientError::System)?;
    // On stdin: an argument has a bound, and a wide table passes it.
    let (script, _) = input("script.sql", &script).map_err(ClientError::System)?;
    let mut command = Command::new(program);
    command.arg("-init").arg(none).args(["-batch", "-bail"]).args(options).stdin(script);
    output(command, limit, written)
}

/// What went wrong, and what helps.
fn told(file: &Path, program: &Path, error: &ClientError) -> String {
    let (shown, client) = (file.display(), program.display());
    match error {
        ClientError::Missing => format!(
            "{shown} is a DuckDB file, and {client} was not found: install DuckDB's client, say where it is with --duckdb, or copy the file to SQLite where it is:\n{}",
            by_hand(file)
        ),
        ClientError::Failed(said) if said.contains("INSTALL sqlite") => format!(
            "{shown}: {client} has no extension for SQLite files; install it once with {client} -c \"INSTALL sqlite\", or copy the file where there is one:\n{}\n{said}",
            by_hand(file)
        ),
        error => format!("{shown}: {client} {error}"),
    }
}

/// What somebody types where DuckDB has what it needs.
fn by_hand(file: &Path) -> String {
    let stem = file.file_stem().map_or_else(|| "db".into(), |s| s.to_string_lossy().into_owned());
    let (source, copy) = (file.to_string_lossy().replace('\'', "''"), stem.replace('\'', "''"));
    format!(
        "  duckdb -c \"INSTALL sqlite; LOAD sqlite; ATTACH '{source}' AS source (READ_ONLY); ATTACH '{copy}.sqlite' AS copy (TYPE sqlite); COPY FROM DATABASE source TO copy\"\n  \
         twinql profile {stem}.sqlite > {stem}.profile.json"
    )
}
