//! ROC curves as an SVG picture.

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

/// The curves in one square with axes, the diagonal of a random metric and a legend.
pub(crate) fn roc_svg(title: &str, curves: &[Curve]) -> String {
    let (width, height) = (LEFT + SIZE + 24.0, TOP + SIZE + 56.0);
    let x = |rate: f64| LEFT + rate * SIZE;
    let y = |rate: f64| TOP + (1.0 - rate) * SIZE;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">"#
    );
    let _ = writeln!(out, r#"<rect width="{width}" height="{height}" fill="white"/>"#);
    let _ = writeln!(
        out,
        r#"<text x="{}" y="24" text-anchor="middle" font-size="15">{}</text>"#,
        x(0.5),
        escape(title)
    );
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
}
