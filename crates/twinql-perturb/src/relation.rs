//! What a metamorphic relation is.

use crate::schema::SchemaRelation;
use crate::utterance::UtteranceRelation;

/// What a relation transforms.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// The question; schema and gold stay.
    Utterance(UtteranceRelation),
    /// The schema; the question stays.
    Schema(SchemaRelation),
}

/// A metamorphic relation.
#[derive(Debug, Clone, Copy)]
pub struct Relation {
    /// Its name, as files and flags have it.
    pub name: &'static str,
    /// The paper's abbreviation (Table 6).
    pub short: &'static str,
    /// Where MT-TEQL (Ma and Wang, 2020) defines it.
    pub section: &'static str,
    /// When it applies.
    pub precondition: &'static str,
    /// What becomes of the question.
    pub question: &'static str,
    /// What becomes of the schema.
    pub schema: &'static str,
    /// What becomes of the gold query and its label.
    pub gold: &'static str,
    /// The paper's number of test cases from Spider's 1,034 dev questions (Table 4).
    pub paper: usize,
    /// What does the work.
    pub target: Target,
}

/// No relation: an input as it was.
pub const ORIGINAL: Relation = Relation {
    name: "original",
    short: "O",
    section: "",
    precondition: "",
    question: "stays",
    schema: "stays",
    gold: "stays",
    paper: 1034,
    target: Target::Utterance(|_| Vec::new()),
};
