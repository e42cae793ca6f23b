//! Pairs of queries that show what a rule does.
//!
//! They stand in the rule's entry, so that one reads SQL before and after beside the code. The
//! tests of this crate hold that the rule makes each pair alike that it says it does, and only
//! it; those of `twinql-suite` execute all of them. `docs/rules/` is written from them.

use crate::schema::{Schema, SchemaError};
use crate::semantics::{Nulls, Semantics};

/// The schema of all examples. `code` is a text column that refers to a number, as real schemas
/// have them.
pub const SHOP: &str = "\
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER, score REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id), total REAL,
  day TEXT, code TEXT REFERENCES customer(id));
CREATE TABLE line (order_id INTEGER REFERENCES orders(id), product TEXT, amount INTEGER,
  PRIMARY KEY (order_id, product));
CREATE TABLE place (id INTEGER PRIMARY KEY, code TEXT NOT NULL, name TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, place TEXT REFERENCES place(code), day TEXT);
CREATE TABLE shift (id INTEGER PRIMARY KEY, day DATE, begins DATETIME, paid BOOLEAN);
";

/// Two queries over [`SHOP`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The semantics under which it is shown: a preset, or `nulls`.
    pub under: &'static str,
    /// One query, and another way to write it or what is taken for one.
    pub queries: [&'static str; 2],
    /// The two have one canonical form. Otherwise they are a near miss: there is a database on
    /// which their answers differ.
    pub alike: bool,
    /// Of a near miss that no database of the judge tells apart: why that is so.
    pub untold: Option<&'static str>,
}

impl Example {
    /// [`SHOP`], read.
    ///
    /// # Errors
    /// None, as long as [`SHOP`] is a schema.
    pub fn schema() -> Result<Schema, SchemaError> {
        Schema::from_ddl("shop", SHOP)
    }

    /// The semantics that [`under`](Self::under) names. `nulls` assumes keys alone: it is `no-fk`
    /// with NULLs and empty tables.
    pub fn semantics(&self) -> Option<Semantics> {
        match self.under {
            "nulls" => Some(Semantics {
                name: "nulls".into(),
                nulls: Nulls::Nullable,
                empty_tables: true,
                foreign_keys_hold: false,
                ..Semantics::default()
            }),
            preset => Semantics::preset(preset),
        }
    }
}

/// Examples as a table: `"semantics": "…" == "…";` for two that the rule makes alike, `!=` for
/// two that it must not, with `as "…"` behind it where no judge tells them apart.
macro_rules! examples {
    ($($under:literal: $one:literal $op:tt $two:literal $(as $why:literal)?;)*) => {
        &[$($crate::normalize::example::Example {
            under: $under,
            queries: [$one, $two],
            alike: $crate::normalize::example::examples!(@alike $op),
            untold: $crate::normalize::example::examples!(@untold $($why)?),
        }),*]
    };
    (@alike ==) => { true };
    (@alike !=) => { false };
    (@untold) => { None };
    (@untold $why:literal) => { Some($why) };
}
pub(crate) use examples;
