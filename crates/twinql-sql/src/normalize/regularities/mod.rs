//! Regularities: what holds in nearly every database as people have it, and in no schema.
//!
//! A look-up by name finds one row, a measure has one greatest value, a date is written `2024-05-01`. Rules that
//! take this for granted make queries alike that no proof may call equal: they are for the question `plausible`
//! alone, beside all other [rules](super::RULES), and for nothing that claims a proof. Marks tell the network which of them
//! a query met, so that forms that are equal by them alone are near and not the same.

mod dates;
mod extremes;
mod guards;
mod keys;
mod look_ups;
mod names;
mod partners;
mod periods;
mod texts;
mod together;
mod totals;

use super::rule::Rule;

/// Every regularity, in the order in which they are tried at a node, after all other rules.
pub const ALL: &[Rule] = &[
    look_ups::LOOK_UP,
    extremes::ONE_EXTREME,
    extremes::EXTREME_PARTNER,
    extremes::EXTREME_AS_FIRST,
    texts::TRIMMED,
    texts::ONE_SPELLING,
    dates::DATE_PARTS,
    dates::DATE_PREFIXES,
    periods::DATE_BOUNDS,
    periods::PERIODS,
    guards::DEFAULTS,
    guards::DIVISORS,
    totals::TOTALS,
    totals::COUNTED_ALONE,
    totals::AVERAGES,
    together::TOGETHER,
    keys::OTHER_KEY,
    partners::UNREAD_PARTNER,
    names::NAMES,
    names::ONE_GROUP,
];

/// Those that look at a query as it is written, and so are tried before all other rules as well.
pub(super) const AS_WRITTEN: &[Rule] = &[texts::ONE_SPELLING];
