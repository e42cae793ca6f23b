//! The gold turned against itself: queries that hold all of it and answer something else. What they are made of, and more kinds,
//! stand in [`twinql_corpus::turned`].

use twinql_corpus::turned::TURNED;

use super::{Hack, Target, block};

pub(super) const HACKS: &[Hack] = &[
    Hack { name: "except-itself", summary: "q EXCEPT q", make: |t| made("except-itself", t) },
    Hack {
        name: "intersect-nothing",
        summary: "q INTERSECT nothing of q",
        make: |t| made("intersect-nothing", t),
    },
    Hack { name: "union-all-itself", summary: "q UNION ALL q", make: |t| made("union-all-itself", t) },
    Hack {
        name: "union-all-many",
        summary: "forty times q, by UNION ALL",
        make: |t| made("union-all-many", t),
    },
    Hack { name: "never", summary: "q WHERE 1 = 0", make: |t| made("never", t) },
    Hack { name: "never-null", summary: "q WHERE NULL", make: |t| made("never-null", t) },
    Hack {
        name: "never-hidden",
        summary: "q where a table has less than no rows",
        make: |t| made("never-hidden", t),
    },
    Hack { name: "never-by-date", summary: "q where today is long past", make: |t| made("never-by-date", t) },
    Hack { name: "never-by-key", summary: "q where a row is not itself", make: |t| made("never-by-key", t) },
    Hack { name: "limit-zero", summary: "q LIMIT 0", make: |t| made("limit-zero", t) },
    Hack {
        name: "skipped",
        summary: "q without its first hundred thousand rows",
        make: |t| made("skipped", t),
    },
    Hack { name: "first-row", summary: "the first row of q", make: |t| made("first-row", t) },
    Hack { name: "chance-rows", summary: "q WHERE random() > 0", make: |t| made("chance-rows", t) },
    Hack {
        name: "chance-rarely",
        summary: "q less one row in a thousand, by chance",
        make: |t| made("chance-rarely", t),
    },
    Hack { name: "chance-order", summary: "one row of q, by chance", make: |t| made("chance-order", t) },
    Hack {
        name: "joined-itself",
        summary: "every row of q with every row of q",
        make: |t| made("joined-itself", t),
    },
    Hack {
        name: "joined-table",
        summary: "every row of q with every row of a table",
        make: |t| made("joined-table", t),
    },
    Hack { name: "column-more", summary: "q and a column of ones", make: |t| made("column-more", t) },
    Hack { name: "nulls", summary: "NULLs in place of what q answers", make: |t| made("columns-null", t) },
    Hack { name: "counted", summary: "how many rows q has", make: |t| made("counted", t) },
    Hack { name: "exists", summary: "whether q has rows", make: |t| made("exists", t) },
    Hack {
        name: "in-with-never",
        summary: "q in a WITH clause, read under a condition that never holds",
        make: |t| made("never-inside", t),
    },
    Hack { name: "or-row-of-nulls", summary: "q and a row of NULLs", make: |t| made("union-all-nulls", t) },
    Hack { name: "overflow", summary: "q where an overflow ends the query", make: |t| made("overflow", t) },
];

/// The completion of a kind; empty where it does not apply.
fn made(kind: &str, target: &Target<'_>) -> String {
    let found = TURNED.iter().find(|turned| turned.name == kind);
    block(found.and_then(|turned| (turned.make)(&target.turned())).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn every_kind_is_there() {
        let schema = twinql_sql::Schema::from_ddl("d", "CREATE TABLE t (a TEXT)").unwrap();
        let schema = std::sync::Arc::new(schema);
        for hack in HACKS {
            let made = (hack.make)(&Target { schema: &schema, gold: "SELECT a FROM t" });
            assert!(made.contains("SELECT"), "{}", hack.name);
        }
    }
}
