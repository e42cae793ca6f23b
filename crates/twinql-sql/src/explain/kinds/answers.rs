//! What the answer consists of: its columns, duplicates, aggregates and groups.

use super::{Kind, Sides};
use crate::normalize::example::examples;

pub(super) static COLUMNS: Kind = Kind {
    name: "number-of-columns",
    about: "The answers have different numbers of columns.",
    examples: examples! {
        "bird": "SELECT name FROM customer" != "SELECT name, city FROM customer";
        "bird": "SELECT name FROM customer" == "SELECT c.name AS called FROM customer c";
    },
    holds: |sides| sides.gold.outputs.len() != sides.pred.outputs.len(),
};

pub(super) static OTHER: Kind = Kind {
    name: "other-column",
    about: "The answers have as many columns, and one of them computes something else.",
    examples: examples! {
        "bird": "SELECT name FROM customer" != "SELECT city FROM customer";
        "bird": "SELECT age + 1 FROM customer" == "SELECT 1 + age FROM customer";
    },
    holds: |sides| {
        let [gold, pred] = sorted(sides);
        gold.len() == pred.len() && gold != pred
    },
};

pub(super) static TURNED: Kind = Kind {
    name: "columns-turned",
    about: "The answers have the same columns in another order.",
    examples: examples! {
        "bird": "SELECT name, city FROM customer" != "SELECT city, name FROM customer";
        "bird": "SELECT name, city FROM customer" == "SELECT c.name, c.city FROM customer c";
    },
    holds: |sides| {
        let [gold, pred] = sorted(sides);
        gold == pred && sides.gold.outputs != sides.pred.outputs
    },
};

pub(super) static DUPLICATES: Kind = Kind {
    name: "duplicates",
    about: "One side drops duplicates where the other does not.",
    examples: examples! {
        "default": "SELECT city FROM customer" != "SELECT DISTINCT city FROM customer";
        "bird": "SELECT city FROM customer" == "SELECT DISTINCT city FROM customer";
    },
    holds: |sides| sides.one_sided(|parts| &parts.others, &["distinct"]),
};

pub(super) static COUNT_DISTINCT: Kind = Kind {
    name: "count-distinct",
    about: "One side alone aggregates different values: COUNT(DISTINCT x) beside COUNT(x).",
    examples: examples! {
        "bird": "SELECT COUNT(city) FROM customer" != "SELECT COUNT(DISTINCT city) FROM customer";
        "bird": "SELECT COUNT(id) FROM customer" == "SELECT COUNT(DISTINCT id) FROM customer";
    },
    holds: |sides| sides.differ(|parts| &parts.distinct_calls),
};

pub(super) static COUNT: Kind = Kind {
    name: "other-count",
    about: "Something else is counted.",
    examples: examples! {
        "bird": "SELECT COUNT(DISTINCT city) FROM customer" != "SELECT COUNT(DISTINCT name) FROM customer";
        "bird": "SELECT COUNT(*) FROM customer" == "SELECT COUNT(id) FROM customer";
    },
    holds: |sides| {
        let alone = sides.alone(|parts| &parts.calls);
        alone.iter().all(|own| own.iter().any(|call| call.starts_with("COUNT(")))
    },
};

pub(super) static AGGREGATE: Kind = Kind {
    name: "other-aggregate",
    about: "One side has an aggregate function that the other has not.",
    examples: examples! {
        "bird": "SELECT SUM(total) FROM orders" != "SELECT AVG(total) FROM orders";
        "bird": "SELECT AVG(total) FROM orders" == "SELECT AVG(o.total) FROM orders o";
    },
    holds: |sides| sides.differ(|parts| &parts.aggregates),
};

pub(super) static GROUPS: Kind = Kind {
    name: "other-groups",
    about: "Rows are grouped by something else.",
    examples: examples! {
        "bird": "SELECT COUNT(*) FROM customer GROUP BY city" != "SELECT COUNT(*) FROM customer GROUP BY age";
        "bird": "SELECT COUNT(*) FROM customer GROUP BY city, age" == "SELECT COUNT(*) FROM customer GROUP BY age, city";
    },
    holds: |sides| sides.differ(|parts| &parts.groups),
};

/// What the columns of both answers compute, in the order of their texts.
fn sorted(sides: &Sides) -> [Vec<&String>; 2] {
    [&sides.gold, &sides.pred].map(|parts| {
        let mut outputs: Vec<&String> = parts.outputs.iter().collect();
        outputs.sort();
        outputs
    })
}
