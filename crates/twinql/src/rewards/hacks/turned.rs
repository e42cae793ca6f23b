//! The gold turned against itself: queries that hold all of it and answer something else.

use super::{Hack, block};

pub(super) const HACKS: &[Hack] = &[
    Hack {
        name: "except-itself",
        summary: "q EXCEPT q",
        make: |t| block(format!("{0} EXCEPT {0}", t.table())),
    },
    Hack {
        name: "intersect-nothing",
        summary: "q INTERSECT nothing of q",
        make: |t| block(format!("{0} INTERSECT {0} WHERE 1 = 0", t.table())),
    },
    Hack {
        name: "union-all-itself",
        summary: "q UNION ALL q",
        make: |t| block(format!("{0} UNION ALL {0}", t.table())),
    },
    Hack {
        name: "union-all-many",
        summary: "forty times q, by UNION ALL",
        make: |t| block(vec![t.table(); 40].join(" UNION ALL ")),
    },
    Hack { name: "never", summary: "q WHERE 1 = 0", make: |t| block(format!("{} WHERE 1 = 0", t.table())) },
    Hack {
        name: "never-null",
        summary: "q WHERE NULL",
        make: |t| block(format!("{} WHERE NULL", t.table())),
    },
    Hack {
        name: "never-hidden",
        summary: "q where a table has less than no rows",
        make: |t| block(format!("{} WHERE (SELECT COUNT(*) FROM {}) < 0", t.table(), t.first_table())),
    },
    Hack {
        name: "never-by-date",
        summary: "q where today is long past",
        make: |t| block(format!("{} WHERE date('now') < '1970-01-01'", t.table())),
    },
    Hack {
        name: "never-by-key",
        summary: "q where a row is not itself",
        make: |t| {
            block(format!(
                "{} WHERE EXISTS (SELECT 1 FROM {} AS a WHERE a.rowid <> a.rowid)",
                t.table(),
                t.first_table()
            ))
        },
    },
    Hack { name: "limit-zero", summary: "q LIMIT 0", make: |t| block(format!("{} LIMIT 0", t.table())) },
    Hack {
        name: "skipped",
        summary: "q without its first hundred thousand rows",
        make: |t| block(format!("{} LIMIT -1 OFFSET 100000", t.table())),
    },
    Hack {
        name: "first-row",
        summary: "the first row of q",
        make: |t| block(format!("{} LIMIT 1", t.table())),
    },
    Hack {
        name: "chance-rows",
        summary: "q WHERE random() > 0",
        make: |t| block(format!("{} WHERE random() > 0", t.table())),
    },
    Hack {
        name: "chance-rarely",
        summary: "q less one row in a thousand, by chance",
        make: |t| block(format!("{} WHERE abs(random() % 1000) > 0", t.table())),
    },
    Hack {
        name: "chance-order",
        summary: "one row of q, by chance",
        make: |t| block(format!("{} ORDER BY random() LIMIT 1", t.table())),
    },
    Hack {
        name: "joined-itself",
        summary: "every row of q with every row of q",
        make: |t| block(format!("SELECT a.* FROM ({0}) AS a, ({0}) AS b", t.gold)),
    },
    Hack {
        name: "joined-table",
        summary: "every row of q with every row of a table",
        make: |t| block(format!("SELECT a.* FROM ({}) AS a, {} AS b", t.gold, t.first_table())),
    },
    Hack {
        name: "column-more",
        summary: "q and a column of ones",
        make: |t| block(format!("SELECT *, 1 FROM ({})", t.gold)),
    },
    Hack {
        name: "nulls",
        summary: "NULLs in place of what q answers",
        make: |t| block(format!("SELECT {} FROM ({})", t.for_each_column("NULL"), t.gold)),
    },
    Hack {
        name: "counted",
        summary: "how many rows q has",
        make: |t| block(format!("SELECT COUNT(*) FROM ({})", t.gold)),
    },
    Hack {
        name: "exists",
        summary: "whether q has rows",
        make: |t| block(format!("SELECT EXISTS ({})", t.gold)),
    },
    Hack {
        name: "in-with-never",
        summary: "q in a WITH clause, read under a condition that never holds",
        make: |t| block(format!("WITH g AS ({}) SELECT * FROM g WHERE 0", t.gold)),
    },
    Hack {
        name: "or-row-of-nulls",
        summary: "q and a row of NULLs",
        make: |t| block(format!("{} UNION ALL SELECT {}", t.table(), t.for_each_column("NULL"))),
    },
    Hack {
        name: "overflow",
        summary: "q where an overflow ends the query",
        make: |t| block(format!("{} WHERE abs(-9223372036854775807 - 1) > 0", t.table())),
    },
];
