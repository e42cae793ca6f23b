//! The metrics against what is published, and the document of ESM's rules.

mod esm_document;
mod published;
