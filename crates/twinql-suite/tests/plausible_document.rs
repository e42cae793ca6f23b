//! `docs/plausible.md` lists the regularities of the registry, with their probabilities and where these come from.

use twinql_suite::plausible::REGULARITIES;

#[test]
fn the_document_lists_each_regularity_as_it_is() {
    let document = include_str!("../../../docs/plausible.md");
    let rows = document.lines().filter(|line| line.starts_with("| `") && line.contains("` | 0."));
    let registered: Vec<String> = REGULARITIES
        .iter()
        .map(|e| {
            let from = e.counted.map_or_else(|| "by hand".to_owned(), |c| format!("{} of {}", c.holds, c.of));
            format!("| `{}` | {:.2} | {from} | {} |", e.name, e.probability, e.summary)
        })
        .collect();
    assert_eq!(rows.collect::<Vec<&str>>(), registered);
}
