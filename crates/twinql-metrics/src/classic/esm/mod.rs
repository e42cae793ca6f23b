//! Exact set match (ESM) and its kin: two queries are the same if their clauses are, as sets.
//!
//! [`published`] reads words as the scripts of the field do and keeps their oddities; the rest works on
//! [`clauses`], which come from the parsed query.

mod adapted;
mod clauses;
mod components;
mod plus;
mod published;

pub use adapted::clauses_match;
pub(super) use adapted::{with_values, without_values};
pub(super) use components::score as components;
pub(super) use plus::repaired;
pub use plus::{ESM_RULES, EsmRule, esm_plus};
pub use published::{esm_plus_published, exact_set_match};
pub(super) use published::{official, plus_published};
