//! A report in all its formats.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../examples/gallery/sample.rs"]
mod sample;

mod formats;
mod html;
mod odd_figures;
mod screenshots;
