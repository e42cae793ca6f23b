//! Charts as `pgfplots` draws them, in the colours and dashes of the SVG pictures.

use std::fmt::Write;

use super::escaped;
use crate::chart::{SERIES, Scale, path, series_look, shares, thinned};
use crate::safe::label;
use crate::{Axis, Bars, Curve, Curves, Histogram, Plot, Point, Reference, Scatter};

/// The markers of series, as `pgfplots` calls them, in the order of the SVG pictures.
const MARKS: [&str; 6] =
    ["*", "square*", "triangle*", "diamond*", "triangle*, mark options={rotate=180}", "+"];

/// Writes the picture; false for kinds that are better a table.
pub(super) fn write(out: &mut String, plot: &Plot) -> bool {
    match plot {
        Plot::Curves(curves) => of_curves(out, curves),
        Plot::Histogram(histogram) => of_histogram(out, histogram),
        Plot::Bars(bars) => of_bars(out, bars),
        Plot::Scatter(scatter) => of_scatter(out, scatter),
        Plot::Grid(_) => return false,
    }
    true
}

/// Definitions of the colours that so many series take.
fn colours(out: &mut String, series: usize) {
    for number in 0..series.clamp(1, SERIES) {
        let (colour, _) = series_look(number);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            out,
            "\\definecolor{{series{number}}}{{HTML}}{{{}}}",
            colour.trim_start_matches('#').to_ascii_uppercase()
        );
    }
}

/// The name of a series' colour.
fn colour(series: usize) -> String {
    format!("series{}", series % SERIES)
}

/// A series' dashes: lengths on and off by turns.
fn dashes(series: usize) -> String {
    let (_, dashes) = series_look(series);
    let mut out = String::new();
    for (nth, length) in dashes.unwrap_or_default().split_whitespace().enumerate() {
        let _ = write!(out, "{} {length}pt ", if nth % 2 == 0 { "on" } else { "off" });
    }
    if out.is_empty() { "solid".into() } else { format!("dash pattern={{{}}}", out.trim_end()) }
}

/// A number as TeX reads it.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Coordinates of a plot.
fn coordinates(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    points.into_iter().map(|(x, y)| format!("({},{})", number(x), number(y))).collect::<Vec<_>>().join(" ")
}

/// The beginning of a picture with axes.
fn opened(
    out: &mut String,
    size: &str,
    (x, x_name): (&Scale, &str),
    (y, y_name): (&Scale, &str),
    more: &str,
) {
    let _ = writeln!(
        out,
        "\\begin{{tikzpicture}}\n\\begin{{axis}}[{size}, xmin={}, xmax={}, ymin={}, ymax={}, xlabel={{{}}}, \
         ylabel={{{}}}, grid=major, grid style={{gray!20}}, clip mode=individual, legend cell align=left, \
         legend style={{draw=none, font=\\footnotesize, at={{(0.5,-0.22)}}, anchor=north}}{more}]",
        number(x.low),
        number(x.high),
        number(y.low),
        number(y.high),
        escaped(&label(x_name)),
        escaped(&label(y_name)),
    );
}

const CLOSED: &str = "\\end{axis}\n\\end{tikzpicture}\n";

/// A dashed line between two places.
fn reference(out: &mut String, ends: [(f64, f64); 2]) {
    let _ = writeln!(
        out,
        "\\addplot[gray, dashed, forget plot, mark=none] coordinates {{{}}};",
        coordinates(ends)
    );
}

/// Lines with bands and marked points.
fn of_curves(out: &mut String, curves: &Curves) {
    colours(out, curves.curves.len());
    let (x, y) = crate::chart::curve_scales(curves);
    let size = if curves.square {
        "width=0.62\\linewidth, height=0.62\\linewidth"
    } else {
        "width=0.75\\linewidth, height=0.45\\linewidth"
    };
    opened(out, size, (&x, &curves.x.label), (&y, &curves.y.label), "");
    match &curves.reference {
        Reference::Nothing => {}
        Reference::Diagonal { .. } => {
            let (low, high) = (x.low.max(y.low), x.high.min(y.high));
            if low < high {
                reference(out, [(low, low), (high, high)]);
            }
        }
        Reference::Level(level) if level.at.is_finite() => {
            reference(out, [(x.low, y.within(level.at)), (x.high, y.within(level.at))]);
        }
        Reference::Level(_) => {}
    }
    for (series, curve) in curves.curves.iter().enumerate() {
        of_curve(out, curve, series, (&x, &y));
    }
    out.push_str(CLOSED);
}

/// A line with its band below it and its marked points on it.
fn of_curve(out: &mut String, curve: &Curve, series: usize, (x, y): (&Scale, &Scale)) {
    let colour = colour(series);
    let band = curve.band.iter().filter(|b| b.x.is_finite() && b.low.is_finite() && b.high.is_finite());
    let upper = band.clone().map(|b| Point { x: b.x, y: b.high });
    let lower = band.rev().map(|b| Point { x: b.x, y: b.low });
    let corners = thinned(upper.chain(lower), x, y);
    if corners.len() > 2 {
        let _ = writeln!(
            out,
            "\\addplot[draw=none, fill={colour}, fill opacity=0.15, forget plot, mark=none] coordinates {{{}}} -- cycle;",
            coordinates(corners)
        );
    }
    let mark = if curve.dots {
        format!("mark={}, mark size=1.6pt", MARKS[series % MARKS.len()])
    } else {
        "mark=none".into()
    };
    let _ = writeln!(
        out,
        "\\addplot[{colour}, thick, {}, {mark}, mark options={{solid}}] coordinates {{{}}};",
        dashes(series),
        coordinates(thinned(path(curve), x, y))
    );
    let note = if curve.note.is_empty() { String::new() } else { format!(", {}", label(&curve.note)) };
    let _ = writeln!(out, "\\addlegendentry{{{}}}", escaped(&format!("{}{note}", label(&curve.name))));
    for mark in curve.marks.iter().filter(|mark| mark.at.is_finite()).take(20) {
        let at = coordinates([(x.within(mark.at.x), y.within(mark.at.y))]);
        let _ = writeln!(
            out,
            "\\addplot[{colour}, only marks, mark=o, mark size=3pt, thick, forget plot] coordinates {{{at}}};"
        );
    }
}

/// A panel for each class.
fn of_histogram(out: &mut String, of: &Histogram) {
    colours(out, of.series.len());
    let x = Scale::of(&of.x, of.edges.iter().copied());
    let all: Vec<Vec<f64>> = of.series.iter().map(shares).collect();
    let y = Scale::of(&Axis::from_zero(""), all.iter().flatten().map(|share| 100.0 * share));
    for (series, shares) in all.iter().enumerate() {
        let last = series + 1 == all.len();
        let name = if last { of.x.label.as_str() } else { "" };
        let title = of.series.get(series).map(|s| escaped(&label(&s.name))).unwrap_or_default();
        let more = format!(", title={{{title}}}, title style={{font=\\small}}");
        opened(out, "width=0.8\\linewidth, height=0.3\\linewidth", (&x, name), (&y, "%"), &more);
        let bins = of.edges.windows(2).zip(shares).take(200);
        for (edges, share) in bins {
            let &[from, to] = edges else { continue };
            if !(from.is_finite() && to.is_finite()) || *share <= 0.0 {
                continue;
            }
            let (from, to, top) = (x.within(from), x.within(to), y.within(100.0 * share));
            let _ = writeln!(
                out,
                "\\fill[{0}, fill opacity=0.4] (axis cs:{1},0) rectangle (axis cs:{2},{3}); \\draw[{0}, thick] (axis cs:{1},{3}) -- (axis cs:{2},{3});",
                colour(series),
                number(from),
                number(to),
                number(top)
            );
        }
        if let Some(level) = of.threshold.as_ref().filter(|level| level.at.is_finite()) {
            reference(out, [(x.within(level.at), y.low), (x.within(level.at), y.high)]);
        }
        out.push_str(CLOSED);
        if !last {
            out.push_str("\\par\\smallskip\n");
        }
    }
}

/// Bars that lie, with their intervals.
fn of_bars(out: &mut String, bars: &Bars) {
    colours(out, bars.series.len());
    let estimates = || bars.series.iter().flat_map(|series| series.values.iter().flatten());
    let ends = estimates().flat_map(|e| {
        let interval = e.interval();
        [Some(e.value), interval.map(|i| i.0), interval.map(|i| i.1)]
    });
    let x = Scale::of(&bars.value, ends.flatten());
    let groups = bars.groups.len().clamp(1, 60);
    let y = Scale::of(&Axis::between("", 0.5, groups as f64 + 0.5), []);
    let names: Vec<String> = bars
        .groups
        .iter()
        .take(groups)
        .map(|group| format!("{{{}}}", escaped(&label(&group.name))))
        .collect();
    let numbers: Vec<String> = (1..=groups).map(|number| number.to_string()).collect();
    let series = bars.series.len().clamp(1, 12);
    let thick = 7.0 / (series as f64).sqrt();
    let more = format!(
        ", xbar, reverse legend, bar width={thick:.1}pt, y dir=reverse, ytick={{{}}}, yticklabels={{{}}}, \
         legend image code/.code={{\\fill[#1] (0cm,-0.08cm) rectangle (0.35cm,0.08cm);}}",
        numbers.join(","),
        names.join(",")
    );
    let height = 1.2 + groups as f64 * (series as f64 * thick * 1.5 + 6.0) / 28.0;
    let size = format!("width=0.75\\linewidth, height={:.1}cm", height + 1.5);
    opened(out, &size, (&x, &bars.value.label), (&y, ""), &more);
    // On an axis that runs down, bars of a group come from the last series to the first.
    for (number_of, of) in bars.series.iter().take(series).enumerate().rev() {
        let mut points = String::new();
        for (group, value) in of.values.iter().take(groups).enumerate() {
            if let Some(e) = value.filter(|e| e.value.is_finite()) {
                let (low, high) = e.interval().unwrap_or((e.value, e.value));
                let _ = write!(
                    points,
                    "({},{}) += ({},0) -= ({},0) ",
                    number(x.within(e.value)),
                    group + 1,
                    number((x.within(high) - x.within(e.value)).max(0.0)),
                    number((x.within(e.value) - x.within(low)).max(0.0))
                );
            }
        }
        if points.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\\addplot[draw={0}, fill={0}!45, error bars/.cd, x dir=both, x explicit] coordinates {{{1}}};",
            colour(number_of),
            points.trim_end()
        );
        let _ = writeln!(out, "\\addlegendentry{{{}}}", escaped(&label(&of.name)));
    }
    out.push_str(CLOSED);
}

/// Named points.
fn of_scatter(out: &mut String, scatter: &Scatter) {
    let series = scatter.series.len().max(1);
    colours(out, series);
    let dots = || scatter.dots.iter().filter(|dot| dot.at.is_finite()).take(1_000);
    let x = Scale::of(&scatter.x, dots().map(|dot| dot.at.x));
    let y = Scale::of(&scatter.y, dots().map(|dot| dot.at.y));
    let size = "width=0.7\\linewidth, height=0.6\\linewidth";
    opened(out, size, (&x, &scatter.x.label), (&y, &scatter.y.label), "");
    let (low, high) = (x.low.max(y.low), x.high.min(y.high));
    if scatter.diagonal.is_some() && low < high {
        reference(out, [(low, low), (high, high)]);
    }
    for number_of in 0..series {
        let of = dots().filter(|dot| dot.series == number_of || (number_of == 0 && dot.series >= series));
        let at: Vec<(f64, f64)> = of.map(|dot| (x.within(dot.at.x), y.within(dot.at.y))).collect();
        if at.is_empty() {
            continue;
        }
        let mark = MARKS[number_of % MARKS.len()];
        let _ = writeln!(
            out,
            "\\addplot[{}, only marks, mark={mark}] coordinates {{{}}};",
            colour(number_of),
            coordinates(at)
        );
        if scatter.series.len() > 1
            && let Some(name) = scatter.series.get(number_of)
        {
            let _ = writeln!(out, "\\addlegendentry{{{}}}", escaped(&label(name)));
        }
    }
    for dot in dots().filter(|dot| !dot.name.is_empty()).take(60) {
        let _ = writeln!(
            out,
            "\\node[font=\\scriptsize, anchor=west] at (axis cs:{},{}) {{{}}};",
            number(x.within(dot.at.x)),
            number(y.within(dot.at.y)),
            escaped(&label(&dot.name))
        );
    }
    out.push_str(CLOSED);
}
