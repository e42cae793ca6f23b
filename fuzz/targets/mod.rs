// What the fuzz targets do with their bytes; shared with the test that replays the corpus.

use twinql_sql::schema::spider::read_tables_json;
use twinql_sql::{Dialect, Schema, Semantics, semantics::PRESETS};
use twinql_suite::generate::Generator;
use twinql_suite::{Judge, JudgeConfig, Limits, Sandbox};

const DDL: &str = include_str!("../schema.sql");

/// The schema that all queries are over.
pub(crate) fn schema() -> Schema {
    Schema::from_ddl("fuzz", DDL).unwrap_or_default()
}

/// What an execution may take here.
fn limits() -> Limits {
    Limits { steps: 30_000, rows: 500, ..Limits::default() }
}

/// The first byte chooses the semantics and the dialect; the rest is text.
fn read(data: &[u8]) -> Option<(Semantics, Dialect, &str)> {
    let (first, text) = data.split_first()?;
    let first = usize::from(*first);
    let preset = PRESETS.get(first % PRESETS.len())?;
    let dialect = Dialect::ALL.get(first / PRESETS.len() % Dialect::ALL.len())?;
    let text = std::str::from_utf8(text).ok()?;
    Some((Semantics::preset(preset)?, *dialect, text))
}

/// Parse, plan, normalise, print, in every dialect; what is printed can be read again. Two
/// queries, separated by a NUL byte, are proved as well.
pub(crate) fn canonical(schema: &Schema, data: &[u8]) {
    let Some((semantics, dialect, text)) = read(data) else {
        return;
    };
    let mut translated = Vec::new();
    for sql in text.splitn(2, '\0') {
        // The translation means what the text means, in SQLite's words.
        let Ok(sql) = twinql_sql::in_sqlite(schema, sql, dialect) else {
            return;
        };
        // What is printed may pass a limit that the text did not; it may not crash.
        let Ok(canonical) = twinql_sql::canonicalize(schema, &sql, &semantics) else {
            return;
        };
        let _ = twinql_sql::explain::tree(schema, &canonical.plan);
        if let Ok(text) = twinql_sql::print::to_sql(schema, &canonical.plan) {
            let _ = twinql_sql::canonicalize(schema, &text, &semantics);
        }
        translated.push(sql);
    }
    if let [gold, pred] = translated.as_slice() {
        let _ = twinql_sql::prove(schema, gold, pred, &semantics);
    }
}

/// Two queries, separated by a NUL byte, are judged; the sandbox holds what it held.
pub(crate) fn judge(schema: &Schema, data: &[u8]) {
    let Some((semantics, dialect, text)) = read(data) else {
        return;
    };
    let (gold, pred) = text.split_once('\0').unwrap_or((text, text));
    // What has no form in SQLite is executed as it stands, and has to be held back all the same.
    let in_sqlite = |sql: &str| twinql_sql::in_sqlite(schema, sql, dialect).unwrap_or_else(|_| sql.into());
    let (gold, pred) = (in_sqlite(gold), in_sqlite(pred));
    let limits = limits();
    let config = JudgeConfig { semantics, databases: 2, limits, shrink: true, ..JudgeConfig::default() };
    let Ok(judge) = Judge::new(schema, config) else {
        return;
    };
    let report = judge.report(&gold, &pred);
    assert_eq!(judge.report(&gold, &pred), report, "a verdict is the same twice");
    // Nothing that either text does may be seen by the next query.
    if let Ok(sandbox) = Sandbox::new(schema, limits) {
        for sql in [gold, pred] {
            let _ = sandbox.prepare(&sql).and_then(|mut p| p.run(0));
        }
        let empty =
            sandbox.prepare("SELECT count(*) FROM singer, concert, friend").and_then(|mut p| p.run(0));
        assert!(empty.is_ok_and(|a| a.rows.len() == 1), "a table is gone");
    }
}

/// A schema file of every dialect: what was read can be printed and read again, and databases
/// are made of it that meet it.
pub(crate) fn ddl(data: &[u8]) {
    let Some((semantics, dialect, text)) = read(data) else {
        return;
    };
    if let Ok(schema) = Schema::from_ddl_in("fuzz", text, dialect) {
        printed_and_read_again(&schema);
        filled(&schema, &semantics);
    }
}

/// A file of Spider's and BIRD's kind, with any number of schemas.
pub(crate) fn tables_json(data: &[u8]) {
    let Some((semantics, _, text)) = read(data) else {
        return;
    };
    let Ok(set) = read_tables_json(text) else {
        return;
    };
    for schema in set.values().take(3) {
        printed_and_read_again(schema);
        filled(schema, &semantics);
    }
}

/// Tables, columns and keys survive printing.
fn printed_and_read_again(schema: &Schema) {
    // A database without a table has no DDL.
    if schema.tables.is_empty() {
        return;
    }
    let text = schema.to_ddl();
    let again = Schema::from_ddl("fuzz", &text);
    assert!(again.is_ok(), "printed DDL cannot be read: {again:?}\n{text}");
    let Ok(again) = again else { return };
    assert_eq!(again.tables.len(), schema.tables.len(), "tables are lost\n{text}");
    for (was, is) in schema.tables.iter().zip(&again.tables) {
        assert_eq!(is.name, was.name, "{text}");
        let columns =
            |t: &twinql_sql::Table| -> Vec<String> { t.columns.iter().map(|c| c.name.clone()).collect() };
        assert_eq!(columns(is), columns(was), "{text}");
        assert_eq!(is.primary_key, was.primary_key, "{text}");
        assert_eq!(is.foreign_keys, was.foreign_keys, "{text}");
    }
    assert_eq!(again.views.len(), schema.views.len(), "views are lost\n{text}");
    // Once an enumeration is a CHECK, nothing changes any more.
    let second = again.to_ddl();
    let third = Schema::from_ddl("fuzz", &second).map(|s| s.to_ddl());
    assert_eq!(third.as_deref(), Ok(second.as_str()), "printed again it is another text");
    for note in &schema.notes {
        let _ = note.to_string();
    }
    // A view is planned as its query.
    for view in &schema.views {
        let sql = format!("SELECT * FROM {}", twinql_sql::schema::quote(&view.name));
        let _ = twinql_sql::canonicalize(schema, &sql, &Semantics::default());
    }
}

/// Larger schemas take their time, and hold nothing that smaller ones do not.
const MOST_TABLES: usize = 8;
const MOST_COLUMNS: usize = 40;

/// Databases are made that pass their own check, and SQLite takes them.
fn filled(schema: &Schema, semantics: &Semantics) {
    let columns: usize = schema.tables.iter().map(|t| t.columns.len()).sum();
    if schema.tables.len() > MOST_TABLES || columns > MOST_COLUMNS {
        return;
    }
    let tables: Vec<usize> = (0..schema.tables.len()).collect();
    let generator = Generator::new(schema, semantics, &[], &tables, 8);
    let Ok(sandbox) = Sandbox::new(schema, limits()) else {
        return;
    };
    let mut loader = sandbox.loader(&tables);
    for index in [1, 20] {
        let Some(database) = generator.database(index) else {
            continue;
        };
        let checked = database.check(schema, semantics);
        assert!(checked.is_ok(), "{checked:?}\n{}", database.to_sql(schema));
        if let Ok(loader) = &mut loader {
            let loaded = loader.load(&database);
            assert!(loaded.is_ok(), "{loaded:?}\n{}", database.to_sql(schema));
        }
    }
}
