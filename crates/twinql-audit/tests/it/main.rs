//! What the checks find, and the document that lists them.

mod checks;
mod document;
