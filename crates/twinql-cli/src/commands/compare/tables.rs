//! A comparison as text tables.

use twinql::metrics::{ALL, Comparison, Standing};

use super::Found;
use crate::output::table;
use crate::report::Subject;

/// What the p values are about.
pub(super) const NULL_HYPOTHESIS: &str =
    "both systems are equally good: which of them gave which answer is exchangeable, gold by gold";

/// More systems than this are compared with their neighbours in rank only: a grid would not fit a terminal.
const GRID: usize = 8;

impl Found {
    /// All tables, and what they are over.
    pub(super) fn text(&self) -> String {
        let Found { comparison, measures, how, entries, counts } = self;
        let mut out = format!(
            "Accuracy by metric ({} golds; {:.0} % Wilson intervals; best by {} first)\n",
            entries.hardness.len(),
            how.level * 100.0,
            comparison.reference
        );
        let ranked = self.ranked();
        out.push_str(&standings(comparison, measures, &ranked));
        out.push_str(&interactions(comparison, &ranked));
        out.push_str(&unscored(comparison));
        if ranked.len() > 1 {
            out.push_str(&format!("\nContests under {}\n", comparison.reference));
            out.push_str(&contests(comparison, &ranked));
            out.push_str(&format!(
                "p: randomisation, adjusted for all contests (Holm); null hypothesis: {NULL_HYPOTHESIS}\n"
            ));
            if !comparison.rankings.is_empty() {
                out.push_str(&format!(
                    "\nKendall's tau-b of the systems' accuracies with those by {}\n",
                    comparison.reference
                ));
                out.push_str(&rankings(comparison));
            }
        }
        if !comparison.disagreements.is_empty() {
            out.push_str(&format!(
                "\nDisagreement with {} in % of all golds: mean / standard deviation / maximum over the systems\n",
                comparison.reference
            ));
            out.push_str(&disagreements(comparison));
        }
        out.push('\n');
        for (system, counts) in entries.systems.iter().zip(counts) {
            out.push_str(&format!("{}: {}\n", system.name, counts));
        }
        measures.iter().fold(out, |out, measure| out + &measure.signature + "\n")
    }

    /// The systems from the best by the reference down; equal ones in the order of the command line.
    pub(super) fn ranked(&self) -> Vec<&Standing> {
        let Comparison { standings, reference, .. } = &self.comparison;
        let mut ranked: Vec<&Standing> = standings.iter().filter(|s| s.metric == *reference).collect();
        ranked.sort_by(|a, b| b.accuracy.total_cmp(&a.accuracy));
        ranked
    }
}

/// Accuracies by metric, those by the reference in each class.
fn standings(comparison: &Comparison, measures: &[Subject], ranked: &[&Standing]) -> String {
    let mut head = vec!["system".to_owned()];
    head.extend(measures.iter().flat_map(|measure| [measure.metric.clone(), String::new()]));
    head.extend(comparison.classes.iter().map(|class| format!("{} {class}", comparison.reference)));
    let mut rows = vec![head];
    for best in ranked {
        let mut row = vec![best.system.clone()];
        for standing in comparison.standings.iter().filter(|s| s.system == best.system) {
            row.push(format!("{:.4}", standing.accuracy));
            row.push(format!("{:.3}-{:.3}", standing.low, standing.high));
        }
        row.extend(best.by_class.iter().map(|a| a.map_or_else(|| "n/a".into(), |a| format!("{a:.3}"))));
        rows.push(row);
    }
    table(&rows)
}

/// Interactions by the reference, of which every turn is right, and turns by their place; nothing where golds are questions
/// of their own.
fn interactions(comparison: &Comparison, ranked: &[&Standing]) -> String {
    let head = ["system", "interactions", "", "turn 1", "turn 2", "turn 3", "later"];
    let mut rows = vec![head.map(String::from).to_vec()];
    let mut of = 0;
    for standing in ranked {
        let Some(found) = &standing.interactions else { return String::new() };
        let mut row = vec![
            standing.system.clone(),
            format!("{:.4}", found.accuracy),
            format!("{:.3}-{:.3}", found.low, found.high),
        ];
        row.extend(found.by_turn.iter().map(|a| a.map_or_else(|| "n/a".into(), |a| format!("{a:.3}"))));
        rows.push(row);
        of = found.interactions;
    }
    format!(
        "\nInteractions of which every turn is right, by {} ({of} interactions)\n{}",
        comparison.reference,
        table(&rows)
    )
}

/// How many golds count as not right since a metric has no score for the prediction. All systems are measured on the same
/// golds, so that none gains by what was not read.
fn unscored(comparison: &Comparison) -> String {
    let without = comparison.standings.iter().filter(|s| s.unscored > 0);
    let line = |s: &Standing| {
        let Standing { system, metric, unscored, items, .. } = s;
        format!("{system}: {unscored} of {items} have no score by {metric}, and count as not right\n")
    };
    without.map(line).collect()
}

fn contests(comparison: &Comparison, ranked: &[&Standing]) -> String {
    let place = |name: &str| ranked.iter().position(|s| s.system == name).unwrap_or(usize::MAX);
    let mut rows = vec![["better", "worse", "difference", "interval", "p"].map(String::from).to_vec()];
    let mut chosen: Vec<_> = comparison
        .contests
        .iter()
        .filter(|c| c.metric == comparison.reference)
        .map(|c| (place(&c.first), place(&c.second), c))
        .filter(|(a, b, _)| ranked.len() <= GRID || a.abs_diff(*b) == 1)
        .collect();
    chosen.sort_by_key(|(a, b, _)| (*a.min(b), *a.max(b)));
    for (a, b, contest) in chosen {
        // The better one stands first.
        let (better, worse, sign, low, high) = match a < b {
            true => (&contest.first, &contest.second, 1.0, contest.low, contest.high),
            false => (&contest.second, &contest.first, -1.0, -contest.high, -contest.low),
        };
        rows.push(vec![
            better.clone(),
            worse.clone(),
            // No difference has no sign.
            format!("{:+.4}", sign * contest.difference + 0.0),
            format!("{low:+.3}..{high:+.3}"),
            format!("{:.4}", contest.p_adjusted),
        ]);
    }
    table(&rows)
}

fn rankings(comparison: &Comparison) -> String {
    let classes = || std::iter::once(ALL).chain(comparison.classes.iter().map(String::as_str));
    let mut rows = vec![std::iter::once("metric").chain(classes()).map(String::from).collect::<Vec<_>>()];
    let mut names: Vec<&str> = Vec::new();
    for ranking in &comparison.rankings {
        if !names.contains(&ranking.metric.as_str()) {
            names.push(&ranking.metric);
        }
    }
    let figure = |tau: Option<f64>| tau.map_or_else(|| "n/a".into(), |t| format!("{t:.3}"));
    for name in names {
        let of = || comparison.rankings.iter().filter(|r| r.metric == name);
        rows.push(std::iter::once(name.to_owned()).chain(of().map(|r| figure(r.tau))).collect());
        if of().any(|r| r.tau_of_means.is_some()) {
            let means = of().map(|r| figure(r.tau_of_means));
            rows.push(std::iter::once("  by mean score".to_owned()).chain(means).collect());
        }
    }
    table(&rows)
}

fn disagreements(comparison: &Comparison) -> String {
    let mut rows = vec![["metric", "class", "false positives", "false negatives"].map(String::from).to_vec()];
    for d in &comparison.disagreements {
        let spread = |s: &twinql::metrics::Spread| {
            format!("{:.1} / {:.1} / {:.1}", s.mean * 100.0, s.deviation * 100.0, s.max * 100.0)
        };
        let [positives, negatives] = [&d.false_positives, &d.false_negatives].map(spread);
        rows.push(vec![d.metric.clone(), d.class.clone(), positives, negatives]);
    }
    table(&rows)
}
