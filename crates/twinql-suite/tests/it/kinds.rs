//! The examples of all kinds of difference, executed: some database tells each pair apart.

use rayon::prelude::*;
use twinql_sql::explain::kinds::KINDS;
use twinql_sql::normalize::example::Example;
use twinql_suite::{Judge, JudgeConfig, Verdict};

#[test]
fn examples_of_kinds_are_told_apart() {
    let schema = Example::schema().unwrap();
    let all: Vec<(&str, &Example)> = KINDS
        .iter()
        .flat_map(|kind| kind.examples.iter().map(|e| (kind.name, e)))
        .filter(|(_, e)| !e.alike)
        .collect();
    let objection = |(kind, example): &(&str, &Example)| {
        let semantics = example.semantics().unwrap();
        let judge = Judge::new(&schema, JudgeConfig { semantics, databases: 300, ..JudgeConfig::default() });
        match judge.unwrap().judge(example.queries[0], example.queries[1]) {
            Verdict::Different { .. } => None,
            found => Some(format!("{kind}: {:?}\n{found:?}", example.queries)),
        }
    };
    let wrong: Vec<String> = all.par_iter().filter_map(objection).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
