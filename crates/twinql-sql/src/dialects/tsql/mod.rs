//! SQL Server, with its default collation, which ignores case.

mod dates;
mod functions;

pub(crate) use dates::unit;

use super::profile::*;

pub(super) static PROFILE: Profile = Profile {
    name: "tsql",
    also: &["mssql", "sqlserver", "transact-sql"],
    system: "SQL Server",
    grammar: || &super::grammars::TSQL,
    text: Text {
        brackets_quote_names: true,
        qualify: false,
        variables: Some(Style::Marked),
        ..Text::STANDARD
    },
    names: Names { schemas: &["dbo"], unpivots_values_first: true, ..Names::STANDARD },
    meaning: Meaning {
        division: Division::ByType,
        nulls: NullOrder::Smallest,
        like_minds_case: false,
        ignores_case: true,
        // <https://learn.microsoft.com/sql/t-sql/language-elements/string-comparison-assignment>
        ignores_blanks: true,
        recursion_is_said: false,
        concat: WithNull::Skips,
        greatest: WithNull::Skips,
        whole: Whole::Cuts,
        decimal_scale: Some(0),
        texts_as_numbers: true,
        dates_without_dashes: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL]),
    aggregates: &[functions::AGGREGATES],
};
