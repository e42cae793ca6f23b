//! The figures of `twinql evaluate` as a table.

pub(crate) use twinql::evaluation::{Abstention, MetricReport, Subject, measure};

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

/// The figures as a text table; `groups` names a column of groups.
pub(crate) fn text(rows: &[(Option<String>, &MetricReport)], level: f64) -> String {
    let grouped = rows.iter().any(|(group, _)| group.is_some());
    let interval = format!("{:.0} % interval", level * 100.0);
    let mut head: Vec<String> = if grouped { vec!["group".into()] } else { Vec::new() };
    head.extend(
        [
            "metric",
            "semantics",
            "n",
            "positive",
            "AUC",
            interval.as_str(),
            "AP",
            "tau-b",
            "rho",
            "r",
            "accuracy",
            "F1",
            "MCC",
            "FP %",
            "FN %",
            "ECE",
            "threshold",
        ]
        .map(String::from),
    );
    let mut lines = vec![head];
    for (group, report) in rows {
        let start = |metric: String| match group {
            Some(group) => vec![group.clone(), metric],
            None if grouped => vec![String::new(), metric],
            None => vec![metric],
        };
        let ends = report.auc.map_or_else(|| "n/a".into(), |a| format!("{:.4}-{:.4}", a.low, a.high));
        let mut line = start(report.metric.clone());
        line.extend([
            report.semantics.clone(),
            report.pairs.to_string(),
            report.positives.to_string(),
            figure(report.auc.map(|a| a.estimate)),
            ends,
            figure(report.average_precision),
            figure(report.kendall_tau_b),
            figure(report.spearman),
            figure(report.pearson),
            figure(report.accuracy),
            figure(report.f1),
            figure(report.mcc),
            percent(report.false_positive_share),
            percent(report.false_negative_share),
            report.ece.map_or_else(String::new, |e| format!("{e:.4}")),
            format!("{:.2}", report.threshold),
        ]);
        lines.push(line);
        if let Some(binarised) = &report.binarised {
            let mut line = start("  binarised".into());
            line.extend([String::new(), String::new(), String::new()]);
            line.extend([figure(binarised.auc), String::new(), String::new()]);
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
