//! `docs/rules.md` is the registry of rules, written out. After a change of a rule run
//! `TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test rules_document`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write;

use twinql_sql::normalize::Needs;
use twinql_sql::{RULES, Semantics, semantics::PRESETS};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");

const HEAD: &str = "# Normalisation rules

<!-- Written from the registry: TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test rules_document -->

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

| rule | what it does | needs | where it comes from |
|---|---|---|---|
";

/// The assumptions, with what they mean and where they are found in [`Needs`].
type Need = (&'static str, &'static str, Needs);

fn needs() -> Vec<Need> {
    vec![
        (
            "keys",
            "primary keys and unique columns are unique, primary keys are not NULL",
            Needs::KEYS,
        ),
        (
            "foreign keys",
            "a foreign key refers to a row that exists; where columns may be NULL, or is NULL",
            Needs {
                foreign_keys: true,
                ..Needs::NOTHING
            },
        ),
        (
            "no empty tables",
            "no base table is empty",
            Needs::NO_EMPTY_TABLES,
        ),
        ("typed", "values have their column's type", Needs::TYPED),
    ]
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*")
}

fn document() -> String {
    let mut text = String::from(HEAD);
    for (name, meaning, need) in needs() {
        let presets: Vec<&str> = PRESETS
            .into_iter()
            .filter(|p| need.hold_under(&Semantics::preset(p).unwrap()))
            .collect();
        writeln!(text, "| {name} | {meaning} | {} |", presets.join(", ")).unwrap();
    }
    text.push_str(MIDDLE);
    for rule in RULES {
        let of = rule.needs;
        let mut named: Vec<&str> = Vec::new();
        for (on, name) in [
            (of.keys, "keys"),
            (of.foreign_keys, "foreign keys"),
            (of.no_empty_tables, "no empty tables"),
            (of.typed, "typed"),
            (of.not_null, "*null knowledge*"),
        ] {
            if on {
                named.push(name);
            }
        }
        let named = if named.is_empty() {
            "–".to_owned()
        } else {
            named.join(", ")
        };
        writeln!(
            text,
            "| `{}` | {} | {named} | {} |",
            rule.name,
            cell(rule.summary),
            cell(rule.source)
        )
        .unwrap();
    }
    text
}

#[test]
fn document_and_registry_agree() {
    let wanted = document();
    if std::env::var_os("TWINQL_WRITE_DOCS").is_some() {
        std::fs::write(PATH, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(PATH).unwrap_or_default();
    assert!(
        found.replace("\r\n", "\n") == wanted,
        "docs/rules.md is not what the registry says: run `TWINQL_WRITE_DOCS=1 cargo test -p twinql-sql --test rules_document`"
    );
}
