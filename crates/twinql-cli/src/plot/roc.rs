//! ROC curves with their bands and operating points.

use std::fmt::Write;

use twinql::metrics::{BandPoint, Interval, RocPoint};

use super::{GRID, LEFT, QUIET, RIGHT, SIZE, TEXT, TOP, joined, line, opened, style, text, ticks};

/// A curve with what is known of it.
pub(crate) struct Curve {
    /// Shown in the legend.
    pub(crate) name: String,
    /// From (0, 0) to (1, 1).
    pub(crate) points: Vec<RocPoint>,
    /// Where it runs with some confidence; may be empty.
    pub(crate) band: Vec<BandPoint>,
    /// Area under it, with its interval.
    pub(crate) auc: Interval,
    /// Where the metric's decisions stand.
    pub(crate) operating: Option<Operating>,
}

/// The point of a curve at the threshold that decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Operating {
    pub(crate) threshold: f64,
    pub(crate) false_positive_rate: f64,
    pub(crate) true_positive_rate: f64,
}

impl Operating {
    /// The point of a curve where scores from `threshold` on are called positive.
    pub(crate) fn of(points: &[RocPoint], threshold: f64) -> Option<Operating> {
        let last = points.iter().rev().find(|p| p.threshold >= threshold)?;
        Some(Operating {
            threshold,
            false_positive_rate: last.false_positive_rate,
            true_positive_rate: last.true_positive_rate,
        })
    }
}

/// Height of a curve's part of the legend.
const ENTRY: f64 = 38.0;

/// The curves in one square with axes and the diagonal of a random metric; below it a legend.
/// `level` is the coverage of bands and intervals.
pub(crate) fn roc_svg(title: &str, curves: &[Curve], level: f64) -> String {
    let below = TOP + SIZE + 52.0;
    let height = below + curves.len() as f64 * ENTRY + 26.0;
    let x = |rate: f64| LEFT + rate * SIZE;
    let y = |rate: f64| TOP + (1.0 - rate) * SIZE;
    let mut out = opened(title, LEFT + SIZE + RIGHT, height);
    for (rate, label) in ticks(0.0, 1.0, 5) {
        let look = format!(r#"stroke="{GRID}""#);
        line(&mut out, (x(rate), y(0.0)), (x(rate), y(1.0)), &look);
        line(&mut out, (x(0.0), y(rate)), (x(1.0), y(rate)), &look);
        text(&mut out, (x(rate), y(0.0) + 18.0), "middle", QUIET, &label);
        text(&mut out, (x(0.0) - 8.0, y(rate) + 4.0), "end", QUIET, &label);
    }
    line(&mut out, (x(0.0), y(0.0)), (x(1.0), y(1.0)), r##"stroke="#aaa" stroke-dasharray="4 4""##);
    text(
        &mut out,
        (x(0.5), y(0.0) + 38.0),
        "middle",
        TEXT,
        "false positive rate: different pairs that are called the same",
    );
    let _ = writeln!(
        out,
        r#"<text transform="translate(18 {:.1}) rotate(-90)" text-anchor="middle">true positive rate: equivalent pairs that are called the same</text>"#,
        y(0.5)
    );
    // Bands below all curves.
    for (i, curve) in curves.iter().enumerate() {
        let (colour, _) = style(i);
        let at = |p: &BandPoint, rate: f64| (x(p.false_positive_rate), y(rate));
        let upper = curve.band.iter().map(|p| at(p, p.high));
        let lower = curve.band.iter().rev().map(|p| at(p, p.low));
        if !curve.band.is_empty() {
            let _ = writeln!(
                out,
                r#"<polygon points="{}" fill="{colour}" fill-opacity="0.14"/>"#,
                joined(upper.chain(lower))
            );
        }
    }
    for (i, curve) in curves.iter().enumerate() {
        let (colour, dashes) = style(i);
        let points = curve.points.iter();
        let points = joined(points.map(|p| (x(p.false_positive_rate), y(p.true_positive_rate))));
        let look = format!(r#"stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}""#);
        let _ = writeln!(out, r#"<polyline points="{points}" fill="none" {look}/>"#);
        let row = below + i as f64 * ENTRY + 14.0;
        line(&mut out, (LEFT, row - 4.0), (LEFT + 28.0, row - 4.0), &look);
        let auc = &curve.auc;
        let mut first = format!("{}: AUC {:.4}", curve.name, auc.estimate);
        if auc.resamples > 0 {
            first.push_str(&format!(" ({:.4}–{:.4})", auc.low, auc.high));
        }
        text(&mut out, (LEFT + 38.0, row), "start", TEXT, &first);
        if let Some(at) = &curve.operating {
            let (px, py) = (x(at.false_positive_rate), y(at.true_positive_rate));
            for (cx, cy) in [(px, py), (LEFT + 14.0, row + 12.0)] {
                let _ = writeln!(
                    out,
                    r#"<circle cx="{cx:.1}" cy="{cy:.1}" r="5" fill="white" stroke="{colour}" stroke-width="2"/>"#
                );
            }
            let said = format!(
                "decides at {:.2}: true positive rate {:.3}, false positive rate {:.3}",
                at.threshold, at.true_positive_rate, at.false_positive_rate
            );
            text(&mut out, (LEFT + 38.0, row + 16.0), "start", QUIET, &said);
        }
    }
    if curves.iter().any(|c| !c.band.is_empty()) {
        let said = format!("bands and intervals: {:.0} %, over resamples of the pairs", 100.0 * level);
        text(&mut out, (LEFT, height - 12.0), "start", QUIET, &said);
    }
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use twinql::metrics::{Resampling, roc_band, roc_curve};

    fn curve(scores: &[f64], labels: &[bool], threshold: f64) -> Curve {
        let points = roc_curve(scores, labels).unwrap_or_default();
        Curve {
            name: "gmn".into(),
            operating: Operating::of(&points, threshold),
            points,
            band: roc_band(scores, labels, &Resampling::default()).unwrap_or_default(),
            auc: Interval { estimate: 1.0, low: 0.9, high: 1.0, resamples: 1000 },
        }
    }

    #[test]
    fn a_curve_runs_from_corner_to_corner() {
        let svg = roc_svg("a < b", &[curve(&[0.9, 0.1], &[true, false], 0.5)], 0.95);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(svg.contains(r#"points="64.0,520.0 64.0,40.0 544.0,40.0""#), "{svg}");
        assert!(svg.contains("a &lt; b") && svg.contains("gmn: AUC 1.0000 (0.9000–1.0000)"));
        assert!(svg.contains("<polygon") && svg.contains("95 %"));
        // The operating point: all positives, no negative.
        assert!(svg.contains(r#"<circle cx="64.0" cy="40.0""#), "{svg}");
        assert!(svg.contains("decides at 0.50: true positive rate 1.000, false positive rate 0.000"));
    }

    #[test]
    fn the_operating_point_takes_scores_at_the_threshold() {
        let points = roc_curve(&[0.9, 0.5, 0.5, 0.1], &[true, true, false, false]).unwrap_or_default();
        let at = |threshold| {
            Operating::of(&points, threshold).map(|o| (o.false_positive_rate, o.true_positive_rate))
        };
        assert_eq!(at(0.5), Some((0.5, 1.0)));
        assert_eq!(at(0.51), Some((0.0, 0.5)));
        assert_eq!(at(0.0), Some((1.0, 1.0)));
        assert_eq!(at(0.95), Some((0.0, 0.0)));
    }
}
