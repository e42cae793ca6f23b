//! The metrics against what is published.

mod published;
