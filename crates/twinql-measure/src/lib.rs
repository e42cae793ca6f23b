//! What the figures of the documentation are measured with: one program with a name for each measurement, and benchmarks.
//!
//! ```text
//! cargo measure                    # lists the programs
//! cargo measure provers base       # one of them, with its arguments
//! cargo bench -p twinql-measure --features benches --bench score
//! ```
//!
//! No other crate depends on this one. Its public items are for its own tests and benchmarks, which hold that what is
//! measured stays so.
//!
//! ```
//! let steadiness = twinql_measure::measurement("steadiness").expect("a measurement of that name");
//! assert!(steadiness.about.starts_with("how much metrics change"));
//! ```
// Programs for those who work on twinql: the bundled data is there, or they end.
#![allow(clippy::expect_used, missing_docs)]

use std::error::Error;

mod audit_sample;
pub mod contradictions;
mod dialects;
pub mod docs;
mod edits;
pub mod esm_agreement;
mod ex;
mod fluency_model;
pub mod hacking;
pub mod inputs;
mod page;
mod plausible_forms;
pub mod probe_agreement;
mod provers;
mod results;
mod rewrites;
mod rules;
mod same;
mod soundness;
pub mod steadiness;
mod throughput;
mod truth;

/// What a program ends with; an error is printed, and fails.
pub type Done = Result<(), Box<dyn Error>>;

/// A program that measures one thing, or writes down what is measured and registered, by its name.
#[derive(Debug)]
pub struct Measurement {
    pub name: &'static str,
    /// What it measures, in some words.
    pub about: &'static str,
    /// Its arguments.
    pub usage: &'static str,
    pub run: fn(&[String]) -> Done,
}

/// All measurements, in the order of their names.
pub const MEASUREMENTS: &[Measurement] = &[
    audit_sample::MEASUREMENT,
    dialects::MEASUREMENT,
    docs::MEASUREMENT,
    dialects::engines::MEASUREMENT,
    dialects::pairs::MEASUREMENT,
    edits::MEASUREMENT,
    esm_agreement::MEASUREMENT,
    ex::MEASUREMENT,
    fluency_model::MEASUREMENT,
    hacking::MEASUREMENT,
    plausible_forms::MEASUREMENT,
    probe_agreement::MEASUREMENT,
    provers::MEASUREMENT,
    results::MEASUREMENT,
    rewrites::MEASUREMENT,
    rules::MEASUREMENT,
    same::MEASUREMENT,
    soundness::MEASUREMENT,
    steadiness::MEASUREMENT,
    throughput::MEASUREMENT,
    truth::MEASUREMENT,
];

/// The measurement of a name.
pub fn measurement(name: &str) -> Option<&'static Measurement> {
    MEASUREMENTS.iter().find(|one| one.name == name)
}
