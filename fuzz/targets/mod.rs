// What the fuzz targets do with their bytes; shared with the test that replays the corpus.

use twinql_sql::{Schema, Semantics, semantics::PRESETS};
use twinql_suite::{Judge, JudgeConfig, Limits, Sandbox};

const DDL: &str = "
    CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, age INTEGER);
    CREATE TABLE concert (id INTEGER PRIMARY KEY, theme TEXT, year INTEGER, seats REAL, held DATE,
        singer_id INTEGER NOT NULL REFERENCES singer(id));
    CREATE TABLE friend (a INTEGER REFERENCES singer(id), b INTEGER REFERENCES singer(id),
        since TEXT UNIQUE, PRIMARY KEY (a, b));";

/// The schema that all inputs are over.
pub(crate) fn schema() -> Schema {
    Schema::from_ddl("fuzz", DDL).unwrap_or_default()
}

/// The first byte chooses the semantics; the rest is text.
fn read(data: &[u8]) -> Option<(Semantics, &str)> {
    let (first, text) = data.split_first()?;
    let preset = PRESETS.get(usize::from(*first) % PRESETS.len())?;
    Some((Semantics::preset(preset)?, std::str::from_utf8(text).ok()?))
}

/// Parse, plan, normalise, print; what is printed can be read again.
pub(crate) fn canonical(schema: &Schema, data: &[u8]) {
    let Some((semantics, sql)) = read(data) else {
        return;
    };
    let Ok(canonical) = twinql_sql::canonicalize(schema, sql, &semantics) else {
        return;
    };
    let _ = twinql_sql::explain::tree(schema, &canonical.plan);
    let Ok(text) = twinql_sql::print::to_sql(schema, &canonical.plan) else {
        return;
    };
    // What is printed may pass a limit that the text did not; it may not crash.
    let _ = twinql_sql::canonicalize(schema, &text, &semantics);
}

/// Two queries, separated by a NUL byte, are judged; the sandbox holds what it held.
pub(crate) fn judge(schema: &Schema, data: &[u8]) {
    let Some((semantics, text)) = read(data) else {
        return;
    };
    let (gold, pred) = text.split_once('\0').unwrap_or((text, text));
    let limits = Limits {
        steps: 30_000,
        rows: 500,
        ..Limits::default()
    };
    let config = JudgeConfig {
        semantics,
        databases: 2,
        limits,
        shrink: true,
        ..JudgeConfig::default()
    };
    let Ok(judge) = Judge::new(schema, config) else {
        return;
    };
    let report = judge.report(gold, pred);
    assert_eq!(judge.report(gold, pred), report, "a verdict is the same twice");
    // Nothing that either text does may be seen by the next query.
    if let Ok(sandbox) = Sandbox::new(schema, limits) {
        for sql in [gold, pred] {
            let _ = sandbox.prepare(sql).and_then(|mut p| p.run(0));
        }
        let empty = sandbox
            .prepare("SELECT count(*) FROM singer, concert, friend")
            .and_then(|mut p| p.run(0));
        assert!(empty.is_ok_and(|a| a.rows.len() == 1), "a table is gone");
    }
}
