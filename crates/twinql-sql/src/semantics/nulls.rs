//! Which columns of tables hold NULLs.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::schema::ColumnRef;

/// Which columns of tables hold NULLs. Declarations and keys take away from it: see
/// [`Semantics::may_be_null`](super::Semantics::may_be_null).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nulls {
    /// None.
    Nowhere,
    /// Those that the gold asks for. Where no gold is known, none:
    /// [`Semantics::for_gold`](super::Semantics::for_gold) settles it.
    Asked,
    /// These alone, which is what a gold asks for.
    In(BTreeSet<ColumnRef>),
    /// All that are nullable, those that refer to another table among them.
    Nullable,
}

impl Nulls {
    /// Whether a column that is nullable may hold NULL.
    pub fn reach(&self, at: ColumnRef) -> bool {
        match self {
            Nulls::Nowhere | Nulls::Asked => false,
            Nulls::In(columns) => columns.contains(&at),
            Nulls::Nullable => true,
        }
    }

    /// The columns that the gold asks for; none where that is not what counts.
    pub fn asked(&self) -> impl Iterator<Item = ColumnRef> {
        let columns = match self {
            Nulls::In(columns) => Some(columns),
            Nulls::Nowhere | Nulls::Asked | Nulls::Nullable => None,
        };
        columns.into_iter().flatten().copied()
    }

    /// Whether a database with NULLs where `fewer` has them is one of these too, of any pair.
    pub(super) fn cover(&self, fewer: &Nulls) -> bool {
        match (self, fewer) {
            (_, Nulls::Nowhere) | (Nulls::Nullable, _) | (Nulls::Asked, Nulls::Asked) => true,
            (Nulls::In(more), Nulls::In(fewer)) => fewer.is_subset(more),
            (Nulls::Nowhere | Nulls::Asked | Nulls::In(_), _) => false,
        }
    }
}

/// In files: false, `"asked"`, the columns, or true. Files from before there was anything in between hold
/// false or true.
impl Serialize for Nulls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Nulls::Nowhere => serializer.serialize_bool(false),
            Nulls::Asked => serializer.serialize_str("asked"),
            Nulls::In(columns) => columns.serialize(serializer),
            Nulls::Nullable => serializer.serialize_bool(true),
        }
    }
}

impl<'de> Deserialize<'de> for Nulls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Nulls, D::Error> {
        struct Written;
        impl<'de> Visitor<'de> for Written {
            type Value = Nulls;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, \"asked\" or a list of columns")
            }

            fn visit_bool<E: Error>(self, nullable: bool) -> Result<Nulls, E> {
                Ok(if nullable { Nulls::Nullable } else { Nulls::Nowhere })
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Nulls, E> {
                match text {
                    "asked" => Ok(Nulls::Asked),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Nulls, A::Error> {
                let mut columns = BTreeSet::new();
                while let Some(column) = seq.next_element()? {
                    columns.insert(column);
                }
                Ok(Nulls::In(columns))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_old_and_new_are_read() {
        let column = ColumnRef { table: 1, column: 2 };
        for (text, nulls) in [
            ("false", Nulls::Nowhere),
            ("true", Nulls::Nullable),
            ("\"asked\"", Nulls::Asked),
            (r#"[{"table":1,"column":2}]"#, Nulls::In(BTreeSet::from([column]))),
        ] {
            assert_eq!(serde_json::from_str::<Nulls>(text).unwrap(), nulls);
            assert_eq!(serde_json::to_string(&nulls).unwrap(), text);
        }
        assert!(serde_json::from_str::<Nulls>("\"always\"").is_err());
    }
}
