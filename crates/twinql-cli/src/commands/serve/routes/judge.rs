//! `/judge`: the suite's verdict, with a database on which the answers differ.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use twinql::Profiles;
use twinql::judging::judge_all_following;
use twinql::suite::JudgeConfig;
use utoipa::ToSchema;

use crate::commands::judge::record;
use crate::commands::serve::answer::{Body, Refused};
use crate::commands::serve::app::{App, Over};

/// Plausible databases that say how plausible a witness is.
const PLAUSIBLE: u64 = 55;

/// The pair to judge.
#[derive(Debug, Deserialize, ToSchema)]
pub(in crate::commands::serve) struct JudgeRequest {
    /// The reference.
    gold: String,
    /// What is compared with it.
    pred: String,
    /// Also say how plausible a witness is, which takes some tens of databases more.
    #[serde(default)]
    plausible: bool,
    #[serde(flatten)]
    over: Over,
}

/// Judges a pair; the answer is a line of `twinql judge`.
#[utoipa::path(post, path = "/judge", request_body = JudgeRequest, responses(
    (status = 200, description = "`verdict` (`same`, `different` or null), `witness`, `status`, `error`", body = Object),
    (status = 422, body = Refused), (status = 429, body = Refused),
))]
pub(in crate::commands::serve) async fn judge(
    State(app): State<Arc<App>>,
    Body(request): Body<JudgeRequest>,
) -> Result<Json<Value>, Refused> {
    let semantics = app.semantics(&request.over)?;
    app.at_work(move |app| {
        app.schema(&request.over).map_err(Refused::validation)?;
        let job = &app.job(0.into(), &request.over, &request.gold, &request.pred);
        let plausible = if request.plausible { PLAUSIBLE } else { 0 };
        let config = JudgeConfig { semantics, plausible, ..app.judge.clone() };
        let jobs = std::slice::from_ref(job);
        let report =
            judge_all_following(jobs, &config, &Profiles::default(), &app.workers, &|| ()).pop().flatten();
        serde_json::to_value(record(job, report)).map(Json).map_err(|_| Refused::internal())
    })
    .await
}
