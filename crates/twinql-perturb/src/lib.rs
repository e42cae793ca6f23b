#![doc = include_str!("../README.md")]

pub mod augment;
pub mod consistency;
pub mod database;
mod error;
pub mod fluency;
pub mod generate;
mod lexicon;
mod mapping;
pub mod predictions;
mod questions;
mod reads;
mod registry;
pub mod relation;
pub mod schema;
pub mod tables_json;
pub mod translate;
pub mod utterance;

pub use error::PerturbError;
pub use generate::{Config, Generator, Perturbed};
pub use mapping::Mapping;
pub use questions::{Question, Questions};
pub use registry::{RELATIONS, relation};
pub use relation::{Relation, Target};
pub use schema::Label;
