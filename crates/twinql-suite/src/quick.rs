//! A hasher for sets that are small whatever is asked for, and of whose order nothing depends.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// A set that costs a few instructions where the standard one, which nobody can make slow, costs a hundred. So it is for
/// sets that stay small: a generated table has a few hundred rows at most.
pub(crate) type QuickSet<T> = HashSet<T, BuildHasherDefault<Quick>>;

/// Takes words in by multiplication, and folds both halves of the product.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.write_u64(u64::from_le_bytes(last));
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;

    #[test]
    fn small_numbers_and_short_texts_are_spread() {
        let build = BuildHasherDefault::<Quick>::default();
        let numbers: HashSet<u64> = (0..1000u64).map(|n| build.hash_one(n) % 4096).collect();
        let texts: HashSet<u64> = (0..1000).map(|n| build.hash_one(format!("name {n}")) % 4096).collect();
        // By chance some 890 places of 4,096 are taken.
        assert!(numbers.len() > 800 && texts.len() > 800, "{} {}", numbers.len(), texts.len());
    }
}
