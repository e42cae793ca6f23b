use std::collections::BTreeSet;

use super::{MUTATIONS, neighbours};
use crate::testing::schema;

const GOLDS: [&str; 10] = [
    "SELECT name, AVG(age) FROM singer WHERE age > 20 AND country = 'France' GROUP BY name HAVING COUNT(*) > 2 ORDER BY name DESC",
    "SELECT s.name FROM singer AS s JOIN concert AS c ON s.id = c.singer_id WHERE c.year IN (2014, 2015) OR c.theme LIKE '%rock%' ORDER BY s.age LIMIT 3",
    "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert WHERE year BETWEEN 2000 AND 2010)",
    "SELECT country FROM singer WHERE age > 40 INTERSECT SELECT country FROM singer WHERE age < 30",
    "SELECT COUNT(theme) FROM concert WHERE theme IS NOT NULL",
    "SELECT DISTINCT country FROM singer",
    "SELECT singer.name FROM singer JOIN concert ON singer.id = singer_id WHERE age > 3",
    "SELECT COUNT(*) FROM singer",
    "SELECT name, country, COUNT(*) FROM singer GROUP BY id",
    "SELECT MAX(age + 1) FROM singer WHERE name LIKE 'A%' GROUP BY country HAVING country <> 'x' ORDER BY country, name",
];

#[test]
fn every_mutation_applies_somewhere() {
    let schema = schema();
    let mut seen = BTreeSet::new();
    for gold in GOLDS {
        for n in neighbours(&schema, gold, 1, 500) {
            assert_ne!(n.sql, gold);
            seen.insert(n.mutation);
        }
    }
    let all: BTreeSet<&str> = MUTATIONS.iter().map(|m| m.name).collect();
    assert_eq!(seen, all);
}

#[test]
fn neighbours_are_distinct_bounded_and_reproducible() {
    let schema = schema();
    for gold in GOLDS {
        let a = neighbours(&schema, gold, 3, 20);
        assert!(a.len() <= 20 && a.len() >= 2, "{gold}: {}", a.len());
        assert_eq!(a, neighbours(&schema, gold, 3, 20));
        let texts: BTreeSet<&String> = a.iter().map(|n| &n.sql).collect();
        assert_eq!(texts.len(), a.len());
    }
}

#[test]
fn mutations_have_names_of_their_own() {
    let names: BTreeSet<&str> = MUTATIONS.iter().map(|m| m.name).collect();
    assert_eq!(names.len(), MUTATIONS.len());
    assert!(MUTATIONS.iter().all(|m| !m.doc.is_empty()));
}

#[test]
fn what_does_not_parse_or_fit_has_no_neighbours() {
    for gold in ["", "SELECT", "SELECT nothing FROM nowhere", "DROP TABLE singer"] {
        assert_eq!(neighbours(&schema(), gold, 1, 10), []);
    }
}

/// What is not parsed because its parentheses do not match is no query.
#[test]
fn unbalanced_runs_of_words_are_no_loss() {
    let mut unbalanced = 0;
    for gold in
        GOLDS.into_iter().chain(["SELECT COUNT(*) FILTER (WHERE LOWER(name) = 'x'), (age) FROM singer"])
    {
        let words = super::spans::words(&twinql_sql::parse(gold).unwrap().query);
        for from in 1..words.len() {
            for to in from + 1..=words.len().min(from + super::spans::MAX_WORDS) {
                let count = |wanted: &str| words[from..to].iter().filter(|word| *word == wanted).count();
                if count("(") != count(")") {
                    let text = [&words[..from], &words[to..]].concat().join(" ");
                    assert!(twinql_sql::parse_unmended(&text).is_err(), "{text}");
                    unbalanced += 1;
                }
            }
        }
    }
    assert!(unbalanced > 500, "{unbalanced}");
}

/// Where few are asked for, each is of another kind, whatever was looked at.
#[test]
fn a_few_neighbours_are_of_as_many_kinds() {
    for seed in 0..20 {
        let few = neighbours(&schema(), GOLDS[1], seed, 6);
        let kinds: std::collections::BTreeSet<&str> = few.iter().map(|n| n.mutation).collect();
        assert_eq!((few.len(), kinds.len()), (6, 6), "{few:?}");
    }
}
