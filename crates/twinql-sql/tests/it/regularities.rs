//! The registry of regularities, tried on its own examples, and its document. After a change of one run
//! `TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test it regularities::`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common;

use std::collections::BTreeSet;
use std::fmt::Write;

use common::examples;
use twinql_sql::normalize::example::{Example, SHOP};
use twinql_sql::normalize::{REGULARITIES, normalize_plausible};
use twinql_sql::{Canonical, RULES, Schema, canonicalize};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/regularities.md");

const HEAD: &str = "# Regularities

<!-- Written from the registry: TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test it regularities:: -->

A look-up by name finds one row, a measure has one greatest value, a date is written `2024-05-01`. No schema says
so, and no proof may take it for granted. But whoever writes queries for a database does, and two queries that
differ in nothing else answer the same wherever people have data.

Networks that are asked `--question plausible` read canonical forms that are made by these rules beside the
[normalisation rules](rules.md), which come first: what they make alike stays alike
(but for the letters of a LIKE, which are taken as they are written). A mark in the graph names each
regularity that a query met: two queries whose forms are equal by different regularities are near each other, and not the
same. A network can learn from the marks how far each can be trusted; the built-in ones have met none in training
([why](tried.md#labels)). Nothing else uses them: proofs, suites, labels, and
the question `every` know the normalisation rules alone. [Plausible databases](plausible.md) are made to hold most of
them, each with a probability.

How often they are right is counted on pairs that are the same or not by execution or by plausible databases:

```sh
cargo measure plausible-forms PAIRS.jsonl SCHEMAS [SEMANTICS]
```

[The record](../experiments/record.md#regularities) has the figures. Two rules were tried and left out for theirs: that texts
which differ in the case of letters alone are the same (a wrong case is a common mistake, and finds nothing), and that
LEFT JOIN is JOIN.

## The rules

They are shown over the schema of the normalisation rules:

";

const PAIRS: &str = "
Two queries with `=` between them have one form by this rule, and not without it; two with `<>` do not. The semantics
is `bird`, or one with NULLs where a pair shows these. Tests hold this, and count on how many plausible databases the answers agree.
";

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

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*")
}

fn document() -> String {
    let mut text = format!("{HEAD}```sql\n{SHOP}```\n{PAIRS}");
    for rule in REGULARITIES {
        writeln!(text, "\n### `{}`\n", rule.name).unwrap();
        writeln!(text, "{}\n", cell(rule.summary)).unwrap();
        writeln!(text, "- taken for granted: {}", cell(rule.why)).unwrap();
        writeln!(text, "- source: {}", cell(rule.source)).unwrap();
        text.push_str("\n```sql\n");
        for (at, example) in rule.examples.iter().enumerate() {
            let [one, two] = example.queries;
            let sign = if example.alike { "=" } else { "<>" };
            let gap = if at == 0 { "" } else { "\n" };
            write!(text, "{gap}   {one}\n{sign:<2} {two}\n").unwrap();
        }
        text.push_str("```\n");
    }
    text
}

#[test]
fn document_and_registry_agree() {
    examples::document_agrees(PATH, &document(), "regularities");
}
