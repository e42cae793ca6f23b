//! What a training run measured after each epoch.

use std::fmt::Write;

use super::{GRID, LEFT, QUIET, RIGHT, SIZE, TEXT, TOP, joined, line, opened, style, text, ticks};

/// A quantity over the epochs of a training run.
pub(crate) struct Course<'a> {
    /// Shown above it.
    pub(crate) name: &'a str,
    /// One value an epoch, from the first on.
    pub(crate) values: Vec<f64>,
    /// What its axis runs over.
    pub(crate) scale: Scale,
}

/// What an axis runs over: never what was measured alone, on which any change would look large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// From 0 to a round value above all.
    FromZero,
    /// From chance, 0.5, to 1; from 0 where a value lies below chance.
    Auc,
}

impl Scale {
    /// The lowest and the highest value of the axis.
    fn range(self, values: &[f64]) -> (f64, f64) {
        let finite = values.iter().copied().filter(|v| v.is_finite());
        let low = finite.clone().fold(f64::INFINITY, f64::min);
        let high = finite.fold(0.0, f64::max);
        match self {
            Scale::Auc if low < 0.5 => (0.0, 1.0),
            Scale::Auc => (0.5, 1.0),
            Scale::FromZero if high > 0.0 => {
                let step = ticks(0.0, high, 4).get(1).map_or(high, |(step, _)| *step);
                (0.0, (high / step - 1e-9).ceil() * step)
            }
            Scale::FromZero => (0.0, 1.0),
        }
    }
}

const PANEL: f64 = 160.0;
const BETWEEN: f64 = 58.0;
/// With more epochs, single ones get no dot.
const MAX_DOTS: usize = 60;

/// One panel for each course, with the epoch whose weights were kept (from 1; 0 for none) marked.
pub(crate) fn courses_svg(title: &str, courses: &[Course<'_>], kept: usize) -> String {
    let height = TOP + courses.len() as f64 * (PANEL + BETWEEN) + 24.0;
    let mut out = opened(title, LEFT + SIZE + RIGHT, height);
    for (i, course) in courses.iter().enumerate() {
        let top = TOP + 28.0 + i as f64 * (PANEL + BETWEEN);
        panel(&mut out, course, kept, top, style(i).0);
    }
    let middle = LEFT + SIZE / 2.0;
    text(&mut out, (middle, height - 10.0), "middle", TEXT, "epoch");
    out.push_str("</svg>\n");
    out
}

/// One course: grid, epochs below, the line with its dots, and a ring where the weights were kept. Values
/// that are no finite numbers, as a diverged loss has them, are left out.
fn panel(out: &mut String, course: &Course<'_>, kept: usize, top: f64, colour: &str) {
    let epochs = course.values.len();
    let (low, high) = course.scale.range(&course.values);
    let x = |epoch: f64| {
        let share = if epochs > 1 { (epoch - 1.0) / (epochs - 1) as f64 } else { 0.5 };
        // Room for dots at both ends.
        LEFT + 12.0 + share * (SIZE - 24.0)
    };
    let y = |value: f64| top + PANEL * (1.0 - (value - low) / (high - low));
    let grid = format!(r#"stroke="{GRID}""#);
    let mut digits = 0;
    for (value, label) in ticks(low, high, 5) {
        line(out, (LEFT, y(value)), (LEFT + SIZE, y(value)), &grid);
        text(out, (LEFT - 8.0, y(value) + 4.0), "end", QUIET, &label);
        digits = digits.max(label.len());
    }
    let marked: Vec<f64> = match epochs {
        0 | 1 => vec![1.0],
        n => ticks(1.0, n as f64, 10).into_iter().map(|(at, _)| at).collect(),
    };
    for epoch in marked.into_iter().filter(|at| at.fract() == 0.0) {
        let foot = (x(epoch), top + PANEL);
        line(out, foot, (foot.0, foot.1 + 4.0), &format!(r#"stroke="{QUIET}""#));
        text(out, (foot.0, foot.1 + 17.0), "middle", QUIET, &format!("{epoch:.0}"));
    }
    let _ = writeln!(
        out,
        r##"<rect x="{LEFT}" y="{top:.1}" width="{SIZE}" height="{PANEL}" stroke="#bbb" fill="none"/>"##
    );
    let shown = |value: f64| {
        ticks(low, high, 5).into_iter().find(|t| t.0 == value).map_or_else(|| format!("{value}"), |t| t.1)
    };
    let mut title = format!("{} (axis from {} to {})", course.name, shown(low), shown(high));
    let points = || {
        let all = course.values.iter().enumerate().filter(|(_, v)| v.is_finite());
        all.map(|(i, v)| (x((i + 1) as f64), y(*v)))
    };
    let _ = writeln!(
        out,
        r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
        joined(points())
    );
    if epochs <= MAX_DOTS {
        for (x, y) in points() {
            let _ = writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="2.5" fill="{colour}"/>"#);
        }
    }
    let at_kept = kept.checked_sub(1).and_then(|i| course.values.get(i));
    if let Some(value) = at_kept.copied().filter(|v| v.is_finite()) {
        let epoch = x(kept as f64);
        line(out, (epoch, top), (epoch, top + PANEL), &format!(r#"stroke="{QUIET}" stroke-dasharray="3 3""#));
        let _ = writeln!(
            out,
            r#"<circle cx="{epoch:.1}" cy="{:.1}" r="5" fill="white" stroke="{colour}" stroke-width="2"/>"#,
            y(value)
        );
        title.push_str(&format!("; epoch {kept} kept: {value:.4}"));
    }
    text(out, (LEFT, top - 8.0), "start", TEXT, &title);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(values: &[f64], scale: Scale) -> Course<'static> {
        Course { name: "it", values: values.to_vec(), scale }
    }

    #[test]
    fn a_small_change_looks_small() {
        let svg = courses_svg("run", &[course(&[0.996, 0.997, 0.9965], Scale::Auc)], 2);
        assert!(svg.contains("it (axis from 0.5 to 1.0); epoch 2 kept: 0.9970"), "{svg}");
        // All within 1 of 160 points.
        assert!(svg.contains(r#"points="76.0,69.3 304.0,69.0 532.0,69.1""#), "{svg}");
        assert!(svg.contains(r#"<circle cx="304.0" cy="69.0" r="5""#), "{svg}");
        let below = courses_svg("run", &[course(&[0.4, 0.6], Scale::Auc)], 2);
        assert!(below.contains("axis from 0.0 to 1.0"), "{below}");
    }

    #[test]
    fn a_loss_is_shown_from_zero() {
        let svg = courses_svg("run", &[course(&[0.37, 0.2, 0.1], Scale::FromZero)], 3);
        assert!(svg.contains("axis from 0.0 to 0.4"), "{svg}");
        for label in ["0.0", "0.1", "0.4", "1", "2", "3"] {
            assert!(svg.contains(&format!(">{label}</text>")), "{label}: {svg}");
        }
    }

    #[test]
    fn odd_values_leave_a_whole_picture() {
        let odd = [
            course(&[f64::NAN], Scale::Auc),
            course(&[], Scale::FromZero),
            course(&[f64::INFINITY, 0.0], Scale::FromZero),
            course(&[0.7], Scale::Auc),
        ];
        let svg = courses_svg("run", &odd, 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }
}
