//! Golds that are sampled from the grammar.

use std::collections::HashSet;

use indexmap::IndexMap;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twinql_sql::{Schema, SchemaSet, Semantics, canonicalize};

use super::config::BuildConfig;
use super::databases::Databases;
use super::gather::Task;
use super::oracle::{Oracle, Outcome};
use super::text::hash;
use crate::CorpusError;
use crate::grammar::{Sampler, Style};

/// Queries that are tried for each one wanted.
const TRIES: usize = 20;

/// A task for each sampled query: over every database that a `[[grammar]]` names, but for those
/// that are excluded or in the part `test`. A query is taken that plans, is new by its canonical
/// form, runs, and has rows on the suite's databases.
///
/// # Errors
/// A database that has no schema, or is reserved.
pub(super) fn tasks(
    config: &BuildConfig,
    schemas: &SchemaSet,
    databases: &Databases<'_>,
    semantics: &Semantics,
    oracle: &dyn Oracle,
) -> Result<Vec<Task>, CorpusError> {
    let mut wanted: IndexMap<(&str, Style), usize> = IndexMap::new();
    for source in &config.grammar {
        for name in &source.schemas {
            if name == "*" {
                for db_id in schemas.keys().filter(|d| !databases.reserves(d)) {
                    *wanted.entry((db_id.as_str(), source.style)).or_default() += source.queries;
                }
                continue;
            }
            let Some((db_id, _)) = schemas.get_key_value(name) else {
                return Err(CorpusError::Config(format!(
                    "[[grammar]] names the database {name:?}, which `schemas` does not have"
                )));
            };
            if databases.reserves(db_id) {
                return Err(CorpusError::Config(format!(
                    "[[grammar]] names the database {name:?}, which is reserved for evaluation"
                )));
            }
            *wanted.entry((db_id.as_str(), source.style)).or_default() += source.queries;
        }
    }
    let wanted: Vec<((&str, Style), usize)> =
        wanted.into_iter().filter(|((db_id, _), _)| databases.takes(db_id)).collect();
    let made: Vec<Vec<Task>> = wanted
        .into_par_iter()
        .map(|((db_id, style), count)| match schemas.get(db_id) {
            Some(schema) => {
                let golds =
                    golds(&Wanted { seed: config.seed, db_id, style, count }, schema, semantics, oracle);
                let task = |gold| Task { db_id: db_id.to_owned(), gold, question: None, real: Vec::new() };
                golds.into_iter().map(task).collect()
            }
            None => Vec::new(),
        })
        .collect();
    Ok(made.into_iter().flatten().collect())
}

/// Which queries over one database are wanted, and how many.
struct Wanted<'a> {
    seed: u64,
    db_id: &'a str,
    style: Style,
    count: usize,
}

fn golds(wanted: &Wanted<'_>, schema: &Schema, semantics: &Semantics, oracle: &dyn Oracle) -> Vec<String> {
    let &Wanted { seed, db_id, style, count } = wanted;
    let stream = match style {
        Style::Golds => "grammar",
        Style::Models => "grammar of models",
    };
    let seed = hash(&[stream, &seed.to_string(), db_id]);
    let mut sampler = Sampler::new(schema, style, ChaCha8Rng::seed_from_u64(seed));
    let mut forms = HashSet::new();
    let mut out = Vec::new();
    for _ in 0..count.saturating_mul(TRIES) {
        if out.len() >= count {
            break;
        }
        let Some(sql) = sampler.query() else { continue };
        let Ok(canonical) = canonicalize(schema, &sql, semantics) else {
            continue;
        };
        if !forms.insert(canonical.plan.query) {
            continue;
        }
        // Two queries of one text are the same on one database, and no more are asked.
        let again = sql.replacen("SELECT", "select", 1);
        let outcomes = oracle.label(schema, &sql, &[&again]);
        if outcomes.first() == Some(&Outcome::Label(1)) {
            out.push(sql);
        }
    }
    out
}
