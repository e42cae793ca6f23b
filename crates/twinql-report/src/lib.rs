#![doc = include_str!("../README.md")]

mod chart;
mod model;
mod number;
mod render;
mod safe;
mod sql;

pub use model::*;
pub use render::{Format, ReadError};
