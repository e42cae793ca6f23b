#![doc = include_str!("../README.md")]

mod audit;
mod check;
pub mod checks;
mod finding;
mod gold;
mod joined;
pub mod sarif;
mod text;
mod witness;

pub use audit::{Auditor, Config};
pub use check::Check;
pub use checks::{CHECKS, check};
pub use finding::{Audit, Finding, Severity, Shows, Status, Witness};
pub use text::Place;
