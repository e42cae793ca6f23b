#![doc = include_str!("../README.md")]

mod asked;
mod audit;
mod check;
pub mod checks;
mod evidence;
mod finding;
mod gold;
mod joined;
pub mod sarif;
mod text;
mod witness;

pub use asked::Asked;
pub use audit::{Audit, Auditor, Config, Status};
pub use check::{Check, Finding};
pub use checks::{CHECKS, check};
pub use finding::{Severity, Shows, Witness};
pub use text::Place;
