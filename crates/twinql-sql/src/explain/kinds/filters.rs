//! Conditions.

use super::parts::Condition;
use super::{Kind, Sides};
use crate::normalize::example::examples;

pub(super) static DROPPED: Kind = Kind {
    name: "filter-dropped",
    about: "The gold has conditions that the prediction lacks, and the prediction has no others.",
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE age > 30 AND city = 'Rome'" != "SELECT name FROM customer WHERE age > 30";
        "bird": "SELECT name FROM customer WHERE age > 30 AND age > 20" == "SELECT name FROM customer WHERE age > 30";
    },
    holds: |sides| {
        let [gold, pred] = sides.conditions();
        !gold.is_empty() && pred.is_empty()
    },
};

pub(super) static ADDED: Kind = Kind {
    name: "filter-added",
    about: "The prediction has conditions that the gold lacks, and the gold has no others.",
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE age > 30" != "SELECT name FROM customer WHERE age > 30 AND city = 'Rome'";
        "bird": "SELECT name FROM customer WHERE age > 30" == "SELECT name FROM customer WHERE age > 30 AND NOT age <= 30";
    },
    holds: |sides| {
        let [gold, pred] = sides.conditions();
        gold.is_empty() && !pred.is_empty()
    },
};

pub(super) static OTHER: Kind = Kind {
    name: "filter-swapped",
    about: "Either side has a condition on columns of which the other side's own conditions read none.",
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE age > 30" != "SELECT name FROM customer WHERE score > 30";
        "bird": "SELECT name FROM customer WHERE age > 30" == "SELECT name FROM customer WHERE 30 < age";
    },
    holds: |sides| {
        let [gold, pred] = sides.conditions();
        let apart = |of: &[&Condition], other: &[&Condition]| {
            of.iter().any(|c| other.iter().all(|o| c.columns.iter().all(|name| !o.columns.contains(name))))
        };
        !gold.is_empty() && !pred.is_empty() && (apart(&gold, &pred) || apart(&pred, &gold))
    },
};

pub(super) static LITERAL: Kind = Kind {
    name: "other-literal",
    about: "A condition compares with another literal.",
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE city = 'Rome'" != "SELECT name FROM customer WHERE city = 'Oslo'";
        "bird": "SELECT name FROM customer WHERE city IN ('Rome', 'Oslo')" == "SELECT name FROM customer WHERE city IN ('Oslo', 'Rome')";
    },
    holds: |sides| pairs(sides, |gold, pred| gold.form == pred.form),
};

pub(super) static COMPARISON: Kind = Kind {
    name: "other-comparison",
    about: "A condition on the same columns compares in another way.",
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE score > 30" != "SELECT name FROM customer WHERE score >= 30";
        "bird": "SELECT name FROM customer WHERE age BETWEEN 20 AND 30" == "SELECT name FROM customer WHERE age >= 20 AND age <= 30";
    },
    holds: |sides| pairs(sides, |gold, pred| gold.columns == pred.columns && gold.form != pred.form),
};

pub(super) static NULL_TEST: Kind = Kind {
    name: "null-test",
    about: "One side alone tests a column for NULL.",
    examples: examples! {
        "nulls": "SELECT name FROM customer WHERE city IS NOT NULL" != "SELECT name FROM customer";
        "nulls": "SELECT name FROM customer WHERE age > 3 AND age IS NOT NULL" == "SELECT name FROM customer WHERE age > 3";
    },
    holds: |sides| sides.conditions().iter().flatten().any(|c| c.null_test),
};

pub(super) static KEY: Kind = Kind {
    name: "key-looked-up",
    about: "One side alone compares a key with a literal: somebody looked it up.",
    examples: examples! {
        "bird": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.name = 'Ada'"
            != "SELECT day FROM orders WHERE customer_id = 7";
        "bird": "SELECT day FROM orders WHERE customer_id = 7" == "SELECT day FROM orders WHERE 7 = customer_id";
    },
    holds: |sides| {
        let [gold, pred] = sides.conditions().map(|own| own.iter().any(|c| c.of_key));
        gold != pred
    },
};

/// Whether this holds of a condition that the gold alone has and one that the prediction alone has.
fn pairs(sides: &Sides, test: impl Fn(&Condition, &Condition) -> bool) -> bool {
    let [gold, pred] = sides.conditions();
    gold.iter().any(|g| pred.iter().any(|p| test(g, p)))
}
