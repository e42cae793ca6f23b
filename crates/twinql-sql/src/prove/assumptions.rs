//! Which of the assumptions of a semantics a proof needs.

use crate::semantics::Semantics;

/// Something that a proof takes for granted of every database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumption {
    /// Primary keys and unique columns are unique, columns declared NOT NULL are not NULL.
    Keys,
    /// Foreign keys refer to a row that exists, where they are not NULL.
    ForeignKeys,
    /// No column holds NULL.
    NoNulls,
    /// No base table is empty.
    NoEmptyTables,
    /// Values have their column's type.
    Typed,
}

impl Assumption {
    /// All of them, in the order in which proofs list them.
    pub const ALL: [Assumption; 5] = [
        Assumption::Keys,
        Assumption::ForeignKeys,
        Assumption::NoNulls,
        Assumption::NoEmptyTables,
        Assumption::Typed,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Assumption::Keys => "keys",
            Assumption::ForeignKeys => "foreign_keys",
            Assumption::NoNulls => "no_nulls",
            Assumption::NoEmptyTables => "no_empty_tables",
            Assumption::Typed => "typed",
        }
    }

    /// What it says, as a clause.
    pub fn clause(self) -> &'static str {
        match self {
            Assumption::Keys => "keys and NOT NULL hold",
            Assumption::ForeignKeys => "foreign keys refer to rows that exist",
            Assumption::NoNulls => "no column holds NULL",
            Assumption::NoEmptyTables => "no table is empty",
            Assumption::Typed => "values have their column's type",
        }
    }

    fn made_by(self, semantics: &Semantics) -> bool {
        match self {
            Assumption::Keys => semantics.keys_hold,
            Assumption::ForeignKeys => semantics.foreign_keys_hold,
            Assumption::NoNulls => !semantics.nulls,
            Assumption::NoEmptyTables => !semantics.empty_tables,
            Assumption::Typed => semantics.typed,
        }
    }

    fn without(self, semantics: &Semantics) -> Semantics {
        let mut weaker = semantics.clone();
        "custom".clone_into(&mut weaker.name);
        match self {
            Assumption::Keys => weaker.keys_hold = false,
            Assumption::ForeignKeys => weaker.foreign_keys_hold = false,
            Assumption::NoNulls => weaker.nulls = true,
            Assumption::NoEmptyTables => weaker.empty_tables = true,
            Assumption::Typed => weaker.typed = false,
        }
        weaker
    }
}

impl std::fmt::Display for Assumption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.clause())
    }
}

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
    let nothing = Assumption::ALL
        .iter()
        .fold(semantics.clone(), |weaker, a| a.without(&weaker));
    if holds(&nothing) {
        return Needed {
            assumptions: Vec::new(),
            semantics: nothing,
        };
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
    Needed {
        assumptions: needed,
        semantics: weakest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_goes() {
        let default = Semantics::default();
        for (name, holds, expected) in [
            ("nothing", (|_| true) as fn(&Semantics) -> bool, vec![]),
            ("keys", |s| s.keys_hold, vec![Assumption::Keys]),
            ("one of two", |s| s.typed || !s.nulls, vec![Assumption::Typed]),
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
