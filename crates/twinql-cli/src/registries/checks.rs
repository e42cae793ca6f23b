//! The checks of golds.

use twinql::audit::checks::SHOP;
use twinql::audit::{CHECKS, check};

use super::{Entry, Row};

/// All, the worst first.
pub fn rows() -> impl Iterator<Item = Row> {
    CHECKS.iter().map(|check| Row { name: check.id, about: check.summary, family: None })
}

/// The one of a name.
pub fn entry(name: &str) -> Option<Entry> {
    let check = check(name)?;
    let lines = |queries: &[&str]| queries.iter().map(|sql| format!("{sql};\n")).collect::<String>();
    let shown = format!("-- found\n{}-- not found\n{}", lines(check.finds), lines(check.misses));
    let facts = vec![
        ("severity", check.severity.to_string()),
        ("why", check.why.to_owned()),
        ("source", check.source.to_owned()),
    ];
    Some(Entry { name: check.id, about: check.summary.to_owned(), facts, examples: Some((shown, SHOP)) })
}
