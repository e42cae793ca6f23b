//! Lines with their bands: ROC, precision and recall, reliability, training runs.

use plotters::element::Polygon;
use plotters::series::LineSeries;

use super::frame::{
    ABOVE, Area, BELOW, Failed, Place, RIGHT, WIDTH, area, framed, left_of, line, marker, ring,
};
use super::legend::{Entry, Swatch, coverage};
use super::palette::Paint;
use super::scale::Scale;
use crate::{Curve, Curves, Point, Reference};

/// Steps of an axis that are told apart. More than a picture can show.
const STEPS: f64 = 2_000.0;
/// Points of a curve that are drawn at the most, and looked at.
const MOST_POINTS: usize = 200_000;

/// The scales of both axes.
pub(crate) fn scales(curves: &Curves) -> (Scale, Scale) {
    let points = || curves.curves.iter().flat_map(|c| &c.points);
    let bands = || curves.curves.iter().flat_map(|c| &c.band);
    let x = Scale::of(&curves.x, points().map(|p| p.x).chain(bands().map(|b| b.x)));
    let level = match &curves.reference {
        Reference::Level(level) => Some(level.at),
        Reference::Nothing | Reference::Diagonal { .. } => None,
    };
    let heights = points().map(|p| p.y).chain(bands().flat_map(|b| [b.low, b.high])).chain(level);
    (x, Scale::of(&curves.y, heights))
}

/// Where the plot lies: as high as it is wide, if both axes show the same kind of figure.
fn place(curves: &Curves, y: &Scale) -> Place {
    let width = WIDTH - left_of(y) - RIGHT;
    Place { top: ABOVE, height: if curves.square { width } else { 220 } }
}

/// Units that the picture is high.
pub(super) fn height(curves: &Curves) -> i32 {
    let (_, y) = scales(curves);
    ABOVE + place(curves, &y).height + BELOW
}

/// The reference first, then bands, then lines, then what lies on them.
pub(super) fn draw(curves: &Curves, root: &Area<'_>) -> Result<(), Failed> {
    let (x, y) = scales(curves);
    let mut plane =
        framed(root, (&x, &curves.x.label), (&y, &curves.y.label), left_of(&y), &place(curves, &y))?;
    let reference = match &curves.reference {
        Reference::Nothing => None,
        Reference::Diagonal { .. } => {
            let (low, high) = (x.low.max(y.low), x.high.min(y.high));
            (low < high).then_some([(low, low), (high, high)])
        }
        Reference::Level(level) => {
            let at = Some(level.at).filter(|at| *at >= y.low && *at <= y.high);
            at.map(|at| [(x.low, at), (x.high, at)])
        }
    };
    if let Some(ends) = reference {
        plane.draw_series(LineSeries::new(ends, line(Paint::Reference, 1.5)))?;
    }
    for (series, curve) in curves.curves.iter().enumerate() {
        let band: Vec<_> = curve
            .band
            .iter()
            .filter(|b| b.x.is_finite() && b.low.is_finite() && b.high.is_finite())
            .take(MOST_POINTS)
            .collect();
        if band.len() > 1 {
            let upper = band.iter().map(|b| Point { x: b.x, y: b.high });
            let lower = band.iter().rev().map(|b| Point { x: b.x, y: b.low });
            let corners = thinned(upper.chain(lower), &x, &y);
            plane.draw_series([Polygon::new(corners, area(Paint::Series(series), 0.16))])?;
        }
    }
    for (series, curve) in curves.curves.iter().enumerate() {
        let points = thinned(path(curve), &x, &y);
        plane.draw_series(LineSeries::new(points, line(Paint::Line(series), 2.0)))?;
    }
    let at = |point: Point| plane.backend_coord(&(x.within(point.x), y.within(point.y)));
    for (series, curve) in curves.curves.iter().enumerate() {
        if curve.dots {
            let dots = curve.points.iter().filter(|p| p.is_finite()).take(500);
            dots.copied().try_for_each(|point| marker(root, at(point), series, 3.6))?;
        }
        let marks = curve.marks.iter().filter(|mark| mark.at.is_finite());
        marks.take(20).try_for_each(|mark| ring(root, at(mark.at), series))?;
    }
    Ok(())
}

/// The corners of a curve, as it is to be joined.
pub(crate) fn path(curve: &Curve) -> impl Iterator<Item = Point> {
    let points = curve.points.iter().copied().filter(|p| p.is_finite()).take(MOST_POINTS);
    let steps = curve.steps;
    points
        .scan(None::<Point>, move |before, point| {
            let corner = before.filter(|_| steps).map(|before| Point { x: before.x, y: point.y });
            *before = Some(point);
            Some(corner.into_iter().chain([point]))
        })
        .flatten()
}

/// The points that a picture can tell apart: of those that lie in one place only one, of those in one straight
/// line only the ends. All lie within the axes.
pub(crate) fn thinned(points: impl IntoIterator<Item = Point>, x: &Scale, y: &Scale) -> Vec<(f64, f64)> {
    let step = |value: f64, scale: &Scale| {
        // Within ±STEPS, as the value lies within the scale.
        ((scale.within(value) - scale.low) / (scale.high - scale.low) * STEPS).round() as i64
    };
    let mut kept: Vec<(i64, i64)> = Vec::new();
    for point in points {
        let at = (step(point.x, x), step(point.y, y));
        if kept.last() == Some(&at) {
            continue;
        }
        if let [.., a, b] = kept.as_slice() {
            let (run, next) = ((b.0 - a.0, b.1 - a.1), (at.0 - b.0, at.1 - b.1));
            let straight = run.0 * next.1 == run.1 * next.0;
            let onwards = run.0 * next.0 + run.1 * next.1 > 0;
            if straight && onwards {
                kept.pop();
            }
        }
        kept.push(at);
    }
    let value = |step: i64, scale: &Scale| scale.low + step as f64 / STEPS * (scale.high - scale.low);
    kept.into_iter().map(|(px, py)| (value(px, x), value(py, y))).collect()
}

/// A line for each curve, one for each of its marks, and what they are compared with.
pub(super) fn legend(curves: &Curves) -> Vec<Entry> {
    let mut out = Vec::new();
    for (series, curve) in curves.curves.iter().enumerate() {
        let swatch = if curve.dots { Swatch::Dotted(series) } else { Swatch::Line(series) };
        out.push(Entry::new(swatch, &curve.name, &curve.note));
        for mark in curve.marks.iter().filter(|mark| !mark.note.is_empty()).take(20) {
            out.push(Entry::new(Swatch::Ring(series), "", &mark.note));
        }
    }
    match &curves.reference {
        Reference::Nothing => {}
        Reference::Diagonal { name } => out.push(Entry::new(Swatch::Reference, name, "")),
        Reference::Level(level) => {
            out.push(Entry::new(Swatch::Reference, &level.name, &crate::number::brief(level.at)))
        }
    }
    if curves.curves.iter().any(|curve| !curve.band.is_empty()) {
        out.extend(coverage(curves.level, "bands"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn unit() -> Scale {
        Scale::of(&Axis::share("x"), [])
    }

    fn points(of: &[(f64, f64)]) -> Vec<Point> {
        of.iter().map(|(x, y)| Point { x: *x, y: *y }).collect()
    }

    #[test]
    fn what_lies_on_a_line_is_left_out() {
        let many = (0..=100_000).map(|i| Point { x: f64::from(i) / 1e5, y: f64::from(i) / 1e5 });
        assert_eq!(thinned(many, &unit(), &unit()), [(0.0, 0.0), (1.0, 1.0)]);
        let corner = points(&[(0.0, 0.0), (0.0, 0.5), (0.0, 1.0), (1.0, 1.0)]);
        assert_eq!(thinned(corner, &unit(), &unit()), [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]);
        // There and back is no straight line.
        let back = points(&[(0.0, 0.0), (1.0, 0.0), (0.5, 0.0)]);
        assert_eq!(thinned(back, &unit(), &unit()).len(), 3);
    }

    #[test]
    fn steps_hold_the_later_height() {
        let curve = Curve { steps: true, ..Curve::new("c", [(0.0, 1.0), (0.5, 0.8), (1.0, 0.6)]) };
        let path: Vec<(f64, f64)> = path(&curve).map(|p| (p.x, p.y)).collect();
        assert_eq!(path, [(0.0, 1.0), (0.0, 0.8), (0.5, 0.8), (0.5, 0.6), (1.0, 0.6)]);
    }

    #[test]
    fn points_beyond_the_axes_lie_on_their_ends() {
        let far = points(&[(-5.0, 0.5), (7.0, 9.0)]);
        assert_eq!(thinned(far, &unit(), &unit()), [(0.0, 0.5), (1.0, 1.0)]);
    }
}
