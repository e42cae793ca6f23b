#![doc = include_str!("../README.md")]

mod audit;
pub mod checks;
mod finding;
mod gold;
mod joined;
pub mod sarif;
mod text;
mod witness;

pub use audit::{Auditor, Config};
pub use checks::{CHECKS, Check, check};
pub use finding::{Audit, Finding, Place, Severity, Shows, Status, Witness};
