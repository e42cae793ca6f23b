//! The examples of all regularities, executed on plausible databases: most of them agree where two queries are made
//! alike, and some database tells a near miss apart.

use rayon::prelude::*;
use twinql_sql::normalize::REGULARITIES;
use twinql_sql::normalize::example::Example;
use twinql_suite::Expectation;
use twinql_suite::plausible::ExpectedConfig;
use twinql_suite::{Judge, JudgeConfig, Verdict};

/// The share of plausible databases that have to agree on a pair that is made alike.
const MOST: f64 = 0.6;

#[test]
fn plausible_databases_agree_with_the_examples() {
    let schema = Example::schema().unwrap();
    let all: Vec<(&str, &Example)> =
        REGULARITIES.iter().flat_map(|rule| rule.examples.iter().map(|e| (rule.name, e))).collect();
    let objection = |(rule, example): &(&str, &Example)| {
        let semantics = example.semantics().unwrap();
        let judge = Judge::new(&schema, JudgeConfig { semantics, databases: 300, ..JudgeConfig::default() });
        let judge = judge.unwrap();
        let [one, two] = example.queries;
        let found = if example.alike {
            match judge.expected(one, two, ExpectedConfig { databases: 64 }) {
                Expectation::Counted(expected) if expected.share().is_some_and(|share| share >= MOST) => {
                    return None;
                }
                found => format!("{found:?}"),
            }
        } else {
            match judge.judge(one, two) {
                Verdict::Different { .. } => return None,
                found => format!("{found:?}"),
            }
        };
        Some(format!("{rule}: {example:#?}\n{found}"))
    };
    let wrong: Vec<String> = all.par_iter().filter_map(objection).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}
