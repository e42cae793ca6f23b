//! A report in all its formats.

#[path = "../../examples/gallery/sample.rs"]
mod sample;

mod formats;
mod html;
mod odd_figures;
mod screenshots;
