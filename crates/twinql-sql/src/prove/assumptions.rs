//! Which of the assumptions of a semantics a proof needs.

use crate::assumption::Assumption;
use crate::semantics::Semantics;

/// The semantics with these assumptions and no others.
pub(super) fn only(semantics: &Semantics, wanted: &[Assumption]) -> Result<Semantics, String> {
    if let Some(a) = wanted.iter().find(|a| !a.made_by(semantics)) {
        return Err(format!("{semantics} does not assume that {a}"));
    }
    let others = Assumption::ALL.iter().filter(|a| !wanted.contains(a));
    Ok(others.fold(semantics.clone(), |weaker, a| a.without(&weaker)))
}

/// A set of assumptions from which none can be left out.
pub(super) struct Needed {
    pub(super) assumptions: Vec<Assumption>,
    /// The semantics that makes these alone.
    pub(super) semantics: Semantics,
}

/// Leaves out one assumption after another, the strongest claims about data first, as long
/// as the proof still `holds`. What is left is minimal, not always the least: another set
/// may do as well.
pub(super) fn narrowed(semantics: &Semantics, holds: &mut dyn FnMut(&Semantics) -> bool) -> Needed {
    let made = |a: &Assumption| a.made_by(semantics);
    let nothing = Assumption::ALL.iter().fold(semantics.clone(), |weaker, a| a.without(&weaker));
    if holds(&nothing) {
        return Needed { assumptions: Vec::new(), semantics: nothing };
    }
    let mut weakest = semantics.clone();
    let mut needed = Vec::new();
    for candidate in [
        Assumption::ForeignKeys,
        Assumption::NoEmptyTables,
        Assumption::NoNulls,
        Assumption::Typed,
        Assumption::Keys,
    ]
    .iter()
    .filter(|a| made(a))
    {
        let weaker = candidate.without(&weakest);
        if holds(&weaker) {
            weakest = weaker;
        } else {
            needed.push(*candidate);
        }
    }
    needed.sort_unstable();
    Needed { assumptions: needed, semantics: weakest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::Nulls;

    #[test]
    fn what_is_not_needed_goes() {
        let default = Semantics::default();
        for (name, holds, expected) in [
            ("nothing", (|_| true) as fn(&Semantics) -> bool, vec![]),
            ("keys", |s| s.keys_hold, vec![Assumption::Keys]),
            ("one of two", |s| s.typed || s.nulls != Nulls::Nullable, vec![Assumption::Typed]),
            (
                "both",
                |s| s.foreign_keys_hold && !s.empty_tables,
                vec![Assumption::ForeignKeys, Assumption::NoEmptyTables],
            ),
        ] {
            let needed = narrowed(&default, &mut |s| holds(s));
            assert_eq!(needed.assumptions, expected, "{name}");
            assert!(holds(&needed.semantics), "{name}");
        }
    }
}
