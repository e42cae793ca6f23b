//! Whether one metric agrees better with the labels than another: paired tests of their areas.

use serde::Serialize;
use twinql::evaluation::Labelled;
use twinql::metrics::{delong, holm};

use crate::output::table;
use crate::report::Subject;

/// What the p values are about.
pub(super) const NULL_HYPOTHESIS: &str =
    "both metrics rank a random label-1 pair above a random label-0 pair equally often (the same AUC)";

/// Two metrics over the pairs that both say something of.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Difference {
    pub(super) first: String,
    pub(super) second: String,
    pub(super) pairs: usize,
    /// AUC of the first minus that of the second.
    pub(super) difference: f64,
    /// Its interval (DeLong).
    pub(super) low: f64,
    pub(super) high: f64,
    /// Two-sided (DeLong).
    pub(super) p: f64,
    /// The same, adjusted for all pairs of metrics (Holm).
    pub(super) p_adjusted: f64,
}

/// All pairs of metrics whose areas are defined.
pub(super) fn differences(seen: &Labelled, subjects: &[Subject], level: f64) -> Vec<Difference> {
    let mut all = Vec::new();
    for first in 0..subjects.len() {
        for second in first + 1..subjects.len() {
            let (one, other, labels) = seen.both(first, second);
            let Ok(areas) = delong(&[&one, &other], &labels) else { continue };
            let Some((difference, (low, high), p)) = areas.difference(0, 1, level) else { continue };
            all.push(Difference {
                first: subjects[first].metric.clone(),
                second: subjects[second].metric.clone(),
                pairs: labels.len(),
                difference,
                low,
                high,
                p,
                p_adjusted: p,
            });
        }
    }
    let ps: Vec<f64> = all.iter().map(|d| d.p).collect();
    for (difference, p) in all.iter_mut().zip(holm(&ps)) {
        difference.p_adjusted = p;
    }
    all
}

/// The differences as a table, and what they mean; nothing where there are none.
pub(super) fn text(differences: &[Difference], level: f64) -> String {
    if differences.is_empty() {
        return String::new();
    }
    let interval = format!("{:.0} % interval", level * 100.0);
    let head = ["first", "second", "n", "AUC difference", interval.as_str(), "p", "p adjusted"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for d in differences {
        rows.push(vec![
            d.first.clone(),
            d.second.clone(),
            d.pairs.to_string(),
            // No difference has no sign.
            format!("{:+.4}", d.difference + 0.0),
            format!("{:+.4}..{:+.4}", d.low, d.high),
            format!("{:.4}", d.p),
            format!("{:.4}", d.p_adjusted),
        ]);
    }
    format!(
        "\n{}p: DeLong, two-sided; adjusted for all pairs of metrics (Holm); null hypothesis: {NULL_HYPOTHESIS}\n",
        table(&rows)
    )
}
