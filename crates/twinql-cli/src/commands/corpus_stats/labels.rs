//! Pairs counted by label: in all and by split, semantics, origin, change, hardness and database.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use twinql::corpus::build::{CHANGED_SCHEMA, kinds, origin};
use twinql::corpus::{self, pairs::PairFile};
use twinql::metrics::hardness;

/// Pairs of one group by label.
#[derive(Default, Clone, Copy)]
struct Count {
    zero: usize,
    one: usize,
    none: usize,
}

impl Count {
    fn add(&mut self, label: Option<u8>) {
        *match label {
            Some(0) => &mut self.zero,
            Some(_) => &mut self.one,
            None => &mut self.none,
        } += 1;
    }

    fn total(self) -> usize {
        self.zero + self.one + self.none
    }
}

/// `301 gold queries, 12 databases`. What comes back over a changed schema is no other.
fn counted(pairs: &[corpus::Pair]) -> String {
    let changed = |p: &corpus::Pair| origin(p.source.as_deref().unwrap_or_default()) == CHANGED_SCHEMA;
    let own = || pairs.iter().filter(|p| !changed(p));
    let golds: BTreeSet<_> = own().map(|p| (&p.db_id, &p.schema, &p.gold)).collect();
    let databases: BTreeSet<_> = own().map(|p| (&p.db_id, &p.schema)).collect();
    format!("{} gold queries, {} databases", golds.len(), databases.len())
}

/// The rewrites, the neighbour's mutation and the schema changes that a source names, each once.
fn changes(source: &str) -> Vec<String> {
    // How a gold was turned is its origin.
    let changes = kinds(source).filter(|(how, _)| *how != "turned");
    let changes: BTreeSet<String> = changes.map(|(how, name)| format!("{how} {name}")).collect();
    changes.into_iter().collect()
}

/// Spider's hardness of a query, numbered so that levels are listed in order.
fn level(sql: &str) -> String {
    match twinql::sql::parse(sql) {
        Ok(parsed) => {
            let level = hardness(&parsed.query);
            format!("{} {level}", level as usize + 1)
        }
        Err(_) => "(not parsed)".into(),
    }
}

/// The groups that pairs are counted by.
const GROUPS: [&str; 6] = ["split", "semantics", "origin", "change", "hardness", "db_id"];

/// The pairs of a file by label.
pub(super) struct Labels {
    head: String,
    all: Count,
    /// By what a pair says of itself, in the order of the document's tables.
    groups: [BTreeMap<String, Count>; 6],
}

impl Labels {
    pub(super) fn of(file: &PairFile) -> Labels {
        let mut all = Count::default();
        let mut groups: [BTreeMap<String, Count>; 6] = Default::default();
        for pair in &file.pairs {
            all.add(pair.label);
            let source = pair.source.as_deref();
            let semantics = pair.extra.get("semantics").and_then(|s| s.as_str());
            let keys = [
                pair.split.iter().cloned().collect(),
                semantics.iter().map(ToString::to_string).collect(),
                source.iter().map(|s| origin(s).to_owned()).collect(),
                changes(source.unwrap_or_default()),
                vec![level(&pair.gold)],
                pair.db_id.iter().cloned().collect(),
            ];
            for ((name, counts), keys) in GROUPS.iter().zip(&mut groups).zip(keys) {
                // Pairs without a change are the ones without a rule: predictions.
                if keys.is_empty() && *name != "change" {
                    counts.entry("(none)".into()).or_default().add(pair.label);
                }
                for key in keys {
                    counts.entry(key).or_default().add(pair.label);
                }
            }
        }
        Labels { head: counted(&file.pairs), all, groups }
    }

    /// A table of all counts.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let row = |name: &str, c: &Count| {
            let mut cells = vec![name.to_owned()];
            cells.extend([c.total(), c.one, c.zero, c.none].map(|n| n.to_string()));
            cells
        };
        let head = |name: &str| [name, "pairs", "label 1", "label 0", "no label"].map(String::from).to_vec();
        let mut rows = vec![head(&self.head), row("all", &self.all)];
        for (name, counts) in GROUPS.iter().zip(&self.groups) {
            rows.push(Vec::new());
            rows.push(head(name));
            rows.extend(counts.iter().map(|(key, c)| row(key, c)));
        }
        rows
    }

    /// The same as fields of a JSON object.
    pub(super) fn add_to(&self, document: &mut Value) {
        let one =
            |c: &Count| json!({"pairs": c.total(), "label_1": c.one, "label_0": c.zero, "no_label": c.none});
        document["all"] = one(&self.all);
        for (name, counts) in GROUPS.iter().zip(&self.groups) {
            let by: serde_json::Map<String, Value> =
                counts.iter().map(|(key, c)| (key.clone(), one(c))).collect();
            document[*name] = by.into();
        }
    }
}
