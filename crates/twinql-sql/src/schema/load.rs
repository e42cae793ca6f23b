//! Schemas from a path, by the kind of file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::dialects::Dialect;

use super::error::{SchemaError, SchemaErrorKind as E};
use super::spider::read_tables_json;
use super::{Schema, SchemaSet};

/// Reads every schema at `path`:
///
/// - `.json`: a `tables.json` of Spider or BIRD
/// - `.sql`: DDL text, the file's stem is the `db_id`
/// - `.sqlite`, `.sqlite3`, `.db`: a SQLite file, the stem is the `db_id`
/// - a folder: each such file in it (of `.json` files only those named `…tables.json`),
///   and each subfolder `ID` with `ID.sqlite`, `ID.sql` or `schema.sql` (Spider's
///   `database/`), in order of name. Where both exist, a SQLite file wins over DDL.
///
/// # Errors
/// Whatever cannot be read, with file, place and remedy; the first one ends the loading.
pub fn load(path: impl AsRef<Path>) -> Result<SchemaSet, SchemaError> {
    load_in(path, Dialect::Sqlite)
}

/// As [`load`], DDL text read in `dialect`.
///
/// # Errors
/// Those of [`load`].
pub fn load_in(path: impl AsRef<Path>, dialect: Dialect) -> Result<SchemaSet, SchemaError> {
    let Loaded { schemas, unread } = load_each(path, dialect)?;
    unread.into_values().next().map_or(Ok(schemas), Err)
}

/// What a path holds.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The schemas that can be read.
    pub schemas: SchemaSet,
    /// Why those of a folder that cannot be read are not, by `db_id`.
    pub unread: BTreeMap<String, SchemaError>,
}

/// As [`load_in`], but that a file in a folder that cannot be read stops its own database alone.
///
/// # Errors
/// Those of [`load`] for a path that is a file, for a folder in which nothing can be read, and for two databases of one name.
pub fn load_each(path: impl AsRef<Path>, dialect: Dialect) -> Result<Loaded, SchemaError> {
    let path = path.as_ref();
    if path.is_dir() {
        return folder(path, dialect);
    }
    let mut schemas = SchemaSet::new();
    match kind(path) {
        Some(FileKind::Json) => schemas = tables_json(path)?,
        Some(FileKind::Ddl) => add(&mut schemas, ddl(path, &stem(path), dialect)?, path)?,
        Some(FileKind::Sqlite) => add(&mut schemas, Schema::from_sqlite(path)?, path)?,
        None if !path.exists() => {
            return Err(error(path, E::Io("no such file or folder".into())));
        }
        None => return Err(error(path, E::UnknownKind)),
    }
    Ok(Loaded { schemas, ..Loaded::default() })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Json,
    Ddl,
    Sqlite,
}

fn kind(path: &Path) -> Option<FileKind> {
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "json" => Some(FileKind::Json),
        "sql" | "ddl" => Some(FileKind::Ddl),
        "sqlite" | "sqlite3" | "db" => Some(FileKind::Sqlite),
        _ => None,
    }
}

fn error(path: &Path, kind: E) -> SchemaError {
    SchemaError::new(path.display().to_string(), "", kind)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A text that begins with the mark of UTF-16, as scripts of SQL Server do; none inside where it breaks off.
fn from_utf16(bytes: &[u8]) -> Option<Option<String>> {
    let read: fn([u8; 2]) -> u16 = match bytes.get(..2)? {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, rest) = bytes.get(2..)?.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| read(*pair)).collect();
    Some(String::from_utf16(&units).ok().filter(|_| rest.is_empty()))
}

fn text(path: &Path) -> Result<String, SchemaError> {
    let bytes = std::fs::read(path).map_err(|e| error(path, E::Io(e.to_string())))?;
    if let Some(text) = from_utf16(&bytes) {
        return text.ok_or_else(|| error(path, E::NotUtf8));
    }
    String::from_utf8(bytes).map_err(|e| {
        let place = format!("byte {}", e.utf8_error().valid_up_to());
        SchemaError::new(path.display().to_string(), place, E::NotUtf8)
    })
}

fn tables_json(path: &Path) -> Result<SchemaSet, SchemaError> {
    read_tables_json(&text(path)?).map_err(|e| e.in_file(path.display().to_string()))
}

fn ddl(path: &Path, db_id: &str, dialect: Dialect) -> Result<Schema, SchemaError> {
    Schema::from_ddl_in(db_id, &text(path)?, dialect).map_err(|e| e.in_file(path.display().to_string()))
}

/// Adds a schema; the same one twice is fine, two of one name are not.
fn add(set: &mut SchemaSet, schema: Schema, path: &Path) -> Result<(), SchemaError> {
    match set.get(&schema.db_id) {
        Some(known) if *known == schema => Ok(()),
        Some(_) => {
            let kind = E::Duplicate { what: "database", name: schema.db_id };
            Err(error(path, kind))
        }
        None => {
            set.insert(schema.db_id.clone(), schema);
            Ok(())
        }
    }
}

fn sorted(path: &Path) -> Result<Vec<PathBuf>, SchemaError> {
    let mut entries = std::fs::read_dir(path)
        .and_then(|d| d.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>())
        .map_err(|e| error(path, E::Io(e.to_string())))?;
    entries.sort();
    Ok(entries)
}

fn folder(path: &Path, dialect: Dialect) -> Result<Loaded, SchemaError> {
    let mut loaded = Loaded::default();
    let entries = sorted(path)?;
    for entry in &entries {
        if entry.is_dir() {
            let (id, found) = database_folder(entry, dialect);
            if let Some(schema) = found {
                loaded.take(id, schema, entry)?;
            }
            continue;
        }
        match kind(entry) {
            Some(FileKind::Json) if stem(entry).to_ascii_lowercase().ends_with("tables") => {
                for (_, schema) in tables_json(entry)? {
                    add(&mut loaded.schemas, schema, entry)?;
                }
            }
            Some(FileKind::Sqlite) => loaded.take(stem(entry), Schema::from_sqlite(entry), entry)?,
            Some(FileKind::Ddl) => {
                let shadowed =
                    entries.iter().any(|e| kind(e) == Some(FileKind::Sqlite) && stem(e) == stem(entry));
                if !shadowed {
                    loaded.take(stem(entry), ddl(entry, &stem(entry), dialect), entry)?;
                }
            }
            _ => {}
        }
    }
    if loaded.schemas.is_empty() {
        return Err(loaded.unread.into_values().next().unwrap_or_else(|| error(path, E::NoTables)));
    }
    Ok(loaded)
}

impl Loaded {
    fn take(
        &mut self,
        id: String,
        read: Result<Schema, SchemaError>,
        path: &Path,
    ) -> Result<(), SchemaError> {
        match read {
            Ok(schema) => add(&mut self.schemas, schema, path),
            Err(error) => {
                self.unread.insert(id, error);
                Ok(())
            }
        }
    }
}

/// The name of a folder `ID/` of Spider's layout, and its schema, if one of the known files is there.
fn database_folder(path: &Path, dialect: Dialect) -> (String, Option<Result<Schema, SchemaError>>) {
    let id = path.file_name().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let file = |name: String| Some(path.join(name)).filter(|file| file.is_file());
    let sqlite = ["sqlite", "sqlite3", "db"].into_iter().find_map(|end| file(format!("{id}.{end}")));
    let found = match sqlite {
        Some(sqlite) => Some(Schema::from_sqlite(sqlite)),
        None => file(format!("{id}.sql"))
            .or_else(|| file("schema.sql".to_owned()))
            .map(|sql| ddl(&sql, &id, dialect)),
    };
    (id, found)
}
