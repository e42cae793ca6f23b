//! `docs/plausible.md` lists the regularities of the registry, with their probabilities.

use twinql_suite::plausible::REGULARITIES;

#[test]
fn the_document_lists_each_regularity_as_it_is() {
    let document = include_str!("../../../docs/plausible.md");
    let listed = document.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 4);
    let listed: Vec<&str> = listed.filter(|line| line.contains("` | 0.")).collect();
    let registered: Vec<String> = REGULARITIES
        .iter()
        .map(|e| format!("| `{}` | {} | {} |", e.name, e.probability, e.summary))
        .collect();
    assert_eq!(listed, registered);
}
