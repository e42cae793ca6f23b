//! How language models write what others wrote in another way. The third catalogue.
//!
//! A guard that is hardly ever needed, a key in place of a name, a CASE in place of a filter: such changes mostly keep the answer
//! on databases as people have them, and seldom on every one. Some do on neither, and look as if they did. All are
//! candidates: what they are is counted, by the suite and on plausible databases ([`share`](crate::build::share)).

mod shapes;
mod values;

use super::{Claim, Rewrite, rule};

/// All habits, by family.
pub(super) const RULES: [&[Rewrite]; 2] = [values::RULES, shapes::RULES];

/// The beginning of an entry of the third catalogue.
const fn habit(name: &'static str, weight: u32) -> Rewrite {
    Rewrite { catalogue: 3, ..rule(name, Claim::Candidate, weight) }
}
