//! The registry of regularities, tried on its own examples.

use crate::common;

use std::collections::BTreeSet;

use common::examples;
use twinql_sql::normalize::example::Example;
use twinql_sql::normalize::{REGULARITIES, normalize_plausible};
use twinql_sql::{Canonical, RULES, Schema, canonicalize};

fn schema() -> Schema {
    Example::schema().unwrap()
}

/// The forms of both queries by all rules and regularities but one.
fn forms(schema: &Schema, example: &Example, without: &str) -> [Canonical; 2] {
    examples::forms(schema, example, |plan, semantics| {
        normalize_plausible(schema, plan, semantics, &|r| r.name != without)
    })
}

/// Each pair that a regularity makes alike is alike by it and not without it; a near miss is not.
#[test]
fn regularities_make_their_examples_alike() {
    let schema = schema();
    examples::alike_by_their_rules(&schema, REGULARITIES, |example, without| {
        forms(&schema, example, without)
    });
}

#[test]
fn every_regularity_is_explained() {
    let names: BTreeSet<&str> = REGULARITIES.iter().map(|r| r.name).collect();
    assert_eq!(names.len(), REGULARITIES.len(), "two regularities of one name");
    assert!(RULES.iter().all(|rule| !names.contains(rule.name)), "a rule has the name of a regularity");
    for rule in REGULARITIES {
        for alike in [true, false] {
            let shown = rule.examples.iter().any(|e| e.alike == alike);
            assert!(shown, "{} has no example that is alike: {alike}", rule.name);
        }
        assert!(rule.why.ends_with('.'), "{}: {}", rule.name, rule.why);
    }
}

/// What the rules alone make alike stays alike, marks and all: the examples of all rules. Only the letters of a LIKE are
/// taken as they are written.
#[test]
fn what_is_proved_alike_stays_alike() {
    let schema = schema();
    let mut pairs = 0;
    for example in RULES.iter().flat_map(|rule| rule.examples).filter(|e| e.alike) {
        let [one, two] = forms(&schema, example, "");
        if [&one, &two].iter().any(|form| form.regularities().any(|name| name == "one-spelling")) {
            continue;
        }
        assert!(one.plan.query == two.plan.query, "{example:#?}");
        let [one, two] = [one, two].map(|c| c.regularities().collect::<Vec<_>>());
        assert_eq!(one, two, "{example:#?}");
        pairs += 1;
    }
    assert!(pairs > 150, "{pairs}");
}

/// No rule and no proof knows of them.
#[test]
fn nothing_else_takes_them_for_granted() {
    let schema = schema();
    for example in REGULARITIES.iter().flat_map(|rule| rule.examples).filter(|e| e.alike) {
        let semantics = example.semantics().unwrap();
        let [one, two] = example.queries.map(|sql| canonicalize(&schema, sql, &semantics).unwrap());
        assert!(one.plan.query != two.plan.query, "{example:#?}");
        assert_eq!(one.regularities().chain(two.regularities()).count(), 0);
    }
}
