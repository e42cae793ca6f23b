//! What the programs measure at large, held on the bundled data and on a part of the real one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod contradictions;
mod docs;
mod esm_agreement;
mod gaming;
mod hacking;
mod perturbed;
mod probe_agreement;
mod steadiness;
