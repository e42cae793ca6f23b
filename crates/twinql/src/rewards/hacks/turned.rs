//! The gold turned against itself: queries that hold all of it and answer something else. What they are made of, and more kinds,
//! stand in [`twinql_corpus::turned`].

use super::{Hack, turned};

pub(super) const HACKS: &[Hack] = &[
    turned("except-itself", "q EXCEPT q", "except-itself"),
    turned("intersect-nothing", "q INTERSECT nothing of q", "intersect-nothing"),
    turned("union-all-itself", "q UNION ALL q", "union-all-itself"),
    turned("union-all-many", "forty times q, by UNION ALL", "union-all-many"),
    turned("never", "q WHERE 1 = 0", "never"),
    turned("never-null", "q WHERE NULL", "never-null"),
    turned("never-hidden", "q where a table has less than no rows", "never-hidden"),
    turned("never-by-date", "q where today is long past", "never-by-date"),
    turned("never-by-key", "q where a row is not itself", "never-by-key"),
    turned("limit-zero", "q LIMIT 0", "limit-zero"),
    turned("skipped", "q without its first hundred thousand rows", "skipped"),
    turned("first-row", "the first row of q", "first-row"),
    turned("chance-rows", "q WHERE random() > 0", "chance-rows"),
    turned("chance-rarely", "q less one row in a thousand, by chance", "chance-rarely"),
    turned("chance-order", "one row of q, by chance", "chance-order"),
    turned("joined-itself", "every row of q with every row of q", "joined-itself"),
    turned("joined-table", "every row of q with every row of a table", "joined-table"),
    turned("column-more", "q and a column of ones", "column-more"),
    turned("nulls", "NULLs in place of what q answers", "columns-null"),
    turned("counted", "how many rows q has", "counted"),
    turned("exists", "whether q has rows", "exists"),
    turned("in-with-never", "q in a WITH clause, read under a condition that never holds", "never-inside"),
    turned("or-row-of-nulls", "q and a row of NULLs", "union-all-nulls"),
    turned("overflow", "q where an overflow ends the query", "overflow"),
];

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::*;

    #[test]
    fn every_kind_is_there() {
        let schema = twinql_sql::Schema::from_ddl("d", "CREATE TABLE t (a TEXT)").unwrap();
        let schema = std::sync::Arc::new(schema);
        for hack in HACKS {
            let made = hack.make(&Target { schema: &schema, gold: "SELECT a FROM t" });
            assert!(made.contains("SELECT"), "{}", hack.name);
        }
    }
}
