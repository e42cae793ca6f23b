//! Who beats whom, as cells whose colour tells how clearly.

use plotters::element::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};

use super::frame::{Area, FONT, Failed, SMALL, WIDTH, area, bold, fitted, px, text};
use super::legend::{Entry, Swatch};
use super::palette::Paint;
use crate::{Grid, Win};

/// Units for the names of rows, and above the cells for the numbers of columns.
const NAMES: i32 = 120;
const TOP: i32 = 22;
/// Things that are compared at the most; more cannot be read.
const MOST: usize = 24;
/// Units of a cell at the most.
const WIDEST: i32 = 56;

/// How many things are compared.
fn count(grid: &Grid) -> i32 {
    // At most MOST.
    grid.names.len().clamp(1, MOST) as i32
}

/// Units of a cell.
fn cell(grid: &Grid) -> i32 {
    ((WIDTH - NAMES - 6) / count(grid)).min(WIDEST)
}

/// Units that the picture is high.
pub(super) fn height(grid: &Grid) -> i32 {
    TOP + count(grid) * cell(grid) + 8
}

/// The cell of a row and a column, if anything is compared there.
pub(super) fn win(grid: &Grid, row: usize, column: usize) -> Option<Win> {
    let cell = grid.cells.get(row)?.get(column)?;
    cell.filter(|win| win.value.is_finite()).map(|win| Win { p: win.p.filter(|p| p.is_finite()), ..win })
}

/// Whether chance is an unlikely explanation.
pub(super) fn significant(grid: &Grid, win: Win) -> bool {
    grid.alpha.is_finite() && win.p.is_some_and(|p| p < grid.alpha)
}

/// The step of a value's colour: how far it is from even, beside the farthest value of all.
fn heat(grid: &Grid, value: f64, farthest: f64) -> usize {
    let share = (value - grid.even) / farthest;
    match share {
        s if !s.is_finite() => 2,
        s if s <= -0.5 => 0,
        s if s <= -0.1 => 1,
        s if s < 0.1 => 2,
        s if s < 0.5 => 3,
        _ => 4,
    }
}

/// Names to the left, numbers above, cells between.
pub(super) fn draw(grid: &Grid, root: &Area<'_>) -> Result<(), Failed> {
    let side = cell(grid);
    let cells = grid.cells.iter().flatten().flatten().map(|win| (win.value - grid.even).abs());
    let farthest = cells.filter(|far| far.is_finite()).fold(0.0, f64::max);
    for (row, name) in grid.names.iter().take(MOST).enumerate() {
        // At most MOST cells of some units, here and below.
        let middle = f64::from(TOP) + (row as f64 + 0.5) * f64::from(side);
        let number = format!("{}", row + 1);
        let quiet = text(Paint::Quiet, SMALL, HPos::Right, VPos::Center);
        root.draw_text(&number, &quiet, (px(18.0), px(middle)))?;
        let name = fitted(name, FONT, f64::from(NAMES) - 28.0);
        let style = text(Paint::Text, FONT, HPos::Left, VPos::Center);
        root.draw_text(&name, &style, (px(24.0), px(middle)))?;
        let across = f64::from(NAMES) + (row as f64 + 0.5) * f64::from(side);
        let head = text(Paint::Quiet, SMALL, HPos::Center, VPos::Bottom);
        root.draw_text(&number, &head, (px(across), px(f64::from(TOP) - 5.0)))?;
        for column in 0..grid.names.len().min(MOST) {
            let left = f64::from(NAMES) + column as f64 * f64::from(side);
            let top = middle - f64::from(side) / 2.0;
            if let Some(win) = win(grid, row, column) {
                draw_cell(grid, root, win, farthest, (left, top))?;
            }
        }
    }
    Ok(())
}

/// A cell with its value, and its p-value where there is room.
fn draw_cell(
    grid: &Grid,
    root: &Area<'_>,
    win: Win,
    farthest: f64,
    (left, top): (f64, f64),
) -> Result<(), Failed> {
    let side = f64::from(cell(grid));
    let step = heat(grid, win.value, farthest);
    let corners = [(px(left + 1.0), px(top + 1.0)), (px(left + side - 1.0), px(top + side - 1.0))];
    root.draw(&Rectangle::new(corners, area(Paint::Heat(step), 1.0)))?;
    if side < 20.0 {
        return Ok(());
    }
    let (value, size) = (value_text(win.value, side), if side < 34.0 { 11.0 } else { FONT });
    let both = side >= 40.0 && win.p.is_some();
    let at = (px(left + side / 2.0), px(top + side / 2.0 - if both { 7.0 } else { 0.0 }));
    if significant(grid, win) {
        let style = bold(Paint::Text, size, HPos::Center, VPos::Center);
        root.draw_text(&format!("{value}*"), &style, at)?;
    } else {
        root.draw_text(&value, &text(Paint::Text, size, HPos::Center, VPos::Center), at)?;
    }
    if let Some(p) = win.p.filter(|_| both) {
        let at = (at.0, at.1 + px(15.0));
        let style = text(Paint::Text, 10.5, HPos::Center, VPos::Center);
        root.draw_text(&p_text(p), &style, at)?;
    }
    Ok(())
}

/// A value in a cell; a share without its zero, where the cell is narrow.
fn value_text(value: f64, side: f64) -> String {
    let text = crate::number::shown(value, if value.abs() < 10.0 { 2 } else { 1 });
    match text.strip_prefix("0.") {
        Some(rest) if side < 34.0 => format!(".{rest}"),
        _ => text,
    }
}

/// A p-value as papers write it.
pub(super) fn p_text(p: f64) -> String {
    if p < 0.001 { "p<.001".into() } else { format!("p={p:.3}").replace("=0.", "=.") }
}

/// What colours and stars mean.
pub(super) fn legend(grid: &Grid) -> Vec<Entry> {
    let mut out = vec![
        Entry::new(Swatch::Heat(4), "the row is better", ""),
        Entry::new(Swatch::Heat(0), "the column is better", ""),
    ];
    let p = |win: &Win| win.p.is_some_and(f64::is_finite);
    if grid.alpha.is_finite() && grid.cells.iter().flatten().flatten().any(p) {
        let alpha = crate::number::brief(grid.alpha);
        out.push(Entry::new(Swatch::Significant, &format!("significant: p < {alpha}"), ""));
    }
    out.push(Entry::new(Swatch::Empty, "each cell", &grid.meaning));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_tell_how_far_from_even() {
        let grid = Grid { meaning: String::new(), names: vec![], cells: vec![], even: 0.5, alpha: 0.05 };
        let steps: Vec<usize> =
            [0.3, 0.45, 0.5, 0.55, 0.7].iter().map(|value| heat(&grid, *value, 0.2)).collect();
        assert_eq!(steps, [0, 1, 2, 3, 4]);
        // All even.
        assert_eq!(heat(&grid, 0.5, 0.0), 2);
    }

    #[test]
    fn p_values_read_as_in_papers() {
        assert_eq!(p_text(0.0004), "p<.001");
        assert_eq!(p_text(0.0321), "p=.032");
        assert_eq!(p_text(1.0), "p=1.000");
    }
}
