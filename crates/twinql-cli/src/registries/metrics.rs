//! The metrics.

use twinql::metrics::{METRICS, Metric, Need, ScoreKind, metric};

use super::{Entry, Row};

/// All, in the order of the registry.
pub fn rows() -> impl Iterator<Item = Row> {
    METRICS.iter().map(|metric| Row { name: metric.name, about: metric.summary, family: None })
}

/// The one of a name.
pub fn entry(name: &str) -> Option<Entry> {
    metric(name).map(|metric| Entry {
        name: metric.name,
        about: metric.summary.to_owned(),
        facts: facts(metric),
        examples: None,
    })
}

/// What there is to know of a metric.
fn facts(metric: &Metric) -> Vec<(&'static str, String)> {
    let range = match metric.kind {
        ScoreKind::Binary => "0 or 1",
        ScoreKind::Continuous => "0 to 1",
    };
    let semantics = match metric.preset() {
        Some(name) => format!("always `{name}`"),
        None if metric.needs(Need::Network) => {
            "the one asked for; its network reads the nearest that it was trained for".to_owned()
        }
        None => "the one asked for".to_owned(),
    };
    vec![
        ("range", range.to_owned()),
        ("threshold", metric.threshold.to_string()),
        ("semantics", semantics),
        ("source", metric.source.to_owned()),
    ]
}
