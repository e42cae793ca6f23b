//! The colours of charts, each under a name, for light and for dark ground.
//!
//! plotters bakes colours into pictures. Here it draws with keys in their place, which the backend turns into
//! a class beside the light colour: a style sheet may then choose, and a picture without one is still right.

use std::fmt::Write;

use plotters::style::RGBColor;

/// What a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// What everything lies on.
    Ground,
    /// Text to read.
    Text,
    /// Text beside it.
    Quiet,
    /// Lines of the mesh.
    Mesh,
    /// Axes and reference lines.
    Axis,
    /// A reference line, dashed.
    Reference,
    /// The line of a series, with its dashes.
    Line(usize),
    /// Anything else of a series.
    Series(usize),
    /// A cell of a grid: 0 much worse to 4 much better.
    Heat(usize),
}

/// Series after the last colour begin again with the first one.
pub(crate) const SERIES: usize = 8;

/// Colour on light and on dark ground, and dashes. Every colour has 3:1 or more against its ground, so that it
/// can be seen (WCAG 2.1, 1.4.11). The first four are told apart with any of the common kinds of colour
/// blindness; more cannot be, and are told apart by dashes and markers.
const SERIES_LOOK: [(&str, &str, &str); SERIES] = [
    ("#1f5fa8", "#6ab0ff", ""),
    ("#d4690a", "#ff9250", "7 3"),
    ("#0b4a36", "#c4f7d4", "2 2.5"),
    ("#b06bc9", "#bb74d6", "9 3 2 3"),
    ("#8c7a00", "#f5d75f", "5 5"),
    ("#8f1148", "#f2607f", "1.5 4"),
    ("#6b7280", "#98a2ae", "12 3"),
    ("#0e8a9e", "#3fc2b8", "4 2 1 2"),
];

const HEAT: [(&str, &str); 5] = [
    ("#f4b183", "#8a4a20"),
    ("#fbe0cf", "#4a3022"),
    ("#eceff2", "#2a3038"),
    ("#cfe3fa", "#1d3b5c"),
    ("#8fc0f2", "#2f6198"),
];

impl Paint {
    /// The key that stands for it while plotters draws.
    pub(crate) fn key(self) -> RGBColor {
        let (kind, number) = match self {
            Paint::Ground => (0, 0),
            Paint::Text => (1, 0),
            Paint::Quiet => (2, 0),
            Paint::Mesh => (3, 0),
            Paint::Axis => (4, 0),
            Paint::Reference => (5, 0),
            Paint::Line(number) => (6, number % SERIES),
            Paint::Series(number) => (7, number % SERIES),
            Paint::Heat(step) => (8, step.min(HEAT.len() - 1)),
        };
        RGBColor(kind, u8::try_from(number).unwrap_or(0), 0)
    }

    /// What a key stands for; text, if plotters chose the colour.
    pub(crate) fn of_key((kind, number, _): (u8, u8, u8)) -> Paint {
        let number = usize::from(number);
        match kind {
            0 => Paint::Ground,
            2 => Paint::Quiet,
            3 => Paint::Mesh,
            4 => Paint::Axis,
            5 => Paint::Reference,
            6 => Paint::Line(number),
            7 => Paint::Series(number),
            8 => Paint::Heat(number),
            _ => Paint::Text,
        }
    }

    /// Its name in classes and variables of style sheets.
    pub(crate) fn name(self) -> String {
        match self {
            Paint::Ground => "ground".into(),
            Paint::Text => "text".into(),
            Paint::Quiet => "quiet".into(),
            Paint::Mesh => "mesh".into(),
            Paint::Axis | Paint::Reference => "axis".into(),
            Paint::Line(number) | Paint::Series(number) => format!("{}", number % SERIES + 1),
            Paint::Heat(step) => format!("h{step}"),
        }
    }

    /// Its colours on light and on dark ground.
    pub(crate) fn colours(self) -> (&'static str, &'static str) {
        match self {
            Paint::Ground => ("#ffffff", "#161b22"),
            Paint::Text => ("#1f2328", "#e6e9ee"),
            Paint::Quiet => ("#57606a", "#a3adb9"),
            Paint::Mesh => ("#e4e7eb", "#2b323b"),
            Paint::Axis | Paint::Reference => ("#7a838d", "#7f8995"),
            Paint::Line(number) | Paint::Series(number) => {
                let (light, dark, _) = SERIES_LOOK[number % SERIES];
                (light, dark)
            }
            Paint::Heat(step) => HEAT[step.min(HEAT.len() - 1)],
        }
    }

    /// Its dashes; none for a line without gaps.
    pub(crate) fn dashes(self) -> Option<&'static str> {
        match self {
            Paint::Line(number) => Some(SERIES_LOOK[number % SERIES].2).filter(|d| !d.is_empty()),
            Paint::Reference => Some("4 4"),
            _ => None,
        }
    }
}

/// Colour on light ground and dashes of a series.
pub(crate) fn series_look(series: usize) -> (&'static str, Option<&'static str>) {
    (Paint::Series(series).colours().0, Paint::Line(series).dashes())
}

/// All colours that have a name of their own.
fn all() -> impl Iterator<Item = Paint> {
    let plain = [Paint::Ground, Paint::Text, Paint::Quiet, Paint::Mesh, Paint::Axis];
    plain.into_iter().chain((0..SERIES).map(Paint::Series)).chain((0..HEAT.len()).map(Paint::Heat))
}

/// Declarations of a style sheet: `--c-NAME` for every colour.
pub(crate) fn variables(dark: bool) -> String {
    let mut out = String::new();
    for paint in all() {
        let (on_light, on_dark) = paint.colours();
        // Writing to a string cannot fail, here and below.
        let _ = write!(out, "--c-{}:{};", paint.name(), if dark { on_dark } else { on_light });
    }
    out
}

/// Rules of a style sheet: strokes and fills take their colours from the variables.
pub(crate) fn rules() -> String {
    let mut out = String::new();
    for paint in all() {
        let name = paint.name();
        let _ = write!(out, ".s-{name}{{stroke:var(--c-{name})}}.f-{name}{{fill:var(--c-{name})}}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue in linear light (IEC 61966-2-1).
    fn linear(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// Relative luminance (WCAG 2.1).
    fn luminance(colour: &str) -> f64 {
        product([0.2126, 0.7152, 0.0722], linear(colour))
    }

    fn product(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn colours_can_be_seen_on_both_grounds() {
        let ground = Paint::Ground.colours();
        let check = |paint: Paint, least: f64| {
            let (light, dark) = paint.colours();
            assert!(contrast(light, ground.0) >= least, "{paint:?} on light");
            assert!(contrast(dark, ground.1) >= least, "{paint:?} on dark");
        };
        check(Paint::Text, 4.5);
        check(Paint::Quiet, 4.5);
        check(Paint::Axis, 3.0);
        (0..SERIES).for_each(|number| check(Paint::Series(number), 3.0));
        for (light, dark) in HEAT {
            assert!(contrast(light, Paint::Text.colours().0) >= 4.5, "{light}");
            assert!(contrast(dark, Paint::Text.colours().1) >= 4.5, "{dark}");
        }
    }

    /// What is left of linear colours without cones for long, middle and short waves (Machado, Oliveira and
    /// Fernandes 2009, table 1, severity 1).
    const BLINDNESS: [[[f64; 3]; 3]; 3] = [
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    /// The colour's place in Oklab (Ottosson 2020), where distances are about what people see.
    fn oklab(linear: [f64; 3]) -> [f64; 3] {
        let cones = [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
        .map(|row| product(row, linear).cbrt());
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
        .map(|row| product(row, cones))
    }

    #[test]
    fn the_first_four_series_are_told_apart_by_colour_blind_readers() {
        for blind in BLINDNESS {
            let seen = |colour: &str| {
                let of = linear(colour);
                oklab(blind.map(|row| product(row, of).clamp(0.0, 1.0)))
            };
            for (a, b) in (0..4).flat_map(|a| (0..a).map(move |b| (a, b))) {
                for ground in [0, 1] {
                    let of = |number| {
                        let (light, dark) = Paint::Series(number).colours();
                        seen(if ground == 0 { light } else { dark })
                    };
                    let far = of(a).iter().zip(of(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    // Three times what is just told apart, side by side.
                    assert!(far > 0.06, "{a} and {b} on ground {ground}: {far}");
                }
            }
        }
    }

    #[test]
    fn keys_lead_back() {
        for paint in all().chain([Paint::Reference, Paint::Line(3)]) {
            let RGBColor(r, g, b) = paint.key();
            assert_eq!(Paint::of_key((r, g, b)), paint);
        }
    }

    #[test]
    fn series_differ_in_dashes_as_well() {
        let dashes: std::collections::BTreeSet<_> =
            (0..SERIES).map(|number| Paint::Line(number).dashes()).collect();
        assert_eq!(dashes.len(), SERIES);
    }
}
