//! `docs/rules.md` is the registry of rules, written out. After a change of a rule run
//! `TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test it rules_document::`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common;

use std::fmt::Write;

use common::examples;
use twinql_sql::normalize::example::{Example, SHOP};
use twinql_sql::normalize::{Needs, ORDER, normalize_with};
use twinql_sql::{RULES, Rule, Schema, Semantics, parse, plan, semantics::PRESETS};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");

const HEAD: &str = "# Normalisation rules

<!-- Written from the registry: TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test it rules_document:: -->

A query is brought into canonical form by these rules, tried at every node in this order, inputs
before the nodes that read them, until none changes anything. Two queries whose canonical forms are
equal return the same answer on every database that meets the assumptions of the
[semantics](semantics.md); the reverse need not hold.

A rule that needs something which the semantics does not assume is not applied:

| need | what is assumed | presets that assume it |
|---|---|---|
";

const MIDDLE: &str = "
Two more things are looked up by a rule itself wherever it stands, and so hold a rule back at single
columns rather than altogether: which columns are never NULL (marked *null knowledge*), and which sets of
columns are unique.

Expressions are rewritten in order to a normal form rather than kept as sets of equal ones in an e-graph:
two queries are compared by equality of one canonical form each, made in tens of microseconds, and
saturation would not pay for the few expressions of a query.

## Order

Rules build on one another: what one leaves is what another one looks for. All are tried again until none
changes anything, so that the order in which they are tried seldom counts. It does for these, and a test
tries other orders to see that it does for no others:

| before | after | why |
|---|---|---|
";

const EXAMPLES: &str = "
## The rules

Each stands here with queries over one small schema:

";

const PAIRS: &str = "
Two queries with `=` between them have one canonical form by this rule, and not without it. Two with `<>`
look like it and are not the same: some database that meets the semantics tells them apart. The semantics
stands above each pair, with the reason where the databases of our judge do not suffice; `nulls` is `no-fk` with NULLs and empty tables. Tests hold all of this, and execute
every pair on random databases.
";

/// The assumptions, with what they mean and where they are found in [`Needs`].
type Need = (&'static str, &'static str, Needs);

fn needs() -> Vec<Need> {
    vec![
        ("keys", "primary keys and unique columns are unique, primary keys are not NULL", Needs::KEYS),
        (
            "foreign keys",
            "a foreign key refers to a row that exists; where columns may be NULL, or is NULL",
            Needs { foreign_keys: true, ..Needs::NOTHING },
        ),
        ("no empty tables", "no base table is empty", Needs::NO_EMPTY_TABLES),
        ("typed", "values have their column's type", Needs::TYPED),
    ]
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*")
}

/// Names of rules as a list.
fn code<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    names.join(", ")
}

/// Rules without which this one has nothing to do in any of the pairs that it makes alike.
fn builds_on(schema: &Schema, rule: &Rule) -> Vec<&'static str> {
    let acts = |example: &Example, without: &str| {
        let semantics = example.semantics().unwrap();
        example.queries.into_iter().any(|sql| {
            let plan = plan(schema, &parse(sql).unwrap()).unwrap();
            let form = normalize_with(schema, plan, &semantics, &|r| r.name != without);
            form.applied.contains(&rule.name)
        })
    };
    let alike: Vec<&Example> = rule.examples.iter().filter(|e| e.alike).collect();
    let needed = |other: &&Rule| other.name != rule.name && !alike.iter().any(|e| acts(e, other.name));
    RULES.iter().filter(needed).map(|r| r.name).collect()
}

fn section(text: &mut String, schema: &Schema, rule: &Rule) {
    let of = rule.needs;
    let needs: Vec<&str> = [
        (of.keys, "keys"),
        (of.foreign_keys, "foreign keys"),
        (of.no_empty_tables, "no empty tables"),
        (of.typed, "typed"),
        (of.not_null, "*null knowledge*"),
    ]
    .into_iter()
    .filter_map(|(on, name)| on.then_some(name))
    .collect();
    writeln!(text, "\n### `{}`\n", rule.name).unwrap();
    writeln!(text, "{}\n", cell(rule.summary)).unwrap();
    writeln!(text, "- why: {}", cell(rule.why)).unwrap();
    writeln!(text, "- source: {}", cell(rule.source)).unwrap();
    if !needs.is_empty() {
        writeln!(text, "- needs: {}", needs.join(", ")).unwrap();
    }
    let below = builds_on(schema, rule);
    if !below.is_empty() {
        writeln!(text, "- builds on: {}", code(below)).unwrap();
    }
    text.push_str("\n```sql\n");
    for (at, example) in rule.examples.iter().enumerate() {
        let [one, two] = example.queries;
        let sign = if example.alike { "=" } else { "<>" };
        let gap = if at == 0 { "" } else { "\n" };
        let untold = example.untold.map_or(String::new(), |why| format!(": {why}"));
        write!(text, "{gap}-- {}{untold}\n   {one}\n{sign:<2} {two}\n", example.under).unwrap();
    }
    text.push_str("```\n");
}

fn document() -> String {
    let mut text = String::from(HEAD);
    for (name, meaning, need) in needs() {
        let presets: Vec<&str> =
            PRESETS.into_iter().filter(|p| need.hold_under(&Semantics::preset(p).unwrap())).collect();
        writeln!(text, "| {name} | {meaning} | {} |", presets.join(", ")).unwrap();
    }
    text.push_str(MIDDLE);
    for order in ORDER {
        writeln!(text, "| `{}` | `{}` | {} |", order.first, order.then, cell(order.why)).unwrap();
    }
    text.push_str(EXAMPLES);
    writeln!(text, "```sql\n{SHOP}```").unwrap();
    text.push_str(PAIRS);
    let schema = Example::schema().unwrap();
    for rule in RULES {
        section(&mut text, &schema, rule);
    }
    text
}

#[test]
fn document_and_registry_agree() {
    examples::document_agrees(PATH, &document(), "rules_document");
}
