//! The twelve relations, in the order of the paper's Table 1.

use crate::relation::Relation;
use crate::{schema, utterance};

/// Every relation, in the paper's order.
pub const RELATIONS: &[Relation] = &[
    utterance::prefix::INSERTION,
    utterance::prefix::REMOVAL,
    utterance::prefix::SUBSTITUTION,
    utterance::synonym::SUBSTITUTION,
    schema::normalization::NORMALIZATION,
    schema::flattening::FLATTENING,
    schema::keys::OPAQUE_KEY,
    schema::order::TABLE_SHUFFLE,
    schema::order::COLUMN_SHUFFLE,
    schema::columns::REMOVAL,
    schema::columns::RENAMING,
    schema::columns::INSERTION,
];

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
