//! `/score`: pairs under any metrics; also in the form that clients of vLLM send.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twinql::record::Record;
use twinql::{Engine, Job};
use utoipa::ToSchema;

use super::{Texts, now};
use crate::commands::serve::answer::{Body, Refused};
use crate::commands::serve::app::{App, Over};
use crate::commands::signatures;

/// A gold and a prediction.
#[derive(Debug, Deserialize, ToSchema)]
pub(in crate::commands::serve) struct PairIn {
    /// Comes back with the scores; the place in the request where there is none.
    #[serde(default)]
    id: Option<Value>,
    /// The reference.
    gold: String,
    /// What is compared with it.
    pred: String,
    /// Where it differs from the request's.
    #[serde(flatten)]
    over: Over,
}

/// One pair (`gold`, `pred`), several (`pairs`), or vLLM's `text_1` (golds) and `text_2` (predictions).
#[derive(Debug, Deserialize, ToSchema)]
pub(in crate::commands::serve) struct ScoreRequest {
    #[serde(default)]
    pairs: Option<Vec<PairIn>>,
    #[serde(default)]
    gold: Option<String>,
    #[serde(default)]
    pred: Option<String>,
    /// Names of metrics; `gmn` alone where there are none.
    #[serde(default)]
    metrics: Vec<String>,
    /// What the network is asked: whether two queries answer the same on `every` database, or on a `plausible` one.
    #[serde(default)]
    question: Option<String>,
    /// One gold for all predictions, or one for each.
    #[serde(default)]
    text_1: Option<Texts>,
    #[serde(default)]
    text_2: Option<Texts>,
    /// Comes back as it is.
    #[serde(default)]
    model: Option<String>,
    #[serde(flatten)]
    over: Over,
}

/// A scored pair, as `twinql score` writes it.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct RecordOut {
    #[schema(value_type = Object)]
    id: Value,
    /// `ok`, `contradicted`, `gold_error`, `pred_error`, `unsupported`, `timeout`, `untested` or `machine_error`.
    status: &'static str,
    /// By metric, from 0 to 1; null where a metric says nothing.
    #[schema(value_type = Object)]
    scores: Map<String, Value>,
    /// By learned metric: `same`, `different` or `abstained`.
    #[schema(value_type = Object)]
    decisions: Map<String, Value>,
    #[schema(value_type = Object)]
    details: Map<String, Value>,
    error: Option<String>,
}

/// Scores in the order of the pairs.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct ScoreResponse {
    results: Vec<RecordOut>,
    /// By metric, what its figures depend on.
    #[schema(value_type = Object)]
    signatures: Map<String, Value>,
}

/// Scores as vLLM answers.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct ScoreList {
    id: String,
    object: &'static str,
    created: u64,
    model: String,
    data: Vec<ScoreItem>,
    usage: Usage,
}

#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct ScoreItem {
    index: usize,
    object: &'static str,
    score: f64,
}

/// There are no tokens to be counted: zeros, which clients want to see.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Usage {
    prompt_tokens: u64,
    total_tokens: u64,
}

/// Scores pairs.
#[utoipa::path(post, path = "/score", request_body = ScoreRequest, responses(
    (status = 200, description = "scores; with `text_1` and `text_2` a `ScoreList`", body = ScoreResponse),
    (status = 413, body = Refused), (status = 422, body = Refused), (status = 429, body = Refused),
))]
pub(in crate::commands::serve) async fn score(
    State(app): State<Arc<App>>,
    Body(request): Body<ScoreRequest>,
) -> Result<Response, Refused> {
    let ScoreRequest { pairs, gold, pred, metrics, question, text_1, text_2, model, over } = request;
    if let (Some(golds), Some(preds)) = (text_1, text_2) {
        return list(app, broadcast(golds.into_vec(), preds.into_vec())?, model, over, question).await;
    }
    let pairs = match (pairs, gold, pred) {
        (Some(pairs), None, None) => pairs,
        (None, Some(gold), Some(pred)) => vec![PairIn { id: None, gold, pred, over: Over::default() }],
        _ => {
            return Err(Refused::validation(
                "give `gold` and `pred`, or `pairs` of them, or `text_1` and `text_2`",
            ));
        }
    };
    app.count(pairs.len())?;
    app.at_work(move |app| {
        let engine = app.asking(&metrics, &over, question.as_deref())?;
        let jobs: Vec<Job> = pairs
            .into_iter()
            .enumerate()
            .map(|(at, pair)| {
                // What a pair says of its schema goes before what the request says.
                let own = pair.over.db_id.is_some() || pair.over.schema.is_some();
                let (db_id, schema) = match own {
                    true => (pair.over.db_id.clone(), pair.over.schema.clone()),
                    false => (over.db_id.clone(), over.schema.clone()),
                };
                let over = Over { db_id, schema, semantics: None, ..pair.over.in_dialects_of(&over) };
                app.job(pair.id.unwrap_or_else(|| at.into()), &over, &pair.gold, &pair.pred)
            })
            .collect();
        let records = app.score(&engine, &jobs);
        let results = records.into_iter().map(|record| of_record(&engine, record)).collect();
        let signatures = signatures(&engine).into_iter().map(|(name, text)| (name.to_owned(), text.into()));
        Ok(Json(ScoreResponse { results, signatures: signatures.collect() }).into_response())
    })
    .await
}

fn of_record(engine: &Engine, record: Record) -> RecordOut {
    let mut decisions = Map::new();
    for metric in engine.metrics() {
        if let Some(decision) = engine.decide(metric, &record) {
            decisions.insert(metric.name.to_owned(), serde_json::to_value(decision).unwrap_or_default());
        }
    }
    let Record { id, status, scores, details, error } = record;
    RecordOut { id, status: status.name(), scores, decisions, details, error }
}

/// Pairs of golds with predictions: each with its own, or all with the only one.
fn broadcast(golds: Vec<String>, preds: Vec<String>) -> Result<Vec<(String, String)>, Refused> {
    match (golds.as_slice(), preds.as_slice()) {
        ([gold], preds) => Ok(preds.iter().map(|pred| (gold.clone(), pred.clone())).collect()),
        (golds, preds) if golds.len() == preds.len() => {
            Ok(golds.iter().cloned().zip(preds.to_vec()).collect())
        }
        (golds, preds) => Err(Refused::validation(format!(
            "{} texts in `text_1` and {} in `text_2`: give one gold, or as many as there are predictions",
            golds.len(),
            preds.len()
        ))),
    }
}

/// vLLM's answer: the score of `gmn` for each pair, 0 where there is none.
async fn list(
    app: Arc<App>,
    pairs: Vec<(String, String)>,
    model: Option<String>,
    over: Over,
    question: Option<String>,
) -> Result<Response, Refused> {
    app.count(pairs.len())?;
    app.at_work(move |app| {
        let scores = gmn(app, &over, question.as_deref(), &pairs)?;
        let data = scores.into_iter().enumerate();
        let data = data.map(|(index, score)| ScoreItem { index, object: "score", score }).collect();
        let created = now();
        let (id, model) = (format!("score-{created}"), app.model(model));
        Ok(Json(ScoreList { id, object: "list", created, model, data, usage: Usage::default() })
            .into_response())
    })
    .await
}

/// The probability by `gmn` of each pair of gold and prediction, in order; 0 where a side cannot be used.
///
/// # Errors
/// No such semantics, no question that the network was trained for; and a schema that cannot be read, which is the same for all pairs.
pub(super) fn gmn(
    app: &App,
    over: &Over,
    question: Option<&str>,
    pairs: &[(String, String)],
) -> Result<Vec<f64>, Refused> {
    app.schema(over).map_err(Refused::validation)?;
    let engine = app.asking(&[], over, question)?;
    let jobs: Vec<Job> =
        pairs.iter().enumerate().map(|(at, (gold, pred))| app.job(at.into(), over, gold, pred)).collect();
    Ok(app.score(&engine, &jobs).iter().map(|record| record.score("gmn").unwrap_or(0.0)).collect())
}
