//! From the files of a configuration to golds with their candidates.
//!
//! The same gold over the same database is one task, whatever files it stands in and however it is spelt, and
//! a task has each prediction once. What cannot be used is counted by its reason, so that the figures of a
//! corpus account for every line that was read.

use std::path::{Path, PathBuf};

use glob::Pattern;
use indexmap::{IndexMap, IndexSet};
use serde_json::Value as Json;
use twinql_sql::{Dialect, SchemaSet, SqlError, in_sqlite, schema};

use super::config::BuildConfig;
use super::databases::Databases;
use super::stats::Dropped;
use super::text::{normal, plug_values};
use crate::CorpusError;
use crate::io::{lines, read_bytes};
use crate::pairs;
use crate::predictions;
use crate::spider::{Cover, Gold, align, read_gold};

/// A prediction of somebody's system.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Real {
    pub(super) sql: String,
    /// The file's stem.
    pub(super) source: String,
    /// A label that is trusted.
    pub(super) label: Option<u8>,
}

/// A gold query with all real predictions of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Task {
    pub(super) db_id: String,
    pub(super) gold: String,
    pub(super) question: Option<String>,
    pub(super) real: Vec<Real>,
}

/// What the files hold.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) schemas: SchemaSet,
    pub(super) tasks: Vec<Task>,
    pub(super) dropped: Dropped,
}

#[derive(Default)]
struct Tasks {
    // By database and normalised gold.
    tasks: IndexMap<(String, String), Task>,
    // Normalised predictions of each task, so that none comes twice.
    seen: IndexSet<(usize, String)>,
    dropped: Dropped,
}

/// Reads everything that the configuration names: schemas, golds with predictions and beams line by line, and
/// pair files. A gold that comes again keeps the text in which it came first.
pub(super) fn gather(config: &BuildConfig, databases: &Databases<'_>) -> Result<Gathered, CorpusError> {
    let mut schemas = SchemaSet::new();
    for path in &config.schemas {
        for (db_id, schema) in schema::load_in(path, config.dialect)? {
            // Spider's test_tables.json repeats tables.json: the first one counts.
            schemas.entry(db_id).or_insert(schema);
        }
    }
    let mut tasks = Tasks::default();
    for source in &config.gold {
        let path = Path::new(&source.gold);
        let gold = read_gold(path)?;
        for g in &gold {
            if let Some(why) = &g.unusable {
                tracing::warn!("{}, line {}: {why}", source.gold, g.line);
                tasks.dropped.unusable += 1;
                continue;
            }
            tasks.add(databases, &schemas, &g.db_id, &g.sql, None);
        }
        let cover = if source.first_lines { Cover::First } else { Cover::All };
        for pattern in &source.predictions {
            for file in glob(pattern)? {
                let predictions = predictions::read(&file)?.all;
                let shown = file.display().to_string();
                let aligned = align(&gold, predictions, cover, &source.gold, &shown)?;
                for (g, p) in aligned {
                    if g.unusable.is_some() {
                        continue;
                    }
                    let Some(task) = tasks.add(databases, &schemas, &g.db_id, &g.sql, None) else {
                        continue;
                    };
                    if p.unusable.is_some() {
                        tasks.dropped.unusable += 1;
                        continue;
                    }
                    tasks.real(task, p.sql, &stem(&file), None);
                }
            }
        }
        for pattern in &source.beams {
            for file in glob(pattern)? {
                beams(databases, &schemas, &mut tasks, &gold, &file)?;
            }
        }
    }
    for source in &config.pairs {
        for file in glob(&source.path)? {
            let read = pairs::read(&file)?;
            for bad in &read.bad {
                tracing::warn!("{}, line {}: {}", file.display(), bad.line, bad.message);
                tasks.dropped.unusable += 1;
            }
            for pair in read.pairs {
                // A schema of the pair's own is not that of its database.
                let db_id = match (&pair.db_id, &pair.schema) {
                    (Some(db_id), None) => db_id.clone(),
                    _ => {
                        tasks.dropped.unusable += 1;
                        continue;
                    }
                };
                let question = pair.question.as_deref();
                let Some(task) = tasks.add(databases, &schemas, &db_id, &pair.gold, question) else {
                    continue;
                };
                let name = stem(&file);
                let label = pair.label.filter(|_| source.trust_labels);
                tasks.real(task, pair.pred, &name, label);
                let beam = pair.extra.get(&source.beam_field).and_then(Json::as_array);
                for sql in beam.into_iter().flatten().filter_map(Json::as_str) {
                    let sql = if source.plug_values { plug_values(sql, &pair.gold) } else { sql.to_owned() };
                    tasks.real(task, sql, &format!("{name}-beam"), None);
                }
            }
        }
    }
    let mut gathered =
        Gathered { schemas, tasks: tasks.tasks.into_values().collect(), dropped: tasks.dropped };
    gathered.translate(config.dialect);
    Ok(gathered)
}

impl Gathered {
    /// Says everything in SQLite's terms. What cannot be said so is unusable; what is no query
    /// over its schema stays, for SQLite to refuse.
    fn translate(&mut self, dialect: Dialect) {
        if dialect == Dialect::Sqlite {
            return;
        }
        let (schemas, dropped) = (&self.schemas, &mut self.dropped);
        let mut usable = |db_id: &str, sql: &mut String| {
            let Some(schema) = schemas.get(db_id) else {
                return true;
            };
            match in_sqlite(schema, sql, dialect) {
                Ok(translated) => *sql = translated,
                Err(SqlError::Unsupported { .. } | SqlError::TooLarge { .. }) => {
                    dropped.unusable += 1;
                    return false;
                }
                Err(_) => {}
            }
            true
        };
        self.tasks.retain_mut(|task| {
            task.real.retain_mut(|real| usable(&task.db_id, &mut real.sql));
            usable(&task.db_id, &mut task.gold)
        });
    }
}

impl Tasks {
    /// The number of the task of this gold; none where its database is unknown or excluded.
    fn add(
        &mut self,
        databases: &Databases<'_>,
        schemas: &SchemaSet,
        db_id: &str,
        gold: &str,
        question: Option<&str>,
    ) -> Option<usize> {
        if !databases.takes(db_id) {
            return None;
        }
        if databases.excludes(db_id) {
            self.dropped.excluded += 1;
            return None;
        }
        if !schemas.contains_key(db_id) {
            self.dropped.unknown_database += 1;
            return None;
        }
        let entry = self.tasks.entry((db_id.to_owned(), normal(gold)));
        let index = entry.index();
        let task = entry.or_insert_with(|| Task {
            db_id: db_id.to_owned(),
            gold: gold.trim().trim_end_matches(';').trim_end().to_owned(),
            question: None,
            real: Vec::new(),
        });
        if task.question.is_none() {
            task.question = question.map(str::to_owned);
        }
        Some(index)
    }

    /// Adds a prediction to a task. One that is the gold again says nothing, unless somebody has labelled it.
    fn real(&mut self, task: usize, sql: String, source: &str, label: Option<u8>) {
        let text = normal(&sql);
        let Some((key, t)) = self.tasks.get_index_mut(task) else {
            return;
        };
        if text == key.1 && label.is_none() {
            self.dropped.identical += 1;
        } else if !self.seen.insert((task, text)) {
            self.dropped.repeated += 1;
        } else {
            t.real.push(Real { sql: sql.trim().to_owned(), source: source.to_owned(), label });
        }
    }
}

/// T5-style beams: `{"idx": line from 0, "beam": [SQL, …]}` a line.
fn beams(
    databases: &Databases<'_>,
    schemas: &SchemaSet,
    tasks: &mut Tasks,
    gold: &[Gold],
    file: &Path,
) -> Result<(), CorpusError> {
    let bytes = read_bytes(file)?;
    for (i, line) in lines(&bytes).enumerate().filter(|(_, l)| !l.is_empty()) {
        let fail =
            |message: String| CorpusError::Line { file: file.display().to_string(), line: i + 1, message };
        let json: Json = serde_json::from_slice(line).map_err(|e| fail(format!("not JSON: {e}")))?;
        let index = json.get("idx").and_then(Json::as_u64);
        let gold = index
            .and_then(|i| gold.get(usize::try_from(i).ok()?))
            .ok_or_else(|| fail("\"idx\" is no line of the gold file (they count from 0)".into()))?;
        let Some(task) = tasks.add(databases, schemas, &gold.db_id, &gold.sql, None) else {
            continue;
        };
        let beam = json.get("beam").and_then(Json::as_array).into_iter().flatten();
        for sql in beam.filter_map(Json::as_str) {
            tasks.real(task, sql.to_owned(), &stem(file), None);
        }
    }
    Ok(())
}

/// What stands in `source`: the file's name up to its first dot.
fn stem(path: &Path) -> String {
    let name = path.file_name().map(|s| s.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    name.split_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
}

/// The files that a path with wildcards (`*`, `?`, `[ab]`) in its last part names, in order; a path without them, or to a
/// file that is really called so, as it is.
pub(super) fn glob(pattern: &str) -> Result<Vec<PathBuf>, CorpusError> {
    let path = Path::new(pattern);
    let name =
        path.file_name().map(|name| name.to_string_lossy()).filter(|name| name.contains(['*', '?', '[']));
    let Some(name) = name.filter(|_| !path.exists()) else {
        return Ok(vec![path.to_owned()]);
    };
    let refused = |error: &dyn std::fmt::Display| CorpusError::Config(format!("{pattern:?}: {error}"));
    // What a folder is called is no pattern.
    let folder = Pattern::escape(&path.parent().unwrap_or(Path::new("")).to_string_lossy());
    let whole = Path::new(&folder).join(&*name);
    let found = glob::glob(&whole.to_string_lossy()).map_err(|e| refused(&e))?;
    let found: Vec<PathBuf> = found.collect::<Result<_, _>>().map_err(|e| refused(&e))?;
    if found.is_empty() {
        return Err(CorpusError::Config(format!("no file is named {pattern:?}")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_name_files_in_order() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("odd [1] folder");
        std::fs::create_dir(&folder).unwrap();
        for name in ["b_2.txt", "a_1.txt", "a_1.sql", "c[1].txt"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let found = |name: &str| -> Vec<String> {
            let files = glob(&folder.join(name).to_string_lossy()).unwrap();
            files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(found("*.txt"), ["a_1.txt", "b_2.txt", "c[1].txt"]);
        assert_eq!(found("?_1.*"), ["a_1.sql", "a_1.txt"]);
        assert_eq!(found("c[1].txt"), ["c[1].txt"]);
        // What reads a file says that it is missing.
        assert_eq!(found("none.txt"), ["none.txt"]);
        let error = glob(&folder.join("*.gz").to_string_lossy()).unwrap_err().to_string();
        assert!(error.contains("no file is named"), "{error}");
    }
}
