//! The figures of `twinql evaluate` as a table.

pub(crate) use twinql::evaluation::{Abstention, MetricReport, Subject};

use crate::output::table;

/// What is decided outside a band, in a sentence.
fn abstention(abstention: &Abstention) -> String {
    format!(
        "outside its band {:.2}-{:.2} it decides {} pairs (coverage {:.4}) with accuracy {}; of label 1, {} are called different, of label 0, {} the same (the band allows {:.2} each)",
        abstention.low,
        abstention.high,
        abstention.decided,
        abstention.coverage,
        figure(abstention.accuracy),
        figure(abstention.missed),
        figure(abstention.false_alarms),
        abstention.level,
    )
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".into(), |v| format!("{v:.4}"))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "n/a".into(), |s| format!("{:.1}", s * 100.0))
}

/// The columns that follow the metric's name: a name, and what stands below it.
type Column = (&'static str, fn(&MetricReport) -> String);

const COLUMNS: [Column; 16] = [
    ("semantics", |r| r.semantics.clone()),
    ("n", |r| r.pairs.to_string()),
    ("positive", |r| r.positives.to_string()),
    ("AUC", |r| figure(r.auc.map(|a| a.estimate))),
    ("interval", |r| r.auc.map_or_else(|| "n/a".into(), |a| format!("{:.4}-{:.4}", a.low, a.high))),
    ("AP", |r| figure(r.average_precision)),
    ("tau-b", |r| figure(r.kendall_tau_b)),
    ("rho", |r| figure(r.spearman)),
    ("r", |r| figure(r.pearson)),
    ("accuracy", |r| figure(r.accuracy)),
    ("F1", |r| figure(r.f1)),
    ("MCC", |r| figure(r.mcc)),
    ("FP %", |r| percent(r.false_positive_share)),
    ("FN %", |r| percent(r.false_negative_share)),
    ("ECE", |r| r.ece.map_or_else(String::new, |e| format!("{e:.4}"))),
    ("threshold", |r| format!("{:.2}", r.threshold)),
];

/// The figures as a text table, the interval with its level; groups, where there are any, stand in a column before. Below
/// a metric stand the figures of its decisions in place of its scores.
pub(crate) fn text(rows: &[(Option<String>, &MetricReport)], level: f64) -> String {
    let grouped = rows.iter().any(|(group, _)| group.is_some());
    let start = |group: Option<&str>, metric: &str| -> Vec<String> {
        let group = grouped.then(|| group.unwrap_or_default());
        group.into_iter().chain([metric]).map(str::to_owned).collect()
    };
    let mut head = start(Some("group"), "metric");
    head.extend(COLUMNS.map(|(name, _)| match name {
        "interval" => format!("{:.0} % interval", level * 100.0),
        name => name.to_owned(),
    }));
    let mut lines = vec![head];
    for (group, report) in rows {
        let mut line = start(group.as_deref(), &report.metric);
        line.extend(COLUMNS.map(|(_, cell)| cell(report)));
        lines.push(line);
        if let Some(binarised) = &report.binarised {
            let mut line = start(group.as_deref(), "  binarised");
            line.extend(["", "", "", &figure(binarised.auc), "", ""].map(str::to_owned));
            line.extend(std::iter::repeat_n(figure(binarised.correlation), 3));
            lines.push(line);
        }
    }
    let mut out = table(&lines);
    for (group, report) in rows {
        if let (None, Some(decided)) = (group, &report.abstention) {
            out.push_str(&format!("{}: {}\n", report.metric, abstention(decided)));
        }
    }
    out
}
