//! One value with its interval for each group and series, as bars that lie.
//!
//! Names of groups stand above their bars: they may be long, and a phone is narrow.

use plotters::element::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};

use super::frame::{
    Area, BELOW, FONT, Failed, Place, Plane, RIGHT, SMALL, WIDTH, area, bold, fitted, framed, line, marker,
    px, stroke, text,
};
use super::legend::{Entry, Swatch, coverage};
use super::palette::Paint;
use super::scale::Scale;
use crate::{Axis, Bars, Estimate};

/// Units above the bars of a group, for its name; of a bar; and below a group.
const NAME: i32 = 22;
const BAR: i32 = 16;
const GAP: i32 = 10;
/// Units to the right of the bars, for their values.
const VALUES: i32 = 38;
/// Groups and series that are drawn at the most.
const MOST_GROUPS: usize = 60;
const MOST_SERIES: usize = 12;
/// Units of the left margin.
const LEFT: i32 = 14;

/// Units of a group.
fn group(bars: &Bars) -> i32 {
    // At most MOST_SERIES.
    NAME + bars.series.len().min(MOST_SERIES) as i32 * BAR + GAP
}

/// Units of the plot.
fn plot(bars: &Bars) -> i32 {
    // At most MOST_GROUPS.
    bars.groups.len().clamp(1, MOST_GROUPS) as i32 * group(bars)
}

/// Units that the picture is high.
pub(super) fn height(bars: &Bars) -> i32 {
    plot(bars) + BELOW + 8
}

/// The values of a group.
fn values(bars: &Bars, group: usize) -> impl Iterator<Item = (usize, Option<Estimate>)> {
    bars.series.iter().take(MOST_SERIES).enumerate().map(move |(series, of)| {
        (series, of.values.get(group).copied().flatten().filter(|value| value.value.is_finite()))
    })
}

/// The groups from top to bottom.
pub(super) fn draw(bars: &Bars, root: &Area<'_>) -> Result<(), Failed> {
    let all = bars.series.iter().flat_map(|series| series.values.iter().flatten());
    let ends = all.flat_map(|e| [Some(e.value), e.interval().map(|i| i.0), e.interval().map(|i| i.1)]);
    let reference = bars.reference.as_ref().map(|level| level.at);
    let x = Scale::of(&bars.value, ends.flatten().chain(reference));
    let units = f64::from(plot(bars));
    // Downwards, one to a unit.
    let y = Scale::of(&Axis::between("", 0.0, units), []).with_ticks(Vec::new());
    // The values keep a margin free, into which the mesh does not run.
    let narrow = root.clone().shrink((0, 0), (px(f64::from(WIDTH - VALUES)), px(f64::from(height(bars)))));
    let place = Place { top: 8, height: plot(bars) };
    let plane = framed(&narrow, (&x, ""), (&y, ""), LEFT, &place)?;
    let middle = f64::from(LEFT) + f64::from(WIDTH - VALUES - LEFT - RIGHT) / 2.0;
    let name = fitted(&bars.value.label, FONT, 360.0);
    let at = (px(middle), px(f64::from(place.top + place.height) + 40.0));
    root.draw_text(&name, &text(Paint::Text, FONT, HPos::Center, VPos::Bottom), at)?;
    if let Some(at) = reference.filter(|at| (x.low..=x.high).contains(at)) {
        let end = |height: f64| plane.backend_coord(&(at, height));
        stroke(root, end(0.0), end(units), line(Paint::Reference, 1.5))?;
    }
    for (number, named) in bars.groups.iter().take(MOST_GROUPS).enumerate() {
        // At most MOST_GROUPS groups of some units.
        let top = number as i32 * group(bars);
        let note = if named.note.is_empty() { String::new() } else { format!(" ({})", named.note) };
        let name = fitted(&format!("{}{note}", named.name), FONT, 350.0);
        let at = (px(f64::from(LEFT) + 5.0), px(f64::from(8 + top + NAME) - 5.0));
        root.draw_text(&name, &bold(Paint::Text, FONT, HPos::Left, VPos::Bottom), at)?;
        for (series, value) in values(bars, number) {
            // At most MOST_SERIES.
            let middle = f64::from(top + NAME + series as i32 * BAR) + f64::from(BAR) / 2.0;
            draw_bar(root, &plane, &x, units - middle, series, value)?;
        }
    }
    Ok(())
}

/// A bar at a height, with its interval, its marker at the end, and its value to the right.
fn draw_bar(
    root: &Area<'_>,
    plane: &Plane<'_, '_>,
    x: &Scale,
    height: f64,
    series: usize,
    value: Option<Estimate>,
) -> Result<(), Failed> {
    let at = |value: f64| plane.backend_coord(&(x.within(value), height));
    // Bars begin at zero where the axis has it.
    let (from, right) = (at(0.0), at(x.high));
    let thick = px(4.5);
    let shown = match value {
        None => "n/a".into(),
        Some(estimate) => {
            let to = at(estimate.value);
            let corners = [(from.0.min(to.0), to.1 - thick), (from.0.max(to.0), to.1 + thick)];
            root.draw(&Rectangle::new(corners, area(Paint::Series(series), 0.4)))?;
            if let Some((low, high)) = estimate.interval() {
                let (low, high) = (at(low), at(high));
                let style = line(Paint::Series(series), 1.6);
                stroke(root, low, high, style)?;
                for end in [low, high] {
                    stroke(root, (end.0, end.1 - px(3.5)), (end.0, end.1 + px(3.5)), style)?;
                }
            }
            marker(root, to, series, 3.8)?;
            value_text(estimate.value, x)
        }
    };
    let place = (right.0 + px(12.0), from.1);
    root.draw_text(&shown, &text(Paint::Quiet, SMALL, HPos::Left, VPos::Center), place)
}

/// A value with as many digits as the axis has room to tell apart.
fn value_text(value: f64, x: &Scale) -> String {
    let length = x.high - x.low;
    let digits = if length <= 2.0 {
        3
    } else if length <= 200.0 {
        1
    } else {
        0
    };
    crate::number::shown(value, digits)
}

/// A line for each series, and what they are compared with.
pub(super) fn legend(bars: &Bars) -> Vec<Entry> {
    let series = bars.series.iter().take(MOST_SERIES).enumerate();
    let mut out: Vec<Entry> =
        series.map(|(number, series)| Entry::new(Swatch::Bar(number), &series.name, "")).collect();
    if let Some(level) = &bars.reference {
        out.push(Entry::new(Swatch::Reference, &level.name, &crate::number::brief(level.at)));
    }
    if bars.series.iter().flat_map(|s| s.values.iter().flatten()).any(|e| e.interval().is_some()) {
        out.extend(coverage(bars.level, "whiskers"));
    }
    out
}
