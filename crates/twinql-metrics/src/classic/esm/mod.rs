//! Exact set match (ESM) and its kin: two queries are the same if their clauses are, as sets.
//!
//! [`published`] reads words as the scripts of the field do and keeps their oddities; the rest works on
//! [`clauses`], which come from the parsed query.

mod adapted;
mod clauses;
mod published;

pub(super) use adapted::{with_values, without_values};
pub use published::{esm_plus, exact_set_match};
pub(super) use published::{official, plus_published};
