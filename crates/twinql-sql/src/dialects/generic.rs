//! Standard SQL with what most systems add to it: where they differ, nothing is known.

use super::profile::*;

pub(super) static PROFILE: Profile = Profile {
    name: "generic",
    also: &["ansi"],
    system: "standard SQL",
    grammar: || &sqlparser::dialect::GenericDialect {},
    text: Text { brackets_quote_names: true, hash_is_comment: true, dollars_quote: true, ..Text::STANDARD },
    names: Names {
        shared_in_star: None,
        schemas: &["public", "dbo", "main", "temp"],
        aliases_name_all: false,
        groups_by_constants: true,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::Unknown,
        nulls: NullOrder::Smallest,
        recursion_is_said: false,
        concat: WithNull::Skips,
        greatest: WithNull::Skips,
        whole: Whole::Unknown,
        ..Meaning::STANDARD
    },
    functions: None,
    aggregates: &[],
};
