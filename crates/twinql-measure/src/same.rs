//! One line for each collection of queries and each semantics: how many queries it has, and a hash of their printed
//! canonical forms. `scripts/same.sh` compares the lines with those of the code before a change.
//!
//! With `--data` the queries of `docs/soundness.md` are taken too. With `--write` the forms themselves are written, a query a
//! line, so that two runs can be compared with `diff`.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value as Json;
use twinql_files::{hex, sha256};
use twinql_sql::semantics::PRESETS;
use twinql_sql::{Dialect, Schema, Semantics, in_sqlite, normalize, parse_in, plan, print, schema};

use crate::inputs::{self, Schemas, shared};
use crate::soundness::lines::{benchmarks, families};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "same",
    about: "hashes of canonical forms, for `scripts/same.sh`",
    usage: "[--data DIR] [--write FOLDER]",
    run,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A query, the schema it is over, and whose SQL it is.
struct Text {
    schema: Arc<Schema>,
    dialect: Dialect,
    sql: String,
}

/// The queries of one collection, each once.
struct Collection {
    name: String,
    texts: Vec<Text>,
}

fn run(args: &[String]) -> Done {
    let mut args = args.iter();
    let (mut data, mut write) = (None, None);
    while let Some(flag) = args.next() {
        let value = PathBuf::from(args.next().ok_or_else(|| format!("{flag} needs a value"))?);
        match flag.as_str() {
            "--data" => data = Some(value),
            "--write" => write = Some(value),
            _ => return Err(format!("unknown option {flag}; there are --data and --write").into()),
        }
    }
    let mut collections = bundled()?;
    if let Some(data) = &data {
        collections.extend(real(data)?);
    }
    for preset in PRESETS {
        let semantics: Semantics = preset.parse()?;
        for collection in &collections {
            let forms: Vec<Form> = collection.texts.par_iter().map(|t| form(t, &semantics)).collect();
            let hash = |of: fn(&Form) -> &str| hash(forms.iter().map(of));
            println!(
                "forms\t{}\t{preset}\t{} queries\t{}\trules {}",
                collection.name,
                forms.len(),
                hash(|f| &f.printed),
                hash(|f| &f.rules)
            );
            if let Some(folder) = &write {
                std::fs::create_dir_all(folder)?;
                let name = format!("{}.{preset}.tsv", collection.name.replace(' ', "-"));
                let lines: Vec<String> = collection.texts.iter().zip(&forms).map(line).collect();
                std::fs::write(folder.join(name), lines.concat())?;
            }
        }
    }
    Ok(())
}

/// What a query becomes.
struct Form {
    /// The printed canonical form, or why there is none.
    printed: String,
    /// The rules that made it, and what they assume.
    rules: String,
}

fn form(text: &Text, semantics: &Semantics) -> Form {
    // Each as its own gold: NULLs stand where it asks for them.
    let canonical =
        parse_in(&text.sql, text.dialect).and_then(|parsed| plan(&text.schema, &parsed)).map(|plan| {
            let semantics = semantics.for_gold(&text.schema, &plan).into_owned();
            normalize(&text.schema, plan, &semantics)
        });
    match canonical {
        Ok(canonical) => {
            let printed = match print::to_sql(&text.schema, &canonical.plan) {
                Ok(sql) => sql,
                // What has no SQL still has a plan.
                Err(error) => format!("{error}: {:?}", canonical.plan.query),
            };
            // How the text itself is handed to SQLite.
            let executed = match in_sqlite(&text.schema, &text.sql, text.dialect) {
                Ok(sql) if text.dialect != Dialect::Sqlite => sql,
                Ok(_) => String::new(),
                Err(error) => error.to_string(),
            };
            Form {
                printed: format!("{printed}\t{executed}"),
                rules: format!("{:?}\t{:?}", canonical.applied, canonical.vacuous),
            }
        }
        Err(error) => Form { printed: error.to_string(), rules: String::new() },
    }
}

fn line((text, form): (&Text, &Form)) -> String {
    let sql = text.sql.replace(['\n', '\t'], " ");
    let printed = form.printed.replace('\n', " ");
    format!("{}\t{sql}\t{printed}\t{}\n", text.schema.db_id, form.rules)
}

fn hash<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut all = Vec::new();
    for text in texts {
        all.extend_from_slice(text.as_bytes());
        all.push(0);
    }
    let mut digits = hex(sha256(all));
    digits.truncate(16);
    digits
}

/// Keeps the first of equal queries over one schema.
fn collection(name: &str, texts: impl Iterator<Item = Text>) -> Collection {
    let mut seen = BTreeSet::new();
    let texts = texts.filter(|t| seen.insert((Arc::as_ptr(&t.schema), t.sql.clone())));
    Collection { name: name.to_owned(), texts: texts.collect() }
}

/// The golds, the labelled pairs and the pairs of other dialects that the project ships.
fn bundled() -> Result<Vec<Collection>> {
    let data = inputs::bundled();
    let own = shared(schema::load(data.join("schemas"))?);
    let golds = std::fs::read_to_string(data.join("gold.tsv"))?;
    let golds = golds.lines().filter_map(|line| {
        let (sql, db_id) = line.rsplit_once('\t')?;
        text(&own, db_id, Dialect::Sqlite, sql)
    });
    let mut all = vec![collection("bundled golds", golds)];
    for (name, file, schemas, dialect) in [
        ("bundled pairs", "pairs.jsonl", "schemas", Dialect::Sqlite),
        ("bundled mysql", "dialects/mysql.jsonl", "dialects/mysql", Dialect::Mysql),
        ("bundled postgres", "dialects/postgres.jsonl", "dialects/postgres", Dialect::Postgres),
        ("bundled generic", "pairs.jsonl", "schemas", Dialect::Generic),
    ] {
        let set = shared(schema::load_in(data.join(schemas), dialect)?);
        let mut texts = Vec::new();
        for line in std::fs::read_to_string(data.join(file))?.lines() {
            let row: Json = serde_json::from_str(line)?;
            let field = |name: &str| row.get(name).and_then(Json::as_str).unwrap_or_default();
            for sql in [field("gold"), field("pred")] {
                texts.extend(text(&set, field("db_id"), dialect, sql));
            }
        }
        all.push(collection(name, texts.into_iter()));
    }
    Ok(all)
}

fn text(schemas: &Schemas, db_id: &str, dialect: Dialect, sql: &str) -> Option<Text> {
    Some(Text { schema: Arc::clone(schemas.get(db_id)?), dialect, sql: sql.to_owned() })
}

/// The golds and predictions of the benchmarks, and the pairs of the provers.
fn real(data: &Path) -> Result<Vec<Collection>> {
    let mut all = families(data)?;
    all.extend(benchmarks(data)?);
    Ok(all
        .into_iter()
        .map(|family| {
            let texts = family.questions.into_iter().flat_map(|question| {
                let schema = question.schema;
                std::iter::once(question.gold).chain(question.preds).map(move |sql| Text {
                    schema: Arc::clone(&schema),
                    dialect: Dialect::Sqlite,
                    sql,
                })
            });
            collection(family.name, texts)
        })
        .collect())
}
