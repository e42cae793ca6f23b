//! Trino, Presto and Athena.

mod functions;

use super::aggregates;
use super::lists;
use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "trino",
    also: &["presto", "athena"],
    system: "Trino",
    grammar: || &sqlparser::dialect::GenericDialect {},
    text: Text { qualify: false, ..Text::STANDARD },
    names: Names { schemas: &["default"], fields: true, first_element: 1, ..Names::STANDARD },
    meaning: Meaning {
        division: Division::ByType,
        nulls: NullOrder::Last,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        decimal_scale: Some(0),
        ..Meaning::STANDARD
    },
    functions: Some(&[
        functions::ALL,
        words::ANGLES,
        words::OF_ANALYSTS,
        lists::FROM_ONE,
        words::PARTS_OF_MOMENTS,
    ]),
    aggregates: &[functions::AGGREGATES, aggregates::REGRESSIONS, aggregates::BY_ANOTHER],
};
