//! `/verify`: a resource server of NeMo Gym: the request comes back with its reward.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value};
use twinql::rewards::Sample;
use twinql::sql::Dialect;

use crate::commands::serve::answer::{Body, Refused};
use crate::commands::serve::app::{App, Over};

/// Rewards the last reply of a rollout. The request is the object that NeMo Gym's `text_to_sql` server takes: `response`
/// (of the Responses API), `sql` (the gold), `sql_context` (CREATE TABLE statements, others are skipped) or `db_id`, and
/// `sql_dialect`. It comes back with `reward`, and with `extracted_sql`, `status` and `error` to look into.
#[utoipa::path(post, path = "/verify", request_body = Object, responses(
    (status = 200, description = "the request, and `reward`", body = Object),
    (status = 422, body = Refused), (status = 429, body = Refused),
))]
pub(in crate::commands::serve) async fn verify(
    State(app): State<Arc<App>>,
    Body(request): Body<Map<String, Value>>,
) -> Result<Json<Map<String, Value>>, Refused> {
    let text = |name: &str| request.get(name).and_then(Value::as_str).map(str::to_owned);
    let gold = text("sql").ok_or_else(|| Refused::validation("`sql`, the gold query, is missing"))?;
    let over = Over {
        db_id: text("db_id"),
        schema: text("sql_context"),
        dialect: text("sql_dialect").map(|name| dialect_of(&name).to_owned()),
        ..Over::default()
    };
    let reply = request.get("response").and_then(last_reply);
    let reply = reply.ok_or_else(|| Refused::validation("`response` holds no message with text"))?;
    let reward = app
        .at_work(move |app| {
            let (schema, dialects) = app.over(&over)?;
            Ok(app.rewarder.rewards(&[Sample::new(&schema, gold, reply).in_dialects(dialects)]).pop())
        })
        .await?
        .ok_or_else(Refused::internal)?;
    let mut response = request;
    response.insert("reward".into(), reward.reward.unwrap_or(0.0).into());
    response.insert("extracted_sql".into(), reward.extraction.sql().into());
    response.insert("status".into(), reward.status.name().into());
    response.insert("error".into(), reward.error.into());
    Ok(Json(response))
}

/// NeMo Gym's names of dialects: ours, and some more.
fn dialect_of(name: &str) -> &'static str {
    let known = match name.to_ascii_lowercase().as_str() {
        "psql" => Ok(Dialect::Postgres),
        "mariadb" => Ok(Dialect::Mysql),
        "sqlite3" => Ok(Dialect::Sqlite),
        other => other.parse(),
    };
    known.unwrap_or(Dialect::Generic).name()
}

/// The text of the last message of a response of the Responses API, or the response itself where it is a text.
fn last_reply(response: &Value) -> Option<String> {
    if let Value::String(text) = response {
        return Some(text.clone());
    }
    let output = response.get("output")?.as_array()?;
    let message = output.iter().rev().find(|item| item.get("content").is_some())?;
    match message.get("content")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn replies_of_all_forms() {
        for (response, expected) in [
            (json!("SELECT 1"), Some("SELECT 1")),
            (
                json!({"output": [{"content": [{"type": "output_text", "text": "SELECT 1"}]}]}),
                Some("SELECT 1"),
            ),
            (json!({"output": [{"content": "a"}, {"type": "reasoning", "summary": []}]}), Some("a")),
            (json!({"output": []}), None),
            (json!({"output": [{"content": []}]}), None),
            (json!(7), None),
        ] {
            assert_eq!(last_reply(&response).as_deref(), expected, "{response}");
        }
    }
}
