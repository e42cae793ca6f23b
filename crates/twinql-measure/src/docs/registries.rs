//! Pages of single registries: checks, metrics, the rules of ESM+, and what databases, neighbours, transformed inputs and
//! degenerate completions are made of.

use twinql::audit::CHECKS;
use twinql::audit::checks::SHOP;
use twinql::gmn::ExecutionModel;
use twinql::graph::AUGMENTATIONS;
use twinql::metrics::{ESM_RULES, TRIVIAL, TrivialNgrams};
use twinql::rewards::HACKS;
use twinql::suite::generate::shapes::SHAPES;
use twinql::suite::generate::strategies::STRATEGIES;
use twinql::suite::neighbours::MUTATIONS;
use twinql::suite::plausible::{CHECKS as ODDITIES, REGULARITIES};
use twinql_cli::registries::{checks, escaped, metrics};
use twinql_perturb::RELATIONS;
use twinql_sql::Dialect;
use twinql_sql::dialects::QUESTIONS;
use twinql_sql::explain::kinds::KINDS;
use twinql_sql::normalize::example::SHOP as EXAMPLES;

use super::tables::{code, table, written_from};
use super::{Page, root};

/// All of them.
pub(super) fn pages() -> Vec<Page> {
    vec![
        of_checks(),
        of_dialects(),
        of_metrics(),
        of_esm(),
        of_databases(),
        of_kinds(),
        of_relations(),
        of_completions(),
    ]
}

/// The n-grams that `crystalbleu` leaves out where no corpus is named: those of the bundled golds, but for the databases that
/// are held out. Not a page, and generated all the same.
pub(super) fn trivial_ngrams() -> Result<Page, Box<dyn std::error::Error>> {
    let held_out = std::fs::read_to_string(root().join("data/held_out.txt"))?;
    let golds = std::fs::read_to_string(root().join("data/gold.tsv"))?;
    let queries = golds.lines().filter_map(|line| {
        let (sql, db_id) = line.rsplit_once('\t')?;
        (!held_out.lines().any(|held| held == db_id)).then_some(sql)
    });
    let text = TrivialNgrams::of_queries(queries, TRIVIAL).to_tsv();
    Ok(Page { path: "crates/twinql-metrics/src/classic/trivial_ngrams.tsv".into(), text })
}

fn page(name: &str, title: &str, source: &str, body: &str) -> Page {
    let text = format!("# {title}\n\n{}\n{body}", written_from(source));
    Page { path: format!("docs/reference/{name}.md"), text }
}

fn of_checks() -> Page {
    let rows = CHECKS.iter().map(|check| {
        [format!("[`{0}`](#{0})", check.id), check.severity.to_string(), escaped(check.summary)]
    });
    let mut body = format!(
        "What [`twinql audit`](../audit.md) looks for. The queries are the checks' tests, over this schema:\n\n\
         ```sql\n{SHOP}```\n\n{}",
        table(["check", "severity", "finds"], rows)
    );
    for entry in CHECKS.iter().filter_map(|check| checks::entry(check.id)) {
        body += &format!("\n{}", entry.markdown());
    }
    page("checks", "Checks of golds", "the registry of checks", &body)
}

fn of_dialects() -> Page {
    let all: Vec<_> = Dialect::ALL.into_iter().map(|d| (d, d.described())).collect();
    let mut body = String::from(
        "What each dialect means where systems differ. [Dialects](../dialects.md) says how queries of them are read.\n\n",
    );
    let heads: Vec<&str> = std::iter::once("dialect").chain(QUESTIONS).collect();
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    body += &row(&heads.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>());
    body += &row(&vec!["---".to_owned(); heads.len()]);
    for (dialect, described) in &all {
        let mut cells = vec![format!("`{dialect}`")];
        cells.extend(described.answers.iter().cloned());
        body += &row(&cells);
    }
    body += "\n## Functions\n\nThe functions that a dialect has in its own table, beside those of every system. What stands behind an \
        arrow is the function of SQLite or of the sandbox that takes the same arguments; the others are written out. A function \
        without a row is opaque: equal calls are equal, and nothing executes it.\n";
    for (dialect, described) in all.iter().filter(|(_, d)| !d.functions.is_empty()) {
        let also = described.also.join("`, `");
        let also = if also.is_empty() { String::new() } else { format!(" (also `{also}`)") };
        body += &format!("\n### {}\n\n`--dialect {dialect}`{also}.\n\n", dialect.system());
        let one = |(name, to): &(&str, Option<&str>)| match to {
            Some(to) if to != name => format!("`{name}` → `{to}`"),
            _ => format!("`{name}`"),
        };
        let names: Vec<String> = described.functions.iter().map(one).collect();
        body += &format!("{}.\n", names.join(", "));
        if !described.aggregates.is_empty() {
            body += &format!("\nAggregates: `{}`.\n", described.aggregates.join("`, `"));
        }
    }
    page("dialects", "What dialects mean", "the registry of dialects", &body)
}

fn of_metrics() -> Page {
    let entries = metrics::rows().filter_map(|row| metrics::entry(row.name));
    let rows = entries.map(|entry| {
        let fact = |name: &str| {
            let found = entry.facts.iter().find(|(what, _)| *what == name);
            escaped(found.map_or("", |(_, said)| said))
        };
        [
            code(entry.name),
            escaped(&entry.about),
            fact("range"),
            fact("threshold"),
            fact("semantics"),
            fact("source"),
        ]
    });
    let head = ["metric", "what it is", "range", "the same from", "semantics", "source"];
    let body = format!("[Metrics](../metrics.md) says how each is computed.\n\n{}", table(head, rows));
    page("metrics", "The metrics", "the registry of metrics", &body)
}

fn of_esm() -> Page {
    let mut rules: Vec<_> = ESM_RULES.iter().collect();
    rules.sort_by_key(|rule| rule.number);
    let rows = rules.into_iter().map(|rule| {
        let alike = format!("`{}` <br> `{}`", rule.before, rule.after);
        [rule.number.to_string(), rule.name.to_owned(), alike, escaped(rule.assumes)]
    });
    let body = format!(
        "The equivalences that [`esm+`](../esm.md#the-rules-of-esm) knows, over the schema that stands there.\n\n{}",
        table(["rule", "name", "these match", "assumed"], rows)
    );
    page("esm-rules", "The rules of ESM+", "the registry of the rules of ESM+", &body)
}

fn of_databases() -> Page {
    let strategies =
        STRATEGIES.iter().map(|one| [code(one.name), escaped(one.doc), escaped(one.when), escaped(one.why)]);
    let shapes = SHAPES.iter().map(|one| [code(one.name), escaped(one.columns), escaped(one.why)]);
    let mutations = MUTATIONS.iter().map(|one| [code(one.name), escaped(one.doc)]);
    let regularities = REGULARITIES.iter().map(|one| {
        let counted = one.counted.map_or("by hand".to_owned(), |c| format!("{} of {}", c.holds, c.of));
        [code(one.name), format!("{:.2}", one.probability), counted, escaped(one.summary)]
    });
    let oddities = ODDITIES.iter().map(|one| [code(one.name), escaped(one.summary)]);
    let body = format!(
        "## Strategies\n\nWhat a generated database may be like ([how databases are made](../fuzzer.md)).\n\n{}\n\
         ## Shapes of values\n\nValues that queries need to be told apart.\n\n{}\n\
         ## Mutations\n\nHow neighbours of golds are made ([suites](../suites.md)).\n\n{}\n\
         ## Regularities\n\nWhat [plausible databases](../plausible.md) hold, and in which share of them.\n\n{}\n\
         ## Oddities\n\nWhat makes a witness odd.\n\n{}",
        table(["strategy", "what it does", "when", "tells apart"], strategies),
        table(["shape", "of which columns", "tells apart"], shapes),
        table(["mutation", "what it changes"], mutations),
        table(["regularity", "share of databases", "counted", "what it says"], regularities),
        table(["oddity", "what plausible databases have instead"], oddities),
    );
    page("databases", "What databases and suites are made of", "the registries of `twinql-suite`", &body)
}

fn of_kinds() -> Page {
    let weights = ExecutionModel::shipped().map(|model| &model.weights);
    let rows = KINDS.iter().map(|kind| {
        let shown = kind.examples.iter().find(|example| !example.alike);
        let shown = shown.map_or_else(String::new, |e| format!("`{}` <br> `{}`", e.queries[0], e.queries[1]));
        let weight = weights.and_then(|w| w.get(kind.name)).copied().unwrap_or_default();
        [code(kind.name), escaped(kind.about), escaped(&shown), format!("{weight:+.2}").replace('-', "−")]
    });
    let body = format!(
        "In what a gold and a prediction are not alike, by their canonical trees. `explain` and `prove` name the kinds of a \
         pair, and [`ex`](../plausible.md#ex-all-that-is-known) adds their log odds. A kind does not say that the answers \
         differ. Each example is told apart by some database over this schema:\n\n```sql\n{EXAMPLES}```\n\n{}",
        table(["kind", "what it says", "gold and prediction", "log odds"], rows)
    );
    page("kinds", "Kinds of difference", "the registry of kinds of difference", &body)
}

fn of_relations() -> Page {
    let relations = RELATIONS.iter().map(|one| {
        [
            code(one.name),
            one.short.to_owned(),
            escaped(one.precondition),
            escaped(one.question),
            escaped(one.schema),
            escaped(one.gold),
            one.section.to_owned(),
        ]
    });
    let augmentations = AUGMENTATIONS.iter().map(|one| [code(one.name), escaped(one.doc)]);
    let head = ["relation", "short", "applies", "the question", "the schema", "the gold", "in MT-TEQL"];
    let body = format!(
        "## Of questions and schemas\n\n[Consistency](../consistency.md) says how they are used.\n\n{}\n\
         ## Of graphs\n\nWhat [pretraining](../training.md) makes views by.\n\n{}",
        table(head, relations),
        table(["augmentation", "what it does"], augmentations)
    );
    page("relations", "Transformations", "the registries of relations and augmentations", &body)
}

fn of_completions() -> Page {
    let mut body =
        "Completions that ask for a reward and answer nothing. [Rewards](../rewards.md) says what they earn.\n".to_owned();
    for (family, kinds) in &HACKS {
        let rows = kinds.iter().map(|one| [code(one.name), escaped(one.summary)]);
        body += &format!("\n## {family}\n\n{}", table(["kind", "what it is"], rows));
    }
    page("completions", "Degenerate completions", "the registry of degenerate completions", &body)
}
