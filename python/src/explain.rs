//! How two queries are read, what they become, and what is proved of them.

use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use twinql::Dialects;
use twinql::graph::{QueryGraph, RelPmConfig, relpm};
use twinql::proving;
use twinql::sql::explain::tree;
use twinql::sql::print::to_sql;
use twinql::sql::prove::prove_plans;
use twinql::sql::{Canonical, Dialect, Parsed, Plan, Schema, Semantics, normalize, parse_in, plan};

use crate::errors::QueryError;
use crate::json;
use crate::runtime::{Ticket, pool};
use crate::schemas;
use crate::settings;

/// Explains a pair: one dict. Both queries must be queries over the schema.
#[pyfunction]
#[pyo3(signature = (gold, pred, schema, semantics, dialect, gold_dialect, pred_dialect, threads))]
#[allow(clippy::too_many_arguments)] // Its one caller is the function in Python, which names each of them.
pub(crate) fn explain<'py>(
    py: Python<'py>,
    gold: String,
    pred: String,
    schema: &Bound<'py, PyAny>,
    semantics: &str,
    dialect: &str,
    gold_dialect: Option<&str>,
    pred_dialect: Option<&str>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let dialects = settings::of_pair(dialect, gold_dialect, pred_dialect)?;
    let semantics = settings::preset(semantics)?;
    let schema = schemas::only(py, schema, dialects.schema)?;
    let pool = pool(py, threads)?;
    let explained =
        Ticket::start(&pool, move || both(&schema, [&gold, &pred], dialects, &semantics)).wait(py)?;
    json::to_python(py, &explained.map_err(QueryError::new_err)?)
}

/// Both sides and the proof, or what is wrong with one of them.
fn both(
    schema: &Schema,
    sides: [&str; 2],
    dialects: Dialects,
    semantics: &Semantics,
) -> Result<Json, String> {
    let read = |name: &str, sql: &str, dialect: Dialect| -> Result<(Parsed, Plan), String> {
        let parsed = parse_in(sql, dialect).map_err(|e| format!("{name}: {e}"))?;
        let plan = plan(schema, &parsed).map_err(|e| format!("{name}: {e}"))?;
        Ok((parsed, plan))
    };
    let [gold, pred] = sides;
    let (gold, pred) = (read("gold", gold, dialects.gold)?, read("pred", pred, dialects.pred)?);
    let semantics = semantics.for_gold(schema, &gold.1).into_owned();
    let proof = prove_plans(schema, &gold.1, &pred.1, &semantics);
    let words = proving::text(&proof, &semantics);
    let canonical = |(parsed, plan): (Parsed, Plan)| (parsed, normalize(schema, plan, &semantics));
    let (gold, pred) = (canonical(gold), canonical(pred));
    let graph = |side: &Canonical| QueryGraph::lower(schema, &side.plan, &semantics).ok();
    let matching =
        graph(&gold.1).zip(graph(&pred.1)).map(|(gold, pred)| relpm(&gold, &pred, &RelPmConfig::default()));
    Ok(json!({
        "proof": proof.name(),
        "details": proving::details(&proof),
        "text": words,
        "relpm": matching,
        "nulls_in": semantics.nulls.asked().map(|at| schema.name_of(at)).collect::<Vec<_>>(),
        "semantics": semantics.name,
        "gold": side(schema, &gold),
        "pred": side(schema, &pred),
    }))
}

/// One query: its text after repairs, its canonical form, and the rules that led there.
fn side(schema: &Schema, (parsed, form): &(Parsed, Canonical)) -> Json {
    json!({
        "sql": parsed.sql,
        "repairs": parsed.repairs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "canonical_sql": to_sql(schema, &form.plan).ok(),
        "canonical_tree": tree(schema, &form.plan),
        "rules": form.applied,
        "stopped": form.stopped.as_ref().map(ToString::to_string),
        "vacuous": form.vacuous.iter().map(|a| a.name()).collect::<Vec<_>>(),
    })
}
