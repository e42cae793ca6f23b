//! A registry of rules, tried on its own examples.

use twinql_sql::normalize::Rule;
use twinql_sql::normalize::example::Example;
use twinql_sql::{Canonical, Schema, Semantics, explain, parse, plan};

/// The forms of both queries of an example; `form` makes one of a plan.
pub fn forms(
    schema: &Schema,
    example: &Example,
    form: impl Fn(twinql_sql::Plan, &Semantics) -> Canonical,
) -> [Canonical; 2] {
    let semantics = example.semantics().unwrap();
    example.queries.map(|sql| {
        let parsed = parse(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let plan = plan(schema, &parsed).unwrap_or_else(|e| panic!("{sql}: {e}"));
        form(plan, &semantics)
    })
}

/// Each pair that a rule makes alike is alike by that rule and not without it; a near miss is not. `forms` gives those of
/// an example by all rules but one.
pub fn alike_by_their_rules(
    schema: &Schema,
    rules: &[Rule],
    forms: impl Fn(&Example, &str) -> [Canonical; 2],
) {
    let mut wrong = Vec::new();
    for rule in rules {
        for example in rule.examples {
            let [one, two] = forms(example, "");
            let equal = one.plan.query == two.plan.query;
            let applied = [&one, &two].into_iter().any(|c| c.applied.contains(&rule.name));
            let [bare, other] = forms(example, rule.name);
            let found = match (example.alike, equal) {
                _ if !one.complete || !two.complete => "not brought to an end",
                (true, false) => "not alike",
                (false, true) => "alike, and a near miss",
                (true, true) if !applied => "alike, and the rule had no part in it",
                (true, true) if bare.plan.query == other.plan.query => "alike without the rule as well",
                _ => continue,
            };
            let trees = [&one, &two].map(|c| explain::tree(schema, &c.plan));
            wrong.push(format!("{}: {found}: {example:#?}\n{}", rule.name, trees.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}
