//! `twinql explain`.

use anyhow::{Context, Result};
use twinql::graph::{QueryGraph, RelPmConfig, dot, relpm};
use twinql::prepare::{canonical, in_sqlite};
use twinql::proving;
use twinql::sql::explain::tree;
use twinql::sql::{Dialect, Proof, Schema, Semantics, prove};

use crate::args::{self, typed};
use crate::input::Schemas;
use crate::output::{Console, Sink};

pub(crate) fn run(typed: &typed::Explain, _console: Console) -> Result<bool> {
    let semantics = args::semantics(typed.semantics.as_deref())?.unwrap_or_default();
    let schemas = Schemas::load(Some(&typed.schemas), typed.dialect)?;
    let schema = schemas.only(typed.db_id.as_deref())?;
    let mut sink = Sink::new(None)?;
    let (gold, gold_text) = side(&schema, "gold", &typed.gold, typed.dialect, &semantics)?;
    let (pred, pred_text) = side(&schema, "pred", &typed.pred, typed.dialect, &semantics)?;
    if typed.dot {
        sink.write(&dot::pair_to_dot(&gold, &pred))?;
        sink.finish()?;
        return Ok(true);
    }
    sink.write(&gold_text)?;
    sink.line("")?;
    sink.write(&pred_text)?;
    sink.line("")?;
    let sqlite = |sql: &str| in_sqlite(&schema, sql, typed.dialect);
    let proof = prove(&schema, &sqlite(&typed.gold)?, &sqlite(&typed.pred)?, &semantics)?;
    sink.write(&proving::text(&proof, &semantics))?;
    if matches!(proof, Proof::Unknown(_)) {
        sink.line(&format!(
            "relpm {:.4}. `twinql judge` looks for a database that tells them apart.",
            relpm(&gold, &pred, &RelPmConfig::default())
        ))?;
    }
    sink.finish()?;
    Ok(true)
}

/// A query's graph, and its canonical tree as text with the rules that led there.
fn side(
    schema: &Schema,
    name: &str,
    sql: &str,
    dialect: Dialect,
    semantics: &Semantics,
) -> Result<(QueryGraph, String)> {
    let (canonical, repairs) =
        canonical(schema, sql, dialect, semantics).with_context(|| format!("the {name} query"))?;
    let graph = QueryGraph::lower(schema, &canonical.plan).with_context(|| format!("the {name} query"))?;
    let mut text = format!("{name}: {sql}\n");
    for repair in repairs {
        text.push_str(&format!("  repaired: {repair}\n"));
    }
    for line in tree(schema, &canonical.plan).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    let rules = if canonical.applied.is_empty() {
        "none".to_owned()
    } else {
        canonical.applied.join(", ")
    };
    text.push_str(&format!("  rules applied: {rules}\n"));
    if let Some(why) = &canonical.stopped {
        text.push_str(&format!("  not brought to an end: {why}\n"));
    }
    Ok((graph, text))
}
