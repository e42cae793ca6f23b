//! Named points by two figures, as a metric's and a suite's accuracy of some systems.

use plotters::element::Rectangle;
use plotters::series::LineSeries;
use plotters::style::text_anchor::{HPos, VPos};

use super::backend::{FINE, text_width};
use super::frame::{
    ABOVE, Area, BELOW, Failed, Place, RIGHT, SMALL, WIDTH, area, fitted, framed, left_of, line, marker, px,
    text,
};
use super::legend::{Entry, Swatch};
use super::palette::Paint;
use super::scale::Scale;
use crate::{Dot, Scatter};

/// Units of the plot.
const PLOT: i32 = 320;
/// Points that are drawn, and that may have a name, at the most.
const MOST_DOTS: usize = 5_000;
const MOST_NAMES: usize = 60;

/// Units that the picture is high.
pub(super) fn height() -> i32 {
    ABOVE + PLOT + BELOW
}

/// The points that can be drawn.
fn dots(scatter: &Scatter) -> impl Iterator<Item = &Dot> {
    scatter.dots.iter().filter(|dot| dot.at.is_finite()).take(MOST_DOTS)
}

/// The diagonal, the points, then as many names as there is room for.
pub(super) fn draw(scatter: &Scatter, root: &Area<'_>) -> Result<(), Failed> {
    let x = Scale::of(&scatter.x, dots(scatter).map(|dot| dot.at.x));
    let y = Scale::of(&scatter.y, dots(scatter).map(|dot| dot.at.y));
    let place = Place { top: ABOVE, height: PLOT };
    let left = left_of(&y);
    let mut plane = framed(root, (&x, &scatter.x.label), (&y, &scatter.y.label), left, &place)?;
    let (low, high) = (x.low.max(y.low), x.high.min(y.high));
    if scatter.diagonal.is_some() && low < high {
        let ends = [(low, low), (high, high)];
        plane.draw_series(LineSeries::new(ends, line(Paint::Reference, 1.5)))?;
    }
    let mut taken = Vec::new();
    let mut named = Vec::new();
    for dot in dots(scatter) {
        let at = plane.backend_coord(&(x.within(dot.at.x), y.within(dot.at.y)));
        marker(root, at, dot.series, 4.5)?;
        let around = f64::from(6 * FINE);
        let (px, py) = (f64::from(at.0), f64::from(at.1));
        taken.push(Frame { left: px - around, right: px + around, top: py - around, bottom: py + around });
        if !dot.name.is_empty() {
            named.push((at, dot.name.as_str()));
        }
    }
    let within = Frame {
        left: f64::from(px(f64::from(left))),
        right: f64::from(px(f64::from(WIDTH - RIGHT + 10))),
        top: f64::from(px(f64::from(ABOVE))),
        bottom: f64::from(px(f64::from(ABOVE + PLOT))),
    };
    for (at, name) in named.into_iter().take(MOST_NAMES) {
        let name = fitted(name, SMALL, 150.0);
        if let Some((frame, anchor)) = room(at, &name, &within, &taken) {
            let x = match anchor {
                HPos::Left => frame.left,
                HPos::Center => (frame.left + frame.right) / 2.0,
                HPos::Right => frame.right,
            };
            let place = (px_of(x), px_of((frame.top + frame.bottom) / 2.0));
            // Lines behind a name would make it hard to read.
            let corners = [(px_of(frame.left), px_of(frame.top)), (px_of(frame.right), px_of(frame.bottom))];
            root.draw(&Rectangle::new(corners, area(Paint::Ground, 0.8)))?;
            root.draw_text(&name, &text(Paint::Text, SMALL, anchor, VPos::Center), place)?;
            taken.push(frame);
        }
    }
    Ok(())
}

/// A place within the sheet, in whole pixels.
fn px_of(value: f64) -> i32 {
    value.round() as i32
}

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn meets(&self, other: &Frame) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Frame) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// A free place for a name beside its point: to the right, to the left, above, below. None where all are
/// taken; the table of figures has every name.
fn room(at: (i32, i32), name: &str, within: &Frame, taken: &[Frame]) -> Option<(Frame, HPos)> {
    let fine = f64::from(FINE);
    let (width, high) = (text_width(name, SMALL) * fine, SMALL * 1.1 * fine);
    let (x, y) = (f64::from(at.0), f64::from(at.1));
    let gap = 8.0 * fine;
    let level = |left: f64| Frame { left, right: left + width, top: y - high / 2.0, bottom: y + high / 2.0 };
    let upright = |top: f64| Frame { left: x - width / 2.0, right: x + width / 2.0, top, bottom: top + high };
    let places = [
        (level(x + gap), HPos::Left),
        (level(x - gap - width), HPos::Right),
        (upright(y - gap - high), HPos::Center),
        (upright(y + gap), HPos::Center),
    ];
    places.into_iter().find(|(place, _)| within.holds(place) && !taken.iter().any(|frame| frame.meets(place)))
}

/// The kinds of points, where there are several, and the diagonal.
pub(super) fn legend(scatter: &Scatter) -> Vec<Entry> {
    let mut out = Vec::new();
    if scatter.series.len() > 1 {
        let series = scatter.series.iter().take(40).enumerate();
        out.extend(series.map(|(number, name)| Entry::new(Swatch::Dot(number), name, "")));
    }
    if let Some(name) = &scatter.diagonal {
        out.push(Entry::new(Swatch::Reference, name, ""));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_clear_of_each_other() {
        let within = Frame { left: 0.0, right: 4000.0, top: 0.0, bottom: 4000.0 };
        let (first, _) = room((2000, 2000), "system", &within, &[]).unwrap();
        assert!(first.left > 2000.0);
        let (second, _) = room((2000, 2050), "system", &within, &[first]).unwrap();
        assert!(!second.meets(&first));
        // At the right end of the plot the name stands to the left.
        let (edge, _) = room((3990, 2000), "system", &within, &[]).unwrap();
        assert!(edge.right < 3990.0);
        assert!(room((2000, 2000), "system", &within, &[within]).is_none());
    }
}
