//! The normalisation rules, and the regularities.

use anyhow::Result;
use twinql::sql::normalize::example::{Example, SHOP};
use twinql::sql::normalize::{FAMILIES, REGULARITIES, normalize_with};
use twinql::sql::{RULES, Rule, Schema, SqlError, parse, plan};

use super::{Entry, Row};

/// What the regularities stand under.
pub const OF_REGULARITIES: &str = "regularities";

/// All rules in the order in which they are tried, then the regularities.
pub fn rows() -> impl Iterator<Item = Row> {
    let families = FAMILIES.iter().map(|family| (family.name, family.rules));
    families.chain([(OF_REGULARITIES, REGULARITIES)]).flat_map(|(family, rules)| {
        rules.iter().map(move |rule| Row { name: rule.name, about: rule.summary, family: Some(family) })
    })
}

/// The rule or regularity of a name.
///
/// # Errors
/// An example does not plan, which the tests of `twinql-sql` rule out.
pub fn entry(name: &str) -> Result<Option<Entry>> {
    if let Some(rule) = RULES.iter().find(|rule| rule.name == name) {
        return of_rule(rule).map(Some);
    }
    Ok(REGULARITIES.iter().find(|rule| rule.name == name).map(of_regularity))
}

/// A rule with its reason, its source, its needs, the rules that it builds on, and its examples.
///
/// # Errors
/// As for [`entry`].
pub fn of_rule(rule: &Rule) -> Result<Entry> {
    let mut facts = vec![("why", rule.why.to_owned()), ("source", rule.source.to_owned())];
    let needs: Vec<&str> = [
        (rule.needs.keys, "keys"),
        (rule.needs.foreign_keys, "foreign keys"),
        (rule.needs.no_empty_tables, "no empty tables"),
        (rule.needs.typed, "typed"),
        (rule.needs.not_null, "null knowledge"),
    ]
    .into_iter()
    .filter_map(|(on, name)| on.then_some(name))
    .collect();
    if !needs.is_empty() {
        facts.push(("needs", needs.join(", ")));
    }
    let below = builds_on(&Example::schema()?, rule)?;
    if !below.is_empty() {
        let names: Vec<String> = below.into_iter().map(|name| format!("`{name}`")).collect();
        facts.push(("builds on", names.join(", ")));
    }
    let head = |example: &Example| {
        let untold = example.untold.map_or(String::new(), |why| format!(": {why}"));
        format!("-- {}{untold}\n", example.under)
    };
    Ok(shown(rule, facts, head))
}

/// A regularity with what it takes for granted, its source and its examples.
pub fn of_regularity(rule: &Rule) -> Entry {
    let facts = vec![("taken for granted", rule.why.to_owned()), ("source", rule.source.to_owned())];
    shown(rule, facts, |_| String::new())
}

/// The entry, with its pairs of queries: `=` between two that it makes alike, `<>` between two that it does not.
fn shown(rule: &Rule, facts: Vec<(&'static str, String)>, head: impl Fn(&Example) -> String) -> Entry {
    let pair = |example: &Example| {
        let [one, two] = example.queries;
        let sign = if example.alike { "=" } else { "<>" };
        format!("{}   {one}\n{sign:<2} {two}\n", head(example))
    };
    let pairs: Vec<String> = rule.examples.iter().map(pair).collect();
    Entry { name: rule.name, about: rule.summary.to_owned(), facts, examples: Some((pairs.join("\n"), SHOP)) }
}

/// Rules without which this one has nothing to do in any of the pairs that it makes alike.
fn builds_on(schema: &Schema, rule: &Rule) -> Result<Vec<&'static str>, SqlError> {
    let mut plans = Vec::new();
    for example in rule.examples.iter().filter(|example| example.alike) {
        let Some(semantics) = example.semantics() else { continue };
        for sql in example.queries {
            plans.push((plan(schema, &parse(sql)?)?, semantics.clone()));
        }
    }
    let acts_without = |other: &Rule| {
        plans.iter().any(|(plan, semantics)| {
            let form = normalize_with(schema, plan.clone(), semantics, &|r| r.name != other.name);
            form.applied.contains(&rule.name)
        })
    };
    let needed = RULES.iter().filter(|other| other.name != rule.name && !acts_without(other));
    Ok(needed.map(|other| other.name).collect())
}
