//! What the checks find.

mod checks;
