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

    /// A template with `{q}` for the gold, `{line}` for it on one line, `{table}` for [`Target::table`], `{g}` for a WITH clause
    /// that calls it g and its columns c1, c2 and so on, `{others}` for these but the first, each behind a comma, `{any}` for the first table's name, and any other `{value}` for this for each of its columns.
    pub fn written(&self, template: &str) -> String {
        let mut out = String::new();
        let mut rest = template;
        while let Some((before, part)) = rest.split_once('{') {
            let (name, after) = part.split_once('}').unwrap_or((part, ""));
            out.push_str(before);
            out.push_str(&match name {
                "q" => self.gold.to_owned(),
                "line" => self.gold.split_whitespace().collect::<Vec<_>>().join(" "),
                "table" => self.table(),
                "g" => self.named(),
                "any" => self.first_table(),
                "others" => self.columns().iter().skip(1).map(|column| format!(", {column}")).collect(),
                value => self.for_each_column(value),
            });
            rest = after;
        }
        out + rest
    }

    /// A WITH clause that calls the gold g and its columns c1, c2 and so on: what they are called in the gold differs between
    /// databases where they are computed.
    fn named(&self) -> String {
        format!("WITH g({}) AS ({})", self.columns().join(", "), self.gold)
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
    make: Make,
}

/// How one is made.
#[derive(Clone, Copy)]
enum Make {
    /// As [`Target::written`] says.
    Written(&'static str),
    /// By a function; none where it does not apply.
    By(fn(&Target<'_>) -> Option<String>),
}

impl Turned {
    /// Makes one of a gold; none where it does not apply.
    pub fn make(&self, target: &Target<'_>) -> Option<String> {
        match self.make {
            Make::Written(template) => Some(target.written(template)),
            Make::By(make) => make(target),
        }
    }
}

impl std::fmt::Debug for Turned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Kinds, each of a name, a line, and a template or an expression of the target.
macro_rules! turned {
    ($($name:literal, $summary:literal, $($template:literal)? $(|$t:ident| $make:expr)?;)*) => {
        &[$(Turned {
            name: $name,
            summary: $summary,
            make: $(Make::Written($template))? $(Make::By(|$t| Some($make)))?,
        },)*]
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
    "except-itself", "q EXCEPT q", "{table} EXCEPT {table}";
    "intersect-nothing", "q INTERSECT nothing of q", "{table} INTERSECT {table} WHERE 1 = 0";
    "union-itself", "q UNION q", "{table} UNION {table}";
    "intersect-itself", "q INTERSECT q", "{table} INTERSECT {table}";
    "union-all-itself", "q UNION ALL q", "{table} UNION ALL {table}";
    "union-all-thrice", "q UNION ALL q UNION ALL q", |t| vec![t.table(); 3].join(" UNION ALL ");
    "union-all-many", "forty times q, by UNION ALL", |t| vec![t.table(); 40].join(" UNION ALL ");
    "except-first", "q EXCEPT its first row", "{table} EXCEPT SELECT * FROM ({table} LIMIT 1)";
    "union-all-first", "q and its first row once more", "{table} UNION ALL SELECT * FROM ({table} LIMIT 1)";
    "union-all-nulls", "q and a row of NULLs", "{table} UNION ALL SELECT {NULL}";
    "union-all-ones", "q and a row of ones", "{table} UNION ALL SELECT {1}";
    // Conditions that never hold, or only now and then.
    "never", "q WHERE 1 = 0", "{table} WHERE 1 = 0";
    "never-null", "q WHERE NULL", "{table} WHERE NULL";
    "never-hidden", "q where a table has less than no rows", "{table} WHERE (SELECT COUNT(*) FROM {any}) < 0";
    "never-by-date", "q where today is long past", "{table} WHERE date('now') < '1970-01-01'";
    "never-by-key", "q where a row is not itself",
        "{table} WHERE EXISTS (SELECT 1 FROM {any} AS a WHERE a.rowid <> a.rowid)";
    "never-by-text", "q where a text is another", "{table} WHERE 'yes' = 'no'";
    "never-inside", "q in a WITH clause, read under a condition that never holds",
        "WITH g AS ({q}) SELECT * FROM g WHERE 0";
    "where-any-row", "q where a table has rows", "{table} WHERE EXISTS (SELECT 1 FROM {any})";
    "where-no-row", "q where a table has no rows", "{table} WHERE NOT EXISTS (SELECT 1 FROM {any})";
    "where-column-null", "q where its first column is NULL", "{g} SELECT * FROM g WHERE c1 IS NULL";
    "where-column-not-null", "q where its first column is not NULL",
        "{g} SELECT * FROM g WHERE c1 IS NOT NULL";
    "where-column-another", "q where its first column differs from itself",
        "{g} SELECT * FROM g WHERE c1 <> c1";
    "where-column-is-text", "q where its first column is a text that nobody wrote",
        "{g} SELECT * FROM g WHERE c1 = 'zzzz'";
    "where-column-long", "q where its first column is long", "{g} SELECT * FROM g WHERE length(c1) > 3";
    "where-not-first", "q without the values of its first row",
        "{g} SELECT * FROM g WHERE c1 NOT IN (SELECT c1 FROM g LIMIT 1)";
    // Chance.
    "chance-rows", "q WHERE random() > 0", "{table} WHERE random() > 0";
    "chance-rarely", "q less one row in a thousand, by chance", "{table} WHERE abs(random() % 1000) > 0";
    "chance-order", "one row of q, by chance", "{table} ORDER BY random() LIMIT 1";
    // LIMIT and OFFSET.
    "limit-zero", "q LIMIT 0", "{table} LIMIT 0";
    "skipped", "q without its first hundred thousand rows", "{table} LIMIT -1 OFFSET 100000";
    "skipped-one", "q without its first row", "{table} LIMIT -1 OFFSET 1";
    "first-row", "the first row of q", "{table} LIMIT 1";
    "first-ten", "ten rows of q", "{table} LIMIT 10";
    // Joins.
    "joined-itself", "every row of q with every row of q", "SELECT a.* FROM ({q}) AS a, ({q}) AS b";
    "joined-itself-once", "q joined to itself on its first column",
        "{g} SELECT a.* FROM g AS a JOIN g AS b ON a.c1 = b.c1";
    "joined-table", "every row of q with every row of a table", "SELECT a.* FROM ({q}) AS a, {any} AS b";
    "left-joined-table", "q with every row of a table, or once",
        "SELECT a.* FROM ({q}) AS a LEFT JOIN {any} AS b ON 1 = 1";
    // Columns.
    "column-more", "q and a column of ones", "SELECT *, 1 FROM ({q})";
    "column-twice", "q and its first column once more", "{g} SELECT *, c1 FROM g";
    "column-less", "q without its last column", |t| {
        let columns = t.columns();
        let (_, kept) = columns.split_last().filter(|(_, kept)| !kept.is_empty())?;
        format!("{} SELECT {} FROM g", t.named(), kept.join(", "))
    };
    "columns-same", "the first column of q in the place of all", |t| {
        let width = Some(t.width()).filter(|&width| width > 1)?;
        format!("{} SELECT {} FROM g", t.named(), vec!["c1"; width].join(", "))
    };
    "columns-null", "NULLs in place of what q answers", "SELECT {NULL} FROM ({q})";
    "columns-changed", "the first column of q with a letter more", "{g} SELECT c1 || 'x'{others} FROM g";
    // Aggregates.
    "counted", "how many rows q has", "SELECT COUNT(*) FROM ({q})";
    "exists", "whether q has rows", "SELECT EXISTS ({q})";
    "largest", "the largest value of each column of q", |t| t.aggregated("MAX");
    "grouped", "q, one row for each value of its first column", "{g} SELECT * FROM g GROUP BY c1";
    "distinct", "q without duplicates", "SELECT DISTINCT * FROM ({q})";
    "overflow", "q where an overflow ends the query", "{table} WHERE abs(-9223372036854775807 - 1) > 0";

    // Later kinds of all families.
    "union-all-distinct", "q and its distinct rows once more",
        "{table} UNION ALL SELECT DISTINCT * FROM ({table})";
    "where-largest", "q where its first column is largest",
        "{g} SELECT * FROM g WHERE c1 = (SELECT MAX(c1) FROM g)";
    "where-not-largest", "q where its first column is not the largest",
        "{g} SELECT * FROM g WHERE c1 < (SELECT MAX(c1) FROM g)";
    "where-above-average", "q where its first column is at least the average",
        "{g} SELECT * FROM g WHERE c1 >= (SELECT AVG(c1) FROM g)";
    "where-many", "q where it has more than one row",
        "{g} SELECT * FROM g WHERE (SELECT COUNT(*) FROM g) > 1";
    "where-few", "q where it has less than a hundred rows",
        "{g} SELECT * FROM g WHERE (SELECT COUNT(*) FROM g) < 100";
    "where-repeated", "q where its first column occurs more than once",
        "{g} SELECT * FROM g WHERE c1 IN (SELECT c1 FROM g GROUP BY c1 HAVING COUNT(*) > 1)";
    "where-once", "q where its first column occurs once",
        "{g} SELECT * FROM g WHERE c1 IN (SELECT c1 FROM g GROUP BY c1 HAVING COUNT(*) = 1)";
    "where-found", "q where its first column is among its first columns",
        "{g} SELECT * FROM g WHERE c1 IN (SELECT c1 FROM g)";
    "where-is-number", "q where its first column holds an integer",
        "{g} SELECT * FROM g WHERE typeof(c1) = 'integer'";
    "where-has-letter", "q where its first column has an a in it", "{g} SELECT * FROM g WHERE c1 LIKE '%a%'";
    "second-row", "the second row of q", "{table} LIMIT 1 OFFSET 1";
    "largest-row", "the row of q with the largest first column",
        "{g} SELECT * FROM g ORDER BY c1 DESC LIMIT 1";
    "ordered", "q ordered by its first column, from the largest", "{g} SELECT * FROM g ORDER BY c1 DESC";
    "row-number", "q and the numbers of its rows", "{g} SELECT *, ROW_NUMBER() OVER (ORDER BY c1) FROM g";
    "rows-counted", "q and how many rows it has", "{g} SELECT *, COUNT(*) OVER () FROM g";
    "first-of-each", "of each first column of q one row", |t| {
        format!(
            "{} SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY c1 ORDER BY c1) AS n FROM g) WHERE n = 1",
            t.named(),
            t.columns().join(", ")
        )
    };
    "smallest", "the smallest value of each column of q", |t| t.aggregated("MIN");
    "summed", "the sum of each column of q", |t| t.aggregated("SUM");
    "averaged", "the average of q's first column", "{g} SELECT AVG(c1) FROM g";
    "counted-distinct", "how many first columns q has", "{g} SELECT COUNT(DISTINCT c1) FROM g";
    "counted-each", "how often each first column of q occurs", "{g} SELECT c1, COUNT(*) FROM g GROUP BY c1";
    "as-one-text", "the first column of q as one text", "{g} SELECT GROUP_CONCAT(c1) FROM g";
    "columns-rounded", "the first column of q as a whole number", "{g} SELECT CAST(c1 AS INTEGER){others} FROM g";
    "columns-in-upper-case", "the first column of q in upper case", "{g} SELECT UPPER(c1){others} FROM g";
    "columns-measured", "the length of q's first column", "{g} SELECT LENGTH(c1){others} FROM g";
    "columns-filled", "the first column of q, 0 where it is NULL", "{g} SELECT COALESCE(c1, 0){others} FROM g";
    "columns-swapped", "the columns of q from the last to the first", |t| {
        let columns = Some(t.columns()).filter(|columns| columns.len() > 1)?;
        format!("{} SELECT {} FROM g", t.named(), columns.into_iter().rev().collect::<Vec<_>>().join(", "))
    };
    "joined-ones", "every row of q once more for each of two ones",
        "SELECT a.* FROM ({q}) AS a, (SELECT 1 AS one UNION ALL SELECT 1) AS b";
    "joined-one", "every row of q beside a one that is not read",
        "SELECT a.* FROM ({q}) AS a, (SELECT 1 AS one) AS b";
    "left-joined-itself", "q with every larger first column of q",
        "{g} SELECT a.* FROM g AS a LEFT JOIN g AS b ON a.c1 < b.c1";
    "without-larger", "q where no first column is larger",
        "{g} SELECT * FROM g AS a WHERE NOT EXISTS (SELECT 1 FROM g AS b WHERE b.c1 > a.c1)";
    "with-another", "q where another first column is there",
        "{g} SELECT * FROM g AS a WHERE EXISTS (SELECT 1 FROM g AS b WHERE b.c1 <> a.c1)";
    "except-repeated", "q EXCEPT what occurs in it more than once",
        "{g} SELECT * FROM g EXCEPT SELECT * FROM g GROUP BY c1 HAVING COUNT(*) > 1";
    "either", "q where its first column is NULL or not",
        "{g} SELECT * FROM g WHERE c1 IS NULL OR c1 IS NOT NULL";
};

#[cfg(test)]
mod tests {
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
            let sql = kind.make(&target).unwrap();
            let planned = parse(&sql).and_then(|parsed| plan(&schema, &parsed));
            assert!(planned.is_ok(), "{}: {sql}: {:?}", kind.name, planned.err());
        }
        // Of one column none can be left out or swapped.
        let one = Target { gold: "SELECT COUNT(*) FROM t", ..target };
        let without: Vec<&str> = TURNED.iter().filter(|k| k.make(&one).is_none()).map(|k| k.name).collect();
        assert_eq!(without, ["column-less", "columns-same", "columns-swapped"]);
    }
}
