//! `/get_reward`: rewards in the form in which OpenRLHF asks for them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use twinql::rewards::{Reward, Sample};
use utoipa::ToSchema;

use super::Texts;
use crate::commands::serve::answer::{Body, Refused};
use crate::commands::serve::app::{App, Over};

/// Completions with their golds.
#[derive(Debug, Deserialize, ToSchema)]
pub(in crate::commands::serve) struct RewardRequest {
    /// Prompts with completions. Where a text begins with its prompt, what follows is the completion.
    query: Texts,
    #[serde(default)]
    prompts: Option<Texts>,
    /// Golds: SQL, or JSON texts `{"gold": …, "db_id": …}` or `{"gold": …, "schema": …}`.
    labels: Texts,
    #[serde(flatten)]
    over: Over,
}

/// A number for a request of one, a list otherwise.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(in crate::commands::serve) enum Numbers {
    /// Of one.
    One(f64),
    /// In the order of the request.
    Many(Vec<f64>),
}

/// Rewards and scores are the same numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct RewardResponse {
    rewards: Numbers,
    scores: Numbers,
    /// What is worth watching over a run, by name.
    extra_logs: ExtraLogs,
}

/// One entry for each completion.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct ExtraLogs {
    /// 1 where SQL was found.
    extracted: Numbers,
    /// 1 where the pair could be scored.
    ok: Numbers,
}

/// What a label that is JSON says.
#[derive(Debug, Deserialize)]
struct Label {
    gold: String,
    #[serde(flatten)]
    over: Over,
}

/// Rewards completions.
#[utoipa::path(post, path = "/get_reward", request_body = RewardRequest, responses(
    (status = 200, body = RewardResponse), (status = 422, body = Refused), (status = 429, body = Refused),
))]
pub(in crate::commands::serve) async fn get_reward(
    State(app): State<Arc<App>>,
    Body(request): Body<RewardRequest>,
) -> Result<Json<RewardResponse>, Refused> {
    let (queries, labels) = (request.query.into_vec(), request.labels.into_vec());
    let prompts = request.prompts.map(Texts::into_vec).unwrap_or_default();
    if queries.len() != labels.len() {
        return Err(Refused::validation(format!(
            "{} texts in `query` and {} in `labels`: give a gold for each",
            queries.len(),
            labels.len()
        )));
    }
    app.count(queries.len())?;
    let over = request.over;
    let rewards = app
        .at_work(move |app| {
            let samples = queries
                .iter()
                .zip(&labels)
                .enumerate()
                .map(|(at, (text, label))| {
                    let prompt = prompts.get(at).map_or("", String::as_str);
                    let completion = text.strip_prefix(prompt).unwrap_or(text);
                    sample(app, &over, label, completion)
                        .map_err(|error| Refused::validation(format!("label {at}: {error}")))
                })
                .collect::<Result<Vec<Sample>, Refused>>()?;
            Ok(app.rewarder.rewards(&samples))
        })
        .await?;
    let numbers = |of: fn(&Reward) -> f64| match rewards.as_slice() {
        [one] => Numbers::One(of(one)),
        many => Numbers::Many(many.iter().map(of).collect()),
    };
    // What cannot be scored through no fault of the completion earns nothing, and is told by `ok`.
    let reward = |reward: &Reward| reward.reward.unwrap_or(0.0);
    Ok(Json(RewardResponse {
        rewards: numbers(reward),
        scores: numbers(reward),
        extra_logs: ExtraLogs {
            extracted: numbers(|reward| f64::from(u8::from(reward.extraction.sql().is_some()))),
            ok: numbers(|reward| f64::from(u8::from(reward.reward.is_some()))),
        },
    }))
}

/// A completion against the gold of its label.
fn sample(app: &App, over: &Over, label: &str, completion: &str) -> Result<Sample, String> {
    let read = serde_json::from_str::<Value>(label).ok().filter(Value::is_object);
    let (gold, over) = match read {
        Some(json) => {
            let label: Label = serde_json::from_value(json).map_err(|e| e.to_string())?;
            (label.gold, label.over.in_dialects_of(over))
        }
        None => (label.to_owned(), over.clone()),
    };
    Ok(Sample::new(&app.schema(&over)?, gold, completion).in_dialects(app.dialects(&over)?))
}
