//! Training pairs that several corpora hold, each used under one semantics.
//!
//! `corpus relabel` gives the same pairs the labels of another semantics. Most labels stay, and
//! what such a pair teaches under one semantics it hardly teaches again under the next, at
//! the same price. So each is used once; pairs whose labels differ are used everywhere, since they
//! are what tells the semantics apart.

use std::collections::HashMap;
use std::sync::Arc;

use twinql_files::{Fingerprint, sha256};
use twinql_graph::Question;
use twinql_sql::Schema;

use super::labelled::Labelled;

/// Which corpora hold a pair, and whether they say the same of it.
struct Holders {
    corpora: Vec<usize>,
    said: f32,
    alike: bool,
}

/// Shares that lie closer say the same.
const ALIKE: f32 = 0.1;

/// What a corpus says of a pair: its share where there is one, or else its label.
fn said(pair: &Labelled) -> f32 {
    pair.share.unwrap_or(f32::from(u8::from(pair.label)))
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

/// Leaves each training pair in one corpus of those that are asked the same, by `questions`, and hold it with one label,
/// chosen by a hash of the pair. Validation pairs stay where they are. Returns how many were taken out.
pub(super) fn spread(corpora: &mut [Vec<Labelled>], questions: &[Question]) -> usize {
    let mut keys = Keys::default();
    let mut holders: HashMap<(Question, u64), Holders> = HashMap::new();
    for (number, (corpus, &question)) in corpora.iter().zip(questions).enumerate() {
        for pair in corpus.iter().filter(|pair| !pair.valid) {
            let held = holders.entry((question, keys.of(pair))).or_insert_with(|| Holders {
                corpora: Vec::new(),
                said: said(pair),
                alike: true,
            });
            held.alike &= (held.said - said(pair)).abs() < ALIKE;
            if held.corpora.last() != Some(&number) {
                held.corpora.push(number);
            }
        }
    }
    let mut taken = 0;
    for (number, (corpus, &question)) in corpora.iter_mut().zip(questions).enumerate() {
        corpus.retain(|pair| {
            let key = keys.of(pair);
            let stays = match holders.get(&(question, key)) {
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
                share: None,
            })
            .collect()
    }

    #[test]
    fn each_is_used_once_unless_labels_differ() {
        let mut corpora = [corpus(false), corpus(true)];
        assert_eq!(spread(&mut corpora, &[Question::Every; 2]), 80);
        let counts = corpora.each_ref().map(Vec::len);
        // 10 whose labels differ and 10 of validation in both.
        assert_eq!(counts[0] + counts[1], 120);
        assert!(counts.iter().all(|&n| n > 40), "{counts:?}");
        let mut golds: Vec<&str> = corpora.iter().flatten().map(|p| p.gold.as_str()).collect();
        golds.sort_unstable();
        golds.dedup();
        assert_eq!(golds.len(), 100);
    }

    #[test]
    fn questions_share_no_pairs() {
        let mut corpora = [corpus(false), corpus(false)];
        assert_eq!(spread(&mut corpora, &[Question::Every, Question::Plausible]), 0);
        // Shares that hardly differ say the same, whatever label is drawn.
        let with = |share: f32| {
            let mut corpus = corpus(share > 0.5);
            corpus.iter_mut().for_each(|pair| pair.share = Some(share));
            corpus
        };
        assert_eq!(spread(&mut [with(0.48), with(0.52)], &[Question::Plausible; 2]), 90);
        assert_eq!(spread(&mut [with(0.2), with(0.4)], &[Question::Plausible; 2]), 0);
    }
}
