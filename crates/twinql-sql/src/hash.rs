//! Hashes that are the same on every machine and in every version of Rust.

use std::hash::{Hash, Hasher};

/// What [`fnv`] begins with.
pub const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a with 64 bits of bytes that follow those of `before`, which is [`FNV`] where there are none.
pub fn fnv(before: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(before, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A number that looks unlike those of its neighbours (the finaliser of splitmix64).
pub fn finalised(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A hasher of words.
struct Stable(u64);

impl Hasher for Stable {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0u8; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            self.0 = mix(self.0, u64::from_le_bytes(word) ^ chunk.len() as u64);
        }
    }
}

/// Combines two hashes; the order matters.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    finalised(a.rotate_left(23) ^ b.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The hash of a value that holds no column.
pub(crate) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = Stable(0x7477_696e_716c);
    value.hash(&mut hasher);
    hasher.finish()
}
