//! How values are spread, one panel for each class.

use plotters::element::Rectangle;
use plotters::series::LineSeries;
use plotters::style::text_anchor::{HPos, VPos};

use super::frame::{
    Area, BELOW, FONT, Failed, Place, Plane, WIDTH, area, fitted, framed, left_of, line, px, stroke, text,
};
use super::legend::{Entry, Swatch};
use super::palette::Paint;
use super::scale::Scale;
use crate::{Axis, BinSeries, Histogram};

/// Units that a panel is high, and its title above it.
const PANEL: i32 = 96;
const TITLE: i32 = 36;
/// Panels and ranges that are drawn at the most.
const MOST_PANELS: usize = 8;
const MOST_BINS: usize = 200;

/// The share of a series in each range, of all that it has.
pub(crate) fn shares(series: &BinSeries) -> Vec<f64> {
    let sum: u64 = series.counts.iter().fold(0, |sum, count| sum.saturating_add(*count));
    series.counts.iter().map(|count| *count as f64 / sum.max(1) as f64).collect()
}

/// The panels that are drawn.
fn panels(histogram: &Histogram) -> &[BinSeries] {
    let all = histogram.series.as_slice();
    all.get(..MOST_PANELS).unwrap_or(all)
}

/// Units that the picture is high.
pub(super) fn height(histogram: &Histogram) -> i32 {
    // At most MOST_PANELS.
    let panels = panels(histogram).len().max(1) as i32;
    panels * (TITLE + PANEL) + BELOW
}

/// A panel for each class, all with the same axes.
pub(super) fn draw(histogram: &Histogram, root: &Area<'_>) -> Result<(), Failed> {
    let x = Scale::of(&histogram.x, histogram.edges.iter().copied());
    let panels = panels(histogram);
    let shares: Vec<Vec<f64>> = panels.iter().map(shares).collect();
    let y = Scale::of(&Axis::from_zero(""), shares.iter().flatten().map(|share| 100.0 * share));
    // Three ticks are enough for so low a panel.
    let ticks = vec![0.0, y.high / 2.0, y.high];
    let y = y.with_ticks(ticks);
    let left = left_of(&y) + 8;
    for (series, shares) in shares.iter().enumerate() {
        let last = series + 1 == panels.len();
        let sheet = root.clone().shrink(
            (0, px(f64::from(TITLE + PANEL) * series as f64)),
            (px(f64::from(WIDTH)), px(f64::from(TITLE + PANEL + if last { BELOW } else { 0 }))),
        );
        let name = if last { histogram.x.label.as_str() } else { "" };
        let place = Place { top: TITLE, height: PANEL };
        let plane = framed(&sheet, (&x, name), (&y, ""), left, &place)?;
        draw_panel(histogram, shares, series, (&x, &y), &sheet, plane)?;
        let title = panels.get(series).map(title).unwrap_or_default();
        let at = (px(4.0), px(f64::from(TITLE) - 12.0));
        let title = fitted(&title, FONT, 390.0);
        sheet.draw_text(&title, &text(Paint::Text, FONT, HPos::Left, VPos::Bottom), at)?;
    }
    Ok(())
}

/// A series' name and how much it has.
fn title(series: &BinSeries) -> String {
    let sum: u64 = series.counts.iter().fold(0, |sum, count| sum.saturating_add(*count));
    format!("{} (n = {}), %", series.name, crate::number::shown(sum as f64, 0))
}

/// The bars of a class, with a line on top that shows also with little ink, and the threshold.
fn draw_panel<'a>(
    histogram: &Histogram,
    shares: &[f64],
    series: usize,
    (x, y): (&Scale, &Scale),
    sheet: &Area<'a>,
    mut plane: Plane<'a, '_>,
) -> Result<(), Failed> {
    let bins = histogram.edges.windows(2).zip(shares).take(MOST_BINS);
    for (edges, share) in bins {
        let &[from, to] = edges else { continue };
        if !(from.is_finite() && to.is_finite() && from < to) || *share <= 0.0 {
            continue;
        }
        let (from, to, top) = (x.within(from), x.within(to), y.within(100.0 * share));
        let bar = Rectangle::new([(from, 0.0), (to, top)], area(Paint::Series(series), 0.4));
        plane.draw_series([bar])?;
        plane.draw_series(LineSeries::new([(from, top), (to, top)], line(Paint::Series(series), 2.0)))?;
    }
    if let Some(threshold) = &histogram.threshold
        && (x.low..=x.high).contains(&threshold.at)
    {
        let (base_x, base_y) = sheet.get_base_pixel();
        let end = |height: f64| {
            let (px, py) = plane.backend_coord(&(threshold.at, height));
            (px - base_x, py - base_y)
        };
        stroke(sheet, end(y.low), end(y.high), line(Paint::Reference, 1.5))?;
    }
    Ok(())
}

/// The classes have their names above their panels; only the threshold is left to explain.
pub(super) fn legend(histogram: &Histogram) -> Vec<Entry> {
    let threshold = histogram.threshold.as_ref();
    threshold
        .map(|level| Entry::new(Swatch::Reference, &level.name, &crate::number::brief(level.at)))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_series() {
        let series = BinSeries { name: "a".into(), counts: vec![1, 3, 0] };
        assert_eq!(shares(&series), [0.25, 0.75, 0.0]);
        assert_eq!(shares(&BinSeries { name: "a".into(), counts: vec![0, 0] }), [0.0, 0.0]);
        let many = BinSeries { name: "a".into(), counts: vec![u64::MAX, u64::MAX] };
        assert!(shares(&many).iter().all(|share| share.is_finite()));
    }
}
