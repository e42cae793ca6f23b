//! ROC curves, and the course of a training run, as SVG pictures.

use std::fmt::Write;

use twinql::metrics::RocPoint;

/// A curve with its name.
pub(crate) struct Curve {
    /// Shown in the legend.
    pub(crate) name: String,
    /// From (0, 0) to (1, 1).
    pub(crate) points: Vec<RocPoint>,
    /// Area under it.
    pub(crate) auc: f64,
}

const SIZE: f64 = 480.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 40.0;
/// Told apart in colour and, by their dashes, without.
const STYLES: [(&str, &str); 6] = [
    ("#0b61a4", ""),
    ("#c2410c", "7 3"),
    ("#15803d", "2 3"),
    ("#7c3aed", "9 3 2 3"),
    ("#a16207", "5 5"),
    ("#be185d", "1 4"),
];

/// The beginning of a picture: its frame, a white ground, and the title above the middle of the plot.
fn opened(title: &str, width: f64, height: f64) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">"#
    );
    let _ = writeln!(out, r#"<rect width="{width}" height="{height}" fill="white"/>"#);
    let _ = writeln!(
        out,
        r#"<text x="{}" y="24" text-anchor="middle" font-size="15">{}</text>"#,
        LEFT + SIZE / 2.0,
        escape(title)
    );
    out
}

/// The curves in one square with axes, the diagonal of a random metric and a legend.
pub(crate) fn roc_svg(title: &str, curves: &[Curve]) -> String {
    let (width, height) = (LEFT + SIZE + 24.0, TOP + SIZE + 56.0);
    let x = |rate: f64| LEFT + rate * SIZE;
    let y = |rate: f64| TOP + (1.0 - rate) * SIZE;
    let mut out = opened(title, width, height);
    for tick in 0..=5 {
        let rate = f64::from(tick) / 5.0;
        let _ = writeln!(
            out,
            r##"<path d="M{0:.1} {1:.1}V{2:.1}M{3:.1} {4:.1}H{5:.1}" stroke="#ddd" fill="none"/>"##,
            x(rate),
            y(0.0),
            y(1.0),
            x(0.0),
            y(rate),
            x(1.0)
        );
        let _ = writeln!(
            out,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{rate:.1}</text><text x="{:.1}" y="{:.1}" text-anchor="end">{rate:.1}</text>"#,
            x(rate),
            y(0.0) + 18.0,
            x(0.0) - 8.0,
            y(rate) + 4.0
        );
    }
    let _ = writeln!(
        out,
        r##"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="#999" stroke-dasharray="4 4" fill="none"/>"##,
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    let _ = writeln!(
        out,
        r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">false positive rate</text>"#,
        x(0.5),
        y(0.0) + 42.0
    );
    let _ = writeln!(
        out,
        r#"<text transform="translate(18 {:.1}) rotate(-90)" text-anchor="middle">true positive rate</text>"#,
        y(0.5)
    );
    for (i, curve) in curves.iter().enumerate() {
        let (colour, dashes) = STYLES.get(i % STYLES.len()).copied().unwrap_or(("black", ""));
        let path: Vec<String> = curve
            .points
            .iter()
            .map(|p| format!("{:.1},{:.1}", x(p.false_positive_rate), y(p.true_positive_rate)))
            .collect();
        let style = format!(r#"fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}""#);
        let _ = writeln!(out, r#"<polyline points="{}" {style}/>"#, path.join(" "));
        let row = y(0.0) - 16.0 - 20.0 * (curves.len() - 1 - i) as f64;
        let _ = writeln!(
            out,
            r#"<path d="M{:.1} {:.1}h28" {style}/><text x="{:.1}" y="{row:.1}">{} (AUC {:.4})</text>"#,
            x(0.5),
            row - 4.0,
            x(0.5) + 36.0,
            escape(&curve.name),
            curve.auc
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A quantity over the epochs of a training run.
pub(crate) struct Course<'a> {
    /// Shown above it.
    pub(crate) name: &'a str,
    /// One value an epoch, from the first on.
    pub(crate) values: Vec<f64>,
}

const PANEL: f64 = 160.0;

/// One panel for each course, each on its own scale, the first and last values written out.
pub(crate) fn courses_svg(title: &str, courses: &[Course<'_>]) -> String {
    let (width, height) = (
        LEFT + SIZE + 24.0,
        TOP + courses.len() as f64 * (PANEL + 48.0) + 16.0,
    );
    let mut out = opened(title, width, height);
    for (i, course) in courses.iter().enumerate() {
        let top = TOP + 24.0 + i as f64 * (PANEL + 48.0);
        let finite = course.values.iter().copied().filter(|v| v.is_finite());
        let low = finite.clone().fold(f64::INFINITY, f64::min);
        let high = finite.fold(f64::NEG_INFINITY, f64::max);
        let span = if high > low { high - low } else { 1.0 };
        let step = SIZE / (course.values.len().max(2) - 1) as f64;
        let points: Vec<String> = course
            .values
            .iter()
            .enumerate()
            .filter(|(_, v)| v.is_finite())
            .map(|(epoch, v)| {
                let y = top + PANEL * (1.0 - (v - low) / span);
                format!("{:.1},{y:.1}", LEFT + epoch as f64 * step)
            })
            .collect();
        let _ = writeln!(
            out,
            r##"<rect x="{LEFT}" y="{top:.1}" width="{SIZE}" height="{PANEL}" stroke="#ddd" fill="none"/>"##
        );
        let _ = writeln!(
            out,
            r#"<text x="{LEFT}" y="{:.1}">{}</text>"#,
            top - 6.0,
            escape(course.name)
        );
        if high >= low {
            let _ = writeln!(
                out,
                r#"<text x="{0:.1}" y="{1:.1}" text-anchor="end">{high:.4}</text><text x="{0:.1}" y="{2:.1}" text-anchor="end">{low:.4}</text>"#,
                LEFT - 6.0,
                top + 10.0,
                top + PANEL
            );
        }
        let _ = writeln!(
            out,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">epoch {}</text>"#,
            LEFT + SIZE,
            top + PANEL + 16.0,
            course.values.len()
        );
        let (colour, _) = STYLES.get(i % STYLES.len()).copied().unwrap_or(("black", ""));
        let _ = writeln!(
            out,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
            points.join(" ")
        );
    }
    out.push_str("</svg>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use twinql::metrics::roc_curve;

    #[test]
    fn a_curve_runs_from_corner_to_corner() {
        let points = roc_curve(&[0.9, 0.1], &[true, false]).unwrap_or_default();
        let svg = roc_svg(
            "a < b",
            &[Curve {
                name: "gmn".into(),
                points,
                auc: 1.0,
            }],
        );
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(
            svg.contains(r#"points="64.0,520.0 64.0,40.0 544.0,40.0""#),
            "{svg}"
        );
        assert!(svg.contains("a &lt; b") && svg.contains("gmn (AUC 1.0000)"));
    }

    #[test]
    fn a_course_fills_its_panel() {
        let course = |values: &[f64]| Course {
            name: "loss",
            values: values.to_vec(),
        };
        let svg = courses_svg(
            "run",
            &[course(&[0.4, 0.2, 0.1]), course(&[f64::NAN]), course(&[])],
        );
        assert!(
            svg.contains(r#"points="64.0,64.0 304.0,170.7 544.0,224.0""#),
            "{svg}"
        );
        assert!(svg.contains("0.4000") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}
