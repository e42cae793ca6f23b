//! SQLite: what every tree means.

mod grammar;

use super::profile::*;

pub(super) static PROFILE: Profile = Profile {
    name: "sqlite",
    also: &[],
    system: "SQLite",
    grammar: || &grammar::Sqlite,
    text: Text { brackets_quote_names: true, hash_is_comment: true, dollars_quote: true, ..Text::STANDARD },
    names: Names {
        quoted_may_be_string: true,
        schemas: &["main", "temp"],
        database_is_schema: false,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::ByStorage,
        nulls: NullOrder::Smallest,
        like_minds_case: false,
        set_operators_are_of_one_level: true,
        recursion_is_said: false,
        concat: WithNull::Skips,
        greatest: WithNull::Skips,
        whole: Whole::Cuts,
        ..Meaning::STANDARD
    },
    functions: None,
    aggregates: &[],
};
