//! A fixed sample of the training pairs, so that many runs on a large corpus are quick.

use std::collections::HashMap;

use super::labelled::Labelled;
use super::spread::Keys;

/// Keeps at most `most` training pairs: those with the smallest hashes, so that every run on these
/// corpora sees the same ones whatever its seed. Validation pairs stay. Returns how many were
/// taken out.
pub(super) fn sample(corpora: &mut [Vec<Labelled>], most: usize) -> usize {
    let mut keys = Keys::default();
    let mut order: Vec<(u64, usize, usize)> = Vec::new();
    for (number, corpus) in corpora.iter().enumerate() {
        let training = corpus.iter().enumerate().filter(|(_, pair)| !pair.valid);
        order.extend(training.map(|(place, pair)| (keys.of(pair), number, place)));
    }
    order.sort_unstable();
    let mut gone: HashMap<usize, Vec<bool>> = HashMap::new();
    for &(_, number, place) in order.iter().skip(most) {
        let size = corpora.get(number).map_or(0, Vec::len);
        let gone = gone.entry(number).or_insert_with(|| vec![false; size]);
        if let Some(gone) = gone.get_mut(place) {
            *gone = true;
        }
    }
    for (number, corpus) in corpora.iter_mut().enumerate() {
        if let Some(gone) = gone.get(&number) {
            let mut gone = gone.iter();
            corpus.retain(|_| !gone.next().copied().unwrap_or(false));
        }
    }
    order.len().saturating_sub(most)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use twinql_sql::Schema;

    use super::*;

    fn corpora() -> [Vec<Labelled>; 2] {
        let schema = Arc::new(Schema::from_ddl("d", "CREATE TABLE t (a INTEGER)").unwrap());
        [0, 1].map(|number| {
            (0..100)
                .map(|i| Labelled {
                    schema: Arc::clone(&schema),
                    gold: format!("SELECT a FROM t WHERE a > {i}"),
                    pred: format!("SELECT {number} FROM t"),
                    label: true,
                    valid: i >= 90,
                    origin: "prediction",
                    weight: 1.0,
                    ease: None,
                    share: None,
                })
                .collect()
        })
    }

    fn golds(corpora: &[Vec<Labelled>]) -> Vec<(String, bool)> {
        let pairs = corpora.iter().flatten();
        pairs.map(|p| (p.gold.clone() + &p.pred, p.valid)).collect()
    }

    #[test]
    fn a_sample_is_fixed_and_leaves_validation_alone() {
        let mut some = corpora();
        assert_eq!(sample(&mut some, 50), 130);
        let kept = golds(&some);
        assert_eq!(kept.iter().filter(|k| !k.1).count(), 50);
        assert_eq!(kept.iter().filter(|k| k.1).count(), 20);
        assert!(some.iter().all(|corpus| corpus.len() > 20), "of both corpora");
        let mut again = corpora();
        sample(&mut again, 50);
        assert_eq!(golds(&again), kept);
        // A smaller sample is a part of a larger one.
        let mut fewer = corpora();
        sample(&mut fewer, 20);
        assert!(golds(&fewer).iter().all(|k| kept.contains(k)));
        let mut all = corpora();
        assert_eq!(sample(&mut all, 180), 0);
    }
}
