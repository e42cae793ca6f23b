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
pub use components::score as components;
pub use plus::{ESM_RULES, EsmRule, UnknownEsmRule, WithoutRules, esm_plus};
pub use published::{esm_plus_published, exact_set_match};

/// How many items two bags have in common, each counted as often as it stands in both.
fn shared<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    let mut rest: Vec<&T> = right.iter().collect();
    let mut found = 0;
    for item in left {
        if let Some(at) = rest.iter().position(|r| *r == item) {
            rest.swap_remove(at);
            found += 1;
        }
    }
    found
}
