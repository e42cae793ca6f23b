//! Plausible databases: rows as people have them, around what the gold query asks for.
//!
//! The databases of [`generate`](crate::generate) are made to tell two queries apart by whatever the assumptions
//! leave open: two powers of one name, a tie for the maximum, a table without rows. Execution on a real database
//! seldom meets these. The databases made here keep the *regularities* of real data, each with a probability
//! ([`REGULARITIES`]), so that the share of them on which two queries agree estimates the chance that execution
//! on a real database would call the prediction right.
//!
//! The gold guides: rows are planted for its constants along its joins, so that it answers. What the prediction
//! tests besides holds of the gold's rows in some databases only, or its mistakes would come true.

mod asked;
mod by_column;
pub(crate) mod content;
mod dealing;
mod draft;
mod expected;
pub(crate) mod form;
mod implied;
mod lookup;
mod measure;
mod oddity;
mod plant;
mod portrait;
mod profile;
mod regularity;
mod supply;
pub(crate) mod words;

use std::sync::Arc;

use twinql_sql::{Schema, Semantics};

use crate::constraints::Constraints;
use crate::database::{Database, parents_first};
use crate::dice::Dice;
use crate::facts::Facts;
use crate::profile::Bound;
use draft::Draft;
pub use expected::{Expected, ExpectedConfig};
pub use measure::{Counts, measure};
pub(crate) use oddity::oddities;
pub use oddity::{CHECKS, Check};
use portrait::Portraits;
use regularity::Mood;
pub use regularity::{Count, Kept, REGULARITIES, Regularity, UnknownRegularity};

/// Whether a regularity holds in plausible database number `index`, where `kept` hold in all.
pub(crate) fn keeps(seed: u64, index: u64, kept: Kept, regularity: Regularity) -> bool {
    Mood::draw(seed, index, kept).has(regularity)
}

/// Makes the plausible databases of one pair of queries.
#[derive(Debug)]
pub struct Plausible<'a> {
    schema: &'a Schema,
    gold: &'a Facts,
    pred: &'a Facts,
    seed: u64,
    /// The tables that a query reads, parents first.
    tables: Vec<usize>,
    portraits: Portraits,
    constraints: Constraints,
    /// Regularities that hold in all databases.
    kept: Kept,
    /// Each regularity that holds more often than not holds in all databases.
    tidy: bool,
}

impl<'a> Plausible<'a> {
    /// For a pair with these facts. `more` are tables that a query reads without the facts knowing.
    pub fn new(
        schema: &'a Schema,
        gold: &'a Facts,
        pred: &'a Facts,
        more: &[usize],
        seed: u64,
    ) -> Plausible<'a> {
        Plausible::following(schema, gold, pred, more, seed, None)
    }

    /// As [`Plausible::new`], like the database that a profile describes.
    pub fn following(
        schema: &'a Schema,
        gold: &'a Facts,
        pred: &'a Facts,
        more: &[usize],
        seed: u64,
        profile: Option<Arc<Bound>>,
    ) -> Plausible<'a> {
        let mut read: Vec<usize> = gold.tables().into_iter().chain(pred.tables()).collect();
        read.extend(more.iter().filter(|&&t| t < schema.tables.len()));
        read.sort_unstable();
        read.dedup();
        let mut portraits = Portraits::of(schema, gold, pred, &read);
        if let Some(profile) = profile {
            portraits.follow(schema, profile);
        }
        let targets = |t| portraits.references(t).iter().map(|r| r.target).collect();
        let tables = parents_first(&read, targets);
        // Keys hold on real databases, and with them CHECKs.
        let constraints = Constraints::of(schema, &Semantics::default(), &tables, |_| true);
        Plausible {
            schema,
            gold,
            pred,
            seed,
            tables,
            portraits,
            constraints,
            kept: Kept::default(),
            tidy: false,
        }
    }

    /// In all databases each regularity holds that holds more often than not: for suites, which refute by any one of
    /// their databases.
    #[must_use]
    pub fn tidy(self) -> Plausible<'a> {
        Plausible { tidy: true, ..self }
    }

    /// In all databases these regularities hold.
    #[must_use]
    pub fn keeping(self, kept: Kept) -> Plausible<'a> {
        Plausible { kept, ..self }
    }

    /// The tables that are filled.
    pub fn tables(&self) -> &[usize] {
        &self.tables
    }

    /// Database number `index`. `plenty` makes larger tables, for a gold that asks for many rows.
    pub fn database(&self, index: u64, plenty: bool) -> Database {
        let mut dice = Dice::new(self.seed, index);
        // The first five of each group take more rows than the first.
        let plenty = plenty || self.gold.ranks.iter().any(|n| (3..=12).contains(n));
        let mood = if self.tidy { Mood::tidy() } else { Mood::draw(self.seed, index, self.kept) };
        let mut draft = Draft::new(
            self.schema,
            &self.tables,
            &self.portraits,
            self.constraints.open(),
            mood,
            plenty,
            &mut dice,
        );
        let looked_up = lookup::look_up(self.gold, self.pred, &mut draft, &mut dice);
        draft.settle(0.5, self.gold, self.pred, &mut dice);
        let mut planted = plant::plant(self.gold, self.pred, &looked_up, &mut draft, &mut dice);
        draft.settle(1.0, self.gold, self.pred, &mut dice);
        plant::leave_alone(self.gold, &mut draft, &mut planted, &mut dice);
        plant::align(self.gold, self.pred, &planted, &mut draft, &mut dice);
        draft.finish(&mut dice)
    }
}

#[cfg(test)]
mod tests {
    use twinql_sql::Nulls;

    use super::*;

    const SHOP: &str = "CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, country TEXT REFERENCES country (code),
            boss INTEGER REFERENCES person (id), salary INTEGER CHECK (salary > 100), bonus AS (salary / 10));
        CREATE TABLE product (id INTEGER PRIMARY KEY, title TEXT, price REAL, kind TEXT CHECK (kind IN ('a', 'b')));
        CREATE TABLE sale (person_id INTEGER REFERENCES person (id), product_id INTEGER REFERENCES product (id),
            day DATE, PRIMARY KEY (person_id, product_id, day));";

    const QUERIES: [&str; 5] = [
        "SELECT p.name FROM person p JOIN country c ON p.country = c.code WHERE c.name = 'France' AND p.salary > 3000",
        "SELECT title FROM product WHERE kind = 'a' ORDER BY price DESC LIMIT 3",
        "SELECT COUNT(*) FROM sale s JOIN product p ON s.product_id = p.id WHERE s.day LIKE '2021-05%'",
        "SELECT b.name FROM person p JOIN person b ON p.boss = b.id GROUP BY b.id HAVING COUNT(*) > 2",
        "SELECT name FROM person WHERE id NOT IN (SELECT person_id FROM sale) AND country IS NULL",
    ];

    #[test]
    fn keys_references_types_and_checks_hold() {
        let schema = Schema::from_ddl("shop", SHOP).unwrap();
        let kept = Semantics { nulls: Nulls::Nullable, empty_tables: true, ..Semantics::default() };
        let facts: Vec<Facts> =
            QUERIES.iter().map(|q| Facts::of(&schema, &twinql_sql::parse(q).unwrap().query)).collect();
        for gold in &facts {
            for pred in &facts {
                let plausible = Plausible::new(&schema, gold, pred, &[0, 1, 2, 3], 5);
                for index in 0..12 {
                    let database = plausible.database(index, index % 4 == 3);
                    assert_eq!(database.check(&schema, &kept), Ok(()), "{}", database.to_sql(&schema));
                    assert!(database.len() > 10);
                    assert_eq!(database, plausible.database(index, index % 4 == 3));
                }
            }
        }
    }

    #[test]
    fn what_is_kept_holds_in_all_databases_and_the_rest_is_drawn_as_before() {
        let kept: Kept = "unique-names, clear-extremes".parse().unwrap();
        assert_eq!(kept.to_string(), "unique-names,clear-extremes");
        assert_eq!("".parse(), Ok(Kept::default()));
        assert!("unique".parse::<Kept>().unwrap_err().to_string().contains("unique-names, unique-entries"));
        for index in 0..40 {
            let [drawn, keeping] = [Kept::default(), kept].map(|kept| Mood::draw(8, index, kept));
            for entry in REGULARITIES {
                let held = drawn.has(entry.regularity) || kept.has(entry.regularity);
                assert_eq!(keeping.has(entry.regularity), held, "{} in {index}", entry.name);
            }
        }
    }

    #[test]
    fn each_regularity_stands_once_in_the_registry() {
        for (i, entry) in REGULARITIES.iter().enumerate() {
            assert!(entry.probability > 0.0 && entry.probability < 1.0 && !entry.summary.is_empty());
            assert_eq!(entry.regularity as usize, i);
            let other = |e: &regularity::Entry| e.name == entry.name || e.regularity == entry.regularity;
            assert_eq!(REGULARITIES.iter().position(other), Some(i));
        }
    }
}
