//! What is done for every request.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::answer::Refused;
use super::app::App;

/// Lets requests through that carry the token; the page itself holds no secret and asks for it.
pub(super) async fn authorised(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let Some(token) = &app.token else { return next.run(request).await };
    if request.uri().path() == "/" && request.method() == Method::GET {
        return next.run(request).await;
    }
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).map(str::trim);
    // Hashes take the same time to compare wherever the texts differ.
    let hash = |text: &str| Sha256::digest(text.as_bytes());
    match given.is_some_and(|given| hash(given) == hash(token)) {
        true => next.run(request).await,
        false => Refused::unauthorised().into_response(),
    }
}

/// Counts and logs each request. The log has no text of a request but its path.
pub(super) async fn measured(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    // What has no route is counted together: paths are the client's choice.
    let path = request.extensions().get::<MatchedPath>().map_or("other", |path| path.as_str()).to_owned();
    let at_work = app.meters.begins();
    let response = next.run(request).await;
    drop(at_work);
    let took = began.elapsed();
    let status = response.status().as_u16();
    app.meters.ended(&path, status, took);
    tracing::info!(%method, path, status, ms = took.as_secs_f64() * 1000.0, "request");
    response
}

/// Headers without which a browser would do more than show the page.
pub(super) async fn safe_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static("default-src 'none'"));
    response
}
