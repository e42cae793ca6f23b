//! plotters' drawing written down as SVG: tenths of a unit, classes for colours, text as text.
//!
//! plotters' own SVG backend knows whole pixels and fixed colours only.

use std::convert::Infallible;
use std::fmt::Write;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
    FontTransform,
};

use super::palette::Paint;
use crate::safe::escaped;

/// Pixels of plotters in a unit of the picture, so that curves are not drawn in stairs.
pub(crate) const FINE: i32 = 10;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// Appends to a text what is drawn.
pub(crate) struct SvgBackend<'a> {
    out: &'a mut String,
    size: (u32, u32),
}

impl<'a> SvgBackend<'a> {
    /// A sheet of so many units.
    pub(crate) fn new(out: &'a mut String, (width, height): (i32, i32)) -> SvgBackend<'a> {
        let pixels = |units: i32| u32::try_from(units.saturating_mul(FINE)).unwrap_or(1).max(1);
        SvgBackend { out, size: (pixels(width), pixels(height)) }
    }

    /// The attributes of something drawn in a colour: filled with it, or a line of it.
    fn look(color: BackendColor, stroke: Option<u32>) -> String {
        let paint = Paint::of_key(color.rgb);
        let (name, light) = (paint.name(), paint.colours().0);
        match stroke {
            None => {
                let mut look = format!(r#"class="f-{name}" fill="{light}""#);
                if color.alpha < 1.0 {
                    let _ = write!(look, r#" fill-opacity="{:.2}""#, color.alpha);
                }
                look
            }
            Some(width) => {
                let width = units(i32::try_from(width).unwrap_or(FINE));
                let mut look =
                    format!(r#"class="s-{name}" fill="none" stroke="{light}" stroke-width="{width}""#);
                if let Some(dashes) = paint.dashes() {
                    let _ = write!(look, r#" stroke-dasharray="{dashes}""#);
                }
                if color.alpha < 1.0 {
                    let _ = write!(look, r#" stroke-opacity="{:.2}""#, color.alpha);
                }
                look
            }
        }
    }
}

/// Pixels as units: with one digit after the point, or none.
pub(crate) fn units(pixels: i32) -> String {
    let (whole, tenth) = (pixels / FINE, (pixels % FINE).abs());
    match (tenth, pixels < 0 && whole == 0) {
        (0, _) => format!("{whole}"),
        (tenth, true) => format!("-0.{tenth}"),
        (tenth, false) => format!("{whole}.{tenth}"),
    }
}

/// The width of a text in units, as the wider ones of common sans-serif fonts have it. No font is asked, so that the same
/// figures give the same picture everywhere.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' => 0.27,
        'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | ' ' | '-' => 0.37,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.92,
        'A'..='Z' => 0.7,
        c if c.is_ascii() => 0.6,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => 1.0,
        c if u32::from(c) > 0xffff => 1.2,
        _ => 0.6,
    };
    size * text.chars().map(em).sum::<f64>()
}

impl DrawingBackend for SvgBackend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let look = Self::look(color, None);
        let side = units(FINE);
        let _ = writeln!(
            self.out,
            r#"<rect x="{}" y="{}" width="{side}" height="{side}" {look}/>"#,
            units(x),
            units(y)
        );
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let look = Self::look(style.color(), (!fill).then(|| style.stroke_width()));
        let (x, y) = (left.min(right), top.min(bottom));
        let (width, height) = ((right - left).abs(), (bottom - top).abs());
        let _ = writeln!(
            self.out,
            r#"<rect x="{}" y="{}" width="{}" height="{}" {look}/>"#,
            units(x),
            units(y),
            units(width),
            units(height)
        );
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        let look = Self::look(style.color(), Some(style.stroke_width()));
        let _ = writeln!(self.out, r#"<path d="{}" {look} stroke-linejoin="round"/>"#, joined(path));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let look = Self::look(style.color(), (!fill).then(|| style.stroke_width()));
        let radius = units(i32::try_from(radius).unwrap_or(FINE));
        let _ = writeln!(self.out, r#"<circle cx="{}" cy="{}" r="{radius}" {look}/>"#, units(x), units(y));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        let look = Self::look(style.color(), None);
        let _ = writeln!(self.out, r#"<path d="{}Z" {look}/>"#, joined(corners));
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, (x, y): BackendCoord) -> Drawn {
        let size = style.size() / f64::from(FINE);
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        // Where the base line lies below the point that is asked for.
        let drop = match style.anchor().v_pos {
            VPos::Top => 0.80,
            VPos::Center => 0.35,
            VPos::Bottom => -0.22,
        } * size;
        let look = Self::look(style.color(), None);
        let weight = match style.style() {
            FontStyle::Bold => r#" font-weight="600""#,
            FontStyle::Normal | FontStyle::Oblique | FontStyle::Italic => "",
        };
        let (x, y) = (units(x), units(y));
        let place = match style.transform() {
            FontTransform::None => format!(r#"x="{x}" y="{y}" dy="{drop:.1}""#),
            turned => {
                let degrees = match turned {
                    FontTransform::Rotate90 => 90,
                    FontTransform::Rotate180 => 180,
                    _ => 270,
                };
                format!(r#"transform="translate({x} {y}) rotate({degrees})" dy="{drop:.1}""#)
            }
        };
        let _ = writeln!(
            self.out,
            r#"<text {place} font-size="{size}"{weight} text-anchor="{anchor}" {look}>{}</text>"#,
            escaped(text)
        );
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        // Non-negative and far below the limit: labels are short.
        Ok((text_width(text, style.size()).ceil() as u32, style.size().ceil() as u32))
    }
}

/// Points as a path has them. A point that lies where the one before lies says nothing and is left out.
fn joined(path: impl IntoIterator<Item = BackendCoord>) -> String {
    let mut out = String::new();
    let mut before = None;
    for at in path {
        if before == Some(at) {
            continue;
        }
        let _ = write!(out, "{}{} {}", if before.is_none() { 'M' } else { 'L' }, units(at.0), units(at.1));
        before = Some(at);
    }
    // A line of one point is a dot where its ends are drawn at all.
    if out.is_empty() { "M0 0".into() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_tenths() {
        assert_eq!(["0", "1", "1.5", "-0.3", "-2.7"].map(String::from), [0, 10, 15, -3, -27].map(units));
    }

    #[test]
    fn widths_grow_with_the_text() {
        assert!(text_width("mmm", 10.0) > text_width("iii", 10.0));
        assert!(text_width("東京", 10.0) > text_width("ab", 10.0));
    }
}
