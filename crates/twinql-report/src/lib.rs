#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that fails should say so at once"))]

mod chart;
mod model;
mod number;
mod render;
mod safe;
mod sql;

pub use model::*;
pub use render::{Format, ReadError};
