//! From an axis and the figures on it to where it begins, where it ends, and its ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use crate::Axis;

/// Numbers beyond it are not drawn: no figure of a report is that large.
const LARGEST: f64 = 1e15;
/// Ticks an axis has at the most.
const MOST_TICKS: usize = 6;

/// An axis ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) ticks: Vec<f64>,
    /// Digits after the point of the ticks.
    digits: usize,
}

impl Scale {
    /// The scale of an axis over values; those that are no numbers are left out.
    pub(crate) fn of(axis: &Axis, values: impl IntoIterator<Item = f64>) -> Scale {
        let drawable = |value: &f64| value.abs() <= LARGEST;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(drawable) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let (fixed_low, fixed_high) = (axis.low.filter(drawable), axis.high.filter(drawable));
        let mut low_end = fixed_low.unwrap_or(low);
        let mut high_end = fixed_high.unwrap_or(high);
        // An axis has a length, whatever is on it: less than this and its ends would be one number.
        let least = low_end.abs().max(high_end.abs()).max(1e-9) * 1e-6;
        if high_end - low_end < least {
            let room = low_end.abs().max(1.0) * 0.5;
            match (fixed_low, fixed_high) {
                (None, Some(_)) => low_end = high_end - room,
                (None, None) => (low_end, high_end) = (low_end - room, high_end + room),
                (Some(_), _) => high_end = low_end + room,
            }
        }
        let (step, digits) = step(high_end - low_end, MOST_TICKS);
        // Ends that nobody fixed are round.
        if fixed_low.is_none() {
            low_end = (low_end / step + 1e-9).floor() * step;
        }
        if fixed_high.is_none() {
            high_end = (high_end / step - 1e-9).ceil() * step;
        }
        let first = (low_end / step - 1e-6).ceil();
        let count = ((high_end / step + 1e-6).floor() - first).clamp(0.0, 2.0 * MOST_TICKS as f64);
        let ticks = (0..=count as usize).map(|nth| (first + nth as f64) * step).collect();
        Scale { low: low_end, high: high_end, ticks, digits }
    }

    /// With ticks at these places in place of its own.
    pub(crate) fn with_ticks(mut self, ticks: Vec<f64>) -> Scale {
        self.ticks = ticks;
        self
    }

    /// The text of a tick.
    pub(crate) fn label(&self, value: f64) -> String {
        crate::number::shown(value, self.digits)
    }

    /// The value, or the end of the axis beyond which it lies.
    pub(crate) fn within(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }
}

/// As plotters has it: values lie evenly, and the ticks are ours.
impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        // A sheet has some thousand pixels; a float outside i32 saturates.
        (f64::from(first) + share * f64::from(last.saturating_sub(first))).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Ticks are bold; light ones in between there are none.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

/// A round step of which at most so many make up a length, and the digits that it has after the point.
fn step(length: f64, most: usize) -> (f64, usize) {
    let magnitude = 10f64.powf((length / most as f64).log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|m| m * magnitude)
        .into_iter()
        .find(|step| length / step <= most as f64 + 1e-9)
        .unwrap_or(10.0 * magnitude);
    let whole = |digits: &i32| {
        let scaled = step * 10f64.powi(*digits);
        (scaled - scaled.round()).abs() < 1e-6 * scaled.max(1.0)
    };
    (step, (0..12).find(whole).and_then(|digits| usize::try_from(digits).ok()).unwrap_or(12))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(axis: &Axis, values: &[f64]) -> Vec<String> {
        let scale = Scale::of(axis, values.iter().copied());
        scale.ticks.iter().map(|tick| scale.label(*tick)).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(&Axis::share("x"), &[]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&Axis::between("x", 0.5, 1.0), &[]), ["0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]);
        assert_eq!(labels(&Axis::from_zero("x"), &[0.37, 0.1]), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(labels(&Axis::of("x"), &[1000.0, 5000.0]), ["1,000", "2,000", "3,000", "4,000", "5,000"]);
        assert_eq!(labels(&Axis::of("x"), &[f64::NAN, f64::INFINITY]).len(), 6);
    }

    proptest! {
        #[test]
        fn every_axis_can_be_drawn(
            low in proptest::option::of(proptest::num::f64::ANY),
            high in proptest::option::of(proptest::num::f64::ANY),
            values in proptest::collection::vec(proptest::num::f64::ANY, 0..5),
        ) {
            let scale = Scale::of(&Axis { label: "x".into(), low, high }, values);
            prop_assert!(scale.low < scale.high && scale.low.is_finite() && scale.high.is_finite());
            prop_assert!(scale.ticks.len() <= 2 * MOST_TICKS + 1);
            prop_assert!(scale.ticks.iter().all(|tick| tick.is_finite()));
        }
    }
}
