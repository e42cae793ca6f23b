//! The program, run as its users run it: a module for each command or theme, all in one binary, which links once.
//!
//! No test needs a process of its own: each runs the program in a folder of its own, or asks the library for what depends
//! on its arguments alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod audit;
mod bad_input;
mod calibrate;
mod check_refactor;
mod cluster;
mod compare;
mod consistency;
mod corpus;
mod databases;
#[cfg(unix)]
mod documented;
mod estimate;
mod evaluate;
mod execute;
mod explain;
mod hostile;
#[cfg(unix)]
mod hostile_suite;
#[allow(unreachable_pub)]
#[path = "../crates/twinql-suite/src/hostile/inputs.rs"]
mod inputs;
mod judge;
mod lines;
#[cfg(unix)]
mod outputs;
mod pair_dialects;
mod profile;
#[cfg(unix)]
mod profile_clients;
mod prove;
mod registries;
mod rerank;
#[cfg(unix)]
mod resume;
mod schema;
mod score;
mod selftest;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod serve_page;
mod settings;
mod statuses;
mod suite;
mod support;
mod train;
mod vacuous;
#[cfg(unix)]
mod workers;
