//! A query turned against itself: queries that hold all of a gold's text and mostly answer something else.
//!
//! A policy that is rewarded by a metric finds what the metric is blind for, and a network that reads the gold's every part
//! in a prediction is tempted to call the two the same. Each kind is one unit; what its queries are labelled the suite says,
//! since some answer what the gold does (`q UNION q` where the gold has no duplicates).

use twinql_sql::{Schema, parse, plan};

/// A gold and its schema.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The schema of the gold.
    pub schema: &'a Schema,
    /// The gold, one statement without `;`.
    pub gold: &'a str,
}

impl Target<'_> {
    /// The gold as a table.
    pub fn table(&self) -> String {
        format!("SELECT * FROM ({})", self.gold)
    }

    /// The name of the schema's first table, quoted.
    pub fn first_table(&self) -> String {
        quoted(self.schema.tables.first().map_or("t", |table| table.name.as_str()))
    }

    /// A WITH clause that calls the gold g and its columns c1, c2 and so on: what they are called in the gold differs between
    /// databases where they are computed.
    fn named(&self) -> String {
        format!("WITH g({}) AS ({})", self.columns().join(", "), self.gold)
    }

    /// The gold with this in place of its first column c1.
    fn with_first_column(&self, value: &str) -> String {
        let others: String = self.columns().iter().skip(1).map(|column| format!(", {column}")).collect();
        format!("{} SELECT {value}{others} FROM g", self.named())
    }

    /// One row with this aggregate of each of the gold's columns.
    fn aggregated(&self, function: &str) -> String {
        let values: Vec<String> =
            self.columns().iter().map(|column| format!("{function}({column})")).collect();
        format!("{} SELECT {} FROM g", self.named(), values.join(", "))
    }

    fn columns(&self) -> Vec<String> {
        (1..=self.width()).map(|place| format!("c{place}")).collect()
    }

    /// How many columns the gold answers, at least 1.
    pub fn width(&self) -> usize {
        let planned = parse(self.gold).and_then(|parsed| plan(self.schema, &parsed));
        planned.map_or(1, |plan| plan.query.output.len().max(1))
    }

    /// This for each column of the gold, separated by commas.
    pub fn for_each_column(&self, value: &str) -> String {
        vec![value; self.width()].join(", ")
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A kind.
#[derive(Clone, Copy)]
pub struct Turned {
    /// Its name, as it stands in the `source` of pairs.
    pub name: &'static str,
    /// What it is, in a line: q is the gold.
    pub summary: &'static str,
    /// Makes one of a gold; none where it does not apply.
    pub make: fn(&Target<'_>) -> Option<String>,
}

impl std::fmt::Debug for Turned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Kinds, each of a name, a line and an expression of the target.
macro_rules! turned {
    ($($name:literal, $summary:literal, |$t:ident| $make:expr;)*) => {
        &[$(Turned { name: $name, summary: $summary, make: |$t| Some($make) },)*]
    };
}

/// One kind in so many is in no corpus that networks are trained on.
const KEPT_APART: usize = 5;

/// The kinds that corpora are made of, and those that are kept apart to show what a network makes of kinds that it has never
/// met: every fifth, whatever it is.
pub fn parts() -> (Vec<&'static Turned>, Vec<&'static Turned>) {
    let (kept, learned): (Vec<_>, Vec<_>) =
        TURNED.iter().enumerate().partition(|(place, _)| place % KEPT_APART == KEPT_APART - 1);
    let kinds =
        |numbered: Vec<(usize, &'static Turned)>| numbered.into_iter().map(|(_, kind)| kind).collect();
    (kinds(learned), kinds(kept))
}

/// Every kind.
pub static TURNED: &[Turned] = turned! {
    // Set operations with itself.
    "except-itself", "q EXCEPT q", |t| format!("{0} EXCEPT {0}", t.table());
    "intersect-nothing", "q INTERSECT nothing of q", |t| format!("{0} INTERSECT {0} WHERE 1 = 0", t.table());
    "union-itself", "q UNION q", |t| format!("{0} UNION {0}", t.table());
    "intersect-itself", "q INTERSECT q", |t| format!("{0} INTERSECT {0}", t.table());
    "union-all-itself", "q UNION ALL q", |t| format!("{0} UNION ALL {0}", t.table());
    "union-all-thrice", "q UNION ALL q UNION ALL q", |t| vec![t.table(); 3].join(" UNION ALL ");
    "union-all-many", "forty times q, by UNION ALL", |t| vec![t.table(); 40].join(" UNION ALL ");
    "except-first", "q EXCEPT its first row", |t| format!("{0} EXCEPT SELECT * FROM ({0} LIMIT 1)", t.table());
    "union-all-first", "q and its first row once more", |t| {
        format!("{0} UNION ALL SELECT * FROM ({0} LIMIT 1)", t.table())
    };
    "union-all-nulls", "q and a row of NULLs", |t| {
        format!("{} UNION ALL SELECT {}", t.table(), t.for_each_column("NULL"))
    };
    "union-all-ones", "q and a row of ones", |t| {
        format!("{} UNION ALL SELECT {}", t.table(), t.for_each_column("1"))
    };
    // Conditions that never hold, or only now and then.
    "never", "q WHERE 1 = 0", |t| format!("{} WHERE 1 = 0", t.table());
    "never-null", "q WHERE NULL", |t| format!("{} WHERE NULL", t.table());
    "never-hidden", "q where a table has less than no rows", |t| {
        format!("{} WHERE (SELECT COUNT(*) FROM {}) < 0", t.table(), t.first_table())
    };
    "never-by-date", "q where today is long past", |t| format!("{} WHERE date('now') < '1970-01-01'", t.table());
    "never-by-key", "q where a row is not itself", |t| {
        let table = t.first_table();
        format!("{} WHERE EXISTS (SELECT 1 FROM {table} AS a WHERE a.rowid <> a.rowid)", t.table())
    };
    "never-by-text", "q where a text is another", |t| format!("{} WHERE 'yes' = 'no'", t.table());
    "never-inside", "q in a WITH clause, read under a condition that never holds", |t| {
        format!("WITH g AS ({}) SELECT * FROM g WHERE 0", t.gold)
    };
    "where-any-row", "q where a table has rows", |t| {
        format!("{} WHERE EXISTS (SELECT 1 FROM {})", t.table(), t.first_table())
    };
    "where-no-row", "q where a table has no rows", |t| {
        format!("{} WHERE NOT EXISTS (SELECT 1 FROM {})", t.table(), t.first_table())
    };
    "where-column-null", "q where its first column is NULL", |t| {
        format!("{} SELECT * FROM g WHERE c1 IS NULL", t.named())
    };
    "where-column-not-null", "q where its first column is not NULL", |t| {
        format!("{} SELECT * FROM g WHERE c1 IS NOT NULL", t.named())
    };
    "where-column-another", "q where its first column differs from itself", |t| {
        format!("{} SELECT * FROM g WHERE c1 <> c1", t.named())
    };
    "where-column-is-text", "q where its first column is a text that nobody wrote", |t| {
        format!("{} SELECT * FROM g WHERE c1 = 'zzzz'", t.named())
    };
    "where-column-long", "q where its first column is long", |t| {
        format!("{} SELECT * FROM g WHERE length(c1) > 3", t.named())
    };
    "where-not-first", "q without the values of its first row", |t| {
        format!("{} SELECT * FROM g WHERE c1 NOT IN (SELECT c1 FROM g LIMIT 1)", t.named())
    };
    // Chance.
    "chance-rows", "q WHERE random() > 0", |t| format!("{} WHERE random() > 0", t.table());
    "chance-rarely", "q less one row in a thousand, by chance", |t| {
        format!("{} WHERE abs(random() % 1000) > 0", t.table())
    };
    "chance-order", "one row of q, by chance", |t| format!("{} ORDER BY random() LIMIT 1", t.table());
    // LIMIT and OFFSET.
    "limit-zero", "q LIMIT 0", |t| format!("{} LIMIT 0", t.table());
    "skipped", "q without its first hundred thousand rows", |t| format!("{} LIMIT -1 OFFSET 100000", t.table());
    "skipped-one", "q without its first row", |t| format!("{} LIMIT -1 OFFSET 1", t.table());
    "first-row", "the first row of q", |t| format!("{} LIMIT 1", t.table());
    "first-ten", "ten rows of q", |t| format!("{} LIMIT 10", t.table());
    // Joins.
    "joined-itself", "every row of q with every row of q", |t| {
        format!("SELECT a.* FROM ({0}) AS a, ({0}) AS b", t.gold)
    };
    "joined-itself-once", "q joined to itself on its first column", |t| {
        format!("{} SELECT a.* FROM g AS a JOIN g AS b ON a.c1 = b.c1", t.named())
    };
    "joined-table", "every row of q with every row of a table", |t| {
        format!("SELECT a.* FROM ({}) AS a, {} AS b", t.gold, t.first_table())
    };
    "left-joined-table", "q with every row of a table, or once", |t| {
        format!("SELECT a.* FROM ({}) AS a LEFT JOIN {} AS b ON 1 = 1", t.gold, t.first_table())
    };
    // Columns.
    "column-more", "q and a column of ones", |t| format!("SELECT *, 1 FROM ({})", t.gold);
    "column-twice", "q and its first column once more", |t| format!("{} SELECT *, c1 FROM g", t.named());
    "column-less", "q without its last column", |t| {
        let columns = t.columns();
        let (_, kept) = columns.split_last().filter(|(_, kept)| !kept.is_empty())?;
        format!("{} SELECT {} FROM g", t.named(), kept.join(", "))
    };
    "columns-same", "the first column of q in the place of all", |t| {
        let width = Some(t.width()).filter(|&width| width > 1)?;
        format!("{} SELECT {} FROM g", t.named(), vec!["c1"; width].join(", "))
    };
    "columns-null", "NULLs in place of what q answers", |t| {
        format!("SELECT {} FROM ({})", t.for_each_column("NULL"), t.gold)
    };
    "columns-changed", "the first column of q with a letter more", |t| t.with_first_column("c1 || 'x'");
    // Aggregates.
    "counted", "how many rows q has", |t| format!("SELECT COUNT(*) FROM ({})", t.gold);
    "exists", "whether q has rows", |t| format!("SELECT EXISTS ({})", t.gold);
    "largest", "the largest value of each column of q", |t| t.aggregated("MAX");
    "grouped", "q, one row for each value of its first column", |t| {
        format!("{} SELECT * FROM g GROUP BY c1", t.named())
    };
    "distinct", "q without duplicates", |t| format!("SELECT DISTINCT * FROM ({})", t.gold);
    "overflow", "q where an overflow ends the query", |t| {
        format!("{} WHERE abs(-9223372036854775807 - 1) > 0", t.table())
    };

    // Later kinds of all families.
    "union-all-distinct", "q and its distinct rows once more", |t| {
        format!("{0} UNION ALL SELECT DISTINCT * FROM ({0})", t.table())
    };
    "where-largest", "q where its first column is largest", |t| {
        format!("{} SELECT * FROM g WHERE c1 = (SELECT MAX(c1) FROM g)", t.named())
    };
    "where-not-largest", "q where its first column is not the largest", |t| {
        format!("{} SELECT * FROM g WHERE c1 < (SELECT MAX(c1) FROM g)", t.named())
    };
    "where-above-average", "q where its first column is at least the average", |t| {
        format!("{} SELECT * FROM g WHERE c1 >= (SELECT AVG(c1) FROM g)", t.named())
    };
    "where-many", "q where it has more than one row", |t| {
        format!("{} SELECT * FROM g WHERE (SELECT COUNT(*) FROM g) > 1", t.named())
    };
    "where-few", "q where it has less than a hundred rows", |t| {
        format!("{} SELECT * FROM g WHERE (SELECT COUNT(*) FROM g) < 100", t.named())
    };
    "where-repeated", "q where its first column occurs more than once", |t| {
        format!(
            "{} SELECT * FROM g WHERE c1 IN (SELECT c1 FROM g GROUP BY c1 HAVING COUNT(*) > 1)",
            t.named()
        )
    };
    "where-once", "q where its first column occurs once", |t| {
        format!("{} SELECT * FROM g WHERE c1 IN (SELECT c1 FROM g GROUP BY c1 HAVING COUNT(*) = 1)", t.named())
    };
    "where-found", "q where its first column is among its first columns", |t| {
        format!("{} SELECT * FROM g WHERE c1 IN (SELECT c1 FROM g)", t.named())
    };
    "where-is-number", "q where its first column holds an integer", |t| {
        format!("{} SELECT * FROM g WHERE typeof(c1) = 'integer'", t.named())
    };
    "where-has-letter", "q where its first column has an a in it", |t| {
        format!("{} SELECT * FROM g WHERE c1 LIKE '%a%'", t.named())
    };
    "second-row", "the second row of q", |t| format!("{} LIMIT 1 OFFSET 1", t.table());
    "largest-row", "the row of q with the largest first column", |t| {
        format!("{} SELECT * FROM g ORDER BY c1 DESC LIMIT 1", t.named())
    };
    "ordered", "q ordered by its first column, from the largest", |t| {
        format!("{} SELECT * FROM g ORDER BY c1 DESC", t.named())
    };
    "row-number", "q and the numbers of its rows", |t| {
        format!("{} SELECT *, ROW_NUMBER() OVER (ORDER BY c1) FROM g", t.named())
    };
    "rows-counted", "q and how many rows it has", |t| format!("{} SELECT *, COUNT(*) OVER () FROM g", t.named());
    "first-of-each", "of each first column of q one row", |t| {
        format!(
            "{} SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY c1 ORDER BY c1) AS n FROM g) WHERE n = 1",
            t.named(),
            t.columns().join(", ")
        )
    };
    "smallest", "the smallest value of each column of q", |t| t.aggregated("MIN");
    "summed", "the sum of each column of q", |t| t.aggregated("SUM");
    "averaged", "the average of q's first column", |t| format!("{} SELECT AVG(c1) FROM g", t.named());
    "counted-distinct", "how many first columns q has", |t| {
        format!("{} SELECT COUNT(DISTINCT c1) FROM g", t.named())
    };
    "counted-each", "how often each first column of q occurs", |t| {
        format!("{} SELECT c1, COUNT(*) FROM g GROUP BY c1", t.named())
    };
    "as-one-text", "the first column of q as one text", |t| {
        format!("{} SELECT GROUP_CONCAT(c1) FROM g", t.named())
    };
    "columns-rounded", "the first column of q as a whole number", |t| t.with_first_column("CAST(c1 AS INTEGER)");
    "columns-in-upper-case", "the first column of q in upper case", |t| t.with_first_column("UPPER(c1)");
    "columns-measured", "the length of q's first column", |t| t.with_first_column("LENGTH(c1)");
    "columns-filled", "the first column of q, 0 where it is NULL", |t| t.with_first_column("COALESCE(c1, 0)");
    "columns-swapped", "the columns of q from the last to the first", |t| {
        let columns = Some(t.columns()).filter(|columns| columns.len() > 1)?;
        format!("{} SELECT {} FROM g", t.named(), columns.into_iter().rev().collect::<Vec<_>>().join(", "))
    };
    "joined-ones", "every row of q once more for each of two ones", |t| {
        format!("SELECT a.* FROM ({}) AS a, (SELECT 1 AS one UNION ALL SELECT 1) AS b", t.gold)
    };
    "joined-one", "every row of q beside a one that is not read", |t| {
        format!("SELECT a.* FROM ({}) AS a, (SELECT 1 AS one) AS b", t.gold)
    };
    "left-joined-itself", "q with every larger first column of q", |t| {
        format!("{} SELECT a.* FROM g AS a LEFT JOIN g AS b ON a.c1 < b.c1", t.named())
    };
    "without-larger", "q where no first column is larger", |t| {
        format!("{} SELECT * FROM g AS a WHERE NOT EXISTS (SELECT 1 FROM g AS b WHERE b.c1 > a.c1)", t.named())
    };
    "with-another", "q where another first column is there", |t| {
        format!("{} SELECT * FROM g AS a WHERE EXISTS (SELECT 1 FROM g AS b WHERE b.c1 <> a.c1)", t.named())
    };
    "except-repeated", "q EXCEPT what occurs in it more than once", |t| {
        format!("{} SELECT * FROM g EXCEPT SELECT * FROM g GROUP BY c1 HAVING COUNT(*) > 1", t.named())
    };
    "either", "q where its first column is NULL or not", |t| {
        format!("{} SELECT * FROM g WHERE c1 IS NULL OR c1 IS NOT NULL", t.named())
    };
};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn kinds_have_names_of_their_own_and_plans() {
        let schema =
            Schema::from_ddl("d", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, \"two words\" INTEGER)")
                .unwrap();
        let names: HashSet<&str> = TURNED.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), TURNED.len());
        let (learned, kept) = parts();
        assert_eq!((TURNED.len(), learned.len(), kept.len()), (85, 68, 17));
        let target = Target { schema: &schema, gold: "SELECT a, \"two words\" FROM t WHERE a > 'b'" };
        for kind in TURNED {
            let sql = (kind.make)(&target).unwrap();
            let planned = parse(&sql).and_then(|parsed| plan(&schema, &parsed));
            assert!(planned.is_ok(), "{}: {sql}: {:?}", kind.name, planned.err());
        }
        // Of one column none can be left out or swapped.
        let one = Target { gold: "SELECT COUNT(*) FROM t", ..target };
        let without: Vec<&str> = TURNED.iter().filter(|k| (k.make)(&one).is_none()).map(|k| k.name).collect();
        assert_eq!(without, ["column-less", "columns-same", "columns-swapped"]);
    }
}
