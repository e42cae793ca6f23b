//! What several tests read.
#![allow(unreachable_pub)]

pub mod examples;
pub mod real;
