//! Metrics of pairs of queries over a small schema.

use proptest::prelude::*;
use twinql_graph::QueryGraph;
use twinql_sql::{Schema, Semantics, normalize, parse, plan};

use super::*;

const DDL: &str = "
    CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL);
    CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner(id), kind TEXT NOT NULL);";

type Metric = fn(&Pair<'_>) -> Scored;

const EXACT: Metric = |p| same_tokens(p.gold.sql, p.pred.sql).into();
const CRYSTAL: Metric = |p| crystal_bleu(p, None);
const CODE: Metric = |p| code_bleu(p, p.gold.tree, p.pred.tree);
const CODE_ROT: Metric = |p| code_bleu(p, p.gold.rot, p.pred.rot);

/// The metrics of this folder that need nothing but a pair.
const ALL: [(&str, Metric); 5] = [
    ("exact", EXACT),
    ("bleu", bleu),
    ("crystalbleu", CRYSTAL),
    ("codebleu", CODE),
    ("codebleu-rot", CODE_ROT),
];

const QUERIES: [&str; 8] = [
    "SELECT name FROM owner",
    "SELECT id FROM pet",
    "SELECT count(*) FROM pet",
    "SELECT name FROM owner WHERE age > 30",
    "SELECT name FROM owner WHERE age < 30 ORDER BY name",
    "SELECT o.name FROM owner AS o JOIN pet AS p ON p.owner_id = o.id WHERE p.kind = 'cat'",
    "SELECT name FROM owner WHERE id IN (SELECT owner_id FROM pet WHERE kind = 'cat')",
    "SELECT kind, count(*) FROM pet GROUP BY kind HAVING count(*) > 2",
];

fn score(metric: Metric, gold: &str, pred: &str) -> Scored {
    let schema = Schema::from_ddl("pets", DDL).unwrap();
    let semantics = Semantics::preset("no-fk").unwrap();
    let read = |sql: &str| {
        let parsed = parse(sql).unwrap();
        let tree = QueryGraph::of_ast(&parsed.query).unwrap();
        let canonical = normalize(&schema, plan(&schema, &parsed).unwrap(), &semantics);
        (parsed.query, tree, QueryGraph::lower(&schema, &canonical.plan, &semantics).unwrap())
    };
    let (g, p) = (read(gold), read(pred));
    let gold = Side { sql: gold, query: &g.0, tree: &g.1, rot: &g.2 };
    let pred = Side { sql: pred, query: &p.0, tree: &p.1, rot: &p.2 };
    metric(&Pair { schema: &schema, gold, pred })
}

fn detail(scored: &Scored, name: &str) -> f64 {
    scored.details.get(name).unwrap().as_f64().unwrap()
}

#[test]
fn codebleu_by_hand() {
    // Tokens: select name from owner where age > 30, and the same with <. 7 of 8 are common; of their weights
    // 5 · 3 + 4 of 5 · 3 + 5.
    let scored = score(CODE, QUERIES[3], "SELECT name FROM owner WHERE age < 30");
    assert!((detail(&scored, "weighted_bleu") - 19.0 / 20.0).abs() < 1e-12);
    // Of 8, 7, 6 and 5 n-grams the comparison is in 1, 2, 2 and 2.
    let bleu = (7.0f64 / 8.0 * 5.0 / 7.0 * 4.0 / 6.0 * 3.0 / 5.0).powf(0.25);
    assert!((detail(&scored, "bleu") - bleu).abs() < 1e-12, "{scored:?}");
    // rels(select(name), from(table), filter(gt(age, second(30)))): of the six nodes above a leaf the comparison
    // is one, and stands in two others.
    assert!((detail(&scored, "subtrees") - 3.0 / 6.0).abs() < 1e-12, "{scored:?}");
    let mean =
        ["bleu", "weighted_bleu", "subtrees", "data_flow"].map(|n| detail(&scored, n)).iter().sum::<f64>();
    assert!((scored.score - mean / 4.0).abs() < 1e-12);
}

#[test]
fn names_and_literals_are_no_part_of_subtrees() {
    let scored = score(CODE, QUERIES[3], "SELECT id FROM pet WHERE owner_id > 7");
    assert_eq!(detail(&scored, "subtrees"), 1.0);
    assert!(detail(&scored, "data_flow") < 1.0);
}

#[test]
fn operator_trees_see_through_the_text() {
    let (gold, pred) =
        ("SELECT o.name FROM owner AS o WHERE 30 < o.age", "SELECT name FROM owner WHERE age > 30");
    let (tree, rot) = (score(CODE, gold, pred), score(CODE_ROT, gold, pred));
    assert_eq!(detail(&rot, "subtrees"), 1.0);
    assert_eq!(detail(&rot, "data_flow"), 1.0);
    assert!(detail(&tree, "subtrees") < 1.0);
    assert!(rot.score > tree.score);
}

#[test]
fn texts_are_compared_without_case_and_quotes() {
    for (name, metric) in ALL.into_iter().skip(1) {
        let scored = score(metric, "SELECT \"name\" FROM OWNER;", "select name\nfrom owner");
        assert!((scored.score - 1.0).abs() < 1e-12, "{name}: {scored:?}");
    }
}

#[test]
fn what_is_trivially_shared_says_nothing() {
    // Both have `SELECT count(*) FROM` in common, which every second query has.
    let (gold, pred) = ("SELECT count(*) FROM owner", "SELECT count(*) FROM pet");
    assert!(score(bleu, gold, pred).score > 0.7);
    assert!(score(CRYSTAL, gold, pred).score < 0.2);
}

proptest! {
    #[test]
    fn within_bounds_and_one_for_the_same(a in 0usize..QUERIES.len(), b in 0usize..QUERIES.len()) {
        for (name, metric) in ALL {
            let same = score(metric, QUERIES[a], QUERIES[a]).score;
            prop_assert!((same - 1.0).abs() < 1e-12, "{}: {}", name, same);
            let found = score(metric, QUERIES[a], QUERIES[b]).score;
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert_eq!(a == b, found > 1.0 - 1e-9);
        }
    }
}
