//! Why a figure is not defined.

use thiserror::Error;

/// Why a statistic has no value on the data it was given. A report prints this in the
/// figure's place; a figure is never silently zero.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Undefined {
    /// The two lists differ in length.
    #[error("the lists differ in length: {left} and {right}")]
    Lengths {
        /// Length of the first list.
        left: usize,
        /// Length of the second list.
        right: usize,
    },
    /// Fewer items than the statistic needs.
    #[error("needs at least {needed} items, got {found}")]
    TooFew {
        /// What the statistic needs.
        needed: usize,
        /// What it was given.
        found: usize,
    },
    /// Labels are all 1 or all 0.
    #[error("all labels are {label}: both classes are needed")]
    OneClass {
        /// The label that all items have.
        label: u8,
    },
    /// One of the lists has no variance.
    #[error("one of the lists is constant")]
    Constant,
    /// A value is NaN or infinite.
    #[error("item {index} is not a finite number")]
    NotFinite {
        /// Position from 0.
        index: usize,
    },
}

/// Checks that two lists can be compared: equal lengths, at least `needed` items.
pub(crate) fn check_lengths(left: usize, right: usize, needed: usize) -> Result<(), Undefined> {
    if left != right {
        return Err(Undefined::Lengths { left, right });
    }
    if left < needed {
        return Err(Undefined::TooFew { needed, found: left });
    }
    Ok(())
}

/// Checks that all values are finite.
pub(crate) fn check_finite(values: &[f64]) -> Result<(), Undefined> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(Undefined::NotFinite { index }),
        None => Ok(()),
    }
}

/// Checks lengths and values, and counts the positives: (positives, negatives), both at least 1.
pub(crate) fn check_classes(scores: &[f64], labels: &[bool]) -> Result<(usize, usize), Undefined> {
    check_lengths(scores.len(), labels.len(), 1)?;
    check_finite(scores)?;
    let positives = labels.iter().filter(|&&l| l).count();
    match (positives, labels.len() - positives) {
        (0, _) => Err(Undefined::OneClass { label: 0 }),
        (_, 0) => Err(Undefined::OneClass { label: 1 }),
        both => Ok(both),
    }
}
