//! Oracle.

mod functions;

use super::aggregates;
use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "oracle",
    also: &["plsql"],
    system: "Oracle",
    grammar: || &sqlparser::dialect::OracleDialect {},
    text: Text { qualify: false, ..Text::STANDARD },
    names: Names { unpivots_in_capitals: true, shared_in_star: None, ..Names::STANDARD },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Greatest,
        set_operators_are_of_one_level: true,
        recursion_is_said: false,
        concat: WithNull::Skips,
        greatest: WithNull::Null,
        texts_as_numbers: true,
        // <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Data-Type-Comparison-Rules.html>
        pads_characters: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL, words::ANGLES]),
    aggregates: &[functions::AGGREGATES, aggregates::REGRESSIONS],
};
