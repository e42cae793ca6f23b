//! Constants of a column's type.
//!
//! There is no data to take them from. The suite plants the constants of both queries in its databases, so
//! that any that fits the type will do.

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use twinql_sql::{Column, TypeClass};

use super::Sampler;

/// Words that no domain owns.
const WORDS: &[&str] = &[
    "Rome", "Oslo", "Lima", "north", "south", "red", "blue", "green", "oak", "Ada", "Karl", "Mina", "new",
    "old", "open", "closed", "A", "B", "C", "standard", "special", "fast", "ice", "stone", "river",
];
/// Pieces of words, for LIKE.
const PIECES: &[&str] = &["a", "an", "er", "st", "o", "ing", "re"];

impl Sampler<'_> {
    /// A constant that a value of the column may be equal to.
    pub(super) fn literal(&mut self, column: &Column) -> String {
        let name = column.name.to_ascii_lowercase();
        match column.class {
            TypeClass::Integer if name.contains("year") => self.rng.random_range(1980..2024).to_string(),
            TypeClass::Integer => self.whole().to_string(),
            TypeClass::Number => {
                let whole = self.whole();
                match self.chance(0.5) {
                    true => whole.to_string(),
                    false => format!("{whole}.{}", *[5, 25, 75].choose(&mut self.rng).unwrap_or(&5)),
                }
            }
            TypeClass::Boolean => self.rng.random_range(0..=1).to_string(),
            TypeClass::Time => {
                let [year, month, day] = [(2008, 2024), (1, 13), (1, 29)].map(|(from, to)| {
                    // Half-open, as ranges are.
                    self.rng.random_range(from..to)
                });
                format!("'{year}-{month:02}-{day:02}'")
            }
            TypeClass::Text | TypeClass::Other => {
                format!("'{}'", WORDS.choose(&mut self.rng).unwrap_or(&"A"))
            }
        }
    }

    /// Small numbers mostly.
    fn whole(&mut self) -> i64 {
        match self.rng.random_range(0..4) {
            0 => self.rng.random_range(1..5),
            1 | 2 => self.rng.random_range(1..60),
            _ => 10 * self.rng.random_range(5..100),
        }
    }

    /// A pattern of LIKE.
    pub(super) fn pattern(&mut self) -> String {
        let piece = *PIECES.choose(&mut self.rng).unwrap_or(&"a");
        match self.rng.random_range(0..3) {
            0 => format!("'{piece}%'"),
            1 => format!("'%{piece}'"),
            _ => format!("'%{piece}%'"),
        }
    }
}
