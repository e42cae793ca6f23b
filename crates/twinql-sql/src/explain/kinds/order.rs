//! The order by which rows are chosen, and how many are.

use super::Kind;
use crate::normalize::example::examples;

pub(super) static KEY: Kind = Kind {
    name: "order-key",
    about: "Both sides take the first rows, by other keys.",
    examples: examples! {
        "bird": "SELECT name FROM customer ORDER BY age LIMIT 3" != "SELECT name FROM customer ORDER BY score LIMIT 3";
        "bird": "SELECT name FROM customer ORDER BY age LIMIT 3" == "SELECT c.name FROM customer c ORDER BY c.age ASC LIMIT 3";
    },
    holds: |sides| {
        let chosen = [&sides.gold, &sides.pred].iter().all(|parts| !parts.limits.is_empty());
        chosen && sides.differ(|parts| &parts.sort_keys)
    },
};

pub(super) static DIRECTION: Kind = Kind {
    name: "direction",
    about: "Both sides take the first rows by the same keys, one from the other end.",
    examples: examples! {
        "bird": "SELECT name FROM customer ORDER BY age LIMIT 1" != "SELECT name FROM customer ORDER BY age DESC LIMIT 1";
        "bird": "SELECT name FROM customer ORDER BY age LIMIT 1" == "SELECT name FROM customer ORDER BY age ASC LIMIT 1";
    },
    holds: |sides| !sides.differ(|parts| &parts.sort_keys) && sides.differ(|parts| &parts.directed),
};

pub(super) static LIMIT: Kind = Kind {
    name: "limit",
    about: "One side takes the first rows and the other all, or another number of them.",
    examples: examples! {
        "bird": "SELECT name FROM customer ORDER BY age LIMIT 3" != "SELECT name FROM customer ORDER BY age LIMIT 4";
        "bird": "SELECT name FROM customer ORDER BY age LIMIT 3" == "SELECT name FROM customer ORDER BY age LIMIT 3 OFFSET 0";
    },
    holds: |sides| sides.differ(|parts| &parts.limits),
};

pub(super) static EXTREME: Kind = Kind {
    name: "extreme",
    about: "One side takes the first row in an order, the other all rows that have the MIN or MAX.",
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE age = (SELECT MAX(age) FROM customer)"
            != "SELECT name FROM customer ORDER BY age DESC LIMIT 1";
        "bird": "SELECT name FROM customer WHERE age = (SELECT MAX(age) FROM customer)"
            == "SELECT name FROM customer WHERE (SELECT MAX(c.age) FROM customer c) = age";
    },
    holds: |sides| {
        let extreme =
            |parts: &super::parts::Parts| parts.aggregates.has("MIN") || parts.aggregates.has("MAX");
        let [gold, pred] = [&sides.gold, &sides.pred];
        extreme(gold) && !pred.limits.is_empty() && gold.limits.is_empty()
            || extreme(pred) && !gold.limits.is_empty() && pred.limits.is_empty()
    },
};
