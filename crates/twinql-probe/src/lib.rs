#![doc = include_str!("../README.md")]

mod answer;
pub mod evaluate;
mod probe;
mod reduce;

pub use answer::{Said, compare};
pub use evaluate::{Order, Rows, Stop, evaluate};
pub use probe::{Finding, Probe, Side, Witness};
pub use reduce::Reading;
