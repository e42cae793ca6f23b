//! Tables, what links them, and how queries are put together.

use super::Kind;
use crate::normalize::example::examples;

pub(super) static DROPPED: Kind = Kind {
    name: "table-dropped",
    about: "The gold reads a table that the prediction does not.",
    examples: examples! {
        "bird": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id" != "SELECT name FROM customer";
        "bird": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id" == "SELECT day FROM orders";
    },
    holds: |sides| {
        let [gold, pred] = sides.alone(|parts| &parts.tables);
        !gold.is_empty() && pred.is_empty()
    },
};

pub(super) static ADDED: Kind = Kind {
    name: "table-added",
    about: "The prediction reads a table that the gold does not.",
    examples: examples! {
        "bird": "SELECT name FROM customer" != "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id";
        "bird": "SELECT day FROM orders" == "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id";
    },
    holds: |sides| {
        let [gold, pred] = sides.alone(|parts| &parts.tables);
        gold.is_empty() && !pred.is_empty()
    },
};

pub(super) static OTHER: Kind = Kind {
    name: "other-table",
    about: "Each side reads a table that the other does not.",
    examples: examples! {
        "bird": "SELECT day FROM orders" != "SELECT day FROM visit";
        "bird": "SELECT x.day FROM visit x" == "SELECT y.day FROM visit y";
    },
    holds: |sides| sides.alone(|parts| &parts.tables).iter().all(|own| !own.is_empty()),
};

pub(super) static LINK: Kind = Kind {
    name: "other-link",
    about: "Tables are linked by other columns.",
    examples: examples! {
        "bird": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id"
            != "SELECT c.name FROM customer c JOIN orders o ON o.id = c.id";
        "bird": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id"
            == "SELECT c.name FROM customer c JOIN orders o ON c.id = o.customer_id";
    },
    holds: |sides| sides.alone(|parts| &parts.links).iter().all(|own| !own.is_empty()),
};

pub(super) static OUTER: Kind = Kind {
    name: "outer-join",
    about: "One side alone keeps rows without a partner by an outer join.",
    examples: examples! {
        "bird": "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
            != "SELECT c.name, o.day FROM customer c JOIN orders o ON o.customer_id = c.id";
        "bird": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 5"
            == "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 5";
    },
    holds: |sides| sides.one_sided(|parts| &parts.others, &["outer-join"]),
};

pub(super) static SET_OPERATION: Kind = Kind {
    name: "set-operation",
    about: "One side alone has a UNION, an INTERSECT or an EXCEPT.",
    examples: examples! {
        "bird": "SELECT city FROM customer UNION SELECT name FROM place" != "SELECT city FROM customer";
        "bird": "SELECT city FROM customer WHERE age > 3 UNION SELECT city FROM customer WHERE score > 4"
            == "SELECT DISTINCT city FROM customer WHERE age > 3 OR score > 4";
    },
    holds: |sides| sides.one_sided(|parts| &parts.others, &["union", "intersect", "except"]),
};

pub(super) static SUBQUERY: Kind = Kind {
    name: "subquery",
    about: "One side has a subquery more that no rule makes a join of.",
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE age > (SELECT AVG(age) FROM customer)" != "SELECT name FROM customer WHERE age > 30";
        "bird": "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)"
            == "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)";
    },
    holds: |sides| sides.one_sided(|parts| &parts.others, &["subquery"]),
};
