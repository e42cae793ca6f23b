//! The description of all paths, from the types that they take and give.

use axum::Json;
use utoipa::OpenApi;

use super::answer::Refused;
use super::app::Over;
use super::routes::{about, explain, judge, predict, rerank, reward, score, verify};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "twinql",
        description = "How likely do two SQL queries return the same answer on every database?",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        score::score,
        predict::predict,
        rerank::rerank,
        reward::get_reward,
        verify::verify,
        judge::judge,
        explain::explain,
        about::health,
        about::info,
        about::databases,
        about::metrics
    ),
    components(schemas(Over, Refused, score::ScoreList, rerank::Rank))
)]
pub(super) struct Paths;

/// OpenAPI 3.1.
pub(super) async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Paths::openapi())
}
