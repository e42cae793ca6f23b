//! The twelve relations, in the order of the paper's Table 1.

use serde::{Deserialize, Serialize};

use crate::schema::SchemaRelation;
use crate::utterance::UtteranceRelation;

/// What becomes of the question's gold query as a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// It answers the transformed input on every database as it answered the original on the same database.
    Kept,
    /// It does so as long as the keys hold that the original schema declares: the new schema does not declare all
    /// of them, so a judge that relies on keys has to be asked anew.
    Judged,
}

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

/// Every relation, in the paper's order.
pub const RELATIONS: &[Relation] = &[
    crate::utterance::prefix::INSERTION,
    crate::utterance::prefix::REMOVAL,
    crate::utterance::prefix::SUBSTITUTION,
    crate::utterance::synonym::SUBSTITUTION,
    crate::schema::normalization::NORMALIZATION,
    crate::schema::flattening::FLATTENING,
    crate::schema::keys::OPAQUE_KEY,
    crate::schema::order::TABLE_SHUFFLE,
    crate::schema::order::COLUMN_SHUFFLE,
    crate::schema::columns::REMOVAL,
    crate::schema::columns::RENAMING,
    crate::schema::columns::INSERTION,
];

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

/// The relation of this name or abbreviation, whatever its case.
pub fn relation(name: &str) -> Option<&'static Relation> {
    RELATIONS.iter().find(|r| r.name.eq_ignore_ascii_case(name) || r.short.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_complete() {
        let names: std::collections::HashSet<&str> =
            RELATIONS.iter().flat_map(|r| [r.name, r.short]).collect();
        assert_eq!(names.len(), 24);
        for r in RELATIONS {
            for text in [r.section, r.precondition, r.question, r.schema, r.gold] {
                assert!(!text.is_empty(), "{}", r.name);
            }
            assert_eq!(relation(r.short).map(|r| r.name), Some(r.name));
        }
        assert_eq!(RELATIONS.iter().map(|r| r.paper).sum::<usize>(), 62_430);
    }
}
