//! Charts as SVG pictures.
//!
//! A picture is a body, some hundred units wide, and a legend. In an HTML report the legend is a list beside
//! the picture, so that it wraps and can be copied; a picture by itself has it below the plot.

mod backend;
mod bars;
mod curves;
mod data;
mod frame;
mod grid;
mod histogram;
mod legend;
mod palette;
mod scale;
mod scatter;
mod standalone;

pub(crate) use curves::{path, scales as curve_scales, thinned};
pub(crate) use data::bar_lengths;
pub(crate) use histogram::shares;
pub(crate) use legend::{Entry, swatch_svg};
pub(crate) use palette::{SERIES, rules, series_look, variables};
pub(crate) use scale::Scale;

use plotters::drawing::IntoDrawingArea;

use self::backend::SvgBackend;
use self::frame::{Area, Failed, WIDTH};
use crate::safe::{escaped, label, name};
use crate::{Chart, Plot};

/// A chart drawn.
pub(crate) struct Picture {
    /// Width and height in units.
    pub(crate) size: (i32, i32),
    /// SVG elements.
    pub(crate) body: String,
    /// What the lines and markers mean.
    pub(crate) legend: Vec<Entry>,
}

impl Chart {
    /// The chart drawn; why not, where that fails.
    pub(crate) fn picture(&self) -> Result<Picture, String> {
        let (height, legend) = match &self.plot {
            Plot::Curves(curves) => (curves::height(curves), curves::legend(curves)),
            Plot::Histogram(histogram) => (histogram::height(histogram), histogram::legend(histogram)),
            Plot::Bars(bars) => (bars::height(bars), bars::legend(bars)),
            Plot::Scatter(scatter) => (scatter::height(), scatter::legend(scatter)),
            Plot::Grid(grid) => (grid::height(grid), grid::legend(grid)),
        };
        let size = (WIDTH, height);
        let body = sheet(size, |root| match &self.plot {
            Plot::Curves(curves) => curves::draw(curves, root),
            Plot::Histogram(histogram) => histogram::draw(histogram, root),
            Plot::Bars(bars) => bars::draw(bars, root),
            Plot::Scatter(scatter) => scatter::draw(scatter, root),
            Plot::Grid(grid) => grid::draw(grid, root),
        });
        Ok(Picture { size, body: body.map_err(|why| why.to_string())?, legend })
    }

    /// What a reader who cannot see the picture is told.
    pub(crate) fn description(&self) -> String {
        let names = |all: Vec<&str>| {
            let shown: Vec<String> = all.iter().take(12).map(|text| label(text)).collect();
            let more = if all.len() > shown.len() { ", …" } else { "" };
            format!("{}{more}", shown.join(", "))
        };
        match &self.plot {
            Plot::Curves(c) => format!(
                "Curves of {} over {}: {}.",
                name(&c.y.label),
                name(&c.x.label),
                names(c.curves.iter().map(|curve| curve.name.as_str()).collect())
            ),
            Plot::Histogram(h) => format!(
                "Histograms of {}: {}.",
                name(&h.x.label),
                names(h.series.iter().map(|series| series.name.as_str()).collect())
            ),
            Plot::Bars(b) => format!(
                "Bars of {} for {}, by {}.",
                name(&b.value.label),
                names(b.series.iter().map(|series| series.name.as_str()).collect()),
                names(b.groups.iter().map(|group| group.name.as_str()).collect())
            ),
            Plot::Scatter(s) => {
                format!("Points by {} and {}.", name(&s.x.label), name(&s.y.label))
            }
            Plot::Grid(g) => format!(
                "Grid of {} between {}.",
                name(&g.meaning),
                names(g.names.iter().map(String::as_str).collect())
            ),
        }
    }
}

impl Picture {
    /// The picture without its legend, to stand in a page whose style sheet has the colours.
    pub(crate) fn inline(&self, id: &str, title: &str, description: &str) -> String {
        let (width, height) = self.size;
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}_t {id}_d\">\
             \n<title id=\"{id}_t\">{}</title>\n<desc id=\"{id}_d\">{}</desc>\n{}</svg>",
            escaped(title),
            escaped(description),
            self.body
        )
    }
}

/// Draws on a sheet of so many units.
fn sheet(size: (i32, i32), draw: impl FnOnce(&Area<'_>) -> Result<(), Failed>) -> Result<String, Failed> {
    let mut out = String::new();
    {
        let root = SvgBackend::new(&mut out, size).into_drawing_area();
        draw(&root)?;
        root.present()?;
    }
    Ok(out)
}
