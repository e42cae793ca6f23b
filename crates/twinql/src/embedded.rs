//! The checkpoints inside the binary.

pub use twinql_checkpoints::{BUILT_IN, BuiltIn};
