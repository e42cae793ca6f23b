//! The judge, proofs, plausible databases and profiles over whole queries: one binary, since each would be linked with SQLite.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bundled;
mod dialects;
mod fuzz_corpus;
mod kinds;
mod left_open;
mod plausible;
mod profiles;
mod proofs;
mod regularities;
mod rules;
mod shares;
mod soundness;
mod truth;
