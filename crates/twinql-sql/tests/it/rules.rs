//! The registry of rules, tried on its own examples.

use crate::common;

use std::collections::BTreeSet;

use common::examples;
use twinql_sql::normalize::example::Example;
use twinql_sql::normalize::{ORDER, normalize_in_order, normalize_with};
use twinql_sql::{Canonical, Plan, Query, RULES, Rule, Schema, Semantics, canonicalize, parse, plan, print};

fn schema() -> Schema {
    Example::schema().unwrap()
}

/// The forms of both queries by all rules but one.
fn forms(schema: &Schema, example: &Example, without: &str) -> [Canonical; 2] {
    examples::forms(schema, example, |plan, semantics| {
        normalize_with(schema, plan, semantics, &|r| r.name != without)
    })
}

/// Each pair that a rule makes alike is alike by that rule and not without it; a near miss is not.
#[test]
fn rules_make_their_examples_alike() {
    let schema = schema();
    examples::alike_by_their_rules(&schema, RULES, |example, without| forms(&schema, example, without));
}

#[test]
fn every_rule_is_explained() {
    let names: BTreeSet<&str> = RULES.iter().map(|r| r.name).collect();
    assert_eq!(names.len(), RULES.len(), "two rules of one name");
    for rule in RULES {
        for alike in [true, false] {
            assert!(
                rule.examples.iter().any(|e| e.alike == alike),
                "{} has no example that is alike: {alike}",
                rule.name
            );
        }
        assert!(rule.why.ends_with('.'), "{}: {}", rule.name, rule.why);
    }
}

/// A preset, a query, and its plan.
type Subject = (Semantics, &'static str, Plan);

/// The queries of all examples and of `queries.sql`.
fn subjects(schema: &Schema) -> Vec<Subject> {
    let examples = RULES.iter().flat_map(|r| r.examples);
    let shown = examples.flat_map(|e| e.queries.map(|sql| (e.semantics().unwrap(), sql)));
    let lines = include_str!("queries.sql").lines();
    let others = lines
        .filter(|l| !l.is_empty() && !l.starts_with("--"))
        .chain(ORDER.iter().map(|o| o.shown.1))
        .flat_map(|sql| ["default", "no-fk", "bird", "strict"].map(|p| (Semantics::preset(p).unwrap(), sql)));
    shown
        .chain(others)
        .map(|(semantics, sql)| (semantics, sql, plan(schema, &parse(sql).unwrap()).unwrap()))
        .collect()
}

/// An order of the registry that keeps all precedences; where several rules may come
/// next, `pick` chooses by their number.
fn reordered(mut pick: impl FnMut(usize) -> usize) -> Vec<&'static Rule> {
    let waits =
        |then: &Rule, first: &Rule| ORDER.iter().any(|o| o.first == first.name && o.then == then.name);
    let mut left: Vec<&'static Rule> = RULES.iter().collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let free: Vec<usize> =
            (0..left.len()).filter(|i| !left.iter().any(|first| waits(left[*i], first))).collect();
        order.push(left.remove(free[pick(free.len())]));
    }
    order
}

/// Rules may stand in any order that keeps what [`ORDER`] states: the canonical forms are the same.
#[test]
fn no_order_matters_unsaid() {
    let schema = schema();
    let subjects = subjects(&schema);
    let all: Vec<&Rule> = RULES.iter().collect();
    let form = |(semantics, _, plan): &Subject, rules: &[&'static Rule]| {
        normalize_in_order(&schema, plan.clone(), semantics, rules).plan.query
    };
    let wanted: Vec<Query> = subjects.iter().map(|s| form(s, &all)).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for round in 0..12 {
        // The first one turns the registry round as far as it may be.
        let rules = reordered(|n| if round == 0 { n - 1 } else { random(n) });
        for (subject, wanted) in subjects.iter().zip(&wanted) {
            let names: Vec<&str> = rules.iter().map(|r| r.name).collect();
            let (semantics, sql, _) = subject;
            assert!(form(subject, &rules) == *wanted, "{semantics}: {sql}\nin the order {names:?}");
        }
    }
}

/// And each precedence is needed: without it the query that shows it has another form.
#[test]
fn stated_orders_matter() {
    let schema = schema();
    let all: Vec<&Rule> = RULES.iter().collect();
    let at = |name: &str| RULES.iter().position(|r| r.name == name).unwrap();
    for order in ORDER {
        let (first, then) = (at(order.first), at(order.then));
        assert!(first < then, "{order:?}");
        let (preset, sql) = order.shown;
        let semantics = Semantics::preset(preset).unwrap();
        let plan = plan(&schema, &parse(sql).unwrap()).unwrap();
        let form =
            |rules: &[&'static Rule]| normalize_in_order(&schema, plan.clone(), &semantics, rules).plan.query;
        let mut changed = all.clone();
        changed[first..=then].rotate_right(1);
        let mut other = all.clone();
        other[first..=then].rotate_left(1);
        assert!(form(&all) != form(&changed) || form(&all) != form(&other), "{order:?}");
    }
}

/// What names, join order and the order of conditions alone tell apart is one form by the
/// planner, the block form of joins and the canonical order: no single rule is to blame.
#[test]
fn ways_of_writing_are_one_form() {
    #[rustfmt::skip]
    const ALIKE: &[[&str; 3]] = &[
        ["default", "SELECT c.city AS x, c.name y FROM customer AS c",
            "SELECT name, city FROM customer"],
        ["no-fk", "SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = 'a'",
            "SELECT b.id FROM customer a, orders b WHERE a.city = 'a' AND a.id = b.customer_id"],
        ["no-fk", "SELECT a.name FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 3 AND b.age > 5",
            "SELECT y.name FROM customer x JOIN customer y ON x.city = y.city WHERE x.age > 5 AND y.age < 3"],
        ["strict", "WITH old AS (SELECT name AS n, age FROM customer WHERE age > 30) SELECT n FROM old",
            "SELECT name FROM customer WHERE age > 30"],
        ["strict", "SELECT name FROM customer WHERE score BETWEEN 1 AND 3",
            "SELECT name FROM customer WHERE score >= 1 AND score <= 3"],
        ["nulls", "SELECT COUNT(*) FROM customer GROUP BY id, city",
            "SELECT COUNT(*) FROM customer GROUP BY id"],
        ["strict", "SELECT * FROM line",
            "SELECT order_id, product, amount FROM line"],
        ["no-fk", "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE a.age < b.age AND b.age < c.age AND c.age < d.age",
            "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE c.age < a.age AND d.age < c.age AND b.age < d.age"],
        ["no-fk", "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE a.age < b.id AND b.age < c.id AND c.age < d.id AND d.age < a.id",
            "SELECT COUNT(*) FROM customer a, customer b, customer c, customer d WHERE a.age < c.id AND c.age < b.id AND b.age < d.id AND d.age < a.id"],
    ];
    let schema = schema();
    for queries in ALIKE {
        let [under, one, two] = *queries;
        let semantics =
            Example { under, queries: [one, two], alike: true, untold: None }.semantics().unwrap();
        let [a, b] = [one, two].map(|sql| canonicalize(&schema, sql, &semantics).unwrap());
        assert_eq!(a.plan.query, b.plan.query, "{one}\n{two}");
    }
}

#[test]
fn canonical_forms_are_stable() {
    let schema = schema();
    for sql in include_str!("queries.sql").lines().filter(|l| !l.is_empty() && !l.starts_with("--")) {
        for preset in twinql_sql::semantics::PRESETS {
            let semantics = Semantics::preset(preset).unwrap();
            let once = canonicalize(&schema, sql, &semantics).unwrap();
            let printed = print::to_sql(&schema, &once.plan).unwrap();
            assert!(once.complete, "{sql}");
            assert!(!printed.contains("unknown column"), "{printed}");
            let twice = twinql_sql::normalize(&schema, once.plan.clone(), &semantics);
            assert_eq!(twice.plan.query, once.plan.query, "{preset}: {sql}\n{printed}");
        }
    }
}

/// Hostile shapes end, within the limits or with an error, and are printed again.
#[test]
fn large_trees_end() {
    let schema = schema();
    let mut doubling = "SELECT age AS a FROM customer".to_owned();
    let mut nested = "SELECT age FROM customer".to_owned();
    for _ in 0..40 {
        doubling = format!("SELECT a + a AS a FROM ({doubling})");
        nested = format!("SELECT age FROM customer WHERE age IN ({nested})");
    }
    let twins = "customer, ".repeat(11);
    let clones: Vec<String> = (0..12).map(|i| format!("customer c{i}")).collect();
    let texts = [
        doubling,
        nested,
        format!("SELECT COUNT(*) FROM {}", clones.join(", ")),
        format!("SELECT 1 WHERE {}", vec!["1 = 2"; 200].join(" OR ")),
        format!("SELECT COUNT(*) FROM {twins}customer"),
    ];
    for sql in texts {
        if let Ok(canonical) = canonicalize(&schema, &sql, &Semantics::default()) {
            assert!(print::to_sql(&schema, &canonical.plan).is_ok());
        }
    }
}
