//! `/explain`: how both queries are read, what they become, what is proved, and what the network aligns.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::commands::explain::document;
use crate::commands::serve::answer::{Body, Refused};
use crate::commands::serve::app::{App, Over};

/// The pair to explain.
#[derive(Debug, Deserialize, ToSchema)]
pub(in crate::commands::serve) struct ExplainRequest {
    /// The reference.
    gold: String,
    /// What is compared with it.
    pred: String,
    #[serde(flatten)]
    over: Over,
}

/// Explains a pair; the answer is that of `twinql explain --format json`.
#[utoipa::path(post, path = "/explain", request_body = ExplainRequest, responses(
    (status = 200, description = "`gold` and `pred` as written and canonical, `verdict`, `proof`, `network`", body = Object),
    (status = 422, body = Refused), (status = 429, body = Refused),
))]
pub(in crate::commands::serve) async fn explain(
    State(app): State<Arc<App>>,
    Body(request): Body<ExplainRequest>,
) -> Result<Json<Value>, Refused> {
    let semantics = app.semantics(&request.over)?;
    app.at_work(move |app| {
        let (schema, dialects) = app.over(&request.over)?;
        let queries = [request.gold.as_str(), request.pred.as_str()];
        document(&schema, queries, dialects, &semantics, Some(&app.network))
            .map(Json)
            .map_err(|error| Refused::validation(format!("{error:#}")))
    })
    .await
}
