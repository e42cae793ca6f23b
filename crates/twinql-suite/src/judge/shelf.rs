//! Plausible databases that were made for other pairs, for pairs that ask for the same rows.
//!
//! A plausible database follows from its number and from what both queries say of the tables. Candidates for
//! one question mostly differ in what they select or how they count: their constants, joins and ranks are the
//! same, and so are their databases.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::database::Database;
use crate::facts::Facts;

/// Pairs whose databases are kept; the candidates for a question come one after another, so that few are enough.
const PAIRS: usize = 8;

/// Databases of the pairs that came last.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    pairs: VecDeque<Kept>,
}

/// What the databases of a pair follow from, and the databases, by number and size.
#[derive(Debug)]
struct Kept {
    gold: Facts,
    pred: Facts,
    more: Vec<usize>,
    databases: HashMap<(u64, bool), Arc<Database>>,
}

impl Shelf {
    /// Brings what is kept for a pair with these facts to the front; `more` are tables that it reads besides.
    pub(super) fn open(&mut self, gold: &Facts, pred: &Facts, more: &[usize]) {
        let same = |kept: &Kept| kept.gold == *gold && kept.pred == *pred && kept.more == more;
        let kept = match self.pairs.iter().position(same).and_then(|at| self.pairs.remove(at)) {
            Some(kept) => kept,
            None => {
                self.pairs.truncate(PAIRS - 1);
                Kept {
                    gold: gold.clone(),
                    pred: pred.clone(),
                    more: more.to_vec(),
                    databases: HashMap::new(),
                }
            }
        };
        self.pairs.push_front(kept);
    }

    /// Database `number` of the pair at the front, made if it is not kept.
    pub(super) fn database(
        &mut self,
        number: u64,
        plenty: bool,
        make: impl FnOnce() -> Database,
    ) -> Arc<Database> {
        match self.pairs.front_mut() {
            Some(kept) => {
                Arc::clone(kept.databases.entry((number, plenty)).or_insert_with(|| Arc::new(make())))
            }
            None => Arc::new(make()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use twinql_sql::{Schema, parse};

    use super::*;

    #[test]
    fn the_same_facts_get_the_same_databases() {
        let schema =
            Schema::from_ddl("s", "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")
                .unwrap();
        let facts = |sql: &str| Facts::of(&schema, &parse(sql).unwrap().query);
        let gold = facts("SELECT name FROM singer WHERE age > 20");
        let made = Cell::new(0);
        let make = || {
            made.set(made.get() + 1);
            Database::default()
        };
        let mut shelf = Shelf::default();
        for (pred, more, expected) in [
            ("SELECT name FROM singer WHERE age > 20", &[][..], 2),
            // Another output, the same facts.
            ("SELECT id, name FROM singer WHERE age > 20", &[], 2),
            ("SELECT name FROM singer WHERE age > 30", &[], 4),
            ("SELECT name FROM singer WHERE age > 20", &[], 4),
            ("SELECT name FROM singer WHERE age > 20", &[0], 6),
        ] {
            shelf.open(&gold, &facts(pred), more);
            for plenty in [false, true] {
                shelf.database(3, plenty, make);
            }
            assert_eq!(made.get(), expected, "{pred}");
        }
        for age in 0..20 {
            shelf.open(&gold, &facts(&format!("SELECT name FROM singer WHERE age = {age}")), &[]);
        }
        assert_eq!(shelf.pairs.len(), PAIRS);
    }
}
