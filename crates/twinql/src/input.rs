//! Pairs from files or arguments, joined with their schemas.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use twinql::corpus::build::EASE;
use twinql::corpus::{self, Pair, bird, spider};
use twinql::prepare;
use twinql::record::Status;
use twinql::sql::prove::Side;
use twinql::sql::{Dialect, Schema, SchemaSet, schema};
use twinql::status;
use twinql::suite::Files;
use twinql::{Job, Work};

use crate::args::{Input, Source};
use crate::output::Console;

/// Loads all schemas at `path`, and says once how much of them was not read.
pub(crate) fn load_schemas(path: &Path, dialect: Dialect) -> Result<SchemaSet> {
    let set = schema::load_in(path, dialect)?;
    let (count, first) = schema::not_read(set.values());
    if let Some(first) = first {
        let dialect = match dialect {
            Dialect::Sqlite => String::new(),
            other => format!(" --dialect {other}"),
        };
        let (path, s) = (path.display(), if count == 1 { "" } else { "s" });
        let were = if count == 1 { "was" } else { "were" };
        Console { quiet: false }.warn(format!(
            "{path}: {count} statement{s} or part{s} of one {were} not read ({first}); \
             `twinql schema show {path}{dialect}` lists them"
        ));
    }
    Ok(set)
}

/// Schemas by `db_id`, and those that pairs carry as DDL text.
pub(crate) struct Schemas {
    /// Or why a schema cannot be read.
    named: HashMap<String, std::result::Result<Arc<Schema>, String>>,
    names: Vec<String>,
    /// By DDL text: the same text is the same schema.
    carried: HashMap<String, std::result::Result<Arc<Schema>, String>>,
    origin: String,
    /// Whose SQL the queries are, and the DDL.
    dialect: Dialect,
    /// It was said that a pair's own schema was not read in full.
    told: bool,
}

impl Schemas {
    /// Loads all schemas at `path`; without one, only pairs that carry theirs can be used.
    pub(crate) fn load(path: Option<&Path>, dialect: Dialect) -> Result<Schemas> {
        let (set, origin) = match path {
            Some(path) => (load_schemas(path, dialect)?, path.display().to_string()),
            None => (SchemaSet::new(), String::new()),
        };
        Ok(Schemas {
            names: set.keys().cloned().collect(),
            named: set
                .into_iter()
                .map(|(id, schema)| (id, Ok(Arc::new(schema))))
                .collect(),
            carried: HashMap::new(),
            origin,
            dialect,
            told: false,
        })
    }

    /// For pairs that are executed on files. SQLite knows what is in them: a schema is read,
    /// from the first file of a database, only where queries have to be translated.
    pub(crate) fn of_files(files: &Files, dialect: Dialect) -> Schemas {
        let names: Vec<String> = files.ids().map(str::to_owned).collect();
        let named = |id: &String| {
            let schema = match files.of(id).and_then(<[_]>::first) {
                Some(file) if dialect != Dialect::Sqlite => schema::load(file)
                    .map_err(|e| e.to_string())
                    .and_then(|set| set.into_values().next().ok_or_else(|| "no schema".into())),
                _ => Ok(Schema::default()),
            };
            let named = schema.map(|schema| {
                Arc::new(Schema {
                    db_id: id.clone(),
                    ..schema
                })
            });
            (id.clone(), named)
        };
        Schemas {
            named: names.iter().map(named).collect(),
            names,
            carried: HashMap::new(),
            dialect,
            told: false,
            origin: files.root().display().to_string(),
        }
    }

    /// The schema of a database.
    pub(crate) fn get(&self, db_id: &str) -> std::result::Result<Arc<Schema>, String> {
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

    /// The only schema there is.
    pub(crate) fn only(&self, db_id: Option<&str>) -> Result<Arc<Schema>> {
        let id = match (db_id, self.names.as_slice()) {
            (Some(id), _) => id,
            (None, [only]) => only,
            (None, names) => bail!(
                "{} has {} databases: say which with --db-id ({})",
                self.origin,
                names.len(),
                excerpt(names)
            ),
        };
        self.get(id).map_err(anyhow::Error::msg)
    }

    /// The schema of a pair: its own, or that of its database.
    fn of(&mut self, pair: &Pair) -> std::result::Result<Arc<Schema>, String> {
        match (&pair.schema, &pair.db_id) {
            (Some(ddl), db_id) => {
                let dialect = self.dialect;
                let told = &mut self.told;
                let read = || {
                    let id = db_id.as_deref().unwrap_or("schema");
                    let schema = Schema::from_ddl_in(id, ddl, dialect)
                        .map_err(|e| format!("the pair's schema: {e}"))?;
                    if let ((_, Some(first)), false) = (schema::not_read([&schema]), *told) {
                        *told = true;
                        Console { quiet: false }.warn(format!(
                            "a pair's own schema was not read in full ({first}); this is said once, \
                             `twinql schema show` lists what is not read of a file"
                        ));
                    }
                    Ok(Arc::new(schema))
                };
                self.carried.entry(ddl.clone()).or_insert_with(read).clone()
            }
            (None, Some(db_id)) => self.get(db_id),
            (None, None) => Err("the pair has neither db_id nor schema".into()),
        }
    }
}

/// The names closest to `name`, at most three.
fn near(name: &str, names: &[String]) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut ranked: Vec<(usize, &String)> = names
        .iter()
        .map(|n| (distance(&lower, &n.to_lowercase()), n))
        .filter(|(d, n)| *d <= (name.chars().count().max(n.chars().count()) / 3).max(2))
        .collect();
    ranked.sort();
    ranked.into_iter().take(3).map(|(_, n)| n.clone()).collect()
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = row.get(j).copied().unwrap_or(0) + usize::from(x != *y);
            let dropped = row.get(j + 1).copied().unwrap_or(0) + 1;
            let added = next.get(j).copied().unwrap_or(0) + 1;
            next.push(replaced.min(dropped).min(added));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

fn excerpt(names: &[String]) -> String {
    let mut text = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 5 {
        text.push_str(", …");
    }
    text
}

/// A pair's work: both queries as SQLite has them. Everything behind this door is SQLite's;
/// a query of another dialect is translated here, and one that cannot be is the pair's
/// error.
fn work(schema: Arc<Schema>, gold: String, pred: String, dialect: Dialect) -> Work {
    let both = in_sqlite(&schema, "gold", &gold, dialect)
        .and_then(|gold| Ok((gold, in_sqlite(&schema, "pred", &pred, dialect)?)));
    match both {
        Ok((gold, pred)) => Work::Pair { schema, gold, pred },
        Err((status, error)) => Work::Unusable { status, error },
    }
}

/// A query as SQLite has it, or the status and the error of its pair. `side` is `gold` or
/// `pred`.
pub(crate) fn in_sqlite(
    schema: &Schema,
    side: &str,
    sql: &str,
    dialect: Dialect,
) -> std::result::Result<String, (Status, String)> {
    prepare::in_sqlite(schema, sql, dialect).map_err(|error| {
        let which = match side {
            "gold" => Side::Gold,
            _ => Side::Pred,
        };
        let status = status::of_side(which, error.unsupported);
        (status, format!("{side}: {error}"))
    })
}

/// A job with what the pair's line says besides.
pub(crate) struct Item {
    pub(crate) job: Job,
    pub(crate) label: Option<bool>,
    pub(crate) source: Option<String>,
    pub(crate) db_id: Option<String>,
    pub(crate) split: Option<String>,
    /// What `corpus grade` says of a pair that differs, from 0 to 1.
    pub(crate) ease: Option<f32>,
}

/// Everything a command works on.
pub(crate) struct Items {
    pub(crate) items: Vec<Item>,
    /// It was given as two texts.
    pub(crate) single: bool,
}

/// Reads all pairs. A line that cannot be used becomes a job that says so; only a file
/// that cannot be used at all is an error.
pub(crate) fn read(input: &Input) -> Result<Items> {
    read_over(input, Schemas::load(input.schemas.as_deref(), input.dialect)?)
}

/// As [`read`], over schemas that are there already.
pub(crate) fn read_over(input: &Input, mut schemas: Schemas) -> Result<Items> {
    match &input.source {
        Source::Pairs(path) => Ok(Items {
            items: read_pairs(path, &mut schemas)?,
            single: false,
        }),
        Source::Lines { gold, pred } => Ok(Items {
            items: read_lines(gold, pred, &schemas)?,
            single: false,
        }),
        Source::One { gold, pred } => {
            let schema = schemas.only(input.db_id.as_deref())?;
            let db_id = Some(schema.db_id.clone());
            let work = work(schema, gold.clone(), pred.clone(), input.dialect);
            let job = Job {
                id: Value::from("0"),
                work,
            };
            let item = Item {
                job,
                label: None,
                source: None,
                db_id,
                split: None,
                ease: None,
            };
            Ok(Items {
                items: vec![item],
                single: true,
            })
        }
    }
}

/// Reads a pair file; records keep the order of its lines.
pub(crate) fn read_pairs(path: &Path, schemas: &mut Schemas) -> Result<Vec<Item>> {
    let bytes = corpus::io::read_bytes(path)?;
    let mut items = Vec::new();
    let (mut good, mut first_bad) = (0usize, None);
    for (i, line) in corpus::io::lines(&bytes).enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let pair = match std::str::from_utf8(line) {
            Ok(text) => Pair::from_json(text),
            Err(e) => Err(format!("not UTF-8 at byte {}", e.valid_up_to())),
        };
        match pair {
            Ok(pair) => {
                good += 1;
                let place = format!("{}, line {}", path.display(), i + 1);
                items.push(item(pair, items.len(), &place, schemas));
            }
            Err(message) => {
                let error = format!("{}, line {}: {message}", path.display(), i + 1);
                items.push(Item {
                    job: Job {
                        id: Value::from(items.len().to_string()),
                        work: Work::Unusable {
                            status: Status::GoldError,
                            error: error.clone(),
                        },
                    },
                    label: None,
                    source: None,
                    db_id: None,
                    split: None,
                    ease: None,
                });
                first_bad.get_or_insert(error);
            }
        }
    }
    match first_bad {
        _ if items.is_empty() => bail!(
            "{} is empty: it holds no pairs; give one JSON object a line",
            path.display()
        ),
        Some(error) if good == 0 => {
            bail!(
                "no line of the file is a pair; {error}; give one JSON object a line, with db_id, gold and pred"
            )
        }
        _ => Ok(items),
    }
}

/// `number` stands for an id where there is none; `place` names the line in errors.
fn item(pair: Pair, number: usize, place: &str, schemas: &mut Schemas) -> Item {
    let schema = schemas.of(&pair);
    let ease = pair.extra.get(EASE).and_then(Value::as_f64);
    let id = match pair.id {
        Value::Null => Value::from(number.to_string()),
        id => id,
    };
    let work = match schema {
        Ok(schema) => work(schema, pair.gold, pair.pred, schemas.dialect),
        Err(error) => Work::Unusable {
            status: Status::GoldError,
            error: format!("{place}: {error}"),
        },
    };
    Item {
        job: Job { id, work },
        label: pair.label.map(|l| l == 1),
        source: pair.source,
        db_id: pair.db_id,
        split: pair.split,
        ease: ease.map(|share| share.clamp(0.0, 1.0) as f32),
    }
}

fn read_lines(gold_path: &Path, pred_path: &Path, schemas: &Schemas) -> Result<Vec<Item>> {
    let gold = spider::read_gold(gold_path)?;
    let predictions = bird::read_any_predictions(pred_path)?;
    let (gold_name, pred_name) = (gold_path.display().to_string(), pred_path.display().to_string());
    let aligned = spider::align(&gold, predictions, spider::Cover::All, &gold_name, &pred_name)?;
    let items = aligned.into_iter().enumerate().map(|(i, (gold, pred))| {
        let schema = match &gold.unusable {
            None => schemas.get(&gold.db_id),
            Some(why) => Err(why.clone()),
        };
        let work = match (schema, pred.unusable) {
            (Err(error), _) => Work::Unusable {
                status: Status::GoldError,
                error: format!("{gold_name}, line {}: {error}", gold.line),
            },
            (Ok(_), Some(why)) => Work::Unusable {
                status: Status::PredError,
                error: format!("{pred_name}, {why}"),
            },
            (Ok(schema), None) => work(schema, gold.sql.clone(), pred.sql, schemas.dialect),
        };
        Item {
            job: Job {
                id: Value::from(i.to_string()),
                work,
            },
            label: None,
            source: None,
            db_id: Some(gold.db_id.clone()).filter(|d| !d.is_empty()),
            split: None,
            ease: None,
        }
    });
    Ok(items.collect())
}

/// Gives items the labels that the file at `path` has for their ids, and says how many.
pub(crate) fn override_labels(items: &mut [Item], path: &Path, console: Console) -> Result<()> {
    let labels = read_labels(path)?;
    let mut unused: HashSet<&str> = labels.keys().map(String::as_str).collect();
    let (mut given, mut changed) = (0usize, 0usize);
    for item in &mut *items {
        if let Some((id, label)) = labels.get_key_value(&id_text(&item.job.id)) {
            given += 1;
            changed += usize::from(item.label != Some(*label));
            item.label = Some(*label);
            unused.remove(id.as_str());
        }
    }
    if unused.len() == labels.len() && !labels.is_empty() {
        bail!(
            "none of the {} ids of {} is an id of the {} pairs",
            labels.len(),
            path.display(),
            items.len()
        );
    }
    console.say(format!(
        "{} gives the labels of {given} of {} pairs; {changed} differ from the pair file's",
        path.display(),
        items.len()
    ));
    if !unused.is_empty() {
        console.warn(format!(
            "{} ids of {} are no ids of the pairs",
            unused.len(),
            path.display()
        ));
    }
    Ok(())
}

/// Labels by id, from a JSON object `{"id": 0, …}`; ids are compared as text.
fn read_labels(path: &Path) -> Result<HashMap<String, bool>> {
    let bytes = corpus::io::read_bytes(path)?;
    let what = "give a JSON object of id to label, {\"12\": 1, …}";
    let json: Value =
        serde_json::from_slice(&bytes).with_context(|| format!("{}: {what}", path.display()))?;
    let Value::Object(map) = json else {
        bail!("{}: {what}", path.display());
    };
    map.into_iter()
        .map(|(id, label)| match label_of(&label) {
            Some(label) => Ok((id, label)),
            None => bail!("{}: the label of {id:?} is {label}, not 0 or 1", path.display()),
        })
        .collect()
}

/// 0 or 1, plain or in an object's `label`.
fn label_of(value: &Value) -> Option<bool> {
    match value {
        Value::Object(map) => label_of(map.get("label")?),
        Value::Bool(label) => Some(*label),
        other => match other.as_u64()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
    }
}

/// An id as text, as `--labels` writes it.
pub(crate) fn id_text(id: &Value) -> String {
    match id {
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names: Vec<String> = ["concert_singer", "concert_hall", "pets_1"]
            .map(String::from)
            .to_vec();
        assert_eq!(near("concert_singr", &names), ["concert_singer"]);
        assert_eq!(near("Pets", &names), ["pets_1"]);
        assert!(near("zzzzzzzz", &names).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
