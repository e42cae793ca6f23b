//! Generated pages are what registries, types and stored outputs say; hand-written ones name all that they have to.

use twinql::metrics::METRICS;
use twinql_measure::docs;

#[test]
fn no_generated_page_is_stale() {
    let pages = docs::pages().unwrap();
    assert!(pages.len() > 30, "{}", pages.len());
    let stale = docs::stale(&pages).unwrap();
    assert!(stale.is_empty(), "stale; `cargo measure docs` writes them: {stale:#?}");
}

/// A page that differs by a word, and one that is not there, are named.
#[test]
fn what_is_stale_is_named() {
    let mut pages = docs::pages().unwrap();
    pages[0].text.push_str("more");
    pages[1].path = "docs/rules/none.md".into();
    let lost = "(nothing writes it)";
    let stale = docs::stale(&pages).unwrap();
    assert_eq!(stale.len(), 3, "{stale:?}");
    assert!(stale.contains(&pages[0].path) && stale.contains(&pages[1].path), "{stale:?}");
    assert!(stale.iter().any(|path| path.ends_with(lost)), "{stale:?}");
}

#[test]
fn every_metric_is_described() {
    let text = include_str!("../../../../docs/metrics.md");
    for metric in METRICS {
        let heading = format!("### {}", metric.name);
        assert!(text.lines().any(|line| line == heading), "docs/metrics.md lacks the heading {heading:?}");
    }
}
