//! `twinql profile`: what may be shared of a database that may not be touched.
//!
//! Counts, shares, ranges, shapes, keys and references that hold in fact; never a row, and values of texts only
//! with `--values`. `--profile` of other commands has plausible databases follow it.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use twinql::files::{Inputs, read_bounded};
use twinql::suite::Files;
use twinql::suite::profile::{MeasureConfig, PgStats, Profile, from_pg_stats, measure};

use crate::args::typed;
use crate::output::{Console, Sink};

/// MiB that an exported CSV file may have.
const MOST: u64 = 512;

/// Writes the profile of a database as a document, those of a folder's databases a line each.
pub(crate) fn run(typed: &typed::ProfileCommand, console: Console) -> Result<bool> {
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
    let mut write = |sink: &mut Sink, profile: Profile, line: bool| -> Result<()> {
        told += tables_with_values(&profile);
        match line {
            true => sink.line(&Value::from(profile).to_string()),
            false => sink.write(&profile.text()),
        }
    };
    match (&typed.db, &typed.pg_stats) {
        (Some(db), None) if db.is_dir() => {
            let files = Files::find(db)?;
            let mut sink = Sink::new(typed.out.as_deref())?;
            for id in files.ids() {
                let Some(file) = files.of(id).and_then(<[_]>::first) else { continue };
                match of_file(file, &config, console) {
                    Ok(profile) => write(&mut sink, Profile { db_id: id.to_owned(), ..profile }, true)?,
                    Err(error) => console.warn(format!("{id}: {error:#}")),
                }
            }
            sink.finish()?;
        }
        (Some(db), None) => {
            let mut profile = of_file(db, &config, console)?;
            if let Some(id) = &typed.db_id {
                profile.db_id.clone_from(id);
            }
            let mut sink = Sink::new(typed.out.as_deref())?;
            write(&mut sink, profile, false)?;
            sink.finish()?;
        }
        (None, Some(stats)) => {
            let profile = of_statistics(typed, stats, values)?;
            let mut sink = Sink::new(typed.out.as_deref())?;
            write(&mut sink, profile, false)?;
            sink.finish()?;
        }
        _ => bail!("nothing to measure: give a SQLite file, or --pg-stats FILE with PostgreSQL's statistics"),
    }
    if told > 0 {
        console.say(format!(
            "--values: the profile holds common values of {told} columns; look at them before you share it"
        ));
    }
    Ok(true)
}

/// Columns of which values are told.
fn tables_with_values(profile: &Profile) -> usize {
    let columns = profile.tables.iter().flat_map(|(_, table)| &table.columns);
    columns.filter(|(_, column)| !column.common.is_empty()).count()
}

fn of_file(path: &Path, config: &MeasureConfig, console: Console) -> Result<Profile> {
    if let Some(text) =
        path.to_str().filter(|t| t.starts_with("postgres://") || t.starts_with("postgresql://"))
    {
        bail!("{}", without_connection(text));
    }
    if is_duckdb(path) {
        bail!("{}", by_copy(path));
    }
    let measured = measure(path, config).map_err(anyhow::Error::msg)?;
    for note in &measured.notes {
        console.warn(note);
    }
    Ok(measured.profile)
}

/// No connection is made; PostgreSQL has the statistics ready.
fn without_connection(url: &str) -> String {
    // A password is not printed.
    let url = match url.split_once('@') {
        Some((_, host)) => format!("postgres://…@{host}"),
        None => url.to_owned(),
    };
    format!(
        "{url}: twinql makes no connection; PostgreSQL's own statistics, exported by somebody who may, give a profile:\n  \
         psql URL -c \"\\copy (SELECT * FROM pg_stats WHERE schemaname = 'public') TO 'stats.csv' CSV HEADER\"\n  \
         psql URL -c \"\\copy (SELECT relname, reltuples FROM pg_class WHERE relkind IN ('r', 'p')) TO 'class.csv' CSV HEADER\"\n  \
         twinql profile --pg-stats stats.csv --pg-class class.csv --db-id NAME > NAME.profile.json"
    )
}

fn is_duckdb(path: &Path) -> bool {
    let mut head = [0; 12];
    // A pipe would be emptied, and a missing file has an error of its own.
    let plain = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    plain && File::open(path).and_then(|mut f| f.read_exact(&mut head)).is_ok() && head.ends_with(b"DUCK")
}

fn by_copy(path: &Path) -> String {
    let file = path.display();
    let stem = path.file_stem().map_or_else(|| "db".into(), |s| s.to_string_lossy().into_owned());
    format!(
        "{file} is a DuckDB file, which this program does not read; DuckDB copies it to SQLite, which it does:\n  \
         duckdb -c \"INSTALL sqlite; LOAD sqlite; ATTACH '{file}' AS source (READ_ONLY); ATTACH '{stem}.sqlite' AS copy (TYPE sqlite); COPY FROM DATABASE source TO copy\"\n  \
         twinql profile {stem}.sqlite > {stem}.profile.json"
    )
}

fn of_statistics(typed: &typed::ProfileCommand, stats: &Path, values: usize) -> Result<Profile> {
    let text = |path: &Path| -> Result<String> {
        let bytes = read_bounded(path, MOST, "exported statistics")?;
        String::from_utf8(bytes).with_context(|| format!("{} is no text in UTF-8", path.display()))
    };
    let classes = typed.pg_class.as_deref().map(text).transpose()?;
    let stem = stats.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let given = PgStats {
        stats: &text(stats)?,
        classes: classes.as_deref(),
        db_id: typed.db_id.as_deref().unwrap_or(&stem),
        values,
    };
    from_pg_stats(&given).map_err(|e| anyhow::anyhow!("{}: {e}", stats.display()))
}
