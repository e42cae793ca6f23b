//! Digests, for names, checksums and choices that must be the same on every machine and in every release of
//! Rust: the standard library's hashes promise neither.

use sha2::{Digest as _, Sha256};

/// Two lower-case hexadecimal digits for each byte.
pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    use std::fmt::Write as _;
    let bytes = bytes.as_ref();
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut out, byte| {
        // Writing to a text does not fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The SHA-256 of bytes.
pub fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A SHA-256 over parts, each with its length, so that no two lists of parts read alike. Its first eight bytes tell
/// things apart.
#[derive(Debug, Clone, Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Of all parts.
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Fingerprint {
        parts.into_iter().fold(Fingerprint::default(), Fingerprint::with)
    }

    /// One part more.
    #[must_use]
    pub fn with(mut self, part: impl AsRef<[u8]>) -> Fingerprint {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// As a number.
    pub fn number(self) -> u64 {
        u64::from_be_bytes(self.bytes())
    }

    /// As sixteen digits.
    pub fn digits(self) -> String {
        hex(self.bytes())
    }

    fn bytes(self) -> [u8; 8] {
        let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = self.0.finalize().into();
        [a, b, c, d, e, f, g, h]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_every_release() {
        assert_eq!(hex([0, 15, 255]), "000fff");
        assert!(hex(sha256("")).starts_with("e3b0c44298fc1c14"));
        let print = Fingerprint::of(["ab", "c"]);
        assert_eq!(print.clone().number(), PRINT);
        assert_eq!(print.digits(), format!("{PRINT:016x}"));
        assert_ne!(Fingerprint::of(["a", "bc"]).number(), PRINT);
    }

    /// SHA-256 of 2, 0 × 7, `ab`, 1, 0 × 7, `c`, by another program.
    const PRINT: u64 = 0x43ee655579de01ca;
}
