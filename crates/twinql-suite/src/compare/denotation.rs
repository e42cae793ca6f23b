//! Hashes of answers: what is compared with many others is read once.
//!
//! 128 bits under keys that are drawn anew for each process, so that no query can be written to
//! collide. Bags are sums of the hashes of their rows, lists are hashed in order; columns have
//! hashes of their own, by which they are matched. Reals are equal within a tolerance, which no
//! hash is, and sets have no duplicates: such answers are compared value by value.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use twinql_sql::Value;

use super::{Columns, Mode};
use crate::execute::Answer;

static KEYS: LazyLock<[u64; 4]> = LazyLock::new(|| {
    let state = RandomState::new();
    [0u64, 1, 2, 3].map(|n| state.hash_one(n) | 1)
});

/// The state of a hash: two lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lanes([u64; 2]);

fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

impl Lanes {
    fn new(keys: &[u64; 4]) -> Lanes {
        Lanes([keys[2], keys[3]])
    }

    fn word(&mut self, word: u64, keys: &[u64; 4]) {
        let [a, b] = self.0;
        // The second lane sees the word turned, so that no two words look alike in both.
        self.0 = [
            mix(a ^ word, keys[0]).wrapping_add(a.rotate_left(23)),
            mix(b ^ word.rotate_left(32), keys[1]).wrapping_add(b.rotate_left(41)),
        ];
    }

    fn value(&mut self, value: &Value, keys: &[u64; 4]) {
        let mut bytes = |tag: u64, bytes: &[u8]| {
            self.word(tag ^ ((bytes.len() as u64) << 8), keys);
            for part in bytes.chunks(8) {
                let mut word = [0u8; 8];
                word.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
                self.word(u64::from_le_bytes(word), keys);
            }
        };
        match value {
            Value::Null => bytes(1, &[]),
            Value::Integer(n) => bytes(2, &n.to_le_bytes()),
            Value::Text(s) => bytes(3, s.as_bytes()),
            Value::Blob(b) => bytes(4, b),
            Value::Real(r) => bytes(5, &r.to_bits().to_le_bytes()),
        }
    }

    fn finish(mut self, keys: &[u64; 4]) -> u128 {
        self.word(0x9E37_79B9_7F4A_7C15, keys);
        self.word(self.0[0] ^ self.0[1].rotate_left(17), keys);
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }
}

/// The hashes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denotation {
    rows: usize,
    /// Of all rows, with columns as they stand.
    whole: u128,
    columns: Vec<u128>,
}

impl Denotation {
    /// `None` where equal answers may have other hashes.
    pub(crate) fn of(answer: &Answer, mode: Mode) -> Option<Denotation> {
        if mode.as_set {
            return None;
        }
        let keys = &*KEYS;
        let mut whole = Sum::new(mode.as_list, keys);
        let mut columns = vec![Sum::new(mode.as_list, keys); answer.width];
        for row in &answer.rows {
            let mut of_row = Lanes::new(keys);
            for (value, column) in row.iter().zip(&mut columns) {
                if matches!(value, Value::Real(_)) {
                    return None;
                }
                let mut lanes = Lanes::new(keys);
                lanes.value(value, keys);
                let hash = lanes.finish(keys);
                column.add(hash, keys);
                of_row.word(hash as u64, keys);
                of_row.word((hash >> 64) as u64, keys);
            }
            whole.add(of_row.finish(keys), keys);
        }
        Some(Denotation {
            rows: answer.rows.len(),
            whole: whole.finish(keys),
            columns: columns.into_iter().map(|c| c.finish(keys)).collect(),
        })
    }

    /// What the hashes say of two answers; `None` where values have to be compared. Columns that
    /// are matched are remembered as [`equal`](super::equal) does.
    pub(crate) fn equal(&self, pred: &Denotation, columns: &mut Columns) -> Option<bool> {
        let n = columns.width;
        if self.rows != pred.rows || self.columns.len() != n || pred.columns.len() != n {
            return Some(false);
        }
        let similar = |g: usize, p: usize| self.columns.get(g) == pred.columns.get(p);
        if self.whole == pred.whole && (0..n).all(|i| columns.allows(i, i)) {
            columns.restrict(similar);
            return Some(true);
        }
        let matched = |g: usize| (0..n).any(|p| columns.allows(g, p) && similar(g, p));
        if !(0..n).all(matched) {
            return Some(false);
        }
        None
    }
}

/// The hash of a list or of a bag, from the hashes of its members.
#[derive(Clone)]
enum Sum {
    List(Lanes),
    Bag(u128),
}

impl Sum {
    fn new(as_list: bool, keys: &[u64; 4]) -> Sum {
        if as_list { Sum::List(Lanes::new(keys)) } else { Sum::Bag(0) }
    }

    fn add(&mut self, hash: u128, keys: &[u64; 4]) {
        match self {
            Sum::List(lanes) => {
                lanes.word(hash as u64, keys);
                lanes.word((hash >> 64) as u64, keys);
            }
            Sum::Bag(sum) => *sum = sum.wrapping_add(hash),
        }
    }

    fn finish(self, keys: &[u64; 4]) -> u128 {
        match self {
            Sum::List(lanes) => lanes.finish(keys),
            Sum::Bag(sum) => sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use twinql_sql::{Semantics, Value};

    use super::Denotation;
    use crate::compare::{Columns, Mode, equal};
    use crate::dice::Dice;
    use crate::execute::Answer;

    fn random(dice: &mut Dice) -> Answer {
        let width = 1 + dice.below(3);
        let value = |dice: &mut Dice| match dice.below(5) {
            0 => Value::Null,
            1 => Value::Text(["", "a", "1"][dice.below(3)].into()),
            _ => Value::Integer(dice.below(2) as i64),
        };
        Answer {
            width,
            rows: (0..dice.below(4)).map(|_| (0..width).map(|_| value(dice)).collect()).collect(),
        }
    }

    #[test]
    fn hashes_say_what_values_say() {
        let (mut said, mut equals) = (0, 0);
        for i in 0..5_000 {
            let mut dice = Dice::new(5, i);
            let one = random(&mut dice);
            let mut two = random(&mut dice);
            if dice.chance(0.6) {
                two = one.clone();
                dice.shuffle(&mut two.rows);
                let turn = dice.below(one.width);
                two.rows.iter_mut().for_each(|row| row.rotate_left(turn));
            }
            let mode = Mode::new(&Semantics::default(), dice.chance(0.4));
            let fresh = || Columns::new(one.width, true);
            let (mut known, mut columns) = (fresh(), fresh());
            let wanted = equal(&one, &two, mode, &mut known);
            let found = Denotation::of(&one, mode)
                .zip(Denotation::of(&two, mode))
                .and_then(|(a, b)| a.equal(&b, &mut columns));
            if let Some(found) = found {
                assert_eq!(found, wanted, "{one:?} {two:?}");
                let left = |c: &Columns| format!("{c:?}");
                assert!(!found || one.rows.is_empty() || left(&columns) == left(&known));
                said += 1;
                equals += usize::from(found);
            }
        }
        assert!(said > 4_000 && equals > 1_000, "{said} {equals}");
    }

    #[test]
    fn what_no_hash_tells() {
        let answer = Answer { width: 1, rows: vec![vec![Value::Real(2.0.into())]] };
        let mode = Mode::new(&Semantics::default(), false);
        assert_eq!(Denotation::of(&answer, mode), None);
        let set = Mode { as_set: true, ..mode };
        assert_eq!(Denotation::of(&Answer::default(), set), None);
    }
}
