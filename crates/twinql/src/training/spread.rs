//! Training pairs that several corpora hold, each used under one semantics.
//!
//! `corpus relabel` gives the same pairs the labels of another semantics. Most labels stay, and
//! what such a pair teaches under one semantics it hardly teaches again under the next, at
//! the same price. So each is used once; pairs whose labels differ are used everywhere, since they
//! are what tells the semantics apart.

use std::collections::HashMap;
use std::sync::Arc;

use twinql_files::{Fingerprint, sha256};
use twinql_sql::Schema;

use super::labelled::Labelled;

/// Which corpora hold a pair, and whether they label it alike.
struct Holders {
    corpora: Vec<usize>,
    label: bool,
    alike: bool,
}

/// Tells pairs apart, the same in every run and every release.
#[derive(Default)]
pub(super) struct Keys {
    /// Hashes of schemas that have been seen, by where they lie.
    schemas: HashMap<*const Schema, [u8; 32]>,
}

impl Keys {
    /// The key of a pair. Tables are part of it: a pair may come back over a changed schema in the same
    /// words.
    pub(super) fn of(&mut self, pair: &Labelled) -> u64 {
        let schema = self
            .schemas
            .entry(Arc::as_ptr(&pair.schema))
            .or_insert_with(|| sha256(format!("{}\n{}", pair.schema.db_id, pair.schema.to_ddl())));
        let parts = [&schema[..], pair.gold.as_bytes(), pair.pred.as_bytes()];
        Fingerprint::of(parts).number()
    }
}

/// Leaves each training pair in one corpus of those that hold it with one label, chosen by a
/// hash of the pair. Validation pairs stay where they are. Returns how many were taken out.
pub(super) fn spread(corpora: &mut [Vec<Labelled>]) -> usize {
    let mut keys = Keys::default();
    let mut holders: HashMap<u64, Holders> = HashMap::new();
    for (number, corpus) in corpora.iter().enumerate() {
        for pair in corpus.iter().filter(|pair| !pair.valid) {
            let held = holders.entry(keys.of(pair)).or_insert_with(|| Holders {
                corpora: Vec::new(),
                label: pair.label,
                alike: true,
            });
            held.alike &= held.label == pair.label;
            if held.corpora.last() != Some(&number) {
                held.corpora.push(number);
            }
        }
    }
    let mut taken = 0;
    for (number, corpus) in corpora.iter_mut().enumerate() {
        corpus.retain(|pair| {
            let key = keys.of(pair);
            let stays = match holders.get(&key) {
                Some(held) if !pair.valid && held.alike => {
                    let chosen = key as usize % held.corpora.len().max(1);
                    held.corpora.get(chosen) == Some(&number)
                }
                _ => true,
            };
            taken += usize::from(!stays);
            stays
        });
    }
    taken
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn corpus(different: bool) -> Vec<Labelled> {
        let schema = Arc::new(Schema::from_ddl("d", "CREATE TABLE t (a INTEGER)").unwrap());
        (0..100)
            .map(|i| Labelled {
                schema: Arc::clone(&schema),
                gold: format!("SELECT a FROM t WHERE a > {i}"),
                pred: "SELECT a FROM t".into(),
                label: different && i < 10,
                valid: i >= 90,
                origin: "prediction",
                weight: 1.0,
                ease: None,
            })
            .collect()
    }

    #[test]
    fn each_is_used_once_unless_labels_differ() {
        let mut corpora = [corpus(false), corpus(true)];
        assert_eq!(spread(&mut corpora), 80);
        let counts = corpora.each_ref().map(Vec::len);
        // 10 whose labels differ and 10 of validation in both.
        assert_eq!(counts[0] + counts[1], 120);
        assert!(counts.iter().all(|&n| n > 40), "{counts:?}");
        let mut golds: Vec<&str> = corpora.iter().flatten().map(|p| p.gold.as_str()).collect();
        golds.sort_unstable();
        golds.dedup();
        assert_eq!(golds.len(), 100);
    }
}
