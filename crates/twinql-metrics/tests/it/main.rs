//! The metrics against what is published, and the documents that list them.

mod document;
mod esm_document;
mod published;
