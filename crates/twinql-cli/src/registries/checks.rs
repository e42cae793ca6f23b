//! The checks of golds.

use twinql::audit::checks::SHOP;
use twinql::audit::{Asked, CHECKS, check};

use super::{Entry, Row};

/// All, the worst first.
pub fn rows() -> impl Iterator<Item = Row> {
    CHECKS.iter().map(|check| Row { name: check.id, about: check.summary, family: None })
}

/// The one of a name.
pub fn entry(name: &str) -> Option<Entry> {
    let check = check(name)?;
    let lines = |examples: &[&str]| examples.iter().map(|example| line(example)).collect::<String>();
    let shown = format!("-- found\n{}-- not found\n{}", lines(check.finds), lines(check.misses));
    let facts = vec![
        ("severity", check.severity.to_string()),
        ("why", check.why.to_owned()),
        ("source", check.source.to_owned()),
    ];
    Some(Entry { name: check.id, about: check.summary.to_owned(), facts, examples: Some((shown, SHOP)) })
}

/// An example as SQL, with what it answers before it.
fn line(example: &str) -> String {
    let (sql, asked) = Asked::of_example(example);
    let other = asked.other.map_or("", |(sql, _)| sql);
    let known = [("question", asked.question), ("evidence", asked.evidence), ("another gold", other)];
    let comments = known.into_iter().filter(|(_, text)| !text.is_empty());
    let comments: String = comments.map(|(what, text)| format!("-- {what}: {text}\n")).collect();
    format!("{comments}{sql};\n")
}
