//! What a semantics takes for granted of every database, one by one.

use crate::semantics::{Nulls, Semantics};

/// Something that a proof takes for granted of every database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumption {
    /// Primary keys and unique columns are unique, columns declared NOT NULL are not NULL.
    Keys,
    /// Foreign keys refer to a row that exists, where they are not NULL. Whole numbers that serve so stay below 2^53,
    /// as [`Semantics::foreign_keys_hold`] says.
    ForeignKeys,
    /// No column holds NULL, but those that the gold asks for where [`Nulls::Asked`] says so.
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

    /// Its name, what it says, and what it rules out.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Assumption::Keys => ("keys", "keys and NOT NULL hold", "a key that repeats or is NULL"),
            Assumption::ForeignKeys => {
                ("foreign_keys", "foreign keys refer to rows that exist", "rows that refer to nothing")
            }
            Assumption::NoNulls => ("no_nulls", "no column holds NULL", "NULLs"),
            Assumption::NoEmptyTables => ("no_empty_tables", "no table is empty", "an empty table"),
            Assumption::Typed => {
                ("typed", "values have their column's type", "values that are not of their column's type")
            }
        }
    }

    /// The name in files.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// What it says, as a clause.
    pub fn clause(self) -> &'static str {
        self.words().1
    }

    /// What a query asks for that has no rows by this assumption alone.
    pub fn rules_out(self) -> &'static str {
        self.words().2
    }

    /// True if the semantics makes it.
    pub fn made_by(self, semantics: &Semantics) -> bool {
        match self {
            Assumption::Keys => semantics.keys_hold,
            Assumption::ForeignKeys => semantics.foreign_keys_hold,
            Assumption::NoNulls => semantics.nulls != Nulls::Nullable,
            Assumption::NoEmptyTables => !semantics.empty_tables,
            Assumption::Typed => semantics.typed,
        }
    }

    /// The semantics without it.
    pub fn without(self, semantics: &Semantics) -> Semantics {
        let mut weaker = semantics.clone();
        "custom".clone_into(&mut weaker.name);
        match self {
            Assumption::Keys => weaker.keys_hold = false,
            Assumption::ForeignKeys => weaker.foreign_keys_hold = false,
            Assumption::NoNulls => weaker.nulls = Nulls::Nullable,
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
