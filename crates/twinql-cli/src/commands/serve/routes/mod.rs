//! One file for each kind of request.

pub(super) mod about;
pub(super) mod explain;
pub(super) mod judge;
pub(super) mod page;
pub(super) mod predict;
pub(super) mod rerank;
pub(super) mod reward;
pub(super) mod score;
pub(super) mod verify;

use serde::Deserialize;
use utoipa::ToSchema;

/// One text or several.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
pub(super) enum Texts {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Texts {
    pub(super) fn into_vec(self) -> Vec<String> {
        match self {
            Texts::One(text) => vec![text],
            Texts::Many(texts) => texts,
        }
    }
}

/// Seconds since 1970, which some clients want to see.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
