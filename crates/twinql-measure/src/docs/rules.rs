//! docs/rules.md with a page for each family, and docs/regularities.md.

use twinql::Semantics;
use twinql::sql::normalize::example::SHOP;
use twinql::sql::normalize::{FAMILIES, Needs, ORDER, REGULARITIES};
use twinql::sql::semantics::PRESETS;
use twinql_cli::registries::{escaped, rules};

use super::Page;
use super::tables::{code, table, written_from};

const HEAD: &str = "
A query is brought into canonical form by these rules, tried at every node in this order, inputs
before the nodes that read them, until none changes anything. Two queries whose canonical forms are
equal return the same answer on every database that meets the assumptions of the
[semantics](semantics.md); the reverse need not hold. `twinql rules NAME` prints what stands here of one.

A rule that needs something which the semantics does not assume is not applied:

";

const MIDDLE: &str = "
Two more things are looked up by a rule itself wherever it stands, and so hold a rule back at single
columns rather than altogether: which columns are never NULL (*null knowledge*), and which sets of
columns are unique.

Expressions are rewritten in order to a normal form rather than kept as sets of equal ones in an e-graph:
two queries are compared by equality of one canonical form each, made in tens of microseconds, and
saturation would not pay for the few expressions of a query.

How many canonical forms and proofs rest on each rule is counted [over real queries](results.md#rules).

## The rules

";

const ORDERED: &str = "
## Order

Rules build on one another: what one leaves is what another one looks for. All are tried again until none
changes anything, so that the order in which they are tried seldom counts. It does for these, and a test
tries other orders to see that it does for no others:

";

const PAIRS: &str = "
Two queries with `=` between them have one canonical form by the rule, and not without it. Two with `<>`
look like it and are not the same: some database that meets the semantics tells them apart. The semantics
stands above each pair, with the reason where the databases of our judge do not suffice; `nulls` is `no-fk` with
NULLs and empty tables. Tests hold all of this, and execute every pair on random databases.
";

const REGULAR: &str = "
A look-up by name finds one row, a measure has one greatest value, a date is written `2024-05-01`. No schema says
so, and no proof may take it for granted. But whoever writes queries for a database does, and two queries that
differ in nothing else answer the same wherever people have data.

Networks that are asked `--question plausible` read canonical forms that are made by these rules and by the
[normalisation rules](rules.md), which come first: what they make alike stays alike
(but for the letters of a LIKE, which are taken as they are written). A mark in the graph names each
regularity that a query met: two queries whose forms are equal by different regularities are near each other, and not the
same. A network can learn from the marks how far each can be trusted; the built-in ones have met none in training.
Nothing else uses them: proofs, suites, labels, and
the question `every` know the normalisation rules alone. [Plausible databases](plausible.md) are made to hold most of
them, each with a probability.

How often they are right is counted on pairs that are the same or not by execution or by plausible databases:

```sh
cargo measure plausible-forms PAIRS.jsonl SCHEMAS [SEMANTICS]
```

Two rules were tried and left out for their figures: that texts which differ in the case of letters alone are the same (a
wrong case is a common mistake, and finds nothing), and that LEFT JOIN is JOIN.

## The rules

They are shown over the schema of the normalisation rules:

";

const REGULAR_PAIRS: &str = "
Two queries with `=` between them have one form by this rule, and not without it; two with `<>` do not. The semantics
is `bird`, or one with NULLs where a pair shows these. Tests hold this, and count on how many plausible databases the answers agree.
";

/// The assumptions, with what they mean and where they are found in [`Needs`].
const ASSUMED: [(&str, &str, Needs); 4] = [
    ("keys", "primary keys and unique columns are unique, primary keys are not NULL", Needs::KEYS),
    (
        "foreign keys",
        "a foreign key refers to a row that exists; where columns may be NULL, or is NULL",
        Needs { foreign_keys: true, ..Needs::NOTHING },
    ),
    ("no empty tables", "no base table is empty", Needs::NO_EMPTY_TABLES),
    ("typed", "values have their column's type", Needs::TYPED),
];

/// The index, the families, and the regularities.
pub(super) fn pages() -> Result<Vec<Page>, Box<dyn std::error::Error>> {
    let mut pages = vec![index()];
    for family in FAMILIES {
        let mut text = format!(
            "# {}\n\n{}\n{} [All families](../rules.md). The examples are over this schema:\n\n```sql\n{SHOP}```\n{PAIRS}",
            family.title,
            written_from("the registry of rules"),
            family.about
        );
        for rule in family.rules {
            text += &format!("\n{}", rules::of_rule(rule)?.markdown());
        }
        pages.push(Page { path: format!("docs/rules/{}.md", family.name), text });
    }
    let source = written_from("the registry of regularities");
    let mut text = format!("# Regularities\n\n{source}{REGULAR}```sql\n{SHOP}```\n{REGULAR_PAIRS}");
    for rule in REGULARITIES {
        text += &format!("\n{}", rules::of_regularity(rule).markdown());
    }
    pages.push(Page { path: "docs/regularities.md".into(), text });
    Ok(pages)
}

fn index() -> Page {
    let mut text = format!("# Normalisation rules\n\n{}{HEAD}", written_from("the registry of rules"));
    let needs = ASSUMED.iter().map(|(name, meaning, need)| {
        let holds =
            |preset: &&str| Semantics::preset(preset).is_some_and(|semantics| need.hold_under(&semantics));
        let presets: Vec<&str> = PRESETS.into_iter().filter(holds).collect();
        [(*name).to_owned(), (*meaning).to_owned(), presets.join(", ")]
    });
    text += &table(["need", "what is assumed", "presets that assume it"], needs);
    text += MIDDLE;
    for family in FAMILIES {
        text += &format!("**[{}](rules/{}.md).** {}\n\n", family.title, family.name, family.about);
        for rule in family.rules {
            let (name, page) = (rule.name, family.name);
            text += &format!("- [`{name}`](rules/{page}.md#{name}): {}\n", escaped(rule.summary));
        }
        text.push('\n');
    }
    text.pop();
    text += ORDERED;
    let order = ORDER.iter().map(|order| [code(order.first), code(order.then), escaped(order.why)]);
    text += &table(["before", "after", "why"], order);
    Page { path: "docs/rules.md".into(), text }
}
