#![doc = include_str!("../README.md")]
//!
//! [`QueryGraph::lower`] makes the graph of a plan, [`QueryGraph::of_ast`] that of a syntax tree,
//! [`PairArrays::build`] makes what the network reads of two graphs, [`relpm::relpm`] is the
//! rule-based partial matching, [`Augmentation`]s change graphs at random for pretraining.

pub mod agree;
mod arrays;
mod ast;
mod augment;
pub mod codes;
pub mod dot;
pub mod encode;
mod error;
mod graph;
mod lower;
mod question;
pub mod relpm;
pub mod vocabulary;

pub use arrays::{GraphArrays, PairArrays};
pub use augment::{AUGMENTATIONS, Augmentation};
pub use encode::EncodingConfig;
pub use error::GraphError;
pub use graph::{EdgeKind, Node, QueryGraph};
pub use lower::Made;
pub use question::{QUESTIONS, Question, UnknownQuestion};
pub use relpm::{RelPmConfig, RelPmError, relpm};
