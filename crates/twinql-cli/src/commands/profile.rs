//! `twinql profile`: what may be shared of a database that may not be touched.
//!
//! Counts, shares, ranges, shapes, keys and references that hold in fact; never a row, and values of texts only
//! with `--values`. `--profile` of other commands has plausible databases follow it.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use twinql::files::{Inputs, Scratch, read_bounded};
use twinql::suite::Files;
use twinql::suite::profile::{MeasureConfig, PgStats, Profile, from_pg_stats, measure};

use crate::args::profile::ProfileCommand;
use crate::commands::clients::{Exported, Server, copy_to_sqlite, is_duckdb};
use crate::output::{Console, Sink};

/// MiB that an exported CSV file may have.
const MOST: u64 = 512;

/// Writes the profile of a database as a document, those of a folder's databases a line each.
pub(crate) fn run(typed: &ProfileCommand, console: Console) -> Result<bool> {
    let mut inputs = Inputs::default().with([
        ("DB", typed.db.as_deref()),
        ("--pg-stats", typed.pg_stats.as_deref()),
        ("--pg-class", typed.pg_class.as_deref()),
    ]);
    if let Some(out) = &typed.out {
        inputs.output(out)?;
    }
    let values = typed.values.unwrap_or(0);
    let config = MeasureConfig { rows: typed.rows, values };
    let mut told = 0;
    match &typed.db {
        Some(folder) if folder.is_dir() => {
            let files = Files::find(folder)?;
            // Each as it is measured: many databases take their time.
            let mut sink = Sink::new(typed.out.as_deref())?;
            for id in files.ids() {
                let Some(file) = files.of(id).and_then(<[_]>::first) else { continue };
                match of_file(file, &config, typed, console) {
                    Ok(profile) => {
                        told += columns_with_values(&profile);
                        let profile = Value::from(Profile { db_id: id.to_owned(), ..profile });
                        sink.line(&profile.to_string())?;
                    }
                    Err(error) => console.warn(format!("{id}: {error:#}")),
                }
            }
            sink.finish()?;
        }
        one => {
            let profile = match (one, &typed.pg_stats) {
                (Some(db), _) => match db.to_str().map(Server::read).transpose()?.flatten() {
                    Some(server) => of_server(&server, typed, values)?,
                    None => of_file(db, &config, typed, console)?,
                },
                (None, Some(stats)) => of_statistics(typed, stats, values)?,
                (None, None) => bail!(
                    "nothing to measure: give a SQLite or DuckDB file, the address of a PostgreSQL server, or --pg-stats FILE with its statistics"
                ),
            };
            told += columns_with_values(&profile);
            let db_id = typed.db_id.clone().unwrap_or_else(|| profile.db_id.clone());
            let mut sink = Sink::new(typed.out.as_deref())?;
            sink.write(&Profile { db_id, ..profile }.text())?;
            sink.finish()?;
        }
    }
    if told > 0 {
        console.say(format!(
            "--values: the profile holds common values of {told} columns; look at them before you share it"
        ));
    }
    Ok(true)
}

/// Columns of which values are told.
fn columns_with_values(profile: &Profile) -> usize {
    let columns = profile.tables.iter().flat_map(|(_, table)| &table.columns);
    columns.filter(|(_, column)| !column.common.is_empty()).count()
}

/// The profile of a SQLite file or a DuckDB file.
fn of_file(path: &Path, config: &MeasureConfig, typed: &ProfileCommand, console: Console) -> Result<Profile> {
    if !is_duckdb(path) {
        return of_sqlite(path, config, console);
    }
    let scratch = Scratch::folder()?;
    let copy = scratch.path().join("copy.sqlite");
    copy_to_sqlite(path, &typed.duckdb, typed.limit(), &scratch, &copy)?;
    let profile = of_sqlite(&copy, config, console)?;
    Ok(Profile { db_id: stem(path), source: Some("DuckDB file".into()), ..profile })
}

/// A file's name without its ending.
fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The profile of a SQLite file.
fn of_sqlite(path: &Path, config: &MeasureConfig, console: Console) -> Result<Profile> {
    let measured = measure(path, config).map_err(anyhow::Error::msg)?;
    for note in &measured.notes {
        console.warn(note);
    }
    Ok(measured.profile)
}

/// The profile of a PostgreSQL server's statistics.
fn of_server(server: &Server, typed: &ProfileCommand, values: usize) -> Result<Profile> {
    let db_id = typed.db_id.clone().map_or_else(|| server.database(), Ok)?;
    let Exported { stats, classes } = server.statistics(&typed.psql, &typed.pg_schema, typed.limit())?;
    let given = PgStats { stats: &stats, classes: Some(&classes), db_id: &db_id, values };
    from_pg_stats(&given).map_err(|e| anyhow::anyhow!("{server}: the schema {}: {e}", typed.pg_schema))
}

/// The profile of exported statistics.
fn of_statistics(typed: &ProfileCommand, stats: &Path, values: usize) -> Result<Profile> {
    let text = |path: &Path| -> Result<String> {
        let bytes = read_bounded(path, MOST, "exported statistics")?;
        String::from_utf8(bytes).with_context(|| format!("{} is no text in UTF-8", path.display()))
    };
    let classes = typed.pg_class.as_deref().map(text).transpose()?;
    let db_id = typed.db_id.clone().unwrap_or_else(|| stem(stats));
    let given = PgStats { stats: &text(stats)?, classes: classes.as_deref(), db_id: &db_id, values };
    from_pg_stats(&given).map_err(|e| anyhow::anyhow!("{}: {e}", stats.display()))
}
