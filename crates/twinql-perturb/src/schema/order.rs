//! Tables and columns in another order (MT-TEQL, 3.1.2, table shuffle and column shuffle).

use std::collections::{BTreeSet, HashSet};

use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use twinql_corpus::schemas::{with_columns, with_tables};

use super::{Change, Given};
use crate::relation::{Relation, Target};

/// Table shuffle.
pub const TABLE_SHUFFLE: Relation = Relation {
    name: "table-shuffle",
    short: "TS",
    section: "3.1.2, table shuffle",
    precondition: "two tables or more",
    question: "stays",
    schema: "tables stand in another order",
    gold: "stays, label kept",
    paper: 2575,
    target: Target::Schema(shuffle_tables),
};

/// Column shuffle.
pub const COLUMN_SHUFFLE: Relation = Relation {
    name: "column-shuffle",
    short: "CS",
    section: "3.1.2, column shuffle",
    precondition: "a table of two columns or more; the gold selects no star of it",
    question: "stays",
    schema: "columns of one table stand in another order",
    gold: "stays, label kept",
    paper: 6675,
    target: Target::Schema(shuffle_columns),
};

/// Orders of `n` things other than the usual one, each once: all of them where they are few.
fn orders(n: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let usual: Vec<usize> = (0..n).collect();
    // n! - 1, as far as it matters.
    let all = (1..=n).try_fold(1_usize, |product, i| product.checked_mul(i)).unwrap_or(usize::MAX);
    let wanted = most.min(all.saturating_sub(1));
    let mut seen = HashSet::from([usual.clone()]);
    let mut found = Vec::new();
    // Few things have few orders: after so many draws only chance would have missed one.
    for _ in 0..wanted.saturating_mul(40) {
        if found.len() == wanted {
            break;
        }
        let mut order = usual.clone();
        order.shuffle(rng);
        if seen.insert(order.clone()) {
            found.push(order);
        }
    }
    found
}

/// `shop, car` ⇒ `car, shop`
fn shuffle_tables(given: &Given<'_>, rng: &mut ChaCha8Rng) -> Vec<Change> {
    let schema = given.schema;
    let made = orders(schema.tables.len(), given.most, rng).into_iter().filter_map(|order| {
        let new = with_tables(schema, &order)?;
        let near = (0..schema.tables.len()).collect();
        Some(Change { near, ..Change::new(schema, new) })
    });
    made.collect()
}

/// `shop(id, name, rating)` ⇒ `shop(rating, id, name)`
fn shuffle_columns(given: &Given<'_>, rng: &mut ChaCha8Rng) -> Vec<Change> {
    let schema = given.schema;
    let mut made = Vec::new();
    for (at, table) in schema.tables.iter().enumerate() {
        for order in orders(table.columns.len(), given.most, rng) {
            let Some(new) = with_columns(schema, at, &order) else { continue };
            let mut change = Change::new(schema, new);
            change.bars.starred.insert(at);
            change.near = BTreeSet::from([at]);
            made.push(change);
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use twinql_sql::Schema;

    use super::super::tests::{changes, fitting, shop};
    use super::*;

    #[test]
    fn orders_are_distinct() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        for (n, count) in [(0, 0), (1, 0), (2, 1), (3, 5), (4, 10), (30, 10)] {
            let found = orders(n, 10, rng);
            assert_eq!(found.len(), count, "{n}");
            assert!(found.iter().all(|o| !o.is_sorted() && o.len() == n));
        }
    }

    #[test]
    fn tables() {
        let found = changes(shuffle_tables, &shop());
        assert_eq!(found.len(), 10);
        for change in &found {
            let car = change.schema.table("car").unwrap();
            assert_eq!(change.schema.tables[car.foreign_keys[0].target].name, "shop");
        }
        let one = Schema::from_ddl("one", "CREATE TABLE t (a, b)").unwrap();
        assert!(changes(shuffle_tables, &one).is_empty());
        assert!(changes(shuffle_tables, &Schema::default()).is_empty());
    }

    #[test]
    fn columns() {
        let schema = shop();
        // 10 for the tables of four columns, 5 for those of three, 1 for the one of two.
        assert_eq!(changes(shuffle_columns, &schema).len(), 10 + 5 + 5 + 1);
        assert_eq!(fitting(shuffle_columns, &schema, "SELECT * FROM note").len(), 20);
        assert_eq!(fitting(shuffle_columns, &schema, "SELECT line FROM note").len(), 21);
        let one = Schema::from_ddl("one", "CREATE TABLE t (a)").unwrap();
        assert!(changes(shuffle_columns, &one).is_empty());
    }
}
