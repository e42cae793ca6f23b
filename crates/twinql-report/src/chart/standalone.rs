//! A chart as a picture of its own: title, plot, legend, and colours for light and dark ground.

use std::fmt::Write;

use plotters::style::text_anchor::{HPos, VPos};

use super::backend::text_width;
use super::frame::{Area, FONT, Failed, SMALL, WIDTH, bold, px, text};
use super::legend::{Entry, SWATCH};
use super::palette::{Paint, rules, variables};
use super::sheet;
use crate::Chart;
use crate::safe::{escaped, name};

/// Units above the plot, and of a line of the legend.
const TITLE: i32 = 34;
const LINE: i32 = 19;

impl Chart {
    /// The chart as an SVG file: it needs no style sheet and no font, and follows the viewer's theme.
    pub fn svg(&self) -> String {
        let (title, description) = (name(&self.title), self.description());
        let drawn = self.picture().and_then(|picture| {
            let lines = lines(&picture.legend);
            // Some dozens of lines.
            let below = lines.len() as i32 * LINE + 14;
            let legend = sheet((WIDTH, below), |root| draw_legend(&lines, root));
            let head = sheet((WIDTH, TITLE), |root| draw_title(&title, root));
            let (head, legend) = (head.map_err(|e| e.to_string())?, legend.map_err(|e| e.to_string())?);
            Ok((picture, head, legend, below))
        });
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = match drawn {
            Ok((picture, head, legend, below)) => {
                let (width, height) = (picture.size.0, TITLE + picture.size.1 + below);
                let ground = Paint::Ground.colours().0;
                write!(
                    out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
                     viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, sans-serif\" role=\"img\">\n\
                     <title>{}</title>\n<desc>{}</desc>\n<style>{}</style>\n\
                     <rect class=\"f-ground\" width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\n\
                     {head}<g transform=\"translate(0 {TITLE})\">\n{}</g>\n\
                     <g transform=\"translate(0 {})\">\n{legend}</g>\n</svg>\n",
                    escaped(&title),
                    escaped(&description),
                    style(),
                    picture.body,
                    TITLE + picture.size.1
                )
            }
            Err(why) => writeln!(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"40\">\
                 <text x=\"8\" y=\"24\">{}: {}</text></svg>",
                escaped(&title),
                escaped(&why)
            ),
        };
        out
    }
}

/// The colours for either theme.
fn style() -> String {
    format!(
        ":root{{{}}}@media (prefers-color-scheme:dark){{:root{{{}}}}}{}",
        variables(false),
        variables(true),
        rules()
    )
}

/// The title in as large type as fits.
fn draw_title(title: &str, root: &Area<'_>) -> Result<(), Failed> {
    let room = f64::from(WIDTH) - 16.0;
    let title = crate::safe::label(title);
    let size = (15.0 * room / text_width(&title, 15.0).max(1.0)).clamp(9.0, 15.0);
    let style = bold(Paint::Text, size, HPos::Left, VPos::Center);
    root.draw_text(&title, &style, (px(8.0), px(f64::from(TITLE) / 2.0)))
}

/// A line of a drawn legend: an entry's first one has its swatch.
struct Line<'a> {
    entry: Option<&'a Entry>,
    text: String,
    quiet: bool,
}

/// The legend in lines that fit.
fn lines(legend: &[Entry]) -> Vec<Line<'_>> {
    let room = f64::from(WIDTH - SWATCH.0) - 24.0;
    let mut out = Vec::new();
    for entry in legend {
        let mut first = Some(entry);
        let text = match (entry.name.as_str(), entry.note.as_str()) {
            ("", text) | (text, "") => text.to_owned(),
            (name, note) => format!("{name}: {note}"),
        };
        for text in wrapped(&text, room) {
            out.push(Line { entry: first.take(), text, quiet: entry.name.is_empty() });
        }
    }
    out
}

/// A text in lines of at most so many units; a word that is longer has a line of its own, cut.
fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = super::frame::fitted(word, SMALL, room);
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), SMALL) <= room => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// The lines from top to bottom.
fn draw_legend(lines: &[Line<'_>], root: &Area<'_>) -> Result<(), Failed> {
    for (number, line) in lines.iter().enumerate() {
        // Some dozens of lines.
        let top = number as i32 * LINE;
        if let Some(entry) = line.entry {
            let size = (px(f64::from(SWATCH.0)), px(f64::from(SWATCH.1)));
            entry.swatch.draw(&root.clone().shrink((px(10.0), px(f64::from(top))), size))?;
        }
        let (paint, size) = if line.quiet { (Paint::Quiet, SMALL) } else { (Paint::Text, FONT) };
        let at = (px(f64::from(SWATCH.0) + 18.0), px(f64::from(top) + 7.0));
        root.draw_text(&line.text, &text(paint, size, HPos::Left, VPos::Center), at)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_wrap_at_words() {
        let lines = wrapped("decides at 0.50: true positive rate 0.912, false positive rate 0.034", 200.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| text_width(line, SMALL) <= 200.0), "{lines:?}");
        assert_eq!(lines.join(" "), "decides at 0.50: true positive rate 0.912, false positive rate 0.034");
        assert!(wrapped(&"x".repeat(500), 200.0).iter().all(|line| text_width(line, SMALL) <= 220.0));
    }
}
