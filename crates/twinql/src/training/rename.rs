//! Other names for tables and columns, so that a network learns what they are to each other and not what they are called.
//!
//! What two queries have in common is that the same name stands in both; which one says next to nothing on databases that
//! the network has never seen. A share of the training pairs has names that were drawn from all schemas, the same on both
//! sides. Validation pairs keep theirs.

use std::collections::{BTreeSet, HashMap, HashSet};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twinql_graph::vocabulary::Word;
use twinql_graph::{GraphArrays, PairArrays};
use twinql_model::Example;
use twinql_sql::Schema;

/// Names of tables and columns that others may be given: those of all schemas, in lower case as graphs have them.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// Adds a schema's.
    pub(super) fn add(&mut self, schema: &Schema) {
        for table in &schema.tables {
            self.0.insert(table.name.to_ascii_lowercase());
            self.0.extend(table.columns.iter().map(|column| column.name.to_ascii_lowercase()));
        }
    }

    /// Gives a share of the pairs other names: which ones and which names belongs to the seed and the pair's place.
    pub(super) fn give(&self, share: f64, seed: u64, examples: &mut [Example]) {
        let all: Vec<&str> = self.0.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        if all.is_empty() {
            return;
        }
        examples.par_iter_mut().enumerate().for_each(|(place, example)| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            // Weaker forms have the streams from 0 on.
            rng.set_stream((1 << 40) + place as u64);
            if rng.random_bool(share.clamp(0.0, 1.0)) {
                rename(&mut example.pair, &mut |taken: &HashSet<String>| {
                    let drawn = all[rng.random_range(0..all.len())];
                    if taken.contains(drawn) { format!("{drawn}_{}", taken.len()) } else { drawn.to_owned() }
                });
            }
        });
    }
}

/// Gives the tables and columns of a pair names of `draw`, which is told those that are taken: one name for one name.
fn rename(pair: &mut PairArrays, draw: &mut dyn FnMut(&HashSet<String>) -> String) {
    let tables: HashSet<String> = [&pair.left, &pair.right].into_iter().flat_map(tables).collect();
    let mut given: HashMap<String, String> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut new = |name: &str| -> String {
        let drawn = given.entry(name.to_owned()).or_insert_with(|| {
            let drawn = draw(&taken);
            taken.insert(drawn.clone());
            drawn
        });
        drawn.clone()
    };
    for graph in [&mut pair.left, &mut pair.right] {
        for text in &mut graph.strings {
            let (table, column) = match text.split_once('.') {
                Some((table, column)) => (table, Some(column)),
                None => (text.as_str(), None),
            };
            // The second instance of a table is called `table#2`.
            let (name, instance) = table.split_once('#').map_or((table, None), |(n, i)| (n, Some(i)));
            if !tables.contains(name) {
                continue;
            }
            let mut renamed = new(name);
            if let Some(instance) = instance {
                renamed.push('#');
                renamed.push_str(instance);
            }
            if let Some(column) = column {
                renamed.push('.');
                renamed.push_str(&new(column));
            }
            *text = renamed;
        }
    }
}

/// The names of the tables that a graph reads.
fn tables(graph: &GraphArrays) -> impl Iterator<Item = String> + '_ {
    let nodes = graph.words.iter().zip(&graph.contents);
    let of_tables = nodes.filter(|(word, _)| **word == Word::TABLE.index());
    of_tables.filter_map(|(_, content)| {
        let text = graph.strings.get((*content)? as usize)?;
        Some(text.split_once('#').map_or(text.as_str(), |(name, _)| name).to_owned())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use twinql_graph::{EncodingConfig, QueryGraph};
    use twinql_sql::{Semantics, canonicalize};

    use super::*;

    fn pair(gold: &str, pred: &str) -> PairArrays {
        let schema = Schema::from_ddl(
            "d",
            "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, boss INTEGER); CREATE TABLE song (id INTEGER)",
        )
        .unwrap();
        let semantics = Semantics::default();
        let graph = |sql: &str| {
            let canonical = canonicalize(&schema, sql, &semantics).unwrap();
            QueryGraph::lower(&schema, &canonical.plan, &semantics).unwrap()
        };
        PairArrays::build(&graph(gold), &graph(pred), &EncodingConfig::default())
    }

    #[test]
    fn names_are_exchanged_one_for_one_and_values_stay() {
        let twice = "SELECT b.name FROM singer a, singer b WHERE a.boss = b.id";
        let before = pair(twice, "SELECT name FROM singer WHERE id > 3");
        let mut after = before.clone();
        let mut number = 0;
        rename(&mut after, &mut |_| {
            number += 1;
            format!("n{number}")
        });
        // The table, and its three columns.
        assert_eq!(number, 4);
        let all = |pair: &PairArrays| [pair.left.strings.clone(), pair.right.strings.clone()].concat();
        let (old, new) = (all(&before), all(&after));
        let mut map: HashMap<&str, &str> = HashMap::new();
        for (old, new) in old.iter().zip(&new) {
            assert_eq!(*map.entry(old).or_insert(new), new, "one name for one name");
        }
        let numbers: Vec<_> = map.iter().filter(|(old, _)| old.parse::<i64>().is_ok()).collect();
        assert!(!numbers.is_empty() && numbers.iter().all(|(old, new)| old == new), "values stay: {map:?}");
        assert!(map["singer"].starts_with('n') && map["singer#2"] == format!("{}#2", map["singer"]));
        let distinct: HashSet<&&str> = map.values().collect();
        assert_eq!(distinct.len(), map.len());
        // All but the texts is as it was.
        let texts = |pair: PairArrays| PairArrays {
            left: GraphArrays { strings: Vec::new(), ..pair.left },
            right: GraphArrays { strings: Vec::new(), ..pair.right },
            ..pair
        };
        assert_eq!(texts(before), texts(after));
    }
}
