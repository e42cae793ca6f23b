//! The figures of a chart as a table, for those who read no pictures and for formats that have none.

use super::{grid, histogram};
use crate::number::brief;
use crate::{Bars, Cell, Chart, Column, Curves, Grid, Histogram, Plot, Scatter, Table};

/// Curves with more points than this are told by their names, notes and marks; JSON has the points.
const FEW_POINTS: usize = 24;
/// Rows of a table of figures at the most.
const MOST_ROWS: usize = 400;

impl Chart {
    /// Its figures as a table.
    pub fn table(&self) -> Table {
        let mut table = match &self.plot {
            Plot::Curves(curves) => of_curves(curves),
            Plot::Histogram(histogram) => of_histogram(histogram),
            Plot::Bars(bars) => of_bars(bars),
            Plot::Scatter(scatter) => of_scatter(scatter),
            Plot::Grid(grid) => of_grid(grid),
        };
        if table.rows.len() > MOST_ROWS {
            let more = table.rows.len() - MOST_ROWS;
            table.rows.truncate(MOST_ROWS);
            table = table.with_note(format!("{more} more rows are left out."));
        }
        table.caption.clone_from(&self.title);
        table
    }
}

/// A number as short as it is.
fn figure(value: f64) -> Cell {
    if value.is_finite() { Cell::from(brief(value)) } else { Cell::missing("") }
}

/// Points where there are few, otherwise what is said of each curve.
fn of_curves(curves: &Curves) -> Table {
    let few = curves.curves.iter().all(|curve| curve.points.len() <= FEW_POINTS);
    if few {
        let right = |name: &str| Column { align: crate::Align::Right, ..Column::text(name) };
        let banded = curves.curves.iter().any(|curve| !curve.band.is_empty());
        let mut columns = vec![Column::text("curve"), right(&curves.x.label), right(&curves.y.label)];
        if banded {
            columns.push(Column::text("interval"));
        }
        let mut table = Table::new("", columns);
        for curve in &curves.curves {
            for point in &curve.points {
                let mut cells = vec![Cell::from(&*curve.name), figure(point.x), figure(point.y)];
                if banded {
                    let band = curve.band.iter().find(|b| (b.x - point.x).abs() < 1e-9);
                    cells.push(band.map_or_else(
                        || Cell::from(""),
                        |b| Cell::from(format!("{} to {}", brief(b.low), brief(b.high))),
                    ));
                }
                table = table.with_row(cells);
            }
        }
        return table;
    }
    let columns = ["curve", "figure", "marked points", "points"].map(Column::text).into();
    curves.curves.iter().fold(Table::new("", columns), |table, curve| {
        let marks: Vec<&str> = curve.marks.iter().map(|mark| mark.note.as_str()).collect();
        let points = crate::number::shown(curve.points.len() as f64, 0);
        table.with_row(vec![
            Cell::from(&*curve.name),
            Cell::from(&*curve.note),
            Cell::from(marks.join("; ")),
            Cell::from(points),
        ])
    })
}

/// A row for each range.
fn of_histogram(of: &Histogram) -> Table {
    let mut columns = vec![Column::text(&*of.x.label)];
    for series in &of.series {
        columns.push(Column::number(&*series.name, 0));
        columns.push(Column::number("share", 1).unit("%"));
    }
    let shares: Vec<Vec<f64>> = of.series.iter().map(histogram::shares).collect();
    let ranges = of.edges.windows(2).enumerate();
    ranges.fold(Table::new("", columns), |table, (bin, edges)| {
        let ends: Vec<String> = edges.iter().map(|edge| brief(*edge)).collect();
        let mut cells = vec![Cell::from(ends.join(" to "))];
        for (series, shares) in of.series.iter().zip(&shares) {
            // Counts are far below the precision of a float.
            cells.push(Cell::of(series.counts.get(bin).map(|count| *count as f64), ""));
            cells.push(Cell::of(shares.get(bin).map(|share| 100.0 * share), ""));
        }
        table.with_row(cells)
    })
}

/// A row for each group.
fn of_bars(bars: &Bars) -> Table {
    let mut columns = vec![Column::text("group"), Column::text("")];
    columns.extend(bars.series.iter().map(|series| Column::number(&*series.name, 3)));
    let mut table = Table::new("", columns);
    for (number, group) in bars.groups.iter().enumerate() {
        let mut cells = vec![Cell::from(&*group.name), Cell::from(&*group.note)];
        for series in &bars.series {
            let estimate = series.values.get(number).copied().flatten();
            cells.push(estimate.map_or_else(
                || Cell::missing(""),
                |e| Cell::Number { value: e.value, low: e.low, high: e.high },
            ));
        }
        table = table.with_row(cells);
    }
    table.with_note(format!("Figures: {}.", bars.value.label))
}

/// A row for each point.
fn of_scatter(scatter: &Scatter) -> Table {
    let many = scatter.series.len() > 1;
    let mut columns = vec![Column::text("name")];
    if many {
        columns.push(Column::text("kind"));
    }
    columns.extend([&scatter.x, &scatter.y].map(|axis| Column::number(&*axis.label, 4)));
    scatter.dots.iter().fold(Table::new("", columns), |table, dot| {
        let mut cells = vec![Cell::from(&*dot.name)];
        if many {
            cells.push(Cell::from(scatter.series.get(dot.series).map_or("", String::as_str)));
        }
        cells.extend([Cell::number(dot.at.x), Cell::number(dot.at.y)]);
        table.with_row(cells)
    })
}

/// The grid as it is, with numbered columns.
fn of_grid(of: &Grid) -> Table {
    let mut columns = vec![Column::text("")];
    columns.extend(
        (1..=of.names.len())
            .map(|number| Column { align: crate::Align::Right, ..Column::text(number.to_string()) }),
    );
    let mut table = Table::new("", columns);
    for (row, name) in of.names.iter().enumerate() {
        let mut cells = vec![Cell::from(format!("{} {name}", row + 1))];
        for column in 0..of.names.len() {
            cells.push(grid::win(of, row, column).map_or_else(
                || Cell::from(""),
                |win| {
                    let star = if grid::significant(of, win) { "*" } else { "" };
                    let p = win.p.map(|p| format!(" ({})", grid::p_text(p))).unwrap_or_default();
                    Cell::from(format!("{}{star}{p}", brief(win.value)))
                },
            ));
        }
        table = table.with_row(cells);
    }
    let stars = format!("Columns are numbered as the rows; * p < {}.", brief(of.alpha));
    table.with_note(format!("Each cell: {}.", of.meaning)).with_note(stars)
}

/// Bars for the table of figures of a chart that has bars: before which column, and how long each row's is,
/// as a share of the longest one. From the last column to the first, so that places hold while bars are added.
pub(crate) fn bar_lengths(chart: &Chart) -> Vec<(usize, Vec<f64>)> {
    let longest = |all: &[Vec<f64>]| {
        let all = all.iter().flatten().copied().filter(|length| length.is_finite());
        all.fold(0.0, f64::max).max(f64::MIN_POSITIVE)
    };
    let (lengths, first, apart): (Vec<Vec<f64>>, usize, usize) = match &chart.plot {
        // After both columns of each series.
        Plot::Histogram(of) => (of.series.iter().map(histogram::shares).collect(), 3, 2),
        Plot::Bars(of) => {
            let value = |value: &Option<crate::Estimate>| value.map_or(0.0, |estimate| estimate.value);
            (of.series.iter().map(|series| series.values.iter().map(value).collect()).collect(), 3, 1)
        }
        Plot::Curves(_) | Plot::Scatter(_) | Plot::Grid(_) => return Vec::new(),
    };
    let longest = longest(&lengths);
    let bars = lengths.into_iter().enumerate().map(|(number, lengths)| {
        (first + number * apart, lengths.into_iter().map(|length| length / longest).collect())
    });
    bars.rev().collect()
}
