//! `/rerank`: candidates by how likely they say the same as a gold, as text-embeddings-inference, vLLM, Jina and
//! Cohere ask for it; or, without a gold, by how far they agree among themselves, as `twinql rerank` does.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use twinql::rerank::{Candidate, MOST_CANDIDATES, Method, RerankConfig, Reranker, Set};
use utoipa::ToSchema;

use super::now;
use super::score::{Usage, gmn};
use crate::commands::serve::answer::{Body, Refused};
use crate::commands::serve::app::{App, Over};

/// A candidate, or an object with its text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub(in crate::commands::serve) enum Document {
    /// Its text.
    Text(String),
    /// An object.
    Object {
        /// Its text.
        text: String,
    },
}

/// `query` is the gold; candidates stand in `texts` (text-embeddings-inference) or in `documents` (the others).
#[derive(Debug, Deserialize, ToSchema)]
pub(in crate::commands::serve) struct RerankRequest {
    /// Without one, candidates are ranked by how far they agree among themselves.
    #[serde(default)]
    query: Option<String>,
    /// How they agree, where there is no `query`: `majority` (share of votes of equal queries) or `mbr` (expected
    /// agreement by the network).
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    method: Option<Method>,
    #[serde(default)]
    texts: Option<Vec<String>>,
    #[serde(default)]
    documents: Option<Vec<Document>>,
    /// With `texts`: put the texts beside the scores.
    #[serde(default)]
    return_text: bool,
    /// With `documents`: so many results at most.
    #[serde(default)]
    top_n: Option<usize>,
    /// Comes back as it is.
    #[serde(default)]
    model: Option<String>,
    #[serde(flatten)]
    over: Over,
}

/// A ranked candidate of `texts`.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Rank {
    /// Its place in the request.
    index: usize,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The answer to `documents`.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Ranking {
    id: String,
    model: String,
    usage: Usage,
    /// The best first.
    results: Vec<Ranked>,
}

/// A ranked candidate of `documents`.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Ranked {
    /// Its place in the request.
    index: usize,
    document: Shown,
    relevance_score: f64,
}

#[derive(Debug, Serialize, ToSchema)]
pub(in crate::commands::serve) struct Shown {
    text: String,
}

/// Ranks candidates.
#[utoipa::path(post, path = "/rerank", request_body = RerankRequest, responses(
    (status = 200, description = "with `texts` a list of `Rank`", body = Ranking),
    (status = 422, body = Refused), (status = 429, body = Refused),
))]
pub(in crate::commands::serve) async fn rerank(
    State(app): State<Arc<App>>,
    Body(request): Body<RerankRequest>,
) -> Result<Response, Refused> {
    let RerankRequest { query, method, texts, documents, return_text, top_n, model, over } = request;
    let of_texts = texts.is_some();
    let candidates: Vec<String> = match (texts, documents) {
        (Some(texts), None) => texts,
        (None, Some(documents)) => documents
            .into_iter()
            .map(|document| match document {
                Document::Text(text) | Document::Object { text } => text,
            })
            .collect(),
        _ => return Err(Refused::validation("give the candidates in `texts` or in `documents`")),
    };
    app.count(candidates.len())?;
    let query = query.filter(|gold| !gold.trim().is_empty());
    if query.is_some() && method.is_some() {
        return Err(Refused::validation("`method` is for candidates without a `query`: drop one of the two"));
    }
    let texts = candidates.clone();
    let scores = app
        .at_work(move |app| match query {
            Some(gold) => {
                let pairs: Vec<_> = texts.into_iter().map(|text| (gold.clone(), text)).collect();
                gmn(app, &over, None, &pairs)
            }
            None => agreement(app, &over, method.unwrap_or_default(), &texts),
        })
        .await?;
    let mut ranked: Vec<_> = scores.into_iter().zip(candidates).enumerate().collect();
    // Equal scores keep the order of the request.
    ranked.sort_by(|(_, (a, _)), (_, (b, _))| b.total_cmp(a));
    if of_texts {
        let rank = |(index, (score, text))| Rank { index, score, text: return_text.then_some(text) };
        return Ok(Json(ranked.into_iter().map(rank).collect::<Vec<_>>()).into_response());
    }
    ranked.truncate(top_n.unwrap_or(usize::MAX));
    let result =
        |(index, (relevance_score, text))| Ranked { index, document: Shown { text }, relevance_score };
    let results = ranked.into_iter().map(result).collect();
    let (id, model) = (format!("rerank-{}", now()), app.model(model));
    Ok(Json(Ranking { id, model, usage: Usage::default(), results }).into_response())
}

/// For each candidate how far the others agree with it, from 0 to 1; 0 for what is no query over the schema.
///
/// # Errors
/// No such semantics or dialect, a schema that cannot be read, and more candidates than a set may have.
fn agreement(app: &App, over: &Over, method: Method, texts: &[String]) -> Result<Vec<f64>, Refused> {
    if texts.len() > MOST_CANDIDATES {
        return Err(Refused::too_large(format!(
            "{} candidates without a `query`; at most {MOST_CANDIDATES} are ranked together",
            texts.len()
        )));
    }
    let (schema, dialects) = app.over(over)?;
    let config =
        RerankConfig { method, semantics: app.semantics(over)?, dialects, ..RerankConfig::default() };
    let reranker = Reranker::new(Some(app.network.clone()), config).map_err(|_| Refused::internal())?;
    let candidates = texts.iter().map(Candidate::new).collect();
    let ranking = reranker.rank(&Set { schema, dialect: None, candidates });
    Ok(ranking.scores.into_iter().map(Option::unwrap_or_default).collect())
}
