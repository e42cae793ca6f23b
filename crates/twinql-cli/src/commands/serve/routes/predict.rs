//! `/predict`: pairs as a classifier of text-embeddings-inference takes them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::score::gmn;
use crate::commands::serve::answer::{Body, Refused};
use crate::commands::serve::app::{App, Over};

/// A pair, or several.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub(in crate::commands::serve) enum Inputs {
    /// `[["gold", "prediction"], …]`
    Pairs(Vec<[String; 2]>),
    /// `["gold", "prediction"]`
    Pair([String; 2]),
}

#[derive(Debug, Deserialize, ToSchema)]
pub(in crate::commands::serve) struct PredictRequest {
    inputs: Inputs,
    #[serde(flatten)]
    over: Over,
}

/// A class with its probability.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Class {
    score: f64,
    /// `same` or `different`.
    label: &'static str,
}

/// The classes of one pair, or of each.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(in crate::commands::serve) enum Classes {
    /// The likelier first.
    One(Vec<Class>),
    /// In the order of the pairs.
    Many(Vec<Vec<Class>>),
}

/// Classifies pairs.
#[utoipa::path(post, path = "/predict", request_body = PredictRequest, responses(
    (status = 200, body = Classes), (status = 422, body = Refused), (status = 429, body = Refused),
))]
pub(in crate::commands::serve) async fn predict(
    State(app): State<Arc<App>>,
    Body(request): Body<PredictRequest>,
) -> Result<Json<Classes>, Refused> {
    let (pairs, single) = match request.inputs {
        Inputs::Pair([gold, pred]) => (vec![(gold, pred)], true),
        Inputs::Pairs(pairs) => (pairs.into_iter().map(|[gold, pred]| (gold, pred)).collect(), false),
    };
    app.count(pairs.len())?;
    let over = request.over;
    let scores = app.at_work(move |app| gmn(app, &over, None, &pairs)).await?;
    let mut classes: Vec<Vec<Class>> = scores.into_iter().map(of_probability).collect();
    Ok(Json(match single {
        true => Classes::One(classes.pop().unwrap_or_default()),
        false => Classes::Many(classes),
    }))
}

fn of_probability(p: f64) -> Vec<Class> {
    let mut classes = vec![Class { score: p, label: "same" }, Class { score: 1.0 - p, label: "different" }];
    classes.sort_by(|a, b| b.score.total_cmp(&a.score));
    classes
}
