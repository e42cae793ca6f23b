//! The examples of all normalisation rules, executed: the judge, which reads no canonical form,
//! finds no database that tells apart what a rule makes alike, and one for each near miss that does not
//! say why it cannot.

use std::collections::BTreeMap;

use rayon::prelude::*;
use twinql_sql::RULES;
use twinql_sql::normalize::example::Example;
use twinql_suite::{Judge, JudgeConfig, Verdict};

/// What the judge says to the examples of one semantics, where it says otherwise than their rules.
fn objections(examples: &[(&str, &Example)]) -> Vec<String> {
    let schema = Example::schema().unwrap();
    let config = JudgeConfig {
        semantics: examples[0].1.semantics().unwrap(),
        databases: 300,
        ..JudgeConfig::default()
    };
    let judge = Judge::new(&schema, config).unwrap();
    let mut wrong = Vec::new();
    for (rule, example) in examples {
        let [one, two] = example.queries;
        let found = match (judge.judge(one, two), example.alike, example.untold) {
            (Verdict::Same { .. }, true, _) | (Verdict::Different { .. }, false, None) => continue,
            (Verdict::Same { .. }, false, Some(_)) => continue,
            (verdict, ..) => format!("{verdict:?}"),
        };
        let found: String = found.chars().take(600).collect();
        wrong.push(format!("{rule}: {example:#?}\n{found}"));
    }
    wrong
}

#[test]
fn examples_are_what_the_rules_say() {
    let mut by_semantics: BTreeMap<&str, Vec<(&str, &Example)>> = BTreeMap::new();
    for rule in RULES {
        for example in rule.examples {
            let all = by_semantics.entry(example.under).or_default();
            all.push((rule.name, example));
        }
    }
    let parts: Vec<&[(&str, &Example)]> = by_semantics.values().flat_map(|all| all.chunks(24)).collect();
    let wrong: Vec<String> = parts.into_par_iter().flat_map(objections).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}
