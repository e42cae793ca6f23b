//! What "the same answer" means: assumptions about databases, and how answers are compared.

mod nulls;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::schema::{Column, ColumnRef};
pub use nulls::Nulls;

/// Assumptions about databases and the comparison of answers. Carried by suites, labels,
/// proofs and checkpoints, and printed in signatures; never implied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Semantics {
    /// The preset's name, or `custom`.
    pub name: String,
    /// Output columns may stand in any order.
    pub any_column_order: bool,
    /// Rows are compared as a set, duplicates ignored.
    pub rows_as_set: bool,
    /// Rows are compared as a list, up to ties of the sort keys, where the gold's
    /// outermost query has ORDER BY.
    pub respect_order: bool,
    /// DISTINCT is removed from both queries before they run (test-suite-sql-eval's default).
    pub ignore_distinct: bool,
    /// Primary keys and unique columns are unique, primary keys and columns declared
    /// NOT NULL are not null, and rows meet the CHECKs of their table.
    pub keys_hold: bool,
    /// Foreign keys refer to an existing row, except where a referencing column is NULL, which
    /// [`nulls`](Self::nulls) says. A key that is a whole number stays below 2^53, so that a double holds it.
    pub foreign_keys_hold: bool,
    /// Which columns hold NULLs.
    pub nulls: Nulls,
    /// Tables may be empty.
    pub empty_tables: bool,
    /// Values have their column's type. Off (in no preset): text and numbers may stand in
    /// any column.
    pub typed: bool,
    /// Two numbers are equal where they differ by no more than this times the larger one.
    pub float_tolerance: f64,
}

/// The names of the presets, in the order in which they are documented.
pub const PRESETS: [&str; 6] = ["default", "no-fk", "spider", "bird", "declared", "strict"];

impl Default for Semantics {
    /// The `default` preset: any column order, bags (lists under ORDER BY), keys and
    /// foreign keys hold, NULLs where the gold asks for them, no empty tables.
    fn default() -> Self {
        Semantics {
            name: "default".into(),
            any_column_order: true,
            rows_as_set: false,
            respect_order: true,
            ignore_distinct: false,
            keys_hold: true,
            foreign_keys_hold: true,
            nulls: Nulls::Asked,
            empty_tables: false,
            typed: true,
            float_tolerance: 1e-6,
        }
    }
}

impl Semantics {
    /// The preset with this name, if there is one.
    pub fn preset(name: &str) -> Option<Semantics> {
        let base = Semantics { name: name.to_owned(), ..Semantics::default() };
        Some(match name {
            "default" => base,
            "no-fk" => Semantics { foreign_keys_hold: false, ..base },
            "spider" => Semantics { ignore_distinct: true, ..base },
            "bird" => Semantics { any_column_order: false, rows_as_set: true, respect_order: false, ..base },
            "declared" => {
                Semantics { any_column_order: false, nulls: Nulls::Nullable, empty_tables: true, ..base }
            }
            "strict" => Semantics {
                any_column_order: false,
                keys_hold: false,
                foreign_keys_hold: false,
                nulls: Nulls::Nullable,
                empty_tables: true,
                ..base
            },
            _ => return None,
        })
    }
}

impl Semantics {
    /// Whether CHECKs hold: where keys do. What types, enumerations and generated columns say
    /// holds where values have their column's type.
    pub fn checks_hold(&self) -> bool {
        self.keys_hold
    }

    /// Whether a column of a table may hold NULL: one that is declared NOT NULL, or belongs to a primary key, does not
    /// where keys hold.
    pub fn may_be_null(&self, at: ColumnRef, column: &Column) -> bool {
        self.nulls.reach(at) && !(column.not_null && self.keys_hold)
    }

    /// In how many fields two semantics differ, their names left out: how far one is from the other.
    pub fn differences(&self, other: &Semantics) -> usize {
        [
            self.any_column_order != other.any_column_order,
            self.rows_as_set != other.rows_as_set,
            self.respect_order != other.respect_order,
            self.ignore_distinct != other.ignore_distinct,
            self.keys_hold != other.keys_hold,
            self.foreign_keys_hold != other.foreign_keys_hold,
            self.nulls != other.nulls,
            self.empty_tables != other.empty_tables,
            self.typed != other.typed,
            self.float_tolerance != other.float_tolerance,
        ]
        .into_iter()
        .filter(|differs| *differs)
        .count()
    }

    /// The preset that these semantics are, or were made from: a variant is named after it, as in
    /// `spider+distinct`.
    pub fn preset_name(&self) -> &str {
        self.name.split_once('+').map_or(&self.name, |(preset, _)| preset)
    }

    /// Whether answers on a user's files are compared as they were returned, ties and all: so the
    /// evaluators of Spider and BIRD do. A preset says so and no field, since suites and signatures
    /// hold the fields, and nothing but files makes use of it.
    pub fn ties_as_returned(&self) -> bool {
        matches!(self.preset_name(), "spider" | "bird")
    }

    /// Whether a pair's label under these semantics is its label under `other` too, without
    /// looking at the pair. Queries that give the same answer on every database still do where
    /// fewer databases are possible and the comparison is no finer; a database that tells them
    /// apart still does where no database is lost and the comparison is no coarser.
    pub fn label_holds_under(&self, other: &Semantics, same: bool) -> bool {
        let (wide, narrow) = if same { (self, other) } else { (other, self) };
        let comparable =
            wide.ignore_distinct == narrow.ignore_distinct && wide.float_tolerance == narrow.float_tolerance;
        let fewer_databases = (!wide.keys_hold || narrow.keys_hold)
            && (!wide.foreign_keys_hold || narrow.foreign_keys_hold)
            && wide.nulls.cover(&narrow.nulls)
            && (wide.empty_tables || !narrow.empty_tables)
            && (!wide.typed || narrow.typed);
        let coarser = (!wide.any_column_order || narrow.any_column_order)
            && (!wide.rows_as_set || narrow.rows_as_set)
            && (wide.respect_order || !narrow.respect_order);
        comparable && fewer_databases && coarser
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A name that no preset has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown semantics {name:?}; the presets are {}", PRESETS.join(", "))]
pub struct UnknownSemantics {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Semantics {
    type Err = UnknownSemantics;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Semantics::preset(name).ok_or_else(|| UnknownSemantics { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_semantics_differs_least() {
        let preset = |name| Semantics::preset(name).unwrap();
        let declared = preset("declared");
        let nearest = ["no-fk", "default", "bird", "spider", "strict"]
            .into_iter()
            .min_by_key(|name| preset(name).differences(&declared));
        assert_eq!((nearest, declared.differences(&declared)), (Some("strict"), 0));
    }

    #[test]
    fn labels_that_hold_under_other_semantics() {
        for (from, to, same, different) in [
            ("no-fk", "default", true, false),
            ("default", "no-fk", false, true),
            ("no-fk", "strict", false, true),
            ("strict", "default", true, false),
            ("default", "bird", false, false),
            ("strict", "bird", true, false),
            ("no-fk", "spider", false, false),
            ("declared", "default", true, false),
            ("no-fk", "declared", false, false),
            ("default", "default", true, true),
        ] {
            let preset = |name| Semantics::preset(name).unwrap();
            let holds = |same| preset(from).label_holds_under(&preset(to), same);
            assert_eq!((holds(true), holds(false)), (same, different), "{from} {to}");
        }
    }
}
