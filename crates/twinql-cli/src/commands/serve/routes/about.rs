//! What the server is, what it holds, and how it is.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::commands::serve::answer::Refused;
use crate::commands::serve::app::App;
use crate::commands::signatures;

/// How the server is.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Health {
    /// `ok`, or `closing` with status 503 while it shuts down.
    status: &'static str,
}

/// True to load balancers as long as requests are taken.
#[utoipa::path(get, path = "/health", responses((status = 200, body = Health), (status = 503, body = Health)))]
pub(in crate::commands::serve) async fn health(State(app): State<Arc<App>>) -> Response {
    match app.is_closing() {
        false => Json(Health { status: "ok" }).into_response(),
        true => (StatusCode::SERVICE_UNAVAILABLE, Json(Health { status: "closing" })).into_response(),
    }
}

/// What answers.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Info {
    version: &'static str,
    /// First digits of the network's hash.
    checkpoint: String,
    /// Semantics that the network was trained for.
    network_semantics: Vec<String>,
    /// What `gmn` says depends on this.
    signature: String,
    most_pairs: usize,
    databases: usize,
}

/// Version, network and limits.
#[utoipa::path(get, path = "/info", responses((status = 200, body = Info)))]
pub(in crate::commands::serve) async fn info(State(app): State<Arc<App>>) -> Json<Info> {
    let signature = signatures(&app.engine).into_iter().next();
    Json(Info {
        version: env!("CARGO_PKG_VERSION"),
        checkpoint: app.network.hash().to_owned(),
        network_semantics: app.network.semantics().to_vec(),
        signature: signature.map_or_else(String::new, |(_, text)| text),
        most_pairs: app.most_pairs,
        databases: app.databases().len(),
    })
}

/// Names of the databases of --schemas.
#[utoipa::path(get, path = "/databases", responses((status = 200, body = Vec<String>)))]
pub(in crate::commands::serve) async fn databases(State(app): State<Arc<App>>) -> Json<Vec<String>> {
    Json(app.databases())
}

/// Counts for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "application/openmetrics-text", body = String)))]
pub(in crate::commands::serve) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.meters.text()).into_response()
}

/// What has no path.
pub(in crate::commands::serve) async fn nothing_here(uri: Uri) -> Refused {
    Refused::not_found(uri.path())
}
