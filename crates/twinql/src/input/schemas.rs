//! Schemas by name, and those that pairs carry.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use twinql_corpus::Pair;
use twinql_files::Fingerprint;
use twinql_sql::schema::Loaded;
use twinql_sql::{Dialect, Schema, SchemaSet, schema};
use twinql_suite::Files;

use super::InputError;
use crate::dialects::Dialects;
use crate::premises::{self, UnknownPremise};
use crate::progress::Progress;

type Result<T, E = InputError> = std::result::Result<T, E>;

/// Schemas of pairs that are kept, so that the same text is read once; then they are read anew.
const MOST_CARRIED: usize = 4096;

/// Loads all schemas at `path`, and warns of those of a folder that cannot be read, and once of how much of the others was
/// not read.
///
/// # Errors
/// What cannot be read, with its file; a folder of which nothing can.
pub fn load_schemas(path: &Path, dialect: Dialect, progress: &dyn Progress) -> Result<SchemaSet> {
    Ok(load(path, dialect, progress)?.schemas)
}

fn load(path: &Path, dialect: Dialect, progress: &dyn Progress) -> Result<Loaded> {
    let loaded = schema::load_each(path, dialect)?;
    for (id, error) in &loaded.unread {
        progress.warn(&format!("{id} is left out: {error}"));
    }
    let (count, first) = schema::not_read(loaded.schemas.values());
    if let Some(first) = first {
        let dialect = match dialect {
            Dialect::Sqlite => String::new(),
            other => format!(" --dialect {other}"),
        };
        let (path, s) = (path.display(), if count == 1 { "" } else { "s" });
        let were = if count == 1 { "was" } else { "were" };
        progress.warn(&format!(
            "{path}: {count} statement{s} or part{s} of one {were} not read ({first}); \
             `twinql schema show {path}{dialect}` lists them"
        ));
    }
    Ok(loaded)
}

/// Schemas by `db_id`, and those that pairs carry as DDL text.
#[derive(Clone)]
pub struct Schemas {
    /// Or why a schema cannot be read.
    named: HashMap<String, Result<Arc<Schema>, String>>,
    names: Vec<String>,
    /// By DDL text: the same text is the same schema.
    carried: HashMap<String, Result<Arc<Schema>, String>>,
    origin: String,
    /// Whose SQL the DDL is, and the queries of pairs that say nothing of theirs.
    dialects: Dialects,
    /// Databases whose schemas are read where a pair turns out to need them.
    files: Option<Files>,
    /// It was said that a pair's own schema was not read in full.
    told: bool,
    /// The database of pairs that name none.
    unnamed: Option<String>,
    progress: Arc<dyn Progress>,
}

impl Schemas {
    /// Loads all schemas at `path`; without one, only pairs that carry theirs can be used.
    ///
    /// # Errors
    /// What cannot be read, with its file.
    pub fn load(
        path: Option<&Path>,
        dialects: impl Into<Dialects>,
        progress: Arc<dyn Progress>,
    ) -> Result<Schemas> {
        let dialects = dialects.into();
        let (loaded, origin) = match path {
            Some(path) => (load(path, dialects.schema, &*progress)?, path.display().to_string()),
            None => (Loaded::default(), String::new()),
        };
        let set = loaded.schemas.into_iter().map(|(id, schema)| (id, Arc::new(schema)));
        let mut schemas = Schemas::new(origin, set, dialects, progress);
        schemas.named.extend(loaded.unread.into_iter().map(|(id, error)| (id, Err(error.to_string()))));
        Ok(schemas)
    }

    /// Schemas that are read already, by name. `origin` is what messages call them; if it is empty, only pairs that
    /// carry their schema can be used.
    pub fn new(
        origin: impl Into<String>,
        schemas: impl IntoIterator<Item = (String, Arc<Schema>)>,
        dialects: impl Into<Dialects>,
        progress: Arc<dyn Progress>,
    ) -> Schemas {
        let mut names = Vec::new();
        let mut named = HashMap::new();
        for (id, schema) in schemas {
            names.push(id.clone());
            named.insert(id, Ok(schema));
        }
        Schemas {
            names,
            named,
            carried: HashMap::new(),
            origin: origin.into(),
            dialects: dialects.into(),
            files: None,
            told: false,
            unnamed: None,
            progress,
        }
    }

    /// All schemas that have names and could be read.
    pub fn all(&self) -> impl Iterator<Item = &Schema> {
        self.names.iter().filter_map(|name| self.named.get(name)?.as_deref().ok())
    }

    /// Whose SQL the DDL is, and queries where their pair does not say so.
    pub fn dialects(&self) -> Dialects {
        self.dialects
    }

    /// Takes pairs that name no database to be over this one; without it, over the only one there is.
    pub fn unnamed(mut self, db_id: Option<&str>) -> Schemas {
        self.unnamed = db_id.map(str::to_owned);
        self
    }

    /// Takes statements of these names out of the schemas that were loaded.
    ///
    /// # Errors
    /// None of the schemas has one of that name.
    pub fn without(mut self, names: &[String]) -> std::result::Result<Schemas, UnknownPremise> {
        let mut unknown: Vec<bool> = vec![true; names.len()];
        for schema in self.named.values_mut().flatten() {
            let (lacking, not_here) = premises::without(schema, names);
            for (name, unknown) in names.iter().zip(&mut unknown) {
                *unknown &= not_here.contains(&name);
            }
            *schema = Arc::new(lacking);
        }
        match names.iter().zip(unknown).find(|(_, unknown)| *unknown) {
            Some((name, _)) => Err(UnknownPremise { name: name.clone() }),
            None => Ok(self),
        }
    }

    /// For pairs that are executed on files. SQLite knows what is in them: a schema is read,
    /// from the first file of a database, only where queries have to be translated.
    pub fn of_files(files: &Files, dialects: impl Into<Dialects>, progress: Arc<dyn Progress>) -> Schemas {
        let dialects = dialects.into();
        let names: Vec<String> = files.ids().map(str::to_owned).collect();
        let translated = [dialects.gold, dialects.pred].iter().any(|d| *d != Dialect::Sqlite);
        let named = |id: &String| {
            let schema = match translated {
                true => of_file(files, id),
                false => Ok(Arc::new(Schema { db_id: id.clone(), ..Schema::default() })),
            };
            (id.clone(), schema)
        };
        Schemas {
            named: names.iter().map(named).collect(),
            names,
            carried: HashMap::new(),
            dialects,
            files: (!translated).then(|| files.clone()),
            told: false,
            unnamed: None,
            progress,
            origin: files.root().display().to_string(),
        }
    }

    /// The schema of a database.
    ///
    /// # Errors
    /// There is none of this name, or it cannot be read: why, in words.
    pub fn get(&self, db_id: &str) -> Result<Arc<Schema>, String> {
        if let Some(schema) = self.named.get(db_id) {
            return schema.clone();
        }
        if self.origin.is_empty() {
            return Err(format!(
                "no schema for db_id {db_id:?}: give --schemas, or a `schema` field with DDL text"
            ));
        }
        let near = near(db_id, &self.names);
        let hint = if near.is_empty() {
            format!("it has {} databases, none with a similar name", self.names.len())
        } else {
            format!("similar names: {}", near.join(", "))
        };
        Err(format!("unknown db_id {db_id:?} in {}; {hint}", self.origin))
    }

    /// The schema of `db_id`, or the only one there is.
    ///
    /// # Errors
    /// There are several, or it cannot be read.
    pub fn only(&self, db_id: Option<&str>) -> Result<Arc<Schema>> {
        let id = match (db_id, self.names.as_slice()) {
            (Some(id), _) => id,
            (None, [only]) => only,
            (None, names) => {
                return Err(InputError::WhichDatabase {
                    schemas: self.origin.clone(),
                    count: names.len(),
                    names: excerpt(names),
                });
            }
        };
        self.get(id).map_err(InputError::Database)
    }

    /// What results depend on: all schemas, by name.
    pub fn fingerprint(&self) -> String {
        let mut names: Vec<&String> = self.named.keys().collect();
        names.sort();
        let mut print = Fingerprint::default();
        for name in names {
            // What cannot be read is told apart by the reason.
            let text = match self.named.get(name) {
                Some(Ok(schema)) => serde_json::to_string(&**schema).unwrap_or_default(),
                Some(Err(why)) => why.clone(),
                None => String::new(),
            };
            print = print.with(name).with(text);
        }
        print.digits()
    }

    /// Reads the schema of a database from its file, where it was not read yet and a query of this pair is to be translated.
    fn read_for(&mut self, pair: &Pair, db_id: &str) {
        let Some(files) = &self.files else { return };
        let translated = self
            .dialects
            .of_pair(pair.gold_dialect.as_deref(), pair.pred_dialect.as_deref())
            .is_ok_and(|own| [own.gold, own.pred].iter().any(|d| *d != Dialect::Sqlite));
        if translated
            && self.named.get(db_id).is_some_and(|known| known.as_ref().is_ok_and(|s| s.tables.is_empty()))
        {
            self.named.insert(db_id.to_owned(), of_file(files, db_id));
        }
    }

    /// The schema of a pair: its own, or that of its database.
    ///
    /// # Errors
    /// There is none, or it cannot be read: why, in words.
    pub fn of(&mut self, pair: &Pair) -> Result<Arc<Schema>, String> {
        match (&pair.schema, &pair.db_id) {
            (Some(ddl), db_id) => {
                let dialect = self.dialects.schema;
                let (told, progress) = (&mut self.told, &*self.progress);
                let read = || {
                    let id = db_id.as_deref().unwrap_or("schema");
                    let schema = Schema::from_ddl_in(id, ddl, dialect)
                        .map_err(|e| format!("the pair's schema: {e}"))?;
                    if let ((_, Some(first)), false) = (schema::not_read([&schema]), *told) {
                        *told = true;
                        progress.warn(&format!(
                            "a pair's own schema was not read in full ({first}); this is said once, \
                             `twinql schema show` lists what is not read of a file"
                        ));
                    }
                    Ok(Arc::new(schema))
                };
                if self.carried.len() >= MOST_CARRIED && !self.carried.contains_key(ddl) {
                    self.carried.clear();
                }
                self.carried.entry(ddl.clone()).or_insert_with(read).clone()
            }
            (None, Some(db_id)) => {
                self.read_for(pair, db_id);
                self.get(db_id)
            }
            (None, None) => match (&self.unnamed, self.names.as_slice()) {
                (Some(id), _) | (None, [id]) => self.get(id),
                (None, []) => Err("neither \"db_id\" nor \"schema\" is there".into()),
                (None, names) => Err(format!(
                    "neither \"db_id\" nor \"schema\" is there, and {} has {} databases: say which with --db-id",
                    self.origin,
                    names.len()
                )),
            },
        }
    }
}

/// The schema of a database, from its first file.
fn of_file(files: &Files, id: &str) -> Result<Arc<Schema>, String> {
    let file = files.of(id).and_then(<[_]>::first).ok_or("no file")?;
    let read = schema::load(file).map_err(|e| e.to_string())?.into_values().next().ok_or("no schema")?;
    Ok(Arc::new(Schema { db_id: id.to_owned(), ..read }))
}

/// The names closest to `name`, at most three.
fn near(name: &str, names: &[String]) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut ranked: Vec<(usize, &String)> = names
        .iter()
        .map(|n| (strsim::levenshtein(&lower, &n.to_lowercase()), n))
        .filter(|(d, n)| *d <= (name.chars().count().max(n.chars().count()) / 3).max(2))
        .collect();
    ranked.sort();
    ranked.into_iter().take(3).map(|(_, n)| n.clone()).collect()
}

fn excerpt(names: &[String]) -> String {
    let mut text = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 5 {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names: Vec<String> = ["concert_singer", "concert_hall", "pets_1"].map(String::from).to_vec();
        assert_eq!(near("concert_singr", &names), ["concert_singer"]);
        assert_eq!(near("Pets", &names), ["pets_1"]);
        assert!(near("zzzzzzzz", &names).is_empty());
    }
}
