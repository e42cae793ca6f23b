//! What the symbols of outlines mean.

use super::Node;

/// A symbol, what it means, and whether an operator shows it.
type Entry = (&'static str, &'static str, fn(&str) -> bool);

const ENTRIES: [Entry; 10] = [
    ("Query [a, b]", "a query or subquery and the columns of its answer", |t| t.contains("Query [")),
    ("Scan t [a, b]", "the table t and those of its columns that are read", |t| t.starts_with("Scan ")),
    ("t#2", "the second use of t, as in a self-join; t#2.a is its column a", numbered),
    ("Join … AND …", "rows of all inputs together that meet the conditions", |t| t.starts_with("Join")),
    ("a := …", "a computed column and what computes it", |t| t.contains(" := ")),
    ("Aggregate by [a] compute [b]", "one row for each group of a; b is computed of its rows", |t| {
        t.starts_with("Aggregate ")
    }),
    ("subquery 1", "the first (…) of the operator above it", |t| t.starts_with("subquery ")),
    ("Bare", "a column that is neither a group key nor aggregated", |t| t.contains("BARE(")),
    ("…", "what lies deeper is not shown", |t| t == "…"),
    ("Distinct", "equal rows become one", |t| t == "Distinct"),
];

fn numbered(text: &str) -> bool {
    text.match_indices('#').any(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
}

/// The symbols that occur in some outlines, each with its meaning.
pub fn legend(outlines: &[&[Node]]) -> Vec<(&'static str, &'static str)> {
    let texts = || outlines.iter().copied().flatten().map(|n| n.text.as_str());
    ENTRIES
        .iter()
        .filter(|(_, _, shows)| texts().any(shows))
        .map(|(symbol, meaning, _)| (*symbol, *meaning))
        .collect()
}
