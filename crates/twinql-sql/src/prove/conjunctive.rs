//! The tableau test on its own: equivalence of conjunctive queries by homomorphisms, as a classic metric.

use crate::error::SqlError;
use crate::normalize::normalize;
use crate::parse::{lacking, parse};
use crate::plan::{Plan, plan};
use crate::schema::Schema;
use crate::semantics::Semantics;

use super::containment::{Conjunctive, contained};
use super::{ProveError, Side, assumed_by_both, is_unsupported};

/// Tests two queries, the first of them being the gold. Their canonical forms are compared: subqueries that are
/// joins in disguise are joins by then, and with grouping, HAVING and ORDER BY above them tableaux are compared
/// below, what is done with their summaries being the same.
///
/// ```
/// use twinql_sql::prove::{Conjunctive, conjunctive};
/// use twinql_sql::{Schema, Semantics};
///
/// let schema = Schema::from_ddl("town", "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")?;
/// let (gold, pred) = (
///     "SELECT DISTINCT name FROM pet WHERE age = 3",
///     "SELECT DISTINCT a.name FROM pet AS a JOIN pet AS b ON a.name = b.name WHERE a.age = 3",
/// );
/// let said = conjunctive(&schema, gold, pred, &Semantics::default())?;
/// assert!(matches!(said, Conjunctive::Equal(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A side cannot be parsed or planned over the schema.
pub fn conjunctive(
    schema: &Schema,
    gold: &str,
    pred: &str,
    semantics: &Semantics,
) -> Result<Conjunctive, ProveError> {
    let (gold, pred) = both_planned(schema, gold, pred)?;
    let semantics = &*semantics.for_gold(schema, &gold);
    let gold = normalize(schema, gold, semantics);
    let pred = normalize(schema, pred, semantics);
    for side in [&gold, &pred] {
        if let Some(why) = side.stopped.as_ref().filter(|_| side.has_unknown_rows()) {
            return Ok(Conjunctive::Limit(why.to_string()));
        }
    }
    let semantics = assumed_by_both(semantics, &gold, &pred);
    Ok(contained(schema, &semantics, &gold.plan, &pred.plan))
}

/// Both queries planned over the schema. Where neither can be, what is no query at all says more than what is
/// merely not supported.
///
/// # Errors
/// A side cannot be parsed or planned.
pub(super) fn both_planned(schema: &Schema, gold: &str, pred: &str) -> Result<(Plan, Plan), ProveError> {
    let planned = |sql: &str| -> Result<_, SqlError> {
        let parsed = parse(sql)?;
        Ok((plan(schema, &parsed)?, lacking(&parsed)))
    };
    match (planned(gold), planned(pred)) {
        // What SQLite refuses is compared where the gold is of another system too.
        (Ok((_, None)), Ok((_, Some(error)))) => Err(ProveError { side: Side::Pred, error }),
        (Ok((gold, _)), Ok((pred, _))) => Ok((gold, pred)),
        (Err(gold), Err(pred)) if is_unsupported(&gold) && !is_unsupported(&pred) => {
            Err(ProveError { side: Side::Pred, error: pred })
        }
        (Err(error), _) => Err(ProveError { side: Side::Gold, error }),
        (_, Err(error)) => Err(ProveError { side: Side::Pred, error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(gold: &str, pred: &str) -> Conjunctive {
        let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
                   CREATE TABLE song (sid INTEGER PRIMARY KEY, singer INTEGER REFERENCES singer (id), title TEXT)";
        let schema = Schema::from_ddl("music", ddl).unwrap();
        conjunctive(&schema, gold, pred, &Semantics::default()).unwrap()
    }

    #[test]
    fn rows_are_mapped_or_are_not() {
        for (gold, pred, expected) in [
            // A row more that folds into the first, under DISTINCT.
            (
                "SELECT DISTINCT name FROM singer WHERE country = 'fr'",
                "SELECT DISTINCT a.name FROM singer a, singer b WHERE a.country = 'fr' AND a.name = b.name",
                "equal",
            ),
            // A bag: the same row more multiplies.
            (
                "SELECT name FROM singer WHERE country = 'fr'",
                "SELECT a.name FROM singer a, singer b WHERE a.country = 'fr' AND a.name = b.name",
                "no_mapping",
            ),
            ("SELECT name FROM singer WHERE age = 3", "SELECT name FROM singer WHERE age = 4", "no_mapping"),
            // The same grouping above the same rows.
            (
                "SELECT country, COUNT(*) FROM singer GROUP BY country",
                "SELECT COUNT(*), s.country FROM singer AS s GROUP BY s.country",
                "equal",
            ),
            // What is written alike is mapped, be it conjunctive or not.
            (
                "SELECT name FROM singer EXCEPT SELECT title FROM song",
                "SELECT name FROM singer AS s EXCEPT SELECT title FROM song",
                "equal",
            ),
            (
                "SELECT name FROM singer EXCEPT SELECT title FROM song",
                "SELECT name FROM singer",
                "not_conjunctive",
            ),
        ] {
            assert_eq!(said(gold, pred).name(), expected, "{gold} | {pred}");
        }
    }

    /// One of the two answers more rows, and all of the other's.
    #[test]
    fn one_query_is_contained_in_the_other() {
        let narrow = "SELECT name FROM singer WHERE country = 'fr' AND age > 30";
        for (gold, pred, contained) in [
            (narrow, "SELECT name FROM singer WHERE country = 'fr'", Some(Side::Gold)),
            ("SELECT name FROM singer WHERE age > 20", narrow, Some(Side::Pred)),
            // A row that must be there, and is not of the same singer.
            (
                "SELECT s.name FROM singer s JOIN song t ON t.singer = s.id WHERE t.title = 'x'",
                "SELECT name FROM singer",
                Some(Side::Gold),
            ),
            ("SELECT name FROM singer WHERE country = 'de'", narrow, None),
            // Of groups and first rows nothing is said.
            ("SELECT COUNT(*) FROM singer WHERE age > 20", "SELECT COUNT(*) FROM singer", None),
            ("SELECT name FROM singer WHERE age > 20 LIMIT 3", "SELECT name FROM singer LIMIT 3", None),
        ] {
            let found = match said(gold, pred) {
                Conjunctive::NoMapping(contained) => contained.map(|c| c.side),
                _ => None,
            };
            assert_eq!(found, contained, "{gold} | {pred}");
        }
    }

    #[test]
    fn a_side_that_cannot_be_read_is_named() {
        let schema = Schema::from_ddl("s", "CREATE TABLE t (a INTEGER)").unwrap();
        let error = conjunctive(&schema, "SELECT a FROM t", "SELECT b FROM t", &Semantics::default());
        assert_eq!(error.unwrap_err().side, Side::Pred);
    }
}
