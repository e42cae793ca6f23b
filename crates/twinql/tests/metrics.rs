//! `docs/metrics.md` names every metric of the registry, with its source, its range and its threshold.

use twinql_metrics::{METRICS, ScoreKind};

#[test]
fn every_metric_is_described() {
    let text = include_str!("../../../../docs/metrics.md");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> = METRICS
        .iter()
        .map(|m| {
            let range = match m.kind {
                ScoreKind::Binary => "0 or 1",
                ScoreKind::Continuous => "0 to 1",
            };
            format!("| `{}` | {} | {range} | {} | {} |", m.name, m.summary, m.threshold, m.source)
        })
        .collect();
    for row in &expected {
        assert!(rows.contains(&row.as_str()), "docs/metrics.md lacks this row:\n{row}");
    }
    for metric in METRICS {
        let heading = format!("### {}", metric.name);
        assert!(text.lines().any(|line| line == heading), "docs/metrics.md lacks the heading {heading:?}");
    }
    let first = rows.iter().filter(|row| row.contains("| 0 to 1 |") || row.contains("| 0 or 1 |"));
    assert_eq!(first.count(), METRICS.len(), "docs/metrics.md has a row for what is no metric");
}
