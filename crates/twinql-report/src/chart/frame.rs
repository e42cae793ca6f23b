//! What all charts with axes share: sizes, the frame around the plot, markers, texts.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, EmptyElement, PathElement, Polygon};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, ShapeStyle, TextStyle};

use super::backend::{FINE, SvgBackend, text_width};
use super::palette::Paint;
use super::scale::Scale;

/// Why a chart could not be drawn.
pub(crate) type Failed = DrawingAreaErrorKind<std::convert::Infallible>;
/// A part of the sheet in pixels.
pub(crate) type Area<'a> = DrawingArea<SvgBackend<'a>, Shift>;
/// The plot itself, in the units of its axes.
pub(crate) type Plane<'a, 'b> = ChartContext<'b, SvgBackend<'a>, Cartesian2d<Scale, Scale>>;

/// The width of every chart in units. On a phone a unit is somewhat less than a pixel.
pub(crate) const WIDTH: i32 = 400;
/// The size of text in units.
pub(crate) const FONT: f64 = 13.0;
/// The size of text beside other text.
pub(crate) const SMALL: f64 = 12.0;
/// Above the plot, for the name of the upright axis.
pub(crate) const ABOVE: i32 = 28;
/// Below the plot, for ticks and the name of the level axis.
pub(crate) const BELOW: i32 = 46;
/// To the right of the plot, for half a tick's label.
pub(crate) const RIGHT: i32 = 22;

/// Units as pixels.
pub(crate) fn px(units: f64) -> i32 {
    // Sheets are some hundred units wide; a float outside i32 saturates.
    (units * f64::from(FINE)).round() as i32
}

/// A line of a colour and a width in units.
pub(crate) fn line(paint: Paint, width: f64) -> ShapeStyle {
    let width = u32::try_from(px(width)).unwrap_or(1);
    ShapeStyle { color: paint.key().to_rgba(), filled: false, stroke_width: width }
}

/// An area of a colour, more or less opaque.
pub(crate) fn area(paint: Paint, opacity: f64) -> ShapeStyle {
    ShapeStyle { color: paint.key().mix(opacity), filled: true, stroke_width: 0 }
}

/// Text of a size in units.
pub(crate) fn text<'a>(paint: Paint, size: f64, h: HPos, v: VPos) -> TextStyle<'a> {
    ("sans-serif", size * f64::from(FINE)).into_font().color(&paint.key()).pos(Pos::new(h, v))
}

/// The same in bold.
pub(crate) fn bold<'a>(paint: Paint, size: f64, h: HPos, v: VPos) -> TextStyle<'a> {
    let font = ("sans-serif", size * f64::from(FINE)).into_font().style(FontStyle::Bold);
    font.color(&paint.key()).pos(Pos::new(h, v))
}

/// As much of a label as fits into a width, in units.
pub(crate) fn fitted(label: &str, size: f64, width: f64) -> String {
    let label = crate::safe::label(label);
    if text_width(&label, size) <= width {
        return label;
    }
    let mut kept = String::new();
    for c in label.chars() {
        kept.push(c);
        if text_width(&kept, size) + size > width {
            break;
        }
    }
    kept.push('…');
    kept
}

/// Where a plot lies on its sheet, in units.
pub(crate) struct Place {
    pub(crate) top: i32,
    pub(crate) height: i32,
}

/// How much room the ticks' labels of an upright axis need to its left.
pub(crate) fn left_of(scale: &Scale) -> i32 {
    let widths = scale.ticks.iter().map(|tick| text_width(&scale.label(*tick), FONT));
    widths.fold(16.0, f64::max).ceil() as i32 + 12
}

/// The frame of a plot: mesh, axes, ticks, and what the axes show.
pub(crate) fn framed<'a, 'b>(
    root: &'b Area<'a>,
    (x, x_name): (&Scale, &str),
    (y, y_name): (&Scale, &str),
    left: i32,
    place: &Place,
) -> Result<Plane<'a, 'b>, Failed> {
    let (_, sheet) = root.dim_in_pixel();
    let below = i32::try_from(sheet).unwrap_or(0) / FINE - place.top - place.height;
    let mut plane = ChartBuilder::on(root)
        .margin_top(place.top * FINE)
        .margin_right(RIGHT * FINE)
        .y_label_area_size(left * FINE)
        .x_label_area_size(below.max(0) * FINE)
        .build_cartesian_2d(x.clone(), y.clone())?;
    let label = text(Paint::Quiet, FONT, HPos::Center, VPos::Center);
    plane
        .configure_mesh()
        .bold_line_style(line(Paint::Mesh, 1.0))
        .axis_style(line(Paint::Axis, 1.0))
        .label_style(label)
        .x_label_formatter(&|value| x.label(*value))
        .y_label_formatter(&|value| y.label(*value))
        .set_all_tick_mark_size(px(3.5))
        .draw()?;
    let width = f64::from(WIDTH);
    if !x_name.is_empty() {
        let middle = f64::from(left) + (width - f64::from(left + RIGHT)) / 2.0;
        let name = fitted(x_name, FONT, 2.0 * (width - middle).min(middle) - 8.0);
        let at = (px(middle), px(f64::from(place.top + place.height) + 40.0));
        root.draw_text(&name, &text(Paint::Text, FONT, HPos::Center, VPos::Bottom), at)?;
    }
    if !y_name.is_empty() {
        // Level, so that nobody has to turn the head.
        let name = fitted(y_name, FONT, width - 12.0);
        let at = (px(4.0), px(f64::from(place.top) - 12.0));
        root.draw_text(&name, &text(Paint::Text, FONT, HPos::Left, VPos::Bottom), at)?;
    }
    Ok(plane)
}

/// The marker of a series around a place, in pixels: none for a circle.
fn corners(series: usize, radius: f64) -> Option<Vec<(i32, i32)>> {
    let at = |x: f64, y: f64| (px(x * radius), px(y * radius));
    let corners = match series % 6 {
        0 => return None,
        1 => vec![at(-0.9, -0.9), at(0.9, -0.9), at(0.9, 0.9), at(-0.9, 0.9)],
        2 => vec![at(0.0, -1.25), at(1.1, 0.85), at(-1.1, 0.85)],
        3 => vec![at(0.0, -1.3), at(1.3, 0.0), at(0.0, 1.3), at(-1.3, 0.0)],
        4 => vec![at(0.0, 1.25), at(1.1, -0.85), at(-1.1, -0.85)],
        // A cross of two bars.
        _ => [
            (-0.4, -1.2),
            (0.4, -1.2),
            (0.4, -0.4),
            (1.2, -0.4),
            (1.2, 0.4),
            (0.4, 0.4),
            (0.4, 1.2),
            (-0.4, 1.2),
            (-0.4, 0.4),
            (-1.2, 0.4),
            (-1.2, -0.4),
            (-0.4, -0.4),
        ]
        .into_iter()
        .map(|(x, y)| at(x, y))
        .collect(),
    };
    Some(corners)
}

/// Draws the marker of a series at a place of the sheet, in pixels.
pub(crate) fn marker(root: &Area<'_>, at: (i32, i32), series: usize, radius: f64) -> Result<(), Failed> {
    let paint = Paint::Series(series);
    match corners(series, radius) {
        None => {
            let around = u32::try_from(px(radius)).unwrap_or(1);
            root.draw(&Circle::new(at, around, area(paint, 1.0)))?;
        }
        Some(corners) => {
            root.draw(&(EmptyElement::at(at) + Polygon::new(corners, area(paint, 1.0))))?;
        }
    }
    Ok(())
}

/// Draws a ring in the colour of a series, which marks a point.
pub(crate) fn ring(root: &Area<'_>, at: (i32, i32), series: usize) -> Result<(), Failed> {
    let around = u32::try_from(px(5.0)).unwrap_or(1);
    root.draw(&Circle::new(at, around, area(Paint::Ground, 1.0)))?;
    root.draw(&Circle::new(at, around, line(Paint::Series(series), 2.2)))
}

/// Draws a straight line between two places of the sheet, in pixels.
pub(crate) fn stroke(
    root: &Area<'_>,
    from: (i32, i32),
    to: (i32, i32),
    style: ShapeStyle,
) -> Result<(), Failed> {
    root.draw(&PathElement::new(vec![from, to], style))
}
