//! MySQL 8 and MariaDB 10.11, in their default SQL mode.

use super::profile::*;

pub(super) static PROFILE: Profile = Profile {
    name: "mysql",
    also: &["mariadb"],
    system: "MySQL",
    grammar: || &super::grammars::MYSQL,
    text: Text {
        double_quotes_are_strings: true,
        backslash_escapes: true,
        hash_is_comment: true,
        bars_are_or: true,
        frames_exclude: false,
        qualify: false,
        ..Text::STANDARD
    },
    names: Names::STANDARD,
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Smallest,
        like_minds_case: false,
        like_escape: Some('\\'),
        ignores_case: true,
        length_counts_bytes: true,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        decimal_scale: Some(0),
        texts_as_numbers: true,
        dates_without_dashes: true,
        ..Meaning::STANDARD
    },
    functions: None,
    aggregates: &[],
};
