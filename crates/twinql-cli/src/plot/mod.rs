//! The course of a training run as an SVG picture.
//!
//! Written by hand, since a picture of lines and text needs no library, and the same figures give the same
//! bytes.

mod courses;

use std::fmt::Write;

pub(crate) use courses::{Course, Scale, courses_svg};

/// Width of a plot, and height of a square one.
const SIZE: f64 = 480.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 40.0;
const TEXT: &str = "#333";
const QUIET: &str = "#777";
const GRID: &str = "#e4e4e4";
/// Told apart in colour and, by their dashes, without.
const STYLES: [(&str, &str); 6] = [
    ("#0b61a4", ""),
    ("#c2410c", "7 3"),
    ("#15803d", "2 3"),
    ("#7c3aed", "9 3 2 3"),
    ("#a16207", "5 5"),
    ("#be185d", "1 4"),
];

/// The colour and dashes of a curve; after the last style the first one comes again.
fn style(number: usize) -> (&'static str, &'static str) {
    STYLES[number % STYLES.len()]
}

/// The beginning of a picture: its frame, a white ground, and the title above the middle of the plot.
fn opened(title: &str, width: f64, height: f64) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="{TEXT}">"#
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

/// A piece of text; `anchor` is `start`, `middle` or `end`.
fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, text: &str) {
    let _ = writeln!(
        out,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{colour}">{}</text>"#,
        escape(text)
    );
}

/// A straight line.
fn line(out: &mut String, (x, y): (f64, f64), (to_x, to_y): (f64, f64), look: &str) {
    let _ = writeln!(out, r#"<path d="M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}" fill="none" {look}/>"#);
}

/// Points as SVG lists them.
fn joined(points: impl Iterator<Item = (f64, f64)>) -> String {
    let points: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    points.join(" ")
}

/// Round values from `low` to `high`, `most` at the most, with as many digits as they need.
fn ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) || most == 0 {
        return Vec::new();
    }
    let magnitude = 10f64.powf((span / most as f64).log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|m| m * magnitude)
        .into_iter()
        .find(|step| span / step <= most as f64 + 1e-9)
        .unwrap_or(10.0 * magnitude);
    // As many digits as the step itself has.
    let digits = (0..9)
        .find(|d| {
            let scaled = step * 10f64.powi(*d);
            (scaled - scaled.round()).abs() < 1e-6
        })
        .unwrap_or(9) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).map(|value| (value, format!("{value:.digits$}"))).collect()
}

/// The text as it may stand in an element.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let labels =
            |low, high, most| -> Vec<String> { ticks(low, high, most).into_iter().map(|t| t.1).collect() };
        assert_eq!(labels(0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.5, 1.0, 5), ["0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]);
        assert_eq!(labels(1.0, 8.0, 8), ["1", "2", "3", "4", "5", "6", "7", "8"]);
        assert_eq!(labels(1.0, 200.0, 8), ["25", "50", "75", "100", "125", "150", "175", "200"]);
        assert_eq!(labels(0.0, 0.03, 4), ["0.00", "0.01", "0.02", "0.03"]);
        assert!(labels(1.0, 1.0, 5).is_empty() && labels(0.0, f64::NAN, 5).is_empty());
    }
}
