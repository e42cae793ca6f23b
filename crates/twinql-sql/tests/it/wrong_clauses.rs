//! The clause of a prediction that is wrong: the registry on its own examples, and pairs that are written in other ways.

use std::collections::BTreeSet;

use twinql_sql::explain::clauses::{
    CLAUSES, Repair, Suspect, clause, share_right, suspects, written_differently,
};
use twinql_sql::normalize::example::Example;
use twinql_sql::{Schema, Semantics, parse};

fn found(schema: &Schema, gold: &str, pred: &str) -> Vec<Suspect> {
    let [gold, pred] = [gold, pred].map(|sql| parse(sql).unwrap());
    suspects(schema, &gold, &pred, &Semantics::default())
}

#[test]
fn examples_have_their_clause_and_no_other() {
    let schema = Example::schema().unwrap();
    for one in CLAUSES {
        let [gold, pred] = one.example;
        let found = found(&schema, gold, pred);
        let first = found.first().unwrap_or_else(|| panic!("{}: nothing is wrong", one.name));
        assert_eq!((first.clause, first.repair), (one, Repair::Whole), "{}: {found:?}", one.name);
        let written = [gold, pred].map(|sql| parse(sql).unwrap());
        assert_eq!(written_differently(&written[0], &written[1]), [one], "{}", one.name);
    }
}

#[test]
fn clauses_have_names_of_their_own() {
    let names: BTreeSet<&str> = CLAUSES.iter().map(|one| one.name).collect();
    assert_eq!(names.len(), CLAUSES.len());
    assert!(CLAUSES.iter().all(|one| clause(one.name) == Some(*one)));
    assert_eq!(clause("with"), None);
}

#[test]
fn equal_forms_have_no_wrong_clause() {
    let schema = Example::schema().unwrap();
    let gold = "SELECT c.name FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 5";
    let pred = "SELECT name FROM customer, orders WHERE customer_id = customer.id AND 5 < total";
    assert_eq!(found(&schema, gold, pred), []);
}

/// The clause is named, however the prediction is written.
#[test]
fn other_names_and_other_ways_of_writing_do_not_hide_it() {
    let schema = Example::schema().unwrap();
    for (gold, pred, clause) in [
        // Other names of tables.
        (
            "SELECT c.name FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 5 AND c.age > 3",
            "SELECT T1.name FROM orders AS T2 JOIN customer AS T1 ON T1.id = T2.customer_id WHERE T1.age > 3",
            "where",
        ),
        // A join in WHERE.
        (
            "SELECT c.name FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 5",
            "SELECT c.name FROM customer AS c, orders AS o WHERE o.id = c.id AND o.total > 5",
            "from",
        ),
        // An output by its name.
        (
            "SELECT city, COUNT(*) FROM customer GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1",
            "SELECT city, COUNT(*) AS n FROM customer GROUP BY city ORDER BY n LIMIT 1",
            "order-by",
        ),
        // A subquery in place of a join.
        (
            "SELECT DISTINCT c.id, c.name FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE c.age > 3",
            "SELECT id, name FROM customer WHERE id IN (SELECT customer_id FROM orders) AND age > 4",
            "where",
        ),
        // An arm of a set operation.
        (
            "SELECT city FROM customer WHERE age > 3 INTERSECT SELECT name FROM place",
            "SELECT city FROM customer WHERE age > 3",
            "set-operation",
        ),
    ] {
        let found = found(&schema, gold, pred);
        let names: Vec<&str> = found.iter().map(|one| one.clause.name).collect();
        assert_eq!(names.first(), Some(&clause), "{gold} | {pred}: {found:?}");
        assert_ne!(found[0].repair, Repair::Lines(0));
    }
}

/// Two wrong clauses are both named; neither is the only one.
#[test]
fn several_wrong_clauses_are_all_named() {
    let schema = Example::schema().unwrap();
    let gold = "SELECT name FROM customer WHERE age > 30 ORDER BY score LIMIT 3";
    let both = found(&schema, gold, "SELECT city FROM customer WHERE age > 20 ORDER BY score LIMIT 3");
    let names: Vec<&str> = both.iter().map(|one| one.clause.name).collect();
    assert_eq!(names, ["select", "where"], "{both:?}");
    assert!(both.iter().all(|one| one.repair == Repair::Together), "{both:?}");
    let three = found(&schema, gold, "SELECT city FROM customer WHERE age > 20 ORDER BY score LIMIT 2");
    let names: BTreeSet<&str> = three.iter().map(|one| one.clause.name).collect();
    assert!(names.contains("limit") && names.contains("where"), "{three:?}");
    assert!(three.iter().all(|one| matches!(one.repair, Repair::Lines(_))), "{three:?}");
}

/// The share is 1 exactly where the forms are equal.
#[test]
fn the_share_of_right_clauses_is_of_those_that_either_query_has() {
    let schema = Example::schema().unwrap();
    let gold = "SELECT name FROM customer WHERE age > 30";
    for (pred, share) in [
        ("SELECT c.name FROM customer AS c WHERE 30 < c.age", 1.0),
        ("SELECT name FROM customer WHERE age > 20", 2.0 / 3.0),
        ("SELECT name FROM customer", 2.0 / 3.0),
        ("SELECT city FROM customer WHERE age > 20", 1.0 / 3.0),
        // ORDER BY counts as well, and so do LIMIT and the condition.
        ("SELECT name FROM customer WHERE age > 20 ORDER BY name LIMIT 1", 2.0 / 5.0),
    ] {
        let [gold, pred] = [gold, pred].map(|sql| parse(sql).unwrap());
        let found = share_right(&schema, &gold, &pred, &Semantics::default());
        assert!((found - share).abs() < 1e-12, "{}: {found}", pred.sql);
    }
}

#[test]
fn a_sentence_says_what_is_missing_and_what_is_too_much() {
    let schema = Example::schema().unwrap();
    let gold = "SELECT name FROM customer WHERE age > 30";
    for (pred, sentence) in [
        ("SELECT name FROM customer", "The condition on rows (WHERE) lacks: age > 30."),
        (
            "SELECT name FROM customer WHERE age > 30 AND city = 'Rome'",
            "The condition on rows (WHERE) has what the gold's has not: city = 'Rome'.",
        ),
        (
            "SELECT name FROM customer WHERE age > 20",
            "The condition on rows (WHERE) has: age > 20; the gold's has: age > 30.",
        ),
    ] {
        let found = found(&schema, gold, pred);
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [sentence]);
    }
}
