//! How language models write what others wrote in another way. The third catalogue.
//!
//! A guard that is hardly ever needed, a key in place of a name, a CASE in place of a filter: such changes mostly keep the answer
//! on databases as people have them, and seldom on every one. Some do on neither, and look as if they did. Which is which was
//! counted, by the suite and on plausible databases ([`Claim`]).

pub(super) mod shapes;
pub(super) mod values;

use super::{Claim, Rewrite, rule};

/// The beginning of an entry of the third catalogue.
const fn habit(name: &'static str, weight: u32) -> Rewrite {
    Rewrite { catalogue: 3, ..rule(name, Claim::Plausible, weight) }
}

/// As [`habit`], of one that keeps the answer on less than half of plausible databases.
const fn look_alike(name: &'static str, weight: u32) -> Rewrite {
    Rewrite { kind: Claim::LookAlike, ..habit(name, weight) }
}
