//! The random source of generators and mutations: one seeded ChaCha stream for each item,
//! so that results do not depend on threads or on the order of work.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A seeded stream of random choices.
#[derive(Debug, Clone)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of item number `item` under `seed`.
    pub fn new(seed: u64, item: u64) -> Dice {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(item);
        Dice(rng)
    }

    /// A number in `0..n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.0.next_u64() % n as u64) as usize }
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).saturating_add(1).max(1);
        low.saturating_add((self.0.next_u64() % span as u64) as i64)
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// One of the items, if there are any.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// An index below `n`, small ones preferred; `skew` 1 is uniform, larger is steeper.
    pub fn skewed(&mut self, n: usize, skew: f64) -> usize {
        ((self.unit().powf(skew) * n as f64) as usize).min(n.saturating_sub(1))
    }

    /// A position, those with larger weights more often.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().sum();
        let mut rest = self.unit() * total;
        let found = weights.iter().position(|w| {
            rest -= w;
            rest < 0.0
        });
        found.or(weights.len().checked_sub(1))
    }

    /// A random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
