//! Functions and operators.

use super::Kind;
use crate::normalize::example::examples;

pub(super) static ROUNDED: Kind = Kind {
    name: "rounded",
    about: "A value is rounded or cast on one side alone.",
    examples: examples! {
        "bird": "SELECT ROUND(score, 1) FROM customer" != "SELECT score FROM customer";
        "bird": "SELECT CAST(age AS INTEGER) FROM customer" == "SELECT age FROM customer";
    },
    holds: |sides| {
        sides.one_sided(
            |parts| &parts.functions,
            &["round", "cast", "ceil", "ceiling", "floor", "printf", "format"],
        )
    },
};

pub(super) static ARITHMETIC: Kind = Kind {
    name: "arithmetic",
    about: "One side calculates where the other does not, or in another way.",
    examples: examples! {
        "bird": "SELECT score * 100 FROM customer" != "SELECT score FROM customer";
        "bird": "SELECT age + 1 FROM customer" == "SELECT 1 + age FROM customer";
    },
    holds: |sides| sides.one_sided(|parts| &parts.operators, &["+", "-", "*", "/", "%"]),
};

pub(super) static CONDITIONAL: Kind = Kind {
    name: "conditional",
    about: "One side has a CASE more.",
    examples: examples! {
        "bird": "SELECT CASE WHEN age > 30 THEN 'old' ELSE 'young' END FROM customer" != "SELECT age FROM customer";
        "bird": "SELECT SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM customer" == "SELECT SUM(IIF(age > 30, 1, 0)) FROM customer";
    },
    holds: |sides| sides.one_sided(|parts| &parts.others, &["case"]),
};

pub(super) static DATE: Kind = Kind {
    name: "date-function",
    about: "One side alone has a function of dates, or another one.",
    examples: examples! {
        "bird": "SELECT name FROM place WHERE code IN (SELECT place FROM visit WHERE DATE(day) > '2020-01-01')"
            != "SELECT name FROM place WHERE code IN (SELECT place FROM visit WHERE day > '2020-01-01')";
        "bird": "SELECT id FROM visit WHERE STRFTIME('%Y', day) = '2020'" == "SELECT id FROM visit WHERE '2020' = STRFTIME('%Y', day)";
    },
    holds: |sides| {
        sides.one_sided(
            |parts| &parts.functions,
            &["strftime", "date", "datetime", "time", "julianday", "unixepoch", "timediff"],
        )
    },
};

pub(super) static TEXT: Kind = Kind {
    name: "text-function",
    about: "One side alone takes texts apart or puts them together.",
    examples: examples! {
        "bird": "SELECT SUBSTR(day, 1, 4) FROM visit" != "SELECT day FROM visit";
        "bird": "SELECT SUBSTR(day, 1, 4) FROM visit" == "SELECT SUBSTRING(day, 1, 4) FROM visit";
    },
    holds: |sides| {
        let named = sides.one_sided(
            |parts| &parts.functions,
            &["substr", "substring", "instr", "replace", "trim", "ltrim", "rtrim", "length"],
        );
        named || sides.one_sided(|parts| &parts.operators, &["||"])
    },
};

pub(super) static PATTERN: Kind = Kind {
    name: "pattern",
    about: "One side alone finds texts by a pattern: LIKE beside =.",
    examples: examples! {
        "bird": "SELECT id FROM customer WHERE city LIKE '%York%'" != "SELECT id FROM customer WHERE city = 'York'";
        "bird": "SELECT id FROM customer WHERE NOT city LIKE 'Y%'" == "SELECT id FROM customer WHERE city NOT LIKE 'Y%'";
    },
    holds: |sides| sides.one_sided(|parts| &parts.operators, &["LIKE", "GLOB", "REGEXP"]),
};

pub(super) static LETTER_CASE: Kind = Kind {
    name: "letter-case",
    about: "One side alone makes capital and small letters the same.",
    examples: examples! {
        "bird": "SELECT LOWER(city) FROM customer" != "SELECT city FROM customer";
        "bird": "SELECT LOWER(city) FROM customer" == "SELECT LOWER(c.city) FROM customer c";
    },
    holds: |sides| sides.one_sided(|parts| &parts.functions, &["lower", "upper", "collate"]),
};

pub(super) static WINDOW: Kind = Kind {
    name: "window",
    about: "One side alone has a window function.",
    examples: examples! {
        "bird": "SELECT name, RANK() OVER (ORDER BY age) FROM customer" != "SELECT name, age FROM customer";
        "bird": "SELECT RANK() OVER (ORDER BY age) FROM customer" == "SELECT RANK() OVER (ORDER BY c.age) FROM customer c";
    },
    holds: |sides| {
        sides.alone(|parts| &parts.others).iter().flatten().any(|text| text.starts_with("window "))
    },
};
