//! An evaluation as a report with pictures.

use twinql::metrics::{ECE_BINS, precision_recall_curve, reliability, roc_band, roc_curve};
use twinql_report::{
    Axis, BarGroup, BarSeries, Bars, Better, BinSeries, Cell, Chart, Column, Curve, Curves, Estimate,
    Histogram, Level, PairCard, Pairs, Report, Section, Table, Tile,
};

use super::differences::NULL_HYPOTHESIS;
use super::{Measured, over};
use crate::commands::status_line;
use crate::report::{MetricReport, Subject};

/// Ranges of a score distribution.
const RANGES: usize = 20;
/// Points of a curve that are drawn; a page with many metrics over many pairs would grow without bounds.
const POINTS: usize = 400;

/// Figures of groups, by their names.
type Groups<'a> = &'a [(String, Vec<MetricReport>)];

impl Measured<'_> {
    /// The whole report; `pairs` names the file, and the metric and the label disagree on those of `cards`.
    pub(super) fn report(
        &self,
        pairs: &str,
        [hardness, keywords]: [Groups<'_>; 2],
        cards: Vec<PairCard>,
    ) -> Report {
        let (overall, counts) = (&self.overall, &self.seen.counts);
        let mut report = Report::new("How well metrics agree with labels", pairs)
            .with_fact("pairs", format!("{}; {}", status_line(counts), over(overall, counts)))
            .with_fact(
                "intervals",
                format!("{} bootstrap resamples, seed {}", self.how.resamples, self.how.seed),
            );
        for metric in overall {
            report = report.with_fact(format!("signature of {}", metric.metric), metric.signature.clone());
        }
        report = report.with_section(self.agreement()).with_section(self.curves());
        report = report.with_section(self.distributions());
        for (id, title, groups) in [
            ("hardness", "By hardness of the gold", hardness),
            ("keywords", "By keyword of the gold", keywords),
        ] {
            if !groups.is_empty() {
                report = report.with_section(by_group(id, title, groups, self.how.level));
            }
        }
        if !self.differences.is_empty() {
            report = report.with_section(self.differences_table());
        }
        if !cards.is_empty() {
            let first = overall.first().map_or("", |r| r.metric.as_str());
            let caption = format!("The pairs on which {first} is furthest from the label.");
            let pairs = Pairs { caption, cards, folded: false };
            report = report.with_section(Section::new("pairs", "Telling disagreements").with(pairs));
        }
        report
    }

    /// A row for each metric, then the same figures of its decisions. Papers tabulate correlations of decisions, which
    /// for two binary columns are one number, so these stand in a table of their own and not beside the correlations of
    /// scores.
    fn agreement(&self) -> Section {
        let overall = &self.overall;
        let higher = |name: &str| Column::number(name, 3).better(Better::Higher);
        let mut table = Table::new(
            "Agreement of scores with labels, and of decisions at the threshold",
            vec![
                Column::text("metric"),
                Column::text("semantics"),
                Column::number("pairs", 0),
                higher("AUC"),
                higher("average precision"),
                higher("tau-b"),
                higher("rho"),
                higher("r"),
                Column::number("threshold", 2),
                higher("accuracy"),
                higher("F1"),
                higher("MCC"),
                Column::number("false positives", 1).unit("%").better(Better::Lower),
                Column::number("false negatives", 1).unit("%").better(Better::Lower),
                Column::number("ECE", 3).better(Better::Lower),
            ],
        )
        .with_note("False positives and negatives are shares of all pairs. ECE is given for probabilities.");
        let figure = |value: Option<f64>| Cell::of(value, "");
        for r in overall {
            table = table.with_row(vec![
                r.metric.as_str().into(),
                r.semantics.as_str().into(),
                Cell::count(r.pairs),
                match r.auc {
                    Some(auc) => Cell::interval(auc.estimate, auc.low, auc.high),
                    None => Cell::missing(r.undefined.clone().unwrap_or_default()),
                },
                figure(r.average_precision),
                figure(r.kendall_tau_b),
                figure(r.spearman),
                figure(r.pearson),
                Cell::number(r.threshold),
                figure(r.accuracy),
                figure(r.f1),
                figure(r.mcc),
                figure(r.false_positive_share.map(|s| s * 100.0)),
                figure(r.false_negative_share.map(|s| s * 100.0)),
                figure(r.ece),
            ]);
        }
        let mut binarised = Table::new(
            "The same of decisions in place of scores, as some papers tabulate metrics: tau-b, rho and r are one number then",
            vec![Column::text("metric"), higher("AUC"), higher("tau-b = rho = r")],
        );
        for r in overall {
            if let Some(b) = &r.binarised {
                binarised =
                    binarised.with_row(vec![r.metric.as_str().into(), figure(b.auc), figure(b.correlation)]);
            }
        }
        let positives = overall.first().map_or(0, |r| r.positives);
        let mut tiles = vec![Tile::new(
            "pairs",
            self.seen.labels.len().to_string(),
            format!("{positives} labelled the same"),
        )];
        let best = overall.iter().filter_map(|r| Some((r, r.auc?)));
        if let Some((r, auc)) = best.max_by(|(_, a), (_, b)| a.estimate.total_cmp(&b.estimate)) {
            let interval = format!("{:.3} to {:.3}", auc.low, auc.high);
            tiles.push(Tile::new(
                format!("best AUC: {}", r.metric),
                format!("{:.3}", auc.estimate),
                interval,
            ));
        }
        let mut section = Section::new("agreement", "Agreement").with(tiles).with(table);
        if !binarised.rows.is_empty() {
            section = section.with(binarised);
        }
        section
    }

    /// Precision over recall for every metric, and calibration for those whose scores are probabilities. A metric for
    /// which a curve is undefined, as where all labels are one, is left out of that chart.
    fn curves(&self) -> Section {
        let everything = self.seen.everything();
        let (mut precision, mut calibration) = (Vec::new(), Vec::new());
        for (number, subject) in self.subjects.iter().enumerate() {
            let (scores, labels) = self.seen.scored(number, &everything);
            if let Ok(points) = precision_recall_curve(&scores, &labels) {
                let curve = Curve::new(&subject.metric, thinned(&points).map(|p| (p.recall, p.precision)));
                let ap = self.overall.get(number).and_then(|r| r.average_precision);
                precision.push(curve.with_note(ap.map_or_else(String::new, |ap| format!("AP {ap:.3}"))));
            }
            if subject.probability
                && let Ok(bins) = reliability(&scores, &labels, ECE_BINS)
            {
                let filled = bins.iter().filter(|b| b.count > 0);
                let curve = Curve::new(&subject.metric, filled.map(|b| (b.confidence, b.frequency)));
                let ece = self.overall.get(number).and_then(|r| r.ece);
                calibration.push(curve.with_note(ece.map_or_else(String::new, |e| format!("ECE {e:.3}"))));
            }
        }
        let positives =
            self.seen.labels.iter().filter(|l| **l).count() as f64 / self.seen.labels.len().max(1) as f64;
        let mut section = Section::new("curves", "Curves").with(self.roc_chart());
        if !precision.is_empty() {
            let curves = Curves::precision_recall(precision, positives, None);
            section = section.with(Chart::new("precision-recall", "Precision and recall", curves.into()));
        }
        if !calibration.is_empty() {
            let chart =
                Chart::new("reliability", "Reliability", Curves::reliability(calibration, None).into())
                    .with_caption(format!(
                        "{ECE_BINS} bins of equal width; on the diagonal a probability means what it says."
                    ));
            section = section.with(chart);
        }
        section
    }

    /// Scores by label, so that it shows where a threshold would separate them better.
    fn distributions(&self) -> Section {
        let everything = self.seen.everything();
        let mut section = Section::new("distributions", "Scores by label");
        for (number, subject) in self.subjects.iter().enumerate() {
            let (scores, labels) = self.seen.scored(number, &everything);
            // External scores may lie anywhere.
            let (low, high) = scores.iter().fold((0.0f64, 1.0f64), |(l, h), s| (l.min(*s), h.max(*s)));
            let width = (high - low) / RANGES as f64;
            let of = |label: bool| -> Vec<u64> {
                let mut counts = vec![0; RANGES];
                for (score, _) in scores.iter().zip(&labels).filter(|(_, l)| **l == label) {
                    let range = ((score - low) / width) as usize;
                    counts[range.min(RANGES - 1)] += 1;
                }
                counts
            };
            let histogram = Histogram {
                x: Axis::between(format!("score of {}", subject.metric), low, high),
                edges: (0..=RANGES).map(|i| low + width * i as f64).collect(),
                series: vec![
                    BinSeries { name: "label 1, the same".into(), counts: of(true) },
                    BinSeries { name: "label 0, different".into(), counts: of(false) },
                ],
                threshold: Some(Level { at: subject.threshold, name: "threshold".into() }),
            };
            let id = format!("scores-{number}");
            section = section.with(Chart::new(id, format!("Scores of {}", subject.metric), histogram.into()));
        }
        section
    }

    /// Each two metrics on the pairs that both score. The test is a paired one: intervals of the metrics overlap easily
    /// where the difference on the same pairs is clear.
    fn differences_table(&self) -> Section {
        let caption =
            "AUC of the first metric minus that of the second, over the pairs that both say something of";
        let mut table = Table::new(
            caption,
            vec![
                Column::text("first"),
                Column::text("second"),
                Column::number("pairs", 0),
                Column::number("difference", 4),
                Column::number("p", 4),
                Column::number("p adjusted", 4),
            ],
        )
        .with_note(format!(
            "DeLong's paired test, two-sided, adjusted for all pairs of metrics (Holm). Null hypothesis: {NULL_HYPOTHESIS}."
        ));
        for d in &self.differences {
            table = table.with_row(vec![
                d.first.as_str().into(),
                d.second.as_str().into(),
                Cell::count(d.pairs),
                Cell::interval(d.difference, d.low, d.high),
                Cell::number(d.p),
                Cell::number(d.p_adjusted),
            ]);
        }
        Section::new("differences", "Differences between metrics").with(table)
    }

    /// The ROC curves of all metrics that have one, each with its band and its threshold.
    pub(super) fn roc_chart(&self) -> Chart {
        let Measured { subjects, seen, .. } = self;
        let everything = seen.everything();
        let curve = |(number, subject): (usize, &Subject)| {
            let (scores, labels) = seen.scored(number, &everything);
            let points = roc_curve(&scores, &labels).ok()?;
            let drawn = thinned(&points).map(|p| (p.false_positive_rate, p.true_positive_rate));
            let mut curve = Curve::new(format!("{} ({})", subject.metric, subject.semantics), drawn);
            if let Some(auc) = self.overall.get(number).and_then(|r| r.auc) {
                curve =
                    curve.with_note(format!("AUC {:.4} ({:.4} to {:.4})", auc.estimate, auc.low, auc.high));
            }
            if let Ok(band) = roc_band(&scores, &labels, &self.how) {
                curve = curve.with_band(band.iter().map(|b| (b.false_positive_rate, b.low, b.high)));
            }
            if let Some(p) = points.iter().rfind(|p| p.threshold >= subject.threshold) {
                let note = format!("at threshold {:.2}", subject.threshold);
                curve = curve.with_mark(p.false_positive_rate, p.true_positive_rate, note);
            }
            Some(curve)
        };
        let curves = subjects.iter().enumerate().filter_map(curve).collect();
        let title = format!("Agreement with {} labels: ROC curves", seen.labels.len());
        Chart::new("roc", title, Curves::roc(curves, Some(self.how.level)).into()).with_caption(
            "The shaded band is where the curve lies on bootstrap resamples; the mark is at the threshold.",
        )
    }
}

/// AUC and accuracy of each metric in each group.
fn by_group(id: &str, title: &str, groups: &[(String, Vec<MetricReport>)], level: f64) -> Section {
    let metrics: Vec<&str> = groups
        .first()
        .map_or_else(Vec::new, |(_, reports)| reports.iter().map(|r| r.metric.as_str()).collect());
    let mut columns = vec![Column::text("group"), Column::number("pairs", 0), Column::number("label 1", 0)];
    columns.extend(metrics.iter().map(|m| Column::number(format!("AUC of {m}"), 3)));
    columns.extend(metrics.iter().map(|m| Column::number(format!("accuracy of {m}"), 3)));
    let mut table = Table::new(title, columns);
    for (name, reports) in groups {
        let first = reports.first();
        let mut row: Vec<Cell> = vec![
            name.as_str().into(),
            Cell::count(first.map_or(0, |r| r.pairs + r.unscored)),
            Cell::count(first.map_or(0, |r| r.positives)),
        ];
        row.extend(reports.iter().map(|r| match r.auc {
            Some(auc) => Cell::interval(auc.estimate, auc.low, auc.high),
            None => Cell::missing(""),
        }));
        row.extend(reports.iter().map(|r| Cell::of(r.accuracy, "")));
        table = table.with_row(row);
    }
    let series = metrics.iter().enumerate().map(|(at, metric)| BarSeries {
        name: (*metric).to_owned(),
        values: groups
            .iter()
            .map(|(_, reports)| reports.get(at)?.auc.map(|a| Estimate::between(a.estimate, a.low, a.high)))
            .collect(),
    });
    let bars = Bars {
        value: Axis::share("AUC"),
        groups: groups
            .iter()
            .map(|(name, reports)| BarGroup {
                name: name.clone(),
                note: format!("{} pairs", reports.first().map_or(0, |r| r.pairs + r.unscored)),
            })
            .collect(),
        series: series.collect(),
        reference: Some(Level { at: 0.5, name: "chance".into() }),
        level: Some(level),
    };
    Section::new(id, title).with(table).with(Chart::new(format!("{id}-bars"), title, bars.into()))
}

/// At most [`POINTS`] of a curve's points, its ends among them.
fn thinned<T>(points: &[T]) -> impl Iterator<Item = &T> {
    let step = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    points.iter().enumerate().filter(move |(i, _)| i % step == 0 || *i == last).map(|(_, p)| p)
}
