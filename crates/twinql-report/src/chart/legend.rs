//! What the lines, bars and markers of a chart mean.

use super::frame::{Area, Failed, area, bold, line, marker, px, ring, stroke, text};
use super::palette::Paint;
use super::sheet;
use plotters::element::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};

/// A line of a legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) swatch: Swatch,
    /// The name, harmless.
    pub(crate) name: String,
    /// Said after it; may be empty.
    pub(crate) note: String,
}

/// What stands beside the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Swatch {
    /// The line of a series.
    Line(usize),
    /// A line with markers.
    Dotted(usize),
    /// A bar of a series.
    Bar(usize),
    /// A marker of a series.
    Dot(usize),
    /// A ring on a line.
    Ring(usize),
    /// A dashed line that figures are compared with.
    Reference,
    /// The star of a number in bold.
    Significant,
    /// A cell of a grid.
    Heat(usize),
    /// Nothing.
    Empty,
}

impl Entry {
    /// A line of a legend, its texts made harmless.
    pub(crate) fn new(swatch: Swatch, name: &str, note: &str) -> Entry {
        Entry { swatch, name: crate::safe::name(name), note: crate::safe::name(note) }
    }
}

/// Width and height of what stands beside a name, in units.
pub(crate) const SWATCH: (i32, i32) = (30, 14);

impl Swatch {
    /// Draws it at the upper left corner of an area.
    pub(crate) fn draw(self, root: &Area<'_>) -> Result<(), Failed> {
        let (left, middle, right) = ((px(1.0), px(7.0)), (px(15.0), px(7.0)), (px(29.0), px(7.0)));
        match self {
            Swatch::Line(series) => stroke(root, left, right, line(Paint::Line(series), 2.0)),
            Swatch::Dotted(series) => {
                stroke(root, left, right, line(Paint::Line(series), 2.0))?;
                marker(root, middle, series, 3.6)
            }
            Swatch::Bar(series) => {
                let corners = [(px(1.0), px(2.5)), (px(22.0), px(11.5))];
                root.draw(&Rectangle::new(corners, area(Paint::Series(series), 0.4)))?;
                marker(root, (px(22.0), px(7.0)), series, 4.0)
            }
            Swatch::Dot(series) => marker(root, middle, series, 4.5),
            Swatch::Ring(series) => {
                stroke(root, left, right, line(Paint::Line(series), 2.0))?;
                ring(root, middle, series)
            }
            Swatch::Reference => stroke(root, left, right, line(Paint::Reference, 1.5)),
            Swatch::Significant => {
                root.draw_text("*", &bold(Paint::Text, 18.0, HPos::Center, VPos::Center), middle)
            }
            Swatch::Heat(step) => {
                let corners = [(px(5.0), px(1.0)), (px(25.0), px(13.0))];
                root.draw(&Rectangle::new(corners, area(Paint::Heat(step), 1.0)))
            }
            Swatch::Empty => root.draw_text("", &text(Paint::Text, 12.0, HPos::Center, VPos::Center), middle),
        }
    }
}

/// What stands beside a name as a small picture of its own, which says nothing that the name does not say.
pub(crate) fn swatch_svg(swatch: Swatch) -> String {
    let (width, height) = SWATCH;
    let body = sheet(SWATCH, |root| swatch.draw(root)).unwrap_or_default();
    format!(
        r#"<svg class="swatch" viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true">{}</svg>"#,
        body.trim_end()
    )
}

/// The legend's line on what bands and intervals cover.
pub(crate) fn coverage(level: Option<f64>, what: &str) -> Option<Entry> {
    let level = level.filter(|level| level.is_finite())?;
    let percent = crate::number::brief(100.0 * level);
    Some(Entry::new(Swatch::Empty, &format!("{what}: {percent} % intervals"), ""))
}
