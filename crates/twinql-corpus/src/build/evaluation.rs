//! Queries of evaluation sets, which no corpus holds whatever database they stand over.
//!
//! Databases differ and tables are often called alike: `SELECT count(*) FROM singer` may be a
//! training gold over one database and an evaluation gold over another. Queries are compared
//! by their canonical form printed as SQL, which names tables and columns and no database.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rayon::prelude::*;
use twinql_sql::{Schema, SchemaSet, Semantics, canonicalize, print, schema};

use super::config::EvaluationSource;
use super::text::hash;
use crate::spider::read_gold;
use crate::{CorpusError, Pair, pairs};

/// The hash of a query's printed canonical form; none where there is no such form.
fn form(schema: &Schema, sql: &str, semantics: &Semantics) -> Option<u64> {
    let canonical = canonicalize(schema, sql, semantics).ok()?;
    let text = print::to_sql(schema, &canonical.plan).ok()?;
    Some(hash(&[&text.to_lowercase()]))
}

/// True if an evaluation set holds this query.
pub(super) fn holds(schema: &Schema, sql: &str, known: &HashSet<u64>, semantics: &Semantics) -> bool {
    !known.is_empty() && form(schema, sql, semantics).is_some_and(|form| known.contains(&form))
}

/// A query of an evaluation set: its schema as DDL or the name of a database, and its text.
struct Query {
    ddl: Option<String>,
    db_id: String,
    sql: String,
}

/// The forms of all queries that the sources hold: golds of gold files, both sides of pairs. What
/// cannot be planned has no form and leaves nothing out.
pub(super) fn forms(
    sources: &[EvaluationSource],
    semantics: &Semantics,
) -> Result<HashSet<u64>, CorpusError> {
    let mut forms = HashSet::new();
    for source in sources {
        let mut schemas = SchemaSet::new();
        for path in &source.schemas {
            schemas.extend(schema::load(path)?);
        }
        let queries = read(Path::new(&source.path))?;
        let mut inline: HashMap<&str, Schema> = HashMap::new();
        for ddl in queries.iter().filter_map(|q| q.ddl.as_deref()) {
            if !inline.contains_key(ddl)
                && let Ok(schema) = Schema::from_ddl("inline", ddl)
            {
                inline.insert(ddl, schema);
            }
        }
        let found: Vec<u64> = queries
            .par_iter()
            .filter_map(|query| {
                let schema = match &query.ddl {
                    Some(ddl) => inline.get(ddl.as_str())?,
                    None => schemas.get(&query.db_id)?,
                };
                form(schema, &query.sql, semantics)
            })
            .collect();
        if found.is_empty() {
            return Err(CorpusError::Config(format!(
                "no query of the evaluation set {} can be planned; check its `schemas`",
                source.path
            )));
        }
        forms.extend(found);
    }
    Ok(forms)
}

fn read(path: &Path) -> Result<Vec<Query>, CorpusError> {
    let name = path.to_string_lossy();
    if name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") {
        let both = |pair: Pair| {
            let query = |sql: String| Query {
                ddl: pair.schema.clone(),
                db_id: pair.db_id.clone().unwrap_or_default(),
                sql,
            };
            [query(pair.gold.clone()), query(pair.pred.clone())]
        };
        return Ok(pairs::read(path)?.pairs.into_iter().flat_map(both).collect());
    }
    let usable = read_gold(path)?.into_iter().filter(|g| g.unusable.is_none());
    Ok(usable.map(|g| Query { ddl: None, db_id: g.db_id, sql: g.sql }).collect())
}

/// Whether each pair holds a query, on either side, that an evaluation set holds too.
pub(super) fn held(
    pairs: &[Pair],
    schemas: &SchemaSet,
    known: &HashSet<u64>,
    semantics: &Semantics,
) -> Vec<bool> {
    if known.is_empty() {
        return vec![false; pairs.len()];
    }
    // Over a schema of the pair's own, or that of its database.
    let key =
        |p: &'_ Pair| -> (Option<String>, String) { (p.schema.clone(), p.db_id.clone().unwrap_or_default()) };
    let mut distinct: HashMap<(Option<String>, String), HashSet<&str>> = HashMap::new();
    for pair in pairs {
        let of_schema = distinct.entry(key(pair)).or_default();
        of_schema.extend([pair.gold.as_str(), pair.pred.as_str()]);
    }
    let held: HashMap<(Option<String>, String), HashSet<&str>> = distinct
        .into_par_iter()
        .map(|((ddl, db_id), queries)| {
            let own = ddl.as_ref().and_then(|ddl| Schema::from_ddl(&db_id, ddl).ok());
            let schema = match ddl {
                Some(_) => own.as_ref(),
                None => schemas.get(&db_id),
            };
            let held = schema.map_or_else(HashSet::new, |schema| {
                let mut held = queries;
                held.retain(|sql| holds(schema, sql, known, semantics));
                held
            });
            ((ddl, db_id), held)
        })
        .collect();
    pairs
        .iter()
        .map(|p| {
            let held = held.get(&key(p));
            held.is_some_and(|held| held.contains(p.gold.as_str()) || held.contains(p.pred.as_str()))
        })
        .collect()
}
